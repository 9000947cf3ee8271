"""The words of names in a bundle complete as those that are worked out, and what does not fit is refused."""

import shutil

import numpy as np
import pytest

from quizwriter.engine.bundle import Bundle
from quizwriter.engine.completion import FOLDER, NameWords
from quizwriter.engine.pages import read_pages
from quizwriter.errors import QuizwriterError

TYPED = ("alder", "al", "bir", "brich", "a", "jane austen", "ja")


def without_words(bundle):
    """``bundle`` as an older version built it."""
    for name in [name for name in bundle.files if name.startswith(f"{FOLDER}/")]:
        bundle.manifest.files.pop(name)
    return bundle


def test_a_bundle_has_the_words_that_are_worked_out_for_an_older_one(starter):
    built, older = read_pages(Bundle.open(starter)), read_pages(without_words(Bundle.open(starter)))
    names = [name.replace("_", " ") for name in built.all][:50]

    assert NameWords.are_in(Bundle.open(starter))
    for typed in (*TYPED, *names, *(name[:5] for name in names), *(name[1:] for name in names)):
        assert built.complete(typed) == older.complete(typed)
        assert built.meant(typed) == older.meant(typed)


@pytest.mark.parametrize(
    "name", ["starts", "names", "places", "main", "tails", "initial_starts", "initialled"]
)
def test_an_array_that_lacks_its_last_value_is_refused(starter, tmp_path, name):
    bundle = Bundle.open(shutil.copytree(starter, tmp_path / "bad"))
    path = bundle.folder / FOLDER / f"{name}.npy"
    np.save(path, np.load(path)[:-1])

    with pytest.raises(QuizwriterError, match="makes no sense"):
        read_pages(bundle).prepare()


@pytest.mark.parametrize("name", ["names", "tails", "initialled"])
def test_a_number_of_no_name_and_no_word_is_refused(starter, tmp_path, name):
    bundle = Bundle.open(shutil.copytree(starter, tmp_path / "bad"))
    path = bundle.folder / FOLDER / f"{name}.npy"
    values = np.load(path)
    values[-1] = 1_000_000
    np.save(path, values)

    with pytest.raises(QuizwriterError, match="missing"):
        read_pages(bundle).prepare()
