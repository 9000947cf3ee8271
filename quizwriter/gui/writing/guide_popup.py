"""The popup in which a pronunciation guide is written, or taken from past questions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTextEdit, QWidget

from quizwriter.domain.answer_line import Style
from quizwriter.domain.pronunciation import LONGEST_GUIDE, UsedGuide, guide_key
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import text_line
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.popup import Popup
from quizwriter.gui.writing.answer_offers import ROW_PX, Offer, OfferList
from quizwriter.workflow.wording import counted_noun

MOST_OFFERS = 6
WIDTH_PX = 420


class GuidePopup(Popup):
    """Asks how a name is said. ``entered`` carries the guide without brackets; empty: none is wanted."""

    entered = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = ""
        self._has = False  # whether the name has a guide now
        self._typed = False  # whether the writer changed what the field began with
        self.title = plain_label("", wrap=False)
        self.line = text_line(
            "Pronunciation guide",
            "Syllables, the stressed ones in capitals: VROTS-wahf",
            longest=LONGEST_GUIDE,
        )
        self.offers = OfferList(theme, self)
        self.offers.setObjectName("")
        self.hint = plain_label("", wrap=True)
        for part in (self.title, self.line, self.offers, self.hint):
            self.body.addWidget(part)
        self.line.installEventFilter(self)
        self.line.textEdited.connect(self._note_typing)
        self.offers.picked.connect(self._enter)

    def ask(self, name: str, said: str, field: QTextEdit, place: QRect) -> None:
        """Open under ``place`` in ``field``, and ask how ``name`` is said; ``said`` is its guide now."""
        theme = self._theme
        self._name, self._typed = name, bool(said)
        self.title.setText(f"How is “{name}” pronounced?")
        self.title.setFont(theme.font(bold=True))
        self.line.setText(said)
        self.line.selectAll()
        self.hint.setFont(theme.font(small=True))
        self.hint.setStyleSheet(f"color: {theme.tokens.soft};")
        self._has = bool(said)
        self.setFixedWidth(theme.px(WIDTH_PX))
        self.show_offers(())
        self.open_at(field, self.line, place)

    def show_offers(self, guides: Sequence[UsedGuide]) -> None:
        """Offer how others said it; the first one stands in the field unless something is there."""
        offers = [_offer(one, self._name) for one in guides[:MOST_OFFERS]]
        self.offers.fill(offers)
        self.offers.setVisible(bool(offers))
        self.offers.setFixedHeight(ROW_PX * len(offers) + 10)
        if offers and not self._typed:
            self.line.setText(guides[0].said)
            self.line.selectAll()
        told = ""
        if offers:
            whose = "Your other tossups" if guides[0].own else "Past questions"
            both = len({one.own for one in guides[:MOST_OFFERS]}) > 1
            told = f"{whose}{' and past questions' if both else ''} used these. "
        keys = "Enter changes the guide; an empty one is removed." if self._has else "Enter inserts it."
        self.hint.setText(f"{told}{keys} Players do not see it.")
        self.adjustSize()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.line and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        key = event.key()
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            if self.offers.offers:
                self.offers.step(1 if key == Qt.Key.Key_Down else -1)
                self.line.setText(str(self.offers.current()))
                self._typed = True
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter(self.line.text())
        elif key == Qt.Key.Key_Escape:
            self.close()
        else:
            return False
        return True

    def _note_typing(self) -> None:
        self._typed = True

    def _enter(self, said: object) -> None:
        self.close()
        self.entered.emit(str(said))


def _offer(guide: UsedGuide, asked: str) -> Offer:
    times = counted_noun(guide.count, "tossup" if guide.own else "past question")
    times = f"{times} of yours" if guide.own else times
    aside = times if guide.last is None else f"{times}, last {guide.last}"
    of = guide.name if guide_key(guide.name) != guide_key(asked) else ""  # a longer name, or a shorter one
    return Offer(((guide.said, Style.PLAIN),), of, aside, guide.said)
