"""Challenge sets: what is in the folder, who is not, and that every change in it is found."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import stat
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.challenge.data_sheet import EDITOR_ITEMS, SHEET_ITEMS
from quizwriter.challenge.export import export, preview, rehearse
from quizwriter.challenge.layout import write_manifest
from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.name_decisions import decide_names
from quizwriter.challenge.name_search import NameScanner
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.challenge.remarks import NOT_RELEASED
from quizwriter.challenge.retraction import retract
from quizwriter.challenge.selection import (
    ANOTHER_BRANCH,
    CHANGED,
    NEAR_DUPLICATE,
    NOT_KNOWABLE,
    NOT_STUMPING,
    REFUSED,
    RETRACTED,
    SPLIT_SHARES,
    SUPERSEDED,
    UNWANTED,
    Exclusions,
    Selection,
    SplitGroup,
    assign_numbers,
    assign_splits,
    select_releasable,
)
from quizwriter.challenge.verify import changed_files, read_manifest, verify
from quizwriter.cli import main
from quizwriter.domain.history import Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import (
    Commented,
    Consent,
    ConsentGiven,
    NameVerdict,
    Override,
    Person,
    PutInSet,
    Replied,
    SetWord,
    Status,
    StatusSet,
    StyleChosen,
    Tagged,
)
from quizwriter.domain.style_sheet import STANDARD_STYLE
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import load
from quizwriter.errors import QuizwriterError
from quizwriter.formats.tables import read_table
from quizwriter.services.beat_goal import BeatGoal
from quizwriter.services.tossups import example_tossup
from quizwriter.services.wiring import App
from quizwriter.store.summaries import ReleaseState
from tests.helpers.challenge_desk import ADA, ANSWERS, BEGUN, BEN, WITH_ALL, Desk, words


@pytest.fixture(scope="module")
def first(tmp_path_factory, starter):
    """A home and the folder of 12 tossups released there, with comments, tags and an override."""
    made = Desk(tmp_path_factory.mktemp("home"), starter)
    for number in range(12):
        key = f"t{number:02}"
        made.write(
            key, author=(ADA, BEN)[number % 2], page=ANSWERS[number % 3], edits=[Edit(0, "This", "That")]
        )
        (comment,) = made.say(key, Commented("Is this unique?", 2, 0, 4, "That"))
        made.say(key, Replied(comment.id, "It is."), Tagged(("Paraphrases",)))
    made.say("t00", StatusSet(Status.ACCEPTED, "fine", (Override("leak", "It must be said."),)))
    out = tmp_path_factory.mktemp("out") / "spring"
    report = made.export(out)
    assert report.questions == 12
    made.app.store.close()
    return made.app.home, out


@pytest.fixture(scope="module")
def released(first, tmp_path_factory, starter):
    """The desk of that home, which no test changes, and the folder."""
    home, out = first
    desk = Desk(shutil.copytree(home, tmp_path_factory.mktemp("desk") / "home"), starter)
    yield desk, out
    desk.app.store.close()


@pytest.fixture
def own(first, tmp_path, starter):
    """A desk of a copy of that home, which one test may change, and the folder."""
    home, out = first
    desk = Desk(shutil.copytree(home, tmp_path / "home"), starter)
    yield desk, out
    desk.app.store.close()


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Question(NamedTuple):
    """A question as QANTA's own loader makes it of a row: with every field, and no other."""

    qanta_id: int
    text: str
    first_sentence: str
    tokenizations: list
    answer: str
    page: str | None
    fold: str
    gameplay: bool
    category: str | None
    subcategory: str | None
    tournament: str
    difficulty: str | None
    year: int
    proto_id: str | None
    qdb_id: int | None
    dataset: str


def test_qantas_loader_takes_the_questions_as_they_are(released):
    _, out = released
    whole = json.loads((out / "questions.json").read_text(encoding="utf-8"))
    questions = [Question(**row) for row in whole["questions"]]

    assert {
        "version",
        "maintainer_name",
        "maintainer_contact",
        "maintainer_website",
        "project_website",
    } < set(whole)
    for question in questions:
        assert question.fold == "adversarial"
        assert question.dataset in {"protobowl", "quizdb.org", "trickme"}
        assert 1_000_000_000 <= question.qanta_id < 2**31  # an int32 there, and above all that QANTA has
        assert question.text.startswith(question.first_sentence)
        sentences = [question.text[start:end] for start, end in question.tokenizations]
        assert " ".join(sentences) == question.text
        assert question.tournament == ""  # their texts came in one piece, and nothing says where from
        assert question.year == -1
        assert " " not in question.page
    assert len({question.qanta_id for question in questions}) == 12


