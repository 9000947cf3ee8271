"""An analysis in plain English, said alike by the window and the commands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from quizwriter.domain.evidence import Cue, Evidence, Faithfulness, Method
from quizwriter.domain.guessing import RANK_DEPTH, Outcome, Playthrough, stumped
from quizwriter.domain.history import Edit
from quizwriter.domain.page import Page, page_title
from quizwriter.domain.players import player_kind
from quizwriter.domain.provenance import Origin, Provenance
from quizwriter.domain.review import Person
from quizwriter.domain.signatures import Authenticity, SignatureReport, short_key
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup

if TYPE_CHECKING:
    from quizwriter.workflow.history_analysis import History, HistoryMove, PlayerShift

_OWNED = re.compile(r"['’]s$")  # so that "opera" and "opera's" are one word to people


def player_title(name: str) -> str:
    """A guesser's name as people write it, short enough for its lane."""
    return player_kind(name).title


def player_short(name: str) -> str:
    """The same where there is little room: *Ens.* for Ensemble."""
    title = player_title(name)
    return title if len(title) <= 5 else f"{title[:3]}."


def player_name(name: str) -> str:
    """The same inside a sentence: IR, the ensemble, Elastic, the LLM."""
    return player_kind(name).phrase


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str], joint: str = "and") -> str:
    """``names`` as a list in a sentence: IR; IR and DAN; IR, DAN and the ensemble."""
    parts = (", ".join(names[:-1]), names[-1]) if names else ()
    return f" {joint} ".join(part for part in parts if part)


def percent(chance: float) -> str:
    """``chance``, from 0 to 1, in whole per cent; never 0 % and never 100 %."""
    if chance <= 0.005:  # a half is rounded to the even neighbour
        return "<1\u00a0%"
    if chance >= 0.995:
        return ">99\u00a0%"
    return f"{chance:.0%}".replace("%", "\u00a0%")


def ordinal(number: int) -> str:
    """``number`` as a rank: 1st, 2nd, 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def counted_noun(number: int, noun: str, many: str = "") -> str:
    """``number`` with its noun: 1 word, 2 words, 1,024 words; ``many`` is a plural that is not regular."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {many or noun + 's'}"


def without_empty(count: int, given: int) -> str:
    """What is said after ``count`` printed of the ``given`` tossups, where some were empty; else nothing."""
    empty = given - count
    return f" {counted_noun(empty, 'empty tossup is', 'empty tossups are')} left out." if empty else ""


def merge_sentence(
    new: int,
    updated: int,
    branched: int,
    unchanged: int,
    *,
    answered: int,
    left_out: int,
    changed_accepted: int = 0,
) -> str:
    """What came of tossups that were received, in a sentence or more.

    ``answered`` are tossups with another answer, ``left_out`` are branches of tossups with too many,
    ``changed_accepted`` accepted tossups that are no longer as they were accepted.
    """
    total = new + updated + branched + unchanged
    if not total:
        return "There were no tossups to receive."
    numbers = (
        (new, "new"),
        (updated, "updated"),
        (branched, "edited in two places"),
        (unchanged, "already here"),
    )
    said = [f"{number:,} {what}" for number, what in numbers if number]
    sentences = [f"{sentence(counted_noun(total, 'tossup'))} received: {listed(said)}."]
    if branched:
        sentences.append("A tossup that was edited in two places has two branches now.")
    if answered:
        has = "has its answer" if answered == 1 else "have their answers"
        sentences.append(
            f"{counted_noun(answered, 'tossup')} {has} from the pack, because the pack's answer is newer."
        )
    if changed_accepted:
        were, them = ("was", "it") if changed_accepted == 1 else ("were", "them")
        sentences.append(
            f"{counted_noun(changed_accepted, 'accepted tossup')} {were} changed elsewhere and will not be"
            f" released until you unlock {them} and accept {them} again."
        )
    if left_out:
        were = "branch was" if left_out == 1 else "branches were"
        sentences.append(
            f"{left_out:,} {were} left out, because their tossups have too many branches already."
        )
    return " ".join(sentences)


_FORGED = {"edits": "signature of edits", "person": "name"}


