"""Tagging tossups with what makes them hard for machines: unseen by others, compared, then decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import partial
from html import escape

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QButtonGroup, QFrame, QSplitter, QStackedWidget, QTreeView, QWidget

from quizwriter.domain.answer_line import without_markup
from quizwriter.domain.events import Event
from quizwriter.domain.review import Round, Tagged
from quizwriter.domain.review_state import Review
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.colours import mixed
from quizwriter.gui.review.tag_pane import NUMBERED, AgreementTable, TagPane, wrapped
from quizwriter.gui.review.tagging_model import TaggingModel
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.fields import choice_box, named
from quizwriter.gui.widgets.labels import RichPane, plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import NO_MARGINS, Gap, column_of, row_of
from quizwriter.gui.widgets.saved_layout import MOST_TOSSUPS, WindowFrame, WindowPlace, resize_within_screen
from quizwriter.gui.writing.draft_hint import line_pixels
from quizwriter.services.tossups import phenomena
from quizwriter.services.wiring import App
from quizwriter.workflow.queue import QueueFilter, QueueRow, QueueSort
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.tagging import (
    blind_tags_of,
    decided,
    disputed,
    finished_people,
    may_decide,
    may_see,
    progress,
)
from quizwriter.workflow.threads import author_name
from quizwriter.workflow.wording import counted_noun, listed

ALL = "All tossups"
BLIND = "Tags of other people are hidden until two people have tagged all of these tossups."
SEEN = "The tags of others are visible to you, so your own tags can no longer change."
NOT_YET = (
    "The comparison opens when you and one other person, or two other people, have tagged all of these "
    "tossups. A third person then decides."
)
NOT_YOURS = "You tagged this tossup yourself, so somebody else must decide."
_Index = QModelIndex | QPersistentModelIndex


WIDEST_TAGS = 440
"""Pixels of the column of tags that large letters can ask for; the tossup beside it needs room, too."""


class TaggingMode(IntEnum):
    """What the window is used for."""

    TAG = 0
    COMPARE = 1
    DECIDE = 2


_MODES = {mode.name.lower(): mode for mode in TaggingMode}


class TaggingGroup(msgspec.Struct, frozen=True):
    """Tossups that are tagged together, with all that was found in them."""

    rows: tuple[QueueRow, ...] = ()
    reviews: Mapping[str, Review] = msgspec.field(default_factory=dict)
    people: Mapping[str, str] = msgspec.field(default_factory=dict)
    sets: tuple[str, ...] = ()  # what other groups there are


class TaggingWindow(QWidget):
    """A group of tossups, one after the other, with the tags that each person gave them.

    ``opened`` carries the id of a tossup that is wanted in the main window.
    """

    opened = Signal(str)

    def __init__(
        self, app: App, theme: Theme, keys: Sequence[str] = (), *, place: WindowPlace | None = None
    ) -> None:
        """A window for the tossups ``keys``, or for all where none are given; ``place``: as it was there."""
        super().__init__(None, Qt.WindowType.Window)
        self._app = app
        self._theme = theme
        self._chosen = tuple(keys)
        self._begin_at: WindowPlace | None = place
        self._group = TaggingGroup()
        self._reviews: dict[str, Review] = {}
        self._mode = TaggingMode.TAG
        self._finished: tuple[str, ...] = ()  # who has tagged all of them
        self._sees = False  # whether what others found may be seen
        self._counts: dict[str, int] = {}  # how many of them everybody has tagged
        self._own: set[str] = set()  # the tags that may be seen
        self._visible: list[QueueRow] = []
        self._key = ""  # the tossup on screen
        self._shown: Tossup | None = None  # the same, once it is read
        self._before: tuple[str, ...] | None = None  # what was kept of it when it came there
        self._waiting: dict[str, Event] = {}  # not on disk yet, by its id
        self._trouble = ""  # why they are not, if they were tried
        self._closing_anyway = False
        self._jobs = Jobs("tagging", self)
        self.setWindowTitle("Tag tossups")
        resize_within_screen(self, 1120, 720)
        self.setMinimumSize(QSize(720, 420))

        self.which = choice_box("Which tossups")
        self.which.setMinimumContentsLength(18)
        self.which.activated.connect(self._choose_group)
        self.modes = QButtonGroup(self)
        head = row_of(self.which, Gap(8), spacing=8)
        for mode, name in (
            (TaggingMode.TAG, "Tag"),
            (TaggingMode.COMPARE, "Compare"),
            (TaggingMode.DECIDE, "Decide"),
        ):
            button = outlined(name, partial(self.use, mode))
            button.setCheckable(True)
            self.modes.addButton(button, mode)
            head.addWidget(button)
        self.modes.button(TaggingMode.TAG).setChecked(True)
        self._progress = plain_label()
        self._progress.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self._progress, 1)

        self._model = TaggingModel(theme, self)
        self.list = QTreeView()  # a list view walks through all rows with every key
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setModel(self._model)
        self.list.setAccessibleName("Tossups to tag")
        self.list.setUniformRowHeights(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setToolTip("Enter opens the tossup in the main window")
        self.list.activated.connect(lambda index: self.opened.emit(self._visible[index.row()].tossup_id))
        self.list.selectionModel().currentChanged.connect(self._moved)
        self._answer = wrapped()
        self.text = named(RichPane(), "The tossup")
        self.text.setOpenLinks(False)
        self.text.document().setDocumentMargin(12)
        middle = QWidget()
        column_of(self._answer, (self.text, 1), on=middle, margins=(16, 8, 8, 0), spacing=8)
        self.tags = TagPane(theme, phenomena())
        self._across = QSplitter(Qt.Orientation.Horizontal)
        self._across.setHandleWidth(1)
        self._across.setChildrenCollapsible(False)
        for pane, least in ((self.list, 130), (middle, 220), (self.tags, min(theme.px(260), WIDEST_TAGS))):
            pane.setMinimumWidth(least)
            self._across.addWidget(pane)
        self._across.setSizes([190, 580, 350])
        self._across.setStretchFactor(1, 1)
        self.comparison = AgreementTable(theme)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._across)
        centred = QWidget()
        row_of(self.comparison, on=centred, margins=NO_MARGINS)
        self._pages.addWidget(centred)

        self._said = wrapped()
        self._back = outlined("Previous (P)", lambda: self.step(-1))
        self._on = outlined("Next (N)", lambda: self.step(1))
        foot = row_of((self._said, 1), self._back, self._on, spacing=8)
        column_of(head, (self._pages, 1), foot, on=self, margins=(12, 12, 12, 12), spacing=8)

        for number in range(NUMBERED):
            QShortcut(QKeySequence(str(number + 1)), self, partial(self.tags.toggle, number))
        for key, do in (
            ("Escape", self.close), ("Ctrl+W", self.close), ("N", lambda: self.step(1)),
            ("P", lambda: self.step(-1)), ("E", self.tags.show_examples),
        ):  # fmt: skip
            QShortcut(QKeySequence(key), self, do)
        theme.follow(self._apply_theme)
        self._say("Reading\u2026")
        set_name = "" if place is None else place.texts.get("set", "")
        if place is not None and place.frame is not None:
            place.frame.apply(self)
        if place is not None and place.pane in _MODES:
            self._mode = _MODES[place.pane]
        if set_name:
            self._read(QueueFilter(sets=(set_name,)), chosen=set_name)
        else:
            self._read(QueueFilter(), first=True)

    # -- what people do

    def use(self, mode: TaggingMode) -> None:
        self._commit(moving=False)
        if mode is not TaggingMode.TAG and not self._sees:
            mode = TaggingMode.TAG
        self._mode = mode
        self.modes.button(mode).setChecked(True)
        self._pages.setCurrentIndex(1 if mode is TaggingMode.COMPARE else 0)
        for button in (self._back, self._on):
            button.setVisible(mode is not TaggingMode.COMPARE)
        self._list()

    def step(self, by: int) -> None:
        """Keep what is ticked and go on to the next tossup, or back to the one before."""
        if self._mode is TaggingMode.COMPARE:
            return
        self._commit(moving=by > 0)
        row = self.list.currentIndex().row() + by
        if 0 <= row < len(self._visible):
            self.list.setCurrentIndex(self._model.index(row))
        elif by > 0:
            self._show()
            self._say_where()

    @property
    def place(self) -> WindowPlace | None:
        """What the window shows, to be shown again; None for more tossups than can be remembered."""
        if len(self._chosen) > MOST_TOSSUPS:
            return None
        texts = {"tossup": self._key, "set": self.which.currentData() or ""}
        return WindowPlace(
            "tagging", WindowFrame.of(self), self._chosen, self._mode.name.lower(), None, texts
        )

    @property
    def key(self) -> str:
        return self._key

    @property
    def status_text(self) -> str:
        return self._said.text()

    @property
    def idle(self) -> bool:
        return not self._waiting and bool(self._group.rows or self._group.sets)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._commit(moving=False)
        try:
            if self._waiting:  # some may be on their way; they are not kept twice
                self._app.review.add_events(tuple(self._waiting.values()))
        except QuizwriterError as trouble:
            if not self._closing_anyway:
                self._closing_anyway = True
                self._say(f"The tags are not saved yet. {trouble} Close the window again to close it anyway.")
                event.ignore()
                return
        self._waiting.clear()
        self._jobs.stop()
        event.accept()
        self.deleteLater()

    # -- reading and keeping

    def _choose_group(self, place: int) -> None:
        self._commit(moving=False)
        wanted = self.which.itemData(place)
        self._read(
            QueueFilter(sets=(wanted,)) if isinstance(wanted, str) and wanted else QueueFilter(),
            chosen=wanted,
        )

    def _read(self, wanted: QueueFilter, *, first: bool = False, chosen: object = None) -> None:
        queue, review = self._app.queue, self._app.review
        keys = self._chosen if (first or chosen is None) and self._chosen else None

        def do(_: object) -> TaggingGroup:
            found = queue.find_tossups(wanted, QueueSort("answer", down=False))[0] if keys is None else keys
            people = {key: person.name for key, person in review.people().items()}
            return TaggingGroup(queue.rows(found), review.reviews(found), people, tuple(queue.facets().sets))

        self._jobs.ask(
            do, self._take, lambda trouble: self._say(trouble or "An error occurred in QuizWriter.")
        )

    def _take(self, found: TaggingGroup) -> None:
        self._group = found
        self._reviews = dict(found.reviews)
        if not self.which.count():
            if self._chosen:
                self.which.addItem(f"Chosen: {counted_noun(len(self._chosen), 'tossup')}", None)
            self.which.addItem(ALL, "")
            for name in filter(None, found.sets):
                self.which.addItem(name, name)
        self._key = ""
        self._counts = progress(self._reviews.values())
        self._mark()
        self.use(self._mode)
        place, self._begin_at = self._begin_at, None
        if place is not None:
            self.which.setCurrentIndex(max(0, self.which.findData(place.texts.get("set", ""))))
            keys = [row.tossup_id for row in self._visible]
            if (wanted := place.texts.get("tossup")) in keys:
                self.list.setCurrentIndex(self._model.index(keys.index(wanted)))

    @property
    def _me(self) -> str:
        return self._app.profile.me.id

    @property
    def _frozen(self) -> bool:
        """Whether what is ticked may no longer be changed here."""
        review = self._reviews.get(self._key, Review())
        if self._mode is TaggingMode.DECIDE:
            return not may_decide(review, self._me)
        return self._sees

    def _commit(self, *, moving: bool) -> None:
        """Keep what is ticked, if that is new; moving on from a tossup says that one is done with it."""
        if not self._key or self._frozen or self._mode is TaggingMode.COMPARE:
            return
        tags = self.tags.ticked
        if self._before is None and not moving and not tags:
            return
        if self._before is not None and set(tags) == set(self._before):
            return
        of = Round.DECIDING if self._mode is TaggingMode.DECIDE else Round.BLIND
        event = Event.new(self._key, now_ms(), self._me, Tagged(tags, of))
        self._waiting[event.id] = event
        review = self._reviews[self._key]
        kept = {who: found for who, found in review.tags.items() if who != (of, self._me)}
        self._reviews[self._key] = replace(review, tags={**kept, (of, self._me): tags})
        if of is Round.BLIND and self._before is None:
            self._counts[self._me] = self._counts.get(self._me, 0) + 1
        self._own.update(tags)
        self._before = tags
        self._flush()
        self._mark()
        self._model.refresh(self._key)

    def _flush(self) -> None:
        events = tuple(self._waiting.values())

        def kept(_: object) -> None:
            for event in events:
                self._waiting.pop(event.id, None)
            if self._trouble:
                self._trouble = ""
                self._say_where()

        def failed(trouble: str) -> None:
            self._trouble = (
                f"The tags are not saved yet. {trouble} QuizWriter tries again with the next tossup."
            )
            self._say_where()

        self._jobs.ask(lambda _: self._app.review.add_events(events), kept, failed)

    # -- showing

    def _list(self) -> None:
        reviews, me = self._reviews, self._me
        everybody = finished_people(self._counts, len(reviews))
        finished = self._finished = tuple(sorted(everybody, key=lambda person: (person != me, person)))
        self._own = {
            tag
            for review in reviews.values()
            for (_, person), tags in review.tags.items()
            if person == me or self._sees
            for tag in tags
        }
        rows = list(self._group.rows)
        if self._mode is TaggingMode.COMPARE:
            tags = (*(one.name for one in self.tags.phenomena), *self._all_tags())
            self.comparison.show_group(
                reviews, finished, lambda person: author_name(self._group.people, person, me), tags
            )
        if self._mode is TaggingMode.DECIDE:
            rows = [row for row in rows if disputed(reviews[row.tossup_id], finished)]
        self._visible = rows
        self._key = ""
        self._model.show_rows(rows, self._done_with)
        first = next((place for place, row in enumerate(rows) if not self._done_with(row.tossup_id)), 0)
        if rows:
            self.list.setCurrentIndex(self._model.index(first))
        self._show()
        self._mark()
        self._say_where()

    def _done_with(self, key: str) -> bool:
        review = self._reviews[key]
        if self._mode is TaggingMode.DECIDE:
            return any(of is Round.DECIDING for of, _ in review.tags)
        return blind_tags_of(review, self._me) is not None

    def _moved(self, now: _Index, before: _Index) -> None:
        self._commit(moving=False)
        if self._trouble:
            self._flush()
        self._show()
        self._say_where()

    def _show(self) -> None:
        row = self.list.currentIndex().row()
        self._key = self._visible[row].tossup_id if 0 <= row < len(self._visible) else ""
        key, me, deciding = self._key, self._me, self._mode is TaggingMode.DECIDE
        line = without_markup(self._visible[row].answer_line) if key else ""
        self._answer.setText(line or "No answer yet" if key else "")
        self.tags.setEnabled(bool(key))
        if not key:
            self.text.setPlainText("")
            self._shown = self._before = None
            self.tags.show_tags((), (), frozen=True)
            return
        review = self._reviews[key]
        people = self._finished
        if deciding:
            mine = review.tags.get((Round.DECIDING, me))
            known = decided(review)
            agreed = set.intersection(*(set(blind_tags_of(review, person) or ()) for person in people))
            self._before = mine
            ticked = known if known is not None else tuple(sorted(agreed))
        else:
            self._before = blind_tags_of(review, me)
            ticked = self._before or ()
        found = None
        if deciding:
            every = {tag for person in people for tag in blind_tags_of(review, person) or ()}
            found = {tag: self._who(review, tag) for tag in every}
        self.tags.show_tags(
            self._all_tags(),
            ticked,
            frozen=self._frozen,
            found=found,
            disputed=disputed(review, people) if deciding else (),
        )
        self._jobs.ask(
            lambda _: self._app.review.tossup(key),
            self._show_tossup,
            self._show_unread,
            still=lambda: key == self._key,  # somebody may be quicker than the disk
        )

    def _who(self, review: Review, tag: str) -> str:
        found: dict[bool, list[str]] = {True: [], False: []}
        for person in self._finished:
            found[tag in (blind_tags_of(review, person) or ())].append(
                author_name(self._group.people, person, self._me)
            )
        return listed(found[True]) + (f", not {listed(found[False])}" if found[False] else "")

    def _show_tossup(self, tossup: Tossup) -> None:
        self._shown = tossup
        self._render_text(tossup.text)

    def _show_unread(self, trouble: str) -> None:
        self._shown = None
        self.text.setPlainText(trouble)

    def _render_text(self, text: str) -> None:
        self.text.show_html(
            f"<div style='font-family: {self._theme.draft_families}; color: {self._theme.tokens.ink}; "
            f"font-size: {self._theme.draft_px}px; -qt-line-height-type: fixed; "
            f"line-height: {line_pixels(self._theme)}px;'>"
            f"{escape(text).replace(chr(10), '<br>')}</div>"
        )

    def _all_tags(self) -> tuple[str, ...]:
        """The own tags there are: those I used, and everybody's once I may see them."""
        own = self._own.union(self.tags.added) - {one.name for one in self.tags.phenomena}
        return tuple(sorted(own, key=str.casefold))

    def _mark(self) -> None:
        number = len(self._reviews)
        self._sees = number > 0 and may_see(self._counts, number, self._me)
        self._progress.setText(
            f"{self._counts.get(self._me, 0):,} of {counted_noun(number, 'tossup')} tagged by you"
        )
        for mode in (TaggingMode.COMPARE, TaggingMode.DECIDE):
            button = self.modes.button(mode)
            button.setEnabled(self._sees)
            button.setToolTip(plain_tooltip("" if self._sees else NOT_YET))

    def _say_where(self) -> None:
        """Say what stands in the way, or how far others are."""
        number, me = len(self._reviews), self._me
        if self._trouble:
            self._say(self._trouble)
        elif not number:
            self._say("There are no tossups here yet.")
        elif self._mode is TaggingMode.COMPARE:
            self._say("")
        elif self._mode is TaggingMode.DECIDE:
            if not self._visible:
                self._say("Everybody gave the same tags; there is nothing to decide.")
            else:
                self._say(
                    NOT_YOURS
                    if self._frozen
                    else "Tick the tags that apply; the tags that everybody gave are ticked already."
                )
        elif self._sees:
            free = "You have tagged none of these tossups, so you can decide."
            self._say(SEEN if me in self._counts else free)
        else:
            others = [
                f"{author_name(self._group.people, person, me)} {count:,}"
                for person, count in sorted(self._counts.items())
                if person != me
            ]
            so_far = f" So far {listed(others)} of {number:,}." if others else ""
            self._say(BLIND + so_far)

    def _say(self, text: str) -> None:
        self._said.setText(text)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        if self._shown is not None:
            self._render_text(self._shown.text)
        self._answer.setFont(self._theme.font(bold=True))
        for label in (self._progress, self._said):
            label.setStyleSheet(f"color: {tokens.soft};")
        checked = f"background: {tokens.accent}; color: {tokens.on_accent}; border-color: {tokens.accent};"
        for button in self.modes.buttons():
            button.setStyleSheet(f"QPushButton:checked {{ {checked} }}")
        chosen = mixed(tokens.accent, tokens.chrome, 0.13)
        self.list.setStyleSheet(
            f"QTreeView {{ background: transparent; border: none; }} "
            f"QTreeView::item {{ border-radius: 6px; padding: 0 4px; color: {tokens.ink}; }} "
            f"QTreeView::item:selected {{ background: {chosen}; color: {tokens.ink}; }} "
            f"QTreeView::item:focus {{ border: 1px solid {tokens.accent}; }}"
        )
