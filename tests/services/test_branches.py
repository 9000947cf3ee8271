"""Branches listed, merged, kept and brought back, on real databases."""

import time

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Edit, replay
from quizwriter.domain.review import (
    Arm,
    ArmDrawn,
    Commented,
    Consent,
    ConsentGiven,
    NeverSent,
    Replied,
    Resolved,
    Suggested,
)
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.system.decoding import LONGEST_TEXT
from quizwriter.workflow.session import WritingSession

BASE = "This author wrote of a red fox. For ten points, name her."


@pytest.fixture
def apps(tmp_path):
    """Three machines that have the same tossup."""
    made = [App(tmp_path / name) for name in ("ada", "ben", "cleo")]
    for app, name in zip(made, ("Ada", "Ben", "Cleo"), strict=True):
        app.profile.set_profile(name, "")
    write(made[0], "root", BASE, Answer("Jane Austen"))
    made[0].transfer.pack(tmp_path / "all.qwpack")
    for app in made[1:]:
        app.transfer.merge([tmp_path / "all.qwpack"])
    yield made
    for app in made:
        app.store.close()


def write(app, key, text, answer=None):
    """Have the tossup say ``text``; who writes first keeps the id."""
    known = any(one.tossup_id == key for one in app.store.tossups())
    session = app.tossups.session(key) if known else WritingSession(key, author=app.profile.me.id)
    session.type(text)
    if answer is not None:
        session.set_answer(answer)
    app.store.save(session.take_unsaved())
    time.sleep(0.003)


def gather(apps, tmp_path):
    for number, app in enumerate(apps[1:]):
        app.transfer.pack(tmp_path / f"{number}.qwpack")
        apps[0].transfer.merge([tmp_path / f"{number}.qwpack"])


def three_branches(apps, tmp_path):
    write(apps[0], "root", BASE.replace("This author", "This English author"))
    write(apps[1], "root", BASE.replace("red", "grey"))
    write(apps[2], "root", BASE.replace("name her", "name this woman"))
    gather(apps, tmp_path)
    (family,) = apps[0].branches.families()
    return family


def test_three_branches_are_merged_into_one_that_replays_and_is_signed(apps, tmp_path):
    family = three_branches(apps, tmp_path)
    app = apps[0]
    assert [line.authors for line in family.lines].count(("Ben",)) == 1
    joined = app.branches.merge(family)

    text = "This English author wrote of a grey fox. For ten points, name this woman."
    assert app.store.load(joined.tossup_id).tossup.text == text
    assert replay(change.edit for change in app.store.history(joined.tossup_id)) == text
    assert app.store.edit_authenticity(joined.tossup_id)[-1].word == "verified"
    assert app.store.history(joined.tossup_id)[-1].author == app.profile.me.id
    assert [one.tossup_id for one in app.store.tossups()] == [joined.tossup_id]
    assert len(joined.superseded) == 2
    assert app.branches.families() == ()
    assert app.store.check() == ()


def test_a_merge_is_taken_back_in_one_step(apps, tmp_path):
    family = three_branches(apps, tmp_path)
    app = apps[0]
    app.review.record([family.lines[2].tossup_id], Commented("Who is that?"))
    before = {line.tossup_id: line.tossup.text for line in family.lines}
    joined = app.branches.merge(family)
    app.branches.take_back(joined)
    (again,) = app.branches.families()

    assert {line.tossup_id: line.tossup.text for line in again.lines} == before
    assert app.review.review_of(joined.tossup_id).comments == ()
    assert app.store.check() == ()


def test_hidden_branches_are_listed_on_request_and_come_back(apps, tmp_path):
    family = three_branches(apps, tmp_path)
    app = apps[0]
    joined = app.branches.keep(family, family.lines[1].tossup_id)
    assert joined.tossup_id == family.lines[1].tossup_id
    (hidden,) = app.branches.families(hidden=True)
    assert [line.hidden for line in hidden.lines] == [True, False, True]
    app.branches.restore(hidden.lines[2])

    (family,) = app.branches.families()
    assert len(family.lines) == 2


