"""Where a tossup stands: its set, category and status above the draft, and what changes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFontMetricsF,
    QIcon,
    QPainter,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from quizwriter.cancellation import Cancellation
from quizwriter.domain.review import (
    Body,
    Categorised,
    Event,
    Person,
    PutInSet,
    Review,
    Status,
    allowed,
    fold_events,
)
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.worker import JobQueue, Progress, Saver
from quizwriter.gui.dialogs.profile import require_profile
from quizwriter.gui.theme import Theme, draw_check, mixed
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.workflow.categories import Category
from quizwriter.workflow.session import WritingSession
from quizwriter.workflow.statuses import needs_reason
from quizwriter.workflow.wording import counted_noun, sentence

if TYPE_CHECKING:
    from quizwriter.gui.review.status_dialog import CategoriesDialog, StatusDecision, StatusDialog
    from quizwriter.services.wiring import App, Engine, RecordReport
    from quizwriter.workflow.checks import Check

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


def status_icon(status: Status, theme: Theme, ratio: float = 2.0) -> QIcon:
    """The sign of ``status`` as an icon."""
    pixmap = QPixmap(round(ICON * ratio), round(ICON * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    tokens = theme.tokens
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


# -- changing it


class ReviewActions(QObject):
    """Changes statuses, sets, categories and authors, off the window's thread, and takes changes back.

    ``changed`` says that something was recorded, of the tossups with these ids; ``broke`` carries the
    traceback of a bug. What was done is told in ``bars``, with *Undo*.
    """

    changed = Signal(object)
    broke = Signal(str)

    def __init__(
        self,
        app: App,
        theme: Theme,
        saver: Saver,
        messages: MessageBars,
        window: QWidget,
        *,
        save: Callable[[], object],
        engine: Callable[[], Engine | None],
        one: str = "This tossup",
    ) -> None:
        """``save`` hands what was typed to the ``saver``, for nothing is recorded before that is on disk.

        ``one`` is what a single tossup is called.
        """
        super().__init__(window)
        self._app, self._theme, self._saver, self._messages, self._window = (
            app,
            theme,
            saver,
            messages,
            window,
        )
        self._save, self._engine, self._one = save, engine, one
        self._done: list[tuple[str, tuple[Event, ...]]] = []
        self._undone: list[tuple[str, tuple[Event, ...]]] = []
        self._dialog: StatusDialog | None = None
        self._checking: StatusDialog | None = None  # of whose tossups the checks are being made
        self.jobs = JobQueue()
        self.jobs.broke.connect(self.broke)
        self.jobs.progressed.connect(self._progressed)

    def shutdown(self) -> None:
        """End the thread; what is being done is finished first."""
        self.jobs.stop()

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
        from quizwriter.gui.review.status_dialog import StatusDialog  # here, as nobody starts with it

        before = set(now)
        unlocks = before == {Status.ACCEPTED} and status is Status.EDITED
        explain = any(needs_reason(one, status) for one in before) or needs_reason(Status.DRAFT, status)

        def ask(_: Person) -> None:
            dialog = StatusDialog(
                self._theme, status, names, explain=explain, unlocks=unlocks, parent=self._window
            )
            dialog.chosen.connect(partial(self._change_status, status))
            dialog.finished.connect(lambda _: self._forget(dialog))
            self._dialog = dialog
            dialog.open()
            if status is Status.READY:
                dialog.wait()
                self._after_saving(lambda: self._check(dialog, tuple(names), drafts))

        require_profile(self._app, self._theme, self._window, ask)

    def _check(self, dialog: StatusDialog, keys: Sequence[str], drafts: Drafts | None) -> None:
        if self._dialog is not dialog:
            return  # it was closed while the drafts were saved
        engine, cancellation = self._engine(), Cancellation()
        dialog.finished.connect(lambda _: cancellation.cancel())

        def check(progress: Progress) -> dict[str, tuple[Check, ...]]:
            cancellation.check()
            self._checking = dialog
            return self._app.check(drafts or self._app.drafts(keys), engine, progress, cancellation)

        def then(result: dict[str, tuple[Check, ...]] | QuizwriterError | None) -> None:
            if self._dialog is not dialog:
                return
            if isinstance(result, dict):
                dialog.show_checks(result)
            else:
                dialog.reject()
                self._say(str(result or ""))

        self.jobs.run(check, then)

    def _progressed(self, done: int, total: int) -> None:
        if self._dialog is not None and self._dialog is self._checking and total > 1:
            self._dialog.wait(done, total)

    def _forget(self, dialog: StatusDialog) -> None:
        if self._dialog is dialog:
            self._dialog = None

    def _change_status(self, status: Status, choice: StatusDecision) -> None:
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
        require_profile(
            self._app,
            self._theme,
            self._window,
            lambda _: self._run(lambda: self._app.record(keys, body), one, many, len(keys)),
        )

    def _run(self, do: Callable[[], RecordReport], one: str, many: str, asked: int) -> None:
        def then(result: RecordReport | QuizwriterError | None) -> None:
            if result is None or isinstance(result, QuizwriterError):
                self._say(str(result or ""))
                return
            count, refused = len(result.events), result.refused
            told = ""
            if count:
                told = (
                    f"{self._one} {one}."
                    if asked == 1
                    else f"{counted_noun(count, 'tossup')} {one if count == 1 else many}."
                )
                self._done.append((told, result.events))
                self._undone.clear()
                self.changed.emit([event.tossup_id for event in result.events])
            if refused:
                rest = (
                    f"{counted_noun(len(refused), 'other')} could not be changed"
                    if count
                    else "Nothing was changed"
                )
                told = f"{told} {rest}: {refused[0][1]}" if asked > 1 else str(refused[0][1])
            if told:
                undo = [("Undo", self.undo)] if count else []
                self._messages.show_message("review", told.strip(), undo, brief=not refused and asked == 1)
            else:
                self._messages.show_message("review", "That is so already.", brief=True)

        self._after_saving(lambda: self.jobs.run(lambda _: do(), then))

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
            self._messages.show_message("review", "There is nothing to take back.", brief=True)
            return
        told, events = stack.pop()

        def then(result: RecordReport | QuizwriterError | None) -> None:
            if result is None or isinstance(result, QuizwriterError):
                stack.append((told, events))
                self._say(str(result or ""))
                return
            other.append((told, result.events))
            self.changed.emit([event.tossup_id for event in events])
            self._messages.show_message(
                "review", f"{said}: {told[:1].lower()}{told[1:]}", [(name, back)], brief=True
            )

        self.jobs.run(lambda _: self._app.take_back(events), then)

    def _after_saving(self, then: Callable[[], object]) -> None:
        """Do ``then`` once what was typed is on disk; after a while all the same: the disk may be full."""
        self._save()
        if self._saver.idle:
            then()
            return
        waiting = _ActionAfterSaving(self, then)
        self._saver.settled.connect(waiting.go)
        waiting.startTimer(DISK_MS)

    def _say(self, text: str) -> None:
        if text:
            self._messages.show_message("review", text)


Drafts = Mapping[str, Tossup]


class _ActionAfterSaving(QObject):
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


class TossupHeader(QWidget):
    """The row above the draft: the tossup's set, category and status, each a menu that changes it.

    ``locked`` says whether the tossup takes no edits.
    """

    locked = Signal(bool)

    def __init__(self, app: App, theme: Theme, messages: MessageBars, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app, self._theme, self._messages = app, theme, messages
        self._session: WritingSession | None = None
        self._review_actions: ReviewActions | None = None
        self.review = Review()
        self.set_chip, self.category_chip, self.status_chip = (_HeaderButton(theme) for _ in range(3))
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
        theme.changed.connect(self._show)
        self._show()

    def use(self, changing: ReviewActions) -> None:
        """Change things by ``changing`` from now on."""
        self._review_actions = changing
        changing.changed.connect(self.take_changed)

    def align(self, left: int, right: int) -> None:
        """Begin and end where the text's column does."""
        self._row.setContentsMargins(left - _HeaderButton.INSET, 8, right, 0)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where room is short, the status keeps its own."""
        margins = self._row.contentsMargins()
        inside = self.width() - margins.left() - margins.right() - 4 * self._row.spacing()
        status = sentence(str(self.review.status))
        self.status_chip.say(f" {status}, locked" if self.review.locked and inside > 400 else f" {status}")
        inside -= self.status_chip.sizeHint().width()
        if self.review.locked:
            inside -= self._unlock.sizeHint().width() + self._row.spacing()
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
            self.review = fold_events(self._app.store.events(self._session.tossup_id))
        except QuizwriterError as trouble:
            self._messages.show_message("review", str(trouble))
            self.review = Review()
        self._show()
        self.locked.emit(self.review.locked)

    @property
    def status(self) -> Status:
        """The status shown."""
        return self.review.status

    def set_status(self, status: Status) -> None:
        """Have the tossup get a ``status``; it is asked why, and *ready* is checked."""
        if self._session is None or self._review_actions is None or self._is_empty():
            return
        if status not in allowed(self.review.status):
            now = self.review.status
            self._messages.show_message(
                "review", f"A tossup that is {now} cannot become {status} at once.", brief=True
            )
            return
        key, tossup = self._session.tossup_id, self._session.tossup
        line = tossup.answer.main if tossup.answer else ""
        self._review_actions.set_status({key: line}, status, now=[self.review.status], drafts={key: tossup})

    def unlock(self) -> None:
        """Have the tossup take edits again; it is asked why."""
        self.set_status(Status.EDITED)

    def refuse_edit(self) -> None:
        """Say why nothing happened."""
        text = "This tossup is accepted, so it takes no edits."
        self._messages.show_message("review", text, [("Unlock…", self.unlock)], brief=True)

    def _is_empty(self) -> bool:
        if self._session is None or (self._session.tossup.text.strip() or self._session.tossup.answer):
            return False
        self._messages.show_message("review", "Write something first; then it can go into a set.", brief=True)
        return True

    def _record(self, body: Body, told: str) -> None:
        if self._session is not None and self._review_actions is not None and not self._is_empty():
            self._review_actions.record([self._session.tossup_id], body, told, told)

    def take_changed(self, keys: Sequence[str]) -> None:
        """Something of the tossups ``keys`` was changed."""
        if self._session is not None and self._session.tossup_id in keys:
            self.refresh()

    def _show(self) -> None:
        review = self.review
        self.set_chip.say(review.set_name or "No set", quiet=not review.set_name)
        self.category_chip.say(" / ".join(review.category) or "No category", quiet=not review.category)
        self.status_chip.setIcon(status_icon(review.status, self._theme, self.devicePixelRatioF()))
        since = review.status_set
        reason = getattr(since.body, "reason", "") if since is not None else ""
        overridden = [f"{check_title(one.check)}: {one.reason}" for one in review.overridden]
        self.status_chip.setToolTip("\n".join(["Change the status", *filter(None, [reason]), *overridden]))
        self._unlock.setVisible(review.locked)
        self._unlock.setFont(self._theme.font(small=True))
        self._fit()

    def _fill_sets(self) -> None:
        menu = self.set_chip.choices
        menu.clear()
        try:
            names = [name for name in self._app.store.sets() if name]
        except QuizwriterError as trouble:
            self._messages.show_message("review", str(trouble))
            names = []
        for name in names:
            _check(menu, name, name == self.review.set_name, partial(self._put_in, name))
        if names:
            menu.addSeparator()
        _check(menu, "In no set", not self.review.set_name, partial(self._put_in, ""))
        menu.addAction("New set…").triggered.connect(self._ask_set)

    def _ask_set(self) -> None:
        from quizwriter.gui.review.status_dialog import LineDialog

        dialog = LineDialog(
            self._theme, "New set", "What is the set called?", do="Put into it", parent=self.window()
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
            self._messages.show_message("review", str(trouble))
            paths = ()
        fill_categories(menu, paths, self._categorise, self.review.category)
        menu.addSeparator()
        _check(menu, "No category", not self.review.category, partial(self._categorise, ()))
        menu.addAction("Change the categories…").triggered.connect(self.edit_categories)

    def _categorise(self, path: Category) -> None:
        self._record(Categorised(path), f"is {' / '.join(path)} now" if path else "has no category now")

    def edit_categories(self) -> None:
        """Show the categories of the tossup's set, to be changed."""
        open_categories(self._app, self._theme, self._messages, self.review.set_name, self.window())

    def _fill_statuses(self) -> None:
        menu = self.status_chip.choices
        menu.clear()
        menu.setStyleSheet(ICON_MENU)
        for status in allowed(self.review.status):
            unlocks = self.review.locked and status is Status.EDITED
            text = "Unlock…" if unlocks else f"{DO[status]}…"
            action = menu.addAction(status_icon(status, self._theme, self.devicePixelRatioF()), text)
            action.triggered.connect(lambda _=False, status=status: self.set_status(status))


