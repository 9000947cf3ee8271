"""The writer's name and e-mail address: asked when first needed, and changed with *File > Profile…*."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from quizwriter.domain.review import Person
from quizwriter.errors import QuizwriterError
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog

if TYPE_CHECKING:
    from quizwriter.services import App

WIDTH = 460
EXPLANATION = (
    "Your name appears beside your edits, comments and tags. People to whom you send your tossups see it. It "
    "stays on this computer until you send them."
)
NAME_MISSING = "Enter the name that others know you by."


class ProfileDialog(Dialog):
    """Asks for a name and an e-mail address; ``accepted`` once they are saved."""

    def __init__(self, app: App, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Profile", parent, width=WIDTH)
        self._app = app
        self.name, self.email = QLineEdit(app.profile.me.name), QLineEdit(app.profile.me.email)
        for line, title in ((self.name, "Name"), (self.email, "E-mail")):
            line.setAccessibleName(title)
            line.setMaxLength(200)
        self.email.setPlaceholderText("optional")
        fields = QFormLayout()
        fields.setVerticalSpacing(8)
        fields.setHorizontalSpacing(12)
        fields.addRow("Name", self.name)
        fields.addRow("E-mail", self.email)
        self.body.addWidget(self.label(EXPLANATION))
        self.body.addLayout(fields)
        self.add_primary("Save", self.save)
        self.name_close_button("Cancel")

    def save(self) -> None:
        """Save what was typed and close, or show what is missing."""
        name, email = (" ".join(line.text().split()) for line in (self.name, self.email))
        if not name:
            self.show_message(NAME_MISSING, trouble=True)
            return
        try:
            self._app.profile.set_profile(name, email)
        except QuizwriterError as trouble:
            self.show_failure(str(trouble))
            return
        self.accept()


def require_profile(app: App, theme: Theme, parent: QWidget, then: Callable[[Person], object]) -> None:
    """Call ``then`` with the writer's profile; the dialog asks for it first where it has no name yet."""
    if app.profile.me.name:
        then(app.profile.me)
        return
    dialog = ProfileDialog(app, theme, parent)
    dialog.accepted.connect(lambda: then(app.profile.me))
    dialog.open()