def test_it_loads_with_pandas_as_the_readme_says(released, monkeypatch):
    _, out = released
    code = (out / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(out)
    names = {}

    exec(code, names)

    questions, plays, test = names["questions"], names["plays"], names["test"]
    assert len(questions) == 12
    assert set(plays.qanta_id) == set(questions.qanta_id)
    assert 0 < len(test) < 12
    assert set(test.split) == {"test"}


def test_plays_tell_what_every_player_said_after_every_word(released):
    desk, out = released
    (player,) = load(desk.app.engines.load().folder).players
    play = rows(out / "plays.jsonl")[3]
    question = next(
        row
        for row in json.loads((out / "questions.json").read_text(encoding="utf-8"))["questions"]
        if row["qanta_id"] == play["qanta_id"]
    )
    tossup = Tossup(question["text"], Answer(question["answer"], Page(question["page"])))
    now = player.play(tossup)

    assert play["heard"] == list(range(1, len(tossup.words) + 1))
    said = [[play["pages"][number] for number in row] for row in play["guesses"]]
    assert said == [[guess.page for guess in row] for row in now.rows]
    assert play["first_correct"] == now.first_correct
    assert play["buzz"] == (now.buzz and now.buzz.heard)


def test_the_table_and_the_trick_me_form_hold_the_same_questions(released):
    _, out = released
    questions = json.loads((out / "questions.json").read_text(encoding="utf-8"))["questions"]
    with (out / "questions.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    trickme = json.loads((out / "questions.trickme.json").read_text(encoding="utf-8"))

    assert [row["text"] for row in table] == [row["text"] for row in questions]
    assert [row["question"] for row in trickme] == [row["text"] for row in questions]
    assert all(list(row) == ["question", "answer", "email", "category", "time"] for row in trickme)
    assert not any("@" in row["email"] for row in trickme)


def test_no_cell_of_the_table_is_a_formula_and_every_text_comes_back(desk, tmp_path):
    text = f"-1 is =what this author\rwrote, {words(3)}. For 10 points, name this author."
    desk.write("minus", text, category="@Literature")
    out = tmp_path / "out"
    desk.export(out)

    with (out / "questions.csv").open(encoding="utf-8", newline="") as file:
        (cells,) = csv.DictReader(file)
    assert (cells["text"], cells["category"]) == (f"'{text}", "'@Literature")
    with (out / "questions.csv").open(encoding="utf-8", newline="") as file:
        (row,) = read_table(file)
    assert (row["text"], row["category"]) == (text, "@Literature")
    assert not verify(desk.app, out).problems


def test_each_question_lists_its_checks_and_what_was_overridden_and_why(released):
    _, out = released
    ours = json.loads((out / "questions.json").read_text(encoding="utf-8"))["quizwriter"]
    first = next(row for row in ours if row["tossup_id"] == released[0].released_id("t00"))

    assert {"length", "leak", "set", "past", "vulgar"} <= {check["check"] for check in first["checks"]}
    assert all(check["passed"] or check["overridden"] == "" for row in ours for check in row["checks"])
    assert first["tags"] == ["Paraphrases"]


def test_a_check_that_did_not_pass_carries_its_override(desk, tmp_path):
    desk.write("a", f"Jane Austen wrote {words(1)}.")
    desk.say("a", StatusSet(Status.READY, "", (Override("leak", "It must be said."),)))
    desk.say("a", StatusSet(Status.PROOFREAD), StatusSet(Status.ACCEPTED, "fine"))
    desk.export(tmp_path / "out")

    (ours,) = json.loads((tmp_path / "out/questions.json").read_text(encoding="utf-8"))["quizwriter"]
    leak = next(check for check in ours["checks"] if check["check"] == "leak")
    assert (leak["passed"], leak["overridden"]) == (False, "It must be said.")


def test_edits_comments_and_reasons_stay_out_unless_they_are_wanted(desk, tmp_path):
    desk.write("a", f"Jane Austen wrote {words(1)}.")
    desk.say("a", StatusSet(Status.READY, "", (Override("leak", "It must be said."),)))
    desk.say("a", Commented("Is this unique?"), StatusSet(Status.PROOFREAD, "ask again"))
    desk.say("a", StatusSet(Status.ACCEPTED, "fine"))
    desk.export(tmp_path / "none", release=SetMetadata("Spring"))
    desk.export(tmp_path / "edits", release=SetMetadata("Spring", histories=True))
    desk.export(tmp_path / "all", release=WITH_ALL)
    said = ("Is this unique?", "It must be said.", "ask again")

    found = {
        out: b"".join(path.read_bytes() for path in (tmp_path / out).iterdir()).decode("utf-8", "replace")
        for out in ("none", "edits", "all")
    }
    assert not [one for one in said if one in found["none"] + found["edits"]]
    assert not [one for one in said if one not in found["all"]]
    assert [(tmp_path / out / "histories.jsonl").exists() for out in found] == [False, True, True]
    for out in found:
        ours = json.loads((tmp_path / out / "questions.json").read_text(encoding="utf-8"))["quizwriter"]
        (leak,) = (check for check in ours[0]["checks"] if check["check"] == "leak")
        assert leak["overridden"] == ("It must be said." if out == "all" else NOT_RELEASED)
        assert not verify(desk.app, tmp_path / out).problems


def test_nobody_can_tell_from_the_events_when_people_worked(desk, tmp_path):
    desk.write("a")
    desk.say("a", StyleChosen("Spring", STANDARD_STYLE, BEGUN + 1), SetWord("Spring", "colour", at_ms=BEGUN))
    desk.export(tmp_path / "out")

    (history,) = rows(tmp_path / "out/histories.jsonl")
    assert {"style", "set word"} <= {event["kind"] for event in history["events"]}
    assert str(BEGUN)[:6] not in (tmp_path / "out/histories.jsonl").read_text(encoding="utf-8")


def test_a_rehearsal_shows_each_remark_by_person_and_each_name_with_its_places(desk, tmp_path):
    desk.write("a")
    desk.say("a", Commented("Ask Ben."), StatusSet(Status.ACCEPTED, "fine"))
    desk.write("b", f"Ben Osei sang {words(3)}.")

    quiet = rehearse(desk.app, Selection(), SetMetadata("Spring"))
    loud = rehearse(desk.app, Selection(), replace(WITH_ALL, others=("Ben Osei",)))

    assert not quiet.remarks
    assert [group.words for group in quiet.names] == ["Ben Osei"]
    assert {(one.kind, one.text) for one in loud.remarks} >= {("comment", "Ask Ben.")}
    assert all(loud.people[one.person] for one in loud.remarks)
    assert "  comment on “Jane Austen”: Ask Ben." in loud.lines
    assert [path.name for path in tmp_path.iterdir()] == ["home"]

    decided = {group.words: NameVerdict.ANOTHER_PERSON for group in loud.stopping}
    decide_names(desk.app, decided, loud.names, loud.tossups)
    assert desk.export(tmp_path / "out", release=replace(WITH_ALL, others=("Ben Osei",))).questions == 2


def test_a_rehearsal_promises_no_more_than_is_known_before_the_players_play(desk):
    desk.write("a")
    desk.write("b")

    def told(choice):
        found = rehearse(desk.app, choice, SetMetadata("Spring"))
        return found.lines[0], found.uncounted

    assert told(Selection()) == ("2 questions can be released.", ())
    at_most = "At most 2 questions can be released."
    assert told(Selection(stumps=("ir",))) == (at_most, (NOT_KNOWABLE, NOT_STUMPING))
    with pytest.raises(QuizwriterError, match="no player dan"):
        told(Selection(stumps=("dan",)))

    desk.write("a again", desk.app.store.load("a").tossup.text)
    at_most = "At most 3 questions can be released."
    assert told(Selection()) == (at_most, (NEAR_DUPLICATE,))
    assert (
        told(Selection(keep_duplicates=True))[1]
        == told(Selection(kept_duplicates=frozenset({"a", "a again"})))[1]
        == ()
    )
    assert f"Left out, {NEAR_DUPLICATE}: not known before the players play." in (
        rehearse(desk.app, Selection(), SetMetadata("Spring")).lines
    )


def test_two_exports_of_the_same_state_are_the_same_bytes(released, tmp_path):
    desk, out = released
    desk.export(tmp_path / "again")
    names = sorted(path.name for path in out.iterdir())

    assert names == sorted(
        [
            *("questions.json", "questions.csv", "questions.trickme.json", "plays.jsonl", "histories.jsonl"),
            *("splits.json", "retracted.json", "DATASHEET.md", "README.md", "accuracy.svg", "LICENSE.txt"),
            *("questions.validation.jsonl", "questions.test.jsonl", "CITATION.cff"),
            *("MANIFEST.json", "SHA256SUMS"),
        ]
    )


def test_an_export_is_the_same_on_another_computer_with_the_same_key(released, tmp_path, starter):
    desk, out = released
    other = tmp_path / "other"
    other.mkdir()
    for name in ("quizwriter.db", "pseudonyms.key"):
        (other / name).write_bytes((desk.app.home / name).read_bytes())
    wal = desk.app.home / "quizwriter.db-wal"
    (other / wal.name).write_bytes(wal.read_bytes())
    app = App(other, starter)
    export(app, tmp_path / "out", Selection(), WITH_ALL)  # nothing was played or settled there
    app.store.close()

    assert (tmp_path / "out/SHA256SUMS").read_bytes() == (out / "SHA256SUMS").read_bytes()


# -- consent and privacy


def test_without_consent_nothing_is_released_and_all_is_counted(desk, tmp_path):
    for key in "abcdef":
        desk.write(key)
    for key, consent in zip("abc", (Consent.NO, Consent.DO_NOT_RELEASE, Consent.NOT_ASKED), strict=True):
        desk.say(key, ConsentGiven(consent))
    desk.say("d", StatusSet(Status.EDITED))
    seen = preview(desk.app, Selection())
    report = desk.export(tmp_path / "out")

    assert seen.questions == report.questions == 2
    assert report.left_out == seen.left_out
    assert sorted(report.left_out.values()) == [1, 1, 1, 1]
    whole = "".join(path.read_text("utf-8", "replace") for path in (tmp_path / "out").iterdir())
    assert words("a")[:30] not in whole
    assert words("e")[:30] in whole


def test_nobody_can_be_told_from_the_folder(released):
    desk, out = released
    key = desk.app.home / "pseudonyms.key"
    everything = b"".join(path.read_bytes() for path in out.iterdir()).lower()

    if os.name == "posix":
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
    for secret in (ADA.id, BEN.id, "novak", "novák", "osei", "example.org", key.read_text().strip()):
        assert secret.encode() not in everything
    writers = {row["by"] for history in rows(out / "histories.jsonl") for row in history["edits"]}
    assert writers == {Pseudonyms.load(key).of(person.id) for person in (ADA, BEN)}
    assert writers != {Pseudonyms(b"another key of 16 bytes").of(person.id) for person in (ADA, BEN)}


@pytest.mark.parametrize(
    ("spoil", "place"),
    [
        (lambda desk: desk.write("x", f"This was {words(9)} as ADA  NOVAK says."), "the text of"),
        (lambda desk: desk.say("a", Commented("Ask Ben.")), "a comment on"),
        (lambda desk: desk.say("a", Commented("Ask ben@example.org")), "a comment on"),
        (
            lambda desk: desk.say("a", StatusSet(Status.ACCEPTED, "novak, ada: yes")),
            "a reason of the status accepted on",
        ),
        (
            lambda desk: desk.say("a", StatusSet(Status.ACCEPTED, "", (Override("leak", "Osei knows."),))),
            "the reason for",
        ),
        (
            lambda desk: desk.write(
                "x",
                f"This {words(9)}",
                edits=[Edit(at, "", letter) for at, letter in enumerate("ben osei")]
                + [Edit(at, "ben osei"[at], "") for at in reversed(range(8))],
            ),
            "the history of",
        ),
        (
            lambda desk: desk.write(
                "x",
                f"Ben {words(9)}",
                edits=[Edit(4, "", "Maria "), Edit(4, "Maria ", "Osei "), Edit(4, "Osei ", "")],
            ),
            "the history of",
        ),
    ],
    ids=["text", "first name", "e-mail", "turned round", "override", "rubbed out", "replaced"],
)
def test_a_name_stops_the_export_with_its_place(desk, tmp_path, spoil, place):
    desk.write("a")
    spoil(desk)

    with pytest.raises(QuizwriterError) as stopped:
        desk.export(tmp_path / "out")

    assert place in stopped.value.problem
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_a_name_in_the_editors_own_words_stops_the_export(desk, tmp_path):
    desk.write("a")
    with pytest.raises(QuizwriterError, match="Ada Novak"):
        desk.export(tmp_path / "out", release=SetMetadata("Spring", maintainer="Ada Novak"))
    assert not (tmp_path / "out").exists()


def test_somebody_else_of_that_name_may_be_named_but_never_an_address(desk, tmp_path):
    desk.write("a", f"Ben Osei sang {words(3)}.")
    known = SetMetadata("Spring", others=("ben osei",))
    assert desk.export(tmp_path / "one", release=known).questions == 1

    desk.write("b", f"Write to ben@example.org {words(4)}.")
    with pytest.raises(QuizwriterError, match=r"ben@example\.org"):
        desk.export(tmp_path / "two", release=known)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("said ada novak.", True),
        ("Novák, Ada", True),
        ("Ada\nNovák", True),
        ("Ada Novakova", False),
        ("Nevada Novak", False),
        ("Ada and Novak", False),
        ("ADA.NOVAK@EXAMPLE.ORG", True),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", True),
    ],
)
def test_names_are_whole_and_of_any_case(tmp_path, text, found):
    watch = NameScanner([ADA])
    file = tmp_path / "file.txt"
    file.write_text(f"1, 2\n{{3}} {text}\n", encoding="utf-8")

    assert bool(list(watch.search(text, "here"))) is found
    hits = list(watch.search_file(file))
    assert bool(hits) is found
    assert all(hit.place == "file.txt, line 2" for hit in hits)


