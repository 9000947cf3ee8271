"""The writer's profile: its name, asked when first needed; its key; and the file that carries both over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from quizwriter.domain.review import Person
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog
from quizwriter.gui.widgets.fields import text_line
from quizwriter.gui.widgets.file_dialog import ask_file, ask_new_file
from quizwriter.gui.widgets.layouts import FieldRows
from quizwriter.services.wiring import App

WIDTH = 460
EXPLANATION = (
    "Your name appears beside your edits, comments and tags. People to whom you send your tossups see it. It "
    "stays on this computer until you send them."
)
PROFILES = "Profiles of QuizWriter (*.qwprofile);;All files (*)"
EXPORT_EXPLANATION = (
    "The file holds your name, your e-mail address and the key with which QuizWriter signs what you write. "
    "With the file and the passphrase, you write under the same name on another computer. Anybody else who "
    "has both can write in your name, so keep them in different places."
)
IMPORT_EXPLANATION = (
    "From now on, you write on this computer as the person in the file. What you wrote here before stays "
    "under the profile that you had then."
)
PASSPHRASES_DIFFER = "The two passphrases differ."
NAME_MISSING = "Enter the name under which others know you."


class ProfileDialog(Dialog):
    """Asks for a name and an e-mail address; ``accepted`` once they are saved."""

    def __init__(self, app: App, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Profile", parent, width=WIDTH)
        self._app = app
        self.name, self.email = QLineEdit(app.profile.me.name), QLineEdit(app.profile.me.email)
        for line, title in ((self.name, "Name"), (self.email, "E-mail")):
            line.setAccessibleName(title)
            line.setMaxLength(200)
        self.email.setPlaceholderText("Optional")
        self.body.addWidget(self.label(EXPLANATION))
        self.body.addLayout(_form(("Name", self.name), ("E-mail", self.email)))
        self.add_primary("Save", self.save)
        self.name_close_button("Cancel")

    def save(self) -> None:
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


def require_profile(
    app: App,
    theme: Theme,
    parent: QWidget,
    then: Callable[[Person], object],
    otherwise: Callable[[], object] = lambda: None,
) -> None:
    """Call ``then`` with the writer's profile; the dialog asks for it first where it has no name yet.

    ``otherwise`` is called where the writer gives none.
    """
    if app.profile.me.name:
        then(app.profile.me)
        return
    dialog = ProfileDialog(app, theme, parent)
    dialog.accepted.connect(lambda: then(app.profile.me))
    dialog.rejected.connect(otherwise)
    dialog.open()


class ExportProfileDialog(Dialog):
    """Asks for a passphrase and a file, and writes the profile to the file."""

    def __init__(self, app: App, theme: Theme, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Export my profile", parent, width=WIDTH)
        self._app, self._jobs = app, jobs
        self.passphrase, self.repeated = _secret_line("Passphrase"), _secret_line("Passphrase once more")
        self.body.addWidget(self.label(EXPORT_EXPLANATION))
        self.body.addLayout(_form(("Passphrase", self.passphrase), ("Passphrase once more", self.repeated)))
        self.add_primary("Choose the file…", self._choose_file)
        for line in (self.passphrase, self.repeated):
            line.textChanged.connect(self._check)
        self._check()

    def _check(self) -> None:
        self.set_ready(bool(self.passphrase.text() and self.repeated.text()))

    def _choose_file(self) -> None:
        if self.passphrase.text() != self.repeated.text():
            self.show_message(PASSPHRASES_DIFFER, trouble=True)
            return
        ask_new_file(self, "Export my profile", "profile.qwprofile", PROFILES, self.export_to)

    def export_to(self, path: Path) -> None:
        passphrase = self.passphrase.text()

        def do(_: object) -> bool:
            self._app.profile.export(path, passphrase)
            return True

        def then(_: bool) -> None:
            self.show_message(f"Your profile is in {path}.")
            self.passphrase.clear()
            self.repeated.clear()

        self.run_job(self._jobs, "Writing the profile…", do, then)


class ImportProfileDialog(Dialog):
    """Asks for the passphrase of a profile's file, and imports it. ``imported`` carries the person."""

    imported = Signal(object)

    def __init__(self, app: App, theme: Theme, jobs: Jobs, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Import a profile", parent, width=WIDTH)
        self._app, self._jobs, self._path = app, jobs, path
        self.passphrase = _secret_line("Passphrase")
        self.body.addWidget(self.label(IMPORT_EXPLANATION))
        self.body.addLayout(_form(("File", self.label(path.name)), ("Passphrase", self.passphrase)))
        self.add_primary("Import", self.import_file)
        self.name_close_button("Cancel")
        self.passphrase.textChanged.connect(lambda text: self.set_ready(bool(text)))
        self.set_ready(False)
        self.passphrase.setFocus()

    def import_file(self) -> None:
        passphrase = self.passphrase.text()

        def then(me: Person) -> None:
            self.accept()
            self.imported.emit(me)

        self.run_job(
            self._jobs,
            "Reading the profile…",
            lambda _: self._app.profile.import_profile(self._path, passphrase),
            then,
            closable=False,
        )


class ProfileController(QObject):
    """Opens the dialogs of the profile, and loads its key in the background.

    ``told`` carries a sentence to be shown in the window, and whether it is good news. ``imported`` carries
    the new user.
    """

    told = Signal(str, bool)
    imported = Signal(object)

    def __init__(self, app: App, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._app, self._theme, self._window = app, theme, parent
        self._jobs = Jobs("profile", self)

    def load_key(self) -> None:
        """Load the key, without which edits are saved unsigned; say so if there is none."""

        def do(_: object) -> str:
            self._app.profile.identity.load()
            trouble = self._app.profile.identity.trouble
            return "" if trouble is None else str(trouble)

        def tell(trouble: str) -> None:
            self.told.emit(trouble, False)

        self._jobs.ask(do, tell, tell)

    def open(self) -> ProfileDialog:
        dialog = ProfileDialog(self._app, self._theme, self._window)
        dialog.open()
        return dialog

    def export(self) -> ExportProfileDialog:
        dialog = ExportProfileDialog(self._app, self._theme, self._jobs, self._window)
        dialog.open()
        return dialog

    def choose_import(self) -> None:
        ask_file(self._window, "Import a profile", PROFILES, self.import_from)

    def import_from(self, path: Path) -> ImportProfileDialog:
        dialog = ImportProfileDialog(self._app, self._theme, self._jobs, path, self._window)
        dialog.imported.connect(self._take)
        dialog.open()
        return dialog

    def _take(self, me: Person) -> None:
        self.imported.emit(me)
        name = me.name or "a person without a name"
        self.told.emit(f"You write as {name} on this computer from now on.", True)


def _secret_line(name: str) -> QLineEdit:
    line = text_line(name, longest=200)
    line.setEchoMode(QLineEdit.EchoMode.Password)
    return line


def _form(*rows: tuple[str, QWidget]) -> FieldRows:
    fields = FieldRows()
    for title, widget in rows:
        fields.add(title, widget)
    return fields
