"""The windows, in Qt, and nothing but windows: what they show comes from :mod:`quizwriter.services`.

:mod:`quizwriter.gui.application` starts the program's window. ``main_window`` lays out the panes of
``writing``; the controllers beside it follow the draft, the sessions and the engine. ``review``,
``history``, ``queue`` and ``dialogs`` hold the other windows, ``widgets`` what several of them need,
``background`` threads and processes. No module here opens a file of tossups, speaks SQL or plays a tossup
itself.
"""

from __future__ import annotations

from importlib import import_module

import PySide6.QtCore  # noqa: F401 - brings the module below


def _spare_sources() -> None:
    """Keep PySide from reading, and holding, the source of each module that is imported.

    It looks there for its ``__feature__`` switches, which nothing here uses: a tenth of the start, and 10 MB.
    """
    feature = vars(import_module("shibokensupport.feature"))
    if "_mod_uses_pyside" in feature:
        feature["_mod_uses_pyside"] = lambda module: False


_spare_sources()