letters = st.text("abAé-.'ß1 _,", min_size=1, max_size=8)


@given(
    names=st.lists(st.tuples(letters, letters), min_size=1, max_size=3),
    pieces=st.lists(st.one_of(letters, st.just("\n"), st.integers(0, 2)), max_size=6),
)
@example(names=[("11", "A.")], pieces=[0, 0, 0, "1"])  # no name is whole
def test_a_file_is_searched_as_its_text_is(tmp_path_factory, names, pieces):
    people = [Person(f"{at}" * 32, f"{one} {two}", "") for at, (one, two) in enumerate(names)]
    watch = NameScanner(people)
    # a number stands for the name of that person, so that there is something to find
    text = "".join(people[one % len(people)].name if isinstance(one, int) else one for one in pieces)
    file = tmp_path_factory.mktemp("searched") / "file.txt"
    file.write_bytes(text.encode())

    assert {hit.name for hit in watch.search_file(file)} == {hit.name for hit in watch.search(text, "here")}


# -- choosing and splitting


def test_of_near_duplicates_one_is_released_unless_the_editor_wants_more(desk, tmp_path):
    text = f"This author of ten books wrote {words(1)}. For 10 points, name this author."
    desk.write("a", text)
    desk.write("b", text.replace("ten", "10"))
    desk.write("c")
    one = desk.export(tmp_path / "one")
    both = desk.export(tmp_path / "both", Selection(kept_duplicates=frozenset("ab")))
    every = desk.export(tmp_path / "every", Selection(keep_duplicates=True))

    assert (one.questions, both.questions, every.questions) == (2, 3, 3)
    assert [kept for kept, _ in one.near_duplicates] == ["a"]
    ours = json.loads((tmp_path / "every/questions.json").read_text(encoding="utf-8"))["quizwriter"]
    ids = [desk.released_id(key) for key in "ab"]
    pair = [row for row in ours if row["tossup_id"] in ids]
    assert pair[0]["split"] == pair[1]["split"]
    assert pair[0]["near_duplicates_group"] == pair[1]["near_duplicates_group"] is not None
    failed = [
        row["tossup_id"]
        for row in ours
        for check in row["checks"]
        if check["check"] == "set" and not check["passed"]
    ]
    assert sorted(failed) == sorted(ids)


