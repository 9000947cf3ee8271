"""Answer lines are read into clauses, and written back as they were."""

import json
import lzma
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.answer_line import (
    LONGEST_LINE,
    AnswerRule,
    Condition,
    Directive,
    PieceKind,
    begins_with_direction,
    read_answer_line,
)

MAIN, ACCEPT, PROMPT = Directive.MAIN, Directive.ACCEPT, Directive.PROMPT
ANTIPROMPT, REJECT = Directive.ANTIPROMPT, Directive.REJECT


def clauses(line: str) -> list[tuple[Directive, list[str]]]:
    """The clauses of a line: what each tells, and its names."""
    return [(one.directive, [name.text for name in one.names]) for one in read_answer_line(line).clauses]


def required(line: str) -> list[str]:
    """The required words of all main names."""
    return [word for name in read_answer_line(line).named(MAIN) for word in name.required_words]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Emily <b><u>Dickinson</u></b>", ["Dickinson"]),
        ("Emily *_Dickinson_*", ["Dickinson"]),
        ("Emily _Dickinson_", ["Dickinson"]),
        ("*_W_*orld *_T_*rade Organization", ["W", "T"]),
        ("the <u>working</u> class", ["working"]),
        ("<b>Peru</b>", ["Peru"]),
        ("Sagittarius A*", []),
        ("2 * 3 * 4", []),
        ("Tom &amp; <b><u>Jerry</u></b>", ["Jerry"]),
    ],
)
def test_the_required_words_are_those_that_the_markup_says(line, expected):
    assert required(line) == expected


def test_markup_is_no_part_of_a_name():
    assert read_answer_line("Tom &amp; <b><u>Jerry</u></b> [or <i>them</i>]").main == "Tom & Jerry"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Oslo [or Kristiania]", [(MAIN, ["Oslo"]), (ACCEPT, ["Kristiania"])]),
        ("Oslo (accept Kristiania or Ansloga)", [(MAIN, ["Oslo"]), (ACCEPT, ["Kristiania", "Ansloga"])]),
        ("Oslo {or Kristiania}", [(MAIN, ["Oslo"]), (ACCEPT, ["Kristiania"])]),
        ("Oslo; or a; prompt on b", [(MAIN, ["Oslo"]), (ACCEPT, ["a"]), (PROMPT, ["b"])]),
        ("Oslo [accept a, b, or c]", [(MAIN, ["Oslo"]), (ACCEPT, ["a", "b", "c"])]),
        ("Oslo [accept “a,” “b,” or “c”]", [(MAIN, ["Oslo"]), (ACCEPT, ["a", "b", "c"])]),
        ("Oslo [accept Paris, Texas]", [(MAIN, ["Oslo"]), (ACCEPT, ["Paris, Texas"])]),
        ("Oslo [do not accept or prompt on “a” or “b”]", [(MAIN, ["Oslo"]), (REJECT, ["a", "b"])]),
        ("Oslo [do NOT prompt or accept “Bergen”]", [(MAIN, ["Oslo"]), (REJECT, ["Bergen"])]),
        ("Oslo [reject “a”, prompt on b]", [(MAIN, ["Oslo"]), (REJECT, ["a"]), (PROMPT, ["b"])]),
        ("Oslo [accept a but do not accept b]", [(MAIN, ["Oslo"]), (ACCEPT, ["a"]), (REJECT, ["b"])]),
        ("Oslo [antiprompt on Frogner]", [(MAIN, ["Oslo"]), (ANTIPROMPT, ["Frogner"])]),
        ("Oslo [prompt on, but do not reveal, a]", [(MAIN, ["Oslo"]), (PROMPT, ["a"])]),
        ("Oslo or Kristiania [prompt on Norway]", [(MAIN, ["Oslo", "Kristiania"]), (PROMPT, ["Norway"])]),
        ("O [or a; prompt on c; d]", [(MAIN, ["O"]), (ACCEPT, ["a"]), (PROMPT, ["c"]), (PROMPT, ["d"])]),
        ("Oslo [accept “a;” prompt on b]", [(MAIN, ["Oslo"]), (ACCEPT, ["a"]), (PROMPT, ["b"])]),
        ("A [or a] AND B [or b]", [(MAIN, ["A"]), (ACCEPT, ["a"]), (MAIN, ["B"]), (ACCEPT, ["b"])]),
    ],
)  # fmt: skip
def test_the_clauses_of_a_line(line, expected):
    assert clauses(line) == expected
    assert not read_answer_line(line).unread


