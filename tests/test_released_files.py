"""Files that released versions wrote open, and every command says of them what it said at commit 31848ef.

``tests/data/README.md`` tells what the files are. The golden answers of the commands are in
``tests/data/golden``; with ``QUIZWRITER_RECORD=1`` the tests write them instead, which is right only with the
program of commit 31848ef. Sentences, times of today and the speed of the machine are left out of them.
"""

from __future__ import annotations

import csv
import io
import json
import lzma
import os
import re
import shutil
import sqlite3
import tarfile
import zipfile
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from index_builder.__main__ import main as index_builder
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.cli import main as quizwriter
from quizwriter.domain.events import Event
from quizwriter.domain.pronunciation import placed_guides
from quizwriter.domain.review import Consent, ConsentGiven
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.signatures import Authenticity
from quizwriter.domain.style_sheet import STANDARD_STYLE, BuzzGoal
from quizwriter.services.problems import style_sheets
from quizwriter.services.wiring import App
from quizwriter.settings import Settings
from quizwriter.store.store import Store

DATA = Path(__file__).parent / "data"
EXAMPLES = Path(__file__).parents[1] / "resources" / "examples.jsonl"

DATABASES = ("0001-62cbc3f", "0001-57a6110", "0002-46b7d58", "0002-31848ef")
BUNDLES = ("1-b68a95b", "1-1a83514", "1-cb7eea7", "2-57a6110", "2-74a8029", "3-31848ef")
MIGRATED = ("0004-a77df90", "0005-a0349b7", "0008-2da10b1")
NEWEST_DATABASE, NEWEST_BUNDLE = DATABASES[-1], BUNDLES[-1]
SETS = ("spring-1.0", "spring-1.1", "spring-2.0", "bare-1.0")

CLOSE = 0.01
"""Scores of other processors differ in the last digits; ``quizwriter verify`` allows as much."""

SENTENCES = {"summary", "transfer", "told"}
TODAY = re.compile(r"20(?:2\d|30)-\d\d-\d\dT")
"""Times before those of the data, which are of 2031."""


# -- golden answers


def same_every_day(value, folder, *, event=False):
    """``value`` without what differs from day to day and from machine to machine, and without sentences."""
    if isinstance(value, dict):
        kept = {}
        for name, inside in value.items():
            if name == "milliseconds":
                continue
            if name in SENTENCES and isinstance(inside, str):
                kept[name] = bool(inside)
            elif name == "refused":
                kept[name] = sorted(inside)
            elif name == "data_sheet_unanswered":
                kept[name] = len(inside)
            elif event and name == "id" and not inside.startswith("0" * 20):
                kept[name] = "new"
            else:
                kept[name] = same_every_day(inside, folder, event=name == "events")
        return kept
    if isinstance(value, list):
        return [same_every_day(inside, folder, event=event) for inside in value]
    if isinstance(value, str) and value.startswith(str(folder)):
        return value.replace(str(folder), "FOLDER").replace("\\", "/")
    if isinstance(value, str):
        return "now" if TODAY.match(value) else value
    return value


MEANT = [
    # golden answer; place, and what is there now instead of what was there; why. The first two are patterns.
    (r".*0001.*|merging-some", r"\$.*\.words: 31, which was 32", "Lone punctuation is no word."),
    (r"verify-.*", r"\$: (5 instead of 4|6 instead of 5): .*", "It says what nobody computed again."),
    (r"writing.*", r"\$\.import\.added\[\d+\]: .*", "The ids stand in the order of the file."),
    # What a player cannot know does not stump it: the answers of fermi and tokyo are on no page.
    (r".*", r"\$.*[\]d]\.stumped: 0, which was [12]", "What a player cannot know does not stump it."),
    (r"bundle-.*|adding-.*", r"\$\.(Tokyo|play.*)\.transfer: True, which was False", "It says so."),
    (
        r"bundle-.*",
        r"\$\.evaluation\.guessers\.\w+(\.guessable)?\.expected_wins: .*",
        "The published curve was fitted on characters, and is fed with characters.",
    ),
    (r"options", r"\$\.export: 28 instead of 29: .*", "--no-histories is taken and no longer shown."),
    (r"lists", r"\$\.sorted by stumped\[\d+\]: .*", "fermi is sorted behind."),
    (r".*", r"\$.*\.moves: [024] instead of [135]: .*", "An edit moves nobody who cannot know it."),
    (r".*", r"\$.*\.biggest_shift: None, which was \d+", "What a player cannot know has no shift."),
    (r".*", r"\$.*\.events: [345] instead of [234]: .*'kind': 'imported'.*", "Where a tossup comes from."),
    (r".*", r"\$.*\.page: 'Leo_Tolstoy', which was None", "The answer is looked up in the bundle."),
    (r"exported", r"\$\.questions\.json\.bibtex: .*", "How to cite the set."),
    (r"exported", r"\$\.files: 1[3-5] instead of 1[01]: .*", "A file for each split, and how to cite it."),
    (r"exported", r"\$\.accuracy\.png: 'prose' is lost", "The plot is drawn without a library."),
    (r"exported", r"\$\.MANIFEST\.json\.schema: 6, which was 1", "The sets have another form."),
    (
        r"export-.*|exported",
        r"\$(\.MANIFEST\.json)?\.left_out\."
        r"(another status or set: 5, which was 8|another branch was adopted: 1 is lost)",
        "A tossup with branches counts once.",
    ),
    (r"merging-.*|merged", r"\$\.(new|here|old|last report)\.moved: .* is lost", "No merge changes an id."),
    (r"writing-0001", r"\$.*\.author: 'Benjamin Osei', which was .*", "The key signs the user's name."),
    (
        r"exported.*|ledger.*",
        r"\$.*(tags(\[\d+\])?|body): .*'?tag 1.*, which was .*Paraphrase.*",
        "Own tags stay at home unless they are asked for.",
    ),
    (
        r"exported.*",
        r"\$\.MANIFEST\.json\.settings\.names_passed_over: 0, which was 1",
        "A name in a page's title is no finding.",
    ),
    (
        r"writing-0001",
        r"\$\.everything\.histories\.fermi\.events\[1\]\.at: '2031-10-18.*', which was 'now'",
        "A status is later than the answer that it is given to, whose clock was ahead.",
    ),
    (r"lists", r"\$\.by stumping: 0 instead of 5: .*", "Their last guess is, or may be, right: no stump."),
    (r"lists", r"\$\.several: 3 instead of 8: .*", "The same five are sought by a player that they stump."),
]
"""What was changed on purpose: a difference that is not listed here is a broken promise."""


