"""The guides of past questions: gathered when a bundle is built, looked up by name, refused where damaged."""

import shutil

import numpy as np
import pytest

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress
from index_builder.user_packets import add_packets
from quizwriter.domain.pronunciation import UsedGuide
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.bundle_words import BundleWords
from quizwriter.engine.engine import load
from quizwriter.engine.guide_book import GuideBook
from quizwriter.errors import QuizwriterError
from tests.helpers.json_lines import write_lines

ROWS = [
    ("A ferry from Łódkowo (“wood-KO-vo”) sank. Name this lake.", "Lake Myr", 2011, "guesstrain"),
    ("The mayor of Łódkowo (“wood-KO-vo”) swam. Name this lake.", "Lake Myr", 2015, "guessdev"),
    ("Lodkowo [wod-KOH-voh] has eels, and Vik (“Song of Eels”) sings.", "Ern (“AIRN”)", None, "guesstrain"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    at = tmp_path_factory.mktemp("guides")
    rows = [
        {
            "id": str(number), "text": text, "answer": answer, "fold": fold,
            "page": answer.split(" (")[0].replace(" ", "_"),
            **({"tournament": f"{year} Fjord Open"} if year else {}),
        }
        for number, (text, answer, year, fold) in enumerate(ROWS)
    ]  # fmt: skip
    build(Inputs([write_lines(at / "tossups.jsonl", rows)]), at / "bundle", "small", Progress())
    return at / "bundle"


def test_a_name_has_the_guides_of_past_questions_the_most_used_first(folder):
    guides = load(folder).guides

    assert guides.of("Łódkowo’s") == guides.of("lodkowo") == (
        UsedGuide("Łódkowo", "wood-KO-vo", 2, 2015), UsedGuide("Lodkowo", "wod-KOH-voh", 1, None),
    )  # fmt: skip
    assert guides.of("Ern") == (UsedGuide("Ern", "AIRN", 1, None),)
    assert guides.of("Vik") == guides.of("") == ()


def test_packets_that_are_added_bring_their_guides(folder, tmp_path):
    copy = tmp_path / "bundle"
    shutil.copytree(folder, copy)
    packet = tmp_path / "packet.txt"
    packet.write_text(
        "1. The baker of Łódkowo (“WOOD-kovo”) met Ilse Brandt (“IL-zuh BRAHNT”) at a mill on this "
        "lake, where eels are caught in nets of green wool. For 10 points, name it.\nANSWER: Lake Myr\n",
        encoding="utf-8",
    )
    (added,) = add_packets(copy, [packet])
    assert (added.tossups, added.unread) == (1, ())
    guides = load(copy).guides

    assert [one.said for one in guides.of("Łódkowo")] == ["wood-KO-vo", "WOOD-kovo", "wod-KOH-voh"]
    assert guides.of("ilse brandt") == (UsedGuide("Ilse Brandt", "IL-zuh BRAHNT", 1, None),)


def test_a_bundle_of_an_older_version_has_no_guides(folder):
    bundle = Bundle.open(folder)
    for name in [name for name in bundle.files if name.startswith("guides/")]:
        bundle.manifest.files.pop(name)
    assert GuideBook(bundle, BundleWords(bundle)).of("Łódkowo") == ()


def test_a_list_that_does_not_fit_is_refused(folder, tmp_path):
    bundle = Bundle.open(shutil.copytree(folder, tmp_path / "bad"))
    counts = bundle.folder / "guides/counts.npy"
    np.save(counts, np.load(counts)[:-1])
    with pytest.raises(QuizwriterError, match="does not fit the guides"):
        GuideBook(bundle, BundleWords(bundle)).of("Łódkowo")
