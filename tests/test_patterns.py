"""Every regular expression takes linear time on hostile text, and so do the functions that use one.

Patterns are found in the source, so that a new one is timed without a line here. Times are those of the
processor, so that a busy machine does not matter, and the best of three counts.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import chain
from pathlib import Path

import pytest

from index_builder.data.corpus import split_text
from index_builder.data.encyclopedia import _plain_text
from index_builder.user_packets import _answers
from quizwriter.challenge.name_search import NameScanner
from quizwriter.domain.answer_line import accepted_titles, main_answer, read_answer_line
from quizwriter.domain.history import Span
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.review import Person
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.tokenizer import tokenize
from quizwriter.formats.file_formats import read_packet
from quizwriter.formats.question_files import ReadReport, question_of
from quizwriter.judging.judge import judge, prepared
from quizwriter.system.decoding import DecodingError, decode_toml
from quizwriter.workflow.checks import check
from quizwriter.workflow.near_duplicates import DuplicateFinder, OtherTossup
from quizwriter.workflow.power import power_mark_edits
from quizwriter.workflow.problems.answer_leak import answer_names
from tests.helpers.processor_time import seconds
from tests.helpers.syntax_trees import syntax_tree

ROOT = Path(__file__).parents[1]
LENGTH = 5_000
"""Characters of a hostile text for a pattern; what takes time in their square is far over the limit."""

MOST_SECONDS = 0.0125
LENGTH_OF_DRAFTS = 7_000
"""Characters of a hostile text for a function."""

MOST_SECONDS_OF_FUNCTIONS = 0.5
METHODS = frozenset({"match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn"})
FILES = sorted([*ROOT.glob("quizwriter/**/*.py"), *ROOT.glob("index_builder/**/*.py")])


def module_of(path: Path) -> str:
    """The name under which the file at ``path`` is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def calls_of_re(path: Path) -> Iterator[ast.Call]:
    """The calls of functions of the module ``re`` in a file."""
    for node in ast.walk(syntax_tree(path)) if "import re" in source(path) else ():
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
        ):
            yield node


def patterns_of(path: Path) -> dict[str, tuple[re.Pattern, set[str]]]:
    """Every pattern that is a constant of the module at ``path``, and the methods that are called on it."""
    module = importlib.import_module(module_of(path))
    return {
        name: (value, methods_of(module.__name__, name))
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern) and assigned(path, name)
    }


def assigned(path: Path, name: str) -> bool:
    """Whether a file gives a value to the constant ``name`` itself, and does not import it."""
    return any(
        isinstance(target, ast.Name) and target.id == name
        for node in syntax_tree(path).body
        if isinstance(node, ast.Assign)
        for target in node.targets
    )


@cache
def uses(path: Path) -> dict[str, set[str]]:
    """For each name in a file, the methods that are called on it; all that scan if it is handed on."""
    found: dict[str, set[str]] = {}
    called = set()
    for node in ast.walk(syntax_tree(path)):  # an attribute comes before the name that it is of
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called.add(node.value)
            found.setdefault(node.value.id, set()).update({node.attr} & METHODS)
        elif isinstance(node, ast.GeneratorExp | ast.ListComp):  # "mark.match(text) for mark in (ONE, OTHER)"
            inside = [one for one in ast.walk(node) if isinstance(one, ast.Attribute)]
            for part in node.generators:
                if isinstance(part.target, ast.Name) and isinstance(part.iter, ast.Tuple):
                    methods = {
                        one.attr
                        for one in inside
                        if isinstance(one.value, ast.Name) and one.value.id == part.target.id
                    } & METHODS
                    for element in part.iter.elts:
                        if isinstance(element, ast.Name):
                            called.add(element)
                            found.setdefault(element.id, set()).update(methods)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called:
            found.setdefault(node.id, set()).update({"fullmatch", "finditer"})
    return found


@cache
def imports(path: Path) -> frozenset[tuple[str | None, str]]:
    """What a file takes from modules: pairs of module and name."""
    nodes = (node for node in ast.walk(syntax_tree(path)) if isinstance(node, ast.ImportFrom))
    return frozenset((node.module, one.name) for node in nodes for one in node.names)


