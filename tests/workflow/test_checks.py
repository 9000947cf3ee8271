"""What must hold before a tossup is ready: each check fails for what it is for, and not for its namesakes."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.page import Page
from quizwriter.domain.style_sheet import StyleSheet
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.checks import Check, check, check_titles, checks_with
from quizwriter.workflow.near_duplicates import (
    DUPLICATE_THRESHOLD,
    DuplicateFinder,
    OtherTossup,
    compared_words,
)
from quizwriter.workflow.problems.answer_leak import answer_names
from quizwriter.workflow.problems.rule import RuleNeed

LONG = (
    "A character in this work sings that one fine day a thread of smoke will rise over the horizon of the "
    "sea. Its title woman keeps a vigil with her child behind a paper screen while a humming chorus is heard "
    "sea. Its title woman keeps a vigil with a child behind a paper screen while a humming chorus is heard "
    "by Giacomo Puccini about a geisha who is abandoned by the American lieutenant Pinkerton."
)


class EveryPage:
    """A bundle that has every page but one."""

    def find(self, name):
        return None if name in ("", "Nobody_At_All") else Page(name)

    def right(self, answer):
        return [0] if self.find(answer.page or "") else []


def checked(text, line="Tosca", page="Tosca", **among) -> dict[str, Check]:
    answer = None if line is None else Answer(line, Page(page) if page else None)
    among = {"in_set": DuplicateFinder(), "past": DuplicateFinder(), "pages": EveryPage(), **among}
    return {one.name: one for one in check(Tossup(text, answer), "here", **among)}


def failed(*given, **among) -> list[str]:
    return [one.name for one in checked(*given, **among).values() if not one.passed]


def test_a_good_tossup_passes_all_and_each_says_so():
    checks = checked(LONG, "Madama Butterfly", "Madama_Butterfly")
    assert all(one.passed and one.finding for one in checks.values())
    assert list(checks) == list(check_titles())


GOOD = {
    "text": "There is a text.",
    "answer": "It asks for Madama Butterfly.",
    "page": "Players know it as Madama Butterfly.",
    "length": "75 words; from 50 to 175 is usual.",
    "leak": "The text has neither the answer nor anything that the answer line accepts.",
    "set": "No other tossup of this set is nearly the same.",
    "past": "No past question is nearly the same.",
    "vulgar": "The text has no vulgar words.",
    "filler": "Nothing in it looks like a test.",
}
BAD = {
    "text": "There is no text to read aloud.",
    "answer": "No answer is set.",
    "page": "No answer is set.",
    "leak": "There is no answer yet that the text could give away.",
}
UNKNOWN_PAGE = "The players do not know this answer, so none can guess it."
UNSEEN = {
    "page": "No bundle is open, so its pages could not be checked.",
    "set": "The tossups of this set could not be compared.",
    "past": "Past questions could not be compared.",
}
NO_WORDS = "0 words; from 50 to 175 is usual."


def findings(checks):
    return {one.name: one.finding for one in checks}


def test_each_check_of_a_good_tossup_says_what_it_found():
    assert findings(checked(LONG, "Madama Butterfly", "Madama_Butterfly").values()) == GOOD


def test_players_may_know_an_answer_by_its_line_alone():
    class ByLine(EveryPage):
        def right(self, answer):
            return [0]

    checks = checked(LONG, "Madama Butterfly", None, pages=ByLine())
    assert checks["page"] == Check("page", True, "Players know a page whose title the answer line accepts.")


def test_what_checks_need_beside_the_tossup_is_known():
    assert [checks_with(need) for need in (RuleNeed.SET, RuleNeed.PAST, RuleNeed.PAGES)] == [
        {"set"},
        {"past"},
        {"page"},
    ]


def test_each_check_of_a_tossup_without_anything_says_what_is_missing():
    among = {"in_set": DuplicateFinder(), "past": DuplicateFinder(), "pages": EveryPage()}

    assert findings(check(Tossup(""), **among)) == {**GOOD, **BAD, "length": NO_WORDS}
    assert findings(check(Tossup("", Answer(" ")), **among))["answer"] == "No answer is set."


def test_each_check_that_could_not_look_says_so():
    checks = checked(LONG, "Madama Butterfly", "Madama_Butterfly", in_set=None, past=None, pages=None)

    assert findings(checks.values()) == {**GOOD, **UNSEEN}
    assert [name for name, one in checks.items() if not one.passed] == list(UNSEEN)


def test_an_answer_without_a_page_is_told_also_where_no_bundle_is_open():
    checks = checked(LONG, "Madama Butterfly", None, pages=None)

    assert checks["page"] == Check("page", False, UNKNOWN_PAGE)


def test_players_know_an_answer_as_the_page_of_the_bundle_has_it():
    class Renaming:
        def find(self, name):
            return Page(f"{name} (opera)") if name == "Madama_Butterfly" else None

        def right(self, answer):
            return [0]

    found = checked(LONG, "Cio-Cio-San", "Madama_Butterfly", pages=Renaming())["page"]

    assert found == Check("page", True, "Players know it as Madama Butterfly (opera).")


def test_the_usual_length_is_that_of_the_style_sheet():
    sheet = StyleSheet(shortest=10, longest=20)

    assert checked(LONG, sheet=sheet)["length"].passed is False
    assert checked(" ".join(["clue"] * 15), sheet=sheet)["length"].finding == (
        "15 words; from 10 to 20 is usual."
    )


def test_each_vulgar_word_is_named_once():
    found = checked("He said shit, fuck and “shit.”")["vulgar"]

    assert found == Check("vulgar", False, "The text has “shit” and “fuck”.")


def test_a_missing_answer_that_was_dismissed_is_told_all_the_same():
    answer = checked("A fish.", None, dismissed=lambda problem: problem.rule == "answer")["answer"]
    assert (answer.passed, answer.finding) == (True, "No answer is set.")


def test_a_dismissed_problem_does_not_fail_its_check():
    def dismissed(problem):
        return problem.words == "shit,"

    assert checked("He said shit, twice.", dismissed=dismissed)["vulgar"].passed
    assert not checked("He said shit, then fuck.", dismissed=dismissed)["vulgar"].passed


def test_nothing_at_all_fails_by_name():
    assert [one.name for one in check(Tossup("")) if not one.passed] == [
        "text", "answer", "page", "length", "set", "past",
    ]  # fmt: skip


def test_an_answer_no_player_knows_is_told():
    assert failed(LONG, "Madama Butterfly", None) == ["page"]


def test_a_page_that_the_bundle_does_not_have_is_told_by_its_name():
    """The file of an imported question gave the page, and nobody asked the bundle."""
    found = checked(LONG, "Nobody at all", "Nobody_At_All")["page"]
    assert not found.passed
    assert found.finding == "The bundle has no page Nobody At All, so no player can guess it."


@pytest.mark.parametrize(("words", "passes"), [(49, False), (50, True), (175, True), (176, False)])
def test_length_is_counted_in_words_read_aloud(words, passes):
    text = " ".join(f"clue{number}" for number in range(words)) + ' (*) ("PROH-nun-see")'
    assert checked(text)["length"].passed is passes


@pytest.mark.parametrize(
    ("line", "page", "text"),
    [
        ("Johannes Brahms", "Johannes_Brahms", "A friend of Johannes Brahms wrote it."),
        ("Johannes Brahms", "Johannes_Brahms", "Haydn's theme pleased Brahms's publisher."),
        ("_Brahms_", None, "Haydn's theme pleased Brahms."),
        ("sphere", None, "The Banach–Tarski paradox is about two spheres."),
        ("conic sections", None, "An ellipse is a conic section."),
        ("theories", None, "This theory is one."),
        ("Kraków [or Cracow; prompt on Poland]", None, "A free city was made of Cracow."),
        ("Sense and Sensibility", None, "Elinor stands for the first half of Sense and Sensibility."),
        ("The Rape of the Lock", None, "In “The Rape of the Lock,” sylphs guard a curl."),
        ("War[s] of the Roses", None, "The War of the Roses ended there."),
        ("Us", None, "Jordan Peele followed Get Out with Us, a film about doubles."),
        ("copper", "Copper", "The ancients got copper from Cyprus."),
        ("Emma (novel)", "Emma_(novel)", "Clueless is based on Emma."),
    ],
)
def test_a_said_answer_is_found(line, page, text):
    found = checked(text, line, page)["leak"]
    assert not found.passed
    assert "in the text, at word" in found.finding


@pytest.mark.parametrize(
    ("line", "page", "text"),
    [
        ("Johannes Brahms", "Johannes_Brahms", "Clara Schumann and Joachim were this composer's friends."),
        ("Us", None, "The film tells us of doubles. It was the director's second."),
        ("It", None, "It has a clown in it."),
        ("The Who", None, "A band who smashed guitars."),
        ("Time", None, "For the first time in this magazine, a machine was man of the year."),
        ("Hudson River", None, "Another river, the Delaware River, runs south."),
        ("Santiago, Chile", None, "Name this capital of Chile."),
        ("copper [accept Cu before mention]", "Copper", "Its symbol is Cu."),
        ("Denali [accept Mount McKinley until read]", None, "It was Mount McKinley before."),
        ("Kraków [or Cracow; prompt on Poland]", None, "The largest city in southern Poland."),
        ("oil", None, "Boiling and toil turmoil."),
        ("ant", None, "Elephants and antics."),
        ("Mercury (planet)", "Mercury_(planet)", "This planet is the smallest."),
    ],
)
def test_an_answer_that_is_not_said_is_not_found(line, page, text):
    assert checked(text, line, page)["leak"].passed


def test_an_answer_line_has_all_it_accepts_and_nothing_else():
    line = (
        "Kraków [or _Cracow_ or Krakau; accept Free City of Cracow until “city”; prompt on Poland; do not "
        "accept or prompt on “Warsaw”; accept equivalents] (The first clue is about its dragon.)"
    )
    assert answer_names(Answer(line, Page("Kraków_(city)"))) == ("Kraków", "Cracow", "Krakau")


@pytest.mark.parametrize(
    "text",
    [
        "Scunthorpe and Penistone are towns.",
        "The titmouse, the booby and the great tit are birds.",
        "In The Rape of the Lock a curl is cut; the rape of the Sabine women is a painting.",
        "Moby-Dick, Dick Whittington, Cockermouth, William the Bastard, spiced wine and Matsushita.",
    ],
)
def test_harmless_words_are_not_vulgar(text):
    assert checked(text)["vulgar"].passed


@pytest.mark.parametrize("word", ["fuck", "FUCKING", "bullshit", "“shit,”", "cunts", "Fúck"])
def test_vulgar_words_are_named(word):
    found = checked(f"This man said {word} to them.")["vulgar"]
    assert not found.passed
    assert word.strip("“”,") in found.finding


@pytest.mark.parametrize(
    "text",
    [
        "asdf",
        "test test",
        "Lorem ipsum dolor sit amet",
        "asdfghjkl asdf",
        "a b a b a b a b a b",
        "TODO",
        "why???",
    ],
)
def test_test_strings_are_found(text):
    assert not checked(text)["filler"].passed


@pytest.mark.parametrize(
    "text",
    [
        "The Turing test tests machines.",
        "Todo cambia, sang Mercedes Sosa.",
        "“Sing Sing Sing” is by Louis Prima.",
    ],
)
def test_real_text_is_no_test_string(text):
    assert checked(text)["filler"].passed


def test_an_override_refers_to_a_check_by_name():
    assert {one.name for one in check(Tossup(""))} == set(check_titles())


# -- repeats


def test_the_same_words_are_found_whatever_moderators_hear():
    again = LONG.replace("10 points", "ten points").replace("; ", " ").upper() + " (*)"
    found = checked(again, in_set=DuplicateFinder([OtherTossup("other", "Madama Butterfly", LONG)]))["set"]
    assert not found.passed
    assert found.finding == "The same words are in this set: Madama Butterfly."


def test_a_reworded_tossup_is_near_and_another_about_the_same_is_not():
    past = DuplicateFinder([OtherTossup("other", "2016 Regionals, packet 3", LONG)])
    reworded = LONG.replace("fine", "lovely").replace("garden", "yard").replace("foreign", "strange")
    found = checked(reworded, past=past)["past"]
    assert not found.passed
    assert "2016 Regionals" in found.finding
    other = (
        "One character in this work waits all night for a ship, the Abraham Lincoln, and blindfolds her son. "
        "Sharpless reads her a letter. For 10 points, name this opera by Giacomo Puccini about Cio-Cio-San."
    )
    assert checked(other, past=past)["past"].passed


def test_numbers_in_words_and_digits_are_alike():
    assert compared_words("Ten of twenty-one, and ninety") == compared_words("10 of 21 and 90")
    assert compared_words("Twenty") == ("20",)
    assert compared_words("one hundred five") == ("1", "hundred", "5")


def test_a_tossup_is_not_its_own_repeat():
    assert checked(LONG, in_set=DuplicateFinder([OtherTossup("here", "itself", LONG)]))["set"].passed


def test_what_was_not_looked_at_has_not_passed():
    assert failed(LONG, in_set=None, past=None, pages=None) == ["page", "set", "past"]


def test_repeats_come_in_groups():
    shorter = LONG.split(". For 10 points")[0]
    repeats = DuplicateFinder(
        [
            OtherTossup("a", "A", LONG),
            OtherTossup("x", "X", "Something else altogether, of some length, said once."),
            OtherTossup("b", "B", shorter), OtherTossup("c", "C", LONG.replace("10", "ten")),
            OtherTossup("e", "E", ""),
            OtherTossup("f", "F", ""),
        ]
    )  # fmt: skip
    assert repeats.groups() == (("a", "b", "c"),)


@given(st.data())
def test_every_eighth_word_changed_is_still_near(data):
    words = LONG.split()
    first = data.draw(st.integers(0, 7))
    for at in range(first, len(words), 8):
        words[at] = data.draw(st.sampled_from(["other", "quite", "such", "many"]))
    found = DuplicateFinder([OtherTossup("a", "A", LONG)]).of(" ".join(words))
    assert found
    assert found[0].share >= DUPLICATE_THRESHOLD


def test_published_tossups_mostly_pass(shared_data):
    """Editors let them pass, so a check that stops many of them is wrong."""
    with (shared_data / "tossups_sample.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    everyone = DuplicateFinder(OtherTossup(row["id"], row["answer_main"], row["text"]) for row in rows)
    stopped = dict.fromkeys(check_titles(), 0)
    for row in rows:
        tossup = Tossup(row["text"], Answer(row["answer"], Page(row["page"] or "Some_page")))
        for one in check(tossup, row["id"], in_set=everyone, past=DuplicateFinder()):
            stopped[one.name] += not one.passed
    assert stopped["length"] <= 10
    assert stopped["leak"] <= 8
    assert stopped["vulgar"] <= 2
    assert not stopped["filler"]
    assert not stopped["set"]


def test_resubmissions_are_found_among_published_tossups(shared_data):
    rng = random.Random(7)
    with (shared_data / "tossups_sample.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    everyone = DuplicateFinder(OtherTossup(row["id"], row["answer_main"], row["text"]) for row in rows)
    for row in rows[:50]:
        words = row["text"].split()
        for at in rng.sample(range(len(words)), len(words) // 12):
            words[at] = rng.choice(["one", "various", "noted", "which"])
        found = everyone.of(" ".join(words))
        assert [one.other.key for one in found] == [row["id"]]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("The Woman Warrior", {"The Woman Warrior"}),
        ("Theodor Adorno", {"Theodor Adorno"}),
        ("Twelfth Night, or What You Will", {"Twelfth Night", "What You Will"}),
        ("Bell [or  the bell; accept: gong]", {"Bell", "the bell", "gong"}),
    ],
)
def test_or_is_a_word_between_names_and_no_part_of_one(line, names):
    assert set(answer_names(Answer(line))) == names


def test_of_a_word_without_end_its_beginning_counts_and_of_a_name_its_first_words():
    long = "a" * 20_000
    assert compared_words(long) == ("a" * 100,)
    said = "This is " + " ".join(["gong", "bell"] * 100) + "."
    (leak,) = [one for one in check(Tossup(said, Answer("gong bell " * 50))) if one.name == "leak"]
    assert not leak.passed
