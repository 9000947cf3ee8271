"""The library of past questions: what was asked on an answer, and what a search finds."""

from __future__ import annotations

import json
import shutil
from itertools import chain

import numpy as np
import pytest

from index_builder.user_packets import add_packets
from quizwriter.domain.past_questions import (
    EVERY_QUESTION,
    PastAnswerLine,
    QuestionFilter,
    QuestionKind,
    TimesAsked,
    UsualPlace,
)
from quizwriter.engine.bundle import MANIFEST
from quizwriter.engine.engine import load
from quizwriter.errors import QuizwriterError
from tests.helpers.foreign_bundles import seal
from tests.helpers.json_lines import write_lines
from tests.helpers.past_packets import LIGHTHOUSES, past_packets


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return past_packets(tmp_path_factory.mktemp("past"))


@pytest.fixture(scope="module")
def library(folder):
    return load(folder).library


def texts(result):
    return [hit.text for hit in result.hits]


def test_all_questions_on_an_answer_come_by_year_those_held_back_too(library):
    first, *_, last = found = library.questions_on("gralholm light")

    assert [question.year for question in found] == [2010, 2011, 2012, 2015]
    assert [question.text for question in found[:3]] == LIGHTHOUSES
    assert (first.kind, first.page, first.line) == (QuestionKind.TOSSUP, "Gralholm_Light", "Gralholm Light")
    assert (first.category, first.tournament, first.difficulty) == ("Geography", "2010 Fjord Open", 4)
    assert (first.place, first.source) == ("packet 3, tossup 7", "2010 Fjord Open, packet 3, tossup 7")
    assert first.power == len(LIGHTHOUSES[0][:40].rstrip())
    assert (last.kind, last.difficulty, last.power) == (QuestionKind.BONUS_PART, 6, None)
    assert library.question(first.number) == first


def test_an_answer_tells_its_lines_and_how_often_it_was_asked(library):
    assert library.counts("Gralholm_Light") == TimesAsked(3, 1, 0, 2010, 2015)
    assert library.answer_lines("Gralholm_Light") == (
        PastAnswerLine("Gralholm Light", 2, 2015),
        PastAnswerLine("Gralholm Light [or Gralholm Lighthouse]", 2, 2012),
    )
    assert library.counts("Nobody") == TimesAsked()
    assert library.counts("Gannet") == TimesAsked(1, 0, 0, None, None)
    assert library.questions_on("Nobody") == library.answer_lines("Nobody") == ()


def test_a_search_finds_words_in_any_order_and_form_the_newest_first(library):
    found = library.search("diaries OLDSUND")

    assert [hit.question.year for hit in found.hits] == [2015, 2012, 2011, 2010]
    assert found.counts == {QuestionKind.TOSSUP: 3, QuestionKind.BONUS_PART: 1}
    assert [span.of(found.hits[0].text) for span in found.hits[0].hits] == ["diary", "Oldsund"]
    assert texts(library.search("oldsund diary")) == texts(found)
    assert library.search("diary camel").count == 0


def test_words_of_the_answer_line_are_found_and_accents_do_not_matter(library):
    (hit,) = library.search("aves").hits
    assert hit.question.line == "birds [or Aves]"
    assert texts(library.search("dvorak sea")) == texts(library.search("Dvořák"))
    assert library.search('"dvorak sea"').count == library.search('"Dvořák Sea"').count == 1


def test_a_phrase_has_to_stand_as_it_is_typed(library):
    assert library.search('"keeper Maren Oldsund"').count == 2
    assert library.search("“the winter of 1871”").count == 1
    assert library.search('"1871 of winter the"').count == 0
    assert library.search('"ren Oldsund"').count == 0
    assert library.search('"Maren Oldsun"').count == 0


def test_the_words_of_a_phrase_are_marked_where_it_stands_and_loose_words_everywhere(library):
    def marked(words):
        (hit,) = library.search(words).hits
        return [span.of(hit.text) for span in hit.hits]

    assert marked('"the winter of 1871"') == ["the", "winter", "of", "1871"]
    assert marked('"winter of 1871" lantern') == ["winter", "of", "1871", "lantern"]
    assert marked('"Dvorak sea"') == ["Dvořák", "Sea"]


def test_words_that_every_text_has_are_said_to_be_too_common(library):
    found = library.search("of the")
    assert found.too_common
    assert found.hits == ()
    assert library.search("").hits == ()
    assert not library.search("").too_common


