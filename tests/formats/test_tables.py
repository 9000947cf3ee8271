"""A table is CSV in which no spreadsheet finds a formula, and which reads back as it was."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.formats.tables import escape_cell, read_table, unescape_cell, write_table
from quizwriter.system.decoding import DecodingError

HOSTILE = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1+1",
    "\uff0b1",
    "\uff0d1",
    "\uff20a",
    "-",
    "=",
    "'=1",
    "''=1",
]
FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_begins_as_a_formula_does(text):
    assert escape_cell(text) == f"'{text}"
    assert unescape_cell(escape_cell(text)) == text


@pytest.mark.parametrize("text", ["", "a", "'tis", "a=1", "-1", "+12.50", "12", "“=1”", "(-1)"])
def test_texts_and_numbers_that_are_no_formula_stay(text):
    assert escape_cell(text) == text == unescape_cell(text)


TEXTS = st.text(
    st.one_of(st.sampled_from("'=+-@\t\r\n\",;1.\uff1da "), st.characters(exclude_categories=["Cs"]))
)


@given(st.lists(TEXTS, min_size=2, max_size=2), st.sampled_from(["\r\n", "\n"]))
def test_every_text_comes_back_and_no_cell_is_a_formula(texts, line_end):
    out = io.StringIO(newline="")
    write_table(out, [["one", "two"], texts, [1, None], [-1.5, True]], line_end)

    written = list(csv.reader(io.StringIO(out.getvalue(), newline="")))
    for cell in written[1]:
        assert not cell.startswith(FORMULA) or cell.strip("+-0123456789.") == ""
    assert list(read_table(io.StringIO(out.getvalue(), newline=""))) == [
        dict(zip(["one", "two"], texts, strict=True)),
        {"one": "1", "two": ""},
        {"one": "-1.5", "two": "True"},
    ]
    assert out.getvalue().endswith(line_end)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("a,b\n1,2,3\n", "row 1 has more cells"),
        ('a,b\n1,"2\n', "is not CSV after row 0"),
        ('a,b\n1,"2"3\n', "is not CSV after row 0"),
        ("a\n" + "x" * 200_000, "is not CSV after row 0"),
    ],
)
def test_what_is_no_table_is_refused(raw, reason):
    with pytest.raises(DecodingError, match=reason):
        list(read_table(io.StringIO(raw, newline="")))


def test_a_row_may_be_short_and_a_table_empty():
    assert list(read_table(io.StringIO("a,b\n1\n"))) == [{"a": "1", "b": ""}]
    assert list(read_table(io.StringIO(""))) == []
