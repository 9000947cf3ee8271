"""What people say of a tossup and would change in it, beside the text as it is now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Commented, Decided, Replied, Suggested
from quizwriter.domain.review_state import Comment, Review, Suggestion
from quizwriter.domain.signatures import Authenticity
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, Styled, TextStyles, styles_after
from quizwriter.domain.text_anchors import AnchorTracker

AROUND = 32
"""Characters on each side of a suggested change that are shown with it, cut at a space."""


class ThreadEntry(msgspec.Struct, frozen=True):
    """What somebody said, and when."""

    event: str  # its id
    author: str  # the person's id
    at_ms: int
    text: str
    authenticity: Authenticity = Authenticity.UNSIGNED  # whether it was that person


class SuggestionState(msgspec.Struct, frozen=True):
    """A suggested edit as it stands now.

    ``edit`` is what accepting it would do; None where the words it was made of have changed. ``made`` says
    that the text has come to say so anyway.
    """

    removed: str
    inserted: str
    before: str  # what stood on both sides of it, shortened
    after: str
    edit: Edit | None
    made: bool = False


class Thread(msgspec.Struct, frozen=True):
    """A comment with its replies, or a suggestion, and where in the text it belongs.

    ``place`` is None for a comment on the whole tossup, and where the text is gone; ``quoted`` is what
    stood there when it was made. ``placed``: its place was looked up, which takes long where there are many.
    """

    id: str  # of the event that began it
    remarks: tuple[ThreadEntry, ...]
    place: Span | None
    quoted: str = ""
    open: bool = True
    outcome: str = ""  # what was decided about a suggestion; empty while nothing is
    proposal: SuggestionState | None = None
    styles: TextStyles = PLAIN  # of what is quoted, as it was
    placed: bool = True

    @property
    def is_removed(self) -> bool:
        """Whether the text it is about is no longer there."""
        return self.placed and self.place is None and (bool(self.quoted) or self.proposal is not None)


def quoted_styles(
    review: Review, changes: Sequence[Change], events: Sequence[Event]
) -> dict[str, TextStyles]:
    """The styles of the words that the comments in ``review`` are about, by the ids of their events.

    ``changes`` and ``events`` are those of the tossup, in order. Plain words are left out.
    """
    styled = [event for event in events if isinstance(event.body, Styled)]
    found: dict[str, TextStyles] = {}
    for comment in review.comments if styled else ():
        said, body = comment.event, comment.event.body
        assert isinstance(body, Commented)
        before = [event for event in styled if event.seq <= body.seq and event.order < said.order]
        styles = styles_after(changes[: body.seq], before).stretch(Span(body.start, body.end))
        if styles:
            found[said.id] = styles
    return found


def threads(
    review: Review, trail: AnchorTracker, styles: Mapping[str, TextStyles] | None = None
) -> tuple[Thread, ...]:
    """All that is said in ``review``, in the order of the text; what has no place there comes last.

    ``trail`` begins with the tossup's history, and may go on with what is not saved yet. ``styles`` are what
    :func:`quoted_styles` found.
    """
    return in_order(each_thread(review, trail, styles or {}))


def each_thread(
    review: Review,
    trail: AnchorTracker,
    styles: Mapping[str, TextStyles],
    only: Collection[str] | None = None,
) -> Iterator[Thread]:
    """What :func:`threads` returns, one by one and in no order; None: all of them, else ``only`` these."""
    for comment in review.comments:
        if only is None or comment.event.id in only:
            yield replace(_comment(comment, trail), styles=styles.get(comment.event.id, PLAIN))
    for suggestion in review.suggestions:
        if only is None or suggestion.event.id in only:
            yield _suggestion(suggestion, trail)


def threads_by_time(
    review: Review, trail: AnchorTracker, styles: Mapping[str, TextStyles], first: int
) -> tuple[Thread, ...]:
    """What is open in ``review``, then the rest, each the oldest first.

    What comes after the ``first`` of all has no place.
    """

    def order(one: Comment | Suggestion) -> tuple[bool, tuple[int, str]]:
        closed = one.resolved if isinstance(one, Comment) else one.decision is not None
        return closed, one.event.order

    said: list[Comment | Suggestion] = [*review.comments, *review.suggestions]
    return tuple(
        _suggestion(one, trail if at < first else None)
        if isinstance(one, Suggestion)
        else replace(_comment(one, trail if at < first else None), styles=styles.get(one.event.id, PLAIN))
        for at, one in enumerate(sorted(said, key=order))
    )


def in_order(found: Iterable[Thread]) -> tuple[Thread, ...]:
    def order(thread: Thread) -> tuple[bool, int, int, str]:
        start = thread.place.start if thread.place is not None else 0
        return thread.place is None, start, thread.remarks[0].at_ms, thread.id

    return tuple(sorted(found, key=order))


def _comment(comment: Comment, trail: AnchorTracker | None) -> Thread:
    body = comment.event.body
    assert isinstance(body, Commented)
    span = Span(body.start, body.end)
    remarks = [_remark(comment.event, body.text)]
    for reply in comment.replies:
        assert isinstance(reply.body, Replied)
        remarks.append(_remark(reply, reply.body.text))
    place = trail.place(body.seq, span) if body.quoted and trail is not None else None
    return Thread(
        comment.event.id,
        tuple(remarks),
        place,
        body.quoted,
        open=not comment.resolved,
        placed=trail is not None,
    )


def _suggestion(suggestion: Suggestion, trail: AnchorTracker | None) -> Thread:
    body = suggestion.event.body
    assert isinstance(body, Suggested)
    edit, seq = body.edit, body.seq
    place, proposal = None, SuggestionState(edit.removed, edit.inserted, "", "", None)
    if trail is not None:
        span = Span(edit.start, edit.start + len(edit.removed))
        place = trail.place(seq, span)
        now = place.of(trail.text) if place is not None else ""
        made = place is not None and (
            now == edit.inserted
            if edit.removed
            else bool(edit.inserted) and trail.text.startswith(edit.inserted, place.start)
        )
        before, after = _around(trail.version(seq), span)
        proposal = replace(proposal, before=before, after=after, edit=trail.rebased(seq, edit), made=made)
    remarks = [_remark(suggestion.event, body.note)]
    outcome = ""
    if suggestion.decision is not None:
        decision = suggestion.decision.body
        assert isinstance(decision, Decided)
        outcome = "Accepted" if decision.accepted else "Declined"
        remarks.append(_remark(suggestion.decision, decision.reason))
    return Thread(
        suggestion.event.id,
        tuple(remarks),
        place,
        edit.removed,
        open=suggestion.decision is None,
        outcome=outcome,
        proposal=proposal,
        placed=trail is not None,
    )


def _remark(event: Event, text: str) -> ThreadEntry:
    return ThreadEntry(event.id, event.author, event.at_ms, text, event.authenticity)


def _around(text: str, span: Span) -> tuple[str, str]:
    """What stands on both sides of ``span``, no more than a few words."""
    before, after = text[: span.start], text[span.end :]
    if len(before) > AROUND:
        short = before[-AROUND:]
        before = "\u2026" + (short[short.find(" ") :] if " " in short[:-1] else short)
    if len(after) > AROUND:
        short = after[:AROUND]
        after = (short[: short.rfind(" ") + 1] if " " in short[1:] else short) + "\u2026"
    return before, after


def whole_words(text: str, edit: Edit) -> Edit:
    """``edit`` of ``text`` made to begin and end where words do, so that people can read what it does."""
    start, end = edit.start, edit.start + len(edit.removed)
    low, high = start, end
    if not any(part[:1].isspace() for part in (edit.removed, edit.inserted)):
        while low and not text[low - 1].isspace():
            low -= 1
    if not any(part[-1:].isspace() for part in (edit.removed, edit.inserted)):
        while high < len(text) and not text[high].isspace():
            high += 1
    return Edit(low, text[low:high], text[low:start] + edit.inserted + text[end:high])


def author_name(people: Mapping[str, str], author: str, me: str) -> str:
    """What to call the person with the id ``author``: you, their name, or that nobody knows."""
    if author and author == me:
        return "You"
    return people.get(author) or "Somebody unknown"
