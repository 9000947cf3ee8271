"""Events: what happens to a tossup beside its edits, and the table of their kinds.

An :class:`Event` is only ever added. The state of a tossup is a fold of its events, see
:mod:`quizwriter.domain.review_state`, and :mod:`quizwriter.workflow.event_log` has a sentence for each.
A kind is a class of bodies, declared once with :func:`event_kind`: databases, packs, challenge sets and the
log read the declaration.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any, TypeVar, cast

import msgspec

from quizwriter.domain.signatures import Authenticity, signed_text
from quizwriter.system.decoding import DecodingError, decode_small_json
from quizwriter.system.signing import Signature


class Body(msgspec.Struct, frozen=True):
    """What an event says; each kind of event is a class of its own."""

    @property
    def strictness(self) -> int:
        """How much it forbids of the release; of two forms of one event, the stricter one counts."""
        return 0


class Released(StrEnum):
    """Whether a challenge set with histories holds the events of a kind."""

    ALWAYS = "always"
    WITH_REMARKS = "with remarks"  # they only say something, which the editor may leave out
    NEVER = "never"  # they are notes for the desk


class EventKind(msgspec.Struct, frozen=True):
    """What is declared of a kind of events.

    ``name`` stands for the kind in files, in databases and in the ids of events. ``log`` is the page of the
    log with its entries, empty if it is in no log. Programs know the kind since version ``pack`` of packs.
    ``later`` has the fields that came after the first release of the kind, each with the version of packs
    that first had it: where such a field is empty, it is not written. ``texts`` has the fields with words of
    people, in which a release is searched for names, each with what a finding says of it; {} is the tossup.
    """

    name: str
    body: type[Body]
    log: str
    pack: int = 1
    later: Mapping[str, int] = {}
    texts: Mapping[str, str] = {}
    released: Released = Released.ALWAYS


_KINDS: dict[str, EventKind] = {}
_KIND_OF: dict[type[Body], EventKind] = {}

_MODULES = ("review", "style_sheet", "styles", "tossup_game")
"""The modules of this package that declare kinds."""

B = TypeVar("B", bound=Body)


def event_kind(
    name: str,
    *,
    log: str,
    pack: int = 1,
    later: Mapping[str, int] | None = None,
    texts: Mapping[str, str] | None = None,
    released: Released = Released.ALWAYS,
) -> Callable[[type[B]], type[B]]:
    """Declare that a class of bodies is a kind of event; the arguments are fields of :class:`EventKind`."""

    def declare(body: type[B]) -> type[B]:
        _KINDS[name] = _KIND_OF[body] = EventKind(name, body, log, pack, later or {}, texts or {}, released)
        return body

    return declare


def event_kinds() -> Mapping[str, EventKind]:
    _load_kinds()
    return _KINDS


@cache
def _load_kinds() -> None:
    for module in _MODULES:
        import_module(f"{__package__}.{module}")


def kind_of(body: Body) -> EventKind:
    return _KIND_OF[type(body)]


# -- bodies in files and databases

LARGEST_BODY = 1 << 20
"""Bytes of the values of one event as JSON; a comment of some pages is a hundredth of that."""


def encode_body(body: Body) -> tuple[str, dict[str, Any]]:
    """The name of the kind of ``body`` and its values, ready for JSON."""
    kind = kind_of(body)
    values = cast(dict[str, Any], msgspec.to_builtins(body))
    for name in kind.later:  # without its later fields a body reads as it always did
        if not values[name]:
            del values[name]
    return kind.name, values


def first_pack_version(body: Body) -> int:
    """The first version of packs whose programs know such a ``body``; older programs refuse the pack."""
    kind = kind_of(body)
    return max([kind.pack, *(since for name, since in kind.later.items() if getattr(body, name))])


def newest_pack_version() -> int:
    """The version of packs that every kind of event, with all its fields, fits into."""
    return max(since for kind in event_kinds().values() for since in (kind.pack, *kind.later.values()))


def decode_body(kind: str, raw: bytes | str) -> Body:
    """The body whose kind and values :func:`encode_body` gave; ``raw`` is the values as JSON.

    Raises:
        DecodingError: the kind or a field is unknown, as in the files of a newer program, a value is not of
            the type and within the limits of its field, or ``raw`` is not JSON or longer than
            :data:`LARGEST_BODY`.
    """
    known = event_kinds().get(kind)
    if known is None:
        raise DecodingError(f"an event of an unknown kind ({kind[:40]!r})")
    if len(raw) > LARGEST_BODY:
        raise DecodingError(f"an event is longer than {LARGEST_BODY:,} bytes")
    return decode_small_json(raw, known.body)


# -- events

_CONTENT_ID = re.compile(r"(.*)-([0-9a-f]{32})", re.DOTALL)


class Event(msgspec.Struct, frozen=True):
    """Something that happened to a tossup beside its edits.

    ``seq`` and ``after`` name the last edit there was then, by its number and its id; the store fills them
    in. An event belongs to every branch that has this edit.

    ``authenticity`` is what the signature proves on this computer; the store fills it in.
    """

    id: str
    tossup_id: str
    at_ms: int  # milliseconds since 1970, later than any event of the tossup that was known then
    author: str  # a person's id; empty if unknown
    body: Body
    seq: int = 0
    after: str = ""
    signature: Signature | None = None
    authenticity: Authenticity = Authenticity.UNSIGNED

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and self._compared == other._compared

    def __hash__(self) -> int:
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[object, ...]:  # two machines may know different signatures of one event
        return self.id, self.tossup_id, self.at_ms, self.author, self.body, self.seq, self.after

    @classmethod
    def new(cls, tossup_id: str, at_ms: int, author: str, body: Body) -> Event:
        """An event that happens now, with a random id; the store makes :attr:`content_id` of it."""
        return cls(uuid.uuid4().hex, tossup_id, at_ms, author, body)

    @property
    def content_id(self) -> str:
        """The id that says what the event is: what was its id, a hyphen, and 32 digits of SHA-256.

        ``tossup_id`` has to be the root of the tossup. A value of the body that is the default is left out,
        so that a field that a later version adds changes no id.
        """
        found = _CONTENT_ID.fullmatch(self.id)
        name = found[1] if found else self.id
        body = json.dumps(_given(self.body), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        text = signed_text(
            "event",
            name,
            self.tossup_id,
            self.seq,
            self.after,
            self.at_ms,
            self.author,
            kind_of(self.body).name,
            body,
        )
        return f"{name}-{hashlib.sha256(text).hexdigest()[:32]}"

    @property
    def altered(self) -> bool:
        """Whether the id says that the event was another one; the random id of an older program says nothing.

        ``tossup_id`` has to be the root of the tossup.
        """
        return _CONTENT_ID.fullmatch(self.id) is not None and self.id != self.content_id

    @property
    def statement(self) -> bytes:
        """The text that its author signs; ``tossup_id`` has to be the root of the tossup."""
        return signed_text("said", self.content_id)

    def preferred(self, other: Event) -> Event:
        """This or ``other``, which has the same id: the same choice on every computer.

        A signed event comes before an unsigned one, a refusal of consent before anything else.
        """
        if (self, self.signature) == (other, other.signature):
            return self
        return max(
            self, other, key=lambda one: (one.signature is not None, one.body.strictness, one.content_id)
        )

    @property
    def order(self) -> tuple[int, str]:
        """The place among others, the same on every machine."""
        return self.at_ms, self.id


def _given(value: object) -> object:
    """``value`` ready for JSON, without those fields of records that have their defaults."""
    if isinstance(value, msgspec.Struct):
        names, defaults = value.__struct_fields__, value.__struct_defaults__
        usual = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        found = {name: getattr(value, name) for name in names}
        return {name: _given(has) for name, has in found.items() if name not in usual or has != usual[name]}
    if isinstance(value, tuple):
        return [_given(one) for one in value]
    return value
