"""Packets added to a bundle: in the evidence and the guesses, and out again; the bundle's files untouched."""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile

import pytest
from msgspec.structs import replace

from index_builder import user_packets
from index_builder.__main__ import main
from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.index import term_matrix
from index_builder.progress import Progress
from index_builder.user_packets import add_packets, added_packets, refresh_index, remove_packets
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import INDEX, MANIFEST, YOURS, Bundle, publishing
from quizwriter.engine.engine import load
from quizwriter.engine.retrieval import Retrieval
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.system.decoding import file_digest
from quizwriter.system.resource_files import resources_folder
from tests.helpers import hostile_packets
from tests.helpers.json_lines import write_lines

PACKET = """\
Winter Open, packet 1

1. A set of these cones is stacked in an opera house beside a famous harbour. (*) For 10 points, name this
Danish architect of that opera house.
ANSWER: Jørn Utzon [or Utzon]
<Fine Arts - Architecture>

2. At the start of this work a marriage broker named Goro shows a house with sliding walls to an officer.
For 10 points, name this opera.
ANSWER: Madame Butterfly [accept Madama Butterfly]

3. This one has lost its answer line. For 10 points, name this thing which nobody will ever guess.
"""


@pytest.fixture
def bundle(starter, tmp_path):
    """A copy of the starter bundle."""
    return shutil.copytree(starter, tmp_path / "bundle")


@pytest.fixture
def packets(tmp_path):
    """A folder with a packet, and with what is none."""
    folder = tmp_path / "Winter Open"
    folder.mkdir()
    (folder / "packet 1.txt").write_text(PACKET, encoding="utf-8")
    (folder / "old.pdf").write_bytes(b"%PDF")
    (folder / ".DS_Store").write_bytes(b"x")
    return folder


def guesser(folder):
    return load(folder).players[0].guesser


def test_added_packets_are_guessed_and_shown_as_yours(bundle, packets):
    tossup = Tossup("This architect of an opera house beside a harbour stacked cones.")
    assert all(guess.page != "Jørn_Utzon" for guess in guesser(bundle).play(tossup).final)

    (came,) = add_packets(bundle, [packets])

    assert (came.tossups, came.bonuses, came.files) == (2, 0, 2)
    ir = guesser(bundle)
    assert ir.play(tossup).final[0].page == "Jørn_Utzon"
    passage = ir.explain(tossup, ir.play(tossup).final[0].page).passages[0]
    assert passage.yours
    assert passage.source == "Winter Open, packet 1, tossup 1"
    assert "(*)" not in passage.text
    assert load(bundle).pages.find("jorn utzon") == "Jørn_Utzon"
    assert load(bundle).pages.complete("Utz")[0].page == "Jørn_Utzon"


def test_a_known_page_uses_the_new_texts_beside_its_own(bundle, packets):
    tossup = Tossup("The marriage broker Goro shows Pinkerton sliding walls and a knife.")
    before = guesser(bundle).explain(tossup, "Madama_Butterfly")

    add_packets(bundle, [packets])

    after = guesser(bundle).explain(tossup, "Madama_Butterfly")
    assert after.score > before.score
    assert {passage.yours for passage in after.passages} == {True, False}
    assert not any(passage.yours for passage in before.passages)


def test_each_question_that_was_not_read_has_a_line(bundle, packets):
    (came,) = add_packets(bundle, [packets])

    assert [(line.file, line.place, line.reason) for line in came.unread] == [
        ("old.pdf", "", "not read: it is a PDF; save the packet as .docx or as plain text"),
        ("packet 1.txt", "line 12", "no answer line"),
    ]
    assert came.unread[1].opening.startswith("This one has lost its answer line.")
    assert added_packets(bundle) == ([came], [])


def test_no_file_of_the_bundle_is_touched_and_removal_brings_it_back(bundle, packets):
    before = {path: file_digest(path) for path in bundle.rglob("*") if path.is_file()}
    digest = load(bundle).digest
    (came,) = add_packets(bundle, [packets])
    assert load(bundle).digest != digest
    assert all(file_digest(path) == known for path, known in before.items())

    remove_packets(bundle, came.name)

    assert {path: file_digest(path) for path in bundle.rglob("*") if path.is_file()} == before
    assert load(bundle).digest == digest
    with pytest.raises(QuizwriterError, match="Nothing called"):
        remove_packets(bundle, came.name)


