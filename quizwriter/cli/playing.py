"""The commands that let the players of a bundle play: one tossup, or a file of questions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from quizwriter.cli.commands import argument, command
from quizwriter.cli.options import opened_to_play, read_draft, whole_number
from quizwriter.cli.output import print_json, print_lines, print_notes, print_table, print_text, progress
from quizwriter.domain.evidence import Evidence, Passage
from quizwriter.domain.guessing import Playthrough, odds
from quizwriter.domain.page import page_title
from quizwriter.domain.players import player_kind
from quizwriter.domain.tossup import Answer, Tossup, bare_word
from quizwriter.errors import QuizwriterError
from quizwriter.services.tossups import example_tossup, read_tossups
from quizwriter.workflow.analysis import Analysis, Analyst, Request
from quizwriter.workflow.wording import (
    counted_noun,
    percent,
    play_sentence,
    player_title,
    stumped_sentence,
    summary_sentence,
)

SHADED = 0.2
"""A cue is marked if its weight is more than this share of the strongest cue's."""

GUESSES = 5
"""How many guesses of each player an example shows after each sentence."""

CUES = 3
"""How many words it names for which a player guesses."""

PASSAGES = 6
"""How many passages of evidence are printed."""

PASSAGE_WIDTH = 240
"""About how many characters of a passage are printed."""


@command(
    "play",
    "Play one tossup word by word, or all tossups of the database.",
    argument(
        "file",
        metavar="FILE",
        nargs="?",
        default="-",
        help="a text file with the tossup; - is the standard input",
    ),
    argument("--answer", help="its answer line; an ANSWER: line at the end of the text works too"),
    argument(
        "--all",
        action="store_true",
        help="play every tossup of the database that the players have not played as it is now, for the queue "
        "and for exports; after an interruption, the same command continues",
    ),
    json=True,
    store=True,
    server=True,
    model=True,
)
def _play(arguments: argparse.Namespace) -> int:
    if arguments.all:
        return _play_all(arguments)
    from quizwriter.judging import with_possible  # late here and below: other commands need no judge

    text, line = read_draft(arguments.file)
    line = arguments.answer or line
    with opened_to_play(arguments) as app:
        engine = app.engines.load()
        answer = None
        if line:
            unresolved = Answer(line)
            answer = Answer(line, engine.pages.meant(unresolved.main))
        tossup = Tossup(text, answer)
        *_, analysis = Analyst(engine.players, with_possible).analyse(
            Request(0, tossup, heard=len(tossup.words))
        )
    evidence = next(iter(analysis.evidence), None)
    if arguments.json:
        print_json(_as_json(tossup, analysis.plays, evidence))
    else:
        _print_plays(tossup, analysis.plays, evidence)
    return 0


def play_example(arguments: argparse.Namespace) -> int:
    """Play a tossup of the example set sentence by sentence, where there is no screen for a window."""
    from quizwriter.engine.sentence_points import sentence_ends
    from quizwriter.judging import with_possible

    print_text(
        "QuizWriter's window needs a screen, and there is none here. The players play an example instead."
    )
    tossup = example_tossup()
    with opened_to_play(arguments) as app:
        analyst = Analyst(app.engines.load().players, with_possible)
        start = 0
        for heard in sentence_ends(tossup):
            *_, analysis = analyst.analyse(Request(0, tossup, heard=heard))
            end = tossup.words[heard - 1].end
            print_text(f"\n{tossup.text[start:end].strip()}")
            _print_moment(analysis, heard)
            start = end
    print_text(f"\nAnswer: {tossup.answer.line if tossup.answer else ''}")
    for play in analysis.plays:
        print_text(play_sentence(play))
    print_text(
        "\nTo play a tossup of your own, write it into a text file that ends with a line “ANSWER: …”, and "
        "start “quizwriter play FILE”; in a checkout, “make run ARGS='play FILE'”. “quizwriter --help” lists "
        "all commands. For the window, start QuizWriter on a computer with a screen."
    )
    return 0


def _print_moment(analysis: Analysis, heard: int) -> None:
    """Print what each player says after ``heard`` words: its guesses, whether it has buzzed, and why."""
    words = len(analysis.request.tossup.words)
    games = [play for play in analysis.plays if play.trouble is None]
    print_table(
        ("", *(player_title(play.guesser) for play in games)),
        [
            *([str(rank + 1), *(_guess_at(play, heard, rank) for play in games)] for rank in range(GUESSES)),
            ["buzz", *(_buzz_at(play, heard) for play in games)],
        ],
        title=f"After word {heard} of {words}",
    )
    for play in analysis.plays:
        if play.trouble is not None:
            print_text(f"{player_title(play.guesser)}: {play.trouble}")
    for evidence in analysis.evidence:
        title = player_title(evidence.guesser)
        cues = sorted(evidence.cues, key=lambda cue: -cue.weight)
        cue_words = dict.fromkeys(bare_word(cue.span.of(analysis.request.tossup.text)) for cue in cues)
        strongest = ", ".join(list(cue_words)[:CUES])
        print_text(
            f"{title} on {page_title(evidence.page)}" + (f", mostly for: {strongest}" if strongest else "")
        )
        for passage in evidence.passages[:1]:
            _print_passage(passage)
    for name in sorted(play.guesser for play in analysis.plays):
        if not player_kind(name).explains:
            print_text(f"{player_title(name)} has no evidence of its own.")


