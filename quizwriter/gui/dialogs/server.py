"""Preferences: the Elasticsearch server whose player plays beside the bundle's, and what is sent to it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QButtonGroup, QCheckBox, QHBoxLayout, QRadioButton, QWidget

from quizwriter.domain.server_address import SECRETS, addresses, is_address, is_here, is_open
from quizwriter.gui.background.child_process import ChildProcess
from quizwriter.gui.dialogs.server_form import ServerForm
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import BUG, TextStyle
from quizwriter.gui.widgets.fields import text_line
from quizwriter.services.publishing import PublishCommand
from quizwriter.services.wiring import App
from quizwriter.settings import ServerSettings
from quizwriter.workflow.wording import server_line

if TYPE_CHECKING:
    from quizwriter.engine.elastic.client import ServerReport
    from quizwriter.engine.engine import Engine

log = logging.getLogger(__name__)

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
PUBLISH = "Publish bundle…"

NOT_OF_BUNDLE = "It was not published from the bundle in use, and may hold other questions."
SIGN_IN = {"nothing": "Nothing", "key": "API key", "password": "Name and password"}


class ServerDialog(ServerForm):
    """Asks for the server. ``saved`` carries the new ServerSettings, and a note to the user or nothing.

    It also publishes the bundle in use there: a process sends it, and closing the dialog does not end that.
    """

    def __init__(
        self, app: App, theme: Theme, engine: Callable[[], Engine | None], parent: QWidget | None = None
    ) -> None:
        """``engine`` gives the engine of the bundle in use, or None until it is loaded."""
        super().__init__(theme, "Elasticsearch server", "https://search.example.org:9200", WIDTH, parent)
        self._app = app
        self._engine = engine
        self._program = ChildProcess(self)
        self._program.message_received.connect(self._take)
        self._program.absent.connect(self._tell_absent)
        self._program.ended.connect(lambda well, errors: self._ended(well=well, errors=errors))
        self._confirming = False  # whether Publish was pressed once
        self._told = ""  # what the process said last
        self._refusal = ""
        self.on.setText("Let Elastic play")
        self.index = text_line("Index", "quizwriter")
        self.ranks = QCheckBox("Use the server's own ranking, of any index")
        self.fields = text_line("Fields", "title, text")
        self.verify = QCheckBox("Check the server's certificate")
        self.user = text_line("User", "elastic")
        self.sign_in = {kind: QRadioButton(text) for kind, text in SIGN_IN.items()}
        self.sign_in["nothing"].setChecked(True)
        self._kinds = QButtonGroup(self)
        self.test_button = self.add_aside("Test connection", self._test)
        self.publish_button = self.add_aside(PUBLISH, self._publish)

        self.add_row("Address", self.url)
        self.add_row("Index", self.index)
        self.add_row("", self.ranks)
        self._fields_label = self.add_row("Fields", self.fields)
        kinds = QHBoxLayout()
        kinds.setSpacing(16)
        for button in self.sign_in.values():
            self._kinds.addButton(button)
            kinds.addWidget(button)
        kinds.addStretch(1)
        self.add_row("Sign in with", kinds)
        self._user_label = self.add_row("Name", self.user)
        self._secret_label = self.add_row("Password", self.secret)
        self.add_certificate_row()
        self.add_row("", self.verify)
        self.add_row("", self.plain)

        self.body.addWidget(self.label("Elasticsearch", TextStyle.HEADING))
        self.body.addWidget(self.label(EXPLANATION, TextStyle.CAPTION))
        self.body.addWidget(self.on)
        self.body.addLayout(self.grid)
        self.body.addWidget(self.privacy)

        for field in (self.url, self.index, self.fields, self.ca, self.user, self.secret):
            field.textChanged.connect(self.follow_fields)
        for box in (self.on, self.ranks, self.verify, self.plain, *self.sign_in.values()):
            box.toggled.connect(self.follow_fields)
        self.apply_theme()
        self.follow_fields()

    def load_settings(self) -> None:
        now = self._app.profile.settings.elasticsearch
        for field, text in ((self.url, now.url), (self.index, now.index), (self.ca, now.ca)):
            field.setText(text)
        self.user.setText(now.user)
        self.fields.setText(now.fields)
        self.ranks.setChecked(bool(now.fields))
        for box, ticked in ((self.on, now.on), (self.verify, now.verify), (self.plain, now.plain_ok)):
            box.setChecked(ticked)
        self.sign_in[now.sign_in].setChecked(True)

    @property
    def server(self) -> ServerSettings:
        return ServerSettings(
            on=self.on.isChecked(),
            url=self.url.text().strip().rstrip("/"),
            index=self.index.text().strip(),
            ca=self.ca.text().strip(),
            verify=self.verify.isChecked(),
            plain_ok=self.plain.isChecked(),
            sign_in=next(kind for kind, button in self.sign_in.items() if button.isChecked()),
            user=self.user.text().strip(),
            fields=self.fields.text().strip() if self.ranks.isChecked() else "",
        )

    @property
    def _typed(self) -> str:
        """The secret that was typed; the field is hidden where none is needed."""
        return self.secret.text() if self.server.credential_id else ""

    def _test(self) -> None:
        server, secret = self.server, self._typed
        engines, engine = self._app.engines, self._engine()

        def probe() -> tuple[ServerReport, bool]:
            found = engines.probe_server(server, secret)
            ours = engine is None or not found.documents or engines.holds_bundle(found, engine.folder)
            return found, ours

        def show(told: tuple[ServerReport, bool]) -> None:
            found, ours = told
            said = server_line(found.version, found.index, found.documents, found.latency_ms)
            self.say(said if ours else f"{said} {NOT_OF_BUNDLE}")

        if self._sound(server):
            self.ask(f"Asking {server.host}…", probe, show)

    # -- publishing

    @property
    def publishing(self) -> bool:
        return self._program.runs

    def _publish(self) -> None:
        """Ask once, then start; while the process runs, end it."""
        engine, server, secret = self._engine(), self.server, self._typed
        if self.publishing:
            self._program.stop()
        elif engine is None:
            self.say("No bundle is loaded yet.", trouble=True)
        elif self._sound(server) and not self._confirming:
            self.say(
                f"QuizWriter will send the whole bundle “{engine.title}” to {server.host}, where it replaces "
                f"what was published as “{server.index}” before. Tossups of sets that never leave this "
                "machine are left out."
            )
            self._confirming = True
            self.publish_button.setText("Publish now")
        elif self._confirming:
            folder = engine.folder
            self._confirming = False
            publishing = self._app.publishing
            self.ask(
                "Starting…",
                lambda: publishing.publish_command(server, secret, folder),
                self._start_publishing,
            )

    def _start_publishing(self, command: PublishCommand) -> None:
        if not self.publishing:
            self._told, self._refusal = "", ""
            self._program.start(command.words, command.secrets)
            self.publish_button.setText("Stop publishing")

    def _take(self, said: dict[str, Any]) -> None:
        if "doing" in said:
            self._told = f"{said['doing']}: {said['said']}" if said["said"] else str(said["doing"])
        elif "waiting" in said:
            self._told = f"{said['waiting']} The next try is in {said['seconds']} s."
        elif "note" in said:
            self._told = str(said["note"])
        elif "problem" in said:
            self._refusal = f"{said['problem']}\n{said['remedy']}"
        self.show_message(self._refusal or self._told, trouble=bool(self._refusal))

    def _tell_absent(self, reason: str) -> None:
        self.publish_button.setText(PUBLISH)
        self.show_message(f"Publishing could not be started ({reason}).", trouble=True)

    def _ended(self, *, well: bool, errors: str) -> None:
        self.publish_button.setText(PUBLISH)
        if well:
            return  # what the process said last is its result
        if not self._refusal and "Traceback" in errors:
            log.error("publishing broke: %s", errors)
            self.say(BUG, trouble=True)
        elif not self._refusal:
            self.say("Publishing stopped. What has arrived is kept; publish again to continue from there.")

    def shutdown(self) -> None:
        self._program.shutdown()
        super().shutdown()

    def save(self) -> None:
        server, secret = self.server, self._typed
        if not server.on or self._sound(server):
            note = SECRET_FOR_NOW.format(SECRETS.get(server.sign_in, "secret"), server.host)
            self.keep(server, lambda: self._app.engines.save_secret(server, secret), note)

    def _sound(self, server: ServerSettings) -> bool:
        """Whether ``server`` is complete; otherwise the dialog shows what is missing."""
        problem = self._problem(server)
        if problem:
            self.say(problem, trouble=True)
        return not problem

    def _problem(self, server: ServerSettings) -> str:
        urls = addresses(server.url)
        if not urls or not all(map(is_address, urls)):
            return "The address is not valid. A valid address looks like https://search.example.org:9200."
        if "@" in server.url:
            return "Enter the name and the password in the fields below. In the address anyone can read them."
        if not server.index:
            return "Enter the index: the name under which the bundle was published."
        if self.ranks.isChecked() and not server.ranked_fields:
            return "Enter the fields of the index with a page's title and its text, separated by a comma."
        if problem := self.consent_problem(urls, server.host):
            return problem
        if server.sign_in == "password" and not server.user:
            return "Enter the name for the password."
        if server.credential_id and not self.secret.text() and self._is_new(server):
            return f"Enter the {SECRETS[server.sign_in]} for {server.host}."
        return ""

    def _is_new(self, server: ServerSettings) -> bool:
        """Whether no secret can be kept for ``server`` yet."""
        return server.credential_id != self._app.profile.settings.elasticsearch.credential_id

    def follow_fields(self) -> None:
        server = self.server
        encrypted = self.show_encryption(addresses(server.url), server.host, checked=server.verify)
        self.verify.setVisible(encrypted)
        for widget in (self.fields, self._fields_label):
            widget.setVisible(self.ranks.isChecked())
        for widget in (self.user, self._user_label):
            widget.setVisible(server.sign_in == "password")
        for widget in (self.secret, self._secret_label):
            widget.setVisible(server.sign_in != "nothing")
        self._secret_label.setText("Password" if server.sign_in == "password" else "API key")
        self.secret.setAccessibleName(self._secret_label.text())
        kept = "Kept in" if self._is_new(server) else "Unchanged; kept in"
        self.secret.setPlaceholderText(f"{kept} this computer's keyring")
        self.publish_button.setVisible(not self.ranks.isChecked())
        self.privacy.setText(_privacy_notice(server))
        self.say(self._told if self.publishing else "")
        self._confirming = False
        if not self.publishing:
            self.publish_button.setText(PUBLISH)


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
        how = f"encrypted to any server that answers as {host}, because the certificate is not checked"
    return (
        f"While Elastic plays, QuizWriter sends the words of your draft {how} whenever you pause, and the "
        "page whose evidence you open. It sends nothing else, and nothing at all while Elastic is off, "
        "unless you publish a bundle."
    )
