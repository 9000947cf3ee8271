"""Who said it: what is signed here, what signatures of others prove, and that no forgery counts or blocks."""

from contextlib import ExitStack
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Binned, Commented, Consent, ConsentBasis, ConsentGiven, Person, TakenBack
from quizwriter.domain.signatures import Authenticity, SignedRun
from quizwriter.formats.archive import Pack, write
from quizwriter.store.store import Store
from quizwriter.system.signing import Signature, SigningKey
from quizwriter.workflow.session import PendingSave, WritingSession, now_ms
from tests.helpers.database import select
from tests.helpers.processor_time import seconds

VERIFIED, UNSIGNED, UNCONFIRMED, OTHER = (
    Authenticity.VERIFIED,
    Authenticity.UNSIGNED,
    Authenticity.UNCONFIRMED,
    Authenticity.OTHER_KEY,
)


class Desk:
    """A database whose writer has a key, or an older program without one."""

    def __init__(self, path, name, *, signs=True):
        self.name = name
        self.signer = SigningKey.generate(name) if signs else None
        self.store = Store(path, lambda: self.signer, owner=lambda: name)
        if self.signer is not None:
            self.store.use_key(self.signer, Person(name, name.capitalize(), "", 5))

    def type(self, text, key="one", author=""):
        known = select(self.store, "select seq, head, text from tossup where id = ?", key)
        seq, head, before = known[0] if known else (0, "", "")
        session = WritingSession(
            key, self.store.load(key).tossup if known else None, seq=seq, head=head,
            clock=lambda: 10 + seq, author=author or self.name,
        )  # fmt: skip
        session.type(before + text)
        self.store.save(session.take_unsaved())

    def say(self, body, key="one", author=""):
        return self.store.add_events([Event.new(key, 100, author or self.name, body)])[0]

    def sent(self, tmp_path):
        """What a pack of everything brings: the branches and the people."""
        path = tmp_path / f"{self.name}.qwpack"
        keys = [one.tossup_id for one in self.store.tossups()]
        write(path, self.store.branches(keys), self.store.people().values())
        pack = Pack(path)
        return list(pack.branches()), list(pack.people())

    def consent(self):
        state = self.store.review_of("one").release
        return state.consent, state.basis


@pytest.fixture
def desks(tmp_path):
    with ExitStack() as stack:

        def make(name, **options):
            desk = Desk(tmp_path / f"{name}-{len(list(tmp_path.glob('*.db')))}.db", name, **options)
            stack.callback(desk.store.close)
            return desk

        yield make


def authenticity(store, key="one"):
    return [event.authenticity for event in store.events(key)]


# -- what is signed


def test_edits_events_and_names_are_signed_and_verified_elsewhere(desks, tmp_path):
    ada, ed = desks("ada"), desks("ed")
    for word in ("This ", "lake ", "freezes."):
        ada.type(word)
    ada.say(ConsentGiven(Consent.YES))

    branches, people = ada.sent(tmp_path)
    report = ed.store.merge(branches, people).signatures

    assert ed.store.edit_authenticity("one") == (VERIFIED,) * 3
    assert authenticity(ed.store) == [VERIFIED]
    assert ed.consent() == (Consent.YES, ConsentBasis.VERIFIED)
    assert dict(report.edits) == {VERIFIED: 3}
    assert dict(report.events) == {VERIFIED: 1}
    assert not report.forged
    person = ed.store.people()["ada"]
    assert person.key == ada.signer.public == person.signature.key
    assert len(branches[0].runs) == 1, "one signature covers the edits of one person that follow each other"


def test_what_an_older_program_wrote_is_unsigned_and_goes_on_working(desks, tmp_path):
    old, ed = desks("ada", signs=False), desks("ed")
    old.type("A lake.")
    old.say(ConsentGiven(Consent.YES))

    ed.store.merge(*old.sent(tmp_path))

    assert ed.store.edit_authenticity("one") == (UNSIGNED,)
    assert ed.consent() == (Consent.YES, ConsentBasis.UNSIGNED)


def test_an_unsigned_edit_under_my_name_is_never_signed_by_writing_on(desks, tmp_path):
    """A pack of somebody else may bring edits in my name; writing on does not make them mine."""
    ada, mallory = desks("ada"), desks("mallory", signs=False)
    mallory.type("Forged. ", author="ada")
    ada.store.merge(*mallory.sent(tmp_path))

    ada.type("Mine.")
    ada.type(" Mine again.")

    assert ada.store.edit_authenticity("one") == (UNCONFIRMED, VERIFIED, VERIFIED)


