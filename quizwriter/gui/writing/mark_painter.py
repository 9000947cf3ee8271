"""Paints the marks of a draft under and over its text, and knows where its letters lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QPainterPath,
    QPalette,
    QPen,
    QTextDocument,
)
from PySide6.QtWidgets import QTextEdit

from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.domain.text_anchors import shift_span
from quizwriter.domain.tossup import Tossup
from quizwriter.gui.colours import ColourTokens, tint
from quizwriter.gui.theme import Theme, draw_cue, draw_player
from quizwriter.gui.widgets.icons import draw_bell
from quizwriter.gui.writing.draft_marks import (
    BuzzLine,
    BuzzMark,
    CommentedStretch,
    DraftMarks,
    MarginLabel,
    Underline,
    UnderlinedStretch,
    untouched_span,
)
from quizwriter.gui.writing.draft_text import Utf16Positions, mixes_directions
from quizwriter.workflow.power import MARK
from quizwriter.workflow.wording import player_title

SHAPE = 7
"""Pixels of a player's shape under the end of the word on which it buzzes."""

STRIP_WIDTH, STRIP_HEIGHT = 560, 8
"""Pixels of the strip that underlines are cut from: whole waves of 5 px, and dots 3.5 px apart."""

WEAKEST = 0.25
"""A cue with less than this share, relative to the strongest, is left to the evidence pane.

Every third word adds a little to the score; shading them all would hide the one in ten that matter.
"""


def asides_in(text: str) -> tuple[Span, ...]:
    """What in ``text`` nobody reads to players: pronunciation guides and notes, power marks left out."""
    if ")" not in text and "]" not in text:
        return ()
    return tuple(span for span in Tossup(text).unread if span.end - span.start > len(MARK))


def line_boxes(
    document: QTextDocument, start: int, end: int, metrics: QFontMetricsF, *, both_ways: bool = False
) -> Iterator[QRectF]:
    """Where the letters from Qt's position ``start`` to ``end`` are in ``document``, one box a line.

    ``both_ways`` says that directions may mix; a box is as high as letters with these ``metrics``.
    """
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        layout = block.layout()
        corner = document.documentLayout().blockBoundingRect(block).topLeft()
        low, high = max(0, start - block.position()), min(block.length() - 1, end - block.position())
        index = layout.lineForTextPosition(low).lineNumber() if layout.lineCount() else 0
        while low < high and 0 <= index < layout.lineCount():
            line = layout.lineAt(index)
            stop = min(high, line.textStart() + line.textLength())
            if stop > low:
                # Where directions mix, the ends of a span need not be its outermost letters.
                inner = range(low + 1, stop) if both_ways else ()
                places = [_position(line.cursorToX(at)) for at in (low, *inner, stop)]
                baseline = corner.y() + line.y() + line.ascent()
                left, right = min(places), max(places)
                yield QRectF(
                    corner.x() + left,
                    baseline - metrics.ascent(),
                    right - left,
                    metrics.ascent() + metrics.descent(),
                )
            low = max(stop, low + 1)
            index += 1
        block = block.next()


def _position(found: object) -> float:
    """The place that Qt found: PySide returns the corrected cursor position along with it."""
    place = found[0] if isinstance(found, tuple) else found
    assert isinstance(place, float)
    return place


