# ruff: noqa: I001 - today's modules are not those that are imported here
"""Make the files that released versions of QuizWriter wrote, each by the code of its own commit.

``python tests/data/make_released_files.py`` checks the commits out in the system's temporary folder, runs
this script with the code of each, and packs what it wrote into ``tests/data``. The name of a part makes that
part alone (``bundles``), a commit behind it that of the commit alone (``bundles 31848ef``). What runs there
imports modules by the names of those commits, never by those of today: leave them when modules are renamed.

Everything is drawn from seeds; what is trained differs in the last digits from machine to machine.
"""

from __future__ import annotations

import inspect
import json
import lzma
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, redirect_stdout, suppress
from msgspec.structs import replace
from io import BytesIO, StringIO
from pathlib import Path

DATA = Path(__file__).parent
REPOSITORY = DATA.parents[1]
RESOURCES = REPOSITORY / "resources"
NEWEST = "31848ef"

DATABASES = ("62cbc3f", "57a6110", "46b7d58", NEWEST)
"""The first and the last commit of each schema."""

MIGRATED = ("a77df90", "a0349b7", "2da10b1")
"""The last commits of schemas 0004 and 0005, and one of 0008, which bring an older database up to date."""

BUNDLES = ("b68a95b", "1a83514", "cb7eea7", "57a6110", "74a8029", NEWEST)
"""Schema 1 first, last without and first with networks; 2 with the first and the last ensemble; 3."""

PACKETS = ("57a6110", NEWEST)

SETTINGS = ("3bb301a", "57a6110", NEWEST)

RELEASES = ("f3070a7", "d52e3f8")
"""Commits whose commands made a home, a bundle, a pack and a challenge set of their own."""

BEGUN = 1_950_000_000_000
"""Milliseconds since 1970: later than any day on which the tests run, so that new events come right after."""

ADA, BEN, CHI, NEMO = "a" * 32, "b" * 32, "c" * 32, "d" * 32
"""People; nothing is known of the last one."""


# -- what runs with the code of an old commit


