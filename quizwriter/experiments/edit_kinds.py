"""What kind of edit leads from one version of a tossup to the next, by rules on words and names."""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum

from quizwriter.domain.history import differences
from quizwriter.domain.names import name_spans
from quizwriter.domain.tossup import Tossup, bare_words
from quizwriter.engine.tokenizer import stems_in

CLUE_WORDS = 5
"""Words from which on what is added, deleted or moved counts as a clue."""

NEW_STEMS = 0.5
"""The share of new stems from which on what is put in the place of other words is a paraphrase."""

_NUMBER = re.compile(r"\d+")


class EditClass(StrEnum):
    """The kinds of edits, in the order in which the rules ask for them."""

    MOVED = "clue moved"
    ADDED = "clue added"
    DELETED = "clue deleted"
    NUMBER = "number changed"
    NAME_HIDDEN = "name replaced by description"
    NAME_GIVEN = "description replaced by name"
    PARAPHRASE = "paraphrase"
    WORDING = "wording"


def classify_edit(before: str, after: str) -> EditClass | None:
    """What leads from ``before`` to ``after``; None where no word differs.

    A clue is *moved* if as many words go as come and all are the same. It is *added* or *deleted* if at
    least :data:`CLUE_WORDS` more words come or go than the other way, and those that go, or come, are fewer
    than that. A *number* is changed if nothing but digits is. Names are those of
    :func:`~quizwriter.domain.names.name_spans`. A *paraphrase* has no new name, and at least half of the
    stems that it puts in are new.
    """
    changes = differences(before, after)
    gone = [word for one in changes for word in bare_words(one.before.of(before))]
    come = [word for one in changes for word in bare_words(one.after.of(after))]
    if not gone and not come:
        return None
    if len(gone) >= CLUE_WORDS and Counter(gone) == Counter(come):
        return EditClass.MOVED
    if len(come) - len(gone) >= CLUE_WORDS and len(gone) < CLUE_WORDS:
        return EditClass.ADDED
    if len(gone) - len(come) >= CLUE_WORDS and len(come) < CLUE_WORDS:
        return EditClass.DELETED
    if (
        gone
        and come
        and [_NUMBER.sub("0", word) for word in gone] == [_NUMBER.sub("0", word) for word in come]
    ):
        return EditClass.NUMBER
    lost, new = _names(before) - _names(after), _names(after) - _names(before)
    if come and gone and lost and not new:
        return EditClass.NAME_HIDDEN
    if come and gone and new and not lost:
        return EditClass.NAME_GIVEN
    old_stems, new_stems = stems_in(before), [stem for word in come for stem in stems_in(word)]
    unknown = sum(stem not in old_stems for stem in new_stems)
    if gone and new_stems and not new and unknown / len(new_stems) >= NEW_STEMS:
        return EditClass.PARAPHRASE
    return EditClass.WORDING


def _names(text: str) -> set[str]:
    tossup = Tossup(text)
    return {span.of(text).casefold() for span in name_spans(tossup)}
