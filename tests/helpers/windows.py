"""The application of each window that a test opened."""

from __future__ import annotations

from weakref import WeakKeyDictionary

_apps = WeakKeyDictionary()


def belongs(window, app):
    """Note that ``window`` was made on ``app``."""
    _apps[window] = app


def app_of(window):
    """The application that ``window`` was made on."""
    return _apps[window]
