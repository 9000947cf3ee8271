"""What a writer is told of an answer line: what it misses, how to mend it, how often the answer was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from quizwriter.domain.answer_line import (
    AnswerLine,
    AnswerName,
    Directive,
    LinePiece,
    PieceKind,
    read_answer_line,
)
from quizwriter.domain.page import answer_key
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, LetterStyle, TextStyles, styles_of_code
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.domain.past_questions import PastAnswerLine, TimesAsked

LONGEST_QUOTE = 40
"""Characters of the answer line that a sentence repeats."""

_DIRECTIONS = {
    Directive.ACCEPT: "accept",
    Directive.PROMPT: "prompt on",
    Directive.REJECT: "reject",
}
_OF_LINES = re.compile(r"[][(){}<>;:“”\"\x00-\x1f]+")
"""Signs that a name of somebody else could end a clause with, or begin markup."""

_CLOSERS = {"[": "]", "(": ")", "{": "}"}
_GENERATIONS = frozenset({"Jr.", "Jr", "Sr.", "Sr", "II", "III"})
_ARTICLE = re.compile(r"^(?:the|a|an) (?=\S)", re.IGNORECASE)
_LATER_DIRECTIVE = re.compile(
    r";\s*+(?:also )?(?:accept|or|prompt|do not|anti-?prompt|reject)\b", re.IGNORECASE
)
_WORD = re.compile(r"\S+")
_TAGS = {
    LetterStyle.BOLD: "b",
    LetterStyle.ITALIC: "i",
    LetterStyle.UNDERLINE: "u",
    LetterStyle.SUPERSCRIPT: "sup",
    LetterStyle.SUBSCRIPT: "sub",
}


class LineFix(msgspec.Struct, frozen=True):
    """A change of the answer line that mends something: ``replacement`` takes the place of ``span``.

    ``marks``: the words of ``span`` become required, which styles can say instead of the replacement.
    """

    label: str
    span: Span
    replacement: str
    marks: bool = False

    def applied(self, line: str) -> str:
        return line[: self.span.start] + self.replacement + line[self.span.end :]


class LineProblem(msgspec.Struct, frozen=True):
    """Something that an answer line misses: a sentence, its place, and how to mend it where that is known."""

    sentence: str
    span: Span
    fix: LineFix | None = None


def line_problems(line: str, styles: TextStyles = PLAIN) -> tuple[LineProblem, ...]:
    """What ``line`` misses, in the order of the places; what is said of the whole line comes last.

    ``styles`` mark required words as markup in the line does. All spans are in ``line``.
    """
    if not line.strip():
        return ()
    source, places = marked_source(line, styles)
    read = read_answer_line(source)
    found = [*_unread(read, source), *_without_directive(read), *_lost_notes(read)]
    found.sort(key=lambda problem: problem.span.start)
    return tuple(_moved(problem, places) for problem in (*found, *_unmarked(read, source)))


def marked_source(line: str, styles: TextStyles) -> tuple[str, Sequence[int]]:
    """``line`` with its ``styles`` as markup, and for each place in it the place in ``line``."""
    if not styles:
        return line, range(len(line) + 1)
    letters: list[str] = []
    places: list[int] = []

    def put(text: str, at: int) -> None:
        letters.append(text)
        places.extend([at] * len(text))

    opened: tuple[str, ...] = ()
    for at, letter in enumerate(line):
        code = styles.codes[at] if at < len(styles.codes) else 0
        wanted = tuple(_TAGS[style] for style in styles_of_code(code))
        if wanted != opened:
            put("".join(f"</{tag}>" for tag in reversed(opened)), at)
            put("".join(f"<{tag}>" for tag in wanted), at)
            opened = wanted
        put(letter, at)
    put("".join(f"</{tag}>" for tag in reversed(opened)), len(line))
    return "".join(letters), [*places, len(line)]


def _moved(problem: LineProblem, places: Sequence[int]) -> LineProblem:
    """``problem`` with its spans where they are in the line without markup of styles."""

    def moved(span: Span) -> Span:
        return Span(places[span.start], places[span.end])

    fix = problem.fix if problem.fix is None else replace(problem.fix, span=moved(problem.fix.span))
    return LineProblem(problem.sentence, moved(problem.span), fix)


def _unread(read: AnswerLine, line: str) -> Iterator[LineProblem]:
    for before, piece in zip((None, *read.pieces), read.pieces, strict=False):
        if not piece.reason:
            continue
        text = piece.text.strip()
        if text in _CLOSERS:
            end = Span(len(line), len(line))
            fix = LineFix("Close the bracket", end, _CLOSERS[text])
            yield LineProblem(f"The bracket {text} is not closed.", piece.span, fix)
        elif piece.kind is PieceKind.UNREAD and _begins_clause(before):
            yield _missing_accept(piece)
        else:
            sentence = f"“{_shortened(text)}” cannot be read: {piece.reason}."
            yield LineProblem(sentence, piece.span)


def _without_directive(read: AnswerLine) -> Iterator[LineProblem]:
    """The names behind a semicolon in brackets that do not say again what to do with them."""
    depth = 0
    for before, piece in zip(read.pieces, read.pieces[1:], strict=False):
        if before.kind is PieceKind.MARK:
            depth += sum(before.text.count(opener) for opener in _CLOSERS)
            depth -= sum(before.text.count(closer) for closer in _CLOSERS.values())
            if depth > 0 and ";" in before.text and piece.kind is PieceKind.NAME:
                yield _missing_accept(piece)


def _lost_notes(read: AnswerLine) -> Iterator[LineProblem]:
    """Brackets that read as a note to the moderator, because their first words do not say what to do."""
    for piece in read.pieces:
        inside = piece.text.strip()
        if piece.kind is PieceKind.NOTE and inside[:1] in _CLOSERS and _LATER_DIRECTIVE.search(inside):
            start = piece.span.start + piece.text.index(inside) + 1
            fix = LineFix("Write “accept”", Span(start, start), "accept ")
            first = _shortened(inside[1:].partition(";")[0])
            yield LineProblem(f"“Accept” is missing before “{first}”.", piece.span, fix)


def _begins_clause(before: LinePiece | None) -> bool:
    """Whether a clause begins behind the piece ``before``."""
    return (
        before is not None
        and before.kind is PieceKind.MARK
        and before.text.strip()[-1:] in {"[", "(", ";", "{"}
    )


def _missing_accept(piece: LinePiece) -> LineProblem:
    start = piece.span.start + len(piece.text) - len(piece.text.lstrip())
    fix = LineFix("Write “accept”", Span(start, start), "accept ")
    return LineProblem(f"“Accept” is missing before “{_shortened(piece.text)}”.", piece.span, fix)


def _unmarked(read: AnswerLine, line: str) -> Iterator[LineProblem]:
    main = next((name for name in read.named(Directive.MAIN)), None)
    if main is None or not main.text.strip():
        return
    if not read.marked:
        yield LineProblem("No required words.", main.span, _mark(main, line, whole=False))
        return
    for clause in read.clauses:
        if clause.directive in {Directive.MAIN, Directive.ACCEPT} and not clause.described:
            for name in clause.names:
                if name.text.strip() and not name.required:
                    sentence = f"“{_shortened(name.text)}” has no required words."
                    yield LineProblem(sentence, name.span, _mark(name, line, whole=True))


def _mark(name: AnswerName, line: str, *, whole: bool) -> LineFix | None:
    """The fix that marks the required words of ``name``: of a person the surname, else the whole name."""
    source = name.span.of(line)
    if name.text not in source:
        return None
    wanted = name.text if whole else _likely_required(name.text)
    start = name.span.start + source.index(name.text) + name.text.rindex(wanted)
    return LineFix(
        f"Mark “{_shortened(wanted)}”", Span(start, start + len(wanted)), f"*_{wanted}_*", marks=True
    )


def _likely_required(name: str) -> str:
    """The words of ``name`` that a player has to say: two to four words in capitals are a person's name."""
    words = _WORD.findall(name)
    if not 2 <= len(words) <= 4 or not all(word[:1].isupper() for word in words) or words[0] in {"The", "A"}:
        return _ARTICLE.sub("", name)
    surname = words[-2] if words[-1] in _GENERATIONS and len(words) > 2 else words[-1]
    return str(surname.rstrip(","))


