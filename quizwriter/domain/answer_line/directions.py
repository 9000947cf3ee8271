"""What stands around the names of a clause: the direction, the condition, the question, the replacement."""

from __future__ import annotations

from collections.abc import Sequence

from quizwriter.domain.answer_line.line_tokens import LineTokens
from quizwriter.domain.answer_line.nouns import Condition, Directive, PieceKind
from quizwriter.domain.answer_line.words import (
    CONDITIONS,
    HAPPENS,
    IS,
    LEADING,
    MOMENT_WORDS,
    MOMENTS,
    NO_MENTION,
    OPENING_QUOTES,
    QUESTIONS,
    TRIMMED,
    words_of,
)

BEGIN_DIRECTIONS = LEADING | words_of(
    """
    do don't dont never not reject rejecting anti-prompt antiprompt reverse-prompt anti reverse prompt
    prompting prompted accept acceptable accepted take aka known i
    """
)
"""Every word that a direction may begin with."""


def direction_at(line: LineTokens, indices: Sequence[int], at: int) -> tuple[Directive, int, bool] | None:
    """The direction that begins at a token: what it says, where its names begin, and whether it is more
    than "or"."""
    count = len(indices)
    if at >= count or line.tokens[indices[at]].word not in BEGIN_DIRECTIONS:  # a quick look
        return None

    def word(place: int) -> str:
        return line.tokens[indices[place]].word if place < count else ""

    start = at
    while at < count and at - start < 6 and (word(at) in LEADING or (at > start and word(at) == ",")):
        at += 1
    head = word(at)
    # "or" alone is a direction, too, and may be a leading word of a stronger one
    negated = (head == "do" and word(at + 1) == "not") or head in {"don't", "dont", "never"}
    if negated or (head == "not" and word(at + 1) in {"accept", "prompt"}):
        end = at + (2 if head == "do" else 1)
        for _ in range(3):
            if word(end) in {"accept", "prompt", "take", "anti-prompt", "antiprompt"}:
                break
            end += 1
        else:
            return None
        end += 1
        while word(end) in {
            ",",
            "/",
            "or",
            "nor",
            "and",
            "prompt",
            "accept",
            "anti-prompt",
            "antiprompt",
            "on",
        }:
            end += 1
        return Directive.REJECT, end, True
    if head in {"reject", "rejecting"}:
        return Directive.REJECT, at + 1 + (word(at + 1) == ":"), True
    if head in {"anti-prompt", "antiprompt", "reverse-prompt"} or (
        head in {"anti", "reverse"} and word(at + 1) in {"prompt", "-"}
    ):
        end = at + 1
        while word(end) in {"prompt", "-"}:
            end += 1
        return Directive.ANTIPROMPT, _after_on(line, indices, end), True
    if head in {"prompt", "prompting", "prompted"}:
        return Directive.PROMPT, _after_on(line, indices, at + 1), True
    if head in {"accept", "acceptable", "accepted"} or (head == "take" and word(at + 1) in {"“", '"', "‘"}):
        end = at + 1
        end += end < count and line.tokens[indices[end]].text in {"also", ":"}  # "Also" begins a title
        if word(end) in {"but", ","} and "reveal" in (words := [word(end + more) for more in range(8)]):
            end += words.index("reveal") + 1
            end += word(end) == ","
        return Directive.ACCEPT, end, True
    if head == "aka" or (head == "known" and word(at + 1) == "as"):
        return Directive.ACCEPT, at + 1 + (head == "known"), False
    if head == "i" and word(at + 1) == "." and word(at + 2) == "e":
        return Directive.ACCEPT, at + 4, False
    for place in range(start, at):
        if word(place) in {"or", "also"}:
            end = place + 1
            end += word(end) == ","
            return Directive.ACCEPT, end, False
    return None


def _after_on(line: LineTokens, indices: Sequence[int], at: int) -> int:
    """Where the names of a prompt begin: behind "on", and behind a note that nothing be revealed."""
    words = [line.tokens[index].word for index in indices[at : at + 10]]
    if "reveal" in words and words[0] in {"on", ",", "but"}:
        at += words.index("reveal") + 1
        words = [line.tokens[index].word for index in indices[at : at + 3]]
    while words and words[0] in {",", "on", "for", "once", ":"}:
        at += 1
        words = words[1:]
    return at


