"""Forgetting a person: no byte of the data folder has the name, and nothing brings it back."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import shutil
import sqlite3
from contextlib import closing

import pytest
from msgspec.structs import replace

from index_builder.user_packets import added_packets
from quizwriter.cli import main
from quizwriter.domain.events import Event
from quizwriter.domain.forgotten_names import BLACK, ForgottenNames, ForgottenPerson
from quizwriter.domain.history import Edit
from quizwriter.domain.review import (
    Commented,
    Consent,
    ConsentGiven,
    Dismissed,
    Person,
    Replied,
    Resolved,
    RoomsRecorded,
    Status,
    StatusSet,
    Suggested,
    Tagged,
    name_key,
)
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS, Played, PlayedBy, PlayedTossup, Rules, Seat
from quizwriter.errors import QuizwriterError
from quizwriter.services.known_people import LATER
from quizwriter.services.rooms import MOST_JOURNAL_BYTES
from quizwriter.services.wiring import App
from quizwriter.workflow.session import WritingSession
from tests.services.test_known_people import packet

NAME, ADDRESS = "Zoltán Quastenberg", "zquast@example.org"
FORMS = ("zoltán", "zoltan", "quastenberg", "zquast", "berg, zo")
"""In small letters; each planted text has one of them."""


def typed(app, key, text, answer=""):
    """Type ``text`` letter by letter; every tenth is a saving."""
    session = WritingSession(key, author=app.profile.me.id)
    for at in range(len(text) + 1):
        session.type(text[:at])
        if at % 10 == 0 and (unsaved := session.take_unsaved()) is not None:
            app.store.save(unsaved)
    if answer:
        session.set_answer(Answer(answer))
    app.store.save(session.take_unsaved())
    return key


def leaks(folder):
    """The files under ``folder`` that have a form of the name, in their bytes or their own names."""
    found = []
    for path in sorted(folder.rglob("*")):
        text = path.name.lower()
        if path.is_file():
            raw = path.read_bytes()
            for encoding in ("utf-8", "utf-16-le", "latin-1"):
                text += raw.decode(encoding, "replace").lower()
            plain = raw.decode("utf-8", "replace")
            text += re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), plain).lower()
        found += [(path.name, form) for form in FORMS if form in text]
    return found


@pytest.fixture
def homes(tmp_path):
    """The editor's program, and that of the writer who will be forgotten."""
    apps = []

    def opened(folder, name, email):
        app = App(tmp_path / folder)
        app.profile.set_profile(name, email)
        apps.append(app)
        return app

    yield opened("editor", "Ada Example", "ada@example.org"), opened("writer", NAME, ADDRESS)
    for app in apps:
        app.store.close()


