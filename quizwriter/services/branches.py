"""The branches of tossups that were edited in several places: listed, merged, kept, and brought back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Body, Event
from quizwriter.domain.history import Change, Edit, EditKind, InlineDiff, differences, replay
from quizwriter.domain.review import (
    ArmDrawn,
    ConsentBasis,
    ConsentGiven,
    NeverSent,
    Status,
    Superseded,
    TakenBack,
)
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, AnswerStyled, Styled, TextStyles, merged_styles, styles_after
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.language_models import kept_for_good
from quizwriter.services.profile import Profile
from quizwriter.store.store import Store, StoredTossup
from quizwriter.store.summaries import BranchState
from quizwriter.workflow.dates import moment
from quizwriter.workflow.followed_comments import FollowedComment, followed_comments
from quizwriter.workflow.session import AnswerChange, PendingSave, now_ms
from quizwriter.workflow.text_merge import TextMerge, edits_between, merged_texts


class BranchLine(msgspec.Struct, frozen=True):
    """A branch of a tossup, with its edits since it diverged from the other branches."""

    tossup_id: str
    head: str  # the id of its last edit
    tossup: Tossup
    edits: int  # since the branches diverged
    authors: tuple[str, ...]  # names, of those edits; unknown authors are left out
    at_ms: int  # of the last of those edits; 0 without any
    comments: int  # comments and suggestions that are open
    status: Status
    tags: int  # tags that people gave it
    hidden: bool  # another branch supersedes it
    changed: InlineDiff  # its text with what the branch removed from the one before the branches diverged


class BranchFamily(msgspec.Struct, frozen=True):
    """The branches of one tossup.

    ``merge`` is that of the texts of the branches that are not hidden, in their order. ``answers`` are the
    answers that can go on: one, unless branches gave the tossup different answers.
    """

    lines: tuple[BranchLine, ...]
    merge: TextMerge
    answers: tuple[Answer | None, ...]

    @property
    def visible(self) -> tuple[BranchLine, ...]:
        """The branches that are not hidden; the first one goes on when they are merged."""
        return tuple(line for line in self.lines if not line.hidden)

    @property
    def tossup(self) -> Tossup:
        """The tossup by which people know the branches."""
        return (self.visible or self.lines)[0].tossup


class JoinedBranches(msgspec.Struct, frozen=True):
    """A joining of branches; :meth:`Branches.take_back` takes it back.

    ``comments`` were said again on the branch that goes on, ``detached`` of them on the whole text because
    their words are gone.
    """

    tossup_id: str  # of the branch that goes on
    superseded: tuple[str, ...]  # ids of the others
    events: tuple[Event, ...]
    heads: Mapping[str, str]  # the last edit of each branch afterwards
    before: Tossup  # the branch that goes on, as it was
    styles: TextStyles = PLAIN  # of its text
    answer_styles: TextStyles = PLAIN
    comments: int = 0
    detached: int = 0


class Branches:
    """Lists the branches of tossups and joins them."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store = store
        self._profile = profile

    def families(self, *, hidden: bool = False) -> tuple[BranchFamily, ...]:
        """The branches of each tossup that has several; with ``hidden``, superseded ones are listed, too."""
        names = {key: person.name for key, person in self._store.people().items()}
        found = []
        for states in self._store.branch_families():
            wanted = [state for state in states if hidden or not state.superseded]
            if len(wanted) > 1:
                found.append(self._family(wanted, names))
        return tuple(found)

    def family_of(self, tossup_id: str) -> BranchFamily:
        """All branches of a tossup, also superseded ones; ``tossup_id`` is the id of any of them."""
        for states in self._store.branch_families():
            if any(state.tossup_id == tossup_id for state in states):
                names = {key: person.name for key, person in self._store.people().items()}
                return self._family(states, names)
        raise QuizwriterError(
            f"{tossup_id} is not a tossup with several branches.",
            "quizwriter branches list lists all of them.",
        )

    def _family(self, states: Sequence[BranchState], names: Mapping[str, str]) -> BranchFamily:
        histories = {state.tossup_id: self._store.history(state.tossup_id) for state in states}
        shown = [state.tossup_id for state in states if not state.superseded]
        same = _common(list(histories.values()))
        compared = histories if len(shown) < 2 else {key: histories[key] for key in shown}
        first = next(iter(compared.values()))
        text = replay(change.edit for change in first[: _common(list(compared.values()))])
        lines = []
        for state in states:
            key, own = state.tossup_id, histories[state.tossup_id][same:]
            tossup, review = self._store.load(key).tossup, self._store.review_of(key)
            authors = dict.fromkeys(names.get(change.author, "") for change in own)
            lines.append(
                BranchLine(
                    key,
                    state.head,
                    tossup,
                    len(own),
                    tuple(filter(None, authors)),
                    max((change.at_ms for change in own), default=0),
                    review.open_comments + review.open_suggestions,
                    review.status,
                    sum(len(tags) for tags in review.tags.values()),
                    state.superseded,
                    InlineDiff.of(text, tossup.text, differences(text, tossup.text)),
                )
            )
        visible = [line for line in lines if not line.hidden]
        merge = merged_texts(text, [line.tossup.text for line in visible])
        answers = self._answers([line.tossup_id for line in visible])
        return BranchFamily(tuple(lines), merge, answers)

    def _answers(self, keys: Sequence[str]) -> tuple[Answer | None, ...]:
        """The answers that can go on: those that a branch changed; without any, the one that all have."""
        given = [self._store.answers(key) for key in keys]
        shared = [one for one in given[0] if all(one in other for other in given)] if given else []
        before = shared[-1].answer if shared else None
        now: dict[Answer | None, None] = dict.fromkeys(_last(answers) for answers in given)
        changed = tuple(answer for answer in now if answer != before)
        return changed or (before,)

    def merge(self, family: BranchFamily, choices: Sequence[int] = (), answer: int = 0) -> JoinedBranches:
        """Put the changes of all branches into the first visible one, and supersede the others.

        ``choices`` are the numbers of the alternatives for the conflicts of ``family.merge``, ``answer`` the
        number of the answer among ``family.answers``. The merged text becomes edits by the user. A consent of
        the others that forbids more is recorded on the branch that goes on.
        """
        if len(family.visible) < 2:
            raise QuizwriterError(
                "Only one branch is visible, so there is nothing to merge.", "Restore a hidden one."
            )
        merged = Tossup(family.merge.text(choices), family.answers[answer])
        return self._join(family, family.visible[0], merged)

    def keep(self, family: BranchFamily, tossup_id: str) -> JoinedBranches:
        """Let one branch go on as it is, and supersede the others that are visible in ``family``."""
        line = next(line for line in family.lines if line.tossup_id == tossup_id)
        return self._join(family, line, line.tossup)

    def _join(self, family: BranchFamily, line: BranchLine, joined: Tossup) -> JoinedBranches:
        me, at_ms = self._profile.me.id, now_ms()
        stored = self._store.load(line.tossup_id)
        styles = self._joined_styles(family, line, joined)
        pending, head = self._pending(stored, line.head, joined, *styles, at_ms)
        seq = stored.seq + (len(pending.changes) if pending is not None else 0)
        others = [one for one in family.visible if one is not line]
        followed = self._followed(line, others, joined.text, seq) if line.head == stored.head else []
        events = [Event.new(other.tossup_id, at_ms, me, Superseded(head)) for other in others]
        events += self._refusal(line, others, at_ms)
        events += self._kept_for_good(line, others, at_ms)
        if line.hidden:
            events.append(self._brought_back(line.tossup_id, at_ms))
        made = self._store.save_with_events(
            {one.tossup_id: one.head for one in (line, *others)},
            pending,
            events,
            [(Event.new(line.tossup_id, at_ms, me, one.body), one.resolved) for one in followed],
        )
        heads = {line.tossup_id: head, **{one.tossup_id: one.head for one in others}}
        return JoinedBranches(
            line.tossup_id,
            tuple(one.tossup_id for one in others),
            made,
            heads,
            stored.tossup,
            stored.styles,
            stored.answer_styles,
            len(followed),
            sum(one.detached for one in followed),
        )

    def _refusal(self, line: BranchLine, others: Iterable[BranchLine], at_ms: int) -> list[Event]:
        """The consent of the ``others`` recorded on the branch ``line``, where it forbids more than there."""
        release = self._store.review_of(line.tossup_id).release
        said = [self._store.review_of(other.tossup_id).consent for other in others]
        strictest = max(said, key=lambda one: one.strictness, default=release.consent)
        if strictest.strictness <= release.consent.strictness:
            return []
        if release.basis is ConsentBasis.VERIFIED:
            raise QuizwriterError(
                f"The writer allowed the release of one branch, and another branch says “{strictest}”.",
                "Ask the writer for one answer on all branches, then merge them.",
            )
        body = ConsentGiven(strictest, "This was recorded on a branch that was merged into this one.")
        return [Event.new(line.tossup_id, at_ms, self._profile.me.id, body)]

    def _kept_for_good(self, line: BranchLine, others: Iterable[BranchLine], at_ms: int) -> list[Event]:
        """Which sets bar the ``others`` from servers, and their arm, where the branch ``line`` lacks that."""
        review, me = self._store.review_of(line.tossup_id), self._profile.me.id
        said = [
            body
            for other in others
            for body in kept_for_good(self._store, self._store.review_of(other.tossup_id))
        ]
        barring: list[Body] = [one for one in said if isinstance(one, NeverSent)]
        drawn = [one for one in said if isinstance(one, ArmDrawn) and review.arm_drawn is None]
        return [
            Event.new(line.tossup_id, at_ms, me, body)
            for body in dict.fromkeys([*barring, *drawn[:1]])
            if not isinstance(body, NeverSent) or body.name not in review.never_sent
        ]

    def _joined_styles(
        self, family: BranchFamily, line: BranchLine, joined: Tossup
    ) -> tuple[TextStyles, TextStyles]:
        """The styles of the text and of the answer line of ``joined``, which the branch ``line`` becomes."""
        lines = [line, *(one for one in family.visible if one is not line)]
        stored = [self._store.load(one.tossup_id) for one in lines]
        answer = next((one.answer_styles for one in stored if one.tossup.answer == joined.answer), PLAIN)
        if joined.text == line.tossup.text and joined == line.tossup:
            return stored[0].styles, stored[0].answer_styles  # it is kept as it is
        if not any(one.styles for one in stored):
            return PLAIN, answer
        histories = [self._store.history(one.tossup_id) for one in lines]
        same = histories[0][: _common(histories)]
        base = styles_after(same, self._store.events(line.tossup_id))
        text = replay(change.edit for change in same)
        branches = [(one.tossup.text, one.styles) for one in stored]
        return merged_styles((text, base), branches, joined.text), answer

    def _pending(
        self,
        stored: StoredTossup,
        head: str,
        joined: Tossup,
        styles: TextStyles,
        answer_styles: TextStyles,
        at_ms: int,
    ) -> tuple[PendingSave | None, str]:
        """The edits that give a branch the text and answer of ``joined``, None if it has them; and its head.

        Its text gets ``styles``, and its answer line ``answer_styles``.
        """
        before, me, after = stored.tossup, self._profile.me.id, head
        if (joined, styles, answer_styles) == (before, stored.styles, stored.answer_styles):
            return None, head
        changes = []
        now = stored.styles
        for number, edit in enumerate(edits_between(before.text, joined.text)):
            kind = EditKind.MORE if number else EditKind.FIRST  # undone in one step
            changes.append(Change(stored.seq + number + 1, at_ms, edit, me, kind))
            head = changes[-1].id_after(head)
            now = now.after(edit)
        bodies: list[Styled | AnswerStyled] = []
        if styles != now:
            step = EditKind.MORE if changes else EditKind.FIRST
            bodies.append(Styled.setting(Span(0, len(joined.text)), styles, step))
        if joined.answer is not None and (answer_styles or stored.answer_styles):
            bodies.append(AnswerStyled(joined.answer.line, tuple(answer_styles.spans())))
        seq = stored.seq + len(changes)
        styled = (replace(Event.new(stored.tossup_id, at_ms, me, body), seq=seq) for body in bodies)
        pending = PendingSave(
            stored.tossup_id,
            joined.text,
            joined.answer,
            min(stored.cursor, len(joined.text)),
            at_ms,
            tuple(changes),
            author=me,
            after=after,
            answered=joined.answer != before.answer,
            styled=tuple(styled),
        )
        return pending, head

    def _followed(
        self, line: BranchLine, others: Iterable[BranchLine], text: str, seq: int
    ) -> list[FollowedComment]:
        """The comments on the ``others`` alone, copied to the branch ``line``, whose text is ``text``."""
        me = self._profile.me.id
        names = {key: person.name for key, person in self._store.people().items()}

        def credited(event: Event, said: str) -> str:
            if event.author == me:
                return said
            return f"{names.get(event.author) or 'Somebody unknown'}, {moment(event.at_ms)}: {said}"

        known = {event.id for event in self._store.events(line.tossup_id)}
        found: dict[str, FollowedComment] = {}
        for other in others:
            events = self._store.events(other.tossup_id)
            if all(event.id in known for event in events):
                continue
            edits: list[Edit] = [change.edit for change in self._store.history(other.tossup_id)]
            trail = AnchorTracker((*edits, *edits_between(other.tossup.text, text)))
            for one in followed_comments(fold_events(events), known, trail, seq, credited):
                found.setdefault(one.origin, one)
        return list(found.values())

    def restore(self, line: BranchLine) -> tuple[Event, ...]:
        """Bring a hidden branch back, so that it is listed beside the others."""
        return self._store.save_with_events(
            {line.tossup_id: line.head}, None, [self._brought_back(line.tossup_id, now_ms())]
        )

    def _brought_back(self, tossup_id: str, at_ms: int) -> Event:
        """The event that takes back everything by which the branch is hidden."""
        hiding = tuple(
            event.id for event in self._store.events(tossup_id) if isinstance(event.body, Superseded)
        )
        return Event.new(tossup_id, at_ms, self._profile.me.id, TakenBack(hiding))

    def take_back(self, joined: JoinedBranches) -> tuple[Event, ...]:
        """Take back what :meth:`merge` or :meth:`keep` did, in one step: events, text and answer.

        The result is the events that say so.
        """
        at_ms, stored = now_ms(), self._store.load(joined.tossup_id)
        pending, _ = self._pending(
            stored, joined.heads[joined.tossup_id], joined.before, joined.styles, joined.answer_styles, at_ms
        )
        of: dict[str, list[str]] = {}
        for event in joined.events:
            of.setdefault(event.tossup_id, []).append(event.id)
        return self._store.save_with_events(
            joined.heads,
            pending,
            [Event.new(key, at_ms, self._profile.me.id, TakenBack(tuple(made))) for key, made in of.items()],
        )


def _common(histories: Sequence[Sequence[Change]]) -> int:
    """How many edits ``histories`` begin with alike."""
    shortest = min(map(len, histories))
    first = histories[0]
    return next(
        (at for at in range(shortest) if any(history[at] != first[at] for history in histories)), shortest
    )


def _last(answers: Sequence[AnswerChange]) -> Answer | None:
    return answers[-1].answer if answers else None