def signature_sentence(report: SignatureReport, names: Mapping[str, str]) -> str:
    """What signatures prove of everything that was received; empty if nothing was signed or said."""
    counts: dict[str, list[str]] = {}
    for counter, noun in ((report.edits, "edit"), (report.events, "event")):
        words = Counter[str]()
        for one, count in counter.items():
            words[one.word] += count
        for word, count in words.items():
            counts.setdefault(word, []).append(counted_noun(count, noun))
    shown = [
        f"{sentence(word)}: {listed(counts[word])}."
        for word in (Authenticity.VERIFIED, Authenticity.UNSIGNED, Authenticity.OTHER_KEY)
        if word in counts
    ]
    if report.other_keys:
        who = listed(sorted(names.get(person) or "somebody unknown" for person in report.other_keys))
        shown.append(f"The key that signed in the name of {who} has changed.")
    forged: dict[str, Counter[str]] = {}
    for forgery in report.forged:
        who = names.get(forgery.person) or "somebody unknown"
        forged.setdefault(who, Counter())[_FORGED.get(forgery.kind, forgery.kind)] += 1
    for who, kinds in forged.items():
        told = listed([kind if count == 1 else f"{kind} ({count:,} times)" for kind, count in kinds.items()])
        shown.append(f"Left out because it was forged in the name of {who}: {told}.")
    return " ".join(shown)


def person_tooltip(person: Person) -> str:
    """A person's name and key, as the tooltip of a name shows them."""
    name = person.name or "Somebody unknown"
    if not person.key:
        return f"{name}\nNo key of this person is known, so nothing by this person is verified."
    signed = person.signature is not None and person.signature.key == person.key
    return f"{name}{'' if signed else ' (unsigned name)'}\nKey: {short_key(person.key)} …"


class Lane(msgspec.Struct, frozen=True):
    """A player's game as the time line paints it.

    ``states`` has a letter for every word: ``r`` right, ``w`` another page leads, ``c`` it would have
    buzzed wrong before, ``.`` nothing said yet, ``?`` there is no answer to compare with, or none that
    the player can know, ``-`` the player was not asked. The other numbers are words heard. ``outcome`` says
    how the game ends; None while there is no answer, or the player could not play. ``label`` says where it
    buzzes and what the last edit did to that; ``ghost`` is the word, of the present text, of the buzz before.
    """

    name: str
    states: str = ""
    first: int | None = None
    stable: int | None = None
    buzz: int | None = None
    buzz_page: str = ""
    buzzes_right: bool | None = None  # None: no answer to compare with
    trouble: str | None = None
    outcome: Outcome | None = None
    label: str = ""
    ghost: int | None = None


def lane(play: Playthrough) -> Lane:
    """``play`` as the time line paints it."""
    buzz, comparable = play.buzz, play.outcome is not Outcome.CANNOT_KNOW
    buzzes_right = play.buzzes_right  # once: the judge reads the answer line
    states = []
    last = 0
    state = between = "-" if play.sampled else "."
    for count, row, right in zip(play.heard, play.rows, play.right, strict=True):
        states.append((between if play.sampled else state) * (count - 1 - last))
        if not row:
            state = "."
        elif not comparable:
            state = "?"
        elif right:
            state = "r"
        else:
            late = buzz is not None and not buzzes_right and count >= buzz.heard
            state = "c" if late else "w"
        states.append(state)
        last = count
    if play.sampled and play.rows:
        states.append(between * (len(play.tossup.words) - last))
    return Lane(
        name=play.guesser,
        states="".join(states),
        first=play.first_correct,
        stable=play.stable_correct,
        buzz=buzz.heard if buzz else None,
        buzz_page=buzz.guess.page if buzz else "",
        buzzes_right=None if buzz is None or play.tossup.answer is None else buzzes_right,
        trouble=play.trouble,
        outcome=None if play.trouble is not None or play.tossup.answer is None else play.outcome,
    )


