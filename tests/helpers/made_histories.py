"""Tossups as people write them: typed in bursts, rubbed out, rewritten, turned round, and played meanwhile.

Everything is drawn from a seeded :class:`random.Random`, so the same seed makes the same store.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Categorised, Commented, Person, PutInSet, Status, StatusSet, Tagged
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.store.store import Store
from quizwriter.workflow.session import PendingSave, RecordedPlay

BEGIN_MS = 1_950_000_000_000
KEY_MS = 200  # five keys a second
PLAYERS = ("ir", "dan", "rnn", "ensemble")
_PLACES = "Lake_Baikal Jane_Austen Madama_Butterfly Photosynthesis Battle_of_Hastings Macbeth"
PAGES = tuple(map(Page, _PLACES.split()))
CATEGORIES = (
    ("Literature", "British", "Drama"),
    ("Literature", "American"),
    ("History", "European"),
    ("Science", "Biology", "Cells"),
    ("Fine Arts", "Opera"),
    ("Geography",),
)
_STOCK = (
    "this one lake author treaty reaction wrote in the a of whose first second river winter under painter "
    "described named after which that is by its northern opera particle king and with contains discovered "
    "symphony province method letter crystal harbour argued general theory novel character sings before"
)
_WORDS = _STOCK.split()


@dataclass(frozen=True)
class Question:
    """What somebody is going to have written in the end."""

    text: str
    answer: Answer


def questions(draw: random.Random, shared: Path | None = None) -> Iterator[Question]:
    """Questions without end: those of the shared data, over and over, or made up where there are none."""
    if shared is not None:
        lines = (shared / "tossups_sample.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        yield from cycle(
            Question(row["text"], Answer(row["answer"], row["page"] and Page(row["page"]))) for row in rows
        )
    while True:
        sentences = [
            " ".join(draw.choices(_WORDS, k=draw.randint(12, 24))).capitalize() + "." for _ in range(5)
        ]
        page = draw.choice(PAGES)
        yield Question(
            " ".join([*sentences, "For 10 points, name this thing."]), Answer(page.replace("_", " "), page)
        )


def drafts(draw: random.Random, question: str) -> Iterator[str]:
    """The draft each time its writer pauses, from the first words to ``question``."""
    chunks: list[str] = []
    wrong: dict[int, str] = {}  # place -> what is to stand there
    words = question.split(" ")
    sizes = iter(lambda: draw.randint(1, 6), 0)
    at = 0
    while at < len(words):
        size = next(sizes)
        right = (" " if at else "") + " ".join(words[at : at + size])
        at += size
        chance = draw.random()
        if chance < 0.12:  # something else first, put right at once or much later
            wrong[len(chunks)] = right
            chunks.append(" " + " ".join(draw.choices(_WORDS, k=size)))
        else:
            chunks.append(right)
        yield "".join(chunks)
        if chance < 0.04 and len(chunks) > 1:  # rubbed out and typed again
            yield "".join(chunks[:-1])
            yield "".join(chunks)
        if wrong and draw.random() < 0.3:
            place = draw.choice(list(wrong))
            chunks[place] = wrong.pop(place)
            yield "".join(chunks)
    for place, right in wrong.items():
        chunks[place] = right
        yield "".join(chunks)
    text = "".join(chunks)
    spans = Tossup(text).sentences
    for span in draw.sample(spans[:-1], k=min(2, max(0, len(spans) - 1))):  # a clue out, and in again
        without = text[: span.start] + text[span.end :].lstrip(" ")
        if without != text:
            yield without
            yield text


def edits(draw: random.Random, question: str, *, keys: bool = False, at_least: int = 0) -> list[Edit]:
    """The edits that lead to ``question``: one for each pause, or for each key if ``keys``.

    With ``at_least``, sentences are taken out and put back until there are so many.
    """
    found: list[Edit] = []
    text = ""

    def go_to(version: str) -> None:
        nonlocal text
        edit = Edit.between(text, version)
        if edit is not None:
            found.extend(_keys(edit) if keys else [edit])
            text = version

    for version in drafts(draw, question):
        go_to(version)
    go_to(question)
    while len(found) < at_least:
        place = draw.randrange(max(1, len(question) - 40))
        go_to(question[:place] + question[place + draw.randint(5, 40) :])
        go_to(question)
    return found


def _keys(edit: Edit) -> Iterator[Edit]:
    """``edit`` as it is typed: each character rubbed out, then each one put in."""
    for rest in range(len(edit.removed), 0, -1):
        yield Edit(edit.start + rest - 1, edit.removed[rest - 1], "")
    for done, letter in enumerate(edit.inserted):
        yield Edit(edit.start + done, "", letter)


def saving(
    draw: random.Random,
    tossup_id: str,
    question: Question,
    *,
    authors: Sequence[str] = ("",),
    at_ms: int = BEGIN_MS,
    keys: bool = False,
    at_least: int = 0,
    analysed: float = 0.5,
    players: Sequence[str] = PLAYERS,
    short: bool = False,
) -> PendingSave:
    """A whole tossup as one saving.

    ``authors`` take turns of some edits each; of a share ``analysed`` of the edits there is a game of every
    player. ``short`` makes it three edits, for stores of many thousands.
    """
    if short:
        middle = len(question.text) // 2
        steps = [
            Edit(0, "", question.text[:middle] + " and more"),
            Edit(middle, " and more", ""),
            Edit(middle, "", question.text[middle:]),
        ]
    else:
        steps = edits(draw, question.text, keys=keys, at_least=at_least)
    changes, shown, text, turn = [], [], "", 0
    marks = {player: draw.randint(15, 90) for player in players}
    author = draw.choice(authors)
    for seq, step in enumerate(steps, start=1):
        at_ms += KEY_MS * (1 if keys else max(1, len(step.inserted) + len(step.removed)))
        if len(authors) > 1 and (turn := turn + 1) > 20 and draw.random() < 0.1:
            author, turn = draw.choice(authors), 0
        changes.append(Change(seq, at_ms, step, author))
        text = step.apply(text)
        if draw.random() < analysed or seq == len(steps):
            words = len(text.split())
            for player in players:
                if draw.random() < 0.1:
                    marks[player] = max(5, marks[player] + draw.randint(-30, 40))
                shown.append(_game(draw, player, seq, at_ms + 30, words, marks[player], question.answer))
    return PendingSave(
        tossup_id,
        text,
        question.answer,
        0,
        at_ms + 100,
        tuple(changes),
        tuple(shown),
        author=author,
    )


def _game(
    draw: random.Random, player: str, seq: int, at_ms: int, words: int, mark: int, answer: Answer
) -> RecordedPlay:
    right = mark <= words
    page = answer.page or Page("Nothing")
    others = draw.sample(PAGES, 4)
    top = [page, *others] if right else [others[0], page, *others[1:]]
    guesses = tuple(Guess(one, round(9 / (rank + 1), 4)) for rank, one in enumerate(top))
    buzz = min(words, mark + 6) if mark + 6 <= words else None
    return RecordedPlay(
        seq=seq,
        at_ms=at_ms,
        guesser=player,
        engine=f"{player}-digest",
        top=guesses,
        first_correct=mark if right else None,
        stable_correct=mark if right else None,
        buzz_heard=buzz,
        buzz_page=page if buzz is not None else None,
        words=words,
    )


def people(count: int = 5) -> list[Person]:
    """Some writers with names and e-mail addresses."""
    names = ("Ada Novak", "Ben Osei", "Chandra Rao", "Dora Lindqvist", "Emeka Eze", "Fay Wong", "Gus Reyes")
    return [
        Person(f"person{number}", name, f"{name.split()[0].lower()}@example.org", BEGIN_MS)
        for number, name in enumerate(islice(cycle(names), count))
    ]


def fill(
    store: Store,
    count: int,
    *,
    seed: int = 0,
    shared: Path | None = None,
    authors: Sequence[Person] = (),
    prefix: str = "made",
    reviewed: bool = True,
    **how: object,
) -> list[str]:
    """Put ``count`` tossups into ``store``, as :func:`saving` makes them with ``how``; their ids.

    ``reviewed`` gives each a set, a category, a status and now and then a comment and tags. With ``short``,
    20,000 take well under a minute.
    """
    draw = random.Random(seed)
    writers = list(authors) or people()
    for person in writers:
        store.save_person(person)
    keys = []
    source = questions(draw, shared)
    for first in range(0, count, 500):
        group = range(first, min(first + 500, count))
        made = [
            saving(
                draw,
                f"{prefix}{number:06}",
                next(source),
                authors=[draw.choice(writers).id],
                at_ms=BEGIN_MS + number * 60_000,
                **how,  # type: ignore[arg-type]
            )
            for number in group
        ]
        store.add(made)
        keys += [one.tossup_id for one in made]
        if reviewed:
            store.add_events(event for one in made for event in review(draw, one))
    return keys


def review(draw: random.Random, of: PendingSave) -> Iterable[Event]:
    """What an editor may have said of a tossup."""
    at_ms, who = of.at_ms + 60_000, of.author
    number = iter(range(1_000))

    def event(body: object) -> Event:
        return replace(
            Event.new(of.tossup_id, at_ms, who, body),  # type: ignore[arg-type]
            id=f"{draw.getrandbits(128):032x}-{next(number)}",
        )

    yield event(PutInSet(draw.choice(["Winter Open", "Spring Novice", "Nationals"])))
    yield event(Categorised(draw.choice(CATEGORIES)))
    way = (Status.READY, Status.IN_REVIEW, Status.EDITED, Status.PROOFREAD, Status.ACCEPTED)
    for status in way[: draw.randint(0, len(way))]:
        yield event(StatusSet(status, draw.choice(["", "Looks fine.", "Two clues were swapped."])))
    if draw.random() < 0.2 and len(of.text) > 30:
        start = draw.randrange(len(of.text) - 20)
        quoted = of.text[start : start + 15]
        yield event(Commented("Is this unique?", of.changes[-1].seq, start, start + 15, quoted))
    if draw.random() < 0.2:
        yield event(Tagged(("Paraphrase", "Multi-step reasoning")[: draw.randint(1, 2)]))
