"""The training of the ensemble, which orders the guesses of the other players.

It is fitted on tossups that none of the guessers has seen. The features of the candidates are worked out by
the very code that plays; training and playing cannot disagree.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from index_builder.data.corpus import passage_categories
from index_builder.training.learner import reproducible
from index_builder.training.page_classifier import tensor
from index_builder.training.training_set import Arrays, Floats
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.dan import Dan
from quizwriter.engine.ensemble import AnswerTypes, ClueKinds, EnsembleMember, PastUse, candidates
from quizwriter.engine.pages import Pages
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import TOKEN, tokenize
from quizwriter.errors import QuizwriterError

if TYPE_CHECKING:
    from sklearn.preprocessing import StandardScaler


class EnsembleExample(msgspec.Struct, frozen=True):
    """A tossup that the ensemble learns from: the features of its candidates, and which of them are right.

    Shapes:
        All three have an entry for each candidate. ``moments`` says after how many words it is a candidate:
        the candidates of one moment compete, and stand together.
    """

    features: Floats
    moments: npt.NDArray[np.int64]
    right: npt.NDArray[np.bool_]


MOMENTS = 10
"""After how many words of each tossup the ensemble is fitted: the last, and others drawn at random."""

LAYERS = (64, 32)
"""Rectified units in each of the ensemble's networks."""

FITS = 2
"""So many networks are fitted from different beginnings; one network that has them side by side is kept."""

PASSES, MINIMUM_STEPS, BATCH = 8, 150, 256
"""How often each of these networks sees everything, in how many steps at least, of how many moments each."""

RATE, DECAY = 2e-3, 1e-4
"""How far the first step goes, and what share of the weights each takes away; as in AdamW."""

UNIT_DROPOUT = 0.1
"""The share of units that are left out at random, others in each step."""

SCALED_AT_ONCE = 100_000
"""Candidates whose means and variances are counted at once: 700,000 need half a gigabyte more."""

CLIPPED_AT = 8.0
"""Standard deviations beyond which a feature is clipped."""

_NOUNS = {
    "person": """
        man woman person figure author writer poet novelist playwright composer painter artist sculptor
        architect philosopher thinker scientist physicist chemist mathematician biologist economist
        psychologist sociologist anthropologist king queen emperor ruler leader president politician general
        admiral monarch pope saint prophet theologian explorer director actor singer musician athlete player
        hero god goddess deity character sultan prime statesman critic historian essayist inventor
        astronomer
    """,
    "work": """
        work novel play poem book story opera symphony painting sculpture piece ballet film movie collection
        essay text treatise concerto song album cycle novella epic series game show statue fresco artwork
        composition sonata quartet mass oratorio musical memoir scripture
    """,
    "place": """
        place country city state nation island river lake mountain region province capital sea ocean desert
        peninsula kingdom empire building church cathedral temple palace site structure body town continent
        bay strait territory valley
    """,
    "event": """
        event battle war revolution rebellion treaty conference crisis massacre scandal incident siege
        election campaign movement period dynasty era uprising revolt festival holiday conflict act law case
        speech
    """,
    "living thing": """
        animal plant organism bird insect fish tree disease organ cell organelle protein tissue condition
        structure hormone gland virus
    """,
    "group": """
        group people tribe family organization party company band team religion sect denomination order
        school society house
    """,
    "thing": """
        thing quantity element compound substance process phenomenon effect law theorem equation function
        concept idea principle theory reaction particle property object technique method instrument language
        word term number operation device model statement space set food drink color material mineral metal
        gas
    """,
}  # nouns after "this" in tossups, by the kind of answer they stand for; the first kind with a noun counts
TYPE_OF = {noun: kind for kind, nouns in reversed(_NOUNS.items()) for noun in nouns.split()}