def lane_in_words(lane: Lane) -> str:
    parts = [player_title(lane.name)]
    if lane.trouble:
        parts.append(lane.trouble)
    if lane.outcome is Outcome.CANNOT_KNOW:
        parts.append("cannot know the answer")
    if lane.first is not None:
        parts.append(f"first right at word {lane.first}")
    if lane.stable is not None:
        parts.append(f"stays right from word {lane.stable}")
    if asked := len(lane.states.replace("-", "")) if "-" in lane.states else 0:
        parts.append(f"asked after {counted_noun(asked, 'word')} only")
    if lane.buzz is not None:
        parts.append(f"buzzes at word {lane.buzz} on {page_title(lane.buzz_page)}")
    if lane.ghost is not None:
        parts.append(lane.label)
    return ", ".join(parts)


def play_sentence(play: Playthrough) -> str:
    """The whole of one player's game in a sentence or two."""
    title, words, answer = player_title(play.guesser), len(play.tossup.words), play.tossup.answer
    if play.trouble is not None:
        return f"{title}: {play.trouble}"
    if not words:
        return ""
    asked = f"{len(play.heard)} of its {counted_noun(words, 'word')}" if play.sampled else ""
    if play.buzz is None:
        said = f"{title} does not buzz " + (
            f"after {asked}" if asked else f"in {counted_noun(words, 'word')}"
        )
    else:
        page = page_title(play.buzz.guess.page)
        said = f"{title} buzzes at {position_line(play.buzz.heard, words)} on {page}"
        if play.outcome is not Outcome.CANNOT_KNOW and not play.buzzes_right:
            said += ", which is wrong"
    said += f". It was asked after {asked} only." if asked and play.buzz is not None else "."
    if answer is None:
        return said
    if play.outcome is Outcome.CANNOT_KNOW:
        return f"{said} It cannot know your answer, which is not among its pages."
    first, stable = play.first_correct, play.stable_correct
    if first is None:
        return f"{said} Your answer is never its first guess."
    if stable is None:
        return f"{said} Right at word {first}, then wrong again."
    if first == stable:
        return f"{said} It stays right from word {stable}."
    return f"{said} First right at word {first}; stays right from word {stable}."


def summary_sentence(plays: Sequence[Playthrough], *, all_played: bool = True) -> str:
    """All players' games in one sentence, and another for each that could not play.

    Where not ``all_played``, the players are named though none buzzes: one that still reads may.

    "IR buzzes at 32 % (word 41 of 128) on Johannes Brahms; DAN never; RNN at 76 %." The page is said again
    where it is another one, and "wrong" where it is. One player alone is told as :func:`play_sentence` does.
    """
    if len(plays) == 1:
        return play_sentence(plays[0])
    said: list[str] = []
    page = None
    played = [play for play in plays if play.trouble is None and play.tossup.words]
    if all_played and len(played) > 1 and all(play.buzz is None and not play.sampled for play in played):
        said = [f"no player buzzes in {counted_noun(len(played[0].tossup.words), 'word')}"]
        played = []
    for play in played:
        words, buzz = len(play.tossup.words), play.buzz
        name = player_name(play.guesser)
        if buzz is None:
            never = "never at the words asked" if play.sampled else "never"
            said.append(
                f"{name} {never}" if said else f"{name} never buzzes in {counted_noun(words, 'word')}"
            )
            continue
        if page is None:  # the first who does: in full
            clause = f"{name} buzzes at {position_line(buzz.heard, words)}"
        else:
            clause = f"{name} at {share_line(buzz.heard, words)}"
        if buzz.guess.page != page:
            page = buzz.guess.page
            clause += f" on {page_title(page)}"
        if play.outcome is not Outcome.CANNOT_KNOW and not play.buzzes_right:
            clause += " (wrong)"
        said.append(clause)
    unable = [play for play in plays if _compared(play) and play.outcome is Outcome.CANNOT_KNOW]
    troubles = [play_sentence(play) for play in plays if play.trouble is not None]
    if said and unable:
        names = listed([player_name(play.guesser) for play in unable])
        troubles.insert(0, f"{sentence(names)} cannot know your answer.")
    return " ".join([sentence("; ".join(said)) + ".", *troubles] if said else troubles)


def _compared(play: Playthrough) -> bool:
    """Whether the player said something after every word that can be held against an answer."""
    return play.trouble is None and bool(play.rows) and play.tossup.answer is not None and not play.sampled


