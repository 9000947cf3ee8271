"""The script that makes .venv ready: what it installs for each need, and what it leaves as it is."""

from __future__ import annotations

import importlib.util
import json
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


class Setup:
    """The script with a folder of its own for .venv; its commands are only noted, in ``commands``."""

    def __init__(self, folder, monkeypatch, capsys):
        spec = importlib.util.spec_from_file_location("setup_script", ROOT / ".ci" / "setup.py")
        self.script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.script)
        self.commands = []
        self.failing = ""  # a command with this word fails
        self._patch, self._capsys = monkeypatch, capsys
        venv = folder / ".venv"
        for name, value in {
            "ROOT": folder,
            "LOG": folder / "setup.log",
            "VENV": venv,
            "VENV_PYTHON": venv / "bin" / "python",
            "INSTALLER": venv / "installer",
            "READY": venv / "ready.json",
            "do": self._note,
            "fingerprint": lambda: self.fingerprint,
            "provide_libraries": lambda: None,
            "provide_venv_module": lambda: None,
        }.items():
            monkeypatch.setattr(self.script, name, value)
        monkeypatch.delenv("TORCH", raising=False)
        self.fingerprint = "as it is"

    def _note(self, command, failed):
        self.commands.append(command)
        if self.failing and self.failing in command:
            raise SystemExit(failed)
        if "venv" in command:
            Path(command[-1]).mkdir(parents=True, exist_ok=True)

    def __call__(self, need, **environment):
        """What the script says while it makes ready for ``need``; its commands are in ``commands``."""
        self.commands.clear()
        self._capsys.readouterr()
        with self._patch.context() as patch:
            patch.setattr(sys, "argv", ["setup.py", need])
            for name, value in environment.items():
                patch.setenv(name, value)
            self.script.main()
        return self._capsys.readouterr().out

    @property
    def made_anew(self):
        return any("--without-pip" in command for command in self.commands)

    @property
    def extras(self):
        """The extras that were asked for; None if nothing was installed."""
        found = [command for command in self.commands if "pyproject.toml" in command]
        if not found:
            return None
        (command,) = found
        assert str(ROOT / ".ci" / "requirements.txt") in command
        return {word.removeprefix("--extra=") for word in command if word.startswith("--extra=")}


@pytest.fixture
def setup(tmp_path, monkeypatch, capsys):
    return Setup(tmp_path, monkeypatch, capsys)


def test_to_run_nothing_is_installed_that_only_developers_need(setup):
    said = setup("run")

    assert setup.made_anew
    assert setup.extras == set()
    assert all("--require-hashes" in command for command in setup.commands if "--requirement" in command)
    assert "this downloads 150 MB at most" in said


def test_what_is_ready_is_left_alone(setup):
    setup("run")

    assert setup("run") == ""
    assert setup.commands == []


def test_more_is_added_to_what_is_there_and_less_is_served_by_it(setup):
    setup("run")
    setup("train")
    assert not setup.made_anew
    assert setup.extras == {"dense", "dev", "docs", "science", "train"}

    for need in ("run", "develop", "train"):
        assert setup(need) == ""
        assert setup.commands == []


def test_other_pins_make_it_anew_with_what_is_needed_now(setup):
    setup("train")
    setup.fingerprint = "other pins"
    setup("run")

    assert setup.made_anew
    assert setup.extras == set()
    setup("develop")
    assert not setup.made_anew


@pytest.mark.parametrize("failing", ["venv", "--require-hashes", "--editable"])
def test_an_interrupted_installation_starts_anew(setup, failing):
    setup("run")
    setup.failing = failing
    with pytest.raises(SystemExit):
        setup("train")

    setup.failing = ""
    setup("run")
    assert setup.made_anew
    assert setup.extras == set()


@pytest.mark.parametrize("ready", ["", "[]", "{}", '{"fingerprint": "as it is", "extras": 3}'])
def test_a_note_that_makes_no_sense_counts_as_none(setup, ready):
    setup("run")
    setup.script.READY.write_text(ready, encoding="utf-8")
    setup("run")

    assert setup.made_anew


def test_torch_can_be_left_out(setup):
    said = setup("train", TORCH="no")

    assert "TORCH=no: PyTorch is not installed" in said
    assert setup.extras == {"dense", "dev", "docs", "science"}
    assert setup("develop") == ""
    setup("train")
    assert not setup.made_anew
    assert "train" in setup.extras


@pytest.mark.skipif(sys.platform != "linux", reason="Elsewhere PyPI has PyTorch without CUDA.")
def test_torch_without_cuda_comes_from_its_own_index_and_nothing_else_does(setup, monkeypatch):
    monkeypatch.setattr(setup.script, "pinned", lambda name: f"{name}==9.9 \\\n    --hash=sha256:0\n")
    setup("train", TORCH="cpu", TORCH_INDEX="https://torch.example/cpu")

    (torch,) = (command for command in setup.commands if "--index-url" in command)
    assert torch[-4:] == ["--no-deps", "--index-url", "https://torch.example/cpu", "torch==9.9"]
    assert setup.extras == {"dense", "dev", "docs", "science", "train"}
    assert setup.commands.index(torch) < len(setup.commands) - 2
    assert setup("train") == ""  # and stays


def test_a_need_that_nobody_has_is_refused(setup):
    with pytest.raises(SystemExit, match="dance is none of run, develop, train"):
        setup("dance")


def test_the_installer_is_checked_too_and_is_gone_in_the_end(setup):
    setup("run")

    installers = next(command for command in setup.commands if "--requirement" in command)
    assert "--require-hashes" in installers
    assert not setup.script.INSTALLER.exists()
    assert json.loads(setup.script.READY.read_text(encoding="utf-8"))["extras"] == []


def test_the_licences_of_what_comes_with_the_program_go_into_the_package():
    named = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["license-files"]
    resources = ROOT / "resources"
    there = {path for path in resources.rglob("*") if path.is_file() and path.name.startswith("LICENSE")}

    assert {path.parent.name for path in there} >= {"fonts", "icons", "spelling"}
    assert {path for pattern in named for path in ROOT.glob(pattern)} == {ROOT / "LICENSE", *there}
