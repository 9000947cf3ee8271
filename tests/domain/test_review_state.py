"""What each kind of event changes in the state of a tossup, and what taking it back leaves."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Edit
from quizwriter.domain.review import (
    Arm,
    ArmDrawn,
    BasedOn,
    BegunFor,
    Binned,
    BriefChosen,
    BriefLine,
    Categorised,
    Cited,
    ClueSourced,
    Commented,
    Consent,
    ConsentBasis,
    ConsentGiven,
    Decided,
    Dismissed,
    Imported,
    NeverSent,
    Override,
    PutInSet,
    Replied,
    Resolved,
    Rewritten,
    RoomsRecorded,
    Round,
    SamePerson,
    SetWord,
    Status,
    StatusSet,
    StyleChosen,
    Suggested,
    Superseded,
    Tagged,
    TakenBack,
    WrittenBy,
)
from quizwriter.domain.review_state import Comment, ConsentState, Review, Suggestion, fold_events
from quizwriter.domain.signatures import Authenticity
from quizwriter.domain.style_sheet import NO_GOAL, NO_GOAL_AT_ALL, STANDARD_STYLE, BuzzGoal, StyleSheet
from quizwriter.domain.tossup_game import FORMATS, Move, MoveKind, Played, PlayedBy, PlayedTossup, Rules, Seat
from tests.helpers.made_events import LOOSE, OTHER, SIGNED, UNSIGNED, events_of

SHEET = StyleSheet(words=("Kyiv", "Lviv"))


def happened(*bodies, author="me"):
    """Events e0, e1, ... of one author, one after the other."""
    return [Event(f"e{at}", "one", at, author, body) for at, body in enumerate(bodies)]


def after(*bodies):
    return fold_events(happened(*bodies))


PLAYED = Played(
    "g",
    1,
    PlayedBy.WINDOW,
    Rules(FORMATS["ACF"], PlayedTossup("0" * 64, 9), (Seat("Ada"),)),
    (Move(MoveKind.READ, 5, 4),),
)

KINDS = {
    "status": (StatusSet(Status.REJECTED, "A repeat."), "status", Status.REJECTED),
    "category": (Categorised(("Science", "Physics")), "category", ("Science", "Physics")),
    "set": (PutInSet("Spring", "Packet 3"), "set_name", "Spring"),
    "packet": (PutInSet("Spring", "Packet 3"), "packet", "Packet 3"),
    "writer": (WrittenBy("ada"), "writer", "ada"),
    "source": (Cited("Spring 2019"), "source", "Spring 2019"),
    "goal": (BuzzGoal(40, "ir"), "buzz_goal", BuzzGoal(40, "ir")),
    "no goal at all": (NO_GOAL_AT_ALL, "buzz_goal", NO_GOAL_AT_ALL),
    "begun for": (BegunFor("work", "hard"), "begun_for", BegunFor("work", "hard")),
    "style": (StyleChosen("Spring", SHEET, 5), "styles", {"Spring": StyleChosen("Spring", SHEET, 5)}),
    "word": (SetWord("Spring", "Kyiv"), "set_words", {("Spring", "Kyiv"): SetWord("Spring", "Kyiv")}),
    "brief": (
        BriefChosen("Spring", (BriefLine(wanted=3),), 5),
        "briefs",
        {"Spring": BriefChosen("Spring", (BriefLine(wanted=3),), 5)},
    ),
    "tags": (Tagged(("negation",)), "tags", {(Round.BLIND, "me"): ("negation",)}),
}
"""A body, and the field of the state that has its value."""

KEPT = {
    "imported": Imported("a.txt", "0" * 64),
    "rewritten": Rewritten("other", 3),
    "based_on": BasedOn("Spring 2019"),
    "superseded": Superseded("edit"),
    "status_set": StatusSet(Status.EDITED),
    "made_ready": StatusSet(Status.READY),
}
"""Fields that have the event itself."""

LISTED = {
    "dismissed": Dismissed("spelling", "A name."),
    "clue_sources": ClueSourced("a book"),
    "rooms": RoomsRecorded("a.qbj", 90),
    "games": PLAYED,
}
"""Fields that list the events."""


@pytest.mark.parametrize(("body", "name", "value"), KINDS.values(), ids=KINDS)
def test_an_event_sets_its_field_until_it_is_taken_back(body, name, value):
    before = getattr(Review(), name)

    assert getattr(after(body), name) == value != before
    assert getattr(after(body, TakenBack(("e0",))), name) == before


@pytest.mark.parametrize(("name", "body"), KEPT.items())
def test_the_last_event_of_a_kind_is_kept_with_all_else(name, body):
    events = happened(PutInSet("Spring", "P"), Categorised(("Arts",)), body, body, Cited("source"))
    state = fold_events(events)

    assert getattr(state, name) == events[3]
    assert (state.set_name, state.packet, state.category, state.source) == (
        "Spring",
        "P",
        ("Arts",),
        "source",
    )
    assert getattr(after(body, TakenBack(("e0",))), name) is None


@pytest.mark.parametrize(("name", "body"), LISTED.items())
def test_events_are_listed_in_their_order(name, body):
    events = happened(body, body, Cited("source"))

    assert getattr(fold_events(reversed(events)), name) == (events[0], events[1])


def test_every_event_leaves_what_others_set():
    """One tossup to which everything happened has all of it."""
    bodies = [body for body, _, _ in KINDS.values() if body != NO_GOAL_AT_ALL]
    bodies += [*KEPT.values(), *LISTED.values(), StatusSet(Status.REJECTED, "A repeat.")]
    state = after(*bodies)

    for name, (body, field, value) in KINDS.items():
        assert body == NO_GOAL_AT_ALL or getattr(state, field) == value, name
    for field, body in KEPT.items():
        assert field == "status_set" or getattr(state, field).body == body
    for field, body in LISTED.items():
        assert [event.body for event in getattr(state, field)] == [body]


def test_a_goal_of_nothing_takes_the_goal_away():
    assert after(BuzzGoal(40), NO_GOAL).buzz_goal is None
    assert after(BuzzGoal(40), BuzzGoal(101)).buzz_goal is None


def test_only_the_status_ready_makes_ready():
    events = happened(StatusSet(Status.READY), StatusSet(Status.IN_REVIEW), StatusSet(Status.READY))

    assert fold_events(events[:2]).made_ready == events[0]
    assert fold_events(events).made_ready == events[2]
    assert after(StatusSet(Status.REJECTED)).made_ready is None


def test_waived_are_the_overrides_of_ready_and_of_the_status():
    first, second = Override("leak", "It is meant."), Override("leak", "Still.")
    other = Override("length", "A tiebreaker.")
    state = after(StatusSet(Status.READY, "", (first, other)), StatusSet(Status.EDITED, "", (second,)))

    assert state.overridden == (second,)
    assert state.waived == (second, other)
    assert (Review().overridden, Review().waived) == ((), ())


# Comments and suggestions


def test_answers_belong_to_their_comment_and_others_are_left_out():
    events = happened(
        Commented("Why?"),
        Commented("How?"),
        Replied("e1", "So."),
        Replied("e1", "Or so."),
        Resolved("e0"),
        Replied("nobody", "Lost."),
        Resolved("nobody"),
        Decided("nobody", True),
    )
    state = fold_events(events)

    assert state.comments == (
        Comment(events[0], resolved=True),
        Comment(events[1], replies=(events[2], events[3])),
    )
    assert state.open_comments == 1
    assert after(Commented("Why?"), Resolved("e0"), Resolved("e0", False)).open_comments == 1


def test_a_decision_belongs_to_its_suggestion():
    events = happened(Suggested(1, Edit(0, "", "A")), Suggested(1, Edit(0, "", "B")), Decided("e1", False))
    state = fold_events(events)

    assert state.suggestions == (Suggestion(events[0]), Suggestion(events[1], events[2]))
    assert state.open_suggestions == 1


def test_the_tags_given_last_are_last():
    events = happened(Tagged(("a",)), Tagged(("b",), Round.DECIDING), Tagged(("c",)))

    assert list(fold_events(events).tags.items()) == [
        ((Round.DECIDING, "me"), ("b",)),
        ((Round.BLIND, "me"), ("c",)),
    ]


# What belongs to a set


@pytest.mark.parametrize(
    ("make", "field", "key"),
    [
        (
            lambda at_ms: StyleChosen("Spring", SHEET if at_ms == 5 else STANDARD_STYLE, at_ms),
            "styles",
            "Spring",
        ),
        (lambda at_ms: BriefChosen("Spring", (BriefLine(wanted=at_ms),), at_ms), "briefs", "Spring"),
        (lambda at_ms: SetWord("Spring", "Kyiv", at_ms == 5, at_ms), "set_words", ("Spring", "Kyiv")),
    ],
    ids=["style", "brief", "word"],
)
def test_of_a_set_the_newest_choice_counts_whenever_it_arrives(make, field, key):
    assert getattr(after(make(5), make(4)), field) == {key: make(5)}
    assert getattr(after(make(4), make(5)), field) == {key: make(5)}


def test_of_two_choices_at_once_the_later_event_counts():
    one, other = BriefChosen("Spring", (), 5), BriefChosen("Spring", (BriefLine(wanted=1),), 5)
    assert after(one, other).briefs == {"Spring": other}

    plain, sheet = StyleChosen("Spring", STANDARD_STYLE, 5), StyleChosen("Spring", SHEET, 5)
    assert after(plain, sheet).styles == {"Spring": sheet}

    right, wrong = SetWord("Spring", "Kyiv", True, 5), SetWord("Spring", "Kyiv", False, 5)
    assert after(right, wrong).set_words == {("Spring", "Kyiv"): wrong}


def test_sets_have_their_own_choices():
    assert after(SetWord("Spring", "Kyiv"), SetWord("Fall", "Kyiv", False)).words_of_set("Spring") == (
        "Kyiv",
    )
    assert set(after(BriefChosen("Spring"), BriefChosen("Fall")).briefs) == {"Spring", "Fall"}


def test_the_words_of_a_set_are_those_of_its_sheet_and_what_was_said_since():
    state = after(
        StyleChosen("Spring", SHEET),
        SetWord("Spring", "Lviv", False),
        SetWord("Spring", "Odesa"),
        SetWord("Spring", "Harkiv", False),
        SetWord("Fall", "Dnipro"),
    )

    assert state.words_of_set("Spring") == ("Kyiv", "Odesa")
    assert state.words_of_set("Fall") == ("Dnipro",)
    assert state.words_of_set("Winter") == ()


# For good


def test_what_bars_a_tossup_from_servers_holds_for_good():
    assert after(NeverSent("Spring"), NeverSent("Fall"), TakenBack(("e0",))).never_sent == {"Spring", "Fall"}


def test_the_first_draw_of_an_arm_holds_for_good():
    events = happened(ArmDrawn("Spring", Arm.HIDDEN, 1), ArmDrawn("Spring", Arm.SHOWN, 2), TakenBack(("e0",)))
    state = fold_events(events)

    assert (state.arm_drawn, state.arm, state.hides_machines) == (events[0], Arm.HIDDEN, True)
    assert (Review().arm, Review().hides_machines) == (None, False)
    assert not after(ArmDrawn("Spring", Arm.SHOWN, 2)).hides_machines


def test_who_left_the_draft_once_sees_the_machines():
    events = happened(
        ArmDrawn("Spring", Arm.HIDDEN, 1),
        StatusSet(Status.DRAFT),
        StatusSet(Status.READY),
        StatusSet(Status.DRAFT),
        TakenBack(("e2",)),
    )

    assert fold_events(events[:2]).left_draft is None
    assert fold_events(events).left_draft == events[2]
    assert not fold_events(events).hides_machines


# Bins


def binned(*decisions, status=None, authenticity=Authenticity.UNSIGNED):
    """After decisions of (person, in the bin, sequence number of the last edit)."""
    events = [
        Event(f"e{at}", "one", 100 + at, person, Binned(away), seq=seq, authenticity=authenticity)
        for at, (person, away, seq) in enumerate(decisions)
    ]
    return fold_events([*events, *([Event("s", "one", 200, "me", StatusSet(status))] if status else ())])


@pytest.mark.parametrize(
    ("decisions", "status", "bins"),
    [
        ([("ada", True, 3)], Status.READY, {"ada": 100}),
        ([("ada", True, 4)], Status.READY, {"ada": 100}),
        ([("ada", True, 2)], Status.READY, {"ada": 0}),  # an edit since brings it back
        ([("ada", True, 3), ("ada", False, 3)], Status.READY, {"ada": 0}),
        ([("ada", True, 3), ("bo", True, 3)], Status.READY, {"ada": 100, "bo": 101}),
        ([("ada", True, 3)], None, {"ada": 100}),
        ([("writer", True, 3)], None, {"writer": 100, "": 100}),  # a draft that its writer threw away
        ([("writer", True, 3)], Status.READY, {"writer": 100}),
        ([("writer", True, 2)], None, {"writer": 0}),
        ([("ada", True, 3)], Status.ACCEPTED, {}),
        ([("", True, 3)], Status.READY, {}),  # of nobody known
    ],
)
def test_in_whose_bins_a_tossup_is(decisions, status, bins):
    assert binned(*decisions, status=status).bins(3, "writer") == bins


@pytest.mark.parametrize(
    ("proof", "counts"),
    [
        (Authenticity.VERIFIED, True),
        (Authenticity.UNSIGNED, True),
        (Authenticity.UNCONFIRMED, False),
        (Authenticity.OTHER_KEY, False),
        (Authenticity.FORGED, False),
    ],
)
def test_nobody_fills_another_person_s_bin(proof, counts):
    assert bool(binned(("ada", True, 3), authenticity=proof).binned) is counts


@pytest.mark.parametrize(("seq", "superseded"), [(2, True), (3, True), (4, False)])
def test_an_edit_after_the_other_branch_was_adopted_brings_the_tossup_back(seq, superseded):
    state = fold_events([Event("e", "one", 1, "me", Superseded("edit"), seq=3)])

    assert state.is_superseded(seq) is superseded
    assert not Review().is_superseded(0)


# What a person said of the release

YES, NO, NEVER = (ConsentGiven(one, "because") for one in (Consent.YES, Consent.NO, Consent.DO_NOT_RELEASE))


def release(*said, first_author="ada"):
    events = events_of(*said)
    return fold_events(events, first_author).release, events


@pytest.mark.parametrize(
    ("proof", "basis"), [(SIGNED, ConsentBasis.VERIFIED), (UNSIGNED, ConsentBasis.UNSIGNED)]
)
def test_the_state_of_a_consent_has_the_whole_event(proof, basis):
    state, events = release(("ada", YES, proof))

    assert state == ConsentState("ada", Consent.YES, basis, "ada", "because", events[0])


def test_the_state_of_a_record_says_who_recorded_it():
    state, events = release(("bo", NO, UNSIGNED))

    assert state == ConsentState("ada", Consent.NO, ConsentBasis.RECORDED, "bo", "because", events[0])
    assert release()[0] == ConsentState("ada")


@pytest.mark.parametrize(
    ("said", "consent"),
    [
        ([("ada", YES, LOOSE), ("ada", NO, LOOSE)], Consent.NO),  # the strictest of what no key confirms
        ([("ada", NEVER, LOOSE), ("ada", NO, LOOSE)], Consent.DO_NOT_RELEASE),
        ([("ada", YES, LOOSE), ("ada", YES, OTHER)], Consent.YES),
        ([("ada", YES, OTHER)], Consent.NOT_ASKED),  # another key allows nothing
        ([("ada", NO, OTHER)], Consent.NO),
        ([("ada", YES, LOOSE), ("ada", TakenBack(("e0",)), LOOSE)], Consent.YES),
        ([("ada", YES, LOOSE), ("ada", TakenBack(("e0",)), SIGNED)], Consent.NOT_ASKED),
        ([("ada", NO, UNSIGNED), ("ada", YES, UNSIGNED)], Consent.YES),  # without any key the last one counts
        ([("ada", NO, UNSIGNED), ("ada", YES, LOOSE)], Consent.NO),
        ([("ada", YES, SIGNED), ("ada", NEVER, UNSIGNED)], Consent.YES),  # what is signed counts first
        ([("ada", YES, SIGNED), ("ada", TakenBack(("e0",)), UNSIGNED), ("ada", NO, LOOSE)], Consent.YES),
        ([("ada", YES, SIGNED), ("ada", TakenBack(("e0",)), SIGNED), ("ada", NO, LOOSE)], Consent.NO),
        ([("bo", YES, UNSIGNED), ("cy", NO, UNSIGNED)], Consent.NO),
        ([("bo", NEVER, UNSIGNED), ("cy", NO, UNSIGNED)], Consent.DO_NOT_RELEASE),
        (
            [("ada", YES, UNSIGNED), ("bo", NO, UNSIGNED)],
            Consent.NO,
        ),  # a record forbids what no signature allows
        ([("ada", NO, UNSIGNED), ("bo", YES, UNSIGNED)], Consent.NO),
        ([("ada", NO, UNSIGNED), ("bo", NO, UNSIGNED)], Consent.NO),
    ],
)
def test_which_of_several_statements_counts(said, consent):
    assert release(*said)[0].consent is consent


@pytest.mark.parametrize(
    ("said", "basis", "given_by"),
    [
        ([("ada", NO, LOOSE), ("ada", NO, LOOSE)], ConsentBasis.UNSIGNED, "ada"),
        ([("ada", NO, UNSIGNED), ("bo", NO, UNSIGNED)], ConsentBasis.UNSIGNED, "ada"),
        ([("ada", YES, UNSIGNED), ("bo", NO, UNSIGNED)], ConsentBasis.RECORDED, "bo"),
        ([("bo", ConsentGiven(Consent.NOT_ASKED), UNSIGNED)], ConsentBasis.NONE, ""),
    ],
)
def test_who_said_it_and_how_sure_that_is(said, basis, given_by):
    state, _ = release(*said)

    assert (state.basis, state.given_by) == (basis, given_by)


@pytest.mark.parametrize(
    ("said", "writer"),
    [
        ([("ada", WrittenBy("bo"), SIGNED)], "bo"),
        ([("ada", WrittenBy("bo"), UNSIGNED)], "bo"),
        ([("ada", WrittenBy("bo"), LOOSE)], "bo"),
        ([("ada", WrittenBy("bo"), OTHER)], "ada"),
        ([("mo", WrittenBy("mo"), SIGNED)], "ada"),  # only the writer hands over
        ([("ada", WrittenBy("bo"), UNSIGNED), ("bo", WrittenBy("cy"), UNSIGNED)], "cy"),
        # who named a writer that has done nothing yet names another one
        ([("ada", WrittenBy("bo"), UNSIGNED), ("ada", WrittenBy("cy"), UNSIGNED)], "cy"),
        ([("ada", WrittenBy("bo"), SIGNED), ("ada", WrittenBy("ada"), SIGNED)], "ada"),
        ([("ada", WrittenBy("bo"), SIGNED), ("mo", WrittenBy("mo"), SIGNED)], "bo"),
        ([("ada", WrittenBy("bo"), SIGNED), ("bo", YES, SIGNED), ("ada", WrittenBy("ada"), SIGNED)], "bo"),
        ([("ada", WrittenBy("bo"), SIGNED), ("bo", NO, UNSIGNED), ("ada", WrittenBy("ada"), SIGNED)], "bo"),
        ([("ada", WrittenBy("bo"), UNSIGNED), ("ada", TakenBack(("e0",)), UNSIGNED)], "ada"),
        ([("ada", WrittenBy("bo"), UNSIGNED), ("ada", TakenBack(("e0",)), LOOSE)], "bo"),
        ([("ada", WrittenBy("bo"), UNSIGNED), ("ada", TakenBack(("e0",)), OTHER)], "bo"),
        ([("ada", WrittenBy("bo"), UNSIGNED), ("mo", TakenBack(("e0",)), UNSIGNED)], "bo"),
        (
            [("ada", YES, SIGNED), ("ada", WrittenBy("bo"), UNSIGNED)],
            "ada",
        ),  # what is signed, a signature hands over
        ([("ada", YES, SIGNED), ("ada", WrittenBy("bo"), SIGNED)], "bo"),
    ],
)
def test_to_whom_a_tossup_was_handed_over(said, writer):
    assert release(*said)[0].writer == writer


def test_where_nobody_is_known_anybody_names_the_writer():
    assert release(("bo", WrittenBy("cy"), UNSIGNED), first_author="")[0].writer == "cy"


def test_a_signature_counts_first_only_for_a_writer_who_is_sure():
    """Bo signed a yes, but that Bo is the writer nobody signed: Ada's record of a no forbids it."""
    handed = [("ada", WrittenBy("bo"), UNSIGNED), ("bo", YES, SIGNED), ("ada", NO, UNSIGNED)]
    assert release(*handed)[0].consent is Consent.NO

    handed[0] = ("ada", WrittenBy("bo"), SIGNED)
    assert release(*handed)[0].consent is Consent.YES


