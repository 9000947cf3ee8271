"""Skills: is who answers a tossup a matter of one ability, or of an ability in each category?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.experiments import column
from quizwriter.experiments.advscore import team_responses
from quizwriter.experiments.inference import Floats, generator, grouped_mean
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.registry import (
    Cell,
    Found,
    Need,
    Plot,
    Series,
    experiment,
    measured,
    refuse,
    signed,
)
from quizwriter.experiments.response_theory import Effects, Places, fit_effects
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.wording import counted_noun, player_title

FEWEST_QUESTIONS = 20
"""Tossups of a category that is a skill."""

FEWEST_RESPONDENTS = 10
"""Teams or people whose skills are fitted."""

FEWEST_RESPONSES = 10
"""Responses to a tossup from which the skill that it needs is told."""

CHANCE = 0.025
"""The share of tossups that would be said to need a skill if none did."""

FOLDS = 5
"""Parts of the responses, or of the tossups, each of which is held out once."""

SPREADS = (0.1, 0.3, 0.9)
"""How far the skills of a respondent may spread around the ability, in log-odds."""

TEAMS, PEOPLE = "teams", "people"
KNOWN, NEW = "other responses", "new tossups"
"""What is held out: responses to tossups that others answered, or whole tossups."""

_PLAYER = "player "
"""How players are called among the respondents."""

_NEWTON_STEPS = 6
_LEVEL_VARIANCE = 1.0  # of how hard a new tossup is, when it is asked what it needs

Response = tuple[str, str, bool]


class _Responses(msgspec.Struct, frozen=True):
    """Who was right on what, as numbers: of respondents, of tossups, and of each tossup's skill."""

    who: Places
    question: Places
    skill: Places
    right: npt.NDArray[np.bool_]
    respondents: Sequence[str]
    questions: Sequence[str]
    skills: Sequence[str]

    def part(self, chosen: npt.NDArray[np.bool_]) -> _Responses:
        """The ``chosen`` responses, with the numbers of all."""
        return _Responses(
            self.who[chosen], self.question[chosen], self.skill[chosen], self.right[chosen],
            self.respondents, self.questions, self.skills,
        )  # fmt: skip

    @property
    def parts(self) -> list[Places]:
        """What a response has an effect of: its tossup, the skill, who responds, and this one's skill."""
        return [self.question, self.skill, self.who, self.who * len(self.skills) + self.skill]

    @property
    def sizes(self) -> list[int]:
        respondents, skills = len(self.respondents), len(self.skills)
        return [len(self.questions), skills, respondents, respondents * skills]


class _Model(msgspec.Struct, frozen=True):
    """Effects on the log-odds: how hard each tossup and skill is for all, and the ability of each respondent.

    ``skills`` are how far each respondent is off the own ability in each skill; 0 with one ability.
    """

    effects: Effects
    abilities: Floats
    skills: Floats

    @classmethod
    def of(cls, known: _Responses, begin: Effects | None = None, *, able: bool = True) -> _Model:
        """The model fitted to ``known`` responses; without ``able``, all respondents are alike.

        Respondents have skills if ``begin`` has these; see :func:`fit_effects`.
        """
        parts, sizes = known.parts, known.sizes
        number = len(begin.parts) if begin is not None else 3 if able else 2
        found = fit_effects(parts[:number], sizes[:number], known.right, begin)
        zeros = [np.zeros(size) for size in sizes[number:]]
        abilities, own = [*found.parts, *zeros][2:]
        return cls(found, abilities, own.reshape(len(known.respondents), len(known.skills)))

    @classmethod
    def skilled(cls, known: _Responses, one: _Model, inner: npt.NDArray[np.bool_]) -> _Model:
        """The model with skills; how far they spread is what tells the ``inner`` part of ``known`` best.

        All else begins as in the model ``one`` with one ability, and keeps its variances.
        """
        learned, asked = known.part(~inner), known.part(inner)
        single = one.effects
        tried: list[tuple[float, _Model]] = []
        for spread in SPREADS:
            skills = tried[-1][1].effects.parts[3] if tried else np.zeros(known.sizes[3])
            begin = Effects(single.constant, [*single.parts, skills], [*single.variances, spread**2])
            model = cls.of(learned, begin)
            tried.append((float(model.losses(asked).sum()), model))
        best = min(tried, key=lambda one: one[0])[1]
        return cls.of(known, best.effects)

    def losses(self, of: _Responses) -> Floats:
        levels, categories = self.effects.parts[:2]
        logits = self.effects.constant + self.abilities[of.who] + self.skills[of.who, of.skill]
        return _losses(logits + levels[of.question] + categories[of.skill], of.right)

    def losses_of_new(self, of: _Responses, skill: int | None) -> Floats:
        """The log loss of each response to new tossups, were all of ``skill``; None: of none.

        How hard each tossup is, is fitted to its own responses.
        """
        from scipy.special import expit

        logits = self.effects.constant + self.abilities[of.who]
        if skill is not None:
            logits = logits + self.skills[of.who, skill]
        number = len(of.questions)
        levels = np.zeros(number)
        for _ in range(_NEWTON_STEPS):
            chances = expit(logits + levels[of.question])
            bend = np.bincount(of.question, chances * (1 - chances), number) + 1 / _LEVEL_VARIANCE
            slope = np.bincount(of.question, of.right - chances, number) - levels / _LEVEL_VARIANCE
            levels += slope / bend
        return _losses(logits + levels[of.question], of.right)


