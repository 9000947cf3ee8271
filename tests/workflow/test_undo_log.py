"""The stacks of undo: where a step begins, and what taking it back does to letters and styles."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit, EditKind
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, LetterStyle, Restyle, Styled, StyledSpan, TextStyles
from quizwriter.workflow.undo import LONG_RUN, PAUSE_MS, TYPED_AT_ONCE, StyledEdit, UndoLog

UNKNOWN, FIRST, MORE, UNDO, REDO = EditKind
ITALIC = LetterStyle.ITALIC


def typed(start, letters):
    return Edit(start, "", letters)


def rubbed(start, letters):
    return Edit(start, letters, "")


def log_of(*edits, pause_ms=50, kind=UNKNOWN):
    """A log of edits that follow each other after the same pause."""
    log = UndoLog()
    for number, edit in enumerate(edits):
        log.add(Change(number + 1, number * pause_ms, edit, kind=kind))
    return log


def italic(*spans, length=20):
    """The styles of a text whose letters in ``spans`` are italic."""
    return TextStyles.of([StyledSpan(start, end, (ITALIC,)) for start, end in spans], length)


def restyle(start, end, before, after):
    return Restyle(Span(start, end), before, after)


# Where a step begins

LONG = "abcdefghijklmnop"  # as much as can be typed at once
assert len(LONG) == TYPED_AT_ONCE


@pytest.mark.parametrize(
    ("before", "edit", "waited_ms", "kind"),
    [
        ([], typed(0, "a"), 50, FIRST),
        ([typed(0, "a")], typed(1, "b"), 50, MORE),
        ([typed(0, "a")], typed(0, "b"), 50, FIRST),  # elsewhere
        ([typed(0, "a")], rubbed(0, "a"), 50, FIRST),
        ([rubbed(0, "a")], typed(0, "b"), 50, FIRST),
        ([typed(0, "ab")], Edit(2, "c", "d"), 50, FIRST),  # a replacement is no typing
        ([Edit(0, "c", "d")], typed(1, "e"), 50, MORE),  # but typing goes on with it
        ([Edit(0, "c", LONG)], typed(16, "e"), 50, MORE),
        ([Edit(0, "c", LONG + "q")], typed(17, "e"), 50, FIRST),
        ([typed(0, LONG)], typed(16, "q"), 50, MORE),
        ([typed(0, LONG + "q")], typed(17, "r"), 50, FIRST),  # pasted
        ([typed(0, "a")], typed(1, LONG + "q"), 50, FIRST),
        ([typed(0, "a")], typed(1, LONG), 50, MORE),
        ([rubbed(5, LONG)], rubbed(5, "q"), 50, MORE),
        ([rubbed(5, LONG + "q")], rubbed(5, "r"), 50, FIRST),
        # a pause ends a run where a word ends or begins
        ([typed(0, "a b")], typed(3, " xy"), PAUSE_MS - 1, MORE),
        ([typed(0, "a b")], typed(3, " xy"), PAUSE_MS, FIRST),
        ([typed(0, "b a ")], typed(4, "x y"), PAUSE_MS, FIRST),
        ([typed(0, " ab")], typed(3, "x y"), PAUSE_MS, MORE),
        ([typed(0, "  ")], typed(2, "a"), PAUSE_MS, MORE),  # no word was typed yet
        ([rubbed(5, "d  ")], rubbed(2, "xy "), PAUSE_MS, FIRST),  # to the left
        ([rubbed(5, "d  ")], rubbed(2, "  y"), PAUSE_MS, MORE),
        ([rubbed(5, "   ")], rubbed(2, "xyz"), PAUSE_MS, MORE),
        ([rubbed(5, "a b")], rubbed(5, " xy"), PAUSE_MS, FIRST),  # to the right
        ([rubbed(5, "  b")], rubbed(5, "x  "), PAUSE_MS, MORE),
        ([rubbed(5, "   ")], rubbed(5, "x  "), PAUSE_MS, MORE),
        # so does a pause inside the word before, and a long run
        ([typed(0, "wo"), (PAUSE_MS, typed(2, "rd"))], typed(4, " "), 50, FIRST),
        ([typed(0, "wo"), (PAUSE_MS - 1, typed(2, "rd"))], typed(4, " "), 50, MORE),
        ([typed(0, "w"), (PAUSE_MS, typed(1, "o")), (50, typed(2, "rd"))], typed(4, " "), 50, FIRST),
        ([typed(0, "a" * 16), typed(16, "a" * 16), typed(32, "a" * 8)], typed(40, " "), 50, FIRST),
        ([typed(0, "a" * 16), typed(16, "a" * 16), typed(32, "a" * 7)], typed(39, " "), 50, MORE),
        ([rubbed(40, "a" * 16), rubbed(24, "a" * 16), rubbed(16, "a" * 8)], rubbed(15, " "), 50, FIRST),
        ([rubbed(40, "a" * 16), rubbed(24, "a" * 16), rubbed(17, "a" * 7)], rubbed(16, " "), 50, MORE),
        ([Edit(0, "a" * 50, "b")], typed(1, " "), 50, MORE),  # what it replaced was not typed
    ],
)
def test_where_a_step_begins(before, edit, waited_ms, kind):
    assert LONG_RUN == 40
    log, at_ms = UndoLog(), 1_000
    for number, one in enumerate(before):
        ms, done = one if isinstance(one, tuple) else (50, one)
        at_ms += ms
        log.add(Change(number + 1, at_ms, done))

    assert log.kind_of(edit, at_ms + waited_ms) is kind


def test_typing_does_not_go_on_with_a_step_of_an_earlier_log():
    log = UndoLog()
    log.go_back_to(log_of(typed(0, "a")))

    assert log.kind_of(typed(1, "b"), 50) is FIRST


def test_a_step_that_is_held_has_one_first_edit():
    log = log_of(typed(0, "a"))
    log.hold()
    assert (log.kind_of(typed(1, "b"), 50), log.restyle_kind) == (FIRST, FIRST)
    log.add(Change(2, 50, typed(1, "b"), kind=FIRST))
    assert (log.kind_of(typed(9, "x"), 60_000), log.restyle_kind) == (MORE, MORE)
    log.add(Change(3, 60_000, typed(9, "x"), kind=MORE))
    assert [done.edit for done in log.undo_step()] == [rubbed(9, "x"), rubbed(1, "b")]

    log.end_step()
    assert (log.kind_of(typed(10, "y"), 60_050), log.restyle_kind) == (FIRST, FIRST)


def test_a_held_restyling_begins_the_step_and_edits_go_on_with_it():
    log = log_of(typed(0, "abc"))
    log.hold()
    log.add_restyle(restyle(0, 1, PLAIN, italic((0, 1))), log.restyle_kind)

    assert log.restyle_kind is MORE
    log.add(Change(2, 50, typed(3, "d"), kind=log.kind_of(typed(3, "d"), 50)))
    assert len(log.undo_step()) == 2


@pytest.mark.parametrize("then", ["hold", "end_step"])
def test_nothing_goes_on_with_a_run_that_was_ended(then):
    log = log_of(typed(0, "a"))
    assert log.places(typed(1, "b")) == (1,)
    getattr(log, then)()

    assert log.places(typed(1, "b")) == ()
    assert log.kind_of(typed(1, "b"), 50) is FIRST


def test_where_an_edit_goes_on_with_the_run():
    assert UndoLog().places(typed(0, "a")) == ()
    assert log_of(typed(3, "abc")).places(typed(0, "x")) == (6,)
    assert log_of(rubbed(3, "abc")).places(rubbed(0, "xy")) == (3, 1)
    assert log_of(typed(3, LONG + "q")).places(typed(20, "x")) == ()


# What is on the stacks


def test_a_new_log_has_nothing_to_undo_and_nothing_to_redo():
    log = UndoLog()

    assert (log.can_undo, log.can_redo, log.touched, log.styles) == (False, False, False, PLAIN)
    assert (log.undo_step(), log.redo_step()) == ((), ())
    assert UndoLog(styles=italic((0, 2))).styles == italic((0, 2))


def test_an_undo_and_a_redo_move_one_step():
    log = log_of(typed(0, "one"), typed(3, LONG + "q"))
    (back,) = log.undo_step()
    log.add(Change(3, 100, back.edit, kind=UNDO))
    assert (log.can_undo, log.can_redo, log.touched) == (True, True, True)
    assert [done.edit for done in log.undo_step()] == [rubbed(0, "one")]

    (again,) = log.redo_step()
    assert again.edit == typed(3, LONG + "q")
    log.add(Change(4, 150, again.edit, kind=REDO))
    assert not log.can_redo
    assert log.kind_of(typed(20, "x"), 150) is FIRST
    assert [done.edit for done in log.undo_step()] == [back.edit]


def test_a_redo_makes_one_step_again_and_leaves_the_others():
    log = UndoLog([Change(1, 0, typed(0, "a"), kind=FIRST), Change(2, 0, typed(9, "b"), kind=MORE)])
    log.add(Change(3, 0, typed(20, "c"), kind=FIRST))
    for number in range(2):
        for done in log.undo_step():
            log.add(Change(4 + number, 0, done.edit, kind=UNDO))

    assert [done.edit for done in log.redo_step()] == [typed(0, "a"), typed(9, "b")]


def test_any_other_edit_empties_the_redo_stack():
    log = log_of(typed(0, "a"))
    log.add(Change(2, 50, rubbed(0, "a"), kind=UNDO))
    log.add(Change(3, 100, typed(0, "b")))

    assert not log.can_redo
    assert [done.edit for done in log.undo_step()] == [rubbed(0, "b")]


def test_an_edit_that_goes_on_before_any_step_begins_one():
    log = UndoLog([Change(1, 0, typed(0, "a"), kind=MORE)])

    assert [done.edit for done in log.undo_step()] == [rubbed(0, "a")]
    assert log.undo_step()


def test_the_kind_in_the_log_counts_and_not_the_time():
    log = log_of(typed(0, "a"), typed(1, " b"), kind=MORE, pause_ms=60_000)
    assert [done.edit for done in log.undo_step()] == [rubbed(0, "a b")]

    log = log_of(typed(0, "a"), typed(1, "b"), kind=FIRST)
    assert [done.edit for done in log.undo_step()] == [rubbed(1, "b")]


def test_an_earlier_log_goes_under_a_later_one():
    earlier = log_of(typed(0, "a"), typed(9, "z"))
    (back,) = earlier.undo_step()
    earlier.add(Change(3, 100, back.edit, kind=UNDO))

    fresh = UndoLog()
    fresh.go_back_to(earlier)
    assert (fresh.can_undo, fresh.can_redo, fresh.touched) == (True, True, True)

    later = log_of(typed(1, "b"))
    later.go_back_to(earlier)
    assert not later.can_redo
    assert [done.edit for done in later.undo_step()] == [rubbed(1, "b")]
    later.add(Change(4, 100, rubbed(1, "b"), kind=UNDO))
    assert [done.edit for done in later.undo_step()] == [rubbed(0, "a")]

    untouched = UndoLog()
    untouched.go_back_to(UndoLog())
    assert untouched.touched is False


# Styles


def styled_log(*edits, kind=UNKNOWN, styles=None):
    """A log of edits of the text ``abcdefgh``, whose letters c, d and e are italic."""
    log = UndoLog(styles=italic((2, 5)) if styles is None else styles)
    for number, edit in enumerate(edits):
        log.add(Change(number + 1, 0, edit, kind=kind))
    return log


@pytest.mark.parametrize(
    ("edits", "back", "styles"),
    [
        # what comes back has the styles that it had
        ([rubbed(1, "bcd")], StyledEdit(typed(1, "bcd"), PLAIN, italic((1, 3))), italic((1, 2))),
        ([rubbed(4, "efg")], StyledEdit(typed(4, "efg"), PLAIN, italic((0, 1))), italic((2, 4))),
        # what is typed has the styles of the letter before it
        ([typed(3, "xy")], StyledEdit(rubbed(3, "xy"), italic((0, 2)), PLAIN), italic((2, 7))),
        ([typed(1, "xy")], StyledEdit(rubbed(1, "xy"), PLAIN, PLAIN), italic((4, 7))),
        (
            [Edit(3, "def", "xy")],
            StyledEdit(Edit(3, "xy", "def"), italic((0, 2)), italic((0, 2))),
            italic((2, 5)),
        ),
        # also where several edits are one
        ([typed(3, "x"), typed(4, "y")], StyledEdit(rubbed(3, "xy"), italic((0, 2)), PLAIN), italic((2, 7))),
        # to the left: f, e, b of "abcdefgh" without "cd"
        (
            [rubbed(5, "f"), rubbed(4, "e"), rubbed(2, "cd")],
            StyledEdit(typed(2, "cdef"), PLAIN, italic((0, 3))),
            PLAIN,
        ),
        # to the right
        (
            [rubbed(1, "b"), rubbed(1, "c"), rubbed(1, "def")],
            StyledEdit(typed(1, "bcdef"), PLAIN, italic((1, 4))),
            PLAIN,
        ),
    ],
)
def test_undo_gives_letters_their_styles_back(edits, back, styles):
    log = styled_log(*edits)

    assert log.undo_step() == (back,)
    assert log.styles == styles


def test_what_was_typed_after_a_deletion_in_one_step_takes_nothing_of_it():
    log = styled_log(Edit(3, "de", "x"), typed(4, "y"))

    assert log.undo_step() == (StyledEdit(Edit(3, "xy", "de"), italic((0, 2)), italic((0, 2))),)


def test_edits_of_one_step_at_two_places_keep_their_own_styles():
    log = UndoLog(styles=italic((2, 5)))
    log.add(Change(1, 0, rubbed(0, "a"), kind=FIRST))
    log.add(Change(2, 0, rubbed(3, "e"), kind=MORE))

    assert log.undo_step() == (
        StyledEdit(typed(3, "e"), PLAIN, italic((0, 1))),
        StyledEdit(typed(0, "a"), PLAIN, PLAIN),
    )


def test_only_the_edit_that_everything_began_with_is_never_taken_back():
    log = log_of(typed(0, "abcd"))
    log.keep(typed(0, "another"))
    assert log.undo_step() == (StyledEdit(rubbed(0, "abcd"), PLAIN, PLAIN),)
    log.keep(typed(0, "abcd"))
    assert log.undo_step() == ()


def test_a_restyling_is_a_step():
    log = log_of(typed(0, "abcd"))
    first, second = restyle(1, 3, PLAIN, italic((0, 2))), restyle(2, 3, italic((0, 1)), PLAIN)
    log.add_restyle(first, FIRST)
    assert log.styles == italic((1, 3))
    assert log.places(typed(4, "e")) == ()
    assert log.kind_of(typed(4, "e"), 0) is FIRST
    log.add_restyle(second, UNKNOWN)

    assert log.styles == italic((1, 2))
    assert log.undo_step() == (second.inverse(),)
    log.add_restyle(second.inverse(), UNDO)
    assert log.undo_step() == (first.inverse(),)
    assert log.redo_step() == (second,)
    log.add_restyle(second, REDO)
    assert (log.can_redo, log.styles) == (False, italic((1, 2)))
    assert log.undo_step() == (second.inverse(),)


def test_a_log_with_only_a_restyling_is_touched():
    log = UndoLog()
    log.add_restyle(restyle(0, 1, PLAIN, italic((0, 1))), MORE)  # nothing it could belong to

    assert log.touched is True
    assert len(log.undo_step()) == 1


def test_a_restyling_that_belongs_to_an_edit_goes_with_it():
    """Italic is switched on, and the letter typed then is italic: one step."""
    log = log_of(typed(0, "a"))
    log.end_step()
    log.add(Change(2, 100, typed(1, "xyz"), kind=FIRST))
    log.add_restyle(restyle(1, 4, PLAIN, italic((0, 3))), MORE)

    assert log.undo_step() == (StyledEdit(rubbed(1, "xyz"), italic((0, 3)), PLAIN),)
    assert log.kind_of(typed(4, "!"), 100) is MORE  # the run goes on


@pytest.mark.parametrize(("start", "end"), [(0, 2), (3, 5), (0, 5)])
def test_a_restyling_beyond_the_edit_is_undone_with_it_but_by_itself(start, end):
    log = log_of(typed(0, "a"))
    log.end_step()
    log.add(Change(2, 100, typed(1, "xyz"), kind=FIRST))
    beyond = restyle(start, end, PLAIN, italic((0, end - start)))
    log.add_restyle(beyond, MORE)

    assert log.undo_step() == (beyond.inverse(), StyledEdit(rubbed(1, "xyz")))


@pytest.mark.parametrize(("start", "end"), [(1, 2), (3, 4), (2, 3), (1, 4)])
def test_a_restyling_within_the_edit_changes_what_the_edit_typed(start, end):
    log = log_of(typed(1, "xyz"))
    log.add_restyle(restyle(start, end, PLAIN, italic((0, end - start))), MORE)

    (back,) = log.undo_step()
    assert back == StyledEdit(rubbed(1, "xyz"), italic((start - 1, end - 1)), PLAIN)


def test_a_restyling_after_a_restyling_of_the_same_step_is_undone_with_it():
    log = log_of(typed(0, "abcd"))
    first, second = restyle(0, 1, PLAIN, italic((0, 1))), restyle(3, 4, PLAIN, italic((0, 1)))
    log.add_restyle(first, FIRST)
    log.add_restyle(second, MORE)

    assert log.undo_step() == (second.inverse(), first.inverse())


def test_a_restyling_that_only_completes_an_undo_or_a_redo_is_no_step():
    log = log_of(typed(0, "abcd"))
    other = restyle(0, 2, PLAIN, italic((0, 2)))
    log.add_restyle(other, UNDO)
    assert (log.styles, len(log.undo_step()), log.can_redo) == (italic((0, 2)), 1, False)

    log.add_restyle(other, REDO)
    assert [done.edit for done in log.undo_step()] == [rubbed(0, "abcd")]
    log.add(Change(2, 0, rubbed(0, "abcd"), kind=UNDO))
    log.add_restyle(restyle(0, 0, PLAIN, PLAIN), REDO)  # not what was taken back
    assert [done.edit for done in log.redo_step()] == [typed(0, "abcd")]
    log.add_restyle(restyle(0, 0, PLAIN, PLAIN), UNDO)  # nothing is on the undo stack
    assert log.can_redo


def test_a_restyling_empties_the_redo_stack():
    log = log_of(typed(0, "a"))
    log.add(Change(2, 0, rubbed(0, "a"), kind=UNDO))
    log.add_restyle(restyle(0, 0, PLAIN, PLAIN), FIRST)

    assert not log.can_redo


def test_a_log_is_read_with_its_events_in_order():
    """Italic after the first edit, plain again after the third."""
    changes = [
        Change(1, 0, typed(0, "abc"), kind=FIRST),
        Change(2, 0, typed(3, "d"), kind=FIRST),
        Change(3, 0, typed(9, "z"), kind=FIRST),
        Change(4, 0, typed(20, "y"), kind=FIRST),
    ]
    events = [
        Event("e1", "one", 1, "", Styled(0, 2, (StyledSpan(0, 2, (ITALIC,)),), FIRST), seq=1),
        Event("e2", "one", 3, "", Styled(0, 1, (), MORE), seq=3),
    ]
    log = UndoLog(changes, events)
    steps = []
    while log.can_undo:
        steps.append(log.undo_step())
        for done in steps[-1]:
            if isinstance(done, Restyle):
                log.add_restyle(done, UNDO)
            else:
                log.add(Change(9, 0, done.edit, kind=UNDO))

    assert steps == [
        (StyledEdit(rubbed(20, "y")),),
        (restyle(0, 1, PLAIN, italic((0, 1))), StyledEdit(rubbed(9, "z"))),
        (StyledEdit(rubbed(3, "d")),),
        (restyle(0, 2, italic((0, 2)), PLAIN),),
        (StyledEdit(rubbed(0, "abc")),),
    ]
