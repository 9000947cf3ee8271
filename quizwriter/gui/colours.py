"""The colours of all windows by their use: light, dark, and both with high contrast."""

from __future__ import annotations

import msgspec
from PySide6.QtGui import QColor

from quizwriter.domain.players import player_kind

PLAYER_SHAPES = ("o", "s", "t1", "d", "t", "star", "h", "p", "+")
"""The shapes of the players by their numbers, by the names of :func:`quizwriter.gui.theme.draw_player`."""

PLAYER_GLYPHS = ("●", "■", "▲", "◆", "▼", "★", "⬢", "⬟", "✚")
"""The same shapes as letters."""


class PlayerMark(msgspec.Struct, frozen=True):
    """A player's colour as ``#RRGGBB`` and its shape, the latter by its name and as a letter."""

    colour: str
    shape: str
    glyph: str


class ColourTokens(msgspec.Struct, frozen=True):
    """The colours by their use, as ``#RRGGBB``.

    ``faint`` and ``strong`` are the opacities of the weakest and the strongest cue.
    """

    page: str  # the draft's paper
    chrome: str  # around it
    ink: str
    soft: str  # captions
    line: str  # hairlines
    accent: str  # focus, links, selection
    on_accent: str
    right: str  # the machine is right
    wrong: str  # another page leads
    confident: str  # would buzz and be wrong
    cue: str
    counter: str  # speaks against
    note: str  # what people say of it
    problem: str  # what the spelling and the style want looked at
    faint: float
    strong: float
    players: tuple[str, ...]  # by the players' numbers, after Okabe and Ito; see :meth:`ColourTokens.player`

    @property
    def high_contrast(self) -> bool:
        """Whether this is a table with high contrast: in it, paper and what is around it are the same."""
        return self.page == self.chrome

    @property
    def band(self) -> str:
        return mixed(self.line, self.page, 0.25 if self.high_contrast else 0.45)

    def player(self, name: str) -> PlayerMark:
        """The colour and the shape of the player ``name``, in every pane and chart."""
        number = player_kind(name).number
        return PlayerMark(self.players[number], PLAYER_SHAPES[number], PLAYER_GLYPHS[number])


LIGHT = ColourTokens(
    page="#FBFAF7",
    chrome="#F1EFEA",
    ink="#1C1B19",
    soft="#6B675F",
    line="#DDD9D0",
    accent="#0B5FA5",
    on_accent="#FFFFFF",
    right="#007560",
    wrong="#8A857B",
    confident="#C2500A",
    cue="#0072B2",
    counter="#C2500A",
    note="#7A4CA0",
    problem="#B3404E",
    faint=0.06,
    strong=0.30,
    players=(
        "#0B5FA5",
        "#C2500A",
        "#007560",
        "#9A3F93",
        "#1C7AA6",
        "#8A6100",
        "#4A4742",
        "#6F6A00",
        "#A8184E",
    ),
)
DARK = ColourTokens(
    page="#1E1F22",
    chrome="#26282C",
    ink="#E8E6E1",
    soft="#A3A097",
    line="#3A3D42",
    accent="#6CB2F0",
    on_accent="#15171A",
    right="#33C3A4",
    wrong="#7D8087",
    confident="#F28C4B",
    cue="#56B4E9",
    counter="#F28C4B",
    note="#BC9BE3",
    problem="#EE8C96",
    faint=0.10,
    strong=0.36,
    players=(
        "#6CB2F0",
        "#F28C4B",
        "#33C3A4",
        "#D593D2",
        "#8FDDF2",
        "#E6B23C",
        "#C9C6BF",
        "#E8E06A",
        "#FF9DB4",
    ),
)


LIGHT_CONTRAST = ColourTokens(
    page="#FFFFFF",
    chrome="#FFFFFF",
    ink="#000000",
    soft="#1F1F1F",
    line="#4A4A4A",
    accent="#003C8F",
    on_accent="#FFFFFF",
    right="#00513F",
    wrong="#595959",
    confident="#8A1F00",
    cue="#003C8F",
    counter="#8A1F00",
    note="#54128A",
    problem="#8A0A1C",
    faint=0.08,
    strong=0.30,
    players=(
        "#003C8F",
        "#8A3300",
        "#00513F",
        "#6E1468",
        "#00526B",
        "#5C4100",
        "#333333",
        "#4A4600",
        "#7D0038",
    ),
)
DARK_CONTRAST = ColourTokens(
    page="#000000",
    chrome="#000000",
    ink="#FFFFFF",
    soft="#E6E6E6",
    line="#A6A6A6",
    accent="#8CC8FF",
    on_accent="#000000",
    right="#5CF0CC",
    wrong="#A6A6A6",
    confident="#FFB27A",
    cue="#8CC8FF",
    counter="#FFB27A",
    note="#D9B8FF",
    problem="#FFB3BB",
    faint=0.12,
    strong=0.40,
    players=(
        "#8CC8FF",
        "#FFB27A",
        "#5CF0CC",
        "#F0A8EC",
        "#B0ECFF",
        "#FFD166",
        "#E6E6E6",
        "#F5EE7A",
        "#FFB8C8",
    ),
)
THEMES = {"light": LIGHT, "dark": DARK, "light contrast": LIGHT_CONTRAST, "dark contrast": DARK_CONTRAST}
"""All tables of colours by their names, for tests of each."""


def contrast_ratio(one: str, other: str) -> float:
    """How far apart two colours are in lightness, from 1 to 21.

    Source:
        Web Content Accessibility Guidelines 2.2, "contrast ratio" and "relative luminance".
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def mixed(over: str, under: str, share: float) -> str:
    """``over`` laid on ``under`` with opacity ``share``."""
    pairs = zip(_channels(over), _channels(under), strict=True)
    return "#" + "".join(f"{round(top * share + below * (1 - share)):02X}" for top, below in pairs)


def tint(colour: str, share: float) -> QColor:
    tinted = QColor(colour)
    tinted.setAlphaF(max(0.0, min(1.0, share)))
    return tinted


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    def linear(channel: int) -> float:
        part = channel / 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
