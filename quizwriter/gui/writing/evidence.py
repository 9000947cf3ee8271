"""The evidence pane: sentence by sentence, which words point to a page and which texts share them."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import msgspec
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, QUrl
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from quizwriter.domain.evidence import Evidence, Method, Passage
from quizwriter.domain.page import page_title
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from quizwriter.gui.colours import ColourTokens, mixed
from quizwriter.gui.theme import Theme, draw_cue
from quizwriter.gui.widgets.fields import qt_length
from quizwriter.gui.widgets.labels import RichPane, plain_label, plain_tooltip, rich_label
from quizwriter.gui.widgets.layouts import column_of, row_of
from quizwriter.gui.writing.mark_painter import line_boxes
from quizwriter.gui.writing.player_chooser import PlayerChooser
from quizwriter.workflow.wording import (
    ScoredSentence,
    counted_noun,
    faithfulness_line,
    frame_words,
    lead_words,
    method_line,
    percent,
    player_name,
    position_line,
    scored_sentences,
    sentence,
)

AROUND = 50
"""Characters kept on either side of a shared word when a passage is cut."""

CALM_MS, LATEST_MS = 120, 500
"""How long the pane waits for a newer analysis before it lays text out, and for how long it may be put off.

Laying out takes longer than a key may wait, so keys come first."""

LEAST = 0.02
"""A word with a smaller share of the strongest is not shaded."""

LEAST_LINES = 2
"""Lines of the text that stay in sight; a pane without room for them shows less around it."""

LEAST_HEIGHT = 190
"""Pixels, at 100 %, that the pane has at least, whatever the guesses above it want."""

ANCHOR = "cue/"

PASSAGES = 2
"""Passages shown a sentence; the rest waits behind a link."""


class PassageExcerpt(msgspec.Struct, frozen=True):
    """A piece of a passage: what is shown, and where its shared words are in that."""

    text: str
    hits: tuple[Span, ...]
    before: bool  # something was left off
    after: bool


def excerpt(passage: Passage, around: int = AROUND) -> tuple[PassageExcerpt, ...]:
    """The parts of the passage near its shared words, at word limits; its beginning if it has none."""
    text, hits = passage.text, sorted(passage.hits)
    windows: list[list[int]] = []
    for hit in hits or [Span(0, 0)]:
        start, end = max(0, hit.start - around), min(len(text), hit.end + around)
        if windows and start <= windows[-1][1] + 24:
            windows[-1][1] = max(windows[-1][1], end)
        else:
            windows.append([start, end])
    pieces = []
    for start, end in windows:
        if start > 0:
            space = text.find(" ", start)
            first = next((hit.start for hit in hits if hit.start >= start), end)
            start = space + 1 if -1 < space < first else start
        if end < len(text):
            space = text.rfind(" ", start, end)
            last = max((hit.end for hit in hits if hit.end <= end), default=start)
            end = space if space >= last else end
        inside = tuple(
            Span(hit.start - start, hit.end - start) for hit in hits if start <= hit.start and hit.end <= end
        )
        pieces.append(PassageExcerpt(text[start:end], inside, start > 0, end < len(text)))
    return tuple(pieces)


NOTHING = Tossup("")


class EvidencePlace(msgspec.Struct, frozen=True):
    """After how many words of a draft evidence is, and whether the player buzzes there."""

    heard: int = 0
    words: int = 0
    buzz: bool = False

    @property
    def in_words(self) -> str:
        """The place before a colon; empty after the last word, where nobody buzzes."""
        if not self.buzz and self.heard >= self.words:
            return ""
        return f"{'Buzz at' if self.buzz else 'At'} {position_line(self.heard, self.words)}. "


EVERYTHING = EvidencePlace()
"""After all words, where nobody buzzes."""


class ShownEvidence(msgspec.Struct, frozen=True):
    """What the pane shows: evidence of a draft, or none.

    ``aside`` is said first, where the evidence is another one's.
    """

    tossup: Tossup = NOTHING
    evidence: Evidence | None = None
    aside: str = ""
    place: EvidencePlace = EVERYTHING

    @property
    def about(self) -> tuple[str, str] | None:
        """Whose belief in which page it is."""
        return None if self.evidence is None else (self.evidence.guesser, self.evidence.page)


def _sentence_line(part: ScoredSentence, evidence: Evidence) -> str:
    """What a sentence of the draft does for the page of ``evidence``."""
    share = f"{part.share:.0%}".replace("-", "\u2212").replace("%", "\u00a0%")
    if evidence.method is Method.SAYS:
        return f"{counted_noun(len(part.words), 'word')} named as clues" if part.words else "nothing named"
    if evidence.method is Method.NEAREST:
        found = sum(passage.sentence == part.number for passage in evidence.passages)
        return f"{counted_noun(found, 'passage')} found" if found else "no passage found"
    if evidence.method is Method.LEFT_OUT:
        fall = sum(cue.weight for cue in evidence.cues if part.span.start <= cue.span.start < part.span.end)
        points = f"{abs(100 * fall):.0f} points"
        same = abs(fall) < 0.005
        return (
            "without it, the chance does not change"
            if same
            else (f"without it, the chance {'falls' if fall > 0 else 'rises'} by {points}")
        )
    if abs(part.share) < 0.005:
        return "adds nothing"
    if part.share < 0:
        return f"counts against it, {share}"
    return f"{share} of the score" if evidence.method is Method.SHARE else f"{share} of all weights"


class EvidencePane(QWidget):
    """Why a player guesses a page; ``chooser`` and ``exact`` are for a controller to follow."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown = ShownEvidence()
        self._next: ShownEvidence | None = None
        self._open: set[str] = set()
        self._dim = False
        self._title = plain_label("Evidence")
        self.chooser = PlayerChooser(theme, "the evidence")
        self.chooser.hide()
        self._why = rich_label()
        self._why.setWordWrap(True)
        self._why.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._why.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.text = _CueText(theme)
        self.text.anchorClicked.connect(self._unfold)
        self._legend = _CueLegend(theme)
        self.exact = QPushButton("Exact weights")
        self.exact.setToolTip(
            "Read the draft again without each word. QuizWriter does this automatically when you pause."
        )
        column = column_of(on=self, margins=(12, 12, 4, 4), spacing=4)
        for label in (self._title, self._why):
            label.setContentsMargins(4, 0, 8, 0)
        foot = row_of((self._legend, 1), self.exact, margins=(4, 0, 0, 0))
        column.addWidget(self._title)
        column.addWidget(self.chooser)
        column.addWidget(self._why)
        column.addSpacing(4)
        column.addWidget(self.text, 1)
        column.addLayout(foot)
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(CALM_MS)
        self._calm.timeout.connect(self._write)
        self._put_off = QTimer(self)
        self._put_off.setSingleShot(True)
        self._put_off.setInterval(LATEST_MS)
        self._put_off.timeout.connect(self._write)
        theme.follow(self._apply_theme)

    @property
    def shown(self) -> ShownEvidence:
        return self._shown

    @property
    def heading(self) -> str:
        return self._title.text()

    @property
    def why(self) -> str:
        """What it says before the draft, as rich text."""
        return self._why.text()

    def show_evidence(
        self,
        tossup: Tossup,
        evidence: Evidence | None,
        aside: str = "",
        place: EvidencePlace = EVERYTHING,
        *,
        asked: bool = False,
    ) -> None:
        """Show ``evidence``, which is of ``tossup`` at ``place``, once keys leave time for it.

        ``aside`` is said first. What is ``asked`` for is shown at once.
        """
        wanted = ShownEvidence(tossup, evidence, aside, place)
        if wanted == self._shown:
            self._next = None
            self._rest()
            return
        if wanted == self._next and not asked:
            return
        self._next = wanted
        if asked or self._shown.evidence is None or tossup == self._shown.tossup:
            self._write()  # nothing to keep steady
        else:
            self._calm.start()
            if not self._put_off.isActive():
                self._put_off.start()

    def show_working(self, *, working: bool) -> None:
        self.exact.setEnabled(not working)
        self.exact.setText("Working\u2026" if working else "Exact weights")

    def dim(self, *, stale: bool) -> None:
        if stale != self._dim:
            self._dim = stale
            self._tone()

    def shutdown(self) -> None:
        self._rest()

    def _rest(self) -> None:
        self._calm.stop()
        self._put_off.stop()

    def _write(self) -> None:
        self._rest()
        if self._next is None:
            return
        before, self._shown, self._next = self._shown, self._next, None
        if self._shown.about != before.about:
            self._open.clear()
        # What only becomes exact says no more above it; the room stays, so that nothing moves under the eye.
        still = self._shown.tossup == before.tossup and self._shown.about == before.about
        self._why.setMinimumHeight(self._why.height() if still else 0)
        self._render()

    def _render(self) -> None:
        tossup, found = self._shown.tossup, self._shown.evidence
        self._title.setText(f"Evidence for {page_title(found.page)}" if found else "Evidence")
        words = lead_words(tossup, found) if found else ()
        said = [escape(self._shown.aside)] if self._shown.aside else []
        if found is None:
            if not said:
                said.append(
                    "Nothing to explain yet."
                    if tossup.text.strip()
                    else "The evidence for a guess appears here, sentence by sentence."
                )
        elif found.method is Method.NEAREST:
            page = escape(page_title(found.page))
            who = sentence(player_name(found.guesser))
            said.append(
                f"{who} finds these passages closest in meaning."
                if found.passages
                else f"{who} finds no passage about {page} close to the draft."
            )
        elif words and found.method is not Method.LEFT_OUT:
            named = ", ".join(f"<b>{escape(word)}</b>" for word in words)
            does = "Named by the model" if found.method is Method.SAYS else "Top cues"
            said.append(f"{escape(self._shown.place.in_words)}{does}: {named}.")
            if frame := frame_words(tossup, found):
                said.append(f"Frame: {escape(', '.join(frame))}.")
        elif found.method is Method.SAYS:
            who = sentence(player_name(found.guesser))
            said.append(f"{who} names no clue for {escape(page_title(found.page))} here.")
        elif found.method is Method.LEFT_OUT:
            said.append(f"The chance of {escape(page_title(found.page))} is {percent(found.score)}.")
        else:
            said.append(f"Nothing in the draft points to {escape(page_title(found.page))}.")
        if found is not None and found.cues and found.method is not Method.SHARE:
            said.append(method_line(found.method))
        self._why.setText(" ".join(said))
        self._fit()
        self.exact.setVisible(found is not None and found.method is Method.GRADIENT)
        bar = self.text.verticalScrollBar()
        at = bar.value()
        self.text.show_html(self._html(tossup, found))
        bar.setValue(at)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self._theme.px(LEAST_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave the text its lines: in a low pane the legend goes first, then the title, the reasons last."""
        found, metrics = self._shown.evidence, QFontMetricsF(self._theme.draft_font())
        width = self.width() - 16
        room = self.height() - 44 - LEAST_LINES * metrics.lineSpacing()
        if not self.chooser.isHidden():
            chooser = self.chooser.heightForWidth(width)
            self.chooser.setMinimumHeight(chooser)
            room -= chooser
        room -= self._why.heightForWidth(width)
        self._why.setVisible(found is None or room >= 0)
        room -= self._title.heightForWidth(width)
        self._title.setVisible(found is None or room >= 0)
        room -= self._legend.sizeHint().height()
        self._legend.setVisible(found is not None and bool(found.cues) and room >= 0)

    def _html(self, tossup: Tossup, found: Evidence | None) -> str:
        out: list[str] = []
        heard = self._shown.place.heard or len(tossup.words)
        end = tossup.words[heard - 1].end if 0 < heard <= len(tossup.words) else len(tossup.text)
        for part in scored_sentences(tossup, found) if found is not None else ():
            assert found is not None
            if part.span.start >= end:
                continue  # nobody had heard it
            out.append(self._sentence(tossup, part, _sentence_line(part, found), first=not out))
            of_part = [passage for passage in found.passages if passage.sentence == part.number]
            out.extend(self._passages(of_part, str(part.number)))
        if found is not None and found.faithfulness is not None:  # last: it comes after a pause
            line = escape(faithfulness_line(found.faithfulness))
            out.append(f"<p style='margin:16px 0 4px 0; color:{self._theme.tokens.soft};'>{line}</p>")
        return "".join(out)

    def _sentence(self, tossup: Tossup, part: ScoredSentence, says: str, *, first: bool) -> str:
        tokens = self._theme.tokens
        head = f"<span style='color:{tokens.soft};'>Sentence {part.number + 1}, {says}</span>"
        text = self._shaded(tossup.text, part)
        return (
            f"<p style='margin:{0 if first else 16}px 0 4px 0;'>{head}</p>"
            f"<p style='margin:0 0 4px 0; line-height:112%; font-family:{self._theme.draft_families};"
            f" font-size:{self._size()}px;'>{text}</p>"
        )

    def _shaded(self, text: str, part: ScoredSentence) -> str:
        """The sentence with its words in their shades, each at an anchor that says how it is underlined."""
        out, at = [], part.span.start
        for span, share in part.words:
            if abs(share) < LEAST or span.start < at or span.end > part.span.end:
                continue
            word = span.of(text)
            out.append(escape(text[at : span.start]))
            out.append(
                f"<a name='{ANCHOR}{share:.3f}/{qt_length(word)}'></a>"
                f"<span style='{self._cue_style(self._theme.tokens, share)}'>{escape(word)}</span>"
            )
            at = span.end
        out.append(escape(text[at : part.span.end]))
        return "".join(out).replace("\n", "<br>")

    def _passages(self, passages: list[Passage], where: str) -> Iterable[str]:
        tokens = self._theme.tokens
        all_open = f"{where}.all" in self._open
        for number, passage in enumerate(passages if all_open else passages[:PASSAGES]):
            name = f"{where}.{number}"
            whole = name in self._open
            hit = f"text-decoration:underline; background-color:{self._tint(tokens, 0.16)};"
            if whole:
                body = _styled(passage.text, Span(0, len(passage.text)), [(h, hit) for h in passage.hits])
                shorter = True
            else:
                pieces = excerpt(passage)
                body = " … ".join(
                    _styled(piece.text, Span(0, len(piece.text)), [(h, hit) for h in piece.hits])
                    for piece in pieces
                )
                body = ("… " if pieces[0].before else "") + body + (" …" if pieces[-1].after else "")
                shorter = len(pieces) > 1 or pieces[0].before or pieces[-1].after
            link = ""
            if shorter:
                word = "less" if whole else "all\u00a0of\u00a0it"
                link = f" &nbsp;{self._link(name, word)}"
            yours = f"<b style='color:{tokens.accent};'>yours</b>&nbsp; " if passage.yours else ""
            yield (
                "<table width='100%' cellspacing='0' cellpadding='0' style='margin:4px 0 8px 0;'><tr>"
                f"<td width='2' bgcolor='{tokens.line}'></td><td style='padding:0 4px 0 12px;'>"
                f"{yours}<span style='color:{tokens.soft};'>{escape(passage.source)}</span>{link}<br>"
                f"<span style='font-family:{self._theme.draft_families}; font-size:{self._size()}px;'>"
                f"{body}</span>"
                "</td></tr></table>"
            )
        left = len(passages) - PASSAGES
        if left > 0 and not all_open:
            yield (f"<p style='margin:0 0 4px 12px;'>{self._link(f'{where}.all', f'{left} more')}</p>")

    def _link(self, name: str, text: str) -> str:
        colour = self._theme.tokens.accent
        return f"<a style='color:{colour}; text-decoration:none;' href='#{name}'>{text}</a>"

    def _size(self) -> int:
        return max(12, self._theme.draft_px - 2)

    def _tint(self, tokens: ColourTokens, share: float) -> str:
        return mixed(tokens.cue, tokens.page, share)

    def _cue_style(self, tokens: ColourTokens, share: float) -> str:
        if share < 0:
            return ""  # it has a frame
        shade = tokens.faint + (tokens.strong - tokens.faint) * share
        return f"background-color:{self._tint(tokens, shade)};"

    def _unfold(self, link: QUrl) -> None:
        self._open ^= {link.fragment()}
        self._render()

    def _tone(self) -> None:
        tokens = self._theme.tokens
        palette = QPalette(self.text.palette())
        ink = mixed(tokens.ink, tokens.page, 0.6) if self._dim else tokens.ink
        palette.setColor(QPalette.ColorRole.Text, QColor(ink))
        palette.setColor(QPalette.ColorRole.Base, QColor(tokens.page))
        self.text.setPalette(palette)
        self.text.viewport().setPalette(palette)  # under a style sheet it does not inherit a later change

    def _apply_theme(self) -> None:
        self._title.setFont(self._theme.font(bold=True))
        self._why.setFont(self._theme.font(small=True))
        self._why.setStyleSheet(f"color: {self._theme.tokens.soft};")
        self._tone()
        self._render()


class _CueText(RichPane):
    """Text whose words are underlined as they speak for the page, or framed as they speak against it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._cues: list[tuple[int, int, float]] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Evidence")
        self.document().setDocumentMargin(2)  # room for the frame of a line's first word
        self.setViewportMargins(0, 0, 4, 0)  # with the focus ring's 2 px

    def show_html(self, html: str) -> None:
        """Show ``html``, in which anchors say how the words after them are underlined."""
        super().show_html(html)
        self._cues = []
        block = self.document().begin()
        while block.isValid():
            pieces = block.begin()
            while not pieces.atEnd():
                piece = pieces.fragment()
                for name in piece.charFormat().anchorNames():
                    if name.startswith(ANCHOR):
                        share, length = name.removeprefix(ANCHOR).split("/")
                        self._cues.append((piece.position(), int(length), float(share)))
                pieces += 1
            block = block.next()

    def underlined(self) -> list[tuple[str, float]]:
        """Every word with a line under it, and the share that this stands for."""
        text = self.document().toRawText().encode("utf-16-le")
        return [
            (text[2 * at : 2 * (at + length)].decode("utf-16-le"), share) for at, length, share in self._cues
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        metrics = QFontMetricsF(self._theme.draft_font())
        down = QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
        document, dirty = self.document(), QRectF(event.rect())
        first = self.cursorForPosition(event.rect().topLeft()).block().position()
        last = self.cursorForPosition(event.rect().bottomRight()).block()
        beyond = last.position() + last.length()
        for at, length, share in self._cues:
            if at + length <= first or at >= beyond:
                continue  # out of sight, as most is: finding its place takes long
            for box in line_boxes(document, at, at + length, metrics):
                seen = box.translated(-down)
                if seen.top() - 4 < dirty.bottom() and seen.bottom() + 4 > dirty.top():
                    draw_cue(painter, seen.adjusted(0, 0, 0, -2), share, self._theme.tokens)


class _CueLegend(QWidget):
    """What the shades and the lines under words mean."""

    ENTRIES = ((1.0, "points to it"), (-1.0, "counts against it"))

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(
            "A shaded word with a line under it points to the answer; one in an empty frame counts against "
            "it. The thicker the line, the stronger the cue."
        )
        self.setToolTip(plain_tooltip(self.accessibleName()))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self._theme.font(small=True))
        width = sum(round(metrics.horizontalAdvance(text)) + 16 for _, text in self.ENTRIES)
        return QSize(width, self._theme.px(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self._theme.px(24))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setFont(self._theme.font(small=True))
        metrics = QFontMetricsF(painter.font())
        x, baseline = 2.0, self.height() / 2 + metrics.capHeight() / 2 - 1
        for share, text in self.ENTRIES:
            width = metrics.horizontalAdvance(text)
            box = QRectF(x, baseline - metrics.ascent(), width, metrics.ascent() + metrics.descent() - 1)
            if share > 0:
                painter.fillRect(
                    box.adjusted(-2, 0, 2, 1), QColor(mixed(tokens.cue, tokens.page, tokens.strong))
                )
            painter.setPen(QColor(tokens.ink))
            painter.drawText(QPointF(x, baseline), text)
            draw_cue(painter, box, share, tokens)
            x += width + 16


def _styled(text: str, span: Span, marked: list[tuple[Span, str]]) -> str:
    """``span`` of ``text`` as HTML with each marked stretch in its style."""
    out, at = [], span.start
    for mark, style in sorted(marked):
        if mark.start < at or mark.end > span.end:
            continue
        out.append(escape(text[at : mark.start]))
        out.append(f"<span style='{style}'>{escape(mark.of(text))}</span>")
        at = mark.end
    out.append(escape(text[at : span.end]))
    return "".join(out).replace("\n", "<br>")