def test_a_copy_of_a_history_is_not_signed(desks):
    ada = desks("ada")
    ada.type("A lake.")
    changes = ada.store.history("one")
    session = WritingSession("two", author="ada")
    session.type("A lake.")

    ada.store.save(replace(session.take_unsaved(), changes=changes, copied=True))

    assert ada.store.edit_authenticity("two") == (UNCONFIRMED,)


def test_a_run_on_two_computers_of_one_writer_covers_both_branches(desks, tmp_path):
    first = desks("ada")
    first.type("A ")
    second, reader = desks("ada"), desks("ed")
    second.signer = first.signer
    second.store.use_key(first.signer, Person("ada"), imported=True)
    second.store.merge(*first.sent(tmp_path))
    first.type("lake.")
    second.type("river.")

    for desk in (first, second):
        reader.store.merge(*desk.sent(tmp_path))

    keys = [key for (key,) in select(reader.store, "select id from tossup")]
    assert len(keys) == 2
    assert all(set(reader.store.edit_authenticity(key)) == {VERIFIED} for key in keys)


# -- attacks


def test_a_second_key_is_shown_and_does_not_count(desks, tmp_path):
    ada, mallory, ed = desks("ada"), desks("ada"), desks("ed")
    ada.type("A lake.")
    ada.say(ConsentGiven(Consent.NO))
    ed.store.merge(*ada.sent(tmp_path))
    mallory.store.merge(*ada.sent(tmp_path))
    mallory.store.use_key(mallory.signer, Person("ada", "Mallory", "", 9), imported=True)
    mallory.say(ConsentGiven(Consent.YES))
    mallory.type(" Or not.")

    report = ed.store.merge(*mallory.sent(tmp_path)).signatures

    assert authenticity(ed.store) == [VERIFIED, OTHER]
    assert ed.store.edit_authenticity("one") == (VERIFIED, OTHER)
    assert ed.consent() == (Consent.NO, ConsentBasis.VERIFIED)
    assert report.other_keys == ["ada"]
    assert ed.store.people()["ada"].name == "Ada"


def test_one_key_is_of_one_person(desks, tmp_path):
    """Who signs with a key of their own in another name is seen through, and the other's key counts later."""
    ada, mallory, ed = desks("ada"), desks("mallory"), desks("ed")
    mallory.type("A hill.", key="two")
    ed.store.merge(*mallory.sent(tmp_path))
    ada.type("A lake.")
    mallory.store.merge(ada.store.branches(["one"]), [])
    mallory.signer.person = "ada"
    mallory.say(ConsentGiven(Consent.YES), author="ada")

    report = ed.store.merge(*mallory.sent(tmp_path)).signatures

    assert authenticity(ed.store) == [OTHER]
    assert report.other_keys == ["ada"]
    ada.say(ConsentGiven(Consent.NO))
    ed.store.merge(*ada.sent(tmp_path))
    assert {*authenticity(ed.store)} == {OTHER, VERIFIED}
    assert ed.consent() == (Consent.NO, ConsentBasis.VERIFIED)


def test_who_brings_a_key_that_counted_as_another_s_is_believed(desks, tmp_path):
    """The key of an older profile of the same person, who proves by a passphrase that it is theirs."""
    old, ed = desks("old"), desks("ed")
    old.type("A hill.")
    ed.store.merge(*old.sent(tmp_path))
    old.signer.person = "new"
    old.say(ConsentGiven(Consent.YES), author="new")
    ed.store.merge(*old.sent(tmp_path))
    assert authenticity(ed.store) == [OTHER]

    assert ed.store.use_key(old.signer, Person("new"), imported=True) is VERIFIED
    assert authenticity(ed.store) == [VERIFIED]


