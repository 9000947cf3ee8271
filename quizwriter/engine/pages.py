"""Every page a bundle can name, found by what people type."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, cast, overload

import numpy as np

from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.tossup import Answer
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.name_table import NameFinder, NameRows, Names
from quizwriter.engine.stored_arrays import require

if TYPE_CHECKING:
    import numpy.typing as npt

    from quizwriter.engine.completion import CompletionIndex

MOST_ALIASES, LONGEST_ALIAS = 1_000_000, 200
"""How many other names of pages a bundle may have, and how many characters one has; ours have 60,000."""

CLEAR_SHARE = 0.8
"""A name means a page if at least this share of the answer lines with the name is on the page."""

RARELY = 2
"""A page that at most so many tossups ask for may be a mere nickname of another page."""

NICKNAME_RATIO, INITIALS_RATIO = 10, 20
"""The other page is asked for at least so many times as often; initials are shared by more pages."""

SHADOW_RATIO = 2
"""A rarely asked word alone means no page where a name with it is asked for so many times as often."""

LEAST_LINES = 2
"""So many answer lines at least have a name that means a page whose own name does not have the word."""

NICKNAME_SHARE = 0.35
"""A nickname from answer lines stands in at least this share of those with the page's own name."""

_ASIDE = re.compile(r"_\([^()]*\)\Z|,_.*+\Z", re.DOTALL)
_ARTICLES = frozenset({"The", "A", "An"})
_WITHOUT_MAKER = re.compile(r"[^'’]{2,60}(?:['’]s|s['’])\s+(\S.*)", re.DOTALL)
_JOINING = frozenset({"of", "the", "von", "van", "de", "da", "di", "del"})
"""Small words within names."""


class Alias(NamedTuple):
    """Another name of a page, and what speaks for it.

    ``name`` is written as in answer lines, ``key`` is its answer key, ``row`` is the row number of the page.
    ``lines`` counts the questions on the page whose answer line has the name, ``beside`` those among them
    whose line has it beside the page's own name. ``mapped``: the map of answers names the page.
    """

    name: str
    key: str
    row: int
    lines: int
    beside: int = 0
    mapped: bool = False


class AliasTable(Sequence[Alias]):
    """The aliases in a bundle. Each is made when it is asked for: players need none of them."""

    def __init__(self, names: Names, keys: Names, numbers: npt.NDArray[np.int32]) -> None:
        """``numbers`` has the row, the lines, those beside the page's own name, and whether it is mapped.

        Shapes:
            ``numbers``: ``[names, 4]``.
        """
        self.names, self.keys, self.numbers = names, keys, numbers

    @classmethod
    def of(cls, aliases: Sequence[Alias]) -> AliasTable:
        numbers = [(alias.row, alias.lines, alias.beside, alias.mapped) for alias in aliases]
        return cls(
            Names.of(alias.name for alias in aliases),
            Names.of(alias.key for alias in aliases),
            np.asarray(numbers, np.int32).reshape(len(aliases), 4),
        )

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, index: int) -> Alias: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Alias]: ...

    def __getitem__(self, index: int | slice) -> Alias | Sequence[Alias]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        row, lines, beside, mapped = self.numbers[index].tolist()
        return Alias(self.names[index], self.keys[index], row, lines, beside, bool(mapped))


class Completion(NamedTuple):
    """A page that is offered for what was typed, and the alias that was found.

    ``alias`` is empty where the page's own name was found.
    """

    page: Page
    alias: str


