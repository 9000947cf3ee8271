"""Entity libraries: what type a page has, and what names and numbers are exchanged for."""

from __future__ import annotations

import random

import pytest

from quizwriter.domain.page import Page, plain_title
from quizwriter.engine.entity_library import EntityLibraries, called_types

RIVERS = [Page(f"{name}_River") for name in ("Abra", "Brell", "Corm", "Dolm")]
TOWNS = [Page(name) for name in ("Esk_Falls", "Fenby", "Garth", "Holm_(town)")]


@pytest.fixture
def libraries():
    texts = [(page, ["This long river, in spring, floods.", "Name this river of mills."]) for page in RIVERS]
    texts += [(page, ["In this town, a clock stopped.", "This town's clock stopped."]) for page in TOWNS]
    texts += [(Page("Lone_Oak"), ["This tree, an oak, fell."])]
    known = {plain_title(page): page for page, _ in texts}
    return EntityLibraries(texts, known.get, fewest=4)


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ("This Italian composer of operas", ["composer"]),
        ("This author hid letters in a jar", ["author", "hid", "letters"]),
        ("these two large islands, which", ["large", "islands"]),
        ("In this play’s last act, this play's hero", ["play", "play"]),
        ("this type of thing", []),
        ("this process used in kilns", ["process"]),
        ("This is, of course, wrong.", []),
        ("", []),
    ],
)
def test_what_stands_after_this_is_the_type(text, nouns):
    assert called_types(text) == nouns


def test_pages_are_sorted_by_type_and_small_types_are_left_out(libraries):
    assert dict(libraries.sizes) == {"river": 4, "town": 4}
    assert libraries.type_of(RIVERS[0]) == "river"
    assert libraries.type_of(Page("Lone_Oak")) is None
    assert libraries.type_of(None) is None


def test_another_page_has_the_type_and_no_word_of_the_title(libraries):
    drawn = {libraries.other(TOWNS[0], random.Random(seed)) for seed in range(30)}

    assert drawn == set(TOWNS[1:])
    assert libraries.other(RIVERS[0], random.Random(1)) is None  # all of them are called River
    assert libraries.other(Page("Nowhere"), random.Random(1)) is None


def test_names_and_numbers_are_exchanged_and_nothing_else(libraries):
    found = libraries.rewritten(
        "Name this port east of Esk Falls, founded in 1655 with 12 ships.", random.Random(3)
    )

    assert found is not None
    assert found.startswith("Name this port east of ")
    assert any(plain_title(town) in found for town in TOWNS[1:])
    assert "Esk Falls" not in found
    assert "1655" not in found
    assert found.endswith(" ships.")


@pytest.mark.parametrize("text", ["", "Name this port.", "Garth", "...", "'’-" * 50])
def test_what_has_nothing_to_exchange_is_not_rewritten(libraries, text):
    assert libraries.rewritten(text, random.Random(1)) is None


def test_the_same_seed_exchanges_the_same(libraries):
    text = "Fenby lies between Garth and Esk Falls since 1200 and 99999999999999999999."

    assert libraries.rewritten(text, random.Random(5)) == libraries.rewritten(text, random.Random(5))


def test_a_page_whose_title_is_an_aside_keeps_its_title():
    assert plain_title(Page("Holm_(town)")) == "Holm"
    assert plain_title(Page("(town)")) == "(town)"
