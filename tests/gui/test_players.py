"""Several players in the window: their lanes, their guesses, their evidence, who is on and where."""

import json
import threading
import time

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPixmap, QRegion, QTextCursor
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget

from quizwriter.domain.evidence import Cue, Evidence, Passage
from quizwriter.domain.guessing import Player
from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.gui.analysis_controller import PREPARE_MS
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.column_layout import ColumnLayout
from quizwriter.gui.writing.evidence import EvidencePane, line_boxes
from quizwriter.gui.writing.guess_card import GuessCard, GuessLine, guess_card
from quizwriter.gui.writing.guess_pane import GuessPane
from quizwriter.gui.writing.guess_row import BAR, HIGH, GuessRow
from quizwriter.system.resource_files import resources_folder
from tests.helpers.fakes import DRAFT, Buggy, Estimating, Failing, Gated, Lead, Mute, Overlap
from tests.helpers.patience import PATIENCE_S
from tests.helpers.windows import app_of

BUTTERFLY = Answer("Madama Butterfly", Page("Madama_Butterfly"))
FULL = Tossup(DRAFT, BUTTERFLY)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ALPHABET = 165
"""Pixels that these letters take in Noto Sans of 9 pt; desktops have wider and narrower fonts of one size."""

CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def team(*guessers):
    return tuple(Player(guesser, Lead(), "fake") for guesser in guessers)


FOUR = team(Overlap("ir"), Estimating("dan"), Estimating("rnn"), Mute("ensemble"))


@pytest.fixture
def four(qtbot, reopen):
    """A window with four players that have read the whole draft."""
    window = reopen(FULL, players=FOUR)
    qtbot.waitUntil(lambda: window.settled)
    return window


def lanes(window):
    return [lane.name for lane in window.time_line.lanes]


def cards(window):
    return [view.shown.player for view in window.guesses.cards]


def action(window, text):
    return window.menus.actions[text]


# -- side by side


@pytest.mark.parametrize("width", [900, 1280])
def test_the_legend_has_all_its_entries(qtbot, reopen, width):
    window = reopen(FULL, players=FOUR)
    window.resize(width, 800)
    window.menus.actions["legend"].trigger()
    qtbot.waitUntil(lambda: window.settled)
    line = window.time_line
    qtbot.waitUntil(lambda: line.height() == line.sizeHint().height())
    metrics = line.fontMetrics()
    placed = list(line._placed([("r", "right")] * 40, metrics))

    assert all(x + 14 + metrics.horizontalAdvance(text) <= line.width() for _, text, x, _ in placed)
    assert len(placed) == 40
    assert line._low() + line._legend_rows() * 20 < line.height()


NAMES = ("ir", "dan", "rnn", "ensemble")
"""The starter bundle's players once they are trained."""


