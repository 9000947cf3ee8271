"""Pronunciation guides of the open draft: asked for at a word, offered as others were, and put in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quizwriter.domain.pronunciation import UsedGuide, guide_edit, guide_key, guide_of, names_at, word_at
from quizwriter.domain.span import Span
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.writing.panes import WindowContext

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine
    from quizwriter.gui.writing.guide_popup import GuidePopup

OwnGuides = Callable[[Sequence[str]], tuple[UsedGuide, ...]]

NO_NAME = "Put the cursor at the name that players may say wrong, or select it."


class GuidesController(QObject):
    """Puts a guide behind the word at the cursor."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.window)
        self._app, self._theme = context.app, context.theme
        self._session, self._engine = context.session, context.engine
        self._draft, self._messages = context.panes.draft, context.panes.messages
        self._asked: tuple[str, Span] | None = None  # the text and the name in it that the popup is about
        self.popup: GuidePopup | None = None  # made at the first use
        self._jobs = Jobs("guides", self)

    def shutdown(self) -> None:
        if self.popup is not None:
            self.popup.close()

    def insert(self) -> None:
        """Ask how the name at the cursor is said, and offer what past questions have."""
        draft = self._draft
        if draft.isReadOnly():
            draft.refused_edit.emit()
            return
        name = word_at(draft.text, draft.selected)
        if name.start == name.end:
            self._messages.show_message("guides", NO_NAME, brief=True)
            return
        there = guide_of(draft.text, name)
        if there is not None:
            name = Span(min(name.start, there.name.start), name.end)
        if self.popup is None:
            from quizwriter.gui.writing.guide_popup import GuidePopup  # late: not needed at start

            self.popup = GuidePopup(self._theme, draft)
            self.popup.entered.connect(self._put_in)
        self._asked = asked = draft.text, name
        words = " ".join(name.of(draft.text).split())
        place = next(draft.boxes(Span(name.end - 1, name.end))).toAlignedRect()
        self.popup.ask(words, there.said if there is not None else "", draft, place)
        engine, names = self._engine(), names_at(draft.text, name)
        own = partial(self._app.tossups.guides_of, but=self._session().tossup_id)
        popup = self.popup
        self._jobs.ask(
            lambda _: _used(engine, own, names),
            popup.show_offers,
            still=lambda: asked == self._asked and popup.isVisible(),
        )

    def _put_in(self, said: str) -> None:
        if self._asked is None:
            return
        (text, name), self._asked = self._asked, None
        if self._draft.text == text:  # else another program changed it meanwhile
            edit = guide_edit(text, name, said)
            if edit is not None:
                self._draft.make_step([edit])


def _used(engine: Engine | None, own: OwnGuides, names: tuple[str, ...]) -> tuple[UsedGuide, ...]:
    """The writer's own guides of ``names``, the longest first, then those of past questions."""
    book = engine.guides if engine is not None else None
    past = [guide for name in names for guide in book.of(name)] if book is not None else []
    found: dict[tuple[str, str], UsedGuide] = {}
    for guide in (*own(names), *past):
        found.setdefault((guide_key(guide.name), guide.said), guide)
    return tuple(found.values())