def methods_of(module: str, name: str) -> set[str]:
    """The methods of the pattern ``name`` that are called anywhere."""
    files = (path for path in FILES if name in source(path) and _may_use(path, module, name))
    return set(chain.from_iterable(uses(path).get(name, ()) for path in files))


def _may_use(path: Path, module: str, name: str) -> bool:
    """A look at the text comes first: few files have to be parsed."""
    return module_of(path) == module or (module in source(path) and (module, name) in imports(path))


WITH_PATTERNS = [path for path in FILES if "re.compile(" in source(path)]
"""Read when the tests are collected, which therefore imports nothing that only trains."""

# -- hostile texts for a pattern: what it nearly matches


def sample_of(code, argument) -> list[str]:
    """Texts that a part of a pattern matches, as its parser gives the part; not all of them."""
    name = str(code)
    if name == "LITERAL":
        return [chr(argument)]
    if name == "NOT_LITERAL":
        return ["a" if argument != ord("a") else "b"]
    if name == "ANY":
        return ["a"]
    if name == "CATEGORY":
        return {
            "CATEGORY_SPACE": [" ", "\n"], "CATEGORY_NOT_SPACE": ["a"], "CATEGORY_WORD": ["a", "1"],
            "CATEGORY_NOT_WORD": ["-"], "CATEGORY_DIGIT": ["1"], "CATEGORY_NOT_DIGIT": ["a"],
        }[str(argument)]  # fmt: skip
    if name == "RANGE":
        return [chr(argument[0])]
    if name == "IN":
        if str(argument[0][0]) == "NEGATE":
            compiled = {text for part in argument[1:] for text in sample_of(*part)}
            return [letter for letter in "a -.1" if letter not in compiled][:2]
        return list(dict.fromkeys(text for part in argument for text in sample_of(*part)))[:4]
    if name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
        least, _, inside = argument
        return [text * max(1, least) for text in samples(inside)]
    if name == "SUBPATTERN":
        return samples(argument[-1])
    if name == "ATOMIC_GROUP":
        return samples(argument)
    if name == "BRANCH":
        return list(chain.from_iterable(samples(one) for one in argument[1]))
    if name == "ASSERT" and argument[0] > 0:
        return samples(argument[1])
    return [""]


def samples(parts, most: int = 8) -> list[str]:
    """Texts that ``parts``, one after the other, match: each of the choices once, and first choices else."""
    choices = [sample_of(*part) or [""] for part in parts]
    first = "".join(choice[0] for choice in choices)
    found = [first]
    for at, choice in enumerate(choices):
        found += (
            "".join(other if at == place else one[0] for place, one in enumerate(choices))
            for other in choice[1:]
        )
    return list(dict.fromkeys(found))[:most]


