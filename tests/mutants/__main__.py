"""``make mutants``: change the code of a room, line by line, and see whether the room's own tests notice.

The rooms and their tests are in ``pyproject.toml``, under ``tool.quizwriter.mutants``. mutmut makes the
mutants and runs the tests that reach each of them. A room of more than 300 mutants is judged by a drawn
sample. A mutant that lives must be listed in ``survivors.toml`` with the reason. At least 95 % of those
that are not proven equivalent there must be killed, and a time-out is no kill. The exit status is 1 if a room
is not as tight.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from contextlib import chdir
from pathlib import Path

import tomli_w
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.mutation.file_mutation import mutate_file_contents

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
SAMPLE = 300
LEAST_KILLED = 0.95
NEEDED = ("quizwriter", "index_builder", "resources", "docs", "tests", ".ci", "Makefile", "README.md")


def main() -> int:
    """Judge the rooms that are named, or all."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    rooms: dict[str, dict[str, list[str]]] = settings["quizwriter"]["mutants"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"one of {', '.join(rooms)}; without: all")
    parser.add_argument("--processes", default="1", help="how many mutants are tested at once")
    parser.add_argument("--seed", type=int, default=0, help="another number draws another sample")
    given = parser.parse_args()
    listed = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text(encoding="utf-8"))
    tight = True
    for name in given.rooms or rooms:
        room = rooms[name]
        folder = _prepared(name, room, settings["pytest"])
        with chdir(folder):  # where mutmut looks for its settings
            drawn, whole = _drawn(room["mutate"], given.seed)
        _mutmut(folder, "run", "--max-children", given.processes, *drawn)
        tight &= _judged(name, folder, drawn, whole, listed.get(name, []))
    return 0 if tight else 1


def _prepared(name: str, room: dict[str, list[str]], pytest: dict[str, object]) -> Path:
    """A folder in which mutmut finds the program, the settings of pytest and its own."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for needed in NEEDED:
        (folder / needed).symlink_to(ROOT / needed)
    mutmut = {
        "source_paths": ["quizwriter"],
        "only_mutate": [one.partition("::")[0] for one in room["mutate"]],
        "also_copy": [needed for needed in NEEDED if needed not in ("quizwriter", "tests")],
        "pytest_add_cli_args": [
            "-m",
            "not proof",
            "-p",
            "no:cacheprovider",
            "-p",
            "tests.mutants.fresh_caches",
            "--hypothesis-profile=thorough",
            "--hypothesis-seed=0",
        ],
        "pytest_add_cli_args_test_selection": room["tests"],
        "use_git_change_detection": False,
    }
    written = {"tool": {"mutmut": mutmut, "pytest": pytest}}
    (folder / "pyproject.toml").write_text(tomli_w.dumps(written), encoding="utf-8")
    return folder


def _drawn(places: list[str], seed: int) -> tuple[list[str], int]:
    """The names of the mutants to be tested, and how many there are in all.

    ``places`` are files, or functions and classes of files, such as ``a.py::Class.method``.
    """
    names = []
    for place in places:
        file, _, within = place.partition("::")
        module = file.removesuffix(".py").replace("/", ".")
        code = (ROOT / file).read_text(encoding="utf-8")
        made = [f"{module}.{name}" for name in mutate_file_contents(file, code).mutant_names]
        names += [name for name in made if _function(name).startswith(f"{module}.{within}")]
    if len(names) <= SAMPLE:
        return names, len(names)
    return sorted(random.Random(seed).sample(names, SAMPLE)), len(names)


def _mutmut(folder: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    (folder / f"{command[0]}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode:
        sys.exit(f"mutmut {command[0]} failed in {folder}:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def _judged(name: str, folder: Path, drawn: list[str], whole: int, listed: list[dict[str, str]]) -> bool:
    """Whether the room is tight; prints its counts and the mutants that live unlisted."""
    results = _mutmut(folder, "results", "--all", "true")
    found = dict(re.findall(r"^\s*(quizwriter\S+): (.+)$", results, re.MULTILINE))
    counts = Counter(found[one] for one in drawn)
    killed = counts.pop("killed", 0)
    share = killed / len(drawn)
    others = ", ".join(f"{count} {status}" for status, count in counts.items()) or "none lives"
    of_all = f" drawn of {whole}" if whole > len(drawn) else ""
    print(f"{name}: {killed} of {len(drawn)} mutants{of_all} killed ({share:.1%}); {others}", flush=True)
    known = {(one["function"], one["becomes"]): one["why"] for one in listed}
    unlisted = equivalent = 0
    for mutant in (one for one in drawn if found[one] != "killed"):
        with chdir(folder):
            was, becomes = _changed(get_diff_for_mutant(mutant))
        why = known.get((_function(mutant), becomes))
        equivalent += why is not None and why.startswith("Equivalent")
        if why is None:
            unlisted += 1
            print(f"  {_function(mutant)} ({found[mutant]})\n    - {was}\n    + {becomes}", flush=True)
    proper = killed / (len(drawn) - equivalent)
    print(f"  {equivalent} are listed as equivalent; without them {proper:.1%} are killed", flush=True)
    return proper >= LEAST_KILLED and not unlisted


def _function(mutant: str) -> str:
    """The full name of the function that a mutant changes."""
    return re.sub(r"__mutmut_\d+$", "", mutant).replace(".x_", ".").replace(".xǁ", ".").replace("ǁ", ".")


def _changed(diff: str) -> tuple[str, str]:
    """The lines that a mutant takes away, and those it adds, each as one line without indents."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    was, becomes = (" ".join(one[1:].strip() for one in lines if one[:1] == sign) for sign in "-+")
    return was, becomes


if __name__ == "__main__":
    sys.exit(main())
