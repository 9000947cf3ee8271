"""What the rules on readiness and on the players' games find: the place, the sentence, and in which text."""

from __future__ import annotations

import pytest

from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.styles import TextStyles
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.checks import repeatable_checks
from quizwriter.workflow.near_duplicates import DuplicateFinder, OtherTossup
from quizwriter.workflow.problems.readiness import RULES
from quizwriter.workflow.problems.rule import WHOLE, Finding, Inspection
from tests.helpers.made_plays import led_by

TEXT = "One two three four. Five six seven eight. For 10 points, name this fish."
OF = {rule.name: rule for rule in RULES}
MUTE = "The answer line has no required words: mark the words that a player must say."


class Pages:
    """A bundle with one page."""

    def find(self, name):
        return Page("Sea_eel") if name == "Eel" else None

    def right(self, answer):
        """Also the page of an answer whose own page is another."""
        return [0] if "Eel" in (answer.page, answer.line) and answer.page != "Red_cod" else []


def found(rule, text=TEXT, line="Eel", page=None, **known):
    answer = None if line is None else Answer(line, page and Page(page))
    return list(OF[rule].find(Inspection(Tossup(text, answer), **known)))


def of_answer(sentence, span=WHOLE):
    return [Finding(span, sentence, in_answer=True)]


def test_a_text_that_can_be_read_is_needed():
    assert found("text") == []
    assert found("text", " (*) ") == [Finding(WHOLE, "There is no text to read aloud.")]


def test_an_answer_is_needed():
    assert found("answer") == []
    assert found("answer", line=None) == found("answer", line="  ") == of_answer("No answer is set.")


def test_what_cannot_be_read_in_the_line_is_told_at_its_place():
    line = "Knut [flurb the great]"
    (piece,) = found("answer_format", line=line)
    assert (piece.span.of(line), piece.fix, piece.in_answer) == ("flurb the great", None, True)
    assert piece.sentence.startswith("This part of the answer line cannot be read: ")
    assert not piece.sentence.endswith("..")
    assert found("answer_format", line=None) == found("answer_format") == []


def test_required_words_are_marked_in_the_line_or_by_its_styles():
    assert found("underline") == of_answer(MUTE)
    assert found("underline", line="<b><u>Eel</u></b>") == []
    assert found("underline", line=None) == found("underline", line=" ") == []
    assert found("underline", answer_styles=TextStyles.of_codes(bytes([3, 3, 3]))) == []  # bold, underlined


def test_the_bundle_has_a_page_for_the_answer():
    assert found("page", page="Eel", pages=Pages()) == found("page", pages=Pages()) == []
    assert found("page", line="Cod", pages=Pages()) == of_answer(
        "The players do not know this answer, so none can guess it."
    )
    assert found("page", page="Red_cod", pages=Pages()) == of_answer(
        "The bundle has no page Red cod, so no player can guess it."
    )
    assert found("page", page="Red_cod") == found("page", line=None, pages=Pages()) == []


@pytest.mark.parametrize(
    ("rule", "needs", "where"),
    [("set", "in_set", "in this set"), ("past", "past", "among past questions")],
)
def test_a_repeat_names_the_nearest_other_and_counts_the_rest(rule, needs, where):
    def sentences(*texts):
        others = DuplicateFinder()
        for number, text in enumerate(texts):
            others.add(OtherTossup(f"other-{number}", f"“Cod {number}”", text))
        return [
            (one.span, one.sentence, one.in_answer) for one in found(rule, own, key="here", **{needs: others})
        ]

    own = "A king of eels once ruled the lake of Linz and fed his people on nothing but reeds and rain."
    near = own.replace("reeds and rain", "roots and snow")
    assert sentences("Something else that nobody ever wrote before.") == []
    assert sentences(own) == [(WHOLE, f"The same words are {where}: “Cod 0”.", False)]
    assert sentences(own, own)[0][1].endswith(f"{where}: “Cod 0” and 1 other.")
    assert sentences(own, own, own)[0][1].endswith("“Cod 0” and 2 others.")
    ((_, told, _),) = sentences(near)
    assert told == f"82\N{NO-BREAK SPACE}% of it is {where}: “Cod 0”."
    assert found(rule) == []


def test_a_vulgar_word_is_told_where_it_is():
    text = "He called it “bullshit” in Scunthorpe."
    (one,) = found("vulgar", text)
    assert (one.span.of(text), one.sentence, one.in_answer) == (
        "“bullshit”",
        "The text has “bullshit”.",
        False,
    )


