"""The strings that a person may read, found in the syntax trees; ``make strings`` writes their list.

A string counts as visible if it has the shape of a label or a sentence, and is not a docstring, pattern,
query, style sheet, log record or message of a bug. A few names in files have that shape, too.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.helpers.syntax_trees import syntax_tree

ROOT = Path(__file__).parents[2]
PACKAGES = ("quizwriter", "index_builder")

LOGS = frozenset({"log", "logger", "logging"})
BUGS = frozenset(
    {
        *(
            "AssertionError",
            "AttributeError",
            "IndexError",
            "KeyError",
            "NotImplementedError",
            "RuntimeError",
        ),
        *("TypeError", "ValueError", "getattr", "setattr", "hasattr", "compile", "TypeVar", "setStyleSheet"),
    }
)
"""Calls whose strings nobody reads but a developer."""

QUERY = re.compile(
    r"^\s*((SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|ATTACH|VACUUM)\b|"
    r"(select|insert|update|delete from|create|drop|alter table|pragma|attach|detach|nullif|case when|exists|"
    r"not exists|left join|join|coalesce|replace|begin|vacuum) (?=.*[(=,*_;]|.* from )|\w+\.\w+ )|"
    r"[=<>] ?[?:]|\bnot null\b",
    re.DOTALL,
)
LABEL = re.compile(r"^&?[A-Z]&?[a-z][a-z&'-]*(…|:|\.|)$|^[a-z]+…$")
WORD = re.compile(r"[A-Za-z]{2}")
CODE = re.compile(
    r"\(\?|\\[bwds(]|\[\^|[{};]\s*$|^\s*[<.#@%]\w+[^ ]*$|: ?#|::|==|\w\.\w+\(|^--|^[\w./{}:-]+$"
)


class VisibleString(NamedTuple):
    """A string and its place; a placeholder is in braces."""

    path: str
    line: int
    text: str


def source_files(root: Path = ROOT) -> list[Path]:
    """The modules of the packages below ``root``."""
    return sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))


def visible_strings(root: Path = ROOT, files: Iterable[Path] | None = None) -> list[VisibleString]:
    """All visible strings of ``files``, else of the packages below ``root``, by path and line."""
    trees = {path: syntax_tree(path) for path in (source_files(root) if files is None else files)}
    kinds = {kind for tree in trees.values() for kind in _event_kinds(tree)}
    found = [
        VisibleString(path.relative_to(root).as_posix(), line, text)
        for path, tree in trees.items()
        for line, text in _strings(tree)
        if text not in kinds
    ]
    return sorted(found, key=lambda string: (string.path.rsplit("/", 1), string.line))


def strings_of(source: str) -> list[tuple[int, str]]:
    """The visible strings of a module, each with its line."""
    return _strings(ast.parse(source))


def _event_kinds(tree: ast.Module) -> Iterator[str]:
    """The kinds of events that a module declares: names in the database and in packs."""
    for declared in tree.body:
        for call in getattr(declared, "decorator_list", ()):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "event_kind":
                yield ast.literal_eval(call.args[0])


def _strings(tree: ast.AST) -> list[tuple[int, str]]:
    found, nodes = [], [tree]
    while nodes:
        node = nodes.pop()
        for child in _children(node):
            if isinstance(child, ast.JoinedStr) or (
                isinstance(child, ast.Constant) and isinstance(child.value, str)
            ):
                text = _text(child)
                if _is_visible(text):
                    found.append((child.lineno, text))
                if isinstance(child, ast.JoinedStr):  # strings within the placeholders
                    nodes += [value.value for value in child.values if isinstance(value, ast.FormattedValue)]
            elif child._fields and not _is_silent(child):
                nodes.append(child)
    return found


def _children(node: ast.AST) -> Iterable[ast.AST]:
    """The nodes below ``node``, without keys of a table that gives names in files their ids."""
    if not isinstance(node, ast.Dict):
        return ast.iter_child_nodes(node)
    return [
        *(key for key, value in zip(node.keys, node.values, strict=True) if key and not _is_id(value)),
        *node.values,
    ]


def _is_id(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and re.fullmatch(r"[a-z][a-z-]*(:[a-z0-9-]+)?", str(node.value)) is not None
    )


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value) for value in node.values)
    assert isinstance(node, ast.FormattedValue)
    return f"{{{ast.unparse(node.value)}}}"


def _is_silent(node: ast.AST) -> bool:
    """Whether nobody reads the strings below ``node``."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True  # a docstring
    if isinstance(node, ast.Assert):
        return True
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return True  # a key, or an annotation such as Literal["draft"]
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Attribute):
        if called.attr == "split" and isinstance(called.value, ast.Constant):
            return True  # a list of words
        return called.attr in BUGS or (isinstance(called.value, ast.Name) and called.value.id in LOGS)
    return isinstance(called, ast.Name) and called.id in BUGS


def without_placeholders(text: str) -> str:
    """``text`` with … for each placeholder, as far as its own words go."""
    return re.sub(r"\{[^{}]*\}", "…", text)


def _is_visible(text: str) -> bool:
    bare = re.sub(r"\{[^{}]*\}", "", text)
    if not WORD.search(bare) or QUERY.match(text):
        return False
    if bare.count("\n") > 1 and not re.search(r"[A-Z].*[.:]", bare, re.DOTALL):
        return False  # a list of words
    if " " in bare.strip() or "\n" in bare.strip():
        return CODE.search(bare) is None
    return LABEL.match(text) is not None or (bare != text and " " in text and CODE.search(text) is None)


def listing(root: Path = ROOT) -> str:
    """The list as one text: a heading for each room, then place and string of each line."""
    lines, room = [], ""
    for string in visible_strings(root):
        its_room = string.path.rsplit("/", 1)[0]
        if its_room != room:
            room = its_room
            lines += ["", f"== {room}", ""]
        name = string.path.rsplit("/", 1)[1]
        lines.append(f"{name}:{string.line}\t{' ⏎ '.join(string.text.splitlines())}")
    return "\n".join(lines[1:]) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(listing(), encoding="utf-8")
    sys.stdout.write(f"{len(visible_strings())} strings are in {target}.\n")
