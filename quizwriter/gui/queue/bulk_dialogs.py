"""The dialogs of the queue that ask what is recorded for many tossups: a comment, or tags."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import TextBox, scrolling, text_line
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.layouts import column_of
from quizwriter.workflow.tagging import Phenomenon
from quizwriter.workflow.wording import counted_noun


class CommentDialog(Dialog):
    """Asks for a comment on the whole text of tossups. ``entered`` carries it."""

    entered = Signal(str)

    def __init__(self, theme: Theme, count: int, parent: QWidget | None = None) -> None:
        """The comment is on ``count`` tossups."""
        super().__init__(theme, "Comment", parent, width=480)
        self.text = TextBox("Comment", "A comment for the authors")
        self.text.setFixedHeight(120)
        self.body.addWidget(self.label(f"A comment on {counted_noun(count, 'tossup')}", TextStyle.HEADING))
        self.body.addWidget(
            self.label("Each tossup gets the comment, and its author can reply there.", TextStyle.CAPTION)
        )
        self.body.addWidget(self.text)
        self.add_primary("Comment", self._enter)
        self.name_close_button("Cancel")
        QShortcut(QKeySequence("Ctrl+Return"), self, self._enter)
        self.text.textChanged.connect(self._check)
        self._check()

    def _check(self) -> None:
        self.set_ready(bool(self.text.toPlainText().strip()))

    def _enter(self) -> None:
        text = self.text.toPlainText().strip()
        if text:
            self.accept()
            self.entered.emit(text)


class TagsDialog(Dialog):
    """Asks which tags many tossups get. ``entered`` carries the names of those that are ticked."""

    entered = Signal(object)

    def __init__(
        self, theme: Theme, count: int, phenomena: Sequence[Phenomenon], parent: QWidget | None = None
    ) -> None:
        """The tags are for ``count`` tossups; ``phenomena`` are offered, and one tag of one's own."""
        super().__init__(theme, "Tags", parent, width=440)
        self.body.addWidget(self.label(f"Add tags to {counted_noun(count, 'tossup')}", TextStyle.HEADING))
        self.body.addWidget(
            self.label("The tags that you gave before stay. These are your tags only.", TextStyle.CAPTION)
        )
        inside = QWidget()
        column = column_of(on=inside, margins=(0, 0, 8, 0), spacing=4)
        self.boxes: dict[str, QCheckBox] = {}
        group = ""
        for one in phenomena:
            if one.group != group:
                group = one.group
                column.addWidget(self.label(f"{group[:1].upper()}{group[1:]}", TextStyle.CAPTION))
            box = QCheckBox(one.name.replace("&", "&&"))
            box.setToolTip(plain_tooltip(one.definition))
            box.toggled.connect(self._check)
            column.addWidget(box)
            self.boxes[one.name] = box
        area = scrolling(inside, sideways=False)
        area.setFixedHeight(300)
        self.own = text_line("Another tag", "Another tag", longest=60)
        self.own.textChanged.connect(self._check)
        self.body.addWidget(area)
        self.body.addWidget(self.own)
        self.add_primary("Add tags", self._enter)
        self.name_close_button("Cancel")
        self._check()

    @property
    def ticked(self) -> tuple[str, ...]:
        """The names of the tags that are ticked, and the tag that was typed."""
        own = " ".join(self.own.text().split())
        names = [name for name, box in self.boxes.items() if box.isChecked()]
        return tuple(dict.fromkeys([*names, *([own] if own else [])]))

    def _check(self) -> None:
        self.set_ready(bool(self.ticked))

    def _enter(self) -> None:
        ticked = self.ticked
        if ticked:
            self.accept()
            self.entered.emit(ticked)
