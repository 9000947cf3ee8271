"""The application of each window that a test opened, and windows that all tests of a file share."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QDialog, QFrame

from quizwriter.workflow.session import WritingSession
from tests.helpers.fakes import FakeApp
from tests.helpers.leaks import delete_what_waits
from tests.helpers.made_database import empty

SIZE = QSize(1280, 800)

_apps, _made_with, _players = WeakKeyDictionary(), WeakKeyDictionary(), WeakKeyDictionary()

shared = []
"""The windows that are open and that all tests of the file share."""


def belongs(window, app):
    """Note that ``window`` was made on ``app``."""
    _apps[window] = app
    _made_with[window] = app.profile.settings
    if isinstance(app, FakeApp):
        _players[window] = app.players


def app_of(window):
    """The application that ``window`` was made on."""
    return _apps[window]


def closed(window):
    """The application of ``window``, which is deleted: to make one beside another takes twice as long."""
    app = app_of(window)
    window.close()
    window.deleteLater()
    delete_what_waits()
    return app


def leave(window):
    """Close what a test opened beside a shared ``window``."""
    for other in [*window.windows._made.values()]:
        if hasattr(other, "shutdown"):
            other.shutdown()
        other.close()
        other.deleteLater()
    window.windows._made.clear()
    window.games.shutdown()
    for dialog in window.findChildren(QDialog):
        dialog.close()
    if window.tour is not None:
        window.tour.end()


def is_news(window, kind):
    """Whether the message of a ``kind`` looks like good news, and not like trouble."""
    text = window.messages.text(kind)
    (bar,) = [one for one in window.messages.findChildren(QFrame) if one.accessibleName() == text]
    return bar.grab().toImage().pixelColor(1, 2) == QColor(window.theme.tokens.right)


def put_back(window, qtbot, tossup=None, *, players=None, right=True):
    """A shared ``window`` as it was opened, with nothing else than ``tossup``, if one is given.

    ``players`` play in it instead of those that it was opened with.
    """
    app, settings = app_of(window), _made_with[window]
    players = players or _players.get(window)
    others_play = players is not None and players is not app.players
    if others_play:
        window.sessions.open(app.tossups.new_session())  # so that those before play nothing once more
    if app.profile.settings.theme != settings.theme:
        window.theme.use_theme(settings.theme)
    window.theme.use_letters(settings.draft_font, settings.draft_size_px, settings.text_percent)
    window.save()
    qtbot.waitUntil(lambda: window.saver.idle)
    window.write_alone(alone=False)
    window.put_away()
    if window.size() != SIZE:
        window.resize(SIZE)
    window.columns.show_tossups()
    if isinstance(app, FakeApp):
        played = app.what_if
        app.__init__(app.home, players)
        if not others_play:
            app.what_if = played  # variants of the same draft are not played again
    else:
        empty(app.store)
        app.profile.identity._tried = False  # the next saving puts the writer's key there, too
    app.profile.save_settings(settings)
    if others_play:
        window.evidence._write()  # that there is none, at once, not when keys leave time for it
        window.analysis_runner.use(app.load())
        window.engines._settle()
    window.time_line.show_legend(shown=settings.shows_legend)
    session = app.tossups.new_session()
    if tossup is not None:
        session = WritingSession("t0", tossup, cursor=len(tossup.text))
    window.sessions.forget([*window.sessions._sessions])
    window.sessions.read_list()
    window.sessions.open(session)
    for kind in [*window.messages._messages]:
        window.messages.dismiss(kind)
    if right:
        window.right_tabs.choose(window.evidence)
        window.show_right()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.draft.setFocus()
    return window
