"""The panes of a main window, and what its controllers work with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtWidgets import QWidget

from quizwriter.gui.background.saver import Saver
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.gui.widgets.status_line import StatusLine
from quizwriter.gui.writing.answer_field import AnswerField
from quizwriter.gui.writing.draft import DraftPane
from quizwriter.gui.writing.evidence import EvidencePane
from quizwriter.gui.writing.guess_pane import GuessPane
from quizwriter.gui.writing.past_pane import PastPane
from quizwriter.gui.writing.timeline import TimeLine
from quizwriter.gui.writing.tossup_list import TossupList
from quizwriter.services.wiring import App
from quizwriter.workflow.session import WritingSession

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine


class WritingPanes(msgspec.Struct, frozen=True):
    """The panes of one main window; controllers fill them, the window lays them out."""

    messages: MessageBars
    tossups: TossupList
    answer: AnswerField
    draft: DraftPane
    time_line: TimeLine
    guesses: GuessPane
    evidence: EvidencePane
    past: PastPane
    status: StatusLine

    @classmethod
    def make(cls, theme: Theme) -> WritingPanes:
        """New panes that follow ``theme``."""
        return cls(
            MessageBars(theme),
            TossupList(theme),
            AnswerField(theme),
            DraftPane(theme),
            TimeLine(theme),
            GuessPane(theme),
            EvidencePane(theme),
            PastPane(theme),
            StatusLine(theme),
        )


class WindowContext(msgspec.Struct, frozen=True):
    """What the controllers of one main window work with.

    Without ``persistent``, nothing is kept, no server is asked, and no other tossup is looked at.
    """

    app: App
    theme: Theme
    panes: WritingPanes
    saver: Saver
    window: QWidget
    save: Callable[[], None]  # hands what is not saved yet to the ``saver``
    save_settings: Callable[..., None]  # saves the settings that its keywords name
    session: Callable[[], WritingSession]  # of the open tossup
    engine: Callable[[], Engine | None]  # that is in use
    persistent: bool
