"""What the tests of several commands need."""

from __future__ import annotations

import json
import shutil
from contextlib import closing

import pytest
from msgspec.structs import replace

from index_builder.starter import starter_bundle
from quizwriter.cli import main
from quizwriter.cli.commands import COMMANDS
from quizwriter.cli.parser import parser_of_all
from quizwriter.engine import engine as engines
from quizwriter.store.store import Store
from tests.helpers.made_histories import fill

BUTTERFLY = (
    "This opera's humming chorus is sung while Suzuki sleeps. Sharpless reads a letter in this opera. (*) "
    "For 10 points, name this work about Pinkerton and Cio-Cio-San."
)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of its own for every test."""
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="session")
def parsers():
    """The parser of all commands, by the commands that were declared."""
    return {}


@pytest.fixture(autouse=True)
def _parser_made_once(parsers, monkeypatch):
    """To make the parser takes as long as many commands do."""

    def kept():
        declared = (*COMMANDS.values(),)
        names = tuple(map(id, declared))
        if names not in parsers:
            parsers[names] = parser_of_all(), declared  # which live as long: no other gets the same id
        return parsers[names][0]

    monkeypatch.setattr("quizwriter.cli.command_parser", kept)


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The starter bundles that commands had built, by their texts."""
    return {}, tmp_path_factory.mktemp("built")


@pytest.fixture(autouse=True)
def _built_once(built, monkeypatch):
    """A home without a bundle gets a copy of the starter bundle that an earlier test had built."""
    known, folder = built

    def copied(texts, bundles, *, anew=False):
        if texts not in known:
            known[texts] = starter_bundle(texts, folder)
        bundle = known[texts]
        if anew or not (bundles / bundle.name).exists():
            try:
                shutil.copytree(bundle, bundles / bundle.name, dirs_exist_ok=True)
            except OSError:
                return starter_bundle(texts, bundles, anew=anew)  # which says why it cannot be there
        return bundles / bundle.name

    monkeypatch.setattr("index_builder.starter.starter_bundle", copied)


@pytest.fixture(scope="session")
def loaded():
    """The engines that commands loaded, by their bundles."""
    return {}


def _files(bundle):
    files = [one for one in bundle.rglob("*") if one.is_file()]
    return frozenset((one.relative_to(bundle), one.stat().st_size, one.stat().st_mtime_ns) for one in files)


@pytest.fixture(autouse=True)
def _loaded_once(loaded, built, tmp_path, monkeypatch):
    """A bundle of several tests, or an untouched copy of one, is loaded once: no command changes it."""
    load = engines.load

    def kept(folder, **how):
        of_all, files = folder, _files(folder)
        if folder.is_relative_to(tmp_path):
            of_all = next((one for one in built[0].values() if _files(one) == files), None)
        if of_all is None:
            return load(folder, **how)
        key = of_all, files, tuple(how.items())
        if key not in loaded:
            loaded[key] = load(of_all, **how)
        return replace(loaded[key], folder=folder)

    monkeypatch.setattr(engines, "load", kept)


@pytest.fixture
def command(capsys):
    """Runs a command with ``--json``; what it prints, decoded."""

    def run(*arguments, status=0):
        assert main([*map(str, arguments), "--json"]) == status
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def draft(tmp_path):
    """A text file with a tossup on Madama Butterfly."""
    path = tmp_path / "draft.txt"
    path.write_text(BUTTERFLY, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def eight(tmp_path_factory):
    """A database of eight tossups with histories and reviews, which is closed; and their ids."""
    path = tmp_path_factory.mktemp("eight") / "quizwriter.db"
    with closing(Store(path)) as store:
        return path, fill(store, 8, seed=6)


@pytest.fixture
def made(home, eight):
    """The ids of eight tossups in the database, with histories and reviews."""
    path, keys = eight
    home.mkdir()
    shutil.copyfile(path, home / "quizwriter.db")
    return keys