def planted(editor, writer, tmp_path):
    """Everything in which a name can be: the ids of the writer's tossups, and of the editor's."""
    theirs = [
        typed(
            writer,
            "w" * 31 + "1",
            "This lake freezes; ask Zoltan Quastenberg whether it is so. For 10 points.",
            "lake",
        ),
        typed(
            writer,
            "w" * 31 + "2",
            "This other lake never freezes. For 10 points, name it.",
            "Quastenberg, Zoltán [or lake]",
        ),
    ]
    writer.review.record(theirs, ConsentGiven(Consent.YES))
    writer.transfer.pack(tmp_path / "first.qwpack")
    editor.transfer.merge([tmp_path / "first.qwpack"])
    path = packet(tmp_path / "lakes.txt", "ZQ, Science", "Zoltan Quastenberg, History")
    path = path.rename(tmp_path / "quastenberg.txt")
    done = editor.transfer.import_files([path], writers={name_key("ZQ"): LATER}, set_name="Quastenberg Open")
    named = next(one for one in editor.people.known() if one.person.name == "ZQ")
    editor.people.merge(named.person.id, writer.profile.me.id)
    mine = typed(editor, "e" * 32, "This river floods. For 10 points, name it.", "river")
    key = theirs[0]
    (comment,) = editor.store.add_events(
        [Event.new(key, 1, editor.profile.me.id, Commented("Zoltán says it is too easy.", 1, 0, 4, "This"))]
    )
    rules = Rules(
        FORMATS["ACF"], PlayedTossup.of(editor.store.load(mine).tossup), (Seat(NAME), Seat("Bo Player"))
    )
    editor.store.add_events(
        [
            Event.new(key, 2, writer.profile.me.id, Replied(comment.id, "By Z. Quastenberg.")),
            Event.new(key, 3, editor.profile.me.id, Resolved(comment.id)),
            Event.new(key, 4, editor.profile.me.id, StatusSet(Status.REJECTED, f"Asked {ADDRESS}.")),
            Event.new(key, 5, editor.profile.me.id, Tagged(("Quastenberg's tag",))),
            Event.new(mine, 6, editor.profile.me.id, RoomsRecorded("zoltan quastenberg.json", 8)),
            Event.new(mine, 7, editor.profile.me.id, Played("g", 1, PlayedBy.WINDOW, rules, ())),
            Event.new(
                mine, 8, editor.profile.me.id, Suggested(1, Edit(0, "", "Zoltán Quastenberg "), "Zoltan’s")
            ),
            Event.new(mine, 9, editor.profile.me.id, Dismissed("swerve", "Quastenberg does not mind.")),
        ]
    )
    editor.store.put_item("filter", "by Quastenberg", json.dumps({"text": NAME}))
    (editor.home / "quizwriter.log").write_text(f"WARNING {NAME} <{ADDRESS}>\n", encoding="utf-8")
    (editor.home / "unsent.json").write_text(json.dumps({key: f"Dear {NAME}"}), encoding="utf-8")
    journal = editor.home / "rooms" / "g.jsonl"  # of a room whose window was killed
    journal.parent.mkdir()
    rows = ({"do": "begin", "rules": {"seats": [{"name": NAME}]}}, {"kind": "buzz", "seat": 0})
    journal.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    editor.recovery.back_up(requested=True)
    return theirs, [*done.added, mine]


def test_no_byte_of_the_folder_has_the_name(homes, tmp_path):
    editor, writer = homes
    theirs, mine = planted(editor, writer, tmp_path)
    assert {form for _, form in leaks(editor.home)} >= {"quastenberg", "zoltán", "zquast"}
    edits = {key: len(editor.store.history(key)) for key in (*theirs, *mine)}

    plan = editor.forgotten_people.plan(NAME)
    assert set(plan.names) == {NAME, "ZQ", "Zoltan Quastenberg"}
    assert (plan.tossups, plan.places.texts, plan.places.answers, len(plan.backups)) == (4, 1, 1, 1)
    done = editor.forgotten_people.forget(plan)

    assert done.left == ()
    assert leaks(editor.home) == []
    rows = [json.loads(line) for line in (editor.home / "rooms/g.jsonl").read_text("utf-8").splitlines()]
    assert [len(row) for row in rows] == [2, 2]
    assert editor.store.check() == ()
    assert {key: len(editor.store.history(key)) for key in edits} == edits
    text = editor.store.load(theirs[0]).tossup.text
    assert text == f"This lake freezes; ask {BLACK * 6} {BLACK * 11} whether it is so. For 10 points."
    people = {one.person.id: one.person.name for one in editor.people.known()}
    assert people[writer.profile.me.id] == done.pseudonym
    assert {editor.store.review_of(key).writer for key in theirs} == {writer.profile.me.id}
    thread = editor.store.review_of(theirs[0]).comments[0]
    assert thread.event.body.text == f"{BLACK * 6} says it is too easy."
    assert (len(thread.replies), thread.resolved) == (1, True)
    # what the writer signed still fits the key, which no name stands beside
    assert editor.store.review_of(theirs[1]).release.basis == "verified"
    with closing(sqlite3.connect(editor.recovery.newest())) as db:
        assert db.execute("select count(*) from tossup").fetchone() == (5,)


