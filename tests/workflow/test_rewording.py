"""Cues in other words: which words are offered, and where none are."""

from __future__ import annotations

import pytest

from quizwriter.domain.evidence import Cue, Evidence, Reason
from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.probes import Probe, split_clues
from quizwriter.workflow.rewording import MOST_CUES, reworded_cues, synonyms
from quizwriter.workflow.what_if import change_title, cue_words, edits_to, new_sentences


def reworded(text, *words, answer="Emma", frame=()):
    tossup = Tossup(text, Answer(answer, Page("Emma")))

    def cue(word):
        start = text.index(word)
        return Cue(Span(start, start + len(word)), 1.0)

    evidence = Evidence(
        "ir",
        Page("Emma"),
        cues=tuple(map(cue, words)),
        frame=tuple(cue(word).span for word in frame),
    )
    clues = split_clues(tossup)
    return list(reworded_cues(tossup, clues, evidence)), clues


def test_a_word_has_its_synonyms_in_its_form():
    assert synonyms("authors") == ("writers",)
    assert "movies" in synonyms("films")
    for none in ("", "Authors", "author writers", "writers\nauthor", "xyzzy"):
        assert synonyms(none) == ()


def test_a_cue_is_said_in_other_words_in_all_its_places():
    text = "Its author met an Author. Another author (“or-thor”) wept. For 10 points, name this novel."
    (one,), clues = reworded(text, "author")
    assert one.tossup.text == text.replace("author", "writer")
    assert one.probe is Probe.REWORD
    assert one.clue == 0
    assert len(one.tossup.words) == len(one.base.words)
    assert change_title(one, clues) == "Rephrase “author” as “writer”"
    assert new_sentences(one).startswith("Its writer met an Author.")


@pytest.mark.parametrize(
    ("text", "word", "other", "new"),
    [
        ("Here an author. Name this.", "author", "writer", "Here a writer. Name this."),
        ("Here a film. Name this.", "film", "movie", "Here a movie. Name this."),
        ("A car. Name this.", "car", "automobile", "An automobile. Name this."),
        ("Stories end. Name this.", "Stories", "tales", "Tales end. Name this."),
    ],
)
def test_the_article_and_a_capital_go_with_the_new_word(text, word, other, new):
    found, clues = reworded(text, word)
    one = next(one for one in found if new == one.tossup.text)
    assert change_title(one, clues).casefold() == f"rephrase “{word}” as “{other}”".casefold()
    draft = text
    for edit in edits_to(text, one.tossup.text):
        draft = edit.apply(draft)
    assert draft == new
    assert cue_words(one).endswith(word)


def test_names_quotations_the_frame_and_the_answer_stay():
    assert reworded("A man saw an Author. Name this.", "Author")[0] == []
    assert reworded("He wrote “an author dies”. Name this.", "author")[0] == []
    assert reworded('He wrote "an author dies". Name this.', "author")[0] == []
    assert reworded("This author died. Name this.", "author", frame=["author"])[0] == []
    assert reworded("An author died. Name this.", "author", answer="The Writer")[0] == []


def test_where_the_article_is_unsure_a_word_is_not_offered():
    assert "utilized" in synonyms("used")
    found, _ = reworded("It is a used car. Name this.", "used")
    assert not any("utilized" in one.tossup.text for one in found)
    assert any("an employed" in one.tossup.text for one in found)


def test_a_word_that_demands_its_preposition_stays():
    assert reworded("Its authors to the end. Name this.", "authors")[0] == []
    assert reworded("An author of tales, the author on stage. Name this.", "author")[0] == []
    assert reworded("It has authors. To end, name this.", "authors")[0]
    assert reworded("Its authors, about to end. Name this.", "authors")[0]


def test_words_to_change_come_first_and_few_are_tried():
    usual = "author film story family companion playwright holiday food velocity strategies person car doctor"
    words = [word for word in usual.split() if synonyms(word)]
    assert len(words) > MOST_CUES
    text = f"There was {' and '.join(words)}. Name this."
    tossup = Tossup(text, Answer("Emma", Page("Emma")))
    spans = [Span(text.index(word), text.index(word) + len(word)) for word in words]
    cues = tuple(Cue(span, 1.0) for span in spans)
    evidence = Evidence("ir", Page("Emma"), cues=cues, reasons=(Reason((spans[-1],), 1.0),))
    found = list(reworded_cues(tossup, split_clues(tossup), evidence))
    changed = list(dict.fromkeys(cue_words(one) for one in found))
    assert changed == [words[-1], *words[: MOST_CUES - 1]]
