"""AdvScore: is a question hard for players because it is adversarial, or because it is bad?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.experiments import column
from quizwriter.experiments.inference import Floats, generator, grouped_mean, mean_estimates
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.people import percent
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.experiments.response_theory import ResponseModel, fit_responses
from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.wording import counted_noun, player_title

FEWEST_TEAMS = 10
"""Teams that the fit needs."""

FEWEST_RESPONSES = 5
"""Responses of teams that a question needs, and of questions that a team needs."""

FEWEST_QUESTIONS = 10
"""Questions that the fit needs."""

EASY, HARD = 0.9, 0.1
"""From this chance on a question is easy, up to this chance hard."""

ALL_PLAYERS = "all players"
AMBIGUOUS, FOR_NOBODY, FOR_ALL = "ambiguous", "easy for nobody", "easy for all"


def team_responses(rooms: Sequence[PlayedRoom]) -> list[tuple[str, str, bool]]:
    """What each team made of each tossup that it heard: the team, the tossup's key, and whether it was right.

    A team that had no chance, because another was right before it buzzed, is missing and not wrong. Of a
    game, those teams are known that buzzed in it.
    """
    teams: dict[str, set[str]] = {}
    for one in rooms:
        teams.setdefault(one.room.room, set()).update(buzz.team for buzz in one.room.buzzes)
    found = []
    for one in rooms:
        buzzed: dict[str, bool] = {}
        for buzz in one.room.buzzes:
            buzzed.setdefault(buzz.team, buzz.right)
            if buzz.right:
                buzzed[buzz.team] = True
                break
        answered = any(buzzed.values())
        for team in sorted(teams[one.room.room]):
            if team in buzzed:
                found.append((team, one.key, buzzed[team]))
            elif not answered:
                found.append((team, one.key, False))
    return found


class _Scores(msgspec.Struct, frozen=True):
    """The parts of AdvScore of each question, for some players."""

    people: Floats
    players: Floats
    kappa: Floats
    delta: Floats

    @property
    def margin(self) -> Floats:
        return self.people - self.players

    @property
    def score(self) -> Floats:
        return np.asarray(self.margin * (1 + self.kappa) / (1 + self.delta), dtype=np.float64)

    def flags(self, negative: npt.NDArray[np.bool_]) -> list[str]:
        """What is wrong with each question; empty where nothing is."""
        return [
            AMBIGUOUS if turned
            else FOR_NOBODY if people <= HARD
            else FOR_ALL if min(people, players) >= EASY
            else ""
            for turned, people, players in zip(negative, self.people, self.players, strict=True)
        ]  # fmt: skip


def adv_scores(model: ResponseModel, people: Sequence[int], accuracies: Floats, players: Floats) -> _Scores:
    """The parts of AdvScore: of ``people``, numbers of answerers, and of ``players``, their abilities.

    The chance of people is that at their mean ability, weighted by ``accuracies``, and that of players at the
    mean of theirs. The experts are the people more than a standard deviation above the mean; delta is the
    mean distance of their chances from the mean of these.

    Source:
        Sung et al., "Is your benchmark truly adversarial? AdvScore" (NAACL 2025), and the third version of
        the score in their program.
    """
    abilities = model.abilities[list(people)]
    of_people = model.chances(float(np.average(abilities, weights=accuracies + 1e-6)))[0]
    of_players = model.chances(float(players.mean()))[0]
    experts = abilities[abilities > abilities.mean() + abilities.std()]
    chances = model.chances(experts if len(experts) else abilities.max())
    delta = np.abs(chances - chances.mean(axis=0)).mean(axis=0)
    return _Scores(of_people, of_players, -np.expm1(-model.information), np.asarray(delta, dtype=np.float64))


@experiment(
    "advscore",
    title="Adversarial or bad",
    asks="Are these questions harder for the players than for people, and are they good questions?",
    source="Sung et al. 2025 (AdvScore)",
    columns=(
        column.text("players"), column.count("questions"), column.count("teams"), column.count("responses"),
        column.share("people right"), column.share("players right"), column.share("chance of people"),
        column.share("chance of players"), column.share("margin"), column.share("information kappa"),
        column.share("disagreement delta"), column.number("AdvScore", estimated=True),
        column.share("ambiguous"), column.share("easy for nobody"), column.share("easy for all"),
    ),
    plot=Plot.dots("information kappa, per cent", "margin of people over players, points"),
    needs=(Need.QUESTIONS, Need.BUZZES, Need.PLAYERS),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.count("responses of teams"),
        column.number("discrimination", estimated=True), column.number("chance of people"),
        column.number("chance of players"), column.number("margin"), column.number("kappa"),
        column.number("delta"), column.number("AdvScore"), column.text("flag"),
    ),
)  # fmt: skip
def advscore(given: ExperimentInputs) -> Found:
    """The table has a row for all players together, and one for each."""
    given.count_unplayed()
    played = [one for one in given.resolved(given.questions) if one.key in given.rooms_by_question]
    questions = given.unread(played)
    responses = _enough(given, {one.key for one in questions}, team_responses(given.rooms))
    keys = {key for _, key, _ in responses}
    questions = tuple(one for one in questions if one.key in keys)
    number = {one.key: at for at, one in enumerate(questions)}
    games = given.summaries(questions)
    teams = sorted({team for team, _, _ in responses})
    machines = list(games)
    who = {name: at for at, name in enumerate([*teams, *(f"player {name}" for name in machines)])}
    rows = [(who[team], number[key], right) for team, key, right in responses]
    for name in machines:
        rows += [
            (who[f"player {name}"], at, game.right_after(100))
            for at, game in enumerate(games[name])
            if game.knowable
        ]
        if not any(game.knowable for game in games[name]):
            raise refuse(
                f"{player_title(name)} can know the answer of none of these questions.",
                "Name questions on pages of the bundle, or other players with --players.",
            )
    table = np.array(rows, dtype=np.int64)
    model = fit_responses(table[:, 0], table[:, 1], table[:, 2].astype(bool))
    heard = np.bincount(table[:, 0])
    accuracies = (np.bincount(table[:, 0], table[:, 2]) / heard)[: len(teams)]
    of_teams = np.bincount(table[table[:, 0] < len(teams), 1], minlength=len(questions))
    draw = generator(given.seed, "advscore")
    sets = {ALL_PLAYERS: machines} | ({name: [name] for name in machines} if len(machines) > 1 else {})
    found: list[list[Cell]] = []
    every: dict[str, _Scores] = {}
    for label, names in sets.items():
        players = model.abilities[[who[f"player {name}"] for name in names]]
        every[label] = adv_scores(model, range(len(teams)), accuracies, players)
        found.append(
            _row(label, responses, [games[name] for name in names], every[label], model, len(teams), draw)
        )
    whole = every[ALL_PLAYERS]
    flags = whole.flags(model.negative)
    details = _details(questions, of_teams, model, whole, flags)
    remarks = [
        "A two-parameter model is fitted to the responses of teams and players; a team that had no chance to "
        "answer is missing, not wrong, and players are right or wrong after the last word. The margin is the "
        "chance of people less that of players, each at their mean ability; kappa is 1 less the exponential "
        "of minus a question's information, delta the mean distance of the experts' chances. AdvScore is "
        "margin (1 + kappa) / (1 + delta); its interval is by bootstrap over questions, the fit being given.",
        "Ambiguous means that the discrimination is negative with its whole interval: the able are wrong "
        "more often. Teams that answer fast hide what slower teams knew, so chances of people are those of "
        "teams that got to answer.",
    ]
    return Found(found, _sentence(found[0]), _series(whole, flags), remarks, details)


def _enough(
    given: ExperimentInputs, known: Collection[str], responses: Sequence[tuple[str, str, bool]]
) -> list[tuple[str, str, bool]]:
    """The responses to the ``known`` questions, of questions and teams that have enough of them."""
    kept = [one for one in responses if one[1] in known]
    for _ in range(3):  # leaving a team out may leave a question with too few, and the other way
        for column_at, what in ((1, "questions"), (0, "teams")):
            counts: dict[str, int] = {}
            for one in kept:
                counts[str(one[column_at])] = counts.get(str(one[column_at]), 0) + 1
            thin = {name for name, number in counts.items() if number < FEWEST_RESPONSES}
            if thin:
                given.left_out[f"{what} with fewer than {FEWEST_RESPONSES} responses of teams"] += len(thin)
            kept = [one for one in kept if one[column_at] not in thin]
    teams, questions = len({one[0] for one in kept}), len({one[1] for one in kept})
    if teams < FEWEST_TEAMS or questions < FEWEST_QUESTIONS:
        raise refuse(
            f"{counted_noun(questions, 'question')} and {counted_noun(teams, 'team')} have "
            f"{FEWEST_RESPONSES} responses or more; AdvScore needs {FEWEST_QUESTIONS} and {FEWEST_TEAMS}.",
            "Name buzzes of more rooms.",
        )
    if len({right for _, _, right in kept}) < 2:
        raise refuse(
            "All responses of teams are alike, so nothing tells the questions apart.",
            "Name buzzes of other rooms.",
        )
    return kept


def _row(
    label: str,
    responses: Sequence[tuple[str, str, bool]],
    games: Sequence[Sequence[PlaySummary]],
    scores: _Scores,
    model: ResponseModel,
    teams: int,
    draw: np.random.Generator,
) -> list[Cell]:
    columns = np.column_stack([
        scores.people, scores.players, scores.margin, scores.kappa, scores.delta, scores.score,
    ])  # fmt: skip
    flags = scores.flags(model.negative)
    people_right, means = _share_right(responses, draw), mean_estimates(columns, draw)
    return [
        label, len(columns), teams, len(responses), people_right, _players_right(games, draw), *means,
        *(share_of(flags.count(flag), len(flags)) for flag in (AMBIGUOUS, FOR_NOBODY, FOR_ALL)),
    ]  # fmt: skip


def _share_right(responses: Sequence[tuple[str, str, bool]], draw: np.random.Generator) -> Estimate:
    """The share of right responses, by bootstrap over tossups."""
    number: dict[str, int] = {}
    places = np.array([number.setdefault(key, len(number)) for _, key, _ in responses], dtype=np.int64)
    right = np.array([float(one) for _, _, one in responses])
    return grouped_mean(right, places, draw)[0]


def _players_right(games: Sequence[Sequence[PlaySummary]], draw: np.random.Generator) -> Estimate:
    """The share of right games; of several players by bootstrap over tossups, too."""
    known = [(at, game.right_after(100)) for of in games for at, game in enumerate(of) if game.knowable]
    places, right = zip(*known, strict=True)
    if len(games) == 1:
        return share_of(sum(right), len(right))
    return grouped_mean(np.array(right, dtype=np.float64), np.array(places), draw)[0]


def _details(
    questions: Sequence[SourceQuestion],
    of_teams: npt.NDArray[np.int64],
    model: ResponseModel,
    scores: _Scores,
    flags: Sequence[str],
) -> list[list[Cell]]:
    reach = 1.959964 * model.discrimination_errors
    return [
        [
            one.key, one.title, int(of_teams[at]),
            Estimate(
                int(of_teams[at]),
                float(model.discriminations[at]),
                float(model.discriminations[at] - reach[at]),
                float(model.discriminations[at] + reach[at]),
            ),
            *(float(part[at]) for part in (
                scores.people, scores.players, scores.margin, scores.kappa, scores.delta, scores.score,
            )),
            flags[at],
        ]
        for at, one in enumerate(questions)
    ]  # fmt: skip


def _series(scores: _Scores, flags: Sequence[str]) -> list[Series]:
    names: Mapping[str, str] = {
        "": "not flagged",
        AMBIGUOUS: AMBIGUOUS,
        FOR_NOBODY: FOR_NOBODY,
        FOR_ALL: FOR_ALL,
    }
    found = []
    for flag, label in names.items():
        places = [at for at, one in enumerate(flags) if one == flag]
        if places:
            found.append(Series(label, scores.kappa[places].tolist(), scores.margin[places].tolist()))
    return found


def _sentence(row: Sequence[Cell]) -> str:
    margin, score, ambiguous = row[8], row[11], row[12]
    assert isinstance(margin, Estimate)
    assert isinstance(score, Estimate)
    assert isinstance(ambiguous, Estimate)
    said = (
        f"On {counted_noun(int(str(row[1])), 'question')} the margin of people over the players is "
        f"{100 * (margin.value or 0.0):+.1f} points"
    )
    if margin.low is not None and margin.high is not None:
        said += f" ({100 * margin.low:+.1f} to {100 * margin.high:+.1f})"
    return f"{said} and AdvScore {score.value or 0.0:.3f}; {percent(ambiguous.value)} of these are ambiguous."
