"""The engine of a bundle: :func:`load` turns a bundle into players with their buzzers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import msgspec

from quizwriter.domain.guessing import Buzzer, Guesser, Player
from quizwriter.domain.page import Page, page_title
from quizwriter.domain.players import BUZZERS, DAN, DENSE, ENSEMBLE, PlayerKind, networks
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.answer_kinds import AnswerKinds
from quizwriter.engine.bundle import INDEX, Bundle, TrainedPlayer, added_folder
from quizwriter.engine.bundle_words import BundleWords
from quizwriter.engine.buzzers import CalibratedBuzzer, MarginBuzzer
from quizwriter.engine.clue_finder import ClueFinder
from quizwriter.engine.dan import Dan
from quizwriter.engine.dense import Dense
from quizwriter.engine.ensemble import AnswerTypes, ClueKinds, Ensemble, PastUse, feature_count
from quizwriter.engine.guide_book import GuideBook
from quizwriter.engine.library import Library, open_library
from quizwriter.engine.networks import Network
from quizwriter.engine.pages import Pages
from quizwriter.engine.past_sentences import PastSentences
from quizwriter.engine.retrieval import Retrieval
from quizwriter.engine.sentence_points import share_points
from quizwriter.engine.stored_arrays import StoredWeights, require
from quizwriter.errors import QuizwriterError
from quizwriter.system.decoding import DecodingError, decode_value

if TYPE_CHECKING:
    from quizwriter.engine.language_model.guesser import LanguageModelGuesser


class Engine(msgspec.Struct, frozen=True):
    """The players of one bundle, and the pages they can name.

    ``digest`` names the exact contents, added packets included; ``about`` is the manifest.
    ``troubles`` are the errors of added packets that could not be used. ``library`` has the past questions;
    it is None in a bundle of an older version. ``clue_finder`` looks up the sentences of drafts in it.
    ``words`` are those that the bundle's texts use, ``guides`` how past questions say names.
    """

    folder: Path
    title: str
    digest: str
    players: tuple[Player, ...]
    pages: Pages
    retrieval: Retrieval
    about: Mapping[str, Any]
    troubles: tuple[QuizwriterError, ...] = ()
    library: Library | None = None
    clue_finder: ClueFinder | None = None
    words: BundleWords | None = None
    guides: GuideBook | None = None


def load(folder: Path, *, trusted: bool = False, shares: Sequence[int] = ()) -> Engine:
    """The engine in the bundle ``folder``, with the packets that index_builder added to it, ready to play.

    A bundle that is ``trusted`` was loaded before, so that its files need not be checked again. The
    dense player is asked after these ``shares`` of the words, in per cent; without them at sentence ends.
    """
    bundle = Bundle.open(folder, trusted=trusted)
    added, troubles = _added(bundle, trusted=trusted)
    if added is not None:
        try:
            retrieval = Retrieval(bundle, added)
        except QuizwriterError as trouble:  # the bundle alone may still do
            added, troubles = None, (trouble,)
    if added is None:
        retrieval = Retrieval(bundle)
    library = open_library(bundle, added)
    clues = ClueFinder(library) if library is not None else None
    digest = bundle.digest if added is None else f"{bundle.digest}+{added.digest}"
    dense = dense_guesser(bundle, retrieval)
    if dense is not None and shares:
        dense = dense.asked_after(share_points(shares))
    words = BundleWords(bundle)
    return Engine(
        folder=folder,
        title=bundle.title or folder.name,
        digest=digest,
        players=(
            *(
                Player(guesser, _buzzer(bundle, guesser.name), digest)
                for guesser in guessers(bundle, retrieval, added)
            ),
            *([] if dense is None else [Player(dense, _buzzer(bundle, DENSE), digest, at_pauses=True)]),
        ),
        pages=retrieval.pages,
        retrieval=retrieval,
        about=bundle.about,
        troubles=troubles,
        library=library,
        clue_finder=clues if clues is not None and clues.is_there else None,
        words=words,
        guides=GuideBook(bundle, words, added),
    )


HELD_BACK = "held-back"
"""What stands for the tossups of a bundle on which no player was trained."""


def held_back_key(number: int) -> str:
    """What tables call the tossup with this number, from 0, of those that are held back to measure on."""
    return f"{HELD_BACK}-{number}"


def held_back(of: Bundle | Path, fold: str) -> list[Tossup]:
    """The tossups of ``fold`` on which no player of a bundle was trained, with their answers."""
    bundle = Bundle.open(of, trusted=True) if isinstance(of, Path) else of
    texts, folds, pages = (
        bundle.texts("held/texts"),
        bundle.lines("held/folds.txt"),
        bundle.lines("held/pages.txt"),
    )
    with bundle.refusing("held/folds.txt"):
        require(len(texts) == len(folds) == len(pages), "it does not fit the other files in held")
    return [
        Tossup(texts[place], Answer(page_title(pages[place]), Page(pages[place])))
        for place, found in enumerate(folds)
        if found == fold
    ]


def guessers(bundle: Bundle, retrieval: Retrieval, added: Bundle | None = None) -> list[Guesser]:
    """The guessers in ``bundle`` that play at each word: retrieval, then the trained ones, the ensemble last.

    ``added`` is the index of packets added to the bundle, if ``retrieval`` has one.

    The dense player is none of them, nor a member of the ensemble, which would have to wait for it at keys.
    """
    found: dict[str, Retrieval | Network] = {retrieval.name: retrieval}
    for kind in networks():
        weights = trained(bundle, kind.name)
        if weights is not None:
            network = network_class(kind)
            with bundle.refusing(weights[1].folder):
                network.check(weights[0], retrieval.pages)
            found[kind.name] = network(
                weights[0], retrieval.pages, retrieval.titles, kind.name, retrieval.is_frame
            )
    weights = trained(bundle, ENSEMBLE)
    if weights is None or any(name not in found for name in weights[1].members):
        return list(found.values())
    arrays, about = weights
    dan = found[DAN] if DAN in about.members else None
    assert dan is None or isinstance(dan, Dan)
    with bundle.refusing(about.folder):
        of_dan = trained(bundle, DAN) if dan is not None else None
        Ensemble.check(arrays, len(about.members), None if of_dan is None else of_dan[0])
        if _has_past(weights):
            AnswerKinds.check(arrays)
    ensemble = Ensemble(
        arrays,
        [found[name] for name in about.members],
        ClueKinds(retrieval),
        AnswerTypes(arrays, dan),
        retrieval.pages,
        retrieval.log_tossup_counts,
        PastUse(PastSentences(bundle, added), AnswerKinds(arrays)) if _has_past(weights) else None,
    )
    return [*found.values(), ensemble]


def network_class(kind: PlayerKind) -> type[Network]:
    found = resolve_name(kind.guesser)
    assert isinstance(found, type)
    assert issubclass(found, Network)
    return found


def dense_guesser(bundle: Bundle, retrieval: Retrieval) -> Dense | None:
    found = bundle.player(DENSE)
    return None if found is None else Dense(bundle, found, retrieval.pages, retrieval.titles)


def trained(bundle: Bundle, name: str) -> tuple[StoredWeights, TrainedPlayer] | None:
    """The weights of a network or of the ensemble in ``bundle``, and their description in the manifest.

    None where the bundle has no weights, or where an older program trained them for other features.
    """
    about = bundle.players.get(name)
    if about is None:
        return None
    scales, lowest = (f"{about.folder}/{key}.npy" for key in ("scales", "lowest"))
    if name == ENSEMBLE:
        if lowest not in bundle.files:
            return None
    elif scales not in bundle.files:
        return None
    found = bundle.player(name)
    if found is None or name != ENSEMBLE:
        return found
    if _has_past(found):
        return found if PastSentences.are_in(bundle) else None
    former = feature_count(len(about.members), past=False)
    return found if found[0].shapes["lowest"] == (former,) else None


def _has_past(ensemble: tuple[StoredWeights, TrainedPlayer]) -> bool:
    """Whether an ensemble was fitted with the use of past questions; those of older versions were not."""
    arrays, about = ensemble
    return arrays.shapes["lowest"] == (feature_count(len(about.members), past=True),)


def _buzzer(bundle: Bundle, name: str) -> Buzzer:
    return _fitted_buzzer(bundle.about, bundle.folder, name) or MarginBuzzer()


def _fitted_buzzer(about: Mapping[str, Any], folder: Path, name: str) -> CalibratedBuzzer | None:
    try:
        buzzers = about.get(BUZZERS, {})
        if isinstance(buzzers, dict):  # to decode those of all players for each player takes a while
            buzzers = {name: buzzers[name]} if name in buzzers else {}
        decoded = decode_value(buzzers, dict[str, dict[str, object]])
        return CalibratedBuzzer.from_json(decoded[name]) if name in decoded else None
    except DecodingError as trouble:
        raise QuizwriterError(
            f"The buzzer of {name} in {folder} makes no sense ({trouble}).",
            "Train the buzzers of that bundle again.",
        ) from trouble


_OF_MODEL = "llm "


def model_buzzer_name(model: str) -> str:
    """The key among the buzzers of a bundle for that of a language model: each model has its own."""
    return f"{_OF_MODEL}{model}"


def separate_buzzers(about: Mapping[str, Any]) -> dict[str, Any]:
    """The buzzers in the manifest ``about`` that training other players keeps.

    They are those of language models and of the dense player, which are fitted by themselves.
    """
    return {
        name: one
        for name, one in (about.get(BUZZERS) or {}).items()
        if name.startswith(_OF_MODEL) or name == DENSE
    }


def has_own_buzzers(about: Mapping[str, Any]) -> bool:
    """Whether the players of the bundle with the manifest ``about`` have buzzers."""
    return len(about.get(BUZZERS) or {}) > len(separate_buzzers(about))


def model_player(engine: Engine, guesser: LanguageModelGuesser) -> Player:
    """The player of a language model beside those of ``engine``, with the buzzer that was fitted to it."""
    from quizwriter.engine.language_model.guesser import StatedBuzzer  # with what asks a server
    from quizwriter.engine.language_model.prompt import PROMPT_VERSION  # with what asks a server

    name = model_buzzer_name(guesser.model)
    buzzer = _fitted_buzzer(engine.about, engine.folder, name)
    digest = hashlib.sha256(f"{PROMPT_VERSION} {guesser.model} {buzzer}".encode()).hexdigest()
    return Player(guesser, buzzer or StatedBuzzer(), digest, distant=True, metered=True)


def _added(bundle: Bundle, *, trusted: bool) -> tuple[Bundle | None, tuple[QuizwriterError, ...]]:
    """The index of the packets added to ``bundle``, if there is one that fits; else why it is not used."""
    try:
        folder = added_folder(bundle.folder, INDEX)
        if not folder.is_dir():
            return None, ()
        added = Bundle.open(folder, trusted=trusted)
    except QuizwriterError as trouble:
        return None, (trouble,)
    if added.manifest.of == bundle.digest:
        return added, ()
    remedy = "Open the bundle in QuizWriter to index them again."
    return None, (QuizwriterError("Your packets are indexed for an older build of this bundle.", remedy),)
