"""Stock clues and near duplicates: which past sentences have the clue of a draft's sentence."""

from __future__ import annotations

import json
import shutil
from itertools import product

import numpy as np
import pytest

from index_builder.user_packets import add_packets
from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.stock_clues import CluePlace, clue_place
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import MANIFEST
from quizwriter.engine.clue_finder import SetSentences
from quizwriter.engine.clue_tables import TITLES, TOTALS, TitleWords
from quizwriter.engine.engine import load
from quizwriter.engine.tokenizer import token
from quizwriter.errors import QuizwriterError
from tests.helpers.foreign_bundles import seal
from tests.helpers.stock_bundle import FRESH, LEAD_IN, filler, stock_bundle

IDA = Answer("Ida Frost", Page("Ida_Frost"))
STOCK = "A herringbone banner, crooked since this person's second voyage, is sewn by the quilters of Vadsbru."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return stock_bundle(tmp_path_factory.mktemp("stock"))[0]


@pytest.fixture(scope="module")
def clues(folder):
    return load(folder).clue_finder


def only(clues, text, answer=IDA, others=None):
    (found,) = clues.look_up(Tossup(text, answer), others)
    return found


def test_a_reworded_clue_is_found_with_its_places_years_and_sources(clues):
    found = only(clues, STOCK)

    assert found.stock
    assert (found.on_answer, found.anywhere, found.first, found.last) == (3, 4, 2004, 2010)
    assert dict(found.places) == {CluePlace.LEAD_IN: 2, CluePlace.MIDDLE: 1, CluePlace.GIVEAWAY: 1} or (
        dict(found.places) == {CluePlace.LEAD_IN: 2, CluePlace.EARLY: 1, CluePlace.GIVEAWAY: 1}
    )
    assert [one.same_answer for one in found.hearings] == [True, True, True, False]
    assert {one.tournament for one in found.hearings[:3]} == {
        "2004 Fjord Open",
        "2007 Fjord Open",
        "2010 Fjord Open",
    }
    other = found.hearings[-1]
    assert (other.answer, other.place) == ("Vadsbru", CluePlace.LEAD_IN)
    assert {hit.of(other.passage).lower() for hit in other.hits} >= {"quilters", "herringbone", "banner"}


def test_the_words_that_make_a_clue_known_are_marked_in_the_draft(clues):
    draft = f"{FRESH} {STOCK}"

    fresh, stock = clues.look_up(Tossup(draft, IDA))

    assert not fresh.stock
    assert fresh.words == ()
    assert stock.span == Span(len(FRESH) + 1, len(draft))
    assert {word.of(draft) for word in stock.words} >= {"herringbone", "banner", "quilters", "Vadsbru"}
    assert "the" not in {word.of(draft) for word in stock.words}


def test_a_clue_that_nobody_asked_is_new_also_beside_the_words_of_every_question(clues):
    for text in (FRESH, "For 10 points, name this person.", "This person was a painter of owls."):
        found = only(clues, text)
        assert (found.anywhere, found.stock, found.near) == (0, False, None)


def test_a_clue_heard_on_other_answers_is_told_apart(clues):
    found = only(clues, STOCK, Answer("Gannets", Page("Gannet")))

    assert found.on_answer == 0
    assert not any(one.same_answer for one in found.hearings)


def test_a_draft_without_an_answer_is_looked_up_too(clues):
    found = only(clues, LEAD_IN, None)

    assert found.near.passage == LEAD_IN


def test_a_sentence_that_was_copied_or_reworded_is_shown_with_the_past_one(clues):
    copied, reworded = only(clues, LEAD_IN).near, only(clues, STOCK).near

    assert (copied.share, copied.passage, copied.key) == (pytest.approx(1.0), LEAD_IN, "")
    assert copied.name.startswith("2004 Fjord Open")
    assert 0.55 <= reworded.share < 1


def test_a_sentence_of_another_tossup_of_the_set_is_near_but_not_heard(clues):
    others = SetSentences([("other", "Ulvangsund", f"It rains. {FRESH}"), ("third", "Nothing", filler(3))])
    reworded = "After a solar eclipse blinded the mayor, drummers of Ulvangsund tuned their copper kettles."

    found = only(clues, reworded, others=others)

    assert (found.near.key, found.near.name, found.near.passage) == ("other", "Ulvangsund", FRESH)
    assert found.anywhere == 0
    assert (
        only(clues, "A painter of owls lived in a blue house by the old canal.", others=others).near is None
    )