def examples() -> dict[str, dict[str, str]]:
    """The example set by its ids, without the beginning they share."""
    lines = (RESOURCES / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    rows = map(json.loads, lines)
    return {row["id"].removeprefix("qw-example-"): row for row in rows}


FOREIGN = (
    "The \u201eFlu\u00df\u201c in this text is a river. \u05e9\u05dc\u05d5\u05dd is a greeting here, and "
    "\U0001f3bb is an instrument; e\u0301 has an accent of its own.\n"
    "For 10 points, name this thing (\u201cTHING\u201d)."
)


def bursts(seed: str, text: str) -> Iterator[tuple[int, str, str]]:
    """Edits that lead to ``text``: typed in bursts, with words rubbed out and sentences turned round."""
    draw = random.Random(seed)
    at = 0
    while at < len(text):
        size = draw.randint(20, 70)
        burst = text[at : at + size]
        if draw.random() < 0.25:
            wrong = draw.choice(("something else ", "xx", "\u00e9\u00e8 ", "(*) "))
            yield at, "", wrong
            yield at, wrong, burst
        else:
            yield at, "", burst
        at += len(burst)
    place = draw.randrange(len(text) // 2)
    taken = text[place : place + 25]
    yield place, taken, ""
    yield place, "", taken


def savings(key, text, answers, *, seed, authors=("",), pages=("Macbeth",), begun=BEGUN):
    """The savings of a tossup that ``authors`` typed in turn; one of ``answers`` comes with each saving."""
    from quizwriter.domain.guessing import Guess
    from quizwriter.domain.history import Change, Edit
    from quizwriter.workflow.writing import Saving, Shown

    draw = random.Random(seed)
    steps = list(bursts(seed, text))
    parts = max(1, len(answers))
    ends = [round(len(steps) * part / parts) for part in range(1, parts + 1)]
    changes, shown, found, now, at_ms = [], [], [], "", begun
    later = {"author": authors[-1]} if "author" in inspect.signature(Saving).parameters else {}
    for seq, (start, removed, inserted) in enumerate(steps, start=1):
        edit = Edit(start, removed, inserted)
        now = edit.apply(now)
        at_ms += 1_000 * (len(removed) + len(inserted))
        author = authors[min(len(authors) - 1, seq * len(authors) // len(steps))]
        changes.append(Change(seq, at_ms, edit, *([author] if later else [])))
        words = len(now.split())
        for name in ("ir", "dan") if seq % 3 == 0 or seq == len(steps) else ():
            first = draw.choice((None, max(1, words - 7)))
            buzz = draw.choice((None, words))
            top = tuple(Guess(page, round(9 / rank, 4)) for rank, page in enumerate(pages, start=1))
            shown.append(
                Shown(
                    seq=seq, at_ms=at_ms + 40, guesser=name, engine=f"{name}-of-{key}", top=top,
                    first_correct=first, stable_correct=first, buzz_heard=buzz,
                    buzz_page=pages[0] if buzz else None, words=words,
                )
            )  # fmt: skip
        if seq in ends:
            answer = answers[len(found)] if answers else None
            made = Saving(
                key, now, answer, min(7, len(now)), at_ms + 90, tuple(changes), tuple(shown), **later
            )
            found.append(made)
            changes, shown = [], []
    return found


def write_first_tossups(store, people=("",)):
    """Tossups as every schema can hold them; their ids."""
    from quizwriter.domain.history import Change, Edit
    from quizwriter.domain.tossup import Answer, Page
    from quizwriter.workflow.writing import Saving

    texts = examples()
    brahms, fermi, tokyo = (texts[name]["text"] for name in ("johannes-brahms", "enrico-fermi", "tokyo"))
    first, last = people[0], people[-1]
    for made in (
        *savings(
            "brahms",
            brahms,
            [None, Answer("Brahms"), Answer("Johannes Brahms [accept just Brahms]", Page("Johannes_Brahms"))],
            seed="brahms",
            authors=people,
            pages=("Johannes_Brahms", "Robert_Schumann", "Franz_Liszt"),
        ),
        *savings(
            "fermi",
            fermi,
            [Answer("Fermi", Page("Enrico_Fermi")), None],
            seed="fermi",
            authors=(first,),
            pages=("Niels_Bohr", "Enrico_Fermi"),
            begun=BEGUN + 86_400_000,
        ),
        *savings(
            "tokyo", tokyo, [Answer("Edo")], seed="tokyo", authors=(last,), begun=BEGUN + 2 * 86_400_000
        ),
        *savings("foreign", FOREIGN, [], seed="foreign", begun=BEGUN + 3 * 86_400_000),
    ):
        store.save(made)
    typed = Edit(0, "", "Only a try.")
    store.save(
        Saving(
            "emptied",
            "",
            None,
            0,
            BEGUN + 500,
            (Change(1, BEGUN + 1, typed), Change(2, BEGUN + 9, typed.undone())),
        )
    )
    return ["brahms", "fermi", "tokyo", "foreign", "emptied"]


def write_database(path: Path) -> None:
    """The database of this commit, with all that its schema can hold."""
    from quizwriter.store import Store

    with closing(Store(path)) as store:
        if hasattr(store, "record"):
            write_first_tossups(store, (ADA, BEN))
            write_review(store)
        else:
            write_first_tossups(store)
        described = describe(store)
    path.with_suffix(".json").write_text(
        json.dumps(described, ensure_ascii=False, indent=1), encoding="utf-8"
    )
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
        db.execute("pragma journal_mode = delete")  # all in one file


def add_styled(app: object) -> None:
    """A tossup with styles in its text and its answer line, a guide, and what is said of it since 0006."""
    from quizwriter.domain.pronunciation import guide_edit
    from quizwriter.domain.review import BuzzGoal, ClueSourced, SetWord, StyleChosen
    from quizwriter.domain.style_sheet import StyleSheet
    from quizwriter.domain.styles import LetterStyle, StyledSpan, TextStyles
    from quizwriter.domain.tossup import Answer, Span
    from quizwriter.workflow.session import WritingSession

    session = WritingSession("styled", author=app.profile.me.id)
    session.type("The book Eels of Vadsbru gives water as H2O. For 10 points, name it.")
    for words, style in (
        ("Eels of Vadsbru", LetterStyle.ITALIC), ("water", LetterStyle.BOLD), ("2", LetterStyle.SUBSCRIPT),
    ):  # fmt: skip
        start = session.tossup.text.index(words)
        span = Span(start, start + len(words))
        session.restyle(span, session.styles.toggled(style, session.tossup.text, span))
    at = session.tossup.text.index("Vadsbru")
    edit = guide_edit(session.tossup.text, Span(at, at + 7), "VAHDZ-broo")
    session.type(edit.apply(session.tossup.text), edit=edit)
    session.set_answer(Answer("Hydrogen [or H]"))
    session.restyle_answer(TextStyles.of([StyledSpan(0, 8, (LetterStyle.BOLD, LetterStyle.UNDERLINE))], 15))
    app.store.save(session.take_unsaved())
    for body in (
        BuzzGoal(60, "ir"), ClueSourced("A book of eels", 1, 4, 8, "book"), SetWord("", "Vadsbru", at_ms=1),
        StyleChosen("", StyleSheet(longest=120, goal=BuzzGoal(50)), 1),
    ):  # fmt: skip
        app.review.record(["styled"], body)


def migrate_database(path: Path) -> None:
    """A data folder with the newest database of schema 0002, in which Dan goes on writing and says things."""
    from quizwriter.domain.review import Commented, Consent, ConsentGiven
    from quizwriter.services import App
    from quizwriter.workflow.session import WritingSession

    home = path.with_suffix("")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    old = lzma.decompress((DATA / "databases" / f"0002-{NEWEST}.db.xz").read_bytes())
    (home / "quizwriter.db").write_bytes(old)
    with App(home) as app:
        app.profile.set_profile("Dan Oyelaran", "")
        for key in ("migrated", "first migrated"):
            session = WritingSession(key, author=app.profile.me.id)
            session.type(f"This text was written by schema {path.stem}. ")
            session.type(f"This text was written by schema {path.stem}. For 10 points, name it.")
            app.store.save(session.take_unsaved())
        app.review.record(["migrated"], Commented("A comment of this schema."))
        app.review.record(["migrated"], ConsentGiven(Consent.YES))
        with suppress(ImportError):  # a schema before 0006 has no styles
            add_styled(app)
    with closing(sqlite3.connect(home / "quizwriter.db")) as db, closing(sqlite3.connect(path)) as whole:
        db.backup(whole)


def describe(store):
    """What this commit reads in its own database: by tossup, the text with all that was said of it."""
    found = {}
    for one in store.tossups():
        kept = store.load(one.tossup_id)
        answer = kept.tossup.answer
        told = found[one.tossup_id] = {
            "text": kept.tossup.text,
            "answer": answer and answer.line,
            "page": answer and answer.page,
            "words": len(kept.tossup.words),
            "cursor": kept.cursor,
            "edits": len(store.history(one.tossup_id)),
        }
        if hasattr(store, "events"):
            from quizwriter.domain.review import state

            review = state(store.events(one.tossup_id))
            told["review"] = {
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
                        one.said.body.text,
                        one.said.body.quoted,
                        [reply.body.text for reply in one.replies],
                        one.resolved,
                    ]
                    for one in review.comments
                ],
                "suggestions": [
                    [
                        one.made.body.note,
                        one.made.body.edit.inserted,
                        one.decision and one.decision.body.accepted,
                    ]
                    for one in review.suggestions
                ],
                "tags": [[str(of), author, list(tags)] for (of, author), tags in review.tags.items()],
            }
    return found


def event(number, key, author, body, at_ms=0):
    """An event with an id that says its number."""
    from quizwriter.domain.events import Event

    at_ms = at_ms or BEGUN + 30 * 86_400_000 + 1_000 * number
    return replace(Event.new(key, at_ms, author, body), id=f"{number:032x}")


def write_review(store) -> None:
    """All that people can say of tossups, branches, and what they keep beside them."""
    from quizwriter.domain import review
    from quizwriter.domain.history import Change, Edit
    from quizwriter.domain.review import Consent, Override, Person, Round, Status
    from quizwriter.domain.tossup import Answer, Page
    from quizwriter.workflow import categories
    from quizwriter.workflow.branches import Branch
    from quizwriter.workflow.queue import Filter
    from quizwriter.workflow.writing import Asked, Saving

    for person in (
        Person(ADA, "Ada Nov\u00e1k", "ada@example.org", BEGUN),
        Person(BEN, "Ben Osei", "ben@example.org", BEGUN),
        Person(CHI, "", "chi@example.org", BEGUN),
        Person(BEN, "Benjamin Osei", "ben@example.org", BEGUN + 5),
        Person(ADA, "an older name", "", BEGUN - 5),
    ):
        store.know(person)

    texts = examples()
    released = ("madama-butterfly", "macbeth", "hadrian", "liver", "uranus")
    for number, name in enumerate(released):
        row = texts[name]
        for made in savings(
            name,
            row["text"],
            [Answer(row["answer"], Page(row["page"]))],
            seed=name,
            authors=(ADA, BEN)[number % 2 :][:1],
            pages=(row["page"], "Johannes_Brahms"),
            begun=BEGUN + 4 * 86_400_000 + number,
        ):
            store.save(made)
    twin = texts["liver"]["text"].replace("For 10 points", "For ten points")
    for key, text in (
        ("twin", twin),
        ("kept-back", texts["chess"]["text"]),
        ("unasked", texts["thor"]["text"]),
    ):
        for made in savings(key, text, [Answer("Liver", Page("Liver"))], seed=key, authors=(ADA,)):
            store.save(made)

    numbers = iter(range(1, 1_000))

    def say(key, *bodies, author=BEN):
        made = [event(next(numbers), key, author, body) for body in bodies]
        return store.record(made)

    way = (Status.READY, Status.IN_REVIEW, Status.EDITED, Status.PROOFREAD, Status.ACCEPTED)
    for number, key in enumerate((*released, "twin", "kept-back", "unasked")):
        levels = (("Fine Arts", "Opera"), ("Literature", "British", "Drama"), ("Science",))[number % 3]
        say(key, review.PutInSet("Spring Open"), review.Categorised(levels), author=ADA)
        say(key, *(review.StatusSet(status) for status in way))
    for key in (*released, "twin"):
        say(key, review.ConsentGiven(Consent.YES), author=ADA)
    say("kept-back", review.ConsentGiven(Consent.DO_NOT_RELEASE), author=ADA)
    say("uranus", review.ConsentGiven(Consent.NO), author=ADA)

    say("brahms", review.PutInSet("Winter Open"), review.Categorised(("Fine Arts", "Classical music")))
    (comment,) = say("brahms", review.Commented("Is this unique?", 3, 0, 4, "This"))
    say("brahms", review.Replied(comment.id, "It is: see the letters.\nBoth of them."), author=ADA)
    (settled,) = say("brahms", review.Commented("Too long."))
    say(
        "brahms", review.Resolved(settled.id), review.Resolved(settled.id, False), review.Resolved(settled.id)
    )
    (suggested,) = say("brahms", review.Suggested(3, Edit(0, "This", "That"), "clearer"))
    (other,) = say("brahms", review.Suggested(3, Edit(5, "man", "composer")))
    say("brahms", review.Decided(suggested.id, True), author=ADA)
    say("brahms", review.Decided(other.id, False, "No."), author=ADA)
    say("brahms", review.Suggested(3, Edit(0, "", "\U0001f3bb ")))
    say("brahms", review.Tagged(("Paraphrase", "Multi-step reasoning")), author=ADA)
    say("brahms", review.Tagged(("Paraphrase",)))
    say("brahms", review.Tagged(("Negation",), Round.DECIDING), author=CHI)
    say("brahms", review.Tagged(("Negation", "Paraphrase"), Round.DECIDING), author=CHI)
    say("brahms", review.WrittenBy(CHI), review.Cited("2031 Example Open, round 3, tossup 4"), author=ADA)
    say(
        "brahms",
        review.StatusSet(
            Status.READY,
            "Ready to be read.",
            (Override("leak", "It must be said."), Override("page", "It is new.")),
        ),
        author=ADA,
    )
    (back,) = say("brahms", review.StatusSet(Status.SENT_BACK, "Two clues are the same."))
    (undone,) = say("brahms", review.TakenBack((back.id,)))
    say("brahms", review.TakenBack((undone.id,)))
    (gone,) = say("brahms", review.PutInSet("The wrong set"))
    say("brahms", review.TakenBack((gone.id,)))
    say("fermi", review.StatusSet(Status.REJECTED, "Asked last year."), author=NEMO)
    say("tokyo", review.StatusSet(Status.WITHDRAWN, "Mine."), review.ConsentGiven(Consent.YES), author=ADA)
    say("macbeth", review.Commented("Fine.", 2, 0, 2, "An"), review.Tagged(("Paraphrase",)))
    say("hadrian", review.StatusSet(Status.EDITED, "A clue was wrong."), author=ADA)
    say("hadrian", review.StatusSet(Status.PROOFREAD), review.StatusSet(Status.ACCEPTED))

    # edited after its status was set
    kept = store.load("fermi")
    edit = Edit(0, "", "Once more: ")
    at_ms = BEGUN + 45 * 86_400_000
    change = Change(kept.seq + 1, at_ms, edit, BEN)
    store.save(
        Saving("fermi", edit.apply(kept.tossup.text), kept.tossup.answer, 0, at_ms, (change,), author=BEN)
    )

    # edited elsewhere: one branch goes on under the id, one beside it, one is superseded, one came back
    for key in ("brahms", "foreign"):
        (here,) = store.branches([key])
        for number, author in enumerate((BEN, CHI)):
            start = here.until(4)
            seq = len(start.changes)
            added = Edit(0, "", f"Branch {number}: ")
            more = Edit(0, "B", "b")
            at_ms = BEGUN + 40 * 86_400_000 + number
            changes = (
                *start.changes,
                Change(seq + 1, at_ms, added, author),
                Change(seq + 2, at_ms + 5, more, author),
            )  # fmt: skip
            asked = (*start.asked, Asked(seq + 1, at_ms, Answer(f"answer {number}"), author))
            made = Branch.of(here.root, here.created_ms, changes, asked, start.games, start.events)
            store.merge([made], [Person(author, "", "", 1)])
    (adopted, *rest) = sorted(store.beside("foreign"))
    head = store.load(adopted).head
    store.record(event(next(numbers), one, ADA, review.Superseded(head)) for one in ["foreign", *rest])
    again = store.load(rest[0])
    seq = again.seq + 1
    edit = Edit(0, "b", "Back again: b")
    change = Change(seq, BEGUN + 50 * 86_400_000, edit, ADA)
    text = edit.apply(again.tossup.text)
    store.save(Saving(rest[0], text, again.tossup.answer, 3, BEGUN + 50 * 86_400_000, (change,), author=ADA))

    for name, wanted in {
        "Spring, ready": Filter(
            sets=("Spring Open",), statuses=(Status.READY, Status.ACCEPTED), least_words=20, most_words=150
        ),
        "All of it": Filter(
            text="na\u00efve (*)", categories=(("Fine Arts", "Opera"), ("Science",)), authors=(ADA, ""),
            stumps=("ir",), changed_after_ms=BEGUN, changed=True, commented=True,
        ),
        "Nothing": Filter(),
    }.items():  # fmt: skip
        store.keep("filter", name, wanted.as_json())
    store.keep("filter", "of tomorrow", '{"moon": true}')
    own = (("Arts",), ("Arts", "Opera"), ("Arts", "Opera", "Verismo"), ("Science",))
    store.keep("categories", "Spring Open", categories.as_json(own))


def bundle_files(folder: Path) -> tuple[Path, Path]:
    """Questions on the answers of some examples, and articles; those of each fold where folds are known."""
    wanted = {examples()[name]["page"] for name in (*PAGES, *MORE_PAGES)}
    rows, articles = [], []
    for file in sorted((RESOURCES / "starter" / "tossups").glob("*.jsonl")):
        found = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        rows += [{**row, "fold": "guesstrain"} for row in found if row["page"] in wanted]
    for file in sorted((RESOURCES / "starter" / "articles").glob("*.jsonl")):
        found = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        articles += [row for row in found if row["page"] in wanted]
    for row in articles:
        sentences = row["text"].split(". ")
        name = row["page"].replace("_", " ")
        for number, fold in enumerate(("buzztrain", "guessdev")):
            half = ". ".join(sentences[number::2]).replace(name, "it")
            held = {
                "id": f"{row['page']} {fold}",
                "text": f"{half}. For 10 points, name it.",
                "page": row["page"],
            }
            rows.append({**held, "answer": name, "fold": fold})
    questions, encyclopedia = folder / "questions.jsonl", folder / "articles.jsonl"
    for path, found in ((questions, rows), (encyclopedia, articles)):
        path.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), encoding="utf-8"
        )
    return questions, encyclopedia


