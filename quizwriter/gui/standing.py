"""Where a tossup stands: its set, category and status above the draft, and the dialogs that change them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFontMetricsF,
    QIcon,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from quizwriter.domain.review import (
    Body,
    Categorised,
    Event,
    Person,
    PutInSet,
    Review,
    Status,
    allowed,
    state,
)
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.bars import Bars, outlined
from quizwriter.gui.look import Look, draw_check, mixed
from quizwriter.gui.profile import introduced
from quizwriter.gui.worker import Errands, Saver
from quizwriter.workflow.categories import DEEPEST, Category
from quizwriter.workflow.checks import TITLES, Check
from quizwriter.workflow.reviewing import needs_reason
from quizwriter.workflow.telling import counted, listed, sentence
from quizwriter.workflow.writing import WritingSession

if TYPE_CHECKING:
    from quizwriter.app import App, Engine, Recorded

DISK_MS = 10_000
"""How long a change waits for the words typed before it to be on disk."""

LONGEST_PX = 150
"""Pixels of a chip's text, above the narrowest draft."""

ICON = 12
"""Pixels of the sign of a status."""

_STEPS = (Status.DRAFT, Status.READY, Status.IN_REVIEW, Status.EDITED, Status.PROOFREAD, Status.ACCEPTED)

ICON_MENU = "QMenu::item { padding: 5px 24px 5px 8px; }"
"""The style of a menu in which every action has an icon."""

DO = {
    Status.DRAFT: "Back to draft",
    Status.READY: "Ready",
    Status.IN_REVIEW: "In review",
    Status.EDITED: "Edited",
    Status.PROOFREAD: "Proofread",
    Status.ACCEPTED: "Accept",
    Status.SENT_BACK: "Send back",
    Status.REJECTED: "Reject",
    Status.WITHDRAWN: "Withdraw",
}
"""What setting a status is called."""


