"""Tags: what makes tossups hard, how often, how far taggers agree, and for which players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizwriter.domain.rater_agreement import KappaEstimate, estimate_kappa
from quizwriter.domain.review import Round
from quizwriter.domain.review_state import Review
from quizwriter.experiments import column
from quizwriter.experiments.inference import generator
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.people import CURVE, people_estimates, sample_of
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.tagging import decided
from quizwriter.workflow.wording import counted_noun, player_title

EVERY = "every tossup"
"""What the row of all tagged tossups is called."""

PEOPLE = "people"
"""Who plays in the rows of people's rooms."""


@experiment(
    "tags",
    title="What makes them hard",
    asks="Which phenomena make these tossups hard, and for which players?",
    source="Wallace et al. 2019, section 5; Chen et al. 2019, tables 2 and 4",
    columns=(
        column.text("tag"), column.text("player"), column.count("tossups"), column.share("frequency"),
        column.number("kappa", estimated=True), column.count("can know"), column.share("right in the end"),
        column.share("stumped"),
    ),
    plot=Plot.bars("tagged tossups, per cent", ""),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    may=(Need.BUZZES,),
    options=("draw",),
    unread=True,
    details=(column.text("question"), column.text("answer"), column.text("tags")),
)  # fmt: skip
def tags(given: ExperimentInputs) -> Found:
    """The table has a row for each tag and player, and for people where they buzzed; then for all tags."""
    if given.options.get("draw"):
        return _sample(given, given.questions)
    questions = given.unread_questions
    reviews = given.app.store.tag_reviews([one.key for one in questions])
    found: list[tuple[SourceQuestion, tuple[str, ...]]] = []
    for one in questions:
        given_tags = final_tags(reviews.get(one.key))
        if given_tags is None:
            given.left_out["tossups that nobody tagged, or on whose tags nobody decided"] += 1
        else:
            found.append((one, given_tags))
    disputed = {tag for review in reviews.values() for of in review.tags.values() for tag in of}
    if not found and not disputed:
        raise refuse(
            f"None of {counted_noun(len(questions), 'tossup')} is tagged.",
            "Name a set of the database whose tossups were tagged, or select some in the queue.",
        )
    tagged = [one for one, _ in found]
    names = sorted({tag for _, of in found for tag in of} | disputed)
    games = given.summaries(tagged)
    kappas = _kappas(names, list(reviews.values()))  # disputed tossups, too: kappa is about agreeing
    rows: list[list[Cell]] = []
    frequencies = {}
    for name in (*names, EVERY):
        members = [at for at, (_, of) in enumerate(found) if name == EVERY or name in of]
        frequencies[name] = share_of(len(members), len(found))
        rows += [
            _row(name, player, [played[at] for at in members], frequencies[name], kappas.get(name))
            for player, played in games.items()
        ]
        if given.buzzes_from:
            keys = {tagged[at].key for at in members}
            rooms = [room for room in given.rooms if room.key in keys]
            rows.append(_people_row(name, rooms, given.seed, frequencies[name]))
    series = [Series.of("tossups with the tag", names, [frequencies[name] for name in names])]
    details: list[list[Cell]] = [[one.key, one.title, ", ".join(of)] for one, of in found]
    remarks = [
        "Frequencies and accuracies have Wilson's intervals. Kappa is Cohen's for two taggers and Fleiss' "
        "for more, of all tossups that they tagged without seeing each other's tags, disputed ones too, with "
        "a jackknife interval. In the other columns, tags that taggers dispute count once somebody decided; "
        "those of a single tagger count as they are.",
    ]
    if given.buzzes_from:
        remarks.append(
            "People are right in the end in a room that was answered; the interval is by bootstrap over "
            "tossups."
        )
    return Found(rows, _sentence(names, frequencies, rows), series, remarks, details)