# -- people without a key

BO_IS_CY = SamePerson("bo", "cy")


@pytest.mark.parametrize(
    ("said", "writer"),
    [
        ([("mo", BO_IS_CY, SIGNED)], "cy"),
        ([("mo", BO_IS_CY, UNSIGNED)], "bo"),  # only what is signed counts
        ([("mo", BO_IS_CY, LOOSE)], "bo"),
        ([("mo", BO_IS_CY, OTHER)], "bo"),
        ([("bo", Commented("I am Bo."), SIGNED), ("mo", BO_IS_CY, SIGNED)], "bo"),  # who has a key
        ([("mo", BO_IS_CY, SIGNED), ("mo", TakenBack(("e1",)), SIGNED)], "bo"),
        ([("mo", BO_IS_CY, SIGNED), ("cy", TakenBack(("e1",)), SIGNED)], "bo"),  # she is not Bo
        ([("mo", BO_IS_CY, SIGNED), ("ada", TakenBack(("e1",)), SIGNED)], "cy"),
        ([("mo", BO_IS_CY, SIGNED), ("cy", TakenBack(("e1",)), UNSIGNED)], "cy"),
        # what she took back only she says again
        ([("mo", BO_IS_CY, SIGNED), ("cy", TakenBack(("e1",)), SIGNED), ("mo", BO_IS_CY, SIGNED)], "bo"),
        ([("mo", BO_IS_CY, SIGNED), ("cy", TakenBack(("e1",)), SIGNED), ("cy", BO_IS_CY, SIGNED)], "cy"),
        ([("mo", BO_IS_CY, SIGNED), ("mo", SamePerson("cy", "bo"), SIGNED)], "bo"),  # nobody in a circle
    ],
)
def test_who_somebody_without_a_key_is(said, writer):
    handed = ("ada", WrittenBy("bo"), SIGNED)
    assert release(handed, *said)[0].writer == writer


