"""Verdicts: how well a typed answer fits each clause of an answer line, and which clause decides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from quizwriter.domain.answer_line import (
    AnswerClause,
    AnswerRule,
    Directive,
    read_answer_line,
)
from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.tossup import Answer
from quizwriter.judging.candidates import LineCandidates, NameCandidate, candidates_of
from quizwriter.judging.name_fit import Fit, FitKind, fit
from quizwriter.judging.same_word import SLIP
from quizwriter.judging.spoken_words import MOST_WORDS, SpokenWord, spoken_words, verbatim, words_read

LONGEST_ANSWER = 1_000
"""Characters of a typed answer that may be an answer."""


_TAG = re.compile(r"<[^<>]*>")
_AND = re.compile(r"\band\b|\bwith\b|[&,;/+]", re.IGNORECASE)
MOST_PARTS = 6


class Verdict(Enum):
    """What the moderator says to an answer."""

    ACCEPT = "accept"
    PROMPT = "prompt"
    REJECT = "reject"


class Judgement(msgspec.Struct, frozen=True):
    """A verdict, and what decided it.

    ``ask`` is what the line has the moderator ask, empty where it says nothing. ``clause`` is the clause that
    decided, None where no clause fits; ``name`` is the name in it. ``reason`` is a sentence for people.
    """

    verdict: Verdict
    ask: str = ""
    clause: AnswerClause | None = None
    name: str = ""
    reason: str = ""


_ORDER = {
    Directive.REJECT: 4, Directive.MAIN: 3, Directive.ACCEPT: 3, Directive.PROMPT: 2, Directive.ANTIPROMPT: 1
}  # fmt: skip


def judge(line: str, typed: str, *, heard: str | None = None, page: str = "") -> Judgement:
    """Whether the answer ``typed`` is right by the answer line ``line``, which may carry markup.

    ``heard`` is the text that was read so far, for what a line accepts until something is read; None:
    every condition is taken to hold. ``page`` is the title of the answer's page,
    whose words may be said, too (a first name that the line leaves out).

    Takes time in proportion to the line; a typed answer of more than :data:`LONGEST_ANSWER` characters or 64
    words is rejected unread.
    """
    if len(typed) > LONGEST_ANSWER:
        return Judgement(Verdict.REJECT, reason="The answer is too long to be one.")
    typed = _TAG.sub(" ", typed)
    said = spoken_words(typed)
    if not said or len(said) > MOST_WORDS:
        return Judgement(
            Verdict.REJECT, reason="Nothing was answered." if not said else "The answer is too long."
        )
    among = prepared(line)
    if page:
        known = {word.text for word in spoken_words(page.replace("_", " "))}
        among = replace(among, known=among.known | known)
    groups = groups_of(among)
    found = _all_of(typed, groups, heard) if len(groups) > 1 else judge_one(said, among, heard)
    # of several answers, the line may accept together what it prompts on alone
    prompted = len(groups) > 1 and found.verdict is Verdict.PROMPT and found.clause is not None
    if prompted or (found.verdict is Verdict.REJECT and found.clause is None):
        found = segment_verdict(said, among) or found
    if len(groups) > 1:
        return found
    last, comma, first = typed.partition(",")
    if comma and found.verdict is not Verdict.ACCEPT and "," not in first:  # "Dickinson, Emily"
        turned = judge_one(spoken_words(f"{first} {last}"), among, heard)
        return turned if turned.verdict is Verdict.ACCEPT else found
    return found


def is_right(answer: Answer, guess: str, *, is_page: bool, heard: str | None = None) -> bool:
    """Whether ``guess`` is right for ``answer``: the title of a page, or, if not ``is_page``, words.

    A page is right by :meth:`Answer.accepts`: it is the answer's own, or the line accepts its title by name.
    It may be the page of another answer that is called alike, so a part of a name is never enough. Words are
    right where the line accepts them after ``heard`` was read; see :func:`judge`.
    """
    if is_page:
        return answer.accepts(guess)
    return judge(answer.line, guess, heard=heard, page=answer.page or "").verdict is Verdict.ACCEPT


@lru_cache(maxsize=16_384)
def may_be_right(answer: Answer, page: str) -> bool:
    """Whether a guess of ``page`` is right, or nobody can say that it is wrong.

    It is if the page is right, and if the line would accept or prompt on its title said aloud: then the page
    may be another spelling of the answer, or a narrower one. A player that names it is not stumped.
    """
    if answer.accepts(page):
        return True
    title = page.replace("_", " ")
    return judge(answer.line, title, page=answer.page or "").verdict is not Verdict.REJECT


def first_possible(play: Playthrough) -> int | None:
    """After how many words the first guess may be right first, see :func:`may_be_right`; None for never."""
    answer = play.tossup.answer
    if answer is None:
        return None
    firsts = ((heard, row[0].page) for heard, row in zip(play.heard, play.rows, strict=True) if row)
    return next((heard for heard, page in firsts if may_be_right(answer, page)), None)


def with_possible(play: Playthrough) -> Playthrough:
    """``play`` with what :func:`first_possible` says of it, where the player was never surely right."""
    return play if play.first_correct is not None else replace(play, possible=first_possible(play))


@lru_cache(maxsize=2_048)
def prepared(line: str) -> LineCandidates:
    return candidates_of(read_answer_line(line))


def judge_one(said: Sequence[SpokenWord], among: LineCandidates, heard: str | None) -> Judgement:
    """The verdict by the candidates of one answer."""
    best: tuple[tuple[float, int, float], Judgement] | None = None
    right: tuple[float, Judgement] | None = None
    for candidate in among.candidates:
        if not holds(candidate.clause, heard):
            continue
        found = fit(said, candidate, among)
        verdict = None if found is None else _verdict(found, candidate, among)
        if found is None or verdict is None:
            continue
        score, judgement = verdict
        rank = (round(score, 1), _ORDER[candidate.directive], score)
        if judgement.verdict is Verdict.ACCEPT and (right is None or score > right[0]):
            right = score, judgement
        if best is None or rank > best[0]:
            best = (rank, judgement)
    literal = _literal(said, among)
    if literal is not None and (best is None or best[0][0] < FitKind.WHOLE):
        return literal
    if best is not None:
        abbreviated = len(said) == 2 and len(said[0].raw) == 1 and not said[0].number
        if best[1].verdict is Verdict.REJECT and abbreviated and right is not None and right[0] >= best[0][2]:
            reason = "It is short for an answer of the line and for one that the line rejects."
            return replace(right[1], verdict=Verdict.PROMPT, reason=reason)
        return best[1]
    reason = "It is none of the answers of the line."
    if AnswerRule.EQUIVALENTS in among.rules:
        reason = (
            "It is none of the answers that the line names; it also takes equivalents, for people to decide."
        )
    return Judgement(Verdict.REJECT, reason=reason)


def _verdict(found: Fit, of: NameCandidate, among: LineCandidates) -> tuple[float, Judgement] | None:
    """What the fit of one candidate says, and how strongly."""
    clause, directive, score = of.clause, of.directive, found.score
    if directive is Directive.REJECT:
        if found.kind < FitKind.DESCRIPTION or found.cost >= SLIP * 0.9 or found.kind is FitKind.REQUIRED:
            return None
        return score, _told(Verdict.REJECT, clause, of, "The line says not to accept it.")
    if found.kind > FitKind.PART:
        if directive is Directive.PROMPT:
            return score, _told(Verdict.PROMPT, clause, of, "The line prompts on it.")
        if directive is Directive.ANTIPROMPT:
            return score, _told(Verdict.ACCEPT, clause, of, "It is more specific than what is asked for.")
        return score, _told(Verdict.ACCEPT, clause, of, "It is an answer of the line.")
    if directive not in {Directive.MAIN, Directive.ACCEPT}:
        if directive is not Directive.PROMPT or of.marked:
            return None
        return score, _told(Verdict.PROMPT, clause, of, "It is a part of what the line prompts on.")
    if AnswerRule.EITHER in among.rules:
        return score, _told(Verdict.ACCEPT, clause, of, "The line accepts either part.")
    for other in among.line.clauses:
        if AnswerRule.PARTIAL in other.rules and other.directive in {Directive.PROMPT, Directive.REJECT}:
            verdict = Verdict.PROMPT if other.directive is Directive.PROMPT else Verdict.REJECT
            reason = "It is a part of the answer, and the line says what to do with parts."
            return score, Judgement(verdict, other.ask, other, of.text, reason)
    if of.marked or among.line.marked:
        return None
    return score, _told(Verdict.PROMPT, clause, of, "It is a part of the answer.")


def _told(verdict: Verdict, clause: AnswerClause, of: NameCandidate, reason: str) -> Judgement:
    return Judgement(verdict, clause.ask, clause, of.text, reason)


def _literal(said: Sequence[SpokenWord], among: LineCandidates) -> Judgement | None:
    """The verdict on an answer that says a clause word for word, conditions and all."""
    key = verbatim(said)
    for clause, keys in among.literals:
        if key in keys:
            verdict = {Directive.PROMPT: Verdict.PROMPT, Directive.REJECT: Verdict.REJECT}.get(
                clause.directive, Verdict.ACCEPT
            )
            return Judgement(verdict, clause.ask, clause, key, "It is what the line says, word for word.")
    return None


def segment_verdict(said: Sequence[SpokenWord], among: LineCandidates) -> Judgement | None:
    """The verdict on an answer that nothing else fits, and that the line has word for word."""
    directive = among.segments.get(verbatim(said))
    if directive is None:
        return None
    verdict = {Directive.PROMPT: Verdict.PROMPT, Directive.REJECT: Verdict.REJECT}.get(
        directive, Verdict.ACCEPT
    )
    return Judgement(verdict, reason="It is what the line says, word for word.")


def holds(clause: AnswerClause, heard: str | None) -> bool:
    condition = clause.condition
    if condition is None or heard is None:
        return True
    mentions = [condition.mention] if condition.mention else [name.text for name in clause.names]
    text = f" {words_read(heard)} "
    read = any(f" {verbatim(spoken_words(mention))} " in text for mention in mentions)
    return read if condition.when in {"after", "once"} else not read


# -- lines that ask for several answers at once


def groups_of(among: LineCandidates) -> list[LineCandidates]:
    """The answers that a line asks for at once ("A [or a] AND B [or b]"), one after the other."""
    starts = [
        number
        for number, clause in enumerate(among.line.clauses)
        if clause.directive is Directive.MAIN and AnswerRule.ALL_REQUIRED in clause.rules
    ]
    if not starts:
        return [among]
    found = []
    for start, end in pairwise([0, *starts, len(among.line.clauses)][: MOST_PARTS + 1]):
        clauses = among.line.clauses[start:end]
        of = {id(clause) for clause in clauses}
        found.append(
            replace(
                among,
                line=replace(among.line, clauses=clauses),
                candidates=tuple(one for one in among.candidates if id(one.clause) in of),
                literals=tuple((clause, keys) for clause, keys in among.literals if id(clause) in of),
            )
        )
    return found


def _all_of(typed: str, groups: Sequence[LineCandidates], heard: str | None) -> Judgement:
    """The verdict where every one of several answers must be given, in any order."""
    parts = [part for part in _AND.split(typed) if spoken_words(part)][:MOST_PARTS]
    left = list(groups)
    wrong, prompts = False, list[Judgement]()
    for said in map(spoken_words, parts):
        right = next((one for one in left if judge_one(said, one, heard).verdict is Verdict.ACCEPT), None)
        if right is not None:
            left.remove(right)
            continue
        judged = (judge_one(said, group, heard) for group in groups)
        prompt = next((one for one in judged if one.verdict is Verdict.PROMPT), None)
        if prompt is None:
            wrong = True
        else:
            prompts.append(prompt)
    wrong = wrong or len(prompts) > len(left)
    if not wrong and prompts:
        return prompts[0]
    if not wrong and not left:
        return Judgement(Verdict.ACCEPT, reason="All answers that the line asks for are given.")
    if not wrong and len(left) < len(groups):
        return Judgement(Verdict.PROMPT, reason="One of the answers is missing.")
    return Judgement(Verdict.REJECT, reason="Not all of the answers that the line asks for are given.")
