"""The directive ``walk``: a way through the program as a picture.

Each line of its text is a hop: ``room | module | what happens there``. The rooms become columns, in the order
in which they are first entered; each hop is a dot in the column of its room, with its module and its sentence
on the right. The picture is SVG inside the page, drawn with the colours of the theme.
"""

from __future__ import annotations

from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WIDTH, COLUMN, LEFT, HEAD = 760, 30, 18, 30
LINE = 18
LETTERS = 96  # of a sentence on one line, beside two columns


class Hop(NamedTuple):
    """One step of a walk."""

    room: str
    module: str
    sentence: str


def parse_hops(lines: list[str]) -> list[Hop]:
    """The hops in ``lines``.

    Raises:
        ValueError: a line has not three parts; the message quotes it.
    """
    hops = []
    for line in filter(str.strip, lines):
        parts = [part.strip() for part in line.split("|")]
        if len(parts) != 3 or not all(parts):
            raise ValueError(f"not 'room | module | sentence': {line!r}")
        hops.append(Hop(*parts))
    return hops


def draw(hops: list[Hop], title: str) -> str:
    """The picture of ``hops`` as SVG."""
    rooms = list(dict.fromkeys(hop.room for hop in hops))
    text_at = LEFT + COLUMN * len(rooms) + 10
    letters = LETTERS - 4 * (len(rooms) - 2)
    heads = len(rooms) * LINE + 14
    drawn, dots, y = [], [], heads + HEAD
    for number, hop in enumerate(hops, start=1):
        x = LEFT + COLUMN * rooms.index(hop.room)
        dots.append((x, y))
        said = wrap(hop.sentence, letters)
        drawn.append(
            f'<text x="{text_at}" y="{y + 4}" class="walk-module">{number}. {escape(hop.module)}</text>'
        )
        drawn += [
            f'<text x="{text_at}" y="{y + 4 + LINE * row}" class="walk-text">{escape(line)}</text>'
            for row, line in enumerate(said, start=1)
        ]
        y += LINE * (len(said) + 1) + 12
    bottom = y - 6
    columns = []
    for place, room in enumerate(rooms):
        x, top = LEFT + COLUMN * place, LINE * (place + 1)
        columns += [
            f'<path d="M{x} {heads + 6} V{bottom}" class="walk-column"/>',
            f'<path d="M{x} {heads + 6} V{top} H{x + 8}" class="walk-column"/>',
            f'<text x="{x + 12}" y="{top + 4}" class="walk-room">{escape(room)}</text>',
        ]
    path = " ".join(f"{'L' if at else 'M'}{x} {y}" for at, (x, y) in enumerate(dots))
    way = [f'<path d="{path}" class="walk-way"/>', *(f'<circle cx="{x}" cy="{y}" r="6"/>' for x, y in dots)]
    return (
        f'<svg class="walk" viewBox="0 0 {WIDTH} {bottom + 6}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg">{STYLE}{"".join([*columns, *way, *drawn])}</svg>'
    )


STYLE = (
    "<style>.walk{max-width:100%;height:auto;font-family:var(--font-stack,sans-serif);font-size:13px}"
    ".walk text{fill:var(--color-foreground-primary,#222)}"
    ".walk .walk-module{font-family:var(--font-stack--monospace,monospace);font-weight:600}"
    ".walk .walk-room{font-weight:600}"
    ".walk .walk-column{stroke:var(--color-foreground-border,#aaa);fill:none}"
    ".walk .walk-way{stroke:var(--color-brand-primary,#0b5fa5);stroke-width:2.5;fill:none}"
    ".walk circle{fill:var(--color-brand-primary,#0b5fa5)}</style>"
)


class Walk(SphinxDirective):
    """``walk``: its argument is the title, its text the hops."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"class": directives.class_option}  # noqa: RUF012 - docutils declares it so

    def run(self) -> list[nodes.Node]:
        """The picture, and the hops as plain text where a page is not HTML."""
        try:
            hops = parse_hops(list(self.content))
        except ValueError as trouble:
            raise self.error(str(trouble)) from None
        if not hops:
            raise self.error("a walk needs at least one hop")
        return [nodes.raw("", draw(hops, self.arguments[0]), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("walk", Walk)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
