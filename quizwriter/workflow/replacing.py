"""Find and replace in texts, and tidying: which edits that takes, in one text or in many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from quizwriter.domain.history import Edit, replay
from quizwriter.domain.span import Span

MOST_MATCHES = 2_000
"""Matches of one text; a draft has not so many words."""


class TextSearch(msgspec.Struct, frozen=True):
    """What is looked for: ``words`` as they are, spaces too.

    Without ``match_case``, letters that differ only in case are the same. ``whole_words``: a match neither
    begins nor ends inside a word.
    """

    words: str
    match_case: bool = False
    whole_words: bool = False

    def matches(self, text: str) -> tuple[Span, ...]:
        """The first :data:`MOST_MATCHES` places of the words in ``text``, none over another."""
        if not self.words:
            return ()
        folded, places = (text, range(len(text) + 1)) if self.match_case else _folded(text)
        wanted = self.words if self.match_case else self.words.casefold()
        found: list[Span] = []
        at = folded.find(wanted)
        while at >= 0 and len(found) < MOST_MATCHES:
            span = Span(places[at], places[at + len(wanted)])
            fits = _begins(places, at) and _begins(places, at + len(wanted))
            if fits and not (self.whole_words and _cuts_a_word(text, span)):
                found.append(span)
                at = folded.find(wanted, at + len(wanted))
            else:
                at = folded.find(wanted, at + 1)
        return tuple(found)

    def replacements(self, text: str, new: str) -> tuple[Edit, ...]:
        """The edits that put ``new`` in the place of each match; the last comes first, so all places hold."""
        return tuple(
            Edit(span.start, span.of(text), new)
            for span in reversed(self.matches(text))
            if span.of(text) != new
        )


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """``text`` without case, and for each letter of it, and for its end, the place in ``text``."""
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    parts = [letter.casefold() for letter in text]
    places = [place for place, part in enumerate(parts) for _ in part]
    return "".join(parts), [*places, len(text)]


def _begins(places: Sequence[int], at: int) -> bool:
    """Whether a letter of the text begins at ``at``: some letters are two without their case."""
    return at == 0 or places[at] != places[at - 1]


def _cuts_a_word(text: str, span: Span) -> bool:
    def inside(at: int) -> bool:
        return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()

    return inside(span.start) or inside(span.end)


def tidying_edits(text: str) -> tuple[Edit, ...]:
    """The edits that take away spaces nobody reads, the last one first.

    These are spaces at the ends of the text and of lines, all but one of several spaces, and all but one of
    several empty lines.
    """
    edits = []
    at = 0
    while at < len(text):
        if not text[at].isspace():
            at += 1
            continue
        end = at
        while end < len(text) and text[end].isspace():
            end += 1
        run = text[at:end]
        lines = run.count("\n")
        tidy = "\n" * min(lines, 2) if lines else run if len(run) == 1 else " "
        if at == 0 or end == len(text):
            tidy = ""
        if tidy != run:
            edits.append(Edit(at, run, tidy))
        at = end
    return tuple(reversed(edits))


AROUND = 40
"""Characters on each side of a match that a preview shows."""


class PlannedEdit(msgspec.Struct, frozen=True):
    """An edit of a tossup's text, or of its answer line, that is not made yet, with the words around it."""

    tossup_id: str
    title: str
    edit: Edit
    before: str
    after: str
    in_answer: bool = False


class TossupEdits(msgspec.Struct, frozen=True):
    """Edits of one tossup: of its text and of its answer line, each list with the last place first."""

    text: tuple[Edit, ...] = ()
    answer: tuple[Edit, ...] = ()


class EditableTossup(msgspec.Struct, frozen=True):
    """A tossup of which edits can be planned; ``locked``: it takes none."""

    tossup_id: str
    title: str
    text: str
    locked: bool = False
    answer_line: str | None = None


class EditPlan(msgspec.Struct, frozen=True):
    """What would be done: all edits in the order of the texts, and how many tossups are locked.

    ``blank`` are the ids of tossups with neither text nor answer, which tidying finds. ``looked_at`` is how
    many tossups were looked through.
    """

    edits: tuple[PlannedEdit, ...] = ()
    locked: int = 0
    blank: tuple[str, ...] = ()
    looked_at: int = 0


def plan_replacing(tossups: Iterable[EditableTossup], search: TextSearch, new: str) -> EditPlan:
    """The edits that put ``new`` in the place of each match in the texts and answer lines of ``tossups``."""
    return _plan(
        (one, search.replacements(one.text, new), search.replacements(one.answer_line or "", new))
        for one in tossups
    )


def plan_tidying(tossups: Iterable[EditableTossup]) -> EditPlan:
    found = list(tossups)
    blank = tuple(
        one.tossup_id for one in found if not (one.text.strip() or one.answer_line is not None or one.locked)
    )
    plan = _plan((one, tidying_edits(one.text), ()) for one in found if one.tossup_id not in blank)
    return replace(plan, blank=blank, looked_at=len(found))


def _plan(found: Iterable[tuple[EditableTossup, Sequence[Edit], Sequence[Edit]]]) -> EditPlan:
    planned, locked, looked_at = list[PlannedEdit](), 0, 0
    for one, of_text, of_answer in found:
        looked_at += 1
        if one.locked:
            locked += bool(of_text or of_answer)
            continue
        planned += _planned(one, reversed(of_text), in_answer=False)
        planned += _planned(one, reversed(of_answer), in_answer=True)
    return EditPlan(tuple(planned), locked, looked_at=looked_at)


def _planned(one: EditableTossup, edits: Iterable[Edit], *, in_answer: bool) -> Iterator[PlannedEdit]:
    text = one.answer_line or "" if in_answer else one.text
    for edit in edits:
        end = edit.start + len(edit.removed)
        before, after = text[max(0, edit.start - AROUND) : edit.start], text[end : end + AROUND]
        yield PlannedEdit(one.tossup_id, one.title, edit, before, after, in_answer)


def chosen_edits(plan: Iterable[PlannedEdit]) -> dict[str, TossupEdits]:
    """The planned edits by tossup, the last one of each text first, so that all places hold."""
    found: dict[str, list[PlannedEdit]] = {}
    for one in sorted(plan, key=lambda one: -one.edit.start):
        found.setdefault(one.tossup_id, []).append(one)
    return {
        key: TossupEdits(
            tuple(one.edit for one in planned if not one.in_answer),
            tuple(one.edit for one in planned if one.in_answer),
        )
        for key, planned in found.items()
    }


def edited(text: str, edits: Sequence[Edit]) -> str | None:
    """``text`` after ``edits``; None if one of them does not fit, because the text was changed meanwhile."""
    try:
        return replay(edits, text)
    except ValueError:
        return None