@pytest.fixture(scope="module")
def examples(engine):
    """What the starter bundle's first player says of the example set after every 50 words, by tossup."""
    lines = (resources_folder() / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    found = []
    for row in map(json.loads, lines):
        tossup = Tossup(row["text"], Answer(row["answer"], Page(row["page"])))
        play = engine.players[0].play(tossup)
        found += [guess_card(play, heard) for heard in range(20, len(tossup.words) + 1, 50)]
    return found


@pytest.mark.parametrize(("scale", "width"), [(1.25, 900), (1.25, 1280), (1.0, 1440)])
def test_nine_answers_of_ten_are_readable_whole_with_four_players(qtbot, qapp, examples, width, scale):
    """The same pages as guesses of four players, each with the longest caption a card can have."""
    before = qapp.font()
    font = QFont(before)
    as_wide = ALPHABET / QFontMetricsF(before).horizontalAdvance(LETTERS)
    font.setPointSizeF(before.pointSizeF() * scale * as_wide)
    qapp.setFont(font)
    try:
        theme = Theme(qapp, scheme="light", draft_font="", draft_size_px=16)
        pane = GuessPane(theme)
        columns = ColumnLayout(QWidget(), QWidget(), pane, QWidget())
        qtbot.addWidget(columns)
        columns.resize(width, 700)
        columns.show()
        seen = []
        for shown in examples:
            cards = tuple(
                replace(
                    shown,
                    player=name,
                    current=name == "ir",
                    buzz="buzzes at word 100",
                    note="Your answer is not among the first 50",
                )
                for name in NAMES
            )
            pane.show_cards(cards)
            QApplication.processEvents()
            seen += pane.names()
        cut = [name for name, whole in seen if not whole]
        assert len(seen) > 8 * len(examples) * 0.9
        assert len(cut) <= len(seen) / 10, cut[:10]
        if width >= 1280 and scale == 1.0:
            assert len(cut) <= len(seen) / 100, cut[:10]
        wide = pane.findChild(QScrollArea).viewport().width()
        for label in pane.findChildren(QLabel):
            if label.isVisible() and label.text().strip():
                right = label.mapTo(pane, QPoint(label.width(), 0)).x()
                assert right <= 16 + wide
                if not label.wordWrap():
                    assert label.sizeHint().width() <= label.width(), label.text()
                else:
                    assert label.heightForWidth(label.width()) <= label.height(), label.text()
    finally:
        qapp.setFont(before)


# -- order and switches


def test_a_player_is_switched_off_and_on_by_its_key_and_not_asked_meanwhile(qtbot, reopen):
    slow = Gated("dan")
    slow.open(1)
    window = reopen(FULL, players=team(Overlap("ir"), slow))
    qtbot.waitUntil(lambda: window.settled)
    switch = action(window, "player:dan")
    assert switch.isCheckable()
    assert switch.isChecked()

    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL_SHIFT)
    assert lanes(window) == cards(window) == ["ir"]
    assert not action(window, "player:dan").isChecked()
    assert app_of(window).profile.settings.players_off == ("dan",)
    qtbot.keyClicks(window.draft, " more")
    qtbot.waitUntil(lambda: window.settled)
    assert slow.heard == [DRAFT]

    slow.open(1)
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL_SHIFT)
    qtbot.waitUntil(lambda: len(lanes(window)) == 2 and window.time_line.lanes[1].states != "")
    assert slow.heard == [DRAFT, f"{DRAFT} more"]


# -- the quick and the slow


def test_a_quick_player_and_its_evidence_are_shown_while_a_slow_one_thinks(qtbot, reopen):
    slow = Gated("dan")
    window = reopen(FULL, players=team(Overlap("ir"), slow))
    qtbot.waitUntil(lambda: window.evidence.heading == "Evidence for Madama Butterfly")

    assert slow.thinking.is_set()
    assert window.guesses.texts()[0].startswith("1, Madama Butterfly")
    assert lanes(window) == ["ir", "dan"]  # its place is kept
    assert not window.settled
    with qtbot.waitSignal(window.completed) as completed:
        slow.open(1)
    assert completed.args == [window.session.generation]
    qtbot.waitUntil(lambda: window.settled)


def test_a_slow_game_of_an_old_draft_does_not_hold_up_a_quick_player(qtbot, reopen):
    slow = Gated("dan")
    window = reopen(FULL, players=team(Overlap("ir"), slow))
    qtbot.waitUntil(slow.thinking.is_set)
    for letter in " more":
        with qtbot.waitSignal(window.painted):  # each key's, though the slow one still thinks
            qtbot.keyClicks(window.draft, letter)

    assert slow.heard == [DRAFT]
    slow.open(2)
    qtbot.waitUntil(lambda: window.settled)
    assert slow.heard == [DRAFT, f"{DRAFT} more"]  # what came between was dropped


