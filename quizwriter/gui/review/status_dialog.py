"""Dialogs that change tossups: a status with its checks, the categories of a set, one line of text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from math import ceil

import msgspec
from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from quizwriter.domain.review import Status
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import MARGINS, Dialog, TextStyle
from quizwriter.gui.widgets.fields import choice_box, plain_table, scrolling, text_line, widen_columns
from quizwriter.gui.widgets.icons import draw_check, draw_cross
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of, row_of
from quizwriter.gui.widgets.status_icon import DO
from quizwriter.services.review import PlannedStatus
from quizwriter.workflow.categories import DEEPEST, Category
from quizwriter.workflow.checks import Check, check_titles
from quizwriter.workflow.statuses import STEP_RULES
from quizwriter.workflow.wording import counted_noun, listed

MOST_HEIGHT = 340
"""Pixels of the list of checks at most; a longer list scrolls."""

MOST_REASONS = 3
"""Reasons that are told whole above the tossups that stay as they are."""

LEFT_HEIGHT = 132
"""Pixels of the list of tossups that stay as they are."""

TICK = 11
"""Pixels of the tick or cross of a check."""

OVERRIDE = "Reason for overriding this check"
"""What a line without a reason says."""

AROUND_OVERRIDE = 120
"""Pixels beside and within such a line that are not for its text."""

MOST_LINES = 20
"""Lines of a tooltip at most."""


class LineDialog(Dialog):
    """Asks for one line. ``entered`` carries the line without white space around it."""

    entered = Signal(str)

    def __init__(
        self, theme: Theme, title: str, question: str, action: str = "Save", parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, title, parent, width=400)
        self.line = text_line(title, longest=200)
        self.body.addWidget(self.label(question))
        self.body.addWidget(self.line)
        self.add_primary(action, self._enter)
        self.name_close_button("Cancel")
        self.line.textChanged.connect(self._check)
        self._check()

    def _check(self) -> None:
        self.set_ready(bool(self.line.text().strip()))

    def _enter(self) -> None:
        line = " ".join(self.line.text().split())
        if line:
            self.accept()
            self.entered.emit(line)


class StatusDecision(msgspec.Struct, frozen=True):
    """A decision about tossups: which ones, the reason, and the reason for overriding each failing check."""

    keys: tuple[str, ...]
    reason: str = ""
    failed: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    overridden: Mapping[str, str] = msgspec.field(default_factory=dict)


class StatusDialog(Dialog):
    """Asks for the reason of a new status, and shows what each step checks and which tossups stay behind.

    One tossup gets the status once every check passes or has a reason why it need not. Of many tossups,
    those that do not pass are listed with the reason, and stay as they are. ``decided`` carries the
    :class:`StatusDecision`.
    """

    decided = Signal(object)

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
        """``names`` are the tossups' answers by id; ``explain`` says that a reason is required."""
        bold = QFontMetricsF(theme.font(bold=True))
        titles = max(ceil(bold.horizontalAdvance(title)) for title in check_titles().values()) + 4
        asked = ceil(QFontMetricsF(theme.font()).horizontalAdvance(OVERRIDE)) + AROUND_OVERRIDE
        super().__init__(theme, "Status", parent, width=titles + max(400, asked))
        self._title_width = titles
        self._status = status
        self._names = dict(names)
        self._explain = explain
        self._unlocks = unlocks
        self._plan: Mapping[str, PlannedStatus] = {}
        self._problems = 0
        self._overrides: dict[str, QLineEdit] = {}
        self.passed_button: QPushButton | None = None
        """What shows and hides the checks that passed."""
        self.heading = self.label(self._title(), TextStyle.HEADING)
        self._summary = self.label("", TextStyle.CAPTION)
        self._list = QWidget()
        self._rows = column_of(on=self._list, margins=(0, 0, 8, 0), spacing=8)
        self._area = scrolling(self._list, sideways=False)
        self._left_title = self.label("", TextStyle.HEADING)
        self.reasons = self.label("", TextStyle.CAPTION)
        """The reasons that hold several tossups back: the table has no room for whole sentences."""
        self.left = plain_table("Tossups that keep their status", "Tossup", "Status", "Reason")
        self.left.setUniformRowHeights(True)
        self.left.setFixedHeight(theme.px(LEFT_HEIGHT))
        widen_columns(self.left, theme.px, 170, 84)
        self.reason = text_line("Reason", "Reason" if explain else "Note (optional)", longest=2_000)
        self.reason.textChanged.connect(self._enable_buttons)
        self.body.addWidget(self.heading)
        self.body.addWidget(self._summary)
        self.body.addWidget(self._area, 1)
        self.body.addWidget(self._left_title)
        self.body.addWidget(self.reasons)
        self.body.addWidget(self.left)
        self.body.addWidget(self.reason)
        self._do = DO[status] if not unlocks else "Unlock"
        self.primary = self.add_primary(self._do, self.choose)
        self.name_close_button("Cancel")
        hidden: tuple[QWidget, ...] = (
            self._summary, self._area, self._left_title, self.reasons, self.left,
        )  # fmt: skip
        for widget in hidden:
            widget.hide()
        self._enable_buttons()
        self.reason.setFocus()

    def _title(self) -> str:
        many = len(self._names) > 1
        line = next(iter(self._names.values()), "")
        what = counted_noun(len(self._first_of(self._names)), "tossup") if many else line or "This tossup"
        if self._unlocks:
            return f"Unlock {what} and change {'their' if many else 'its'} status back to {self._status}"
        return f"{DO[self._status]}: {what}"

    def _first_of(self, keys: Iterable[str]) -> list[str]:
        """Those of ``keys`` that are the first of their tossup's branches."""
        first: dict[str, str] = {}
        for key in keys:
            planned = self._plan.get(key)
            first.setdefault((planned and planned.branch_of) or key, key)
        return list(first.values())

    def show_checking(self, done: int = 0, total: int = 0) -> None:
        """Show that the checks run, and how many of how many tossups are done."""
        self.show_busy("Running the checks…", done, total)
        self._enable_buttons()

    def show_plan(self, plan: Mapping[str, PlannedStatus], problems: int = 0) -> None:
        """Show what would happen to each tossup, by id: the steps, the checks, and what stays behind.

        The window lists so many ``problems`` of a single tossup; most hold nothing back.
        """
        self.end_busy()
        self._plan, self._problems = plan, problems
        self.heading.setText(self._title())
        checks = {key: planned.checks for key, planned in plan.items() if planned.checks}
        failing = {name for planned in plan.values() for name in planned.failed}
        order = [
            *(name for name in check_titles() if name in failing),
            *(name for name in check_titles() if name not in failing),
        ]
        passed: list[QWidget] = []
        for name in order if checks else ():
            found = {key: one for key, all_ in checks.items() for one in all_ if one.name == name}
            row = self._check_row(name, found)
            if name not in failing:
                passed.append(row)
            else:
                self._rows.addWidget(row)
        if passed:
            self._fold_passed(passed)
        self._rows.addStretch(1)
        self._summary.setText("\n".join([*self._step_lines(), *self._check_lines(checks, failing)]))
        self._summary.setVisible(bool(self._summary.text()))
        self._area.setVisible(bool(checks))
        self._list.adjustSize()
        self._show_left()
        first = next(iter(self._overrides.values()), self.reason)
        first.setFocus()

    def _fold_passed(self, rows: Sequence[QWidget]) -> None:
        """Say of checks that passed no more than their number, until somebody wants to see them."""
        inside = QWidget()
        column_of(*rows, on=inside, margins=NO_MARGINS, spacing=8)
        inside.hide()

        def toggle() -> None:
            inside.setVisible(inside.isHidden())
            self.fit()

        self.passed_button = outlined(f"{counted_noun(len(rows), 'check')} passed", toggle)
        self._rows.addWidget(self.passed_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._rows.addWidget(inside)

    def _step_lines(self) -> list[str]:
        """How many tossups take which steps, and what the steps check."""
        ways: dict[tuple[Status, ...], int] = {}
        for planned in self._plan.values():
            if planned.steps:
                way = (planned.before, *planned.steps)
                ways[way] = ways.get(way, 0) + 1
        if not ways or max(map(len, ways)) < 3:
            return []
        lines = [f"{counted_noun(count, 'tossup')}: {' → '.join(way)}." for way, count in ways.items()]
        steps = {step for way in ways for step in way[1:]}
        rules = [f"For {step}, {rule}." for step, rule in STEP_RULES.items() if step in steps]
        return [*lines, *rules]

    def _check_lines(self, checks: Mapping[str, Sequence[Check]], failing: Collection[str]) -> list[str]:
        if len(self._plan) == 1:
            (planned,) = self._plan.values()
            if planned.hindrance:
                return [planned.hindrance]
        if not checks:
            return []
        if not failing:
            left = counted_noun(self._problems, "problem")
            verb, does = ("remains", "does") if self._problems == 1 else ("remain", "do")
            rest = f" {left} {verb} and {does} not prevent it." if self._problems else ""
            return [f"Every check passes.{rest}"]
        if len(self._names) > 1:
            return ["Give a reason to override a check. Tossups that do not pass keep their status."]
        return ["Give a reason for each check that did not pass, or change the tossup."]

    def _stays(self, planned: PlannedStatus) -> str:
        """Why a tossup stays as it is; empty if it gets the status."""
        if planned.hindrance:
            return planned.hindrance
        waived = {name for name, line in self._overrides.items() if line.text().strip()}
        findings = [
            f"{check_titles()[check.name]}: {check.finding}"
            for check in planned.checks
            if not check.passed and check.name not in waived
        ]
        return " ".join(findings)

    def _show_left(self) -> None:
        """List the tossups that stay behind, as the reasons stand now."""
        if len(self._names) > 1:
            self.left.clear()
            stays: dict[str, list[str]] = {}
            for key, planned in self._plan.items():
                if why := self._stays(planned):
                    stays.setdefault(why, []).append(key)
            listed = {why: self._first_of(keys) for why, keys in stays.items()}
            for why, keys in listed.items():
                alone = len(keys) == 1
                rows = [
                    self._left_row(self._names.get(key) or "No answer yet", key, why if alone else "")
                    for key in keys
                ]
                above = rows[0] if alone else self._left_row(counted_noun(len(rows), "tossup"), "", why)
                if not alone:
                    above.addChildren(rows)
                self.left.addTopLevelItem(above)
            self.left.setRootIsDecorated(any(len(keys) > 1 for keys in listed.values()))
            count = sum(map(len, listed.values()))
            stay = "stays as it is" if count == 1 else "stay as they are"
            self._left_title.setText(f"{counted_noun(count, 'tossup')} {stay}")
            self._left_title.setVisible(count > 0)
            shared = sorted(((len(keys), why) for why, keys in listed.items() if len(keys) > 1), reverse=True)
            said = (f"{counted_noun(number, 'tossup')}: {why}" for number, why in shared[:MOST_REASONS])
            self.reasons.setText("\n".join(said))
            self.reasons.setVisible(bool(shared))
            self.left.setVisible(count > 0)
        self._enable_buttons()
        self.fit()

    def _left_row(self, name: str, key: str, why: str) -> QTreeWidgetItem:
        """A row of the list of what stays behind: one tossup, or several for one reason without a ``key``."""
        item = QTreeWidgetItem([name, str(self._plan[key].before) if key else "", why])
        for place, text in enumerate((name, "", why)):
            item.setToolTip(place, plain_tooltip(text))
        return item

    def fit(self) -> None:
        """Give the list of checks the height that it needs, up to a limit; beyond that it scrolls."""
        if self._rows.count():
            room = self._width - MARGINS[0] - MARGINS[2]
            most = MOST_HEIGHT if self.left.isHidden() else MOST_HEIGHT - 100
            wraps = self._rows.hasHeightForWidth()
            needed = self._rows.totalHeightForWidth(room) if wraps else self._rows.totalSizeHint().height()
            self._list.setFixedHeight(needed)  # or labels that may wrap would want more
            self._area.setFixedHeight(min(most, needed))
        super().fit()

    def _check_row(self, name: str, found: Mapping[str, Check]) -> QWidget:
        failed = {key: one for key, one in found.items() if not one.passed}
        row = QWidget()
        sign = _CheckMark(self._theme, passed=not failed)
        title = self.label(check_titles()[name], TextStyle.HEADING if failed else TextStyle.BODY, wrap=False)
        told = self.label(self._check_summary(found, failed), TextStyle.BODY if failed else TextStyle.CAPTION)
        lines = (f"{self._names.get(key, key)}: {one.finding}" for key, one in failed.items())
        told.setToolTip(plain_tooltip("\n".join(islice(lines, MOST_LINES))))
        line = row_of(on=row, margins=NO_MARGINS, spacing=8)
        line.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        title.setFixedWidth(self._title_width)
        line.addWidget(title, 0, Qt.AlignmentFlag.AlignTop)
        beside = column_of(told, spacing=4)
        if failed:
            why = text_line(f"{check_titles()[name]}: reason for overriding", OVERRIDE, longest=2_000)
            why.textChanged.connect(self._show_left)
            self._overrides[name] = why
            beside.addWidget(why)
        line.addLayout(beside, 1)
        row.setAccessibleName(f"{check_titles()[name]}: {'passed' if not failed else 'not passed'}")
        return row

    def _check_summary(self, found: Mapping[str, Check], failed: Mapping[str, Check]) -> str:
        if len(found) == 1:
            return next(iter(found.values())).finding
        if not failed:
            return f"All {len(found):,} pass."
        names = [self._names.get(key) or "a tossup without an answer" for key in failed]
        shown = names[:3] if len(names) <= 4 else [*names[:3], f"{len(names) - 3:,} others"]
        return f"Not passed: {listed(shown if len(names) != 4 else names)}."

    @property
    def overrides(self) -> dict[str, QLineEdit]:
        """The fields for the reasons of overriding failing checks, by the name of the check."""
        return self._overrides

    @property
    def passing(self) -> tuple[str, ...]:
        """The ids of the tossups that get the status, as the reasons stand now."""
        if not self._plan:
            return tuple(self._names)
        return tuple(key for key, planned in self._plan.items() if not self._stays(planned))

    @property
    def can_choose(self) -> bool:
        """Whether any tossup gets the status, and every required reason is given."""
        return self._has_reason and bool(self.passing) and not self.busy

    @property
    def _has_reason(self) -> bool:
        return bool(self.reason.text().strip()) or not self._explain

    def _enable_buttons(self) -> None:
        many = len(self._names) > 1 and bool(self._plan)
        self.primary.setText(f"{self._do}: {counted_noun(len(self.passing), 'tossup')}" if many else self._do)
        self.set_ready(self.can_choose)

    def choose(self) -> None:
        """Decide for the tossups that pass, if every required reason is given."""
        if self.can_choose:
            keys = self.passing
            failed = {key: planned.failed for key, planned in self._plan.items()}
            reasons = {name: line.text().strip() for name, line in self._overrides.items()}
            waived = {name: why for name, why in reasons.items() if why}
            self.accept()
            self.decided.emit(StatusDecision(keys, self.reason.text().strip(), failed, waived))


class _CheckMark(QWidget):
    """A tick, or a cross."""

    def __init__(self, theme: Theme, *, passed: bool) -> None:
        super().__init__()
        self._theme, self._passed = theme, passed
        side = theme.px(TICK)
        self.setFixedSize(side + 5, side + 7)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens, box = self._theme.tokens, QRectF(self.rect()).adjusted(2, 4, -3, -3)
        if self._passed:
            draw_check(painter, box, QColor(tokens.right))
        else:
            draw_cross(painter, box, QColor(tokens.confident))


class CategoriesDialog(Dialog):
    """Shows and changes the categories of a set.

    ``saved`` carries the set and its categories, None: the standard ones. ``set_selected`` carries the name
    of the set whose categories :meth:`show_paths` has to show next.
    """

    saved = Signal(str, object)
    set_selected = Signal(str)

    def __init__(
        self, theme: Theme, sets: Iterable[str], current: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, "Categories", parent, size=(520, 600))
        self._standard = False
        self._shown: tuple[str, tuple[Category, ...]] = (current, ())  # the set, and its categories
        self._unsaved: tuple[Category, ...] = ()  # the changes of which it was said that they are not saved
        self.sets = choice_box("Set")
        for name in dict.fromkeys([current, *sets]):
            self.sets.addItem(name or "Tossups in no set", name)
        self.sets.activated.connect(lambda _: self._choose_set())
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Categories")
        self.tree.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked
        )
        self.tree.itemChanged.connect(self._changed)
        self.tree.currentItemChanged.connect(self._enable_tools)
        self.add_below_button = outlined("Add below", lambda: self.add_category(below=True))
        self.remove = outlined("Remove", self.remove_category)
        tools = QHBoxLayout()
        tools.setSpacing(8)
        add = outlined("Add", lambda: self.add_category(below=False))
        for button in (add, self.add_below_button, self.remove):
            tools.addWidget(button)
        tools.addStretch(1)
        tools.addWidget(outlined("Standard categories", self._reset))
        self.body.addWidget(self.label("The categories for tossups of a set, in up to three levels."))
        self.body.addWidget(self.sets)
        self.body.addWidget(self.tree, 1)
        self.body.addLayout(tools)
        self.add_primary("Save", self.save)
        self.name_close_button("Cancel")
        self._enable_tools()

    @property
    def set_name(self) -> str:
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
        self._list(paths, standard=standard)
        self._shown, self._unsaved = (self.set_name, self.paths), ()
        self.show_message("")

    def _list(self, paths: Sequence[Category], *, standard: bool) -> None:
        with QSignalBlocker(self.tree):
            self.tree.clear()
            items: dict[Category, QTreeWidgetItem] = {(): self.tree.invisibleRootItem()}
            for path in paths:
                items[path] = _editable(QTreeWidgetItem(items[path[:-1]], [path[-1]]))
        self._standard = standard
        self._enable_tools()

    def _choose_set(self) -> None:
        """Show the categories of another set; what was typed is not thrown away unasked."""
        name, before = self._shown
        if self.set_name == name:
            return
        if self.paths not in (before, self._unsaved):
            self._unsaved = self.paths
            self.sets.setCurrentIndex(self.sets.findData(name))
            self.show_failure(
                "The categories are not saved. Save them, or choose the set again to discard your changes."
            )
            return
        self.set_selected.emit(self.set_name)

    def add_category(self, *, below: bool) -> None:
        """Add a category beside the selected one or below it, to be named."""
        current = self.tree.currentItem()
        above = current if below else current.parent() if current is not None else None
        item = _editable(QTreeWidgetItem(above or self.tree.invisibleRootItem(), ["New category"]))
        if above is not None:
            above.setExpanded(True)
        self.tree.setCurrentItem(item)
        self._standard = False
        self.tree.editItem(item, 0)

    def remove_category(self) -> None:
        item = self.tree.currentItem()
        if item is not None:
            (item.parent() or self.tree.invisibleRootItem()).removeChild(item)
            self._standard = False

    def _reset(self) -> None:
        from quizwriter.workflow.categories import STANDARD

        self._list(STANDARD, standard=True)

    def _changed(self) -> None:
        self._standard = False

    def _enable_tools(self) -> None:
        item, depth = self.tree.currentItem(), 0
        self.remove.setEnabled(item is not None)
        while item is not None:
            item, depth = item.parent(), depth + 1
        self.add_below_button.setEnabled(0 < depth < DEEPEST)

    def save(self) -> None:
        self.accept()
        self.saved.emit(self.set_name, None if self._standard else self.paths)


def _editable(item: QTreeWidgetItem) -> QTreeWidgetItem:
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
    return item