def _losses(logits: Floats, right: npt.NDArray[np.bool_]) -> Floats:
    return np.asarray(np.logaddexp(0.0, logits) - right * logits, dtype=np.float64)


class _HeldOut(msgspec.Struct, frozen=True):
    """The log loss of each response while it was held out, by each model; see :func:`_held_out`.

    ``needs`` has for each skill what each response's loss is less than with one dimension, if its tossup were
    of that skill: shape (skills, responses).
    """

    alike: Floats
    one: Floats
    skilled: Floats
    needs: Floats


def _held_out(given: ExperimentInputs, of: _Responses, folds: Places, label: str, *, new: bool) -> _HeldOut:
    """The losses of each fold by models of the other folds; ``new`` says that folds are of whole tossups."""
    alike, one, skilled = (np.zeros(len(of.who)) for _ in range(3))
    needs = np.zeros((len(of.skills) if new else 0, len(of.who)))
    for fold in given.watched(f"Fitting the skills of {label}", range(FOLDS)):
        at = folds == fold
        known, asked = of.part(~at), of.part(at)
        alike[at] = _Model.of(known, able=False).losses(asked)
        single = _Model.of(known)
        several = _Model.skilled(known, single, folds[~at] == (fold + 1) % FOLDS)
        one[at], skilled[at] = single.losses(asked), several.losses(asked)
        if new:
            without = single.losses_of_new(asked, None)
            for skill in range(len(of.skills)):
                needs[skill, at] = without - several.losses_of_new(asked, skill)
    return _HeldOut(alike, one, skilled, needs)