@pytest.mark.parametrize(
    ("wanted", "years"),
    [
        (QuestionFilter(kinds=frozenset({QuestionKind.BONUS_PART})), [2015]),
        (QuestionFilter(answer="gralh"), [2015, 2012, 2011, 2010]),
        (QuestionFilter(answer="alholm"), []),
        (QuestionFilter(category="geo"), [2015, 2012, 2011, 2010]),
        (QuestionFilter(tournament="winter"), [None]),
        (QuestionFilter(first_year=2011, last_year=2012), [2012, 2011]),
        (QuestionFilter(hardest=5), [2011, 2010]),
        (QuestionFilter(easiest=6), [2015, 2012]),
        (QuestionFilter(yours=True), []),
    ],
)
def test_a_search_keeps_to_its_filter(library, wanted, years):
    found = library.search("oldsund", wanted)

    assert [hit.question.year for hit in found.hits] == years
    assert all(wanted.takes(hit.question) for hit in found.hits)
    everything = [
        question
        for page in ("Gralholm_Light", "Gannet")
        for question in library.questions_on(page)
        if "Oldsund" in question.text and wanted.takes(question)
    ]
    assert len(everything) == found.count


def test_a_filter_alone_lists_questions_and_articles_are_found_last(library):
    assert len(library.search("", QuestionFilter(answer="gralholm")).hits) == 4
    found = library.search("sea")
    assert found.hits[-1].kind is QuestionKind.ARTICLE
    assert (found.hits[-1].page, found.hits[-1].source) == ("Gannet", "Wikipedia")
    articles = QuestionFilter(kinds=frozenset({QuestionKind.ARTICLE}))
    assert [hit.page for hit in library.search("colonies", articles).hits] == ["Gannet"]
    assert library.search("colonies", QuestionFilter(kinds=articles.kinds, answer="gralholm")).count == 0


def test_hits_come_in_pages(library):
    everything = texts(library.search("oldsund"))
    some = [texts(library.search("oldsund", limit=2, start=start)) for start in (0, 2, 4)]
    assert [*chain.from_iterable(some)] == everything
    assert library.search("oldsund", limit=2).count == 5


def test_questions_of_added_packets_are_in_the_library(folder, tmp_path):
    packet = write_lines(
        tmp_path / "mine.jsonl",
        [
            {
                "text": "Maren Oldsund drew a map of reefs from this tower. Name this lighthouse.",
                "answer": "Gralholm Light",
                "tournament": "2020 Home Cup",
                "category": "Geography",
            }
        ],
    )
    bundle = shutil.copytree(folder, tmp_path / "bundle")
    add_packets(bundle, [packet])
    library = load(bundle).library

    mine = library.questions_on("Gralholm Light")[-1]
    assert (mine.yours, mine.year, mine.tournament) == (True, 2020, "2020 Home Cup")
    assert library.counts("Gralholm Light") == TimesAsked(4, 1, 1, 2010, 2020)
    assert texts(library.search("reefs")) == [mine.text]
    assert [hit.question.yours for hit in library.search("oldsund", QuestionFilter(yours=True)).hits] == [
        True
    ]
    assert [hit.question.year for hit in library.search("oldsund").hits] == [
        2020,
        2015,
        2012,
        2011,
        2010,
        None,
    ]
    assert library.question(mine.number) == mine


def test_clues_are_told_with_how_often_where_and_when(library):
    clues = library.clues_on("Gralholm_Light", "The diary of Maren Oldsund speaks of storms.")

    first = clues[0]
    assert (first.tossups, first.of_tossups, first.bonus_parts) == (3, 3, 1)
    assert {"diary", "Maren", "Oldsund"} <= {span.of(first.example) for span in first.words}
    assert (first.first, first.last, first.in_draft) == (2010, 2015, True)
    assert len(first.said) == 4
    for number, span in first.said.items():
        assert "Oldsund" in span.of(library.question(number).text)
    lantern = next(clue for clue in clues if "lantern" in clue.example)
    assert (lantern.tossups, lantern.in_draft) == (2, False)
    assert lantern.place is UsualPlace.FIRST
    assert not any(span.of(clue.example) == "Gralholm" for clue in clues for span in clue.words)


def test_a_bundle_of_an_older_version_has_no_library(folder, tmp_path):
    old = shutil.copytree(folder, tmp_path / "old")
    manifest = json.loads((old / MANIFEST).read_text(encoding="utf-8"))
    manifest["files"] = {name: one for name, one in manifest["files"].items() if "library/" not in name}
    (old / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    shutil.rmtree(old / "library")

    assert load(old).library is None


def test_a_library_whose_rows_point_nowhere_is_refused_in_a_sentence(folder, tmp_path):
    bad = shutil.copytree(folder, tmp_path / "bad")
    rows = np.load(bad / "library/passages.npy")
    rows[0] = 1_000_000
    np.save(bad / "library/passages.npy", rows)
    seal(bad)

    with pytest.raises(QuizwriterError, match="a text is missing"):
        load(bad).library.questions_on("Gannet")


def test_more_questions_than_there_are_take_no_memory(folder, tmp_path):
    bad = shutil.copytree(folder, tmp_path / "bad")
    starts = np.load(bad / "library/page_starts.npy")
    starts[-1] = 10**12
    np.save(bad / "library/page_starts.npy", starts)
    seal(bad)

    with pytest.raises(QuizwriterError, match=r"page_starts\.npy makes no sense"):
        load(bad).library.search("oldsund", EVERY_QUESTION)
