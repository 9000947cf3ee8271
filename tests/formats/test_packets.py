"""Packets read back question by question, in the layouts of the wild."""

from __future__ import annotations

import contextlib
import json
import lzma
import random
import string
import textwrap
import zipfile

import docx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quizwriter.domain.plain_text import cleaned
from quizwriter.domain.span import Span
from quizwriter.domain.styles import LetterStyle
from quizwriter.errors import QuizwriterError
from quizwriter.formats.file_formats import read_packet
from quizwriter.formats.packets.packet_questions import UnreadQuestion
from tests.helpers import hostile_packets
from tests.helpers.made_packets import LAYOUTS, NUMBERED, Source, make
from tests.helpers.memory import memory_at_most
from tests.helpers.processor_time import seconds

AUSTEN = (
    "A character created by this author mistakes a laundry list for a secret manuscript. (*) For 10 points, "
    "name this author of Emma."
)
HAYDN = (
    "This composer let his players leave the stage one by one. For 10 points, name this Austrian composer."
)
KYOTO = "A temple in this city is covered in gold leaf. For 10 points, name this old capital of Japan."


@pytest.fixture
def text(tmp_path):
    """Reads a plain-text packet."""

    def text(content, encoding="utf-8"):
        path = tmp_path / "packet.txt"
        path.write_bytes(content.encode(encoding))
        return read_packet(path)

    return text


@pytest.fixture
def word(tmp_path):
    """Reads a Word packet of paragraphs, each a list of (text, bold)."""

    def word(*paragraphs):
        document = docx.Document()
        for paragraph in paragraphs:
            added = document.add_paragraph()
            for run, bold in paragraph:
                added.add_run(run).bold = bold
        document.save(str(tmp_path / "packet.docx"))
        return read_packet(tmp_path / "packet.docx")

    return word


def pairs(packet):
    return [(asked.text, asked.answer) for asked in packet.tossups]


def test_a_plain_packet_gives_its_tossups_with_number_tag_and_place(text):
    packet = text(
        f"Winter Open\n\n1. {AUSTEN}\nANSWER: Jane Austen [accept Austen]\n<Ed. Wu - Literature>\n\n"
        f"TB. {HAYDN}\nANSWER: Joseph Haydn\n"
    )

    first, last = packet.tossups
    assert pairs(packet) == [(AUSTEN, "Jane Austen [accept Austen]"), (HAYDN, "Joseph Haydn")]
    assert (first.number, first.tag, first.place) == ("1", "Ed. Wu - Literature", 3)
    assert last.number == "TB"
    assert packet.unread == []


@pytest.mark.parametrize(
    "mark",
    [
        "ANSWER:",
        "Answer:",
        "ANS:",
        "ANS.",
        "answer. ",
        "ANSWER :",
        "\tANSWER:\t",
        "ANSWER\N{FULLWIDTH COLON}",
        "ANSWER -",
        "**ANSWER:**",
        "__Answer__:",
        "> ANSWER:",
    ],
)
def test_every_form_of_the_answer_mark_is_read(text, mark):
    assert pairs(text(f"4. {HAYDN}\n{mark} Joseph Haydn")) == [(HAYDN, "Joseph Haydn")]


@pytest.mark.parametrize(
    "number",
    [
        *("5.", "5)", "Tossup 5.", "TU 5:", "12.", "tb.", "Tiebreaker.", ""),
        *("(7)", "#7", "7\\.", "**7.**", "> 7.", "TOSSUP:", "Question:", "Q:"),
    ],
)
def test_every_form_of_the_number_is_read_and_none(text, number):
    packet = text(f"{number} {HAYDN}\nANSWER: Joseph Haydn")

    assert pairs(packet) == [(HAYDN, "Joseph Haydn")]


def test_tags_for_letters_in_a_plain_text_are_styles_and_no_category(text):
    line = "Joseph <b><u>Haydn</u></b> [or <b>Papa</b> Haydn]"
    (asked,) = text(
        f"4. {HAYDN.replace('one by one', '<i>one by one</i>')}\nANSWER: {line} <Bo, Music>"
    ).tossups

    assert (asked.text, asked.answer, asked.tag) == (HAYDN, "Joseph Haydn [or Papa Haydn]", "Bo, Music")
    assert [(span.start, span.end) for span in asked.answer_styles.spans()] == [(7, 12), (17, 21)]
    assert asked.styles.has(LetterStyle.ITALIC, HAYDN, Span(HAYDN.index("one by"), HAYDN.index(". For")))


def test_a_category_and_an_author_on_lines_of_their_own_are_tags(text):
    (asked,) = text(f"4. {HAYDN}\nANSWER: Joseph Haydn\nCategory: Fine Arts\nAuthor: Bo").tossups

    assert (asked.answer, asked.tag) == ("Joseph Haydn", "Fine Arts; Author: Bo")