def test_only_what_stumps_a_player_long_enough_is_released(desk, tmp_path):
    example = example_tossup()
    desk.write("early", example.text, page=example.answer.page)
    desk.write("never", page="Johannes_Brahms")
    engine = desk.app.engines.load()
    first = engine.players[0].play(Tossup(example.text, example.answer)).first_correct
    share = 100 * first // len(example.words) - 1

    never = desk.export(tmp_path / "never", Selection(stumps=("ir",)))
    late = desk.export(tmp_path / "late", Selection(stumps=("ir",), until=share))

    assert (never.questions, late.questions) == (1, 2)
    with pytest.raises(QuizwriterError, match="no player dan"):
        desk.export(tmp_path / "nobody", Selection(stumps=("dan",)))
    desk.write("unlisted", page="Nobody_At_All")  # no page of the bundle
    again = desk.export(tmp_path / "again", Selection(stumps=("ir",)))
    assert (again.questions, again.left_out[NOT_KNOWABLE]) == (1, 1)
    with pytest.raises(QuizwriterError, match="nothing to release"):
        desk.export(tmp_path / "none", Selection(set_name="Another"))


units = st.lists(st.tuples(st.sampled_from("xyz"), st.integers(1, 2)), max_size=60).map(
    lambda drawn: [
        SplitGroup(stratum, tuple(f"{at}-{n}" for n in range(size)))
        for at, (stratum, size) in enumerate(drawn)
    ]
)


