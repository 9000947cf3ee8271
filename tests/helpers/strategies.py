"""What Hypothesis draws questions and events from."""

from __future__ import annotations

from hypothesis import strategies as st

from quizwriter.domain.history import Edit
from quizwriter.domain.review import (
    Arm,
    ArmDrawn,
    Categorised,
    Cited,
    Commented,
    Consent,
    ConsentGiven,
    Decided,
    Dismissed,
    NeverSent,
    Override,
    PutInSet,
    Replied,
    Resolved,
    RoomsRecorded,
    Round,
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
from quizwriter.domain.style_sheet import BuzzGoal, PointsPhrase, Powers, Spelling, StyleSheet
from quizwriter.domain.tossup import Tossup

CLUES = [
    *("Pinkerton", "aria", "this", "opera", "Nagasaki", "geisha", "Haydn", "Joseph", "symphony", "Clara"),
    *("Schumann", "lullaby", "theme", "of", "by", "(*)", '("BROMZ")', "For", "10", "points,", "name", "zzz"),
    *("cone", "ellipse", "Sphere", "Turandot"),
]
tossups = st.lists(st.sampled_from(CLUES), max_size=18).map(lambda words: Tossup(" ".join(words)))
"""Tossups on what the starter bundle knows, with words that it does not know."""

texts = st.text("aé😀", max_size=3)
event_ids = st.sampled_from([f"e{number}" for number in range(8)])
overrides = st.lists(st.builds(Override, texts, texts), max_size=2).map(tuple)
edits = st.builds(Edit, st.integers(0, 9), texts, texts)
sheets = st.builds(
    StyleSheet,
    st.lists(texts, max_size=2).map(tuple),
    *(st.integers(1, 9) for _ in range(3)),
    st.sampled_from(Spelling),
    st.sampled_from(PointsPhrase),
    st.sampled_from(Powers),
    st.lists(texts, max_size=2).map(tuple),
    st.none() | st.integers(0, 99),
    st.builds(BuzzGoal, st.integers(0, 100), texts),
)
bodies = st.one_of(
    st.builds(StatusSet, st.sampled_from(Status), texts, overrides),
    st.builds(Commented, texts, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), texts),
    st.builds(Replied, event_ids, texts),
    st.builds(Resolved, event_ids, st.booleans()),
    st.builds(Suggested, st.integers(0, 9), edits, texts),
    st.builds(Decided, event_ids, st.booleans(), texts),
    st.builds(Tagged, st.lists(texts, max_size=3).map(tuple), st.sampled_from(Round)),
    st.builds(Categorised, st.lists(texts, max_size=3).map(tuple)),
    st.builds(PutInSet, texts),
    st.builds(WrittenBy, texts),
    st.builds(ConsentGiven, st.sampled_from(Consent)),
    st.builds(Superseded, texts),
    st.builds(Cited, texts),
    st.builds(Dismissed, texts, texts, *(st.integers(0, 9) for _ in range(3)), texts, st.booleans()),
    st.builds(NeverSent, texts),
    st.builds(ArmDrawn, texts, st.sampled_from(Arm), st.integers(0, 9)),
    st.builds(
        RoomsRecorded,
        texts,
        st.integers(0, 9),
        st.lists(texts, max_size=3).map(tuple),
        *(st.lists(st.integers(0, 9), max_size=3).map(tuple) for _ in range(2)),
    ),
    st.builds(StyleChosen, texts, sheets, st.integers(0, 9)),
    st.builds(SetWord, texts, texts, st.booleans(), st.integers(0, 9)),
    st.builds(TakenBack, st.lists(event_ids, max_size=2).map(tuple)),
)
"""Bodies of events of every kind; ids are few, so that events refer to each other."""
