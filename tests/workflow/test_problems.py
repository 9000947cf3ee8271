"""The rules: each finds what it is for and leaves its namesakes alone, and a fix leaves nothing to find."""

from __future__ import annotations

import json
import lzma
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.history import Edit
from quizwriter.domain.page import Page
from quizwriter.domain.pronunciation import UsedGuide
from quizwriter.domain.span import Span
from quizwriter.domain.style_sheet import PointsPhrase, Powers, Spelling, StyleSheet
from quizwriter.domain.styles import TextStyles
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.near_duplicates import DuplicateFinder, OtherTossup
from quizwriter.workflow.problems.rule import Inspection
from quizwriter.workflow.problems.rules import MOST_PROBLEMS, RULES, find_problems
from tests.helpers.made_plays import led_by
from tests.helpers.processor_time import seconds

SHOWN = [rule for rule in RULES.values() if rule.wrong]


def tossup_of(example: str) -> Tossup:
    text, found, line = example.partition(" ANSWER: ")
    return Tossup(text, Answer(line) if found else None)


def found(rule: str, text: str | Tossup, **known):
    tossup = tossup_of(text) if isinstance(text, str) else text
    return find_problems(Inspection(tossup, **known), only=[rule])


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.name)
def test_a_rule_finds_its_wrong_example_and_not_its_right_one(rule):
    problems = found(rule.name, rule.wrong)
    assert problems
    for one in problems:
        assert one.sentence.strip().endswith((".", "…", "”."))
        assert one.words == one.span.of(tossup_of(rule.wrong).text)
    assert found(rule.name, rule.right) == ()


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.name)
def test_fixes_leave_nothing_to_fix(rule):
    text = tossup_of(rule.wrong).text
    for one in reversed(found(rule.name, rule.wrong)):
        if one.fix is not None:
            text = Edit(one.span.start, one.words, one.fix).apply(text)
    assert [one for one in found(rule.name, text) if one.fix is not None] == []


def test_names_and_titles_are_told_apart():
    assert len({rule.title for rule in RULES.values()}) == len(RULES)


FIXES = [
    ("double_space", "a king  of eels", "a king of eels"),
    ("space_before_punct", "a king , of eels .", "a king, of eels."),
    ("space_before_punct", "a king ( of eels)", "a king (of eels)"),
    ("comma_no_space", "a king,and a queen.They fled;all", "a king, and a queen. They fled; all"),
    ("comma_no_space", "He drowned.A king of 1911.In “eels.”A cod:small.",
     "He drowned. A king of 1911. In “eels.” A cod: small."),
    ("double_space", "a king\t\tof\teels", "a king of eels"),
    ("quote_punct", "the “eel”, the \"cod\".", "the “eel,” the \"cod.\""),
    ("mixed_quotes", 'the “eel” and “cod” and "ray"', "the “eel” and “cod” and “ray”"),
    ("ellipsis", "and then . . . nothing.. at all....", "and then … nothing. at all…."),
    ("double_hyphen", "a king -- of eels - swam", "a king—of eels—swam"),
    ("number_range", "in 1914-18 on pages 3-17", "in 1914–18 on pages 3–17"),
    ("ampersand", "salt & pepper", "salt and pepper"),
    ("repeated_word", "the king of of eels", "the king of eels"),
    ("contractions", "He can't swim, and it’s been cold.", "He cannot swim, and it has been cold."),
    ("contractions", "They're eels that won't bite.", "They are eels that will not bite."),
    ("contractions", "It's not known who he's.", "It is not known who he is."),
    ("contractions", "Where's he? He could've swum.", "Where is he? He could have swum."),
    ("fps", "He swam. for 10 points, name him.", "He swam. For 10 points, name him."),
    ("pg_span", "the (pronounced VROTS-wahf) “eel”", "the (“VROTS-wahf”) “eel”"),
    ("numerals", "For ten points, name it.", "For 10 points, name it."),
    ("fps", "This king sold eels. Name this king.", "This king sold eels. For 10 points, name this king."),
    ("fps", "He sold eels. FTP, name this king.", "He sold eels. For 10 points, name this king."),
    ("fps", "This king sold eels. For 15 points, name him.", "This king sold eels. For 10 points, name him."),
    ("fps", "This king sold eels. For 10points, name him.", "This king sold eels. For 10 points, name him."),
    ("fps", "In it are sold, for10  points, what?", "In it are sold, for 10 points, what?"),
    ("fps", "This king sold eels. For 10 point, name him.", "This king sold eels. For 10 points, name him."),
    ("fps", "This king sold eels. For 10 points name him.", "This king sold eels. For 10 points, name him."),
    ("power", "This king sold eels(*) and much later and elsewhere cod.",
     "This king sold eels (*) and much later and elsewhere cod."),
    ("pg_span", "He died in Wroclaw (VROTS-wahf) of “eels.”", "He died in Wroclaw (“VROTS-wahf”) of “eels.”"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "before", "after"), FIXES)
