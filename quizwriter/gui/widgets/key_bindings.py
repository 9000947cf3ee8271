"""The keys of actions: those that the program comes with, those that the writer chose, and conflicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from quizwriter.errors import QuizwriterError
from quizwriter.gui.widgets.old_key_names import carry_over
from quizwriter.settings import KeyScheme
from quizwriter.system.atomic import atomic_write
from quizwriter.system.decoding import DecodingError, decode_small_json, read_limited

MOST_BYTES = 1 << 18
"""The size in bytes of the largest key file that is read; ours have some kilobytes."""

KEYS_OF_WINDOWS = frozenset({"Shift+F10", "Alt+F4"})
"""Keys that every window needs for itself."""

_NOTATION = QKeySequence.SequenceFormat.PortableText
_MODIFIERS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)
_TAKEN_BY_TEXT = {
    Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter,
}  # fmt: skip


class KeyFile(msgspec.Struct, frozen=True):
    """A file with the keys of all actions, which one computer exports and another imports.

    Version 1 names the actions by their titles, version 2 by their ids.
    """

    keys: KeyScheme
    format: Literal["quizwriter keys"] = "quizwriter keys"
    version: Literal[1, 2] = 2


def action_name(text: str) -> str:
    """The name of an action: its text in a menu without the mark of its access key and without the dots."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").removesuffix("…")


@lru_cache(maxsize=512)
def normalized_key(text: str) -> str:
    """The key ``text`` as Qt writes it, such as ``Ctrl+Shift+K``; empty if it is no single key."""
    sequence = QKeySequence.fromString(text, _NOTATION)
    if sequence.count() != 1 or _combination(sequence).key() in (Qt.Key.Key_unknown, Qt.Key(0)):
        return ""
    return sequence.toString(_NOTATION)


def _combination(sequence: QKeySequence) -> QKeyCombination:
    first: QKeyCombination = sequence[0]  # type: ignore[index]  # the stubs of Qt do not know it
    return first


def key_refusal(text: str) -> str:
    """Why no action can have the key ``text``, in a sentence; empty if an action can have it."""
    key = normalized_key(text)
    if not key:
        return f"“{text}” is not a key."
    combination = _combination(QKeySequence.fromString(key, _NOTATION))
    function_key = Qt.Key.Key_F1 <= combination.key() <= Qt.Key.Key_F35
    if combination.key() in _TAKEN_BY_TEXT and not combination.keyboardModifiers() & _MODIFIERS:
        return f"{key} moves the focus or starts a new line, so no action can use it."
    if not function_key and not combination.keyboardModifiers() & _MODIFIERS:
        return f"{key} types text. Add Ctrl or Alt, or choose a function key."
    if key in KEYS_OF_WINDOWS:
        return f"Every window already uses {key}."
    return ""


