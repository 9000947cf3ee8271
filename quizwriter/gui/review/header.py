"""The row above the draft: the tossup's set, category and status."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from quizwriter.domain.events import Body
from quizwriter.domain.review import Categorised, PutInSet, Status, allowed_next
from quizwriter.domain.review_state import Review
from quizwriter.gui.colours import mixed
from quizwriter.gui.review.category_menu import fill_categories, open_categories, tick_action
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import NO_MARGINS, STRETCH, row_of
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.gui.widgets.status_icon import DO, ICON, ICON_MENU, check_title, status_icon
from quizwriter.services.wiring import App
from quizwriter.workflow.categories import Category
from quizwriter.workflow.control_arm import arm_sentence
from quizwriter.workflow.session import WritingSession
from quizwriter.workflow.wording import sentence

LONGEST_PX = 150
"""Pixels of a chip's text, above the narrowest draft."""

SPACE = 4
"""Pixels between the buttons."""

LEAST_CHIPS_PX = 160
"""Pixels that set and category have at least together, before what stands beside them is said shorter."""


LEAST_CHIP_PX = 44
"""Pixels of a chip at least; with fewer it would say nothing, and its menu is in that of the status, too."""


class TossupHeader(QWidget):
    """The row above the draft: the tossup's set, category and status, each a menu that changes it.

    Set and category are in sight once the tossup has them; until then they are in the menu of the status.

    ``locked`` says whether the tossup takes no edits, ``hidden`` whether its writer is shown no machine,
    ``resized`` that it wants more or less room.
    """

    locked = Signal(bool)
    hidden = Signal(bool)
    resized = Signal()

    def __init__(self, app: App, theme: Theme, messages: MessageBars) -> None:
        super().__init__()
        self._app, self._theme, self._messages = app, theme, messages
        self._session: WritingSession | None = None
        self._review_actions: ReviewActions | None = None
        self.review, self._is_changed = Review(), False
        self.set_chip, self.category_chip, self.status_chip = (_HeaderButton(theme) for _ in range(3))
        for chip, called, fill in (
            (self.set_chip, "Set", self._fill_sets),
            (self.category_chip, "Category", self._fill_categories),
            (self.status_chip, "Status", self._fill_statuses),
        ):
            chip.called = called
            chip.choices.setTitle(called)
            chip.choices.aboutToShow.connect(fill)
        self.arm = plain_label("Machines hidden", wrap=False)
        self.arm.hide()
        self._unlock = QPushButton("Unlock…")
        self._unlock.setObjectName("outlined")
        self._unlock.clicked.connect(self.unlock)
        self._row = row_of(
            STRETCH,
            self.set_chip,
            self.category_chip,
            self.arm,
            self.status_chip,
            self._unlock,
            on=self,
            margins=NO_MARGINS,
            spacing=SPACE,
        )
        theme.follow(self._show)

    def use(self, changing: ReviewActions) -> None:
        self._review_actions = changing
        changing.changed.connect(self.take_changed)

    @property
    def wanted(self) -> int:
        """Pixels that all of it would take."""
        self._fit(inside=10_000)
        widths = [
            one.wanted
            if isinstance(one, _HeaderButton) and one is not self.status_chip
            else one.sizeHint().width()
            for one in self._shown
        ]
        self._fit()
        return sum(widths) + SPACE * len(widths)

    @property
    def _shown(self) -> list[QWidget]:
        parts = (self.set_chip, self.category_chip, self.arm, self.status_chip, self._unlock)
        return [one for one in parts if not one.isHidden()]

    def open_menu(self, chip: _HeaderButton) -> None:
        """Open the menu of ``chip``; below the status where the chip is not in sight."""
        below = chip if chip.isVisible() else self.status_chip
        chip.choices.popup(below.mapToGlobal(below.rect().bottomLeft()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self, inside: int = 0) -> None:
        """Where room is short, the status keeps its own."""
        inside = (inside or self.width()) - SPACE * len(self._shown)
        status = sentence(str(self.review.status))
        more = ", changed" if self._is_changed else ", locked" if self.review.locked and inside > 400 else ""
        self.status_chip.show_text(f" {status}{more}")
        inside -= self.status_chip.sizeHint().width()
        if self.review.hides_machines:
            for said in ("Machines hidden", "Hidden", ""):  # of what, the guess pane says, and the time line
                self.arm.setText(said)
                if inside - self.arm.sizeHint().width() >= self._theme.px(LEAST_CHIPS_PX):
                    break
            inside -= self.arm.sizeHint().width()
        if self.review.locked:
            inside -= self._unlock.sizeHint().width()
        chips = [one for one in (self.set_chip, self.category_chip) if one.full_text]
        while chips and inside < len(chips) * self._theme.px(LEAST_CHIP_PX):
            chips.pop()
        for chip in (self.set_chip, self.category_chip):
            chip.setVisible(chip in chips)
        chips.sort(key=lambda chip: chip.wanted)
        for at, chip in enumerate(chips):  # what the shorter one leaves, the other has
            share = inside // (len(chips) - at)
            chip.fit(share)
            inside -= min(chip.wanted, share)

    def open(self, session: WritingSession) -> None:
        self._session = session
        self.refresh()

    def refresh(self) -> None:
        if self._session is None:
            return
        self.review, self._is_changed = Review(), False
        with self._messages.telling("header"):
            self.review = self._app.review.standing_of(self._session.tossup_id)
            if self.review.locked:
                self._is_changed = self._app.review.is_changed_since(self._session.tossup_id)
        self._show()
        self.locked.emit(self.review.locked)
        self.hidden.emit(self.review.hides_machines)

    @property
    def status(self) -> Status:
        return self.review.status

    def set_status(self, status: Status) -> None:
        """Have the tossup get a ``status``; it is asked why, and *ready* is checked."""
        if self._session is None or self.says_empty():
            return
        if status not in allowed_next(self.review.status):
            now = self.review.status
            self._messages.show_message(
                "header", f"A tossup cannot go from {now} to {status} directly.", brief=True
            )
            return
        self._ask_status(self._session, self.review.status, status)

    def _ask_status(self, session: WritingSession, now: Status, status: Status) -> None:
        self._messages.dismiss("header")  # such as that it is locked
        key, tossup = session.tossup_id, session.tossup
        line = tossup.answer.main if tossup.answer else ""
        if self._review_actions is not None:
            self._review_actions.set_status({key: line}, status, now=[now], drafts={key: tossup})

    def unlock(self) -> None:
        self.set_status(Status.EDITED)

    def refuse_edit(self) -> None:
        if self._session is None:
            return
        unlock = partial(self._ask_status, self._session, self.review.status, Status.EDITED)
        text = "This tossup is accepted, so it cannot be edited."
        self._messages.show_message("header", text, [("Unlock…", unlock)], brief=True)

    def says_empty(self) -> bool:
        """Whether the tossup has neither text nor answer, of which nothing can be recorded: it is told."""
        if self._session is None or (self._session.tossup.text.strip() or self._session.tossup.answer):
            return False
        self._messages.show_message("header", "This tossup is empty. Write some text first.", brief=True)
        return True

    def _record(self, body: Body, what: str, asked: WritingSession | None = None) -> None:
        """Record ``body`` of the open tossup, or of that which somebody was ``asked`` about."""
        session = asked or self._session
        if session is not None and self._review_actions is not None and (asked or not self.says_empty()):
            self._review_actions.record([session.tossup_id], body, what)

    def take_changed(self, keys: Sequence[str]) -> None:
        if self._session is not None and self._session.tossup_id in keys:
            self.refresh()

    def _show(self) -> None:
        review = self.review
        place = ", ".join(filter(None, [review.set_name, review.packet]))
        self.set_chip.show_text(place)
        self.category_chip.show_text(" / ".join(review.category))
        for chip in (self.set_chip, self.category_chip):  # where room is short, all of it is only here
            chip.setToolTip(plain_tooltip(f"{chip.called}: {chip.full_text}"))
        self.status_chip.setIcon(status_icon(review.status, self._theme, self.devicePixelRatioF()))
        since = review.status_set
        reason = getattr(since.body, "reason", "") if since is not None else ""
        overridden = [f"{check_title(one.check)}: {one.reason}" for one in review.overridden]
        changed = (
            ["Changed after it was accepted: unlock it and accept it again."] if self._is_changed else []
        )
        lines = ["Change the status", *changed, *filter(None, [reason]), *overridden]
        self.status_chip.setToolTip(plain_tooltip("\n".join(lines)))
        self.arm.setVisible(review.hides_machines)
        self.arm.setToolTip(plain_tooltip(arm_sentence(review)))
        self.arm.setFont(self._theme.font(small=True))
        self.arm.setStyleSheet(f"color: {self._theme.tokens.soft};")
        self._unlock.setVisible(review.locked)
        self._unlock.setFont(self._theme.font(small=True))
        self._fit()
        self.resized.emit()

    def _fill_sets(self) -> None:
        menu = self.set_chip.choices
        menu.clear()
        names: list[str] = []
        with self._messages.telling("header"):
            names = [name for name in self._app.review.sets() if name]
        for name in names:
            tick_action(menu, name, name == self.review.set_name, partial(self._put_in, name))
        if names:
            menu.addSeparator()
        tick_action(menu, "In no set", not self.review.set_name, partial(self._put_in, ""))
        menu.addAction("New set…").triggered.connect(self._ask_set)
        if self.review.set_name:
            self._fill_packets(menu.addMenu("Packet"))

    def _fill_packets(self, menu: QMenu) -> None:
        review = self.review
        names: tuple[str, ...] = ()
        with self._messages.telling("header"):
            names = self._app.review.packets(review.set_name)
        for name in names:
            tick_action(menu, name, name == review.packet, partial(self._put_in, review.set_name, name))
        if names:
            menu.addSeparator()
        tick_action(menu, "In no packet", not review.packet, partial(self._put_in, review.set_name))
        menu.addAction("New packet…").triggered.connect(self._ask_packet)

    def _ask_packet(self) -> None:
        put = partial(self._put_in, self.review.set_name)
        self._ask_name("New packet", "Name of the packet", "Put into packet", put)

    def _ask_set(self) -> None:
        self._ask_name("New set", "Name of the new set", "Put into set", self._put_in)

    def _ask_name(self, title: str, question: str, action: str, put: Callable[..., None]) -> None:
        from quizwriter.gui.review.status_dialog import LineDialog

        if self.says_empty():
            return
        dialog = LineDialog(self._theme, title, question, action, self.window())
        dialog.entered.connect(partial(put, asked=self._session))  # another may be open at the answer
        dialog.open()

    def _put_in(self, name: str, packet: str = "", *, asked: WritingSession | None = None) -> None:
        what = f"the packet {packet}" if packet else f"the set {name}" if name else "no set"
        self._record(PutInSet(name, packet), what, asked)

    def _fill_categories(self) -> None:
        menu = self.category_chip.choices
        menu.clear()
        paths: tuple[Category, ...] = ()
        with self._messages.telling("header"):
            paths = self._app.review.categories(self.review.set_name)
        fill_categories(menu, paths, self._categorise, self.review.category)
        menu.addSeparator()
        tick_action(menu, "No category", not self.review.category, partial(self._categorise, ()))
        menu.addAction("Change the categories…").triggered.connect(self.edit_categories)

    def _categorise(self, path: Category) -> None:
        self._record(Categorised(path), f"the category {' / '.join(path)}" if path else "no category")

    def edit_categories(self) -> None:
        open_categories(self._app, self._theme, self._messages, self.review.set_name, self.window())

    def _fill_statuses(self) -> None:
        menu = self.status_chip.choices
        menu.clear()
        menu.setStyleSheet(ICON_MENU)
        for status in allowed_next(self.review.status):
            unlocks = self.review.locked and status is Status.EDITED
            text = "Unlock…" if unlocks else f"{DO[status]}…"
            action = menu.addAction(status_icon(status, self._theme, self.devicePixelRatioF()), text)
            action.triggered.connect(lambda _=False, status=status: self.set_status(status))
        menu.addSeparator()
        menu.addMenu(self.set_chip.choices)
        menu.addMenu(self.category_chip.choices)


class _HeaderButton(QPushButton):
    """A quiet button with a menu."""

    INSET = 7  # pixels between its edge and its text

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._whole = ""
        self.called = ""  # what a screen reader says before the text
        self._room = theme.px(LONGEST_PX)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.choices = QMenu(self)
        self.setMenu(self.choices)
        theme.follow(self._apply_theme)

    def show_text(self, text: str) -> None:
        """Show ``text``, cut if it is long."""
        self._whole = text
        self.setAccessibleName(f"{self.called}: {self.full_text}")
        self._cut()

    def fit(self, pixels: int) -> None:
        room = max(24, min(self._theme.px(LONGEST_PX), pixels - 2 * self.INSET))
        if room != self._room:
            self._room = room
            self._cut()

    @property
    def wanted(self) -> int:
        """Pixels for the whole text, up to a limit."""
        width = QFontMetricsF(self._theme.font(small=True)).horizontalAdvance(self._whole)
        return ceil(min(self._theme.px(LONGEST_PX), width)) + 2 * self.INSET

    @property
    def full_text(self) -> str:
        return self._whole.strip()

    def _cut(self) -> None:
        font = self._theme.font(small=True)
        shown = QFontMetricsF(font).elidedText(self._whole, Qt.TextElideMode.ElideRight, self._room)
        self.setText(shown.replace("&", "&&"))

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self.setFont(self._theme.font(small=True))
        self._cut()
        side = self._theme.px(ICON)
        self.setIconSize(QSize(side, side))
        self.setStyleSheet(
            f"""
            QPushButton {{ color: {tokens.ink};
                           border: 1px solid transparent; border-radius: 6px;
                           padding: 3px {self.INSET - 1}px; }}
            QPushButton:hover {{ background: {mixed(tokens.ink, tokens.page, 0.06)}; }}
            QPushButton:focus {{ border-color: {tokens.accent}; }}
            QPushButton::menu-indicator {{ image: none; width: 0; }}
            """
        )
