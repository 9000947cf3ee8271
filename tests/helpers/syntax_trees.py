"""The syntax trees of files, each parsed once in a process."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path


@cache
def syntax_tree(path: Path) -> ast.Module:
    """The syntax tree of the file at ``path``; it is shared and not to be changed."""
    source, collects = path.read_text(encoding="utf-8"), gc.isenabled()
    gc.disable()  # to look for garbage among so many new nodes takes longer than to make them
    try:
        return ast.parse(source)
    finally:
        if collects:
            gc.enable()
