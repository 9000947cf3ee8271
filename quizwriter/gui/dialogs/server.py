"""Preferences: the Elasticsearch server whose player plays beside the bundle's, and what is sent to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QRadioButton,
    QWidget,
)

from quizwriter.domain.server_address import SECRETS, addresses, is_address, is_encrypted, is_here, is_open
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import JobQueue
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outline_check_boxes, outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.file_dialog import FileDialog
from quizwriter.settings import ServerSettings
from quizwriter.workflow.wording import server_line

if TYPE_CHECKING:
    from quizwriter.services import App, ServerReport

WIDTH = 600
"""Pixels of the dialog; it is as high as it must be."""

EXPLANATION = (
    "Elastic is a player whose evidence lies on an Elasticsearch server, for example all of Wikipedia or "
    "every packet of a region. The players on this computer never wait for it."
)
SECRET_FOR_NOW = (
    "This computer has no keyring for secrets, so QuizWriter forgets the {} for {} when you close it. The "
    "secret is not written to disk."
)
SIGN_IN = {"nothing": "Nothing", "key": "API key", "password": "Name and password"}


class ServerDialog(Dialog):
    """Asks for the server. ``saved`` carries the new ServerSettings, and a note to the user or nothing."""

    saved = Signal(object, str)

    def __init__(self, app: App, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Elasticsearch server", parent, width=WIDTH, reused=True)
        self._app = app
        self._jobs = JobQueue("server")
        self._requests = 0  # how often the dialog asked the server or the keyring

        self.on = QCheckBox("Let Elastic play")
        self.url = _field("Address", "https://search.example.org:9200")
        self.index = _field("Index", "quizwriter")
        self.ca = _field("Certificate", "any that the system trusts")
        self.verify = QCheckBox("Check the server's certificate")
        self.plain = QCheckBox()
        self.user = _field("User", "elastic")
        self.secret = _field("Secret")
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        self.sign_in = {kind: QRadioButton(text) for kind, text in SIGN_IN.items()}
        self.sign_in["nothing"].setChecked(True)
        self._kinds = QButtonGroup(self)
        self.privacy = self.label()
        self.test_button = self.add_aside("Test connection", self._test)
        self.name_close_button("Cancel")
        self.save_button = self.add_primary("Save", self._save)

        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self._row("Address", self.url)
        self._row("Index", self.index)
        kinds = QHBoxLayout()
        kinds.setSpacing(16)
        for button in self.sign_in.values():
            self._kinds.addButton(button)
            kinds.addWidget(button)
        kinds.addStretch(1)
        self._row("Sign in with", kinds)
        self._user_label = self._row("Name", self.user)
        self._secret_label = self._row("Password", self.secret)
        certificate = QHBoxLayout()
        certificate.setSpacing(8)
        certificate.addWidget(self.ca, 1)
        self.choose = outlined("Choose…", self._choose)
        certificate.addWidget(self.choose)
        self._ca_label = self._row("Certificate", certificate)
        self._row("", self.verify)
        self._row("", self.plain)

        self.body.addWidget(self.label("Elasticsearch", TextStyle.HEADING))
        self.body.addWidget(self.label(EXPLANATION, TextStyle.CAPTION))
        self.body.addWidget(self.on)
        self.body.addLayout(self._grid)
        self.body.addWidget(self.privacy)

        self.url.textEdited.connect(lambda _: self.plain.setChecked(False))  # it was for the old one
        for field in (self.url, self.index, self.ca, self.user, self.secret):
            field.textChanged.connect(self._show)
        for box in (self.on, self.verify, self.plain, *self.sign_in.values()):
            box.toggled.connect(self._show)
        self.apply_theme()
        self._show()

    def open_settings(self) -> None:
        """Show the dialog with the settings as they are now."""
        if self.isVisible():
            self.activateWindow()
            return
        now = self._app.profile.settings.elasticsearch
        for field, text in ((self.url, now.url), (self.index, now.index), (self.ca, now.ca)):
            field.setText(text)
        self.user.setText(now.user)
        self.secret.clear()
        for box, ticked in ((self.on, now.on), (self.verify, now.verify), (self.plain, now.plain_ok)):
            box.setChecked(ticked)
        self.sign_in[now.sign_in].setChecked(True)
        self._show()
        self.show()
        self.url.setFocus()

    def shutdown(self) -> None:
        """The window closes."""
        self.close()
        self._jobs.stop()

    @property
    def server(self) -> ServerSettings:
        """The server as the dialog has it."""
        return ServerSettings(
            on=self.on.isChecked(),
            url=self.url.text().strip().rstrip("/"),
            index=self.index.text().strip(),
            ca=self.ca.text().strip(),
            verify=self.verify.isChecked(),
            plain_ok=self.plain.isChecked(),
            sign_in=next(kind for kind, button in self.sign_in.items() if button.isChecked()),
            user=self.user.text().strip(),
        )

    @property
    def _typed(self) -> str:
        """The secret that was typed; the field is hidden where none is needed."""
        return self.secret.text() if self.server.credential_id else ""

    def _choose(self) -> None:
        dialog = FileDialog(self, "Choose the certificate of the server or of its authority")
        dialog.setNameFilters(["Certificates (*.crt *.pem *.cer)", "All files (*)"])
        dialog.fileSelected.connect(self.ca.setText)
        dialog.open()

    def _test(self) -> None:
        server, secret = self.server, self._typed
        if not self._sound(server):
            return

        def then(found: ServerReport | QuizwriterError | None) -> None:
            if request != self._requests:
                return  # the form was changed meanwhile
            if isinstance(found, QuizwriterError):
                self._say(str(found), trouble=True)
            elif found is not None:
                self._say(server_line(found.version, found.index, found.documents, found.latency_ms))

        self._say(f"Asking {server.host}…")
        request = self._requests
        self._jobs.run(lambda _: self._app.engines.probe_server(server, secret), then)

    def _save(self) -> None:
        server, secret = self.server, self._typed
        if server.on and not self._sound(server):
            return

        def then(kept: bool | QuizwriterError | None) -> None:
            if isinstance(kept, QuizwriterError):
                self._say(str(kept), trouble=True)
                return
            note = SECRET_FOR_NOW.format(SECRETS[server.sign_in], server.host) if kept is False else ""
            self.saved.emit(server, note)
            self.accept()

        self._jobs.run(lambda _: self._app.engines.save_secret(server, secret), then)

    def _sound(self, server: ServerSettings) -> bool:
        """Whether ``server`` is complete; otherwise the dialog shows what is missing."""
        problem = self._problem(server)
        if problem:
            self._say(problem, trouble=True)
        return not problem

    def _problem(self, server: ServerSettings) -> str:
        urls = addresses(server.url)
        if not urls or not all(map(is_address, urls)):
            return "The address is not valid. A valid address looks like https://search.example.org:9200."
        if "@" in server.url:
            return "Enter the name and the password in the fields below. In the address anyone can read them."
        if not server.index:
            return "Enter the index: the name under which the bundle was published."
        if any(map(is_open, urls)) and not server.plain_ok:
            return (
                f"QuizWriter sends drafts to {server.host} unencrypted only with your consent. Use https, or "
                "tick the box above."
            )
        if server.sign_in == "password" and not server.user:
            return "Enter the name for the password."
        if server.credential_id and not self.secret.text() and self._is_new(server):
            return f"Enter the {SECRETS[server.sign_in]} for {server.host}."
        return ""

    def _is_new(self, server: ServerSettings) -> bool:
        """Whether no secret can be kept for ``server`` yet."""
        return server.credential_id != self._app.profile.settings.elasticsearch.credential_id

    def _say(self, text: str, *, trouble: bool = False) -> None:
        self._requests += 1
        self.show_message(text, trouble=trouble)

    def _show(self) -> None:
        """Show the fields that the choices need; a message about other choices no longer holds."""
        server = self.server
        urls = addresses(server.url)
        encrypted = not urls or not all(is_address(url) and not is_encrypted(url) for url in urls)
        for widget in (self.ca, self.choose, self._ca_label):
            widget.setVisible(encrypted and server.verify)
        self.verify.setVisible(encrypted)
        self.plain.setVisible(any(map(is_open, urls)))
        self.plain.setText(f"Send drafts unencrypted to {server.host}; others on the network can read them")
        for widget in (self.user, self._user_label):
            widget.setVisible(server.sign_in == "password")
        for widget in (self.secret, self._secret_label):
            widget.setVisible(server.sign_in != "nothing")
        self._secret_label.setText("Password" if server.sign_in == "password" else "API key")
        self.secret.setAccessibleName(self._secret_label.text())
        kept = "kept in" if self._is_new(server) else "unchanged; kept in"
        self.secret.setPlaceholderText(f"{kept} this computer's keyring")
        self.privacy.setText(_privacy_notice(server))
        self._say("")

    def _row(self, name: str, what: QWidget | QLayout) -> QLabel:
        row = self._grid.rowCount()
        label = self.label(name, TextStyle.CAPTION, wrap=False)
        if name:
            self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if isinstance(what, QWidget):
            self._grid.addWidget(what, row, 1)
        else:
            self._grid.addLayout(what, row, 1)
        return label

    def apply_theme(self) -> None:
        for box in (self.on, self.verify, self.plain, *self.sign_in.values()):
            outline_check_boxes(box, self._theme)
        super().apply_theme()


def _field(name: str, example: str = "") -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(example)
    return field


def _privacy_notice(server: ServerSettings) -> str:
    """Which data leaves the computer, and where it goes."""
    host = server.host or "the server"
    urls = addresses(server.url)
    if any(map(is_open, urls)):
        how = f"unencrypted to {host}"
    elif urls and all(map(is_here, urls)):
        how = f"to {host}, which is on this computer"
    elif server.verify:
        how = f"encrypted to {host}"
    else:
        how = f"encrypted to any server that answers as {host}, since the certificate is not checked"
    return (
        f"While Elastic plays, QuizWriter sends the words of your draft {how} whenever you pause, and the "
        "page whose evidence you look at. It sends nothing else, and nothing at all while Elastic is off."
    )