def _sample(given: ExperimentInputs, questions: Sequence[SourceQuestion]) -> Found:
    """A sample to be tagged: of each category its share of the set, drawn by the seed."""
    wanted = given.whole_option("draw", len(questions), 1, len(questions))
    of_category: dict[str, list[SourceQuestion]] = {}
    for one in questions:
        of_category.setdefault(one.category or "no category", []).append(one)
    sizes = {name: wanted * len(of) // len(questions) for name, of in of_category.items()}
    rests = sorted(of_category, key=lambda name: (-(wanted * len(of_category[name]) % len(questions)), name))
    for name in rests[: wanted - sum(sizes.values())]:
        sizes[name] += 1
    rows: list[list[Cell]] = []
    details: list[list[Cell]] = []
    for name, of in sorted(of_category.items()):
        order = generator(given.seed, f"sample {name}").permutation(len(of))
        chosen = sorted(order[: sizes[name]].tolist())
        frequency = share_of(len(chosen), len(of))
        rows.append([f"drawn of {name}", "", len(chosen), frequency, None, None, None, None])
        details += [[of[at].key, of[at].title, ""] for at in chosen]
    return Found(
        rows,
        f"{counted_noun(wanted, 'tossup')} of {len(questions):,} {'is' if wanted == 1 else 'are'} drawn to "
        "be tagged; tags.questions.csv names them.",
        remarks=[
            "Each category has its share of the sample. The frequency is the share of the category that is "
            "drawn. Tag what is drawn with Review > Tag tossups, where nobody sees the tags of others before "
            "two have tagged all."
        ],
        details=details,
    )


def final_tags(review: Review | None) -> tuple[str, ...] | None:
    """The tags of a tossup: as decided or agreed, else those of its only tagger; None where disputed."""
    if review is None or not review.tags:
        return None
    final = decided(review)
    if final is not None:
        return final
    return next(iter(review.tags.values())) if len(review.tags) == 1 else None


def _kappas(names: Sequence[str], reviews: Sequence[Review]) -> Mapping[str, Estimate]:
    """The kappa of each tag over the tossups that the most usual number of people tagged blind."""
    blind = [
        {person: frozenset(of) for (round_of, person), of in review.tags.items() if round_of is Round.BLIND}
        for review in reviews
    ]
    sizes = [len(of) for of in blind if len(of) > 1]
    if not sizes:
        return {}
    usual = max(set(sizes), key=lambda size: (sizes.count(size), size))
    compared = [of for of in blind if len(of) == usual]
    people = {person for of in compared for person in of}
    return {
        name: _estimate(
            estimate_kappa(
                [[name in of[person] for person in sorted(of)] for of in compared], same_two=len(people) == 2
            )
        )
        for name in names
    }


def _estimate(one: KappaEstimate) -> Estimate:
    return Estimate(one.number, one.kappa, one.low, one.high)


def _row(
    name: str, player: str, games: Sequence[PlaySummary], frequency: Estimate, kappa: Estimate | None
) -> list[Cell]:
    known = [game for game in games if game.knowable]
    return [
        name, player, len(games), frequency, kappa, len(known),
        share_of(sum(game.right_after(100) for game in known), len(known)),
        share_of(sum(game.stumped() for game in known), len(known)),
    ]  # fmt: skip


def _people_row(name: str, rooms: Sequence[PlayedRoom], seed: int, frequency: Estimate) -> list[Cell]:
    """The row of people on the tossups with a tag that were played."""
    played = sample_of(rooms)
    answered = people_estimates(played, seed)[CURVE + 99] if rooms else Estimate(0)
    return [name, PEOPLE, len(played.sums), frequency, None, len(played.sums), answered, None]


def _sentence(
    names: Sequence[str], frequencies: Mapping[str, Estimate], rows: Sequence[Sequence[Cell]]
) -> str:
    number_of = frequencies[EVERY].number
    if not number_of:
        return "On the tags of every tagged tossup, taggers differ, and nobody decided."
    if not names:
        return f"No tag is on any of {counted_noun(number_of, 'tagged tossup')}."
    usual = max(names, key=lambda name: (frequencies[name].value or 0.0, name))
    said = (
        f"The most usual tag is {usual}, on {100 * (frequencies[usual].value or 0.0):.0f} % of "
        f"{counted_noun(number_of, 'tagged tossup')}"
    )
    right = [
        (row[6].value, str(row[0]), str(row[1]), row[6].number)
        for row in rows
        if row[0] != EVERY and isinstance(row[6], Estimate) and row[6].value is not None
    ]
    if of_players := [one for one in right if one[2] != PEOPLE]:
        value, tag, player, number = min(of_players)
        said += (
            f"; {player_title(player)} does worst on {tag}, with {100 * value:.0f} % of "
            f"{counted_noun(number, 'tossup')} right in the end"
        )
    if of_people := [one for one in right if one[2] == PEOPLE]:
        value, tag, _, number = min(of_people)
        rooms = counted_noun(number, "room")
        said += f"; people do worst on {tag}, where {100 * value:.0f} % of {rooms} answered"
    return f"{said}."
