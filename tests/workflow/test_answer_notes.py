"""What an answer line misses, how it is mended, and what is said of how often it was asked."""

import pytest

from quizwriter.domain.answer_line import Directive, read_answer_line
from quizwriter.domain.past_questions import PastAnswerLine, TimesAsked
from quizwriter.domain.styles import LetterStyle, StyledSpan, TextStyles
from quizwriter.judging import judge
from quizwriter.judging.judge import Verdict
from quizwriter.workflow.answer_notes import (
    about_answer,
    line_problems,
    lines_sentence,
    most_accepted,
    with_name,
)
from tests.helpers.steps import steps_of


def mended(line):
    """``line`` after all that can be mended is mended, as with one key again and again."""
    for _ in range(20):
        fix = next((problem.fix for problem in line_problems(line) if problem.fix is not None), None)
        if fix is None:
            return line
        line = fix.applied(line)
    raise AssertionError(f"{line} is never mended")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  ",
        "*_Brahms_*",
        "Johannes *_Brahms_*",
        "Johannes <b><u>Brahms</u></b>",
        "*_Lake Baikal_* [or *_Baikal_*; prompt on the lake; do not accept “Lake Ladoga”]",
        "*_Lake Baikal_* [accept any answer that mentions the deepest lake]",
    ],
)
def test_nothing_is_said_of_a_line_that_misses_nothing(line):
    assert line_problems(line) == ()


@pytest.mark.parametrize(
    ("line", "sentence", "place"),
    [
        ("Lake Baikal", "No required words.", "Lake Baikal"),
        ("*_Baikal_* [Lake Baikal]", "“Accept” is missing before “Lake Baikal”.", "Lake Baikal"),
        (
            "*_Baikal_* [accept *_Nerpa_*; the *_seal_*]",
            "“Accept” is missing before “the *_seal_*”.",
            "the *_seal_*",
        ),
        ("*_Baikal_* [or Lake]", "“Lake” has no required words.", "Lake"),
        ("*_Baikal_* [or *_Lake_*", "The bracket [ is not closed.", "["),
    ],
)
def test_what_a_line_misses_is_said_with_its_place(line, sentence, place):
    first = line_problems(line)[0]

    assert first.sentence == sentence
    assert first.span.of(line) == place


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("Johannes Brahms", "Johannes *_Brahms_*"),
        ("Martin Luther King Jr.", "Martin Luther *_King_* Jr."),
        ("the Battle of Hastings", "the *_Battle of Hastings_*"),
        ("sodium", "*_sodium_*"),
        ("Lake *_Baikal_* [Nerpa; prompt on lake", "Lake *_Baikal_* [accept *_Nerpa_*; prompt on lake]"),
        ("*_A𝄞b_* [or C𝄞d; e]", "*_A𝄞b_* [or *_C𝄞d_*; accept *_e_*]"),
    ],
)
def test_what_can_be_mended_is_mended_step_by_step(line, whole):
    assert mended(line) == whole
    assert line_problems(whole) == ()


def test_brackets_that_read_as_a_note_are_mended():
    line = "*_Baikal_* [Lake; accept *_Nerpa_*; prompt on *_seal_* until it is read]"

    assert "accept *_Nerpa_*" in mended(line)
    assert "Lake" in {name.text for clause in read_answer_line(mended(line)).clauses for name in clause.names}


def test_styles_mark_required_words_as_markup_does():
    line = "Johannes Brahms [or 𝄞 Johannes; J. B.]"
    styles = TextStyles.of(
        [
            StyledSpan(9, 15, (LetterStyle.BOLD, LetterStyle.UNDERLINE)),
            StyledSpan(20, 22, (LetterStyle.ITALIC,)),
        ],
        38,
    )
    problems = line_problems(line, styles)

    assert [problem.sentence for problem in problems] == [
        "“Accept” is missing before “J. B”.",
        "“𝄞 Johannes” has no required words.",
        "“J. B” has no required words.",
    ]
    assert problems[0].fix.applied(line) == "Johannes Brahms [or 𝄞 Johannes; accept J. B.]"
    assert [problem.span.of(line) for problem in problems] == ["J. B", "𝄞 Johannes", "J. B"]
    assert line_problems("Brahms", TextStyles(bytes([5] * 6))) == ()


