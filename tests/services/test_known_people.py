"""Whose the questions of a file are, and who somebody without a key is."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.review import (
    Consent,
    ConsentBasis,
    ConsentGiven,
    Imported,
    OutsideWriter,
    Person,
    WrittenBy,
    name_key,
)
from quizwriter.domain.signatures import Authenticity
from quizwriter.errors import QuizwriterError
from quizwriter.services.known_people import (
    LATER,
    NAMED,
    OUTSIDE,
    KnownPerson,
    NamedWriter,
    Proposals,
    writer_questions,
)
from quizwriter.services.transfer import left_out_lines
from quizwriter.services.wiring import App
from quizwriter.workflow.queue import QueueFilter, QueueSort

CARLA, BEN = "Carla Lima", "Ben Ortiz"


def packet(path, *tags):
    """A packet with a question for each of ``tags``, the text between angle brackets."""
    lines = []
    for number, tag in enumerate(tags, start=1):
        lines.append(
            f"{number}. This made-up lake number {number} freezes in a story by {path.stem}, so name it."
        )
        lines.append(f"ANSWER: lake {number}")
        if tag:
            lines.append(f"<{tag}>")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def open_app(tmp_path):
    """Opens the program of somebody."""
    apps = []

    def opened(name):
        app = App(tmp_path / name.split()[0])
        app.profile.set_profile(name, f"{name.split()[0].lower()}@example.org")
        apps.append(app)
        return app

    yield opened
    for app in apps:
        app.store.close()


def people(app):
    return {one.person.name: one for one in app.people.known()}


def writers(app):
    """The writers' names, as the queue shows them, by how many tossups."""
    names = {key: person.name for key, person in app.store.people().items()}
    found = {}
    for row in app.queue.rows(app.queue.find(QueueFilter(), QueueSort())):
        found[names[row.author]] = found.get(names[row.author], 0) + 1
        assert app.store.review_of(row.tossup_id).release.writer == row.author
    return found


# -- at import


def test_what_is_mine_is_mine_to_allow(open_app, tmp_path):
    carla = open_app(CARLA)
    path = packet(tmp_path / "mine.txt", "CL, Science", "CL, History", "")
    done = carla.transfer.import_files([path], writers={name_key("CL"): carla.profile.me.id})

    assert writers(carla) == {CARLA: 3}
    said = carla.review.record(done.added, ConsentGiven(Consent.YES))
    assert (len(said.changed), said.refused) == (3, ())
    assert {carla.store.review_of(key).release.basis for key in done.added} == {ConsentBasis.VERIFIED}
    assert [one for one in people(carla).values() if one.undecided] == []


def test_a_name_that_nobody_decided_is_asked_for_and_the_answer_holds_for_the_file(open_app, tmp_path):
    carla = open_app(CARLA)
    path = packet(tmp_path / "mine.txt", "CL, Science", "CL, History", "Ben, History")
    done = carla.transfer.import_files([path])

    asked = {one.name: one for one in carla.people.asked_of(done.names)}
    assert (asked["CL"].questions, asked["CL"].proposal, asked["CL"].answer) == (2, carla.profile.me.id, "")
    assert (asked["Ben"].questions, asked["Ben"].proposal) == (1, people(carla)["Ben"].person.id)
    assert people(carla)["CL"].undecided
    assert writers(carla) == {"CL": 2, "Ben": 1}

    again = carla.transfer.import_files([path], writers={name_key("CL"): carla.profile.me.id})
    assert (again.added, len(again.handed_over)) == ([], 2)
    assert writers(carla) == {CARLA: 2, "Ben": 1}
    known = people(carla)
    assert known["CL"].into == carla.profile.me.id
    assert known["Ben"].undecided
    later = packet(tmp_path / "mine.txt", "CL, Science", "CL, History", "Ben, History", "C.L., Arts")
    assert len(carla.transfer.import_files([later]).added) == 1
    assert writers(carla) == {CARLA: 2, "Ben": 1, "C.L.": 1}
    assert carla.people.answers("mine.txt") == {"cl": carla.profile.me.id}


def test_every_name_is_asked_for_once_however_it_is_spelt_and_beside_whom(open_app, tmp_path):
    carla = open_app(CARLA)
    path = packet(tmp_path / "two.txt", "CL/Ben, Science", "cl, History", "Ben & Dov, Arts", "<CL>")
    done = carla.transfer.import_files([path])
    asked = {one.name: one.questions for one in carla.people.asked_of(done.names)}
    assert asked == {"CL": 3, "Ben": 2, "Dov": 1}
    assert sorted(one for one in people(carla) if one != CARLA) == ["Ben", "CL", "Dov"]
    carla.transfer.pack(tmp_path / "two.qwpack")
    other = open_app(BEN)
    other.transfer.merge([tmp_path / "two.qwpack"])
    assert {"CL", "Ben", "Dov"} <= people(other).keys()  # a release there looks for these names, too


