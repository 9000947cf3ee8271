"""Who sits here: asked once, when it is first needed, and changed with *File > Profile…*."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from quizwriter.domain.review import Person
from quizwriter.errors import QuizwriterError
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined

if TYPE_CHECKING:
    from quizwriter.services import App

WIDTH = 460
EXPLAINED = (
    "Your name stands beside your edits, comments and tags, for those to whom you send your tossups. It "
    "stays on this computer until you send them."
)
NAMELESS = "Say what others should call you."


class ProfileDialog(QDialog):
    """Asks for a name and an e-mail address; ``accepted`` once they are kept."""

    def __init__(self, app: App, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self.setWindowTitle("Profile")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(WIDTH)
        explained = QLabel(EXPLAINED)
        explained.setWordWrap(True)
        self.name, self.email = QLineEdit(app.profile.me.name), QLineEdit(app.profile.me.email)
        for line, called in ((self.name, "Name"), (self.email, "E-mail")):
            line.setAccessibleName(called)
            line.setMaxLength(200)
        self.email.setPlaceholderText("if you like")
        fields = QFormLayout()
        fields.setVerticalSpacing(8)
        fields.setHorizontalSpacing(12)
        fields.addRow("Name", self.name)
        fields.addRow("E-mail", self.email)
        self.trouble = QLabel()
        self.trouble.setWordWrap(True)
        self.trouble.setStyleSheet(f"color: {theme.tokens.soft};")
        self.trouble.hide()
        keep = outlined("Keep", self._keep)
        keep.setDefault(True)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(outlined("Cancel", self.reject))
        row.addWidget(keep)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(12)
        column.addWidget(explained)
        column.addLayout(fields)
        column.addWidget(self.trouble)
        column.addSpacing(4)
        column.addLayout(row)

    def _keep(self) -> None:
        name, email = (" ".join(line.text().split()) for line in (self.name, self.email))
        if not name:
            self._say(NAMELESS)
            return
        try:
            self._app.profile.set_profile(name, email)
        except QuizwriterError as trouble:
            self._say(str(trouble))
            return
        self.accept()

    def _say(self, text: str) -> None:
        self.trouble.setText(text)
        self.trouble.show()


def require_profile(app: App, theme: Theme, parent: QWidget, then: Callable[[Person], object]) -> None:
    """Do ``then`` with who sits here, once that is known; it is asked if need be, and may stay unanswered."""
    if app.profile.me.name:
        then(app.profile.me)
        return
    dialog = ProfileDialog(app, theme, parent)
    dialog.accepted.connect(lambda: then(app.profile.me))
    dialog.open()
