"""Styles in a writing session: set, typed on, undone, saved, and replayed by another run of the program."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from quizwriter.domain.events import Event
from quizwriter.domain.history import EditKind, replay
from quizwriter.domain.span import Span
from quizwriter.domain.styles import (
    AnswerStyled,
    LetterStyle,
    Styled,
    TextStyles,
    answer_styles,
    styles_after,
)
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.session import PendingSave, WritingSession


class StyledWriter:
    """Writes with a clock of its own; ``log`` and ``events`` are what was saved."""

    def __init__(self):
        self.now = 0
        self.log, self.events = [], []
        self.session = WritingSession("one", clock=self.tick)

    def tick(self):
        self.now += 1
        return self.now

    @property
    def text(self):
        return self.session.tossup.text

    @property
    def state(self):
        return self.text, self.session.styles

    def keys(self, letters, at=None):
        at = len(self.text) if at is None else at
        for letter in letters:
            self.session.type(self.text[:at] + letter + self.text[at:])
            at += 1

    def toggle(self, style, start, end):
        styles = self.session.styles.toggled(style, self.text, Span(start, end))
        return self.session.restyle(Span(start, end), styles)

    def save(self):
        saving = self.session.take_unsaved()
        if saving is not None:
            self.log += saving.changes
            self.events += saving.styled

    def restart(self):
        self.save()
        line = self.session.tossup.answer.line if self.session.tossup.answer else ""
        session = WritingSession(
            "one",
            Tossup(replay(change.edit for change in self.log), self.session.tossup.answer),
            seq=len(self.log),
            head="known",
            clock=self.tick,
            styles=styles_after(self.log, self.events),
            answer_styles=answer_styles(line, self.events),
        )
        assert (session.tossup.text, session.styles) == self.state
        assert session.answer_styles == self.session.answer_styles
        self.session = session
        if session.log_wanted:
            session.take_log(session.log_of(self.log, self.events))


def spans(writer):
    return [(span.start, span.end, *map(str, span.styles)) for span in writer.session.styles.spans()]


def test_a_word_is_set_bold_and_undone_and_redone_in_any_run():
    writer = StyledWriter()
    writer.keys("one two")
    assert writer.toggle(LetterStyle.BOLD, 4, 7)
    assert not writer.session.restyle(Span(4, 7), writer.session.styles.stretch(Span(4, 7)))
    assert spans(writer) == [(4, 7, "bold")]
    for restarts in (False, True):
        assert writer.session.undo()
        assert (writer.text, spans(writer)) == ("one two", [])
        if restarts:
            writer.restart()
        assert writer.session.redo()
        assert spans(writer) == [(4, 7, "bold")]
        if restarts:
            writer.restart()
    writer.session.undo()
    writer.session.undo()
    assert writer.text == ""


def test_to_undo_a_deletion_brings_the_styles_back():
    writer = StyledWriter()
    writer.keys("one two three")
    writer.toggle(LetterStyle.ITALIC, 4, 7)
    writer.session.undo_log.end_step()
    writer.session.type("one three", 4)
    assert spans(writer) == []
    writer.restart()
    writer.session.undo()
    assert (writer.text, spans(writer)) == ("one two three", [(4, 7, "italic")])
    writer.restart()
    writer.session.redo()
    writer.session.undo()
    writer.session.undo()
    assert (writer.text, spans(writer)) == ("one two three", [])


def test_what_belongs_to_an_edit_is_undone_with_it_and_typing_goes_on_in_one_step():
    writer = StyledWriter()
    writer.keys("a ")
    writer.session.undo_log.end_step()
    writer.keys("b")
    writer.session.restyle(Span(2, 3), TextStyles(bytes([LetterStyle.BOLD.bit])), belongs=True)
    writer.keys("old")
    assert spans(writer) == [(2, 6, "bold")]
    for _ in range(2):
        assert writer.session.undo()
        assert (writer.text, spans(writer)) == ("a ", [])
        writer.restart()
        assert writer.session.redo()
        assert (writer.text, spans(writer)) == ("a bold", [(2, 6, "bold")])
        writer.restart()


def test_a_restyling_keeps_the_letters_before_and_after_it_apart_in_the_log():
    writer = StyledWriter()
    writer.keys("ab")
    writer.toggle(LetterStyle.BOLD, 0, 2)
    writer.keys("c")
    writer.save()

    assert [change.edit.inserted for change in writer.log] == ["ab", "c"]
    assert [(event.seq, event.body.step) for event in writer.events] == [(1, EditKind.FIRST)]


def test_styles_move_nothing_that_the_players_read():
    writer = StyledWriter()
    writer.keys("ab")
    generation = writer.session.generation
    writer.toggle(LetterStyle.BOLD, 0, 2)

    assert writer.session.generation == generation
    assert writer.session.has_unsaved


def test_the_answer_line_has_styles_that_follow_it():
    writer = StyledWriter()
    writer.session.set_answer(Answer("Madama Butterfly"))
    assert writer.session.restyle_answer(TextStyles(bytes(7) + bytes([1]) * 9))
    writer.session.set_answer(Answer("The Madama Butterfly"))
    writer.restart()
    assert writer.session.answer_styles == TextStyles(bytes(11) + bytes([1]) * 9)
    assert [type(event.body) for event in writer.events] == [AnswerStyled]
    writer.session.set_answer(None)
    writer.restart()
    assert not writer.session.answer_styles


def test_savings_of_one_tossup_join_what_was_styled():
    said = [Event.new("t", at, "", Styled(0, 1)) for at in (1, 2)]
    first = PendingSave("t", "a", None, 0, 1, styled=(said[0],))
    second = PendingSave("t", "a", None, 0, 2, styled=(said[1],))

    assert first.before(second).styled == tuple(said)


def test_a_log_that_is_read_later_leaves_out_what_was_styled_since():
    writer = StyledWriter()
    writer.keys("one")
    writer.restart()
    writer.session = replace_session(writer)
    writer.toggle(LetterStyle.BOLD, 0, 3)
    writer.save()
    writer.session.take_log(writer.session.log_of(writer.log, writer.events))
    writer.session.undo()
    assert (writer.text, spans(writer)) == ("one", [])
    writer.session.undo()
    assert writer.text == ""


def replace_session(writer):
    """A session on what was saved, whose log is not read yet."""
    return WritingSession("one", Tossup(writer.text), seq=len(writer.log), head="known", clock=writer.tick)


STYLES = st.sampled_from(list(LetterStyle))
PLACES = st.integers(0, 40)


class StyledSteps(RuleBasedStateMachine):
    """Any mix of edits and restylings, each a step, against the list of the states between them."""

    @initialize()
    def begin(self):
        self.writer = StyledWriter()
        self.states, self.at = [self.writer.state], 0

    def _did(self):
        self.writer.session.undo_log.end_step()
        if self.writer.state != self.states[self.at]:
            self.states[self.at + 1 :] = [self.writer.state]
            self.at += 1

    def _span(self, low, high):
        size = len(self.writer.text) + 1
        return sorted((low % size, high % size))

    @rule(low=PLACES, high=PLACES, text=st.text("ab \n", max_size=4), same=st.booleans())
    def replace(self, low, high, text, same):
        start, end = self._span(low, high)
        end = start if same else end
        before = self.writer.text
        self.writer.session.type(before[:start] + text + before[end:])
        self._did()

    @rule(low=PLACES, high=PLACES, style=STYLES)
    def toggle(self, low, high, style):
        self.writer.toggle(style, *self._span(low, high))
        self._did()

    @rule(low=PLACES, letters=st.text("cd", min_size=1, max_size=4), codes=st.binary(max_size=4))
    def paste(self, low, letters, codes):
        at = self._span(low, low)[0]
        text = self.writer.text
        self.writer.session.type(text[:at] + letters + text[at:], at + len(letters))
        styles = TextStyles.of_codes(codes)
        self.writer.session.restyle(Span(at, at + len(letters)), styles, belongs=True)
        self._did()

    @rule(low=PLACES, high=PLACES, style=STYLES, letter=st.sampled_from("xy"))
    def held(self, low, high, style, letter):
        """Two edits and a restyling between them that are one step."""
        log = self.writer.session.undo_log
        log.hold()
        start, end = self._span(low, high)
        text = self.writer.text
        self.writer.session.type(text[:start] + letter + text[end:])
        self.writer.toggle(style, 0, start + 1)
        self.writer.session.type(self.writer.text + "z")
        log.end_step()
        self._did()

    @precondition(lambda self: self.at > 0)
    @rule()
    def undo(self):
        assert self.writer.session.undo()
        self.at -= 1

    @precondition(lambda self: self.at < len(self.states) - 1)
    @rule()
    def redo(self):
        assert self.writer.session.redo()
        self.at += 1

    @rule()
    def save(self):
        self.writer.save()

    @rule()
    def restart(self):
        self.writer.restart()

    @invariant()
    def is_there(self):
        assert self.writer.state == self.states[self.at]
        assert self.writer.session.can_undo == (self.at > 0)
        assert self.writer.session.can_redo == (self.at < len(self.states) - 1)


TestStyledSteps = StyledSteps.TestCase
TestStyledSteps.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