def test_a_writer_who_does_not_use_the_program_is_nobody_to_wait_for(open_app, tmp_path):
    carla = open_app(CARLA)
    path = packet(tmp_path / "mine.txt", "Ben, Science")
    done = carla.transfer.import_files([path], writers={"ben": OUTSIDE})

    assert (people(carla)["Ben"].outside, people(carla)["Ben"].undecided) == (True, False)
    ((_, trouble),) = carla.review.record(done.added, ConsentGiven(Consent.YES)).refused
    assert "a reason is missing" in str(trouble)
    carla.review.record(done.added, ConsentGiven(Consent.YES, "By e-mail on 3 May."))
    assert carla.store.review_of(done.added[0]).release.basis is ConsentBasis.RECORDED


def test_a_preview_asks_whose_questions_are_and_keeps_nothing(open_app, tmp_path):
    carla = open_app(CARLA)
    path = packet(tmp_path / "mine.txt", "CL, Science", "")
    preview = carla.transfer.preview_import([path])

    assert [(one.name, one.proposal) for one in preview.writers] == [
        ("CL", carla.profile.me.id),
        ("", carla.profile.me.id),
    ]
    assert set(people(carla)) == {CARLA}


def test_an_import_without_a_writer_names_the_importer_or_whom_one_says(open_app, tmp_path):
    carla = open_app(CARLA)
    carla.store.save_person(Person("ben", BEN, "", 1))
    carla.transfer.import_files([packet(tmp_path / "one.txt", "", "")])
    carla.transfer.import_files([packet(tmp_path / "two.txt", "")], writers={"": "ben"})

    assert writers(carla) == {CARLA: 2, BEN: 1}


# -- proposals


def known(name, key=True, **more):
    return KnownPerson(Person(name, name), key, 0, **more)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Ben Ortiz", "Ben Ortiz"),
        ("ben ortiz", "Ben Ortiz"),
        ("Ben", "Ben Ortiz"),
        ("Ortiz", "Ben Ortiz"),
        ("BO", "Ben Ortiz"),
        ("B.O.", "Ben Ortiz"),
        ("bo", ""),  # a word
        ("B", ""),
        ("Jose", "José Luis Prado"),
        ("JP", "José Luis Prado"),
        ("JLP", "José Luis Prado"),
        ("Luis", ""),
        ("Ann", ""),  # two of them
        ("AK", ""),
        ("Ann Kim", "Ann Kim"),
        ("", ""),
        ("Zoe", ""),
        ("1.", ""),
    ],
)
def test_whom_a_name_fits(name, found):
    everybody = [known(one) for one in (BEN, "José Luis Prado", "Ann Kim", "Ann Kohl", "")]
    assert Proposals(everybody).of(name) == found


def test_who_has_a_key_comes_before_a_name_in_a_file():
    assert Proposals([known("Ben", key=False), known(BEN)]).of("Ben") == BEN
    assert Proposals([known("Ben", key=False), known(BEN, key=False)]).of("Ben") == "Ben"
    assert Proposals([known("Ben", key=False, into="x")]).of("Ben") == ""


# -- who somebody is


@pytest.fixture
def two(open_app, tmp_path):
    """Carla imported a packet of Ben's, and both have each other's packs."""
    carla, ben = open_app(CARLA), open_app(BEN)
    path = packet(tmp_path / "ben.txt", "Ben, Science", "Ben, History")
    done = carla.transfer.import_files([path], writers={"ben": LATER})
    ben.transfer.import_files([packet(tmp_path / "other.txt", "")])
    exchange(carla, ben, tmp_path)
    return carla, ben, tuple(done.added)


def exchange(one, other, tmp_path):
    for giver, taker in ((one, other), (other, one)):
        giver.transfer.pack(tmp_path / "all.qwpack")
        taker.transfer.merge([tmp_path / "all.qwpack"])


def test_an_editor_says_who_a_name_is_and_the_writer_can_say_yes(two, tmp_path):
    carla, ben, keys = two
    me = ben.profile.me.id
    assert carla.people.merge(people(carla)["Ben"].person.id, me) == 2
    exchange(carla, ben, tmp_path)

    assert people(ben)["Ben"].into == me
    assert writers(ben) == writers(carla) == {BEN: 3}
    said = ben.review.record(keys, ConsentGiven(Consent.YES))
    assert said.refused == ()
    exchange(carla, ben, tmp_path)
    state = carla.store.review_of(keys[0]).release
    assert (state.writer, state.basis) == (me, ConsentBasis.VERIFIED)


