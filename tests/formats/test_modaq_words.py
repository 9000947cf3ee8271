"""The words of MODAQ: counted as its own code counts them, and mapped both ways."""

from __future__ import annotations

import hashlib
import json
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.plain_text import cleaned
from quizwriter.domain.tossup import Tossup
from quizwriter.formats.buzz_files import RecordedBuzz, Room
from quizwriter.formats.modaq_words import index_in_modaq, modaq_words, position_of_modaq

KNOWN = Path(__file__).with_name("modaq_words.json")
"""The number of words, and a digest of them, as MODAQ's own code gave them; the file names its commit."""
GUIDED = 'One lake ("layk") (*) — by (Read slowly.) (pause) two [emphasize] rivers (“RIV-urz one”), end.'


def words(text):
    return [word.of(text) for word in modaq_words(text)]


def test_words_are_those_of_modaq():
    assert words(GUIDED) == ["One", "lake", "—", "by", "(Read", "slowly.)", "two", "rivers", "end."]
    assert words('open ("guide that never ends') == ["open"]
    assert words('end") is a word, and (EMPHASISE) is none') == [
        'end")',
        "is",
        "a",
        "word,",
        "and",
        "is",
        "none",
    ]
    assert words("") == []


def test_a_buzz_keeps_its_word_both_ways():
    ours = [word.of(GUIDED) for word in Tossup(GUIDED).words]
    for at, word in enumerate(words(GUIDED)):
        if word in ours:
            assert ours[position_of_modaq(GUIDED, at)] == word
            assert index_in_modaq(GUIDED, position_of_modaq(GUIDED, at)) == at
    assert position_of_modaq(GUIDED, 2) == 1, "a lone dash is no word: two were heard"
    end, beyond = len(words(GUIDED)), len(ours)
    assert [position_of_modaq(GUIDED, end + more) for more in (0, 5)] == [beyond, beyond + 5]
    assert [index_in_modaq(GUIDED, beyond + more) for more in (0, 5)] == [end, end + 5]


@given(
    st.lists(
        st.sampled_from(["lake", "—", "(*)", '("layk")', "(pause)", "(KOM-poh-zer)", "deep,"]), max_size=9
    )
)
def test_positions_come_back(parts):
    text = " ".join(parts)
    for position in range(len(Tossup(text).words) + 2):
        assert position_of_modaq(text, index_in_modaq(text, position)) == position


def test_only_the_files_that_count_as_modaq_are_mapped():
    room = Room("q", "g", buzzes=(RecordedBuzz("t", "p", 7, True, 10),), by_modaq=True)

    assert room.in_our_words(GUIDED).buzzes[0].position == 4
    assert room.in_our_words(GUIDED).in_our_words(GUIDED).buzzes[0].position == 4


def test_not_one_of_1500_shared_tossups_is_off(shared_data):
    known = json.loads(KNOWN.read_text(encoding="utf-8"))["words"]
    off, differ = [], 0
    with lzma.open(shared_data / "tossups.jsonl.xz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["id"] in known:
                text = " ".join(cleaned(row["text"]).split())
                found = words(text)
                digest = hashlib.sha256("\n".join(found).encode()).hexdigest()[:8]
                if known.pop(row["id"]) != [len(found), digest]:
                    off.append(row["id"])
                differ += len(found) != len(Tossup(text).words)
    assert (off, known) == ([], {})
    assert differ > 60, "the two rules agree on nearly all, so this would show nothing"


@pytest.mark.parametrize("text", ["AT&T", "&copy 5", "R&amp;D", "a &lt; b", "Ben & Jerry"])
def test_an_ampersand_survives_the_way_to_modaq_and_back(text):
    from html import unescape

    from quizwriter.formats.packet_files import packet_modaq
    from quizwriter.formats.packets.modaq import styled
    from quizwriter.formats.printed_packet import PrintedPacket, printed_tossup

    (row,) = packet_modaq(PrintedPacket("", (printed_tossup(Tossup(f"One {text} ends.")),)))["tossups"]
    assert unescape(row["question"]) == f"One {text} ends."  # as MODAQ does before it looks for tags
    assert styled(row["question"]).text == f"One {text} ends."