def test_a_name_in_brackets_is_a_tag_behind_several_questions_and_else_a_part_of_the_answer(text):
    asked = [f"{AUSTEN}\nANSWER: Jane Austen {{CL}}", f"{HAYDN} - CL\nANSWER: Joseph Haydn (the elder)"]
    packet = text("\n\n".join([*asked, f"{KYOTO}\nANSWER: Kyoto (KYO)"]))
    assert pairs(packet) == [
        (AUSTEN, "Jane Austen"),
        (HAYDN, "Joseph Haydn (the elder)"),
        (KYOTO, "Kyoto (KYO)"),
    ]
    assert [one.tag for one in packet.tossups] == ["CL", "CL", ""]
    packet = text(f"{HAYDN}\nANSWER: Joseph Haydn <Ben, Music>\n\n{KYOTO}\nANSWER: Kyoto\n{{Ben}}")
    assert [(one.answer, one.tag) for one in packet.tossups] == [
        ("Joseph Haydn", "Ben, Music"),
        ("Kyoto", "Ben"),
    ]


@pytest.mark.parametrize(
    "end", ["[GUR-tuh]", "(Beethoven)", "(Jr.)", "- II", "(Description Acceptable)", "[BY]", "(Jane Austen)"]
)
def test_what_stands_behind_two_answers_and_is_no_writer_stays_a_part_of_them(text, end):
    packet = text(f"{AUSTEN} <Beethoven>\nANSWER: Jane Austen {end}\n\n{HAYDN}\nANSWER: Joseph Haydn {end}")
    assert [one.answer for one in packet.tossups] == [f"Jane Austen {end}", f"Joseph Haydn {end}"]
    assert [one.tag for one in packet.tossups] == ["Beethoven", ""]


@pytest.mark.parametrize("name", ["Jane Doe", "CL"])
def test_a_tag_below_a_name_that_stands_alone_is_taken_and_names_its_writer(text, name):
    packet = text(f"{AUSTEN}\nANSWER: Jane Austen <Drama, {name}> ({name}) [Edited]")
    assert [(one.answer, one.tag) for one in packet.tossups] == [("Jane Austen", f"Drama, {name}; {name}")]


def test_a_name_behind_ed_is_known_where_it_stands_alone(text):
    packet = text(f"{HAYDN}\nANSWER: Joseph Haydn [Ed. Doe]\n\n{KYOTO}\nANSWER: Kyoto (Doe)")
    assert [(one.answer, one.tag) for one in packet.tossups] == [
        ("Joseph Haydn", "Ed. Doe"),
        ("Kyoto", "Doe"),
    ]


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (("Jane Austen\nAuthor: Jane Doe", "Kyoto (Jane Doe)"), ("Jane Austen", "Kyoto")),
        (("Jane Austen\nWriter: Jane Doe", "Kyoto (Jane Doe)"), ("Jane Austen", "Kyoto")),
        (("Jane Austen <Drama, JD> (Doe)", "Kyoto"), ("Jane Austen", "Kyoto")),
        (("Albany (NY)", "Buffalo (NY)"), ("Albany (NY)", "Buffalo (NY)")),
        (("Albany [NY]", "Buffalo [NY]", "Kyoto"), ("Albany [NY]", "Buffalo [NY]", "Kyoto")),
        (("Austen (CL)", "Kyoto (CL)", "Haydn (JD)"), ("Austen", "Kyoto", "Haydn (JD)")),
        *(
            (parts, parts)
            for parts in (
                ("Verdun (WWI)", "Jutland (WWI)", "Ypres (WWI)", *"WXYZ"),
                ("helicase [DNA]", "ligase [DNA]", "gyrase [DNA]", *"WXYZ"),
                ("Fidelio {Beethoven}", "Egmont {Beethoven}", "Kyoto"),
                ("Albany (NY)", "Buffalo (NY)", "Utica (NY)"),
                ("Albany (NY)", "Macon (GA)", "Waco (TX)", "Troy (NY)", "Kyoto"),
                ("Albany [NY]", "Macon [GA]", "Leeds [UK]", "Hull [UK]", "Unit [CL]"),
            )
        ),
        (
            ("Austen (CL)", "Kyoto (MA)", "Haydn (MA)", "Bonn (CL)", "W"),
            ("Austen", "Kyoto", "Haydn", "Bonn", "W"),
        ),
        (  # two writers sign twice each in less than half of the packet, a third once; Albany is in New York
            ("Austen (CL)", "Kyoto (BO)", "Haydn [CL]", "Bonn (BO)", "Emma (DF)", "Albany (NY)", *"UVWXYZ"),
            ("Austen", "Kyoto", "Haydn", "Bonn", "Emma", "Albany (NY)", *"UVWXYZ"),
        ),
        (("Austen <Drama, CL>", "Kyoto (CL)"), ("Austen", "Kyoto")),
        (("Ottawa <Geography, Canada>", "London (Canada)"), ("Ottawa", "London (Canada)")),
        (("Ottawa <Geography, Ontario>", "London (Ontario)"), ("Ottawa", "London (Ontario)")),
        (
            ("Ottawa <Geography, Ontario, CL>", "Toronto <History, Ontario, JD>", "London (Ontario)"),
            ("Ottawa", "Toronto", "London (Ontario)"),
        ),
        (("Austen <Drama, Doe>", "Haydn <Music, Doe>", "Kyoto (Doe)"), ("Austen", "Haydn", "Kyoto")),
    ],
)
def test_a_part_of_an_answer_stays_unless_tags_surely_name_a_writer(text, lines, kept):
    packet = text("\n\n".join(f"{KYOTO}\nANSWER: {line}" for line in lines))
    assert tuple(one.answer for one in packet.tossups) == kept


