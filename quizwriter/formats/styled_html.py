"""Styles on the clipboard: what of the HTML of other programs comes in, and the HTML that we give them.

Anybody may have written that HTML. It is read once from its beginning to its end, and nothing comes out but
letters and the five styles: no address in it is asked, no style sheet and no script is looked at.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping

from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, LetterStyle, TextStyles, carried_styles, toggled_code

LARGEST_HTML = 4 << 20
"""Characters; Word puts its whole style sheet, a tenth of a million, beside one pasted word."""

LONGEST_READ = 40_000
"""Letters that are read of it; a draft takes half of that at once."""

MOST_TAGS = 40_000
"""Tags that are read of it: one a letter, and as many as take a tenth of a second."""

MOST_DECLARATIONS = 40_000
"""Declarations of CSS that are read of it, as many as tags: some programs write ten for each stretch."""

DEEPEST_ELEMENT = 200
"""Elements within each other whose styles count."""

_TAG = re.compile(r"""<(/?)([A-Za-z][\w:.-]{0,30}+)((?:[^<>"']++|"[^"]*+"|'[^']*+')*+)>""")
_STYLE = re.compile(r"""\bstyle\s{0,9}=\s{0,9}(?:"([^"]*+)"|'([^']*+)')""", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\n\r\f]+")
_ELEMENTS: Mapping[str, LetterStyle] = {
    "b": LetterStyle.BOLD,
    "strong": LetterStyle.BOLD,
    "i": LetterStyle.ITALIC,
    "em": LetterStyle.ITALIC,
    "cite": LetterStyle.ITALIC,
    "u": LetterStyle.UNDERLINE,
    "ins": LetterStyle.UNDERLINE,
    "sup": LetterStyle.SUPERSCRIPT,
    "sub": LetterStyle.SUBSCRIPT,
}
_TAGS = {_ELEMENTS[tag]: tag for tag in ("b", "i", "u", "sup", "sub")}
_BLOCKS = frozenset({
    "address", "article", "blockquote", "body", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6",
    "hr", "li", "ol", "p", "pre", "section", "table", "tr", "ul",
})  # fmt: skip
_CELLS = frozenset({"td", "th"})
"""Elements whose words do not grow together with those beside them."""

_EMPTY = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
_UNREAD = frozenset({
    "head", "iframe", "math", "noscript", "object", "script", "style", "svg", "textarea", "title",
})  # fmt: skip
"""Elements of which nothing is read."""

_CLOSING = re.compile(r"</([A-Za-z]{3,8}+)\b")

_BEFORE = '<html><head><meta charset="utf-8"></head><body><!--StartFragment-->'
_BEHIND = "<!--EndFragment--></body></html>"


def pasted_styles(source: str, text: str) -> TextStyles:
    """The styles that the HTML ``source`` has for ``text``, which was pasted with it as a plain text.

    The words of both are matched, because programs differ in their spaces and numbers of lists.
    """
    read, styles = read_styled_html(source)
    return carried_styles(read, styles, text)[0] if styles else PLAIN


def read_styled_html(source: str) -> tuple[str, TextStyles]:
    """The text of the HTML ``source`` and its styles; the beginning of it, where it is very long.

    The time grows with the length of ``source``, whatever it holds.
    """
    source = source[:LARGEST_HTML]
    reader, at, tags = _HtmlReader(), 0, 0
    while reader.length < LONGEST_READ and tags < MOST_TAGS:
        tags += 1
        begin = source.find("<", at)
        reader.take_text(source[at:] if begin < 0 else source[at:begin])
        if begin < 0:
            break
        if source.startswith("<!--", begin):
            end = source.find("-->", begin) + 3
        elif source.startswith(("<!", "<?"), begin):
            end = source.find(">", begin) + 1
        else:
            end = reader.take_tag(source, begin)
        if end <= begin:
            break  # it is cut off
        at = end
    return reader.result()


class _HtmlReader:
    """The text that was read, with the code of its styles for each letter."""

    def __init__(self) -> None:
        self.length = 0
        self._pieces: list[str] = []
        self._codes = bytearray()
        self._open: list[tuple[str, int]] = []  # the elements, each with the code before it
        self._code = 0
        self._gap, self._gap_code = "", 0  # white space that comes before the next letter, if there is one
        self._declarations = 0

    def result(self) -> tuple[str, TextStyles]:
        return "".join(self._pieces), TextStyles.of_codes(self._codes)

    def take_text(self, raw: str) -> None:
        raw = raw[: 10 * LONGEST_READ]  # an entity has ten letters
        if not raw:
            return
        try:
            text = html.unescape(raw)
        except ValueError:  # a number of thousands of digits
            text = raw
        text = _SPACES.sub(" ", text)
        if text.startswith(" ") and not self._gap:
            self._gap, self._gap_code = " ", self._code
        bare = text.strip(" ")
        if bare:
            gap = self._gap if self._pieces else ""
            self._pieces += [gap, bare]
            self._codes += bytes((self._gap_code,)) * len(gap) + bytes((self._code,)) * len(bare)
            self.length += len(gap) + len(bare)
            self._gap, self._gap_code = " " if text.endswith(" ") else "", self._code

    def take_tag(self, source: str, begin: int) -> int:
        """Read the tag at ``begin``; where the reading goes on, or -1 at the end."""
        found = _TAG.match(source, begin)
        if found is None:
            self.take_text("&lt;")
            return begin + 1
        closes, name, rest = found[1], found[2].lower(), found[3]
        if name in _BLOCKS or name == "br":
            self._gap = "\n" if name != "br" or "\n" not in self._gap else self._gap + "\n"
            self._gap_code = self._code if name == "br" else 0
        elif name in _CELLS and not self._gap:
            self._gap, self._gap_code = " ", 0
        if closes:
            self._close(name)
        elif name in _UNREAD:
            ends = _CLOSING.finditer(source, found.end())
            end = next((one.end() for one in ends if one[1].lower() == name), None)
            return -1 if end is None else source.find(">", end) + 1
        elif name not in _EMPTY and not rest.endswith("/") and len(self._open) < DEEPEST_ELEMENT:
            self._open.append((name, self._code))
            self._code = self._code_in(name, rest)
        return found.end()

    def _code_in(self, name: str, attributes: str) -> int:
        code = toggled_code(self._code, _ELEMENTS[name], on=True) if name in _ELEMENTS else self._code
        found = _STYLE.search(attributes) if "=" in attributes else None
        left = MOST_DECLARATIONS - self._declarations
        declarations = (found[1] or found[2] or "").split(";", left)[:left] if found else []
        self._declarations += len(declarations)
        for declaration in declarations:
            prop, _, value = declaration.partition(":")
            for style, on in _declared(prop.strip().lower(), value.strip().lower()):
                code = toggled_code(code, style, on=on)
        return code

    def _close(self, name: str) -> None:
        for depth in range(len(self._open) - 1, -1, -1):
            if self._open[depth][0] == name:
                self._code = self._open[depth][1]
                del self._open[depth:]
                return


def _declared(prop: str, value: str) -> list[tuple[LetterStyle, bool]]:
    """What a declaration of CSS says of styles: which are switched on, and which off."""
    match prop:
        case "font-weight":
            heavy = int(value) >= 600 if value.isdecimal() and len(value) < 5 else value.startswith("bold")
            return [(LetterStyle.BOLD, heavy)]
        case "font-style":
            return [(LetterStyle.ITALIC, value.startswith(("italic", "oblique")))]
        case "text-decoration" | "text-decoration-line":
            return [(LetterStyle.UNDERLINE, "underline" in value)]
        case "vertical-align":
            raised, lowered = value.startswith("super"), value.startswith("sub")
            if raised or lowered:
                return [(LetterStyle.SUPERSCRIPT if raised else LetterStyle.SUBSCRIPT, True)]
            return [(LetterStyle.SUPERSCRIPT, False), (LetterStyle.SUBSCRIPT, False)]
    return []


def styled_html(text: str, styles: TextStyles) -> str:
    """``text`` as a document in HTML with its ``styles`` and nothing else, for other programs to paste."""
    return f"{_BEFORE}{styled_markup(text, styles)}{_BEHIND}"


def styled_markup(text: str, styles: TextStyles) -> str:
    """``text`` with tags for its ``styles``; all else in it is escaped."""
    return _with_tags(text, styles, _escaped)


def tagged_lines(text: str, styles: TextStyles) -> str:
    """``text`` with tags for its ``styles`` on each line for itself, as packets in plain text have them.

    Nothing is escaped: what looks like one of these tags in ``text`` is read as one.
    """
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append(_with_tags(line, styles.stretch(Span(at, at + len(line))), str))
        at += len(line) + 1
    return "\n".join(lines)


def _with_tags(text: str, styles: TextStyles, escaped: Callable[[str], str]) -> str:
    parts, at = [], 0
    for span in styles.stretch(Span(0, len(text))).spans():
        tags = [_TAGS[style] for style in span.styles]
        parts.append(escaped(text[at : span.start]))
        parts += [f"<{tag}>" for tag in tags]
        parts.append(escaped(text[span.start : span.end]))
        parts += [f"</{tag}>" for tag in reversed(tags)]
        at = span.end
    parts.append(escaped(text[at:]))
    return "".join(parts)


def _escaped(text: str) -> str:
    return html.escape(text, quote=False).replace("\n", "<br>")
