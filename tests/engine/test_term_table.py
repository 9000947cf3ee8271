"""The terms of a bundle are found where a search through all of them finds them."""

import numpy as np
import pytest

from quizwriter.engine import term_table
from quizwriter.engine.bundle import Bundle, publishing
from quizwriter.engine.term_table import STEP, TermTable
from quizwriter.engine.tokenizer import places
from quizwriter.errors import QuizwriterError


def bundle_with(folder, terms, offsets):
    with publishing(folder, {"title": "Terms"}) as writer:
        writer.array("ir/terms.npy", np.asarray(terms, np.uint64))
        writer.array("ir/offsets.npy", np.asarray(offsets, np.int64))
    return Bundle.open(folder)


@pytest.mark.parametrize("count", [0, 1, STEP - 1, STEP, STEP + 1, 10 * STEP + 3])
def test_terms_are_found_as_in_the_whole_array(tmp_path, monkeypatch, count):
    monkeypatch.setattr(term_table, "_AT_ONCE", 2 * STEP)
    terms = np.arange(count, dtype=np.uint64) * np.uint64(3) + np.uint64(2)
    offsets = np.arange(count + 1) ** 2
    table = TermTable(bundle_with(tmp_path / "bundle", terms, offsets))
    wanted = np.arange(3 * count + 5, dtype=np.uint64)

    found = table.places(wanted)
    starts, ends = table.ranges(found[found >= 0])

    assert found.tolist() == places(wanted, terms).tolist()
    assert starts.tolist() == offsets[:-1].tolist()
    assert ends.tolist() == offsets[1:].tolist()
    assert table.postings == count**2


@pytest.mark.parametrize(
    ("terms", "offsets", "reason"),
    [
        ([2, 1], [0, 1, 2], "out of order"),
        ([1, 2], [0, 1], "does not fit ir/terms.npy"),
        ([1, 2], [1, 1, 2], "out of its range"),
        ([*range(STEP), 5], range(STEP + 2), "out of order"),
    ],
)
def test_terms_that_are_not_sorted_and_offsets_that_do_not_fit_are_refused(
    tmp_path, monkeypatch, terms, offsets, reason
):
    monkeypatch.setattr(term_table, "_AT_ONCE", STEP)
    with pytest.raises(QuizwriterError, match=reason):
        TermTable(bundle_with(tmp_path / "bundle", terms, offsets))


def test_an_offset_that_is_out_of_order_is_refused_when_it_is_read(tmp_path):
    table = TermTable(bundle_with(tmp_path / "bundle", [1, 2, 3], [0, 5, 2, 4]))

    with pytest.raises(QuizwriterError, match="cannot be read"):
        table.ranges(np.asarray([0]))
