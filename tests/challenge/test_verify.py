"""verify believes nothing: a falsified figure is found although every digest was made anew."""

from __future__ import annotations

import json
import os
import re
import shutil

import pytest

from quizwriter.challenge.export import export
from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.release_signature import public_key_of
from quizwriter.challenge.selection import Selection
from quizwriter.challenge.verify import verify
from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Categorised, Consent, ConsentGiven, Round, Status, StatusSet, Tagged
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave
from tests.challenge.test_challenge_set import reseal

WORDS = [
    "a lighthouse by the northern river", "the oldest map of the island", "a song about seven swans",
    "the blue door of a mill", "a bridge that was never crossed", "the winter of the great comet",
    "an orchard full of clocks", "the last ferry to the mainland", "a violin without strings",
    "the garden behind the archive", "a letter to an unknown sister", "the market of glass birds",
    "a chapel under the desert", "the ninth wave of autumn", "a painter of empty chairs",
    "the valley where bells are cast",
]  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("verify")


@pytest.fixture(scope="module")
def app(home, starter):
    """An application with eight accepted tossups of mine that may be released."""
    made = App(home / "home", starter)
    made.profile.set_profile("Ada Novak", "ada@example.org")
    me = made.profile.me.id
    for number in range(8):
        key = f"tossup-{number}"
        text = (
            f"{WORDS[number]} is what this author calls {WORDS[number + 8]}, and {WORDS[number + 3]} is a "
            f"letter of hers on {WORDS[-number]}. For 10 points, name this author of Emma and Persuasion."
        )
        change = Change(1, 1_900_000_000_000 + number, Edit(0, "", text), me)
        made.store.save(PendingSave(key, text, Answer("Jane Austen", Page("Jane_Austen")), 0, 1, (change,)))
        bodies = [StatusSet(Status.ACCEPTED), ConsentGiven(Consent.YES), Categorised(("Literature",))]
        bodies.append(Tagged(("Novel clues",), Round.DECIDING))
        made.store.add_events(Event.new(key, 2, me, body) for body in bodies)
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def released(app, home):
    """A signed set of these tossups."""
    out = home / "set"
    export(app, out, Selection(), SetMetadata("Sea"), signed=True)
    return out


@pytest.fixture
def copied(released, tmp_path):
    return shutil.copytree(released, tmp_path / "copied")


def test_a_sound_set_has_no_problem(app, released):
    found = verify(app, released)

    assert found.problems == []
    assert any(note.startswith("The set has a signature") for note in found.notes)


def swapped(old, new, count=1):
    def change(text):
        changed, times = re.subn(old, new, text, count=count)
        assert times, old
        return changed

    return change


def every_question(change):
    """Change each row under ``quizwriter``."""

    def do(text):
        whole = json.loads(text)
        for row in whole["quizwriter"]:
            change(row)
        return json.dumps(whole, ensure_ascii=False)

    return do


def each_line(change):
    def do(text):
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            change(line)
        return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)

    return do


def always_right(play):
    play["first_correct"] = play["stable_correct"] = play["heard"][0]
    play["right"] = [1 for _ in play["right"]]


def turned(play):
    play["right"][-1] = 1 - play["right"][-1]