@given(units=units, some=st.integers(0, 60), seed=st.integers(0, 3))
def test_splits_are_balanced_and_what_was_split_before_stays(units, some, seed):
    before = assign_splits(units[:some], {}, seed)
    after = assign_splits(units, before, seed)

    assert before.items() <= after.items()
    assert after == assign_splits(units, before, seed) == assign_splits(units[::-1], before, seed)
    assert all(len({after[key] for key in unit.keys}) == 1 for unit in units)
    whole = assign_splits(units, {}, seed)
    for stratum in ("x", "y", "z"):
        keys = [key for unit in units if unit.stratum == stratum for key in unit.keys]
        for name, share in SPLIT_SHARES.items():
            assert abs(sum(whole[key] == name for key in keys) - share * len(keys)) <= 4
    for name, share in SPLIT_SHARES.items():
        assert abs(sum(where == name for where in whole.values()) - share * len(whole)) <= 3


@given(st.sets(st.text("abc", max_size=3), max_size=12), st.sets(st.text("abc", max_size=3), max_size=12))
def test_numbers_stay_when_tossups_are_added(some, more):
    before = assign_numbers(some, {})
    after = assign_numbers(some | more, before)

    assert before.items() <= after.items()
    assert len(set(after.values())) == len(some | more)


def test_a_number_that_two_tossups_draw_is_given_once(monkeypatch):
    monkeypatch.setattr("quizwriter.challenge.selection._draw", lambda drawn: int(drawn.split()[0]))
    before = assign_numbers("ab", {})

    assert sorted(before.values()) == [1_000_000_000, 1_000_000_001]
    assert assign_numbers("bc", before) == {"b": before["b"], "c": 1_000_000_002}


def test_a_later_version_moves_nothing_not_even_from_the_folder_alone(own, tmp_path):
    desk, out = own
    ledger = next((desk.app.home / "challenge").glob("*.json"))
    ledger.unlink()  # as on another computer
    for number in range(20, 30):
        desk.write(f"t{number}", category="History")
    report = desk.export(tmp_path / "next", release=SetMetadata("Spring", version="2.0"), after=out)

    def settled(folder):
        ours = json.loads((folder / "questions.json").read_text(encoding="utf-8"))["quizwriter"]
        return {row["tossup_id"]: (row["qanta_id"], row["split"]) for row in ours}

    assert report.questions == 22
    assert settled(out).items() < settled(tmp_path / "next").items()


