"""Whole questions that were pasted into an empty draft: an offer to put each part where it belongs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quizwriter.domain.review import Categorised
from quizwriter.domain.styles import PLAIN, TextStyles
from quizwriter.formats.styled_html import pasted_styles, tagged_lines
from quizwriter.gui.review.header import TossupHeader
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.session_controller import SessionController
from quizwriter.gui.writing.panes import WritingPanes
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.formats.packets.packet_questions import Packet, PacketTossup

FILL_KEY = "Ctrl+Alt+V"

Importer = Callable[[str, Callable[[str], None], Callable[[str], None]], None]
"""Shows the questions of a text, makes drafts of them, and tells how many, or why it cannot."""

_OFFER = "This looks like a {what}. Press {key} to fill in {whose} {parts}{rest}, or leave the text as it is."
_OFFER_IMPORT = (
    "This looks like {count}. Press {key} to see them and make a draft of each, or leave the text as it is."
)
_NOTHING = "Paste a whole question, with its answer line, into an empty draft first."


class PastedQuestion(QObject):
    """Makes the offer where a paste is all of the draft and reads as a packet, and does it if asked.

    The paste is plain text until then. One tossup is filled in, as a step of undo that takes the answer and
    the category along; those that the draft has already stay. Several become drafts of their own, and the
    paste stays.
    """

    def __init__(
        self,
        panes: WritingPanes,
        sessions: SessionController,
        header: TossupHeader,
        review: ReviewActions,
        *,
        show_import: Importer,
        put_in_bin: Callable[[Sequence[str]], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._header = header
        self._draft, self._answer, self._messages = panes.draft, panes.answer, panes.messages
        self._sessions, self._review = sessions, review
        self._import, self._put_in_bin = show_import, put_in_bin
        self._found: tuple[str, Packet] | None = None  # the draft for which the offer holds
        # by tossup: whether an answer and a category are the writer's own, not filled in
        self._had: dict[str, tuple[bool, bool]] = {}
        self._draft.pasted.connect(self._look_at)
        self._draft.refused_paste.connect(self._refuse)
        self._draft.edited.connect(lambda edit, text: self._forget(unless=text))
        sessions.opened.connect(lambda session: self._leave())
        sessions.undo.made.connect(self._follow_undo)

    def fill(self) -> None:
        """Put the text of the pasted question, its answer and its category where they belong.

        Several questions are shown, to become drafts.
        """
        if self._found is None:
            self._messages.show_message("pasted", _NOTHING, brief=True)
            return
        found = self._found
        _, packet = found
        self._forget()
        if len(packet.tossups) > 1:
            self._show_import(found)
        else:
            self._fill_in(packet.tossups[0])

    def _fill_in(self, found: PacketTossup) -> None:
        session = self._sessions.current
        had = self._had[session.tossup_id] = (
            session.tossup.answer is not None,
            bool(self._header.review.category),
        )
        if not had[0]:
            self._answer.fill_in(found.answer, found.answer_styles)
        self._sessions.restore(session.tossup_id, found.text, found.styles)
        if not had[1] and (category := _category(found)):
            self._categorise(category)

    def _follow_undo(self, before: str, styles: TextStyles) -> None:
        """Undo or redo led over what was filled in: the answer and the category go along, unless changed.

        That a step filled in a question is seen by its two texts, so that it holds after a restart, too.
        """
        session, now = self._sessions.current, self._draft.text
        undone = len(now) > len(before)
        pasted, bare = (
            (tagged_lines(now, session.styles), before) if undone else (tagged_lines(before, styles), now)
        )
        packet = _read(pasted) if "\n" in pasted else None
        if packet is None or [one.text for one in packet.tossups] != [bare]:
            return
        (found,), category = packet.tossups, _category(packet.tossups[0])
        had_answer, had_category = self._had.get(session.tossup_id, (False, False))
        if not had_answer and self._answer.line.text() == (found.answer if undone else ""):
            self._answer.fill_in(*(("", PLAIN) if undone else (found.answer, found.answer_styles)))
        if (
            category and not had_category and self._header.review.category in ((), category)
        ):  # one may be on its way
            self._categorise(() if undone else category)

    def _categorise(self, category: tuple[str, ...]) -> None:
        what = f"the category {' / '.join(category)}" if category else "no category"
        self._review.record_as_pasted(self._sessions.current.tossup_id, Categorised(category), what)

    def _show_import(self, found: tuple[str, Packet]) -> None:
        session = self._sessions.current
        key, text = session.tossup_id, session.tossup.text

        def then(said: str) -> None:
            unchanged = self._sessions.current.tossup_id == key and self._draft.text == text
            remedies = [("Move the paste to the bin", lambda: self._put_in_bin([key]))] if unchanged else []
            self._messages.show_message("pasted", said, remedies, news=True)

        def failed(trouble: str) -> None:
            self._messages.show_message("pasted", trouble, [("Try again", self.fill)])
            self._found = found if self._draft.text == found[0] else None

        self._import(tagged_lines(text, session.styles), then, failed)

    def _refuse(self, said: str, text: str, html: str) -> None:
        """Say why a paste is not in the draft; if it may be a packet, offer to import its questions."""

        def do() -> None:
            self._import(
                tagged_lines(text, pasted_styles(html, text) if html else PLAIN),
                lambda said: self._messages.show_message("paste", said, news=True),
                lambda trouble: self._messages.show_message("paste", trouble, [("Try again", do)]),
            )

        remedies = [("Import its questions…", do)] if "answer" in text.casefold() else []
        self._messages.show_message("paste", said, remedies)

    def _look_at(self, pasted: str) -> None:
        text = self._draft.text
        if text.strip() != pasted.strip():
            return
        self._had[self._sessions.current.tossup_id] = (True, True)  # a cut by hand is no filling in
        packet = _read(tagged_lines(text, self._sessions.current.styles))
        if packet is None:
            return
        if len(packet.tossups) > 1:
            count = counted_noun(len(packet.tossups), "tossup")
            if packet.bonuses:
                count += f" and {counted_noun(len(packet.bonuses), 'bonus', 'bonuses')}"
            offer = _OFFER_IMPORT.format(count=count, key=FILL_KEY)
        else:
            bonuses = {bonus.place for bonus in packet.bonuses}
            if any(unread.place not in bonuses for unread in packet.unread):
                return
            offer = self._offer(packet.tossups[0], with_bonus=bool(bonuses))
        self._found = (text, packet)
        do = "Show them" if len(packet.tossups) > 1 else "Fill in"
        self._messages.show_message("pasted", offer, [(do, self.fill)], news=True)

    def _offer(self, found: PacketTossup, *, with_bonus: bool) -> str:
        answered = self._sessions.current.tossup.answer is not None
        has_category = not _category(found) or bool(self._header.review.category)
        parts = ["text", *([] if answered else ["answer"]), *([] if has_category else ["category"])]
        told = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
        return _OFFER.format(
            what="tossup with its bonus" if with_bonus else "whole question",
            key=FILL_KEY,
            whose="the tossup's" if with_bonus else "its",
            parts=told,
            rest=", without the bonus" if with_bonus else "",
        )

    def _leave(self) -> None:
        """Another tossup is open: the offer is gone, and so is the news of a paste."""
        self._found = None
        self._messages.dismiss("pasted")

    def _forget(self, *, unless: str | None = None) -> None:
        """The offer holds no longer, unless the draft still reads so."""
        if self._found is not None and self._found[0] != unless:
            self._found = None
            self._messages.dismiss("pasted")


def _read(pasted: str) -> Packet | None:
    from quizwriter.formats.packets.grammar import read_pasted  # whose patterns would delay the start

    return read_pasted(pasted)


def _category(found: PacketTossup) -> tuple[str, ...]:
    from quizwriter.formats.packet_tags import read_tags  # late: not needed at start

    return read_tags((found.tag,)).category[:3] if found.tag else ()