def test_nothing_is_written_where_a_branch_moved_since_it_was_listed(apps, tmp_path):
    family = three_branches(apps, tmp_path)
    app = apps[0]
    write(app, family.lines[1].tossup_id, "All is new.")
    for do in (lambda: app.branches.merge(family), lambda: app.branches.keep(family, "root")):
        with pytest.raises(QuizwriterError, match="edited after it was shown"):
            do()

    assert len(app.store.tossups()) == 3
    assert app.store.load("root").tossup.text == family.lines[0].tossup.text


def test_a_branch_that_arrives_meanwhile_is_not_hidden(apps, tmp_path):
    write(apps[0], "root", BASE + " Ours.")
    write(apps[1], "root", BASE.replace("red", "grey"))
    gather(apps[:2], tmp_path)
    (family,) = apps[0].branches.families()
    write(apps[2], "root", BASE.replace("fox", "wolf"))
    apps[2].transfer.pack(tmp_path / "late.qwpack")
    apps[0].transfer.merge([tmp_path / "late.qwpack"])
    apps[0].branches.merge(family)

    (now,) = apps[0].branches.families()
    assert len(now.lines) == 2
    assert any("wolf" in line.tossup.text for line in now.lines)


def test_comments_follow_and_say_so_where_their_words_are_gone(apps, tmp_path):
    write(apps[0], "root", BASE.replace("This", "An English"))
    text = BASE.replace("fox.", "fox and a hen.")
    write(apps[1], "root", text)
    seq = apps[1].store.load("root").seq
    at, gone = text.index("hen"), text.index("This")
    for body in (
        Commented("Which hen?", seq, at, at + 3, "hen"),
        Commented("This or that?", seq, gone, gone + 4, "This"),
        Suggested(seq, Edit(at, "hen", "cow"), "more cows"),
    ):
        apps[1].review.record(["root"], body)
    first = apps[1].review.review_of("root").comments[0].event.id
    apps[1].review.record(["root"], Replied(first, "Any."))
    apps[1].review.record(["root"], Resolved(first))
    gather(apps[:2], tmp_path)
    (family,) = apps[0].branches.families()
    joined = apps[0].branches.merge(family)

    review = apps[0].review.review_of(joined.tossup_id)
    now = apps[0].store.load(joined.tossup_id)
    bodies = {one.event.body.text.splitlines()[0].split(": ", 1)[1]: one for one in review.comments}
    about, lost = bodies["Which hen?"].event.body, bodies["This or that?"].event.body
    assert now.tossup.text[about.start : about.end] == "hen"
    assert about.text.startswith("Ben, ")
    assert about.text.endswith("Any.")
    assert bodies["Which hen?"].resolved
    assert (lost.start, lost.end, lost.quoted) == (0, 0, "")
    assert "no longer in the text: “This”" in lost.text
    assert review.suggestions[0].event.body.edit == Edit(now.tossup.text.index("hen"), "hen", "cow")
    assert (joined.comments, joined.detached) == (3, 1)
    assert {event.author for event in joined.events} == {apps[0].profile.me.id}


def test_comments_that_a_name_makes_too_long_follow_in_parts(apps, tmp_path):
    write(apps[0], "root", BASE.replace("This", "An English"))
    write(apps[1], "root", BASE.replace("red", "grey"))
    seq, long = apps[1].store.load("root").seq, "§" * LONGEST_TEXT
    (made,) = apps[1].review.record(["root"], Commented(long)).events
    for body in (Replied(made.id, long), Suggested(seq, Edit(0, "", "So. "), long)):
        apps[1].review.record(["root"], body)
    gather(apps[:2], tmp_path)
    (family,) = apps[0].branches.families()
    review = apps[0].review.review_of(apps[0].branches.merge(family).tossup_id)

    (suggested,) = review.suggestions
    said = [suggested.event.body.note, *(one.event.body.text for one in review.comments)]
    assert "".join(said).count("§") == 3 * LONGEST_TEXT
    assert sum(one.startswith("Ben, ") for one in said) == 2  # the reply is said with its comment


