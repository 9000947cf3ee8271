"""Plans of trainings: the same data with other seeds, fewer sources, or tossups that were attacked.

Each training is small, on some pages of the bundle; :mod:`quizwriter.experiments.training_process` runs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import pstdev

import msgspec
import numpy as np
import numpy.typing as npt

from index_builder.trials import (
    PACKETS,
    SOURCES,
    Trial,
    TrialAnswer,
    TrialPlayer,
    TrialRequest,
    TrialText,
)
from quizwriter.domain.guessing import Player, PlayOutline
from quizwriter.domain.page import Page
from quizwriter.domain.past_questions import EVERY_QUESTION, QuestionKind
from quizwriter.domain.players import DAN, IR
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.library import NO_LIBRARY
from quizwriter.engine.variants import play_ends
from quizwriter.experiments.attacks import Attacker
from quizwriter.experiments.inference import Floats, generator, mcnemar, mean_estimates
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Series, refuse
from quizwriter.experiments.training_process import answers_of
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.wording import counted_noun, player_title

PAGES = {IR: 3_000, DAN: 300}
"""Pages that a player learns, unless ``--classes`` says another number."""

ROWS = {IR: 1_000_000, DAN: 3_000}
"""Past tossups that a player learns at most, unless ``--rows`` says another number."""

MATRIX_ROWS = 1_000
"""The same for a matrix, where half of them are attacked."""

SEEDS = 10
"""Trainings with other seeds."""

SHARES = (0.8, 0.6, 0.4, 0.2)
"""The shares of the passages that an ablation keeps."""

LADDER = ("addone", "addsent", "addany")
"""The attacks of the matrix."""


class Ground(msgspec.Struct, frozen=True):
    """What a plan stands on: the pages that are learned, the questions on them, and at most how many rows."""

    player: TrialPlayer
    pages: tuple[str, ...]
    questions: tuple[SourceQuestion, ...]
    texts: tuple[TrialText, ...]
    rows: int

    @classmethod
    def of(cls, given: ExperimentInputs, player: TrialPlayer, rows: int | None = None) -> Ground:
        """The ground of ``player``: pages of the questions that the seed draws, for IR with others."""
        engine = given.engine
        most = given.whole_option("classes", PAGES[player], 2, 1_000_000)
        counts = np.rint(np.expm1(engine.retrieval.log_tossup_counts)).astype(np.int64)
        found: dict[int, list[SourceQuestion]] = {}
        for one in given.unread_questions:
            answer = one.tossup.answer
            row = -1 if answer is None else engine.pages.rows.get(answer.key, -1)
            if row < 0 or not counts[row]:
                given.left_out["questions on whose pages the bundle has no past tossup"] += 1
            else:
                found.setdefault(row, []).append(one)
        if not found:
            raise refuse(
                "None of these questions is on a page that past tossups of the bundle ask for.",
                "Name questions on answers of the bundle.",
            )
        draw = generator(given.seed, "pages")
        chosen = draw.permutation(sorted(found))[:most].tolist()
        dropped = sum(len(of) for row, of in found.items() if row not in set(chosen))
        if dropped:
            given.left_out["questions on pages beyond --classes"] += dropped
        questions = tuple(one for row in chosen for one in found[row])
        if player == IR and len(chosen) < most:
            others = np.flatnonzero((counts > 0) & ~np.isin(np.arange(len(counts)), chosen))
            chosen += draw.permutation(others)[: most - len(chosen)].tolist()
        return cls(
            player,
            tuple(str(engine.pages.all[row]) for row in sorted(chosen)),
            questions,
            tuple(trial_text(one.tossup) for one in questions),
            given.whole_option("rows", ROWS[player] if rows is None else rows, 10, 10_000_000),
        )

    def request(
        self, given: ExperimentInputs, trials: Sequence[Trial], texts: Sequence[TrialText] = ()
    ) -> TrialRequest:
        """The ``trials`` on this ground; ``texts`` come behind those of the questions."""
        return TrialRequest(
            str(given.engine.folder), self.pages, (*self.texts, *texts), tuple(trials), self.rows
        )

    @property
    def remark(self) -> str:
        rows = f", of {self.rows:,} past tossups at most" if self.rows < ROWS[IR] else ""
        return (
            f"{player_title(self.player)} learns {counted_noun(len(self.pages), 'page')} of the bundle here"
            f"{rows}, and is asked {counted_noun(len(self.questions), 'question')} on them; its accuracy is "
            "not that of the whole bundle."
        )


def trial_text(tossup: Tossup) -> TrialText:
    assert tossup.answer is not None
    return TrialText(tossup.text, tossup.answer.line, str(tossup.answer.page or tossup.answer.main))


# -- figures


def paired_rows(
    player: str,
    labels: tuple[str, str],
    asked: int,
    right: Floats,
    stumped: npt.NDArray[np.bool_],
    draw: np.random.Generator,
) -> list[list[Cell]]:
    """Two rows: before, and after with the change. ``right`` and ``stumped`` are ``[questions, 2]``."""
    number = len(right)
    shown = mean_estimates(np.column_stack([right, right[:, 1] - right[:, 0]]), draw)
    was, still = int(stumped[:, 0].sum()), int((stumped[:, 0] & stumped[:, 1]).sum())
    same: list[Cell] = [asked, number]
    return [
        [player, labels[0], "these", 1, *same, shown[0], None, None, share_of(was, number), None, None],
        [
            player, labels[1], "these", 1, *same, shown[1], shown[2], None,
            share_of(int(stumped[:, 1].sum()), number), share_of(still, was),
            _moved(right[:, 0], right[:, 1]),
        ],
    ]  # fmt: skip


def _moved(before: Floats, after: Floats) -> float | None:
    """McNemar's p of the questions that are right on one side only."""
    return mcnemar(int((after > before).sum()), int((after < before).sum())).p


