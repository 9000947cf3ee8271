"""Which words of two texts stand for each other; the time grows with their length, whatever they hold."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

MOST_CELLS = 1 << 14
"""Words of one stretch times words of the other up to which all ways to match them are compared."""

DEEPEST = 24
"""How often a stretch is divided at the words that it has once."""

_Stretch = tuple[int, int, int, int]  # from and to which word of the one, and of the other


def matching_words(ours: Sequence[str], theirs: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """The places of the words that two sequences have in common, in order: each pair rises in both.

    Equal beginnings and ends match first, then words that both have exactly once, and between those
    again so; where no word is unique, words that both have equally often. A short stretch gets the match
    with the most letters. What is left of a long one counts as different, so that no text of repeated signs
    takes long.

    Source:
        Bram Cohen's patience diff, which is also that of ``git diff --patience``.
    """
    found: list[tuple[int, int]] = []
    todo: list[tuple[_Stretch, int]] = [((0, len(ours), 0, len(theirs)), 0)]
    while todo:
        (low, high, first, last), depth = todo.pop()
        while low < high and first < last and ours[low] == theirs[first]:
            found.append((low, first))
            low, first = low + 1, first + 1
        while low < high and first < last and ours[high - 1] == theirs[last - 1]:
            high, last = high - 1, last - 1
            found.append((high, last))
        if low == high or first == last:
            continue
        if (high - low) * (last - first) <= MOST_CELLS:
            found += _heaviest(ours, theirs, (low, high, first, last))
        elif depth < DEEPEST:
            at, place = low, first
            for mine, other in _unique(ours, theirs, (low, high, first, last)):
                found.append((mine, other))
                todo.append(((at, mine, place, other), depth + 1))
                at, place = mine + 1, other + 1
            if at > low:
                todo.append(((at, high, place, last), depth + 1))
    return tuple(sorted(found))


def _unique(ours: Sequence[str], theirs: Sequence[str], where: _Stretch) -> Iterator[tuple[int, int]]:
    """The longest rising chain of words that both stretches have exactly once.

    Where no word is unique, the chain is of words that both have equally often.
    """
    low, high, first, last = where
    mine, others = Counter(ours[low:high]), Counter(theirs[first:last])
    shared = {word for word, count in mine.items() if others[word] == count}
    rare = {word for word in shared if mine[word] == 1} or shared
    places: dict[str, list[int]] = {}
    for at in range(last - 1, first - 1, -1):
        if theirs[at] in rare:
            places.setdefault(theirs[at], []).append(at)
    pairs = [(at, places[ours[at]].pop()) for at in range(low, high) if ours[at] in rare]
    ends: list[int] = []  # the lowest end of a chain of each length
    tops: list[int] = []  # which pair that is
    before: list[int] = []  # for each pair, the one before it in its chain
    for number, (_, other) in enumerate(pairs):
        length = bisect_left(ends, other)
        before.append(tops[length - 1] if length else -1)
        ends[length : length + 1] = [other]
        tops[length : length + 1] = [number]
    chain = []
    at = tops[-1] if tops else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return reversed(chain)


def _heaviest(ours: Sequence[str], theirs: Sequence[str], where: _Stretch) -> list[tuple[int, int]]:
    """The common words of two short stretches with the most letters; a space or a sign counts little."""
    low, high, first, last = where
    width = last - first
    best = [[0] * (width + 1)]
    for at in range(high - 1, low - 1, -1):
        word, below = ours[at], best[-1]
        weight = 10 * len(word) if word[:1].isalnum() else 1
        row = [0] * (width + 1)
        for place in range(width - 1, -1, -1):
            most = max(below[place], row[place + 1])
            if word == theirs[first + place]:
                most = max(most, below[place + 1] + weight)
            row[place] = most
        best.append(row)
    best.reverse()
    found = []
    at = place = 0
    while at < high - low and place < width:
        here = best[at][place]
        if here == best[at + 1][place]:
            at += 1
        elif here == best[at][place + 1]:
            place += 1
        else:
            found.append((low + at, first + place))
            at, place = at + 1, place + 1
    return found