def draw_status(painter: QPainter, box: QRectF, status: Status, ink: QColor, right: QColor) -> None:
    """A circle that fills as a tossup gets on; ticked once it is accepted, struck through when refused."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inside = box.adjusted(1, 1, -1, -1)
    if status is Status.ACCEPTED:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(right)
        painter.drawEllipse(box)
        share = box.width() * 0.24
        draw_check(painter, box.adjusted(share, share, -share, -share), QColor(Qt.GlobalColor.white))
    else:
        painter.setPen(QPen(ink, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(inside)
        if status in _STEPS:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            part = _STEPS.index(status) / (len(_STEPS) - 1)
            painter.drawPie(inside, 90 * 16, -round(360 * 16 * part))
        else:
            middle, reach = inside.center(), inside.width() / 2 * 0.7
            painter.drawLine(middle - QPointF(reach, reach), middle + QPointF(reach, reach))
    painter.restore()


def status_icon(status: Status, look: Look, ratio: float = 2.0) -> QIcon:
    """The sign of ``status`` as an icon."""
    pixmap = QPixmap(round(ICON * ratio), round(ICON * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    tokens = look.tokens
    draw_status(painter, QRectF(0, 0, ICON, ICON), status, QColor(tokens.soft), QColor(tokens.right))
    painter.end()
    return QIcon(pixmap)


def fill_categories(
    menu: QMenu,
    paths: Sequence[Category],
    choose: Callable[[Category], object],
    chosen: Category | None = None,
) -> None:
    """Offer ``paths`` in ``menu``, a menu of its own for each that has others below it."""
    menus: dict[Category, QMenu] = {(): menu}
    above = {path[:depth] for path in paths for depth in range(1, len(path))}

    def offer(where: QMenu, path: Category, text: str) -> None:
        action = where.addAction(text.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(path == chosen)
        action.triggered.connect(lambda _=False: choose(path))

    for path in paths:
        where = menus.get(path[:-1], menu)
        if path in above:
            menus[path] = where.addMenu(path[-1].replace("&", "&&"))
            offer(menus[path], path, f"{path[-1]}, no more said")
            menus[path].addSeparator()
        else:
            offer(where, path, path[-1])


class LineDialog(QDialog):
    """Asks for one line; ``given`` carries it, without white space around it."""

    given = Signal(str)

    def __init__(
        self,
        look: Look,
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
class Choice:
    """What somebody decided: of which tossups, why, and why each failing check is all right."""

    keys: tuple[str, ...]
    reason: str = ""
    failed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    overridden: Mapping[str, str] = field(default_factory=dict)


class StatusDialog(QDialog):
    """Asks why some tossups get a status; for *ready*, shows the checks and asks why to override each.

    ``chosen`` carries the :class:`Choice`.
    """

    chosen = Signal(object)

    def __init__(
        self,
        look: Look,
        status: Status,
        names: Mapping[str, str],
        *,
        explain: bool,
        unlocks: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """``names`` are the tossups' answers by id; ``explain`` says that a reason is needed."""
        super().__init__(parent)
        self._look = look
        self._status = status
        self._names = dict(names)
        self._explain = explain
        self._failed: dict[str, tuple[str, ...]] = {}
        self._overrides: dict[str, QLineEdit] = {}
        self.setWindowTitle("Status")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(560)
        self._head = QLabel(self._title(unlocks=unlocks))
        self._head.setFont(look.font(bold=True))
        self._head.setWordWrap(True)
        self._told = QLabel()
        self._told.setWordWrap(True)
        self._told.setStyleSheet(f"color: {look.tokens.soft};")
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
        what = counted(len(self._names), "tossup") if many else line or "This tossup"
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
            self._some.setText(f"Only the {passing:,} that pass")
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
        sign = _Sign(self._look, passed=not failed)
        title = QLabel(TITLES[name])
        title.setFont(self._look.font(bold=bool(failed)))
        told = QLabel(self._check_told(found, failed))
        told.setWordWrap(True)
        told.setStyleSheet(f"color: {self._look.tokens.ink if failed else self._look.tokens.soft};")
        told.setToolTip("\n".join(f"{self._names.get(key, key)}: {one.told}" for key, one in failed.items()))
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        title.setFixedWidth(160)
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
            return next(iter(found.values())).told
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
            self.chosen.emit(Choice(tuple(self._names), self.reason.text().strip(), self._failed, reasons))

    def _choose_passing(self) -> None:
        passing = tuple(key for key, names in self._failed.items() if not names)
        self.accept()
        self.chosen.emit(Choice(passing, self.reason.text().strip()))


class _Sign(QWidget):
    """A tick, or a cross."""

    def __init__(self, look: Look, *, passed: bool) -> None:
        super().__init__()
        self._look, self._passed = look, passed
        self.setFixedSize(16, 18)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens, box = self._look.tokens, QRectF(2, 4, 11, 11)
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

    def __init__(self, look: Look, sets: Iterable[str], current: str, parent: QWidget | None = None) -> None:
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


# -- changing it


