"""What a release says is true: where questions come from, who can know them, and which version it is."""

from __future__ import annotations

import csv
import hashlib
import hmac
import importlib.util
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from itertools import product
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress
from quizwriter.challenge.documents import set_documents
from quizwriter.challenge.figures import (
    ControlGames,
    LoopRow,
    QuestionRow,
    loop_row,
    recomputed_summary,
    set_figures,
)
from quizwriter.challenge.metadata import ReleasedVersion, SetMetadata, later_version, version_after
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.challenge.retraction import published_questions, retract
from quizwriter.challenge.selection import RETRACTED, Selection
from quizwriter.challenge.verify import verify
from quizwriter.domain.events import Event
from quizwriter.domain.guessing import win_chance
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import (
    BasedOn,
    Binned,
    Categorised,
    ClueSourced,
    Consent,
    ConsentGiven,
    Status,
    StatusSet,
    Tagged,
    WrittenBy,
)
from quizwriter.domain.style_sheet import BuzzGoal
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.controls import with_page
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.services.tossups import example_tossup
from quizwriter.store.plays import Course, PlaySummary
from quizwriter.workflow.estimates import share_of
from tests.challenge.test_challenge_set import rows
from tests.helpers.challenge_desk import ADA, BEGUN, BEN, WITH_ALL, Desk, words
from tests.helpers.novels import author
from tests.helpers.novels import rows as novel_rows

LATER_SETS = Path(__file__).parents[1] / "data" / "challenge" / "later_sets.tar.xz"

DRAFTS = Selection(frozenset({Status.DRAFT}))
ASKED = [
    ("Madama Butterfly", "Madama_Butterfly", 2018, "2018 Autumn Open", "Fenna Sudwick"),
    ("Hamlet", "Hamlet", None, "", None),
    ("Somebody unheard of", "Nobody_At_All", 2018, "2018 Autumn Open", "Fenna Sudwick"),
]


def submissions(folder, name="submissions.json"):
    """A file in QANTA's form with the questions of ``ASKED``."""
    questions = [
        {
            "qanta_id": 2_000_000 + at, "text": f"This was {words(at)}. For 10 points, name it.",
            "answer": answer, "page": page, "year": year, "tournament": tournament, "author": author,
            "category": "Literature", "fold": "adversarial",
        }
        for at, (answer, page, year, tournament, author) in enumerate(ASKED)
    ]  # fmt: skip
    path = folder / name
    path.write_text(json.dumps({"questions": questions}), encoding="utf-8")
    return path


def imported(desk, path):
    """The ids of the tossups of a file, which may be released."""
    pages = desk.app.engines.load().pages
    done = desk.app.transfer.import_files([path], pages=pages)
    for key in done.added:
        (event,) = [one for one in desk.app.store.events(key) if isinstance(one.body, WrittenBy)] or [None]
        desk.say(key, ConsentGiven(Consent.YES, "Their licence allows it."), author=BEN)
        assert event is None or event.body.person.startswith("named-")
    return done


def of_set(folder):
    """The rows that QuizWriter adds, by the page of the question, and QANTA's rows by the same."""
    whole = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    page = {row["qanta_id"]: row["page"] for row in whole["questions"]}
    return (
        {page[row["qanta_id"]]: row for row in whole["quizwriter"]},
        {row["page"]: row for row in whole["questions"]},
    )


# -- who can know it, and where it comes from