PAGES = ("johannes-brahms", "macbeth", "madama-butterfly", "hadrian", "liver", "uranus", "enrico-fermi")
MORE_PAGES = ("leo-tolstoy", "thor", "aristotle")


def write_bundle(folder: Path) -> None:
    """The bundle of this commit, with every player that it can train, as small as they may be."""
    from index_builder.build import build
    from index_builder.corpus import Inputs

    class Silence:
        """Nobody waits for so small a build."""

        def __getattr__(self, name: str) -> object:
            return lambda *_: None

    questions, articles = bundle_files(folder.parent)
    build(Inputs((questions,), wiki=(articles,)), folder, "Ten answers", Silence())
    try:
        from index_builder import calibration, networks, train
    except ImportError:
        return
    import jax

    jax.config.update("jax_disable_most_optimizations", True)  # they take longer than such a training
    networks.WIDTH, networks.HIDDEN, networks.UNITS = 8, 12, 6
    calibration.LAYERS = (6,)
    units = {"units": 6} if "units" in inspect.signature(networks.Plan).parameters else {}
    train.plan_for = lambda name, lessons, minutes, seed: networks.Plan(
        40 if name == "dan" else 12, 1e9, 16, rate=0.3, dense_rate=1e-2, seed=seed, **units
    )
    train.train(folder, ("dan", "rnn", "birnn", "ensemble", "buzzers"), lambda name, share: None)