def differences(now, then, place="$"):
    """Where ``now`` is not ``then``: each place, and what is there in words.

    A name that is new breaks no promise: whoever reads the others finds them.
    """
    both = f"{now!r:.300}, which was {then!r:.300}"
    if isinstance(now, float) or isinstance(then, float):
        numbers = isinstance(now, int | float) and isinstance(then, int | float)
        if not numbers or abs(now - then) > CLOSE:
            yield place, both
    elif type(now) is not type(then):
        yield place, both
    elif isinstance(now, dict):
        for name, before in then.items():
            if name in now:
                yield from differences(now[name], before, f"{place}.{name}")
            else:
                yield f"{place}.{name}", f"{before!r:.300} is lost"
    elif isinstance(now, list) and len(now) != len(then):
        yield place, f"{len(now)} instead of {len(then)}: {both}"
    elif isinstance(now, list):
        for at, (one, other) in enumerate(zip(now, then, strict=True)):
            yield from differences(one, other, f"{place}[{at}]")
    elif now != then:
        yield place, both


def same(now, then, name=""):
    """See that ``now`` says what ``then`` says, but for what was changed on purpose."""
    meant = [re.compile(place, re.DOTALL) for names, place, _ in MEANT if re.fullmatch(names, name)]
    found = [f"{place}: {told}" for place, told in differences(now, then)]
    found = [one for one in found if not any(place.fullmatch(one) for place in meant)]
    assert not found, "\n".join(found[:20])


TOLD = ("answer", "opening", "text", "changed", "status", "words")
"""What tells tossups and branches of tossups apart where their ids do not."""


def without_ids(value):
    """``value`` without the ids of tossups: those of branches are each computer's own."""
    if isinstance(value, dict) and "histories" in value:
        value = {**value, "histories": list(value["histories"].values())}
    if isinstance(value, dict):
        return {name: without_ids(inside) for name, inside in value.items() if name not in ("id", "branches")}
    if isinstance(value, list):
        inside = [without_ids(one) for one in value]
        tossups = all(isinstance(one, dict) and one.keys() & {"opening", "text"} for one in inside)
        return sorted(inside, key=lambda one: [str(one.get(name)) for name in TOLD]) if tossups else inside
    return value


def as_then(name, value, *, ids=True):
    """See that ``value`` is the golden answer ``name``, also in the ids of tossups if ``ids``."""
    path = DATA / "golden" / f"{name}.json.xz"
    if os.environ.get("QUIZWRITER_RECORD"):
        path.parent.mkdir(exist_ok=True)
        raw = json.dumps(value, ensure_ascii=False, indent=0).encode()
        path.write_bytes(lzma.compress(raw, preset=9 | lzma.PRESET_EXTREME))
    then = json.loads(lzma.decompress(path.read_bytes()))
    now = json.loads(json.dumps(value))
    same(now, then, name) if ids else same(without_ids(now), without_ids(then), name)


# -- the desk


def unpacked(name, folder):
    """The folder that is packed in ``name``, every byte of it."""
    with tarfile.open(DATA / name) as files:
        files.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    """The folders of all bundles by name, and that of the challenge sets; they are only read."""
    folder = tmp_path_factory.mktemp("released")
    for name in BUNDLES:
        unpacked(f"bundles/{name}.tar.xz", folder / name)
    unpacked("challenge/sets.tar.xz", folder / "sets")
    return folder


