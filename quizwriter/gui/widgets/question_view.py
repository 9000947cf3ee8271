"""A past question, or another text that a search found, whole, with marked words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from quizwriter.domain.page import page_title
from quizwriter.domain.span import Span
from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import RichPane

if TYPE_CHECKING:
    from quizwriter.domain.past_questions import PastQuestion, SearchHit

LONGEST_SHOWN = 6_000
"""Characters of one text that are shown; a tossup is a tenth of that, and laying out takes time."""


class QuestionView(RichPane):
    """Shows texts one below the other, each under where it comes from.

    ``cite_wanted`` carries the number, from 0, of the question whose link to cite it was followed.
    """

    cite_wanted = Signal(int)

    def __init__(self, theme: Theme, name: str, *, links: bool = False) -> None:
        """With ``links``, each question has a link to cite it."""
        super().__init__()
        self._theme, self._links = theme, links
        self.anchorClicked.connect(lambda link: self.cite_wanted.emit(int(link.fragment())))
        self._parts: Callable[[], str] = str
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(name)
        theme.changed.connect(self._render)

    def _render(self) -> None:
        self.show_html(self._parts())

    def show_nothing(self) -> None:
        self.show_questions(())

    def show_questions(self, questions: Sequence[tuple[PastQuestion, Sequence[Span]]]) -> None:
        self._parts = lambda: "".join(
            self._question(number, one, marked) for number, (one, marked) in enumerate(questions)
        )
        self._render()

    def show_hit(self, hit: SearchHit) -> None:
        """Show what a search found, with its words."""
        if hit.question is not None:
            self.show_questions([(hit.question, hit.hits)])
            return
        title = f"{page_title(hit.page)} · {hit.source}" if hit.page else hit.source
        self._parts = lambda: self._text(title, hit.text, hit.hits)
        self._render()

    def _question(self, number: int, question: PastQuestion, marked: Sequence[Span]) -> str:
        from quizwriter.workflow.past_wording import question_line  # here, as no start needs it

        tokens = self._theme.tokens
        style = f"color:{tokens.accent}; text-decoration:none;"
        cite = f" &nbsp;<a style='{style}' href='#{number}'>cite</a>" if self._links else ""
        yours = f"<b style='color:{tokens.accent};'>yours</b>&nbsp; " if question.yours else ""
        answer = (
            f"<p style='margin:4px 0 0 0;'><span style='color:{tokens.soft};'>ANSWER:</span>"
            f" {escape(question.line[:LONGEST_SHOWN])}</p>"
        )
        category = f"<p style='margin:2px 0 0 0; color:{tokens.soft};'>{escape(question.category)}</p>"
        body = self._text(question_line(question), question.text, marked, question.power, yours, cite)
        return body + answer + (category if question.category else "")

    def _text(
        self,
        title: str,
        text: str,
        marked: Sequence[Span],
        power: int | None = None,
        before: str = "",
        after: str = "",
    ) -> str:
        tokens = self._theme.tokens
        mark = f"background-color:{mixed(tokens.cue, tokens.page, 0.18)}; text-decoration:underline;"
        out: list[str] = []
        at = 0
        marks = [(span, mark) for span in marked]
        if power is not None and power < LONGEST_SHOWN and "(*)" not in text[:LONGEST_SHOWN]:
            marks.append((Span(power, power), ""))
        for span, style in sorted(marks):
            if span.start < at or span.end > LONGEST_SHOWN:
                continue
            out.append(escape(text[at : span.start]))
            if style:
                out.append(f"<span style='{style}'>{escape(span.of(text))}</span>")
            else:
                out.append(f" <b style='color:{tokens.soft};'>(*)</b>")
            at = span.end
        out.append(escape(text[at:LONGEST_SHOWN]) + (" …" if len(text) > LONGEST_SHOWN else ""))
        size = max(12, self._theme.draft_px - 2)
        return (
            f"<p style='margin:12px 0 4px 0;'>{before}"
            f"<span style='color:{tokens.soft};'>{escape(title)}</span>{after}</p>"
            f"<p style='margin:0; line-height:112%; font-family:{self._theme.draft_families};"
            f" font-size:{size}px;'>{''.join(out)}</p>"
        ).replace("\n", "<br>")
