"""The menus of the main window, and the search of actions, made from the table of actions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from quizwriter.gui import actions
from quizwriter.gui.actions import Action
from quizwriter.gui.widgets.keys import LETTERS
from quizwriter.gui.widgets.labels import plain_tooltip

if TYPE_CHECKING:
    from quizwriter.gui.writing_desk import Desk

_LETTER = re.compile(r"&(\w)")


class Menus(QObject):
    """The menus of a main window whose panes and controllers are all there.

    ``actions`` has every action by its id, ``keys`` the keys of each, ``search`` finds them by name.
    """

    def __init__(self, window: Desk) -> None:
        super().__init__(window)
        self._window, self.keys, self.search = window, window.keys, window.action_search
        self.actions: dict[str, QAction] = {}
        self._rows: list[Action] = []
        self._of_families: list[Action] = []
        self._groups: dict[str, QActionGroup] = {}
        self._menus: dict[str, QMenu] = {}
        self._notes: dict[str, QAction] = {}
        for path, title in actions.MENUS.items():
            above = self._menus.get(_above(path))
            menu = self._menus[path] = QMenu(title, window.menuBar() if above is None else above)
            menu.aboutToShow.connect(partial(self._show_state, path))
            menu.hovered.connect(lambda action: window.status.show_tip(action.statusTip()))
            menu.aboutToHide.connect(lambda: window.status.show_tip(""))
            if above is None:
                window.menuBar().addMenu(menu)
        for path in actions.NOTES:
            self._notes[path] = note = QAction(self)
            note.setEnabled(False)
        self.renew()

    def renew(self) -> None:
        """Make the actions that are missing, and those of all families anew: another engine is in use."""
        changed = {row.menu for row in self._of_families}
        for row in self._of_families:
            self.keys.remove(row.id)  # it lives until the next event, and two actions cannot share a key
            action = self.actions.pop(row.id)
            self._menus[row.menu].removeAction(action)
            action.deleteLater()
        self._rows, self._of_families = [], []
        for one in actions.ACTIONS:
            if isinstance(one, Action):
                self._rows.append(one)
            else:
                family = one.actions(self._window)
                self._of_families += family
                self._rows += family
        for row in self._rows:
            if row.id not in self.actions:
                self.actions[row.id] = self._made(row)
                changed.add(row.menu)
        lines = self._lines()
        for path in changed | {_above(path) for path in changed if _above(path)}:
            self._arrange(path, lines[path])
        self.search.use(tuple(self.actions.values()))

    def _made(self, row: Action) -> QAction:
        window = self._window
        action = QAction(row.title, window)
        action.setObjectName(row.id)
        action.setStatusTip(plain_tooltip(row.tip))
        action.setWhatsThis(plain_tooltip(row.tip))
        if row.id == LETTERS:  # for windows without menus, too
            action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
        if row.checked is not None:
            action.setCheckable(True)
            action.setChecked(row.checked(window))
        if row.group:
            if row.group not in self._groups:
                self._groups[row.group] = QActionGroup(self)
            self._groups[row.group].addAction(action)
        self.keys.add(row.id, action, row.keys.split())
        action.triggered.connect(lambda _=False: row.do(window))
        return action

    def _lines(self) -> dict[str, list[tuple[Action, str]]]:
        """What is in each menu, in its order: an action, or the first of a submenu with its path."""
        lines: dict[str, list[tuple[Action, str]]] = {path: [] for path in self._menus}
        for row in self._rows:
            if not lines[row.menu] and (above := _above(row.menu)):
                lines[above].append((row, row.menu))
            lines[row.menu].append((row, ""))
        return lines

    def _arrange(self, path: str, lines: Sequence[tuple[Action, str]]) -> None:
        """Put the actions of a menu, its submenus and its lines in their order."""
        menu = self._menus[path]
        menu.clear()  # deletes its lines alone
        shown: dict[QAction, str] = {}
        for row, submenu in lines:
            if row.line and (submenu or not menu.isEmpty()):
                menu.addSeparator()
            if submenu:
                shown[menu.addMenu(self._menus[submenu])] = actions.MENUS[submenu]
            else:
                menu.addAction(self.actions[row.id])
                shown[self.actions[row.id]] = row.title
        for action, title in zip(shown, with_letters(tuple(shown.values())), strict=True):
            action.setText(title)
        if path in self._notes:
            menu.addSeparator()
            menu.addAction(self._notes[path])

    def _show_state(self, path: str) -> None:
        """Tick what is on now, and say what the note of the menu says."""
        for row in self._rows:
            if row.menu == path and row.checked is not None:
                self.actions[row.id].setChecked(row.checked(self._window))
        if path in self._notes:
            self._notes[path].setText(actions.NOTES[path](self._window))


def _above(path: str) -> str:
    """The path of the menu that a submenu is in; empty for a menu of the menu bar."""
    return path.rpartition("/")[0]


def with_letters(titles: Sequence[str]) -> list[str]:
    """``titles`` of one menu, each with a letter of its own by which it is chosen while the menu is open.

    That is the one after its &, for the first that wants it; else the first that is free, if there is one.
    """
    owners: dict[str, str] = {}
    for title in titles:
        if found := _LETTER.search(title):
            owners.setdefault(found[1].casefold(), title)
    lettered = []
    for title in titles:
        if title not in owners.values():
            bare = title.replace("&", "")
            letters = enumerate(bare.casefold())
            free = next(((at, one) for at, one in letters if one.isalnum() and one not in owners), None)
            title = bare if free is None else f"{bare[: free[0]]}&{bare[free[0] :]}"
            owners |= {} if free is None else {free[1]: title}
        lettered.append(title)
    return lettered
