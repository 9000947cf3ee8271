"""The commands about past questions: what was asked on an answer, and a search for words."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from quizwriter.cli.commands import Argument, argument, command
from quizwriter.cli.options import opened_to_play, read_text, whole_number
from quizwriter.cli.output import print_json, print_lines, print_table, print_text
from quizwriter.domain.page import Page, answer_key, page_title
from quizwriter.domain.past_questions import (
    EASIEST,
    HARDEST,
    PastQuestion,
    PastReport,
    QuestionFilter,
    QuestionKind,
    SearchHit,
    SearchResult,
)
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.past_wording import asked_sentence, clue_line, question_line, result_sentence

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

CLUES = 20
"""How many clues are printed; ``--json`` has all."""

_FIRST_YEAR, _LAST_YEAR = 1900, 2100


_YEAR, _DIFFICULTY = whole_number(_FIRST_YEAR, _LAST_YEAR), whole_number(EASIEST, HARDEST)


def _which(name: str, help: str, **options: Any) -> Argument:  # noqa: A002, ANN401 - argparse's own
    return argument(name, help=help, group="which questions", **options)


_FILTERS = (
    _which("--kind", "of this kind", action="append", default=[], choices=list(map(str, QuestionKind))),
    _which("--category", "of this category", default="", metavar="NAME"),
    _which("--in-set", "of this set", dest="tournament", default="", metavar="NAME"),
    _which("--since", "of this year or later", type=_YEAR, metavar="YEAR"),
    _which("--until", "of this year or earlier", type=_YEAR, metavar="YEAR"),
    _which("--easiest", "of difficulty N or harder, from 1 to 10", type=_DIFFICULTY, metavar="N"),
    _which("--hardest", "of difficulty N or easier", type=_DIFFICULTY, metavar="N"),
    _which("--yours", "only questions of the packets that you added", action="store_true"),
)


def _filter(arguments: argparse.Namespace) -> QuestionFilter:
    return QuestionFilter(
        kinds=frozenset(map(QuestionKind, arguments.kind)),
        answer=getattr(arguments, "answer", "") if arguments.run is _search else "",
        category=arguments.category,
        tournament=arguments.tournament,
        first_year=arguments.since,
        last_year=arguments.until,
        easiest=arguments.easiest,
        hardest=arguments.hardest,
        yours=True if arguments.yours else None,
    )


@command(
    "past",
    "Show every past question on an answer, and the clues that they use.",
    argument("answer", help="the answer, such as 'Johannes Brahms'"),
    argument("--draft", metavar="FILE", help="tick the clues that the text in this file has"),
    *_FILTERS,
    json=True,
)
def _past(arguments: argparse.Namespace) -> int:
    if not answer_key(arguments.answer):
        raise QuizwriterError("No answer is named.", "Name one, such as “Johannes Brahms”.")
    draft = read_text(arguments.draft) if arguments.draft else ""
    wanted = _filter(arguments)
    with opened_to_play(arguments) as app:
        engine = app.engines.load()
        pages, name = engine.pages, arguments.answer
        page = pages.find(name) or pages.meant(name) or _offered(engine, name) or name
        report = app.past.report(engine, page, draft)
    questions = [question for question in report.questions if wanted.takes(question)]
    if arguments.json:
        print_json(_report_json(report, questions))
    else:
        _print_report(report, questions)
    return 0


def _offered(engine: Engine, name: str) -> Page | None:
    """The page that the answer field offers first for ``name``, if every word of it is in the page's name."""
    words = set(answer_key(name).split()) if name.strip() else set()
    offers = engine.pages.complete(name, 1) if words else ()
    return next((one.page for one in offers if words <= set(answer_key(one.page).split())), None)


def _report_json(report: PastReport, questions: list[PastQuestion]) -> dict[str, Any]:
    return {
        "page": report.page,
        "asked": asdict(report.counts),
        "clues": [
            {
                "clue": clue.example,
                "words": [span.of(clue.example) for span in clue.words],
                "tossups": clue.tossups,
                "of_tossups": clue.of_tossups,
                "bonus_parts": clue.bonus_parts,
                "first": clue.first,
                "last": clue.last,
                "place": str(clue.place),
                "in_draft": clue.in_draft,
            }
            for clue in report.clues
        ],
        "questions": [_question_json(question) for question in questions],
    }


def _question_json(question: PastQuestion) -> dict[str, Any]:
    return {
        "kind": str(question.kind),
        "text": question.text,
        "answer": question.line,
        "page": question.page,
        "category": question.category,
        "tournament": question.tournament,
        "place": question.place,
        "year": question.year,
        "difficulty": question.difficulty,
        "power": question.power,
        "yours": question.yours,
    }


def _print_report(report: PastReport, questions: list[PastQuestion]) -> None:
    print_text(f"{page_title(report.page)}. {asked_sentence(report.counts)}")
    if report.clues:
        rows = [
            ("✓" if clue.in_draft else "", clue.example, clue_line(clue)) for clue in report.clues[:CLUES]
        ]
        print_table(("", "clue", "used"), rows, title="The clues that are used most")
    for question in questions:
        print_lines("")
        print_text(question_line(question), (0, len(question.source), "bold"))
        print_text(question.text)
        print_text(f"ANSWER: {question.line}")


@command(
    "search",
    "Search past questions, added packets, articles and your own tossups.",
    argument(
        "words", nargs="*", help="words in any order; put a phrase in quotation marks within the argument"
    ),
    argument(
        "--limit",
        type=whole_number(1, 10_000),
        default=20,
        metavar="N",
        help="print N hits (unless given: 20)",
    ),
    _which("--answer", "whose answer has words like these", default="", metavar="NAME"),
    *_FILTERS,
    json=True,
    store=True,
)
def _search(arguments: argparse.Namespace) -> int:
    words, wanted = " ".join(arguments.words), _filter(arguments)
    if not any(map(str.isalnum, words)):
        raise QuizwriterError("There is no word to search for.", "Give one word at least.")
    with opened_to_play(arguments) as app:
        result = app.past.search(app.engines.load(), words, wanted, limit=arguments.limit)
    if arguments.json:
        print_json(_result_json(result))
    else:
        _print_result(result)
    return 0


def _result_json(result: SearchResult) -> dict[str, Any]:
    return {
        "found": {str(kind): count for kind, count in result.counts.items()},
        "partial": result.partial,
        "too_common": result.too_common,
        "hits": [_hit_json(hit) for hit in result.hits],
    }


def _hit_json(hit: SearchHit) -> dict[str, Any]:
    found = {
        "kind": str(hit.kind),
        "source": hit.source,
        "page": hit.page,
        "text": hit.text,
        "hits": [[span.start, span.end] for span in hit.hits],
    }
    if hit.question is not None:
        found |= _question_json(hit.question)
    if hit.tossup_id:
        found["tossup"] = hit.tossup_id
    return found


def _print_result(result: SearchResult) -> None:
    print_text(result_sentence(result))
    for hit in result.hits:
        print_lines("")
        source = f"{page_title(hit.page)} · {hit.source}"
        print_text(source, (0, len(source), "bold"))
        print_text(hit.text, *((span.start, span.end, "bold underline") for span in hit.hits))