class Pages:
    """The answers a bundle can name, in the order of their row numbers."""

    def __init__(
        self,
        pages: Sequence[Page],
        keys: Sequence[str],
        weights: Sequence[int],
        aliases: Sequence[Alias] = (),
        words_in: Bundle | None = None,
    ) -> None:
        """``keys`` are the :func:`answer_key` of ``pages``, worked out when the bundle was built.

        ``weights`` count the tossups that ask for each page: they rank what is offered, and settle which page
        a shared key means. ``aliases`` are other names. ``words_in`` is the bundle that has the words of all
        these names; without one they are worked out when they are first needed.
        """
        self._words_in = words_in
        self.all = cast("Sequence[Page]", _names(pages))
        self._keys, self._weights = _names(keys), array("i", weights)
        self.rows: Mapping[str, int] = NameRows(self._keys, self._weights)
        """The row number behind each key; where pages share one, the page asked for most."""
        self.aliases = aliases if isinstance(aliases, AliasTable) else AliasTable.of(aliases)

    def __len__(self) -> int:
        return len(self.all)

    def find(self, name: str) -> Page | None:
        """The page called ``name``, case, accents, articles and punctuation aside."""
        row = self.rows.get(answer_key(name)) if name.strip() else None
        return None if row is None else self.all[row]

    def right(self, answer: Answer | None) -> tuple[int, ...]:
        """The rows of the pages that are right for ``answer``, that of its own page first."""
        if answer is None:
            return ()
        rows = {key: row for key in answer.keys if (row := self.rows.get(key)) is not None}
        own = answer.key
        return tuple(row for key, row in rows.items() if key == own or answer.accepts(self.all[row]))

    def meant(self, name: str) -> Page | None:
        """The page that a writer means with ``name``: the page called so, or else one with this alias.

        A page that is only a nickname beside the real one, as "JFK" beside "John F. Kennedy", is never meant.
        None where no page is called so, where several pages are, or where the one that is called so is rarely
        asked for beside others whose names begin or end with it, or have these initials: "Luke" beside
        "Gospel of Luke", "Einstein" beside "Albert Einstein", "RFK" beside "Robert F. Kennedy".
        """
        key = answer_key(name) if name.strip() else ""
        row = self.rows.get(key)
        if row is not None:
            nicknamed = self._nicknamed(row)
            real = row if nicknamed is None else nicknamed
            hidden = self._is_overshadowed(real) or self._shadowing(real) is not None
            return None if hidden else self.all[real]
        row = self.aliased(key)
        return None if row is None or self._is_outdone(key, row) else self.all[row]

    def _is_outdone(self, key: str, row: int) -> bool:
        """Whether the alias ``key`` hardly means the page in ``row``: it is rather part of another's name.

        "Stravinsky" is no other name of Bach, though an answer line has it there.
        """
        own = key in main_words(self.all[row], self._keys[row])
        lines = [alias for alias in self._aliases_of(key) if alias.row == row]
        if not own and all(alias.lines < LEAST_LINES and not alias.mapped for alias in lines):
            return True
        other = self._namesake(key)
        return (
            other is not None and other != row and self._weights[other] > (self._weights[row] if own else 0)
        )

    def aliased(self, key: str) -> int | None:
        """The row of the one page that has the answer key ``key`` as an alias; None if none or several have.

        The page that the map of answers names comes before those of answer lines.
        """
        found = self._aliases_of(key)
        if not found:
            return None
        mapped = [alias for alias in found if alias.mapped]
        if len(mapped) == 1:
            return mapped[0].row
        best = max(found, key=lambda alias: alias.lines)
        return best.row if best.lines >= CLEAR_SHARE * sum(alias.lines for alias in found) else None

    def complete(self, typed: str, limit: int = 12) -> tuple[Completion, ...]:
        """Up to ``limit`` pages for what was ``typed`` of a name, the likeliest first.

        The words may be typed in any order, unfinished and with slips; see
        :mod:`quizwriter.engine.completion`. A nickname stands behind the page that it means. Where no name
        has all the words, a work is found without its maker: *Hamlet* for "Shakespeare's Hamlet".
        """
        found = self._complete(typed, limit)
        work = None if found else _WITHOUT_MAKER.match(typed)
        return found if work is None else self._complete(work[1], limit)

    def _complete(self, typed: str, limit: int) -> tuple[Completion, ...]:
        wanted = answer_key(typed) if typed.strip() else ""
        if not wanted or not self.all:
            return ()
        exact = self.rows.get(wanted)
        found: dict[int, int | None] = {}
        for match in self._completions.find(wanted, limit, exact):
            found.setdefault(
                self.rows[self._keys[match.row]], match.alias
            )  # pages with one key are one answer
        if exact is not None:
            initials = _is_in_capitals(self.all[exact])
            real = self._nicknamed(exact)
            if real is None and initials:
                real = self._shadowing(exact)
            if real is not None:
                found = {real: found.get(real), **found}
        return tuple(
            Completion(self.all[row], "" if alias is None else self.aliases[alias].name)
            for row, alias in islice(found.items(), limit)
        )

    def asked(self, page: Page) -> int:
        """How many tossups of the bundle ask for ``page``."""
        row = self.rows.get(answer_key(page))
        return 0 if row is None else self._weights[row]

    def prepare(self) -> None:
        """Work out what :meth:`meant` and :meth:`complete` need at their first call; any thread may do so.

        It takes half a second in a bundle of an older version, which has no words of names.
        """
        if self.all:
            self.meant(self.all[0])
            self.complete(self.all[0], 1)

    @cached_property
    def _completions(self) -> CompletionIndex:
        from quizwriter.engine.completion import CompletionIndex, NameWords  # few commands ask

        keys, aliases = self._keys, self.aliases
        if self._words_in is not None and NameWords.are_in(self._words_in):
            words = NameWords.read(self._words_in, len(keys), len(aliases))
        else:
            words = NameWords.of(keys, aliases.keys, count_main_words(self.all, keys))
        return CompletionIndex(keys, self._weights, aliases.keys, aliases.numbers, words)

    def _aliases_of(self, key: str) -> list[Alias]:
        return [self.aliases[place] for place in self._alias_finder.places(key)]

    @cached_property
    def _alias_finder(self) -> NameFinder:
        return NameFinder(self.aliases.keys)

    def _nicknamed(self, row: int) -> int | None:
        """The row of the real page where the page in ``row`` is only a nickname of it; None otherwise."""
        key, weight = self._keys[row], self._weights[row]
        if weight > RARELY or self.rows[key] != row:
            return None
        claims = [
            real
            for real, ratio in self._nickname_claims(key)
            if real != row and self._weights[real] >= ratio * max(1, weight)
        ]
        return max(claims, key=self._weights.__getitem__, default=None)

    def _nickname_claims(self, key: str) -> Iterator[tuple[int, int]]:
        """The rows of pages that may have the nickname ``key``, and how much oftener each must be asked for.

        It is an alias, or the last word or the initials of a name that is all in capitals at its beginnings.
        A last word is a nickname only where hardly any other page has the word: not "War".
        """
        for alias in self._aliases_of(key):
            if alias.beside > 2 and alias.beside >= NICKNAME_SHARE * self._weights[alias.row]:
                yield alias.row, NICKNAME_RATIO
        with_word = self._pages_with(key)
        asked = sum(self._weights[row] for row in with_word)
        claims = [
            (row, NICKNAME_RATIO)
            for row in with_word
            if self._weights[row] >= max(NICKNAME_RATIO, CLEAR_SHARE * asked)
            and self._named(row)[-1:] == [key]
        ]
        claims += [
            (row, INITIALS_RATIO)
            for row in self._completions.with_initials(key).tolist()
            if self._weights[row] >= NICKNAME_RATIO and len(self._named(row)) > 2
        ]
        yield from sorted(claims)

    def _pages_with(self, word: str) -> list[int]:
        """The rows of the pages whose keys have ``word``, the one asked for most first; those equal rise."""
        if " " in word:
            return []
        rows = self._completions.pages_with(word).tolist()
        return sorted(rows, key=lambda row: -self._weights[row])

    def _named(self, row: int, joining: frozenset[str] = frozenset()) -> list[str]:
        """The main words of a name of two to four words that all begin with a capital, or are ``joining``.

        Empty for other pages.
        """
        page = self.all[row]
        words, parts = main_words(page, self._keys[row]), page.split("_")
        if not 1 < len(words) < 5 or parts[0] in _ARTICLES:
            return []
        fits = all(part[:1].isupper() or part in joining for part in parts[: len(words)])
        return words if fits else []

    def _namesake(self, word: str) -> int | None:
        """The page asked for most among names of several words that begin or end with ``word``."""
        for row in self._pages_with(word):
            words = self._named(row, _JOINING)
            if word in (*words[:1], *words[-1:]) and self.all[row].count("_") >= len(words) - 1:
                return row
        return None

    def _is_overshadowed(self, row: int) -> bool:
        """Whether the page in ``row`` is one word, rarely asked for, that begins names as Luke Skywalker's.

        A page whose name begins or ends with the word is asked for much oftener. A word that only ends names,
        as Socrates ends "Trial of Socrates", is itself the name.
        """
        key, weight = self._keys[row], self._weights[row]
        if weight > RARELY:
            return False
        asked = [other for other in self._pages_with(key) if self._weights[other]]
        least = _least_of_shadow(weight)
        return any(self._weights[other] >= least and self._is_at_end(key, other) for other in asked) and any(
            self._named(other)[:1] == [key] for other in asked
        )

    def _is_at_end(self, word: str, row: int) -> bool:
        """Whether a name of several words begins or ends with ``word``, written with a capital."""
        page = self.all[row]
        words, parts = main_words(page, self._keys[row]), page.split("_")
        if len(words) < 2 or parts[0] in _ARTICLES:
            return False
        ends = ((words[0], parts[0]), (words[-1], parts[min(len(words), len(parts)) - 1]))
        return any(one == word and part[:1].isupper() and answer_key(part) == word for one, part in ends)

    def _shadowing(self, row: int) -> int | None:
        """The page that is asked for where the page in ``row``, rarely asked for, is a part of its name.

        The part is a surname, initials, or a name without what stands in the middle. Too little speaks for a
        nickname; and yet "Einstein", which no tossup asks for, hardly means the page that is called so, where
        others ask for "Albert Einstein". None where there is no such page.
        """
        from quizwriter.judging.known_names import COMMON_NOUNS

        key, weight = self._keys[row], self._weights[row]
        if weight > RARELY or self.rows[key] != row or key in COMMON_NOUNS:
            return None  # "War" and "Lake" end names, and are none
        least = max(weight + 1, _least_of_shadow(weight))
        for real in self._pages_with_part(key, initials=_is_in_capitals(self.all[row])):
            if self._weights[real] < least:
                break
            words = self._named(real)
            if real == row or not words or self.all[real].count("_") < len(words) - 1:
                continue
            parts = [words[-1]]
            if len(words) > 2:
                parts += ["".join(word[:1] for word in words), f"{words[0]} {words[-1]}"]
            if key in parts:
                return real
        return None

    def _pages_with_part(self, key: str, *, initials: bool) -> list[int]:
        """The rows of pages whose names may have ``key`` as a part, the one asked for most first."""
        first, _, last = key.partition(" ")
        rows = self._pages_with(last or first)
        if not last and initials:
            rows = [*rows, *self._completions.with_initials(key).tolist()]
        return sorted({*rows}, key=lambda row: (-self._weights[row], row))


