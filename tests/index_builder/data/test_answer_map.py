"""Under which page a question is filed."""

import pytest

from index_builder.data.answer_map import AnswerMap
from index_builder.data.corpus import Inputs, gather_corpus
from tests.helpers.json_lines import write_lines


def test_the_page_a_source_gives_is_the_page():
    answers = AnswerMap({"Emma_(novel)": 3}, {"emma": "Emma_Goldman"})

    assert answers.page("Emma_(1996_film)", "Emma") == "Emma_(1996_film)"
    assert answers.counts == {"given": 1}


def test_a_name_that_differs_from_a_page_as_redirects_do_is_that_page():
    answers = AnswerMap({"The_Nose": 1, "Éire": 2}, {})

    assert [answers.page(None, "nose"), answers.page(None, "Eire")] == ["The_Nose", "Éire"]
    assert answers.counts == {"mapped": 2}


def test_where_pages_share_a_key_the_one_named_most_is_meant():
    assert AnswerMap({"Nose": 1, "NOSE": 3, "nose": 2}, {}).page(None, "nose") == "NOSE"


def test_where_pages_share_a_key_equally_often_the_choice_is_always_the_same():
    assert AnswerMap({"nose": 2, "Nose": 2}, {}).page(None, "nose") == "Nose"
    assert AnswerMap({"Nose": 2, "nose": 2}, {}).page(None, "nose") == "Nose"


def test_a_mapped_name_is_the_page_it_is_mapped_to():
    answers = AnswerMap({}, {"baikal": "Lake_Baikal"})

    assert answers.page(None, "Baikal") == "Lake_Baikal"
    assert answers.counts == {"mapped": 1}


def test_a_page_that_sources_name_comes_before_the_map():
    assert (
        AnswerMap({"Emma_Goldman": 1}, {"emma goldman": "Other"}).page(None, "Emma Goldman") == "Emma_Goldman"
    )


def test_what_is_left_is_filed_under_its_own_name():
    answers = AnswerMap({}, {})

    assert answers.page(None, "Lake Baikal") == "Lake_Baikal"
    assert answers.counts == {"own name": 1}


def test_another_spelling_of_an_own_name_is_filed_with_the_first():
    answers = AnswerMap({}, {})
    answers.page(None, "The Lake Baikal")

    assert answers.page(None, "lake baikál") == "The_Lake_Baikal"
    assert answers.counts == {"own name": 1, "mapped": 1}


LAOZI = ("Laozi", "Laozi [or Lao Tzu]")


@pytest.mark.parametrize(
    ("page", "answer"),
    [
        ("US_Route_66", "U.S. Route 66"),
        ("Heinrich_Böll", "Heinrich B\N{CYRILLIC SMALL LETTER O WITH DIAERESIS}ll"),
        ("Ibn_Arabi", "Ibn \N{MODIFIER LETTER LEFT HALF RING}Arabī"),
    ],
)
def test_a_name_of_several_words_is_the_page_whatever_its_accents_and_dots(page, answer):
    named = AnswerMap({page: 1}, {})
    assert named.page(None, answer) == page
    assert named.counts == {"another name": 1}
    first, second = AnswerMap({}, {}), AnswerMap({}, {})
    assert first.page(None, page.replace("_", " ")) == first.page(None, answer) == page
    assert second.page(None, answer) == second.page(None, page.replace("_", " "))


def test_names_whose_words_are_parted_otherwise_are_other_pages():
    assert AnswerMap({"Flo_Rida": 1}, {}).page(None, "Florida") == "Florida"
    assert AnswerMap({"Sushi": 1}, {}).page(None, "Su Shi") == "Su_Shi"


def test_a_name_that_answer_lines_of_a_page_accept_means_this_page():
    answers = AnswerMap({"Laozi": 2}, {}, [LAOZI, LAOZI])

    assert answers.page(None, "Lao Tzu") == "Laozi"
    assert answers.counts == {"another name": 1}


def test_a_name_that_one_line_or_lines_of_two_pages_accept_means_no_page():
    other = ("Li_Er_(singer)", "Li Er [or Lao Tzu]")

    assert AnswerMap({"Laozi": 1}, {}, [LAOZI]).page(None, "Lao Tzu") == "Lao_Tzu"
    assert AnswerMap({"Laozi": 3}, {}, [LAOZI, LAOZI, other]).page(None, "Lao Tzu") == "Lao_Tzu"


def test_another_name_in_the_line_of_the_answer_means_the_page_called_so():
    answers = AnswerMap({"Cronus": 4, "Ra": 3}, {})

    assert answers.page(None, "Kronos", "Kronos [or Cronus; accept Cronos]") == "Cronus"
    assert answers.page(None, "Kronos", "Kronos") == "Cronus"  # the name is known from now on
    assert answers.page(None, "radium", "radium [or Ra]") == "radium"  # too short


def test_what_a_line_accepts_beside_its_answer_is_not_another_name():
    """The part of a thing, or one of its kinds, is often accepted without being the same."""
    answers = AnswerMap({"Comanche": 4}, {})

    line = "Native Americans [accept specific peoples such as the Comanche]"
    assert answers.page(None, "Native Americans", line) == "Native_Americans"


@pytest.mark.parametrize(
    ("answer", "page"), [("wigs", "Wig"), ("lens", "Lenses"), ("galaxies", "Galaxy"), ("gas", "gas")]
)
def test_the_same_name_in_another_number_means_the_page(answer, page):
    answers = AnswerMap({"Wig": 1, "Lenses": 1, "Galaxy": 1, "Ga": 1}, {})

    assert answers.page(None, answer) == page


@pytest.mark.parametrize(("fold", "page"), [("guesstrain", "Laozi"), ("guessdev", "Lao_Tzu")])
def test_answer_lines_of_tossups_that_are_held_back_name_no_page(tmp_path, fold, page):
    """Else what is measured on them would know their answers."""
    line = "Laozi [or Lao Tzu]"
    rows = [
        {"text": "This thinker rode a buffalo.", "page": "Laozi", "answer": line, "fold": "guesstrain"},
        {"text": "This thinker rode a horse.", "page": "Laozi", "answer": line, "fold": fold},
        {"text": "This thinker wrote a book.", "answer": "Lao Tzu", "fold": "guesstrain"},
    ]

    corpus = gather_corpus(Inputs((write_lines(tmp_path / "tossups.jsonl", rows),)), lambda report: None)

    assert {row.page for row in corpus.passages if "book" in row.text} == {page}