def test_nobody_with_a_key_becomes_somebody_else():
    made = Event("e0", "one", 0, "mo", BO_IS_CY, authenticity=SIGNED)
    assert fold_events([made], "bo", lambda person: person == "bo").writer == "bo"
    assert fold_events([made], "bo").writer == "cy"


def test_the_yes_of_who_is_named_by_a_packet_is_her_own():
    handed = [("ada", WrittenBy("bo"), SIGNED), ("mo", BO_IS_CY, SIGNED), ("cy", YES, SIGNED)]
    state = release(*handed)[0]
    assert (state.writer, state.consent, state.basis) == ("cy", Consent.YES, ConsentBasis.VERIFIED)


def test_who_claims_to_be_the_person_that_typed_overrules_no_refusal_of_hers():
    """Ada typed and said no, unsigned; Mo says she is Mo, and says yes."""
    said = [("ada", NO, UNSIGNED), ("mo", SamePerson("ada", "mo"), SIGNED), ("mo", YES, SIGNED)]
    assert release(*said)[0].consent is Consent.NO
    assert release(*said[1:])[0].basis is ConsentBasis.UNSIGNED


def test_anybody_takes_back_what_is_no_consent():
    said = Event("a", "t", 1, "ada", Cited("Spring 2019"))
    back = Event("b", "t", 2, "ben", TakenBack(("a",)))
    assert fold_events([said]).source == "Spring 2019"
    assert fold_events([said, back]).source == ""