def open_categories(
    app: App, theme: Theme, messages: MessageBars, current: str, window: QWidget
) -> CategoriesDialog | None:
    """Show the categories of the set ``current``, to be changed."""
    from quizwriter.gui.review.status_dialog import CategoriesDialog

    def show(name: str) -> None:
        try:
            own = app.store.kept("categories")
            dialog.show_paths(app.categories(name), standard=name not in own)
        except QuizwriterError as trouble:
            messages.show_message("review", str(trouble))

    def keep(name: str, paths: Sequence[Category] | None) -> None:
        try:
            app.keep_categories(name, paths)
        except QuizwriterError as trouble:
            messages.show_message("review", str(trouble))

    try:
        sets = app.store.sets()
    except QuizwriterError as trouble:
        messages.show_message("review", str(trouble))
        return None
    dialog = CategoriesDialog(theme, sets, current, window)
    dialog.asked.connect(show)
    dialog.kept.connect(keep)
    show(current)
    dialog.open()
    return dialog


def check_title(name: str) -> str:
    """What people call a check."""
    from quizwriter.workflow.checks import TITLES

    return TITLES.get(name, name)


def _check(menu: QMenu, text: str, checked: bool, do: Callable[[], object]) -> QAction:
    action = menu.addAction(text.replace("&", "&&"))
    action.setCheckable(True)
    action.setChecked(checked)
    action.triggered.connect(lambda _=False: do())
    return action


class _HeaderButton(QPushButton):
    """A quiet button with a menu."""

    INSET = 7  # pixels between its edge and its text

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._whole = ""
        self._quiet = False
        self._room = LONGEST_PX
        self.setAutoDefault(False)
        self.setIconSize(QSize(ICON, ICON))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.choices = QMenu(self)
        self.setMenu(self.choices)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def say(self, text: str, *, quiet: bool = False) -> None:
        """Show ``text``, cut if it is long; ``quiet`` where it says that something is not set."""
        self._whole, self._quiet = text, quiet
        self._apply_theme()

    def fit(self, pixels: int) -> None:
        """Have so much room, all in all."""
        room = max(24, min(LONGEST_PX, pixels - 2 * self.INSET))
        if room != self._room:
            self._room = room
            self._apply_theme()

    @property
    def said(self) -> str:
        """What it shows."""
        return self._whole.strip()

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        font = self._theme.font(small=True)
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