NOBODY_CAN_KNOW = "No player can know your answer."


def stumped_sentence(plays: Sequence[Playthrough]) -> str:
    """Whom of several players the draft stumps, in a sentence; empty while no answer is set.

    By their first guesses alone, whether they would have buzzed or not, a player

    * cannot know it: the answer is no page of that player, which is therefore never stumped;
    * gets it: its first guess is right for good before the last sentence begins;
    * gets it only in the last sentence: its first guess is right for good from a word of that sentence on;
    * loses it again: right after some word, but not after the last;
    * is stumped: surely wrong after every word, though it can know the page;
    * may be right: right after no word, but a guess may be the answer by another title.

    Where a player was right at a word and lost the answer again, that word is named. Where there is but one
    sentence, whoever is right after the last word gets it. Players who could not play are left out, and
    those who were asked after some words only; beside such a player the others are named, not called all.
    """
    played = [play for play in plays if _compared(play)]
    if len(played) < 2:
        return ""
    tossup = played[0].tossup
    sentences = tossup.sentences
    before = sum(span.end <= sentences[-1].start for span in tossup.words) if len(sentences) > 1 else None
    unable: list[str] = []
    unsure: list[str] = []
    stumps: list[str] = []
    lost: list[str] = []
    late: list[str] = []
    got: list[str] = []
    for play in played:
        first, stable = play.first_correct, play.stable_correct
        name = player_name(play.guesser)
        if play.outcome is Outcome.CANNOT_KNOW:
            unable.append(name)
        elif first is None:
            if stumped(None, play.possible, knowable=play.knowable):
                stumps.append(name)
            else:
                unsure.append(f"{name} (at word {play.possible})")
        elif stable is None:
            lost.append(f"{name} (right at word {first})")
        elif before is not None and stable > before:
            late.append(name if first == stable else f"{name} (right at word {first}, then wrong again)")
        else:
            got.append(name)
    everyone = not any(play.sampled and play.trouble is None for play in plays)
    if everyone and len(unable) == len(played):
        return NOBODY_CAN_KNOW
    if everyone and len(stumps) == len(played):
        return "Stumps every player."
    if everyone and len(got) == len(played):
        return "Every player gets it before the last sentence." if before else "Stumps no player."
    said = [f"stumps {listed(stumps)}"] if stumps else []
    for names, one, more in (
        (lost, "lost it again", "lost it again"),
        (late, "gets it only in the last sentence", "get it only in the last sentence"),
        (got, "gets it", "get it"),
        (unsure, "may be right", "may be right"),
        (unable, "cannot know it", "cannot know it"),
    ):
        if names:
            said.append(f"{listed(names)} {one if len(names) == 1 else more}")
    return sentence("; ".join(said)) + "."


def progress_sentence(plays: Sequence[Playthrough]) -> str:
    """Which of several players have the answer of a draft that does not ask for it yet.

    Empty as in :func:`stumped_sentence`, which is about whole tossups.
    """
    played = [play for play in plays if _compared(play)]
    able = [play for play in played if play.outcome is not Outcome.CANNOT_KNOW]
    everyone = not any(play.sampled and play.trouble is None for play in plays)
    if len(played) < 2:
        return ""
    if not able:
        return NOBODY_CAN_KNOW if everyone else ""
    names = [player_name(play.guesser) for play in able if play.right and play.right[-1]]
    if not names:
        return "No player has your answer yet." if everyone else ""
    return sentence(f"{listed(names)} {'has' if len(names) == 1 else 'have'} your answer.")


def method_line(method: Method) -> str:
    return {
        Method.SHARE: "Each word's exact share of the score.",
        Method.GRADIENT: "Estimated from the gradient.",
        Method.WITHOUT: "Exact: each word left out.",
        Method.SAYS: "Not verified.",
        Method.NEAREST: "The passages are the closest in meaning; words have no weights.",
        Method.LEFT_OUT: "How far its chance falls without each sentence, asked again.",
    }[method]


