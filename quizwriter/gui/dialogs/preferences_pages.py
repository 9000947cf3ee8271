"""The pages of the preferences: one for each concern."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

from PySide6.QtCore import QLocale, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import NumberBox, outlined
from quizwriter.gui.widgets.date_language import LANGUAGES
from quizwriter.gui.widgets.fields import LONGEST_BOX, TextBox
from quizwriter.gui.widgets.key_bindings import KeyBindings
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import WrappingLayout
from quizwriter.settings import (
    MAX_DRAFT_SIZE_PX,
    MAX_READING_SPEED,
    MAX_TEXT_PERCENT,
    MIN_DRAFT_SIZE_PX,
    MIN_READING_SPEED,
    MIN_TEXT_PERCENT,
    MOST_BACKUP_DAYS,
    MOST_WORDS,
    Settings,
)
from quizwriter.workflow.wording import player_title

SETTLED_MS = 300
"""The time, in ms, from the last change of a number until it is applied: each applies to all windows."""

LONGEST_WORD = 200
"""Characters of a word of one's own."""

OWN_SERIF = "QuizWriter's serif"


class AppearanceChoices(Protocol):
    """Applies and saves how the windows look."""

    @property
    def settings(self) -> Settings: ...

    def save_settings(self, **settings: object) -> None: ...

    def use_theme(self, name: str) -> None: ...

    def use_letters(self, *, family: str, draft_px: int, percent: int) -> None: ...

    def reduce_motion(self, reduced: bool) -> None: ...

    def use_dates(self, name: str) -> None: ...


class PlayerChoices(Protocol):
    """Applies and saves who plays, in which order, and when they buzz."""

    @property
    def players(self) -> tuple[str, ...]: ...

    @property
    def enabled_players(self) -> tuple[str, ...]: ...

    def switch_player(self, name: str) -> None: ...

    def order_players(self, names: Sequence[str]) -> None: ...

    def use_buzz_percent(self, percent: int) -> None: ...


class Concerns(NamedTuple):
    """What the pages show and change, and the dialogs that they open."""

    theme: Theme
    choices: AppearanceChoices
    players: PlayerChoices
    keys: KeyBindings
    open_server: Callable[[], object]
    open_model: Callable[[], object]
    open_backups: Callable[[], object]
    tell: Callable[..., None]  # shows a sentence, with ``trouble=True`` if something was refused


class PreferencesPage(QScrollArea):
    """A page of the preferences: rows, each with a name, a control, and what the control is for."""

    title = ""

    def __init__(self, of: Concerns) -> None:
        super().__init__()
        self._theme = of.theme
        self._waiting: list[tuple[SingleShot, Callable[[], object]]] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.title)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = _PageBody()
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 0, 8, 8)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        column.addLayout(self._grid)
        self.rest = QVBoxLayout()
        """The place for what is no row."""
        column.addLayout(self.rest, 1)
        column.addStretch(0)
        self.setWidget(inside)

    def add_row(self, name: str, control: QWidget, about: str = "") -> None:
        """Add a row: its ``name``, the ``control``, and below it in small letters what it is ``about``."""
        row = self._grid.rowCount()
        wide = isinstance(control, QComboBox | QPlainTextEdit)
        centred = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if name:
            label = plain_label(name, wrap=False)
            label.setBuddy(control)
            control.setAccessibleName(name)
            high = isinstance(control, QPlainTextEdit)
            self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop if high else centred)
        if wide:
            self._grid.addWidget(control, row, 1)
        else:  # one that cannot grow, such as a number, would keep its whole column narrow
            self._grid.addWidget(control, row, 1, centred)
        if isinstance(control, QComboBox):  # in a narrow window it shows what fits
            control.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            control.setMinimumContentsLength(8)
        if about:
            below = plain_label(about)
            below.setMinimumWidth(1)
            below.setObjectName("caption")
            control.setAccessibleDescription(about)
            self._grid.addWidget(below, row + 1, 1)
        control.setWhatsThis(plain_tooltip(about or name))
        self._grid.setRowMinimumHeight(row + 2, 8)

    def settled(self, do: Callable[[], object]) -> SingleShot:
        """A timer that calls ``do`` once a number has settled, or the dialog closes."""
        timer = SingleShot(self, SETTLED_MS, do)
        self._waiting.append((timer, do))
        return timer

    def finish(self) -> None:
        """Apply what waits until a number has settled."""
        for timer, do in self._waiting:
            if timer.isActive():
                timer.stop()
                do()

    def show_settings(self) -> None:
        """Show the settings as they are now."""

    def reset(self) -> None:
        """Choose what the program comes with; a page that has no such choices leaves this out."""