def test_nothing_brings_the_name_back(homes, tmp_path):
    editor, writer = homes
    theirs, mine = planted(editor, writer, tmp_path)
    editor.transfer.pack(tmp_path / "all.qwpack")
    backup = tmp_path / "kept.db"
    backup.write_bytes(editor.recovery.newest().read_bytes())
    writer.transfer.merge([tmp_path / "all.qwpack"])
    typed(writer, "w" * 31 + "3", "A third text by Zoltán Quastenberg. For 10 points, name it.", "it")
    writer.transfer.pack(tmp_path / "later.qwpack")
    editor.forgotten_people.forget(editor.forgotten_people.plan(ADDRESS))
    before = {key: editor.store.load(key).tossup for key in (*theirs, *mine)}

    for _ in range(2):
        for pack in ("first.qwpack", "all.qwpack", "later.qwpack"):
            editor.transfer.merge([tmp_path / pack])
        editor.store.sync()
        assert {key: editor.store.load(key).tossup for key in before} == before  # and no branch beside it
        assert len(editor.store.expand_branches()) == len(before) + 1
    editor.transfer.import_files([packet(tmp_path / "new.txt", "Zoltan Quastenberg, Arts")])
    editor.recovery.restore(backup)
    for path in editor.recovery.folder.iterdir():
        if "-restore" not in path.name:
            path.unlink()
    assert [one for one in leaks(editor.home) if one[0] != "new.txt"] == []
    assert editor.store.check() == ()
    again = editor.forgotten_people.plan(NAME)  # as somebody who was forgotten already
    places = again.places
    assert (again.ids, again.tossups, places.events, places.texts, places.items) == ((), 0, 0, 0, 0)


def test_a_name_that_a_later_pack_completes_is_blacked_without_a_branch(homes, tmp_path):
    editor, writer = homes
    mine = typed(editor, "e" * 32, "This river floods.")
    writer.transfer.merge([_packed(editor, tmp_path / "mine.qwpack", mine)])
    typed(writer, "w" * 32, "A lake.")
    editor.transfer.merge([_packed(writer, tmp_path / "who.qwpack", "w" * 32)])
    editor.forgotten_people.forget(editor.forgotten_people.plan(NAME))
    key = typed(writer, "w" * 31 + "3", "So ask Zoltan")
    first = _packed(writer, tmp_path / "first.qwpack", key)
    session = writer.tossups.session(key)
    session.type("So ask Zoltan Quastenberg. For 10 points.")
    writer.store.save(session.take_unsaved())
    later = _packed(writer, tmp_path / "later.qwpack", key)

    for pack in (first, later, first):
        editor.transfer.merge([pack])
    assert editor.store.expand_branches([key]) == (key,)
    assert editor.store.load(key).tossup.text == "So ask ■■■■■■ ■■■■■■■■■■■. For 10 points."
    assert editor.store.check() == ()


def test_a_beginning_is_left_where_a_whole_name_was_typed_here(homes, tmp_path):
    editor, writer = homes
    writer.transfer.merge([_packed(editor, tmp_path / "1.qwpack", typed(editor, "e" * 32, "A river"))])
    editor.transfer.merge([_packed(writer, tmp_path / "2.qwpack", typed(writer, "w" * 32, "A lake"))])
    editor.forgotten_people.forget(editor.forgotten_people.plan(NAME))
    about = typed(editor, "e" * 31 + "3", f"{NAME} was once king.")
    writer.transfer.merge([_packed(editor, tmp_path / "3.qwpack", about)])
    session = writer.tossups.session(about)
    session.type(f"{NAME} was once king. For 10 points.")
    writer.store.save(session.take_unsaved())
    editor.transfer.merge([_packed(writer, tmp_path / "4.qwpack", about)])

    assert editor.store.load(about).tossup.text == f"{NAME} was once king."


def _packed(app, path, key):
    app.transfer.pack(path, [key])
    return path