class MarkPainter:
    """The marks of the draft in a :class:`QTextEdit`.

    Boxes of letters are kept while nothing moves them, because Qt takes long to find them. ``text`` is the
    draft as it was read last, ``units`` its positions.
    """

    def __init__(self, edit: QTextEdit, theme: Theme) -> None:
        """The painter of what ``edit`` shows, in the colours of ``theme``."""
        self._edit, self._theme = edit, theme
        self.text = ""
        self.units = Utf16Positions("")
        self.marks = DraftMarks()
        self.notes: tuple[CommentedStretch, ...] = ()
        self.underlined: dict[str, tuple[UnderlinedStretch, ...]] = {}  # by who put them there
        self.asides: tuple[Span, ...] = ()  # guides and notes to the moderator
        self._shades_cues = True
        self.bare = False
        """Whether nothing is painted but the text."""
        self._both_ways = False  # whether the text has letters that run from right to left
        self._boxes: dict[Span, tuple[QRectF, ...]] = {}  # in the document
        self._boxes_state = (0, 0)
        self._cues: tuple[object, tuple[tuple[QRectF, float], ...]] | None = None
        self._note_boxes: tuple[object, tuple[tuple[CommentedStretch, tuple[QRectF, ...]], ...]] | None = None

    # -- text and marks

    def show_text(self, text: str) -> None:
        """The draft is another ``text``, without marks."""
        self.marks, self.notes = DraftMarks(), ()
        self.underlined.clear()
        self.text, self.units = text, Utf16Positions(text)
        self.asides = asides_in(text)
        self._both_ways = mixes_directions(text)
        self._boxes.clear()

    def follow(self, edit: Edit, text: str) -> None:
        """The draft is ``text`` since ``edit``; marks and notes move along."""
        self.text, self.units = text, Utf16Positions(text)
        self.asides = asides_in(text)
        before, self._both_ways = self._both_ways, mixes_directions(text)
        self._forget_boxes(0 if before or self._both_ways else edit.start)
        self.marks = self.marks.after(edit)
        self.notes = tuple(
            replace(note, span=span)
            for note in self.notes
            if (span := shift_span(note.span, edit)) is not None
        )
        self.underlined = {
            owner: tuple(
                replace(one, span=span)
                for one in stretches
                if (span := untouched_span(one.span, edit)) is not None
            )
            for owner, stretches in self.underlined.items()
        }

    def repaint_from(self, point: int) -> None:
        """Have the viewport painted anew from the line of code point ``point`` on."""
        viewport = self._edit.viewport()
        box = None if self._both_ways else next(self.boxes(Span(max(0, point - 1), point)), None)
        top = 0 if box is None else max(0, int(box.top()) - 2 * SHAPE)
        viewport.update(0, top, viewport.width(), viewport.height() - top)

    def show_underlined(self, owner: str, stretches: Sequence[UnderlinedStretch]) -> bool:
        """Underline ``stretches`` instead of those that ``owner`` had; whether that is new."""
        changed = tuple(stretches) != self.underlined.get(owner, ())
        self.underlined[owner] = tuple(stretches)
        return changed

    def hint_at(self, point: int) -> str:
        """Why the letters at code point ``point`` are underlined, one reason a line; empty without one."""
        return "\n".join(
            one.hint
            for stretches in self.underlined.values()
            for one in stretches
            if one.span.start <= point < one.span.end and one.hint
        )

    def show_cues(self, *, shown: bool) -> bool:
        """Shade cues or not; whether that is new."""
        changed = shown != self._shades_cues
        if changed:
            self._shades_cues, self._cues = shown, None
        return changed

    # -- where letters and marks are

    def boxes(self, span: Span) -> Iterator[QRectF]:
        """Where the letters of ``span`` are in the viewport, one box a line."""
        edit = self._edit
        down = QPointF(edit.horizontalScrollBar().value(), edit.verticalScrollBar().value())
        for box in self._document_boxes(span):
            yield box.translated(-down)

    def forget_boxes(self) -> None:
        self._boxes.clear()

    def _document_boxes(self, span: Span) -> tuple[QRectF, ...]:
        edit = self._edit
        state = (edit.viewport().width(), edit.font().pixelSize())
        if state != self._boxes_state:
            self._boxes, self._boxes_state = {}, state
        if span not in self._boxes:
            start, end = self.units.to_qt(span.start), self.units.to_qt(span.end)
            metrics = QFontMetricsF(edit.font())
            self._boxes[span] = tuple(
                line_boxes(edit.document(), start, end, metrics, both_ways=self._both_ways)
            )
        return self._boxes[span]

    def _forget_boxes(self, point: int) -> None:
        """Forget the boxes from the word at ``point`` on; it may move to another line."""
        still = 1 + max(self.text.rfind(gap, 0, point) for gap in " \n")
        self._boxes = {span: boxes for span, boxes in self._boxes.items() if span.end <= still}

    def _layout_state(self, marks: object) -> object:
        """What boxes of ``marks`` in the viewport depend on."""
        edit = self._edit
        return (
            marks,
            edit.document().revision(),
            edit.viewport().width(),
            edit.verticalScrollBar().value(),
            edit.font().pixelSize(),
        )

    def cue_boxes(self) -> tuple[tuple[QRectF, float], ...]:
        """Every cue's boxes with its share; kept while nothing moves."""
        state = self._layout_state(self.marks)
        if self._cues is None or self._cues[0] != state:
            found = tuple(
                (box, share)
                for span, share in self.marks.cues
                if self._shades_cues and span.end <= len(self.text) and abs(share) >= WEAKEST
                for box in self.boxes(span)
            )
            self._cues = (state, found)
        return self._cues[1]

    def note_boxes(self) -> tuple[tuple[CommentedStretch, tuple[QRectF, ...]], ...]:
        """Every note with its boxes; kept while nothing moves."""
        state = self._layout_state(self.notes)
        if self._note_boxes is None or self._note_boxes[0] != state:
            self._note_boxes = (state, tuple((note, tuple(self.boxes(note.span))) for note in self.notes))
        return self._note_boxes[1]

    def reads_right_to_left(self, point: int = 0) -> bool:
        """Whether the paragraph at code point ``point`` runs from right to left."""
        block = self._edit.document().findBlock(self.units.to_qt(point))
        return block.textDirection() == Qt.LayoutDirection.RightToLeft

    def buzz_shapes(self) -> tuple[tuple[BuzzMark, QRectF], ...]:
        """Every buzz with its shape in the viewport, under the end of its word; several lie side by side."""
        found, before = [], dict[int, int]()
        for mark in self.marks.buzzes:
            for box in list(self.boxes(Span(max(0, mark.at - 1), mark.at)))[-1:]:
                place = before[mark.at] = before.get(mark.at, -1) + 1
                if self.reads_right_to_left(mark.at):
                    left = box.left() - 1 - SHAPE / 2 - place * (SHAPE + 1)
                else:
                    left = box.right() + 2 - SHAPE / 2 + place * (SHAPE + 1)
                found.append((mark, QRectF(left, box.bottom() - SHAPE / 2, SHAPE, SHAPE)))
        return tuple(found)

    def buzz_at(self, place: QPointF) -> str:
        """The player whose shape in the text is at ``place`` of the viewport; empty if there is none."""
        for mark, shape in self.buzz_shapes():
            if shape.adjusted(-2, -2, 2, 2).contains(place):
                return mark.player
        return ""

    def buzz_lines(self) -> tuple[BuzzLine, ...]:
        """The lines on which players buzz, as they stand in the text now, the uppermost first."""
        lines: dict[int, list[tuple[BuzzMark, QRectF]]] = {}
        for mark in sorted(self.marks.buzzes, key=lambda mark: mark.at):
            for box in list(self.boxes(Span(max(0, mark.at - 1), mark.at)))[-1:]:
                lines.setdefault(round(box.center().y()), []).append((mark, box))
        return tuple(
            BuzzLine(on_it[0][1], tuple(mark for mark, _ in on_it)) for _, on_it in sorted(lines.items())
        )

    def margin_labels(self) -> tuple[MarginLabel, ...]:
        """What underlined stretches say in the margin: the first of each line on which nobody buzzes."""
        if not any(one.label for stretches in self.underlined.values() for one in stretches):
            return ()
        taken = {round(line.box.center().y()) for line in self.buzz_lines()}
        found = []
        for one in sorted(
            (one for stretches in self.underlined.values() for one in stretches if one.label),
            key=lambda one: one.span,
        ):
            for box in list(self.boxes(one.span))[:1]:
                if round(box.center().y()) not in taken:
                    taken.add(round(box.center().y()))
                    found.append(MarginLabel(box, one.label, one.hint))
        return tuple(found)

    def margin_hint(self, y: float) -> str:
        """What is beside the line at height ``y`` of the viewport: who buzzes, or why it has a label."""
        for line in self.buzz_lines():
            if line.box.top() - 4 <= y <= line.box.bottom() + 4:
                return "\n".join(map(self._buzz_line, line.marks))
        for label in self.margin_labels():
            if label.box.top() - 4 <= y <= label.box.bottom() + 4:
                return label.hint
        return ""

    def next_buzz_at(self, y: float, after: str) -> str:
        """The player who buzzes on the line at height ``y`` of the viewport, or the next ``after`` one."""
        for line in self.buzz_lines():
            if line.box.top() - 4 <= y <= line.box.bottom() + 4:
                players = [mark.player for mark in line.marks]
                place = players.index(after) + 1 if after in players else 0
                return players[place % len(players)]
        return ""

    def _buzz_line(self, mark: BuzzMark) -> str:
        words = self.text[: mark.at].split()
        said = {True: ", right", False: ", wrong", None: ""}[mark.right]
        return f"{player_title(mark.player)} buzzes on \u201c{words[-1] if words else ''}\u201d{said}"

    # -- painting

    def paint_under_text(self, painter: QPainter, dirty: QRectF) -> None:
        """Paint the notes, the cues and the frame of the current word, as far as they are ``dirty``."""
        if self.bare:
            return
        tokens = self._theme.tokens
        self._paint_asides(painter, dirty)
        self._paint_notes(painter, dirty)
        for box, share in self.cue_boxes():
            if box.top() - 4 < dirty.bottom() and box.bottom() + 6 > dirty.top():
                self._paint_cue(painter, box, share)
        if self.marks.word is not None:
            painter.setPen(QPen(QColor(tokens.accent), 1.5))
            painter.setBrush(tint(tokens.accent, 0.10))
            for box in self.boxes(self.marks.word):
                painter.drawRoundedRect(box.adjusted(-2.5, -1, 2.5, 2), 4, 4)
        self._paint_underlined(painter, dirty)

    def paint_over_text(self, painter: QPainter, dirty: QRectF) -> None:
        """Paint the shapes of players where they buzz, as far as they are ``dirty``."""
        if self.bare:
            return
        tokens = self._theme.tokens
        for mark, shape in self.buzz_shapes():
            if shape.adjusted(-1, -1, 1, 1).intersects(dirty):
                player = tokens.player(mark.player)
                draw_player(painter, shape, player, QColor(tokens.page), right=mark.right)

    def _paint_asides(self, painter: QPainter, dirty: QRectF) -> None:
        """A pale plate under what nobody reads to players; its letters are soft, too."""
        painter.setPen(QPen(tint(self._theme.tokens.soft, 0.45), 1))
        painter.setBrush(tint(self._theme.tokens.soft, 0.10))
        for span in self.asides:
            for box in self.boxes(span):
                if box.top() - 4 < dirty.bottom() and box.bottom() + 6 > dirty.top():
                    painter.drawRoundedRect(box.adjusted(-1, 1.5, 1, 0), 4, 4)

    def _paint_notes(self, painter: QPainter, dirty: QRectF) -> None:
        colour = self._theme.tokens.note
        for current in (False, True):
            painter.setPen(QPen(QColor(colour), 1.5) if current else QPen(tint(colour, 0.45), 1))
            painter.setBrush(tint(colour, 0.20 if current else 0.13))
            for note, boxes in self.note_boxes():
                for box in boxes if note.current is current else ():
                    if box.top() - 4 < dirty.bottom() and box.bottom() + 6 > dirty.top():
                        painter.drawRoundedRect(box.adjusted(-1.5, -1.5, 1.5, 2.5), 3, 3)

    def _paint_underlined(self, painter: QPainter, dirty: QRectF) -> None:
        tokens = self._theme.tokens
        descent = QFontMetricsF(self._edit.font()).descent()
        for stretches in self.underlined.values():
            for one in stretches:
                for box in self.boxes(one.span):
                    if box.top() - 4 > dirty.bottom() or box.bottom() + 6 < dirty.top():
                        continue
                    if one.current:
                        painter.setPen(QPen(QColor(tokens.problem), 1))
                        painter.setBrush(tint(tokens.problem, 0.10))
                        painter.drawRoundedRect(box.adjusted(-2.5, -1, 2.5, 2), 4, 4)
                    # Just under the letters, where the line of a cue does not lie.
                    low = box.bottom() - descent + min(descent, 3.5)
                    _draw_underline(
                        painter, box.left(), box.right(), low, tokens, wavy=one.underline is Underline.WAVY
                    )

    def _paint_cue(self, painter: QPainter, box: QRectF, share: float) -> None:
        tokens = self._theme.tokens
        size = (min(1.0, abs(share)) - WEAKEST) / (1 - WEAKEST)
        if share > 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tint(tokens.cue, tokens.faint + (tokens.strong - tokens.faint) * size))
            painter.drawRoundedRect(box.adjusted(-1.5, 0, 1.5, 1), 3, 3)
        draw_cue(painter, box, share, tokens, least=WEAKEST)

    def paint_bell(self, painter: QPainter, box: QRectF, mark: BuzzMark) -> None:
        page = self._edit.palette().color(QPalette.ColorRole.Base)
        draw_bell(painter, box, self.buzz_colour(mark), page, right=mark.right)

    def px(self, pixels: float) -> int:
        return self._theme.px(pixels)

    def margin_font(self) -> QFont:
        return self._theme.font(bold=True, small=True)

    def label_colour(self) -> QColor:
        return QColor(self._theme.tokens.soft)

    def buzz_colour(self, mark: BuzzMark) -> QColor:
        return QColor(self._theme.tokens.player(mark.player).colour)

    def note_colour(self) -> QColor:
        return QColor(self._theme.tokens.note)


