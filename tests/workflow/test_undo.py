"""Undo and redo by steps: of any mix of what writers do, also in another run of the program."""

from itertools import pairwise

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from quizwriter.domain.history import Change, Edit, EditKind, replay
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.session import WritingSession
from quizwriter.workflow.undo import LONG_RUN, PAUSE_MS, TYPED_AT_ONCE, UndoLog

KEY_MS = 50


class Writer:
    """Types into a session with a clock of its own, and keeps what is saved."""

    def __init__(self):
        self.now = 0
        self.log = []
        self.session = WritingSession("one", clock=lambda: self.now)

    @property
    def text(self):
        return self.session.tossup.text

    def keys(self, letters, at=None):
        """Type ``letters`` at a place, else at the end."""
        at = len(self.text) if at is None else at
        for letter in letters:
            self.now += KEY_MS
            self.session.type(self.text[:at] + letter + self.text[at:])
            at += 1

    def rub_out(self, count, at=None):
        """Press the key for that so often."""
        at = len(self.text) if at is None else at
        for _ in range(count):
            self.now += KEY_MS
            self.session.type(self.text[: at - 1] + self.text[at:], at - 1)  # which of two equal spaces went
            at -= 1

    def pause(self, ms=8_000):
        self.now += ms

    def jump(self):
        self.session.undo_log.end_step()

    def save(self):
        saving = self.session.take_unsaved()
        self.log += saving.changes if saving is not None else ()

    def restart(self, *, reads=True):
        self.save()
        before = self.session
        self.session = WritingSession(
            "one", before.tossup, seq=len(self.log), head="known", clock=lambda: self.now
        )
        if reads:
            self.read()

    def read(self):
        if self.session.log_wanted:
            self.session.take_log(self.session.log_of(self.log))


@pytest.fixture
def writer():
    return Writer()


def undone(writer):
    """The texts that one undo after the other leaves."""
    texts = []
    while writer.session.undo():
        texts.append(writer.text)
    return texts


def test_two_sentences_with_a_pause_between_are_two_steps(writer):
    writer.keys("It froze.")
    writer.pause()
    writer.keys(" It thawed.")

    assert undone(writer) == ["It froze.", ""]


def test_a_run_ends_between_words_even_if_the_pause_was_inside_one(writer):
    writer.keys("It fro")
    writer.pause()
    writer.keys("ze. It thawed.")

    assert undone(writer) == ["It froze.", ""]


def test_typing_without_a_pause_ends_at_a_word_now_and_then(writer):
    writer.keys("a lake that is deep " * 40)
    texts = [writer.text, *undone(writer)]
    sizes = [len(longer) - len(shorter) for longer, shorter in pairwise(texts)]

    assert max(sizes) < LONG_RUN + len(" that ")
    assert all(text == "" or text.split()[-1] in ("a", "lake", "that", "is", "deep") for text in texts)


def test_a_short_pause_ends_nothing(writer):
    writer.keys("It froze")
    writer.pause(PAUSE_MS - 2 * KEY_MS)
    writer.keys(" there")

    assert undone(writer) == [""]


@pytest.mark.parametrize("restarts", [False, True])
def test_a_jump_of_the_cursor_ends_a_run_even_if_it_comes_back(writer, restarts):
    writer.keys("froze")
    writer.jump()
    writer.keys("n")
    if restarts:
        writer.restart()

    assert undone(writer) == ["froze", ""]


def test_a_letter_like_its_neighbour_does_not_end_a_run(writer):
    writer.keys("et")
    writer.jump()
    writer.keys("lee", at=0)

    assert writer.text == "leeet"
    assert undone(writer) == ["et", ""]


def test_rubbing_out_is_a_step_and_what_is_typed_instead_is_another(writer):
    writer.keys("lake")
    writer.rub_out(3)
    writer.keys("ine")

    assert undone(writer) == ["l", "lake", ""]


def test_what_is_typed_over_is_one_step_with_what_replaces_it(writer):
    writer.keys("lake")
    writer.jump()
    writer.session.type("r")  # all was selected
    writer.keys("iver")

    assert undone(writer) == ["lake", ""]


def test_deleting_to_the_right_is_one_step(writer):
    writer.keys("a lake")
    writer.jump()
    for text in (" lake", "lake", "ake"):
        writer.now += KEY_MS
        writer.session.type(text)

    assert undone(writer) == ["a lake", ""]


def test_more_than_can_be_typed_at_once_is_a_step(writer):
    writer.keys("lake")
    writer.session.type("lake" + "x" * (TYPED_AT_ONCE + 1))
    writer.keys("y")

    assert len(undone(writer)) == 3


