"""Where the packages of an extra are not installed, one sentence has the command, and all else works."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from index_builder.__main__ import main
from index_builder.pipeline import Pipeline
from index_builder.progress import Progress
from quizwriter.errors import QuizwriterError
from quizwriter.services.downloads import Downloads
from quizwriter.system import extras
from quizwriter.system.extras import EXTRAS, TRAINING, require_extra
from tests.helpers.syntax_trees import syntax_tree

ROOT = Path(__file__).parents[2]


@pytest.fixture
def nothing_to_train_with(monkeypatch):
    """Hides all packages of the extra that trains, and what has imported them."""
    for module in [
        *EXTRAS["train"],
        *(name for name in sys.modules if name.startswith("index_builder.training")),
    ]:
        monkeypatch.setitem(sys.modules, module, None)


def test_an_extra_that_is_there_is_not_mentioned():
    require_extra("science", "A figure")


def test_one_sentence_names_what_is_missing_and_the_command(monkeypatch, nothing_to_train_with):
    monkeypatch.setattr(extras, "_CHECKOUT", Path("site-packages"))
    with pytest.raises(QuizwriterError) as caught:
        require_extra("train", TRAINING)

    *first, last = EXTRAS["train"].values()
    assert caught.value.problem == (
        f"The training of players needs {', '.join(first)} and {last}, which are not installed."
    )
    assert caught.value.remedy.endswith(f'{sys.executable} -m pip install "quizwriter[train]"')


def test_one_missing_package_is_named_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    with pytest.raises(
        QuizwriterError, match=r"^A figure needs statsmodels, which is not installed\. .*: make setup$"
    ):
        require_extra("science", "A figure")


def test_every_extra_names_the_packages_that_pyproject_has():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra, packages in EXTRAS.items():
        listed = {canonicalize_name(Requirement(one).name) for one in project["optional-dependencies"][extra]}
        # the package of PyTorch is torch
        assert {canonicalize_name(name).removeprefix("py") for name in packages.values()} == listed


def test_the_command_that_trains_says_so(nothing_to_train_with, starter, capsys):
    assert main(["train", "--bundle", str(starter)]) == 1

    *_, problem, remedy = capsys.readouterr().err.splitlines()  # after the line of the progress
    assert problem.startswith("The training of players needs ")
    assert remedy.endswith("make setup")


def test_more_evidence_is_indexed_and_says_why_nobody_learns_from_it(
    nothing_to_train_with, starter, tmp_path
):
    class Notes(Progress):
        said = ""

        def note(self, text: str) -> None:
            self.said += text

    notes = Notes()
    (tmp_path / "bundle").symlink_to(starter)
    Pipeline(tmp_path).steps[-1].run(notes)

    assert notes.said.startswith("The training of players needs ")
    assert Downloads(tmp_path).offer().untrained == notes.said


OF_EXTRAS = [
    *EXTRAS["train"],
    *EXTRAS["science"],
    *EXTRAS["dense"],
    "pandas",
    "pytest",
    "hypothesis",
    "sphinx",
]
"""What only extras install, and what only developers have."""


def imported_at_the_head(path):
    """The packages whose modules the file at ``path`` imports when it is imported itself."""
    for statement in syntax_tree(path).body:
        if isinstance(statement, ast.ImportFrom):
            yield (statement.module or "").partition(".")[0]
        elif isinstance(statement, ast.Import):
            yield from (one.name.partition(".")[0] for one in statement.names)


def test_no_module_that_everybody_needs_imports_a_package_of_an_extra_at_its_head():
    seen = re.compile(rf"^(?:from|import) (?:{'|'.join(OF_EXTRAS)})\b", re.MULTILINE)  # also in long texts
    files = [path for package in ("quizwriter", "index_builder") for path in (ROOT / package).rglob("*.py")]
    needed = [path for path in files if "training" not in path.parts]
    looked_at = [path for path in needed if seen.search(path.read_text(encoding="utf-8"))]

    assert len(needed) > 400
    assert not [path for path in looked_at if not {*OF_EXTRAS}.isdisjoint(imported_at_the_head(path))]


def test_what_everybody_needs_imports_nothing_of_an_extra():
    """All modules are imported that ``make run`` must find packages for."""
    script = (
        f"import sys; sys.modules.update(dict.fromkeys({OF_EXTRAS!r}))\n"
        "import importlib, pkgutil, quizwriter, index_builder\n"
        "for package in (quizwriter, index_builder):\n"
        "    for module in pkgutil.walk_packages(package.__path__, package.__name__ + '.', onerror=print):\n"
        "        if module.name.startswith('index_builder.training') or '__main__' in module.name: continue\n"
        "        importlib.import_module(module.name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