def _guess_at(play: Playthrough, heard: int, rank: int) -> str:
    index = play.index_after(heard)
    if index is None or rank >= len(play.rows[index]):
        return ""
    row = play.rows[index]
    return f"{page_title(row[rank].page)}, {percent(odds(row, play.chances[index])[rank])}"


def _buzz_at(play: Playthrough, heard: int) -> str:
    if play.buzz is None or play.buzz.heard > heard:
        return "not yet"
    return f"word {play.buzz.heard}, {'right' if play.buzzes_right else 'wrong'}"


def _play_all(arguments: argparse.Namespace) -> int:
    if arguments.file != "-" or arguments.answer:
        raise QuizwriterError(
            "--all plays the tossups of the database, and a file or an answer was given.",
            "Leave out --all, or leave out the file and the answer.",
        )
    with opened_to_play(arguments) as app, progress() as bars:
        engine = app.engines.load()
        report = app.plays.play_all(engine, progress=bars.counter("Playing"))
    if arguments.json:
        troubles = {player: str(trouble) for player, trouble in report.troubles}
        print_json(
            {"tossups": report.tossups, "games": report.games, "left": report.left, "troubles": troubles}
            | ({"barred": report.barred} if report.barred else {})
            | ({"hidden": report.hidden} if report.hidden else {})
        )
    else:
        print_lines(report.sentence, *(f"{player}: {trouble}" for player, trouble in report.troubles))
    return 1 if report.troubles else 0


def _as_json(tossup: Tossup, plays: Sequence[Playthrough], evidence: Evidence | None) -> dict[str, Any]:
    return {
        "tossup": {"text": tossup.text, "words": len(tossup.words), "power": tossup.power},
        "plays": [_play_json(play) for play in plays],
        "summary": summary_sentence(plays),
        "transfer": stumped_sentence(plays),
        "evidence": evidence and _evidence_json(evidence),
    }


def _play_json(play: Playthrough) -> dict[str, Any]:
    return {
        "guesser": play.guesser,
        "heard": play.heard,
        "rows": [
            [{"page": guess.page, "score": round(guess.score, 4)} for guess in row] for row in play.rows
        ],
        "chances": [round(chance, 4) for chance in play.chances],
        "first_correct": play.first_correct,
        "stable_correct": play.stable_correct,
        "outcome": None if play.trouble else str(play.outcome),
        "buzz": play.buzz
        and {
            "heard": play.buzz.heard,
            "page": play.buzz.guess.page,
            "confidence": round(play.buzz.confidence, 4),
        },
        "milliseconds": round(play.milliseconds, 2),
        **({"sampled": True} if play.sampled else {}),
        **({"trouble": play.trouble} if play.trouble else {}),
    }


def _evidence_json(evidence: Evidence) -> dict[str, Any]:
    return {
        "page": evidence.page,
        "cues": [
            {"start": cue.span.start, "end": cue.span.end, "weight": round(cue.weight, 4)}
            for cue in evidence.cues
        ],
        "passages": [
            {
                "source": passage.source,
                "text": passage.text,
                "hits": [[hit.start, hit.end] for hit in passage.hits],
            }
            for passage in evidence.passages
        ],
    }


def _print_plays(tossup: Tossup, plays: Sequence[Playthrough], evidence: Evidence | None) -> None:
    """Print the games for a reader: the cues, where the first guess changes, the positions, the evidence."""
    print_text(tossup.text, *(_cue_styles(evidence) if evidence is not None else ()))
    if tossup.answer is not None:
        known = "" if tossup.answer.page else " (this bundle has no such page: no player can guess it)"
        print_text(f"\nAnswer: {tossup.answer.line}{known}")
    for play in plays:
        print_lines("")
        if play.trouble:
            print_text(f"{player_title(play.guesser)}: {play.trouble}")
            continue
        print_table(
            ("after word", "first", "second", "third"),
            _changed_guesses(play, len(tossup.words)),
            title=f"{player_title(play.guesser)}: where its first guess changes",
        )
        print_text(play_sentence(play))
    if len(plays) > 1:
        print_lines("")
        print_text(summary_sentence(plays))
        print_text(stumped_sentence(plays))
    if evidence is not None and evidence.passages:
        print_text(f"\nEvidence for {page_title(evidence.page)}:")
        for passage in evidence.passages[:PASSAGES]:
            _print_passage(passage)