@pytest.mark.parametrize(
    ("line", "ask"),
    [
        ("a [prompt on b by asking “of what kind?”]", "of what kind?"),
        ('a [prompt on b with "which one?"]', "which one?"),
        ("a [prompt on b by asking, from “where to where?”]", "where to where?"),
        ("a [prompt on b by asking for the first name]", "for the first name"),
        ("a [anti-prompt (ask “can you be less specific?”) on b]", "can you be less specific?"),
    ],
)
def test_what_to_ask(line, ask):
    clause = read_answer_line(line).clauses[-1]
    assert clause.ask == ask
    assert [name.text for name in clause.names] == ["b"]


@pytest.mark.parametrize(
    ("words", "condition"),
    [
        ("b before mention", Condition("before", "")),
        ("b until it is read", Condition("until", "")),
        ("b until “cold” is read", Condition("until", "cold")),
        ("b before Todd is mentioned", Condition("before", "Todd")),
        ("b after “cold”", Condition("after", "cold")),
        ("b before end", Condition("before", "")),
        ("b before the very end", Condition("before", "")),
        ("b until the last line", Condition("until", "")),
        ("b before Todd", Condition("before", "Todd")),
        ("b before cold tea", Condition("before", "cold tea")),
    ],
)
def test_how_long_a_clause_holds(words, condition):
    clause = read_answer_line(f"a [accept {words}]").clauses[-1]
    assert clause.condition == condition
    assert [name.text for name in clause.names] == ["b"]


@pytest.mark.parametrize(
    "line",
    [
        "a [or kneeling before Todd]",  # "or" tells less than "accept"
        "a [accept kneeling before Todd]",
        "a [accept the tea before they left]",
        "a [accept b before the Senate]",
        "a [accept “b before end”]",
    ],
)
def test_a_name_with_before_in_it_is_whole(line):
    clause = read_answer_line(line).clauses[-1]
    assert clause.condition is None
    assert "before" in clause.names[0].text


def test_a_title_with_until_is_no_condition():
    assert clauses("Wim Wenders [accept “Until the End of the World”]")[-1] == (
        ACCEPT,
        ["Until the End of the World"],
    )


def test_a_prompt_after_the_condition_has_the_names_of_the_clause_before():
    *_, before, after = read_answer_line("a [accept b until “c” is read, but prompt after]").clauses
    assert (before.directive, after.directive) == (ACCEPT, PROMPT)
    assert before.names == after.names
    assert after.condition == Condition("after", "")


def test_words_in_place_of_others():
    clause = read_answer_line("cold war [accept “conflict” in place of “war”]").clauses[-1]
    assert ([name.text for name in clause.names], clause.instead_of) == (["conflict"], "war")


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("accept either", AnswerRule.EITHER),
        ("accept either underlined part", AnswerRule.EITHER),
        ("accept either name in either order", AnswerRule.EITHER),
        ("accept in either order", AnswerRule.ANY_ORDER),
        ("names in either order", AnswerRule.ANY_ORDER),
        ("prompt on partial answers", AnswerRule.PARTIAL),
        ("prompt on a partial answer", AnswerRule.PARTIAL),
        ("or word forms", AnswerRule.WORD_FORMS),
        ("accept clear equivalents", AnswerRule.EQUIVALENTS),
        ("both names required", AnswerRule.ALL_REQUIRED),
    ],
)
def test_rules_without_names(words, rule):
    line = read_answer_line(f"Ada Byron [{words}]")
    assert rule in line.clauses[-1].rules
    assert not line.clauses[-1].names
    assert not line.unread