def write_settings(path: Path) -> None:
    """The settings of this commit, each another than its default."""
    from quizwriter import settings

    wanted = {
        "bundle": "/data/bundles/mine \u00fc", "theme": "dark",
        "draft_font": "Noto Serif", "draft_size_px": 21,
        "player_order": ("dan", "ir"), "players_off": ("rnn",), "profile_id": ADA,
        "profile_name": "Ada Nov\u00e1k", "profile_email": "ada@example.org",
    }  # fmt: skip
    known = inspect.signature(settings.Settings).parameters
    values = {name: value for name, value in wanted.items() if name in known}
    if "elasticsearch" in known:
        values["elasticsearch"] = settings.ServerSettings(
            True, "https://search.example.org:9200", "quiz", "/data/ca.pem", False, True, "password", "ada"
        )
    settings.Settings(**values).write(path)


PACKET = """\
Winter Open, packet 1

1. The trio of this sinfonia in B minor is a march for paper horns. (*) For 10 points, name this Hamburg-born
composer of the Hungarian Dances.
ANSWER: Johannes Brahms [or Brahms]
<Fine Arts - Classical music>

2. A set of these cones is stacked in an opera house beside a famous harbour. For 10 points, name this
Danish architect of that opera house.
ANSWER: J\u00f8rn Utzon [or Utzon]

3. This one has lost its answer line. For 10 points, name this thing which nobody will ever guess.
"""
"""A packet with an answer that the bundle knows, one that is new to it, and one that is lost."""


