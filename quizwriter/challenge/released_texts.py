"""The texts that are released of a tossup, in which names of people are searched."""

from __future__ import annotations

from collections.abc import Iterator

from quizwriter.challenge.remarks import remarks_in
from quizwriter.challenge.selection import Candidate
from quizwriter.domain.events import kind_of
from quizwriter.domain.review import (
    BasedOn,
    Cited,
    Commented,
    Dismissed,
    Imported,
    PutInSet,
    SetWord,
    StyleChosen,
)
from quizwriter.domain.styles import AnswerStyled


def released_texts(one: Candidate, *, histories: bool) -> Iterator[tuple[str, str, bool]]:
    """The texts that are released of a tossup: the place, the text, and whether it is a remark."""
    name = quoted_title(one)
    yield f"the text of {name}", one.tossup.text, False
    if one.tossup.answer is not None:
        yield f"the answer of {name}", one.tossup.answer.line, False
    for override in one.review.waived:
        yield f"the reason for “{override.check}” of {name}", override.reason, True
    yield f"the source of {name}", one.review.source, True
    yield f"the set of {name}", one.review.set_name, True
    for level in one.review.category:
        yield f"the category of {name}", level, True
    for tags in one.review.tags.values():
        for tag in tags:
            yield f"a tag of {name}", tag, True
    if (imported := one.provenance.imported) is not None:
        yield f"the name of the file of {name}", imported.file, True
        yield f"the tournament of {name}", imported.tournament, True
    if (based_on := one.provenance.based_on) is not None:
        yield f"the past question of {name}", based_on.source, True
    if not histories:
        return
    for remark in remarks_in(one.events, one.tossup_id, name):
        yield f"a {remark.kind} on {name}", remark.text, True
    for event in one.events:
        match event.body:
            case PutInSet(name=text, packet=packet):
                yield f"an earlier set of {name}", text, True
                yield f"a packet of {name}", packet, True
            case Cited(source=text) | Imported(file=text) | BasedOn(source=text) | StyleChosen(name=text):
                yield f"an earlier {kind_of(event.body).name} of {name}", text, True
            case SetWord(name=text, word=word):
                yield f"an earlier set of {name}", text, True
                yield f"a word of a set of {name}", word, True
            case AnswerStyled(line=text):
                yield f"an earlier answer of {name}", text, False
            case Commented(quoted=text):
                yield f"what a comment on {name} quotes", text, False
            case Dismissed(quoted=text):
                yield f"what a dismissed problem of {name} quotes", text, False
    for asked in one.answers:
        if asked.answer is not None:
            yield f"an earlier answer of {name}", asked.answer.line, False


def quoted_title(one: Candidate) -> str:
    """The main answer of a tossup, or its id, in quotation marks."""
    return f"“{one.tossup.answer.main if one.tossup.answer else one.tossup_id}”"