def tossup_types(bundle: Bundle) -> tuple[list[str], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The names of the types; and the passage and the type of each tossup in ``bundle`` that has one.

    A type is a category, and the kind of answer that most nouns after "this" in the tossup stand for.
    """
    texts, kinds = bundle.texts("passages/texts"), bundle.array("passages/kinds.npy")
    names, category = passage_categories(bundle)
    typed: list[tuple[int, str]] = []
    for place in np.flatnonzero(kinds == PassageKind.TOSSUP).tolist():
        words = [word.lower() for word in TOKEN.findall(texts[place])]
        found = Counter(
            TYPE_OF[noun] for this, noun in pairwise(words) if this in {"this", "these"} and noun in TYPE_OF
        )
        kind = found.most_common(1)[0][0] if found else ""
        if kind or names[category[place]]:
            typed.append((place, f"{names[category[place]]} {kind}".strip()))
    common = [name for name, count in Counter(name for _, name in typed).most_common() if count >= 5]
    number = {name: place for place, name in enumerate(common)}
    used = [(place, number[name]) for place, name in typed if name in number]
    return (
        common,
        np.asarray([place for place, _ in used], np.int64),
        np.asarray([one for _, one in used], np.int64),
    )


MOST_TYPED = 40_000
"""Tossups at most from which the types of answers are learned."""


def fit_types(bundle: Bundle, dan: Dan | None, seed: int) -> Arrays:
    """The arrays of :class:`quizwriter.engine.ensemble.AnswerTypes`, from the tossups in ``bundle``.

    Without a DAN there are none.
    """
    if dan is None:
        return {}
    from sklearn.linear_model import LogisticRegression

    names, passages, labels = tossup_types(bundle)
    classes = dan.classes
    width = dan.width
    random = np.random.default_rng(seed)
    chosen = random.permutation(len(passages))[:MOST_TYPED]
    texts = bundle.texts("passages/texts")
    means, wanted = [], []
    for one in chosen.tolist():
        moments, found = dan.means(tokenize(Tossup(texts[int(passages[one])])))
        if moments:
            # a copy: a row alone would keep the means of all moments, 2 GB in all
            means.append(found[int(random.integers(0, len(moments)))].copy())
            wanted.append(int(labels[one]))
    if len(set(wanted)) < 2:  # there is nothing to tell apart
        return {
            "type_weights": np.zeros((width, 1), np.float32),
            "type_biases": np.zeros(1, np.float32),
            "page_types": np.ones((len(classes), 1), np.float16),
        }

    starts = np.asarray(bundle.array("passages/page_starts.npy"))
    pages = np.searchsorted(starts, passages, side="right") - 1
    counts = np.zeros((len(classes), len(names)), np.float32)
    np.add.at(counts, (np.searchsorted(classes, pages), labels), 1.0)
    prior = np.bincount(labels, minlength=len(names)) / len(labels)
    of_page = (counts + 2 * prior) / (counts.sum(axis=1, keepdims=True) + 2)

    with _ignoring_convergence():
        model = LogisticRegression(C=10.0, max_iter=60).fit(np.stack(means), wanted)
    weights = np.zeros((width, len(names)), np.float32)
    biases = np.full(len(names), -20.0, np.float32)
    coefficients, intercepts = model.coef_, model.intercept_
    if len(model.classes_) == 2:
        coefficients = np.vstack([-coefficients, coefficients])
        intercepts = np.concatenate([-intercepts, intercepts])
    weights[:, model.classes_] = coefficients.T
    biases[model.classes_] = intercepts
    return {
        "type_weights": weights,
        "type_biases": biases,
        "page_types": (of_page / prior).astype(np.float16),
    }


class EnsembleModule(nn.Sequential):
    """Scores each candidate by its features: layers of rectified units, with dropout."""

    def __init__(self, features: int) -> None:
        layers: list[nn.Module] = []
        for wide, narrow in pairwise((features, *LAYERS)):
            layers += [nn.Linear(wide, narrow), nn.ReLU(), nn.Dropout(UNIT_DROPOUT)]
        super().__init__(*layers, nn.Linear(LAYERS[-1], 1))
        for layer in self.linear:
            nn.init.kaiming_normal_(layer.weight)
            nn.init.zeros_(layer.bias)

    @property
    def linear(self) -> list[nn.Linear]:
        """The layers that have weights."""
        return [layer for layer in self if isinstance(layer, nn.Linear)]

    @torch.no_grad()
    def arrays(self, scaler: StandardScaler) -> Arrays:
        """The layers as the player loads them; the first one scales, so that playing needs no scaler."""
        weights = [layer.weight.T.double().numpy() for layer in self.linear]
        biases = [layer.bias.double().numpy() for layer in self.linear]
        biases[0] = biases[0] - (scaler.mean_ / scaler.scale_) @ weights[0]
        weights[0] = weights[0] / scaler.scale_[:, None]
        return {
            **{f"weights{number}": layer.astype(np.float32) for number, layer in enumerate(weights)},
            **{f"biases{number}": layer.astype(np.float32) for number, layer in enumerate(biases)},
        }


def ensemble_loss(logits: Tensor, there: Tensor, right: Tensor) -> Tensor:
    """The mean cross-entropy of the right candidate, or of the case that none is, whose logit is zero.

    Shapes:
        All: ``[moments, candidates]``; ``there`` is False for padding.
    """
    logits = logits.masked_fill(~there, -torch.inf)
    whole = torch.cat([logits, torch.zeros_like(logits[:, :1])], dim=1).logsumexp(dim=1)
    return (whole - logits.masked_fill(~right, 0.0).sum(dim=1)).mean()


def fit_ensemble(examples: Sequence[EnsembleExample], seed: int) -> Arrays:
    """The layers of :class:`quizwriter.engine.ensemble.Ensemble`.

    They are fitted by cross-entropy over the candidates of a moment and over the case that none of them is
    right: a network that judges each candidate alone, as scikit-learn's, orders worse. The mean of several
    networks orders better than one of them, by as much as one differs from the next.
    """
    from sklearn.preprocessing import StandardScaler

    if not examples:
        raise QuizwriterError(
            "There are too few tossups in the bundle to fit the ensemble on.",
            "Build it from more tossups with their answers.",
        )
    features = np.concatenate([example.features for example in examples])
    right = tensor(np.concatenate([example.right for example in examples]))
    scaler = StandardScaler()
    for start in range(0, len(features), SCALED_AT_ONCE):  # it works in double precision, on a copy
        scaler.partial_fit(features[start : start + SCALED_AT_ONCE])
    lowest, highest = (
        (scaler.mean_ + sign * CLIPPED_AT * scaler.scale_).astype(np.float32) for sign in (-1, 1)
    )
    np.clip(features, lowest, highest, out=features)  # in its place: a copy has hundreds of megabytes
    inputs = tensor(scaler.transform(features, copy=False))
    competing = _competing(examples)
    fitted = [_fit(inputs, right, competing, seed + number).arrays(scaler) for number in range(FITS)]
    return {**_side_by_side(fitted), "lowest": lowest, "highest": highest}


def _fit(inputs: Tensor, right: Tensor, competing: npt.NDArray[np.int64], seed: int) -> EnsembleModule:
    """A network for ``inputs``, the candidates of all examples; see :func:`_competing`."""
    batch = min(BATCH, len(competing))
    steps = max(MINIMUM_STEPS, PASSES * len(competing) // batch)
    random = np.random.default_rng(seed)
    with reproducible(torch.device("cpu")):
        torch.manual_seed(seed)
        module = EnsembleModule(inputs.shape[1])
        optimiser = torch.optim.AdamW(module.parameters(), RATE, weight_decay=DECAY / RATE)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
        order = np.zeros(0, np.int64)
        for _ in range(steps):
            if len(order) < batch:
                order = random.permutation(len(competing))
            chosen, order = order[:batch], order[batch:]
            most = int((competing[chosen] >= 0).sum(axis=1).max())  # candidates of one moment
            some = tensor(competing[chosen][:, :most])
            there = some >= 0
            optimiser.zero_grad()
            some = some.clamp(min=0)
            logits = module(inputs[some])[..., 0]
            loss = ensemble_loss(logits, there, right[some] & there)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
    return module


def _side_by_side(networks: Sequence[Arrays]) -> Arrays:
    """One network whose output is the mean of those of ``networks``."""
    found: Arrays = {}
    last = len(LAYERS)
    for layer in range(last + 1):
        weights = [network[f"weights{layer}"] for network in networks]
        biases = [network[f"biases{layer}"] for network in networks]
        if layer == 0:  # all have the same inputs
            found["weights0"] = np.hstack(weights)
        elif layer == last:
            found[f"weights{last}"] = np.vstack(weights) / np.float32(len(networks))
        else:
            found[f"weights{layer}"] = torch.block_diag(*map(tensor, weights)).numpy()  # type: ignore[no-untyped-call]
        found[f"biases{layer}"] = np.mean(biases, axis=0) if layer == last else np.concatenate(biases)
    return found


def _competing(examples: Sequence[EnsembleExample]) -> npt.NDArray[np.int64]:
    """For each moment of ``examples`` the rows of its candidates in all examples, padded with -1."""
    found: list[npt.NDArray[np.int64]] = []
    before = 0
    for example in examples:
        starts = np.flatnonzero(np.append(True, example.moments[1:] != example.moments[:-1]))
        found += np.split(np.arange(before, before + len(example.moments)), starts[1:])
        before += len(example.moments)
    rows = np.full((len(found), max(map(len, found))), -1, np.int64)
    for number, some in enumerate(found):
        rows[number, : len(some)] = some
    return rows


@contextmanager
def _ignoring_convergence() -> Iterator[None]:
    """Ignore warnings about fits that are stopped before they converge: the last digits decide nothing."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def ensemble_example(
    tossup: Tossup,
    members: Sequence[EnsembleMember],
    clues: ClueKinds,
    types: AnswerTypes,
    pages: Pages,
    asked: Floats,
    past: PastUse | None,
    random: np.random.Generator,
) -> EnsembleExample | None:
    """The features of the candidates after :data:`MOMENTS` of a tossup's words, and which pages are right.

    None if no member has a guess. A tossup on a page that no member names teaches that no candidate is right.
    """
    if tossup.answer is None:
        return None

    def drawn(moments: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        some = random.choice(moments, min(MOMENTS, len(moments)), replace=False)
        return np.union1d(some, moments[-1:])

    field = candidates(
        tossup, members, clues, types, asked, past, choose=drawn
    )  # not of all, which takes long
    if not len(field.words):
        return None
    row = pages.rows.get(tossup.answer.key, -1)
    return EnsembleExample(field.features, field.words, field.rows == row)
