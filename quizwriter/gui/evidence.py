"""The evidence pane: sentence by sentence, what of the draft speaks for a page and which texts agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFrame, QLabel, QTextBrowser, QVBoxLayout, QWidget

from quizwriter.domain.evidence import Evidence, Passage
from quizwriter.domain.tossup import Span, Tossup, page_title
from quizwriter.gui.look import Look, Tokens, mixed
from quizwriter.workflow.telling import Part, lead_words, parts, player_title

AROUND = 50
"""Characters kept on either side of a shared word when a passage is cut."""

CALM_MS, LATEST_MS = 120, 500
"""How long the pane waits for a newer analysis before it lays text out, and for how long it may be put off.

Laying out takes longer than a key may wait, so keys come first."""

PASSAGES = 2
"""Passages shown a sentence; the rest waits behind a link."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of a passage: what is shown, and where its shared words are in that."""

    text: str
    hits: tuple[Span, ...]
    before: bool  # something was left off
    after: bool


def cut(passage: Passage, around: int = AROUND) -> tuple[Cut, ...]:
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
        pieces.append(Cut(text[start:end], inside, start > 0, end < len(text)))
    return tuple(pieces)


class EvidencePane(QWidget):
    """Why a machine believes in a page."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._shown: tuple[Tossup, tuple[Evidence, ...]] | None = None
        self._next: tuple[Tossup, tuple[Evidence, ...]] | None = None
        self._open: set[str] = set()
        self._dim = False
        self._title = QLabel("Evidence")
        self._why = QLabel()
        self._why.setWordWrap(True)
        self._why.setTextFormat(Qt.TextFormat.RichText)
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setAccessibleName("Evidence")
        self.text.document().setDocumentMargin(0)
        self.text.setViewportMargins(2, 0, 6, 0)  # with the focus ring's 2 px
        self.text.anchorClicked.connect(self._unfold)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 4, 4)
        column.setSpacing(4)
        for label in (self._title, self._why):
            label.setContentsMargins(4, 0, 8, 0)
        column.addWidget(self._title)
        column.addWidget(self._why)
        column.addSpacing(4)
        column.addWidget(self.text, 1)
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(CALM_MS)
        self._calm.timeout.connect(self._write)
        self._put_off = QTimer(self)
        self._put_off.setSingleShot(True)
        self._put_off.setInterval(LATEST_MS)
        self._put_off.timeout.connect(self._write)
        look.changed.connect(self._dress)
        self._dress()

    @property
    def heading(self) -> str:
        """What the pane says it is about."""
        return self._title.text()

    def show_evidence(self, tossup: Tossup, evidence: tuple[Evidence, ...]) -> None:
        """Show ``evidence``, which is of ``tossup``, once keys leave time for it."""
        if (tossup, evidence) == self._shown:
            self._next = None
            self._rest()
            return
        if (tossup, evidence) == self._next:
            return
        self._next = (tossup, evidence)
        if self._shown is None or not self._shown[1]:
            self._write()  # nothing to read yet, so nothing to keep steady
        else:
            self._calm.start()
            if not self._put_off.isActive():
                self._put_off.start()

    def dim(self, *, stale: bool) -> None:
        """Show that the evidence is of an older draft, or that it is not."""
        if stale != self._dim:
            self._dim = stale
            self._tone()

    def _rest(self) -> None:
        self._calm.stop()
        self._put_off.stop()

    def _write(self) -> None:
        self._rest()
        if self._next is None:
            return
        pages = [found.page for found in self._shown[1]] if self._shown else []
        if [found.page for found in self._next[1]] != pages:
            self._open.clear()
        self._shown, self._next = self._next, None
        self._render()

    def _render(self) -> None:
        tossup, evidence = self._shown if self._shown is not None else (Tossup(""), ())
        found = evidence[0] if evidence else None
        self._title.setText(f"Evidence for {page_title(found.page)}" if found else "Evidence")
        words = lead_words(tossup, found) if found else ()
        if found is None:
            self._why.setText(
                "Nothing to explain yet."
                if tossup.text.strip()
                else "What speaks for a guess is shown here, sentence by sentence."
            )
        elif words:
            named = [f"<i>{escape(word)}</i>" for word in words]
            listed = " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
            self._why.setText(f"{player_title(found.guesser)} thinks of it mostly because of {listed}.")
        else:
            self._why.setText(f"Nothing in the draft speaks for {escape(page_title(found.page))}.")
        bar = self.text.verticalScrollBar()
        at = bar.value()
        self.text.setHtml(self._html(tossup, evidence))
        bar.setValue(at)

    def _html(self, tossup: Tossup, evidence: tuple[Evidence, ...]) -> str:
        out = []
        for number, found in enumerate(evidence):
            if number:
                out.append(f"<p><b>{escape(player_title(found.guesser))}</b></p>")
            for part in parts(tossup, found):
                out.append(self._sentence(tossup, part, first=not out))
                of_part = [passage for passage in found.passages if passage.sentence == part.number]
                out.extend(self._passages(of_part, f"{number}.{part.number}"))
        return "".join(out)

    def _sentence(self, tossup: Tossup, part: Part, *, first: bool) -> str:
        tokens = self._look.tokens
        if abs(part.share) < 0.005:
            says = "adds nothing"
        elif part.share < 0:
            says = f"speaks against it, {part.share:.0%}".replace("-", "−")  # noqa: RUF001 - a minus
        else:
            says = f"{part.share:.0%} of the score"
        head = f"<span style='color:{tokens.soft};'>Sentence {part.number + 1}, {says}</span>"
        marked = [(span, self._cue_style(tokens, share)) for span, share in part.words if abs(share) >= 0.02]
        text = _styled(tossup.text, part.span, marked)
        return (
            f"<p style='margin:{0 if first else 16}px 0 4px 0;'>{head}</p>"
            f"<p style='margin:0 0 4px 0; line-height:104%; font-family:{self._look.draft_families};"
            f" font-size:{self._size()}px;'>{text}</p>"
        )

    def _passages(self, passages: list[Passage], where: str) -> Iterable[str]:
        tokens = self._look.tokens
        all_open = f"{where}.all" in self._open
        for number, passage in enumerate(passages if all_open else passages[:PASSAGES]):
            name = f"{where}.{number}"
            whole = name in self._open
            hit = f"text-decoration:underline; background-color:{self._tint(tokens, 0.16)};"
            if whole:
                body = _styled(passage.text, Span(0, len(passage.text)), [(h, hit) for h in passage.hits])
                shorter = True
            else:
                pieces = cut(passage)
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
                f"<span style='font-family:{self._look.draft_families}; font-size:{self._size()}px;'>"
                f"{body}</span>"
                "</td></tr></table>"
            )
        left = len(passages) - PASSAGES
        if left > 0 and not all_open:
            yield (f"<p style='margin:0 0 4px 12px;'>{self._link(f'{where}.all', f'{left} more')}</p>")

    def _link(self, name: str, text: str) -> str:
        colour = self._look.tokens.accent
        return f"<a style='color:{colour}; text-decoration:none;' href='#{name}'>{text}</a>"

    def _size(self) -> int:
        return max(12, self._look.draft_size_px - 2)

    def _tint(self, tokens: Tokens, share: float) -> str:
        return mixed(tokens.cue, tokens.page, share)

    def _cue_style(self, tokens: Tokens, share: float) -> str:
        if share < 0:
            # Qt's rich text knows no dashes, so what speaks against is struck in its own colour.
            return f"color:{tokens.counter}; text-decoration:underline; font-style:italic;"
        shade = tokens.faint + (tokens.strong - tokens.faint) * share
        return f"background-color:{self._tint(tokens, shade)};" + (
            " text-decoration:underline;" if share >= 0.5 else ""
        )

    def _unfold(self, link: QUrl) -> None:
        self._open ^= {link.fragment()}
        self._render()

    def _tone(self) -> None:
        tokens = self._look.tokens
        palette = QPalette(self.text.palette())
        ink = mixed(tokens.ink, tokens.page, 0.6) if self._dim else tokens.ink
        palette.setColor(QPalette.ColorRole.Text, QColor(ink))
        palette.setColor(QPalette.ColorRole.Base, QColor(tokens.page))
        self.text.setPalette(palette)
        self.text.viewport().setPalette(palette)  # under a style sheet it does not inherit a later change

    def _dress(self) -> None:
        self._title.setFont(self._look.font(bold=True))
        self._why.setStyleSheet(f"color: {self._look.tokens.soft};")
        self._tone()
        self._render()


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