def _complement(one: Estimate) -> Estimate:
    value, low, high = (None if edge is None else 1 - edge for edge in (one.value, one.high, one.low))
    return Estimate(one.number, value, low, high)


def _right(answers: Sequence[TrialAnswer], known: Sequence[int]) -> list[float]:
    return [float(answers[at].right) for at in known]


def _known(given: ExperimentInputs, ground: Ground, answers: Sequence[TrialAnswer]) -> list[int]:
    """The questions whose answers a player can know that learned all there is."""
    known = [at for at in range(len(ground.questions)) if answers[at].knows]
    title = player_title(ground.player)
    if left := len(ground.questions) - len(known):
        given.left_out[f"questions whose answers {title} cannot know"] += left
    if not known:
        raise refuse(
            f"{title} can know the answer of none of these questions.", "Name questions on its pages."
        )
    return known


def run_seeds(given: ExperimentInputs) -> Found:
    """The same data, other seeds: how far accuracy spreads, and what a seed's stumps are worth."""
    number = given.whole_option("seeds", SEEDS, 2, 100)
    ground = Ground.of(given, DAN)
    tests = tuple(range(len(ground.questions)))
    trials = [Trial(DAN, tests, seed=given.seed + at) for at in range(number)]
    answers = answers_of(given, ground.request(given, trials))
    known = _known(given, ground, answers[0])
    right = np.array([_right(one, known) for one in answers]).T  # [questions, seeds]
    draw = generator(given.seed, "seeds")
    missed = right[:, 0] == 0
    rows: list[list[Cell]] = []
    means = mean_estimates(np.column_stack([right, right.mean(axis=1)]), draw)
    changes = mean_estimates(right - right[:, :1], draw)
    for at in range(number):
        still, first = int((right[missed, at] == 0).sum()), at == 0
        rows.append(
            [
                DAN, f"seed {given.seed + at}", "these", 1, len(tests), len(known), means[at],
                None if first else changes[at], None, share_of(int((right[:, at] == 0).sum()), len(known)),
                None if first else share_of(still, int(missed.sum())),
                None if first else _moved(right[:, 0], right[:, at]),
            ]
        )  # fmt: skip
    spread = pstdev(right.mean(axis=0).tolist())
    of_missed = mean_estimates((right[missed][:, 1:] == 0).mean(axis=1)[:, None], draw)[0]
    every = int((right == 0).all(axis=1).sum())
    rows.append(
        [
            DAN, f"all {number} seeds", "these", number, len(tests), len(known), means[-1], None, spread,
            share_of(every, len(known)), of_missed, None,
        ]
    )  # fmt: skip
    accuracy = right.mean(axis=0)
    answered = 1 - of_missed.value if of_missed.value is not None else None
    sentence = (
        f"{number} networks that differ by their seed alone are right on {_percent(means[-1].value)} of "
        f"{counted_noun(len(known), 'question')}, from {_percent(accuracy.min())} to "
        f"{_percent(accuracy.max())}; "
    )
    if missed.any():
        sentence += (
            f"of the {int(missed.sum()):,} that the first gets wrong, another answers {_percent(answered)} "
            f"in the mean, and {every:,} stump all."
        )
    else:
        sentence += "the first gets none wrong."
    return Found(
        rows,
        sentence,
        [Series.of("DAN", [str(row[1]) for row in rows], [row[6] for row in rows])],
        [
            ground.remark,
            "Stumped means wrong after the last word. Intervals are by bootstrap over questions; the spread "
            "is the standard deviation of the accuracies of the seeds.",
        ],
        [
            [
                ground.questions[at].key, ground.questions[at].title, None, "yes",
                "yes" if right[place, 0] else "no", f"{int(right[place, 1:].sum())} of {number - 1}", "", "",
            ]
            for place, at in enumerate(known)
        ],
    )  # fmt: skip