@pytest.mark.parametrize("change", ["body", "author", "at_ms", "signature", "key"])
def test_a_forged_event_is_left_out_and_the_genuine_one_comes_after_it(desks, tmp_path, change):
    ada, ed = desks("ada"), desks("ed")
    ada.type("A lake.")
    said = ada.say(Commented("Yes."))
    ((branch,), people) = ada.sent(tmp_path)
    (genuine,) = branch.events
    other = SigningKey.generate("mallory").sign(genuine.statement)
    forged = {
        "body": replace(genuine, body=Commented("No.")),
        "author": replace(genuine, author="ben"),
        "at_ms": replace(genuine, at_ms=7),
        "signature": replace(genuine, signature=Signature(genuine.signature.key, "00" * 64)),
        "key": replace(genuine, signature=Signature(other.key, genuine.signature.value)),
    }[change]

    report = ed.store.merge([replace(branch, events=(forged,))]).signatures

    assert ed.store.events("one") == ()
    assert [one.kind for one in report.forged] == ["comment"]
    ed.store.merge([branch], people)
    assert ed.store.events("one") == (replace(said, tossup_id="one"),)
    assert authenticity(ed.store) == [VERIFIED]


def test_an_event_whose_signature_was_removed_is_unsigned_until_the_genuine_one_comes(desks, tmp_path):
    ada, ed = desks("ada"), desks("ed")
    ada.type("A lake.")
    ada.say(ConsentGiven(Consent.NO))
    ((branch,), people) = ada.sent(tmp_path)
    bare = replace(branch, events=(replace(branch.events[0], signature=None),), runs=())

    ed.store.merge([bare])
    assert authenticity(ed.store) == [UNSIGNED]
    assert ed.consent() == (Consent.NO, ConsentBasis.UNSIGNED)
    ed.store.merge([branch], people)
    assert authenticity(ed.store) == [VERIFIED]
    assert ed.consent() == (Consent.NO, ConsentBasis.VERIFIED)
    assert ed.store.edit_authenticity("one") == (VERIFIED,)


def test_a_forged_signature_of_edits_proves_nothing_and_keeps_nothing_out(desks, tmp_path):
    ada, ed = desks("ada"), desks("ed")
    ada.type("A ")
    ada.type("lake.")
    ((branch,), people) = ada.sent(tmp_path)
    (run,) = branch.runs
    forged = replace(run, signature=Signature(run.signature.key, "ab" * 64))
    stretched = replace(run, first=run.last, signature=run.signature)

    report = ed.store.merge([replace(branch, runs=(forged, stretched))]).signatures

    assert [one.kind for one in report.forged] == ["edits", "edits"]
    assert ed.store.edit_authenticity("one") == (UNSIGNED, UNSIGNED)
    ed.store.merge([branch], people)
    assert ed.store.edit_authenticity("one") == (VERIFIED, VERIFIED)


@pytest.fixture
def two_branches(desks, tmp_path):
    """Packs of a tossup that Ada began and goes on with, and Ben otherwise: hers, his, and hers again."""
    ada, ben = desks("ada"), desks("ben")
    ada.type("A ")
    packs = [ada.sent(tmp_path)]
    ben.store.merge(*packs[0])
    ben.type("river.")
    ada.type("lake.")
    return [*packs, ben.sent(tmp_path), ada.sent(tmp_path)]


def proofs_of_all(store):
    keys = [key for (key,) in select(store, "select id from tossup")]
    assert len(keys) == 2
    return {one for key in keys for one in store.edit_authenticity(key)}


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_branches_that_an_editor_sends_on_stay_verified_in_every_order(desks, two_branches, tmp_path, order):
    ed, reader = desks("ed"), desks("reader")
    for at in order:
        ed.store.merge(*two_branches[at])
    reader.store.merge(*ed.sent(tmp_path))

    assert proofs_of_all(ed.store) == proofs_of_all(reader.store) == {VERIFIED}


def longer_by_another_key(branch):
    key = SigningKey.generate("ada")
    bare = [
        replace(run, first=branch.ids[0], last=branch.ids[-1], signature=Signature(key.public, ""))
        for run in branch.runs
    ]
    return tuple(replace(run, signature=key.sign(run.statement(branch.root))) for run in bare)


@pytest.mark.parametrize(
    "forge",
    [
        longer_by_another_key,
        lambda branch: (),
        lambda branch: tuple(replace(run, first=branch.ids[-1], last=branch.ids[-1]) for run in branch.runs),
        lambda branch: tuple(replace(run, person="ben") for run in branch.runs),
        lambda branch: tuple(replace(run, signature=Signature("ab" * 32, "cd" * 64)) for run in branch.runs),
    ],
    ids=["longer, by another key", "none", "of another edit", "of another person", "of nobody"],
)
@pytest.mark.parametrize("first", [True, False])
def test_no_forged_signature_hides_a_genuine_one(desks, two_branches, forge, first):
    ed = desks("ed")
    forged = [([replace(one, runs=forge(one)) for one in branches], []) for branches, _ in two_branches]
    ed.store.merge(*two_branches[0])  # the key that comes first is the writer's
    for pack in [*forged, *two_branches] if first else [*two_branches, *forged]:
        ed.store.merge(*pack)

    assert proofs_of_all(ed.store) == {VERIFIED}


