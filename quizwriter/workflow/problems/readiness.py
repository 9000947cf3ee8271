"""Rules that hold a tossup back from *ready*, and those on the games of the players."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from quizwriter.domain.answer_line import read_answer_line
from quizwriter.domain.guessing import Outcome
from quizwriter.domain.page import Page, page_title
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import bare_word
from quizwriter.workflow.answer_notes import marked_source
from quizwriter.workflow.near_duplicates import RepeatFinder, compared_words, word_tokens
from quizwriter.workflow.problems.answer_leak import LEAK
from quizwriter.workflow.problems.rule import WHOLE, Finding, HoldsBack, Inspection, Problem, Rule, RuleNeed
from quizwriter.workflow.wording import counted_noun, listed, percent, player_name


def _text(inspection: Inspection) -> Iterator[Finding]:
    if not inspection.tossup.words:
        yield Finding(WHOLE, "There is no text to read aloud.")


def _answer(inspection: Inspection) -> Iterator[Finding]:
    answer = inspection.tossup.answer
    if answer is None or not answer.line.strip():
        yield Finding(WHOLE, _NO_ANSWER, in_answer=True)


def _answer_line(inspection: Inspection) -> str:
    answer = inspection.tossup.answer
    return _NO_ANSWER if answer is None else f"It asks for {answer.main}."  # None: that was dismissed


def _answer_format(inspection: Inspection) -> Iterator[Finding]:
    answer = inspection.tossup.answer
    for piece in read_answer_line(answer.line).unread if answer is not None else ():
        yield Finding(
            piece.span, f"This part of the answer line cannot be read: {piece.reason}.", in_answer=True
        )


def _underline(inspection: Inspection) -> Iterator[Finding]:
    answer = inspection.tossup.answer
    if answer is None or not answer.line.strip():
        return
    source, _ = marked_source(answer.line, inspection.answer_styles)
    if not read_answer_line(source).marked:
        yield Finding(
            WHOLE,
            "The answer line has no required words: mark the words that a player must say.",
            in_answer=True,
        )


_NO_ANSWER = "No answer is set."
_NO_PAGE = "The players do not know this answer, so none can guess it."


def _page(inspection: Inspection) -> Iterator[Finding]:
    answer, pages = inspection.tossup.answer, inspection.pages
    if answer is None or pages is None:
        return
    if pages.right(answer):  # as players ask, so that they and this check never disagree
        return
    if answer.page is None:
        yield Finding(WHOLE, _NO_PAGE, in_answer=True)
    else:
        name = page_title(answer.page)
        yield Finding(WHOLE, f"The bundle has no page {name}, so no player can guess it.", in_answer=True)


def _no_page(inspection: Inspection) -> str:
    answer, pages = inspection.tossup.answer, inspection.pages
    if answer is None:
        return _NO_ANSWER
    return _NO_PAGE if answer.page is None and not (pages is not None and pages.right(answer)) else ""


def _known_page(inspection: Inspection) -> str:
    answer, pages = inspection.tossup.answer, inspection.pages
    assert answer is not None  # or the check never passes
    assert pages is not None
    page = pages.find(answer.page or "")
    if page is None:
        return "Players know a page whose title the answer line accepts."
    return f"Players know it as {page_title(page)}."


def _in_set(inspection: Inspection) -> Iterator[Finding]:
    yield from _repeats("in this set", inspection, inspection.in_set)


def _in_past(inspection: Inspection) -> Iterator[Finding]:
    yield from _repeats("among past questions", inspection, inspection.past)


def _repeats(where: str, inspection: Inspection, among: RepeatFinder | None) -> Iterator[Finding]:
    found = among.of(inspection.text, inspection.key) if among is not None else ()
    if not found:
        return
    share = found[0].share
    much = "the same words are" if share == 1 else f"{percent(share)} of it is"
    others = f" and {counted_noun(len(found) - 1, 'other')}" if len(found) > 1 else ""
    yield Finding(WHOLE, f"{much[0].upper()}{much[1:]} {where}: {found[0].other.name}{others}.")


# Swear words and insults only: what a question may have to name (rape, hell, bastard, whore) is not here, and
# neither are words that are also names (Dick, Cock) or birds (titmouse). Whole words, so Scunthorpe passes.
_VULGAR = frozenset(
    root + ending
    for roots, endings in (
        ("fuck motherfuck shit bullshit", " s ed er ers ing in ty tier"),
        ("cunt twat wank wanker asshole arsehole jackass dipshit shithead dickhead cocksucker", " s"),
        ("nigger nigga faggot fag kike spic wetback chink raghead towelhead tranny retard", " s"),
        ("slut skank", " s"),
        ("bitch", " es ing y"),
    )
    for root in roots.split()
    for ending in endings.split(" ")
)


def _vulgar(inspection: Inspection) -> Iterator[Finding]:
    for span in inspection.tossup.words:
        word = span.of(inspection.text)
        if any(token in _VULGAR for token in word_tokens(word)):
            yield Finding(span, f"The text has “{bare_word(word)}”.")


def _vulgar_words(problems: Sequence[Problem]) -> str:
    words = dict.fromkeys(bare_word(one.words) for one in problems)
    return f"The text has {listed([f'“{word}”' for word in words])}."


_FILLER = re.compile(
    r"""
      \b(?: (?i:asdf\w* | qwertyu\w* | zxcv\w* | hjkl\w* | lorem\s+ipsum | dolor\s+sit\s+amet | foo\s*bar
              | test(?:\s+test)+ | (?:just\s+)?a\s+test\s+(?:question|tossup) | blah(?:\s+blah)+
              | (?:insert|placeholder)\s+(?:clue|text|lead-?in|here)\w*)
          | TODO | TBD | FIXME | TKTK? )\b
      | \?\?\?+
    """,
    re.VERBOSE,
)


def _filler(inspection: Inspection) -> Iterator[Finding]:
    answer = inspection.tossup.answer
    for in_answer, text in ((False, inspection.text), (True, answer.line if answer is not None else "")):
        for found in _FILLER.finditer(text):
            yield Finding(Span(*found.span()), f"“{found.group()}” looks like a test.", in_answer=in_answer)
    words = compared_words(inspection.text)
    if len(words) >= 3 * len(set(words)) > 0:
        yield Finding(WHOLE, "The text repeats the same few words.")


# -- what the players say of it


def _giveaway(inspection: Inspection) -> Iterator[Finding]:
    """Nobody who can know the answer names it after the last word, so that teams may not, either.

    A draft that does not ask for the answer yet has no giveaway.
    """
    if all(inspection.tossup.clues):
        return
    able = [
        play
        for play in inspection.plays
        if play.trouble is None and play.rows and play.outcome is not Outcome.CANNOT_KNOW
    ]
    if not able or any(play.right and play.right[-1] for play in able) or not inspection.tossup.sentences:
        return
    names = listed([player_name(play.guesser) for play in able])
    verb = "does" if len(able) == 1 else "do"
    yield Finding(
        inspection.tossup.sentences[-1],
        f"The giveaway may be too hard: {names} {verb} not get it at the end.",
    )


def _swerve(inspection: Inspection) -> Iterator[Finding]:
    """Two players or more would buzz early with the same wrong page: the clues may point there, too."""
    wrong: Counter[Page] = Counter()
    first: dict[Page, int] = {}
    for play in inspection.plays:
        buzz = play.buzz
        if buzz is None or play.buzzes_right or play.outcome is Outcome.CANNOT_KNOW:
            continue
        if buzz.heard <= len(inspection.tossup.words) / 2:
            wrong[buzz.guess.page] += 1
            first[buzz.guess.page] = min(buzz.heard, first.get(buzz.guess.page, buzz.heard))
    for page, count in wrong.most_common(1):
        if count > 1:
            span = inspection.sentence_at(inspection.tossup.words[first[page] - 1].start)
            told = f"{counted_noun(count, 'player')} would buzz here with {page_title(page)}"
            yield Finding(span, f"{told}: make sure that no clue fits this answer.")


RULES = (
    Rule(
        "text", "There is a text", _text,
        holds_back=HoldsBack(
            "the tossup has a text that can be read aloud", "There is a text.", place=1
        ),
    ),
    Rule(
        "answer", "There is an answer", _answer,
        holds_back=HoldsBack("an answer is set", _answer_line, place=2),
    ),
    Rule("answer_format", "Unreadable answer line", _answer_format),
    Rule("underline", "Answer line without required words", _underline, default=False),
    Rule(
        "page", "The answer can be guessed", _page, needs=(RuleNeed.PAGES,),
        holds_back=HoldsBack(
            "the bundle has a page for the answer, so that players can guess it",
            _known_page, never=_no_page, place=3,
        ),
    ),
    LEAK,
    Rule(
        "set", "New in this set", _in_set, needs=(RuleNeed.SET,),
        holds_back=HoldsBack(
            "no other tossup of the set shares more than 35 % of its runs of four words",
            "No other tossup of this set is nearly the same.", place=6,
        ),
    ),
    Rule(
        "past", "Not asked before", _in_past, needs=(RuleNeed.PAST,),
        holds_back=HoldsBack(
            "no past question of the bundle does either, and less than 35 % of the draft is in sentences "
            "that are nearly those of past questions",
            "No past question is nearly the same.", place=7,
        ),
    ),
    Rule(
        "vulgar", "Language", _vulgar,
        "This king called it bullshit.", "This king of Scunthorpe called it a lie.",
        holds_back=HoldsBack(
            "the text has no swear word and no insult, as a whole word",
            "The text has no vulgar words.", _vulgar_words, place=8,
        ),
    ),
    Rule(
        "filler", "No test strings", _filler,
        "This king TODO.", "This king did the todo list.",
        holds_back=HoldsBack(
            "the text has nothing like “asdf”, “lorem ipsum” or “TODO”",
            "Nothing in it looks like a test.", place=9,
        ),
    ),
    Rule("giveaway", "Giveaway that no player gets", _giveaway, needs=(RuleNeed.PLAYS,)),
    Rule("swerve", "Early clues that point elsewhere", _swerve, needs=(RuleNeed.PLAYS,)),
)  # fmt: skip
