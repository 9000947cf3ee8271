"""Question files as they are found: whatever is in them, every good row is read and every bad one counted."""

import bz2
import gzip
import io
import json
import lzma
import random
from collections import Counter
from functools import partial

import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.formats.file_formats import FORMATS, READ, question_rows, unread_sentence
from quizwriter.formats.question_files import (
    BUZZ,
    DEVELOPMENT,
    GUESS,
    ReadReport,
    begins_as_json,
    fold_of,
    place_key,
    question_names,
    questions,
)
from quizwriter.system.decoding import DecodingError, JsonListReader
from tests.helpers.memory import memory_at_most

TEXT = "This very deep lake freezes every winter."


def row(**fields):
    return {"id": "one", "text": TEXT, "answer": "Lake Baikal", "page": "Lake_Baikal", **fields}


def lines(*rows):
    return b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in rows)


@pytest.fixture
def read(tmp_path):
    """What is read from a file with these bytes, and the report of it."""

    def read(raw, reader=questions):
        path = tmp_path / "questions"
        path.write_bytes(raw)
        report = ReadReport(str(path))
        return list(reader(path, report)), report

    return read


def test_a_question_is_read_as_it_stands(read):
    ((question,), report) = read(lines(row(tournament="2017 NASAT", packet="17", num=16, fold="guessdev")))

    assert (question.id, question.text, question.page, question.answer) == (
        "one",
        TEXT,
        "Lake_Baikal",
        "Lake Baikal",
    )
    assert (question.fold, question.source) == (DEVELOPMENT, "2017 NASAT, packet 17, tossup 16")
    assert (report.rows, report.used, report.rejected) == (1, 1, {})


TWO = [row(), row(id="two")]
FORMS = {
    "JSON lines": lines(*TWO),
    "JSON lines without the last line feed": lines(*TWO).rstrip(),
    "JSON lines with CRLF and blank lines": lines(*TWO).replace(b"\n", b"\r\n\r\n"),
    "JSON lines after a byte order mark": b"\xef\xbb\xbf" + lines(*TWO),
    "a list": json.dumps(TWO).encode(),
    "a pretty list": b"\n  " + json.dumps(TWO, indent=2).encode() + b"\n",
    "a list after a byte order mark": b"\xef\xbb\xbf" + json.dumps(TWO).encode(),
    "a QANTA file": json.dumps({"version": "1", "questions": TWO}).encode(),
    "a pretty QANTA file": json.dumps({"version": "1", "questions": TWO}, indent=4).encode(),
    "a pretty QANTA file after a byte order mark": b"\xef\xbb\xbf"
    + json.dumps({"questions": TWO}, indent=4).encode(),
}


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, lzma.compress, bz2.compress], ids=["plain", "gz", "xz", "bz2"]
)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_plain_or_packed(read, form, pack):
    found, report = read(pack(FORMS[form]))

    assert [question.id for question in found] == ["one", "two"]
    assert (report.rows, report.used) == (2, 2)


def test_qanta_fields_are_understood(read):
    ((question,), _) = read(
        json.dumps({"questions": [{"qanta_id": 7, "text": TEXT, "page": "Lake_Baikal"}]}).encode()
    )

    assert (question.id, question.page, question.answer) == ("qanta-7", "Lake_Baikal", "Lake Baikal")


BROKEN = {
    "not JSON": b'{"text": \n',
    "not UTF-8": b'{"text": "\xff\xfe\xfa"}\n',
    "not a JSON object": b"[1, 2]\n",
    "text missing or too short": lines(row(id="x", text="This lake")),
    "no answer": lines(row(id="x", answer="", page="")),
    "same id as an earlier row": lines(row()),
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_row_is_counted_by_its_reason_and_the_rest_is_read(read, reason):
    found, report = read(lines(row(), BROKEN[reason], row(id="two")))

    assert [question.id for question in found] == ["one", "two"]
    assert report.rejected == {reason: 1}
    assert report.first == {reason: 2}
    assert (report.rows, report.used) == (3, 2)


@pytest.mark.parametrize("reason", ["not JSON", "not UTF-8"])
def test_a_broken_first_line_does_not_hide_the_others(read, reason):
    found, report = read(lines(BROKEN[reason], row()))

    assert [question.id for question in found] == ["one"]
    assert report.rejected == {reason: 1}


@pytest.mark.parametrize(
    "line",
    [
        b"\0" * 30 + b"\n",
        b'{"text": "a\0b"}\n',
        b'{"a":' * 100_000 + b"\n",
        b"[" * 100_000 + b"\n",
        b"12\n",
        b"null\n",
        b'{"num": ' + b"9" * 5_000 + b"}\n",
    ],
    ids=["NUL bytes", "a NUL byte", "a deep object", "a deep list", "a number", "null", "a huge number"],
)
@pytest.mark.parametrize("before", [[], [row(id="zero")]], ids=["first", "later"])
def test_no_line_whatever_stops_the_reading(read, line, before):
    if line.startswith(b"["):  # a file that begins with a bracket is a list
        before = [row(id="zero")]
    found, report = read(lines(*before, line, row()))

    assert [question.id for question in found] == [one["id"] for one in [*before, row()]]
    assert sum(report.rejected.values()) == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"text": 5}, "text missing or too short"),
        ({"text": None}, "text missing or too short"),
        ({"text": ["a"]}, "text missing or too short"),
        ({"answer": 5, "page": []}, "no answer"),
    ],
)
def test_a_field_that_must_be_text_and_is_not_makes_a_row_useless(read, fields, reason):
    found, report = read(lines(row(**fields)))

    assert found == []
    assert report.rejected == {reason: 1}