@pytest.mark.parametrize("mark", ["(*)", " (*) ", "( * )", " (*)", "[*]"])
def test_the_power_mark_stands_between_spaces_however_it_was_typed(text, mark):
    (asked,) = text(f"1. {AUSTEN.replace(' (*) ', mark)}\nANSWER: Jane Austen").tossups

    assert asked.text == AUSTEN


def test_bold_text_is_power_where_there_is_no_mark_though_runs_are_split_mid_word(word):
    power, rest = AUSTEN.split(" (*) ")
    runs = [("3. ", None), (power[:10], True), (power[10:31], True), (power[31:], True), (f" {rest}", None)]

    (asked,) = word(runs, [("ANSWER: ", None), ("Jane Austen", True)]).tossups

    assert asked.text == AUSTEN


@pytest.mark.parametrize("bold", [True, None])
def test_a_tossup_bold_throughout_or_nowhere_has_no_power(word, bold):
    (asked,) = word([(HAYDN, bold)], [("ANSWER: Joseph Haydn", None)]).tossups

    assert asked.text == HAYDN


def test_a_bold_word_later_on_is_no_power(word):
    runs = [(HAYDN[:30], None), (HAYDN[30:60], True), (HAYDN[60:], None)]

    assert word(runs, [("ANSWER: Joseph Haydn", None)]).tossups[0].text == HAYDN


def test_the_mark_wins_over_the_bold(word):
    (asked,) = word([(AUSTEN[:20], True), (AUSTEN[20:], None)], [("ANSWER: Jane Austen", None)]).tossups

    assert asked.text == AUSTEN


def test_wrapped_lines_and_a_hyphen_at_their_end_are_one_text(text):
    packet = text(
        "1. This well-\nknown composer let his players\nleave the stage. For 10 points, name this composer.\n"
        "ANSWER: Joseph Haydn [accept Franz\nJoseph Haydn]\n\n2. " + KYOTO + "\nANSWER: Kyoto\n"
    )

    assert packet.tossups[0].text.startswith("This well-known composer let his players leave")
    assert packet.tossups[0].answer == "Joseph Haydn [accept Franz Joseph Haydn]"


def test_a_number_inside_a_text_begins_no_question(text):
    packet = text(
        "1. This composer wrote a symphony in the year\n12. Others say it was later; he wrote a lot. "
        "For 10 points, name him.\nANSWER: Joseph Haydn\n2. " + KYOTO + "\nANSWER: Kyoto\n"
    )

    assert [asked.number for asked in packet.tossups] == ["1", "2"]
    assert packet.tossups[0].text.startswith("This composer wrote a symphony in the year 12. Others")


def test_an_answer_line_whose_bracket_never_closes_does_not_swallow_the_next_question(text):
    packet = text(f"{AUSTEN}\nANSWER: Jane Austen [accept Austen\n{HAYDN}\nANSWER: Joseph Haydn\n")

    assert pairs(packet) == [(AUSTEN, "Jane Austen [accept Austen"), (HAYDN, "Joseph Haydn")]


def test_a_note_to_the_moderator_stays_with_its_question(text):
    packet = text(f"Title\n\nNote to moderator: Read slowly.\n\n{HAYDN}\nANSWER: Joseph Haydn\n")

    assert pairs(packet) == [(f"Note to moderator: Read slowly. {HAYDN}", "Joseph Haydn")]


