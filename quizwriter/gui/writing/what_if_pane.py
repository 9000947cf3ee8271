"""The tab *What if*: what players would make of the draft with a clue gone, alone or elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.facet_button import style_facet
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, STRETCH, column_of, row_of
from quizwriter.gui.widgets.two_line_list import ListRow, TwoLineList

NO_DRAFT = "Write two clues and enter the answer to see what each clue is worth."
PLAYING = "Playing the changes…"


class WhatIfPane(QWidget):
    """Changes of the draft with what they do: the best of all, or those of one clue.

    ``chosen`` carries the number of the change that is looked at, -1 for none; ``wanted`` that of a change
    that is to be made; ``switched`` whether the best of all changes are shown.
    """

    chosen = Signal(int)
    wanted = Signal(int)
    switched = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._keeps_first = False  # nobody has chosen a row, so that the first one is looked at
        self.said = plain_label(NO_DRAFT)
        self.best_button, self.clue_button = self._switch("Best"), self._switch("This clue")
        self._views = QButtonGroup(self)
        for button in (self.best_button, self.clue_button):
            self._views.addButton(button)
        self.best_button.setChecked(True)
        self.best_button.setToolTip("The changes that delay the first right buzz most")
        self.clue_button.setToolTip(
            "Each change of the clue at the cursor, or of the words that are selected"
        )
        self._views.buttonClicked.connect(lambda _: self.switched.emit(self.best_button.isChecked()))
        self.list = TwoLineList(theme, "Changes", caption_lines=2)
        self.list.chosen.connect(self._choose)
        self.list.wanted.connect(self.wanted)
        self.details = plain_label(selectable=True)
        self.notes = plain_label(selectable=True)
        self.take = named(
            QPushButton("Apply"),
            "Apply this change",
            "The change is one edit, which Ctrl+Z undoes (Enter in the list)",
        )
        self.take.setObjectName("outlined")
        self.take.clicked.connect(lambda _=False: self.wanted.emit(self.list.currentIndex().row()))
        bar = row_of(self.best_button, self.clue_button, STRETCH, self.take, spacing=4)
        column = column_of(bar, self.said, (self.list, 3), on=self, margins=(12, 8, 12, 4), spacing=8)
        self.said.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        texts = QWidget()
        texts.setSizePolicy(  # the labels' least height is that of a narrow one
            QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored
        )
        column_of(self.details, self.notes, STRETCH, on=texts, margins=NO_MARGINS, spacing=4)
        scroll = _LowScrollArea()  # so that the list keeps its room where the pane is low
        scroll.setObjectName("effect")
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidgetResizable(True)
        scroll.setWidget(texts)
        scroll.setAccessibleName("The effect of the change")
        for ground in (texts, scroll.viewport()):
            ground.setAutoFillBackground(False)
        column.addWidget(scroll, 2)
        theme.follow(self._apply_theme)
        self.show_nothing(NO_DRAFT)

    def _switch(self, text: str) -> QToolButton:
        button = QToolButton()
        button.setCheckable(True)
        button.setText(text)
        button.toggled.connect(lambda on: style_facet(button, self._theme, active=on))
        return button

    @property
    def shows_best(self) -> bool:
        """Whether the best of all changes are shown, and not those of one clue."""
        return self.best_button.isChecked()

    def take_keyboard(self) -> None:
        self.list.setFocus()
        self._look_at_first()

    def _look_at_first(self) -> None:
        """Have a row current for the keyboard, so that Enter applies it."""
        if self.list.hasFocus() and self.list.rows and not self.list.currentIndex().isValid():
            self.list.setCurrentIndex(self.list.model().index(0, 0))
            self._keeps_first = True

    def show_nothing(self, why: str) -> None:
        self.show_changes(why, ())

    def show_changes(self, said: str, rows: Sequence[ListRow], notes: str = "") -> None:
        """Show what is ``said`` of all ``rows``, the rows, and ``notes`` on the whole draft below them."""
        current = self.list.currentIndex().row()
        before = self.list.rows[current].title if 0 <= current < len(self.list.rows) else None
        now = next((number for number, row in enumerate(rows) if row.title == before), -1)
        if now > 0 and self._keeps_first:
            now = 0  # a better one has come since
        keeps_first = self._keeps_first and now == 0
        self.said.setText(said)
        self.notes.setText(notes)
        self.notes.setVisible(bool(notes))
        self.list.setVisible(bool(rows))
        self.list.show_rows(tuple(rows), now)
        self._keeps_first = keeps_first
        if now < 0:
            self.show_details("")
        self.take.setEnabled(now >= 0)
        self._look_at_first()

    def show_details(self, text: str) -> None:
        self.details.setText(text)
        self.details.setVisible(bool(text))

    def _choose(self, number: int) -> None:
        self._keeps_first = False
        self.take.setEnabled(number >= 0)
        self.chosen.emit(number)

    def _apply_theme(self) -> None:
        for button in (self.best_button, self.clue_button):
            style_facet(button, self._theme, active=button.isChecked())
        for label in (self.details, self.notes):
            label.setFont(self._theme.font(small=True))
            label.setStyleSheet(f"color: {self._theme.tokens.soft};")


class _LowScrollArea(QScrollArea):
    """No higher than what is in it."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def sizeHint(self) -> QSize:
        inside, width = self.widget(), self.viewport().width()
        return QSize(200, max(0, inside.heightForWidth(width)) if inside is not None else 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
