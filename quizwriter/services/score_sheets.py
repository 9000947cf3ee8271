"""The score sheet of a match: QBJ, as MODAQ writes it or wrapped in objects, and a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from quizwriter.domain.tossup_game import Advice, Played, Rules, Said
from quizwriter.formats.modaq_words import index_in_modaq
from quizwriter.formats.tables import write_table
from quizwriter.services.match import MatchTossup, advice_in_words
from quizwriter.system.atomic import atomic_text

QBJ_VERSION = "2.1.1"
SHEET_FILES = "QBJ (*.qbj);;QBJ, one match without objects (*.json);;Table (*.csv)"

Records = Sequence[tuple[MatchTossup, Played]]


def write_score_sheet(path: Path, records: Records) -> None:
    """Write the sheet of a match to ``path``: a table where it ends in .csv, bare QBJ in .json, else QBJ.

    Slow.
    """
    with atomic_text(path, newline="", problem=f"The score sheet could not be written to {path}") as file:
        if path.suffix.casefold() == ".csv":
            write_table(file, score_rows(records))
        else:
            whole: object = qbj_match(records)
            if path.suffix.casefold() != ".json":
                whole = {"version": QBJ_VERSION, "objects": [whole]}
            file.write(msgspec.json.format(msgspec.json.encode(whole), indent=1).decode() + "\n")


def team_and_player(rules: Rules, at: int) -> tuple[str, str]:
    """The names of a seat; who has no team is one."""
    name = rules.seats[at].name or f"Player {at + 1}"
    return rules.seats[at].team or name, name


def qbj_match(records: Records) -> dict[str, object]:
    """A match in QBJ, with the words of buzzes as MODAQ counts them."""
    played = [one for _, one in records]
    questions: dict[int, dict[str, object]] = {}
    for tossup, one in records:  # what is read in the place of another comes later, and counts
        questions[one.question] = _question(tossup, one, questions.get(one.question, {}))
    counted = [one for one in played if not one.replaced]
    return {
        "type": "Match",
        "tossups_read": len(counted),
        "match_teams": _teams(played),
        "match_questions": list(questions.values()),
        "notes": " ".join(_notes(played)),
    }


def _notes(played: Sequence[Played]) -> Iterator[str]:
    """What the sheet has no field for: the format, the machines, and what they were given."""
    if not played:
        return
    yield f"Format: {played[0].rules.format.in_words}."
    machines = {seat.name: seat for one in played for seat in one.rules.seats if seat.machine}
    for name, seat in machines.items():
        yield f"{name} is a machine ({seat.engine or seat.machine}); it got the words that were read."
    if machines:
        yield f"Machines buzz {played[0].reaction_ms} ms after they decide."


def _question(tossup: MatchTossup, played: Played, thrown_out: Mapping[str, object]) -> dict[str, object]:
    game = played.replay()
    buzzes = [] if game is None else list(game.state.buzzes)
    points = () if game is None else game.state.points(played.rules)
    question: dict[str, object] = {
        "question_number": played.question,
        "tossup_question": _of_packet(played.question),
        **({"replacement_tossup_question": _of_packet(played.number)} if played.replaces else {}),
        "buzzes": [
            {
                "team": {"name": team},
                "player": {"name": player},
                "buzz_position": {"word_index": index_in_modaq(tossup.tossup.text, max(0, buzz.word - 1))},
                "result": {"value": 0 if played.replaced else worth},
            }
            for buzz, worth in zip(buzzes, points, strict=True)
            for team, player in (team_and_player(played.rules, buzz.seat),)
        ],
    }
    if any(buzz.said is Said.ACCEPT for buzz in buzzes) and not played.replaced:
        question["bonus"] = {"parts": [{"controlled_points": played.bonus}]}
    asked = [f"{advice_in_words(one, team_and_player(played.rules, one.seat)[1])}." for one in played.advice]
    notes = [thrown_out.get("notes"), "Thrown out." if played.replaced else "", played.protest, *asked]
    if any(notes):
        question["notes"] = " ".join(str(one) for one in notes if one)
    return question


def _of_packet(number: int) -> dict[str, object]:
    return {"question_number": number, "type": "tossup", "parts": 1}


def _teams(played: Sequence[Played]) -> list[dict[str, object]]:
    """Each team with its players: what they heard, and how often they scored what."""
    heard: dict[tuple[str, str], int] = {}
    counts: dict[tuple[str, str], dict[int, int]] = {}
    bonuses: dict[str, int] = {}
    for one in played:
        if one.replaced:
            continue
        game = one.replay()
        for at in range(len(one.rules.seats)):
            who = team_and_player(one.rules, at)
            heard[who] = heard.get(who, 0) + 1
            counts.setdefault(who, {})
        if game is None:
            continue
        for buzz, worth in zip(game.state.buzzes, game.state.points(one.rules), strict=True):
            mine = counts[team_and_player(one.rules, buzz.seat)]
            mine[worth] = mine.get(worth, 0) + 1
        if game.state.answered is not None:
            team, _ = team_and_player(one.rules, game.state.answered.seat)
            bonuses[team] = bonuses.get(team, 0) + one.bonus
    teams: dict[str, list[Mapping[str, object]]] = {}
    for (team, player), tossups in heard.items():
        answers = [
            {"answer": {"value": value}, "number": number}
            for value, number in sorted(counts[team, player].items(), reverse=True)
        ]
        teams.setdefault(team, []).append(
            {"player": {"name": player}, "tossups_heard": tossups, "answer_counts": answers}
        )
    return [
        {
            "team": {"name": team, "players": [one["player"] for one in players]},
            "bonus_points": bonuses.get(team, 0),
            "match_players": players,
        }
        for team, players in teams.items()
    ]


def score_rows(records: Records) -> Iterator[Sequence[object]]:
    """The rows of the table: one for each buzz, and one for a tossup on which nobody buzzed."""
    yield (
        "tossup", "words", "team", "player", "machine", "word", "answer", "result", "overruled", "points",
        "bonus", "protest", "thrown out", "format", "reaction ms", "in place of",
        "asked", "guess", "chance", "taken", "guess is right",
    )  # fmt: skip
    for _, played in records:
        game, rules = played.replay(), played.rules
        head = played.number, rules.tossup.words
        tail = (
            played.protest, "yes" if played.replaced else "", rules.format.in_words, played.reaction_ms,
            played.replaces or "",
        )  # fmt: skip
        buzzes = () if game is None else game.state.buzzes
        points = () if game is None else game.state.points(rules)
        answered = None if game is None else game.state.answered
        advice = {(one.seat, one.word): one for one in played.advice}
        if not buzzes:
            yield (*head, "", "", "", "", "", "", "", 0, 0, *tail, *_asked(None))
        for buzz, worth in zip(buzzes, points, strict=True):
            team, player = team_and_player(rules, buzz.seat)
            bonus = played.bonus if buzz is answered and not played.replaced else 0
            yield (
                *head, team, player, rules.seats[buzz.seat].machine, buzz.word, ", then ".join(buzz.answers),
                buzz.said.value if buzz.said is not None else "", "yes" if buzz.overruled else "",
                0 if played.replaced else worth, bonus, *tail,
                *_asked(advice.get((buzz.seat, buzz.word))),
            )  # fmt: skip


def _asked(advice: Advice | None) -> tuple[object, ...]:
    """The cells of a machine that was asked after a buzz; its chance is in percent."""
    if advice is None:
        return ("",) * 5
    taken, right = ("yes" if one else "no" for one in (advice.taken, advice.right))
    return advice.machine, advice.guess, advice.chance, taken, right