def _shortened(text: str) -> str:
    text = " ".join(text.split()).strip(" ;,")
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1].rstrip()}…"


# -- how often it was asked


def about_answer(known_as: str, times: TimesAsked | None, elsewhere: int) -> str:
    """What a writer should know of an answer, in a line; what needs attention comes first.

    ``known_as`` is the name of its page where that is another one, ``times`` None where nobody knows how
    often it was asked. ``elsewhere`` counts the other tossups of the set that ask for it.
    """
    said = []
    if elsewhere:
        said.append(f"Also the answer of {counted_noun(elsewhere, 'other tossup')} of this set.")
    if known_as:
        said.append(f"Players know it as {known_as}.")
    if times is not None:
        from quizwriter.workflow.past_wording import asked_sentence  # here, as no start needs it

        said.append(asked_sentence(times))
    return " ".join(said)


def times_and_year(count: int, last: int | None) -> str:
    """So often, and the last year if it is known: "14 times, last 2024"."""
    often = {1: "once", 2: "twice"}.get(count, f"{count:,} times")
    return often if last is None else f"{often}, last {last}"


def with_name(line: str, directive: Directive, name: str) -> str:
    """``line`` that says, too, what to do with ``name``, which somebody answered."""
    bare = " ".join(_OF_LINES.sub(" ", name).split())[:LONGEST_QUOTE]
    clause = f"{_DIRECTIONS[directive]} {bare}"
    open_at = line.rfind("[")
    if not bare:
        return line
    if open_at < 0 or not line.rstrip().endswith("]"):
        return f"{line.rstrip()} [{clause}]"
    if directive is Directive.ACCEPT:
        return f"{line[: open_at + 1]}{clause}; {line[open_at + 1 :]}"
    return f"{line.rstrip()[:-1].rstrip()}; {clause}]"


