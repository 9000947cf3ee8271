"""The ways in which a game is begun from the menu."""

from __future__ import annotations

from enum import StrEnum


class GameKind(StrEnum):
    """A way to play; its value is the title of its dialog."""

    READ = "Read to someone"
    ALONE = "Play alone against the machines"
    ROOM = "Open a room"