def _draw_underline(
    painter: QPainter, left: float, right: float, y: float, tokens: ColourTokens, *, wavy: bool
) -> None:
    """A line from ``left`` to ``right`` around height ``y``: wavy for spelling and style, or dotted."""
    colour = tokens.problem if wavy else tokens.soft
    dots = painter.device().devicePixelRatioF()
    strip = _underline_strip(colour, dots, wavy=wavy)
    at, top = float(round(left)), round(y) - STRIP_HEIGHT / 2  # whole pixels, or the line blurs
    while at < right:
        width = min(right - at, STRIP_WIDTH)
        painter.drawImage(
            QRectF(at, top, width, STRIP_HEIGHT), strip, QRectF(0, 0, width * dots, STRIP_HEIGHT * dots)
        )
        at += STRIP_WIDTH


@lru_cache(maxsize=32)
def _underline_strip(colour: str, dots: float, *, wavy: bool) -> QImage:
    """A long underline on nothing, with so many ``dots`` a pixel; to copy it is much quicker than to draw."""
    strip = QImage(
        round(STRIP_WIDTH * dots), round(STRIP_HEIGHT * dots), QImage.Format.Format_ARGB32_Premultiplied
    )
    strip.fill(Qt.GlobalColor.transparent)
    painter = QPainter(strip)
    painter.scale(dots, dots)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = STRIP_HEIGHT / 2
    if wavy:
        path = QPainterPath(QPointF(0, middle))
        for wave in range(STRIP_WIDTH // 5):
            path.quadTo(QPointF(5 * wave + 1.25, middle - 2), QPointF(5 * wave + 2.5, middle))
            path.quadTo(QPointF(5 * wave + 3.75, middle + 2), QPointF(5 * wave + 5, middle))
        painter.setPen(QPen(QColor(colour), 1))
        painter.drawPath(path)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        for dot in range(STRIP_WIDTH * 2 // 7):
            painter.drawEllipse(QPointF(3.5 * dot + 0.75, middle), 0.75, 0.75)
    painter.end()
    return strip