def test_a_note_right_above_a_number_belongs_to_the_question_with_that_number(text):
    packet = text(f"Note to moderator: Read slowly.\n7. {HAYDN}\nANSWER: Joseph Haydn\n")

    assert [asked.number for asked in packet.tossups] == ["7"]
    assert pairs(packet) == [(f"Note to moderator: Read slowly. {HAYDN}", "Joseph Haydn")]


def test_running_heads_and_page_numbers_are_no_part_of_a_question(text):
    head = "\n\nWinter Open - Packet 3 - Page {}\n\n"
    half = len("A character created by this author")
    packet = text(
        "1. " + AUSTEN[:half] + head.format(1) + AUSTEN[half:] + "\nANSWER: Jane Austen\n" + head.format(2)
        + "2. " + HAYDN + "\n\n12\n\nANSWER: Joseph Haydn\n" + head.format(3)
    )  # fmt: skip

    assert pairs(packet) == [(AUSTEN, "Jane Austen"), (HAYDN, "Joseph Haydn")]


NAMES = "Ann Lee, Bo Chen, Cy Dunn, Dee Eads, Eve Ford, Gus Hill, Ida Jones, Kit Lowe and Moe Nash"


@pytest.mark.parametrize("number", ["1. ", ""])
@pytest.mark.parametrize("below", ["\n", "\n\n"])
@pytest.mark.parametrize(
    "title",
    [
        "2026 Autumn Open\nPacket 3",
        f"Autumn Open 2026 - Packet 3\nEdited by {NAMES}",
        f"Autumn Open 2026: Questions by {NAMES}\nHead editor: Ann Lee. Section editors: Bo Chen, Cy Dunn.",
        "AUTUMN OPEN 2026\nPACKET 3 BY NORTHERN STATE AND SOUTHERN TECH WITH THE EDITORS OF THE WEST",
    ],
)
def test_a_title_of_two_lines_is_no_part_of_a_question_and_is_counted(text, title, below, number):
    packet = text(f"{title}{below}{number}{AUSTEN}\nANSWER: Jane Austen\n")

    assert pairs(packet) == [(AUSTEN, "Jane Austen")]
    assert (packet.headings, packet.unread) == (2, [])


@pytest.mark.parametrize("tag", ["Ann Writer, British Literature", "Bo Round, Set Theory", "Editors"])
def test_a_tag_that_is_a_paragraph_and_has_the_words_of_a_title_is_a_tag(word, tag):
    lines = [
        f"1. {AUSTEN}",
        "ANSWER: Jane Austen",
        f"<{tag}>",
        f"2. {AUSTEN}",
        "ANSWER: Jane Austen",
        f"<{tag}>",
    ]
    packet = word(*([(line, False)] for line in lines))
    assert [tossup.tag for tossup in packet.tossups] == [tag, tag]
    assert packet.headings == 0


def test_a_question_about_a_tournament_is_no_title(text):
    lines = "The Open Championship and the Round Table\nwere won by this knight of the Round Table. For 10\n"
    packet = text(f"{lines}points, name this knight.\nANSWER: Lancelot\n")

    assert pairs(packet) == [(f"{lines}points, name this knight.".replace("\n", " "), "Lancelot")]


@pytest.mark.parametrize(
    ("lines", "question", "answer"),
    [
        ([f"1. {AUSTEN}", "ANSWER:", "The Round Table"], AUSTEN, "The Round Table"),
        (
            [
                "1. One poem by him has the line",
                "“Round the Open Set!”",
                "For 10 points, name this poet.",
                "ANSWER: X",
            ],
            "One poem by him has the line “Round the Open Set!” For 10 points, name this poet.",
            "X",
        ),
        (
            ["1.", "Set Theory Was Founded By Him.", "For 10 points, name this man.", "ANSWER: X"],
            "Set Theory Was Founded By Him. For 10 points, name this man.",
            "X",
        ),
    ],
)
def test_no_line_is_a_title_where_a_question_or_its_answer_goes_on(text, lines, question, answer):
    packet = text("\n\n".join(["Autumn Open, Packet 3", *lines, f"2. {HAYDN}", "ANSWER: Joseph Haydn"]))

    assert pairs(packet) == [(question, answer), (HAYDN, "Joseph Haydn")]
    assert packet.headings == 1


def test_the_first_line_of_a_question_in_capitals_is_no_title(text):
    lines = "SET IN A ROUND HOUSE, A WORK OF HIS\nENDS IN RAIN. FOR 10 POINTS, NAME THE WRITER"

    assert pairs(text(f"{lines}\nANSWER: X\n")) == [(lines.replace("\n", " "), "X")]