def hostile_texts(pattern: re.Pattern) -> Iterator[str]:
    """Texts of :data:`LENGTH` characters on which a bad pattern of this form takes long."""
    decoded = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    near = samples(re._parser.parse(decoded, flags & ~re.DEBUG), most=12)
    letters = list(dict.fromkeys("".join(near) + " a-.\n"))[:16]
    for letter in letters:
        for end in ("", "\1", "x"):
            yield letter * LENGTH + end
        yield f"x{letter * LENGTH}x"
    for one in near:
        for part in {one, one[:-1], one[1:], f"{one} ", f"{one}\1"}:
            if part:
                yield part * (LENGTH // len(part))
    beginnings = dict.fromkeys(one[:cut] for one in near[:4] for cut in range(1, min(len(one), 12) + 1))
    for begun in beginnings:  # what begins well and then goes on and on
        for letter in letters[:8]:
            yield begun + letter * LENGTH + "\1"


def used(pattern: re.Pattern, method: str, text: str) -> None:
    """``method`` of ``pattern`` called on ``text`` to its end."""
    subject = text if isinstance(pattern.pattern, str) else text.encode()
    if method in {"sub", "subn"}:
        getattr(pattern, method)(subject[:0], subject)
    elif method == "finditer":
        for _ in pattern.finditer(subject):
            pass
    else:
        getattr(pattern, method)(subject)


def test_the_patterns_are_found():
    found = [pattern for path in WITH_PATTERNS for pattern in patterns_of(path).values()]
    assert len(found) > 60
    assert patterns_of(ROOT / "quizwriter" / "domain" / "tossup.py")["_SENTENCE_END"][1] == {"finditer"}
    assert all(methods for _, methods in found)


@pytest.mark.parametrize("path", WITH_PATTERNS, ids=module_of)
def test_patterns_take_linear_time(path):
    for name, (pattern, methods) in patterns_of(path).items():
        for text in hostile_texts(pattern):
            for method in sorted(methods):
                taken = seconds(partial(used, pattern, method, text), MOST_SECONDS)
                assert taken <= MOST_SECONDS, (
                    f"{method} of {name} took {taken:.2f} s on {text[:30]!r} … {text[-5:]!r}"
                )


BAD = [r"\s*-", r"[.?!]+x?$", r"(?:a+)+b", r"\W*\d+\W*(?:[-]\W*\d+)?", r"\w.*\s.*[.?!]$", r"^\W+|\W+$"]


@pytest.mark.parametrize("bad", BAD)
def test_the_hostile_texts_find_a_pattern_that_is_not_linear(bad):
    pattern = re.compile(bad)
    length = 20 if bad == r"(?:a+)+b" else 6_000

    def scan(text: str) -> None:
        used(pattern, "finditer", text)
        used(pattern, "fullmatch", text)

    # one that takes 12.5 ms for 5,000 characters in linear time takes 15 ms for 6,000
    texts = (text[: length - 1] + text[-1] for text in hostile_texts(pattern))
    assert any(seconds(partial(scan, text), 0.015) > 0.015 for text in texts)


def test_every_pattern_is_a_constant_with_a_name():
    inline = []
    for path in FILES:
        calls = list(calls_of_re(path))
        constants = (
            {id(node.value) for node in syntax_tree(path).body if isinstance(node, ast.Assign)}
            if calls
            else ()
        )
        inline += [
            f"{path.relative_to(ROOT).as_posix()}:{call.lineno}"
            for call in calls
            if call.func.attr in METHODS or (call.func.attr == "compile" and id(call) not in constants)
        ]
    assert inline == []


# -- the functions that use them

HOSTILE = [
    *(
        "a",
        ".",
        "?",
        "!",
        " ",
        "\n",
        "\t",
        "(",
        ")",
        "[",
        "]",
        "<",
        "_",
        "~",
        "-",
        "'",
        "’",
        "*",
        "=",
        "\\",
        "1",
    ),
    *("é", "e\u0301", "\u200b", "\u3000", "\ufdfa", "\U0001d49c", "\u202e", "\u0130"),
    *(
        "a ",
        "a. ",
        "A. ",
        ". ",
        "? A",
        '("',
        '"a" ',
        "(a",
        "(*)",
        "( * )",
        "(a-A) ",
        "(SIM-ee-un) ",
        "a-",
        "- ",
    ),
    *("_(", "[a-", "or ", " or a", "; or a", "[or a]", "[accept a; or b] ", "/ ", "a/", "_a_ ", "accept "),
    *("prompt on ", "<a>", "<a> ", "ANSWER: a\n", "ANSWER: (\n", "[10] ", "[10] a\nANSWER: b\n", "1. a\n"),
    *("tossup 1 - ", "tossup ", "round 1 - ", "page 1/", "note to players: ", "tb ", "For 10 points, "),
    *("two hundred ", "you'd've ", "a@", "@a.", "a.b@", "= a =\n", "\n\n", "note to moderator", "test "),
    *("the the ", "this a ", "'s ", "TODO ", "Jane ", "Austen, "),
]
"""Texts that, said again and again, took some function a time that grew faster than the text."""


def hostile_drafts() -> Iterator[str]:
    """Texts of :data:`LENGTH_OF_DRAFTS` characters, each of them of one kind."""
    for one in HOSTILE:
        yield f"Jane Austen {one * (LENGTH_OF_DRAFTS // len(one))}\1"
    numbers = " ".join(map(str, range(LENGTH_OF_DRAFTS)))
    yield numbers[:LENGTH_OF_DRAFTS]
    yield numbers.replace(" ", "; or a")[:LENGTH_OF_DRAFTS]
    yield numbers.replace(" ", "; ")[:LENGTH_OF_DRAFTS]


JANE = Answer("Jane _Austen_ [or Austen]", Page("Jane_Austen"))
NAMES = NameScanner([Person("p" * 32, "Jane Austen", "jane@example.org"), Person("q" * 32, "A A", "a.b@a.b")])
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "words": lambda text: Tossup(text).words,
    "length": lambda text: Tossup(text).length,
    "clues": lambda text: Tossup(text).clues,
    "sentences": lambda text: Tossup(text).sentences,
    "power": lambda text: Tossup(text).power,
    "key of an answer": answer_key,
    "clauses of an answer line, and its main answer": lambda text: Answer(text).main,
    "judge of an answer line": lambda text: judge(f"Jane [or {text}", "Jane Austen"),
    "judge of a typed answer": lambda text: judge("Jane _Austen_ [prompt on Jane]", text[:1_000]),
    "judge of a long typed answer": lambda text: judge("Jane _Austen_", text),
    "names of an answer": lambda text: answer_names(Answer(text)),
    "checks of a text": lambda text: check(Tossup(text, JANE)),
    "checks of an answer": lambda text: check(
        Tossup("Jane Austen wrote it. " * 40, Answer(text, Page(text)))
    ),
    "checks of a text that says its answer": lambda text: check(Tossup(text, Answer(text[:1_000]))),
    "duplicates": lambda text: DuplicateFinder([OtherTossup("a", "a", text)]).of(text + "a"),
    "power mark": lambda text: power_mark_edits(text, Span(0, 0)),
    "tokens": lambda text: tokenize(Tossup(text)),
    "question of a row": lambda text: question_of({"text": text, "answer": text}, ReadReport(""), set()),
    "names of people": lambda text: list(NAMES.search(text, "", remark=True)),
    "answers of a packet": lambda text: list(_answers(text)),
    "passages": lambda text: list(split_text(text)),
    "article": _plain_text,
}