_HANDING = words_of("with using")
ASKING = _HANDING | words_of("asking ask asked saying say")


def question_of(line: LineTokens, rest: list[int]) -> tuple[list[int], str, list[int]]:
    """The names of a prompt, what the moderator asks, and what stands behind that."""
    if line.distinct.isdisjoint(ASKING):
        return rest, "", []
    for at, index in enumerate(rest):
        token = line.tokens[index]
        following = line.tokens[rest[at + 1]] if at + 1 < len(rest) else None
        if token.word not in ASKING:
            continue
        asks = token.word not in _HANDING and not token.quoted
        hands = token.word in _HANDING and following is not None and (
            following.text in "“\"‘'" or following.word in QUESTIONS
        )  # fmt: skip
        if not (asks or hands) or token.quoted:
            continue
        begin = at
        while begin and line.tokens[rest[begin - 1]].word in {
            "by",
            "and",
            "(",
            ",",
            "then",
            "or",
            "[",
            "please",
        }:
            begin -= 1
        end = at + 1
        while end < len(rest) and line.tokens[rest[end]].word in {":", ",", "from"}:
            end += 1
        stop = len(rest)
        quotes = [place for place in range(end, len(rest)) if line.tokens[rest[place]].text in '“”"«»']
        opening = next(iter(quotes), None)
        if opening is not None and opening - end <= 4 and len(quotes) > 1:
            last = quotes[1]
            asked = rest[opening + 1 : last]
            stop = last + 1
        else:
            close = next(
                (place for place in range(end, len(rest)) if line.tokens[rest[place]].text in ")]"), None
            )
            if close is not None and begin < at:
                stop = close
            asked = [one for one in rest[end:stop] if line.tokens[one].text not in '“"‘']
        while stop < len(rest) and line.tokens[rest[stop]].text in ")],.”’?'":
            stop += 1
        line.claim(rest[begin:stop], PieceKind.ASK)
        text = line.text(asked).strip(" \t,;:“”\"‘’'") if asked else ""
        if begin == 0 or not any(line.tokens[one].is_word for one in rest[:begin]):
            behind = rest[stop:]
            while behind and line.tokens[behind[0]].word == "on":
                line.claim(behind[:1], PieceKind.DIRECTIVE)
                behind = behind[1:]
            return behind, text, []
        return rest[:begin], text, rest[stop:]
    return rest, "", []


def condition_behind(
    line: LineTokens, rest: list[int], *, told: bool
) -> tuple[list[int], Condition | None, list[int]]:
    """The names of a clause, the condition behind them, and what stands behind that.

    ``told`` says that the clause begins with more than "or": only there is "enantiomer before Wohler" one.
    """
    if line.distinct.isdisjoint(CONDITIONS):
        return rest, None, []
    depth = 0
    for at, index in enumerate(rest):
        token = line.tokens[index]
        depth += (token.text in "([") - (token.text in ")]" and depth > 0)
        if token.word not in CONDITIONS or token.quoted or token.text[0].isupper() or not at:
            continue
        if not any(line.tokens[one].is_word for one in rest[:at]):
            continue
        end = condition_end(line, rest, at) or _short_condition_end(line, rest, at, told=told)
        if end is None:
            continue
        found = condition_of(line, rest[at:end])
        before = rest[:at]
        while before and line.tokens[before[-1]].word in {",", "but", "only", "if", "(", "and", "just"}:
            line.claim(before[-1:], PieceKind.MARK)
            before = before[:-1]
        while end < len(rest) and line.tokens[rest[end]].text in ").,":
            end += 1
        return before, found, rest[end:]
    return rest, None, []