def test_the_slow_player_s_last_game_stays_and_dims_until_the_next_is_there(qtbot, reopen):
    slow = Gated("dan")
    slow.open(1)
    window = reopen(FULL, players=team(Overlap("ir"), slow))
    qtbot.waitUntil(lambda: window.settled)
    before = window.time_line.lanes[1]
    qtbot.keyClicks(window.draft, " x")
    with qtbot.waitSignal(window.painted):
        qtbot.keyClicks(window.draft, "y")
    assert window.time_line.lanes[1] == before

    qtbot.waitUntil(lambda: [view.shown.stale for view in window.guesses.cards] == [False, True])
    assert "DAN is still reading." in window.status.sentence
    assert window.status.shown == "DAN is still reading."  # of whom it stumps nothing is known yet
    slow.open(2)
    qtbot.waitUntil(lambda: window.settled)
    assert not window.guesses.stale
    assert "reading" not in window.status.sentence


@pytest.mark.logs("dan could not play")
@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (Failing, "damaged"),
        pytest.param(Buggy, "error in QuizWriter", marks=pytest.mark.logs("an analysis failed.*a bug")),
    ],
)
def test_a_player_that_fails_says_so_in_its_lane_and_the_others_go_on(qtbot, reopen, caplog, broken, said):
    window = reopen(FULL, players=team(Overlap("ir"), broken("dan"), Overlap("rnn")))
    qtbot.waitUntil(lambda: window.settled)

    ir, dan, rnn = window.time_line.lanes
    assert said in dan.trouble
    assert ir.states == rnn.states != ""
    if broken is Buggy:
        qtbot.waitUntil(lambda: bool(window.messages.text("bug")))  # a bug is told after the last analysis
    assert bool(window.messages.text("bug")) is (broken is Buggy)


# -- evidence


@pytest.mark.logs("ir could not play")
def test_a_player_without_evidence_says_on_whose_it_rests(qtbot, reopen):
    window = reopen(FULL, players=team(Failing("ir"), Estimating("dan"), Mute("ensemble")))
    qtbot.waitUntil(lambda: window.settled)
    window.analysis.show_evidence_of("ensemble")
    qtbot.waitUntil(lambda: window.settled)
    qtbot.waitUntil(lambda: "The ensemble weighs" in window.evidence.why)

    assert "They rank Madama Butterfly: DAN 1st. The evidence here is that of DAN." in window.evidence.why
    assert window.evidence.shown.about == ("dan", "Madama_Butterfly")
    window.analysis.choose_page(Page("Jane_Austen"))
    qtbot.waitUntil(lambda: "none of them names Jane Austen now" in window.evidence.why)
    assert window.evidence.shown.evidence is None


@pytest.mark.logs("ir could not play")
def test_the_evidence_that_a_player_borrows_is_asked_for_once(qtbot, reopen, monkeypatch):
    window = reopen(FULL, players=team(Failing("ir"), Estimating("dan"), Mute("ensemble")))
    qtbot.waitUntil(lambda: window.settled)
    asked = []
    submit = window.analysis._runner.submit
    monkeypatch.setattr(
        window.analysis._runner, "submit", lambda request: (asked.append(request.whose), submit(request))
    )
    window.analysis.show_evidence_of("ensemble")
    qtbot.waitUntil(lambda: window.settled and "The ensemble weighs" in window.evidence.why)
    assert asked == ["dan"]


def test_exact_weights_come_at_once_when_asked_for(qtbot, monkeypatch, four):
    monkeypatch.setattr(
        four.analysis._exact_soon, "_milliseconds", 3_600_000
    )  # they would come after an hour
    four.analysis.show_evidence_of("dan")
    qtbot.waitUntil(lambda: four.evidence.exact.isVisible())
    four.evidence.exact.click()
    assert not four.evidence.exact.isEnabled()
    qtbot.waitUntil(lambda: "Exact:" in four.evidence.why)


def test_who_types_on_does_not_wait_for_exact_weights(qtbot, reopen):
    gate = Gated("gate")

    class Pondering(Estimating):
        def explain(self, tossup, page, *, exact=False):
            if exact:
                gate.play(tossup)
            return super().explain(tossup, page, exact=exact)

    window = reopen(FULL, players=team(Pondering("dan")))
    qtbot.waitUntil(lambda: window.settled)
    window.evidence.exact.click()
    qtbot.waitUntil(gate.thinking.is_set)
    with qtbot.waitSignal(window.painted):
        qtbot.keyClicks(window.draft, "x")
    qtbot.waitUntil(lambda: window.settled)
    assert window.evidence.exact.isEnabled()
    gate.open(2)
    qtbot.wait(50)

    assert window.session.analysis.request.exact is False  # the late ones were dropped