# -- checking and withdrawing


@pytest.fixture
def copied(released, tmp_path):
    """A copy of the released folder."""
    return shutil.copytree(released[1], tmp_path / "copied")


def test_a_sound_set_is_found_sound_and_is_played_again(released):
    desk, out = released
    verdict = verify(desk.app, out)

    assert not verdict.problems
    assert any("12 questions played again" in note for note in verdict.notes)
    assert any("2 of them are of people" in note for note in verdict.notes)


def changed_at_random(raw, draw):
    at = draw.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ (1 << draw.randrange(8))]) + raw[at + 1 :]


def test_every_changed_byte_is_found_and_its_file_named(released, copied):
    desk, _ = released
    draw = random.Random(1)
    before = {path: path.read_bytes() for path in sorted(copied.iterdir())}
    for path, raw in before.items():
        for _ in range(2):
            path.write_bytes(changed_at_random(raw, draw))
            try:
                problems = changed_files(copied, read_manifest(copied))
            except QuizwriterError as trouble:  # of the manifest, which says what there is
                problems = [trouble.problem]
            assert any(path.name in problem for problem in problems), (path.name, problems)
        path.write_bytes(raw)
    listed = [path for path in before if path.name not in {"MANIFEST.json", "SHA256SUMS"}]
    for path in listed:  # all of them at once, before those who read on
        path.write_bytes(changed_at_random(before[path], draw))
    problems = verify(desk.app, copied).problems
    for path in listed:
        assert any(path.name in problem for problem in problems), (path.name, problems)
    for path, raw in before.items():
        path.write_bytes(raw)
    assert not verify(desk.app, copied).problems


def test_files_that_are_missing_or_too_many_are_named(released, copied):
    desk, _ = released
    (copied / "splits.json").rename(copied / "extra.json")
    problems = verify(desk.app, copied).problems

    assert any("splits.json is missing" in problem for problem in problems)
    assert any("extra.json is in the folder" in problem for problem in problems)


def reseal(folder):
    manifest = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
    del manifest["files"]
    write_manifest(folder, manifest)


def test_what_was_changed_together_with_its_digests_is_found_all_the_same(released, copied):
    desk, _ = released
    changes = (
        ("plays.jsonl", '"chances":[0.', '"chances":[0.9', "another way"),
        ("questions.json", '"writer":"person-', '"writer":"Jane-', "no pseudonym"),
        ("histories.jsonl", '"inserted":"That"', '"inserted":"Than"', "does not lead to"),
        ("histories.jsonl", "Is this unique?", "Is this ben osei?", "is named"),
        ("DATASHEET.md", "# Data sheet", "someone@somewhere.org\n# Data sheet", "e-mail"),
        ("splits.json", '"test": [', '"test": [7, ', "every question once"),
        ("questions.json", '"fold":"adversarial"', '"fold":"adversarial","email":"x"', "QANTA's form"),
    )
    for name, old, new, _ in changes:
        text = (copied / name).read_text(encoding="utf-8")
        assert old in text
        (copied / name).write_text(text.replace(old, new), encoding="utf-8")
    reseal(copied)

    problems = verify(desk.app, copied).problems

    for name, _, _, said in changes:
        assert any(name in problem and said in problem for problem in problems), (said, problems)


def test_no_challenge_set_and_a_newer_one_are_refused_by_name(released, copied, tmp_path):
    desk, _ = released
    manifest = copied / "MANIFEST.json"
    there = manifest.read_text(encoding="utf-8")
    assert '"schema": 6' in there
    manifest.write_text(there.replace('"schema": 6', '"schema": 9'), encoding="utf-8")
    with pytest.raises(QuizwriterError, match="newer QuizWriter"):
        verify(desk.app, copied)
    with pytest.raises(QuizwriterError, match="no challenge set"):
        verify(desk.app, tmp_path / "nowhere")


def test_a_withdrawn_question_is_listed_and_all_else_stays(own, tmp_path):
    desk, out = own
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    id_of_t05 = desk.released_id("t05")
    released_rows = json.loads((out / "questions.json").read_text(encoding="utf-8"))["quizwriter"]
    number = next(row["qanta_id"] for row in released_rows if row["tossup_id"] != id_of_t05)

    version = retract(desk.app, out, [str(number)], "A clue is wrong.", tmp_path / "next")
    again = retract(desk.app, tmp_path / "next", [id_of_t05], "Its writer asks.", tmp_path / "last")

    assert (version, again) == ("1.1", "1.2")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert not verify(desk.app, out).problems
    verdict = verify(desk.app, tmp_path / "last")
    assert not verdict.problems
    assert sum("released is as it was" in note for note in verdict.notes) == 2
    withdrawn = json.loads((tmp_path / "last/retracted.json").read_text(encoding="utf-8"))
    assert [(row["version"], row["reason"]) for row in withdrawn] == [
        ("1.1", "A clue is wrong."),
        ("1.2", "Its writer asks."),
    ]
    changed = {name for name, raw in before.items() if (tmp_path / "last" / name).read_bytes() != raw}
    assert changed == {"MANIFEST.json", "SHA256SUMS", "retracted.json"}

    later = desk.export(
        tmp_path / "later", release=SetMetadata("Spring", version="2.0"), after=tmp_path / "last"
    )
    alone = desk.export(tmp_path / "alone", release=SetMetadata("Spring", version="2.0"))
    renamed = desk.export(tmp_path / "renamed", release=SetMetadata("Autumn"))
    assert later.questions == alone.questions == renamed.questions == 10
    for name in ("later", "alone"):
        listed = json.loads((tmp_path / name / "retracted.json").read_text(encoding="utf-8"))
        assert listed == withdrawn