def test_a_fix_writes_what_was_meant(rule, before, after):
    text = before
    for one in reversed(found(rule, before)):
        assert one.fix is not None
        text = Edit(one.span.start, one.words, one.fix).apply(text)
    assert text == after


SOUND = [
    ("space_before_punct", "He ran .5 miles … and (*) won."),
    ("comma_no_space", "1,200 eels, “cod,” N,N-eels, and a.m. trains."),
    ("quote_punct", "the “eel?”, the “cod”: a “ray” in 5\"."),
    ("ellipsis", "the U.S. and … eels."),
    ("double_hyphen", "a well-known x - y plane"),
    ("number_range", "on 9-11 he won 6-4 and flew an F-16 with a 2-0 lead"),
    ("repeated_word", "He had had eels in Walla Walla that that king sold."),
    ("repeated_word", "in “eels.” In spring he sang “no no no.”"),
    ("contractions", "The king’s eels said “don’t.” It was a 5 o'clock tea at Marsh's."),
    ("comma_no_space", "The Ph.D. of 3:30 in the U.S.A. and a 2:1 ratio A:B."),
    ("vague_this", "He did this trick, and does this every-day thing."),
    ("vague_this", "This is-ought gap, by this means, “this is it,” this king."),
    ("one_of", "One of these men and one of his eels swam."),
    ("imprecise_from", "He was exiled from this country and fled from this city."),
    ("vague_this", "This one-time king sold eels, by this means."),
    ("torn_hyphen", "both pre- and post-war kings"),
    ("torn_hyphen", "salts are cis- when cold, and trans- while hot"),
    ("contractions", "It's not an eel, but this fish is eaten. He isn’t a king but sells it."),
    ("vague_this", "Name this one step recipe. For 10 points, this is what fish?"),
    ("subjective", "His beloved drowned, and the beautiful is sold with eels, beloved by kings."),
    ("subjective", "In it, the sublime and beautiful are eels, more beautiful than Anna’s beloved eel."),
    ("pronoun_first", "It isn't a cod, but this fish is eaten."),
    ("imperative", "Eels were sold by, for 10 points, what king."),
    ("imperative", "Eels were sold by, for 10 points, what king?"),
    ("contractions", "The eels swam on King William I's birthday."),
    ("pronoun_first", "It’s not a cod, but this fish is eaten."),
    ("pronoun_first", "“He Ate Eels” is a song about this king, who liked his eels."),
    ("no_type", "An eel. For 10 points, what king ate it?"),
    ("fps", "For this king, eels matter. This king, for 10 points, is whom?"),
    ("fps", "Eels are sold here. In a bay of eels lies—for 10 points—what island?"),
    ("pg_span", "the US-led (pre-war) king (1810–1850) of Wroclaw (\"VROTS-wahf\")"),
    ("unbalanced_quotes", "He’s 5\" tall, and it’s ‘fine.’"),
    ("unbalanced_parens", "either a) eels or b) cod on (0, 1]"),
    ("subjective", "“A famous eel” by the poet."),
    ("imperative", "He asks “why?” For 10 points, name this king."),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text"), SOUND)
def test_what_only_looks_like_a_problem_is_none(rule, text):
    assert found(rule, text) == ()


ODD = [
    ("late_identifier", "Eels, " + "which swam and " * 9 + "slept, loved this king.", "this king"),
    ("imperative", "He sold eels. For 10 points, this king of eels.", "For 10 points, this king of eels."),
    ("no_type", "He sold eels. For 10 points, name him.", "For 10 points, name him."),
    ("one_of", "He swam in one of his ponds.", "in one of his"),
    ("vague_this", "This also helped him.", "This also"),
    ("contractions", "It's considered good.", "It's"),
    ("contractions", "It's third bank has eels.", "It's"),
    ("contractions", "A king who’s eels swam.", "who’s"),
    ("vague_this", "An eel like this one swims.", "this one"),
    ("vague_this", "In spring this one swims.", "this one"),
    ("vague_this", "This is what led to it. For 10 points, name it.", "This is"),
    ("subjective", "He caught the beloved eel.", "beloved"),
    ("torn_hyphen", "It has coun- tries.", "- "),
    ("vague_this", "He did this in a pond.", "did this"),
    ("imprecise_from", "A poet from this modern-day country.", "from this modern-day country"),
]


@pytest.mark.parametrize(("rule", "text", "words"), ODD)
def test_a_problem_without_a_sure_fix_is_told_with_its_words(rule, text, words):
    assert [(one.words, one.fix) for one in found(rule, text)] == [(words, None)]


LEAKS = [
    ("The eel king Knut drowned.", "Knut", ["Knut"]),
    ("The eel king Canute drowned.", "Cnut [or Canute the Great; accept Canute]", ["Canute"]),
    ("It pollinates eels.", "pollination", ["pollinates"]),
    ("A battle at Hastings was lost.", "Battle of Hastings", ["Hastings"]),
    ("The poet Reedmarsh wrote of Titicaca.", "Lake Titicaca", ["Titicaca"]),
    ("The eels of Reedmarsh ate.", "Anna Reedmarsh", ["Reedmarsh"]),
    ("He wrote ANSWER: eels.", "Knut", ["ANSWER:"]),
    ("Light makes photosynthetic eels.", "photosynthesis", ["photosynthetic"]),
    ("Democratic eels vote.", "<b><u>democracy</u></b>", ["Democratic"]),
    ("A Mexican eel met a french one.", "Mexico", ["Mexican"]),
    ("A French eel swam.", "the <b><u>French Republic</u></b> [or <b><u>France</u></b>]", ["French"]),
    ("A Danish eel swam.", "Anna Dane", []),
    ("Anna Other met him, and thomas did not.", "Thomas More", []),
    ("The eels of the king are named.", "Book of Exodus [or Names]", []),
]


@pytest.mark.parametrize(("text", "line", "words"), LEAKS)
def test_the_answer_is_found_whole_by_its_alternatives_by_its_stem_and_by_its_part(text, line, words):
    assert [one.words for one in found("leak", Tossup(text, Answer(line)))] == words


@pytest.mark.parametrize(("count", "times"), [(2, "twice"), (4, "4 times")])
def test_the_phrase_before_the_last_clue_is_counted(count, times):
    told = [one.sentence for one in found("fps", " ".join(["For 10 points, name this king."] * count))]
    assert told.count(f"“for 10 points” is in the text {times}.") == count - 1


def test_of_one_rule_so_many_problems_are_told_and_no_more():
    told = found("repeated_word", "the the lake. " * (MOST_PROBLEMS + 10))
    assert len(told) == MOST_PROBLEMS
    assert told[-1].span.start < len("the the lake. " * MOST_PROBLEMS)  # those that come first


def test_a_style_sheet_changes_what_is_a_problem():
    text = "The grey king sold eels. For ten points, name this king."
    names = {one.rule for one in find_problems(Inspection(Tossup(text)))}
    assert {"numerals", "length"} <= names
    sheet = StyleSheet(("fps",), 5, 20, 6, Spelling.AMERICAN, PointsPhrase.WORDS, Powers.EXPECTED)
    problems = find_problems(Inspection(Tossup(text), sheet=sheet))
    by_rule = {one.rule: one for one in problems}
    assert "numerals" not in by_rule
    assert "length" not in by_rule
    assert (by_rule["spelling_variant"].words, by_rule["spelling_variant"].fix) == ("grey", "gray")
    assert by_rule["power"].words == ""
    british = StyleSheet(spelling=Spelling.BRITISH)
    assert [one.fix for one in found("spelling_variant", "The gray colors.", sheet=british)] == [
        "grey",
        "colours",
    ]
    off = StyleSheet(changed=("numerals",))
    assert "numerals" not in {one.rule for one in find_problems(Inspection(Tossup(text), sheet=off))}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("One two. For 10 points, name (*) this.", "after “for 10 points”"),
        ("One (*) " + "two " * 20 + "For 10 points, name this.", "after 1 word,"),
        ("One two three (*) four five (*) six. For 10 points, name this.", "already"),
        ("One two three four. " * 10 + "(*)", "at the end"),
    ],
)
def test_a_power_mark_out_of_place_is_told(text, problem):
    assert any(problem in one.sentence for one in found("power", text))