class Desk:
    """A computer with QuizWriter: a folder, the program's home in it, and its commands."""

    def __init__(self, folder, released):
        self.folder, self.released = folder, released
        self.home = folder / "home"
        self.err = ""

    def database(self, name=NEWEST_DATABASE, to=None):
        """Unpack a database where the program looks for it, or elsewhere."""
        path = to or self.home / "quizwriter.db"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lzma.decompress((DATA / "databases" / f"{name}.db.xz").read_bytes()))
        return path

    def run(self, *arguments, program=quizwriter):
        """Run a command: its exit status, and what it prints."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                status = program([str(one) for one in arguments])
            except SystemExit as ended:
                status = ended.code
        self.err = err.getvalue()
        return status, out.getvalue()

    def said(self, *arguments, status=0):
        """What a command says in JSON, but for what is not the same every day."""
        found, out = self.run(*arguments, "--json")
        assert found == status, self.err
        return same_every_day(json.loads(out), self.folder)

    def done(self, *arguments, program=quizwriter):
        """Run a command that must go well; what it prints."""
        status, out = self.run(*arguments, program=program)
        assert status == 0, f"{out}\n{self.err}"
        return out

    def everything(self, *more, store=None):
        """All that the list and the histories say of a database."""
        where = ("--store", store) if store else ()
        rows = self.said("list", "--sort", "answer", *where)
        keys = sorted({row["id"] for row in rows} | set(more))
        return {"list": rows, "histories": {key: self.said("history", key, *where) for key in keys}}

    def bundle(self, name=NEWEST_BUNDLE):
        """A copy of a bundle, to be changed."""
        return shutil.copytree(self.released / name, self.folder / f"bundle-{name}")


@pytest.fixture
def desk(tmp_path, monkeypatch, released):
    """A desk of its own for every test, at which Ben works."""
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    made = Desk(tmp_path, released)
    made.home.mkdir()
    settings = f'profile_id = "{"b" * 32}"\nprofile_name = "Benjamin Osei"\n'
    (made.home / "settings.toml").write_text(settings, encoding="utf-8")
    return made


# -- databases

SUPERSEDED = ("foreign",)
"""What no list shows, because another branch was adopted."""


def hidden(name):
    return SUPERSEDED if name.startswith("0002") else ()


@pytest.mark.parametrize("name", DATABASES)
def test_a_database_holds_what_the_version_that_wrote_it_read_in_it(desk, name):
    then = json.loads((DATA / "databases" / f"{name}.json").read_text(encoding="utf-8"))
    path = desk.database(name)

    with closing(Store(path)) as store:
        now = {}
        for key, told in then.items():
            kept = store.load(key)
            answer = kept.tossup.answer
            now[key] = {
                "text": kept.tossup.text,
                "answer": answer and answer.line,
                "page": answer and answer.page,
                "words": len(kept.tossup.words),
                "cursor": kept.cursor,
                "edits": len(store.history(key)),
            }
            if "review" in told:
                now[key]["review"] = folded(fold_events(store.events(key)))
        assert {one.tossup_id for one in store.tossups()} == set(then)

    same(now, then, name)


@pytest.mark.parametrize("name", MIGRATED)
def test_a_database_that_was_brought_up_to_date_before_holds_the_old_and_the_new(desk, name):
    with closing(Store(desk.database(NEWEST_DATABASE))) as store:
        then = {one.tossup_id: (one, store.history(one.tossup_id)) for one in store.tossups()}
    path = desk.database(name)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)

    with closing(Store(path)) as store:
        now = {one.tossup_id: one for one in store.tossups()}
        assert store.check() == ()
        styled = {"styled"} if name.startswith("0008") else set()
        assert now.keys() == then.keys() | {"migrated", "first migrated"} | styled
        for key, (before, history) in then.items():
            assert store.history(key) == history
            assert (now[key].answer_line, now[key].opening) == (before.answer_line, before.opening)
        assert store.load("migrated").tossup.text.endswith("For 10 points, name it.")
        signed = Authenticity.VERIFIED if name >= "0005" else Authenticity.UNSIGNED
        assert set(store.edit_authenticity("migrated")) == {signed}
        found = store.events("migrated")
        assert {type(event.body).__name__ for event in found} >= {"Commented", "ConsentGiven"}
        assert {event.authenticity for event in found} == {signed}


def test_styles_guides_and_words_of_a_set_are_kept_as_they_were_written(desk):
    with closing(Store(desk.database(MIGRATED[-1]))) as store:
        stored = store.load("styled")
        text, line = stored.tossup.text, stored.tossup.answer.line
        review = store.review_of("styled")
        sheets = style_sheets(store, STANDARD_STYLE)

    def spans(of, styles):
        return {of[one.start : one.end]: {str(style) for style in one.styles} for one in styles.spans()}

    assert text == "The book Eels of Vadsbru (“VAHDZ-broo”) gives water as H2O. For 10 points, name it."
    found = spans(text, stored.styles)
    assert (found["water"], found["2"]) == ({"bold"}, {"subscript"})
    assert any(words.startswith("Eels of Vadsbru") for words, styles in found.items() if styles == {"italic"})
    assert spans(line, stored.answer_styles) == {"Hydrogen": {"bold", "underline"}}
    assert [guide.said for guide in placed_guides(text)] == ["VAHDZ-broo"]
    assert review.buzz_goal == BuzzGoal(60, "ir")
    assert (sheets[""].longest, sheets[""].words, sheets[""].goal) == (120, ("Vadsbru",), BuzzGoal(50))


def folded(review):
    """What the events of a tossup amount to, as the data has it."""
    return {
        "status": str(review.status),
        "reason": review.status_set.body.reason if review.status_set else None,
        "locked": review.locked,
        "waived": [[one.check, one.reason] for one in review.waived],
        "set": review.set_name,
        "category": list(review.category),
        "writer": review.writer,
        "consent": str(review.consent),
        "source": review.source,
        "comments": [
            [
                one.event.body.text,
                one.event.body.quoted,
                [reply.body.text for reply in one.replies],
                one.resolved,
            ]
            for one in review.comments
        ],
        "suggestions": [
            [one.event.body.note, one.event.body.edit.inserted, one.decision and one.decision.body.accepted]
            for one in review.suggestions
        ],
        "tags": [[str(of), author, list(tags)] for (of, author), tags in review.tags.items()],
    }


@pytest.mark.parametrize("name", DATABASES)
def test_the_commands_say_of_a_database_what_they_said(desk, name):
    desk.database(name)

    told = desk.everything(*hidden(name))

    as_then(f"database-{name[:4]}", told)
    for key, history in told["histories"].items():
        text = ""
        for number, edit in enumerate(history["edits"], start=1):
            start, removed = edit["start"], edit["removed"]
            assert (edit["seq"], text[start : start + len(removed)]) == (number, removed), key
            text = text[:start] + edit["inserted"] + text[start + len(removed) :]
        assert text == history["text"], key
    out = desk.done("check", "--bundle", desk.released / NEWEST_BUNDLE)
    assert str(len(told["list"])) in out or name.startswith("0002")


@pytest.mark.parametrize("name", DATABASES)
def test_an_old_database_gets_the_tables_of_a_new_one(desk, name):
    old, new = desk.database(name), desk.folder / "new.db"
    desk.done("list")
    Store(new).close()

    assert tables(old) == tables(new)


def tables(path):
    """The columns of every table, and what every index is on."""
    with closing(sqlite3.connect(path)) as db:
        names = db.execute("select type, name from sqlite_master where type in ('table', 'index')").fetchall()
        pragma = {"table": "table_xinfo", "index": "index_xinfo"}
        return {
            name: sorted(column[1:] for column in db.execute(f"pragma {pragma[kind]}('{name}')"))
            if kind == "table"
            else [column[2] for column in db.execute(f"pragma {pragma[kind]}('{name}')")]
            for kind, name in names
        }


LISTS = {
    "by text": ["--text", "OWL falcon"],
    "by set": ["--in-set", "Spring Open", "--in-set", "Winter Open"],
    "by status": ["--status", "accepted", "--status", "sent-back"],
    "by category": ["--category", "Fine Arts", "--category", "Literature/British"],
    "by author": ["--author", "Benjamin Osei", "--author", "chi@example.org"],
    "by stumping": ["--stumps", "ir"],
    "by words": ["--min-words", "100", "--max-words", "125"],
    "since": ["--since", "2031-10-20"],
    "changed": ["--changed"],
    "commented": ["--commented"],
    "several": ["--in-set", "Spring Open", "--stumps", "dan", "--status", "accepted"],
    **{f"sorted by {column}": ["--sort", column] for column in (
        "answer", "set", "category", "status", "author", "words", "power", "stumped", "shift", "changed",
        "comments",
    )},
    "sorted up": ["--sort", "words", "--up"],
    **{f"sorted by {game}": ["--sort", game, "--player", "dan"] for game in ("first", "stable", "buzz")},
}  # fmt: skip


def test_lists_are_filtered_and_sorted_as_they_were(desk):
    desk.database()

    as_then("lists", {name: [row["id"] for row in desk.said("list", *how)] for name, how in LISTS.items()})
    assert desk.run("list", "--sort", "first")[0] == 1
    assert desk.run("list", "--author", "Nobody")[0] == 1
    assert desk.run("list", "--status", "lost")[0] == 2
    assert desk.run("list", "--since", "soon")[0] == 2
    assert desk.run("history", "nowhere")[0] == 1


@pytest.mark.logs("the filter of tomorrow")
def test_saved_filters_and_categories_are_read(desk, caplog):
    path = desk.database()
    with closing(sqlite3.connect(path)) as db:
        kept = dict(db.execute("select name, body from kept where kind = 'filter'"))
    app = App(desk.home)
    with closing(app.store):
        filters, categories = app.queue.filters(), app.review.categories("Spring Open")
        standard = app.review.categories("Winter Open")
        for name, wanted in filters.items():
            app.queue.save_filter(name, wanted)
        again = app.store.items("filter")

    assert sorted(filters) == ["All of it", "Nothing", "Spring, ready"]
    assert "of tomorrow" in caplog.text  # which is left out, and the log says so
    for name in filters:
        assert json.loads(again[name]) == {**json.loads(kept[name]), "unplayed": False}
    assert [list(path) for path in categories] == [
        ["Arts"], ["Arts", "Opera"], ["Arts", "Opera", "Verismo"], ["Science"],
    ]  # fmt: skip
    assert ("Literature", "American", "Drama") in standard


def questions_file(folder):
    """Questions to import: whole, without a page, known, and none."""
    rows = [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()[10:13]]
    rows[0] |= {"author": "Ada Nov\u00e1k"}
    rows[1] |= {"page": None, "answer_label": None}
    rows += [rows[0], {"id": "short", "text": "Too short.", "answer": "x"}]
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_commands_that_write_do_what_they_did(desk):
    desk.database()
    bundle = ("--bundle", desk.released / NEWEST_BUNDLE)
    said = {}

    said["import"] = desk.said("import", questions_file(desk.folder), "--set", "Winter Open")
    said["import again"] = desk.said("import", questions_file(desk.folder))
    desk.done("consent", "unasked", "fermi", "--set", "yes", "--reason", "By e-mail.")
    desk.done("consent", "macbeth", "--set", "never", "--reason", "By e-mail.")
    said["ready"] = desk.said("status", "brahms", "tokyo", "emptied", "--set", "ready", *bundle, status=1)
    said["draft"] = desk.said("status", "tokyo", "--set", "draft", "--reason", "Once more.")
    said["unready"] = desk.said("status", "tokyo", "--set", "ready", *bundle, status=1)
    reasons = [f"--override={name}=That is all right." for name in ("page", "leak", "set", "past")]
    said["overridden"] = desk.said("status", "tokyo", "--set", "ready", *reasons, *bundle)
    said["refused"] = desk.said("status", "hadrian", "--set", "draft", status=1)
    said["unlocked"] = desk.said("status", "hadrian", "--set", "edited", "--reason", "One more clue.")
    said["nowhere"] = desk.run("status", "nowhere", "--set", "ready")[0]
    said["everything"] = desk.everything("foreign")

    as_then("writing", said)
    assert len(said["import"]["added"]) == 3
    desk.done("check", *bundle)


@pytest.mark.parametrize("name", DATABASES[:2])
def test_an_old_database_is_written_on(desk, name):
    desk.database(name)
    said = {"import": desk.said("import", questions_file(desk.folder))}

    desk.done("consent", "fermi", "--set", "yes")
    said["withdrawn"] = desk.said("status", "fermi", "--set", "withdrawn", "--reason", "Asked before.")
    said["everything"] = desk.everything()

    as_then("writing-0001", said)
    desk.done("check", "--bundle", desk.released / NEWEST_BUNDLE)


def test_what_people_read_names_the_same_things(desk):
    desk.database()

    listing, history = desk.done("list"), desk.done("history", "brahms")

    for row in desk.said("list"):
        assert row["id"] in listing
    for said in (
        "Is this unique?",
        "Ada Nov\u00e1k",
        "Benjamin Osei",
        "Two clues are the same.",
        "Paraphrase",
    ):
        assert said in " ".join(history.split())


# -- bundles


def drafts(folder):
    """Files with tossups to play: of a page that bundles know, and of one they do not."""
    rows = [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()]
    made = {}
    for row in (rows[0], rows[1], rows[6]):
        name = row["page"]
        made[name] = folder / f"{name}.txt"
        made[name].write_text(f"{row['text']}\nANSWER: {row['answer']}", encoding="utf-8")
    return made


@pytest.mark.parametrize("name", BUNDLES)
def test_a_bundle_plays_as_it_did(desk, name):
    bundle = ("--bundle", desk.released / name)
    said = {"check": desk.run("check", *bundle)[0]}
    if said["check"] == 0:
        said |= {page: desk.said("play", draft, *bundle) for page, draft in drafts(desk.folder).items()}
        said["evaluation"] = desk.said("evaluate", "--questions", EXAMPLES, "--limit", "4", *bundle)

    as_then(f"bundle-{name}", said)
    if said["check"] == 0:
        (first, *_) = said["Johannes_Brahms"]["plays"]
        assert len(first["rows"][-1]) == 5


def test_the_same_files_make_the_same_bundle(desk):
    for name in ("questions", "articles"):
        raw = (DATA / "bundles" / f"{name}.jsonl.xz").read_bytes()
        (desk.folder / f"{name}.jsonl").write_bytes(lzma.decompress(raw))
    now, then = desk.folder / "bundle", desk.released / NEWEST_BUNDLE

    desk.done(
        "build", "--questions", desk.folder / "questions.jsonl", "--wiki", desk.folder / "articles.jsonl",
        "--out", now, "--title", "Ten answers", program=index_builder,
    )  # fmt: skip

    made, before = (json.loads((folder / "manifest.json").read_bytes()) for folder in (now, then))
    trained = {"players", "buzzers"}
    assert made.keys() == before.keys() - trained
    for name in ("format", "schema", "title", "sources", "folds"):
        assert made[name] == before[name]
    assert made["counts"].pop("questions") == 40  # in the library, which bundles had not then
    assert made["counts"] == before["counts"]
    newer = ("library/", "sentences/", "aliases/", "words/", "names/", "ir/hearing.npy")
    files = sorted(name for name in made["files"] if not name.startswith(newer))
    assert files == sorted(name for name in before["files"] if not name.startswith("players/"))
    for name in files:
        if name.endswith(".npy"):
            new, old = np.load(now / name), np.load(then / name)
            assert (new.dtype, new.shape) == (old.dtype, old.shape)
            assert np.allclose(new, old, rtol=1e-5) if new.dtype.kind == "f" else np.array_equal(new, old)
        elif name != "report.json":  # how long it took
            assert (now / name).read_bytes() == (then / name).read_bytes()


def test_a_tossup_without_an_answer_and_an_empty_one_are_played_as_they_were(desk):
    bundle = ("--bundle", desk.released / NEWEST_BUNDLE)
    path = desk.folder / "draft.txt"
    said = {}
    for name, text in {
        "without": "An owl kills a falcon in this play of Scotland.",
        "empty": "",
        "foreign": "\u05e9\u05dc\u05d5\u05dd (*)",
    }.items():
        path.write_text(text, encoding="utf-8")
        said[name] = desk.said("play", path, *bundle)

    as_then("plays-of-drafts", said)
    assert desk.done("play", path, *bundle)
    assert desk.done("evaluate", "--questions", EXAMPLES, "--limit", "2", *bundle)
    assert desk.run("play", desk.folder / "missing.txt", *bundle)[0] == 1
    assert desk.run("evaluate", "--questions", path, *bundle)[0] == 1


@pytest.mark.parametrize(("name", "packets"), [("2-57a6110", "57a6110"), ("3-31848ef", "31848ef")])
def test_packets_that_were_added_play_along(desk, name, packets):
    bundle = desk.bundle(name)
    unpacked(f"packets/{packets}.tar.xz", bundle / "yours")
    draft = desk.folder / "draft.txt"
    draft.write_text(
        "Cones are stacked in this architect's opera house.\nANSWER: J\u00f8rn Utzon", encoding="utf-8"
    )

    status = desk.run("check", "--bundle", bundle)[0]
    said = {"check": status, "play": desk.said("play", draft, "--bundle", bundle)}
    listed = desk.done("add", "--bundle", bundle, program=index_builder)

    as_then(f"packets-{packets}", said)
    assert "Winter Open" in listed


@pytest.mark.parametrize("name", ["1-1a83514", "2-74a8029", "3-31848ef"])
def test_packets_are_added_and_removed_as_they_were(desk, name):
    bundle = desk.bundle(name)
    packet = desk.folder / "Spring.txt"
    packet.write_text(
        "1. This architect stacked the cones of an opera house. For 10 points, name this Dane.\n"
        "ANSWER: J\u00f8rn Utzon\n",
        encoding="utf-8",
    )
    draft = drafts(desk.folder)["Tokyo"]
    draft.write_text("This Dane stacked cones for an opera house.\nANSWER: J\u00f8rn Utzon", encoding="utf-8")

    said = {"add": desk.run("add", packet, "--bundle", bundle, program=index_builder)[0]}
    said["play"] = desk.said("play", draft, "--bundle", bundle)
    kept = sorted(path.name for path in bundle.glob("yours/packets/*"))
    said["removed"] = [
        desk.run("add", "--remove", one, "--bundle", bundle, program=index_builder)[0] for one in kept
    ]
    said["play without"] = desk.said("play", draft, "--bundle", bundle)

    as_then(f"adding-{name}", said)


# -- packs


def inside(pack):
    """The tossups and the people in a pack, and what it says of itself but for the program that made it."""
    with zipfile.ZipFile(pack) as files:
        assert sorted(files.namelist()) == ["manifest.json", "people.jsonl", "tossups.jsonl"]
        manifest = json.loads(files.read("manifest.json"))
        manifest.pop("program")
        manifest.pop("version")  # 2 since packs hold signatures, of which these have none
        return manifest, files.read("tossups.jsonl"), files.read("people.jsonl")


def test_the_same_database_makes_the_same_packs(desk):
    desk.database()

    said = {
        "all": desk.said("pack", desk.folder / "all.qwpack"),
        "some": desk.said("pack", desk.folder / "some.qwpack", "brahms", "fermi"),
        "filtered": desk.said("pack", desk.folder / "filtered.qwpack", "--in-set", "Spring Open"),
    }

    as_then("packing", said)
    for name in ("all", "some"):
        assert inside(desk.folder / f"{name}.qwpack") == inside(DATA / "packs" / f"{name}.qwpack")
    assert desk.run("pack", desk.folder / "x.qwpack", "brahms", "--changed")[0] == 1
    assert desk.run("pack", desk.folder / "x.qwpack", "nowhere")[0] == 1


PACKS = ("all", "some", "second", "third")


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_is_merged_into_a_new_database_and_an_old_one_as_it_was(desk, name):
    pack, said = DATA / "packs" / f"{name}.qwpack", {}
    desk.database()
    old = desk.database("0001-57a6110", desk.folder / "old.db")
    for place, store in {
        "new": desk.folder / "new.db",
        "here": desk.home / "quizwriter.db",
        "old": old,
    }.items():
        said[place] = desk.said("merge", pack, "--store", store)
        before = desk.said("list", "--sort", "answer", "--store", store)
        said[f"{place}, listed"] = before
        again = desk.said("merge", pack, "--store", store)

        assert set(again["came"].values()) == {"unchanged"}
        assert desk.said("list", "--sort", "answer", "--store", store) == before
    as_then(f"merging-{name}", said, ids=False)


def test_packs_of_three_machines_make_one_state_in_any_order(desk):
    packs = {name: DATA / "packs" / f"{name}.qwpack" for name in PACKS}
    told = []
    for number, order in enumerate((("all", "second", "third", "some"), ("third", "some", "second", "all"))):
        store = desk.folder / f"{number}.db"
        said = [desk.said("merge", packs[name], "--store", store) for name in order]
        told.append(desk.everything("foreign", store=store))
        desk.done("pack", desk.folder / f"{number}.qwpack", "--store", store)

    same(without_ids(told[1]), without_ids(told[0]))
    (_, *one), (_, *other) = (inside(desk.folder / f"{number}.qwpack") for number in range(2))
    assert [sorted(text.splitlines()) for text in one] == [sorted(text.splitlines()) for text in other]
    as_then("merged", {"last report": said[-1], "state": told[0]}, ids=False)
    damaged = desk.folder / "damaged.qwpack"
    damaged.write_bytes(packs["all"].read_bytes()[:-9] + b"123456789")
    assert desk.run("merge", damaged)[0] == 1


# -- challenge sets


def numbers(sentences):
    """The numbers in each of some sentences, whose words may change."""
    return [[int(one.replace(",", "")) for one in re.findall(r"\b\d[\d,]*\b", said)] for said in sentences]


@pytest.fixture
def editors_desk(desk):
    """The desk that released the challenge sets, as it was then: with its ledgers, its key and its plays."""
    shutil.rmtree(desk.home)
    unpacked("challenge/home.tar.xz", desk.home)
    desk.database()
    return desk


def files_of(folder):
    """What is in a challenge set, by file, but for the prose about it and the program that wrote it."""
    found = {}
    for path in sorted(folder.iterdir()):
        raw = path.read_bytes()
        match path.name:
            case "questions.json" | "questions.trickme.json" | "splits.json" | "retracted.json":
                found[path.name] = json.loads(raw)
            case "plays.jsonl" | "histories.jsonl":
                found[path.name] = [json.loads(line) for line in raw.splitlines()]
            case "questions.csv":
                found[path.name] = list(csv.DictReader(io.StringIO(raw.decode())))
            case "MANIFEST.json":
                manifest = json.loads(raw)
                found[path.name] = {
                    name: value for name, value in manifest.items() if name not in _OF_PROGRAM
                }
                found["files"] = sorted(manifest["files"])
            case _:
                found[path.name] = "prose"
    return same_every_day(found, folder)


_OF_PROGRAM = {"program", "files", "earlier"}


@pytest.mark.parametrize("name", SETS)
def test_a_challenge_set_is_verified_and_played_again_without_a_finding(editors_desk, name):
    folder = editors_desk.released / "sets" / name
    said = editors_desk.said("verify", folder, "--bundle", editors_desk.released / NEWEST_BUNDLE)

    assert said["problems"] == []
    notes = [note for note in said["notes"] if not note.startswith("Old rule")]
    as_then(f"verify-{name}", numbers(notes))
    assert editors_desk.run("verify", folder, "--bundle", editors_desk.released / NEWEST_BUNDLE)[0] == 0


def test_a_changed_challenge_set_is_found_out(editors_desk):
    folder = shutil.copytree(editors_desk.released / "sets" / "spring-1.0", editors_desk.folder / "set")
    path = folder / "questions.csv"
    path.write_bytes(path.read_bytes().replace(b"owl", b"cat"))

    status, out = editors_desk.run(
        "verify", folder, "--bundle", editors_desk.released / NEWEST_BUNDLE, "--json"
    )

    assert status == 1
    assert any("questions.csv" in one for one in json.loads(out)["problems"])


def test_a_question_is_withdrawn_from_a_challenge_set(editors_desk):
    then, now = editors_desk.released / "sets", editors_desk.folder / "spring-1.1"

    editors_desk.done("retract", then / "spring-1.0", "macbeth", "--reason", "Asked elsewhere.", "--out", now)

    same(files_of(now), files_of(then / "spring-1.1"))
    for path in (then / "spring-1.0").iterdir():
        if path.name not in {"MANIFEST.json", "SHA256SUMS", "retracted.json"}:
            assert (now / path.name).read_bytes() == path.read_bytes()
    bundle = ("--bundle", editors_desk.released / NEWEST_BUNDLE)
    assert editors_desk.said("verify", now, *bundle)["problems"] == []
    again = ("--reason", "Twice.", "--out", editors_desk.folder / "twice")
    assert editors_desk.run("retract", now, "macbeth", *again)[0] == 1
    assert editors_desk.run("retract", now, "nowhere", *again)[0] == 1


def with_ids_of_the_database(value, desk):
    """``value`` with the ids that older versions released instead of those made with the key."""
    pseudonyms = Pseudonyms.load(desk.home / "pseudonyms.key")
    text = json.dumps(value)
    with closing(Store(desk.home / "quizwriter.db")) as store:
        for state in store.release_states():
            text = text.replace(pseudonyms.of_question(state.tossup_id), state.tossup_id)
    return json.loads(text)


def exported(desk, name, *how):
    """Export again what a set was exported from; the report."""
    bundle = desk.released / NEWEST_BUNDLE
    return desk.said("export", "--out", desk.folder / name, "--set", "Spring Open", "--bundle", bundle, *how)


HOW = {
    "spring-1.0": ("--histories", "--remarks"),
    "spring-2.0": ("--version", "2.0", "--keep-repeats", "--histories", "--remarks"),
    "bare-1.0": (
        "--title", "Bare Set", "--licence", "CC0 1.0", "--no-histories", "--stumps", "rnn", "--until", "10",
    ),
}  # fmt: skip


def let_the_writer_allow(desk, key):
    """The writer changes her mind: only she can, since she refused."""
    with closing(Store(desk.home / "quizwriter.db")) as store:
        writer = store.review_of(key).release.writer
        store.add_events([Event.new(key, 0, writer, ConsentGiven(Consent.YES))])


@pytest.mark.parametrize("name", HOW)
def test_the_same_database_makes_the_same_challenge_set(editors_desk, name):
    then = editors_desk.released / "sets"
    after = ("--after", then / "spring-1.1") if name == "spring-2.0" else ()
    if name != "spring-1.0":
        let_the_writer_allow(editors_desk, "uranus")
        shutil.rmtree(editors_desk.home / "plays")  # what was not kept is played again

    report = exported(editors_desk, name, "--date", "2031-10-30", *HOW[name], *after)

    report.pop("games_played")
    as_then(f"export-{name}", report)
    now = with_ids_of_the_database(files_of(editors_desk.folder / name), editors_desk)
    before = files_of(then / name)
    if name == "spring-1.0":
        same(now, before, "exported")
    else:  # the consent is an event of another time
        now.pop("histories.jsonl", None), before.pop("histories.jsonl", None)
        same(now, before, "exported")
    bundle = ("--bundle", editors_desk.released / NEWEST_BUNDLE)
    assert editors_desk.said("verify", editors_desk.folder / name, *bundle)["problems"] == []


def test_plays_of_earlier_versions_are_played_once_more_and_then_never_again(editors_desk):
    """Those kept before the database do not say whether a player can know the answer."""
    assert exported(editors_desk, "anew")["games_played"] == 25
    assert not (editors_desk.home / "plays").exists(), "what was replaced need not be kept"
    assert exported(editors_desk, "again")["games_played"] == 0


def test_the_ledger_of_a_desk_keeps_numbers_and_splits(editors_desk):
    let_the_writer_allow(editors_desk, "uranus")

    exported(editors_desk, "later", "--version", "3.0")  # not after any folder

    ledger = json.loads(next((editors_desk.home / "challenge").glob("spring-set-*.json")).read_bytes())
    rows = json.loads((editors_desk.folder / "later" / "questions.json").read_bytes())["quizwriter"]
    assert len(rows) == 5
    for row in rows:
        assert ledger["numbers"][row["tossup_id"]] == row["qanta_id"]
        assert ledger["splits"][row["tossup_id"]] == row["split"]
    as_then("ledger", with_ids_of_the_database(ledger, editors_desk))


def test_what_a_desk_keeps_lies_where_it_lay(desk):
    questions = desk.folder / "questions.jsonl"
    questions.write_text(EXAMPLES.read_text(encoding="utf-8").splitlines()[1] + "\n", encoding="utf-8")
    (key,) = desk.said("import", questions)["added"]
    for status in ("ready", "in review", "edited", "proofread", "accepted"):
        bundle = ("--bundle", desk.released / NEWEST_BUNDLE)
        reasons = [f"--override={name}=All right." for name in ("past", "filler", "length", "leak")]
        desk.done("status", key, "--set", status, *reasons, *bundle)
    desk.done("consent", key, "--set", "yes")
    desk.done("export", "--out", desk.folder / "set", "--title", "Spring Set", *bundle)

    kept = {path.relative_to(desk.home).as_posix() for path in desk.home.rglob("*") if path.is_file()}

    assert kept >= {
        "quizwriter.db", "settings.toml", "challenge.toml", "pseudonyms.key",
        "challenge/spring-set-678163.json",
    }  # fmt: skip


def test_another_seed_or_a_taken_folder_stops_an_export(editors_desk):
    then = editors_desk.released / "sets" / "spring-1.0"
    sheet = editors_desk.folder / "sheet.toml"
    sheet.write_text('title = "Spring Set"\nseed = 8\n', encoding="utf-8")
    bundle = ("--bundle", editors_desk.released / NEWEST_BUNDLE)

    assert (
        editors_desk.run(
            "export", "--out", editors_desk.folder / "a", "--sheet", sheet, "--after", then, *bundle
        )[0]
        == 1
    )
    assert editors_desk.run("export", "--out", then, *bundle)[0] == 1
    assert (
        editors_desk.run("export", "--out", editors_desk.folder / "b", "--licence", "mine", *bundle)[0] == 1
    )


# -- settings

CHOSEN = {
    "bundle": "/data/bundles/mine \u00fc", "theme": "dark", "draft_font": "Noto Serif", "draft_size_px": 21,
    "player_order": ("dan", "ir"), "players_off": ("rnn",), "profile_id": "a" * 32,
    "profile_name": "Ada Nov\u00e1k", "profile_email": "ada@example.org",
}  # fmt: skip
KNOWN = {"3bb301a": 4, "57a6110": 6, "31848ef": 9}
"""How many of them settings had by then."""


@pytest.mark.parametrize("name", KNOWN)
def test_settings_are_read_with_nothing_lost(tmp_path, name):
    path = shutil.copy(DATA / "settings" / f"{name}.toml", tmp_path / "settings.toml")

    settings, trouble = Settings.read(path)

    assert trouble is None
    for number, (field, value) in enumerate(CHOSEN.items()):
        assert getattr(settings, field) == (value if number < KNOWN[name] else getattr(Settings(), field))
    server = settings.elasticsearch
    if name == "31848ef":
        assert (server.on, server.url, server.index) == (True, "https://search.example.org:9200", "quiz")
        assert (server.ca, server.verify, server.plain_ok) == ("/data/ca.pem", False, True)
        assert (server.sign_in, server.user) == ("password", "ada")
    settings.write(path)
    assert Settings.read(path) == (settings, None)


@pytest.mark.parametrize("name", KNOWN)
def test_the_bundle_in_the_settings_is_the_one_used(desk, name):
    shutil.copy(DATA / "settings" / f"{name}.toml", desk.home / "settings.toml")

    assert desk.run("check")[0] == 1
    assert str(Path(CHOSEN["bundle"])) in desk.err


# -- the commands themselves

COMMANDS = (
    "play", "evaluate", "bench", "check", "import", "list", "history", "status", "pack", "merge", "export",
    "verify", "consent", "retract",
)  # fmt: skip
BUILDING = (["build"], ["train"], ["add"], ["fetch", "qanta"], ["fetch", "wikipedia"], ["all"], ["publish"])


def options(desk, *command, program=quizwriter):
    """The options and the names of arguments that a command tells of."""
    out = desk.done(*command, "--help", program=program)
    usage = out.partition("\n\n")[0]
    return sorted(
        {*re.findall(r"--?[a-z][a-z-]*", out), *re.findall(r"(?<=[ \[])[A-Z]+(?=[\] \n]|$)", usage)}
    )


def test_every_command_takes_what_it_took(desk):
    now = {name: options(desk, name) for name in COMMANDS}
    now |= {" ".join(names): options(desk, *names, program=index_builder) for names in BUILDING}
    now["quizwriter"] = options(desk)

    if not os.environ.get("QUIZWRITER_RECORD"):  # options may be added, and none may go
        then = json.loads(lzma.decompress((DATA / "golden" / "options.json.xz").read_bytes()))
        now = {name: [one for one in found if one in then.get(name, found)] for name, found in now.items()}
    as_then("options", now)


# -- what one commit wrote, of everything

RELEASES = ("f3070a7", "d52e3f8")


@pytest.mark.parametrize("name", RELEASES)
def test_all_that_a_commit_wrote_opens_replays_plays_and_verifies(name, tmp_path, monkeypatch):
    folder = unpacked(f"releases/{name}.tar.xz", tmp_path / name)
    home, bundle = folder / "home", ("--bundle", folder / "bundle")
    monkeypatch.setenv("QUIZWRITER_HOME", str(home))
    desk = Desk(tmp_path, folder)
    then, plays = (
        json.loads((folder / f"{one}.json").read_text(encoding="utf-8")) for one in ("list", "plays")
    )

    texts = {one["opening"]: one["id"] for one in desk.said("list")}
    same(desk.said("list"), same_every_day(then, tmp_path), "release: list")
    assert len(texts) == len(then) > 3
    desk.done("check", *bundle)
    other = ("--store", tmp_path / "other.db")
    desk.done("merge", folder / "autumn.qwpack", *other)
    assert {one["id"]: one["status"] for one in desk.said("list", *other)} == {
        one["id"]: one["status"] for one in then
    }
    for key in texts.values():
        here, there = (desk.said("history", key, *where) for where in ((), other))
        told = ("text", "answer", "page", "status", "edits", "answers", "analyses")
        assert [here[one] for one in told] == [there[one] for one in told]
    rows = map(json.loads, EXAMPLES.read_text(encoding="utf-8").splitlines())
    drafts = {row["page"]: f"{row['text']}\nANSWER: {row['answer']}\n" for row in rows}
    for page, told in plays.items():
        draft = tmp_path / "draft.txt"
        draft.write_text(drafts[page], encoding="utf-8")
        same(desk.said("play", draft, *bundle), same_every_day(told, tmp_path), f"release: {page}")
    desk.done("verify", folder / "autumn-1.0")
    assert "4 questions" in desk.done("verify", folder / "autumn-1.0", *bundle)