def write_packets(yours: Path) -> None:
    """What packets that were added to the bundle of this commit leave in it."""
    from index_builder.yours import add

    bundle = shutil.copytree(yours.parents[1] / "bundles" / yours.name / "bundle", yours / "bundle")
    packets = yours / "Winter Open"
    packets.mkdir()
    (packets / "packet 1.txt").write_text(PACKET, encoding="utf-8")
    (packets / "notes.pdf").write_bytes(b"%PDF")
    add(bundle, [packets])


def write_packs(folder: Path) -> None:
    """Packs of three machines that hold the same tossups and went on with some of them."""
    from quizwriter.cli import main as quizwriter
    from quizwriter.domain.history import Change, Edit
    from quizwriter.domain.review import Commented, Person, Status, StatusSet
    from quizwriter.domain.tossup import Answer, Page
    from quizwriter.store import Store
    from quizwriter.workflow.writing import Saving

    def run(*arguments: object) -> None:
        assert quizwriter([str(one) for one in arguments]) == 0

    os.environ["QUIZWRITER_HOME"] = str(folder / "home")
    database = folder.parent / "databases" / f"{NEWEST}.db"
    run("pack", folder / "all.qwpack", "--store", database)
    run("pack", folder / "some.qwpack", "brahms", "fermi", "--store", database)
    for number, name in enumerate(("second", "third")):
        path = folder / f"{name}.db"
        run("merge", folder / "all.qwpack", "--store", path)
        with closing(Store(path)) as store:
            author = f"{name} person".ljust(32, "-")
            store.know(Person(author, f"{name} writer", "", BEGUN))
            at_ms = BEGUN + 60 * 86_400_000 + number
            kept = store.load("brahms")
            edit = Edit(0, "", f"From the {name} machine: ")
            answer = Answer(f"Brahms, says the {name}", Page("Johannes_Brahms"))
            store.save(
                Saving(
                    "brahms", edit.apply(kept.tossup.text), answer, 0, at_ms,
                    (Change(kept.seq + 1, at_ms, edit, author),), author=author, after=kept.head,
                )
            )  # fmt: skip
            for made in savings(
                f"only-{name}", examples()["chess"]["text"], [Answer("Chess", Page("Chess"))], seed=name,
                authors=(author,), pages=("Chess",), begun=at_ms,
            ):  # fmt: skip
                store.save(made)
            store.record(
                [
                    event(10_000 + number, "tokyo", author, Commented(f"The {name} says so."), at_ms),
                    event(20_000 + number, "fermi", author, StatusSet(Status.DRAFT, "Once more."), at_ms + 5),
                ]
            )
        run("pack", folder / f"{name}.qwpack", "--store", path)


