"""Packs: what goes into a file comes out of it, and whatever is wrong with one is said, and nothing taken."""

import hashlib
import json
import random
import shutil
import zipfile
from contextlib import closing

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event, newest_pack_version
from quizwriter.domain.review import BriefChosen, Commented, SetWord, StyleChosen
from quizwriter.domain.style_sheet import STANDARD_STYLE
from quizwriter.errors import QuizwriterError
from quizwriter.formats import archive, archive_lines
from quizwriter.formats.archive import MANIFEST, PEOPLE, TOSSUPS, Pack
from quizwriter.store.store import Store
from quizwriter.workflow.branches import Branch
from tests.helpers.hostile_packs import seal
from tests.helpers.made_histories import fill
from tests.store.test_merging import dump


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with closing(Store(tmp_path_factory.mktemp("packs") / "quizwriter.db")) as opened:
        fill(opened, 6, seed=4)
        opened.add_events([Event.new("made000001", 1, "person1", Commented("\0 é 😀 \u2028 \\ud800"))])
        yield opened


@pytest.fixture(scope="module")
def keys(store):
    return [one.tossup_id for one in store.tossups()]


@pytest.fixture(scope="module")
def packed(tmp_path_factory, store, keys):
    made = tmp_path_factory.mktemp("packed") / "set.qwpack"
    assert archive.write(made, store.branches(keys), store.people().values()) == 6
    return made


@pytest.fixture
def path(tmp_path, packed):
    return shutil.copyfile(packed, tmp_path / "set.qwpack")


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """A database of two tossups, of which no refused pack changes anything."""
    with closing(Store(tmp_path_factory.mktemp("two") / "target.db")) as opened:
        fill(opened, 2, seed=5, prefix="mine")
        yield opened


def receive(store, path):
    pack = Pack(path)
    return store.merge(pack.branches(), pack.people())


def test_what_was_packed_comes_out(tmp_path, store, path):
    with closing(Store(tmp_path / "new.db")) as new:
        receive(new, path)

        assert Pack(path).tossups == 6
        found, wanted = dump(new), dump(store)
        people = {row[0] for row in found["person"]}
        assert wanted | {"person": [row for row in wanted["person"] if row[0] in people]} == found
        assert new.check() == ()


def test_the_same_state_makes_the_same_bytes(tmp_path, store, keys, path):
    again = tmp_path / "again.qwpack"
    archive.write(again, store.branches(keys), store.people().values())

    assert again.read_bytes() == path.read_bytes()


def test_only_people_who_have_to_do_with_it_are_in_a_pack(tmp_path, store, keys):
    one = tmp_path / "one.qwpack"
    archive.write(one, store.branches(keys[:1]), store.people().values())
    authors = {change.author for change in store.history(keys[0])}

    assert {person.id for person in Pack(one).people()} == authors | {
        event.author for event in store.events(keys[0])
    }


def test_a_pack_of_nothing_is_a_pack(tmp_path, target):
    path = tmp_path / "nothing.qwpack"
    archive.write(path, [], [])

    assert receive(target, path).outcomes == {}


def test_a_pack_that_cannot_be_written_leaves_the_one_before(path, store, keys):
    before = path.read_bytes()

    with pytest.raises(QuizwriterError, match="not in the database"):
        archive.write(path, store.branches([*keys, "none"]), [])
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.glob("*.qwpack*")] == ["set.qwpack"]


@pytest.mark.parametrize(
    ("limit", "most", "what"),
    [
        ("MOST_EDITS", 1, "edits, and no pack holds more than 1"),
        ("MOST_ANSWERS", 0, "changes of its answer, and no pack holds more than 0"),
        ("MOST_GAMES", 0, "games of players, and no pack holds more than 0"),
        ("MOST_EVENTS", 0, "events, such as comments and styles, and no pack holds more than 0"),
        ("LONGEST_LINE", 1_000, "a history of more than 0 MB"),
        ("_MOST_ARRAYS", 3, "more than 3 lists in its history"),
    ],
)
def test_a_tossup_that_nobody_could_read_again_is_named_and_no_pack_is_written(
    path, store, monkeypatch, limit, most, what
):
    before = path.read_bytes()
    monkeypatch.setattr(archive_lines, limit, most)

    with pytest.raises(QuizwriterError) as trouble:
        archive.write(path, store.branches(["made000001"]), [])
    title = store.load("made000001").tossup.answer.main
    assert trouble.value.problem.startswith(f"No pack was written, because the tossup “{title}” has ")
    assert what in trouble.value.problem
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("limit", "most", "why"),
    [
        ("MOST_TOSSUPS", 5, "more than 5 tossups"),
        ("MOST_PEOPLE", 1, "more than 1 people"),
        ("MOST_BYTES", 1 << 10, "longer than 0 MB"),
    ],
)
def test_a_pack_that_nobody_could_read_is_not_written(tmp_path, store, keys, monkeypatch, limit, most, why):
    monkeypatch.setattr(archive, limit, most)

    with pytest.raises(QuizwriterError, match=f"No pack was written, .*{why}"):
        archive.write(tmp_path / "large.qwpack", store.branches(keys), store.people().values())
    assert not list(tmp_path.glob("*large*"))