def test_a_power_mark_is_missing_where_the_others_have_one():
    assert found("power", "No mark here.") == ()
    assert [one.sentence for one in found("power", "No mark here.", powers_usual=True)] == [
        "The power mark (*) is missing."
    ]
    none = StyleSheet(powers=Powers.NONE)
    assert [one.fix for one in found("power", "A (*) mark.", sheet=none)] == [""]


def test_a_giveaway_that_nobody_gets_is_told_and_who_cannot_know_it_does_not_count():
    text = "One two three. For 10 points, name it."
    lost, got = ["Cod"] * 8, ["Cod"] * 7 + ["Eel"]
    tossup = Tossup(text, Answer("Eel", Page("Eel")))

    def told(*plays):
        return [one.words for one in found("giveaway", tossup, plays=plays)]

    assert told() == []
    assert told(led_by(lost, "ir", text)) == ["For 10 points, name it."]
    assert told(led_by(lost, "ir", text), led_by(got, "dan", text)) == []
    assert told(led_by(lost, "ir", text, knows=False)) == []


def test_an_early_clue_with_which_two_players_buzz_wrong_is_told():
    text = "One two three four. Five six seven eight."
    tossup = Tossup(text, Answer("Eel", Page("Eel")))
    plays = tuple(led_by(["Cod"] * 8, name, text, buzz=3) for name in ("ir", "dan"))
    assert [one.words for one in found("swerve", tossup, plays=plays)] == ["One two three four."]
    assert found("swerve", tossup, plays=plays[:1]) == ()