def write_challenge_sets(folder: Path) -> None:
    """Versions of a challenge set, and the home they were released from."""
    from quizwriter.challenge.release import Release
    from quizwriter.cli import main as quizwriter

    def run(*arguments: object) -> None:
        assert quizwriter([*map(str, arguments), "--store", str(database)]) == 0

    home, sets = folder / "home", folder / "sets"
    home.mkdir()
    os.environ["QUIZWRITER_HOME"] = str(home)
    database = folder / "quizwriter.db"
    shutil.copy(folder.parent / "databases" / f"{NEWEST}.db", database)
    settings = f'profile_id = "{BEN}"\nprofile_name = "Ben Osei"\nprofile_email = "ben@example.org"\n'
    (home / "settings.toml").write_text(settings, encoding="utf-8")
    (home / "pseudonyms.key").write_text(f"{'5' * 64}\n", encoding="ascii")
    answers = {"purpose": "To have files to open.", "makers": "The test suite.", "funding": "Nobody."}
    Release(
        "Spring Set", "1.0", "CC BY-SA 4.0", "The office", "office@example.org", "https://example.org", 7,
        True, ("Benjamin Britten",), answers,
    ).write(home / "challenge.toml")  # fmt: skip
    how = ("--set", "Spring Open", "--bundle", folder.parent / "bundles" / NEWEST / "bundle")
    run("export", "--out", sets / "spring-1.0", *how)
    run(
        "retract",
        sets / "spring-1.0",
        "macbeth",
        "--reason",
        "Asked elsewhere.",
        "--out",
        sets / "spring-1.1",
    )
    run("consent", "uranus", "--set", "yes")
    run(
        "export",
        "--out",
        sets / "spring-2.0",
        "--version",
        "2.0",
        "--after",
        sets / "spring-1.1",
        "--keep-repeats",
        *how,
    )
    run(
        "export", "--out", sets / "bare-1.0", "--title", "Bare Set", "--licence", "CC0 1.0", "--no-histories",
        "--stumps", "rnn", "--until", "10", *how,
    )  # fmt: skip


