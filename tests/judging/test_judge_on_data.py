"""The judge on published answer lines: the cases of a checker, accept and reject lists, and near titles."""

import json
import lzma
import random
import re
from collections import defaultdict
from functools import cache

import pytest
from rapidfuzz import fuzz, process

from quizwriter.domain.page import answer_key
from quizwriter.judging import judge
from quizwriter.judging.known_names import GIVEN_NAMES, HONORIFICS
from quizwriter.judging.same_word import is_form
from quizwriter.judging.spoken_words import spoken_words
from tests.helpers.shared_data import SHARED, not_here

NEAR_PAIRS = 2_000
"""Pairs of titles that look alike."""

DRAWN = 300
"""Entries of each kind of list."""

PLAIN_DRAWS, PLAIN_DRAWN = 5, 500
"""Draws of accepted entries of lines that lost their underlining, and the entries of each."""

TWO_TITLES_OF_ONE = {frozenset({"Mathew Brady", "Matthew Brady"})}
"""A page that the list has twice."""

NAMED = [
    ("Mysore", "Kingdom of Mysore"), ("Charles I", "Charles II"), ("sodium", "potassium"), ("Iran", "Iraq"),
    ("Henry IV", "Henry VI"), ("nitrite", "nitrate"), ("Austria", "Australia"), ("Slovakia", "Slovenia"),
    ("meiosis", "mitosis"), ("Monet", "Manet"), ("World War I", "World War II"), ("Niger", "Nigeria"),
]  # fmt: skip


def rows(name):
    """The rows of a file of the shared data."""
    path = SHARED / name
    if not path.exists():
        not_here(f"{name} is not here")
    opened = lzma.open if name.endswith(".xz") else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def answer_lines():
    return rows("answerlines.jsonl.xz")


def test_the_cases_of_the_answer_checker():
    wrong = []
    for case in rows("answer_check_tests.jsonl"):
        found = judge(case["answerline"], case["given"])
        asked = case["directed_prompt"] in {None, found.ask}
        if found.verdict.value != case["directive"] or not asked:
            wrong.append((case["given"], found))
    assert wrong == []


@pytest.mark.parametrize(("kind", "least"), [("accept", 0.95), ("reject", 0.95), ("prompt", 0.9)])
@pytest.mark.parametrize("field", ["formatted", "answer"])
def test_what_the_lists_of_a_line_say(field, kind, least):
    pairs = [(row[field], name) for row in answer_lines() for name in row[kind]]
    assert share_right(pairs, kind, random.Random(16), DRAWN) >= least


def test_what_lines_accept_that_lost_their_underlining():
    """They do not say what is required, so a part of a name may be right or prompted on."""
    pairs = [(row["answer"], name) for row in answer_lines() for name in row["accept"]]
    shares = [
        share_right(pairs, "accept", random.Random(seed), PLAIN_DRAWN) for seed in range(1, PLAIN_DRAWS + 1)
    ]
    assert min(shares) > 0.95


def share_right(pairs, kind, chance, drawn):
    """The share of pairs, drawn by chance, on which the verdict is of the kind."""
    chosen = chance.sample(pairs, drawn)
    return sum(judge(line, name).verdict.value == kind for line, name in chosen) / drawn


def test_the_answer_of_another_line_is_not_accepted():
    drawn = random.Random(16).sample([row for row in answer_lines() if row["accept"]], 2 * DRAWN)
    wrong = [
        (one["formatted"], other["accept"][0])
        for one, other in zip(drawn[:DRAWN], drawn[DRAWN:], strict=True)
        if judge(one["formatted"], other["accept"][0]).verdict.value == "accept"
    ]
    assert wrong == []


def words(title):
    return [word.text for word in spoken_words(title) if not word.light]


def same(one, other):
    """Whether two titles are said alike, or are the same name in another form or with a title."""
    first, second = (words(re.sub(r" \(.*\)$", "", title)) for title in (one, other))
    if frozenset({one, other}) in TWO_TITLES_OF_ONE:
        return True
    if sorted(first) == sorted(second) or {*first} ^ {*second} <= HONORIFICS:
        return True
    return len(first) == len(second) and all(
        a == b or is_form(a, b) for a, b in zip(first, second, strict=True)
    )


def is_surname(title, typed):
    """Whether ``typed`` is the surname alone of a person, which is right."""
    full = re.sub(r" \(.*\)$", "", title)
    return full.split()[-1] == typed and words(full)[:1] != [] and words(full)[0] in GIVEN_NAMES


def near_pairs():
    """Titles that are asked for and look alike, the most alike first for each; accepted names left out."""
    accepted = defaultdict(set)
    for row in answer_lines():
        keys = {answer_key(name) for name in row["accept"]}
        for key in keys:
            accepted[key] |= keys
    titles = [row["page"].replace("_", " ") for row in rows("page_titles.jsonl.xz") if row["n_tossups"] > 1]
    found = list(NAMED)
    lower = [title.lower() for title in titles]
    for at in random.Random(16).sample(range(len(titles)), len(titles)):
        for _, _, place in process.extract(lower[at], lower, scorer=fuzz.ratio, limit=4, score_cutoff=70):
            one, other = titles[at], titles[place]
            if one == other:
                continue
            if answer_key(other) not in accepted[answer_key(one)] and not same(one, other):
                found.append((one, other))
        if len(found) >= NEAR_PAIRS:
            return found[:NEAR_PAIRS]
    return found


@pytest.fixture(scope="module")
def pairs():
    return near_pairs()


@pytest.mark.parametrize("form", ["{}", "<b><u>{}</u></b>", "{} [prompt on something else]"])
def test_no_answer_of_another_page_is_accepted(pairs, form):
    assert len(pairs) == NEAR_PAIRS
    wrong = [
        (title, typed)
        for one, other in pairs
        for title, typed in ((one, other), (other, one))
        if judge(form.format(title), typed).verdict.value == "accept" and not is_surname(title, typed)
    ]
    assert wrong == []
