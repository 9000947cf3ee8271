"""The fool radius is exact: no smaller set of words of a vocabulary unseats the answer in a real game."""

from __future__ import annotations

from itertools import combinations

import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.fool_radius import fool_radius
from quizwriter.engine.tokenizer import TOKEN, title_stems, token

APART = " of the of the "
"""So many stop words stand between two words that they are no pair."""


def vocabulary(retrieval, pages, size=30):
    """Words of the texts about ``pages``, none of which is in the title of any page."""
    titles = {stem for page in retrieval.pages.all for stem in title_stems(page)}
    found = {}
    for page in pages:
        for text in retrieval.texts_about(retrieval.pages.all.index(page))[:3]:
            for word in TOKEN.findall(text):
                stem = token(word).hash
                if stem and stem not in titles:
                    found.setdefault(stem, word)
    words = list(found.values())
    return words[:: max(1, len(words) // size)][:size]


def with_words(tossup, words):
    """``tossup`` with ``words`` at its end, none of which makes a pair."""
    return Tossup(tossup.text + "".join(APART + word for word in words), tossup.answer)


def leads(retrieval, tossup):
    """Whether the answer still leads in a real game."""
    return tossup.answer.accepts(retrieval.play(tossup).final[0].page)


@pytest.mark.parametrize("heard", [4, 6, 9])
def test_no_fewer_words_of_a_vocabulary_fool_the_player(engine, heard):
    retrieval = engine.retrieval
    page = retrieval.pages.all[0]
    text = retrieval.texts_about(0)[0]
    tossup = Tossup(text, Answer(page, page)).heard(heard)
    rivals = [guess.page for guess in retrieval.play(tossup).final[1:4]]
    if not leads(retrieval, tossup) or not rivals:
        pytest.skip("the answer does not lead after so few words")
    words = vocabulary(retrieval, rivals)
    assert len(words) == 30

    found = fool_radius(retrieval, tossup, words)

    brute = next(
        (
            size
            for size in (1, 2)
            if any(not leads(retrieval, with_words(tossup, some)) for some in combinations(words, size))
        ),
        None,
    )
    if found is not None:
        assert not leads(retrieval, with_words(tossup, found.words))
    assert brute == (len(found.words) if found is not None and len(found.words) <= 2 else None)


def test_words_of_the_rival_fool_the_player(engine):
    retrieval = engine.retrieval
    page = retrieval.pages.all[0]
    tossup = Tossup(retrieval.texts_about(0)[0], Answer(page, page))
    found = fool_radius(retrieval, tossup)

    assert leads(retrieval, tossup)
    assert found.rival != page
    assert not leads(retrieval, with_words(tossup, found.words))
    assert leads(retrieval, with_words(tossup, found.words[:-1]))
    assert found.distractor in " ".join(retrieval.texts_about(retrieval.pages.all.index(found.rival)))


def test_a_player_that_does_not_lead_with_the_answer_has_no_radius(engine):
    tossup = Tossup(engine.retrieval.texts_about(0)[0], Answer("Nobody knows this"))
    assert fool_radius(engine.retrieval, tossup) is None
    assert fool_radius(engine.retrieval, Tossup("", tossup.answer)) is None