def run_ablation(given: ExperimentInputs, players: Sequence[TrialPlayer]) -> Found:
    """Fewer sources: what each is worth, and how accuracy grows with how much is learned."""
    rows: list[list[Cell]] = []
    series, sentences, remarks = [], [], []
    for player in players:
        ground = Ground.of(given, player)
        found = _ablated(given, ground)
        rows += found
        series.append(
            Series.of(player_title(player), [str(row[1]) for row in found], [row[6] for row in found])
        )
        falls = [(row[7].value, row[1]) for row in found[1:] if isinstance(row[7], Estimate)]
        worst = min(((value, label) for value, label in falls if value is not None), key=lambda one: one[0])
        whole = found[0][6]
        assert isinstance(whole, Estimate)
        lost = f"loses most {worst[1]}: {100 * -worst[0]:.1f} points" if worst[0] < 0 else "loses nothing"
        sentences.append(
            f"{player_title(player)} is right on {_percent(whole.value)} of "
            f"{counted_noun(whole.number, 'question')}, and {lost}"
        )
        remarks.append(ground.remark)
    return Found(
        rows,
        "; ".join(sentences) + ".",
        series,
        [
            *remarks,
            "The change is from what learned everything, on the questions whose answers it can know then. A "
            "share is of the passages of all sources, drawn by the seed. Stumped means wrong after the last "
            "word.",
        ],
    )


def _ablated(given: ExperimentInputs, ground: Ground) -> list[list[Cell]]:
    tests = tuple(range(len(ground.questions)))
    every = (*SOURCES, PACKETS) if "+" in given.engine.digest else tuple(SOURCES)
    kinds = [("everything", every, 1.0)]
    kinds += [
        (f"without {source}", tuple(one for one in every if one != source), 1.0)
        for source in every
        if ground.player != DAN or source != "tossups"  # its classes are the pages that tossups ask for
    ]
    kinds += [(f"with {100 * share:.0f} % of everything", every, share) for share in SHARES]
    trials = [
        Trial(ground.player, tests, sources=sources, share=share, seed=given.seed)
        for _, sources, share in kinds
    ]
    answers = answers_of(given, ground.request(given, trials))
    known = _known(given, ground, answers[0])
    right = np.array([_right(one, known) for one in answers]).T
    draw = generator(given.seed, f"ablate {ground.player}")
    means, changes = mean_estimates(right, draw), mean_estimates(right - right[:, :1], draw)
    missed = right[:, 0] == 0
    rows: list[list[Cell]] = []
    for at, (label, _, _) in enumerate(kinds):
        rows.append(
            [
                ground.player, label, "these", 1, len(tests), len(known), means[at],
                changes[at] if at else None, None, share_of(int((right[:, at] == 0).sum()), len(known)),
                share_of(int((right[missed, at] == 0).sum()), int(missed.sum())) if at else None,
                _moved(right[:, 0], right[:, at]) if at else None,
            ]
        )  # fmt: skip
    return rows