def test_adding_a_folder_again_replaces_what_it_gave_before(bundle, packets):
    add_packets(bundle, [packets])
    (packets / "packet 1.txt").write_text(PACKET.replace("Jørn Utzon [or Utzon]", "Arne Jacobsen"), "utf-8")
    add_packets(bundle, [packets])

    assert len(added_packets(bundle)[0]) == 1
    assert load(bundle).pages.find("Arne Jacobsen") is not None
    assert load(bundle).pages.find("Jørn Utzon") is None


def test_two_folders_of_one_name_stand_beside_each_other(bundle, packets, tmp_path):
    other = shutil.copytree(packets, tmp_path / "elsewhere" / packets.name)

    first, second = add_packets(bundle, [packets, other])

    assert first.name != second.name
    assert first.known + second.known == 2  # the same questions count once
    assert len(added_packets(bundle)[0]) == 2


def test_the_same_question_twice_is_said_and_read_once(bundle, packets):
    (packets / "packet 2.txt").write_text(PACKET, encoding="utf-8")

    (came,) = add_packets(bundle, [packets])

    assert came.tossups == 2
    twice = [line.reason for line in came.unread if line.file == "packet 2.txt"]
    assert twice[0] == "the same question as in packet 1.txt, line 3; read once"


def test_questions_the_bundle_has_already_count_once(bundle, tmp_path, engine):
    text = engine.retrieval.past_tossups()[0]
    row = {"text": text, "answer": "Madama Butterfly", "page": None}
    page = next(
        page for page in engine.pages.all
        if any(text == passage.text for passage in engine.retrieval.explain(Tossup(text), page).passages)
    )  # fmt: skip
    row["page"] = page

    (came,) = add_packets(bundle, [write_lines(tmp_path / "mine.jsonl", [row])])

    assert came.known == 1
    assert not any(p.yours for p in guesser(bundle).explain(Tossup(text), page).passages)


