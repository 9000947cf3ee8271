"""The windows, in Qt, and nothing but windows: what they show comes from :mod:`quizwriter.services`.

:mod:`quizwriter.gui.application` starts the program's window. ``main_window`` lays out the panes of
``writing``; the controllers beside it follow the draft, the sessions and the engine. ``review``,
``history``, ``queue`` and ``dialogs`` hold the other windows, ``widgets`` what several of them need,
``background`` threads and processes. No module here opens a file of tossups, speaks SQL or plays a tossup
itself.
"""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401 - puts its own in the place of Python's import

# PySide's looks for its __feature__ switches, which nothing here uses, whenever something is imported: the
# first time in the source of the module, which it then holds. That is a tenth of the start, and 10 MB.
builtins.__import__ = vars(builtins).get("__orig_import__", builtins.__import__)