class Changing(QObject):
    """Changes statuses, sets, categories and authors, off the window's thread, and takes changes back.

    ``changed`` says that something was recorded, of the tossups with these ids; ``broke`` carries the
    traceback of a bug. What was done is told in ``bars``, with *Undo*.
    """

    changed = Signal(object)
    broke = Signal(str)

    def __init__(
        self,
        app: App,
        look: Look,
        saver: Saver,
        bars: Bars,
        window: QWidget,
        *,
        save: Callable[[], object],
        engine: Callable[[], Engine | None],
    ) -> None:
        """``save`` hands what was typed to the ``saver``, for nothing is recorded before that is on disk."""
        super().__init__(window)
        self._app, self._look, self._saver, self._bars, self._window = app, look, saver, bars, window
        self._save, self._engine = save, engine
        self._done: list[tuple[str, tuple[Event, ...]]] = []
        self._undone: list[tuple[str, tuple[Event, ...]]] = []
        self._dialog: StatusDialog | None = None
        self.errands = Errands()
        self.errands.broke.connect(self.broke)
        self.errands.progressed.connect(self._progressed)

    def leave(self) -> None:
        """End the thread; what is being done is finished first."""
        self.errands.stop()

    @property
    def can_undo(self) -> bool:
        """Whether something can be taken back."""
        return bool(self._done)

    def set_status(
        self,
        names: Mapping[str, str],
        status: Status,
        *,
        now: Iterable[Status] = (),
        drafts: Drafts | None = None,
    ) -> None:
        """Ask why, then give the tossups with these ids and answers a ``status``.

        ``now`` are the statuses they have, as far as known. ``drafts`` are read for the checks; None: as
        they were saved.
        """
        before = set(now)
        unlocks = before == {Status.ACCEPTED} and status is Status.EDITED
        explain = any(needs_reason(one, status) for one in before) or needs_reason(Status.DRAFT, status)

        def ask(_: Person) -> None:
            dialog = StatusDialog(
                self._look, status, names, explain=explain, unlocks=unlocks, parent=self._window
            )
            dialog.chosen.connect(partial(self._change_status, status))
            dialog.destroyed.connect(self._forget_dialog)
            self._dialog = dialog
            dialog.open()
            if status is Status.READY:
                dialog.wait()
                self._after_saving(lambda: self._check(tuple(names), drafts))

        introduced(self._app, self._look, self._window, ask)

    def _check(self, keys: Sequence[str], drafts: Drafts | None) -> None:
        engine = self._engine()

        def then(result: dict[str, tuple[Check, ...]] | QuizwriterError | None) -> None:
            if self._dialog is None:
                return
            if isinstance(result, dict):
                self._dialog.show_checks(result)
            else:
                self._dialog.close()
                self._say(str(result or ""))

        self.errands.run(
            lambda progress: self._app.check(drafts or self._app.drafts(keys), engine, progress), then
        )

    def _progressed(self, done: int, total: int) -> None:
        if self._dialog is not None and total > 1:
            self._dialog.wait(done, total)

    def _forget_dialog(self) -> None:
        self._dialog = None

    def _change_status(self, status: Status, choice: Choice) -> None:
        self._run(
            lambda: self._app.set_status(
                choice.keys, status, choice.reason, failed=choice.failed, overridden=choice.overridden
            ),
            f"is now {status}",
            f"are now {status}",
            len(choice.keys),
        )

    def record(self, keys: Sequence[str], body: Body, one: str, many: str) -> None:
        """Record ``body`` of the tossups ``keys``; ``one`` and ``many`` say what is so then."""
        introduced(
            self._app,
            self._look,
            self._window,
            lambda _: self._run(lambda: self._app.record(keys, body), one, many, len(keys)),
        )

    def _run(self, do: Callable[[], Recorded], one: str, many: str, asked: int) -> None:
        def then(result: Recorded | QuizwriterError | None) -> None:
            if result is None or isinstance(result, QuizwriterError):
                self._say(str(result or ""))
                return
            count, refused = len(result.events), result.refused
            told = ""
            if count:
                told = (
                    f"This tossup {one}."
                    if asked == 1
                    else f"{counted(count, 'tossup')} {one if count == 1 else many}."
                )
                self._done.append((told, result.events))
                self._undone.clear()
                self.changed.emit([event.tossup_id for event in result.events])
            if refused:
                rest = (
                    f"{counted(len(refused), 'other')} could not be changed"
                    if count
                    else "Nothing was changed"
                )
                told = f"{told} {rest}: {refused[0][1]}" if asked > 1 else str(refused[0][1])
            if told:
                undo = [("Undo", self.undo)] if count else []
                self._bars.say("review", told.strip(), undo, brief=not refused and asked == 1)
            else:
                self._bars.say("review", "That is so already.", brief=True)

        self._after_saving(lambda: self.errands.run(lambda _: do(), then))

    def undo(self) -> None:
        """Take back what was changed last."""
        self._take_back(self._done, self._undone, "Taken back", "Redo", self.redo)

    def redo(self) -> None:
        """Change again what was taken back last."""
        self._take_back(self._undone, self._done, "Done again", "Undo", self.undo)

    def _take_back(
        self,
        stack: list[tuple[str, tuple[Event, ...]]],
        other: list[tuple[str, tuple[Event, ...]]],
        said: str,
        name: str,
        back: Callable[[], None],
    ) -> None:
        if not stack:
            self._bars.say("review", "There is nothing to take back.", brief=True)
            return
        told, events = stack.pop()

        def then(result: Recorded | QuizwriterError | None) -> None:
            if result is None or isinstance(result, QuizwriterError):
                stack.append((told, events))
                self._say(str(result or ""))
                return
            other.append((told, result.events))
            self.changed.emit([event.tossup_id for event in events])
            self._bars.say("review", f"{said}: {told[:1].lower()}{told[1:]}", [(name, back)], brief=True)

        self.errands.run(lambda _: self._app.take_back(events), then)

    def _after_saving(self, then: Callable[[], object]) -> None:
        """Do ``then`` once what was typed is on disk; after a while all the same: the disk may be full."""
        self._save()
        if self._saver.idle:
            then()
            return
        waiting = _Waiting(self, then)
        self._saver.settled.connect(waiting.go)
        waiting.startTimer(DISK_MS)

    def _say(self, text: str) -> None:
        if text:
            self._bars.say("review", text)