def test_an_answer_line_that_cannot_be_read_is_told_with_the_place():
    line = "Knut [flurb the great]"
    (problem,) = found("answer_format", Tossup("This king.", Answer(line)))
    assert (problem.words, problem.in_answer) == ("flurb the great", True)
    assert found("answer_format", Tossup("This king.", Answer("Knut [or Cnut; prompt on king]"))) == ()


def test_required_words_are_missed_only_where_a_set_wants_them():
    plain, marked = (Tossup("This king.", Answer(line)) for line in ("Knut", "<b><u>Knut</u></b>"))
    assert "underline" not in {one.rule for one in find_problems(Inspection(plain))}
    sheet = StyleSheet(changed=("underline",))
    assert "underline" in {one.rule for one in find_problems(Inspection(plain, sheet=sheet))}
    assert "underline" not in {one.rule for one in find_problems(Inspection(marked, sheet=sheet))}
    beside = TextStyles.of_codes(b"\3" * len(plain.answer.line))  # bold and underlined beside the line
    styled = Inspection(plain, sheet=sheet, answer_styles=beside)
    assert "underline" not in {one.rule for one in find_problems(styled)}


def test_a_tossup_that_repeats_one_of_its_set_is_told():
    text = "A king of eels was crowned in a barn beside a river of mud and later drowned there alone."
    others = DuplicateFinder([OtherTossup("a", "Knut", text), OtherTossup("b", "Cnut", text)])
    (problem,) = found("set", Tossup(text), key="a", in_set=others)
    assert problem.of_whole
    assert "Cnut" in problem.sentence
    assert found("set", Tossup(text), key="a") == ()


@given(st.text(max_size=60), st.text(max_size=12))
def test_any_text_at_all_has_problems_with_the_words_that_stand_there(text, line):
    for one in find_problems(Inspection(Tossup(text, Answer(line) if line else None))):
        assert one.words == one.span.of(line if one.in_answer else text)
        assert 0 <= one.span.start <= one.span.end


