"""The part of ijson that QuizWriter uses."""

from collections.abc import Iterator
from typing import IO

class JSONError(Exception): ...

def items(source: IO[bytes], prefix: str, *, use_float: bool = False) -> Iterator[object]: ...
