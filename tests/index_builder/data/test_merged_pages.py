"""Pages that differ in spelling only are one, and pages that are called alike stay apart."""

from __future__ import annotations

import pytest

from index_builder.data.corpus import Inputs, gather_corpus
from index_builder.data.merged_pages import PageSpellings
from tests.helpers.json_lines import write_lines


def merged(asked, articles):
    spellings = PageSpellings()
    for page in asked:
        spellings.ask(page, "This thing has a long name.")
    for page, text in articles.items():
        spellings.read(page, text)
    return spellings.merged(asked)


@pytest.mark.parametrize(
    ("kept", "other"),
    [
        ("Leoš_Janáček", "Leos_Janacek"),
        ("Kenzaburō_Ōe", "Kenzaburo_Oe"),
        ("Diels–Alder_reaction", "Diels-Alder_reaction"),
        ("Le_Déjeuner_sur_l'herbe", "Le_Déjeuner_sur_l’herbe"),
        ("Oliver_Wendell_Holmes,_Jr.", "Oliver_Wendell_Holmes_Jr."),
        ("Republic_(Plato)", "The_Republic_(Plato)"),
    ],
)
def test_accents_dashes_and_apostrophes_make_no_other_page(kept, other):
    assert merged({kept: 3}, {other: "An article."}) == {other: kept}


def test_the_name_with_accents_stays_also_where_the_other_is_asked_for():
    assert merged({"Leos_Janacek": 5}, {"Leoš_Janáček": "A composer."}) == {"Leos_Janacek": "Leoš_Janáček"}


@pytest.mark.parametrize(
    ("asked", "articles", "found"),
    [
        ({"Han_dynasty": 4}, {"Han_Dynasty": "The Han dynasty ruled."}, {"Han_Dynasty": "Han_dynasty"}),
        ({"Common_Sense": 4}, {"Common_sense": "We call it common sense."}, {}),
        ({"Oxbow_Lakes": 1}, {"Oxbow_lake": "An oxbow lake is bent."}, {"Oxbow_lake": "Oxbow_Lakes"}),
        ({"The_Rolling_Stones": 1}, {"Rolling_Stone": "Rolling Stone is printed."}, {}),
        ({"Banks_Island": 1}, {"Banks_Islands": "The Banks Islands are warm."}, {}),
    ],
)
def test_texts_say_whether_capitals_and_number_make_another_page(asked, articles, found):
    assert merged(asked, articles) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The_Raven", "Raven"),
        ("Malé", "Male"),
        ("Cell_(biology)", "Cell_biology"),
        ("A*_search_algorithm", "Search_algorithm"),
        ("Hello,_Dolly!", "Hello_Dolly"),
    ],
)
def test_articles_single_words_brackets_and_other_signs_make_another_page(one, other):
    assert merged({one: 1, other: 1}, {}) == {}


def test_pages_that_no_tossup_asks_for_stay_as_they_are():
    assert merged({}, {"Leoš_Janáček": "A composer.", "Leos_Janacek": "A composer."}) == {}


def test_a_bundle_files_each_text_under_the_page_that_stays_whatever_its_spelling(tmp_path):
    clue = "A clue that nobody else has about this composer"
    questions = [
        {"id": "q1", "text": f"{clue} one.", "page": "Leos_Janacek", "answer": "Leos Janacek"},
        {"id": "q2", "text": f"{clue} two.", "page": "Leoš_Janáček", "answer": "Leoš Janáček"},
        {"id": "q3", "text": f"{clue} three.", "answer": "Leo\x9a Janáček"},
        {"id": "q4", "text": f"{clue} four.", "answer": "Jenufa's maker"},
    ]
    wiki = [{"page": "Leos_Janacek", "text": "He was a composer. " * 30}]
    mapped = [{"key": "jenufas maker", "page": "Leos_Janacek"}]

    found = gather_corpus(
        Inputs(
            (write_lines(tmp_path / "q.jsonl", questions),),
            wiki=(write_lines(tmp_path / "w.jsonl", wiki),),
            answer_maps=(write_lines(tmp_path / "m.jsonl", mapped),),
            everything=True,
        ),
        lambda report: None,
    )

    assert found.pages == ("Leoš_Janáček",)
    assert found.tossup_counts == (4,)
    assert found.merged == {"Leos_Janacek": "Leoš_Janáček"}