class KeyBindings(QObject):
    """The keys of the actions that were added; ``changed`` says that some action has other keys.

    No key belongs to two actions: an action that gets a key takes it from the action that had it.
    """

    changed = Signal()

    def __init__(
        self, chosen: Mapping[str, Sequence[str]], save: Callable[[KeyScheme], object], parent: QObject
    ) -> None:
        """Begin with the keys that the writer chose, by the ids of actions; ``save`` gets every change.

        Older settings name actions by their titles; these are saved by their ids at once.
        """
        super().__init__(parent)
        carried = carry_over(chosen)
        self._chosen = {key: self._usable(keys) for key, keys in carried.items()}
        self._save = save
        self._actions: dict[str, QAction] = {}
        self._defaults: dict[str, tuple[str, ...]] = {}
        if carried != dict(chosen):
            save(dict(self._chosen))

    def add(self, action_id: str, action: QAction, keys: Sequence[str]) -> None:
        """Give ``action`` the keys that the writer chose for it, else ``keys``."""
        self._actions[action_id] = action
        self._defaults[action_id] = tuple(filter(None, map(normalized_key, keys)))
        self._apply(action_id)

    def remove(self, action_id: str) -> None:
        """Forget an action, which loses its keys; what the writer chose for it is kept."""
        del self._defaults[action_id]
        self._actions.pop(action_id).setShortcuts([])

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all actions, in the order of the menus."""
        return tuple(self._actions)

    def action(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def name_of(self, action_id: str) -> str:
        """What people call the action; the id of one that is not here."""
        action = self._actions.get(action_id)
        return action_id if action is None else action_name(action.text())

    def keys_of(self, action_id: str) -> tuple[str, ...]:
        own = self._chosen.get(action_id)
        if own is not None:
            return own
        others = {key for other, keys in self._chosen.items() if other in self._actions for key in keys}
        return tuple(key for key in self._defaults[action_id] if key not in others)

    def is_default(self, action_id: str) -> bool:
        """Whether the action has the keys that the program comes with."""
        return self.keys_of(action_id) == self._defaults[action_id]

    def owner(self, key: str) -> str:
        """The id of the action that has ``key``; empty if no action has it."""
        wanted = normalized_key(key)
        return next((one for one in self._actions if wanted and wanted in self.keys_of(one)), "")

    def assign(self, action_id: str, keys: Sequence[str]) -> tuple[str, ...]:
        """Give the action these keys alone; the result has the ids of the actions that lose one of them."""
        self._check(keys)
        wanted = tuple(dict.fromkeys(map(normalized_key, keys)))
        losing = tuple(
            other for other in self._actions if other != action_id and set(self.keys_of(other)) & set(wanted)
        )
        for other in losing:
            self._chosen[other] = tuple(key for key in self.keys_of(other) if key not in wanted)
        self._chosen[action_id] = wanted
        self._finish()
        return losing

    def reset(self, action_id: str) -> tuple[str, ...]:
        """Give the action its first keys again; the result has the ids of the actions that lose one."""
        return self.assign(action_id, self._defaults[action_id])

    def reset_all(self) -> None:
        """Give all actions their first keys again."""
        if self._chosen:
            self._chosen.clear()
            self._finish()

    # -- files

    def export(self, path: Path) -> None:
        content = KeyFile({one: self.keys_of(one) for one in self._actions})
        with atomic_write(
            path, problem=f"The keys could not be written to {path}", remedy="Choose another folder."
        ) as file:
            file.write(msgspec.json.format(msgspec.json.encode(content)))

    def import_file(self, path: Path) -> tuple[str, ...]:
        """Give the actions the keys in the file ``path``; the result names actions that are not known here.

        An action that the file does not name keeps its keys, except those that the file gives to others.
        """
        remedy = "Choose a file that Preferences, Keys, Export made."
        try:
            found = carry_over(decode_small_json(read_limited(path, MOST_BYTES), KeyFile).keys)
        except (OSError, DecodingError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise QuizwriterError(f"The keys in {path.name} cannot be read ({reason}).", remedy) from error
        owners: dict[str, str] = {}
        for one, keys in found.items():
            self._check(keys)
            for key in map(normalized_key, keys):
                if owners.setdefault(key, one) != one:
                    both = f"{self.name_of(owners[key])} and {self.name_of(one)}"
                    raise QuizwriterError(
                        f"{path.name} gives {key} to two actions: {both}.", "Correct the file."
                    )
        for one in self._actions:
            wanted = found.get(one, tuple(key for key in self.keys_of(one) if key not in owners))
            self._chosen[one] = tuple(dict.fromkeys(map(normalized_key, wanted)))
        self._finish()
        return tuple(one for one in found if one not in self._actions)

    # -- ours

    def _check(self, keys: Sequence[str]) -> None:
        for key in keys:
            if refusal := key_refusal(key):
                raise QuizwriterError(refusal, "Choose another key.")

    def _usable(self, keys: Sequence[str]) -> tuple[str, ...]:
        """``keys`` without those that no action can have: a settings file may name anything."""
        return tuple(dict.fromkeys(normalized_key(key) for key in keys if not key_refusal(key)))

    def _finish(self) -> None:
        """Apply and save the chosen keys; those that are no choice are left out."""
        for one in [one for one in self._chosen if one in self._actions]:
            keys = self._chosen.pop(one)
            if self.keys_of(one) != keys:
                self._chosen[one] = keys
        for one in self._actions:
            self._apply(one)
        self._save(dict(self._chosen))
        self.changed.emit()

    def _apply(self, action_id: str) -> None:
        action, keys = self._actions[action_id], [QKeySequence(key) for key in self.keys_of(action_id)]
        if action.shortcuts() != keys:  # or Qt looks up its menus and their windows all the same
            action.setShortcuts(keys)