@pytest.mark.parametrize(
    ("fields", "source"),
    [
        ({}, "a past question, tossup"),
        ({"tournament": "ACF", "packet": "Finals 1", "num": 3}, "ACF, Finals 1, tossup 3"),
        ({"tournament": 5, "packet": 2}, "a past question, packet 2, tossup"),
        ({"packet": {"a": 1}, "num": [2]}, "a past question, tossup"),
        ({"packet": True, "num": None}, "a past question, tossup"),
        ({"packet": "A\nB"}, "a past question, A B, tossup"),
    ],
)
def test_where_a_question_was_asked_is_said_from_what_makes_sense(read, fields, source):
    ((question,), _) = read(lines(row(**fields)))

    assert question.source == source


@pytest.mark.parametrize(
    ("fields", "identifier"),
    [
        ({"id": "qb-1", "qanta_id": 2}, "qb-1"),
        ({"id": 12}, "12"),
        ({"id": None, "qanta_id": 2}, "qanta-2"),
        ({"id": "", "_id": "abc"}, "abc"),
        ({"id": {"a": 1}, "_id": [1], "qanta_id": None}, "text-d3d7a5"),
    ],
)
def test_a_question_is_called_by_its_id_or_after_its_text(read, fields, identifier):
    ((question,), _) = read(lines(row(**fields)))

    assert question.id.startswith("text-") if identifier.startswith("text-") else question.id == identifier


def test_a_question_without_an_id_is_called_the_same_every_time_and_another_text_differently(read):
    rows = [row(id=None), row(id=None, text=TEXT + " It is old.")]
    first, second = (question.id for question in read(lines(*rows))[0])
    again = read(lines(rows[0]))[0][0].id

    assert first == again != second


@pytest.mark.parametrize(
    ("given", "fold"),
    [
        ("guesstrain", GUESS), ("buzztrain", BUZZ), ("guessdev", DEVELOPMENT), ("buzzdev", DEVELOPMENT),
        ("guesstest", DEVELOPMENT), ("buzztest", DEVELOPMENT), ("adversarial", DEVELOPMENT),
    ],
)  # fmt: skip
def test_a_given_fold_is_kept(read, given, fold):
    ((question,), _) = read(lines(row(fold=given)))

    assert question.fold == fold


@pytest.mark.parametrize("fold", [None, "", "other", 3, ["guesstrain"]])
def test_without_a_known_fold_the_id_decides(read, fold):
    rows = [row(id=str(number), fold=fold) for number in range(60)]
    found, _ = read(lines(*rows))

    assert [question.fold for question in found] == [fold_of(question.id) for question in found]
    assert {question.fold for question in found} == {GUESS, BUZZ, DEVELOPMENT}


def test_ids_fall_into_folds_eight_to_one_to_one():
    counts = Counter(fold_of(f"question {number}") for number in range(10_000))

    assert counts[GUESS] == pytest.approx(8_000, abs=150)
    assert counts[BUZZ] == pytest.approx(1_000, abs=100)
    assert counts[DEVELOPMENT] == pytest.approx(1_000, abs=100)


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"answer_label": "Lake_Baikal_(song)", "answer": "x"}, "Lake Baikal (song)"),
        ({"answer_main": "Baikal", "answer": "x"}, "Baikal"),
        ({"answer": "“Baikal” [accept Lake Baikal]"}, "Baikal"),
        ({"answer": "", "page": "Lake_Baikal"}, "Lake Baikal"),
        ({"answer": "[Baikal]"}, "[Baikal]"),
    ],
)
def test_the_answer_is_the_best_name_there_is(read, fields, answer):
    ((question,), _) = read(lines(row(**fields)))

    assert question.answer == answer


