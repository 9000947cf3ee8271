"""The players, each declared once: its names, its colour, its prose, and who loads and trains it.

Windows, commands, help, plots, bundles and training read :data:`PLAYERS`. The modules that play and train are
named as texts, because the window starts without them.
"""

from __future__ import annotations

from typing import Final

import msgspec

NUMBERS = 9
"""How many players can be told from each other by colour and shape."""

_STRANGER = 7
"""The number of a player that is not declared."""

IR: Final = "ir"
DAN: Final = "dan"
RNN, BIRNN = "rnn", "birnn"
ENSEMBLE, DENSE, ELASTIC, LLM = "ensemble", "dense", "elasticsearch", "llm"

DISTRACTOR = "distractor"
"""Trained like a player, but it says statements and no guesses, so nobody plays it."""

FAMILIES = {"qanta": "QANTA"}
"""The titles of programs whose players a recording names with theirs, such as *qanta-dan*."""

BUZZERS = "buzzers"
"""The key of the manifest for the buzzers of all players; a training that names it fits them anew."""


class PlayerKind(msgspec.Struct, frozen=True, kw_only=True):
    """A player that the program knows.

    ``guesser`` and ``training`` are set for a network that a bundle holds: the class that plays it, a
    :class:`quizwriter.engine.networks.Network`, and the
    :class:`index_builder.training.learner.NetworkTraining` that teaches it, both as "module:name".
    """

    name: str
    """The name in bundles, histories, packs and commands; it never changes."""
    title: str
    """The name in a lane."""
    phrase: str
    """The name inside a sentence."""
    number: int
    """The colour and shape, below :data:`NUMBERS`; it never changes."""
    about: str
    """The paragraph of *Help > The players*."""
    guesser: str = ""
    training: str = ""
    trained_unless_named: bool = False
    """Whether a training that names no players trains it."""
    explains: bool = True
    """Whether it has evidence of its own."""


PLAYERS: dict[str, PlayerKind] = {
    kind.name: kind
    for kind in (
        PlayerKind(
            name=IR,
            title="IR",
            phrase="IR",
            number=0,
            about="IR, information retrieval, looks for past questions and articles that share words with "
            "your draft, as a search engine does. Rare words count most. It knows nothing of grammar: a clue "
            "in new words escapes it, and one famous name gives the answer away. Its evidence is exact.",
        ),
        PlayerKind(
            name=DAN,
            title="DAN",
            phrase="DAN",
            number=1,
            about="DAN is a deep averaging network. It turns each word into numbers, takes their average, "
            "and guesses from that. It learned from past questions which words go together, so it also knows "
            "clues in similar words. The order of the words means nothing to it.",
            guesser="quizwriter.engine.dan:Dan",
            training="index_builder.training.dan:TRAINING",
            trained_unless_named=True,
        ),
        PlayerKind(
            name=RNN,
            title="RNN",
            phrase="RNN",
            number=2,
            about="RNN is a recurrent network. It reads the words one after the other and remembers what it "
            "read, so the order of the words counts. It is slower than DAN, and it sometimes changes its "
            "mind within a sentence.",
            guesser="quizwriter.engine.rnn:Rnn",
            training="index_builder.training.rnn:TRAINING",
            trained_unless_named=True,
        ),
        PlayerKind(
            name=BIRNN,
            title="BiRNN",
            phrase="BiRNN",
            number=4,
            about="BiRNN is a recurrent network that reads what was heard so far in both directions. It is "
            "the slowest of the networks.",
            guesser="quizwriter.engine.rnn:Rnn",
            training="index_builder.training.rnn:TRAINING_BOTH_WAYS",
        ),
        PlayerKind(
            name=ENSEMBLE,
            title="Ensemble",
            phrase="the ensemble",
            number=3,
            about="The ensemble looks at the guesses of the other players and puts them into an order of its "
            "own. It is mostly the strongest player. It has no evidence of its own and shows that of the "
            "player it follows.",
            trained_unless_named=True,
            explains=False,
        ),
        PlayerKind(
            name=DENSE,
            title="Dense",
            phrase="Dense",
            number=7,
            about="Dense compares meanings. A sentence encoder turned each past question and article into "
            "numbers; it does the same with your draft and finds the nearest texts, also those that share no "
            "word with it. It plays at the end of each sentence and when you pause, on this computer. Its "
            "evidence is the texts that it found.",
        ),
        PlayerKind(
            name=ELASTIC,
            title="Elastic",
            phrase="Elastic",
            number=5,
            about="Elastic asks an Elasticsearch server, for example one that holds all of Wikipedia. It "
            "plays only if you set up a server in Preferences, Players. Your draft is sent to that server "
            "over a network.",
        ),
        PlayerKind(
            name=LLM,
            title="LLM",
            phrase="the LLM",
            number=6,
            about="The LLM asks a language model at the end of each sentence and when you pause. It plays "
            "only if you set up a model in Preferences, Players. Your draft is sent to the server of that "
            "model; a padlock shows when. Between the words at which it was asked, its lane shows nothing.",
        ),
    )
}
"""The players by name, in the order in which they play and lists show them."""


def player_kind(name: str) -> PlayerKind:
    """The declaration of ``name``; of a player that an old file or a server names, one like it."""
    if name in PLAYERS:
        return PLAYERS[name]
    if len(parts := [part for part in name.split("-") if part]) > 1:
        title = " ".join(player_kind(part).title for part in parts)
        return PlayerKind(name=name, title=title, phrase=title, number=_STRANGER, about="")
    short = len(name) <= 3
    title = FAMILIES.get(name) or (name.upper() if short else name.capitalize())
    return PlayerKind(
        name=name, title=title, phrase=title if short else f"the {name}", number=_STRANGER, about=""
    )


def usual_players() -> tuple[str, ...]:
    """The players of most bundles beside IR: those that are trained unless others are named."""
    return tuple(kind.name for kind in PLAYERS.values() if kind.trained_unless_named)


def usual_training() -> tuple[str, ...]:
    """What a training makes that names nothing."""
    return (*usual_players(), BUZZERS)


def networks() -> tuple[PlayerKind, ...]:
    """The networks that a bundle may hold, in the order in which they play."""
    return tuple(kind for kind in PLAYERS.values() if kind.guesser)