def test_guides_notes_and_tags_are_no_part_of_the_answer():
    line = read_answer_line("Goya (“GOY-uh”) [or Francisco] (The first clue is about Saturn.) <AB, Art>")
    kinds = [piece.kind for piece in line.pieces]
    assert line.main == "Goya"
    assert {PieceKind.GUIDE, PieceKind.NOTE, PieceKind.TAG} <= set(kinds)


def test_words_in_parentheses_are_optional():
    (name,) = read_answer_line("Frédéric (François) <b><u>Chopin</u></b>").named(MAIN)
    assert [span.of(name.text) for span in name.optional] == ["François"]


@pytest.mark.parametrize(
    "line", ["∞ [or infinity]", "🦆 (accept infinity)", "% {or infinity}", "(0, 1] [or infinity]"]
)
def test_a_line_may_begin_with_a_sign(line):
    answer = read_answer_line(line)
    assert [name.text for name in answer.named(Directive.ACCEPT)] == ["infinity"]
    assert answer.unread == ()


@pytest.mark.parametrize(
    ("line", "words", "reason"),
    [
        ("Oslo [or Kristiania", "[", "the bracket is not closed"),
        ("Oslo [or Kristiania; prompt on]", "prompt on", "nothing follows “prompt”"),
        ("Oslo [or Kristiania]]", "]", "no bracket is opened before it"),
        ("Oslo or Kristiania}", "}", "no bracket is opened before it"),
        ("Oslo [Kristiania]", "Kristiania", "it says neither accept, prompt nor reject"),
    ],
)
def test_where_a_line_cannot_be_read_it_says_where_and_why(line, words, reason):
    (piece,) = read_answer_line(line).unread
    assert (piece.text.strip(), piece.reason) == (words, reason)
    assert line[piece.span.start : piece.span.end] == piece.text


SIGNS = [
    *"[](){}<>;,.“”\"*_~", "<b>", "</b>", "<u>", "</u>", "&amp;", "&lt;", "or", "accept", "prompt", "on",
    "do", "not", "reject", "until", "before", "is", "read", "by", "asking", "with", "either", "partial", "in",
    "place", "of", "such", "as", "like", "AND", "é", "1", "a", "Austen",
]  # fmt: skip


def tiles(line: str) -> None:
    found = read_answer_line(line)
    assert found.written == line
    assert all(one.span.end == two.span.start for one, two in pairwise(found.pieces))
    for clause in found.clauses:
        for name in clause.names:
            assert all(0 <= one.start < one.end <= len(name.text) for one in name.required)


@given(
    st.lists(
        st.sampled_from(SIGNS),
        max_size=40,
    ),
    st.sampled_from(["", " "]),
)
def test_every_line_is_written_back(words, between):
    tiles(between.join(words))


def test_a_line_that_is_too_long_says_so():
    line = "a " * LONGEST_LINE
    found = read_answer_line(line)
    assert found.written == line
    assert found.unread[-1].reason == "the line is too long to be read"


def test_every_published_line_is_written_back(shared_data):
    path = shared_data / "answerlines.jsonl.xz"
    unread = 0
    with lzma.open(path, "rt", encoding="utf-8") as rows:
        lines = [json.loads(row)["formatted"] for number, row in enumerate(rows) if number % 20 == 0]
    for line in lines:
        tiles(line)
        unread += bool(read_answer_line(line).unread)
    assert unread < 0.02 * len(lines)


@pytest.mark.parametrize(
    "text",
    ["[or eels]", "(accept eels)", "or eels]", "Accept eels", "do not accept “cod”", "DON'T prompt on cod",
     "prompt on fish by asking “which?”", "anti-prompt on cod", "but accept eels", "reject cod"],
)  # fmt: skip
def test_a_line_that_goes_on_with_an_answer_begins_with_a_direction(text):
    assert begins_with_direction(text)


@pytest.mark.parametrize(
    "text",
    ["", "This king sold eels.", "Known as the eel king, this man ruled.", "Do not go there, he said.",
     "Also including a dance of eels, this ballet ends in a marsh.", "And he sold eels."],
)  # fmt: skip
def test_a_question_begins_with_no_direction(text):
    assert not begins_with_direction(text)
