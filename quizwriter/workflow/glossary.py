"""The words of the program and their meanings, read from the page ``docs/glossary.md``."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from quizwriter.errors import QuizwriterError

NAME = "glossary.md"

_HEADING = re.compile(r"^## +(.+)$", re.MULTILINE)


class GlossaryEntry(msgspec.Struct, frozen=True):
    """A word and what it means: plain text, one paragraph."""

    word: str
    meaning: str

    def matches(self, query: str) -> bool:
        """Whether the word or its meaning contains every word of ``query``, in any case and any order."""
        text = f"{self.word} {self.meaning}".casefold()
        return all(part in text for part in query.casefold().split())


def parse(text: str) -> tuple[GlossaryEntry, ...]:
    """The entries of ``text``, in its order: each word is a heading of the second level.

    What stands before the first such heading is an introduction and is left out.
    """
    _, *parts = _HEADING.split(text)
    return tuple(
        GlossaryEntry(word.strip(), " ".join(meaning.split()))
        for word, meaning in zip(parts[::2], parts[1::2], strict=True)
    )


def glossary() -> tuple[GlossaryEntry, ...]:
    package = Path(__file__).parents[1]
    for page in (package / "resources" / NAME, package.parent / "docs" / NAME):
        try:
            return parse(page.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as trouble:
            raise QuizwriterError(
                f"The glossary in {page} cannot be read ({trouble}).", "Install QuizWriter again."
            ) from trouble
    raise QuizwriterError("The program's glossary is missing.", "Install QuizWriter again.")


def search(entries: tuple[GlossaryEntry, ...], query: str) -> tuple[GlossaryEntry, ...]:
    """The entries that match ``query``: first the words that begin with it, then the rest, each in order."""
    wanted = query.strip().casefold()
    found = [entry for entry in entries if entry.matches(wanted)]
    return tuple(sorted(found, key=lambda entry: not entry.word.casefold().startswith(wanted)))