class _PageBody(QWidget):
    """What a page scrolls; its height follows from its width, not from that of its narrowest words."""

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)


class AppearancePage(PreferencesPage):
    """Theme, letters, motion, and the language of dates."""

    title = "Appearance"

    def __init__(self, of: Concerns) -> None:
        super().__init__(of)
        self._choices = choices = of.choices
        self.theme_box = QComboBox()
        for name, title in (
            ("system", "Follow system"),
            ("light", "Light"),
            ("dark", "Dark"),
            ("contrast", "High contrast"),
        ):
            self.theme_box.addItem(title, name)
        self.family = QComboBox()
        self.family.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.family.setMinimumContentsLength(24)
        self.family.addItem(OWN_SERIF, "")
        for one in QFontDatabase.families():
            if not QFontDatabase.isPrivateFamily(one):
                self.family.addItem(one, one)
        self.draft_px = _number(MIN_DRAFT_SIZE_PX, MAX_DRAFT_SIZE_PX, " px")
        self.percent = _number(MIN_TEXT_PERCENT, MAX_TEXT_PERCENT, " %", step=10)
        self.motion = QCheckBox("Reduce motion")
        self.dates = QComboBox()
        self.dates.addItem("2026-11-21", "iso")
        self.dates.addItem("Follow system", "system")
        for code in LANGUAGES:
            self.dates.addItem(QLocale(code).nativeLanguageName().capitalize(), code)
        self.add_row(
            "Theme",
            self.theme_box,
            "High contrast: black and white; follows the system's light or dark setting.",
        )
        self.add_row("Font of the draft", self.family)
        self.add_row("Size of the draft", self.draft_px, "Ctrl++ and Ctrl+- change it while you write.")
        self.add_row(
            "Size of all text", self.percent, "Menus, lists, guesses and dialogs, and the draft too."
        )
        self.add_row("Motion", self.motion, "QuizWriter also follows the system's setting.")
        self.add_row("Dates", self.dates, "Reopen a list to see its dates in the new format.")
        self._letters_soon = self.settled(self._use_letters)
        self.theme_box.activated.connect(lambda _: choices.use_theme(self.theme_box.currentData()))
        self.family.activated.connect(lambda _: self._letters_soon.start())
        self.draft_px.valueChanged.connect(lambda _: self._letters_soon.start())
        self.percent.valueChanged.connect(lambda _: self._letters_soon.start())
        self.motion.clicked.connect(choices.reduce_motion)
        self.dates.activated.connect(lambda _: choices.use_dates(self.dates.currentData()))

    def show_settings(self) -> None:
        now = self._choices.settings
        _choose(self.theme_box, now.theme)
        if self.family.findData(now.draft_font) < 0:
            self.family.addItem(now.draft_font, now.draft_font)  # a font that this computer does not have
        _choose(self.family, now.draft_font)
        _show_number(self.draft_px, now.draft_size_px)
        _show_number(self.percent, now.text_percent)
        self.motion.setChecked(now.reduced_motion)
        if self.dates.findData(now.dates) < 0:
            self.dates.addItem(now.dates, now.dates)
        _choose(self.dates, now.dates)

    def reset(self) -> None:
        first = Settings()
        self._letters_soon.stop()
        self._choices.use_theme(first.theme)
        self._choices.use_letters(
            family=first.draft_font, draft_px=first.draft_size_px, percent=first.text_percent
        )
        self._choices.reduce_motion(first.reduced_motion)
        self._choices.use_dates(first.dates)

    def _use_letters(self) -> None:
        self._choices.use_letters(
            family=self.family.currentData(), draft_px=self.draft_px.value(), percent=self.percent.value()
        )


