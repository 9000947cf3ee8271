"""The draft while it is written: what is late, what is one change, what is still to be saved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.guessing import Buzz, Guess, Playthrough
from quizwriter.domain.history import Change, Edit, replay
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.analysis import Analysis
from quizwriter.workflow.session import PendingSave, RecordedPlay, WritingSession

BAIKAL = Answer("Lake Baikal", "Lake_Baikal")


class Clock:
    """A clock that ticks once a look."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        self.now += 1
        return self.now


@pytest.fixture
def session():
    return WritingSession("one", clock=Clock())


def typed(session, *versions):
    for text in versions:
        session.type(text)


def played(session, *names, **fields):
    """An analysis of the draft as it stands, by players of these names."""
    request = session.request()
    heard = (1,) if request.tossup.words else ()
    rows = ((Guess("Lake_Baikal", 2.0), Guess("Ladoga", 1.0)),) * len(heard)
    return Analysis(
        request, tuple(Playthrough(name, request.tossup, heard, rows, **fields) for name in names)
    )


def edits(session):
    saving = session.take_unsaved()
    return [change.edit for change in saving.changes]


def test_a_new_session_is_empty_and_has_nothing_to_save(session):
    assert session.tossup == Tossup("")
    assert not session.has_unsaved
    assert session.take_unsaved() is None


def test_every_change_of_the_text_is_a_new_generation(session):
    before = session.generation

    assert session.type("T")
    assert session.type("Th")
    assert session.generation == before + 2


def test_the_same_text_again_is_no_change(session):
    typed(session, "This")
    before = session.generation

    assert not session.type("This")
    assert session.generation == before


def test_another_answer_is_a_new_generation(session):
    before = session.generation

    assert session.set_answer(BAIKAL)
    assert not session.set_answer(Answer("Lake Baikal", "Lake_Baikal"))
    assert session.generation == before + 1


def test_typing_keeps_the_answer(session):
    session.set_answer(BAIKAL)
    typed(session, "This lake")

    assert session.tossup == Tossup("This lake", BAIKAL)


def test_looking_at_another_page_or_word_is_a_new_generation(session):
    before = session.generation

    assert session.set_focus("Ladoga", 1)
    assert not session.set_focus("Ladoga", 1)
    assert session.set_focus("Ladoga", 2)
    assert session.generation == before + 2


def test_looking_changes_nothing_that_is_saved(session):
    session.set_focus("Ladoga", 1)

    assert not session.has_unsaved


def test_typing_keeps_the_page_looked_at_but_not_the_word(session):
    session.set_focus("Ladoga", 1)
    typed(session, "This lake")

    assert (session.focus, session.heard) == ("Ladoga", None)


def test_a_request_is_of_exactly_the_draft_on_screen(session):
    typed(session, "This", "This lake")
    session.set_focus("Ladoga", 2)
    request = session.request()

    assert (request.generation, request.tossup) == (session.generation, session.tossup)
    assert (request.focus, request.heard, request.seq) == ("Ladoga", 2, 1)


def test_an_analysis_of_the_draft_on_screen_is_taken(session):
    typed(session, "This")
    analysis = played(session, "ir")

    assert session.accept(analysis)
    assert session.analysis is analysis


@pytest.mark.parametrize(
    "change",
    [lambda s: s.type("This lake"), lambda s: s.set_answer(BAIKAL), lambda s: s.set_focus("Ladoga")],
    ids=["typed", "asked", "looked"],
)
def test_a_late_analysis_is_refused_and_leaves_no_trace(session, change):
    typed(session, "This")
    late = played(session, "ir")
    change(session)

    assert not session.accept(late)
    assert session.analysis is None
    assert session.take_unsaved().shown == ()


def test_typing_on_is_one_change(session):
    typed(session, "T", "Th", "Thi", "This")

    assert edits(session) == [Edit(0, "", "This")]


def test_rubbing_out_is_one_change_of_its_own(session):
    typed(session, "This", "Thi", "Th")

    assert edits(session) == [Edit(0, "", "This"), Edit(2, "is", "")]


def test_typing_elsewhere_is_another_change(session):
    typed(session, "lake", "a lake")

    assert edits(session) == [Edit(0, "", "lake"), Edit(0, "", "a ")]


def test_what_was_saved_is_never_extended(session):
    typed(session, "Th")
    session.take_unsaved()
    typed(session, "This")

    assert session.take_unsaved().changes == (Change(2, 3, Edit(2, "", "is")),)


def test_what_was_seen_analysed_is_never_extended(session):
    typed(session, "Th")
    session.accept(played(session, "ir"))
    typed(session, "Thi", "This")

    assert edits(session) == [Edit(0, "", "Th"), Edit(2, "", "is")]


def test_a_player_in_trouble_showed_nothing_so_typing_on_stays_one_change(session):
    typed(session, "Th")
    session.accept(Analysis(session.request(), (Playthrough("ir", session.tossup, trouble="No."),)))
    typed(session, "This")

    saving = session.take_unsaved()
    assert len(saving.changes) == 1
    assert saving.shown == ()


def test_a_saving_holds_the_draft_and_where_the_writer_is(session):
    typed(session, "This")
    session.set_answer(BAIKAL)
    session.move_cursor(2)

    saving = session.take_unsaved()
    assert (saving.tossup_id, saving.text, saving.answer, saving.cursor) == ("one", "This", BAIKAL, 2)