def test_no_line_of_a_real_question_is_a_title(real_lines, text):
    texts = [json.loads(line)["text"] for line in random.Random(3).sample(real_lines[0], 300)]
    for at in range(0, len(texts), 5):
        wrapped = [textwrap.fill(one_line(line), 80) for line in texts[at : at + 5]]
        packet = text("\n\n".join(f"{lines}\nANSWER: Emma" for lines in wrapped))
        assert packet.headings == 0


def test_bonuses_are_read_with_their_parts(text):
    packet = text(
        f"Bonuses\n1. This man wrote farewells. For 10 points each:\n[10e] {HAYDN}\nANSWER: Joseph Haydn\n"
        f"[10m] {KYOTO}\nANSWER: Kyoto\n[10h] {AUSTEN}\nANSWER: Jane Austen\n<Mixed>\n"
    )

    (bonus,) = packet.bonuses
    assert bonus.leadin == "This man wrote farewells. For 10 points each:"
    assert bonus.parts == ((HAYDN, "Joseph Haydn"), (KYOTO, "Kyoto"), (AUSTEN, "Jane Austen"))
    assert bonus.tag == "Mixed"
    assert packet.unread == []


@pytest.mark.parametrize("mark", ["[10[", "(10)", "10]", "[ 10 ]", "[E]"])
def test_mistyped_marks_of_parts_are_understood(text, mark):
    part = f"{mark} {HAYDN}\nANSWER: Joseph Haydn\n"
    (bonus,) = text(f"Bonuses\n1. Something is said here first:\n{part * 3}").bonuses

    assert [text for text, _ in bonus.parts] == [HAYDN] * 3


def test_bonuses_without_marks_are_read_by_their_numbers(text):
    part = "{}\nANSWER: {}\n"
    packet = text(
        "Bonuses\n\n1. " + part.format(HAYDN, "Joseph Haydn") + part.format(KYOTO, "Kyoto")
        + part.format(AUSTEN, "Jane Austen") + "\n2. " + part.format(KYOTO, "Kyoto")
    )  # fmt: skip

    assert [len(bonus.parts) for bonus in packet.bonuses] == [3, 1]
    assert [unread.reason for unread in packet.unread] == ["a bonus with 1 part, read as it is"]


def test_what_cannot_be_read_is_reported_with_its_place_and_opening(text):
    packet = text(
        f"1. {AUSTEN}\n\n2. {HAYDN}\nANSWER: Joseph Haydn\n\nANSWER: nobody\n\n3. Short.\nANSWER: x\n\n"
        f"4. {KYOTO}\nANSWER:\n\nBonuses\n1. Lead-in here:\n[10] {HAYDN}\n[10] {KYOTO}\nANSWER: Kyoto\n"
    )

    assert pairs(packet) == [(HAYDN, "Joseph Haydn")]
    assert packet.unread == [
        UnreadQuestion(1, "no answer line", "A character created by this author mistakes a"),
        UnreadQuestion(6, "an answer line without a question", "nobody"),
        UnreadQuestion(8, "the text is too short", "Short."),
        UnreadQuestion(11, "the answer line is empty", "A temple in this city is covered in"),
        UnreadQuestion(
            16, "part 1 of a bonus has no answer line", "This composer let his players leave the stage"
        ),
        UnreadQuestion(15, "a bonus with 1 part, read as it is", "Lead-in here:"),
    ]


def test_a_missing_answer_line_between_unnumbered_questions_is_reported(text):
    packet = text(f"{HAYDN}\n\n{KYOTO}\nANSWER: Kyoto\n")

    assert pairs(packet) == [(KYOTO, "Kyoto")]
    assert [unread.reason for unread in packet.unread] == ["no answer line"]


def test_an_answer_line_that_runs_on_is_reported(text):
    packet = text(f"1. {KYOTO}\nANSWER: Kyoto 2. {HAYDN}\n")

    assert packet.tossups == []
    assert packet.unread[0].reason == "the answer line runs on into another question"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_texts_of_every_editor_are_decoded(text, encoding):
    packet = text("1. This café’s owner is asked for. For 10 points, name her.\nANSWER: Zoë", encoding)

    assert pairs(packet) == [("This café’s owner is asked for. For 10 points, name her.", "Zoë")]


def test_signs_for_italics_and_underlining_are_taken_out(text):
    packet = text(
        "1. In ~The Castle~ a man named _K._ waits. For 10 points, name it.\nANSWER: _Kafka_ [or K_1]"
    )

    assert pairs(packet) == [
        ("In The Castle a man named K. waits. For 10 points, name it.", "Kafka [or K_1]")
    ]


def test_what_is_no_word_document_is_said_in_a_sentence(tmp_path):
    for content in (b"", b"PK\x03\x04 nothing", b"hello"):
        path = tmp_path / "packet.docx"
        path.write_bytes(content)
        with pytest.raises(QuizwriterError, match="not a sound Word document"):
            read_packet(path)


