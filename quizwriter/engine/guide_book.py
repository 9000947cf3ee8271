"""The pronunciation guides that past questions gave to names, as a bundle and the added packets have them."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from quizwriter.domain.pronunciation import UsedGuide, best_guides, guide_key
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.bundle_words import BundleWords
from quizwriter.engine.stored_arrays import require

LEAST_OFTEN = 2
"""Questions that gave a name a guide, before one is missed where it has none."""

SHARE = 20
"""One text of so many that have the name gave it a guide, before one is missed."""

_NAMES, _SAID = "guides/names.txt", "guides/said.txt"
_COUNTS, _YEARS = "guides/counts.npy", "guides/years.npy"


class GuideBook:
    """Looks up how past questions say a name. Read at the first use; any thread may ask."""

    def __init__(self, bundle: Bundle, words: BundleWords, added: Bundle | None = None) -> None:
        """The guides in ``bundle`` and in the index ``added``; none if an older version built them.

        ``words`` says in how many texts a word is.
        """
        self._words = words
        self._bundles = [one for one in (bundle, added) if one is not None and _NAMES in one.files]

    def of(self, name: str) -> tuple[UsedGuide, ...]:
        """The guides that ``name`` had, whatever its case and accents, the most used first."""
        return self._by_key.get(guide_key(name), ())

    def expected(self, name: str) -> UsedGuide | None:
        """The guide that ``name`` usually has; None if few of the texts with it have one."""
        guides = self.of(name)
        often = sum(one.count for one in guides)
        if often < LEAST_OFTEN:
            return None
        words = [word.removesuffix("'s") for word in name.replace("’", "'").split()]
        return guides[0] if often * SHARE >= min(map(self._texts_with, words), default=0) else None

    def _texts_with(self, word: str) -> int:
        """In how many texts of the bundle ``word`` is, with a capital or without."""
        counts, small = self._words.counts, word.casefold()
        return counts.get(small) or counts.get(small[:1].upper() + small[1:], 0)

    @cached_property
    def _by_key(self) -> dict[str, tuple[UsedGuide, ...]]:
        found: defaultdict[str, dict[str, UsedGuide]] = defaultdict(dict)
        for bundle in self._bundles:
            names, said = bundle.lines(_NAMES), bundle.lines(_SAID)
            counts, years = bundle.array(_COUNTS).tolist(), bundle.array(_YEARS).tolist()
            with bundle.refusing(_COUNTS):
                require(len(names) == len(said) == len(counts) == len(years), "it does not fit the guides")
            for name, guide, count, year in zip(names, said, counts, years, strict=True):
                of_name = found[guide_key(name)]
                before = of_name.get(guide, UsedGuide(name, guide, 0))
                last = max(before.last or 0, year) or None
                of_name[guide] = UsedGuide(before.name, guide, before.count + count, last)
        return {key: best_guides(tuple(guides.values())) for key, guides in found.items()}