def stratified_folds(
    categories: Sequence[str], folds: int, draw: np.random.Generator
) -> npt.NDArray[np.int64]:
    """The fold of each question; every fold has its share of every category."""
    order = draw.permutation(len(categories))
    order = order[np.argsort([categories[at] for at in order], kind="stable")]
    found = np.empty(len(categories), dtype=np.int64)
    found[order] = np.arange(len(categories)) % folds
    return found


def others_of(folds: int) -> str:
    """What a sentence calls all folds but one."""
    return "fold" if folds == 2 else f"{folds - 1} folds"


def run_folds(given: ExperimentInputs, fold_count: int) -> Found:
    """K folds for a network: it learns the past tossups, then these and the questions of the other folds."""
    ground = Ground.of(given, DAN)
    number = len(ground.questions)
    if number < fold_count:
        raise refuse(
            f"{counted_noun(number, 'question')} cannot be split into {fold_count} folds.",
            "Name more questions, or fewer folds with --folds.",
        )
    draw = generator(given.seed, "folds")
    fold_of = stratified_folds([one.category for one in ground.questions], fold_count, draw)
    every = tuple(range(number))
    trials = [Trial(DAN, every, seed=given.seed)]
    for fold in range(fold_count):
        inside, others = (
            tuple(np.flatnonzero(chosen).tolist()) for chosen in (fold_of == fold, fold_of != fold)
        )
        trials.append(Trial(DAN, inside, others, seed=given.seed))
    before, *folds = answers_of(given, ground.request(given, trials))
    after = list(before)
    for trial, answers in zip(trials[1:], folds, strict=True):
        for at, answer in zip(trial.tests, answers, strict=True):
            after[at] = answer
    known = _known(given, ground, before)
    right = np.column_stack([_right(before, known), _right(after, known)])
    rows = paired_rows(DAN, ("before", "after"), number, right, right == 0, draw)
    was, still = int((right[:, 0] == 0).sum()), int((right == 0).all(axis=1).sum())
    means = right.mean(axis=0)
    sentence = (
        f"Learning the other {others_of(fold_count)} takes DAN from {_percent(means[0])} to "
        f"{_percent(means[1])} of {counted_noun(len(known), 'question')}; of {was:,} that it got wrong, it "
        f"still gets {still:,} wrong."
    )
    details: list[list[Cell]] = [
        [
            ground.questions[at].key, ground.questions[at].title, int(fold_of[at]) + 1, "yes",
            *("yes" if value else "no" for value in right[place]),
            *("no" if value else "yes" for value in right[place]),
        ]
        for place, at in enumerate(known)
    ]  # fmt: skip
    return Found(
        rows,
        sentence,
        [Series.of("DAN", ["before", "after"], [row[6] for row in rows])],
        [ground.remark, "Stumped means wrong after the last word. Every training has the same seed."],
        details,
    )


# -- the matrix


