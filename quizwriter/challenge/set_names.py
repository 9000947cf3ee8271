"""The state of a set, with the tossups in which a name waits for the editor's decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from quizwriter.challenge.name_decisions import NameDecisions, NameGroup
from quizwriter.challenge.name_search import NameMatch
from quizwriter.challenge.privacy import name_scanner
from quizwriter.workflow.set_state import StateLine

if TYPE_CHECKING:
    from quizwriter.services.wiring import App


def state_with_names(app: App, sets: Sequence[str] = ()) -> tuple[StateLine, ...]:
    """The state of the tossups in ``sets``, or of all, see :meth:`Statistics.state`, and undecided names."""
    lines = app.statistics.state(sets)
    tossups = lines[0].tossups if lines else ()
    keys = dict.fromkeys(key for one in undecided_names(app, tossups) for key in one.tossups)
    if not keys:
        return lines
    named = StateLine("To be decided", "Whether a name is a writer's", tuple(keys), len(tossups))
    at = max((at for at, one in enumerate(lines) if one.group in ("Consents", named.group)), default=0) + 1
    return (*lines[:at], named, *lines[at:])


def undecided_names(app: App, tossups: Sequence[str]) -> tuple[NameGroup, ...]:
    """The names in the texts and answer lines of ``tossups`` on which the user has not decided."""
    scanner = name_scanner(app)

    def matches() -> Iterator[NameMatch]:
        for key in tossups:
            tossup = app.store.load(key).tossup
            line = tossup.answer.line if tossup.answer is not None else ""
            subject = (tossup.answer.page or tossup.answer.main) if tossup.answer is not None else ""
            for place, text in (("the text", tossup.text), ("the answer line", line)):
                for match in scanner.search(text, place, subject=subject):
                    yield replace(match, tossup_id=key)

    groups = NameDecisions.of_editor(app).groups(matches())
    return tuple(one for one in groups if one.verdict is None)