class Remembering(Overlap):
    """Remembers its evidence and when it began to work it out, for which it may need the test's leave.

    That of an older draft is forgotten: on a busy machine it may have begun before the next key.
    """

    def __init__(self, name, *, waits=False):
        super().__init__(name)
        self.text, self.began, self.made = "", [], []
        self.leave = threading.Event()
        if not waits:
            self.leave.set()

    def explain(self, tossup, page, *, exact=False):
        if tossup.text != self.text:
            self.text, self.began, self.made = tossup.text, [], []
        self.began.append(time.monotonic())
        assert self.leave.wait(PATIENCE_S), "the test never gave leave"
        self.made.append(super().explain(tossup, page, exact=exact))
        return self.made[-1]


def test_evidence_at_a_buzz_is_worked_out_in_a_pause_and_is_what_a_click_shows(qtbot, reopen):
    dan = Remembering("dan")
    window = reopen(FULL, players=team(Overlap("ir"), dan))
    qtbot.waitUntil(lambda: window.settled)
    window.draft.moveCursor(QTextCursor.MoveOperation.Start)
    pressed = time.monotonic()
    qtbot.keyClicks(window.draft, "x")
    qtbot.waitUntil(lambda: dan.text.startswith("x") and bool(dan.made))

    assert dan.began[0] - pressed > 0.9 * PREPARE_MS / 1_000  # a timer may be early by a twentieth
    qtbot.waitUntil(lambda: window.analysis.prepared)
    window.analysis.show_buzz("dan")
    assert window.evidence.shown.evidence is dan.made[0]  # at once, without the players' threads
    assert window.settled
    assert len(dan.made) == 1


def test_what_a_click_asks_for_is_painted_once_with_its_evidence(qtbot, reopen, monkeypatch):
    dan = Remembering("dan")
    window = reopen(FULL, players=team(Overlap("ir"), dan))
    monkeypatch.setattr(window.analysis._paint_soon, "_milliseconds", 10_000)  # on the busiest machine
    qtbot.waitUntil(lambda: window.settled)
    made, paint = [], window.analysis.paint
    monkeypatch.setattr(
        window.analysis, "paint", lambda **how: (paint(**how), made.append(window.evidence.shown.about))
    )
    window.analysis.show_buzz("dan")
    qtbot.waitUntil(lambda: window.settled)

    assert made == [("dan", "Madama_Butterfly")]


def test_what_a_click_asks_for_is_painted_without_evidence_that_takes_longer(qtbot, reopen):
    dan = Remembering("dan", waits=True)
    window = reopen(FULL, players=team(Overlap("ir"), dan))
    qtbot.waitUntil(lambda: window.settled)
    window.analysis.show_buzz("dan")
    qtbot.waitUntil(lambda: window.guesses.cards[1].shown.current)

    assert window.evidence.shown.about[0] == "ir"
    dan.leave.set()
    qtbot.waitUntil(lambda: window.evidence.shown.about[0] == "dan")


@pytest.mark.parametrize("prepared", [False, True])
def test_a_buzz_out_of_sight_comes_into_sight_with_its_evidence(qtbot, reopen, prepared):
    window = reopen(Tossup(" ".join([DRAFT] * 6), BUTTERFLY), players=team(Overlap("ir")))
    bar = window.draft.verticalScrollBar()
    qtbot.waitUntil(lambda: window.settled and bar.maximum() > 0)
    if prepared:
        qtbot.waitUntil(lambda: window.analysis.prepared)
    bar.setValue(bar.maximum())
    window.analysis.show_buzz("ir")
    (mark,) = window.draft.buzz_marks()

    def in_sight():
        (box,) = window.draft.boxes(Span(mark.at - 1, mark.at))
        return window.draft.viewport().rect().contains(box.toAlignedRect().center())

    assert in_sight() or not prepared
    qtbot.waitUntil(in_sight)
    qtbot.waitUntil(lambda: window.settled)
    bar.setValue(bar.maximum())  # and stays where the writer scrolls to
    window.analysis.paint()
    assert bar.value() == bar.maximum()