def test_what_was_taken_is_not_taken_again(session):
    typed(session, "This")
    session.take_unsaved()

    assert not session.has_unsaved
    assert session.take_unsaved() is None


def test_moving_the_cursor_is_worth_saving_once(session):
    session.move_cursor(3)
    session.take_unsaved()
    session.move_cursor(3)

    assert not session.has_unsaved


def test_an_answer_alone_is_worth_saving(session):
    session.set_answer(BAIKAL)

    assert session.take_unsaved().answer == BAIKAL


def test_a_session_goes_on_counting_where_the_saved_one_stopped():
    session = WritingSession("one", Tossup("This"), seq=7)
    typed(session, "This lake")

    assert session.take_unsaved().changes[0].seq == 8


def test_what_was_shown_is_kept_with_its_edit_and_engine(session):
    typed(session, "Lake")
    session.set_answer(BAIKAL)
    buzz = Buzz(1, Guess("Lake_Baikal", 2.0), 0.9)
    session.accept(played(session, "ir", buzz=buzz), ["digest"])

    (shown,) = session.take_unsaved().shown
    assert shown == RecordedPlay(
        seq=1, at_ms=2, guesser="ir", engine="digest",
        top=(Guess("Lake_Baikal", 2.0), Guess("Ladoga", 1.0)),
        first_correct=1, stable_correct=1, buzz_heard=1, buzz_page="Lake_Baikal", words=1,
        answer_key=BAIKAL.key,
    )  # fmt: skip


def test_what_was_shown_is_kept_once_per_edit_and_player(session):
    typed(session, "This")
    session.accept(played(session, "ir"))
    session.accept(played(session, "ir", "dan"))
    session.set_focus("Ladoga")
    session.accept(played(session, "ir", "dan"))

    assert [shown.guesser for shown in session.take_unsaved().shown] == ["ir", "dan"]


def test_what_was_shown_is_kept_once_even_if_saved_in_between(session):
    typed(session, "This")
    session.accept(played(session, "ir"))
    session.take_unsaved()
    session.accept(played(session, "ir"))

    assert not session.has_unsaved


def test_what_was_shown_is_kept_again_after_the_next_edit(session):
    typed(session, "This")
    session.accept(played(session, "ir"))
    typed(session, "This lake")
    session.accept(played(session, "ir"))

    assert [shown.seq for shown in session.take_unsaved().shown] == [1, 2]


def test_what_was_shown_is_kept_again_after_another_answer_because_the_positions_differ(session):
    typed(session, "Lake")
    session.accept(played(session, "ir"))
    session.set_answer(BAIKAL)
    session.accept(played(session, "ir"))

    assert [shown.first_correct for shown in session.take_unsaved().shown] == [None, 1]


def test_what_was_shown_is_kept_again_when_another_engine_says_it(session):
    typed(session, "Lake")
    session.accept(played(session, "ir"), ["old"])
    session.set_focus("Ladoga")
    session.accept(played(session, "ir"), ["new"])

    assert [shown.engine for shown in session.take_unsaved().shown] == ["old", "new"]


def test_nothing_was_shown_of_a_draft_without_edits(session):
    session.accept(played(session, "ir"))

    assert not session.has_unsaved


def test_two_savings_in_a_row_are_one():
    first = PendingSave("one", "a", None, 1, 10, (Change(1, 9, Edit(0, "", "a")),), ("shown 1",))
    second = PendingSave("one", "ab", BAIKAL, 2, 20, (Change(2, 19, Edit(1, "", "b")),), ("shown 2",))

    assert first.before(second) == PendingSave(
        "one", "ab", BAIKAL, 2, 20, first.changes + second.changes, ("shown 1", "shown 2")
    )


steps = st.lists(
    st.one_of(st.text("ab😀", max_size=4), st.sampled_from([None, 0])), max_size=20
)  # a draft, an analysis taken, a saving taken


@given(steps)
def test_all_that_was_saved_replays_to_the_draft_whenever_it_was_saved_or_analysed(steps):
    session = WritingSession("one", clock=Clock())
    changes = []
    for step in [*steps, 0]:
        if isinstance(step, str):
            session.type(step)
        elif step is None:
            session.accept(played(session, "ir"))
        elif (saving := session.take_unsaved()) is not None:
            assert saving.text == session.tossup.text
            changes += saving.changes

    assert replay(change.edit for change in changes) == session.tossup.text
    assert [change.seq for change in changes] == list(range(1, len(changes) + 1))


@given(steps)
def test_the_text_after_the_edit_that_was_shown_is_the_text_that_was_analysed(steps):
    session = WritingSession("one", clock=Clock())
    changes, shown, analysed = [], [], []
    for step in [*steps, 0]:
        if isinstance(step, str):
            session.type(step)
        elif step is None:
            if session.accept(played(session, "ir")) and session.request().seq:
                analysed.append(session.tossup.text)
        elif (saving := session.take_unsaved()) is not None:
            changes += saving.changes
            shown += saving.shown

    told = [replay(change.edit for change in changes if change.seq <= one.seq) for one in shown]
    assert set(told) == set(analysed)
