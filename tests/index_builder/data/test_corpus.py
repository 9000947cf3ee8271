"""The corpus gathered from files: which questions are in it, under which pages, and how articles are cut."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from index_builder.data.corpus import Inputs, bundle_passages, gather_corpus, split_text
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.retrieval import PassageKind
from quizwriter.formats.question_files import GUESS, fold_of
from tests.helpers.json_lines import write_lines


def corpus(inputs):
    return gather_corpus(inputs, lambda report: None)


def test_only_the_guessers_fold_is_indexed_and_the_others_are_held_unless_all_is_asked_for(tmp_path):
    rows = [{"id": f"q{n}", "text": f"a clue number{n} for nobody else", "page": f"P{n}"} for n in range(200)]
    path = write_lines(tmp_path / "q.jsonl", rows)
    folds = Counter(fold_of(row["id"]) for row in rows)

    some, every = corpus(Inputs((path,))), corpus(Inputs((path,), everything=True))

    assert some.folds == every.folds == dict(folds)
    assert len(some.pages) == len(some.passages) == folds[GUESS]
    assert Counter(held.fold for held in some.held) == folds - Counter({GUESS: folds[GUESS]})
    assert len(every.pages) == 200
    assert every.held == ()


def test_passages_stand_by_page_then_by_kind_then_as_they_were_read(tmp_path):
    questions = [
        {"id": f"q{n}", "text": f"a clue number{n} about something", "page": "BA"[n % 2]} for n in range(4)
    ]
    bonuses = [{"parts": [{"text": "a short clue about something", "answer": "b"}]}]
    wiki = [{"page": "A", "text": "An article about something. " * 30}]
    found = corpus(
        Inputs(
            (write_lines(tmp_path / "q.jsonl", questions),),
            (write_lines(tmp_path / "b.jsonl", bonuses),),
            (write_lines(tmp_path / "w.jsonl", wiki),),
            everything=True,
        )
    )

    assert found.pages == ("A", "B")
    assert found.tossup_counts == (2, 2)
    kinds = [(passage.page, passage.kind) for passage in found.passages]
    assert kinds == [
        *[("A", PassageKind.TOSSUP)] * 2,
        *[("A", PassageKind.ARTICLE)] * kinds.count(("A", PassageKind.ARTICLE)),
        *[("B", PassageKind.TOSSUP)] * 2,
        ("B", PassageKind.BONUS),
    ]
    assert [passage.text for passage in found.passages[:2]] == [questions[1]["text"], questions[3]["text"]]
    assert found.page_rows.tolist() == [found.pages.index(passage.page) for passage in found.passages]
    assert found.kinds.tolist() == [passage.kind for passage in found.passages]


def test_a_bundle_gives_back_the_passages_it_was_built_from(bare_forest):
    bundle = Bundle.open(bare_forest)
    found = list(bundle_passages(bundle))

    again = corpus(Inputs((bare_forest.with_suffix(".jsonl"),)))

    assert [replace(row, place=0) for row in found] == [replace(row, place=0) for row in again.passages]
    assert {row.category for row in found} == {"Literature", "History"}


@pytest.mark.parametrize(
    ("words", "passages"),
    [
        (6, ["One two three.", "Four five six seven.", "Eight nine ten."]),
        (7, ["One two three. Four five six seven.", "Eight nine ten."]),
    ],
)
def test_a_passage_never_cuts_a_sentence(words, passages):
    text = "One two three. Four five six seven. Eight nine ten."

    assert list(split_text(text, words=words)) == passages