@pytest.mark.parametrize(
    ("said", "same"),
    [
        ([("ada", Cited("x"), UNSIGNED), ("mo", BO_IS_CY, SIGNED)], {"bo": "cy"}),
        ([("mo", SamePerson("", "cy"), SIGNED)], {}),
        ([("mo", BO_IS_CY, SIGNED), ("mo", SamePerson("bo", "bo"), SIGNED)], {"bo": "cy"}),
        ([("mo", BO_IS_CY, SIGNED), ("mo", SamePerson("bo", "di"), SIGNED)], {"bo": "di"}),  # the last one
        ([("mo", BO_IS_CY, SIGNED), ("mo", SamePerson("cy", "di"), SIGNED)], {"cy": "di"}),
        (
            [
                ("mo", BO_IS_CY, SIGNED),
                ("mo", SamePerson("al", "cy"), SIGNED),
                ("mo", TakenBack(("e0",)), SIGNED),
            ],
            {"al": "cy"},
        ),
        # who takes back her own words refuses nothing
        (
            [("mo", BO_IS_CY, SIGNED), ("mo", TakenBack(("e0",)), SIGNED), ("mo", BO_IS_CY, SIGNED)],
            {"bo": "cy"},
        ),
        # a refusal is of one pair alone
        (
            [
                ("mo", BO_IS_CY, SIGNED),
                ("cy", TakenBack(("e0",)), SIGNED),
                ("mo", SamePerson("bo", "di"), SIGNED),
                ("mo", SamePerson("al", "cy"), SIGNED),
            ],
            {"bo": "di", "al": "cy"},
        ),
        # and ends with the first yes of who refused
        (
            [
                ("mo", BO_IS_CY, SIGNED),
                ("cy", TakenBack(("e0",)), SIGNED),
                ("cy", BO_IS_CY, SIGNED),
                ("mo", SamePerson("bo", "di"), SIGNED),
                ("mo", BO_IS_CY, SIGNED),
            ],
            {"bo": "cy"},
        ),
    ],
)
def test_which_identities_hold(said, same):
    assert people(*said) == same