Drafts = Mapping[str, Tossup]


class _Waiting(QObject):
    """Does something once."""

    def __init__(self, parent: QObject, then: Callable[[], object]) -> None:
        super().__init__(parent)
        self._then: Callable[[], object] | None = then

    def go(self) -> None:
        """Do it, unless it is done."""
        then, self._then = self._then, None
        if then is not None:
            self.deleteLater()
            then()

    def timerEvent(self, event: object) -> None:
        self.go()


# -- above the draft


class Standing(QWidget):
    """The row above the draft: the tossup's set, category and status, each a menu that changes it.

    ``locked`` says whether the tossup takes no edits.
    """

    locked = Signal(bool)

    def __init__(self, app: App, look: Look, bars: Bars, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app, self._look, self._bars = app, look, bars
        self._session: WritingSession | None = None
        self._changing: Changing | None = None
        self.review = Review()
        self.set_chip, self.category_chip, self.status_chip = (_Chip(look) for _ in range(3))
        for chip, called, fill in (
            (self.set_chip, "Set", self._fill_sets),
            (self.category_chip, "Category", self._fill_categories),
            (self.status_chip, "Status", self._fill_statuses),
        ):
            chip.setAccessibleName(called)
            chip.setToolTip(called)
            chip.choices.aboutToShow.connect(fill)
        self._unlock = QPushButton("Unlock…")
        self._unlock.setObjectName("outlined")
        self._unlock.clicked.connect(self.unlock)
        self._row = QHBoxLayout(self)
        self._row.setSpacing(4)
        self._row.addWidget(self.set_chip)
        self._row.addWidget(self.category_chip)
        self._row.addStretch(1)
        self._row.addWidget(self.status_chip)
        self._row.addWidget(self._unlock)
        self.align(52, 0)
        look.changed.connect(self._show)
        self._show()

    def use(self, changing: Changing) -> None:
        """Change things by ``changing`` from now on."""
        self._changing = changing
        changing.changed.connect(self.take_changed)

    def align(self, left: int, right: int) -> None:
        """Begin and end where the text's column does."""
        self._row.setContentsMargins(left - _Chip.INSET, 8, right, 0)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where room is short, the status keeps its own."""
        inside = (
            self._row.contentsRect().width() - 4 * self._row.spacing() - self.status_chip.sizeHint().width()
        )
        if self.review.locked:
            inside -= self._unlock.sizeHint().width()
        for chip in (self.set_chip, self.category_chip):
            chip.fit(inside // 2)

    def open(self, session: WritingSession) -> None:
        """Show where this tossup stands."""
        self._session = session
        self.refresh()

    def refresh(self) -> None:
        """Show where the tossup stands now."""
        if self._session is None:
            return
        try:
            self.review = state(self._app.store.events(self._session.tossup_id))
        except QuizwriterError as trouble:
            self._bars.say("review", str(trouble))
            self.review = Review()
        self._show()
        self.locked.emit(self.review.locked)

    @property
    def status(self) -> Status:
        """The status shown."""
        return self.review.status

    def set_status(self, status: Status) -> None:
        """Have the tossup get a ``status``; it is asked why, and *ready* is checked."""
        if self._session is None or self._changing is None or self._is_empty():
            return
        if status not in allowed(self.review.status):
            now = self.review.status
            self._bars.say("review", f"A tossup that is {now} cannot become {status} at once.", brief=True)
            return
        key, tossup = self._session.tossup_id, self._session.tossup
        line = tossup.answer.main if tossup.answer else ""
        self._changing.set_status({key: line}, status, now=[self.review.status], drafts={key: tossup})

    def unlock(self) -> None:
        """Have the tossup take edits again; it is asked why."""
        self.set_status(Status.EDITED)

    def refuse_edit(self) -> None:
        """Say why nothing happened."""
        text = "This tossup is accepted, so it takes no edits."
        self._bars.say("review", text, [("Unlock…", self.unlock)], brief=True)

    def _is_empty(self) -> bool:
        if self._session is None or (self._session.tossup.text.strip() or self._session.tossup.answer):
            return False
        self._bars.say("review", "Write something first; then it can go into a set.", brief=True)
        return True

    def _record(self, body: Body, told: str) -> None:
        if self._session is not None and self._changing is not None and not self._is_empty():
            self._changing.record([self._session.tossup_id], body, told, told)

    def take_changed(self, keys: Sequence[str]) -> None:
        """Something of the tossups ``keys`` was changed."""
        if self._session is not None and self._session.tossup_id in keys:
            self.refresh()

    def _show(self) -> None:
        review = self.review
        self.set_chip.say(review.set_name or "No set", quiet=not review.set_name)
        self.category_chip.say(" / ".join(review.category) or "No category", quiet=not review.category)
        text = "Accepted, locked" if review.locked and self.width() > 400 else sentence(str(review.status))
        self.status_chip.say(f" {text}")
        self.status_chip.setIcon(status_icon(review.status, self._look, self.devicePixelRatioF()))
        since = review.status_set
        reason = getattr(since.body, "reason", "") if since is not None else ""
        overridden = [f"{TITLES.get(one.check, one.check)}: {one.reason}" for one in review.overridden]
        self.status_chip.setToolTip("\n".join(["Change the status", *filter(None, [reason]), *overridden]))
        self._unlock.setVisible(review.locked)
        self._unlock.setFont(self._look.font(small=True))
        self._fit()

    def _fill_sets(self) -> None:
        menu = self.set_chip.choices
        menu.clear()
        try:
            names = [name for name in self._app.store.facets().sets if name]
        except QuizwriterError as trouble:
            self._bars.say("review", str(trouble))
            names = []
        for name in names:
            _check(menu, name, name == self.review.set_name, partial(self._put_in, name))
        if names:
            menu.addSeparator()
        _check(menu, "In no set", not self.review.set_name, partial(self._put_in, ""))
        menu.addAction("New set…").triggered.connect(self._ask_set)

    def _ask_set(self) -> None:
        dialog = LineDialog(
            self._look, "New set", "What is the set called?", do="Put into it", parent=self.window()
        )
        dialog.given.connect(self._put_in)
        dialog.open()

    def _put_in(self, name: str) -> None:
        self._record(PutInSet(name), f"is in {name} now" if name else "is in no set now")

    def _fill_categories(self) -> None:
        menu = self.category_chip.choices
        menu.clear()
        try:
            paths = self._app.categories(self.review.set_name)
        except QuizwriterError as trouble:
            self._bars.say("review", str(trouble))
            paths = ()
        fill_categories(menu, paths, self._categorise, self.review.category)
        menu.addSeparator()
        _check(menu, "No category", not self.review.category, partial(self._categorise, ()))
        menu.addAction("Change the categories…").triggered.connect(self.edit_categories)

    def _categorise(self, path: Category) -> None:
        self._record(Categorised(path), f"is {' / '.join(path)} now" if path else "has no category now")

    def edit_categories(self) -> None:
        """Show the categories of the tossup's set, to be changed."""
        open_categories(self._app, self._look, self._bars, self.review.set_name, self.window())

    def _fill_statuses(self) -> None:
        menu = self.status_chip.choices
        menu.clear()
        menu.setStyleSheet(ICON_MENU)
        for status in allowed(self.review.status):
            unlocks = self.review.locked and status is Status.EDITED
            text = "Unlock…" if unlocks else f"{DO[status]}…"
            action = menu.addAction(status_icon(status, self._look, self.devicePixelRatioF()), text)
            action.triggered.connect(lambda _=False, status=status: self.set_status(status))


def open_categories(
    app: App, look: Look, bars: Bars, current: str, window: QWidget
) -> CategoriesDialog | None:
    """Show the categories of the set ``current``, to be changed."""

    def show(name: str) -> None:
        try:
            own = app.store.kept("categories")
            dialog.show_paths(app.categories(name), standard=name not in own)
        except QuizwriterError as trouble:
            bars.say("review", str(trouble))

    def keep(name: str, paths: Sequence[Category] | None) -> None:
        try:
            app.keep_categories(name, paths)
        except QuizwriterError as trouble:
            bars.say("review", str(trouble))

    try:
        sets = app.store.facets().sets
    except QuizwriterError as trouble:
        bars.say("review", str(trouble))
        return None
    dialog = CategoriesDialog(look, sets, current, window)
    dialog.asked.connect(show)
    dialog.kept.connect(keep)
    show(current)
    dialog.open()
    return dialog


def _check(menu: QMenu, text: str, checked: bool, do: Callable[[], object]) -> QAction:
    action = menu.addAction(text.replace("&", "&&"))
    action.setCheckable(True)
    action.setChecked(checked)
    action.triggered.connect(lambda _=False: do())
    return action


class _Chip(QPushButton):
    """A quiet button with a menu."""

    INSET = 7  # pixels between its edge and its text

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._whole = ""
        self._quiet = False
        self._room = LONGEST_PX
        self.setAutoDefault(False)
        self.setIconSize(QSize(ICON, ICON))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.choices = QMenu(self)
        self.setMenu(self.choices)
        look.changed.connect(self._dress)
        self._dress()

    def say(self, text: str, *, quiet: bool = False) -> None:
        """Show ``text``, cut if it is long; ``quiet`` where it says that something is not set."""
        self._whole, self._quiet = text, quiet
        self._dress()

    def fit(self, pixels: int) -> None:
        """Have so much room, all in all."""
        room = max(24, min(LONGEST_PX, pixels - 2 * self.INSET))
        if room != self._room:
            self._room = room
            self._dress()

    @property
    def said(self) -> str:
        """What it shows."""
        return self._whole.strip()

    def _dress(self) -> None:
        tokens = self._look.tokens
        font = self._look.font(small=True)
        self.setFont(font)
        shown = QFontMetricsF(font).elidedText(self._whole, Qt.TextElideMode.ElideRight, self._room)
        self.setText(shown.replace("&", "&&"))
        self.setStyleSheet(
            f"""
            QPushButton {{ color: {tokens.soft if self._quiet else tokens.ink}; text-align: left;
                           border: 1px solid transparent; border-radius: 6px;
                           padding: 3px {self.INSET - 1}px; }}
            QPushButton:hover {{ background: {mixed(tokens.ink, tokens.page, 0.06)}; }}
            QPushButton:focus {{ border-color: {tokens.accent}; }}
            QPushButton::menu-indicator {{ image: none; width: 0; }}
            """
        )