def test_a_word_document_that_unpacks_to_gigabytes_is_refused(tmp_path):
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"\0" * (65 << 20))

    with pytest.raises(QuizwriterError, match="becomes longer than 64 MB"):
        read_packet(path)


def test_a_damaged_document_of_the_right_shape_is_said_in_a_sentence(tmp_path, word):
    word([(HAYDN, None)])
    whole = (tmp_path / "packet.docx").read_bytes()
    chance = random.Random(4)
    for _ in range(60):
        broken = bytearray(whole)
        for _ in range(40):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        (tmp_path / "packet.docx").write_bytes(broken)
        try:
            read_packet(tmp_path / "packet.docx")
        except QuizwriterError:
            continue


WORDS = st.text(string.ascii_letters + "éßñ’", min_size=2, max_size=9)
CLUES = st.lists(WORDS, min_size=8, max_size=40)
NAMES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


@st.composite
def sources(draw):
    """A tossup as people write them, with power or without."""
    words = draw(CLUES)
    at = draw(st.integers(0, len(words) - 1))
    power = f"{' '.join(words[:at])} (*) " if at else ""
    text = f"{power}{' '.join(words[at:])}. For 10 points, name this {draw(WORDS)}."
    directions = draw(st.sampled_from(["", " [or {}]", " [accept {}; prompt on {}]", " (“{}”)"]))
    return Source(text, draw(NAMES) + directions.replace("{}", draw(NAMES)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    layout=st.sampled_from(LAYOUTS),
    asked=st.lists(sources(), min_size=1, max_size=6),
    seed=st.integers(0, 1000),
)
def test_generated_packets_come_back_in_every_layout(tmp_path, layout, asked, seed):
    if layout.encoding == "cp1252" or layout.emphasis or (layout.bold and not layout.mark):
        asked = [Source(one.text.replace("_", ""), one.answer) for one in asked]
    expected = make(tmp_path / "packet", layout, asked, [], seed)

    packet = read_packet(tmp_path / ("packet.docx" if layout.word else "packet.txt"))

    assert pairs(packet) == [(one.text, one.answer) for one in expected.tossups]
    assert packet.unread == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.lists(
        st.sampled_from(
            [
                "1. ",
                "2. ",
                "TB. ",
                "ANSWER: ",
                "ANS. ",
                "[10] ",
                "[10e] ",
                "<Tag>",
                "Bonuses",
                "Tossups",
                "[",
                "]",
                "(*)",
                "\n",
                "\n\n",
                "\t",
                "Page 3",
                HAYDN,
                KYOTO,
                AUSTEN,
                "Haydn",
                "Note to moderator: slow. ",
            ]
        ),
        max_size=30,
    )
)
def test_any_heap_of_marks_is_read_or_reported_and_never_a_bug(tmp_path, content):
    path = tmp_path / "packet.txt"
    path.write_text(" ".join(content), encoding="utf-8")

    packet = read_packet(path)

    said = " ".join(
        [asked.text + asked.answer for asked in packet.tossups]
        + [bonus.leadin + str(bonus.parts) for bonus in packet.bonuses]
    )
    whole = {HAYDN, KYOTO, AUSTEN} & set(content)
    assert all(question[:25] in said for question in whole) or packet.unread


PACKETS, TOSSUPS, BONUSES = 50, 21, 20


@pytest.fixture(scope="module")
def real_lines(shared_data):
    """The lines of the files of tossups and of bonuses."""

    def lines(name):
        return lzma.decompress((shared_data / name).read_bytes()).splitlines()

    return lines("tossups.jsonl.xz"), lines("bonuses.jsonl.xz")


def real_questions(real_lines, seed):
    """Tossups with their power mark and bonuses of three parts, at random."""
    chance = random.Random(seed)
    tossups, bonuses = real_lines

    def drawn(lines, number):
        return map(json.loads, chance.sample(lines, number))

    def source(row):
        text, at = row["text"], row.get("power_char")
        if at:
            text = f"{text[:at].rstrip()} (*) {text[at:].lstrip()}"
        return Source(one_line(text), one_line(row["answer"]))

    def whole(row):
        said = [row["leadin"], *(part[name] for part in row["parts"] for name in ("text", "answer"))]
        return len(row["parts"]) == 3 and all(said) and not any("<" in one or "ANSWER" in one for one in said)

    asked = [source(row) for row in drawn(tossups, PACKETS * TOSSUPS)]
    parted = [row for row in drawn(bonuses, 2 * PACKETS * BONUSES) if whole(row)]
    return asked, [
        (one_line(row["leadin"]), [source(part) for part in row["parts"]])
        for row in parted[: PACKETS * BONUSES]
    ]