def test_only_a_changed_sentence_is_looked_up_again(clues):
    first, before = clues.look_up(Tossup(f"{FRESH} {STOCK}", IDA))
    longer = "Another sentence stands before it."

    _, changed, same = clues.look_up(Tossup(f"{longer} It is new. {STOCK}"[:-1] + ".", IDA))

    assert same.hearings is before.hearings  # the very same, as it was found before
    assert same.span.start == before.span.start + len(longer) + len(" It is new.") - len(FRESH)
    assert first.hearings == changed.hearings == ()


def test_a_look_up_gives_way_before_each_sentence(folder):
    asked, clues = [], load(folder).clue_finder  # which remembers no sentence

    found = clues.look_up(Tossup(f"{FRESH} {STOCK}", IDA), None, lambda: asked.append(None))

    assert len(asked) > len(found) == 2  # before those of past questions, too


def test_packets_that_the_writer_added_count(folder, tmp_path):
    copy = tmp_path / "bundle"
    shutil.copytree(folder, copy)
    packet = tmp_path / "packet.txt"
    packet.write_text(f"1. {FRESH} For 10 points, name this fjord.\nANSWER: Ulvangsund\n", encoding="utf-8")
    add_packets(copy, [packet], lambda done, total: None)

    found = only(load(copy).clue_finder, FRESH, Answer("Ulvangsund"))

    assert (found.anywhere, found.on_answer) == (1, 1)
    assert found.near.passage == FRESH


def test_an_older_bundle_without_weights_and_words_of_titles_gives_the_same(folder, clues, tmp_path):
    copy = tmp_path / "bundle"
    shutil.copytree(folder, copy)
    manifest = json.loads((copy / MANIFEST).read_text(encoding="utf-8"))
    for name in (TOTALS, *TITLES):
        del manifest["files"][name]
    (copy / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    older = load(copy).clue_finder

    for text, answer in product((STOCK, FRESH, LEAD_IN), (IDA, Answer("Gannets", Page("Gannet")), None)):
        draft = Tossup(f"{text} {FRESH}", answer)
        assert older.look_up(draft) == clues.look_up(draft)


def test_pages_are_named_by_all_words_of_their_titles():
    titles = TitleWords.of(["Ida_Frost", "Frost", "The_Who", "Ida_(opera)"])
    ida, frost = (token(word).hash for word in ("Ida", "frosts"))

    assert titles.named_by([frost]).tolist() == [False, True, False, False]
    assert titles.named_by([ida, frost, 5]).tolist() == [True, True, False, True]
    assert sorted(titles.sharing([ida, 5]).tolist()) == [0, 3]
    assert titles.sharing([]).tolist() == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("totals", np.zeros(1)),
        ("first", np.asarray([0, 3], np.int64)),
        ("starts", np.zeros(1, np.int32)),
        ("offsets", np.asarray([0, 1], np.int64)),
        ("rows", lambda array: array + 100_000),
        ("first", lambda array: np.append(array[:-1], 10**12)),  # an array of 4 TB
    ],
)
def test_an_index_of_sentences_that_makes_no_sense_is_refused(folder, tmp_path, name, values):
    copy = tmp_path / "bundle"
    shutil.copytree(folder, copy)
    path = copy / "sentences" / f"{name}.npy"
    np.save(path, values(np.load(path)) if callable(values) else values)
    seal(copy)
    broken = load(copy).clue_finder

    with pytest.raises(QuizwriterError, match="sentences"):
        broken.look_up(Tossup(STOCK, IDA))


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        *((name, lambda array: array[:-1]) for name in ("title_terms", "title_offsets", "title_pages")),
        ("title_pages", lambda array: -1 - array),
        ("title_pages", lambda array: array + 1_000_000),
    ],
)
def test_words_of_titles_that_make_no_sense_are_refused(folder, tmp_path, name, spoil):
    copy = tmp_path / "bundle"
    shutil.copytree(folder, copy)
    path = copy / "library" / f"{name}.npy"
    np.save(path, spoil(np.load(path)))
    seal(copy)
    broken = load(copy).clue_finder

    with pytest.raises(QuizwriterError, match="library/title_"):
        broken.look_up(Tossup(STOCK, IDA))


def test_a_sentence_as_long_as_a_book_is_cut(clues):
    assert only(clues, "herringbone " * 200_000).near is None


@pytest.mark.parametrize(
    ("number", "sentences", "place"),
    [
        (0, 1, CluePlace.GIVEAWAY),
        (0, 6, CluePlace.LEAD_IN),
        (1, 6, CluePlace.EARLY),
        (3, 6, CluePlace.MIDDLE),
        (4, 6, CluePlace.LATE),
        (5, 6, CluePlace.GIVEAWAY),
    ],
)
def test_a_clue_has_a_place(number, sentences, place):
    assert clue_place(number, sentences) is place