def test_evidence_at_buzzes_is_worked_out_one_by_one_and_a_key_drops_the_rest(qtbot, reopen):
    dan, rnn = Remembering("dan", waits=True), Remembering("rnn")
    window = reopen(FULL, players=team(Overlap("ir"), dan, rnn))
    asked = []
    window.analysis_runner._prepare.connect(lambda _, request: asked.append(request.whose))
    qtbot.waitUntil(lambda: bool(dan.began))
    qtbot.wait(50)

    assert asked == ["ir", "dan"]
    qtbot.keyClicks(window.draft, "x")
    dan.leave.set()
    qtbot.waitUntil(lambda: bool(rnn.made))
    assert asked == ["ir", "dan", "ir", "dan", "rnn"]


def test_a_key_is_painted_before_it_is_read_to_the_players(qtbot, reopen, monkeypatch):
    player = Overlap("ir")
    window = reopen(FULL, players=team(player))
    qtbot.waitUntil(lambda: window.settled)
    read = []
    submit = window.analysis_runner.submit
    # its painting lets it be handed over at once, rather than after the longest wait for that
    monkeypatch.setattr(
        window.analysis_runner,
        "submit",
        lambda request: (read.append(window.analysis._submit_soon._timer.interval()), submit(request)),
    )

    qtbot.keyClicks(window.draft, "z")
    assert read == []
    qtbot.waitUntil(lambda: bool(read))
    assert read == [0]


def test_cards_are_used_again_for_the_next_tossup_and_show_nothing_of_the_last(qtbot):
    theme = Theme(QApplication.instance(), scheme="light", draft_font="", draft_size_px=16)
    pane = GuessPane(theme)
    qtbot.addWidget(pane)
    pane.resize(800, 700)
    pane.show()
    line = GuessLine(1, Page("Tosca"), 0.6, right=True, focus=False)
    names = ("ir", "dan", "rnn", "ensemble")
    pane.show_cards(tuple(GuessCard(name, (line,), buzz="buzzes here") for name in names))
    first = pane.cards
    for made in range(3):
        pane.show_cards(())
        assert not any(view.isVisible() for view in first)
        later = tuple(GuessCard(name, (replace(line, chance=0.1 * made),)) for name in names)
        pane.show_cards(later)
        assert pane.cards == first
        assert [view.shown for view in first] == list(later)
        assert all(view.isVisible() for view in first)
        assert "buzzes here" not in " ".join(pane.texts())
    assert len(pane.findChildren(GuessRow)) == sum(len(view.findChildren(GuessRow)) for view in first)


def test_a_bar_that_would_hardly_move_is_left_alone(qtbot):
    row = GuessRow(Theme(QApplication.instance(), scheme="light", draft_font="", draft_size_px=16))
    qtbot.addWidget(row)
    line = GuessLine(1, Page("Tosca"), 0.611, right=False, focus=False)
    row.show_line(line, has_key=True, glides=False)
    painted = []
    row.update = lambda: painted.append(row.line.chance)

    for chance in (0.612, 0.614, 0.7, 0.701):
        row.show_line(replace(line, chance=chance), has_key=True, glides=False)
    assert painted == [0.7]
    row.show_line(replace(line, chance=0.701, right=True), has_key=True, glides=False)
    assert painted == [0.7, 0.701]