def test_a_withdrawal_that_makes_no_sense_is_refused(released, copied, tmp_path):
    desk, out = released
    for ids, reason, said in (
        (["t99"], "Wrong.", "no question t99"),
        ([desk.released_id("t01")], " ", "for a reason"),
        ([desk.released_id("t01")], "Ben asks.", "The reason names a person: “Ben”"),
        ([desk.released_id("t01")] * 2, "Wrong.", "withdrawn before"),
    ):
        with pytest.raises(QuizwriterError, match=said):
            retract(desk.app, out, ids, reason, tmp_path / "next")
    (copied / "README.md").write_text("changed", encoding="utf-8")
    with pytest.raises(QuizwriterError, match=r"README\.md"):
        retract(desk.app, copied, ["t01"], "Wrong.", tmp_path / "next")
    assert not (tmp_path / "next").exists()


# -- the disk, and what is kept


def test_a_full_disk_leaves_nothing_half(released, small_disk):
    desk, _ = released
    (small_disk / "filler").write_bytes(b"x" * 380_000)
    with pytest.raises(QuizwriterError, match="could not be written"):
        desk.export(small_disk / "out")
    assert [path.name for path in small_disk.iterdir()] == ["filler"]


def test_what_is_there_is_never_written_over(released, tmp_path):
    desk, out = released
    with pytest.raises(QuizwriterError, match="not empty"):
        desk.export(out)
    assert not verify(desk.app, out).problems


def test_the_goal_of_the_set_and_how_many_questions_reach_it_are_in_the_data_sheet(
    desk, tmp_path, monkeypatch
):
    monkeypatch.setattr("quizwriter.services.beat_goal.ADVERSARIES", (("ir",),))  # the only player here
    for number, page in enumerate(("Madama_Butterfly", "Macbeth", "Nobody_At_All")):
        desk.write(f"t{number}", f"{words(number)}.", page=page)
        desk.say(f"t{number}", PutInSet("Spring"))
    desk.app.briefs.choose("Spring", goal=BeatGoal(("ir",), by_f1=True))
    desk.export(tmp_path / "out")
    sheet = (tmp_path / "out/DATASHEET.md").read_text(encoding="utf-8")
    section = sheet.partition("## The goal of the writers\n\n")[2].partition("\n## ")[0]
    lines = (tmp_path / "out/plays.jsonl").read_text(encoding="utf-8").splitlines()
    plays = [play for play in map(json.loads, lines) if play["knowable"]]
    beaten = sum(not play["right"][-1] for play in plays)  # of these answers no word is shared

    assert section.startswith("Each tossup was to beat IR by F1. A tossup beats a player by F1 if ")
    assert f"\n{beaten} of {len(plays)} tossups reach" in section
    assert len(plays) == 2
    assert "; not counted: 1 whose answer some player cannot know." in section
    assert not verify(desk.app, tmp_path / "out").problems
    (tmp_path / "out/DATASHEET.md").write_text(sheet.replace("2 tossups", "3 tossups"), encoding="utf-8")
    assert verify(desk.app, tmp_path / "out").problems
    missing = BeatGoal(("dan", "ir"))
    monkeypatch.setattr("quizwriter.services.beat_goal.ADVERSARIES", (missing.players,))
    desk.app.briefs.choose("Spring", goal=missing)
    asked = []
    goal = desk.app.briefs.goal
    monkeypatch.setattr(desk.app.briefs, "goal", lambda name: asked.append(name) or goal(name))
    desk.export(tmp_path / "missing")
    sheet = (tmp_path / "missing/DATASHEET.md").read_text(encoding="utf-8")
    assert asked == ["Spring"], "each call reads all briefs"
    assert (
        "\nEach tossup was to beat DAN and IR by the page. A tossup beats a player by the page if " in sheet
    )
    assert "\nNothing is counted: the bundle has no DAN.\n" in sheet
    assert not verify(desk.app, tmp_path / "missing").problems
    desk.write("t9")  # of no set: the questions have no common goal
    desk.export(tmp_path / "both")
    assert "goal of the writers" not in (tmp_path / "both/DATASHEET.md").read_text(encoding="utf-8")