def test_the_person_takes_it_back_for_good(two, tmp_path):
    carla, ben, _ = two
    named = people(carla)["Ben"].person.id
    carla.people.merge(named, ben.profile.me.id)
    exchange(carla, ben, tmp_path)
    assert ben.people.separate(named) == 2
    exchange(carla, ben, tmp_path)

    assert writers(carla) == writers(ben) == {"Ben": 2, BEN: 1}
    with pytest.raises(QuizwriterError, match="undid this merge"):
        carla.people.merge(named, ben.profile.me.id)
    ben.people.merge(named, ben.profile.me.id)
    exchange(carla, ben, tmp_path)
    assert writers(carla) == {BEN: 3}


def test_what_does_not_count_is_refused(two):
    carla, ben, _ = two
    named = people(carla)["Ben"].person.id
    with pytest.raises(QuizwriterError, match="has a key"):
        carla.people.merge(ben.profile.me.id, carla.profile.me.id)
    carla.store.save_person(Person("zoe", "Zoe Zeh", "", 1))
    with pytest.raises(QuizwriterError, match="No key of Zoe Zeh"):
        carla.people.merge(named, "zoe")
    with pytest.raises(QuizwriterError, match="nothing here that you can undo"):
        carla.people.separate(named)
    carla.people.merge(named, ben.profile.me.id)
    assert carla.people.separate(named) == 2


def test_a_key_that_arrives_ends_who_somebody_was_said_to_be(two, open_app, tmp_path):
    """The name turns out to be a person with a key of her own, by a pack made by hand."""
    carla, ben, keys = two
    zoe = open_app("Zoe Zeh")
    named = people(carla)["Ben"].person.id
    carla.people.merge(named, ben.profile.me.id)
    assert writers(carla) == {BEN: 3}
    zoe.profile.save_settings(replace(zoe.profile.settings, profile_id=named))
    zoe.profile.identity.load()
    zoe.transfer.import_files([packet(tmp_path / "third.txt", "")])
    zoe.transfer.pack(tmp_path / "zoe.qwpack")
    carla.transfer.merge([tmp_path / "zoe.qwpack"])

    assert carla.store.review_of(keys[0]).writer == named
    assert {row.author for row in carla.queue.rows(keys)} == {named}


def test_only_who_may_hands_a_tossup_over(two):
    carla, ben, keys = two
    done = ben.review.record(keys, WrittenBy(ben.profile.me.id))
    assert done.changed == ()
    (reason,) = done.reasons
    assert reason.sentence == (
        "2 tossups: Only the writer of a tossup can hand it over. Ask Ben or Carla Lima to do that, and to "
        "send you the tossup."
    )
    assert carla.review.record(keys, WrittenBy(ben.profile.me.id)).refused == ()
    assert writers(carla) == {BEN: 3}


def test_who_is_that_is_not_answered_with_the_name_that_is_asked_about():
    itself, carla = f"{NAMED}0", f"{NAMED}1"
    names = {itself: "CL", carla: CARLA, "key": "CL"}
    asked = [NamedWriter("CL", 2, "", one) for one in (itself, carla, "key")]
    told = ["This may be" in line for line in writer_questions(asked, names)]
    assert told == [False, True, True]


@pytest.mark.parametrize("answer", [None, OUTSIDE, LATER])
def test_however_many_writers_a_packet_names_the_people_are_read_as_often(
    open_app, tmp_path, monkeypatch, answer
):
    carla = open_app(CARLA)
    asked = ("people", "people_with_keys", "tossups_with", "events_of_kind", "save_person", "items", "facets")
    calls = Counter()

    def counted(name, method):
        def call(*arguments):
            calls[name] += 1
            return method(*arguments)

        return call

    for name in asked:
        monkeypatch.setattr(carla.store, name, counted(name, getattr(carla.store, name)))
    often = []
    for letters in ("ab", "cdefghijkl"):
        names = [f"{one.upper()}nna Lee" for one in letters]
        path = packet(tmp_path / f"{letters}.txt", *(f"{name}, Science" for name in names))
        writers = None if answer is None else {name_key(name): answer for name in names}
        report = carla.transfer.import_files([path], writers=writers)
        assert len(carla.people.asked_of(report.names)) == len(letters)
        often.append(dict(calls))
        calls.clear()
    assert often[0] == often[1]
    assert often[0]["save_person"] == 1


# -- writers who do not use the program