class PlayersPage(PreferencesPage):
    """Who plays, in which order, when they buzz, and the servers of two players."""

    title = "Players"

    def __init__(self, of: Concerns) -> None:
        super().__init__(of)
        self._appearance, self._choices = of.choices, of.players
        self.list = QListWidget()
        self.list.setWhatsThis("The players of the bundle. Lanes and guesses are shown in this order.")
        self.list.setAccessibleName("Players")
        self.up = outlined("Move up", lambda: self._move(-1))
        self.down = outlined("Move down", lambda: self._move(1))
        self.own_rule = QCheckBox("Each by its own rule")
        self.chance = _number(5, 99, " %", step=5)
        self.add_row("Buzz", self.own_rule, "The rule of a player was learned from past tossups.")
        self.add_row(
            "Or at a chance of",
            self.chance,
            "All players buzz once their first guess has this chance, while you write and when the history "
            "reads versions again. The rule of a set comes first. The queue and challenge sets use the "
            "players' own rules.",
        )
        self.rest.addWidget(plain_label("Players that play, in the order in which they are shown"))
        self.list.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.list.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.rest.addWidget(self.list)
        self.rest.addLayout(WrappingLayout((self.up, self.down), spacing=8))
        self.server = outlined("Elasticsearch server…", of.open_server)
        self.server.setWhatsThis("The server whose evidence the player Elastic uses, and what is sent to it.")
        self.model = outlined("Language model…", of.open_model)
        self.model.setWhatsThis(
            "The language model that the player LLM asks, what is sent, and what it costs."
        )
        self.rest.addSpacing(8)
        self.rest.addLayout(WrappingLayout((self.server, self.model), spacing=8))
        self.rest.addStretch(1)
        self.list.itemChanged.connect(self._switch)
        self.list.currentRowChanged.connect(lambda _: self._enable())
        self._chance_soon = self.settled(self._use_rule)
        self.own_rule.clicked.connect(lambda _: self._use_rule())
        self.chance.valueChanged.connect(lambda _: self._chance_soon.start())

    def show_settings(self) -> None:
        now = self._appearance.settings.buzz_percent
        self.own_rule.setChecked(not now)
        self.chance.setEnabled(bool(now))
        _show_number(self.chance, now or 50)
        self._list_players(max(0, self.list.currentRow()))

    def reset(self) -> None:
        self._choices.use_buzz_percent(0)
        self._choices.order_players(())
        for name in set(self._choices.players) - set(self._choices.enabled_players):
            self._choices.switch_player(name)

    def _list_players(self, row: int) -> None:
        with QSignalBlocker(self.list):
            self.list.clear()
            for name in self._choices.players:
                item = QListWidgetItem(player_title(name))
                item.setData(Qt.ItemDataRole.UserRole, name)
                on = name in self._choices.enabled_players
                item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
                self.list.addItem(item)
            self.list.setCurrentRow(min(row, self.list.count() - 1))
        self._enable()

    def _enable(self) -> None:
        row = self.list.currentRow()
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < self.list.count() - 1)

    def _move(self, by: int) -> None:
        row, names = self.list.currentRow(), list(self._choices.players)
        names.insert(row + by, names.pop(row))
        self._choices.order_players(names)
        self._list_players(row + by)

    def _switch(self, item: QListWidgetItem) -> None:
        name = item.data(Qt.ItemDataRole.UserRole)
        if (item.checkState() is Qt.CheckState.Checked) != (name in self._choices.enabled_players):
            self._choices.switch_player(name)

    def _use_rule(self) -> None:
        own = self.own_rule.isChecked()
        self.chance.setEnabled(not own)
        self._choices.use_buzz_percent(0 if own else self.chance.value())