def test_very_many_runs_within_each_other_take_no_time(desks, tmp_path):
    ada, ben = desks("ada"), desks("ben")
    changes = tuple(Change(seq, seq, Edit(seq - 1, "", "x"), "ada") for seq in range(1, 1_001))
    ada.store.save(PendingSave("one", "x" * 1_000, None, 0, 3_000, changes, author="ada"))
    (branch,) = ada.store.branches(["one"])
    ids = branch.ids
    bare = [SignedRun(ids[0], last, "ada", Signature(ada.signer.public, "")) for last in ids]
    runs = tuple(replace(run, signature=ada.signer.sign(run.statement("one"))) for run in bare)
    branch = replace(branch, runs=runs)
    assert len(runs) == 1_000

    ben.store.merge([branch], ada.store.people().values())
    assert set(ben.store.edit_authenticity("one")) == {VERIFIED}
    assert seconds(lambda: ben.store.edit_authenticity("one"), 0.1) <= 0.1


def test_a_signature_of_one_tossup_proves_nothing_of_another(desks, tmp_path):
    ada, ed = desks("ada"), desks("ed")
    ada.type("A lake.", key="one")
    ada.type("A lake.", key="two")
    one, two = ada.sent(tmp_path)[0]
    moved = [replace(one.runs[0], first=two.ids[0], last=two.ids[0])]

    ed.store.merge([replace(two, runs=tuple(moved))])

    assert set(ed.store.edit_authenticity(two.root)) == {UNSIGNED}


def test_a_name_that_was_signed_is_replaced_only_by_a_signed_one(desks):
    """The attack: a name of the year 9999 stayed for good."""
    ada, ed = desks("ada"), desks("ed")
    mine = ada.store.people()["ada"]
    renamed = Person("ada", "Mallory", "", 253_402_214_399_999)

    ed.store.merge([], [mine])
    ed.store.merge([], [renamed])
    assert ed.store.people()["ada"].name == "Ada"

    forged = replace(mine, name="Mallory", changed_ms=9)
    assert [one.kind for one in ed.store.merge([], [forged]).signatures.forged] == ["person"]
    other = replace(renamed, signature=SigningKey.generate("ada").sign(renamed.statement))
    assert ed.store.merge([], [other]).signatures.other_keys == ["ada"]
    assert ed.store.people()["ada"].name == "Ada"

    ada.store.save_person(Person("ada", "Ada N.", "", 6))
    ed.store.merge([], [ada.store.people()["ada"]])
    assert ed.store.people()["ada"].name == "Ada N."


def test_a_name_from_the_future_does_not_stay_for_good(desks):
    for order in (0, 1), (1, 0):
        ed = desks("ed")
        names = [Person("ben", "Mallory", "", 253_402_214_399_999), Person("ben", "Ben", "", now_ms())]
        for at in order:
            ed.store.merge([], [names[at]])
        assert ed.store.people()["ben"].name == "Ben"


def test_nobody_takes_the_writers_refusal_back(desks, tmp_path):
    ada, mallory, ed = desks("ada"), desks("mallory"), desks("ed")
    ada.type("A lake.")
    no = ada.say(ConsentGiven(Consent.DO_NOT_RELEASE))
    for desk in (mallory, ed):
        desk.store.merge(*ada.sent(tmp_path))
    mallory.say(TakenBack((no.id,)))
    mallory.say(ConsentGiven(Consent.YES, "She said so."))

    ed.store.merge(*mallory.sent(tmp_path))

    assert ed.consent() == (Consent.DO_NOT_RELEASE, ConsentBasis.VERIFIED)
    assert select(ed.store, "select consent, consent_basis, consent_by from listed") == [
        ("do not release", "verified", "ada")
    ]