def one_line(text):
    return " ".join(text.split())


def kept(text):
    return one_line(cleaned(text))


def cp1252(text):
    return one_line(text.encode("cp1252", "ignore").decode("cp1252"))


def test_fifty_packets_of_real_questions_come_back_in_every_layout(real_lines, tmp_path):
    tossups, bonuses = real_questions(real_lines, seed=1)
    total = exact = unsaid = bonus_total = bonus_exact = 0
    for number in range(PACKETS):
        layout = LAYOUTS[number % len(LAYOUTS)]
        printed = make(
            tmp_path / f"packet {number}",
            layout,
            tossups[number * TOSSUPS : (number + 1) * TOSSUPS],
            bonuses[number * BONUSES : (number + 1) * BONUSES],
            number,
        )
        same = cp1252 if layout.encoding == "cp1252" else kept

        packet = read_packet(tmp_path / f"packet {number}{'.docx' if layout.word else '.txt'}")

        read = set(pairs(packet))
        missed = [one for one in printed.tossups if (same(one.text), same(one.answer)) not in read]
        total += len(printed.tossups)
        exact += len(printed.tossups) - len(missed)
        unsaid += len(missed) if not packet.unread else 0
        read_bonuses = {(bonus.leadin, bonus.parts) for bonus in packet.bonuses}
        for leadin, parts in printed.bonuses:
            bonus_total += 1
            whole = tuple((same(part.text), same(part.answer)) for part in parts)
            bonus_exact += (same(leadin), whole) in read_bonuses
    assert total == PACKETS * TOSSUPS
    assert exact >= 0.98 * total
    assert bonus_exact >= 0.98 * bonus_total
    assert unsaid <= 0.005 * total


def test_layouts_cover_what_exists():
    assert {layout.word for layout in LAYOUTS} == {True, False}
    assert len({layout.numbers for layout in LAYOUTS}) == 3
    assert any(layout.numbers == NUMBERED and layout.table == "sides" for layout in LAYOUTS)


# -- documents that were made to do harm


@pytest.mark.parametrize("name", hostile_packets.REFUSED)
def test_a_hostile_document_is_refused_in_one_sentence_and_little_memory(tmp_path, name):
    parts, sentence = hostile_packets.REFUSED[name]
    path = hostile_packets.save(tmp_path / "packet.docx", parts)

    with memory_at_most(250), pytest.raises(QuizwriterError, match=sentence) as trouble:
        read_packet(path)
    assert str(path) in str(trouble.value)
    assert "\n" not in str(trouble.value)


@pytest.mark.parametrize("kind", ["encrypted", "packed with LZMA", "packed with bzip2", "cut off", "no zip"])
def test_a_zip_that_cannot_be_unpacked_is_refused_in_one_sentence(tmp_path, kind):
    path = tmp_path / "packet.docx"
    if kind == "encrypted":
        hostile_packets.encrypted(path)
    elif kind == "packed with LZMA":
        hostile_packets.save(path, {}, zipfile.ZIP_LZMA)
    elif kind == "packed with bzip2":
        hostile_packets.save(path, {}, zipfile.ZIP_BZIP2)
    else:
        path.write_bytes(hostile_packets.save(path, {}).read_bytes()[:5_000] if kind == "cut off" else b"a")

    with pytest.raises(QuizwriterError, match="is not a sound Word document") as trouble:
        read_packet(path)
    assert "\n" not in str(trouble.value)


@pytest.mark.parametrize("links", [hostile_packets.CHAIN, hostile_packets.LOOP], ids=["chain", "loop"])
def test_styles_that_are_based_on_each_other_without_end_are_read(tmp_path, links):
    question = "".join(hostile_packets.paragraph(text, "s0") for text in (AUSTEN, "ANSWER: Jane Austen"))
    parts = {
        "word/document.xml": hostile_packets.body(question),
        "word/styles.xml": hostile_packets.styles(links),
    }

    assert pairs(read_packet(hostile_packets.save(tmp_path / "packet.docx", parts))) == [
        (AUSTEN, "Jane Austen")
    ]


@pytest.mark.parametrize("name", hostile_packets.SLOW)
def test_no_document_takes_long(tmp_path, name):
    path = hostile_packets.save(tmp_path / "packet.docx", {"word/document.xml": hostile_packets.SLOW[name]})

    def read():
        with contextlib.suppress(QuizwriterError):
            read_packet(path)

    assert seconds(read, 5) < 5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a\n" * 50_001, "more than 50,000 lines"),
        ("a" * 50_001, "line 1 is longer than 50,000 characters"),
        ("a b\n" * (3 << 20), "more than 8 MB"),
    ],
)
def test_a_text_far_larger_than_a_packet_is_refused(tmp_path, text, sentence):
    path = tmp_path / "packet.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(QuizwriterError, match=sentence):
        read_packet(path)