def test_a_player_of_games_is_forgotten_and_the_user_is_not(homes, tmp_path):
    editor, writer = homes
    _, mine = planted(editor, writer, tmp_path)
    with pytest.raises(QuizwriterError, match="That is you"):
        editor.forgotten_people.plan("me")
    with pytest.raises(QuizwriterError, match="Nobody here is called"):
        editor.forgotten_people.plan("Cy Nobody")
    plan = editor.forgotten_people.plan("Bo Player")
    assert not any("tossup" in one for one in plan.here)  # of a player there is none
    editor.forgotten_people.forget(plan)

    (game,) = editor.store.review_of(mine[-1]).games
    assert [seat.name for seat in game.body.rules.seats] == [NAME, f"{BLACK * 2} {BLACK * 6}"]


def test_a_name_that_was_forgotten_can_be_allowed_for_somebody_else(homes, tmp_path):
    editor, writer = homes
    planted(editor, writer, tmp_path)
    editor.forgotten_people.forget(editor.forgotten_people.plan(NAME))
    namesake = Person("n" * 32, NAME, "other@example.org", 1)
    editor.store.save_person(namesake)
    assert editor.store.people()["n" * 32].name.startswith("Former writer ")
    assert editor.forgotten_people.allow("zoltan quastenberg") == 1
    editor.store.save_person(replace(namesake, changed_ms=2))
    assert editor.store.people()["n" * 32].name == NAME


def forgets(app):
    """What is said of what was left when ``NAME`` is forgotten."""
    return app.forgotten_people.forget(app.forgotten_people.plan(NAME)).left


def test_every_bundle_with_packets_that_have_the_name_is_said_and_the_remedy_works(homes, tmp_path, starter):
    editor, writer = homes
    planted(editor, writer, tmp_path)
    tournament = tmp_path / "Winter Open"
    tournament.mkdir()
    packet(tournament / "1.txt", "A. B., History").write_text(
        f"1. This lake froze. {NAME} wrote this. For 10 points, name it.\nANSWER: lake\n", encoding="utf-8"
    )
    bundles = [shutil.copytree(starter, editor.home / name) for name in ("bundles/a", "evidence/c")]
    elsewhere = shutil.copytree(starter, tmp_path / "elsewhere")
    editor.profile.save_settings(replace(editor.profile.settings, bundle=str(elsewhere)))
    for bundle in (*bundles, elsewhere):
        assert main(["add", str(tournament), "--bundle", str(bundle)]) == 0
    left = forgets(editor)

    assert len(left) == 3
    assert {one.split(". Remove")[0] for one in left} == {
        f"Packets that were added to a bundle contain the name: {one.name}"
        for one in added_packets(elsewhere)[0]
    }
    for one in left:
        command = shlex.split(one.partition("or each with quizwriter ")[2])
        assert main(command) == 0
    before = leaks(starter)
    for bundle in (*bundles, elsewhere):
        assert leaks(bundle) == before


def test_packets_without_a_place_of_their_own_and_those_that_are_too_long_are_said(homes, tmp_path):
    editor, writer = homes
    planted(editor, writer, tmp_path)
    for name, text in (("one", f"Winter Open, by {NAME}"), ("two", ""), ("three", "")):
        added = editor.home / f"evidence/{name}/yours/index/passages/sources.utf8"
        added.parent.mkdir(parents=True)
        added.write_text(text, encoding="utf-8")
        if name == "two":
            os.truncate(added, MOST_JOURNAL_BYTES + 1)
    first, second = forgets(editor)
    folder = (editor.home / "evidence").resolve()
    assert first.startswith(
        f"Packets that were added to a bundle contain the name: {folder}/one/yours. Delete"
    )
    assert second == (
        f"{folder}/two/yours/index/passages/sources.utf8 was not searched and may contain the name: "
        "sources.utf8 has more than 64 MB."
    )


def test_files_that_are_too_long_or_no_text_are_said(homes, tmp_path):
    editor, writer = homes
    planted(editor, writer, tmp_path)
    longer = editor.home / "rooms" / "h.jsonl"
    longer.touch()
    os.truncate(longer, MOST_JOURNAL_BYTES + 1)
    (editor.home / "old.log").write_bytes(f"{NAME}\n".encode("latin-1"))
    left = forgets(editor)

    assert left == (
        f"{editor.home / 'old.log'} may contain the name: it is not a UTF-8 text. Delete it if you do not "
        "need it.",
        f"{longer} may contain the name: h.jsonl has more than 64 MB. Delete it if you do not need it.",
    )