def run_matrix(given: ExperimentInputs) -> Found:
    """Train on x, test on y: past tossups and attacked ones, each with the same number of rows and seeds."""
    number = given.whole_option("seeds", SEEDS, 1, 100)
    ground = Ground.of(given, DAN, rows=MATRIX_ROWS)
    learned = _past_tossups(given, ground)
    names = ("regular", *LADDER)
    texts: list[TrialText] = []  # behind those of the questions

    def placed(tossups: Sequence[Tossup]) -> tuple[int, ...]:
        start = len(ground.texts) + len(texts)
        texts.extend(map(trial_text, tossups))
        return tuple(range(start, start + len(tossups)))

    adversary = DAN if any(player.name == DAN for player in given.engine.players) else IR
    half = len(learned) // 2
    attacked = _attacked(
        given, adversary, [*learned[half:], *(one.tossup for one in ground.questions)], LADDER
    )
    tests = {"regular": tuple(range(len(ground.texts)))}
    for name in LADDER:
        tests[name] = placed(attacked[name][len(learned) - half :])
    regular, rest = placed(learned[:half]), placed(learned[half:])
    sets = {"regular": (*regular, *rest)}
    for name in LADDER:
        sets[name] = (*regular, *placed(attacked[name][: len(learned) - half]))
    asked = tuple(at for name in names for at in tests[name])
    trials = [
        Trial(DAN, asked, sets[name], sources=(), seed=given.seed + seed)
        for name in names
        for seed in range(number)
    ]
    answers = answers_of(given, ground.request(given, trials, texts))
    size = len(ground.questions)
    known = _known(given, ground, answers[0])
    right = np.array([[one.right for one in of] for of in answers], np.float64)
    right = right.reshape(len(names), number, len(names), size)[..., known]  # trained, seed, tested, question
    draw = generator(given.seed, "matrix")
    rows: list[list[Cell]] = []
    series = []
    for at, name in enumerate(names):
        label = "regular" if name == "regular" else f"half {_TITLES[name]}"
        own = right[at].mean(axis=0)  # tested, question
        change = own - right[0].mean(axis=0)
        means, changes = mean_estimates(own.T, draw), mean_estimates(change.T, draw)
        for place, test in enumerate(names):
            rows.append(
                [
                    DAN, label, _TITLES.get(test, test), number, size, len(known), means[place],
                    changes[place] if at else None,
                    pstdev(right[at, :, place].mean(axis=1).tolist()) if number > 1 else None,
                    _complement(means[place]), None, None,
                ]
            )  # fmt: skip
        series.append(Series.of(label, [_TITLES.get(test, test) for test in names], means))
    return Found(
        rows,
        _matrix_sentence(names, right),
        series,
        [
            ground.remark,
            f"Every training has {len(learned):,} tossups: regular ones, or half of them attacked. They are "
            f"attacked against {player_title(adversary)} of the bundle, as the experiment whatif does, and "
            "so are the questions. The change is from the training on regular tossups, on the same test.",
            f"{counted_noun(number, 'seed')} each. Intervals are by bootstrap over questions of the mean "
            "over the seeds; the spread is the standard deviation of the accuracies of the seeds.",
        ],
    )


_TITLES = {"addone": "AddOneSent", "addsent": "AddSent", "addany": "AddAny"}


def _matrix_sentence(names: Sequence[str], right: Floats) -> str:
    means = right.mean(axis=(1, 3))
    gains = [
        f"{_percent(means[at, at])} of {_TITLES[name]} (with regular ones {_percent(means[0, at])})"
        for at, name in enumerate(names)
        if at
    ]
    kept = ", ".join(_percent(means[at, 0]) for at in range(1, len(names)))
    return (
        f"Trained on what was attacked, DAN gets {', '.join(gains)}; of regular questions it then gets "
        f"{kept}, and {_percent(means[0, 0])} without."
    )


def _past_tossups(given: ExperimentInputs, ground: Ground) -> list[Tossup]:
    """Past tossups on the pages, none of which is held back, in an order that the seed draws."""
    library = given.engine.library
    if library is None:
        raise NO_LIBRARY
    unread = frozenset(library.tossups(EVERY_QUESTION)[0])
    found = [
        Tossup(one.text, Answer(one.line, Page(page)))
        for page in given.watched("Reading past tossups", ground.pages)
        for one in library.questions_on(page)
        if one.kind is QuestionKind.TOSSUP and one.number not in unread
    ]
    order = generator(given.seed, "rows").permutation(len(found))[: ground.rows].tolist()
    if len(order) < 2:
        raise refuse("The bundle has too few past tossups on these pages.", "Name more questions.")
    return [found[at] for at in order]


def _attacked(
    given: ExperimentInputs, adversary: str, tossups: Sequence[Tossup], attacks: Sequence[str]
) -> dict[str, list[Tossup]]:
    """What each attack makes of ``tossups`` against ``adversary``; the tossup where it makes nothing."""
    found: dict[str, list[Tossup]] = {name: [] for name in attacks}

    def ends(player: Player, tossup: Tossup, variants: Sequence[Tossup]) -> Sequence[PlayOutline]:
        return list(play_ends(player, tossup, variants))

    attacker = Attacker(given.engine, given.seed, ends)
    with given.app.engines.batch_players(given.engine, given.cancellation) as batch:
        player = next(one for one in batch.players if one.name == adversary)
        for number, tossup in enumerate(given.watched("Attacking tossups", tossups)):
            (before,) = ends(player, tossup, [tossup])
            for name in attacks:
                made = attacker.attacked(name, player, str(number), tossup, before)
                found[name].append(tossup if made is None else made.variant)
    return found


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
