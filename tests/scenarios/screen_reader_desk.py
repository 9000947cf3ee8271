"""The program that a screen reader looks at: the window, and commands from standard input."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from PySide6.QtCore import QSocketNotifier, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from quizwriter.gui.application import make_window, qt_application
from quizwriter.gui.background.garbage import collecting_garbage_here
from quizwriter.services.wiring import App

KEYS = {
    "Tab": Qt.Key.Key_Tab,
    "Left": Qt.Key.Key_Left,
    "Right": Qt.Key.Key_Right,
    "F8": Qt.Key.Key_F8,
    "Esc": Qt.Key.Key_Escape,
}


def main(home: str, bundle: str) -> None:
    """Show the window until ``quit`` comes."""
    qt = qt_application()
    app = App(Path(home), bundle=Path(bundle))
    app.open_database()
    window = make_window(app, qt)
    window.resize(1200, 860)
    window.show()
    window.activateWindow()  # no window manager does that here
    window.start()
    window.show_right()
    left = ""

    def read(*_: object) -> None:
        nonlocal left
        *lines, left = (left + os.read(sys.stdin.fileno(), 1 << 16).decode()).split("\n")
        for line in lines:
            obey(line)

    def obey(line: str) -> None:
        command, _, rest = line.partition(" ")
        if command == "type":
            QTest.keyClicks(window.draft, rest)
        elif command == "write":
            QTest.keyClicks(qt.focusWidget() or window, rest)
        elif command == "focus":
            getattr(window, rest).setFocus()
        elif command == "press":
            buttons = window.findChildren(QAbstractButton)
            next(one for one in buttons if one.isVisible() and one.text().startswith(rest)).click()
        elif command == "key":
            QTest.keyClick(qt.focusWidget() or window, KEYS[rest])
        elif command == "action":
            window.menus.keys.action(rest).trigger()
        else:
            window.close()
            qt.quit()

    notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(read)
    with collecting_garbage_here():
        qt.exec()
    app.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