def test_json_lines_and_qanta_files_are_read_bonuses_too(bundle, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    asked = {"text": "These cones were stacked beside a harbour by an architect.", "answer": "Jørn Utzon"}
    write_lines(folder / "a.jsonl", [asked, {"text": "short"}, {"text": "x"}])
    rows = (folder / "a.jsonl").read_text(encoding="utf-8")
    (folder / "a.jsonl").write_text(f"{rows}no json\n", encoding="utf-8")
    qanta = [{"qanta_id": 3, "text": "A roller of cigarettes stabs a rival here.", "page": "Carmen_(opera)"}]
    (folder / "b.json").write_text(json.dumps({"questions": qanta}), encoding="utf-8")
    part = {"text": "Name this place of gilded temples and bamboo groves.", "answer": "Kyoto"}
    write_lines(folder / "c.jsonl", [{"leadin": "x", "parts": [part]}])

    (came,) = add_packets(bundle, [folder])

    assert (came.tossups, came.bonuses) == (2, 1)
    assert [line.sentence for line in came.unread] == [
        "a.jsonl, rows 2 to 3: text missing or too short",
        "a.jsonl, row 4: not JSON",
    ]
    assert guesser(bundle).play(Tossup("Gilded temples and bamboo groves")).final[0].page == "Kyoto"
    assert load(bundle).pages.find("Carmen (opera)") == "Carmen_(opera)"


def test_a_packet_of_modaq_is_read_with_its_bonuses(bundle, tmp_path):
    folder = tmp_path / "modaq"
    folder.mkdir()
    tossup = {
        "question": "This <em>made-up</em> ferry (*) crosses our own fjord. For 10 points, name this ferry.",
        "answer": "<b><u>Kvitfisk</u></b> [or Whitefish]",
        "metadata": "Ada Example, Geography",
    }
    bonus = {
        "leadin": "About boats, for 10 points each:",
        "parts": ["Name the boat of a made-up story about eels."],
        "answers": ["<b><u>Aalboot</u></b>"],
        "values": [10],
    }
    (folder / "round.json").write_text(
        json.dumps({"name": "Round 1", "tossups": [tossup], "bonuses": [bonus]}), encoding="utf-8"
    )

    (came,) = add_packets(bundle, [folder])

    assert (came.tossups, came.bonuses, list(came.unread)) == (1, 1, [])
    assert load(bundle).pages.find("Kvitfisk") == "Kvitfisk"


def test_what_cannot_be_read_at_all_adds_nothing(bundle, tmp_path):
    (tmp_path / "empty.txt").write_text("Only a heading", encoding="utf-8")

    (came,) = add_packets(bundle, [tmp_path / "empty.txt"])

    assert came.name == ""
    assert [line.reason for line in came.unread] == ["no question was found in it"]
    assert not (bundle / YOURS).exists()
    with pytest.raises(QuizwriterError, match="There is no"):
        add_packets(bundle, [tmp_path / "nowhere"])


def test_answers_are_filed_as_answer_lines_vary(bundle, tmp_path):
    known = "Johannes Brahms"
    variants = [
        f"the {known}", f"“{known}” [prompt on Clara]", f"Brahmsy [or {known}; prompt on Schumann]",
        f"Sir {known}", f"{known}s", "Johannes (HAH-nes) Brahms (do not accept Bach)",
        f"Brahmsian or {known}",
    ]  # fmt: skip
    rows = [
        {"text": f"A question of its own about music, number {number}.", "answer": line}
        for number, line in enumerate(variants)
    ]

    add_packets(bundle, [write_lines(tmp_path / "mine.jsonl", rows)])

    assert len(load(bundle).pages) == len(load_without(bundle).pages)


def load_without(bundle):
    return Retrieval(Bundle.open(bundle))


# -- what outlives what


def test_building_the_bundle_anew_keeps_what_was_added(bundle, packets):
    add_packets(bundle, [packets])
    questions = write_lines(
        packets.parent / "q.jsonl", [{"text": "red fox jumps over dogs", "answer": "Fox"}]
    )

    build(Inputs((questions,), everything=True), bundle, "Anew", Progress())

    stale = load(bundle)
    assert "older build" in str(stale.troubles[0])
    assert refresh_index(bundle) == ()
    engine = load(bundle)
    assert engine.troubles == ()
    assert engine.pages.find("Jørn Utzon") is not None
    assert engine.pages.find("Fox") is not None


def test_the_application_indexes_anew_by_itself(bundle, packets, tmp_path):
    add_packets(bundle, [packets])
    shutil.rmtree(bundle / YOURS / INDEX)

    engine = App(tmp_path / "home", bundle).engines.load()

    assert engine.troubles == ()
    assert engine.pages.find("Jørn Utzon") is not None


@pytest.mark.parametrize("inside", ["questions.jsonl", MANIFEST])
def test_damaged_packets_are_skipped_with_a_sentence_and_take_nothing_down(bundle, packets, tmp_path, inside):
    other = tmp_path / "Other"
    other.mkdir()
    (other / "p.txt").write_text(PACKET.replace("Jørn Utzon [or Utzon]", "Arne Jacobsen"), encoding="utf-8")
    damaged, _ = add_packets(bundle, [packets, other])
    (bundle / YOURS / "packets" / damaged.name / inside).write_bytes(b"{}")
    shutil.rmtree(bundle / YOURS / INDEX)

    engine = App(tmp_path / "home", bundle).engines.load()

    (trouble,) = engine.troubles
    assert "is damaged and was skipped" in trouble.problem
    assert engine.pages.find("Arne Jacobsen") is not None
    assert engine.pages.find("Jørn Utzon") is None
    remove_packets(bundle, damaged.name)
    assert App(tmp_path / "home", bundle).engines.load().troubles == ()


def test_a_damaged_index_is_made_again(bundle, packets, tmp_path):
    add_packets(bundle, [packets])
    (bundle / YOURS / INDEX / "ir" / "points.npy").write_bytes(b"x")

    assert load(bundle).troubles  # by itself the engine only says so
    engine = App(tmp_path / "home", bundle).engines.load()

    assert engine.troubles == ()
    assert engine.pages.find("Jørn Utzon") is not None


def test_a_bundle_without_counts_says_what_to_do(starter, tmp_path, packets):
    whole = Bundle.open(starter)
    with publishing(tmp_path / "old", {"title": "Old"}) as writer:
        for name in whole.about["files"]:
            if not name.startswith("counts/"):
                (writer.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(starter / name, writer.folder / name)

    with pytest.raises(QuizwriterError, match="Build it again"):
        add_packets(tmp_path / "old", [packets])
    assert load(tmp_path / "old").players


def test_a_bundle_that_was_weighed_otherwise_says_what_to_do(bundle, packets, monkeypatch):
    words, *others = term_matrix.WEIGHTINGS
    changed = (replace(words, normalisation=0.5), *others)
    monkeypatch.setattr(term_matrix, "WEIGHTINGS", changed)

    with pytest.raises(QuizwriterError, match="weighs words otherwise") as raised:
        add_packets(bundle, [packets])

    assert "Build it again" in str(raised.value)
    assert load(bundle).players


def test_a_new_starter_bundle_takes_over_what_was_added_to_the_old_one(tmp_path, packets, monkeypatch):
    for kind in ("tossups", "articles"):  # a part of the starter's texts, which takes less time to build
        some = min((resources_folder() / "starter" / kind).glob("*.jsonl"))
        (tmp_path / "resources" / "starter" / kind).mkdir(parents=True)
        shutil.copy(some, tmp_path / "resources" / "starter" / kind)
    monkeypatch.setattr("quizwriter.services.engines.resources_folder", lambda: tmp_path / "resources")
    app = App(tmp_path / "home")
    first = app.engines.load()
    app.packets.add_packets(first.folder, [packets], lambda *_: None)
    monkeypatch.setattr("index_builder.starter.__version__", "99")

    second = app.engines.load()

    assert second.folder != first.folder
    assert second.pages.find("Jørn Utzon") is not None


def test_a_full_disk_adds_nothing_and_says_so(bundle, packets, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(user_packets, "write_delta_index", full)

    with pytest.raises(QuizwriterError, match="No space left"):
        add_packets(bundle, [packets])

    assert added_packets(bundle) == ([], [])
    assert load(bundle).troubles == ()


def test_real_questions_added_play_as_if_they_had_been_built_in(shared_data, tmp_path):
    sample = (shared_data / "tossups_sample.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in sample.splitlines()]
    for row in rows:
        row["page"] = row["answer_label"]  # how answers are filed is another test's
    some, others = (
        write_lines(tmp_path / "some.jsonl", rows[:120]),
        write_lines(tmp_path / "others.jsonl", rows[120:]),
    )
    build(Inputs((some,), everything=True), tmp_path / "part", "Part", Progress())
    build(Inputs((some, others), everything=True), tmp_path / "whole", "Whole", Progress())
    add_packets(tmp_path / "part", [others])

    ours, theirs = guesser(tmp_path / "part"), guesser(tmp_path / "whole")

    same = near = 0
    for row in rows:
        tossup = Tossup(row["text"][: len(row["text"]) // 2])
        (mine, *_), (wanted, *_) = ours.play(tossup).final, theirs.play(tossup).final
        same += mine.page == wanted.page
        near += abs(mine.score - wanted.score) < 0.03 * wanted.score
    assert same >= 0.99 * len(rows)
    assert near >= 0.9 * len(rows)


# -- the command


def test_the_command_adds_lists_and_removes(bundle, packets, capsys):
    assert main(["add", str(packets), "--bundle", str(bundle)]) == 0
    said = capsys.readouterr().out
    assert "Winter Open: 2 tossups from 2 files. 2 not read, or not whole:" in said
    assert "packet 1.txt, line 12: no answer line" in said

    assert main(["add", "--bundle", str(bundle)]) == 0
    name = capsys.readouterr().out.split(":")[0]
    assert main(["add", "--bundle", str(bundle), "--remove", name]) == 0
    capsys.readouterr()
    assert main(["add", "--bundle", str(bundle)]) == 0
    assert "Nothing was added" in capsys.readouterr().out


def test_the_command_fails_when_nothing_was_added(bundle, tmp_path, capsys):
    (tmp_path / "a.pdf").write_bytes(b"%PDF")

    assert main(["add", str(tmp_path / "a.pdf"), "--bundle", str(bundle)]) == 1
    assert "a.pdf: not read: it is a PDF" in capsys.readouterr().out
    assert main(["add", str(tmp_path / "a.pdf"), "--bundle", str(tmp_path / "none")]) == 1


def test_files_that_cannot_be_read_are_named_and_the_others_are_added(bundle, packets):
    hostile_packets.encrypted(packets / "encrypted.docx")
    hostile_packets.save(packets / "lzma.docx", {}, zipfile.ZIP_LZMA)
    for name in ("tables in tables", "no XML"):
        hostile_packets.save(packets / f"{name}.docx", hostile_packets.REFUSED[name][0])
    (packets / "deep.json").write_bytes(b"[" * 20_000)
    (packets / "deep.jsonl.gz").write_bytes(gzip.compress(b"[" * (20 << 20)))
    (packets / "bytes.json").write_bytes(b'[{"text": "\xff\xfe"}]')
    (packets / "long.txt").write_text("a" * 60_000, encoding="utf-8")

    (came,) = add_packets(bundle, [packets])

    assert (came.tossups, came.files) == (2, 10)
    problems = {problem.file: problem.sentence for problem in came.unread if not problem.place}
    assert len(problems) == 9
    assert "encrypted" in problems["encrypted.docx"]
    assert "unusual way" in problems["lzma.docx"]
    assert all("\n" not in sentence for sentence in problems.values())
    assert guesser(bundle).play(Tossup("A set of these cones is stacked.")).final[0].page == "Jørn_Utzon"
