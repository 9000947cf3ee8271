"""Preferences: the language model that plays, what is sent to its server, and what it may cost."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QSpinBox, QWidget

from quizwriter.domain.server_address import is_address, is_encrypted
from quizwriter.gui.dialogs.server_form import ServerForm
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import pad_text
from quizwriter.gui.widgets.dialog import TextStyle
from quizwriter.gui.widgets.fields import choice_box, named
from quizwriter.gui.widgets.layouts import WrappingLayout
from quizwriter.services.wiring import App
from quizwriter.settings import MOST_MONEY, MOST_REQUESTS, MOST_TOKENS, ModelSettings
from quizwriter.workflow.model_wording import models_line, privacy_paragraph, spent_line

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


class LanguageModelDialog(ServerForm):
    """Asks for the model. ``saved`` carries the new ModelSettings, and a note to the user or nothing."""

    def __init__(self, app: App, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Language model", "http://127.0.0.1:11434/v1", WIDTH, parent)
        self._app = app
        self.on.setText("Let the LLM play, and send it the words of drafts as described above")
        self.model = choice_box("Model")
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.with_key = QCheckBox("The server needs a key")
        self.secret.setAccessibleName("Key")
        self.day_requests = QSpinBox()
        self.day_requests.setRange(0, MOST_REQUESTS)
        self.day_requests.setSuffix(" requests")
        self.day_tokens = QSpinBox()
        self.day_tokens.setRange(0, MOST_TOKENS)
        self.day_tokens.setSingleStep(10_000)
        self.day_tokens.setSuffix(" tokens")
        self.day_money = _amount("Money on one day", " of money")
        self.day_money.setSpecialValueText("any money")
        self.prompt_price = _amount("Price of a million tokens sent", " for those sent")
        self.completion_price = _amount("Price of a million tokens answered", " for those answered")
        self._amounts = (self.day_money, self.prompt_price, self.completion_price)
        for box, name in ((self.day_requests, "Requests on one day"), (self.day_tokens, "Tokens on one day")):
            box.setAccessibleName(name)
            box.setGroupSeparatorShown(True)
        for padded in (self.day_requests, self.day_tokens, *self._amounts):
            pad_text(padded)
        self.spent = self.label("", TextStyle.CAPTION)
        self.test_button = self.add_aside("List its models", self._test)

        self.add_row("Address", self.url)
        self.add_row("Model", self.model)
        self.add_row("", self.with_key)
        self._key_label = self.add_row("Key", self.secret)
        self.add_certificate_row()
        self.add_row("", self.plain)
        self.add_row(
            "At most a day", WrappingLayout((self.day_requests, self.day_tokens, self.day_money), spacing=8)
        )
        self.add_row(
            "Price of a million tokens", WrappingLayout((self.prompt_price, self.completion_price), spacing=8)
        )

        self.body.addWidget(self.label("Language model", TextStyle.HEADING))
        self.body.addWidget(self.label(EXPLANATION, TextStyle.CAPTION))
        self.body.addLayout(self.grid)
        self.body.addWidget(self.privacy)
        self.body.addWidget(self.on)
        self.body.addWidget(self.spent)

        for field in (self.url, self.secret, self.ca):
            field.textChanged.connect(self.follow_fields)
        self.model.currentTextChanged.connect(self.follow_fields)
        for tick in (self.on, self.with_key, self.plain):
            tick.toggled.connect(self.follow_fields)
        for number in (self.day_requests, self.day_tokens):
            number.valueChanged.connect(self.follow_fields)
        for amount in self._amounts:
            amount.valueChanged.connect(self.follow_fields)
        self.apply_theme()
        self.follow_fields()

    def load_settings(self) -> None:
        now = self._app.profile.settings.language_model
        self.url.setText(now.url)
        self.model.setCurrentText(now.model)
        self.ca.setText(now.ca)
        ticks = (self.on, now.on), (self.with_key, now.sign_in == "key"), (self.plain, now.plain_ok)
        for box, ticked in ticks:
            box.setChecked(ticked)
        self.day_requests.setValue(now.requests)
        self.day_tokens.setValue(now.tokens)
        self.day_money.setValue(now.money)
        self.prompt_price.setValue(now.prompt_price)
        self.completion_price.setValue(now.completion_price)

        self._jobs.ask(
            lambda _: self._app.models.spent(),
            lambda spent: self.spent.setText(spent_line(spent)),
            lambda _: self.spent.clear(),
        )

    @property
    def settings(self) -> ModelSettings:
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
        return self.secret.text().strip() if self.with_key.isChecked() else ""

    def _test(self) -> None:
        settings, key = self.settings, self._typed
        if problem := self._problem(settings, needs_model=False):
            self.say(problem, trouble=True)
            return

        def show(found: tuple[str, ...]) -> None:
            self._offer(found)
            self.say(models_line(found, settings.model))

        asking = f"Asking {settings.host} for its models. No word of a draft is sent…"
        self.ask(asking, lambda: self._app.models.probe(settings, key), show)

    def _offer(self, models: tuple[str, ...]) -> None:
        chosen = self.model.currentText()
        with QSignalBlocker(self.model):
            self.model.clear()
            self.model.addItems(list(models))
            self.model.setCurrentText(chosen or next(iter(models), ""))

    def save(self) -> None:
        settings, key = self.settings, self._typed
        if settings.on and (problem := self._problem(settings)):
            self.say(problem, trouble=True)
            return
        self.keep(
            settings, lambda: self._app.models.save_key(settings, key), KEY_FOR_NOW.format(settings.host)
        )

    def _problem(self, settings: ModelSettings, *, needs_model: bool = True) -> str:
        if not is_address(settings.url):
            return "The address is not valid. A valid address looks like http://127.0.0.1:11434/v1."
        if "@" in settings.url:
            return "Enter the key in the field below. In the address anyone can read it."
        if needs_model and not settings.model:
            return "Enter the model, or choose one with “List its models”."
        if problem := self.consent_problem([settings.url], settings.host):
            return problem
        before = self._app.profile.settings.language_model
        if settings.credential_id and not self._typed and settings.credential_id != before.credential_id:
            return f"Enter the key for {settings.host}."
        return ""

    def follow_fields(self) -> None:
        settings = self.settings
        urls = [settings.url]
        self.show_encryption(urls, settings.host, checked=is_encrypted(settings.url))
        for widget in (self.secret, self._key_label):
            widget.setVisible(self.with_key.isChecked())
        before = self._app.profile.settings.language_model
        same = settings.credential_id == before.credential_id
        self.secret.setPlaceholderText(f"{'Unchanged; kept' if same else 'Kept'} in this computer's keyring")
        self.privacy.setText(privacy_paragraph(settings.url, settings.host or "the server", settings.budget))
        self.say("")


def _amount(name: str, unit: str) -> QDoubleSpinBox:
    box = named(QDoubleSpinBox(), name)
    box.setRange(0, MOST_MONEY)
    box.setDecimals(2)
    box.setSingleStep(0.5)
    box.setSuffix(unit)
    return box
