"""The fuzzer finds faults that were planted, and none in the first cases of every reader."""

from __future__ import annotations

import json
import sys

import pytest

from tests.fuzz.__main__ import main
from tests.fuzz.campaign import CASE, FINDING, Campaign, cause_of

PLANTED = "tests.fuzz.planted"

linux = pytest.mark.skipif(
    sys.platform != "linux", reason="Memory and time are measured exactly on Linux only."
)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A campaign over the planted faults, and the folder of its findings."""
    folder = tmp_path_factory.mktemp("findings")
    found = Campaign(folder, "a seed", PLANTED, limits_s=(2.5, 5.0))
    found.run(300, cases=1, workers=2)
    return found, folder


@linux
def test_each_planted_fault_is_found_and_named(planted):
    found, _ = planted

    assert {name: one.findings for name, one in found.results.items()} == {
        **dict.fromkeys(found.results, 1),
        **dict.fromkeys(("reads", "refuses", "sleeps"), 0),
    }
    assert {one.cases for one in found.results.values()} == {1}
    assert found.results["refuses"].refused == 1
    causes = dict(group.split(": ", 1) for group in found.groups)
    assert causes["raises"].startswith("traceback KeyError")
    assert {name: cause.split()[0] for name, cause in causes.items() if name != "raises"} == {
        "computes": "time",
        "waits": "time",
        "eats": "memory",
        "eats all": "memory",
        "writes outside": "outside",
        "swallows": "outside",
        "removes outside": "outside",
        "reads outside": "outside",
        "starts a program": "outside",
        "crashes": "crash",
    }


@linux
def test_findings_of_one_cause_are_kept_once_and_run_again(planted, capsys):
    _, folder = planted
    (finding,) = folder.glob("raises-*")
    about = json.loads((finding / FINDING).read_text(encoding="utf-8"))

    assert (finding / CASE / "number").read_text(encoding="ascii") in about["trace"]
    assert main(["--module", PLANTED, "--replay", str(finding)]) == 1
    assert "KeyError" in capsys.readouterr().out


def test_a_seed_makes_the_same_cases_again(tmp_path):
    numbers = []
    for name in ("one", "other"):
        found = Campaign(tmp_path / name, "7", PLANTED, ("raises",))
        found.run(60, cases=1, workers=1)
        (finding,) = (tmp_path / name).iterdir()
        numbers.append((finding / CASE / "number").read_bytes())

    assert numbers[0] == numbers[1]


def test_causes_name_the_error_and_the_last_place_of_ours():
    trace = (
        'File "/x/quizwriter/formats/archive.py", line 3, in _rows\n'
        'File "/x/quizwriter/formats/archive.py", line 3, in _branch\n'
        'File "/x/site-packages/quizwriter/other.py", line 3, in no\n'
        'File "/usr/lib/json.py", line 9, in loads\nValueError: no'
    )

    found = cause_of({"outcome": "traceback", "trace": trace})
    assert found == "traceback ValueError at archive.py:_rows > archive.py:_branch"


@linux
def test_every_reader_stands_its_first_cases(tmp_path):
    """``make fuzz`` tries thousands."""
    found = Campaign(tmp_path, "tests")

    found.run(240, cases=3, workers=1)  # ends with the third case of each

    assert not found.groups, "\n".join(found.groups)
    assert all(one.cases for one in found.results.values())