def write_release(folder: Path) -> None:
    """A database, a small bundle, a pack and a challenge set, and what commands said of them."""
    from index_builder.__main__ import main as index_builder
    from quizwriter.cli import main as quizwriter

    def run(*arguments: object) -> str:
        said = StringIO()
        with redirect_stdout(said):
            assert quizwriter([*map(str, arguments)]) == 0
        return said.getvalue()

    home, bundle = folder / "home", folder / "bundle"
    home.mkdir()
    os.environ["QUIZWRITER_HOME"] = str(home)
    profile = f'profile_id = "{BEN}"\nprofile_name = "Ben Osei"\n'
    (home / "settings.toml").write_text(profile, encoding="utf-8")
    (home / "pseudonyms.key").write_text(f"{'5' * 64}\n", encoding="ascii")
    questions, articles = bundle_files(folder)
    assert (
        index_builder(["build", "--questions", str(questions), "--wiki", str(articles), "--out", str(bundle)])
        == 0
    )
    drafts, of_bundle = folder / "drafts.jsonl", ("--bundle", bundle)
    rows = [examples()[name] for name in RELEASED_NAMES]
    drafts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ids = json.loads(run("import", drafts, "--set", "Autumn Open", *of_bundle, "--json"))["added"]
    reason = "It is an example."
    override = [f"--override={name}={reason}" for name in ("length", "past", "page")]
    run("status", *ids, "--set", "accepted", "--in-steps", *override, *of_bundle)
    run("consent", *ids, "--set", "yes", "--reason", "By e-mail.")
    run("play", "--all", *of_bundle)
    run("pack", folder / "autumn.qwpack", *ids)
    run(
        "export",
        "--out",
        folder / "autumn-1.0",
        *of_bundle,
        "--title",
        "Autumn Set",
        "--histories",
        "--date",
        "2031-10-16",
    )
    said = {}
    for row in rows:
        text = folder / "draft.txt"
        text.write_text(f"{row['text']}\nANSWER: {row['answer']}\n", encoding="utf-8")
        said[row["page"]] = json.loads(run("play", text, *of_bundle, "--json"))
    for name, found in (("plays", said), ("list", json.loads(run("list", "--json")))):
        (folder / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
    for path in (questions, articles, drafts, folder / "draft.txt"):
        path.unlink()
    for path in (home / "quizwriter.db", home / "plays.db"):
        with closing(sqlite3.connect(path)) as db:
            db.execute("pragma wal_checkpoint(truncate)")
            db.execute("pragma journal_mode = delete")


RELEASED_NAMES = ("johannes-brahms", "macbeth", "hadrian", "uranus")


# -- what packs it


def checkout(commit: str, work: Path) -> Path:
    """The files of ``commit``."""
    folder = work / commit
    if not folder.exists():
        archive = subprocess.run(
            ["git", "archive", commit], cwd=REPOSITORY, capture_output=True, check=True
        ).stdout
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
    return folder


def run_at(commit: str, work: Path, writer: str, out: Path) -> None:
    """Have the code of ``commit`` run the function ``writer`` of this script on ``out``."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if writer in {"write_packs", "write_packets", "write_challenge_sets", "write_release"}:
        out.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(checkout(commit, work)), "PYTHONHASHSEED": "0"}
    subprocess.run(
        [sys.executable, "-P", __file__, "--run", writer, str(out)], env=environment, cwd=work, check=True
    )


def pack_file(path: Path, to: Path) -> None:
    """``path``, every byte of it, in ``to``."""
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME))


def pack_folder(folder: Path, to: Path) -> None:
    """``folder``, every byte of its files, in ``to``."""
    raw = BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as files:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                entry.size = path.stat().st_size
                with path.open("rb") as content:
                    files.addfile(entry, content)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(lzma.compress(raw.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def make_databases(work: Path, commits: Sequence[str] = DATABASES) -> None:
    """Every released schema of the database."""
    for commit in commits:
        path = work / "databases" / f"{commit}.db"
        path.unlink(missing_ok=True)
        run_at(commit, work, "write_database", path)
        with closing(sqlite3.connect(path)) as db:
            (schema,) = db.execute("select max(name) from _sqlite_migrations").fetchone()
        pack_file(path, DATA / "databases" / f"{schema[:4]}-{commit}.db.xz")
        shutil.copy(path.with_suffix(".json"), DATA / "databases" / f"{schema[:4]}-{commit}.json")


def make_migrated(work: Path, commits: Sequence[str] = MIGRATED) -> None:
    """Databases that later schemas made of an older one; the databases must be made before."""
    for commit in commits:
        path = work / "migrated" / f"{commit}.db"
        path.unlink(missing_ok=True)
        run_at(commit, work, "migrate_database", path)
        with closing(sqlite3.connect(path)) as db:
            (schema,) = db.execute("select max(name) from _sqlite_migrations").fetchone()
        pack_file(path, DATA / "databases" / f"{schema[:4]}-{commit}.db.xz")


def make_bundles(work: Path, commits: Sequence[str] = BUNDLES) -> None:
    """Every released schema of bundles."""
    for commit in commits:
        folder = work / "bundles" / commit / "bundle"
        shutil.rmtree(folder, ignore_errors=True)
        run_at(commit, work, "write_bundle", folder)
        schema = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["schema"]
        pack_folder(folder, DATA / "bundles" / f"{schema}-{commit}.tar.xz")
    for name in ("questions", "articles"):
        pack_file(work / "bundles" / NEWEST / f"{name}.jsonl", DATA / "bundles" / f"{name}.jsonl.xz")


def make_settings(work: Path, commits: Sequence[str] = SETTINGS) -> None:
    """Settings as they were."""
    for commit in commits:
        run_at(commit, work, "write_settings", DATA / "settings" / f"{commit}.toml")


def make_packets(work: Path, commits: Sequence[str] = PACKETS) -> None:
    """Packets that were added to bundles; the bundles must be made before."""
    for commit in commits:
        folder = work / "packets" / commit
        shutil.rmtree(folder, ignore_errors=True)
        run_at(commit, work, "write_packets", folder)
        pack_folder(folder / "bundle" / "yours", DATA / "packets" / f"{commit}.tar.xz")


def make_packs(work: Path) -> None:
    """Packs; the databases must be made before."""
    folder = work / "packs"
    shutil.rmtree(folder, ignore_errors=True)
    run_at(NEWEST, work, "write_packs", folder)
    (DATA / "packs").mkdir(exist_ok=True)
    for path in sorted(folder.glob("*.qwpack")):
        shutil.copy(path, DATA / "packs")


def make_challenge_sets(work: Path) -> None:
    """Challenge sets and their home; the databases and the newest bundle must be made before."""
    folder = work / "challenge"
    shutil.rmtree(folder, ignore_errors=True)
    run_at(NEWEST, work, "write_challenge_sets", folder)
    pack_folder(folder / "sets", DATA / "challenge" / "sets.tar.xz")
    pack_folder(folder / "home", DATA / "challenge" / "home.tar.xz")


def make_releases(work: Path, commits: Sequence[str] = RELEASES) -> None:
    """All that a commit wrote, in one archive, with what it said of it."""
    for commit in commits:
        folder = work / "releases" / commit
        shutil.rmtree(folder, ignore_errors=True)
        run_at(commit, work, "write_release", folder)
        pack_folder(folder, DATA / "releases" / f"{commit}.tar.xz")


PARTS = {
    "databases": make_databases,
    "migrated": make_migrated,
    "bundles": make_bundles,
    "packets": make_packets,
    "packs": make_packs,
    "challenge": make_challenge_sets,
    "settings": make_settings,
    "releases": make_releases,
}


def main(arguments: Sequence[str]) -> None:
    """Make the parts that are named, or all."""
    if arguments[:1] == ["--run"]:
        globals()[arguments[1]](Path(arguments[2]))
        return
    work = Path(tempfile.gettempdir()) / "quizwriter-released"
    work.mkdir(exist_ok=True)
    name, commits = arguments[:1], arguments[1:]
    for part in name or PARTS:
        PARTS[part](work, *([commits] if commits else []))


if __name__ == "__main__":
    main(sys.argv[1:])
