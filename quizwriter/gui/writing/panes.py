"""All panes that a writer looks at while writing, made together."""

from __future__ import annotations

import msgspec

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