def test_different_answers_are_a_choice_and_one_new_answer_is_taken(apps, tmp_path):
    write(apps[0], "root", BASE + " Ours.", Answer("Emily Brontë"))
    write(apps[1], "root", BASE.replace("red", "grey"))
    gather(apps[:2], tmp_path)
    (family,) = apps[0].branches.families()
    assert family.answers == (Answer("Emily Brontë"),)
    write(apps[1], "root", BASE.replace("red", "blue"), Answer("Charlotte Brontë"))
    gather(apps[:2], tmp_path)
    (family,) = apps[0].branches.families()
    assert set(family.answers) == {Answer("Emily Brontë"), Answer("Charlotte Brontë")}
    joined = apps[0].branches.merge(family, (), family.answers.index(Answer("Charlotte Brontë")))

    assert apps[0].store.load(joined.tossup_id).tossup.answer == Answer("Charlotte Brontë")
    apps[0].branches.take_back(joined)
    assert len(apps[0].branches.families()[0].answers) == 2


def test_a_refusal_to_release_holds_for_the_branch_that_goes_on(apps, tmp_path):
    write(apps[0], "root", BASE + " Ours.")
    write(apps[1], "root", BASE.replace("red", "grey"))
    apps[1].review.record(["root"], ConsentGiven(Consent.NO, "Ada said so."))
    gather(apps[:2], tmp_path)
    (family,) = apps[0].branches.families()
    assert apps[0].review.review_of(family.lines[0].tossup_id).consent is Consent.NOT_ASKED
    joined = apps[0].branches.keep(family, family.lines[0].tossup_id)
    assert apps[0].review.review_of(joined.tossup_id).consent is Consent.NO
    apps[0].branches.take_back(joined)

    assert apps[0].review.review_of(joined.tossup_id).consent is Consent.NOT_ASKED


@pytest.mark.parametrize("merged", [True, False])
def test_what_holds_for_good_holds_for_the_branch_that_goes_on(apps, tmp_path, merged):
    ada, ben = apps[:2]
    write(ada, "root", BASE.replace("This author", "This English author"))
    write(ben, "root", BASE.replace("a red fox", "a red fox that no other set has in a clue of its"))
    ben.store.add_events(
        [
            Event.new("root", 1, "ben", body)
            for body in (NeverSent("Spring"), ArmDrawn("Spring", Arm.HIDDEN, 7), ArmDrawn("B", Arm.SHOWN, 7))
        ]
    )
    gather(apps[:2], tmp_path)
    (family,) = ada.branches.families()
    barred = next(line for line in family.lines if ada.models.why_barred(line.tossup_id))
    line = next(line for line in family.lines if line is not barred)
    assert ada.models.barred_texts().set_of(barred.tossup) == "Spring"
    assert ada.models.barred_texts().set_of(line.tossup) is None

    joined = ada.branches.merge(family) if merged else ada.branches.keep(family, line.tossup_id)
    assert "Spring" in ada.models.why_barred(joined.tossup_id)
    assert ada.review.review_of(joined.tossup_id).hides_machines
    assert ada.models.barred_texts().set_of(ada.review.tossup(joined.tossup_id)) == "Spring"
    again = ada.branches.keep(ada.branches.family_of(joined.tossup_id), joined.tossup_id)
    assert not any(isinstance(one.body, NeverSent | ArmDrawn) for one in again.events)


def test_what_the_writer_signed_for_one_branch_does_not_silence_a_refusal_of_another(apps, tmp_path):
    write(apps[0], "root", BASE + " Ours.")
    write(apps[1], "root", BASE.replace("red", "grey"))
    apps[1].review.record(["root"], ConsentGiven(Consent.NO, "Ada said so."))
    apps[0].review.record(["root"], ConsentGiven(Consent.YES))
    gather(apps[:2], tmp_path)
    (family,) = apps[0].branches.families()
    signed = next(line for line in family.lines if line.tossup.text.endswith("Ours."))
    with pytest.raises(QuizwriterError, match="allowed the release of one branch"):
        apps[0].branches.keep(family, signed.tossup_id)

    assert len(apps[0].store.tossups()) == 2
