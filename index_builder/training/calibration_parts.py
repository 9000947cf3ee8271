"""Tossups that a bundle's networks have not seen, and the games of all players on them.

The ensemble and the buzzers are fitted on such games. The tossups are those that the bundle holds back. In a
bundle of everything they are its own, in two halves: each half is played by networks that are trained on the
other half.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from index_builder.data.corpus import Corpus, LibraryRow, PassageRow, bundle_passages
from index_builder.index.bundle_index import write_index
from index_builder.index.tokenized_corpus import tokenize_corpus
from index_builder.training.ensemble import EnsembleExample, ensemble_example, fit_ensemble, fit_types
from index_builder.training.page_kinds import fit_kinds
from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.page import Page, page_title
from quizwriter.domain.players import BIRNN, RNN
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.answer_kinds import AnswerKinds
from quizwriter.engine.bundle import Bundle, publishing
from quizwriter.engine.dan import Dan
from quizwriter.engine.engine import guessers
from quizwriter.engine.ensemble import AnswerTypes, ClueKinds, Ensemble, PastUse
from quizwriter.engine.networks import Network
from quizwriter.engine.past_sentences import PastSentences
from quizwriter.engine.retrieval import PassageKind, Retrieval
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import NO_ORIGIN


def _tossup(text: str, page: str) -> Tossup:
    return Tossup(text, Answer(page_title(page), Page(page)))


class CalibrationPart(msgspec.Struct, frozen=True, dict=True):
    """Players, and tossups that none of them has seen."""

    bundle: Bundle
    retrieval: Retrieval
    networks: tuple[Network, ...]
    tossups: tuple[Tossup, ...]

    @classmethod
    def of(cls, bundle: Bundle, tossups: Sequence[Tossup]) -> CalibrationPart:
        """The players that were trained in ``bundle``, the ensemble aside, and these ``tossups``."""
        retrieval = Retrieval(bundle)
        networks = [one for one in guessers(bundle, retrieval) if isinstance(one, Network)]
        return cls(bundle, retrieval, tuple(networks), tuple(tossups))

    @property
    def members(self) -> list[Retrieval | Network]:
        """The members of the ensemble; the network that reads both ways only if there is no other RNN."""
        names = {network.name for network in self.networks}
        return [
            self.retrieval,
            *(one for one in self.networks if one.name != BIRNN or RNN not in names),
        ]

    def types(self, arrays: dict[str, Any]) -> AnswerTypes:
        """The types of answers in ``arrays``, decided by this part's DAN if there is one."""
        return AnswerTypes(arrays, self.dan)

    def past(self, arrays: dict[str, Any]) -> PastUse | None:
        """How past questions used words, with the kinds in ``arrays``; None in a bundle of an old version."""
        if not PastSentences.are_in(self.bundle):
            return None
        return PastUse(self._sentences, AnswerKinds(arrays))

    @cached_property
    def _sentences(self) -> PastSentences:
        return PastSentences(self.bundle)

    @property
    def dan(self) -> Dan | None:
        return next((network for network in self.networks if isinstance(network, Dan)), None)

    def ensemble(self, layers: dict[str, Any], types: dict[str, Any]) -> Ensemble:
        """The ensemble of these players with ``layers`` and ``types``."""
        arrays = {**layers, **types}
        return Ensemble(
            arrays,
            self.members,
            ClueKinds(self.retrieval),
            self.types(arrays),
            self.retrieval.pages,
            self.retrieval.log_tossup_counts,
            self.past(arrays),
        )

    def require_several(self) -> None:
        """Return if several players play at each word."""
        if not self.networks:
            raise QuizwriterError(
                "The ensemble orders what several players guess at each word; this bundle has IR alone.",
                "Train a network first, or with it: --players dan,ensemble.",
            )


def fit_answers(part: CalibrationPart, seed: int) -> dict[str, Any]:
    """What the ensemble knows of answers: their types by the DAN, and what past questions call each page."""
    kinds = fit_kinds(part.bundle) if PastSentences.are_in(part.bundle) else {}
    return {**fit_types(part.bundle, part.dan, seed), **kinds}