def faithfulness_line(found: Faithfulness) -> str:
    """Whether the highlighted words are those that matter."""
    whole, top, others = (
        percent(chance) for chance in (found.whole, found.without_top, found.without_random)
    )
    if top == whole:
        moves = f"stays at {whole}"
    else:
        moves = f"{'falls' if found.without_top < found.whole else 'rises'} from {whole} to {top}"
    return f"Without the five strongest words the chance {moves}; without five others, it is {others}."


def page_ranks(page: Page, plays: Sequence[Playthrough], heard: int) -> dict[str, int | None]:
    """Where each of the ``plays`` had ``page`` after ``heard`` words, from 1; None: not among its guesses."""
    found: dict[str, int | None] = {}
    for play in plays:
        index = play.index_after(heard)
        if play.trouble is None and index is not None:
            pages = [guess.page for guess in play.rows[index]]
            found[play.guesser] = pages.index(page) + 1 if page in pages else None
    return found


def supporter(found: dict[str, int | None]) -> str | None:
    """Who in ``places`` has the page highest; the first of several."""
    having = {name: place for name, place in found.items() if place is not None}
    return min(having, key=having.__getitem__, default=None)


def borrowed_evidence_line(guesser: str, page: str, found: dict[str, int | None]) -> str:
    """Whose evidence a player's guess rests on that has none of its own; ``found`` is of the others."""
    title, said = page_title(page), f"{sentence(player_name(guesser))} weighs the guesses of the others"
    if (who := supporter(found)) is None:
        return f"{said}, and none of them names {title} now."
    where = [
        f"{player_name(name)} {ordinal(place) if place is not None else 'not at all'}"
        for name, place in found.items()
    ]
    return f"{said}. They rank {title}: {', '.join(where)}. The evidence here is that of {player_name(who)}."


def retry_line(trouble: str) -> str:
    """The trouble of a player that asks over a network, while it is asked again now and then."""
    return f"{trouble} QuizWriter tries again automatically."


def server_line(version: str, index: str, documents: int, latency_ms: float) -> str:
    """What an Elasticsearch server says of itself."""
    there = (
        f"{counted_noun(documents, 'document')} in {index}" if documents else f"the index {index} is empty"
    )
    return f"It answers in {latency_ms:.0f}\u00a0ms: Elasticsearch {version}, {there}."


def training_line(shares: dict[str, float]) -> str:
    """Which players are being trained and how far that is, by each one's share from 0 to 1.

    The per cent are of all that are known of; who is done is still counted, but no longer named.
    """
    if not shares:
        return "Training players\u2026"
    left = [player_name(name) for name, share in shares.items() if share < 1] or [
        player_name(name) for name in shares
    ]
    return f"Training {listed(left)}\u2026 {100 * sum(shares.values()) / len(shares):.0f}\u00a0%"


def rank_line(play: Playthrough, index: int | None) -> str:
    """Where the true answer stands in row ``index``; empty without that row or without an answer."""
    if play.tossup.answer is None or index is None or index >= len(play.ranks):
        return ""
    rank = play.ranks[index]
    if rank is not None:
        return f"Your answer is ranked {ordinal(rank)}"
    if play.tossup.answer.page is None:
        return "The players do not know your answer"
    return f"Your answer is not among the first {RANK_DEPTH}"


class ScoredSentence(msgspec.Struct, frozen=True):
    """A sentence of the draft, and what it adds to the score of the page in focus."""

    number: int  # from 0
    span: Span
    share: float  # of the score; negative where it speaks against
    words: tuple[tuple[Span, float], ...]  # each word's shade, from -1 to 1


def scored_sentences(tossup: Tossup, evidence: Evidence) -> tuple[ScoredSentence, ...]:
    """The sentences with their shares of ``evidence``'s score, those with the reasons first; not heard, none.

    Weights that do not add up to the score are shared out by what they come to without their signs. The words
    of the reasons are shaded as in the draft, all others :data:`OTHER_SHADE` times as strongly as they count.
    """
    strongest = max((abs(cue.weight) for cue in evidence.cues), default=0.0) or 1.0
    exact = evidence.method is Method.SHARE
    total = sum(cue.weight if exact else abs(cue.weight) for cue in evidence.cues)
    reasons = marked_cues(evidence) if evidence.reasons else ()

    def reason_shade(inside: Span) -> float:
        shades = (shade for span, shade in reasons if span.start < inside.end and inside.start < span.end)
        return max(shades, default=0.0)

    def shade(cue: Cue) -> float:
        return reason_shade(cue.span) or cue.weight / strongest * (OTHER_SHADE if reasons else 1)

    found = []
    for number, span in enumerate(tossup.sentences):
        inside = [cue for cue in evidence.cues if span.start <= cue.span.start < span.end]
        weight = sum(cue.weight for cue in inside)
        shaded = tuple((cue.span, shade(cue)) for cue in inside)
        found.append(ScoredSentence(number, span, weight / total if total > 0 else 0.0, shaded))
    return tuple(sorted(found, key=lambda part: -reason_shade(part.span)))


