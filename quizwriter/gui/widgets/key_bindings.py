"""The keys of the actions: those of the program, those the writer chose, and conflicts between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from quizwriter.errors import QuizwriterError
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
    """A file with the keys of all actions, which one computer exports and another imports."""

    keys: KeyScheme
    format: Literal["quizwriter keys"] = "quizwriter keys"
    version: Literal[1] = 1


def action_name(text: str) -> str:
    """The name of an action: its text in a menu without the mark of its access key and without the dots."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").removesuffix("…")


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
        return f"{key} moves the keyboard or types a line, so no action can have it."
    if not function_key and not combination.keyboardModifiers() & _MODIFIERS:
        return f"{key} types text. Add Ctrl or Alt, or choose a function key."
    if key in KEYS_OF_WINDOWS:
        return f"Every window needs {key} for itself."
    return ""


class KeyBindings(QObject):
    """The keys of the actions that were added; ``changed`` says that some action has other keys.

    No key belongs to two actions: who gets a key takes it from who had it.
    """

    changed = Signal()

    def __init__(
        self, chosen: Mapping[str, Sequence[str]], save: Callable[[KeyScheme], object], parent: QObject
    ) -> None:
        """Begin with the keys that the writer chose; ``save`` gets them after each change."""
        super().__init__(parent)
        self._chosen = {name: self._usable(keys) for name, keys in chosen.items()}
        self._save = save
        self._actions: dict[str, QAction] = {}
        self._defaults: dict[str, tuple[str, ...]] = {}

    def add(self, action: QAction, keys: Sequence[str]) -> None:
        """Give ``action`` the keys that the writer chose for it, else ``keys``."""
        name = action_name(action.text())
        self._actions[name] = action
        self._defaults[name] = tuple(filter(None, map(normalized_key, keys)))
        self._apply(name)

    def remove(self, action: QAction) -> None:
        """Forget ``action``, which loses its keys; what the writer chose for it is kept."""
        name = action_name(action.text())
        if self._actions.get(name) is action:
            del self._actions[name], self._defaults[name]
        action.setShortcuts([])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all actions, in the order of the menus."""
        return tuple(self._actions)

    def action(self, name: str) -> QAction:
        """The action called ``name``."""
        return self._actions[name]

    def keys_of(self, name: str) -> tuple[str, ...]:
        """The keys of the action ``name``."""
        own = self._chosen.get(name)
        if own is not None:
            return own
        others = {key for other, keys in self._chosen.items() if other in self._actions for key in keys}
        return tuple(key for key in self._defaults[name] if key not in others)

    def is_default(self, name: str) -> bool:
        """Whether the action ``name`` has the keys that the program comes with."""
        return self.keys_of(name) == self._defaults[name]

    def owner(self, key: str) -> str:
        """The name of the action that has ``key``; empty if none has it."""
        wanted = normalized_key(key)
        return next((name for name in self._actions if wanted and wanted in self.keys_of(name)), "")

    def assign(self, name: str, keys: Sequence[str]) -> tuple[str, ...]:
        """Give the action ``name`` these keys alone; the result names the actions that lose one of them."""
        self._check(keys)
        wanted = tuple(dict.fromkeys(map(normalized_key, keys)))
        losing = tuple(
            other for other in self._actions if other != name and set(self.keys_of(other)) & set(wanted)
        )
        for other in losing:
            self._choose(other, tuple(key for key in self.keys_of(other) if key not in wanted))
        self._choose(name, wanted)
        self._finish()
        return losing

    def reset(self, name: str) -> tuple[str, ...]:
        """Give the action ``name`` its first keys again; the result names who loses one."""
        return self.assign(name, self._defaults[name])

    def reset_all(self) -> None:
        """Give all actions their first keys again."""
        self._chosen.clear()
        self._finish()

    # -- files

    def export(self, path: Path) -> None:
        """Write the keys of all actions to ``path``."""
        content = KeyFile({name: self.keys_of(name) for name in self._actions})
        with atomic_write(
            path,
            problem=f"The keys could not be written to {path}",
            remedy="Choose another folder.",
        ) as file:
            file.write(msgspec.json.format(msgspec.json.encode(content)))

    def import_file(self, path: Path) -> tuple[str, ...]:
        """Give the actions the keys in the file ``path``; the result names actions that are not known here.

        An action that the file does not name keeps its keys, except those that the file gives to others.
        """
        remedy = "Choose a file that Preferences, Keys, Export made."
        try:
            found = decode_small_json(read_limited(path, MOST_BYTES), KeyFile).keys
        except (OSError, DecodingError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise QuizwriterError(f"The keys in {path.name} cannot be read ({reason}).", remedy) from error
        owners: dict[str, str] = {}
        for name, keys in found.items():
            self._check(keys)
            for key in map(normalized_key, keys):
                if owners.setdefault(key, name) != name:
                    raise QuizwriterError(
                        f"{path.name} gives {key} to two actions: {owners[key]} and {name}.",
                        "Correct the file.",
                    )
        for name in self._actions:
            wanted = found.get(name, tuple(key for key in self.keys_of(name) if key not in owners))
            self._choose(name, tuple(dict.fromkeys(map(normalized_key, wanted))))
        self._finish()
        return tuple(name for name in found if name not in self._actions)

    # -- ours

    def _check(self, keys: Sequence[str]) -> None:
        for key in keys:
            if refusal := key_refusal(key):
                raise QuizwriterError(refusal, "Choose another key.")

    def _usable(self, keys: Sequence[str]) -> tuple[str, ...]:
        """``keys`` without those that no action can have: a settings file may name anything."""
        return tuple(dict.fromkeys(normalized_key(key) for key in keys if not key_refusal(key)))

    def _choose(self, name: str, keys: tuple[str, ...]) -> None:
        self._chosen[name] = keys

    def _finish(self) -> None:
        """Apply and save the chosen keys; those that are no choice are left out."""
        for name in [name for name in self._chosen if name in self._actions]:
            keys = self._chosen.pop(name)
            if self.keys_of(name) != keys:
                self._chosen[name] = keys
        for name in self._actions:
            self._apply(name)
        self._save(dict(self._chosen))
        self.changed.emit()

    def _apply(self, name: str) -> None:
        self._actions[name].setShortcuts([QKeySequence(key) for key in self.keys_of(name)])
