"""``quizwriter`` without a command: the window opens."""

from __future__ import annotations

import argparse
import gc
import logging
import logging.handlers
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from quizwriter.cli.options import opened


def open_window(arguments: argparse.Namespace) -> int:
    """Open the window; the exit status, once the writer has closed it. Without a screen, play an example."""
    if not _has_screen():
        from quizwriter.cli.playing import play_example

        return play_example(arguments)
    # Qt's modules abort or hang if they are interrupted while they are imported or make a window. To end at
    # once harms nothing here, and the window takes over once it is open.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    app = opened(arguments)
    _log_to(app.home)
    app.engines.start_players()
    gc.disable()  # as while the command is imported; the window looks for garbage itself, between events
    try:
        from quizwriter.gui.application import run

        return run(app)
    finally:
        app.close()


def _has_screen() -> bool:
    if sys.platform in {"win32", "darwin"}:
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _log_to(home: Path) -> None:
    """Keep a log beside the database. If the disk does not take it, the program works without a log."""
    with suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            home / "quizwriter.log", maxBytes=1_000_000, backupCount=1, encoding="utf-8"
        )
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        logging.raiseExceptions = False  # the window says that a disk is full; the log may lack it
        logging.getLogger("quizwriter").addHandler(handler)
        logging.getLogger("quizwriter").setLevel(logging.INFO)
