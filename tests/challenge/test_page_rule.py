"""Sets before schema 3 keep the rule of their time: only the answer's own page is right."""

import pytest

from quizwriter.challenge.page_rule import BY_LINE, answer_label, rightness_rule
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer

BUTTERFLY = Answer("Madama Butterfly [or Cio-Cio-San]", Page("Madama_Butterfly"))


@pytest.mark.parametrize(("schema", "right"), [(1, False), (BY_LINE - 1, False), (BY_LINE, True)])
def test_a_page_that_the_line_accepts_is_right_in_sets_of_today(schema, right):
    rule = rightness_rule(schema)

    assert rule(BUTTERFLY, "Cio-Cio-San") is right
    assert rule(BUTTERFLY, "madama butterfly")


@pytest.mark.parametrize(
    ("line", "before", "now"),
    [
        ("Niels (Henrik David) Bohr", "Niels", "Niels_Bohr"),
        ("Johannes _Brahms_ [accept Brahms]", "Johannes_Brahms", "Johannes_Brahms"),
        ("<b><u>iron</u></b> <Chemistry>", "iron", "iron"),
        ("haiku or hokku", "haiku_or_hokku", "haiku_or_hokku"),
    ],
)
def test_an_answer_without_a_page_is_labelled_as_it_was_called_then(line, before, now):
    assert answer_label(Answer(line), BY_LINE - 1) == before
    assert answer_label(Answer(line)) == now
    assert rightness_rule(BY_LINE - 1)(Answer(line), before)
