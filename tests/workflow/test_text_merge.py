"""Three-way merge by words: the laws of it, and what people expect of it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.history import differences, replay
from quizwriter.workflow.text_merge import edits_between, merged_texts

WORDS = st.sampled_from(["a", "the", "red", "fox", " ", " ", " ", ".", ",", "(", "ob", "é"])
TEXTS = st.lists(WORDS, max_size=24).map("".join)


def words(text):
    return set(re.findall(r"\w+|[^\w\s]", text))


@given(TEXTS, TEXTS, st.integers(1, 3))
def test_a_branch_merged_with_itself_or_with_the_base_stays_as_it_is(base, text, times):
    for texts in ([text] * times, [text, base], [base, text, base]):
        merge = merged_texts(base, texts)
        assert not merge.conflicts
        assert merge.text() == text


@given(TEXTS, st.lists(TEXTS, min_size=2, max_size=4), st.randoms())
def test_the_order_of_the_branches_does_not_matter(base, texts, draw):
    order = list(range(len(texts)))
    draw.shuffle(order)
    one, other = merged_texts(base, texts), merged_texts(base, [texts[at] for at in order])

    assert [stretch.base for stretch in one.stretches] == [stretch.base for stretch in other.stretches]
    assert [stretch.is_conflict for stretch in one.stretches] == [
        stretch.is_conflict for stretch in other.stretches
    ]
    if not one.conflicts:
        assert one.text() == other.text()


@given(TEXTS, st.lists(TEXTS, min_size=2, max_size=4))
def test_every_change_is_taken_or_is_a_choice_and_nothing_else_gets_in(base, texts):
    merge = merged_texts(base, texts)
    for branch, changes in enumerate(merge.changes):
        for change in changes:
            new = change.after.of(texts[branch])
            assert any(
                stretch.base.start <= change.before.start
                and change.before.end <= stretch.base.end
                and any(branch in one.branches and new in one.text for one in stretch.alternatives)
                for stretch in merge.stretches
            )
    most = max((len(stretch.alternatives) for stretch in merge.conflicts), default=1)
    for choice in range(most):
        chosen = [min(choice, len(stretch.alternatives) - 1) for stretch in merge.conflicts]
        assert words(merge.text(chosen)) <= words(base).union(*map(words, texts))


@given(TEXTS, TEXTS)
def test_the_edits_between_two_texts_lead_from_the_one_to_the_other(before, after):
    assert replay(edits_between(before, after), before) == after


def test_changes_of_three_branches_at_different_words_are_all_taken():
    base = "This author wrote of a red fox. For ten points, name her."
    merge = merged_texts(
        base,
        [
            "This English author wrote of a red fox. For ten points, name her.",
            "This author wrote of a grey fox. For ten points, name her.",
            "This author wrote of a red fox. For ten points, name this woman.",
        ],
    )

    assert merge.text() == "This English author wrote of a grey fox. For ten points, name this woman."
    assert [one.branches for one in merge.pieces() if one.stretch] == [(0,), (1,), (2,)]


def test_neighbouring_words_and_a_word_before_a_changed_one_do_not_touch():
    assert merged_texts("a red fox", ["a blue fox", "a red wolf"]).text() == "a blue wolf"
    assert merged_texts("a red fox.", ["a blue fox.", "a big red fox."]).text() == "a big blue fox."


def test_the_same_words_changed_in_two_ways_are_a_conflict_with_both_and_the_old_words():
    merge = merged_texts("a red fox", ["a blue fox", "a green fox", "a blue fox"])
    (conflict,) = merge.conflicts

    assert [(one.text, one.branches) for one in conflict.alternatives] == [
        ("blue", (0, 2)),
        ("green", (1,)),
        ("red", ()),
    ]
    assert merge.text([1]) == "a green fox"
    with pytest.raises(ValueError, match="1 conflicts need as many choices, not 0"):
        merge.text()


def test_two_sentences_at_one_place_can_both_be_taken():
    merge = merged_texts("A lake.", ["A lake. It is deep.", "A lake. It is cold."])
    (conflict,) = merge.conflicts

    assert conflict.alternatives[-1].branches == (0, 1)
    assert merge.text([2]) == "A lake. It is deep. It is cold."


def test_no_word_is_made_of_two_by_what_two_branches_removed():
    assert merged_texts("x)(y", ["x)y", "x(y"]).conflicts


@pytest.mark.parametrize("piece", ["(", "a ", "((a]) ", "ab.", " "])
def test_texts_of_repeated_signs_are_merged_in_time(piece):
    base = piece * (20_000 // len(piece))
    one, other = "x" + base[1:9_000] + "y" + base[9_001:], base[: len(base) // 2] * 2 + "z"
    merge = merged_texts(base, [one, other, base[::-1]])

    assert merge.text([0] * len(merge.conflicts))


def test_a_long_text_is_compared_word_by_word():
    words = [f"word{number % 900} " for number in range(3000)]
    changed = [*words[:700], "new ", *words[701:2500], *words[2510:]]

    assert len(differences("".join(words), "".join(changed))) == 2


# -- the pieces that a merge hands out


def told(merge, choices=()):
    pieces = merge.pieces(choices)
    return [(piece.text, piece.stretch is not None, piece.conflict, piece.branches) for piece in pieces]


def two_conflicts():
    return merged_texts(
        "a red fox and then it ran", ["a blue fox and then it flew", "a tan fox and then it hid"]
    )


def test_the_pieces_are_what_stayed_what_was_changed_and_the_conflicts_in_their_order():
    base = "one two and then there were three or more of"
    ways = [
        "ONE two and then there were vier or more of",
        "one zwei and then there were drei or more of them",
    ]
    merge = merged_texts(base, [*ways, "uno two and then there were three or more of"])

    assert told(merge, [1, 0]) == [
        ("uno", True, 0, (2,)),
        (" ", False, None, ()),
        ("zwei", True, None, (1,)),
        (" and then there were ", False, None, ()),
        ("vier", True, 1, (0,)),
        (" or more of", False, None, ()),
        (" them", True, None, (1,)),
    ]
    assert merge.text([2, 1]) == "one zwei and then there were drei or more of them"


def test_a_conflict_without_a_choice_is_empty():
    merge = two_conflicts()

    assert told(merge) == told(merge, [None, None])
    assert told(merge, [None, 1]) == [
        ("a ", False, None, ()),
        ("", True, 0, ()),
        (" fox and then it ", False, None, ()),
        ("hid", True, 1, (1,)),
    ]
    assert told(merge, [0])[-1] == ("", True, 1, ())


@pytest.mark.parametrize(("choices", "trouble"), [([0, 3], (2, 4)), ([-1, 0], (1, 0)), ([3, 0], (1, 4))])
def test_a_choice_that_a_conflict_does_not_have_is_refused(choices, trouble):
    with pytest.raises(IndexError, match=r"^conflict {} has no alternative {}$".format(*trouble)):
        two_conflicts().text(choices)


def test_as_many_choices_as_conflicts_are_wanted():
    with pytest.raises(ValueError, match=r"^2 conflicts need as many choices, not 3$"):
        two_conflicts().text([0, 0, 0])


SEVEN = "one two three four five six seven"


@pytest.mark.parametrize(
    ("base", "texts", "stretches"),
    [
        # words inserted at one place: one after the other, or both
        ("a fox", ["a red fox", "a big fox"], {(2, 2): ["red ", "big ", "red big "]}),
        ("a fox", ["a red fox", "a red fox"], {(2, 2): ["red "]}),
        # one branch changed more than another
        ("a red fox ran", ["a fox ran", "a blue wolf ran"], {(2, 9): ["fox", "blue wolf", "red fox"]}),
        (
            SEVEN,
            ["one two THREE FOUR five six seven", "one two three VIER FIVE six seven"],
            {(8, 23): ["THREE FOUR five", "three VIER FIVE", "three four five"]},
        ),
        (
            SEVEN,
            ["one two THREE FOUR FIVE six seven", "one two three VIER five six seven", SEVEN],
            {(8, 23): ["THREE FOUR FIVE", "three VIER five", "three four five"]},
        ),
        # beside each other
        (
            SEVEN,
            ["one two THREE FOUR five six seven", "one two three four FIVE SIX seven"],
            {(8, 18): ["THREE FOUR"], (19, 27): ["FIVE SIX"]},
        ),
        ("a b, c", ["a b c", "a, c"], {(1, 3): [""], (3, 4): [""]}),
        # a word would be made of two
        ("x)(y", ["x)y", "x(y"], {(1, 3): [")", "(", ")("]}),
        ("a (b", ["a b", "a(b"], {(1, 3): [" ", "(", " ("]}),
        (")(", ["a(", ")b-"], {(0, 2): ["a(", ")b-", ")("]}),
        (")](", ["a](", ")(", ")]b"], {(0, 3): ["a](", ")(", ")]b", ")]("]}),
        (")](", ["-](", ")(", ")]b"], {(0, 1): ["-"], (1, 2): [""], (2, 3): ["b"]}),
    ],
)
def test_the_stretches_of_a_merge(base, texts, stretches):
    merge = merged_texts(base, texts)

    assert {
        (one.base.start, one.base.end): [each.text for each in one.alternatives] for one in merge.stretches
    } == stretches
    assert merge.base == base


def test_the_edits_of_several_stretches_are_where_the_text_is_by_then():
    edits = edits_between("one two and then there were three", "eleven two and then there were 3")

    assert [(edit.start, edit.removed, edit.inserted) for edit in edits] == [
        (0, "one", "eleven"),
        (31, "three", "3"),
    ]
