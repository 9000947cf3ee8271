"""Printed packets: what they say, and that Word documents, HTML and MODAQ say the same."""

from __future__ import annotations

import io
import json
from typing import Annotated

import msgspec
import pytest
from docx import Document
from docx.shared import Inches, Pt

from quizwriter.domain.styles import LetterStyle, StyledSpan, TextStyles, styles_of_code
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.formats.file_formats import read_packet
from quizwriter.formats.packet_files import ASIDE, packet_html, packet_modaq, write_word
from quizwriter.formats.packet_tags import PacketTag, read_tags
from quizwriter.formats.printed_packet import PrintedPacket, packet_text, plain_text, printed_tossup
from quizwriter.formats.styled_html import read_styled_html, styled_html

TEXT = (
    'A made-up novel, The Stove, has a cat called Anouk ("ah-NOOK") who counts 10 flies (*) above H2O & tea. '
    "For 10 points, name this animal that purrs."
)
LINE = "cat [accept kitten or Felis; prompt on animal by asking “which?”]"


def spans_of(text, **styled):
    """The styles of ``text`` with words in the style of each name."""
    found = []
    for style, words in styled.items():
        at = text.index(words)
        found.append(StyledSpan(at, at + len(words), tuple(map(LetterStyle, style.split("_")))))
    return TextStyles.of(sorted(found, key=lambda span: span.start), len(text))


@pytest.fixture
def packet():
    """A packet of two tossups, the first with styles, a guide, power and a tag."""
    first = printed_tossup(
        Tossup(TEXT, Answer(LINE)),
        number=1,
        styles=spans_of(TEXT, italic="The Stove", subscript="2O"),
        answer_styles=spans_of(LINE, bold_underline="cat", underline="animal", italic="Felis"),
        author="Ada <b> Example",
        category=("Literature", "American Literature"),
    )
    second = printed_tossup(
        Tossup("This other animal of a second made-up story barks at trains. For 10 points, name it.",
               Answer("_dog_ [accept _hound_]")),
        number=2,
        based_on="2011 Winter Open of a made-up tournament, tossup 4, on a very long made-up answer",
    )  # fmt: skip
    return PrintedPacket("Spring", (first, second))


def styled(runs, style):
    """The words that have the ``style``."""
    return "".join(run.text for run in runs if LetterStyle(style) in styles_of_code(run.code))


def test_power_is_bold_up_to_the_mark_and_guides_stand_apart(packet):
    question = packet.tossups[0].question
    assert plain_text(question) == TEXT
    assert styled(question, "bold") == TEXT[: TEXT.index("(*)") + 3].replace('("ah-NOOK")', "")
    assert styled(question, "italic") == "The Stove"
    assert styled(question, "subscript") == "2O"
    assert [run.text for run in question if run.aside] == ['("ah-NOOK")']


def test_required_words_are_bold_and_underlined_however_the_line_marks_them(packet):
    first, second = (one.answer for one in packet.tossups)
    assert styled(first, "bold") == "cat"
    assert styled(first, "underline") == "catanimal"  # what is prompted on is underlined only
    assert styled(first, "italic") == "Felis"
    assert plain_text(second) == "dog [accept hound]"
    assert styled(second, "bold") == styled(second, "underline") == "doghound"


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("A lake(*)in Asia.", "A lake (*) in Asia."),
        ("A lake (*), in Asia.", "A lake (*), in Asia."),
        ("  A\tlake (*) in\r\nAsia.\x00\ud800\uffff ", "A lake (*) in Asia."),
        ("A lake.", "A lake."),
        ("", ""),
    ],
)
def test_a_text_is_printed_with_its_mark_apart_and_without_what_no_file_holds(written, printed):
    made = printed_tossup(Tossup(written, Answer(f"{written}x")))
    assert plain_text(made.question) == printed
    assert styled(made.question, "bold") == (printed.partition("(*)")[0] + "(*)" if "(*)" in printed else "")
    write_word(PrintedPacket("\x01", ()) if not printed else PrintedPacket("", (made,)), io.BytesIO())


