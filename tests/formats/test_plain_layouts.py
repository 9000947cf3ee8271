"""Packets as other programs write them: columns, notes, Markdown, tables, numbers of every kind."""

from __future__ import annotations

import zipfile
from itertools import zip_longest

import docx
import pytest

from quizwriter.formats.file_formats import read_packet

LAKE = (
    "Farmers beside this lake paid their tax in dried eels. For 10 points, name this lake of three islands."
)
LOOM = "An inventor from Lyon drove this machine with punched cards. For 10 points, name this machine."
BOTH = [(LAKE, "Lake Mornel"), (LOOM, "power loom")]


@pytest.fixture
def read(tmp_path):
    """Reads a packet in plain text."""

    def read(content):
        path = tmp_path / "packet.txt"
        path.write_bytes(content.encode())
        return read_packet(path)

    return read


def pairs(packet):
    return [(one.text, one.answer) for one in packet.tossups]


def typed(layout):
    """Both questions in a ``layout`` with places for number, question and answer."""
    return "".join(layout.format(n=n, q=q, a=a) for n, (q, a) in enumerate(BOTH, start=1))


@pytest.mark.parametrize(
    "layout",
    [
        "{n}. [10] {q}\nANSWER: {a}\n\n",
        "{n}) [15/10] {q}\nANSWER: {a}\n\n",
        "{n}. (10 points) {q}\nANSWER: {a}\n\n",
        "Q{n}. {q}\nA{n}. {a}\n",
        "({n}) {q}\n(Answer) {a}\n\n",
        "{n} - {q}\nANSWER - {a}\n\n",
        "No. {n}. {q}\nANSWER: {a}\n\n",
        "Question #{n} of 2\n{q}\nCorrect answer: {a}\n\n",
        "Tossup {n} [Science - Physics]\n{q}\nAnswer: {a}\n\n",
        "## Tossup {n}\n\n{q}\n\n**ANSWER:** {a}\n\n",
        "- **Q:** {q}\n- **A:** {a}\n\n---\n\n",
        "| {n} | {q} | {a} |\n",
        "{n}. {q} (Answer: {a})\n\n",
        "[Swapped in late]\n{n}. {q}\nANSWER: {a}\n\n",
        "{n}. {q}\x0bANSWER: {a}\r\n",
    ],
)
def test_numbers_and_labels_of_every_kind_are_read(read, layout):
    packet = read(typed(layout))
    assert pairs(packet) == BOTH
    assert [one.number for one in packet.tossups] in (["1", "2"], ["", ""])
    assert packet.bonuses == packet.unread == []


def test_roman_numbers_are_believed_where_they_count(read):
    assert pairs(read(f"I. {LAKE}\nANSWER: Lake Mornel\nII. {LOOM}\nANSWER: power loom\n")) == BOTH
    packet = read(f"1. {LAKE}\nV. {LOOM}\nANSWER: power loom\n")
    assert pairs(packet) == [(f"{LAKE} V. {LOOM}", "power loom")]


def test_a_bonus_of_one_part_stays_a_bonus(read):
    packet = read(f"Bonuses\n1. [10] {LAKE}\nANSWER: Lake Mornel\n")
    assert (packet.tossups, len(packet.bonuses)) == ([], 1)
    packet = read(f"1. [10] {LAKE}\nANSWER: Lake Mornel\n[10] {LOOM}\nANSWER: power loom\n")
    assert (packet.tossups, len(packet.bonuses)) == ([], 1)


def test_the_head_of_a_table_says_what_its_columns_hold(tmp_path, read):
    rows = [("No.", "Question", "Answer", "Category", "Author"), ("1", *BOTH[0], "Science", "Ann Lee")]
    packet = read("".join(f"| {' | '.join(row)} |\n" for row in (rows[0], ["---"] * 5, rows[1])))
    document = docx.Document()
    table = document.add_table(rows=2, cols=5)
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    document.save(str(tmp_path / "table.docx"))

    for found in (packet, read_packet(tmp_path / "table.docx")):
        assert pairs(found) == BOTH[:1]
        assert found.tossups[0].tag == "Science; Author: Ann Lee"
        assert found.headings >= 5


def test_comments_and_footnotes_are_left_out_and_counted(tmp_path, read):
    packet = read(
        f"1. {LAKE.replace('eels.', 'eels.[a]')}\nANSWER: Lake Mornel[b]\n\n2. {LOOM}\nANSWER: power loom\n\n"
        "[a]Is this so?\n[b]accept Mornel?\n"
    )
    assert (pairs(packet), packet.headings) == (BOTH, 2)
    kept = LAKE.replace("eels.", "eels.[a]")
    assert pairs(read(f"1. {kept}\nANSWER: Lake Mornel\n")) == [(kept, "Lake Mornel")]

    path = tmp_path / "notes.docx"
    document = docx.Document()
    document.add_paragraph(f"1. {LAKE}\nANSWER: Lake Mornel")
    document.save(str(path))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(
            "word/footnotes.xml",
            '<w:footnotes xmlns:w="x"><w:footnote w:type="separator"/><w:footnote w:id="1"/></w:footnotes>',
        )
    assert read_packet(path).headings == 1


