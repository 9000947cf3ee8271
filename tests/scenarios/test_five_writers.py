"""A set of 100 tossups by five writers who edit each other's, packed, and received in four random orders."""

import random

from quizwriter.domain.events import Event
from quizwriter.domain.review import Commented, Status, StatusSet
from quizwriter.services.wiring import App
from quizwriter.store.merging import MergeOutcome
from quizwriter.workflow.session import WritingSession
from tests.helpers.made_histories import KEY_MS, edits, questions, review, saving
from tests.store.test_merging import dump

WRITERS, EACH = 5, 20


def write(app, draw, question, key, now):
    """Type ``question`` at five keys a second by ``now``, a clock, saving at every fourth pause."""
    session = WritingSession(key, clock=lambda: now[0], author=app.profile.me.id)
    text = ""
    for number, edit in enumerate(edits(draw, question.text)):
        now[0] += KEY_MS * (len(edit.inserted) + len(edit.removed))
        text = edit.apply(text)
        session.type(text)
        if number % 4 == 0:  # each saving waits for the disk
            app.store.save(session.take_unsaved())
    session.set_answer(question.answer)
    app.store.save(session.take_unsaved())


def mend(app, draw, key, now):
    """Change a few words of somebody's tossup, and say so."""
    kept = app.store.load(key)
    if kept.locked:
        return
    session = WritingSession(key, kept.tossup, seq=kept.seq, clock=lambda: now[0], author=app.profile.me.id)
    for _ in range(draw.randint(1, 4)):
        words = session.tossup.text.split(" ")
        at = draw.randrange(len(words))
        words[at : at + draw.randint(0, 3)] = draw.sample(words, k=draw.randint(1, 3))
        now[0] += 5_000
        session.type(" ".join(words))
        unsaved = session.take_unsaved()
        if unsaved is not None:
            app.store.save(unsaved)
    app.store.add_events([Event.new(key, now[0], app.profile.me.id, Commented("Mended.", kept.seq))])


def test_five_writers_and_four_orders(tmp_path, shared_data):
    draw = random.Random(7)
    source = questions(draw, shared_data)
    apps = [App(tmp_path / f"writer{number}") for number in range(WRITERS)]
    now = [1_950_000_000_000]
    for number, app in enumerate(apps):
        app.profile.set_profile(f"Writer {number}", f"writer{number}@example.org")
        for at in range(EACH):
            key = f"{number}-{at}"
            if at < 3:  # some of them with every game that was shown meanwhile
                made = saving(draw, key, next(source), authors=[app.profile.me.id], at_ms=now[0])
                app.store.add([made])
                app.store.add_events(review(draw, made))
            else:
                write(app, draw, next(source), key, now)
    packs = []

    def send(app, keys=None):
        path = tmp_path / f"{len(packs)}.qwpack"
        app.transfer.pack(path, keys)
        packs.append(path)

    for app in apps:
        send(app)
    for app in apps:
        app.transfer.merge(packs[:WRITERS])
    everything = [one.tossup_id for one in apps[0].store.tossups()]
    assert len(everything) == WRITERS * EACH
    for app in apps:  # each mends a fifth of all; what two of them mend becomes branches
        mine = draw.sample(everything, k=len(everything) // WRITERS)
        for key in mine:
            mend(app, draw, key, now)
        app.store.add_events(
            [Event.new(mine[0], now[0], app.profile.me.id, StatusSet(Status.REJECTED, "Too hard."))]
        )
        send(app, mine)

    dumps, branched = [], set()
    for number in range(4):
        order = [*packs, *draw.sample(packs, k=3)]
        draw.shuffle(order)
        editor = App(tmp_path / f"editor{number}")
        while order:
            some = [order.pop() for _ in range(min(len(order), draw.randint(1, 4)))]
            merged = editor.transfer.merge(some)
            branched |= {key for key, came in merged.outcomes.items() if came is MergeOutcome.BRANCHED}
        assert editor.store.check() == ()
        own = editor.profile.me.id  # each editor has a key of its own, for what a merge must sign again
        local, known = (
            {name: [row for row in rows if own not in row] for name, rows in found.items()}
            for found in (dump(editor.store, local=True), dump(editor.store))
        )
        dumps.append(local)
        editor.store.close()

    assert all(one == dumps[0] for one in dumps)
    assert len(branched) > 5
    assert len(dumps[0]["tossup"]) > WRITERS * EACH
    for app in apps:
        app.transfer.merge(packs)
        assert dump(app.store) == known
        app.store.close()
