"""How long the reason of a buzz takes: real clicks on bells, timed until the evidence is painted."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent

from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.main_window import MainWindow
from quizwriter.workflow.estimates import percentile
from quizwriter.workflow.session import WritingSession

SHOWN_MS = 20_000
"""How many milliseconds the players may take to play a tossup, or to explain a buzz."""

_LOOK_MS = 2  # between two looks whether something is done


def measure_bells(window: MainWindow, texts: Iterable[str]) -> dict[str, float]:
    """What a click on a bell costs in ``window``, in milliseconds until the player's evidence is painted.

    Each of ``texts`` is opened, and the bell of each player that buzzes clicked twice: ``bell``, as soon as
    all players have played; ``prepared_bell``, when the evidence has been worked out in a pause, as for a
    writer who has just read the sentence again. ``bells`` counts the clicks of either kind.
    """
    times: dict[str, list[float]] = defaultdict(list)
    for number, text in enumerate(texts):
        window.sessions.open(WritingSession(f"bells-{number}", Tossup(text), cursor=len(text)))
        _wait(lambda: bool(window.analysis.current_plays) and window.settled, "play")
        for name, prepared in (("bell", False), ("prepared_bell", True)):
            for place in _bells(window):
                if prepared:
                    _wait(lambda: window.analysis.prepared, "prepare evidence")
                player, wait = _clicked(window, place)
                times[f"{player}_{name}"].append(wait)
                window.put_away()
                QCoreApplication.processEvents()  # the bells are where they were once the text is laid out
                _wait(lambda: window.settled, "come back from the evidence")
    figures: dict[str, float] = {"bells": sum(map(len, times.values())) / 2}
    for name, found in times.items():
        figures |= {f"{name}_p{at}": percentile(found, at) for at in (50, 95)}
    return figures


def _bells(window: MainWindow) -> list[QPointF]:
    """Where to click in the margin; once for each player that buzzes on the line."""
    margin, top = window.draft.buzz_margin, window.draft.column.top()
    return [
        QPointF(margin.width() - 10, line.box.center().y() + top)
        for line in window.draft.mark_painter.buzz_lines()
        for _ in line.marks
    ]


def _clicked(window: MainWindow, place: QPointF) -> tuple[str, float]:
    """Whose bell a click at ``place`` is on, and the time until that player's evidence is on the screen."""
    paint = _EvidencePaint(window)
    margin = window.draft.buzz_margin
    started = time.perf_counter()
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
        event = QMouseEvent(
            kind, place, margin.mapToGlobal(place), Qt.MouseButton.LeftButton, Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        QCoreApplication.sendEvent(margin, event)
    _wait(lambda: paint.at > 0, "explain a buzz")
    paint.end()
    return paint.player, (paint.at - started) * 1000


class _EvidencePaint(QObject):
    """Notes whose bell is clicked, and when the evidence of that player at its buzz has been painted."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self.player, self.at = "", 0.0
        window.draft.buzz_clicked.connect(self._note_player)
        window.evidence.text.viewport().installEventFilter(self)

    def end(self) -> None:
        self._window.draft.buzz_clicked.disconnect(self._note_player)
        self._window.evidence.text.viewport().removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and not self.at and self._is_shown():
            QTimer.singleShot(0, self, self._note)
        return False

    def _is_shown(self) -> bool:
        shown, plays = self._window.evidence.shown, self._window.analysis.current_plays
        buzz = next((play.buzz for play in plays if play.guesser == self.player), None)
        if shown.evidence is None or buzz is None or shown.place.heard != buzz.heard:
            return False
        borrowed = bool(shown.aside)  # from another player, which is named
        return self._window.analysis.evidence_player == self.player and (
            borrowed or shown.evidence.guesser == self.player
        )

    def _note_player(self, player: str) -> None:
        self.player = player

    def _note(self) -> None:
        self.at = self.at or time.perf_counter()


def _wait(done: Callable[[], bool], what: str) -> None:
    loop = QEventLoop()
    look = QTimer(loop)
    look.timeout.connect(lambda: loop.quit() if done() else None)
    look.start(_LOOK_MS)
    QTimer.singleShot(SHOWN_MS, loop, loop.quit)
    if not done():
        loop.exec()
    look.stop()
    if not done():
        raise QuizwriterError(
            f"The players did not {what} within {SHOWN_MS // 1000} seconds.",
            "Try again when the computer has less to do.",
        )