def people(*said):
    return dict(fold_events(events_of(*said)).same_people)


HANDED_TO_BO, CY_IS_BO = ("ada", WrittenBy("bo"), SIGNED), ("mo", BO_IS_CY, SIGNED)


@pytest.mark.parametrize(
    ("said", "consent", "basis", "given_by"),
    [
        ([("bo", YES, UNSIGNED)], Consent.YES, ConsentBasis.UNSIGNED, "bo"),  # her yes by her other id
        ([("bo", NO, UNSIGNED)], Consent.NO, ConsentBasis.RECORDED, "bo"),  # a refusal is no one else's
        ([("bo", YES, UNSIGNED), ("cy", YES, UNSIGNED)], Consent.YES, ConsentBasis.UNSIGNED, "cy"),
        ([("bo", YES, UNSIGNED), ("cy", NO, UNSIGNED)], Consent.NO, ConsentBasis.UNSIGNED, "cy"),
        ([("cy", NO, UNSIGNED)], Consent.NO, ConsentBasis.UNSIGNED, "cy"),
        ([("bo", Cited("x"), UNSIGNED)], Consent.NOT_ASKED, ConsentBasis.NONE, ""),
        ([("bo", TakenBack(("z",)), UNSIGNED)], Consent.NOT_ASKED, ConsentBasis.NONE, ""),
    ],
)
def test_what_was_said_under_an_id_without_a_key_goes_with_the_person(said, consent, basis, given_by):
    state, _ = release(HANDED_TO_BO, *said, CY_IS_BO)

    assert (state.writer, state.consent, state.basis, state.given_by) == ("cy", consent, basis, given_by)


