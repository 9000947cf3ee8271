"""Files of JSON lines for tests."""

from __future__ import annotations

import json


def write_lines(path, rows):
    """The file ``path`` with ``rows``, a line each."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
