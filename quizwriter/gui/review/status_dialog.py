"""What is asked before tossups change: a status with its checks, the categories of a set, a line of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from quizwriter.domain.review import (
    Status,
)
from quizwriter.gui.theme import Theme, draw_check
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.status_icon import DO
from quizwriter.workflow.categories import DEEPEST, Category
from quizwriter.workflow.checks import TITLES, Check
from quizwriter.workflow.wording import counted_noun, listed

if TYPE_CHECKING:
    pass


class LineDialog(QDialog):
    """Asks for one line; ``given`` carries it, without white space around it."""

    given = Signal(str)

    def __init__(
        self,
        theme: Theme,
        title: str,
        told: str,
        line: str = "",
        do: str = "Keep",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(400)
        label = QLabel(told)
        label.setWordWrap(True)
        self.line = QLineEdit(line)
        self.line.setAccessibleName(title)
        self.line.setMaxLength(200)
        self._keep = outlined(do, self._give)
        self._keep.setDefault(True)
        self.line.textChanged.connect(self._judge)
        column = _column(self)
        column.addWidget(label)
        column.addWidget(self.line)
        column.addSpacing(4)
        column.addLayout(_buttons(outlined("Cancel", self.reject), self._keep))
        self._judge()

    def _judge(self) -> None:
        self._keep.setEnabled(bool(self.line.text().strip()))

    def _give(self) -> None:
        line = " ".join(self.line.text().split())
        if line:
            self.accept()
            self.given.emit(line)


@dataclass(frozen=True, slots=True)
class StatusDecision:
    """What somebody decided: of which tossups, why, and why each failing check is all right."""

    keys: tuple[str, ...]
    reason: str = ""
    failed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    overridden: Mapping[str, str] = field(default_factory=dict)


class StatusDialog(QDialog):
    """Asks why some tossups get a status; for *ready*, shows the checks and asks why to override each.

    ``chosen`` carries the :class:`StatusDecision`.
    """

    chosen = Signal(object)

    def __init__(
        self,
        theme: Theme,
        status: Status,
        names: Mapping[str, str],
        *,
        explain: bool,
        unlocks: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """``names`` are the tossups' answers by id; ``explain`` says that a reason is needed."""
        super().__init__(parent)
        self._theme = theme
        self._status = status
        self._names = dict(names)
        self._explain = explain
        self._failed: dict[str, tuple[str, ...]] = {}
        self._overrides: dict[str, QLineEdit] = {}
        self.setWindowTitle("Status")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        bold = QFontMetricsF(theme.font(bold=True))
        self._titles = max(ceil(bold.horizontalAdvance(title)) for title in TITLES.values()) + 4
        self.setMinimumWidth(self._titles + 400)
        self._head = QLabel(self._title(unlocks=unlocks))
        self._head.setFont(theme.font(bold=True))
        self._head.setWordWrap(True)
        self._told = QLabel()
        self._told.setWordWrap(True)
        self._told.setStyleSheet(f"color: {theme.tokens.soft};")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(8)
        self._list = QWidget()
        self._rows = QVBoxLayout(self._list)
        self._rows.setContentsMargins(0, 0, 8, 0)
        self._rows.setSpacing(8)
        self._area = QScrollArea()
        self._area.setWidget(self._list)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.reason = QLineEdit()
        self.reason.setAccessibleName("Reason")
        self.reason.setPlaceholderText("Reason" if explain else "Reason, if there is something to say")
        self.reason.setMaxLength(2_000)
        self.reason.textChanged.connect(self._judge)
        self._some = outlined("", self._choose_passing)
        self._all = outlined(DO[status] if not unlocks else "Unlock", self._choose_all)
        self._all.setDefault(True)
        column = _column(self)
        column.addWidget(self._head)
        column.addWidget(self._told)
        column.addWidget(self._bar)
        column.addWidget(self._area, 1)
        column.addWidget(self.reason)
        column.addSpacing(4)
        column.addLayout(_buttons(outlined("Cancel", self.reject), self._some, self._all))
        for widget in (self._told, self._bar, self._area, self._some):
            widget.hide()
        self._checking = False
        self._judge()
        self.reason.setFocus()

    def _title(self, *, unlocks: bool) -> str:
        many = len(self._names) > 1
        line = next(iter(self._names.values()), "")
        what = counted_noun(len(self._names), "tossup") if many else line or "This tossup"
        if unlocks:
            return f"Unlock {what}: {'they go' if many else 'it goes'} back to {self._status}"
        return f"{DO[self._status]}: {what}"

    def wait(self, done: int = 0, total: int = 0) -> None:
        """Say that the checks are being made."""
        self._checking = True
        self._told.setText("Looking through the set and past questions…")
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        self._told.show()
        self._bar.show()
        self._judge()

    def show_checks(self, checks: Mapping[str, Sequence[Check]]) -> None:
        """List what was found of each tossup, by id."""
        self._checking = False
        self._bar.hide()
        self._failed = {
            key: tuple(one.name for one in found if not one.passed) for key, found in checks.items()
        }
        failing = {name for names in self._failed.values() for name in names}
        order = [
            *(name for name in TITLES if name in failing),
            *(name for name in TITLES if name not in failing),
        ]
        for name in order:
            found = {key: one for key, all_ in checks.items() for one in all_ if one.name == name}
            self._rows.addWidget(self._check_row(name, found))
        self._rows.addStretch(1)
        passing = sum(not names for names in self._failed.values())
        if failing:
            what = "each check that did not pass, or mend the tossup" + ("s" if len(checks) > 1 else "")
            self._told.setText(f"Say why that is all right for {what}.")
        else:
            self._told.setText("Every check passes.")
        self._told.show()
        self._area.show()
        if 0 < passing < len(checks):
            self._some.setText(
                f"Only the {passing:,} that pass" if passing > 1 else "Only the one that passes"
            )
            self._some.show()
        self._list.adjustSize()
        self._area.setMinimumHeight(min(360, self._list.sizeHint().height() + 8))
        self.adjustSize()
        first = next(iter(self._overrides.values()), self.reason)
        first.setFocus()
        self._judge()

    def _check_row(self, name: str, found: Mapping[str, Check]) -> QWidget:
        failed = {key: one for key, one in found.items() if not one.passed}
        row = QWidget()
        sign = _CheckMark(self._theme, passed=not failed)
        title = QLabel(TITLES[name])
        title.setFont(self._theme.font(bold=bool(failed)))
        told = QLabel(self._check_told(found, failed))
        told.setWordWrap(True)
        told.setStyleSheet(f"color: {self._theme.tokens.ink if failed else self._theme.tokens.soft};")
        told.setToolTip(
            "\n".join(f"{self._names.get(key, key)}: {one.finding}" for key, one in failed.items())
        )
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        title.setFixedWidth(self._titles)
        line.addWidget(title, 0, Qt.AlignmentFlag.AlignTop)
        beside = QVBoxLayout()
        beside.setSpacing(4)
        beside.addWidget(told)
        if failed:
            why = QLineEdit()
            why.setPlaceholderText("Why that is all right")
            why.setAccessibleName(f"{TITLES[name]}: why that is all right")
            why.setMaxLength(2_000)
            why.textChanged.connect(self._judge)
            self._overrides[name] = why
            beside.addWidget(why)
        line.addLayout(beside, 1)
        row.setAccessibleName(f"{TITLES[name]}: {'passed' if not failed else 'not passed'}")
        return row

    def _check_told(self, found: Mapping[str, Check], failed: Mapping[str, Check]) -> str:
        if len(found) == 1:
            return next(iter(found.values())).finding
        if not failed:
            return f"All {len(found):,} pass."
        names = [self._names.get(key) or "one without an answer" for key in failed]
        shown = names[:3] if len(names) <= 4 else [*names[:3], f"{len(names) - 3:,} others"]
        return f"Not {listed(shown if len(names) != 4 else names)}."

    @property
    def overriding(self) -> dict[str, QLineEdit]:
        """Where to say why a failing check is all right, by its name."""
        return self._overrides

    @property
    def can_choose(self) -> bool:
        """Whether everything that must be said is said."""
        return self._all.isEnabled()

    def _judge(self) -> None:
        said = bool(self.reason.text().strip()) or not self._explain
        explained = all(line.text().strip() for line in self._overrides.values())
        self._all.setEnabled(said and explained and not self._checking)
        self._some.setEnabled(said and not self._checking)

    def _choose_all(self) -> None:
        if self.can_choose:
            reasons = {name: line.text().strip() for name, line in self._overrides.items()}
            self.accept()
            self.chosen.emit(
                StatusDecision(tuple(self._names), self.reason.text().strip(), self._failed, reasons)
            )

    def _choose_passing(self) -> None:
        passing = tuple(key for key, names in self._failed.items() if not names)
        self.accept()
        self.chosen.emit(StatusDecision(passing, self.reason.text().strip()))