@experiment(
    "skills",
    title="Skills",
    asks="Is one ability enough to say who answers, or does a tossup need a skill?",
    source="Gor et al. 2024 (CAIMIRA), with categories as skills",
    columns=(
        column.text("who"), column.text("held out"), column.text("tossups of"), column.count("tossups"),
        column.count("respondents"), column.number("log loss, all alike"),
        column.number("log loss, one ability"), column.number("log loss, skills"),
        column.number("gain of one ability", estimated=True), column.number("gain of skills", estimated=True),
    ),
    plot=Plot.bars("gain of skills over one ability, nats a response", shares=False),
    needs=(Need.QUESTIONS, Need.BUZZES),
    may=(Need.PLAYERS,),
    options=("machines",),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.text("category"), column.text("who"),
        column.count("responses"), column.text("needs"), column.number("gain", estimated=True),
    ),
)  # fmt: skip
def skills(given: ExperimentInputs) -> Found:
    """The table has rows of teams and of people: of all, and of the tossups of each skill."""
    given.count_unplayed()
    questions = {one.key: one for one in given.questions if one.key in given.rooms_by_question}
    rooms = [one for one in given.rooms if one.key in questions]
    responses: dict[str, list[Response]] = {TEAMS: team_responses(rooms), PEOPLE: person_responses(rooms)}
    if given.option("machines", "no", ("yes", "no")) == "yes":
        responses[TEAMS] += _player_responses(given, list(questions.values()))
    rows: list[list[Cell]] = []
    details: list[list[Cell]] = []
    said, series = [], []
    for label, told in responses.items():
        of = _numbered(given, label, told, questions)
        if of is None:
            continue
        found, needed = _measured(given, label, of)
        rows += found
        beats = all(isinstance(row[-1], Estimate) and (row[-1].low or 0.0) > 0 for row in found[:2])
        named = sum(bool(skill) for skill, _ in needed)
        by_chance = (share_of(named, len(needed)).low or 0.0) <= CHANCE
        categories = [questions[key].category for key in of.questions]
        said.append(_sentence(label, found, beats=beats))
        if beats:
            said.append(_needs_sentence(label, categories, needed, by_chance=by_chance))
        for key, category, (skill, gain) in zip(of.questions, categories, needed, strict=True):
            shown_need: list[Cell] = [skill, gain] if beats and not by_chance else ["", None]
            details.append([key, questions[key].title, category, label, gain.number, *shown_need])
        shown = [row for row in found if row[1] == NEW]
        series.append(Series.of(label, [str(row[2]) for row in shown], [row[-1] for row in shown]))
    if not rows:
        raise refuse(
            f"Skills need {FEWEST_RESPONDENTS} teams or people, and two categories of "
            f"{FEWEST_QUESTIONS} tossups that they heard.",
            "Name more questions with categories, and buzzes of more rooms.",
        )
    remarks = [
        "A skill is a category. A team is right or wrong where it had a chance, and missing where another "
        "team was right first; a person is right where nobody else gave the right answer, among all who "
        "buzzed in that game. Who plays at two tournaments may count as two.",
        "The log-odds of a response are the sum of how hard tossup and category are, one ability and, with "
        "skills, the respondent's difference from it in the category. All spreads are chosen by the "
        "responses that are not held out. Each time, a fifth of the responses or of the tossups is held out. "
        "A gain is how far the log loss falls, in nats; its interval is by bootstrap over tossups.",
        "A tossup needs the skill by which its own responses, while it was held out, are told best, if the "
        "interval of that gain, widened for the number of skills, is above 0. No need is said where skills "
        "do not beat one ability, or where no more tossups would have one than by chance "
        f"({100 * CHANCE:.1f} %).",
    ]
    return Found(rows, " ".join(said), series, remarks, details)


def person_responses(rooms: Sequence[PlayedRoom]) -> list[Response]:
    """Whether each person gave the right answer to each tossup of the games in which the person buzzed."""
    people: dict[str, set[str]] = {}
    for one in rooms:
        people.setdefault(one.room.room, set()).update(buzz.player for buzz in one.room.buzzes)
    found = []
    for one in rooms:
        first = next((buzz.player for buzz in one.room.buzzes if buzz.right), None)
        found += [(person, one.key, person == first) for person in sorted(people[one.room.room])]
    return found


def _player_responses(given: ExperimentInputs, questions: Sequence[SourceQuestion]) -> Iterator[Response]:
    """What players make of unread tossups whose answers they can know, after the last word."""
    chosen = given.unread(given.resolved(questions))
    for name, games in given.summaries(chosen).items():
        for one, game in zip(chosen, games, strict=True):
            if game.knowable:
                yield f"{_PLAYER}{name}", one.key, bool(game.right_after(100))


def _numbered(
    given: ExperimentInputs, label: str, told: Sequence[Response], questions: Mapping[str, SourceQuestion]
) -> _Responses | None:
    """The responses to tossups of skills; None if these are too few."""
    asked = Counter(questions[key].category for key in {key for _, key, _ in told})
    names = sorted(name for name, number in asked.items() if name and number >= FEWEST_QUESTIONS)
    kept = [one for one in told if questions[one[1]].category in names]
    respondents = sorted({who for who, _, _ in kept})
    left = sum(number for name, number in asked.items() if name not in names)
    if left:
        given.left_out[f"{label}: tossups of no category with {FEWEST_QUESTIONS}"] += left
    if len(names) < 2 or len(respondents) < FEWEST_RESPONDENTS or len({right for *_, right in kept}) < 2:
        given.left_out[f"{label}: responses that are too few, or all alike"] += len(kept)
        return None
    number = {who: at for at, who in enumerate(respondents)}
    keys = {key: at for at, key in enumerate(sorted({key for _, key, _ in kept}))}
    skill = {name: at for at, name in enumerate(names)}
    who, question, of_skill, right = np.array(
        [(number[who], keys[key], skill[questions[key].category], right) for who, key, right in kept],
        dtype=np.int64,
    ).T
    return _Responses(who, question, of_skill, right.astype(bool), respondents, list(keys), names)


