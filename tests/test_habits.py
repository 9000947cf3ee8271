"""What runs at each commit, and on hosted machines, is what runs here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.helpers.shared_data import not_here

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def read(path):
    """What a YAML file says."""
    try:
        import yaml
    except ModuleNotFoundError:
        not_here("PyYAML is not installed; it comes with the extra docs.")
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def plain_commands():
    """The commands of the Makefile and of the page for contributors, as they are typed on Windows."""
    options = re.search(r"^PYTEST_OPTIONS := (.*)$", MAKEFILE, re.MULTILINE)[1]
    recipes = re.findall(r"^\t@?(\$\(BIN\)/.*)$", MAKEFILE, re.MULTILINE)
    page = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    for line in (*recipes, *re.findall(r"^(?:\.venv|py ).*$", page, re.MULTILINE)):
        line = line.replace("py -3.11 ", "python ")
        line = line.replace("$(BIN)/", ".venv\\Scripts\\").replace("$(PYTEST_OPTIONS)", options)
        yield re.sub(r"\$\(if .*\)|\$\(ARGS\)", "", line).strip()


def test_the_hosted_workflow_runs_nothing_that_does_not_run_here():
    jobs = read(".github/workflows/check.yml")["jobs"]
    known = {f"make {target}" for target in TARGETS} | set(plain_commands())

    runs = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert len(runs) > 5
    assert set(runs) <= known


def test_the_hosted_workflow_tests_every_supported_python_on_every_system():
    jobs = read(".github/workflows/check.yml")["jobs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    supported = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))

    assert {re.match(r"[a-z]+", job["runs-on"])[0] for job in jobs.values()} == {"ubuntu", "macos", "windows"}
    for job in jobs.values():
        assert job["strategy"]["matrix"]["python"] == supported


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed.")
def test_compiled_modules_are_kept_whatever_the_machine_says(tmp_path):
    """Else each start of Python compiles everything again, as many images of containers want it."""
    asking = tmp_path / "Makefile"
    asking.write_text(
        "include Makefile\nasked:\n\t@echo [$${PYTHONDONTWRITEBYTECODE-not set}]\n", encoding="utf-8"
    )
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}

    command = ["make", "--silent", "-f", str(asking), "asked"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)

    assert done.stdout == "[not set]\n"


def test_every_check_is_a_hook_and_every_hook_a_make_target():
    (repository,) = read(".pre-commit-config.yaml")["repos"]
    entries = {hook["entry"] for hook in repository["hooks"]}

    assert repository["repo"] == "local"
    assert entries == {f"make {target}" for target in TARGETS if target.startswith("check-")}


@pytest.mark.parametrize("template", ["problem", "idea", "config"])
def test_the_templates_of_issues_can_be_read(template):
    assert read(f".github/ISSUE_TEMPLATE/{template}.yml")


def test_there_is_one_floor_for_coverage():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["coverage"]

    assert 0 <= settings["report"]["fail_under"] <= 100


def test_both_tiers_run_before_a_change_is_accepted():
    steps = re.findall(
        r"^step (make test.*)$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE
    )

    assert [step.split(" ARGS")[0] for step in steps] == ["make test COVERAGE=yes", "make test-all REST=yes"]