class _CheckMark(QWidget):
    """A tick, or a cross."""

    def __init__(self, theme: Theme, *, passed: bool) -> None:
        super().__init__()
        self._theme, self._passed = theme, passed
        self.setFixedSize(16, 18)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens, box = self._theme.tokens, QRectF(2, 4, 11, 11)
        if self._passed:
            draw_check(painter, box, QColor(tokens.right))
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.confident), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(box.topLeft(), box.bottomRight())
        painter.drawLine(box.topRight(), box.bottomLeft())


class CategoriesDialog(QDialog):
    """The categories of a set, which may be changed; ``kept`` carries the set and them, None: the standard.

    ``asked`` carries the name of a set whose categories are to be shown by :meth:`show_paths`.
    """

    kept = Signal(str, object)
    asked = Signal(str)

    def __init__(
        self, theme: Theme, sets: Iterable[str], current: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Categories")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(480, 560)
        self._standard = False
        head = QLabel("The categories that tossups of a set can have, up to three levels.")
        head.setWordWrap(True)
        self.sets = QComboBox()
        self.sets.setAccessibleName("Set")
        for name in dict.fromkeys([current, *sets]):
            self.sets.addItem(name or "Tossups in no set", name)
        self.sets.currentIndexChanged.connect(lambda: self.asked.emit(self.set_name))
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Categories")
        self.tree.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked
        )
        self.tree.itemChanged.connect(self._changed)
        self.tree.currentItemChanged.connect(self._judge)
        self._below = outlined("Add below", lambda: self._add(below=True))
        self._remove = outlined("Remove", self._take_out)
        tools = QHBoxLayout()
        tools.setSpacing(8)
        for button in (outlined("Add", lambda: self._add(below=False)), self._below, self._remove):
            tools.addWidget(button)
        tools.addStretch(1)
        tools.addWidget(outlined("Standard", self._reset))
        keep = outlined("Keep", self._keep)
        keep.setDefault(True)
        column = _column(self)
        column.addWidget(head)
        column.addWidget(self.sets)
        column.addWidget(self.tree, 1)
        column.addLayout(tools)
        column.addSpacing(4)
        column.addLayout(_buttons(outlined("Cancel", self.reject), keep))
        self._judge()

    @property
    def set_name(self) -> str:
        """The set whose categories are shown."""
        return str(self.sets.currentData())

    @property
    def paths(self) -> tuple[Category, ...]:
        """The categories as they stand, each level before those below it; nameless ones are left out."""
        found: list[Category] = []

        def walk(item: QTreeWidgetItem, above: Category) -> None:
            for place in range(item.childCount()):
                child = item.child(place)
                assert child is not None
                name = " ".join(child.text(0).split())
                if name:
                    found.append((*above, name))
                    walk(child, (*above, name))

        walk(self.tree.invisibleRootItem(), ())
        return tuple(dict.fromkeys(found))

    def show_paths(self, paths: Sequence[Category], *, standard: bool = False) -> None:
        """Show the categories of the set; ``standard``: those of sets that have none of their own."""
        self.tree.blockSignals(True)
        self.tree.clear()
        items: dict[Category, QTreeWidgetItem] = {(): self.tree.invisibleRootItem()}
        for path in paths:
            items[path] = _editable(QTreeWidgetItem(items[path[:-1]], [path[-1]]))
        self.tree.blockSignals(False)
        self._standard = standard
        self._judge()

    def _add(self, *, below: bool) -> None:
        current = self.tree.currentItem()
        above = current if below else current.parent() if current is not None else None
        item = _editable(QTreeWidgetItem(above or self.tree.invisibleRootItem(), ["New category"]))
        if above is not None:
            above.setExpanded(True)
        self.tree.setCurrentItem(item)
        self._standard = False
        self.tree.editItem(item, 0)

    def _take_out(self) -> None:
        item = self.tree.currentItem()
        if item is not None:
            (item.parent() or self.tree.invisibleRootItem()).removeChild(item)
            self._standard = False

    def _reset(self) -> None:
        from quizwriter.workflow.categories import STANDARD

        self.show_paths(STANDARD, standard=True)

    def _changed(self) -> None:
        self._standard = False

    def _judge(self) -> None:
        item, depth = self.tree.currentItem(), 0
        self._remove.setEnabled(item is not None)
        while item is not None:
            item, depth = item.parent(), depth + 1
        self._below.setEnabled(0 < depth < DEEPEST)

    def _keep(self) -> None:
        self.accept()
        self.kept.emit(self.set_name, None if self._standard else self.paths)


def _editable(item: QTreeWidgetItem) -> QTreeWidgetItem:
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
    return item


def _column(dialog: QDialog) -> QVBoxLayout:
    column = QVBoxLayout(dialog)
    column.setContentsMargins(24, 24, 24, 16)
    column.setSpacing(12)
    return column


def _buttons(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row