class WritingPage(PreferencesPage):
    """How long a tossup is to be."""

    title = "Lengths"

    def __init__(self, of: Concerns) -> None:
        super().__init__(of)
        self._choices = of.choices
        self.shortest = _number(1, MOST_WORDS, " words", step=5)
        self.longest = _number(1, MOST_WORDS, " words", step=5)
        self.add_row("Shortest tossup", self.shortest)
        self.add_row(
            "Longest tossup",
            self.longest,
            "The status line and the problems show when a draft is longer. 98 in 100 published tossups "
            "have from 50 to 175 words. The lengths of a set's style sheet come first.",
        )
        self.speed = _number(MIN_READING_SPEED, MAX_READING_SPEED, " words a minute", step=10)
        self.add_row("Reading speed", self.speed, "How fast a moderator reads a tossup aloud.")
        self._soon = self.settled(self._save)
        self._changed = self.shortest  # the length that was changed last: it counts
        for box in (self.shortest, self.longest, self.speed):
            box.valueChanged.connect(partial(self._take_change, box))
        for box in (self.shortest, self.longest):
            box.editingFinished.connect(self.finish)

    def show_settings(self) -> None:
        now = self._choices.settings
        _show_number(self.shortest, now.shortest_words)
        _show_number(self.longest, now.longest_words)
        _show_number(self.speed, now.reading_speed)

    def reset(self) -> None:
        first = Settings()
        self._soon.stop()
        self._choices.save_settings(
            shortest_words=first.shortest_words,
            longest_words=first.longest_words,
            reading_speed=first.reading_speed,
        )

    def finish(self) -> None:
        """Apply what waits, once a number was typed to its end: 1 on the way to 150 changes no other."""
        if self.shortest.value() > self.longest.value():
            for box in (self.shortest, self.longest):
                _show_number(box, self._changed.value())
            self._soon.start()
        super().finish()

    def _take_change(self, box: QSpinBox, _: int) -> None:
        if box is not self.speed:
            self._changed = box
        self._soon.start()

    def _save(self) -> None:
        shortest, longest = self.shortest.value(), self.longest.value()
        if shortest <= longest:
            self._choices.save_settings(
                shortest_words=shortest, longest_words=longest, reading_speed=self.speed.value()
            )


class SpellingPage(PreferencesPage):
    """The writer's own words, which are right whatever a dictionary says."""

    title = "Spelling"

    def __init__(self, of: Concerns) -> None:
        super().__init__(of)
        self._choices = of.choices
        self.words = TextBox("Your words", "One word per line", longest=5 * LONGEST_BOX)
        self.words.setMinimumHeight(of.theme.px(220))
        self.add_row(
            "Your words",
            self.words,
            "These words are spelled correctly, with or without a capital, in all tossups that you write; "
            "one word per line. “Add to my words” at a problem (Ctrl+.) adds a word here. The words of a "
            "set are in its style sheet, under Review and Sets.",
        )
        self._soon = self.settled(self._save)
        self.words.textChanged.connect(self._soon.start)

    def show_settings(self) -> None:
        text = "\n".join(self._choices.settings.own_words)
        if self._typed() != self._choices.settings.own_words:
            with QSignalBlocker(self.words):
                self.words.setPlainText(text)

    def _typed(self) -> tuple[str, ...]:
        """The words as they stand in the field."""
        lines = (line.strip()[:LONGEST_WORD] for line in self.words.toPlainText().split("\n"))
        return tuple(dict.fromkeys(line for line in lines if line))

    def _save(self) -> None:
        self._choices.save_settings(own_words=self._typed())


class BackupsPage(PreferencesPage):
    """How many daily backups are kept, and the way to them."""

    title = "Backups"

    def __init__(self, of: Concerns) -> None:
        super().__init__(of)
        self._choices = choices = of.choices
        self.days = _number(1, MOST_BACKUP_DAYS, " days")
        self.add_row(
            "Keep the backups of",
            self.days,
            "QuizWriter makes a backup on each day on which it runs. The last backup of each of four weeks "
            "is kept too, and every backup that you ask for. Together they use at most four times the "
            "space of your tossups, or 1 GB if that is more.",
        )
        self.open = outlined("Restore from backup…", of.open_backups)
        self.rest.addWidget(self.open, 0, Qt.AlignmentFlag.AlignLeft)
        self.open.setWhatsThis("The list of all backups. You can make one there, or restore one.")
        self._soon = self.settled(lambda: choices.save_settings(backup_days=self.days.value()))
        self.days.valueChanged.connect(lambda _: self._soon.start())

    def show_settings(self) -> None:
        _show_number(self.days, self._choices.settings.backup_days)

    def reset(self) -> None:
        self._soon.stop()
        self._choices.save_settings(backup_days=Settings().backup_days)


def _number(least: int, most: int, unit: str, *, step: int = 1) -> QSpinBox:
    box = NumberBox()
    box.setRange(least, most)
    box.setSuffix(unit)
    box.setSingleStep(step)
    box.setGroupSeparatorShown(True)
    return box


def _show_number(box: QSpinBox, value: int) -> None:
    with QSignalBlocker(box):  # that is no choice of the writer
        box.setValue(value)


def _choose(box: QComboBox, value: str) -> None:
    box.setCurrentIndex(max(0, box.findData(value)))
