"""Games of made-up people, for tests; no figure of people is ever made from them."""

from __future__ import annotations

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import (
    FORMATS,
    Move,
    MoveKind,
    Played,
    PlayedBy,
    PlayedTossup,
    Rules,
    Said,
    Seat,
)

EELS = Tossup(
    "This fish swims to the Sargasso Sea. (*) For 10 points, name this long fish.",
    Answer("<u>eel</u>s [prompt on <u>fish</u> by asking “what kind of fish?”]"),
)


def made_game(game, tossup: Tossup, seat, word, said=None, answer="", *, read_all=True, others=()) -> Played:
    """The first of the seats buzzes after ``word`` words; ``said`` None: nobody buzzes."""
    seats = (seat if isinstance(seat, Seat) else Seat(seat), *others)
    words = len(tossup.words)
    rules = Rules(FORMATS["ACF"], PlayedTossup.of(tossup), seats)
    moves = [Move(MoveKind.READ, 1, word)]
    if said is not None:
        moves += [Move(MoveKind.BUZZ, 2, word), Move(MoveKind.ANSWER, 3, text=answer)]
        moves.append(Move(MoveKind.VERDICT, 4, said=said))
    if said is not Said.ACCEPT and read_all and word < words:
        moves += [Move(MoveKind.READ_ON, 5)] if said is not None else []
        moves.append(Move(MoveKind.READ, 6, words))
    if said is not Said.ACCEPT or read_all:
        moves.append(Move(MoveKind.END, 7))
    return Played(game, 1, PlayedBy.WINDOW, rules, tuple(moves))
