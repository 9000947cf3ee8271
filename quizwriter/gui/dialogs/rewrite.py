"""*File > New from a past question…*: past questions that the players get early, to be made harder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from quizwriter.cancellation import Cancellation, Cancelled, Progress
from quizwriter.domain.page import page_title
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.dialogs.goal import GoalForm
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import choice_box, named, plain_table
from quizwriter.gui.widgets.icons import draw_bell
from quizwriter.gui.widgets.labels import plain_tooltip, tree_row
from quizwriter.gui.widgets.layouts import row_of
from quizwriter.services.wiring import App
from quizwriter.workflow.categories import STANDARD
from quizwriter.workflow.rewrite_offers import RewriteGame, RewriteOffer, in_order
from quizwriter.workflow.wording import counted_noun, player_title

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

ANY = "Any category"


class RewriteDialog(Dialog):
    """Draws past questions of a category, has them played, and begins a tossup with the chosen one.

    ``begun`` carries the id of the new tossup.
    """

    begun = Signal(str)

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, engine: Engine, set_name: str, parent: QWidget | None = None
    ) -> None:
        """Offer questions that nobody of the set ``set_name`` has rewritten; the new tossup goes there."""
        super().__init__(theme, "New from a past question", parent, size=(820, 640))
        self._app, self._jobs, self._engine, self._set_name = app, jobs, engine, set_name
        self._offers: tuple[RewriteOffer, ...] = ()
        self._searches = 0
        where = f"nobody of the set {set_name} has" if set_name else "you have not"
        self.body.addWidget(
            self.label(
                f"Past questions that the players answer early and that {where} rewritten. Exports credit "
                "the original.",
                TextStyle.CAPTION,
            )
        )
        self.categories = choice_box("Category")
        self.search_button = outlined("Look for questions", self.search)
        row = row_of(self.label("Category", wrap=False), (self.categories, 1), self.search_button, spacing=8)
        self.list = plain_table("Past questions", "Answer", "Players buzz at", "Seen in training", "Asked")
        self.list.setUniformRowHeights(True)
        for place, width in enumerate((170, 300, 70)):
            self.list.setColumnWidth(place, max(theme.px(width), self.list.header().sectionSizeHint(place)))
        self.list.currentItemChanged.connect(lambda *_: self._show_choice())
        self.curves = RewriteCurves(theme)
        self.text = named(QPlainTextEdit(), "Text of the question")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setMaximumHeight(theme.px(120))
        self.goal = GoalForm([player.name for player in engine.players if not player.has_gaps])
        self.body.addLayout(row)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self.curves)
        self.body.addWidget(self.text)
        about_goal = self.label(
            "Buzz goal of the new tossup: the earliest share at which players should buzz", TextStyle.CAPTION
        )
        self.body.addWidget(about_goal)
        self.body.addWidget(self.goal)
        self.begin_button = self.add_primary("Start", self.begin)
        self.set_ready(False)
        self._full = (self.list, self.curves, self.text, about_goal, self.goal, self.begin_button)
        self.fill(False, *self._full)
        self.run_job(jobs, "Reading your categories…", lambda _: app.rewriting.own_categories(), self._offer)

    def _offer(self, own: tuple[str, ...]) -> None:
        standard = dict.fromkeys(path[0] for path in STANDARD)
        for name in dict.fromkeys((*own, *standard)):
            self.categories.addItem(f"{name} (yours)" if name in own else name, name)
        self.categories.addItem(ANY, "")
        self.categories.setCurrentIndex(0 if own else self.categories.count() - 1)
        self.search()

    def search(self) -> None:
        """Draw questions and have them played; each search draws others."""
        if self.busy:
            return
        self._searches += 1
        self._offers = ()
        self.list.clear()
        self._show_choice()
        category, seed = str(self.categories.currentData() or ""), self._searches
        cancellation, found = Cancellation(), list[RewriteOffer]()
        app, engine, set_name = self._app, self._engine, self._set_name

        def do(progress: Progress) -> tuple[RewriteOffer, ...]:
            try:
                return app.rewriting.offers(
                    engine, category, set_name, seed=seed, found=found.append, progress=progress,
                    cancellation=cancellation,
                )  # fmt: skip
            except Cancelled:
                return tuple(in_order(found))

        self.finished.connect(lambda _: cancellation.cancel())
        self.search_button.setEnabled(False)
        self.run_job(
            self._jobs,
            "The players play past questions…",
            do,
            self._show,
            cancel=cancellation.cancel,
            telling=lambda done, total: f"The players play past question {done + 1:,} of {total:,}…",
        )

    def end_busy(self, text: str = "", *, trouble: bool = False) -> None:
        super().end_busy(text, trouble=trouble)
        self.search_button.setEnabled(True)

    def show_failure(self, text: str) -> None:
        super().show_failure(text)
        self.fill(bool(self._offers), *self._full)

    def _show(self, offers: Sequence[RewriteOffer]) -> None:
        self._offers = tuple(offers)
        self.list.clear()
        for one in self._offers:
            learnt = "yes" if one.read else "no"
            cells = [page_title(one.question.page), one.places, learnt, one.question.source]
            self.list.addTopLevelItem(tree_row(cells))
        said = f"{counted_noun(len(offers), 'question')} that the players answer early."
        if known := sum(one.read for one in offers):
            said += f" The players saw {known:,} of them in training."
        self.fill(bool(offers), *self._full)
        self.show_message(
            said
            if offers
            else "The players answer none of the drawn questions early. Search again for others."
        )
        if first := self.list.topLevelItem(0):
            self.list.setCurrentItem(first)
            self.list.setFocus()
        self._show_choice()

    @property
    def chosen(self) -> RewriteOffer | None:
        row = self.list.currentIndex().row()
        return self._offers[row] if 0 <= row < len(self._offers) else None

    def _show_choice(self) -> None:
        offer = self.chosen
        self.text.setPlainText(offer.question.text if offer is not None else "")
        self.curves.show_games(offer.games if offer is not None else ())
        self.set_ready(offer is not None)

    def begin(self) -> None:
        offer, goal = self.chosen, self.goal.goal
        if offer is None:
            return
        app, set_name = self._app, self._set_name

        def then(key: str) -> None:
            self.begun.emit(key)
            self.accept()

        self.run_job(
            self._jobs,
            "Starting the tossup…",
            lambda _: app.rewriting.begin(offer.question, set_name, goal if goal.per_cent else None),
            then,
        )


class RewriteCurves(QWidget):
    """The games of all players on one question: a strip each, full where the first guess is right."""

    ROW = 18

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._games: tuple[RewriteGame, ...] = ()
        theme.changed.connect(self.update)

    def show_games(self, games: tuple[RewriteGame, ...]) -> None:
        """Paint ``games``."""
        self._games = games
        said = (
            f"{player_title(one.player)}: right for {one.curve.count('1')} % of the words, "
            + (f"buzzes at {round(100 * one.share)} %" if one.buzz is not None else "never buzzes correctly")
            for one in games
        )
        self.setAccessibleName("Games of the players")
        self.setAccessibleDescription("; ".join(said))
        self.setToolTip(plain_tooltip(self.accessibleDescription().replace("; ", "\n")))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, max(1, len(self._games)) * self.ROW + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, max(1, len(self._games)) * self.ROW + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, font = self._theme.tokens, self._theme.font(small=True)
        painter = QPainter(self)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        names = [player_title(one.player) for one in self._games]
        left = max((metrics.horizontalAdvance(name) for name in names), default=0.0) + 12
        cell = (self.width() - left - 12) / 100
        for row, (one, name) in enumerate(zip(self._games, names, strict=True)):
            top = 2 + row * self.ROW
            painter.setPen(QColor(tokens.soft))
            box = QRectF(0, top, left - 8, self.ROW - 4)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
            for at, right in enumerate(one.curve):
                low = 0 if right == "1" else 8
                colour = QColor(tokens.right if right == "1" else tokens.line)
                painter.fillRect(QRectF(left + at * cell, top + low, cell + 0.5, self.ROW - 4 - low), colour)
            if one.buzz is not None:
                x = left + one.share * 100 * cell
                painter.fillRect(QRectF(x - 1, top - 1, 2, self.ROW - 2), QColor(tokens.ink))
                draw_bell(painter, QRectF(x + 2, top + 1, 11, 11), QColor(tokens.ink), QColor(tokens.page))