def test_problems_are_told_in_the_order_of_their_places():
    places = [one.span.start for one in line_problems("A [B; prompt on C; D (E")[:-1]]

    assert places == sorted(places)
    assert len(places) > 1


@pytest.mark.parametrize("unit", ["[", "[a;", "*_", "a", "; accept", "(or ;", "; or ", ";]", "] AND "])
def test_a_hostile_line_is_looked_at_in_linear_time(unit):
    def steps(letters):
        line = ("Emma [" + unit * letters)[:letters]
        read_answer_line.cache_clear()
        return steps_of(lambda: (line_problems(line), judge(line, "Jane Austen")))

    assert steps(6_000) < 3 * steps(3_000) + 20_000


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (None, ""),
        (TimesAsked(), "No past question has this answer."),
        (TimesAsked(tossups=1), "Asked in 1 tossup."),
        (TimesAsked(bonus_parts=2), "Asked in 2 bonus parts."),
        (
            TimesAsked(tossups=100, bonus_parts=40, first=1998, last=2024),
            "Asked in 100 tossups and 40 bonus parts, first 1998, last 2024.",
        ),
        (TimesAsked(tossups=3), "Asked in 3 tossups."),
    ],
)
def test_how_often_an_answer_was_asked(times, said):
    assert about_answer("", times, 0) == said


@pytest.mark.parametrize("asked", range(12))
def test_how_often_an_answer_was_asked_says_nothing_of_who_knows_it(asked):
    said = about_answer("", TimesAsked(tossups=asked, last=2026 if asked else None), 0).casefold()

    assert not {"few", "known", "know", "players", "famous"} & set(said.replace(".", " ").split())


def test_what_needs_attention_is_said_first():
    said = about_answer("John F. Kennedy", TimesAsked(tossups=140), 1)

    assert said == (
        "Also the answer of 1 other tossup of this set. Players know it as John F. Kennedy. Asked in 140 "
        "tossups."
    )


LINES = (
    PastAnswerLine("Madama Butterfly [or Cio-Cio-San]", 8, 2024),
    PastAnswerLine("Madame Butterfly (accept Cio-Cio San or Madama Butterfly)", 2, 2001),
    PastAnswerLine("Madama Butterfly", 4, 2010),
)


def test_what_past_answer_lines_have_in_common():
    assert lines_sentence(LINES, "Madama Butterfly") == "14 past answer lines; most accept Cio-Cio-San."
    assert lines_sentence(LINES[2:], "Madama Butterfly") == "4 past answer lines."
    assert lines_sentence((), "Madama Butterfly") == ""


def test_most_is_more_than_half_and_never_the_own_name():
    assert most_accepted(LINES[1:], "Madama Butterfly") == ""
    assert most_accepted(LINES, "Cio-Cio-San") == "Madama Butterfly"


@pytest.mark.parametrize(
    "line", ["<u>Ulysses</u>", "<u>Ulysses</u> [accept <u>Odysseus</u>; prompt on Homer]"]
)
@pytest.mark.parametrize("name", ["The Iliad", "Iliad]; accept <b>all</b>"])
@pytest.mark.parametrize("directive", [Directive.ACCEPT, Directive.PROMPT, Directive.REJECT])
def test_an_answer_that_is_written_into_a_line_is_judged_so(line, name, directive):
    whole = with_name(line, directive, name)
    bare = name.replace("]; accept <b>all</b>", " accept b all /b")
    assert judge(whole, bare).verdict.value == directive.value
    assert judge(whole, "Ulysses").verdict is Verdict.ACCEPT
    assert whole.count("[") == whole.count("]") == 1
