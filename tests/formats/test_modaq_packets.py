"""Packets of MODAQ: what they hold is read, with styles, and what is no question is said with its place."""

import json

import pytest

from quizwriter.domain.styles import LetterStyle, styles_of_code
from quizwriter.errors import QuizwriterError
from quizwriter.formats.file_formats import FORMATS, format_of, read_packet
from quizwriter.formats.packets.modaq import is_modaq, styled

TEXT = "This made-up lake is deeper than all others. (*) For 10 points, name this lake of a test."
TOSSUP = {"question": TEXT, "answer": "<b><u>Lake Example</u></b> [or <req>Example</req>]"}


def read(tmp_path, whole):
    path = tmp_path / "packet.json"
    path.write_text(whole if isinstance(whole, str) else json.dumps(whole), encoding="utf-8")
    assert is_modaq(path)
    return read_packet(path)


def test_tags_become_styles_and_others_stay():
    found = styled("a <b>b <em>c</em></b> <sub>2</sub> < 5 </u><x> &amp;  <REQ>d</REQ>")

    assert found.text == "a b c 2 < 5 <x> & d"
    assert [styles_of_code(found.codes[found.text.index(letter)]) for letter in "c2d"] == [
        (LetterStyle.BOLD, LetterStyle.ITALIC),
        (LetterStyle.SUBSCRIPT,),
        (LetterStyle.BOLD, LetterStyle.UNDERLINE),
    ]


def test_a_packet_is_read_with_bonuses_numbers_and_tags(tmp_path):
    bonus = {
        "leadin": "For 10 points each, name <em>these</em> lakes:",
        "parts": ["This lake is small and round.", "This lake is large and flat."],
        "answers": ["<b><u>Pond</u></b>", "<b><u>Sea</u></b> [or ocean]"],
        "values": [10, 10],
        "metadata": "Ada, Science",
    }
    packet = read(
        tmp_path,
        {
            "name": "Round 1",
            "bonuses": [bonus],
            "tossups": [
                {**TOSSUP, "number": 7, "metadata": "Ada Example, Geography; based on 2011 Open, tossup 3"},
                {**TOSSUP, "question_sanitized": "x", "other": [1]},
            ],
        },
    )

    first, second = packet.tossups
    assert (first.number, first.tag, first.based_on) == ("7", "Ada Example, Geography", "2011 Open, tossup 3")
    assert (first.text, first.answer) == (TEXT, "Lake Example [or Example]")
    assert [span.styles for span in first.answer_styles.spans()] == [
        (LetterStyle.BOLD, LetterStyle.UNDERLINE)
    ] * 2
    assert (second.number, second.tag) == ("2", "")
    (found,) = packet.bonuses
    assert found.leadin == "For 10 points each, name these lakes:"
    assert found.parts[1] == ("This lake is large and flat.", "Sea [or ocean]")
    assert packet.unread == []


def test_the_bold_of_a_power_is_no_style(tmp_path):
    marked = TEXT.replace(" (*)", " <em>so</em> (*)")
    bold = f"<b>{marked.replace(' (*)', ' (*)</b>')}"
    (tossup,) = read(tmp_path, {"tossups": [{**TOSSUP, "question": bold}]}).tossups

    assert [span.styles for span in tossup.styles.spans()] == [(LetterStyle.ITALIC,)]


@pytest.mark.parametrize(
    "value",
    [5, None, [], {}, {"question": TEXT}, {"question": 5, "answer": "x"}, {**TOSSUP, "number": []},
     {**TOSSUP, "question": "x" * 60_000}, {"question": "short", "answer": "x"}, {**TOSSUP, "answer": "<b>"}],
)  # fmt: skip
def test_what_is_no_tossup_is_left_out_with_its_place(tmp_path, value):
    packet = read(tmp_path, {"tossups": [TOSSUP, value]})

    assert len(packet.tossups) == 1
    assert [one.place for one in packet.unread] == [2]


@pytest.mark.parametrize(
    "bonus", [{"leadin": "x", "parts": ["y"], "answers": []}, {"parts": [], "answers": []}, "bonus"]
)
def test_what_is_no_bonus_is_left_out_with_its_place(tmp_path, bonus):
    packet = read(tmp_path, {"tossups": [TOSSUP], "bonuses": [bonus]})

    assert (packet.bonuses, [one.place for one in packet.unread]) == ([], [2])


@pytest.mark.parametrize(
    "whole", ['{"tossups": [', '{"tossups": [1], "bonuses": 5}', '{"tossups": [' + "[" * 90 + "]" * 90 + "]}"]
)
def test_a_damaged_packet_is_refused_in_a_sentence(tmp_path, whole):
    with pytest.raises(QuizwriterError, match="not a sound packet"):
        read(tmp_path, whole)


@pytest.mark.parametrize(
    ("start", "modaq"),
    [
        ('{"tossups": [', True),
        ('\ufeff { "name" : "a \\"tossups\\": [", "n": 5, "x": null, "bonuses":[', True),
        ('{"questions": [{"tossups": [', False),
        ('{"text": "\\"tossups\\": [", "answer": "x"}', False),
        ("[", False),
        ("", False),
    ],
)
def test_a_packet_is_told_by_its_beginning(tmp_path, start, modaq):
    path = tmp_path / "packet.json"
    path.write_text(start, encoding="utf-8")

    assert is_modaq(path) is modaq
    assert (format_of(path) is FORMATS["modaq"]) is modaq
    assert format_of(path.rename(tmp_path / "packet.txt")) is FORMATS["text"]