def write_halves(bundle: Bundle, folder: Path, half: int) -> list[Tossup]:
    """Publish ``bundle`` without every other tossup of each page at ``folder``; the tossups left out.

    ``half`` is 0 or 1: the two halves leave out every tossup once.
    """
    pages = tuple(Page(line) for line in bundle.lines("pages.txt"))
    number = {page: row for row, page in enumerate(pages)}
    met = Counter[Page]()
    kept: list[PassageRow] = []
    left_out: list[Tossup] = []
    for passage in bundle_passages(bundle):
        if passage.kind is PassageKind.TOSSUP:
            met[passage.page] += 1
            if (met[passage.page] + number[passage.page]) % 2 == half:
                left_out.append(_tossup(passage.text, passage.page))
                continue
        kept.append(passage)
    counts = bundle.array(
        "pages_asked.npy"
    ).tolist()  # of the whole bundle: they are features of the ensemble
    library = [
        LibraryRow(passage.page, 0, place, passage.kind, "", "", NO_ORIGIN)
        for place, passage in enumerate(kept)
        if passage.kind is not PassageKind.ARTICLE
    ]  # for the past sentences that the ensemble looks at
    corpus = Corpus(pages, tuple(counts), tuple(kept), library=tuple(library))
    with publishing(folder, {"title": f"half {half + 1}"}) as writer:
        write_index(corpus, tokenize_corpus(corpus), writer)
    return left_out


class PlayedPart(msgspec.Struct, frozen=True):
    """The games of the players of a part on its tossups, and the examples for the ensemble made of them."""

    part: CalibrationPart
    types: dict[str, Any]
    games: dict[str, list[Playthrough]]
    examples: list[EnsembleExample]

    @classmethod
    def of(
        cls,
        part: CalibrationPart,
        types: dict[str, Any] | None,
        seed: int,
        progress: Callable[[float], None],
        layers: dict[str, Any] | None = None,
    ) -> PlayedPart:
        """Play every tossup once with every player; ``types`` are fitted if None.

        With ``layers`` the ensemble plays, too, while its members remember the tossup.
        """
        players: list[Retrieval | Network] = [part.retrieval, *part.networks]
        arrays = fit_answers(part, seed) if types is None else types
        past = part.past(arrays)
        games: dict[str, list[Playthrough]] = {player.name: [] for player in players}
        ensemble = None if layers is None else part.ensemble(layers, arrays)
        examples = []
        random = np.random.default_rng(seed)
        for done, tossup in enumerate(part.tossups):
            progress(done / len(part.tossups))
            for player in players:
                games[player.name].append(player.play(tossup))
            if part.networks:  # there is something to order
                example = ensemble_example(
                    tossup,
                    part.members,
                    ClueKinds(part.retrieval),
                    part.types(arrays),
                    part.retrieval.pages,
                    part.retrieval.log_tossup_counts,
                    past,
                    random,
                )
                examples += [example] if example is not None else []
            if ensemble is not None:
                games.setdefault(ensemble.name, []).append(ensemble.play(tossup))
        return cls(part, arrays, games, examples)


def play_parts(
    parts: Sequence[CalibrationPart], seed: int, progress: Callable[[float], None], *, ensemble: bool
) -> list[PlayedPart]:
    """The games on all ``parts``; ``progress`` gets the share that is done.

    With ``ensemble``, the last part has the games of the ensemble that is fitted on the first one.
    """
    found: list[PlayedPart] = []
    for number, part in enumerate(parts):
        same = found[0].types if found and found[0].part.bundle is part.bundle else None

        def share(done: float, number: int = number) -> None:
            progress((number + done) / len(parts))

        layers = fit_ensemble(found[0].examples, seed) if ensemble and found else None
        found.append(PlayedPart.of(part, same, seed + number, share, layers))
    return found