def test_a_text_of_fifty_thousand_short_lines_is_read_in_linear_time(tmp_path):
    path = tmp_path / "packet.txt"
    path.write_text("ANSWER: a (\nb\nc\n" * 16_000, encoding="utf-8")
    assert seconds(lambda: read_packet(path), 10) < 10


@pytest.mark.parametrize(
    ("layout", "tags", "headings"),
    [
        ("{n}. American Literature\n{q}\nANSWER: {a}\n", "American Literature", 0),
        ("{n}.\n(Literature, Other)\n{q}\nANSWER: {a}\n", "Literature, Other", 0),
        ("{n}. {q}\nANSWER: {a}\nLiterature - Other\n", "Literature - Other", 0),
        ("{n}. {q}\nANSWER: {a}\n[Literature - BO]\n", "Literature - BO", 0),
        ("{n}. {q}\nANSWER: {a}\nModerator: say nothing.\n<BO>\n", "BO", 3),
        ("{n}. {q}\nA: {a}\n", "", 0),
        ("Q{n}. {q}\nA{n}. {a}\n", "", 0),
        ("{n}. {q}\n(Answer: {a})\n", "", 0),
        ("TOSSUP #{n} - {q}\nANSWER: {a}\n", "", 0),
        ("---\nTossup {n} (Literature, Other)\n{q}\nANSWER: {a}", "Literature, Other", 3),
        ("PORTS AND REEDS\n{n}. {q}\nANSWER: {a}\n", "", 3),
        ("{n}. {q}\nANSWER: __{a}__\n", "", 0),
    ],
)
def test_what_tournaments_write_around_a_question_is_no_word_of_it(text, word, layout, tags, headings):
    asked = [(AUSTEN, "Jane Austen"), (HAYDN, "Joseph Haydn"), (KYOTO, "Kyoto")]
    whole = "\n".join(layout.format(n=n, q=q, a=a) for n, (q, a) in enumerate(asked, start=1))
    for packet in (text(whole), word(*([(line, False)] for line in whole.split("\n")))):
        if "__" in layout and packet.unit == "paragraph":
            continue  # Word has styles of its own, so signs there are letters
        assert pairs(packet) == asked
        assert (packet.unread, packet.bonuses) == ([], [])
        if packet.unit == "line":  # in Word such a line may be of the question below, so it is counted
            assert [one.tag for one in packet.tossups] == [tags] * 3
            assert packet.headings == headings
        else:
            assert packet.headings or [one.tag for one in packet.tossups] == [tags] * 3


@pytest.mark.parametrize(
    "below",
    [
        "[accept the Music of Japan]",  # in brackets, and a direction
        "History",  # one word may be a part of the answer
        "the History of Music and Art",
        "[Fine Arts]",
    ],
)
def test_a_further_line_of_an_answer_is_no_tag(text, below):
    (found,) = text(f"1. {HAYDN}\nANSWER: Joseph Haydn, or\n{below}\n").tossups
    assert (found.answer, found.tag) == (f"Joseph Haydn, or {below}", "")


def test_one_line_that_begins_with_a_is_no_answer_line_in_a_file(text):
    packet = text(f"1. {HAYDN}\nA: said the host, and went on.\n")
    assert (packet.tossups, len(packet.unread)) == ([], 1)


def test_an_answer_whose_bracket_is_open_goes_on_with_what_looks_like_a_tag_or_a_note(text):
    below = "Moderator of Eels; or\nLiterature - Other]"
    packet = text(f"1. {HAYDN}\nANSWER: Joseph Haydn [or\n{below}\n\n2. {AUSTEN}\nANSWER: Jane Austen\n")
    assert pairs(packet)[0] == (HAYDN, "Joseph Haydn [or Moderator of Eels; or Literature - Other]")


def test_an_answer_line_in_brackets_may_have_brackets(text):
    packet = text(f"1. {HAYDN}\n(Answer: Haydn [accept Joseph])\n2. {AUSTEN}\n[ANSWER: Austen (Jane)]\n")
    assert pairs(packet) == [(HAYDN, "Haydn [accept Joseph]"), (AUSTEN, "Austen (Jane)")]


def test_a_note_in_capitals_above_a_number_stays_with_its_question(text):
    note = "NOTE TO MODERATOR: READ SLOWLY."
    packet = text(f"{note}\n1. {HAYDN}\nANSWER: Joseph Haydn\n")
    assert pairs(packet) == [(f"{note} {HAYDN}", "Joseph Haydn")]