def test_what_the_editor_says_is_kept_and_stands_in_the_data_sheet(desk, tmp_path):
    said = SetMetadata('Spring "set"', others=("Ben Osei",), answers={"funding": "Nobody = we did."})
    said.write(tmp_path / "said.toml")
    kept = SetMetadata.read(tmp_path / "said.toml")
    desk.write("a")
    report = desk.export(tmp_path / "out", release=kept)
    sheet = (tmp_path / "out/DATASHEET.md").read_text(encoding="utf-8")

    assert kept.answers["funding"] == "Nobody = we did."
    assert (kept.title, kept.others) == (said.title, said.others)
    assert "◆ Nobody = we did." in sheet
    assert len(report.unanswered) == len(EDITOR_ITEMS) - 1
    assert all(item.question in sheet for item in SHEET_ITEMS)
    assert all(item.question in (tmp_path / "said.toml").read_text(encoding="utf-8") for item in EDITOR_ITEMS)


def test_an_editors_file_that_makes_no_sense_is_refused_by_name(tmp_path):
    file = tmp_path / "said.toml"
    for text in (
        *("licence = 'mine'", "seed = 'x'", "[answers]\nunheard = 'x'", "colour = 1", "title ="),
        *("others = [1]", "[answers]\nfunding = 1", f"title = '{'x' * 1_001}'", "#" * (1 << 20) + "#"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(QuizwriterError, match=r"said\.toml"):
            SetMetadata.read(file)


def test_the_commands_export_verify_and_withdraw(released, tmp_path, monkeypatch, capsys, starter):
    desk, _ = released
    monkeypatch.setenv("QUIZWRITER_HOME", str(desk.app.home))
    bundle = ["--bundle", str(starter)]
    out, later = tmp_path / "out", tmp_path / "later"

    assert main(["export", "--out", str(out), "--title", "Spring", "--json", *bundle]) == 0
    assert json.loads(capsys.readouterr().out)["questions"] == 12
    withdrawn = desk.released_id("t03")
    assert main(["retract", str(out), withdrawn, "--reason", "Wrong.", "--out", str(later), *bundle]) == 0
    exported = json.loads((out / "questions.json").read_bytes())["version"]  # others were released before it
    major, _, minor = exported.rpartition(".")
    assert f"Version {major}.{int(minor) + 1} is in" in capsys.readouterr().out
    assert main(["verify", str(later), "--json", *bundle]) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == []
    (later / "README.md").write_text("changed", encoding="utf-8")
    assert main(["verify", str(later), *bundle]) == 1
    assert "README.md was changed" in capsys.readouterr().out
    (desk.app.home / "challenge/withdrawn.json").unlink()
    with pytest.raises(SystemExit):
        main(["export", "--out", str(tmp_path / "x"), "--status", "perfect", *bundle])
    assert main(["consent", "t03", "--set", "never", "--reason", "By e-mail.", *bundle]) == 0
    try:
        assert main(["export", "--out", str(tmp_path / "x"), "--json", *bundle]) == 0
        told = json.loads(capsys.readouterr().out.partition("\n")[2])
        assert told["left_out"]["marked do not release"] == 1
    finally:
        assert main(["consent", "t03", "--set", "yes", "--reason", "By e-mail.", *bundle]) == 0


def test_of_a_tossup_with_branches_one_is_released_or_it_is_left_out_once():
    def state(key, root, status=Status.ACCEPTED, *, superseded=False, consent=Consent.YES, changed=False):
        return ReleaseState(
            key, root, status, "Spring", consent, superseded, 90, True, "ada", changed_since=changed
        )

    states = [
        state("a", "a"), state("a2", "a", superseded=True),  # one branch was adopted
        state("b", "b"), state("b2", "b", Status.DRAFT),
        state("c", "c", Status.DRAFT), state("c2", "c", Status.DRAFT),
        state("d", "d", superseded=True), state("d2", "d", consent=Consent.NO),
        state("e", "e", superseded=True), state("e2", "e", superseded=True),
        state("f", "f"), state("f2", "f"), state("f3", "f"),
        state("g", "g"), state("g2", "g", Status.DRAFT, consent=Consent.NO),
        state("h", "h"), state("h2", "h", superseded=True),  # which was retracted
        state("i", "i", changed=True),  # a pack brought another text
    ]  # fmt: skip
    exclusions = Exclusions()

    def chosen(*before):
        return select_releasable(
            states, Selection(set_name="Spring"), exclusions, "h2".__eq__, before.__contains__
        )

    assert chosen() == ["a", "b", "f"]
    assert exclusions.reasons == {
        UNWANTED: 1, REFUSED: 2, SUPERSEDED: 1, RETRACTED: 1, ANOTHER_BRANCH: 2, CHANGED: 1
    }  # fmt: skip
    assert chosen("f2", "elsewhere") == ["a", "b", "f2"]
    edited = Selection(statuses=frozenset({Status.EDITED}))  # in which people edit on
    changed = [state("j", "j", Status.EDITED, changed=True)]
    assert select_releasable(changed, edited, exclusions, lambda key: False) == ["j"]
