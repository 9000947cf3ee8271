"""What an empty draft says to its writer, where the first line will be."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTextEdit

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import rich_label

LINE_HEIGHT = 1.5
"""The distance of lines, in sizes of the letters."""

EMPTY = (
    "Write a tossup here, hardest clue first. After every word the players show what they would guess, "
    "where they would buzz, and why."
)


def line_pixels(theme: Theme) -> int:
    return round(theme.draft_px * LINE_HEIGHT)


class DraftHint:
    """The words that lie over an empty draft, in :attr:`label`; ``edit`` filters the events of the label."""

    def __init__(self, edit: QTextEdit, theme: Theme) -> None:
        self._edit, self._theme = edit, theme
        self.label = rich_label(parent=edit.viewport())
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.label.setCursor(Qt.CursorShape.IBeamCursor)
        self.label.installEventFilter(edit)

    def place(self) -> None:
        """Lie where the first lines of the draft are."""
        margin = round(self._edit.document().documentMargin())
        width = self._edit.viewport().width() - 2 * margin
        self.label.setGeometry(margin, margin, width, max(self.label.heightForWidth(width), 60))

    def apply_theme(self) -> None:
        tokens = self._theme.tokens
        high = (
            f"-qt-line-height-type:fixed; line-height:{line_pixels(self._theme)}px;"
            f" font-family:{self._theme.draft_families}; font-size:{self._theme.draft_px}px;"
        )
        self.label.setStyleSheet(f"color: {tokens.soft};")
        link = f"<a style='color:{tokens.accent}; text-decoration:none;' href="
        self.label.setText(
            f"<p style='{high} margin:0 0 8px 0;'>{EMPTY}</p>"
            f"<p style='{high} margin:0;'>{link}'examples'>Open the example set</a></p>"
            f"<p style='{high} margin:0;'>{link}'tour'>Take a tour of two minutes</a></p>"
        )
