"""Tables as CSV: written so that no spreadsheet takes a text for a formula, and read back as they were."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from quizwriter.system.decoding import DecodingError

# What spreadsheets take for the beginning of a formula, or leave out before one.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(?:\.[0-9]{1,300})?")


def escape_cell(text: str) -> str:
    """``text`` as a cell of a table: with an apostrophe before it where a spreadsheet would see a formula.

    Numbers stay as they are. :func:`unescape_cell` gives ``text`` back.

    Source:
        OWASP, "CSV Injection".
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unescape_cell(cell: str) -> str:
    """The text of which :func:`escape_cell` made ``cell``."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def write_table(file: TextIO, rows: Iterable[Iterable[object]], line_end: str = "\r\n") -> None:
    """Write ``rows`` as CSV to ``file``, each text as :func:`escape_cell` gives it.

    ``file`` has to leave line ends as they are.
    """
    line = io.StringIO()
    writer = csv.writer(line)  # its own line end makes it put texts with such characters between quotes
    for row in rows:
        writer.writerow([escape_cell(cell) if isinstance(cell, str) else cell for cell in row])
        file.write(line.getvalue().removesuffix("\r\n") + line_end)
        line.seek(0)
        line.truncate()


def read_table(file: TextIO) -> Iterator[dict[str, str]]:
    """The rows of the CSV in ``file`` under the names in its first row, with the texts that were written.

    ``file`` has to leave line ends as they are. A name that a row has no cell for gets an empty text.

    Raises:
        DecodingError: the file is not CSV, or a row has more cells than there are names.
    """
    number = 0
    try:
        for row in csv.DictReader(file, restval="", strict=True):
            number += 1
            if None in row:
                raise DecodingError(f"row {number} has more cells than there are columns")
            yield {name: unescape_cell(cell) for name, cell in row.items()}
    except csv.Error as trouble:
        raise DecodingError(f"it is not CSV after row {number} ({trouble})") from trouble