def test_two_columns_are_read_one_after_the_other(read):
    sides = []
    for number, (question, answer) in enumerate(BOTH, start=1):
        words, lines = f"{number}. {question}".split(), [""]
        for word in words:
            if len(lines[-1]) + len(word) > 20:
                lines.append("")
            lines[-1] = f"{lines[-1]} {word}".strip()
        sides.append([*lines, f"ANSWER: {answer}"])
    rows = [f"{left:28}{right}" for left, right in zip_longest(*sides, fillvalue="")]
    assert pairs(read("\n".join(rows) + "\n")) == BOTH


def test_a_page_may_end_within_a_question(read):
    first, second = LAKE.split(" For ")
    packet = read(
        f"1. {first}\n4\nAutumn Novice\n\fFor {second}\nANSWER: Lake Mornel\n\n"
        f"2. {LOOM}\nANSWER: power loom\n5\nAutumn Novice\n\f"
    )
    assert pairs(packet) == BOTH


def test_a_word_that_is_parted_at_the_end_of_a_line_is_whole_again(read):
    packet = read(
        "1. Farmers beside this la-\nke paid a long-\nlasting tax with an oldest, well-\nknown eel. For 10 "
        "points, name this lake.\nANSWER: Lake Mornel\n"
    )
    assert packet.tossups[0].text.startswith(
        "Farmers beside this lake paid a long-lasting tax with an oldest, well-known eel."
    )


@pytest.mark.parametrize("word", ["long-term", "anti-communist", "fleur-de-lis"])
def test_a_hyphen_that_is_part_of_a_word_stays_at_the_end_of_a_line(read, word):
    broken = "-\n".join(word.rsplit("-", 1))
    (one,) = read(f"1. {LAKE.replace('dried', broken)}\nANSWER: Lake Mornel\n").tossups
    assert one.text == LAKE.replace("dried", word)


@pytest.mark.parametrize(
    "content",
    [
        "1. " + LAKE.replace("dried ", "dried\t") + "\nANSWER: Lake Mornel",
        LAKE.replace(" For", "\tFor") + "\nANSWER: Lake Mornel",
        f"1.\t{LAKE}\nANSWER:\tLake Mornel",
    ],
)
def test_a_tab_within_a_question_is_a_space(read, content):
    packet = read(content)
    assert (pairs(packet), packet.unread) == (BOTH[:1], [])


def test_a_long_answer_line_keeps_what_is_behind_a_tab(read):
    answer = f"Lake Mornel [accept {'any lake of three islands, ' * 3}or Mornel]"
    assert pairs(read(f"1. {LAKE}\nANSWER: {answer}\t(accept it)\n")) == [(LAKE, f"{answer} (accept it)")]


def test_the_cells_of_a_row_with_tabs_are_cleaned(read):
    packet = read(f"1\t{LAKE}\x01\tLake Mornel – JanÃ¡k\n")
    assert (pairs(packet), packet.odd) == ([(LAKE, "Lake Mornel – Janák")], 1)


@pytest.mark.parametrize("line", ["- a frigate with guns -", "- question and answer -", "answer - a frigate"])
def test_a_dash_at_the_beginning_of_a_line_marks_nothing(read, line):
    assert pairs(read(f"1. This ship was\n{line}\n{LAKE}\nANSWER: Lake Mornel\n")) == [
        (f"This ship was {line} {LAKE}", "Lake Mornel")
    ]


def test_numbers_values_and_tags_at_the_edge_of_a_page_are_no_running_heads(read):
    packet = read(
        f"1. {LAKE}\nANSWER: Lake Mornel\nCategory: Science\n"
        f"\f2.\n{LOOM}\nANSWER: power loom\nCategory: Science\n"
    )
    assert [(one.number, one.tag) for one in packet.tossups] == [("1", "Science"), ("2", "Science")]
    (bonus,) = read(
        f"Bonuses\n1. Name these things.\n[10] {LAKE}\nANSWER: Lake Mornel\n"
        f"\f[10]\n{LOOM}\nANSWER: power loom\n\f[10]\n{LOOM}\nANSWER: power loom\n"
    ).bonuses
    assert len(bonus.parts) == 3


@pytest.mark.parametrize("mark", ["(\\*)", "[*]", "(+)", "(**)", "( * )", "(★)", "(✱)"])
def test_every_mark_of_a_power_is_one(read, mark):
    (one,) = read(f"1. {LAKE.replace('. For', f'. {mark} For')}\nANSWER: Lake Mornel\n").tossups
    assert one.text == LAKE.replace(". For", ". (*) For")


def test_the_mark_of_a_superpower_stays_before_that_of_a_power(read):
    text = LAKE.replace(". For", ". (+) Long. (*) For")
    (one,) = read(f"1. {text.replace('(*)', '[*]')}\nANSWER: Lake Mornel\n").tossups
    assert one.text == text


def test_who_wrote_it_is_read_below_an_answer(read):
    packet = read(
        f"1. {LAKE}\nANSWER: Lake Mornel\nWritten by Ann Lee, edited by Bo Chen\n\n"
        f"2. {LOOM}\nANSWER: power loom\n{{AL}} – Science\n"
    )
    assert pairs(packet) == BOTH
    assert [one.tag for one in packet.tossups] == ["Ann Lee; edited by Bo Chen", "AL; Science"]
