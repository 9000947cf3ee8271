"""Finding a page by what people type, at once, among all there are."""

import random

import pytest

from quizwriter.domain.tossup import answer_key
from quizwriter.engine.pages import Pages
from tests.helpers.steps import steps_of


def pages(**weights):
    return made(weights)


def made(weights):
    return Pages(list(weights), [answer_key(page) for page in weights], list(weights.values()))


LAKES = made(
    {
        "Lake_Baikal": 5,
        "Baikal": 1,
        "Baikal_seal": 9,
        "The_Baikal_Affair": 7,
        "Mount_Baikalsk": 2,
        "Abaikal": 50,
        "Éire": 3,
        "Catch-22": 4,
        "Hawaiʻi": 2,
        "!!!": 1,
        "C++": 6,
    }
)


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("Lake_Baikal", "Lake_Baikal"),
        ("lake baikal", "Lake_Baikal"),
        ("The Lake Baikal", "Lake_Baikal"),
        (" BAIKAL ", "Baikal"),
        ("eire", "Éire"),
        ("Catch 22", "Catch-22"),
        ("Hawai'i", "Hawaiʻi"),
        ("Baikal Affair", "The_Baikal_Affair"),
        ("!!!", "!!!"),
        ("Lake", None),
        ("Lake Baikals", None),
        ("", None),
        ("  ", None),
        ("?", None),
    ],
)
def test_a_name_means_the_page_that_is_called_so(name, page):
    assert LAKES.find(name) == page


def test_where_pages_share_a_key_the_name_means_the_one_asked_for_most():
    shared = pages(the_nose=1, Nose=5, NOSE=3)

    assert shared.find("nose") == "Nose"
    assert shared.complete("nos") == ("Nose",)


def test_the_exact_page_comes_first_then_those_that_begin_so_then_the_rest_by_how_often_they_are_asked_for():
    assert LAKES.complete("baikal") == (
        "Baikal",
        "Baikal_seal",
        "The_Baikal_Affair",
        "Lake_Baikal",
        "Mount_Baikalsk",
    )


def test_pages_asked_for_equally_often_come_by_name():
    assert pages(Lima_C=1, Lima_A=1, Lima_B=1).complete("lima") == ("Lima_A", "Lima_B", "Lima_C")


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("BAI", True),
        ("bai", True),
        ("the baikal", True),
        ("seal", False),
        ("lake b", False),
        ("aikal", False),
        ("baikal affair x", False),
    ],
)
def test_only_the_beginnings_of_words_count(typed, found):
    assert ("The_Baikal_Affair" in LAKES.complete(typed)) is found


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("eir", "Éire"),
        ("ÉIR", "Éire"),
        ("catch 2", "Catch-22"),
        ("hawai'", "Hawaiʻi"),
        ("!!!", "!!!"),
        ("c++", "C++"),
    ],
)
def test_accents_and_punctuation_do_not_matter(typed, page):
    assert LAKES.complete(typed)[0] == page


@pytest.mark.parametrize("typed", ["", " ", "zzz", ".*", "(", "[", "?!"])
def test_what_begins_no_word_completes_to_nothing(typed):
    assert LAKES.complete(typed) == ()


def test_no_more_than_the_limit_are_offered():
    many = made({f"Lima_{number}": number for number in range(30)})

    assert many.complete("lima", limit=2) == ("Lima_29", "Lima_28")
    assert len(many.complete("lima")) == 12


def test_a_key_never_runs_from_one_page_into_the_next():
    assert pages(Lake=1, Baikal=1).complete("lake baikal") == ()


def test_no_pages_at_all_are_no_trouble():
    none = pages()

    assert (len(none), none.find("a"), none.complete("a")) == (0, None, ())


def test_rows_number_the_pages():
    assert LAKES.rows[answer_key("Baikal")] == LAKES.all.index("Baikal") == 1
    assert len(LAKES) == 11


def test_the_work_for_a_key_depends_on_what_fits_and_not_on_all_pages():
    dice = random.Random(7)
    syllables = [a + b for a in "bcdfghklmnprstvw" for b in "aeiou"]
    word = lambda: "".join(dice.choices(syllables, k=dice.randint(1, 4))).title()  # noqa: E731
    titles = list(dict.fromkeys("_".join(word() for _ in range(dice.randint(1, 3))) for _ in range(70_000)))
    few, many = (made(dict.fromkeys([*titles[:count], "Zx_alone"], 1)) for count in (6_000, 60_000))
    few.complete("warm")
    many.complete("warm")

    assert many.complete(titles[0])[0] == titles[0]
    for typed in ("z", "zx", "alone"):  # few pages of either begin so
        assert few.complete(typed) == many.complete(typed) == ("Zx_alone",)
        assert steps_of(lambda typed=typed: many.complete(typed)) <= 2 * steps_of(
            lambda typed=typed: few.complete(typed)
        )
