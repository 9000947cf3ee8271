"""One word, one thing: what classes, modules and the glossary call things, read from the sources."""

import re
from collections import defaultdict
from functools import cache

import pytest

from tests.helpers.visible_strings import (
    ROOT,
    source_files,
    strings_of,
    visible_strings,
    without_placeholders,
)

FILES = source_files()
LITERAL = re.compile(
    r"""\#[^\n]*|(?<![(,=]\n)^[ ]*\"{3}.*?\"{3}|(\"{3}.*?\"{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
"""A comment, a docstring, or a string as it stands in a module."""

RIDDLES = (
    "apart",
    "asked",
    "beside",
    "came",
    "deciding",
    "heard",
    "hush",
    "kept",
    "shown",
    "standing",
    "told",
    "yours",
)
"""Words that name nothing a newcomer can look up; no module or class is called by one of them."""


@cache
def sources():
    """The text of each module."""
    return {path: path.read_text(encoding="utf-8") for path in FILES}


@cache
def public_classes():
    """The files that define each public class, by its name."""
    found = defaultdict(list)
    for path, text in sources().items():
        for name in re.findall(r"^class ([A-Za-z]\w*)", text, re.MULTILINE):
            found[name].append(path.relative_to(ROOT).as_posix())
    return found


def modules():
    """The files of each module, by its name; a package's name is that of its folder."""
    found = defaultdict(list)
    for path in FILES:
        name = path.parent.name if path.stem == "__init__" else path.stem
        found[name].append(path.relative_to(ROOT).as_posix())
    return found


def glossary():
    """The words of the glossary as modules would be named by them."""
    lines = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    return {line[3:].strip().lower().replace(" ", "_") for line in lines if line.startswith("## ")}


def test_no_two_public_classes_share_a_name():
    assert {name: files for name, files in public_classes().items() if len(files) > 1} == {}


def test_a_module_name_used_twice_is_a_word_of_the_glossary_and_so_has_one_meaning():
    words = glossary()
    words |= {word.removesuffix("_set") for word in words} | {
        f"{word}{s}" for word in words for s in ("s", "es")
    }
    twice = {name: files for name, files in modules().items() if len(files) > 1 and name != "__main__"}

    assert {name: files for name, files in twice.items() if name not in words} == {}


@pytest.mark.parametrize("riddle", RIDDLES)
def test_no_module_and_no_class_is_named_by_a_riddle(riddle):
    assert riddle not in modules()
    assert riddle.capitalize() not in public_classes()


def test_every_module_says_what_lives_in_it():
    silent = [path.relative_to(ROOT).as_posix() for path, text in sources().items() if text[:3] != '"""']

    assert silent == []


KNOWN_STRINGS = {
    "quizwriter/gui/actions.py": "&New tossup",
    "quizwriter/gui/help_texts.py": "Preferences",
    "quizwriter/gui/writing/answer_field.py": "What the tossup asks for (Ctrl+L)",
    "quizwriter/gui/dialogs/packets.py": "Your packets",
    "quizwriter/gui/review/comments_pane.py": "Reason (optional)",
    "quizwriter/gui/queue/action_bar.py": "Play all",
    "quizwriter/gui/history/history_window.py": "Restore this version",
    "quizwriter/gui/widgets/action_search.py": "Search the actions",
    "quizwriter/workflow/problems/typography.py": "Double spaces",
    "quizwriter/workflow/wording.py": "Stumps every player.",
    "quizwriter/cli/stock.py": "Looking up clues",
    "quizwriter/store/refusals.py": "Try again in a moment.",
    "quizwriter/services/tossups.py": "An empty tossup",
    "quizwriter/challenge/selection.py": "in the bin",
    "index_builder/pipeline.py": "Indexing past questions",
}
"""A string of each room that the list must hold."""

BANNED = {
    r"\bcame of\b|\bcomes? of\b": "results from",
    r"\b(that|it) is so\b|\bso already\b": "already done",
    r"\bkeyboard into\b": "move the cursor to, move the focus to",
    r"\btroubles\b": "problems, messages",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bthrown away\b": "deleted",
    r"\bthinks? of\b": "guesses",
    r"\bt(ake[sn]?|ook) back\b": "undo, undone",
    r"\bmakes? no sense to\b": "cannot be read by this version",
    r"\bmake room\b": "free some disk space",
    r"\bgo(es)? on (from|where)\b": "continue",
    r"\bis said of\b": "is about",
    r"\bgo(es|ne)? on with\b": "continue",
    r"\bcould be looked at\b|\bto be looked at\b": "check",
}
"""What no visible string says, and what a writer says instead; what is in braces does not count."""


@pytest.mark.parametrize("path", KNOWN_STRINGS)
def test_the_list_of_visible_strings_has_those_of_each_room(path):
    assert KNOWN_STRINGS[path] in {one.text for one in visible_strings(files=[ROOT / path])}


def test_the_list_of_visible_strings_has_no_docstring_pattern_query_or_message_of_a_bug():
    source = '''"""What the module is for."""
log.warning("It failed.")
re.compile(r"a b(?:c)")
db.execute("select a from b")
raise ValueError("not a number")
button = Button("&Apply", tip=f"Undo {name} again, or {'keep it' if kept else x}.")
'''

    assert sorted(strings_of(source)) == [
        (6, "&Apply"),
        (6, "Undo {name} again, or {'keep it' if kept else x}."),
        (6, "keep it"),
    ]


@cache
def literals():
    """The strings of each module as they stand there, one after another, without docstrings."""
    return {
        path: "".join(part[1:-1] for part in LITERAL.findall(text.replace("\\\n", "")) if part)
        for path, text in sources().items()
    }


@pytest.mark.parametrize("banned", BANNED)
def test_no_visible_string_uses_a_banned_word(banned):
    pattern = re.compile(banned, re.IGNORECASE)
    files = [path for path, text in literals().items() if pattern.search(text)]  # only these are parsed
    found = [
        f"{path}:{line} {text}"
        for path, line, text in visible_strings(files=files)
        if pattern.search(without_placeholders(text))
    ]

    assert found == [], f"write instead: {BANNED[banned]}"
