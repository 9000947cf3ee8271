"""Under which page a question is filed."""

from index_builder.data import AnswerMap


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
