"""Consent to the release: it is the writer's, and nobody else's event changes what the writer signed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.review import Consent, ConsentBasis, ConsentGiven, TakenBack, WrittenBy
from quizwriter.domain.review_state import fold_events
from tests.helpers.made_events import LOOSE, OTHER, SIGNED, UNSIGNED, events_of

YES, NO, NEVER = ConsentGiven(Consent.YES), ConsentGiven(Consent.NO), ConsentGiven(Consent.DO_NOT_RELEASE)


def release(*said, first_author="ada"):
    """The consent after events given as (author, body, authenticity), one after the other."""
    return fold_events(events_of(*said), first_author).release


def short(state):
    return state.consent, state.basis, state.given_by


def test_the_writer_answers_for_the_tossup():
    assert short(release()) == (Consent.NOT_ASKED, ConsentBasis.NONE, "")
    assert short(release(("ada", YES, SIGNED))) == (Consent.YES, ConsentBasis.VERIFIED, "ada")
    assert short(release(("ada", YES, UNSIGNED))) == (Consent.YES, ConsentBasis.UNSIGNED, "ada")
    assert release(("ada", YES, SIGNED), ("ada", NO, SIGNED)).consent is Consent.NO
    assert release(("ada", NO, UNSIGNED), ("ada", YES, UNSIGNED)).consent is Consent.YES


def test_another_person_records_what_the_writer_said():
    state = release(("ed", ConsentGiven(Consent.YES, "By e-mail."), SIGNED))

    assert short(state) == (Consent.YES, ConsentBasis.RECORDED, "ed")
    assert (state.writer, state.reason) == ("ada", "By e-mail.")


@pytest.mark.parametrize("refusal", [NO, NEVER])
@pytest.mark.parametrize("proof", [SIGNED, UNSIGNED])
@pytest.mark.parametrize("mallorys", [SIGNED, UNSIGNED, LOOSE])
def test_nobody_overrules_a_refusal_of_the_writer(refusal, proof, mallorys):
    """The attack: the last event won, whoever made it."""
    state = release(("ada", refusal, proof), ("mallory", YES, mallorys))

    assert state.consent is refusal.consent
    assert state.given_by == "ada"


@pytest.mark.parametrize("proof", [LOOSE, OTHER])
@pytest.mark.parametrize("before", [SIGNED, LOOSE])
def test_what_the_writer_did_not_sign_allows_nothing_that_the_writer_refused(before, proof):
    assert release(("ada", NO, before), ("ada", YES, proof)).consent is Consent.NO
    assert release(("ada", YES, proof), ("ada", NO, before)).consent is Consent.NO


def test_another_key_allows_nothing():
    assert release(("ada", YES, OTHER)).consent is Consent.NOT_ASKED


@pytest.mark.parametrize("proof", [UNSIGNED, LOOSE, OTHER])
def test_nobody_takes_back_what_the_writer_signed(proof):
    assert release(("ada", NO, SIGNED), ("mallory", TakenBack(("e0",)), SIGNED)).consent is Consent.NO
    assert release(("ada", YES, SIGNED), ("mallory", TakenBack(("e0",)), SIGNED)).consent is Consent.YES
    assert release(("ada", NO, SIGNED), ("ada", TakenBack(("e0",)), proof)).consent is Consent.NO
    assert release(("ada", NO, LOOSE), ("ada", TakenBack(("e0",)), LOOSE)).consent is Consent.NO


def test_the_writer_takes_an_answer_back_and_again():
    no, back, again = ("ada", NO, SIGNED), ("ada", TakenBack(("e0",)), SIGNED), TakenBack(("e1",))

    assert release(no, back).consent is Consent.NOT_ASKED
    assert release(no, back, ("ada", again, SIGNED)).consent is Consent.NO
    assert release(no, back, ("mallory", again, SIGNED)).consent is Consent.NOT_ASKED


def test_a_tossup_that_was_handed_over_is_the_new_writers():
    handed = ("ada", WrittenBy("ben"), SIGNED)

    assert short(release(handed, ("ben", YES, SIGNED))) == (Consent.YES, ConsentBasis.VERIFIED, "ben")
    assert short(release(handed, ("ada", YES, SIGNED))) == (Consent.YES, ConsentBasis.RECORDED, "ada")
    assert release(("ada", NO, SIGNED), handed, ("ben", YES, SIGNED)).consent is Consent.YES


@pytest.mark.parametrize("proof", [SIGNED, UNSIGNED, LOOSE, OTHER])
def test_nobody_makes_himself_the_writer(proof):
    """A refusal that the writer signed cannot be got rid of by another author's name."""
    mine = ("mallory", WrittenBy("mallory"), SIGNED)
    yes = ("mallory", YES, SIGNED)

    assert release(("ada", NO, SIGNED), mine, yes).consent is Consent.NO
    assert short(release(mine, yes)) == (Consent.YES, ConsentBasis.RECORDED, "mallory")
    if proof is not SIGNED:
        hers = ("ada", WrittenBy("mallory"), proof)  # forged
        assert release(("ada", NO, SIGNED), hers, yes).consent is Consent.NO
        assert release(("ada", NO, UNSIGNED), hers, yes).consent is Consent.NO
        assert release(hers, yes).basis is not ConsentBasis.VERIFIED


