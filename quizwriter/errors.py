"""What the world does wrong, in sentences that a writer can act on.

One law for the whole program: what reads or writes a file, a database, a server or another process may raise
:class:`QuizwriterError`, and what takes a Cancellation may raise Cancelled. Further in, files that cannot be
read or written raise OSError, and outside data that is not what the docstring says raises DecodingError.
No docstring repeats it; a ``Raises`` block names only other exceptions, or limits that nobody expects.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class QuizwriterError(Exception):
    """Something outside the program is not as it should be.

    ``problem`` says what happened and ``remedy`` what the user can do; both are whole sentences.
    A bug is never one of these: bugs stay tracebacks.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem} {remedy}")
        self.problem = problem
        self.remedy = remedy


class BarredError(QuizwriterError):
    """The tossup, or a sentence of it, is of a set of which no server may see anything."""

    def __init__(self, set_name: str) -> None:
        super().__init__(
            f"Tossups of {set_name or 'no set'} never leave this machine, so nothing was sent.",
            "The set is permanently kept off players on servers.",
        )


@contextmanager
def translate_reading_errors(
    path: Path | str, remedy: str = "Check its name and that you may read it."
) -> Iterator[None]:
    """Say in a sentence that ``path`` cannot be read, and why."""
    try:
        yield
    except OSError as trouble:
        raise QuizwriterError(f"{path} cannot be read ({trouble.strerror or trouble}).", remedy) from trouble
