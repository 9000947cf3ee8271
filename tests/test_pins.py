"""The list of pinned packages: complete, within the bounds of the project, and with digests of all files."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PIN = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ \\]+)(?: ; [^\\]+)?"
    r"(?P<digests>(?: \\\n    --hash=sha256:[0-9a-f]{64})*)\n"
)


@pytest.fixture(scope="module")
def pins():
    text = (ROOT / ".ci" / "requirements.txt").read_text(encoding="utf-8")
    found = list(PIN.finditer(text))
    assert "".join(one[0] for one in found) == text, "a line of the list is not understood"
    return {canonicalize_name(one["name"]): one for one in found}


def wanted():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = (project["dependencies"], *project["optional-dependencies"].values())
    return [Requirement(one) for each in lists for one in each]


def test_every_pinned_package_has_digests(pins):
    assert [name for name, pin in pins.items() if not pin["digests"]] == []


@pytest.mark.parametrize("requirement", wanted(), ids=str)
def test_what_the_project_asks_for_is_pinned_within_its_bounds(pins, requirement):
    pin = pins[canonicalize_name(requirement.name)]

    assert requirement.specifier.contains(pin["version"], prereleases=True), "run make pins"