def test_a_word_document_is_read_back_with_the_same_text_answer_power_and_tag(packet, tmp_path):
    path = tmp_path / "packet.docx"
    with path.open("w+b") as file:
        write_word(packet, file)
    read = read_packet(path)
    assert (read.unread, read.bonuses) == ([], [])
    assert [one.number for one in read.tossups] == ["1", "2"]
    assert [one.text for one in read.tossups] == [plain_text(one.question) for one in packet.tossups]
    assert [one.answer for one in read.tossups] == [plain_text(one.answer) for one in packet.tossups]
    assert [one.tag for one in read.tossups] == [one.tag for one in packet.tossups]
    assert Tossup(read.tossups[0].text).power == Tossup(TEXT).power
    assert read_tags((read.tossups[0].tag,)) == PacketTag(
        ("Literature", "American Literature"), ("Ada b Example",)
    )


ODD = [
    "_word_", "~wavy~", "*bold*", "*_both_*", "a_b_c", "5 * 3 * 2", "back\\slash", "a < b > c",
    "AT&T &amp; &lt;", "[sic] {braces}", "“smart” ‘quotes’", "עברית", "fac\u0327ade",
    "\U0001f469\u200d\U0001f52c", "<b>tag</b>", "<<EM>", "1_000~",
]  # fmt: skip


def test_texts_with_odd_signs_come_back_from_a_word_document_as_they_were(tmp_path):
    texts = [f"This made-up animal sleeps on {odd} and a stove beside ponds. Name it." for odd in ODD]
    asked = [(text, spans_of(text, italic="stove", bold="ponds")) for text in texts]
    path, now = tmp_path / "packet.docx", asked
    for _ in range(2):  # and again from what came back
        printed = (
            printed_tossup(Tossup(text, Answer("duck")), number=number, styles=styles)
            for number, (text, styles) in enumerate(now, start=1)
        )
        with path.open("w+b") as file:
            write_word(PrintedPacket("Spring", tuple(printed)), file)
        now = [(read.text, read.styles) for read in read_packet(path).tossups]
        for (text, styles), (was, were) in zip(now, asked, strict=True):
            assert (text, list(styles.spans())) == (was, list(were.spans()))


@pytest.mark.parametrize("odd", ODD)
def test_a_text_with_odd_signs_comes_back_from_modaq_as_it_was(tmp_path, odd):
    text = f"This made-up animal sleeps on {odd} and a stove beside ponds. For 10 points, name this animal."
    styles = spans_of(text, italic=odd)
    path = tmp_path / "packet.json"
    printed = printed_tossup(Tossup(text, Answer("duck")), number=1, styles=styles)
    path.write_text(json.dumps(packet_modaq(PrintedPacket("Spring", (printed,)))), encoding="utf-8")
    (read,) = read_packet(path).tossups
    assert (read.text, list(read.styles.spans())) == (text, list(styles.spans()))


@pytest.mark.parametrize("odd", ODD)
def test_a_text_with_odd_signs_comes_back_from_the_clipboard_as_it_was(odd):
    text = f"This made-up animal sleeps on {odd} and a stove beside ponds."
    styles = spans_of(text, italic="stove")
    assert read_styled_html(styled_html(text, styles)) == (text, styles)