def test_a_backup_that_is_left_alone_is_said(homes, tmp_path):
    editor, writer = homes
    planted(editor, writer, tmp_path)
    done = editor.forgotten_people.forget(editor.forgotten_people.plan(NAME), backups=False)
    (said,) = done.left
    assert said.endswith("was left as it is and still contains the name.")
    assert {name for name, _ in leaks(editor.home)} == {editor.recovery.newest().name}


def test_forgetting_that_was_stopped_is_ended_by_the_same_words(homes, tmp_path, monkeypatch):
    """Killed before its backups were cleaned, it knows the name by the list only."""
    editor, writer = homes
    planted(editor, writer, tmp_path)

    def killed(*_):
        raise KeyboardInterrupt

    plan = editor.forgotten_people.plan(NAME)
    with monkeypatch.context() as stopping:
        stopping.setattr("quizwriter.services.forgotten_people.clean_backup", killed)
        with pytest.raises(KeyboardInterrupt):
            editor.forgotten_people.forget(plan)
    assert leaks(editor.home)
    (called,) = [one.person.name for one in editor.people.known() if one.person.id == writer.profile.me.id]

    for said in (NAME, ADDRESS):
        done = editor.forgotten_people.forget(editor.forgotten_people.plan(said))

        assert (done.pseudonym, done.left) == (called, ())
        assert leaks(editor.home) == []
    with pytest.raises(QuizwriterError, match="Nobody here is called"):
        editor.forgotten_people.plan("Zoe Somebody")


# -- names in texts


@pytest.fixture
def names():
    empty = ForgottenNames("5" * 32)
    by = empty.described(["Ben Ortiz", "Anna-Maria de la Cruz"], ["b.ortiz@example.org"])
    person = ForgottenPerson("Former writer 1", ("ben",), by.whole, by.parts, firsts=by.firsts)
    return replace(empty, people=(person,))


@pytest.mark.parametrize(
    ("text", "draft", "remark"),
    [
        ("Ben Ortiz", "■■■ ■■■■■", "■■■ ■■■■■"),
        ("BEN ORTÍZ, ben_ortiz", "■■■ ■■■■■, ■■■_■■■■■", "■■■ ■■■■■, ■■■_■■■■■"),
        ("Ben O\u0301rti\u0301z", "■■■ ■■■■■■■", "■■■ ■■■■■■■"),
        ("B\u200den Or\u00adtiz\u2060", "■\u200d■■ ■■\u00ad■■■\u2060", "■\u200d■■ ■■\u00ad■■■\u2060"),
        ("Ask Or\u200ctiz.", "Ask Or\u200ctiz.", "Ask ■■\u200c■■■."),
        ("by\u200bBen Ortiz\u200b2026", "by\u200b■■■ ■■■■■\u200b2026", "by\u200b■■■ ■■■■■\u200b2026"),
        ("B\u0336en O\u20d2rtiz", "■■■■ ■■■■■■", "■■■■ ■■■■■■"),
        ("b.or\u00adtiz@example.org", "■.■■\u00ad■■■@■■■■■■■.■■■", "■.■■\u00ad■■■@■■■■■■■.■■■"),
        ("Ortiz, Ben", "■■■■■, ■■■", "■■■■■, ■■■"),
        ("B. Ortiz", "■. ■■■■■", "■. ■■■■■"),
        ("Ask Ortiz.", "Ask Ortiz.", "Ask ■■■■■."),
        ("Ask Ben's friend", "Ask Ben's friend", "Ask ■■■'s friend"),
        ("an ortiz of salt", "an ortiz of salt", "an ortiz of salt"),
        ("ortiz.docx", "ortiz.docx", "■■■■■.docx"),
        ("Bens packet.docx", "Bens packet.docx", "■■■■ packet.docx"),
        ("to b.ortiz@example.org.", "to ■.■■■■■@■■■■■■■.■■■.", "to ■.■■■■■@■■■■■■■.■■■."),
        ("Anna-Maria de la Cruz", "■■■■-■■■■■ ■■ ■■ ■■■■", "■■■■-■■■■■ ■■ ■■ ■■■■"),
        ("Anna Cruz", "■■■■ ■■■■", "■■■■ ■■■■"),
        ("Big Ben\nOrtiz", "Big Ben\nOrtiz", "Big ■■■\n■■■■■"),
        ("Benjamin", "Benjamin", "Benjamin"),
        ("la", "la", "la"),
        ("", "", ""),
    ],
)
def test_what_is_blacked_in_a_draft_and_in_a_remark(names, text, draft, remark):
    assert names.blacked(text) == draft
    assert names.blacked(text, remark=True) == remark