def test_redo_goes_the_whole_way_back_and_typing_empties_it(writer):
    writer.keys("one")
    writer.jump()
    writer.keys(" two")
    writer.session.undo()
    writer.session.undo()
    assert writer.text == ""
    writer.session.redo()
    assert writer.text == "one"
    writer.session.redo()
    assert writer.text == "one two"
    assert writer.session.redo() == ()
    writer.session.undo()
    writer.keys("!")
    assert writer.session.redo() == ()
    assert undone(writer) == ["one", ""]


def test_what_is_undone_is_an_edit_of_the_log_and_leads_to_the_text(writer):
    writer.keys("one")
    writer.session.undo()
    writer.session.redo()
    writer.save()

    assert [change.kind for change in writer.log] == [EditKind.FIRST, EditKind.UNDO, EditKind.REDO]
    assert replay(change.edit for change in writer.log) == "one"
    assert [change.seq for change in writer.log] == [1, 2, 3]


def test_an_undo_is_a_new_generation_for_the_players(writer):
    writer.keys("one")
    before = writer.session.generation
    writer.session.undo()

    assert writer.session.generation > before
    assert writer.session.request().tossup.text == ""


def test_another_run_knows_an_undo_from_rubbing_out(writer):
    """The edits are the same; only their kinds tell them apart."""
    writer.keys("ab")
    writer.jump()
    writer.keys("c")
    writer.save()
    writer.rub_out(1)
    writer.restart()
    writer.session.undo()
    assert writer.text == "abc"
    writer.session.undo()
    assert writer.text == "ab"
    writer.restart()
    writer.session.undo()
    assert writer.text == ""
    writer.restart()
    for text in ("ab", "abc", "ab"):
        writer.session.redo()
        assert writer.text == text
    assert writer.session.redo() == ()


def test_several_edits_can_be_one_step_in_another_run_too(writer):
    writer.keys("one (*) two")
    writer.jump()
    for _ in range(2):
        writer.session.undo_log.hold()
        writer.session.type("one two")
        writer.save()
        writer.session.type("one two (*)")
        writer.session.undo_log.end_step()
        writer.restart()
        assert len(writer.session.undo()) == 2
        assert writer.text == "one (*) two"
        writer.restart()
        assert len(writer.session.redo()) == 2
        assert writer.text == "one two (*)"
        writer.restart()
        writer.session.undo()
        assert writer.text == "one (*) two"


def test_a_text_that_came_in_one_piece_is_never_undone_in_another_run(writer):
    came = "word " * 30
    writer.session.type(came)
    writer.restart()
    assert undone(writer) == []

    writer.keys("more")
    writer.restart()
    assert undone(writer) == [came]
    writer.restart()
    assert writer.session.redo()
    assert writer.text == came + "more"


def test_until_the_log_is_read_there_may_be_something_to_undo_and_to_redo(writer):
    writer.keys("one")
    writer.restart(reads=False)
    assert (writer.session.can_undo, writer.session.can_redo) == (True, True)
    assert writer.session.undo() == ()
    writer.keys("!")
    assert (writer.session.can_undo, writer.session.can_redo) == (True, False)
    writer.read()
    assert undone(writer) == ["one", ""]
    assert not writer.session.can_undo


def test_a_log_of_another_text_is_refused(writer):
    writer.keys("one")
    writer.restart(reads=False)
    writer.log = [Change(1, 1, Edit(0, "", "two"))]

    with pytest.raises(ValueError, match="another text"):
        writer.session.log_of(writer.log)


def test_a_log_without_kinds_is_undone_by_its_times_and_places():
    """As of an older program, or of another machine: it was saved ten times a second."""
    log, text, at_ms = [], "", 0
    for piece in ("It fr", "oze.", None, " It", " thawed", "."):
        at_ms += 100
        if piece is None:
            at_ms += 8_000
            continue
        log.append(Change(len(log) + 1, at_ms, Edit(len(text), "", piece)))
        text += piece
    log.append(Change(len(log) + 1, at_ms + 100, Edit(0, "It froze.", "")))
    session = WritingSession("one", Tossup(" It thawed."), seq=len(log), head="known")
    session.take_log(session.log_of(log))
    texts = []
    while session.undo():
        texts.append(session.tossup.text)

    assert texts == ["It froze. It thawed.", "It froze.", ""]


def test_a_kind_that_does_not_fit_makes_an_edit_like_any_other():
    log = UndoLog([
        Change(1, 1, Edit(0, "", "a"), kind=EditKind.UNDO),
        Change(2, 2, Edit(1, "", "b"), kind=EditKind.REDO),
        Change(3, 3, Edit(0, "ab", "c"), kind=EditKind.UNDO),
    ])  # fmt: skip

    assert [done.edit for done in log.undo_step()] == [Edit(0, "c", "ab")]
    assert not log.can_redo