@pytest.mark.parametrize(
    ("said", "writer", "handed_by"),
    [
        ([("ada", WrittenBy("bo"), SIGNED)], "bo", "ada"),
        ([("ada", WrittenBy("bo"), SIGNED), ("bo", Cited("x"), UNSIGNED)], "bo", ""),
        ([("ada", WrittenBy("bo"), SIGNED), ("ada", WrittenBy("ada"), SIGNED)], "ada", ""),
        ([HANDED_TO_BO, CY_IS_BO], "cy", "ada"),
        ([HANDED_TO_BO, ("bo", Cited("x"), UNSIGNED), CY_IS_BO], "cy", ""),
        ([HANDED_TO_BO, ("bo", WrittenBy("di"), UNSIGNED), CY_IS_BO], "di", "cy"),
        ([HANDED_TO_BO, CY_IS_BO, ("ada", WrittenBy("cy"), SIGNED)], "cy", "ada"),
        # what counts for nothing comes before what does
        ([("mo", WrittenBy("mo"), SIGNED), HANDED_TO_BO], "bo", "ada"),
        ([("ada", WrittenBy("ada"), SIGNED), HANDED_TO_BO], "bo", "ada"),
        ([("ada", TakenBack(("z",)), SIGNED), HANDED_TO_BO], "bo", "ada"),
        ([("ada", YES, SIGNED), ("ada", WrittenBy("di"), UNSIGNED), HANDED_TO_BO], "bo", "ada"),
    ],
)
def test_who_can_still_take_a_tossup_from_a_writer(said, writer, handed_by):
    state, _ = release(*said)

    assert (state.writer, state.handed_by) == (writer, handed_by)
    assert state.can_hand_over(writer)
    assert not state.can_hand_over("nobody")
    assert not handed_by or state.can_hand_over(handed_by)


def test_anybody_hands_over_what_nobody_is_known_to_have_written():
    assert ConsentState().can_hand_over("ada")


def test_nobody_handed_over_what_the_person_who_typed_wrote_under_another_id():
    made = Event("e0", "one", 0, "mo", BO_IS_CY, authenticity=SIGNED)
    assert fold_events([made], "bo").release == ConsentState("cy")
