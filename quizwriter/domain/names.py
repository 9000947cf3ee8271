"""Names in running text, told by their capitals."""

from __future__ import annotations

from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup, bare_word

LOWERED = frozenset(
    """
    a after although an and another as at before both during each for from he her his if in it its most of
    on one several she some the their these they this those to two when while with
    """.split()  # noqa: SIM905 - words are easier to read in a line
)
"""Words that lose their capital where they no longer begin a sentence; others may be names."""

AFTER_FRAME = LOWERED | frozenset(
    """
    about against among around behind between by for into is near over that through under was were
    where which who whom whose within without
    """.split()  # noqa: SIM905
)
"""Words before which the phrase ends that says what is asked for: "this composer" of "Aida"."""


def name_spans(tossup: Tossup) -> tuple[Span, ...]:
    """The names in the text: runs of words with a capital.

    A word that begins a sentence is a name where it has its capital elsewhere, too, or where it is no common
    word and a word with a capital follows it.
    """
    text, words = tossup.text, tossup.words
    bare = [bare_word(word.of(text)) for word in words]
    fresh = [
        number == 0 or words[number - 1].of(text).rstrip("\"”’')]").endswith((".", "?", "!"))
        for number in range(len(words))
    ]
    capital = [word[:1].isupper() for word in bare]
    known = {word for word, big, new in zip(bare, capital, fresh, strict=True) if big and not new}

    def named(number: int) -> bool:
        if not capital[number] or not tossup.clues[number] or bare[number] == "I":
            return False
        if not fresh[number]:
            return True
        follows = number + 1 < len(words) and capital[number + 1] and not fresh[number + 1]
        return bare[number] in known or (follows and bare[number].casefold() not in AFTER_FRAME)

    found = []
    number = 0
    while number < len(words):
        if not named(number):
            number += 1
            continue
        last = number
        while last + 1 < len(words) and named(last + 1) and words[last].of(text).endswith(bare[last]):
            last += 1
        start = words[number].start + words[number].of(text).find(bare[number])
        end = words[last].start + words[last].of(text).rfind(bare[last]) + len(bare[last])
        found.append(Span(start, end))
        number = last + 1
    return tuple(found)