def test_imported_questions_say_what_their_file_says_and_nothing_else(desk, tmp_path):
    path = submissions(tmp_path)
    done = imported(desk, path)
    assert (len(done.added), len(done.unlisted)) == (3, 1)
    report = desk.export(tmp_path / "out", DRAFTS)

    assert (report.questions, report.guessable) == (3, 2)
    ours, qanta = of_set(tmp_path / "out")
    opera, author, nobody = (ours[page] for _, page, *_ in ASKED)
    assert opera["provenance"]["origin"] == "imported"
    assert opera["provenance"]["file"] == "file 1"  # its name may be a person's
    assert opera["provenance"]["digest"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (opera["provenance"]["tournament"], opera["provenance"]["year"]) == ("2018 Autumn Open", 2018)
    assert opera["provenance"]["authors"] == [opera["writer"]]
    importer = Pseudonyms.load(desk.app.home / "pseudonyms.key").of(desk.app.profile.me.id)
    assert (author["writer"], author["provenance"]["authors"]) == (importer, [])  # as the queue names
    assert (qanta["Hamlet"]["year"], qanta["Hamlet"]["tournament"]) == (-1, "")
    assert (qanta["Madama_Butterfly"]["year"], qanta["Madama_Butterfly"]["tournament"]) == (
        2018,
        "2018 Autumn Open",
    )
    assert not nobody["positions"][0]["can_know"]
    assert nobody["stumped"] == []
    page_check = next(check for check in nobody["checks"] if check["check"] == "page")
    assert page_check["told"].startswith("The bundle has no page Nobody At All")
    assert {row["consent"] for row in ours.values()} == {"recorded"}
    for name in ("DATASHEET.md", "README.md"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "written in QuizWriter" not in text
        assert "guessing along" not in text
        assert "3 questions were imported from 1 file" in text


def test_a_typed_a_pasted_an_edited_and_a_copied_tossup_are_told_apart(desk, tmp_path):
    sentence = f"This author wrote {words(1)}. For 10 points, name this author."
    steps = [sentence[at : at + 20] for at in range(0, len(sentence), 20)]
    desk.write("typed", steps[0], edits=[Edit(20 * at, "", step) for at, step in enumerate(steps) if at])
    desk.write("pasted", f"This poet wrote {words(2)}. For 10 points, name this poet.", page="Macbeth")
    history = desk.app.tossups.titled_history("typed").history
    copy = desk.app.tossups.branch_from("typed", history, len(history) - 1)
    desk.say(copy, ConsentGiven(Consent.YES), StatusSet(Status.ACCEPTED))
    added = imported(desk, submissions(tmp_path)).added  # in the order of ids, which differ by profile
    opera = next(key for key in added if desk.app.store.load(key).tossup.answer.main == "Madama Butterfly")
    desk.export(tmp_path / "out", Selection(frozenset({Status.DRAFT, Status.ACCEPTED}), keep_duplicates=True))

    ours = json.loads((tmp_path / "out/questions.json").read_text(encoding="utf-8"))["quizwriter"]
    by_id = {row["tossup_id"]: row["provenance"] for row in ours}
    typed, pasted, copied = (by_id[desk.released_id(key)] for key in ("typed", "pasted", copy))
    assert (typed["origin"], typed["edits"]) == ("written here", len(steps))
    assert typed["first_day"] == typed["last_day"] == "2031-10-17"
    assert (pasted["origin"], pasted["edits"]) == ("not recorded", 0)
    assert (copied["origin"], copied["rewritten_from"]) == ("rewritten", desk.released_id("typed"))
    assert by_id[desk.released_id(opera)]["origin"] == "imported"
    said = [desk.app.tossups.titled_history(key).origin for key in ("typed", "pasted", copy, opera)]
    assert said[:3] == [
        f"Written in QuizWriter; {len(steps)} edits.",
        "The origin of the text is not recorded.",
        "Started as a copy of another tossup.",
    ]
    assert said[3].startswith("Imported from submissions.json (")


# -- ids


def digests(texts):
    """What anybody can compute from some texts, alone and in pairs."""
    for kind in ("md5", "sha1", "sha256"):
        yield from (hashlib.new(kind, text.encode()).hexdigest() for text in texts)
    for one, other in product(texts, repeat=2):
        for glue in ("", "\n", " ", ":"):
            yield hashlib.sha256(f"{one}{glue}{other}".encode()).hexdigest()
        yield hmac.new(one.encode(), other.encode(), hashlib.sha256).hexdigest()


def strings(value):
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for name, inside in value.items() for text in (name, *strings(inside)))
    elif isinstance(value, list):
        yield from (text for inside in value for text in strings(inside))


def test_no_released_id_can_be_computed_from_what_a_pack_holds(desk, tmp_path):
    imported(desk, submissions(tmp_path))
    desk.write("ours", edits=[Edit(0, "This", "That")])
    desk.say("ours", Tagged(("Paraphrases",)), author=ADA)
    both = Selection(frozenset({Status.DRAFT, Status.ACCEPTED}))
    desk.export(tmp_path / "out", both, SetMetadata("Spring", remarks=True))
    desk.app.transfer.pack(tmp_path / "all.qwpack")

    packed = set()
    with zipfile.ZipFile(tmp_path / "all.qwpack") as files:
        for name in files.namelist():
            for line in files.read(name).decode("utf-8", "replace").splitlines():
                packed.update(strings(json.loads(line)) if line[:1] in "{[" else [line])
    ids = {text for text in packed if re.fullmatch(r"[\w-]{4,80}", text) and not text.isalpha()}
    ids |= {desk.app.profile.me.id, ADA.id, BEN.id, "ours"}
    assert len([text for text in ids if re.fullmatch("[0-9a-f]{32}", text)]) > 5, "the pack holds ids"
    known = {text.casefold() for text in ids} | set(digests(sorted(ids)))
    starts = {one[:16] for one in known}
    released = {
        path.name: path.read_text(encoding="utf-8")
        for path in (tmp_path / "out").iterdir()
        if path.suffix in {".json", ".jsonl", ".csv", ".md"} and path.name != "MANIFEST.json"
    }
    file_digest = hashlib.sha256((tmp_path / "submissions.json").read_bytes()).hexdigest()
    engine = desk.app.engines.load().digest
    for name, text in released.items():
        bare = text.replace(file_digest, "").replace(engine, "")
        found = {one for one in re.findall(r"[0-9a-f]{16,}", bare) if one[:16] in starts or one in known}
        assert not found, (name, found)
    numbers = {row["qanta_id"] for row in json.loads(released["questions.json"])["questions"]}
    drawn = {
        1_000_000_000
        + int.from_bytes(hashlib.sha256(f"{attempt} {one}".encode()).digest()[:8], "big") % 1_000_000_000
        for one in ids
        for attempt in range(3)
    }
    assert not numbers & drawn


# -- versions


def test_a_folder_that_holds_no_challenge_set_is_not_continued(tmp_path):
    with pytest.raises(QuizwriterError, match=r"continued \(MANIFEST.json: No such file or directory\)\."):
        version_after(tmp_path)


def test_a_version_after_another_gets_the_next_number_and_names_it(desk, tmp_path):
    desk.write("a")
    desk.write("b")
    desk.export(tmp_path / "one", release=SetMetadata("Spring", version="1.9"))
    report = desk.export(
        tmp_path / "two", release=SetMetadata("Spring", version="1.9"), after=tmp_path / "one"
    )
    manifest = json.loads((tmp_path / "two/MANIFEST.json").read_text(encoding="utf-8"))
    sums = hashlib.sha256((tmp_path / "one/SHA256SUMS").read_bytes()).hexdigest()

    assert report.version == manifest["version"] == "1.10"
    assert manifest["previous"] == {
        "title": "Spring", "version": "1.9", "questions": 2, "retracted": 0, "sums": sums,
    }  # fmt: skip
    assert "The version before is 1.9 of Spring" in (tmp_path / "two/README.md").read_text(encoding="utf-8")


def test_what_was_withdrawn_comes_back_under_no_id_and_for_no_profile(desk, tmp_path):
    path = submissions(tmp_path)
    imported(desk, path)
    desk.export(tmp_path / "one", DRAFTS)
    ours, _ = of_set(tmp_path / "one")
    retract(desk.app, tmp_path / "one", [ours["Hamlet"]["tossup_id"]], "Not theirs.", tmp_path / "two")

    desk.app.profile.set_profile("Cyro Vanton", "cyro@example.org")
    desk.app.profile.settings = replace(desk.app.profile.settings, profile_id="c" * 32)
    again = imported(desk, path)
    assert len(again.added) == 3, "another profile imports the same questions under other ids"
    report = desk.export(tmp_path / "three", DRAFTS, SetMetadata("Another"))
    assert report.left_out[RETRACTED] == 2
    assert "Hamlet" not in of_set(tmp_path / "three")[0]


def test_a_damaged_list_of_withdrawn_questions_stops_every_export(desk, tmp_path):
    desk.write("a")
    desk.write("b")
    desk.export(tmp_path / "one")
    retract(desk.app, tmp_path / "one", ["a"], "Wrong.", tmp_path / "two")  # as quizwriter list names it
    ledger = desk.app.home / "challenge/withdrawn.json"
    ledger.write_text(ledger.read_text(encoding="utf-8")[:-20], encoding="utf-8")

    with pytest.raises(QuizwriterError, match="what was withdrawn from released sets"):
        desk.export(tmp_path / "three")
    assert not (tmp_path / "three").exists()


def test_another_key_is_not_taken_for_the_same_set(desk, tmp_path):
    desk.write("a")
    desk.export(tmp_path / "one")
    (desk.app.home / "pseudonyms.key").unlink()
    for how in ({}, {"after": tmp_path / "one"}):
        with pytest.raises(QuizwriterError, match="another key of pseudonyms"):
            desk.export(tmp_path / "two", **how)


# -- figures


def released_tossups(folder):
    """The tossups of a released set by their numbers."""
    whole = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    return {
        row["qanta_id"]: Tossup(row["text"], Answer(row["answer"], row["page"] and Page(row["page"])))
        for row in whole["questions"]
    }


def of_plays(folder, name="plays.jsonl"):
    """The games of a released set, computed again from its rows."""
    whole = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    tossups = released_tossups(folder)
    games: dict[str, dict[int, PlaySummary]] = {}
    for row in rows(folder / name):
        course = msgspec.convert({field: row[field] for field in Course.__struct_fields__}, Course)
        fields = {field: row[field] for field in PlaySummary.__struct_fields__ if field in row}
        claimed = PlaySummary(**fields, curve="")
        number = row["qanta_id"]
        games.setdefault(row["guesser"], {})[number] = recomputed_summary(claimed, course, tossups[number])
    return [msgspec.convert(row, QuestionRow) for row in whole["quizwriter"]], games


def test_every_document_can_be_written_again_from_the_rows_and_the_manifest(desk, tmp_path):
    example = example_tossup()
    desk.write("example", example.text, page=example.answer.page)
    for number in range(6):
        desk.write(f"t{number}", page=("Jane_Austen", "Macbeth")[number % 2])
        desk.say(f"t{number}", Tagged(("Paraphrases",) if number % 3 else ()), author=ADA)
        desk.say(f"t{number}", Tagged(("Paraphrases",)), author=BEN)
    desk.export(tmp_path / "out")
    manifest = json.loads((tmp_path / "out/MANIFEST.json").read_text(encoding="utf-8"))
    question_rows, games = of_plays(tmp_path / "out")
    figures = set_figures(question_rows, games, ControlGames(), released_tossups(tmp_path / "out"))

    for name, contents in set_documents(manifest, figures, games).items():
        assert contents == (tmp_path / "out" / name).read_bytes(), name
    (paraphrase,) = figures.tags
    assert (paraphrase.questions, paraphrase.undecided, paraphrase.agreement.number) == (6, 2, 6)
    assert "| Paraphrases† | 6 | 2 | 6 |" in (tmp_path / "out/README.md").read_text(encoding="utf-8")
    (result,) = figures.results
    assert result.can_know == figures.guessable
    assert result.questions == figures.questions == 7
    assert not verify(desk.app, tmp_path / "out").problems


def test_the_interval_of_a_share_is_wilsons():
    """Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263 is .2553 to .3662."""
    found = share_of(81, 263)
    assert (round(found.low, 4), round(found.high, 4)) == (0.2553, 0.3662)
    assert share_of(0, 0).value is None


def test_a_control_is_matched_played_and_told_without_its_texts(desk, tmp_path):
    desk.write("a", page="Johannes_Brahms")
    desk.write("b", page="Macbeth")
    held_back = [
        {"id": f"c{at}", "text": f"That play {words(50 + at)}.", "answer": answer, "fold": fold,
         "category": "Literature"}
        for at, (answer, fold) in enumerate(
            [("Macbeth", "guesstest"), ("Hamlet", "guesstrain"), ("Madama Butterfly", "guesstest"),
             ("An unheard of play", "guesstest")]
        )
    ]  # fmt: skip
    file = tmp_path / "held_back.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in held_back), encoding="utf-8")
    desk.export(tmp_path / "out", control=file)

    control = rows(tmp_path / "out/control.jsonl")
    manifest = json.loads((tmp_path / "out/MANIFEST.json").read_text(encoding="utf-8"))
    assert len(control) == manifest["control"]["questions"] == 2
    assert manifest["control"]["same_answer"] == 1
    assert not {"pages", "guesses", "buzz_page", "text"} & control[0].keys()
    text = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert "| IR | the control | 2 | 2 |" in text
    everything = "".join(path.read_text("utf-8", "replace") for path in (tmp_path / "out").iterdir())
    assert words(50)[:30] not in everything
    assert not verify(desk.app, tmp_path / "out").problems


def test_the_bundle_gives_the_control_where_no_file_is_named(tmp_path):
    held_back = [
        {"id": f"held-{at}", "text": f"That author {words(300 + at)}.", "answer": author(at % 3),
         "page": author(at % 3).replace(" ", "_"), "fold": "guesstest", "category": "Literature"}
        for at in range(6)
    ]  # fmt: skip
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(f"{json.dumps(row)}\n" for row in [*novel_rows(), *held_back]))
    build(Inputs((questions,)), tmp_path / "bundle", "Novels", Progress())
    desk = Desk(tmp_path / "home", tmp_path / "bundle")
    try:
        for at in range(3):
            desk.write(f"t{at}", page=author(at).replace(" ", "_"))
        engine = desk.app.engines.load()
        named = with_page(Tossup("", Answer(author(1))), engine)  # no page was chosen
        assert named.answer.page == author(1).replace(" ", "_")
        assert with_page(Tossup("", Answer("nobody")), engine).answer.page is None
        for out in ("one", "two"):
            desk.export(tmp_path / out, release=replace(WITH_ALL, seed=5))
        folder = tmp_path / "one"
        control = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))["control"]
        assert control["file"] == ""
        assert control["seed"] == 5
        assert control["digest"] == desk.app.engines.load().digest
        text = (folder / "README.md").read_text(encoding="utf-8")
        assert "holds back from all players" in text
        assert "with the seed 5" in text
        assert "| IR | the difference |" in text
        games = rows(folder / "control.jsonl")
        assert len({row["matched"] for row in games}) == len(games) == control["questions"] == 3
        assert control["same_answer"] == 3
        given = ExperimentInputs(desk.app, questions_from=str(folder), seed=5)
        found = run("curves", given).found
        assert "the control is 3 questions" in " ".join(found.remarks).lower()
        (cells,) = [row for row in found.rows if row[:2] == ["ir", "difference"]]
        (told,) = [line for line in text.splitlines() if line.startswith("| IR | the difference |")]
        for estimate in (one for one in cells[4:9] if one.value is not None):
            said = f"{estimate.value:.3f} ({estimate.low:.2f} to {estimate.high:.2f})".replace("-", "\u2212")
            assert said in told
        assert not verify(desk.app, folder).problems
        for path in folder.iterdir():
            assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
    finally:
        desk.app.store.close()