def test_of_several_records_the_strictest_counts():
    yes, no = ("ed", YES, SIGNED), ("eve", NO, SIGNED)

    assert short(release(yes, no)) == short(release(no, yes)) == (Consent.NO, ConsentBasis.RECORDED, "eve")
    assert release(no, ("eve", YES, SIGNED), yes).consent is Consent.YES


def test_a_record_forbids_what_no_signature_allows():
    """The writer may have said so by e-mail, and nothing is released against that."""
    assert release(("ada", YES, UNSIGNED), ("ed", NO, SIGNED)).consent is Consent.NO
    assert release(("ada", YES, SIGNED), ("ed", NO, SIGNED)).consent is Consent.YES


def test_a_tossup_without_a_known_writer_has_recorded_consents():
    assert release(("me", YES, SIGNED), first_author="").basis is ConsentBasis.RECORDED


bodies = st.sampled_from(
    [YES, NO, NEVER, ConsentGiven(Consent.NOT_ASKED), WrittenBy("ada"), WrittenBy("ben")]
)
backs = st.builds(lambda at: TakenBack((f"e{at}",)), st.integers(0, 9))


@given(
    st.lists(st.tuples(bodies | backs, st.sampled_from([SIGNED, LOOSE, OTHER])), max_size=6),
    st.lists(
        st.tuples(st.sampled_from(["ada", "mallory"]), bodies | backs, st.sampled_from([LOOSE, OTHER])),
        max_size=6,
    ),
    st.lists(st.tuples(bodies | backs), max_size=3),
    st.randoms(),
)
def test_what_a_writer_signed_stays_whatever_others_add(own, forged, mallorys, draw):
    """Ada's key is known: events that it did not sign, and those of others, never change her last answer."""
    hers = [("ada", body, proof) for body, proof in own] + [("ada", NO, SIGNED)]
    whole = hers + forged + [("mallory", body, SIGNED) for (body,) in mallorys]
    events = [
        Event(f"e{at}", "one", at, author, body, authenticity=proof)
        for at, (author, body, proof) in enumerate(whole)
    ]
    moved = [replace(event, at_ms=draw.randint(0, 99)) for event in events[len(hers) :]]

    alone = fold_events(events[: len(hers)], "ada").release
    among = [*events[: len(hers)], *moved]
    draw.shuffle(among)
    found = fold_events(among, "ada").release
    if alone.basis is ConsentBasis.VERIFIED and alone.given_by == "ada":  # neither handed over nor taken back
        assert found == alone


def test_a_handover_counts_also_after_something_else_was_taken_back():
    state = release(
        ("ada", YES, SIGNED),
        ("ada", TakenBack(("e0",)), SIGNED),
        ("ada", WrittenBy("ben"), SIGNED),
        ("ben", NO, SIGNED),
    )
    assert (state.writer, state.consent, state.given_by) == ("ben", Consent.NO, "ben")


def test_a_handover_that_the_writer_did_not_sign_does_not_end_the_search_for_one_that_the_writer_did():
    state = release(
        ("ada", YES, SIGNED),
        ("ada", WrittenBy("mallory"), UNSIGNED),
        ("ada", WrittenBy("ben"), SIGNED),
        ("ben", NO, SIGNED),
    )
    assert (state.writer, state.consent, state.given_by) == ("ben", Consent.NO, "ben")