@pytest.mark.parametrize(
    "filler", ["TODO", "asdfgh", "Lorem ipsum", "test test test", "a test question", "???", "insert clue"]
)
def test_what_looks_like_a_test_is_told_in_the_text_and_in_the_line(filler):
    text, sentence = f"This king {filler} is one", f"“{filler}” looks like a test."
    place = Span(10, 10 + len(filler))
    assert found("filler", text, line=None) == [Finding(place, sentence)]
    assert found("filler", line=f"This king {filler} is one") == of_answer(sentence, place)


def test_the_same_few_words_are_told():
    again = [Finding(WHOLE, "The text repeats the same few words.")]
    assert found("filler", "eel cod ray " * 3) == again
    assert found("filler", "eel cod ray " * 2 + "eel cod") == []
    assert found("filler", "eel cod ray " * 4) == again
    assert found("filler", "") == []


WORDS = len(Tossup(TEXT).words)
LOST, GOT = ["Cod"] * WORDS, ["Cod"] * (WORDS - 1) + ["Eel"]
EARLY_ONLY = ["Eel"] * (WORDS - 1) + ["Cod"]


def test_a_giveaway_that_no_player_gets_is_told_at_the_last_sentence():
    def told(*plays, text=TEXT):
        return [
            (one.span.of(text), one.sentence, one.in_answer) for one in found("giveaway", text, plays=plays)
        ]

    last = "For 10 points, name this fish."
    one = "The giveaway may be too hard: IR does not get it at the end."
    two = "The giveaway may be too hard: IR and the ensemble do not get it at the end."
    assert told(led_by(LOST, "ir", TEXT)) == [(last, one, False)]
    assert told(led_by(EARLY_ONLY, "ir", TEXT)) == [(last, one, False)]
    assert told(led_by(LOST, "ir", TEXT), led_by(LOST, "ensemble", TEXT)) == [(last, two, False)]
    assert told(led_by(LOST, "ir", TEXT), led_by(LOST, "dan", TEXT, knows=False)) == [(last, one, False)]
    assert told(led_by(LOST, "ir", TEXT), led_by(GOT, "dan", TEXT)) == []
    assert told(led_by(GOT, "ir", TEXT)) == told() == told(led_by(LOST, "ir", TEXT, knows=False)) == []
    assert told(led_by([], "ir", TEXT)) == []
    assert told(led_by(LOST, "ir", TEXT), text="") == []


def test_an_early_wrong_buzz_of_two_players_is_told_at_its_first_sentence():
    def told(*plays):
        return [(one.span.of(TEXT), one.sentence, one.in_answer) for one in found("swerve", plays=plays)]

    def buzzing(name, buzz, page="Red_cod", **known):
        return led_by([page] * WORDS, name, TEXT, buzz=buzz, **known)

    two = "2 players would buzz here with Red cod: make sure that no clue fits this answer."
    half = WORDS // 2
    assert WORDS % 2 == 0
    assert told(buzzing("ir", 6), buzzing("dan", 2)) == [("One two three four.", two, False)]
    assert told(buzzing("ir", 2), buzzing("dan", 6)) == [("One two three four.", two, False)]
    assert told(buzzing("ir", 5), buzzing("dan", half)) == [("Five six seven eight.", two, False)]
    assert told(buzzing("rnn", 5, "Eel"), buzzing("ir", 6), buzzing("dan", 2))[0][1] == two
    assert told(buzzing("ir", 5), buzzing("dan", half + 1)) == []
    assert told(buzzing("ir", 5), buzzing("dan", 5, "Ray")) == []
    assert told(buzzing("ir", 5)) == told(led_by(LOST, "ir", TEXT), led_by(LOST, "dan", TEXT)) == []
    assert told(buzzing("ir", 5), buzzing("dan", 5, knows=False)) == []
    assert told(buzzing("ir", 5, "Eel"), buzzing("dan", 5, "Eel")) == []
    three = told(
        buzzing("ir", 5),
        buzzing("dan", 4),
        buzzing("rnn", 7),
        buzzing("elastic", 3, "Ray"),
        buzzing("llm", 3, "Ray"),
    )
    assert three == [("One two three four.", two.replace("2", "3"), False)]


def test_checks_that_need_nothing_beside_the_tossup_can_be_repeated():
    assert repeatable_checks() == {"text", "answer", "length", "leak", "vulgar", "filler"}
