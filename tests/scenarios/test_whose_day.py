"""An editor's day with four writers: own packets, tags, a branch, consents, one forgotten, a set released.

Each number is beside its recount by plain code.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing

import pytest

from quizwriter.challenge.export import export
from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.selection import Selection
from quizwriter.challenge.verify import verify
from quizwriter.domain.review import Consent, ConsentGiven, Status, name_key
from quizwriter.services.known_people import LATER
from quizwriter.services.wiring import App
from quizwriter.workflow.session import WritingSession
from tests.helpers.challenge_desk import words
from tests.services.test_forgotten_people import leaks

WRITERS = {
    "Carla Limarand": "CL",
    "Benno Ortizek": "Benno",
    "Dora Weissenfeld": "DW",
    "Zoltán Quastenberg": "ZQ",
}
ANSWERS = ("Jane Austen", "Madama Butterfly", "Macbeth")


def own_packet(path, tag, number):
    """Three tossups that no other packet has, two with the writer's tag."""
    lines = []
    for at, answer in enumerate(ANSWERS, start=1):
        lines += [f"{at}. This one is about {words(100 * number + at)}. For 10 points, name it."]
        lines += [f"ANSWER: {answer}", f"<{tag}, Literature>" if at < 3 else ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def homes(tmp_path, starter):
    """The editor's program, and those of the writers, by name."""
    made = {name: App(tmp_path / f"home{at}", starter) for at, name in enumerate(["Ada Editor", *WRITERS])}
    for name, app in made.items():
        app.profile.set_profile(name, f"{name.split()[-1].lower()}@example.org")
    yield made
    for app in made.values():
        app.close()
        app.store.close()


def test_the_day(homes, tmp_path):
    editor = homes["Ada Editor"]
    keys: dict[str, list[str]] = {}
    for number, (name, tag) in enumerate(WRITERS.items()):
        app = homes[name]
        path = own_packet(tmp_path / f"packet {number}.txt", tag, number)
        asked = {one.name: one for one in app.transfer.preview_import([path]).writers}
        assert {one.proposal for one in asked.values()} == {app.profile.me.id}  # a name, initials, or none
        answers = {name_key(one.name): one.proposal for one in asked.values()}
        keys[name] = app.transfer.import_files([path], set_name="Spring", writers=answers).added
        said = app.review.record(keys[name], ConsentGiven(Consent.YES))
        assert (len(said.changed), said.refused) == (3, ())
        app.transfer.pack(tmp_path / f"{number}.qwpack")
    editor.transfer.merge([tmp_path / f"{number}.qwpack" for number in range(4)])

    # a packet that the editor imports for Dora, who says yes once it is hers
    path = own_packet(tmp_path / "late.txt", "Dora", 9)
    late = editor.transfer.import_files([path], set_name="Spring", writers={"dora": LATER}).added
    dora = homes["Dora Weissenfeld"]
    named = next(one.person for one in editor.people.known() if one.undecided)
    tagged = [key for key in late if editor.store.review_of(key).writer == named.id]
    assert (len(tagged), editor.people.merge(named.id, dora.profile.me.id)) == (2, 2)
    editor.transfer.pack(tmp_path / "late.qwpack", tagged)
    dora.transfer.merge([tmp_path / "late.qwpack"])
    assert dora.review.record(tagged, ConsentGiven(Consent.YES)).refused == ()
    dora.transfer.pack(tmp_path / "yes.qwpack", tagged)
    editor.transfer.merge([tmp_path / "yes.qwpack"])

    # a branch: both edit the same tossup; nothing of many takes both
    shared = keys["Carla Limarand"][0]
    for app, word in ((editor, "long "), (homes["Carla Limarand"], "short ")):
        kept = app.store.load(shared)
        session = WritingSession(shared, kept.tossup, seq=kept.seq, head=kept.head, author=app.profile.me.id)
        session.type(f"{kept.tossup.text} A {word}end.")
        app.store.save(session.take_unsaved())
    homes["Carla Limarand"].transfer.pack(tmp_path / "branch.qwpack", [shared])
    editor.transfer.merge([tmp_path / "branch.qwpack"])
    everything = editor.store.expand_branches()
    state = {(one.group, one.title): one for one in editor.statistics.state(["Spring"])}
    with closing(sqlite3.connect(editor.store.path)) as db:
        roots = db.execute("select root, count(*) from tossup group by root").fetchall()
    assert len(state["Written", "Tossups"].tossups) == len(roots) == 15
    report = editor.statistics.report(["Spring"])
    assert report.everything.tossups == sum(one.tossups for one in report.writers) == 15
    assert len(state["To be decided", "Which branch"].tossups) == sum(count > 1 for _, count in roots) == 1
    failed = {key: one.failed for key, one in editor.review.plan_status(everything, Status.ACCEPTED).items()}
    waived = {name: "A made-up day." for names in failed.values() for name in names}
    done = editor.review.set_status(
        everything, Status.ACCEPTED, failed=failed, overridden=waived, in_steps=True
    )
    (reason,) = done.reasons
    assert (len(done.changed), len(reason.tossups)) == (14, 1)
    assert reason.sentence.startswith("It has several branches")

    # one who leaves
    gone = homes["Zoltán Quastenberg"].profile.me.id
    plan = editor.forgotten_people.plan("Zoltán Quastenberg")
    assert (plan.tossups, len(keys["Zoltán Quastenberg"])) == (3, 3)
    editor.forgotten_people.forget(plan)
    editor.transfer.merge([tmp_path / "3.qwpack"])
    assert leaks(editor.home) == []

    # the set, and its numbers from the rows of the editor's own database
    release = SetMetadata("Spring", histories=True)
    out = tmp_path / "out"
    report = export(editor, out, Selection(set_name="Spring", keep_duplicates=True), release)
    rows = json.loads((out / "questions.json").read_text(encoding="utf-8"))["quizwriter"]
    with closing(sqlite3.connect(editor.store.path)) as db:
        released = db.execute(
            "select author, consent_basis from listed where status = 'accepted' and consent = 'yes'"
        ).fetchall()
    assert report.questions == len(rows) == len(released) == 13  # the editor was not asked of the last one
    assert (
        Counter(row["consent"] for row in rows) == Counter(basis for _, basis in released) == {"verified": 13}
    )
    counts = Counter(author for author, _ in released)
    assert sorted(Counter(row["writer"] for row in rows).values()) == sorted(counts.values()) == [2, 3, 3, 5]
    assert counts[gone] == 3
    sheet = (out / "DATASHEET.md").read_text(encoding="utf-8")
    assert "recorded by somebody else" not in sheet
    assert "13 consents given by the writer and verified" in sheet
    for app in (editor, dora):  # on two computers
        assert verify(app, out).problems == []