def test_a_set_without_a_control_says_why(desk, tmp_path):
    desk.write("a", page="Macbeth")
    desk.export(tmp_path / "out")

    assert "holds no questions back" in (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert not (tmp_path / "out/control.jsonl").exists()


def test_wins_are_by_the_characters_that_were_heard():
    text = "a b c d " + "long" * 40
    game = PlaySummary("ir", "", 5, 4, 4, 4, "X", 0.9, True, True, "0" * 79 + "1" * 21)
    row = QuestionRow(1, "t", "test", "unknown", (), 5, (), ())
    games = {"ir": {1: game}}
    answered = {1: Tossup(text, Answer("X"))}

    (by_words,) = set_figures([row], games, ControlGames()).results
    (by_characters,) = set_figures([row], games, ControlGames(), answered).results

    assert by_words.wins.value == pytest.approx(win_chance(4 / 5))
    assert by_characters.wins.value == pytest.approx(win_chance(7 / len(text)))


# -- who was in the loop, and what players take for the answer


def test_a_loop_has_its_players_attempts_and_minutes_without_long_pauses():
    edit = Edit(0, "", "x")
    changes = [Change(at, ms, edit, "") for at, ms in enumerate((0, 30_000, 40_000, 4_000_000), start=1)]

    loop = loop_row(changes, [(2, "ir"), (2, "dan"), (4, "ir")])

    assert loop == LoopRow(("dan", "ir"), 2, round(100_000 / 60_000, 2))
    assert loop_row([], []) == LoopRow((), 0, 0.0)


def test_the_data_sheet_has_an_example_for_each_tag_and_every_share_has_its_number(desk, tmp_path):
    for at, page in enumerate(("Jane_Austen", "Jane_Austen", "Macbeth", "Hamlet")):
        desk.write(f"t{at}", page=page)
        desk.say(f"t{at}", Tagged(("Paraphrases",) if at < 3 else ("Odd | one",)))
    desk.export(tmp_path / "out", release=replace(WITH_ALL, working_names=True))

    extras, _ = of_set(tmp_path / "out")
    sheet = (tmp_path / "out/DATASHEET.md").read_text(encoding="utf-8")
    assert "Table 1: clues written in a misleading manner" in sheet
    assert "| Paraphrases | 3 of 4 = 0.75 (0.30 to 0.95) |" in sheet
    assert "Odd \\| one" in sheet
    wrong = [row for row in extras.values() if row["wrong_guess"] is not None]
    assert wrong
    for row in wrong:
        guess, text = row["wrong_guess"], released_tossups(tmp_path / "out")[row["qanta_id"]].text
        assert all(word in text for word in guess["words"])
    assert "| nobody | 4 of 4 | 0 | 0.0 |" in sheet
    with (tmp_path / "out/questions.csv").open(encoding="utf-8", newline="") as file:
        assert {(row["in_the_loop"], row["attempts"]) for row in csv.DictReader(file)} == {("", "0")}


def test_another_wrong_guess_than_the_games_have_is_found_out(desk, tmp_path):
    desk.write("a", page="Madama_Butterfly")
    desk.export(tmp_path / "out")
    path = tmp_path / "out/questions.json"
    whole = path.read_text(encoding="utf-8")
    said = json.loads(whole)["quizwriter"][0]["wrong_guess"]
    assert said is not None
    page = json.dumps(said["page"])
    path.write_text(whole.replace(f'"page":{page}', '"page":"Somebody_Else"'), encoding="utf-8")

    problems = verify(desk.app, tmp_path / "out").problems

    assert any("says that another player is wrong" in one for one in problems)


def test_sets_of_later_schemas_are_verified_by_their_own_rules(desk, tmp_path):
    """Made by the programs of commits 7e9cdec and aecbb0c, on the starter bundle without its networks."""
    with tarfile.open(LATER_SETS) as packed:
        packed.extractall(tmp_path, filter="data")
    for schema in (2, 3):
        folder = tmp_path / f"schema-{schema}"
        assert json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))["schema"] == schema
        assert verify(desk.app, folder).problems == []


