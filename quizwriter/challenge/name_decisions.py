"""What the editor decided about names in texts to be released: one decision for each name, asked once.

Decisions are events in the database, so packs take them to the editor's other computer.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from quizwriter.challenge.name_forms import letters_only
from quizwriter.challenge.name_search import NameMatch
from quizwriter.domain.events import Event
from quizwriter.domain.review import NameDecided, NameVerdict, TakenBack
from quizwriter.domain.review_state import NOT_OF_THE_AUTHOR
from quizwriter.errors import QuizwriterError
from quizwriter.services.look_alikes import plain_letters
from quizwriter.system.decoding import DecodingError, decode_json, read_limited
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.wording import counted_noun, listed

if TYPE_CHECKING:
    from quizwriter.services.wiring import App

_MOST_DECISIONS = 64 << 20  # bytes of the file of older decisions
_KEY = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{24}\Z")]
_NAMED = 5  # groups that the sentence of an error names
_KIND = "name decision"


def name_letters(words: str) -> str:
    """What words have in common that are one name: case, accents and all but letters and digits go."""
    return letters_only(plain_letters(words))


class NameGroup(msgspec.Struct, frozen=True):
    """All places in which one name was found, and what the editor decided; None: nothing yet."""

    matches: tuple[NameMatch, ...]
    verdict: NameVerdict | None = None

    @property
    def words(self) -> str:
        """The name, as it was found first."""
        return self.matches[0].found

    @property
    def people(self) -> tuple[str, ...]:
        """Whose name it may be."""
        return tuple(dict.fromkeys(one.name for one in self.matches))

    @property
    def tossups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.tossup_id for one in self.matches if one.tossup_id))

    @property
    def may_pass(self) -> bool:
        """Whether the editor can say that it is another person's; an address or an id is nobody else's."""
        return not any(one.exact for one in self.matches)

    @property
    def sentence(self) -> str:
        """The name, whose it may be, and where it is."""
        where = counted_noun(len(self.tossups), "tossup") if self.tossups else self.matches[0].place
        decided = f", decided: {self.verdict}" if self.verdict else ""
        return f"“{self.words}” (like {listed(self.people)}) is in {where}{decided}"


class NameDecisions(msgspec.Struct, frozen=True):
    """The verdicts by the letters of the name; ``keys`` are places that an older version let pass."""

    verdicts: Mapping[str, NameVerdict] = {}
    keys: frozenset[str] = frozenset()

    @classmethod
    def of_editor(cls, app: App, others: Iterable[str] = ()) -> NameDecisions:
        """The decisions of the user of ``app``, who releases; ``others`` are those of the set's own file."""
        found = _verdicts(app.store.events_of_kind(_KIND), app.profile.me.id)
        kept = {name_letters(name): NameVerdict.ANOTHER_PERSON for name in others}
        return cls({**kept, **found}, _older_keys(app.home))

    @classmethod
    def of_anybody(cls, app: App) -> NameDecisions:
        """The decisions of all editors whose packs are in the database, for who verifies."""
        return cls(_verdicts(app.store.events_of_kind(_KIND), None), _older_keys(app.home))

    def verdict(self, match: NameMatch) -> NameVerdict | None:
        if match.key in self.keys:
            return NameVerdict.ANOTHER_PERSON
        found = self.verdicts.get(name_letters(match.found))
        return None if match.exact and found is NameVerdict.ANOTHER_PERSON else found

    def passes(self, match: NameMatch) -> bool:
        return self.verdict(match) is NameVerdict.ANOTHER_PERSON

    def groups(self, matches: Iterable[NameMatch]) -> tuple[NameGroup, ...]:
        """``matches`` by name, in the order in which the names come first."""
        found: dict[tuple[str, NameVerdict | None], list[NameMatch]] = {}
        for one in matches:
            found.setdefault((name_letters(one.found), self.verdict(one)), []).append(one)
        return tuple(NameGroup(tuple(of), verdict) for (_, verdict), of in found.items())


def _verdicts(events: Sequence[Event], editor: str | None) -> dict[str, NameVerdict]:
    """The newest verdict on each name; only those that ``editor`` made for sure, if there is one."""
    happened = sorted({event.id: event for event in events}.values(), key=lambda one: (one.at_ms, one.id))
    gone = {one for event in happened if isinstance(event.body, TakenBack) for one in event.body.events}
    return {
        name_letters(event.body.words): event.body.verdict
        for event in happened
        if isinstance(event.body, NameDecided)
        and event.id not in gone
        and event.authenticity not in NOT_OF_THE_AUTHOR
        and editor in (None, event.author)
    }


def _older_keys(home: Path) -> frozenset[str]:
    """The places that an older version let pass one by one, from its file."""
    path = home / "challenge" / "names.json"
    try:
        return frozenset(decode_json(read_limited(path, _MOST_DECISIONS), list[_KEY]))
    except FileNotFoundError:
        return frozenset()
    except (OSError, DecodingError) as trouble:
        raise QuizwriterError(
            f"{path}, which says which words name no writer, cannot be read ({trouble}).",
            "Restore a copy; or delete it, and decide again.",
        ) from trouble


def decide_names(
    app: App,
    decided: Mapping[str, NameVerdict],
    groups: Iterable[NameGroup],
    candidates: Collection[str],
) -> None:
    """Record a verdict on each of some names, as the user of ``app``.

    It is recorded of the tossups of ``groups`` in which the name was found; of all ``candidates`` if it was
    found in none.
    """
    found: dict[str, list[str]] = {}
    for group in groups:
        found.setdefault(name_letters(group.words), []).extend(group.tossups)
    newest = max((one.at_ms for one in app.store.events_of_kind(_KIND)), default=0)
    me, at_ms, events = app.profile.me.id, max(now_ms(), newest + 1), []
    for words, verdict in decided.items():
        letters = name_letters(words)
        if not letters:
            raise QuizwriterError(f"“{words[:40]}” is not a name.", "Give the words as they were found.")
        if not (tossups := found.get(letters) or candidates):
            raise QuizwriterError(
                "There is no tossup to keep this decision with.", "Choose tossups that can be released."
            )
        events += [Event.new(key, at_ms, me, NameDecided(words, verdict)) for key in dict.fromkeys(tossups)]
    app.store.add_events(events)


class NamesFoundError(QuizwriterError):
    """Names of people would be released; ``groups`` are all of them, ``candidates`` the tossups searched."""

    def __init__(self, groups: Sequence[NameGroup], candidates: Collection[str] = ()) -> None:
        """The sentence names the first groups, each with the place where the name is first."""
        said = "; ".join(
            f"“{one.words}” (like {listed(one.people)}) in {one.matches[0].place} ({one.matches[0].context})"
            + (f" and {counted_noun(len(one.matches) - 1, 'more place')}" if len(one.matches) > 1 else "")
            for one in islice(groups, _NAMED)
        )
        more = f"; and {counted_noun(len(groups) - _NAMED, 'more name')}" if len(groups) > _NAMED else ""
        super().__init__(
            f"Names of people would be released: {said}{more}. Nothing was exported.",
            "Change those texts, or decide that a name, as it was found, is another person's "
            f"(--other-person {shlex.quote(groups[0].words)}).",
        )
        self.groups, self.candidates = tuple(groups), tuple(candidates)


def raise_if_named(groups: Sequence[NameGroup], candidates: Collection[str] = ()) -> None:
    """Raise if any of ``groups`` is not known to name another person."""
    if stopping := [one for one in groups if one.verdict is not NameVerdict.ANOTHER_PERSON]:
        raise NamesFoundError(stopping, candidates)