@pytest.mark.parametrize(
    "piece", ["“", '"', "(", "a,b ", "the the ", "One of ", "for 10 points ", "(*)", "this. "]
)
def test_a_long_hostile_text_takes_linear_time_and_a_bounded_list(piece):
    """100,000 characters take a second at most, where a quadratic rule takes minutes."""
    text = piece * (100_000 // len(piece))

    def find():
        assert len(find_problems(Inspection(Tossup(text, Answer("Eel"))))) <= 50 * len(RULES)

    assert seconds(find, 10) < 10


def test_published_tossups_of_good_tournaments_have_few_problems(shared_data):
    """2,000 are measured by ``quizwriter bench --desk``; a part of them keeps the figure honest here."""
    with (shared_data / "sets.jsonl").open(encoding="utf-8") as file:
        standard = {one["name"] for one in map(json.loads, file) if one["standard"]}
    with lzma.open(shared_data / "tossups.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line, _ in zip(file, range(20_000), strict=False)]
    good = [row for row in rows if (row.get("difficulty") or 0) >= 7 and row.get("tournament") in standard]
    drawn = random.Random(16).sample(good, 300)
    problems = [
        one for row in drawn for one in find_problems(Inspection(Tossup(row["text"], Answer(row["answer"]))))
    ]
    assert len(problems) / len(drawn) < 1.5


def test_the_span_of_the_whole_is_empty():
    (problem,) = found("length", "Short.")
    assert (problem.span, problem.words, problem.of_whole) == (Span(0, 0), "", True)


class Book:
    """The guides of two names."""

    def expected(self, name):
        """The guide of ``name``."""
        said = {"Łódkowo": "wood-KO-vo", "Ilse Brandt": "IL-zuh BRAHNT", "Brandt": "brahnt"}.get(
            name.removesuffix("’s")
        )
        return UsedGuide(name, said, 5) if said else None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A mill in Łódkowo’s park.", [("Łódkowo’s", "Łódkowo’s (“wood-KO-vo”)")]),
        ("It met Ilse Brandt by “Łódkowo.”", [
            ("Ilse Brandt", "Ilse Brandt (“IL-zuh BRAHNT”)"), ("Łódkowo.”", "Łódkowo.” (“wood-KO-vo”)"),
        ]),
        ("Łódkowo (“wood-KO-vo”) and Łódkowo again.", []),
        ("Ilse Brandt (“IL-zuh BRAHNT”) sang; Brandt slept.", []),
        ("Łódkowo and Łódkowo.", [("Łódkowo", "Łódkowo (“wood-KO-vo”)")]),
        ("A mill in Eelsby.", []),
    ],
)  # fmt: skip
def test_a_name_that_past_questions_have_with_a_guide_is_told_once(text, found):
    marks = find_problems(Inspection(Tossup(text), guides=Book()), only=["pronunciation"])
    assert [(one.words, one.fix) for one in marks] == found
    for one in marks:
        after = text[: one.span.start] + one.fix + text[one.span.end :]
        left = find_problems(Inspection(Tossup(after), guides=Book()), only=["pronunciation"])
        assert len(left) == len(marks) - 1


def test_without_past_questions_no_guide_is_missed():
    assert not find_problems(Inspection(Tossup("A mill in Łódkowo.")), only=["pronunciation"])


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("_Eelsby_ Abbey", "“Vadsbru Priory”"),
        ("_Eelsby_ [or _Vadsbru Priory_]", ""),
        ("_Eelsby_ [or _Vadsbru Priories_]", "“Vadsbru Priory”"),
        ("_Eelsby_ [or the _Vadsbru Priorys_]", ""),  # one and many are judged alike
        ("_Eelsby_ [prompt on _Vadsbru_]", ""),  # it is judged, in whatever way
        ("_Eelsby_ [do not accept “Vadsbru Priory”]", ""),
    ],
)
def test_names_that_most_past_lines_accept_are_missed_in_the_answer_line(line, missing):
    tossup = Tossup("This abbey has eels.", Answer(line))
    usual = ("Eelsby", "Vadsbru Priory")
    marks = find_problems(Inspection(tossup, usual_names=usual), only=["answer_alts"])
    told = [f"Most past answer lines also accept {missing}."] if missing else []
    assert [one.sentence for one in marks] == told
    assert all(one.in_answer for one in marks)
    assert not find_problems(Inspection(tossup), only=["answer_alts"])
