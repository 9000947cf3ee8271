"""A whole question that was pasted into an empty draft: an offer to fill in its text, answer and category."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quizwriter.domain.review import Categorised
from quizwriter.domain.styles import carried_styles
from quizwriter.domain.tossup import Span
from quizwriter.formats.packet_tags import read_tags
from quizwriter.gui.review.header import TossupHeader
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.session_controller import SessionController
from quizwriter.gui.writing.panes import WritingPanes

if TYPE_CHECKING:
    from quizwriter.formats.packets import PacketTossup

FILL_KEY = "Ctrl+Alt+V"

_OFFER = "This looks like a whole question. {key} fills in its {parts}; or leave the text as it is."
_ANSWER = re.compile(r"\bANSWER|\bans(?:wer)?\s?[:.]", re.IGNORECASE)
_ANSWER_LINE = re.compile(r"^[^\w\n]{0,12}(?:ANS(?:WERS?)?\s?[:.]|A\s?:)", re.IGNORECASE | re.MULTILINE)
_NOTHING = "Paste a whole question, with its answer line, into an empty draft first."


class PastedQuestion(QObject):
    """Makes the offer where a paste is all of the draft and reads as one tossup, and fills it in if asked.

    The paste is plain text until then. What is filled in is a step of undo; an answer and a category that
    the tossup has already stay.
    """

    def __init__(
        self,
        panes: WritingPanes,
        sessions: SessionController,
        header: TossupHeader,
        review: ReviewActions,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._header = header
        self._draft, self._answer, self._messages = panes.draft, panes.answer, panes.messages
        self._sessions, self._review = sessions, review
        self._found: tuple[str, PacketTossup] | None = None  # the draft for which the offer holds
        self._draft.pasted.connect(self._look_at)
        self._draft.edited.connect(lambda edit, text: self._forget(unless=text))
        sessions.opened.connect(lambda session: self._forget())

    def fill(self) -> None:
        """Put the text of the pasted question, its answer and its category where they belong."""
        if self._found is None:
            self._messages.show_message("pasted", _NOTHING, brief=True)
            return
        (text, found), session = self._found, self._sessions.current
        styles = session.styles
        self._forget()
        if found.answer and session.tossup.answer is None:
            at = _answer_at(text)
            looks, _ = carried_styles(text[at:], styles.stretch(Span(at, len(text))), found.answer)
            self._answer.fill_in(found.answer, found.answer_styles or looks)
        key = session.tossup_id
        looks, _ = carried_styles(text[: _answer_at(text)], styles, found.text)
        from quizwriter.formats.packets import without_printed_power

        self._sessions.restore(key, found.text, without_printed_power(found.text, found.styles or looks))
        category = _category(found)
        if category and not self._header.review.category:
            self._review.record([key], Categorised(category), f"the category {' / '.join(category)}")

    def _look_at(self, pasted: str) -> None:
        text = self._draft.text
        if text.strip() != pasted.strip():
            return
        from quizwriter.formats.packets import read_pasted_tossup  # whose patterns would delay the start

        found = read_pasted_tossup(pasted)
        if found is None:
            return
        self._found = (text, found)
        parts = ["text", "answer", *(["category"] if _category(found) else [])]
        told = f"{', '.join(parts[:-1])} and {parts[-1]}"
        self._messages.show_message(
            "pasted", _OFFER.format(key=FILL_KEY, parts=told), [("Fill in", self.fill)], news=True
        )

    def _forget(self, *, unless: str | None = None) -> None:
        """The offer holds no longer, unless the draft still reads so."""
        if self._found is not None and self._found[0] != unless:
            self._found = None
            self._messages.dismiss("pasted")


def _answer_at(text: str) -> int:
    """Where the answer line begins; words of it may stand in the question, too."""
    if line := _ANSWER_LINE.search(text):
        return line.start()
    places = [found.start() for found in _ANSWER.finditer(text)]
    return places[-1] if places else len(text)


def _category(found: PacketTossup) -> tuple[str, ...]:
    return read_tags((found.tag,)).category[:3] if found.tag else ()
