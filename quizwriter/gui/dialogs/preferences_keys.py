"""The page *Keys* of the preferences: every action with its keys, and files with the keys of all actions."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QKeySequenceEdit, QTreeWidgetItem, QWidget

from quizwriter.errors import QuizwriterError
from quizwriter.gui.dialogs.preferences_pages import Concerns, PreferencesPage
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.fields import plain_table
from quizwriter.gui.widgets.file_dialog import ask_file, ask_new_file
from quizwriter.gui.widgets.icons import SearchField
from quizwriter.gui.widgets.key_bindings import key_refusal, normalized_key
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import WrappingLayout

KEY_FILES = "Keys (*.json)"

_ID = Qt.ItemDataRole.UserRole
_PORTABLE = QKeySequence.SequenceFormat.PortableText


class KeysPage(PreferencesPage):
    """Lists all actions with their keys, and changes the keys of the one that is selected.

    A key that another action has is told before it is taken away from that action.
    """

    title = "Keys"

    def __init__(self, of: Concerns) -> None:
        super().__init__(of)
        theme, keys = of.theme, of.keys
        self._keys, self._tell = keys, of.tell
        self.search = SearchField(theme, "Search actions and keys")
        self.list = plain_table("Actions and their keys", "Action", "Keys", "")
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.list.setMinimumHeight(theme.px(160))
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.field = QKeySequenceEdit()
        self.field.setMaximumSequenceLength(1)
        self.field.setAccessibleName("New key")
        self.use_button = outlined("Use this key", self._use)
        self.add_button = outlined("Add as another key", self._add)
        self.clear_button = outlined("No key", self._clear)
        self.reset_button = outlined("Reset this action", self._reset_one)
        self.export_button = outlined("Export…", self._choose_export)
        self.import_button = outlined("Import…", self._choose_import)
        self.about = plain_label()
        self.about.setObjectName("caption")
        self._lay_out()
        for widget, text in (
            (self.search, "Type a part of an action's name or a key, such as Ctrl+K."),
            (
                self.list,
                "All actions of the main window. Select one, then press its new key in the field below.",
            ),
            (self.field, "Press the new key here. Then choose a button below."),
            (self.use_button, "Replace the keys of the selected action with this key."),
            (self.add_button, "Add this key to the keys of the selected action."),
            (self.clear_button, "Remove all keys from the selected action. It stays in its menu."),
            (self.reset_button, "Restore the default keys of the selected action."),
            (self.export_button, "Write the keys of all actions to a small file, for another computer."),
            (self.import_button, "Read the keys of all actions from such a file."),
        ):
            widget.setWhatsThis(plain_tooltip(text))
        self.search.textChanged.connect(lambda _: self._filter())
        self.list.currentItemChanged.connect(lambda *_: self._enable())
        self.field.keySequenceChanged.connect(lambda _: self._enable())
        keys.changed.connect(self._show_change)

    def _lay_out(self) -> None:
        change = WrappingLayout((self.field, self.use_button, self.add_button), wide=self.field, spacing=8)
        between = QWidget()
        files = WrappingLayout(
            (self.clear_button, self.reset_button, between, self.export_button, self.import_button),
            wide=between,
            spacing=8,
        )
        self.rest.addWidget(self.search)
        self.rest.addWidget(self.list, 1)
        self.rest.addWidget(self.about)
        self.rest.addLayout(change)
        self.rest.addLayout(files)

    @property
    def chosen(self) -> str:
        """The id of the selected action; empty without one."""
        item = self.list.currentItem()
        return "" if item is None or item.isHidden() else str(item.data(0, _ID))

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The actions in sight, each with its keys."""
        items = (self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount()))
        return tuple(
            (item.text(0), item.text(1)) for item in items if item is not None and not item.isHidden()
        )

    def choose(self, action_id: str) -> None:
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            if item is not None and item.data(0, _ID) == action_id:
                self.list.setCurrentItem(item)

    def show_settings(self) -> None:
        """Show the keys as they are now."""
        chosen = self.chosen
        self.list.clear()
        for one in self._keys.ids:
            shown = ", ".join(_native(key) for key in self._keys.keys_of(one))
            state = "" if self._keys.is_default(one) else "changed"
            item = QTreeWidgetItem([self._keys.name_of(one), shown, state])
            item.setData(0, _ID, one)
            item.setToolTip(0, plain_tooltip(self._keys.action(one).statusTip()))
            self.list.addTopLevelItem(item)
        self._filter()
        self.choose(chosen)
        self._enable()

    def _show_change(self) -> None:
        """Show the keys, unless another page is in sight: this one shows them when it is opened."""
        if self.isVisible():
            self.show_settings()

    def reset(self) -> None:
        """Give all actions the keys that the program comes with."""
        self._keys.reset_all()
        self._tell("All actions have their default keys again.")

    def _filter(self) -> None:
        wanted = self.search.text().casefold().split()
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            if item is not None:
                text = f"{item.text(0)} {item.text(1)} {item.toolTip(0)}".casefold()
                item.setHidden(not all(word in text for word in wanted))
        self._enable()

    def _enable(self) -> None:
        chosen, typed = self.chosen, self.field.keySequence().toString(_PORTABLE)
        refusal = key_refusal(typed) if typed else ""
        owner = self._keys.owner(typed) if typed else ""
        for button in (self.use_button, self.add_button):
            button.setEnabled(bool(chosen and typed and not refusal))
        self.clear_button.setEnabled(bool(chosen and self._keys.keys_of(chosen)))
        self.reset_button.setEnabled(bool(chosen and not self._keys.is_default(chosen)))
        if refusal:
            self.about.setText(refusal)
        elif owner and owner != chosen:
            name = self._keys.name_of(owner)
            self.about.setText(f"{_native(typed)} is the key of “{name}”, which loses it if you use it here.")
        elif chosen:
            self.about.setText(self._keys.action(chosen).statusTip())
        else:
            self.about.setText("Select an action to change its keys.")

    def _typed(self) -> str:
        return normalized_key(self.field.keySequence().toString(_PORTABLE))

    def _use(self) -> None:
        self._assign(self._typed())

    def _add(self) -> None:
        self._assign(*self._keys.keys_of(self.chosen), self._typed())

    def _clear(self) -> None:
        self._assign()

    def _assign(self, *keys: str) -> None:
        chosen = self.chosen
        try:
            losing = self._keys.assign(chosen, keys)
        except QuizwriterError as trouble:
            self._tell(str(trouble), trouble=True)
            return
        self._tell_losing(chosen, losing)

    def _reset_one(self) -> None:
        chosen = self.chosen
        self._tell_losing(chosen, self._keys.reset(chosen))

    def _tell_losing(self, action_id: str, losing: tuple[str, ...]) -> None:
        self.field.clear()
        shown = ", ".join(map(_native, self._keys.keys_of(action_id))) or "no key"
        lost = f" “{', '.join(map(self._keys.name_of, losing))}” lost that key." if losing else ""
        self._tell(f"“{self._keys.name_of(action_id)}” has {shown} now.{lost}")

    def _choose_export(self) -> None:
        ask_new_file(self, "Export keys", "quizwriter-keys.json", KEY_FILES, self.export)

    def _choose_import(self) -> None:
        ask_file(self, "Import keys", KEY_FILES, self.import_file)

    def export(self, path: Path) -> None:
        try:
            self._keys.export(path)
        except QuizwriterError as trouble:
            self._tell(str(trouble), trouble=True)
        else:
            self._tell(f"The keys are in {path}.")

    def import_file(self, path: Path) -> None:
        """Take the keys of all actions from the file ``path``, and show the result."""
        try:
            unknown = self._keys.import_file(path)
        except QuizwriterError as trouble:
            self._tell(str(trouble), trouble=True)
            return
        left_out = (
            f" Left out because this version has no such actions: {', '.join(unknown[:10])}."
            if unknown
            else ""
        )
        self._tell(f"The keys of {path.name} are in use.{left_out}")


def _native(key: str) -> str:
    """``key`` as this computer's keyboard names it."""
    portable = QKeySequence.fromString(key, _PORTABLE)
    return portable.toString(QKeySequence.SequenceFormat.NativeText)