def test_a_tossup_of_more_than_ten_thousand_events_arrives_whole(tmp_path):
    said = [Event.new("much", at_ms, "person1", Commented("again")) for at_ms in range(10_001)]
    branch = Branch.of("much", 1, [], events=said)
    archive.write(tmp_path / "much.qwpack", [branch], [])

    (arrived,) = Pack(tmp_path / "much.qwpack").branches()
    assert arrived == branch


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(QuizwriterError, match="could not be written"):
        archive.write(tmp_path / "no" / "set.qwpack", [], [])


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(QuizwriterError, match="cannot be read"):
        Pack(tmp_path / "none.qwpack")


# -- what is wrong with packs


def contents(path):
    with zipfile.ZipFile(path) as pack:
        return {name: pack.read(name) for name in pack.namelist()}


def rebuilt(path, files, *, manifest=None, sizes=True):
    """The pack at ``path`` with other ``files``, their digests right in the manifest, and sealed."""
    said = json.loads(files[MANIFEST])
    for name in (TOSSUPS, PEOPLE):
        raw = files[name]
        said["files"][name] = {
            "sha256": hashlib.sha256(raw).hexdigest(),
            "bytes": len(raw),
            "lines": raw.count(b"\n"),
        }
    said |= manifest or {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, raw in (files | {MANIFEST: json.dumps(said).encode()}).items():
            pack.writestr(name, raw)
        pack.comment = b"sha256:" + b"0" * 64
    seal(path)


def changed(path, change):
    """The pack with its first tossup as ``change`` makes it."""
    files = contents(path)
    first, rest = files[TOSSUPS].split(b"\n", 1)
    row = json.loads(first)
    row = change(row) or row
    rebuilt(path, files | {TOSSUPS: json.dumps(row).encode() + b"\n" + rest})


def refused(target, path, match):
    """The pack is refused, and nothing of it is taken; what is said of it."""
    before = dump(target, local=True)
    with pytest.raises(QuizwriterError, match=match) as trouble:
        receive(target, path)
    assert str(path) in trouble.value.problem
    assert dump(target, local=True) == before
    return str(trouble.value)


@pytest.mark.parametrize(
    "body", [StyleChosen("Spring", STANDARD_STYLE), SetWord("Spring", "Kyiv"), BriefChosen("Spring")]
)
def test_a_word_of_a_set_that_is_dated_too_far_ahead_is_refused(tmp_path, target, body):
    far = replace(body, at_ms=1 << 53)  # or nobody could choose another one after it
    branch = Branch.of("one", 1, [], events=[Event.new("one", 1, "person1", far)])
    archive.write(tmp_path / "far.qwpack", [branch], [])

    assert "100 years" in refused(target, tmp_path / "far.qwpack", "makes no sense")


def test_a_pack_rebuilt_without_any_change_is_taken(path, tmp_path):
    rebuilt(path, contents(path))  # or the tests below would prove nothing

    with closing(Store(tmp_path / "new.db")) as new:
        assert len(receive(new, path).outcomes) == 6


def test_a_pack_of_a_newer_version_is_refused(target, path):
    rebuilt(path, contents(path), manifest={"version": newest_pack_version() + 1, "program": "9.0\u202e\n"})

    refused(target, path, r"newer QuizWriter \(9\.0\)")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.999])
def test_a_pack_cut_off_is_refused(target, path, share):
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * share)])

    refused(target, path, "cut off or changed")


def test_a_pack_with_any_byte_changed_is_refused(target, path):
    raw = path.read_bytes()
    draw = random.Random(1)
    for at in [0, 10, len(raw) - 1, len(raw) - 70, *draw.sample(range(len(raw)), 4)]:
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 1 << draw.randrange(8)]) + raw[at + 1 :])
        refused(target, path, "cut off or changed")


def test_a_byte_changed_inside_a_file_of_the_pack_is_found_though_the_seal_fits(target, path):
    files = contents(path)
    digests = json.loads(files[MANIFEST])["files"]
    at = files[TOSSUPS].rindex(b"Winter") if b"Winter" in files[TOSSUPS] else files[TOSSUPS].rindex(b"reason")
    raw = files[TOSSUPS][:at] + b"X" + files[TOSSUPS][at + 1 :]
    rebuilt(path, files | {TOSSUPS: raw}, manifest={"files": digests})

    refused(target, path, "cut off or changed")


@pytest.mark.parametrize("name", ["../../evil.txt", "/etc/passwd", "C:\\evil.txt", "a/../../b", "more.txt"])
def test_a_pack_that_holds_other_files_is_refused_and_nothing_is_written(target, path, name):
    def here():
        return [sorted(path.parent.rglob("*")), *(list(folder.glob("evil*")) for folder in path.parents)]

    before = here()
    rebuilt(path, contents(path) | {name: b"x"})

    refused(target, path, "which is no part of a pack")
    assert here() == before