FALSIFIED = {
    "a position in questions.json": (
        "questions.json",
        every_question(lambda row: row["positions"][0].update(first_correct=1)),
        "plays.jsonl",
    ),
    "who can know it in questions.json": (
        "questions.json",
        every_question(lambda row: row["positions"][0].update(can_know=not row["positions"][0]["can_know"])),
        "plays.jsonl",
    ),
    "who is stumped": (
        "questions.json",
        every_question(lambda row: row.update(stumped=["ir", "dan"])),
        "plays.jsonl",
    ),
    "the number of words": ("questions.json", every_question(lambda row: row.update(words=3)), "words"),
    "a check": (
        "questions.json",
        every_question(lambda row: [one.update(passed=not one["passed"]) for one in row["checks"]]),
        "comes out the other way",
    ),
    "tags in questions.json": (
        "questions.json",
        every_question(lambda row: row.update(tags=["Paraphrases"])),
        "README.md",
    ),
    "the origin of a question": (
        "questions.json",
        every_question(lambda row: row["provenance"].update(edits=99)),
        "DATASHEET.md",
    ),
    "the first right guess": (
        "plays.jsonl",
        each_line(lambda play: play.update(first_correct=2)),
        "right first",
    ),
    "right for good": (
        "plays.jsonl",
        each_line(lambda play: play.update(stable_correct=2)),
        "right for good",
    ),
    "the list of right guesses": (
        "plays.jsonl",
        each_line(turned),
        "right",
    ),
    "a player that is always right": ("plays.jsonl", each_line(always_right), "right first"),
    "the words of a game": ("plays.jsonl", each_line(lambda play: play.update(words=10)), "words"),
    "a buzz that is right": (
        "plays.jsonl",
        each_line(lambda play: play.update(buzzes_right=not play["buzzes_right"])),
        "buzz",
    ),
    "a table": ("questions.csv", swapped("Novel clues", "Paraphrases"), "tags is not as in"),
    "a position in the table": (
        "questions.csv",
        swapped(r",(True|False)\n", ",maybe\n"),
        "is not as in questions.json",
    ),
    "a figure in the README": ("README.md", swapped(r"\.\d{3}", ".999"), "README.md: a figure"),
    "the number of questions in the README": (
        "README.md",
        swapped(r"\d+ quizbowl", "99 quizbowl"),
        "README.md",
    ),
    "a figure in the data sheet": (
        "DATASHEET.md",
        swapped(r"Literature: \d+", "Literature: 80"),
        "DATASHEET.md",
    ),
    "a sentence in the data sheet": (
        "DATASHEET.md",
        swapped(r"\n\n", "\n\nFifty people reviewed this.\n\n"),
        "DATASHEET.md",
    ),
    "the licence": ("LICENSE.txt", swapped("CC BY 4.0", "CC0 1.0"), "LICENSE.txt"),
    "how it is cited": ("CITATION.cff", swapped("Sea", "See"), "CITATION.cff"),
    "the number in the manifest": (
        "MANIFEST.json",
        swapped(r'"questions": \d+', '"questions": 80'),
        "the manifest 80",
    ),
    "a split": (
        "questions.test.jsonl",
        each_line(lambda row: row.update(words=1)),
        "questions.test.jsonl, line 1",
    ),
    "a question in a split": ("questions.test.jsonl", lambda text: text + text, "it has more than"),
    "how the questions say that they are cited": (
        "questions.json",
        swapped(r"version = \{1\.0\}", "version = {9.0}"),
        "questions.json: its bibtex",
    ),
    "who answers for the questions": (
        "questions.json",
        swapped('"maintainer_name": ""', '"maintainer_name": "Somebody Else"'),
        "questions.json: its maintainer_name",
    ),
    "the seed": ("splits.json", swapped('"seed": 0', '"seed": 1'), "its seed"),
    "the form of the Trick Me interface": (
        "questions.trickme.json",
        swapped('"category":"Literature"', '"category":"Science"'),
        "questions.trickme.json",
    ),
}


@pytest.mark.parametrize("name", FALSIFIED)
def test_a_falsified_figure_is_found_although_all_digests_fit(app, copied, name, monkeypatch):
    monkeypatch.setattr("quizwriter.challenge.verify.search_set", lambda *_: ())  # nine tenths of its time
    file, change, said = FALSIFIED[name]
    path = copied / file
    before = path.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    path.write_text(after, encoding="utf-8")
    reseal(copied)

    problems = verify(app, copied, sample=0).problems

    assert any(said in problem for problem in problems), problems


def test_a_falsified_chance_in_one_game_is_found_by_some_sample(app, copied):
    """What only playing again can tell: the sample is drawn anew each time, so no game is safe to falsify."""
    path = copied / "plays.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    game = json.loads(lines[-1])
    game["chances"] = [min(1.0, chance + 0.3) for chance in game["chances"]]
    path.write_text("\n".join([*lines[:-1], json.dumps(game)]) + "\n", encoding="utf-8")
    reseal(copied)

    found = (verify(app, copied, sample=1).problems for _ in range(100))

    assert any(any("another way" in problem for problem in problems) for problems in found)


def test_a_signature_shows_who_released_the_set(app, released, copied):
    key = public_key_of(app.profile.identity.key())
    assert any(
        note.startswith("Signed with that key: Sea 1.0")
        for note in verify(app, released, public_key=key).notes
    )

    # whoever falsifies a set cannot sign it anew
    (copied / "README.md").write_text("# Another", encoding="utf-8")
    reseal(copied)
    assert any("SHA256SUMS.minisig" in problem for problem in verify(app, copied, public_key=key).problems)

    (copied / "SHA256SUMS.minisig").unlink()
    assert any("minisig is missing" in problem for problem in verify(app, copied, public_key=key).problems)
    (copied / "SHA256SUMS.minisig").write_bytes(b"\xff" * 300)
    assert any("makes no sense" in problem for problem in verify(app, copied).problems)
    with pytest.raises(QuizwriterError, match="is not a public key"):
        verify(app, released, public_key="RWnonsense")


def test_links_pipes_and_files_outside_are_not_read(app, copied):
    if os.name != "posix":
        pytest.skip("This system has no such files.")
    (copied / "plays.jsonl").unlink()
    os.mkfifo(copied / "plays.jsonl")
    (copied / "LICENSE.txt").unlink()
    (copied / "LICENSE.txt").symlink_to("/dev/zero")
    problems = verify(app, copied, sample=0).problems

    assert "plays.jsonl is not a plain file." in problems
    assert "LICENSE.txt is not a plain file." in problems
