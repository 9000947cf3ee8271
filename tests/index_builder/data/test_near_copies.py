"""Near copies of questions: a fifth of the runs of five words, of one question."""

from __future__ import annotations

import pytest

from index_builder.data.corpus import WITHOUT, Inputs, gather_corpus
from index_builder.data.near_copies import NearCopies, read_texts
from quizwriter.errors import QuizwriterError
from quizwriter.system.decoding import file_digest
from tests.helpers.json_lines import write_lines

ASKED = " ".join(f"asked{n}" for n in range(40))
OTHER = " ".join(f"other{n}" for n in range(40))


def text(shared, runs, of=ASKED, start=0):
    """A text of so many runs, of which it shares so many with ``of``."""
    own = " ".join(f"own{n}" for n in range(runs + 4 - (shared + 4)))
    return " ".join(of.split()[start : start + shared + 4]) + " " + own


@pytest.mark.parametrize(
    ("one", "is_copy"),
    [
        (ASKED, True),
        (ASKED.upper().replace(" ", ", "), True),
        (text(shared=6, runs=30), True),
        (text(shared=5, runs=30), False),
        (text(shared=6, runs=31), False),
        (text(shared=1, runs=5), True),
        (OTHER.replace("other", "third"), False),
        (" ".join(ASKED.split()[:4]), False),
        ("", False),
    ],
)
def test_a_near_copy_shares_a_fifth_of_its_runs(one, is_copy):
    assert NearCopies([OTHER, ASKED]).has_copy(one) is is_copy


def test_the_runs_are_shared_with_one_question_not_with_several():
    half = text(shared=3, runs=17) + " " + text(shared=3, runs=9, of=OTHER)

    assert not NearCopies([ASKED, OTHER]).has_copy(half)
    assert NearCopies([f"{ASKED} {OTHER}"]).has_copy(half)


def test_nothing_is_a_copy_of_nothing():
    assert not NearCopies([]).has_copy(ASKED)
    assert not NearCopies(["too short"]).has_copy("too short")


def test_a_bundle_is_built_without_questions_near_copies_and_what_pages_learnt_from_them(tmp_path):
    tossups = [
        {"id": "q1", "text": ASKED, "answer": "A thing", "page": "Thing", "fold": "guesstrain"},
        {"id": "q2", "text": f"{ASKED} reworded", "answer": "Thing", "page": "Thing", "fold": "guessdev"},
        {"id": "q3", "text": OTHER, "answer": "Other", "page": "Other", "fold": "guesstrain"},
    ]
    parts = [
        {"text": f"For ten points, {text(8, 12)}", "answer": "the Thing"},
        {"text": OTHER, "answer": "x"},
    ]
    questions = write_lines(tmp_path / "q.jsonl", tossups)
    bonuses = write_lines(tmp_path / "b.jsonl", [{"parts": parts}])
    without = write_lines(tmp_path / "w.jsonl", [{"text": ASKED}, {"bq": 7}])

    def gathered(*files):
        inputs = Inputs((questions,), (bonuses,), everything=True, without=files)
        return gather_corpus(inputs, lambda report: None), inputs.provenance

    (every, plain), (some, told) = gathered(), gathered(without)

    assert "Thing" in every.pages
    assert not every.left_out
    assert WITHOUT not in plain
    assert "Thing" not in some.pages
    assert {row.passage for row in some.library} == {0, 1}
    assert some.left_out == {"tossups": 2, "bonus parts": 1}
    assert told[WITHOUT] == [
        {"name": "w.jsonl", "bytes": without.stat().st_size, "sha256": file_digest(without)}
    ]


def test_a_file_without_a_question_leaves_nothing_out_in_silence(tmp_path):
    path = write_lines(tmp_path / "w.jsonl", [{"answer": "Thing"}])

    with pytest.raises(QuizwriterError, match=r"w\.jsonl has no questions"):
        list(read_texts(path))
