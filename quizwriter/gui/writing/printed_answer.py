"""The answer line as it will print, and the notes on it: two calm rows under the answer field."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import (
    QGridLayout,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from quizwriter.domain.answer_line import (
    AnswerLine,
    Directive,
    MarkedText,
    PieceKind,
    Style,
    read_answer_line,
    read_markup,
)
from quizwriter.domain.styles import PLAIN, TextStyles
from quizwriter.gui.theme import Theme, restyle
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.workflow.answer_notes import LineProblem, marked_source

MOST_ROWS = 8
"""Rows of a long answer line, five times as long as most; the tooltip has the rest."""

_SOFT = {
    PieceKind.DIRECTIVE,
    PieceKind.MARK,
    PieceKind.NOTE,
    PieceKind.GUIDE,
    PieceKind.TAG,
    PieceKind.CONDITION,
}


class PrintedAnswer(QWidget):
    """Shows an answer line as it will print, required words bold and underlined; hidden if it is plain."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._line = self._source = self._text = ""
        self._styles = PLAIN
        self._formats: list[QTextLayout.FormatRange] = []
        self.setAccessibleName("The answer line as it will print")
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.hide()

    @property
    def text(self) -> str:
        return self._text if not self.isHidden() else ""

    @property
    def runs(self) -> tuple[tuple[str, Style], ...]:
        """What is shown in stretches of one style."""
        return tuple(read_markup(self._source).runs()) if self.text else ()

    def show_line(self, line: str, styles: TextStyles) -> None:
        """Show ``line`` with its ``styles`` as it will print."""
        self._line, self._styles = line, styles
        self._source, _ = marked_source(line, styles)
        read = read_answer_line(self._source)
        marked = read_markup(self._source)
        self._text = marked.text
        self._formats = self._styled(read, marked)
        self.setToolTip(plain_tooltip(self._text))
        names = read.named(Directive.MAIN, Directive.ACCEPT, Directive.PROMPT)
        required = ", ".join(word for name in names for word in name.required_words)
        self.setAccessibleDescription(f"{self._text} (required: {required})" if required else self._text)
        self.setVisible(bool(line.strip()) and (len(read.pieces) > 1 or marked.text != line))
        self.updateGeometry()
        self.update()

    def follow_theme(self) -> None:
        self.show_line(self._line, self._styles)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        layout, lines, _ = self._laid_out(width)
        height = round(sum(line.height() for line in lines))
        del layout  # it kept the lines alive
        return height or self.fontMetrics().height()

    def sizeHint(self) -> QSize:
        return QSize(100, self.heightForWidth(max(100, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QColor(self._theme.tokens.ink))
        layout, lines, cut = self._laid_out(self.width())
        for line in lines:
            line.draw(painter, QPointF(0, 0))
        if cut and lines:
            last = lines[-1]
            painter.setPen(QColor(self._theme.tokens.soft))
            metrics = self.fontMetrics()
            edge = self.width() - metrics.horizontalAdvance("…")
            x = min(last.naturalTextWidth(), edge)
            page = QColor(self._theme.tokens.page)
            painter.fillRect(round(x), round(last.y()), self.width(), round(last.height()), page)
            painter.drawText(QPointF(x, last.y() + last.ascent()), "…")
        del layout  # it kept the lines alive

    def _laid_out(self, width: int) -> tuple[QTextLayout, list[QTextLine], bool]:
        """The first lines of the text, and whether there are more; the layout keeps them alive."""
        layout = QTextLayout(self._text, self._theme.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats(self._formats)
        layout.beginLayout()
        lines: list[QTextLine] = []
        height = 0.0
        cut = False
        while (line := layout.createLine()).isValid():
            if len(lines) == MOST_ROWS:
                cut = True
                break
            line.setLineWidth(width)
            line.setPosition(QPointF(0, height))
            height += line.height()
            lines.append(line)
        layout.endLayout()
        return layout, lines, cut

    def _format(self, style: Style, kind: PieceKind) -> QTextCharFormat:
        tokens = self._theme.tokens
        made = QTextCharFormat()
        made.setForeground(QColor(tokens.soft if kind in _SOFT else tokens.ink))
        if style & Style.BOLD:
            made.setFontWeight(QFont.Weight.Bold)
        made.setFontUnderline(bool(style & Style.UNDERLINE))
        made.setFontItalic(bool(style & Style.ITALIC))
        if kind is PieceKind.UNREAD:
            made.setForeground(QColor(tokens.confident))
            made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DashUnderline)
        return made

    def _styled(self, read: AnswerLine, marked: MarkedText) -> list[QTextLayout.FormatRange]:
        """The styles of the text in stretches; a kind of piece has its colour."""
        found: list[QTextLayout.FormatRange] = []
        pieces = iter(read.pieces)
        piece = next(pieces, None)
        last: tuple[int, PieceKind] | None = None
        at = 0  # Qt counts in UTF-16
        for letter, style, source in zip(marked.text, marked.styles, marked.starts, strict=True):
            while piece is not None and source >= piece.span.end:
                piece = next(pieces, None)
            kind = PieceKind.NAME if piece is None else piece.kind
            size = 1 if ord(letter) < 0x10000 else 2
            if last == (style, kind):
                found[-1].length += size
            else:
                stretch = QTextLayout.FormatRange()
                stretch.start, stretch.length = at, size
                stretch.format = self._format(Style(style), kind)
                found.append(stretch)
                last = (style, kind)
            at += size
        return found


class AnswerNotes(QWidget):
    """One row: how often the answer was asked, past answer lines to take over, and what the line misses.

    ``lines_wanted`` asks for the list of past answer lines, ``problem_chosen`` for the first problem.
    """

    lines_wanted = Signal()
    problem_chosen = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._warns = self._narrow = False
        self._label = named(plain_label(), "About the answer")
        self._lines = _NoteButton("Past answer lines (Ctrl+Alt+L)", self.lines_wanted)
        self._problem = _NoteButton("Problems of the answer line", self.problem_chosen)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self._grid.addWidget(self._label, 0, 0)
        self._grid.addWidget(self._lines, 0, 1)
        self._grid.addWidget(self._problem, 0, 2)
        self.follow_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give what the label says a row of its own where it would be cut beside the buttons."""
        buttons = [button for button in (self._lines, self._problem) if not button.isHidden()]
        beside = sum(button.sizeHint().width() + self._grid.horizontalSpacing() for button in buttons)
        said = self._label.fontMetrics().horizontalAdvance(self._label.text())
        narrow = bool(buttons) and said + beside > self.width()
        if narrow != self._narrow:
            self._narrow = narrow
            left = Qt.AlignmentFlag.AlignLeft
            if narrow:
                self._grid.addWidget(self._label, 0, 0, 1, 3)
                self._grid.addWidget(self._lines, 1, 0, left)
                self._grid.addWidget(self._problem, 1, 1, 1, 2, left)
            else:
                self._grid.addWidget(self._label, 0, 0)
                self._grid.addWidget(self._lines, 0, 1)
                self._grid.addWidget(self._problem, 0, 2)
            self._grid.setColumnStretch(0, 0 if narrow else 1)
            self._grid.setColumnStretch(2, 1 if narrow else 0)
        self._problem.setMaximumWidth(self.width())

    @property
    def texts(self) -> tuple[str, str, str]:
        return (
            self._label.text(),
            "" if self._lines.isHidden() else self._lines.text(),
            "" if self._problem.isHidden() else self._problem.text(),
        )

    def show_about(self, text: str, *, warns: bool = False) -> None:
        """Say this of the answer; a text that ``warns`` has another colour."""
        self._label.setText(text)
        self._warns = warns
        self.follow_theme()
        self._fit()

    def show_lines(self, text: str, whole: str) -> None:
        """Offer past answer lines, of which the tooltip says the ``whole``; an empty text: there are none."""
        self._lines.show_note(text, f"{whole} Use one of them: Ctrl+Alt+L")
        self._fit()

    def show_problems(self, problems: tuple[LineProblem, ...]) -> None:
        """Say what the line misses: the first problem, and how many there are."""
        if not problems:
            self._problem.show_note("", "")
            self._fit()
            return
        first = problems[0]
        more = f" (+{len(problems) - 1})" if len(problems) > 1 else ""
        mend = f"{first.fix.label}: Ctrl+." if first.fix is not None else "Click to see the place."
        sentences = "\n".join(problem.sentence for problem in problems)
        self._problem.show_note(first.sentence.rstrip(".") + more, f"{sentences}\n{mend}")
        self._fit()

    def follow_theme(self) -> None:
        tokens = self._theme.tokens
        small = self._theme.font(small=True)
        self._label.setFont(small)
        colours = self._label.palette()
        colours.setColor(
            colours.ColorRole.WindowText, QColor(tokens.confident if self._warns else tokens.soft)
        )
        self._label.setPalette(colours)
        for button in (self._lines, self._problem):
            button.setFont(small)
            restyle(
                button,
                f"QPushButton {{ border: none; padding: 0 2px; color: {tokens.accent};"
                " background: transparent; }"
                "QPushButton:hover, QPushButton:focus { text-decoration: underline; }",
            )


class _NoteButton(QPushButton):
    """A quiet button that looks like a link; hidden while it has nothing to say."""

    def __init__(self, name: str, pressed: SignalInstance) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # keys do the same, and the field keeps the keyboard
        self.clicked.connect(lambda _=False: pressed.emit())
        self.hide()

    def show_note(self, text: str, tooltip: str) -> None:
        self.setText(text.replace("&", "&&"))
        self.setToolTip(plain_tooltip(tooltip))
        self.setAccessibleDescription(text)
        self.setVisible(bool(text))

    def minimumSizeHint(self) -> QSize:
        return QSize(24, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        room = option.rect.width() - 4  # the style sheet's padding
        option.text = self.fontMetrics().elidedText(option.text, Qt.TextElideMode.ElideRight, room)
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_PushButton, option)
