"""The pronunciation guides that past questions gave to names, as a bundle and the added packets have them."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from quizwriter.domain.pronunciation import UsedGuide, best_guides, guide_key
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.stored_arrays import require

_NAMES, _SAID = "guides/names.txt", "guides/said.txt"
_COUNTS, _YEARS = "guides/counts.npy", "guides/years.npy"


class GuideBook:
    """Looks up how past questions say a name. Read at the first use; any thread may ask."""

    def __init__(self, bundle: Bundle, added: Bundle | None = None) -> None:
        """The guides in ``bundle`` and in the index ``added``; none if an older version built them."""
        self._bundles = [one for one in (bundle, added) if one is not None and _NAMES in one.files]

    def of(self, name: str) -> tuple[UsedGuide, ...]:
        """The guides that ``name`` had, whatever its case and accents, the most used first.

        Raises:
            QuizwriterError: the bundle was changed or damaged.
        """
        return self._by_key.get(guide_key(name), ())

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