def condition_end(line: LineTokens, rest: Sequence[int], at: int) -> int | None:
    """Where a condition that begins at ``at`` ends; None if it is none."""
    sure = line.tokens[rest[at]].word in {"until", "till"}
    last = min(len(rest), at + 24)
    place = at + 1
    end = None
    while place < last:
        token = line.tokens[rest[place]]
        if token.text in OPENING_QUOTES + '"' and not sure:
            sure = True
        if not token.quoted and token.word in HAPPENS:
            end = place + 1
            if place + 1 < last and line.tokens[rest[place + 1]].word in {"of", "in", "by"}:
                place += 1
                sure = True
                end = None
                continue
            break
        if not token.quoted and (token.text in ";)]" or token.word in {"or", "but"} or token.text == ","):
            quotes = place + 1 < last and line.tokens[rest[place + 1]].text in '“"'
            if token.word == "or" and quotes:
                place += 1
                continue
            end = place if sure or place - at > 1 else None
            if not sure:
                end = None
            break
        place += 1
    else:
        end = last if sure and last == len(rest) else None
    if end is None and place >= last and not sure:
        tail = [line.tokens[one].word for one in rest[at + 1 : last]]
        if (
            last == len(rest)
            and tail
            and (IS & set(tail) or tail[:2] == ["the", "end"] or tail[-1] in HAPPENS)
        ):
            end = last
    if end is None and sure and place >= last:
        end = last
    return end


def _short_condition_end(line: LineTokens, rest: Sequence[int], at: int, *, told: bool) -> int | None:
    """Where a condition without quotes and verb ends, as "before the end" and "before Wohler"; or None."""
    end = at + 1
    while end < len(rest) and not line.tokens[rest[end]].quoted:
        token = line.tokens[rest[end]]
        if token.text in ";])" or token.word in {"or", "but", "and"} or token.text == ",":
            break
        end += 1
    words = [line.tokens[one].word for one in rest[at + 1 : end] if line.tokens[one].is_word]
    if _is_moment(line.tokens[rest[at]].word, words):
        return end
    before = next((line.tokens[one].word for one in reversed(rest[:at]) if line.tokens[one].is_word), "")
    is_name = (
        told
        and line.tokens[rest[at]].word == "before"
        and 1 <= len(words) <= 3
        and not (NO_MENTION | IS | HAPPENS | CONDITIONS) & set(words)
        and not before.endswith("ing")
    )
    return end if is_name and end == len(rest) else None


def _is_moment(when: str, words: Sequence[str]) -> bool:
    """Whether the words name a place until which something holds, such as the last line; none is read."""
    return (
        when in {"before", "until", "till"}
        and not MOMENTS.isdisjoint(words)
        and MOMENT_WORDS.issuperset(words)
    )


def condition_of(line: LineTokens, indices: Sequence[int]) -> Condition:
    line.claim(indices, PieceKind.CONDITION)
    when = next(line.tokens[one].word for one in indices if line.tokens[one].is_word)
    mention = [one for one in indices if line.tokens[one].quoted]
    if not mention:
        words = [one for one in indices if line.tokens[one].is_word][1:]
        if _is_moment(when, [line.tokens[one].word for one in words]):
            words = []  # no question has the words "last line"
        drop = HAPPENS | IS | {"it", "they", "he", "she", "of", "the", "has", "have", "either", "that", "end"}
        while words and line.tokens[words[-1]].word in drop:
            words.pop()
        while words and line.tokens[words[0]].word in drop - {"the"}:
            words.pop(0)
        mention = list(range(words[0], words[-1] + 1)) if words else []
    return Condition(when, line.text(mention).strip(TRIMMED))


_REPLACING = words_of("in instead for")


def replacement_of(line: LineTokens, rest: list[int]) -> tuple[list[int], str]:
    """The names of a clause, and what words of the main answer they may replace."""
    if line.distinct.isdisjoint(_REPLACING):
        return rest, ""
    words = [line.tokens[one].word for one in rest]
    for at, one in enumerate(words):
        if line.tokens[rest[at]].quoted or not at:
            continue
        if one in {"in", "instead"} and words[at + 1 : at + 3] in (["place", "of"], ["lieu", "of"]):
            length = 3
        elif one == "instead" and words[at + 1 : at + 2] == ["of"]:
            length = 2
        elif one == "for" and words[at + 1 : at + 2] and words[at + 1] in {"“", '"', "‘"}:
            length = 1
        else:
            continue
        line.claim(rest[at:], PieceKind.INSTEAD)
        return rest[:at], line.text(rest[at + length :]).strip(TRIMMED)
    return rest, ""
