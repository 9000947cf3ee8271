"""Preferences: the language model that plays, what is sent to its server, and what it may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from quizwriter.domain.model_budget import Spending
from quizwriter.domain.server_address import is_address, is_encrypted, is_open
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import JobQueue
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outline_check_boxes, outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.file_dialog import FileDialog
from quizwriter.settings import MOST_MONEY, MOST_REQUESTS, MOST_TOKENS, ModelSettings
from quizwriter.workflow.model_wording import models_line, privacy_paragraph, spent_line

if TYPE_CHECKING:
    from quizwriter.services import App

WIDTH = 640
"""Pixels of the dialog; it is as high as it must be."""

EXPLANATION = (
    "The LLM is a player that asks a language model: any server of the chat-completions protocol, on this "
    "computer (Ollama, llama.cpp, vLLM, LM Studio) or hosted. The other players never wait for it."
)
KEY_FOR_NOW = (
    "This computer has no keyring for secrets, so QuizWriter forgets the key for {} when you close it. The "
    "key is not written to disk."
)


class LanguageModelDialog(Dialog):
    """Asks for the model. ``saved`` carries the new ModelSettings, and a note to the user or nothing."""

    saved = Signal(object, str)

    def __init__(self, app: App, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Language model", parent, width=WIDTH, reused=True)
        self._app = app
        self._jobs = JobQueue("language model")
        self._requests = 0  # how often the dialog asked the server or the keyring

        self.on = QCheckBox("Let the LLM play, and send it the words of drafts as said above")
        self.url = _line("Address", "http://127.0.0.1:11434/v1")
        self.model = QComboBox()
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.model.setAccessibleName("Model")
        self.with_key = QCheckBox("The server wants a key")
        self.key = _line("Key")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.ca = _line("Certificate", "any that the system trusts")
        self.plain = QCheckBox()
        self.day_requests = QSpinBox()
        self.day_requests.setRange(0, MOST_REQUESTS)
        self.day_requests.setSuffix(" requests")
        self.day_tokens = QSpinBox()
        self.day_tokens.setRange(0, MOST_TOKENS)
        self.day_tokens.setSingleStep(10_000)
        self.day_tokens.setSuffix(" tokens")
        self.day_money = _amount("Money on one day", " of money")
        self.day_money.setSpecialValueText("any money")
        self.prompt_price = _amount("Price of a million tokens sent", " sent")
        self.completion_price = _amount("Price of a million tokens answered", " answered")
        for box, name in ((self.day_requests, "Requests on one day"), (self.day_tokens, "Tokens on one day")):
            box.setAccessibleName(name)
            box.setGroupSeparatorShown(True)
        self.privacy = self.label()
        self.spent = self.label("", TextStyle.CAPTION)
        self.test_button = self.add_aside("List its models", self._test)
        self.name_close_button("Cancel")
        self.save_button = self.add_primary("Save", self._save)

        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self._row("Address", self.url)
        self._row("Model", self.model)
        self._row("", self.with_key)
        self._key_label = self._row("Key", self.key)
        certificate = QHBoxLayout()
        certificate.setSpacing(8)
        certificate.addWidget(self.ca, 1)
        self.choose = outlined("Choose…", self._choose)
        certificate.addWidget(self.choose)
        self._ca_label = self._row("Certificate", certificate)
        self._row("", self.plain)
        self._row("A day at most", _side_by_side(self.day_requests, self.day_tokens, self.day_money))
        self._row("A million tokens", _side_by_side(self.prompt_price, self.completion_price))

        self.body.addWidget(self.label("Language model", TextStyle.HEADING))
        self.body.addWidget(self.label(EXPLANATION, TextStyle.CAPTION))
        self.body.addLayout(self._grid)
        self.body.addWidget(self.privacy)
        self.body.addWidget(self.on)
        self.body.addWidget(self.spent)

        self.url.textEdited.connect(lambda _: self.plain.setChecked(False))  # it was for the old one
        for field in (self.url, self.key, self.ca):
            field.textChanged.connect(self._show)
        self.model.currentTextChanged.connect(self._show)
        for tick in (self.on, self.with_key, self.plain):
            tick.toggled.connect(self._show)
        for number in (self.day_requests, self.day_tokens):
            number.valueChanged.connect(self._show)
        for amount in (self.day_money, self.prompt_price, self.completion_price):
            amount.valueChanged.connect(self._show)
        self.apply_theme()
        self._show()

    def open_settings(self) -> None:
        """Show the dialog with the settings as they are now."""
        if self.isVisible():
            self.activateWindow()
            return
        now = self._app.profile.settings.language_model
        self.url.setText(now.url)
        self.model.setCurrentText(now.model)
        self.ca.setText(now.ca)
        self.key.clear()
        ticks = (self.on, now.on), (self.with_key, now.sign_in == "key"), (self.plain, now.plain_ok)
        for box, ticked in ticks:
            box.setChecked(ticked)
        self.day_requests.setValue(now.requests)
        self.day_tokens.setValue(now.tokens)
        self.day_money.setValue(now.money)
        self.prompt_price.setValue(now.prompt_price)
        self.completion_price.setValue(now.completion_price)
        self._show()
        self.show()
        self.url.setFocus()

        def then(spent: Spending | QuizwriterError | None) -> None:
            self.spent.setText(spent_line(spent) if isinstance(spent, Spending) else "")

        self._jobs.run(lambda _: self._app.models.spent(), then)

    def shutdown(self) -> None:
        """The window closes."""
        self.close()
        self._jobs.stop()

    @property
    def settings(self) -> ModelSettings:
        """The model as the dialog has it."""
        return ModelSettings(
            on=self.on.isChecked(),
            url=self.url.text().strip().rstrip("/"),
            model=self.model.currentText().strip(),
            sign_in="key" if self.with_key.isChecked() else "nothing",
            ca=self.ca.text().strip(),
            plain_ok=self.plain.isChecked(),
            requests=self.day_requests.value(),
            tokens=self.day_tokens.value(),
            money=self.day_money.value(),
            prompt_price=self.prompt_price.value(),
            completion_price=self.completion_price.value(),
        )

    @property
    def _typed(self) -> str:
        """The key that was typed; the field is hidden where none is needed."""
        return self.key.text().strip() if self.with_key.isChecked() else ""

    def _choose(self) -> None:
        dialog = FileDialog(self, "Choose the certificate of the server or of its authority")
        dialog.setNameFilters(["Certificates (*.crt *.pem *.cer)", "All files (*)"])
        dialog.fileSelected.connect(self.ca.setText)
        dialog.open()

    def _test(self) -> None:
        settings, key = self.settings, self._typed
        if problem := self._problem(settings, needs_model=False):
            self._say(problem, trouble=True)
            return

        def then(found: tuple[str, ...] | QuizwriterError | None) -> None:
            if request != self._requests:
                return  # the form was changed meanwhile
            if isinstance(found, QuizwriterError):
                self._say(str(found), trouble=True)
            elif found is not None:
                self._offer(found)
                self._say(models_line(found, settings.model))

        self._say(f"Asking {settings.host} for its models. No word of a draft is sent…")
        request = self._requests
        self._jobs.run(lambda _: self._app.models.probe(settings, key), then)

    def _offer(self, models: tuple[str, ...]) -> None:
        """Let the user choose among ``models``."""
        chosen = self.model.currentText()
        self.model.blockSignals(True)
        self.model.clear()
        self.model.addItems(list(models))
        self.model.setCurrentText(chosen or next(iter(models), ""))
        self.model.blockSignals(False)

    def _save(self) -> None:
        settings, key = self.settings, self._typed
        if settings.on and (problem := self._problem(settings)):
            self._say(problem, trouble=True)
            return

        def then(kept: bool | QuizwriterError | None) -> None:
            if isinstance(kept, QuizwriterError):
                self._say(str(kept), trouble=True)
                return
            self.saved.emit(settings, KEY_FOR_NOW.format(settings.host) if kept is False else "")
            self.accept()

        self._jobs.run(lambda _: self._app.models.save_key(settings, key), then)

    def _problem(self, settings: ModelSettings, *, needs_model: bool = True) -> str:
        if not is_address(settings.url):
            return "The address is not valid. A valid address looks like http://127.0.0.1:11434/v1."
        if "@" in settings.url:
            return "Enter the key in the field below. In the address anyone can read it."
        if needs_model and not settings.model:
            return "Enter the model, or choose one with “List its models”."
        if is_open(settings.url) and not settings.plain_ok:
            return (
                f"QuizWriter sends drafts to {settings.host} unencrypted only with your consent. Use https, "
                "or tick the box above."
            )
        before = self._app.profile.settings.language_model
        if settings.credential_id and not self._typed and settings.credential_id != before.credential_id:
            return f"Enter the key for {settings.host}."
        return ""

    def _say(self, text: str, *, trouble: bool = False) -> None:
        self._requests += 1
        self.show_message(text, trouble=trouble)

    def _show(self) -> None:
        """Show the fields that the choices need; a message about other choices no longer holds."""
        settings = self.settings
        for widget in (self.ca, self.choose, self._ca_label):
            widget.setVisible(is_encrypted(settings.url))
        self.plain.setVisible(is_open(settings.url))
        self.plain.setText(f"Send drafts unencrypted to {settings.host}; others on the network can read them")
        for widget in (self.key, self._key_label):
            widget.setVisible(self.with_key.isChecked())
        before = self._app.profile.settings.language_model
        same = settings.credential_id == before.credential_id
        self.key.setPlaceholderText(f"{'unchanged; ' if same else ''}kept in this computer's keyring")
        self.privacy.setText(privacy_paragraph(settings.url, settings.host or "the server", settings.budget))
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
        for box in (self.on, self.with_key, self.plain):
            outline_check_boxes(box, self._theme)
        super().apply_theme()


def _line(name: str, example: str = "") -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(example)
    return field


def _amount(name: str, unit: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setAccessibleName(name)
    box.setRange(0, MOST_MONEY)
    box.setDecimals(2)
    box.setSingleStep(0.5)
    box.setSuffix(unit)
    return box


def _side_by_side(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        row.addWidget(widget, 1)
    return row
