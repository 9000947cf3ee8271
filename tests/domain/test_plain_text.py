"""Which characters a text may have, and how stored texts with others are shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.plain_text import SUBSTITUTE, cleaned, count_odd, shown_text

TEXTS = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "\r\n\x0b\x0c\x1c\x7f\x81\x85\x92\u200b\u2028\u2029\ufdd0\ufeff\ufffc\uffff\U0001ffff"
        ),
    )
)


@pytest.mark.parametrize(
    ("odd", "clean", "shown"),
    [
        ("black\x96white", "black–white", "black–white"),
        ("don\x92t", "don’t", "don’t"),
        ("a\u2028b\u2029c\x85d", "a\nb\nc\nd", "a\nb\nc\nd"),
        ("a\r\nb\rc", "a\nb\nc", "a \nb c"),
        ("a\x81b\ufffcc\ufdd0d\U0001ffff", "abcd", "a\ufffdb\ufffdc\ufffdd\ufffd"),
        ("zero\u200bwidth", "zerowidth", "zero\u200bwidth"),
        (
            "ef\u1978cient \U0001f600 tab\t",
            "ef\u1978cient \U0001f600 tab\t",
            "ef\u1978cient \U0001f600 tab\t",
        ),
    ],
)
def test_odd_characters_become_what_they_stand_for_or_go(odd, clean, shown):
    assert cleaned(odd) == clean
    assert shown_text(odd) == shown


@given(TEXTS)
def test_what_is_cleaned_stays_and_what_is_shown_has_the_same_length(text):
    assert cleaned(cleaned(text)) == cleaned(text)
    assert count_odd(cleaned(text)) == 0
    shown = shown_text(text)
    assert len(shown) == len(text)
    assert shown_text(shown) == shown
    assert cleaned(text).count(SUBSTITUTE) == text.count(SUBSTITUTE)
    assert shown == text or cleaned(text) != text
