"""Preferences: the Elasticsearch server whose player plays beside the bundle's, and what is sent to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from quizwriter.domain.server_address import SECRETS, addresses, is_address, is_encrypted, is_here, is_open
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import JobQueue
from quizwriter.gui.theme import Theme, mixed
from quizwriter.gui.widgets.buttons import edge_boxes, outlined
from quizwriter.settings import ServerSettings
from quizwriter.workflow.wording import server_line

if TYPE_CHECKING:
    from quizwriter.services import App, ServerReport

WIDTH = 600
"""Pixels of the dialog; it is as high as it must be."""

EXPLAINED = (
    "Elastic is a player whose evidence lies on an Elasticsearch server, such as all of Wikipedia or every "
    "packet of a region. It plays beside those on this computer, which never wait for it."
)
HELD = (
    "This computer has no keyring to keep secrets in, so the {} for {} holds until you close QuizWriter. "
    "It is written nowhere."
)
SIGN_IN = {"nothing": "Nothing", "key": "API key", "password": "Name and password"}


class PreferencesDialog(QDialog):
    """``chosen`` carries the ServerSettings that hold from now on, and a sentence if there is one to say."""

    chosen = Signal(object, str)

    def __init__(self, app: App, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._theme = theme
        self._jobs = JobQueue("preferences")
        self._asked = 0  # how often something was asked of the server or the keyring
        self.setWindowTitle("Preferences")
        self.setFixedWidth(WIDTH)
        self._labels: list[tuple[QLabel, str]] = []

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
        self.sent = self._label("", "plain")
        self.said = self._label("", "plain")
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.try_it = outlined("Test connection", self._try)
        self.shut = outlined("Cancel", self.reject)
        self.keep = outlined("Save", self._keep)
        self.keep.setDefault(True)

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

        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.try_it)
        buttons.addStretch(1)
        buttons.addWidget(self.shut)
        buttons.addWidget(self.keep)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(12)
        column.addWidget(self._label("Elasticsearch", "bold"))
        column.addWidget(self._label(EXPLAINED, "soft"))
        column.addWidget(self.on)
        column.addLayout(self._grid)
        column.addWidget(self.sent)
        column.addWidget(self.said)
        column.addSpacing(4)
        column.addLayout(buttons)

        self.url.textEdited.connect(lambda _: self.plain.setChecked(False))  # that was about another
        for field in (self.url, self.index, self.ca, self.user, self.secret):
            field.textChanged.connect(self._show)
        for box in (self.on, self.verify, self.plain, *self.sign_in.values()):
            box.toggled.connect(self._show)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()

    def offer(self) -> None:
        """Show what holds now, to be changed."""
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
        self._say("")
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
        return self.secret.text() if self.server.opened_by else ""

    def _choose(self) -> None:
        dialog = QFileDialog(self, "The certificate of the server, or of who signed it")
        dialog.setNameFilters(["Certificates (*.crt *.pem *.cer)", "All files (*)"])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.ca.setText)
        dialog.open()

    def _try(self) -> None:
        server, secret = self.server, self._typed
        if not self._sound(server):
            return

        def then(found: ServerReport | QuizwriterError | None) -> None:
            if asked != self._asked:
                return  # something was changed meanwhile
            if isinstance(found, QuizwriterError):
                self._say(str(found), trouble=True)
            elif found is not None:
                self._say(server_line(found.version, found.index, found.documents, found.latency_ms))

        self._say(f"Asking {server.host}…")
        asked = self._asked
        self._jobs.run(lambda _: self._app.engines.probe_server(server, secret), then)

    def _keep(self) -> None:
        server, secret = self.server, self._typed
        if server.on and not self._sound(server):
            return

        def then(kept: bool | QuizwriterError | None) -> None:
            if isinstance(kept, QuizwriterError):
                self._say(str(kept), trouble=True)
                return
            held = HELD.format(SECRETS[server.sign_in], server.host) if kept is False else ""
            self.chosen.emit(server, held)
            self.accept()

        self._jobs.run(lambda _: self._app.engines.keep_secret(server, secret), then)

    def _sound(self, server: ServerSettings) -> bool:
        """Whether ``server`` can be asked; else that is said."""
        problem = self._problem(server)
        if problem:
            self._say(problem, trouble=True)
        return not problem

    def _problem(self, server: ServerSettings) -> str:
        urls = addresses(server.url)
        if not urls or not all(map(is_address, urls)):
            return "That is no address. It looks like https://search.example.org:9200."
        if "@" in server.url:
            return (
                "Write the name and the password below instead of into the address, where anyone reads them."
            )
        if not server.index:
            return "Name the index, which is what it was published as."
        if any(map(is_open, urls)) and not server.plain_ok:
            return (
                f"Drafts are sent to {server.host} only encrypted unless you allow otherwise. Use https, or "
                "tick that they may be sent unencrypted."
            )
        if server.sign_in == "password" and not server.user:
            return "Write the name that goes with the password."
        if server.opened_by and not self.secret.text() and self._is_new(server):
            return f"Write the {SECRETS[server.sign_in]} for {server.host}."
        return ""

    def _is_new(self, server: ServerSettings) -> bool:
        """Whether no secret can be kept for ``server`` yet."""
        return server.opened_by != self._app.profile.settings.elasticsearch.opened_by

    def _say(self, text: str, *, trouble: bool = False) -> None:
        self._asked += 1
        tokens = self._theme.tokens
        colour = tokens.confident if trouble else tokens.accent
        self.said.setText(text)
        self.said.setVisible(bool(text))
        self.said.setStyleSheet(
            f"color: {tokens.ink}; background: {mixed(colour, tokens.chrome, 0.12)};"
            f"border-left: 4px solid {colour}; padding: 8px 12px;"
        )
        self._fit()

    def _show(self) -> None:
        """Show what goes with what was chosen; what was said of another choice no longer holds."""
        server = self.server
        urls = addresses(server.url)
        encrypted = not urls or not all(is_address(url) and not is_encrypted(url) for url in urls)
        for widget in (self.ca, self.choose, self._ca_label):
            widget.setVisible(encrypted and server.verify)
        self.verify.setVisible(encrypted)
        self.plain.setVisible(any(map(is_open, urls)))
        self.plain.setText(f"Send drafts unencrypted to {server.host}; others on the way can read them")
        for widget in (self.user, self._user_label):
            widget.setVisible(server.sign_in == "password")
        for widget in (self.secret, self._secret_label):
            widget.setVisible(server.sign_in != "nothing")
        self._secret_label.setText("Password" if server.sign_in == "password" else "API key")
        self.secret.setAccessibleName(self._secret_label.text())
        kept = "" if self._is_new(server) else "as before; "
        self.secret.setPlaceholderText(f"{kept}kept in this computer's keyring")
        self.sent.setText(_sent(server))
        self._say("")

    def _row(self, name: str, what: QWidget | QLayout) -> QLabel:
        row = self._grid.rowCount()
        label = self._label(name, "soft")
        label.setWordWrap(False)
        if name:
            self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if isinstance(what, QWidget):
            self._grid.addWidget(what, row, 1)
        else:
            self._grid.addLayout(what, row, 1)
        return label

    def _label(self, text: str, kind: str) -> QLabel:
        label = QLabel(text)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._labels.append((label, kind))
        return label

    def _fit(self) -> None:
        """Be as high as what is said needs, for it changes."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.setFixedHeight(layout.totalHeightForWidth(WIDTH))

    def _apply_theme(self) -> None:
        tokens, theme = self._theme.tokens, self._theme
        for label, kind in self._labels:
            label.setFont(theme.font(bold=kind == "bold", small=kind == "soft"))
            label.setStyleSheet(f"color: {tokens.soft if kind == 'soft' else tokens.ink};")
        for box in (self.on, self.verify, self.plain, *self.sign_in.values()):
            edge_boxes(box, theme)
        self.keep.setStyleSheet(
            f"QPushButton {{ background: {tokens.accent}; color: {tokens.on_accent}; font-weight: 600; }}"
        )
        self._show()


def _field(name: str, example: str = "") -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(example)
    return field


def _sent(server: ServerSettings) -> str:
    """What leaves the machine, and where to."""
    host = server.host or "the server"
    urls = addresses(server.url)
    if any(map(is_open, urls)):
        how = f"unencrypted to {host}"
    elif urls and all(map(is_here, urls)):
        how = f"to {host}, which is on this computer"
    elif server.verify:
        how = f"encrypted to {host}"
    else:
        how = f"encrypted to whoever answers as {host}, since the certificate is not checked"
    return (
        f"While Elastic plays, the words of your draft are sent {how} whenever you pause, and the page whose "
        "evidence you look at; nothing else is. While it does not, nothing is sent."
    )