def test_control_characters_and_half_letters_are_left_out(read):
    ((question,), report) = read(
        lines(row(id="a\ud800b", text=TEXT[:10] + "\x00\x1b\u200b\ud83d" + TEXT[10:], answer="A\udfffB"))
    )

    assert (question.id, question.text, question.answer) == ("ab", TEXT, "AB")
    assert report.odd == 5


@pytest.mark.parametrize(
    ("written", "meant"),
    [(f" {TEXT} ", TEXT), (f"{TEXT} Itâ€™s old.", f"{TEXT} It’s old."), (f"{TEXT} À Â â.", f"{TEXT} À Â â.")],
)
def test_a_text_is_without_blanks_around_it_and_in_the_right_encoding(read, written, meant):
    ((question,), _) = read(lines(row(text=written)))

    assert question.text == meant


def test_a_tossup_may_have_a_bonus_in_its_row(read):
    (found, report) = read(lines(row(leadin="For 10 points each:", parts=["One?"]), {"parts": ["One?"]}))

    assert [question.text for question in found] == [TEXT]
    assert report.bonuses == 1


def test_an_empty_file_is_one_without_rows(read, tmp_path):
    assert read(b" \n")[0] == []
    assert begins_as_json(tmp_path / "questions")


def test_a_buzz_calls_a_question_by_its_packet_and_number_also_by_zero():
    assert place_key("Packet_00.json", 1) == place_key("packet 0", 1) == "packet 0 / 1"
    assert question_names({"id": True, "packet": 0, "num": 2, "_id": "a"}, "a") == ("a", "0 / 2")


def test_what_opened_the_first_rejected_text_is_told_of_each_reason():
    report = ReadReport("")
    for reason, opening in (("no answer", "This lake"), ("no answer", "This river"), ("too long", "")):
        report.reject(reason, opening)

    assert report.openings == {"no answer": "This lake"}


def test_a_row_with_numbers_that_only_python_writes_is_read(read):
    found, report = read(lines(row(difficulty=float("nan"), year=float("-inf"), num=10**40)))
    assert [(one.origin.difficulty, one.origin.year) for one in found] == [(None, None)]
    assert not report.rejected


def test_a_page_and_an_answer_are_one_line(read):
    ((question,), _) = read(lines(row(page="Lake\nBaikal  (song)\r", answer="Lake\r\nBaikal")))

    assert (question.page, question.answer) == ("Lake_Baikal_(song)", "Lake Baikal")


def test_an_empty_file_holds_nothing(read):
    found, report = read(b"")

    assert (found, report.rows) == ([], 0)


def many(count=3_000):
    return lines(*(row(id=str(number), text=f"{TEXT} {number * 7919 % 10_007}") for number in range(count)))


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress], ids=["gz", "xz", "bz2"])
def test_a_packed_file_that_ends_early_is_said_in_one_sentence(read, pack):
    raw = pack(many())

    with pytest.raises(QuizwriterError, match=r"is damaged or ends early \(after row \d+\)\.") as trouble:
        read(raw[: len(raw) // 2])
    assert trouble.value.remedy == "Get the file again."


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress], ids=["gz", "xz", "bz2"])
def test_a_packed_file_with_damage_inside_is_said_in_one_sentence(read, pack):
    raw = bytearray(pack(many()))
    middle = len(raw) // 2
    raw[middle : middle + 40] = bytes(255 - byte for byte in raw[middle : middle + 40])

    with pytest.raises(QuizwriterError, match="is damaged or ends early"):
        read(bytes(raw))


@pytest.mark.parametrize("raw", [b'[{"text": ', b'[{"a": 1}, nonsense]', b'{"questions": [\n{"a": 1'])
def test_a_broken_json_list_is_said_in_one_sentence(read, raw):
    with pytest.raises(QuizwriterError, match="is not valid JSON") as told:
        read(raw)
    assert "\n" not in str(told.value)