def lines_sentence(lines: Sequence[PastAnswerLine], main: str) -> str:
    """What past answer lines have in common: "14 past answer lines; most accept Cio-Cio-San."

    ``main`` is the main answer of the writer's own line. Empty where there are no past lines.
    """
    if not lines:
        return ""
    total = sum(line.count for line in lines)
    most = most_accepted(lines, main)
    accept = f"; most accept {most}" if most else ""
    return f"{counted_noun(total, 'past answer line')}{accept}."


def most_accepted(lines: Sequence[PastAnswerLine], main: str) -> str:
    """The other name that most of ``lines`` accept, each counted as often as it was used; empty if none."""
    own = answer_key(main) if main.strip() else ""
    return next((name for name in usual_names(lines) if answer_key(name) != own), "")


def usual_names(lines: Sequence[PastAnswerLine]) -> tuple[str, ...]:
    """The names that most of ``lines`` accept, each line counted as often as it was used, the usual first."""
    total = sum(line.count for line in lines)
    counts: dict[str, int] = {}
    names: dict[str, str] = {}
    for line in lines:
        read = read_answer_line(line.line)
        accepted = {
            answer_key(name.text): name.text
            for name in read.named(Directive.MAIN, Directive.ACCEPT)
            if name.text.strip()
        }
        for key, name in accepted.items():
            counts[key] = counts.get(key, 0) + line.count
            names.setdefault(key, name)
    usual = sorted((key for key in counts if 2 * counts[key] > total), key=lambda key: -counts[key])
    return tuple(names[key] for key in usual)
