"""Which phenomena people find in tossups: several tag them, unseen by each other, and a third decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from quizwriter.domain.rater_agreement import cohen_kappa, fleiss_kappa, share_agreed
from quizwriter.domain.review import Round
from quizwriter.domain.review_state import Review


class Phenomenon(msgspec.Struct, frozen=True):
    """A way in which a clue is hard for machines, explained by one answer asked in two ways."""

    name: str
    group: str  # what kind of phenomenon it is
    definition: str
    answer: str
    usual: str
    harder: str
    because: str  # why the harder one is


class TagAgreement(msgspec.Struct, frozen=True):
    """How far people agree about one tag, over the tossups that all of them tagged.

    ``share`` is percentage agreement, of all pairs of people where there are more than two; ``kappa`` is
    Cohen's for two, Fleiss' for more. Both are from 0 or below to 1, and None where they are not defined.
    """

    tag: str
    counts: tuple[int, ...]  # for each person, how many tossups got it
    everyone: int  # how many tossups got it from all of them
    share: float | None
    kappa: float | None


def blind_tags_of(review: Review, person: str) -> tuple[str, ...] | None:
    """The tags ``person`` gave without seeing others'; None before that."""
    return review.tags.get((Round.BLIND, person))


def progress(reviews: Iterable[Review]) -> dict[str, int]:
    """How many of the tossups each person has tagged without seeing others' tags."""
    found: dict[str, int] = {}
    for review in reviews:
        for of, person in review.tags:
            if of is Round.BLIND:
                found[person] = found.get(person, 0) + 1
    return found


def finished_people(counts: Mapping[str, int], number: int) -> tuple[str, ...]:
    """Who has tagged all ``number`` tossups, by how many of them everybody has, in the order of their ids."""
    return tuple(sorted(person for person, count in counts.items() if count == number))


def may_see(counts: Mapping[str, int], number: int, person: str) -> bool:
    """Whether ``person`` may see what others found in ``number`` tossups, of which everybody tagged so many.

    Two people must have finished all of them, because seeing another's tags would influence one's own. And
    ``person`` must be one of these two, or have tagged none and be free to decide.
    """
    finished = finished_people(counts, number)
    return len(finished) >= 2 and (person in finished or person not in counts)


def may_decide(review: Review, person: str) -> bool:
    """Whether ``person`` may decide what is in this tossup: a third one, who has not tagged it."""
    return blind_tags_of(review, person) is None


def decided(review: Review) -> tuple[str, ...] | None:
    """What the tossup is tagged with in the end: as decided last, else as all found; None if neither.

    One person's tags alone are nobody's agreement.
    """
    last: tuple[str, ...] | None = None
    blind = []
    for (of, _), tags in review.tags.items():
        if of is Round.DECIDING:
            last = tags
        else:
            blind.append(frozenset(tags))
    if last is not None:
        return last
    if len(blind) >= 2 and len(set(blind)) == 1:
        return tuple(sorted(blind[0]))
    return None


def disputed(review: Review, people: Sequence[str]) -> tuple[str, ...]:
    """The tags that some of ``people`` gave this tossup and others did not."""
    found = [frozenset(blind_tags_of(review, person) or ()) for person in people]
    return tuple(sorted(frozenset().union(*found) - frozenset.intersection(*found))) if found else ()


def agreements(
    reviews: Mapping[str, Review], people: Sequence[str], tags: Sequence[str]
) -> tuple[TagAgreement, ...]:
    """How far ``people`` agree about each of ``tags``, over the tossups that all of them tagged."""
    rows = []
    for review in reviews.values():
        row = [blind_tags_of(review, person) for person in people]
        if all(found is not None for found in row):
            rows.append([frozenset(found or ()) for found in row])
    agreed = []
    for tag in tags:
        judged = [[tag in found for found in row] for row in rows]
        columns = list(zip(*judged, strict=True)) or [()] * len(people)
        kappa = cohen_kappa(*columns) if len(people) == 2 else None
        if len(people) > 2:
            kappa = fleiss_kappa(judged)
        agreed.append(
            TagAgreement(
                tag,
                tuple(sum(column) for column in columns),
                sum(all(row) for row in judged),
                share_agreed(judged),
                kappa,
            )
        )
    return tuple(agreed)


def share_of_equal_taggings(reviews: Mapping[str, Review], people: Sequence[str]) -> float | None:
    """In which share of the tossups that all of ``people`` tagged they found exactly the same."""
    same = []
    for review in reviews.values():
        row = [blind_tags_of(review, person) for person in people]
        if all(found is not None for found in row):
            same.append(len({frozenset(found or ()) for found in row}) == 1)
    return sum(same) / len(same) if same else None


def ratio(number: float | None) -> str:
    """``number`` with two digits, or a dash for None; never "-0.00"."""
    return "\u2013" if number is None else f"{round(number, 2) + 0.0:.2f}".replace("-", "\u2212")
