"""Trials: players that learn parts of a bundle, and what they answer then. Experiments ask for them.

``python -m index_builder.trials`` is a process of its own, because a training would take turns from a window.
It reads one line of JSON, a :class:`TrialRequest`, and writes a :class:`TrialReply` in a line for each step.
The bundle is never written.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np

from index_builder.data.corpus import Corpus, PassageRow, bundle_passages
from index_builder.index.bundle_index import write_index
from index_builder.index.tokenized_corpus import tokenize_corpus
from quizwriter.domain.page import Page
from quizwriter.domain.players import IR
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import INDEX, Bundle, added_folder, publishing
from quizwriter.engine.dan import Dan
from quizwriter.engine.pages import read_pages
from quizwriter.engine.retrieval import PassageKind, Retrieval
from quizwriter.errors import QuizwriterError

NICE = 10

STEP = 0.02
"""The share of a training after which its progress is told again."""

Number = Annotated[int, msgspec.Meta(ge=0)]

SOURCES = {"tossups": PassageKind.TOSSUP, "bonuses": PassageKind.BONUS, "articles": PassageKind.ARTICLE}
"""The sources of a bundle that a trial may leave out, beside the packets that were added."""

PACKETS = "packets"


TrialPlayer = Literal["ir", "dan"]


class TrialText(msgspec.Struct, frozen=True):
    """A tossup, with the answer line that judges it and the page of its answer."""

    text: str
    line: str
    page: str


class Trial(msgspec.Struct, frozen=True):
    """One training: a player, what it learns, and the tossups that it is asked then.

    It learns a ``share`` of the passages of ``sources``, and the ``texts`` of these numbers as past tossups.
    ``tests`` are numbers of texts, too.
    """

    player: TrialPlayer
    tests: tuple[Number, ...]
    texts: tuple[Number, ...] = ()
    sources: tuple[str, ...] = (*SOURCES, PACKETS)
    share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    seed: Number = 0


class TrialRequest(msgspec.Struct, frozen=True):
    """Trials on the passages of the ``pages`` of a bundle; ``most`` is the most tossups of it they learn."""

    bundle: str
    pages: tuple[str, ...]
    texts: tuple[TrialText, ...]
    trials: tuple[Trial, ...]
    most: Number


class TrialAnswer(msgspec.Struct, frozen=True):
    """What a player says of a tossup after its last word; ``knows``: whether it can name a right page."""

    page: str
    right: bool
    knows: bool


class TrialReply(msgspec.Struct, frozen=True):
    """How far trial ``number`` is; once it is done, its answers, and how many passages it learned."""

    number: int = 0
    done: float = 0.0
    learned: int = 0
    answers: tuple[TrialAnswer, ...] | None = None
    trouble: tuple[str, str] | None = None


def run_trials(asked: TrialRequest, progress: Callable[[int, float], None]) -> Iterator[TrialReply]:
    """The replies to the trials ``asked`` for, in their order; ``progress`` hears of each on its way."""
    bundle = Bundle.open(Path(asked.bundle), trusted=True)
    passages = _passages(bundle, asked)
    for number, trial in enumerate(asked.trials):
        learned = [*_learned(passages, asked, trial)]
        tests = [asked.texts[at] for at in trial.tests]
        tossups = [Tossup(one.text, Answer(one.line, Page(one.page))) for one in tests]
        if not learned:  # as where a bundle has a single source, which is left out
            yield TrialReply(number, 1.0, 0, (TrialAnswer("", right=False, knows=False),) * len(tossups))
            continue
        lesson = _Lesson(bundle, learned, asked.pages, trial.seed, tossups, partial(progress, number))
        answers = _of_ir(lesson) if trial.player == IR else _of_dan(lesson)
        yield TrialReply(number, 1.0, len(learned), tuple(answers))


class _Lesson(msgspec.Struct, frozen=True):
    """What a player learns of a bundle in one trial, and the tossups that it is asked then."""

    bundle: Bundle
    learned: Sequence[PassageRow]
    pages: Sequence[str]
    seed: int
    tests: Sequence[Tossup]
    progress: Callable[[float], None]


def _answered(tossup: Tossup, page: str, *, knows: bool) -> TrialAnswer:
    """The answer ``page`` to ``tossup``, which has an answer; empty where the player names none."""
    assert tossup.answer is not None
    return TrialAnswer(page, bool(page) and tossup.answer.accepts(page), knows)


_Passages = Sequence[tuple[str, PassageRow]]
"""Passages with their sources."""


def _passages(bundle: Bundle, asked: TrialRequest) -> _Passages:
    """The passages of the pages that are asked for; of the tossups of the bundle, ``most`` at most."""
    wanted = frozenset(asked.pages)
    names = {kind: name for name, kind in SOURCES.items()}
    found = [(names[one.kind], one) for one in bundle_passages(bundle) if one.page in wanted]
    tossups = [at for at, (_, one) in enumerate(found) if one.kind is PassageKind.TOSSUP]
    if len(tossups) > asked.most:
        drawn = np.random.default_rng([asked.most, len(tossups)]).permutation(len(tossups))[asked.most :]
        dropped = {tossups[at] for at in drawn.tolist()}
        found = [one for at, one in enumerate(found) if at not in dropped]
    added = added_folder(bundle.folder, INDEX)
    if added.is_dir():
        packets = Bundle.open(added, trusted=True)
        if packets.manifest.of == bundle.digest:
            found += [(PACKETS, one) for one in bundle_passages(packets) if one.page in wanted]
    return found


def _learned(passages: _Passages, asked: TrialRequest, trial: Trial) -> Iterator[PassageRow]:
    """What ``trial`` learns; a share is of the passages of each page, as the seed draws them."""
    of_sources = [one for source, one in passages if source in trial.sources]
    if trial.share < 1:
        draw = np.random.default_rng([trial.seed, 1])
        kept = draw.random(len(of_sources)) < trial.share
        of_sources = [one for one, keep in zip(of_sources, kept.tolist(), strict=True) if keep]
    yield from of_sources
    for at in trial.texts:
        text = asked.texts[at]
        spoken = Tossup(text.text)
        words = " ".join(span.of(text.text) for span in spoken.words)
        yield PassageRow(Page(text.page), PassageKind.TOSSUP, at, "a trial", words)


def _of_ir(lesson: _Lesson) -> Iterator[TrialAnswer]:
    learned, progress = lesson.learned, lesson.progress
    known = {*lesson.pages, *(str(one.page) for one in learned)}
    order = [Page(line) for line in lesson.bundle.lines("pages.txt") if line in known]
    order += [Page(page) for page in sorted(known - set(order))]
    row = {page: at for at, page in enumerate(order)}
    counts = Counter(one.page for one in learned if one.kind is PassageKind.TOSSUP)
    corpus = Corpus(
        tuple(order),
        tuple(counts[page] for page in order),
        tuple(sorted(learned, key=lambda one: (row[one.page], one.kind))),
    )
    with tempfile.TemporaryDirectory(prefix="quizwriter-trial-") as folder:
        out = Path(folder) / "bundle"
        with publishing(out, {"title": "a trial"}) as writer:
            tokens = tokenize_corpus(corpus, lambda done: progress(0.9 * done / len(learned)))
            write_index(corpus, tokens, writer)
        player = Retrieval(Bundle.open(out, trusted=True))
        for tossup in lesson.tests:
            assert tossup.answer is not None
            first = next(iter(player.query(tossup, 1)), None)
            knows = bool(player.pages.right(tossup.answer))
            yield _answered(tossup, "" if first is None else str(first.page), knows=knows)


def _of_dan(lesson: _Lesson) -> Iterator[TrialAnswer]:
    from index_builder.training.trial import train_trial_dan  # loading torch takes seconds

    bundle = lesson.bundle
    known = read_pages(bundle)
    rows = {page: at for at, page in enumerate(known.all)}
    texts = [(one.text, one.kind, rows[one.page]) for one in lesson.learned if one.page in rows]
    asked = {row for _, kind, row in texts if kind is PassageKind.TOSSUP}
    texts = [one for one in texts if one[2] in asked]  # a class is a page that a tossup asks for
    arrays = train_trial_dan(texts, bundle.array("ir/everywhere.npy"), lesson.seed, lesson.progress)
    player = Dan(arrays, known, Retrieval(bundle).titles)
    for play in player.play_ends(lesson.tests, 1):
        yield _answered(play.tossup, str(play.final[0].page) if play.final else "", knows=play.knowable)


def main(arguments: Sequence[str] = ()) -> int:
    """Do what the line on the standard input asks for; the exit status."""
    if sys.platform != "win32":
        os.nice(NICE)
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no reply
    encode = msgspec.json.Encoder().encode

    def tell(reply: TrialReply) -> None:
        replies.write(encode(reply) + b"\n")
        replies.flush()

    asked = msgspec.json.decode(sys.stdin.buffer.readline(), type=TrialRequest)
    told = -1.0

    def progress(number: int, done: float) -> None:
        nonlocal told
        if not told <= number + done < told + STEP:
            told = number + done
            tell(TrialReply(number, done))

    try:
        for reply in run_trials(asked, progress):
            tell(reply)
    except QuizwriterError as trouble:
        tell(TrialReply(trouble=(trouble.problem, trouble.remedy)))
    return 0