def test_a_pack_without_a_file_is_refused(target, path):
    files = contents(path)
    with zipfile.ZipFile(path, "w") as pack:
        pack.writestr(MANIFEST, files[MANIFEST])
        pack.comment = b"sha256:" + b"0" * 64
    seal(path)

    refused(target, path, "does not hold what a pack holds")


def test_another_zip_is_refused(target, path):
    with zipfile.ZipFile(path, "w") as pack:
        pack.writestr("hello.txt", "hello")

    refused(target, path, "is not a pack")


def bomb(path, declared):
    """A pack whose tossups are zeros, 20 MiB and a bit, that says it unpacks to ``declared``."""
    files = contents(path)
    zeros = b"\0" * ((20 << 20) + 4096)
    rebuilt(path, files | {TOSSUPS: zeros})
    raw = bytearray(path.read_bytes())
    real, said = len(zeros).to_bytes(4, "little"), declared.to_bytes(4, "little")
    assert raw.count(real) >= 2
    path.write_bytes(raw.replace(real, said))
    seal(path)


def test_a_pack_that_says_it_unpacks_to_gigabytes_is_refused_before_it_is(target, path, monkeypatch):
    bomb(path, (1 << 32) - 2)
    monkeypatch.setattr(Pack, "_rows", None)  # nothing is read

    refused(target, path, "becomes longer than 4,096 MB|200 times longer")


def test_a_pack_of_zeros_is_refused_while_it_is_read(target, path):
    bomb(path, (20 << 20) + 4096)

    refused(target, path, "200 times longer")


def test_a_pack_that_unpacks_to_more_than_it_says_is_refused(target, path):
    files = contents(path)
    said = json.loads(files[MANIFEST])["files"]
    said[TOSSUPS]["bytes"] -= 10
    rebuilt(path, files, manifest={"files": said})

    refused(target, path, "would unpack to more")


def less(row):
    row["edits"][1][2] = "something else"


def elsewhere(row):
    row["edits"][0][1] = 7


def another_text(row):
    row["text"] += "!"


def foreign_event(row):
    row["events"][0][2] = "another edit"


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (less, "the history of made00000. does not replay"),
        (elsewhere, "the history of made00000. does not replay"),
        (another_text, "the history of made00000. does not lead to its text"),
        (foreign_event, "belongs to no edit"),
        (lambda row: row["events"][0].__setitem__(5, "telepathy"), "unknown kind"),
        (
            lambda row: row["events"][0].__setitem__(3, -1),
            r"events\[0\]\[3\]: expected a whole number, 0 or more",
        ),
        (
            lambda row: row["edits"][0].__setitem__(0, 1e9),
            r"edits\[0\]\[0\]: expected a whole number, found a number",
        ),
        (lambda row: row["edits"][0].__setitem__(0, 2**70), r"edits\[0\]\[0\]: "),
        (
            lambda row: row["edits"][0].__setitem__(0, 2**48),
            r"edits\[0\]\[0\]: expected a whole number, 253402214400000 or less",
        ),
        (lambda row: row["edits"][0].__setitem__(4, "\ud800"), "makes no sense"),
        (lambda row: row["asked"].append([1, 1, ["x"], ""]), r"asked\[\d+\]\[2\]: expected a list of"),
        (lambda row: row["asked"].append([999, 1, None, ""]), "names an edit after the last one"),
        (
            lambda row: row["games"][0].__setitem__(9, '[["a", 1'),
            r"games\[0\]\[9\]: Input data was truncated",
        ),
        (lambda row: row["games"][0].__setitem__(0, 999), "names an edit after the last one"),
        (
            lambda row: row["games"][0].__setitem__(4, True),
            r"games\[0\]\[4\]: expected a whole number, found true or false",
        ),
        (lambda row: row["games"].append([]), r"games\[\d+\]: expected a list of"),
        (
            lambda row: {name: value for name, value in row.items() if name != "games"},
            "the field `games` is missing",
        ),
        (lambda row: {**row, "mood": "good"}, "the field `mood` is unknown"),
        (lambda row: [row], "Expected named fields, found a list"),
        (lambda row: {**row, "id": ""}, "id: expected text of length 1 or more"),
    ],
)
def test_a_tossup_that_makes_no_sense_is_refused_by_name(target, path, change, match):
    changed(path, change)

    assert "at tossup 1" in refused(target, path, match)


@pytest.mark.parametrize(
    "raw", [b"{", b"[" * 200_000, b"\xff\xfe", b""], ids=["half", "deep", "not text", "empty"]
)
def test_a_line_that_is_no_json_is_refused(target, path, raw):
    files = contents(path)
    rebuilt(path, files | {TOSSUPS: files[TOSSUPS] + raw + b"\n"})

    refused(target, path, "makes no sense at tossup 7")


@pytest.mark.parametrize(
    "manifest",
    [
        {"format": "another"},
        {"version": "1"},
        {"version": 0},
        {"files": {}},
        {"files": {TOSSUPS: {"sha256": 1, "bytes": 1, "lines": 1}, PEOPLE: {}}},
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(target, path, manifest):
    rebuilt(path, contents(path), manifest=manifest)

    refused(target, path, "is not a pack of QuizWriter")
