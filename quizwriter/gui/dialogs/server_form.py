"""What the dialogs about a player's server have in common: address, secret, certificate, and asking it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLayout, QLineEdit, QWidget

from quizwriter.domain.server_address import is_address, is_encrypted, is_open
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import BUG, Dialog
from quizwriter.gui.widgets.fields import text_line
from quizwriter.gui.widgets.file_dialog import ask_file
from quizwriter.gui.widgets.layouts import row_of

Found = TypeVar("Found")


class ServerForm(Dialog):
    """A form about a server. ``saved`` carries the new settings, and a note to the user or nothing.

    A dialog fills the grid with its rows, and says in :meth:`load_settings`, :meth:`follow_fields` and
    :meth:`problem` what its fields show, which of them are needed, and what is wrong with them.
    """

    saved = Signal(object, str)

    def __init__(self, theme: Theme, title: str, example: str, width: int, parent: QWidget | None) -> None:
        super().__init__(theme, title, parent, width=width, reused=True)
        self._jobs = Jobs(title.lower(), self)
        self._requests = 0  # how often the form asked the server or the keyring
        self.on = QCheckBox()
        self.url = text_line("Address", example)
        self.secret = text_line("Secret")
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        self.ca = text_line("Certificate", "Any that the system trusts")
        self.plain = QCheckBox()
        self.choose = outlined("Choose…", self._choose_certificate)
        self.grid = QGridLayout()
        self.grid.setHorizontalSpacing(12)
        self.grid.setVerticalSpacing(8)
        self.grid.setColumnStretch(1, 1)
        self.privacy = self.label()
        self.name_close_button("Cancel")
        self.save_button = self.add_primary("Save", self.save)
        self.url.textEdited.connect(lambda _: self.plain.setChecked(False))  # it was for the old one

    # -- what each form says

    def load_settings(self) -> None:
        """Fill the fields with the settings as they are now."""
        raise NotImplementedError

    def follow_fields(self) -> None:
        """Show the fields that the choices need; a message about other choices no longer holds."""
        raise NotImplementedError

    def save(self) -> None:
        """Save what the form has, or say what is wrong with it."""
        raise NotImplementedError

    # -- what all do

    def open_settings(self) -> None:
        if self.isVisible():
            self.activateWindow()
            return
        self.load_settings()
        self.secret.clear()
        self.follow_fields()
        self.show()
        self.url.setFocus()

    def shutdown(self) -> None:
        self.close()
        self._jobs.stop()

    def add_row(self, name: str, what: QWidget | QLayout) -> QLabel:
        """Add a row to the grid. The result is the label before it."""
        row = self.grid.rowCount()
        label = self.label(name, wrap=False)
        self.grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignVCenter)
        if isinstance(what, QWidget):
            self.grid.addWidget(what, row, 1)
        else:
            self.grid.addLayout(what, row, 1)
        return label

    def add_certificate_row(self) -> None:
        row = row_of((self.ca, 1), self.choose, spacing=8)
        self._ca_label = self.add_row("Certificate", row)

    def show_encryption(self, urls: Sequence[str], host: str, *, checked: bool) -> bool:
        """Show the certificate and the consent where addresses ``urls`` of ``host`` need them.

        The result says whether what is sent is encrypted, as far as the addresses tell.
        """
        encrypted = not urls or not all(is_address(url) and not is_encrypted(url) for url in urls)
        for widget in (self.ca, self.choose, self._ca_label):
            widget.setVisible(encrypted and checked)
        self.plain.setVisible(any(map(is_open, urls)))
        self.plain.setText(f"Send drafts unencrypted to {host}; others on the network can read them")
        return encrypted

    def consent_problem(self, urls: Iterable[str], host: str) -> str:
        """What is missing before drafts may be sent to ``urls`` of ``host`` unencrypted; empty if nothing."""
        if not any(map(is_open, urls)) or self.plain.isChecked():
            return ""
        return (
            f"QuizWriter sends drafts to {host} unencrypted only with your consent. Use https, or tick the "
            "box above."
        )

    def say(self, text: str, *, trouble: bool = False) -> None:
        """Show a message; what was asked before no longer matters."""
        self._requests += 1
        self.show_message(text, trouble=trouble)

    def ask(self, saying: str, what: Callable[[], Found], then: Callable[[Found], object]) -> None:
        """Ask the server in the background, ``saying`` so; ``then`` gets the answer if it still matters."""

        self.say(saying)
        request = self._requests
        self._jobs.ask(
            lambda _: what(),
            then,
            lambda trouble: self.say(trouble or BUG, trouble=True),
            still=lambda: request == self._requests,  # the form was not changed meanwhile
        )

    def keep(self, settings: object, save_secret: Callable[[], bool | None], note: str) -> None:
        """Keep the secret in the background, then close with the ``settings``.

        The ``note`` goes with them if the computer has no keyring.
        """

        def take(kept: bool | None) -> None:
            self.saved.emit(settings, note if kept is False else "")
            self.accept()

        self._jobs.ask(lambda _: save_secret(), take, lambda trouble: self.say(trouble or BUG, trouble=True))

    def _choose_certificate(self) -> None:
        title = "Choose the certificate of the server or of its authority"
        kinds = "Certificates (*.crt *.pem *.cer);;All files (*)"
        ask_file(self, title, kinds, lambda path: self.ca.setText(str(path)))