KEPT = (read_answer_line, main_answer, accepted_titles, prepared)
"""What is kept of the lines read last."""


def forget() -> None:
    """Keep no line that was read, so that a second try takes as long as the first."""
    for kept in KEPT:
        kept.cache_clear()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_takes_linear_time(name):
    for text in hostile_drafts():
        taken = seconds(partial(FUNCTIONS[name], text), MOST_SECONDS_OF_FUNCTIONS, forget)
        assert taken <= MOST_SECONDS_OF_FUNCTIONS, f"{taken:.2f} s on {text[:30]!r} … {text[-5:]!r}"


@pytest.mark.parametrize("said", ['\\"', "\\'", '"', "'", '"""', "'''", '\\"""', "a'", 'a"'])
def test_settings_that_are_no_toml_are_refused_in_linear_time(said):
    def read() -> None:
        with pytest.raises(DecodingError):
            decode_toml(b"a = " + said.encode() * 20_000 + b"\1")

    taken = seconds(read, MOST_SECONDS_OF_FUNCTIONS)
    assert taken <= MOST_SECONDS_OF_FUNCTIONS, f"{taken:.2f} s on {said!r}"


@pytest.mark.parametrize("form", ["as it is", "after a question", "as an answer"])
def test_a_packet_takes_linear_time(tmp_path, form):
    path = tmp_path / "packet.txt"
    question = "1. This author wrote many novels of which people speak. For 10 points, name this author.\n"
    for text in hostile_drafts():
        before = {"as it is": "", "after a question": question, "as an answer": f"{question}ANSWER: "}[form]
        path.write_text(before + text, encoding="utf-8", newline="")
        taken = seconds(partial(read_packet, path), MOST_SECONDS_OF_FUNCTIONS)
        assert taken <= MOST_SECONDS_OF_FUNCTIONS, f"{taken:.2f} s on {text[:30]!r} … {text[-5:]!r}"
