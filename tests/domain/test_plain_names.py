"""Names that are told without the grammar are those that the grammar tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.answer_line import (
    Directive,
    directions,
    main_answer,
    name_lists,
    plain_names,
    read_answer_line,
    words,
)

_GRAMMAR = sorted(
    {
        word
        for module in (directions, name_lists, words)
        for value in vars(module).values()
        if isinstance(value, frozenset) and all(isinstance(one, str) for one in value)
        for word in value
        if word.isalpha()
    }
    | {"lieu", "place", "itself", "e", "g", "NOT", "Also"}
)
_NAMES = ["Bell", "Anna", "Ra", "Öpik", "D’Arcy", "9", "twenty-one", "and", "I"]
_WORD = st.sampled_from([*_GRAMMAR, *_NAMES * 30])
_NAME = st.builds(
    lambda found, gap, marks: marks[0] + gap.join(found) + marks[1],
    st.lists(_WORD, min_size=1, max_size=4),
    st.sampled_from([" ", " ", " ", ". ", "–", ".", ", ", ",", " AND "]),
    st.sampled_from([("", ""), ("", ""), ("“", "”"), ('"', '"'), ("", ".")]),
)
_CLAUSE = st.builds(
    lambda directive, names: f"{directive} {' or '.join(names)}",
    st.sampled_from(["or", "accept", "Accept", "prompt on", "do not accept", "do not accept or prompt on"]),
    st.lists(_NAME, min_size=1, max_size=3),
)
_RULE = st.builds(
    lambda directive, words: f"{directive} {' '.join(words)}",
    st.sampled_from(["or", "accept"]),
    st.lists(st.sampled_from(sorted(words.IN_RULES)), min_size=1, max_size=3),
)
_SAID = st.lists(
    st.one_of(
        _WORD, st.sampled_from(["“Bell”", '"Anna Bell"', "“", '"', "(Bell)", "?", ",", ";", ":", "/", "<i>"])
    ),
    min_size=1,
    max_size=8,
)
_PROMPT = st.builds(
    lambda directive, said: f"{directive} {' '.join(said)}",
    st.sampled_from(["prompt on", "anti-prompt on", "do not accept", "do not accept or prompt on"]),
    _SAID,
)
_LINE = st.builds(
    lambda main, brackets, clauses: (
        f"{main} {brackets[0]}{'; '.join(clauses)}{brackets[1]}" if clauses else main
    ),
    _NAME,
    st.sampled_from(["[]", "[]", "()"]),
    st.lists(st.one_of(_CLAUSE, _RULE, _PROMPT), max_size=3),
)


@given(_LINE)
def test_plain_names_are_those_of_the_grammar(line: str) -> None:
    names = plain_names(line)
    if names:
        read = read_answer_line(line)
        assert names == tuple(name.text for name in read.named(Directive.MAIN, Directive.ACCEPT))
        assert names[0] == read.main == main_answer(line)
        accepting = [one for one in read.clauses if one.directive in {Directive.MAIN, Directive.ACCEPT}]
        assert not any(clause.described or clause.condition or clause.instead_of for clause in accepting)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Anna Bell", ("Anna Bell",)),
        ("“The Bells” [or Bells; accept A. Bell or D’Arcy]", ("The Bells", "Bells", "A. Bell", "D’Arcy")),
        ("Bell [Accept Davisson–Germer bell; prompt on ring]", ("Bell", "Davisson–Germer bell")),
        ("Bell [do not accept or prompt on “Belle”]", ("Bell",)),
        ("Bell and Anna I, D’Arcy (accept Anna and Bell)", ("Bell and Anna I, D’Arcy", "Anna and Bell")),
        ("Bell [accept word forms; or Ring; accept either underlined part]", ("Bell", "Ring")),
        ("Bell [prompt on “ring,” or Anna, until read by asking “which one?”; or Ra]", ("Bell", "Ra")),
        ("Bell [anti-prompt on Big Ben before it is mentioned]", ("Bell",)),
    ],
)
def test_lines_of_the_commonest_form_are_plain(line: str, names: tuple[str, ...]) -> None:
    assert plain_names(line) == names


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Bell AND Anna",
        "Bell, Anna, or Ra",
        "Bell [prompt on ring, but accept Anna]",
        "Bell [prompt on “ring; or Anna]",
        "Bell [or Anna, Ra]",
        "Bell [or a bell in place of Bell]",
        "Bell [accept word forms like bells]",
        "Bell [accept Anna until read]",
        "<b>Bell</b>",
        "Bell [or Anna",
        "Bell]",
        "Bell)",
        "Bell " * 1_000,
    ],
)
def test_other_lines_are_for_the_grammar(line: str) -> None:
    assert plain_names(line) == ()