class PlainModel:
    """What anybody expects of undo: the texts between the steps, and where we are among them."""

    def __init__(self):
        self.texts = [""]
        self.at = 0
        self.run_end = None  # where typing on would belong to the last step
        self.run_length = 0

    @property
    def text(self):
        return self.texts[self.at]

    def step(self, text, run_end=None, run_length=0):
        self.texts[self.at + 1 :] = [text]
        self.at += 1
        self.run_end, self.run_length = run_end, run_length

    def more(self, text, length):
        self.texts[self.at] = text
        self.run_end += length
        self.run_length += length

    def go(self, by):
        self.at = max(0, min(len(self.texts) - 1, self.at + by))
        self.run_end = None


class Undoing(RuleBasedStateMachine):
    """Two tossups, written on in any order, in any number of runs of the program."""

    def __init__(self):
        super().__init__()
        self.tossups = [(Writer(), PlainModel()), (Writer(), PlainModel())]
        self.letters = iter(
            map(chr, range(0x1F300, 0x1FAFF))
        )  # each once, or the same text comes about twice
        self.writer, self.model = self.tossups[0]

    def word(self, length):
        return "".join(next(self.letters) for _ in range(length))

    def place(self, share):
        return round(share * len(self.model.text))

    places = st.floats(0, 1)
    lengths = st.integers(1, 5)

    @rule(share=places, length=lengths)
    def type_somewhere(self, share, length):
        at, word, text = self.place(share), self.word(length), self.model.text
        self.writer.jump()
        self.writer.keys(word, at)
        self.model.step(text[:at] + word + text[at:], at + length, length)

    @precondition(lambda self: self.model.run_end is not None and self.model.run_length < LONG_RUN - 8)
    @rule(length=lengths, spaced=st.booleans())
    def type_on(self, length, spaced):
        word, at, text = " " * spaced + self.word(length), self.model.run_end, self.model.text
        self.writer.keys(word, at)
        self.model.more(text[:at] + word + text[at:], len(word))

    @precondition(lambda self: self.model.run_end is not None)
    @rule(length=lengths)
    def pause_and_type_on(self, length):
        word, at, text = " " + self.word(length), self.model.run_end, self.model.text
        self.writer.pause()
        self.writer.keys(word, at)
        self.model.step(text[:at] + word + text[at:], at + len(word), len(word))

    @precondition(lambda self: self.model.text)
    @rule(share=places, length=lengths)
    def rub_out(self, share, length):
        text = self.model.text
        at = max(1, self.place(share))
        count = min(length, at)
        self.writer.jump()
        self.writer.rub_out(count, at)
        self.model.step(text[: at - count] + text[at:])

    @rule(share=places, length=st.integers(1, 40), removed=lengths)
    def paste(self, share, length, removed):
        text, at, new = self.model.text, self.place(share), self.word(length)
        whole = text[:at] + new + text[at + removed :]
        self.writer.jump()
        self.writer.session.type(whole)
        self.writer.jump()
        self.model.step(whole)

    @rule(first=places, second=places)
    def do_two_things_as_one_step(self, first, second):
        self.writer.session.undo_log.hold()
        text = self.model.text
        for share in (first, second):
            at = round(share * len(text))
            text = text[:at] + self.word(1) + text[at:]
            self.writer.session.type(text)
        self.writer.session.undo_log.end_step()
        self.model.step(text)

    @rule(count=st.integers(1, 4))
    def undo(self, count):
        for _ in range(count):
            if not self.writer.session.undo_log.can_undo:
                self.writer.read()  # as the window does
            self.writer.session.undo()
            self.model.go(-1)

    @rule(count=st.integers(1, 4))
    def redo(self, count):
        for _ in range(count):
            if not self.writer.session.undo_log.touched:
                self.writer.read()
            self.writer.session.redo()
            self.model.go(1)

    @rule()
    def save(self):
        self.writer.save()

    @rule(number=st.integers(0, 1))
    def switch(self, number):
        self.writer, self.model = self.tossups[number]
        self.writer.jump()
        self.model.run_end = None

    @rule(reads=st.booleans())
    def restart(self, reads):
        for writer, model in self.tossups:
            writer.restart(reads=reads)
            model.run_end = None

    @initialize()
    def begin(self):
        assert self.writer.text == ""

    @invariant()
    def the_texts_are_those_of_the_model(self):
        for writer, model in self.tossups:
            assert writer.text == model.text

    def teardown(self):
        for writer, model in self.tossups:
            writer.restart()
            assert replay(change.edit for change in writer.log) == model.text
            assert [change.seq for change in writer.log] == list(range(1, len(writer.log) + 1))
            assert undone(writer) == model.texts[: model.at][::-1]
            there = []
            while writer.session.redo():
                there.append(writer.text)
            assert there == model.texts[1:]


TestUndoing = Undoing.TestCase
TestUndoing.settings = settings(stateful_step_count=40)
