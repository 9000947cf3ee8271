"""A tossup edited in two places is one wherever tossups are counted, sent, printed, read or released."""

from __future__ import annotations

import json

import pytest

from quizwriter.challenge.export import preview
from quizwriter.challenge.selection import Selection
from quizwriter.cli import main
from quizwriter.domain.events import Event
from quizwriter.domain.review import BasedOn, BriefLine, Consent, ConsentGiven, PutInSet, Status
from quizwriter.domain.tossup import Answer
from quizwriter.services.beat_goal import BeatGoal, GoalCount
from quizwriter.services.wiring import App
from quizwriter.workflow.queue import COLUMNS, QueueFilter, QueueSort
from tests.services.test_branches import write

TEXT = (
    "This author wrote of a red fox in her first book, of a grey wolf in her second, of six owls in the "
    "third, and never finished the fourth. For ten points, name her."
)
HERE = TEXT.replace("This author", "This English author of six novels")
THERE = TEXT.replace("red", "white")


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A program with the set Spring: one tossup, which has two branches of which HERE was changed last."""
    folder = tmp_path_factory.mktemp("desk")
    with App(folder / "ada") as app, App(folder / "ben") as ben:
        app.profile.set_profile("Ada", "")
        ben.profile.set_profile("Ben", "")
        write(app, "root", TEXT, Answer("Jane Austen"))
        said = PutInSet("Spring"), BasedOn("a past question", "Lake Open")
        app.store.add_events([Event.new("root", 1, app.profile.me.id, body) for body in said])
        app.transfer.pack(folder / "all.qwpack")
        ben.transfer.merge([folder / "all.qwpack"])
        write(ben, "root", THERE, Answer("Austen"))
        ben.transfer.pack(folder / "back.qwpack")
        write(app, "root", HERE)
        app.transfer.merge([folder / "back.qwpack"])
        yield app


@pytest.fixture
def command(desk, monkeypatch, capsys):
    """Runs a command on the desk's database; the result is what it prints as JSON."""
    monkeypatch.setenv("QUIZWRITER_HOME", str(desk.home))

    def run(*arguments):
        assert main([*map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_the_queue_shows_the_branch_changed_last_however_it_is_sorted(desk):
    assert sorted(text for _, _, text in desk.store.tossups_of_set("Spring")) == sorted([HERE, THERE])
    for column in COLUMNS:
        for down in (True, False):
            keys, groups = desk.queue.find_tossups(
                QueueFilter(sets=("Spring",)), QueueSort(column, down=down)
            )
            assert [desk.store.load(key).tossup.text for key in keys] == [HERE], column
            assert groups[keys[0]].keys[0] == keys[0]


def test_the_brief_and_its_goal_count_it_once(desk, engine, command):
    desk.briefs.choose("Spring", [BriefLine((), wanted=5)])
    (state,) = desk.briefs.report("Spring").states

    assert state.there == 1
    assert command("brief", "Spring")["lines"][0]["written"] == 1
    counted = desk.briefs.count_goal("Spring", BeatGoal(("ir",)), engine.players)
    assert counted == GoalCount(0, 0, unplayed=1)


def test_it_is_read_printed_and_sent_once(desk, command, tmp_path):
    (root,) = desk.store.one_of_each([key for key, _, _ in desk.store.tossups_of_set("Spring")])

    assert [one.tossup.text for one in desk.games.tossups_of("Spring")] == [HERE]
    for key, _, _ in desk.store.tossups_of_set("Spring"):
        assert desk.printing.beside(key) == (root,)
    assert command("playtest", "send", tmp_path / "play.html", "--set", "Spring")["tossups"] == 1
    printed = command("packet", "--out", tmp_path / "packet.html", "--in-set", "Spring")
    assert (printed["tossups"], printed["left_out"]) == (1, 0)
    assert [row["id"] for row in command("sources", "--in-set", "Spring")] == [root]


def test_the_list_has_each_branch_and_counts_one_tossup(command, capsys):
    assert len(command("list", "--in-set", "Spring")) == 2
    assert main(["list", "--in-set", "Spring"]) == 0
    assert capsys.readouterr().out.endswith("\n1 tossup with 2 branches\n")


def test_it_is_in_one_arm(desk):
    assert sum(desk.control_arms.sizes("Spring").values()) == 1


def test_what_there_is_to_filter_by_counts_it_once(desk):
    facets = desk.queue.facets()

    assert facets.tossups == 1
    assert (facets.sets, facets.statuses, facets.categories) == ({"Spring": 1}, {Status.DRAFT: 1}, {(): 1})
    assert [*facets.authors.values()] == [1]


def test_no_branch_repeats_another_one(desk, engine):
    for key, _, _ in desk.store.tossups_of_set("Spring"):
        tossup = desk.store.load(key).tossup
        assert desk.tossups.asking_the_same(key, tossup.answer) == ()
        assert "set" not in {problem.rule for problem in desk.problems.of_saved(key)}
        assert {check.name: check.passed for check in desk.review.check({key: tossup}, engine)[key]}["set"]
    write(desk, "again", HERE, Answer("Jane Austen"))
    desk.store.add_events([Event.new("again", 1, desk.profile.me.id, PutInSet("Spring"))])
    (shown,) = desk.tossups.asking_the_same("again", Answer("Jane Austen"))
    assert HERE.startswith(shown)
    (problem,) = (one for one in desk.problems.of_saved("again") if one.rule == "set")
    assert problem.sentence == "The same words are in this set: Jane Austen."
    desk.tossups.put_in_bin(["again"])
    desk.tossups.empty_bin(["again"])


def test_it_lacks_one_consent_and_is_released_once(desk):
    wanted = Selection(frozenset({Status.DRAFT}), "Spring")
    (shown,) = found = preview(desk, wanted).without_consent

    assert desk.store.load(shown).tossup.text == HERE
    desk.review.record(found, ConsentGiven(Consent.YES))
    allowed = preview(desk, wanted)
    assert (allowed.questions, allowed.without_consent, allowed.left_out) == (1, (), {})
    (other,) = {key for key, _, _ in desk.store.tossups_of_set("Spring")} - {shown}
    desk.review.record((other,), ConsentGiven(Consent.YES))
    assert preview(desk, wanted).questions == 1
    desk.review.record((other,), ConsentGiven(Consent.NO))
    assert preview(desk, wanted).questions == 0, "the writer said no of one branch"