def _cue_styles(evidence: Evidence) -> Iterator[tuple[int, int, str]]:
    strongest = max((abs(cue.weight) for cue in evidence.cues), default=1.0) or 1.0
    for cue in evidence.cues:
        if abs(cue.weight) > SHADED * strongest:
            yield cue.span.start, cue.span.end, "bold underline" if cue.weight > 0 else "strike"


def _changed_guesses(play: Playthrough, words: int) -> Iterator[list[str]]:
    """A row for the first and the last guesses, and for each time that the first guess changed."""
    for index, row in enumerate(play.rows):
        last = index == len(play.rows) - 1
        if row and (
            last or not index or row[0].page != next((one.page for one in play.rows[index - 1]), None)
        ):
            chances = odds(row, play.chances[index])
            cells = [
                f"{page_title(guess.page)}, {percent(chance)}"
                for guess, chance in zip(row[:3], chances[:3], strict=True)
            ]
            mark = "✓ " if play.right[index] else ""
            yield [f"{play.heard[index]} of {words}", mark + cells[0], *cells[1:]]


def _print_passage(passage: Passage) -> None:
    start, end = _best_stretch(passage)
    shown = passage.text[start:end].strip()
    source = f"  {passage.source}: "
    moved = len(source) - start
    hits = ((max(len(source), hit.start + moved), max(len(source), hit.end + moved)) for hit in passage.hits)
    print_text(source + shown, (0, len(source), "dim"), *((*hit, "bold") for hit in hits))


def _best_stretch(passage: Passage) -> tuple[int, int]:
    """The stretch of about :data:`PASSAGE_WIDTH` characters of a passage that has the most of its hits."""
    starts = [hit.start for hit in passage.hits]
    if not starts:
        best = 0
    else:
        best = max(starts, key=lambda start: sum(start <= other < start + PASSAGE_WIDTH for other in starts))
    start = passage.text.rfind(" ", 0, max(0, best - 20)) + 1
    end = passage.text.find(" ", start + PASSAGE_WIDTH)
    return start, len(passage.text) if end < 0 else end


@command(
    "evaluate",
    "Measure how good the players are on questions with answers.",
    argument("--questions", type=Path, required=True, metavar="FILE", help="JSON lines or QANTA JSON"),
    argument("--limit", type=whole_number(1), metavar="N", help="only the first N questions"),
    json=True,
    server=True,
    model=True,
)
def _evaluate(arguments: argparse.Namespace) -> int:
    from quizwriter.experiments.accuracy import (
        SHARES_HEARD,  # here, as the window starts through this package
        evaluate,
    )
    from quizwriter.formats.question_files import ReadReport
    from quizwriter.services.transfer import left_out_lines

    with opened_to_play(arguments, SHARES_HEARD) as app, progress() as bars:
        engine = app.engines.load()
        read = ReadReport(str(arguments.questions))
        questions = list(read_tossups(arguments.questions, arguments.limit, read))
        if not questions:
            raise QuizwriterError(
                f"There are no answered questions in {arguments.questions}.",
                "Name a file of JSON lines or QANTA JSON in which each row has a text and an answer.",
            )
        print_notes(*left_out_lines([read]))
        report = evaluate(engine.players, bars.counted("Playing", questions), engine.pages.rows)
    if arguments.json:
        print_json(report)
    else:
        _print_evaluation(report)
    return 0


def _print_evaluation(report: Mapping[str, Any]) -> None:
    from quizwriter.experiments.accuracy import SHARES_HEARD

    figures: dict[str, Any] = report["guessers"]
    guessable = [found["guessable"] for found in figures.values()]
    rows = [["questions it can know", *(str(found["questions"]) for found in guessable)]]
    for name, key in (("right", "top1"), ("among the first five", "top5")):
        for share in SHARES_HEARD:
            shares = (_figure(found[key][str(share)]) for found in guessable)
            rows.append([f"{name} after {share} %", *shares])
    for name, key, of in (
        ("first right, share of the words", "first_correct", figures.values()),
        ("the same, 1 where never right", "first_correct_or_end", guessable),
        ("right for good, share of the words", "stable_correct", figures.values()),
    ):
        rows.append([name, *(_figure(found[key]) for found in of)])
    rows.append(["expected wins", *(_figure(found["expected_wins"]) for found in guessable)])
    for key in ("p50", "p95"):
        times = (_figure(found["milliseconds"][key]) for found in figures.values())
        rows.append([f"milliseconds {key}", *times])
    number = counted_noun(report["questions"], "question")
    print_text(f"{number}. The shares are of the questions that each player can know.")
    print_table(("", *figures), rows)


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