def test_rows_before_the_damage_were_read(tmp_path):
    path = tmp_path / "questions.gz"
    raw = gzip.compress(many(30_000))
    path.write_bytes(raw[: len(raw) // 2])
    report = ReadReport(str(path))

    with pytest.raises(QuizwriterError, match=r"after row \d+"):
        list(questions(path, report))
    assert report.used > 100


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(QuizwriterError, match="cannot be read"):
        list(questions(tmp_path / "none.jsonl", ReadReport("")))


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(QuizwriterError, match="cannot be read"):
        list(questions(tmp_path, ReadReport("")))


def test_how_far_the_reading_is_rises_to_one(tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_bytes(many())
    report = ReadReport(str(path))
    shares = [report.read for _ in questions(path, report)]

    assert shares == sorted(shares)
    assert shares[0] < shares[-1] == pytest.approx(1, abs=0.05)


def test_questions_that_were_withdrawn_from_a_challenge_set_are_left_out_and_counted(read, tmp_path):
    rows = lines(*(row(id=None, qanta_id=number, text=f"{TEXT} {number}") for number in (7, 8)), row())
    withdrawn = tmp_path / "retracted.json"
    withdrawn.write_text('[{"qanta_id": 7, "tossup_id": "t", "version": "1.1", "reason": "a clue"}]')

    found, report = read(rows)
    assert [one.id for one in found] == ["qanta-8", "one"]
    assert report.rejected == {"withdrawn from its challenge set": 1}

    for damaged in ('{"7": true}', '[{"qanta_id": "7"}]', "[" * 9_000, ""):
        withdrawn.write_text(damaged)
        with pytest.raises(QuizwriterError, match=r"retracted\.json cannot be used"):
            read(rows)


def test_the_report_is_json(read):
    _, report = read(lines(row(), b"nonsense\n", b"nonsense\n"))

    assert json.loads(json.dumps(report.as_json())) == {
        "file": report.path, "rows": 3, "used": 1, "odd_characters": 0,
        "left_out": {"bonuses": 0, "headings": 0, "long_tags": 0, "editors": 0},
        "rejected": {"not JSON": {"rows": 2, "first_row": 2}},
    }  # fmt: skip


def test_every_real_question_of_the_sample_is_read(shared_data):
    report = ReadReport("")
    found = list(questions(shared_data / "tossups_sample.jsonl", report))

    assert len(found) == report.rows == report.used >= 100
    assert {question.fold for question in found} == {GUESS, BUZZ, DEVELOPMENT}


# -- files that were made to do harm

GOOD = row(id="good")
NESTED = {
    "a list in a list": b"[" * 20_000,
    "a list in a list that ends": b"[" * 20_000 + b"]" * 20_000,
    "a hundred thousand brackets": b"[" * 120_000,
    "objects": b'[{"a":' * 40_000,
    "in a row of a list": b"[" + json.dumps(GOOD).encode() + b"," + b"[" * 20_000,
    "in a row of a QANTA file": b'{"questions": [\n' + b'{"text": ' + b"[" * 20_000,
}


@pytest.mark.parametrize("name", NESTED)
def test_a_deep_list_is_refused_before_it_takes_memory(read, name):
    with memory_at_most(50), pytest.raises(QuizwriterError, match="cannot be used: lists or obj") as trouble:
        read(NESTED[name])
    assert "\n" not in str(trouble.value)


REFUSALS = (
    r"200 times longer|nested too deeply|has 100,000 lines one after the other that are no JSON objects"
)


@pytest.mark.parametrize(
    ("pack", "line"),
    [
        *((gzip.compress, line) for line in (b" ", b"[", b"a", b"\n", b"0\n")),
        (partial(lzma.compress, preset=0), b" "),
        (bz2.compress, b" "),
    ],
)
def test_a_small_file_that_unpacks_to_gigabytes_is_refused(read, pack, line):
    size = 1 << 20 if line.endswith(b"\n") else 20 << 20
    raw = pack(line * (size // len(line)))
    with memory_at_most(200), pytest.raises(QuizwriterError, match=REFUSALS):
        read(raw)


def test_a_line_without_end_is_left_out_and_the_rest_is_read(read):
    long = b'{"text": "' + random.Random(1).randbytes(5 << 20).hex().encode() + b'"}\n'
    with memory_at_most(150):
        found, report = read(lines(GOOD) + long + lines(row(id="two")))

    assert [question.id for question in found] == ["good", "two"]
    assert report.rejected == {"longer than 8 MB": 1}
    assert report.first == {"longer than 8 MB": 2}


def test_a_row_of_a_list_without_end_ends_the_reading_in_one_sentence(read):
    start = b"[" + json.dumps(GOOD).encode() + b', {"text": "'
    with (
        memory_at_most(200),
        pytest.raises(QuizwriterError, match=r"a row is longer than 8 MB \(after row 1\)"),
    ):
        read(start + random.Random(1).randbytes(5 << 20).hex().encode())


@pytest.mark.parametrize("of", [b"[],", b"{},", b"0,", b'"",', b'{"a":0},'])
def test_a_row_of_a_million_values_is_refused_before_it_is_built(read, of):
    values = b'{"a": [' + of * 1_000_000 + b"0]}"
    with memory_at_most(100):
        found, report = read(lines(GOOD) + values + b"\n")
    assert [question.id for question in found] == ["good"]
    assert report.rejected == {"it has more than 250,000 values": 1}

    with memory_at_most(150), pytest.raises(QuizwriterError, match=r"a row has more than 250,000 values"):
        read(b"[" + values + b"]")


@pytest.mark.parametrize(
    "broken",
    [
        b'{"text": "\xff\xfe\xfa"}',
        b'{"num": ' + b"9" * 5_000 + b"}",
        b'{"num": NaN}',
        b'{"\xed\xa0\x80": 1}',
        b'"\\u12',
    ],
    ids=["not UTF-8", "a huge number", "no number", "half a character", "half an escape"],
)
def test_a_list_with_a_broken_row_ends_in_one_sentence_with_its_place(read, broken):
    with pytest.raises(QuizwriterError, match=r"is not valid JSON \(after row 1: |after row 1\)") as trouble:
        read(b"[" + json.dumps(GOOD).encode() + b", " + broken + b"]")
    assert "b'" not in str(trouble.value)
    assert "\\n" not in str(trouble.value)
    assert "\n" not in str(trouble.value)


@pytest.mark.parametrize(
    "name", ["category", "tournament", "packet", "num", "author", "answer", "page", "id", "subcategory"]
)
def test_a_row_with_a_name_without_end_is_left_out_with_its_reason(read, name):
    found, report = read(lines(GOOD, row(**{"id": "long", name: "a" * 100_001})))

    assert [question.id for question in found] == ["good"]
    assert report.rejected == {f"{name} has more than 5,000 characters": 1}


def test_a_text_without_end_is_left_out_with_its_reason(read):
    found, report = read(lines(row(text="a" * 100_000), row(id="two", text="a" * 100_001)))

    assert [question.id for question in found] == ["one"]
    assert report.rejected == {"a text of more than 100,000 characters": 1}


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64, 65_536])
def test_a_list_is_read_the_same_in_pieces_of_any_size(chunk):
    raw = json.dumps([{"a": '\\"[{\\', "b": [[1, 2], {"c": "\\\\"}]}, {"d": "é]"}] * 3).encode()
    reader = JsonListReader(io.BufferedReader(io.BytesIO(raw)), 1, 1 << 20)
    assert b"".join(iter(lambda: reader.read(chunk), b"")) == raw

    deep = io.BufferedReader(io.BytesIO(raw[:-1] + b',"\\"",' + b"[" * 100))
    reader = JsonListReader(deep, 1, 1 << 20)
    with pytest.raises(DecodingError, match="nested too deeply"):
        list(iter(lambda: reader.read(chunk), b""))


def test_a_text_is_cleaned_once_and_that_is_counted(read):
    odd = "This lake\x97which isn\x92t Ladoga\u2028is ￼large\x81 and cold."
    (found,), report = read(lines(row(text=odd)))

    assert found.text == "This lake—which isn’t Ladoga\nis large and cold."
    assert report.odd == 4  # the line end is none of them


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_table_is_refused_with_the_formats_that_can_be_imported_and_json_under_any_name_is_read(
    tmp_path, pack
):
    path = tmp_path / "set.csv"
    path.write_bytes(pack(b"text,answer\n" + TEXT.encode() + b",Lake Baikal\n"))
    with pytest.raises(QuizwriterError) as refused:
        question_rows(path, ReadReport(str(path)))
    titles = {one.title: one.endings for one in FORMATS.values() if one.holds in READ}
    assert titles
    for title, endings in titles.items():
        assert f"{title} ({', '.join(endings)})" in refused.value.remedy

    path.write_bytes(pack(lines(row())))
    assert list(question_rows(path, ReadReport(str(path)))) == [row()]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.pdf"], "a.pdf is a PDF; save the packet as .docx or as plain text."),
        (["a.doc"], "a.doc is an old Word document; save it as .docx."),
        (
            ["a\nb.gif", "c.gif"],
            "a b.gif cannot be read. QuizWriter reads question files, packets, packs and challenge sets. "
            "1 more cannot be read.",
        ),
        (
            ["a" * 5_000],
            f"{'a' * 80} cannot be read. QuizWriter reads question files, packets, packs and challenge sets.",
        ),
        (["folder"], "folder is a folder and no challenge set. Drop the files in it instead."),
    ],
)
def test_what_cannot_be_read_where_it_is_dropped_says_what_helps(tmp_path, names, said):
    (tmp_path / "folder").mkdir()
    assert unread_sentence([tmp_path / name for name in names]) == said