OTHER_SHADE = 0.3
"""How strongly a word that is no reason is shaded in a sentence of the evidence, beside one that is."""

REASON_SHADES = (1.0, 0.85, 0.7)
"""How strongly the reasons are marked in the draft, the first and the others."""


def marked_cues(evidence: Evidence) -> tuple[tuple[Span, float], ...]:
    """What is marked in the draft, with its strength from -1 to 1: the reasons, else all cues."""
    if evidence.reasons:
        shaded = zip(evidence.reasons, REASON_SHADES, strict=False)
        return tuple(sorted((span, shade) for reason, shade in shaded for span in reason.spans))
    strongest = max((abs(cue.weight) for cue in evidence.cues), default=0.0) or 1.0
    return tuple((cue.span, round(cue.weight / strongest, 2)) for cue in evidence.cues)


MOST_WORDS = 3
"""Words of the evidence that a sentence names."""


def frame_words(tossup: Tossup, evidence: Evidence) -> tuple[str, ...]:
    """The words that speak for the page and for many others, none twice; "this" before the noun after it."""
    found: dict[str, str] = {}
    for span in evidence.frame:
        word = span.of(tossup.text)
        before = tossup.text[: span.start].split()[-1:]
        pointed = bool(before) and before[0].casefold() in ("this", "these")
        found.setdefault(word.casefold(), f"{before[0].casefold()} {word}" if pointed else word)
    return tuple(found.values())[:MOST_WORDS]


def lead_words(tossup: Tossup, evidence: Evidence) -> tuple[str, ...]:
    """The words to change, else those that speak loudest for the page; the strongest first, none twice."""
    if evidence.reasons:
        longest = (max(reason.spans, key=lambda span: span.end - span.start) for reason in evidence.reasons)
        return tuple(_OWNED.sub("", span.of(tossup.text)) for span in longest)[:MOST_WORDS]
    found: dict[str, str] = {}
    for cue in sorted(evidence.cues, key=lambda cue: -cue.weight):
        if cue.weight <= 0 or len(found) == MOST_WORDS:
            break
        word = _OWNED.sub("", cue.span.of(tossup.text).strip(" .,;:!?\"“”'‘’()[]"))
        if word:
            found.setdefault(word.casefold(), word)
    return tuple(found.values())


MOST_QUOTED = 90
"""Characters of a stretch of text that are quoted; where two are, about half as many of each."""

MOST_EDITS = 3
"""How many edits of a run are told one by one."""


def quoted(text: str, most: int = MOST_QUOTED) -> str:
    """``text`` in quotation marks, cut in the middle where it has more than ``most`` characters."""
    plain = _unpunctuated(text)
    if len(plain) > most:
        half = most // 2
        plain = f"{plain[:half].rsplit(' ', 1)[0]} … {plain[-half:].split(' ', 1)[-1]}"
    return f"“{plain}”"


def _unpunctuated(text: str) -> str:
    """``text`` as it is quoted: on one line, without commas and semicolons around it."""
    return " ".join(text.strip(" \n,;").split())