def test_a_word_document_has_the_style_of_acf(packet):
    made = io.BytesIO()
    write_word(packet, made)
    document = Document(made)
    normal, section = document.styles["Normal"], document.sections[0]
    assert (normal.font.name, normal.font.size) == ("Times New Roman", Pt(10))
    assert {section.left_margin, section.right_margin, section.top_margin} == {Inches(1)}
    assert document.core_properties.author == ""
    title, question, answer, tag, *_, based_on = document.paragraphs
    assert title.text == "Spring"
    assert "".join(run.text for run in question.runs if run.bold).endswith("(*)")
    assert [run.text for run in question.runs if run.font.subscript] == ["2O"]
    assert [str(run.font.color.rgb) for run in question.runs if "NOOK" in run.text] == [ASIDE]
    assert [run.text for run in answer.runs if run.bold and run.underline] == ["cat"]
    assert [run.text for run in answer.runs if run.underline and not run.bold] == ["animal"]
    assert tag.text == "<Ada b Example, Literature - American Literature>"
    assert based_on.text.startswith("Based on 2011")


def test_html_says_the_same_and_asks_for_nothing_from_elsewhere(packet):
    made = packet_html(packet)
    text, styles = read_styled_html(made)
    assert " ".join(text.split()) == " ".join(packet_text(packet).split())
    at = text.index("cat [")
    assert styles.codes[at] == LetterStyle.BOLD.bit | LetterStyle.UNDERLINE.bit
    assert "H<sub>2O</sub> &amp; tea" in made
    assert "http" not in made
    assert "url(" not in made


def test_html_escapes_whatever_a_draft_says():
    evil = '<script>alert(1)</script><img src="http://example.org/x">'
    one = printed_tossup(Tossup(evil, Answer(evil)), category=(evil,), based_on=evil)
    made = packet_html(PrintedPacket(evil, (one,)))
    assert "<script" not in made
    assert "<img" not in made


class ModaqTossup(msgspec.Struct, forbid_unknown_fields=True):
    """A tossup of MODAQ's IPacket, with what YAPP adds."""

    question: Annotated[str, msgspec.Meta(min_length=1)]
    answer: str
    number: Annotated[int, msgspec.Meta(ge=1)]
    question_sanitized: str
    answer_sanitized: str
    metadata: str | None = None


class ModaqPacket(msgspec.Struct, forbid_unknown_fields=True):
    """MODAQ's IPacket: a name may be missing."""

    tossups: list[ModaqTossup]
    name: str | None = None


def test_modaq_gets_its_markup_and_the_plain_texts(packet):
    read = msgspec.json.decode(json.dumps(packet_modaq(packet)), type=ModaqPacket)
    first, second = read.tossups
    assert read.name == "Spring"
    assert first.question.startswith("<b>A made-up novel, </b><b><em>The Stove</em></b><b>, has")
    assert '</b>("ah-NOOK")<b>' in first.question
    assert " flies (*)</b> above H<sub>2O</sub> & tea." in first.question
    assert first.answer.startswith("<b><u>cat</u></b> [accept kitten or <em>Felis</em>;")
    assert (first.question_sanitized, first.answer_sanitized) == (TEXT, LINE)
    assert first.metadata == "Ada b Example, Literature - American Literature"
    assert second.answer == "<b><u>dog</u></b> [accept <b><u>hound</u></b>]"
    assert second.metadata.startswith("based on 2011 Winter Open")


def test_a_bracket_of_the_text_is_no_tag_for_modaq():
    one = printed_tossup(Tossup("If a <b> and 1 < 2, name it.", Answer("x")))
    assert packet_modaq(PrintedPacket("", (one,))) == {
        "tossups": [
            {
                "number": 1, "question": "If a <</em>b> and 1 < 2, name it.", "answer": "x",
                "question_sanitized": "If a <b> and 1 < 2, name it.", "answer_sanitized": "x",
            }
        ]
    }  # fmt: skip


def test_one_tossup_has_no_number_on_the_clipboard(packet):
    alone = PrintedPacket("Spring", packet.tossups[:1]).for_clipboard
    assert packet_text(alone).startswith("A made-up")
    assert packet_text(packet.for_clipboard).startswith("1. A made-up")


def test_sources_of_clues_have_no_place_in_a_printed_tossup(packet):
    assert {*packet.tossups[0].__slots__} == {"number", "question", "answer", "tag", "based_on"}
