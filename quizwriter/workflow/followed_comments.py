"""What was said on a branch that another one supersedes, to be said again on the branch that goes on.

The person who joins branches says it again, with the names of those who said it first: nobody can sign for
others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Body, Event
from quizwriter.domain.review import Commented, Replied, Suggested
from quizwriter.domain.review_state import Comment, Review, Suggestion
from quizwriter.domain.span import Span
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.system.decoding import LONGEST_TEXT


class FollowedComment(msgspec.Struct, frozen=True):
    """Something to be said on the branch that goes on.

    ``origin`` is the id of the event that said it first. ``detached`` says that its words are not in the
    text any more, so that it is about the whole text.
    """

    origin: str
    body: Body
    resolved: bool = False
    detached: bool = False


def followed_comments(
    review: Review,
    known: Collection[str],
    trail: AnchorTracker,
    seq: int,
    credited: Callable[[Event, str], str],
) -> Iterator[FollowedComment]:
    """The comments, replies and open suggestions in ``review`` whose events are not among the ``known`` ones.

    ``trail`` is the history of the superseded branch, continued to the text that goes on, whose last edit
    is number ``seq`` there. ``credited`` puts a name before what somebody said. What becomes too long for one
    comment is said in several.
    """
    for one in _followed(review, known, trail, seq, credited):
        yield from _in_parts(one)


def _followed(
    review: Review,
    known: Collection[str],
    trail: AnchorTracker,
    seq: int,
    credited: Callable[[Event, str], str],
) -> Iterator[FollowedComment]:
    for comment in review.comments:
        replies = [reply for reply in comment.replies if reply.id not in known]
        if comment.event.id not in known:
            yield _comment(comment, trail, seq, credited)
            continue
        for reply in replies:
            text = credited(reply, _said(reply))
            yield FollowedComment(reply.id, Replied(comment.event.id, text))
    for suggestion in review.suggestions:
        if suggestion.event.id not in known and suggestion.decision is None:
            yield _suggestion(suggestion, trail, seq, credited)


def _comment(
    comment: Comment, trail: AnchorTracker, seq: int, credited: Callable[[Event, str], str]
) -> FollowedComment:
    body = comment.event.body
    assert isinstance(body, Commented)
    said = "\n".join(credited(one, _said(one)) for one in (comment.event, *comment.replies))
    place = trail.place(body.seq, Span(body.start, body.end)) if body.quoted else None
    found = Commented(said)
    if place is not None:
        found = Commented(said, seq, place.start, place.end, place.of(trail.text))
    elif body.quoted:
        found = Commented(f"{said}\n{_gone(body.quoted)}")
    return FollowedComment(comment.event.id, found, comment.resolved, bool(body.quoted) and place is None)


def _suggestion(
    suggestion: Suggestion, trail: AnchorTracker, seq: int, credited: Callable[[Event, str], str]
) -> FollowedComment:
    body = suggestion.event.body
    assert isinstance(body, Suggested)
    edit = trail.rebased(body.seq, body.edit)
    if edit is not None:
        return FollowedComment(
            suggestion.event.id, Suggested(seq, edit, credited(suggestion.event, body.note))
        )
    wanted = f"Suggested “{body.edit.inserted}” for “{body.edit.removed}”. {body.note}".rstrip()
    text = f"{credited(suggestion.event, wanted)}\n{_gone(body.edit.removed)}".rstrip()
    return FollowedComment(suggestion.event.id, Commented(text), detached=True)


def _in_parts(one: FollowedComment) -> Iterator[FollowedComment]:
    """``one`` as events that can be recorded, whatever names and quotations have made its text longer."""
    body = one.body
    field = "note" if isinstance(body, Suggested) else "text"
    first, *rest = _parts(getattr(body, field))
    yield replace(one, body=replace(body, **{field: first}))
    for at, part in enumerate(rest, 2):
        more = Replied(body.comment, part) if isinstance(body, Replied) else Commented(part)
        yield FollowedComment(f"{one.origin} {at}", more, one.resolved)


def _parts(text: str) -> list[str]:
    """``text`` in parts that are not too long for an event."""
    return [text[at : at + LONGEST_TEXT] for at in range(0, max(1, len(text)), LONGEST_TEXT)]


def _said(event: Event) -> str:
    return event.body.text if isinstance(event.body, Commented | Replied) else ""


def _gone(quoted: str) -> str:
    return f"(The words that it was about are no longer in the text: “{quoted}”)" if quoted.strip() else ""