def _names(names: Sequence[str]) -> Names:
    return names if isinstance(names, Names) else Names.of(names)


def _least_of_shadow(weight: int) -> int:
    """How often a name is asked for at the least beside a word that is asked for ``weight`` times."""
    return SHADOW_RATIO * weight or 1


def _is_in_capitals(page: str) -> bool:
    return page.removeprefix("the_").isupper()


def main_words(page: str, key: str) -> list[str]:
    """The words of ``key``, the answer key of ``page``, without those that only tell the page from others."""
    words = key.split(" ")
    aside = _ASIDE.search(page) if page.endswith(")") or ",_" in page else None
    return words if aside is None else words[: max(1, len(words) - len(answer_key(aside.group()).split(" ")))]


def count_main_words(pages: Iterable[str], keys: Iterable[str]) -> list[int]:
    """How many :func:`main_words` each of ``pages`` has."""
    return [len(main_words(page, key)) for page, key in zip(pages, keys, strict=True)]


def read_pages(bundle: Bundle, built: Bundle | None = None) -> Pages:
    """The pages of ``bundle``, in the order of their rows.

    ``built`` has the aliases where ``bundle`` is an index of packets added to it. A bundle of an old version
    has no aliases.
    """
    names, keys = bundle.names("pages.txt"), bundle.names("page_keys.txt")
    asked = bundle.array("pages_asked.npy").tolist()
    with bundle.refusing("pages.txt"):
        require(len(names) == len(keys) == len(asked), "it does not fit page_keys.txt and pages_asked.npy")
    built = built or bundle
    # packets that were added may have added pages, whose words the built bundle does not have
    words_in = built if len(built.stored("pages_asked.npy")) == len(names) else None
    return Pages(cast("Sequence[Page]", names), keys, asked, read_aliases(built, len(names)), words_in)


def read_aliases(bundle: Bundle, pages: int) -> Sequence[Alias]:
    """The aliases in ``bundle``, which has so many ``pages``; none if an old version wrote it."""
    if "aliases/names.txt" not in bundle.files:
        return ()
    names, keys = bundle.names("aliases/names.txt"), bundle.names("aliases/keys.txt")
    numbers = bundle.array("aliases/numbers.npy")
    with bundle.refusing("aliases/names.txt"):
        require(len(names) <= MOST_ALIASES, f"there are more than {MOST_ALIASES:,} names")
        require(numbers.shape == (len(names), 4) and len(names) == len(keys), "it does not fit the others")
        require(numbers[:, 0].max(initial=-1) < pages, "a name is that of no page")
        require(names.lengths().max(initial=0) <= LONGEST_ALIAS, f"a name is longer than {LONGEST_ALIAS}")
        require(keys.lengths().max(initial=0) <= 4 * LONGEST_ALIAS, "a key is too long")
        require(keys.lengths().min(initial=1) > 0, "a key is empty")
    return AliasTable(names, keys, numbers)
