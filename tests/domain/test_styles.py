"""The styles of a text: what they are, how they go along with edits, and how a history replays them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit, EditKind
from quizwriter.domain.span import Span
from quizwriter.domain.styles import (
    AnswerStyled,
    LetterStyle,
    Restyle,
    Styled,
    StyledSpan,
    TextStyles,
    answer_styles,
    carried_styles,
    merged_styles,
    style_steps,
    styles_after,
    toggled_code,
)

BOLD, ITALIC, UNDERLINE = (LetterStyle.BOLD,), (LetterStyle.ITALIC,), (LetterStyle.UNDERLINE,)


def styled(*spans, length=100):
    return TextStyles.of((StyledSpan(*span) for span in spans), length)


def shown(styles):
    return [(span.start, span.end, *map(str, span.styles)) for span in styles.spans()]


@pytest.mark.parametrize(
    ("edit", "found"),
    [
        pytest.param(Edit(0, "", "xx"), [(4, 6, "bold")], id="typed before it"),
        pytest.param(Edit(2, "", "xx"), [(4, 6, "bold")], id="typed right before it"),
        pytest.param(Edit(3, "", "xx"), [(2, 6, "bold")], id="typed inside: it grows"),
        pytest.param(Edit(4, "", "xx"), [(2, 6, "bold")], id="typed on at its end: it grows"),
        pytest.param(Edit(5, "", "xx"), [(2, 4, "bold")], id="typed behind it"),
        pytest.param(Edit(3, "d", ""), [(2, 3, "bold")], id="rubbed out inside: it shrinks"),
        pytest.param(Edit(0, "abcdef", ""), [], id="all rubbed out"),
        pytest.param(Edit(2, "cd", "words"), [(2, 7, "bold")], id="replaced"),
        pytest.param(Edit(1, "bc", "x"), [(2, 3, "bold")], id="replaced from before it: as what was first"),
        pytest.param(Edit(3, "de", "x"), [(2, 4, "bold")], id="replaced from within"),
    ],
)
def test_styles_go_along_with_edits(edit, found):
    assert shown(styled((2, 4, BOLD)).after(edit)) == found


def test_a_plain_text_has_no_codes_and_stays_plain():
    assert TextStyles().after(Edit(0, "", "abc")) == TextStyles() == styled((0, 3, ()))
    assert not TextStyles.of_codes(b"\0\0")


def test_a_toggled_style_is_taken_away_only_where_all_letters_have_it():
    text, span = "one two", Span(0, 7)
    bold = TextStyles().toggled(LetterStyle.BOLD, text, Span(0, 3))
    assert shown(bold) == [(0, 3, "bold")]
    whole = bold.toggled(LetterStyle.BOLD, text, span)
    assert shown(whole) == [(0, 7, "bold")]
    assert not whole.toggled(LetterStyle.BOLD, text, span)
    # the space between two bold words does not count, and a space alone does
    assert styled((0, 3, BOLD), (4, 7, BOLD)).has(LetterStyle.BOLD, text, span)
    assert not styled((0, 3, BOLD)).has(LetterStyle.BOLD, text, Span(3, 4))


def test_superscript_and_subscript_exclude_each_other():
    code = toggled_code(toggled_code(0, LetterStyle.SUPERSCRIPT), LetterStyle.SUBSCRIPT)
    assert code == LetterStyle.SUBSCRIPT.bit
    assert shown(styled((0, 1, (LetterStyle.SUPERSCRIPT, LetterStyle.SUBSCRIPT)))) == [(0, 1, "subscript")]


def event(seq, body, at_ms=1):
    return replace(Event.new("t", at_ms, "ada", body), seq=seq)


def changes(*edits):
    return [Change(seq, seq, edit) for seq, edit in enumerate(edits, start=1)]


def test_a_history_replays_to_the_styles_of_each_version():
    made = changes(Edit(0, "", "abc"), Edit(3, "", "def"), Edit(0, "ab", ""))
    events = [
        event(1, Styled.setting(Span(1, 3), styled((0, 2, BOLD)), EditKind.FIRST)),
        event(1, Styled.setting(Span(2, 3), styled((0, 1, ITALIC)), EditKind.FIRST), 2),
        event(2, Styled(0, 6, (StyledSpan(0, 2, UNDERLINE),)), 3),
    ]

    assert not styles_after([], ())
    assert shown(styles_after(made[:1], events[:2])) == [(1, 2, "bold"), (2, 3, "italic")]
    assert shown(styles_after(made[:2], events[:2])) == [(1, 2, "bold"), (2, 6, "italic")]
    assert shown(styles_after(made[:2], events)) == [(0, 2, "underline")]
    assert shown(styles_after(made, events)) == []
    assert [(type(done).__name__, said is not None) for done, _, said in style_steps(made, events)] == [
        ("Restyle", True),
        ("Restyle", True),
        ("Change", False),
        ("Restyle", True),
        ("Change", False),
    ]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(Styled(-5, -1, (StyledSpan(-5, -1, BOLD),)), id="before the text"),
        pytest.param(Styled(0, 1 << 53, (StyledSpan(1 << 40, 1 << 53, BOLD),)), id="far beyond it"),
        pytest.param(Styled(3, 2, (StyledSpan(3, 2, BOLD),)), id="turned round"),
        pytest.param(Styled(0, 3, (StyledSpan(2, 1, BOLD), StyledSpan(0, 1, BOLD))), id="empty spans"),
    ],
)
def test_an_event_of_anybody_says_nothing_of_letters_that_are_not_there(body):
    assert not styles_after(changes(Edit(0, "", "abc")), [event(1, body)])
    assert not AnswerStyled("abc", body.spans).styles_of("abc")


def test_the_styles_of_an_answer_line_follow_it_when_a_program_changes_the_line_alone():
    said = [event(0, AnswerStyled("Madama Butterfly", (StyledSpan(7, 16, BOLD),)))]

    assert shown(answer_styles("Madama Butterfly", said)) == [(7, 16, "bold")]
    assert shown(answer_styles("Madame Butterfly", said)) == [(7, 16, "bold")]
    assert shown(answer_styles("Madama Butterflies", said)) == [(7, 18, "bold")]
    assert not answer_styles("", said)


def test_restyling_and_its_inverse_lead_back():
    before = styled((0, 2, BOLD))
    restyle = Restyle(Span(1, 4), before.stretch(Span(1, 4)), styled((1, 2, ITALIC)))

    assert shown(restyle.apply(before)) == [(0, 1, "bold"), (2, 3, "italic")]
    assert restyle.inverse().apply(restyle.apply(before)) == before


def test_styles_are_carried_to_another_text_with_the_same_words():
    before = "A lake named Baikal is deep."
    found, known = carried_styles(before, styled((13, 19, BOLD)), "The lake Baikal, says he, is deep.")

    assert shown(found) == [(9, 15, "bold")]
    assert known[9:15] == b"\1" * 6
    assert known[0:3] == b"\0" * 3


def test_a_merged_text_has_what_each_branch_styled():
    base = "one two three"
    first = "one two three four", styled((0, 3, BOLD))
    second = "one two 3 three", styled((4, 7, ITALIC), (8, 9, UNDERLINE))
    merged = merged_styles((base, TextStyles()), [first, second], "one two 3 three four")

    assert shown(merged) == [(0, 3, "bold"), (4, 7, "italic"), (8, 9, "underline")]
    plain = merged_styles(
        (base, styled((0, 3, BOLD))), [(base, TextStyles()), (base, styled((0, 3, BOLD)))], base
    )
    assert not plain  # a branch took the style away


@given(st.binary(max_size=30), st.binary(max_size=8), st.integers(0, 30), st.integers(0, 30))
def test_any_stretch_of_any_styles_can_be_set(codes, others, low, high):
    styles, span = TextStyles.of_codes(codes), Span(min(low, high), max(low, high))
    found = styles.restyled(span, TextStyles.of_codes(others))

    assert not any(code >> 5 or code & 24 == 24 for code in found.codes)
    assert found.stretch(span) == TextStyles.of_codes(others[: span.end - span.start])
    assert found.stretch(Span(0, span.start)) == styles.stretch(Span(0, span.start))
    assert found.stretch(Span(span.end, 99)) == styles.stretch(Span(span.end, 99))