def test_lists_follow_when_a_key_becomes_known(desks, tmp_path):
    """The consent of a tossup that is not in the pack follows the key, too."""
    ada, ed = desks("ada"), desks("ed")
    ada.signer, signer = None, ada.signer
    ada.type("A lake.")
    ada.say(ConsentGiven(Consent.NO))
    ada.say(ConsentGiven(Consent.YES))
    ed.store.merge(*ada.sent(tmp_path))
    assert select(ed.store, "select consent from listed") in ([("yes",)], [("no",)])

    ada.signer = signer
    ada.store.use_key(signer, Person("ada", "Ada", "", 5))
    ada.store.save_person(Person("ada", "Ada", "", 50))
    ed.store.merge([], [ada.store.people()["ada"]])

    assert select(ed.store, "select consent, consent_basis from listed") == [("no", "unsigned")]


# -- a branch without its siblings


def alone(desk, key, tmp_path):
    """What a pack brings that somebody made of one branch only."""
    path = tmp_path / "alone.qwpack"
    write(path, desk.store.branches([key]), desk.store.people().values())
    pack = Pack(path)
    return list(pack.branches()), list(pack.people())


def proofs(store):
    """By the ids of the edits, whether their authors are proved."""
    found = {}
    for key in store.expand_branches():
        ids = [made for (made,) in select(store, "select id from edit where tossup = ? order by seq", key)]
        found.update(zip(ids, store.edit_authenticity(key), strict=True))
    return found


def test_each_branch_sent_alone_proves_what_was_verified(desks, two_branches, tmp_path):
    """Ada's signature of her longer branch says nothing beside Ben's, which begins with the same edit."""
    ed = desks("ed")
    for pack in two_branches:
        ed.store.merge(*pack)
    for key in ed.store.expand_branches():
        reader = desks("reader")
        report = reader.store.merge(*alone(ed, key, tmp_path)).signatures
        assert set(reader.store.edit_authenticity("one")) == set(report.edits) == {VERIFIED}


def test_a_branch_whose_sibling_was_erased_stays_verified(desks, two_branches):
    ed = desks("ed")
    for pack in two_branches:
        ed.store.merge(*pack)
    gone, kept = ed.store.expand_branches()
    ed.say(Binned(True), gone)
    assert ed.store.erase([gone]) == (gone,)

    assert set(ed.store.edit_authenticity(kept)) == {VERIFIED}


@pytest.mark.parametrize("typist", ["ada", "ed"])
def test_a_window_that_was_left_behind_goes_on_from_a_verified_edit(desks, tmp_path, typist):
    """A pack makes the tossup longer while a window has it open, so what is typed there becomes a branch."""
    ada, second, reader = desks("ada"), desks("ada"), desks("reader")
    second.signer = ada.signer
    second.store.use_key(ada.signer, Person("ada"), imported=True)
    ada.type("A ")
    here = second if typist == "ada" else desks("ed")
    here.store.merge(*ada.sent(tmp_path))
    (text, head) = select(here.store, "select text, head from tossup")[0]
    session = WritingSession(
        "one", here.store.load("one").tossup, seq=1, head=head, clock=lambda: 11, author=typist
    )  # fmt: skip
    session.type(f"{text}river.")
    ada.type("lake.")
    here.store.merge(*ada.sent(tmp_path))

    saved = here.store.save(session.take_unsaved()) or "one"

    reader.store.merge(*alone(here, saved, tmp_path))
    assert reader.store.edit_authenticity("one") == (VERIFIED, VERIFIED)


def test_what_only_a_sibling_here_proves_is_reported_as_verified(desks, two_branches):
    """A program before this one sent Ben's branch without the proof of Ada's edit at its beginning."""
    ed = desks("ed")
    ed.store.merge(*two_branches[2])
    (branch,), people = two_branches[1]
    bare = replace(branch, runs=tuple(run for run in branch.runs if run.person == "ben"))

    report = ed.store.merge([bare], people).signatures

    assert dict(report.edits) == {VERIFIED: 2}
    assert proofs_of_all(ed.store) == {VERIFIED}


@pytest.fixture(scope="module")
def packs(tmp_path_factory):
    """Packs of a tossup on which Ada and Ben go on in turns: of all its branches, and of one alone."""
    folder = tmp_path_factory.mktemp("packs")
    ada, ben, ed = (Desk(folder / f"{name}.db", name) for name in ("ada", "ben", "ed"))
    ada.type("A ")
    found = [ada.sent(folder)]
    ben.store.merge(*found[0])
    ada.type("lake ")
    ben.type("river ")
    found += [ada.sent(folder), ben.sent(folder)]
    ed.store.merge(*found[2])
    for desk in (ada, ben, ed):
        for pack in found[1:3]:
            desk.store.merge(*pack)
        for key in desk.store.expand_branches():
            desk.type("flows ", key)
            found.append(alone(desk, key, folder))
        found.append(desk.sent(folder))
    for desk in (ada, ben, ed):
        desk.store.close()
    return found