def test_who_does_not_use_the_program_is_known_to_every_editor_until_it_is_undone(two, tmp_path):
    carla, ben, keys = two
    named = people(carla)["Ben"].person.id
    carla.transfer.import_files([tmp_path / "ben.txt"], writers={"ben": OUTSIDE})
    assert carla.people.mark_outside([named]) == 0  # it is recorded of both tossups already
    exchange(carla, ben, tmp_path)

    assert people(ben)["Ben"].told({}) == "does not use QuizWriter"
    (said, _) = (one for one in carla.store.all_events() if isinstance(one.body, OutsideWriter))
    assert (said.author, said.authenticity) == (carla.profile.me.id, Authenticity.VERIFIED)
    with pytest.raises(QuizwriterError, match="nothing here that you can undo"):
        ben.people.separate(named)  # Carla decided
    assert carla.people.separate(carla.people.find_merged("Ben").id) == len(keys) == 2
    exchange(carla, ben, tmp_path)
    assert people(ben)["Ben"].undecided
    assert people(carla)["Ben"].undecided


def test_another_answer_at_the_next_import_takes_it_back(open_app, tmp_path):
    carla = open_app(CARLA)
    path = packet(tmp_path / "ben.txt", "Ben, Science")
    for answer, outside in ((OUTSIDE, True), (LATER, False), (LATER, False), (OUTSIDE, True)):
        carla.transfer.import_files([path], writers={"ben": answer})
        assert people(carla)["Ben"].outside is outside


def test_nobody_says_it_in_another_s_name_and_older_computers_kept_it_to_themselves(two):
    carla, ben, keys = two
    named = people(carla)["Ben"].person.id
    ben.store.add_events([Event.new(keys[0], 9, carla.profile.me.id, OutsideWriter(named))])
    assert not people(ben)["Ben"].outside  # no key of Carla's confirms it

    ben.store.put_item("writer without QuizWriter", named, "1")
    assert people(ben)["Ben"].outside
    assert ben.people.separate(named) == 0
    assert people(ben)["Ben"].undecided
    assert ben.people.merge(named, OUTSIDE) == 2
    with pytest.raises(QuizwriterError, match="has a key"):
        ben.people.merge(carla.profile.me.id, OUTSIDE)


# -- editors in tags


def test_who_edited_a_question_is_no_second_writer_and_the_name_is_still_searched_for(open_app, tmp_path):
    carla = open_app(CARLA)
    path = packet(
        tmp_path / "mine.txt", "Ben, Science; edited by Ann Lee", "Edited by Ann Lee", "Editor: Ann Lee, Arts"
    )
    done = carla.transfer.import_files([path])

    assert done.names == {"mine.txt": {"Ben": 1, "": 2}}
    assert writers(carla) == {"Ben": 1, CARLA: 2}
    (imported,) = {
        one.body.authors for one in carla.store.events(done.added[0]) if isinstance(one.body, Imported)
    }
    assert imported == (people(carla)["Ben"].person.id,)
    assert "Ann Lee" in people(carla)
    assert carla.review.record(done.added[1:], ConsentGiven(Consent.YES)).refused == ()
    assert left_out_lines(done.reports) == [
        f"{path}: 3 editors in tags left out, because editors do not count as writers."
    ]
    (report,) = done.reports
    assert report.as_json()["left_out"]["editors"] == 3


def test_an_editor_who_is_a_writer_elsewhere_is_one_person_in_either_spelling(open_app, tmp_path):
    carla = open_app(CARLA)
    path = packet(tmp_path / "both.txt", "Ben, Science; edited by Ann Lee", "ann lee, Science")
    carla.transfer.import_files([path])

    (ann,) = (one for one in carla.people.known() if name_key(one.person.name) == "ann lee")
    assert ann.tossups == 1


def test_an_editor_whom_no_tossup_names_can_be_one_who_does_not_use_the_program(open_app, tmp_path):
    carla = open_app(CARLA)
    carla.transfer.import_files([packet(tmp_path / "one.txt", "Ben, Science; edited by Ann Lee")])
    ann = people(carla)["Ann Lee"].person.id

    assert carla.people.merge(ann, OUTSIDE) == 0
    assert people(carla)["Ann Lee"].told({}) == "does not use QuizWriter"
    assert carla.people.separate(ann) == 0
    assert people(carla)["Ann Lee"].undecided


def test_somebody_is_found_behind_a_text_with_escapes(open_app, tmp_path):
    carla = open_app(CARLA)
    (key,) = carla.transfer.import_files([packet(tmp_path / "mine.txt", "Science")]).added
    carla.store.add_events(
        [Event.new(key, 1, carla.profile.me.id, Imported("a.txt", "", authors=('o\\"n\ne', "somebody")))]
    )
    assert [*carla.store.tossups_with(["somebody", "nobody"])["somebody"]] == [key]