def edit_line(edits: Sequence[Edit]) -> str:
    """What was done, without a capital: replaced “Karl Ferdinand Pohl” by “the archivist”; deleted “his”."""
    said = []
    most = MOST_QUOTED // min(2, len(edits) or 1)
    for edit in edits[:MOST_EDITS]:
        removed, inserted = edit.removed.strip(), edit.inserted.strip()
        if removed.split() == inserted.split():
            said.append("changed the space between words")
        elif _unpunctuated(removed) == _unpunctuated(inserted):
            said.append("changed the punctuation")
        elif removed and inserted:
            room = most - min(most // 2, len(removed), len(inserted))  # what one does not need, the other has
            done, to = ("extended", "to") if inserted.startswith(removed) else ("replaced", "by")
            said.append(f"{done} {quoted(removed, room)} {to} {quoted(inserted, room)}")
        else:
            said.append(f"deleted {quoted(removed, most)}" if removed else f"added {quoted(inserted, most)}")
    if len(edits) > MOST_EDITS:
        said.append(f"and {counted_noun(len(edits) - MOST_EDITS, 'more change')}")
    return "; ".join(said)


def share_line(heard: int | None, words: int) -> str:
    """The share of the tossup that was heard: 52 %."""
    return "never" if heard is None else f"{round(100 * heard / words)}\u00a0%"


def position_line(heard: int | None, words: int) -> str:
    """The share of the tossup that was heard, and the word: 52 % (word 61 of 118)."""
    said = share_line(heard, words)
    return said if heard is None else f"{said} (word {heard} of {words})"


def shifts_line(shifts: Sequence[PlayerShift], player: str = "") -> str:
    """How far players were moved, ``player`` first: IR 10 % → 52 % (word 61 of 118), DAN unchanged."""
    said = []
    for shift in sorted(shifts, key=lambda one: one.player != player):
        if shift.moved:
            before = share_line(shift.before.buzz_heard, shift.before.words)
            after = position_line(shift.after.buzz_heard, shift.after.words)
            said.append(f"{player_title(shift.player)} {before} → {after}")
    others = [player_title(shift.player) for shift in shifts if not shift.moved]
    return ", ".join([*said, *([f"{listed(others)} unchanged"] if others else [])])


def move_line(move: HistoryMove, player: str = "") -> str:
    """What was done and whom it moved: Replaced “Pohl” by “the man”: IR 10 % → never, DAN unchanged."""
    return f"{sentence(edit_line(move.edits))}: {shifts_line(move.shifts, player)}"


def step_line(history: History, index: int, since: int | None = None) -> str:
    """What step ``index`` of ``history`` is: Edit 12 of 20: replaced “His” by “An oboe”.

    With the number of an earlier edit, what was done ``since`` that one.
    """
    step = history.steps[index]
    before = step.seq - step.is_edit if since is None else min(since, step.seq)
    numbers = f"Edit {step.seq:,}" if before >= step.seq - 1 else f"Edits {before + 1:,} to {step.seq:,}"
    said = f"{numbers} of {len(history.changes):,}"
    if before == step.seq:
        return f"{said}, read again ({step.answer.line if step.answer else 'no answer'})"
    told = history.merged_edits_between(before, step.seq)
    return f"{said}: {edit_line(told) if told else 'no change in the end'}"


def engine_line(engine: str) -> str:
    """The digest of an engine as people can tell it from another."""
    return engine[:8] or "unknown"


def provenance_sentence(provenance: Provenance, names: Mapping[str, str]) -> str:
    """Where a tossup comes from, in a sentence; ``names`` are people's names by their ids."""
    imported = provenance.imported
    if imported is not None:
        facts = [imported.tournament, str(imported.year) if imported.year is not None else ""]
        facts.append(listed([names.get(one) or "somebody without a name" for one in imported.authors]))
        told = ", ".join(fact for fact in facts if fact)
        begun = f"Imported from {imported.file}" + (f" ({told})" if told else "")
    elif provenance.based_on is not None:
        begun = f"Based on {provenance.based_on.source}"
    else:
        begun = {
            Origin.WRITTEN: "Written in QuizWriter",
            Origin.REWRITTEN: "Started as a copy of another tossup",
        }.get(provenance.origin, "The origin of the text is not recorded")
    if not provenance.edits:
        return f"{begun}."
    since = "" if provenance.origin is Origin.WRITTEN else " since"
    seen = (
        f", with {listed([player_title(name) for name in provenance.players])} in view"
        if provenance.players
        else ""
    )
    return f"{begun}; {counted_noun(provenance.edits, 'edit')}{since}{seen}."