@settings(max_examples=3)
@given(order=st.lists(st.integers(0, 11), min_size=2, max_size=5), gone=st.integers(0, 9))
def test_in_any_order_of_packs_what_was_verified_stays_so(packs, tmp_path_factory, order, gone):
    """A reader merges some packs, erases a branch, and sends on each that is left."""
    folder = tmp_path_factory.mktemp("reader")
    reader = Desk(folder / "reader.db", "reader")
    for at in order:
        assert set(reader.store.merge(*packs[at]).signatures.edits) == {VERIFIED}
    keys = reader.store.expand_branches()
    if len(keys) > 1:
        key = keys[gone % len(keys)]
        reader.say(Binned(True), key)
        assert reader.store.erase([key]) == (key,)
    assert set(proofs(reader.store).values()) == {VERIFIED}
    for at, key in enumerate(reader.store.expand_branches()):
        other = Store(folder / f"{at}.db")
        other.merge(*alone(reader, key, folder))
        assert set(proofs(other).values()) == {VERIFIED}
        other.close()
    reader.store.close()


# -- the law


def dump(store):
    tables = ("event", "signed_run", "signing_key", "person", "edit")
    return {table: sorted(select(store, f"select * from {table}"), key=repr) for table in tables}


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """Packs of three writers: signed, unsigned, with events changed, signatures removed and forged."""
    folder = tmp_path_factory.mktemp("pieces")
    ada = Desk(folder / "a.db", "ada")
    ben = Desk(folder / "b.db", "ben")
    ada.type("A lake ")
    ada.say(ConsentGiven(Consent.NO))
    ben.store.merge(*ada.sent(folder))
    ben.type("in Russia.")
    ben.say(Commented("Which?"))
    ada.type("in Peru.")
    found = [one.sent(folder) for one in (ada, ben)]
    (branch,), people = found[0]
    event, other = branch.events[0], SigningKey.generate("mallory")
    found += [
        ([replace(branch, runs=(), events=())], []),
        ([replace(branch, runs=(), events=(replace(event, signature=None),))], []),
        ([replace(branch, events=(replace(event, body=ConsentGiven(Consent.YES)),))], []),
        ([replace(branch, runs=tuple(replace(one, signature=other.sign(b"")) for one in branch.runs))], []),
        ([], [replace(people[0], name="Mallory")]),
        ([], [Person("ada", "Unsigned", "", 3)]),
        (
            [
                replace(
                    branch,
                    events=(Event("old", "one", 3, "ada", ConsentGiven(Consent.YES), 1, branch.ids[0]),),
                )
            ],
            [],
        ),
        ([replace(branch, events=(Event("old", "one", 3, "ada", Commented("x"), 1, branch.ids[0]),))], []),
    ]
    yield found
    ada.store.close()
    ben.store.close()


def after(pieces, numbers, path):
    """What a new database holds after these packs, the consents and the proofs in it."""
    store = Store(path)
    for at in numbers:
        store.merge(*pieces[at])
    consent = {key: store.review_of(key).release for key in store.expand_branches()}
    proofs = {key: store.edit_authenticity(key) for key in consent}
    found = dump(store), list(consent.values()), sorted(proofs.values())
    assert store.check() == ()
    store.close()
    return found


@pytest.fixture(scope="module")
def after_all(pieces, tmp_path_factory):
    return after(pieces, range(10), tmp_path_factory.mktemp("once") / "all.db")


@settings(max_examples=4)
@given(order=st.permutations(range(10)), again=st.lists(st.integers(0, 9), max_size=3))
def test_the_order_of_packs_does_not_matter(pieces, after_all, tmp_path_factory, order, again):
    first, consents, proofs = after_all
    path = tmp_path_factory.mktemp("orders") / "other.db"
    second, others, others_proofs = after(pieces, [*order, *again], path)
    for table in ("event", "signed_run", "signing_key", "person"):
        assert second[table] == first[table], table
    assert proofs == others_proofs
    assert all(state.consent is Consent.NO for state in (*consents, *others))
