"""Names of the working day stay at home, and one decision on a name holds for everything that asks."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from quizwriter.challenge.export import rehearse
from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.name_decisions import NameDecisions, NamesFoundError, decide_names
from quizwriter.challenge.privacy import name_scanner
from quizwriter.challenge.retraction import retract
from quizwriter.challenge.selection import NAMED, Selection
from quizwriter.challenge.verify import verify
from quizwriter.cli import main
from quizwriter.domain.events import Event
from quizwriter.domain.review import (
    Commented,
    Imported,
    NameDecided,
    NameVerdict,
    PutInSet,
    Tagged,
    TakenBack,
)
from quizwriter.errors import QuizwriterError
from tests.helpers.challenge_desk import ADA, BEN, WITH_ALL, Desk, words

ANOTHER, NEVER, THIS = NameVerdict.ANOTHER_PERSON, NameVerdict.NEVER_RELEASE, NameVerdict.THIS_PERSON
PLAIN = SetMetadata("Spring")


def asked(desk, release=PLAIN):
    return rehearse(desk.app, Selection(), release)


def decide(desk, release=PLAIN, **verdicts):
    found = asked(desk, release)
    names = {words.replace("_", " "): verdict for words, verdict in verdicts.items()}
    decide_names(desk.app, names, (*found.names, *found.never_released), found.tossups)


def everything(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_one_decision_holds_for_rehearsal_export_data_sheet_and_verification(desk, tmp_path):
    for key in "ab":
        desk.write(key, f"Ben Osei sang {words(key)}.")
    desk.write("c", f"BEN OSEI, too, sang {words('c')}.")
    (group,) = asked(desk).names
    assert (group.words.title(), group.people, len(group.tossups)) == ("Ben Osei", ("Ben Osei",), 3)
    with pytest.raises(NamesFoundError, match="and 2 more places") as stopped:
        desk.export(tmp_path / "out", release=PLAIN)
    assert [one.tossups for one in stopped.value.groups] == [group.tossups]

    decide(desk, ben_osei=ANOTHER)

    assert not asked(desk).stopping
    assert desk.export(tmp_path / "out", release=PLAIN).questions == 3
    assert "1 name like that of a writer means another person" in (tmp_path / "out/DATASHEET.md").read_text()
    found = verify(desk.app, tmp_path / "out")
    assert not found.problems
    assert "1 name like that of a writer means another person, as an editor decided." in found.notes


def test_packs_take_a_decision_to_the_editors_other_computer(desk, tmp_path, starter):
    desk.write("a", f"Ben Osei sang {words('a')}.")
    decide(desk, ben_osei=ANOTHER)
    desk.export(tmp_path / "out", release=PLAIN)
    desk.app.transfer.pack(tmp_path / "all.qwpack")
    other = Desk(tmp_path / "other", starter)
    before = verify(other.app, tmp_path / "out")
    assert before.problems
    assert any("merge the editor's pack and verify again" in note for note in before.notes)
    other.app.transfer.merge([tmp_path / "all.qwpack"])

    after = verify(other.app, tmp_path / "out")
    assert not after.problems
    assert not any("merge" in note for note in after.notes)
    other.app.store.close()


def test_a_forgotten_name_that_is_typed_again_is_found_before_it_is_released(desk, tmp_path):
    desk.write("a")
    desk.export(tmp_path / "out", release=PLAIN)
    desk.app.forgotten_people.forget(desk.app.forgotten_people.plan("Ada Novák"))
    number = desk.released_id("a")

    scanner = name_scanner(desk.app)
    assert not [*scanner.search("Ada Novák", "the answer line", subject="Ada Novák")]
    assert [*scanner.search("Ada Novák", "a comment on another question")]
    with pytest.raises(QuizwriterError, match="like somebody who was forgotten"):
        retract(desk.app, tmp_path / "out", [number], "Novak, Ada took it back.", tmp_path / "next")
    retract(desk.app, tmp_path / "out", [number], "A clue is wrong.", tmp_path / "next")
    desk.write("b", f"Ada Nov&aacute;k sang {words('b')}.", author=BEN)
    (group,) = asked(desk).names
    assert (group.words, group.people) == ("Ada Novák", ("somebody who was forgotten",))
    assert group.tossups == ("b",)
    desk.write("c", f"Of Ada Novák sang {words('c')}.", author=BEN, page="Ada_Novák")
    assert len(asked(desk).names) == 1
    decide(desk, ada_novák=ANOTHER)
    assert not asked(desk).stopping


def test_another_editors_decision_is_no_decision_of_the_one_who_releases(desk, tmp_path):
    desk.write("a", f"Ben Osei sang {words('a')}.")
    desk.say("a", NameDecided("Ben Osei", ANOTHER), author=ADA)

    assert asked(desk).stopping


def test_the_newest_decision_counts_and_it_can_be_taken_back(desk):
    desk.write("a", f"Ben Osei sang {words('a')}.")
    me = desk.app.profile.me.id
    decide(desk, ben_osei=ANOTHER)
    decide(desk, BEN_OSEI=THIS)
    assert [one.verdict for one in asked(desk).stopping] == [THIS]
    (last,) = [
        one.id
        for one in desk.app.store.events("a")
        if isinstance(one.body, NameDecided) and one.body.verdict is THIS
    ]
    desk.app.store.add_events([Event.new("a", 10**13, me, TakenBack((last,)))])

    assert not asked(desk).stopping


def test_tossups_with_a_name_that_is_never_released_stay_out(desk, tmp_path):
    desk.write("a", f"Ben Osei sang {words('a')}.")
    desk.write("b")
    decide(desk, ben_osei=NEVER)
    found = asked(desk)

    assert (found.questions, found.left_out[NAMED], found.names) == (1, 1, ())
    report = desk.export(tmp_path / "out", release=PLAIN)
    assert (report.questions, report.left_out[NAMED]) == (1, 1)
    assert b"Osei" not in everything(tmp_path / "out")


def test_an_address_is_nobody_elses(desk, tmp_path):
    desk.write("a", f"Write to ben@example.org {words('a')}.")
    decide(desk, **{"ben@example.org": ANOTHER})
    (group,) = asked(desk).stopping

    assert (group.words, group.may_pass) == ("ben@example.org", False)


def test_a_decision_on_a_whole_name_lets_no_other_form_pass(desk):
    desk.write("a", f"Ben Osei sang {words('a')}. So did bosei and Osei, Ben.")
    decide(desk, ben_osei=ANOTHER)

    assert {one.words for one in asked(desk).stopping} == {"Osei, Ben", "bosei"}


def test_what_an_older_file_says_of_names_is_kept_in_the_database(desk, tmp_path):
    desk.write("a", f"Ben Osei sang {words('a')}.")
    desk.export(tmp_path / "out", release=replace(PLAIN, others=("ben osei",)))

    assert NameDecisions.of_anybody(desk.app).verdicts == {"benosei": ANOTHER}
    assert not verify(desk.app, tmp_path / "out").problems


@pytest.mark.parametrize("text", ["[1]", "{}", '["x"]', "[" * 5_000, "\0"])
def test_damaged_older_decisions_are_a_sentence(desk, text):
    (desk.app.home / "challenge").mkdir()
    (desk.app.home / "challenge" / "names.json").write_text(text)

    with pytest.raises(Exception, match=r"names\.json"):
        NameDecisions.of_editor(desk.app)


PLANTED = {
    "text": lambda desk: desk.write("x", f"This Ben Osei knows {words('x')}."),
    "answer": lambda desk: desk.write("x", page="Ben_Osei") and desk.say("x", Tagged(("Ben Osei",))),
    "comment": lambda desk: desk.say("a", Commented("Ask Ben.")),
    "set": lambda desk: desk.say("a", PutInSet("Osei Open")),
    "quotation": lambda desk: desk.say("a", Commented("Hm.", quoted="Osei, Ben")),
}


@pytest.mark.parametrize(
    ("plant", "working_names"),
    [*((plant, False) for plant in PLANTED.values()), (PLANTED["answer"], True), (PLANTED["set"], True)],
)
def test_a_rehearsal_finds_what_stops_an_export_and_nothing_else(desk, tmp_path, plant, working_names):
    release = replace(WITH_ALL, working_names=working_names)
    desk.write("a")
    plant(desk)
    found = asked(desk, release)
    if not found.stopping:
        desk.export(tmp_path / "out", release=release)
        return
    with pytest.raises(NamesFoundError) as stopped:
        desk.export(tmp_path / "out", release=release)
    assert stopped.value.groups == found.stopping

    decide_names(desk.app, {one.words: ANOTHER for one in found.stopping}, found.names, found.tossups)
    desk.export(tmp_path / "out", release=release)
    assert not verify(desk.app, tmp_path / "out").problems


@pytest.mark.parametrize("place", ["title", "maintainer", "contact", "website"])
def test_a_rehearsal_reads_what_the_editor_states(desk, place):
    desk.write("a")

    assert asked(desk, replace(PLAIN, **{place: "Ben Osei"})).stopping


# -- names of the working day


def working_day(desk):
    """Two tossups of a file and a packet that are named after a writer, and her own tag."""
    for key in "ab":
        desk.write(key)
        desk.say(
            key,
            Imported("osei_final.docx", "5" * 64, "1", "", None, (ADA.id,)),
            PutInSet("Spring", "Packet by Ben Osei"),
            Tagged(("bo check", "Paraphrases")),
        )


def test_names_of_files_packets_and_own_tags_stay_at_home(desk, tmp_path):
    working_day(desk)
    release = replace(PLAIN, histories=True)
    desk.export(tmp_path / "out", release=release)

    raw = everything(tmp_path / "out")
    assert not [name for name in (b"osei", b"Osei", b"bo check") if name in raw]
    extras = json.loads((tmp_path / "out/questions.json").read_text())["quizwriter"]
    assert {one["provenance"]["file"] for one in extras} == {"file 1"}
    assert {tuple(one["tags"]) for one in extras} == {("Paraphrases", "tag 1")}
    assert "From `file 1` (SHA-256 5555" in (tmp_path / "out/README.md").read_text()
    assert "Numbers stand for the names of files" in (tmp_path / "out/DATASHEET.md").read_text()
    assert not verify(desk.app, tmp_path / "out").problems
    (ledger,) = (desk.app.home / "challenge").glob("spring-*.json")
    kept = json.loads(ledger.read_text())["working_names"]
    assert {number: one["name"] for number, one in kept.items()} == {
        "file 1": "osei_final.docx", "packet 1": "Packet by Ben Osei", "tag 1": "bo check",
    }  # fmt: skip


def test_a_number_keeps_its_name_in_later_versions_also_where_only_the_set_is_there(desk, tmp_path):
    working_day(desk)
    desk.export(tmp_path / "one", release=PLAIN)
    for at, key in enumerate("cdef"):  # one of them comes before the others
        desk.write(key)
        desk.say(key, Imported("another.docx", f"{at}" * 64), Tagged(("a tag",)))
    (ledger,) = (desk.app.home / "challenge").glob("spring-*.json")
    for kept in (True, False):
        if not kept:
            ledger.unlink()
        out = tmp_path / f"two {kept}"
        desk.export(out, release=PLAIN, after=tmp_path / "one")
        extras = json.loads((out / "questions.json").read_text())["quizwriter"]
        of_digest = {one["provenance"]["digest"]: one["provenance"]["file"] for one in extras}
        assert of_digest["5" * 64] == "file 1"
        assert len(set(of_digest.values())) == 5


def test_names_of_the_working_day_are_released_where_the_editor_wants_them(desk, tmp_path):
    desk.write("a")
    desk.say("a", Imported("round 3.docx", "5" * 64), Tagged(("chess",)))
    desk.export(tmp_path / "out", release=replace(PLAIN, working_names=True))

    raw = everything(tmp_path / "out")
    assert b"round 3.docx" in raw
    assert b"chess" in raw
    assert b"Numbers stand" not in raw
    assert not verify(desk.app, tmp_path / "out").problems


def test_the_command_decides_once(desk, tmp_path, monkeypatch, capsys, starter):
    desk.write("a", f"Ben Osei sang {words('a')}.")
    desk.write("b")
    monkeypatch.setenv("QUIZWRITER_HOME", str(desk.app.home))
    bundle = ["--bundle", str(starter)]

    assert main(["export", "--rehearse", *bundle]) == 1
    assert "“Ben Osei” (like Ben Osei) is in 1 tossup:" in capsys.readouterr().out
    assert main(["export", "--rehearse", "--never-release", "Ben Osei", "--json", *bundle]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["questions"], [one["decided"] for one in told["names"]]) == (1, ["never release"])
    assert main(["export", "--out", str(tmp_path / "out"), "--other-person", "Ben Osei", *bundle]) == 0
    assert "2 questions released" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "out"), *bundle]) == 0