# -- loading


LOADED = """
import json
every = [row for split in questions.values() for row in split]
print(json.dumps({
    "splits": {name: len(split) for name, split in questions.items()},
    "plays": len(plays),
    "test_plays": len(test_plays),
    "players": sorted({row["positions"][0]["guesser"] for row in every}),
    "tags": [row["tags"] for row in every if row["tags"]],
}))
"""


def test_hugging_face_datasets_loads_it_as_the_readme_says(desk, tmp_path):
    """The weekly workflow ``loading`` installs the newest ``datasets`` and runs this."""
    if importlib.util.find_spec("datasets") is None:
        if os.environ.get("QUIZWRITER_REQUIRE_DATASETS"):
            pytest.fail("The library datasets is not installed.")
        pytest.skip("The library datasets is not installed; the weekly workflow installs it.")
    for number in range(8):
        desk.write(f"t{number}", page=("Jane_Austen", "Macbeth")[number % 2])
    desk.say("t0", Tagged(("Paraphrases",)))
    out = tmp_path / "Spring 1.0"
    desk.export(out)
    code = (out / "README.md").read_text(encoding="utf-8").split("```python\n")[2].split("```")[0]
    (tmp_path / "load.py").write_text(code + LOADED, encoding="utf-8")
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hugging-face")}
    desk_of_writers = str(Path(__file__).parents[1] / "helpers" / "desk")  # where there is no pandas
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    offline["PYTHONPATH"] = os.pathsep.join(path for path in paths if path != desk_of_writers)

    done = subprocess.run(
        [sys.executable, tmp_path / "load.py"],
        cwd=out,
        env={**os.environ, **offline},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["splits"].keys() == {"validation", "test"}
    assert sum(found["splits"].values()) == found["plays"] == 8
    assert found["test_plays"] == found["splits"]["test"]
    assert found["players"] == ["ir"]
    assert found["tags"] == [["Paraphrases"]]


def test_a_set_of_one_split_is_loaded_too(desk, tmp_path, monkeypatch):
    desk.write("a")
    desk.export(tmp_path / "out")
    code = (tmp_path / "out/README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path / "out")
    names: dict = {}

    exec(code, names)

    assert len(names["questions"]) == 1


def test_a_question_based_on_a_past_one_says_so_everywhere_and_sources_stay_at_home(desk, tmp_path):
    text = f"This author wrote {words(1)}. For 10 points, name this author."
    for key in ("new", "own"):
        desk.write(key, text.replace("author", f"{key} author"))
        desk.say(
            key,
            BasedOn("2011 Fjord Open, tossup 4, on Elm") if key == "new" else Categorised(("Literature",)),
            ClueSourced("https://example.org/secret", 1, 0, 4, "This", "So it says."),
            BuzzGoal(60),
            Binned(),
            Binned(False),
        )
    desk.export(tmp_path / "out", Selection(keep_duplicates=True))

    folder = tmp_path / "out"
    ours = json.loads((folder / "questions.json").read_text(encoding="utf-8"))["quizwriter"]
    said = {row["tossup_id"]: row["provenance"]["based_on"] for row in ours}
    assert said == {
        desk.released_id("new"): "2011 Fjord Open, tossup 4, on Elm",
        desk.released_id("own"): "",
    }
    table = list(csv.DictReader((folder / "questions.csv").read_text(encoding="utf-8").splitlines()))
    assert sorted(row["based_on"] for row in table) == ["", "2011 Fjord Open, tossup 4, on Elm"]
    (sheet,) = (path.read_text(encoding="utf-8") for path in folder.iterdir() if "sheet" in path.name.lower())
    assert "Based on past questions that others wrote: 2011 Fjord Open, tossup 4, on Elm." in sheet
    whole = "".join(
        path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.suffix in (".json", ".jsonl", ".csv", ".md")
    )
    assert "example.org/secret" not in whole
    assert '"clue source"' not in whole
    assert not verify(desk.app, folder).problems


def test_what_the_editor_threw_away_is_not_released(desk, tmp_path):
    for at, key in enumerate(("kept", "thrown")):
        desk.write(key, f"This author wrote {words(at)}. For 10 points, name this author.")
        edited = Event.new(key, BEGUN + 2 * 10**7, BEN.id, StatusSet(Status.EDITED))
        desk.app.store.add_events([edited])
    desk.app.tossups.put_in_bin(["thrown"])

    report = desk.export(tmp_path / "out", Selection(frozenset({Status.EDITED}), keep_duplicates=True))

    assert (report.questions, report.left_out) == (1, {"in the bin": 1})


def test_a_version_never_goes_back_behind_a_retraction_or_an_export(desk, tmp_path):
    """An export after two retractions said 1.0 again, and a second retraction of 1.0 was another 1.1."""
    release, claims = (
        SetMetadata("Autumn Cup"),
        ("MANIFEST.json", "README.md", "DATASHEET.md", "CITATION.cff"),
    )
    for key in "abcd":
        desk.write(key)
    first = desk.export(tmp_path / "first", release=release)
    again = desk.export(tmp_path / "again", release=release)  # before anybody has it
    ids = [str(row.qanta_id) for row in published_questions(desk.app, tmp_path / "first")[:3]]
    retracted = [
        retract(desk.app, tmp_path / "first", [one], "A clue is wrong.", tmp_path / f"without-{one}")
        for one in ids[:2]
    ]
    with pytest.raises(QuizwriterError, match=r"Version 1\.1 was released") as refused:
        retract(desk.app, tmp_path / "first", ids[2:], "Wrong.", tmp_path / "no", version="1.1")
    later = desk.export(tmp_path / "later", release=release)
    other = desk.export(tmp_path / "other", release=replace(release, title="Another cup", version="0.9"))

    assert (first.version, again.version, retracted) == ("1.0", "1.0", ["1.1", "1.2"])
    assert "Name 1.3" in str(refused.value.remedy)
    assert (later.version, other.version) == ("1.3", "0.9")
    assert desk.export(tmp_path / "on", release=release, after=tmp_path / "first").version == "1.4"
    for name in claims:
        assert "1.3" in (tmp_path / "later" / name).read_text(encoding="utf-8"), name
        assert "ersion 1.0" not in (tmp_path / "later" / name).read_text(encoding="utf-8"), name
    assert verify(desk.app, tmp_path / "later").problems == []


@pytest.mark.parametrize(
    ("wanted", "released", "found"),
    [
        ("1.0", [], "1.0"),
        ("1.0", [("1.9", False), ("1.10", False), ("1.2", True)], "1.11"),
        ("2.0", [("2", True)], "3"),
        ("1.10", [("1.10", False)], "1.10"),
        ("spring", [("spring 2", True)], "spring 3"),
        ("1.0", [("", True)], "1.0"),
        ("1.0", [("2026-10-01 07", True)], "2026-10-01 08"),
        ("1.0", [("20261001093000", True)], "20261001093001"),
    ],
)
def test_which_version_is_next(wanted, released, found):
    assert later_version(wanted, [ReleasedVersion(*one) for one in released]) == found