def test_a_list_of_digests_has_no_name(names):
    raw = repr(names).lower()
    assert not any(word in raw for word in ("ortiz", "anna", "cruz", "example"))


PIECES = [
    "Ben ",
    "Ortiz",
    "b.ortiz@example.org",
    "\n",
    "é",
    "Anna ",
    "x",
    "@",
    "de la",
    " - ",
    "Cruzs",
    "B. ",
]


def test_a_list_of_an_older_program_finds_the_same(names):
    (person,) = names.people
    older = replace(names, people=(replace(person, firsts=frozenset()),))
    draw = random.Random(3)
    for _ in range(500):
        text = "".join(draw.choice(PIECES) for _ in range(9))
        remark = draw.random() < 0.5
        spans = list(names.spans(text, remark=remark))
        assert spans == list(older.spans(text, remark=remark))
        assert spans == plain_spans(names, text, remark)
        assert len(names.blacked(text, remark=remark)) == len(text)


def plain_spans(names, text, remark):
    """The same by the definitions: every row of up to five words, each looked up."""
    (person,) = names.people

    def among(row, digests):
        return names.digest(row) in digests or names.digest(row.removesuffix("s")) in digests

    side = r"[^\s<>()\[\],;:\"“”|]{1,100}"
    found = [
        one.span()
        for one in re.finditer(f"{side}@{side}", text)
        if names.digest(one[0].rstrip(".!?").lower()) in person.whole
    ]
    words = list(re.finditer(r"[^\W_]+", text))
    whole_file = re.fullmatch(r"\S+|.*\.[A-Za-z]{2,6}", text) is not None
    for at, first in enumerate(words):
        row = ""
        for last, before in zip(words[at : at + 5], [None, *words[at:]], strict=False):
            if before is not None:
                gap = text[before.end() : last.start()]
                if len(gap) > 3 or "\n" in gap:
                    break
            row = f"{row} {last[0].lower()}".strip()
            part = last is first and remark and (whole_file or first[0][0].isupper())
            if among(row, person.whole) or (part and among(row, person.parts)):
                found.append((first.start(), last.end()))
    return found


def test_each_word_of_a_long_log_is_looked_up_once(names, monkeypatch):
    words = [f"w{number}" for number in range(500)]
    looked_up = []
    digest = ForgottenNames.digest
    monkeypatch.setattr(
        ForgottenNames, "digest", lambda self, text: looked_up.append(text) or digest(self, text)
    )
    text = " ".join(random.Random(4).choices(words, k=20_000)) + " by Ben Ortiz"
    assert list(names.spans(text)) == [(len(text) - 9, len(text))]
    assert len(looked_up) < 10 * len(words)  # not for each row of up to five words in every place


def test_a_tossup_without_the_name_stays_to_the_letter(homes, tmp_path):
    editor, writer = homes
    _, mine = planted(editor, writer, tmp_path)
    key = typed(editor, "f" * 32, "This lake is in a story. For 10 points, name it.", "lake")
    before = editor.store.load(key), editor.store.history(key), editor.store.events(key)
    assert all(editor.store.edit_authenticity(key))
    editor.forgotten_people.forget(editor.forgotten_people.plan(NAME))
    assert (editor.store.load(key), editor.store.history(key), editor.store.events(key)) == before
    assert editor.store.load(mine[-1]).tossup == Tossup(
        "This river floods. For 10 points, name it.", Answer("river")
    )
