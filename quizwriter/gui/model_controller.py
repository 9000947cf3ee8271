"""The language model in the window: on and off, its padlock, its evidence on request, and barred sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.model_budget import Spending
from quizwriter.domain.players import LLM
from quizwriter.gui.analysis_controller import AnalysisController
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.background.jobs import Jobs, stop_background
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.gui.writing.sending_mark import SendingMark
from quizwriter.settings import ModelSettings
from quizwriter.workflow.model_wording import cost_line

if TYPE_CHECKING:
    from quizwriter.gui.dialogs.language_model import LanguageModelDialog


OFF = "The LLM is off, and nothing is sent to it. Preferences, Players, Language model switches it on."


class ModelController(QObject):
    """Lets the language model play in one window."""

    _sending_changed = Signal(bool)

    def __init__(self, context: WindowContext, runner: AnalysisRunner, analysis: AnalysisController) -> None:
        super().__init__(context.window)
        app, theme, panes = context.app, context.theme, context.panes
        self._app, self._theme, self._window = app, theme, context.window
        self._runner, self._analysis, self._messages = runner, analysis, panes.messages
        self._save_settings = context.save_settings
        self._jobs = Jobs("language model", self)
        self.dialog: LanguageModelDialog | None = None
        self.question: Dialog | None = None
        """The question that was asked last."""
        self.mark = SendingMark(theme, panes.time_line, LLM)
        self.mark.clicked.connect(self.stop)
        self._sending_changed.connect(self._show_sending)
        app.models.watch = self._sending_changed.emit  # from the thread that sends
        if context.persistent and app.profile.settings.language_model.on:
            app.models.use(app.profile.settings.language_model)

    def shutdown(self) -> None:
        """Send nothing more, because the window closes."""
        if self.dialog is not None:
            self.dialog.shutdown()
        stop_background(self)
        self._app.models.use(None)

    # -- on and off

    def open_settings(self) -> None:
        if self.dialog is None:
            from quizwriter.gui.dialogs.language_model import LanguageModelDialog

            self.dialog = LanguageModelDialog(self._app, self._theme, self._window)
            self.dialog.saved.connect(self._use)
        self.dialog.open_settings()

    def stop(self) -> None:
        """Switch the model off: what is on its way ends, and nothing more is sent."""
        now = self._app.profile.settings.language_model
        if not now.on and not self._app.models.on:
            self._messages.show_message("language model", OFF, brief=True)
            return
        self._use(replace(now, on=False), "")
        self._messages.show_message(
            "language model",
            "The LLM was stopped. Nothing more is sent.",
            [("Switch it on again", lambda: self._use(replace(now, on=True), ""))],
            news=True,
        )

    def _use(self, settings: ModelSettings, said: str) -> None:
        self._app.models.use(settings if settings.on else None)
        self._save_settings(language_model=settings)
        self._messages.dismiss("language model")
        if said:
            self._messages.show_message("language model", said)
        if self._analysis.engine is not None:
            self._runner.use(self._app.engines.with_server_player(self._analysis.engine))

    def _show_sending(self, sending: bool) -> None:
        self.mark.show_sending(self._app.profile.settings.language_model.host, sending=sending)

    # -- evidence

    def ask_without_sentences(self) -> None:
        """Ask the model again without each sentence of the draft, once the writer agreed to the cost."""
        if LLM not in self._analysis.enabled_players:
            self._messages.show_message("language model", OFF, brief=True)
            return
        tossup, page = self._analysis.session.tossup, self._analysis.page_of(LLM)
        if page is None:
            self._messages.show_message(
                "language model", "The LLM has not guessed yet, so there is nothing to ask again.", brief=True
            )
            return

        def ask() -> None:
            self._messages.show_message("language model", "Asking without each sentence…", news=True)
            self._jobs.ask(lambda _: self._app.models.leave_out(tossup, page), show, self._show_trouble)

        def show(found: Evidence | None) -> None:
            self._messages.dismiss("language model")
            if found is not None:
                self._analysis.show_given_evidence(tossup, found)

        def then(cost: Spending) -> None:
            if not cost.requests:
                ask()
            else:
                self._question(
                    "Ask without each sentence",
                    "The LLM is asked about the whole draft, and then without each of its sentences, one "
                    f"at a time. The cost: {cost_line(cost)}. The evidence then shows how far the chance "
                    "falls without each sentence.",
                    "Ask",
                    ask,
                )

        self._jobs.ask(lambda _: self._app.models.cost_of_leaving_out(tossup), then, self._show_trouble)

    # -- barred sets

    def bar_set(self) -> None:
        """Bar the set of the open tossup from players on servers, for good, once the writer is sure."""
        key = self._analysis.session.tossup_id

        def then(name: str) -> None:
            if not name:
                self._messages.show_message(
                    "language model", "This tossup is in no set. Put it into a set first.", brief=True
                )
            else:
                self._question(
                    "Never send this set",
                    f"No word of a tossup of {name} is sent to a player on a server any more, neither to "
                    "the LLM nor to Elastic, on this computer and on those of the people who get its "
                    "tossups. This is permanent: it cannot be undone.",
                    "Never send it",
                    lambda: self._bar(name),
                )

        self._jobs.ask(lambda _: self._app.review.review_of(key).set_name, then, self._show_trouble)

    def _bar(self, set_name: str) -> None:
        def then(_: object) -> None:
            self._messages.show_message(
                "language model", f"Tossups of {set_name} never leave this machine.", news=True
            )
            self._analysis.request_analysis()

        self._jobs.ask(lambda _: self._app.models.bar(set_name), then, self._show_trouble)

    def _show_trouble(self, text: str) -> None:
        self._messages.dismiss("language model")
        self._messages.show_message("language model", text)

    def _question(self, title: str, text: str, yes: str, do: Callable[[], object]) -> None:
        """Ask once whether to ``do`` something that cannot be undone."""
        dialog = Dialog(self._theme, title, self._window, width=460)
        dialog.body.addWidget(dialog.label(title, TextStyle.HEADING))
        dialog.body.addWidget(dialog.label(text))
        dialog.add_primary(yes, dialog.accept)
        dialog.name_close_button("Cancel")
        dialog.accepted.connect(do)
        self.question = dialog
        dialog.open()
