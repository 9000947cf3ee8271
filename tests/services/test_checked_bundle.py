"""The bundle whose files were checked last, and what makes them be checked again."""

import os
import shutil

import pytest

from quizwriter.engine.bundle import Bundle
from quizwriter.errors import QuizwriterError
from quizwriter.services.checked_bundle import FILE_NAME, CheckedBundle
from quizwriter.services.wiring import App


@pytest.fixture
def bundle(forest, tmp_path, monkeypatch):
    """A bundle that nobody has changed for long."""
    monkeypatch.setattr("quizwriter.services.checked_bundle.SETTLED_S", -60.0)
    return shutil.copytree(forest[0], tmp_path / "bundle")


@pytest.fixture
def home(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.fixture
def trusted(monkeypatch):
    """Whether each bundle that was opened was trusted."""
    heard = []
    real = Bundle.open.__func__

    def heed(kind, folder, *, trusted=False):
        heard.append(trusted)
        return real(kind, folder, trusted=trusted)

    monkeypatch.setattr(Bundle, "open", classmethod(heed))
    return heard


def opened(home, bundle, *, window=True):
    """Open ``bundle`` once as a window does, or as a command does; without other processes."""
    with App(home, bundle) as app:
        app.engines.uses_player_processes = window
        app.engines._player_processes = lambda folder=None: Alone()
        app.engines.load()


class Alone:
    """Players that stay in this process."""

    def players(self, engine):
        return engine


def test_a_window_reads_all_of_a_bundle_once_and_a_command_each_time(home, bundle, trusted):
    for window in (True, True, False, True):
        opened(home, bundle, window=window)
    assert trusted == [False, True, False, True]


def test_a_changed_file_is_read_again_also_where_its_size_and_time_are_as_before(home, bundle, trusted):
    opened(home, bundle)
    damaged = bundle / "pages.txt"
    raw, before = damaged.read_bytes(), damaged.stat()
    damaged.write_bytes(raw[:-2] + b"?\n")
    os.utime(damaged, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(QuizwriterError, match=r"pages\.txt is missing or not as it was built"):
        opened(home, bundle)
    damaged.write_bytes(raw)
    opened(home, bundle)
    opened(home, bundle)
    assert trusted == [False, False, False, True]


def test_what_is_added_removed_or_moved_is_read_again(home, bundle, trusted, tmp_path):
    state = CheckedBundle(home).state
    states = [state(bundle)]
    (bundle / "more").write_bytes(b"")
    states.append(state(bundle))
    (bundle / "more").unlink()
    states.append(state(bundle))
    moved = bundle.rename(tmp_path / "moved")
    states.append(state(moved))
    assert len({*states}) == 4
    assert state(bundle) == "", "nothing is there"


def test_a_bundle_that_changed_a_moment_ago_is_read_again(home, bundle, trusted, monkeypatch):
    monkeypatch.setattr("quizwriter.services.checked_bundle.SETTLED_S", 1e6)
    opened(home, bundle)
    opened(home, bundle)
    assert trusted == [False, False]
    assert not (home / FILE_NAME).exists()


def test_nothing_is_kept_of_a_bundle_that_changes_while_it_is_read(home, bundle):
    checked = CheckedBundle(home)
    state = checked.state(bundle)
    (bundle / "more").write_bytes(b"")
    checked.keep(bundle, state)
    assert not checked.has(state)
    checked.keep(bundle, checked.state(bundle))
    assert checked.has(checked.state(bundle))


@pytest.mark.parametrize("raw", [b"", b"?", b"\xff" * 100_000])
def test_a_file_that_makes_no_sense_says_nothing(home, bundle, trusted, raw):
    (home / FILE_NAME).write_bytes(raw)
    opened(home, bundle)
    assert trusted == [False]
    assert not CheckedBundle(home).has("")


def test_a_home_that_takes_no_file_is_no_trouble(tmp_path, bundle):
    checked = CheckedBundle(tmp_path / "bundle" / "pages.txt")  # no folder
    state = checked.state(bundle)
    checked.keep(bundle, state)
    assert not checked.has(state)