def _measured(
    given: ExperimentInputs, label: str, of: _Responses
) -> tuple[list[list[Cell]], list[tuple[str, Estimate]]]:
    """The rows of these respondents, and what each tossup needs, with the gain of the best skill."""
    draw = generator(given.seed, f"skills {label}")
    folds = draw.permutation(len(of.who)) % FOLDS
    of_questions = (draw.permutation(len(of.questions)) % FOLDS)[of.question]
    known = _held_out(given, of, folds, label, new=False)
    new = _held_out(given, of, of_questions, label, new=True)

    def row(held_out: str, losses: _HeldOut, name: str, chosen: npt.NDArray[np.bool_]) -> list[Cell]:
        alike, one, skilled = (part[chosen] for part in (losses.alike, losses.one, losses.skilled))
        tossups = of.question[chosen]
        return [
            label, held_out, name, len(np.unique(tossups)), len(np.unique(of.who[chosen])),
            *(float(part.mean()) for part in (alike, one, skilled)),
            grouped_mean(alike - one, tossups, draw)[0], grouped_mean(one - skilled, tossups, draw)[0],
        ]  # fmt: skip

    every = np.ones(len(of.who), dtype=bool)
    rows = [row(KNOWN, known, "all", every), row(NEW, new, "all", every)]
    rows += [row(NEW, new, name, of.skill == at) for at, name in enumerate(of.skills)]
    for at, name in enumerate(of.respondents):
        if name.startswith(_PLAYER) and label == TEAMS:
            rows.append(row(KNOWN, known, player_title(name.removeprefix(_PLAYER)), of.who == at))
    return rows, list(_needs(of, new.needs))


def _needs(of: _Responses, gains: Floats) -> Iterator[tuple[str, Estimate]]:
    """For each tossup the skill that tells its responses best, or nothing, and its gain.

    The interval is widened: by chance, any skill would be named for one tossup in forty at most.
    """
    reach = NormalDist().inv_cdf(1 - CHANCE / len(of.skills))
    number = np.bincount(of.question, minlength=len(of.questions))
    means, squares = (
        np.array([np.bincount(of.question, part, len(of.questions)) for part in parts]) / number
        for parts in (gains, gains**2)
    )
    errors = np.sqrt(np.maximum(squares - means**2, 0.0) / np.maximum(number - 1, 1))
    for at, best in enumerate(means.argmax(axis=0).tolist()):
        mean, far = float(means[best, at]), reach * float(errors[best, at])
        named = number[at] >= FEWEST_RESPONSES and mean > far
        yield of.skills[best] if named else "", Estimate(int(number[at]), mean, mean - far, mean + far)


def _sentence(label: str, rows: Sequence[Sequence[Cell]], *, beats: bool) -> str:
    known, new = rows[:2]
    found = " and ".join(f"{signed(row[-1], 4)} on {row[1]}" for row in (known, new))
    told = (
        f"by skills, the log loss of their {counted_noun(measured(new[-1]).number, 'response')} to "
        f"{counted_noun(int(str(new[3])), 'tossup')}, {new[6]:.4f} on {NEW} by one ability, falls by "
        f"{found}"
    )
    if beats:
        return f"Skills predict the answers of {label} better than one ability does: {told}."
    return f"One ability predicts the answers of {label} as well as skills: {told}, no more than its error."


def _needs_sentence(
    label: str, categories: Sequence[str], needed: Sequence[tuple[str, Estimate]], *, by_chance: bool
) -> str:
    if by_chance:
        return f"No more tossups need a skill by the answers of {label} than by chance: none is named."
    own = [skill == category for category, (skill, _) in zip(categories, needed, strict=True) if skill]
    return (
        f"By the answers of {label}, {len(own):,} of {counted_noun(len(needed), 'tossup')} need a skill, "
        f"{sum(own):,} that of their own category."
    )
