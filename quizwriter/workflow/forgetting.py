"""Histories without the names of forgotten people, the same on every computer that forgot the same names.

Each letter of a draft comes from one edit. A letter that was ever part of a name is blacked in the edit that
typed it, in those that removed it and in the text, so the history still replays, and no position moves. What
changes gets another id, also where events name it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Event, decode_body, encode_body
from quizwriter.domain.forgotten_names import BLACK, ForgottenNames
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.tossup import Answer
from quizwriter.system.decoding import DecodingError
from quizwriter.workflow.branches import Branch

LONGEST_NAME = 120
"""Letters before and behind an edit in which a name that it completes is looked for."""


class CleanedBranches(msgspec.Struct, frozen=True):
    """Branches of one tossup without names.

    ``masked`` has, by the ids that edits had, which of their letters are blacked; ``renamed`` the ids that
    edits and events have now, by those that they had. Both are empty where nothing was found.
    """

    branches: tuple[Branch, ...]
    masked: Mapping[str, tuple[int, ...]] = {}
    renamed: Mapping[str, str] = {}


def clean_branches(branches: Sequence[Branch], forgotten: ForgottenNames) -> CleanedBranches:
    masked: dict[str, set[int]] = {}
    for branch in branches:
        _look_for_names(branch, forgotten, masked)
    cleaned = [_without_letters(branch, masked, forgotten) for branch in branches]
    renamed = {
        old: new
        for before, after in zip(branches, cleaned, strict=True)
        for old, new in zip(before.ids, after.ids, strict=True)
        if old != new
    }
    events: dict[str, Event] = {}
    for event in sorted({one.id: one for branch in branches for one in branch.events}.values(), key=_order):
        events[event.id] = new = _clean_event(event, forgotten, renamed)
        if new.id != event.id:
            renamed[event.id] = new.id
    found = []
    for before, after in zip(branches, cleaned, strict=True):
        ids = set(after.ids)
        runs = tuple(run for run in before.runs if run.first in ids and run.last in ids)
        said = tuple(sorted((events[one.id] for one in before.events), key=_order))
        found.append(replace(after, events=said, runs=runs))
    places = {key: tuple(sorted(at)) for key, at in masked.items()}
    return CleanedBranches(tuple(found), places, renamed)


def _order(event: Event) -> tuple[int, str]:
    return event.order


def _look_for_names(branch: Branch, forgotten: ForgottenNames, masked: dict[str, set[int]]) -> None:
    """Add the letters of each version that are part of a name, by the edit that typed them."""
    text, letters = "", list[tuple[str, int]]()
    for change, made in zip(branch.changes, branch.ids, strict=True):
        edit = change.edit
        start, end = edit.start, edit.start + len(edit.inserted)
        letters[start : start + len(edit.removed)] = [(made, at) for at in range(len(edit.inserted))]
        text = edit.apply(text)
        if forgotten.masked and (known := forgotten.masked.get(forgotten.digest(made))):
            masked.setdefault(made, set()).update(known)
        first = max(0, start - LONGEST_NAME)
        for begins, ends in forgotten.spans(text[first : end + LONGEST_NAME]):
            for at in range(first + begins, first + ends):
                if text[at].isalnum():
                    key, place = letters[at]
                    masked.setdefault(key, set()).add(place)


def _without_letters(branch: Branch, masked: Mapping[str, set[int]], forgotten: ForgottenNames) -> Branch:
    """``branch`` with those letters blacked, and its answers without names; its events stay away."""
    letters: list[str] = []
    changes: list[Change] = []
    for change, made in zip(branch.changes, branch.ids, strict=True):
        edit = change.edit
        hidden = masked.get(made, ())
        inserted = [BLACK if at in hidden else one for at, one in enumerate(edit.inserted)]
        end = edit.start + len(edit.removed)
        removed = "".join(letters[edit.start : end])
        letters[edit.start : end] = inserted
        changes.append(replace(change, edit=Edit(edit.start, removed, "".join(inserted))))
    answers = (
        one
        if one.answer is None
        else replace(one, answer=Answer(forgotten.blacked(one.answer.line), one.answer.page))
        for one in branch.answers
    )
    return Branch.of(branch.root, branch.created_ms, changes, answers, branch.games)


def _clean_event(event: Event, forgotten: ForgottenNames, renamed: Mapping[str, str]) -> Event:
    """``event``, whose tossup is given by its root, without names, and about what has other ids now."""
    kind, values = encode_body(event.body)
    said = _renamed(forgotten.without_names(values), renamed, forgotten)
    body = event.body
    if said != values:
        try:
            body = decode_body(kind, json.dumps(said, ensure_ascii=False))
        except DecodingError:  # a word that has a meaning of its own, such as a status
            body = event.body
    new = replace(event, body=body, after=renamed.get(event.after, event.after))
    if new == event:
        return event
    return replace(new, id=new.content_id, signature=None)


def _renamed(value: object, renamed: Mapping[str, str], forgotten: ForgottenNames) -> object:
    """``value`` with the ids that edits and events have now."""
    match value:
        case str():
            return renamed.get(value) or forgotten.renamed.get(forgotten.digest(value), value)
        case list():
            return [_renamed(one, renamed, forgotten) for one in value]
        case dict():
            return {key: _renamed(inside, renamed, forgotten) for key, inside in value.items()}
    return value