def test_of_a_gliding_bar_the_words_are_not_painted(qtbot, monkeypatch):
    row = GuessRow(Theme(QApplication.instance(), scheme="light", draft_font="", draft_size_px=16))
    qtbot.addWidget(row)
    row.show_line(GuessLine(1, Page("Tosca"), 0.611, right=False, focus=True), has_key=True, glides=False)
    row.resize(240, HIGH)
    row.show()
    qtbot.waitExposed(row)
    qtbot.wait(20)
    worded = []
    monkeypatch.setattr(
        "quizwriter.gui.writing.guess_row.percent", lambda chance: worded.append(chance) or "61 %"
    )

    row._slide(0.9)
    qtbot.wait(20)
    assert not worded
    foot = QRect(0, HIGH - BAR, 240, BAR)
    alone = QPixmap(240, BAR)
    row.render(alone, QPoint(), QRegion(foot))
    assert not worded
    assert alone.toImage() == row.grab().copy(foot).toImage()
    assert worded == [0.611]


def test_words_are_underlined_wherever_the_evidence_is_scrolled_to(qtbot, monkeypatch):
    theme = Theme(QApplication.instance(), scheme="light", draft_font="", draft_size_px=16)
    pane = EvidencePane(theme)
    qtbot.addWidget(pane)
    sentence = "Oaks and elms lie in this wood of שם by the lake. "
    tossup = Tossup(sentence * 12)
    cues = tuple(Cue(span, 1.0 if at % 2 else -0.5) for at, span in enumerate(tossup.words))
    text = "Of oaks and elms by lakes"
    passages = tuple(Passage("a book", text, Tossup(text).words[1:4], number) for number in range(12))
    pane.resize(300, 400)
    pane.show()
    qtbot.waitExposed(pane)
    pane.show_evidence(tossup, Evidence("ir", Page("Elm"), 9.0, cues, passages))
    heat = pane.text
    qtbot.waitUntil(lambda: heat.verticalScrollBar().maximum() > 1_000)
    drawn = []
    monkeypatch.setattr(
        "quizwriter.gui.writing.evidence.draw_cue",
        lambda painter, box, *_: drawn.append(box.adjusted(0, 0, 0, 2)),
    )

    metrics, most = QFontMetricsF(theme.draft_font()), heat.verticalScrollBar().maximum()
    for down in (0, 7, most // 3, most // 2, most):
        heat.verticalScrollBar().setValue(down)
        drawn.clear()
        heat.viewport().grab()
        sight = QRectF(heat.viewport().rect()).adjusted(0, -4, 0, 4)
        every = (
            box.translated(0, -down)
            for at, length, _ in heat._cues
            for box in line_boxes(heat.document(), at, at + length, metrics)
        )
        assert drawn == [box for box in every if box.top() < sight.bottom() and box.bottom() > sight.top()]
        assert drawn


def test_a_low_evidence_pane_keeps_its_players_and_lines_of_the_text(qtbot):
    theme = Theme(QApplication.instance(), scheme="light", draft_font="", draft_size_px=16)
    host = QWidget()
    pane = EvidencePane(theme, host)
    qtbot.addWidget(host)
    tossup = Tossup("Oaks and elms lie in this wood by the lake. " * 3)
    cues = tuple(Cue(span, 1.0) for span in tossup.words)
    pane.chooser.show_players(("ir", "dan", "rnn", "ensemble"), "ir")
    pane.show_evidence(tossup, Evidence("ir", Page("Elm"), 9.0, cues, ()))
    pane.resize(230, 700)
    host.resize(230, 700)
    host.show()
    qtbot.waitExposed(host)
    assert pane._why.isVisible()
    assert pane._legend.isVisible()

    pane.resize(230, 190)
    qtbot.waitUntil(lambda: not pane._legend.isVisible())
    assert pane._why.isVisible()
    line = QFontMetricsF(theme.draft_font()).lineSpacing()
    qtbot.waitUntil(lambda: pane.text.viewport().height() >= 2 * line)
    assert pane.chooser.height() >= pane.chooser.heightForWidth(pane.chooser.width())
    pane.resize(230, 700)
    qtbot.waitUntil(lambda: pane._title.isVisible() and pane._why.isVisible() and pane._legend.isVisible())
