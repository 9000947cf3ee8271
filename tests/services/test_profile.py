"""The profile of the user: one id, whoever asks first, and settings that two threads may save."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from quizwriter.services.profile import Profile
from quizwriter.settings import Settings


@pytest.fixture
def profile(tmp_path):
    """A new user's profile, which never opens a database."""
    return Profile(tmp_path / "settings.toml", lambda: pytest.fail("no database is needed"))


def test_jobs_that_ask_at_once_who_the_user_is_hear_the_same(profile, tmp_path, monkeypatch):
    write, both, written = Settings.write, threading.Barrier(2), []

    def writes(settings, path):
        written.append(settings.profile_id)
        try:  # a second writer would come in here, where none may
            both.wait(0.3)
        except threading.BrokenBarrierError:
            both.reset()
        write(settings, path)

    monkeypatch.setattr(Settings, "write", writes)
    with ThreadPoolExecutor(2) as jobs:
        heard = list(jobs.map(lambda _: profile.me.id, range(2)))

    assert heard[0] == heard[1]
    assert written == heard[:1]
    assert Settings.read(tmp_path / "settings.toml")[0].profile_id == heard[0]


def test_settings_taken_before_the_user_had_an_id_do_not_take_it_away(profile, tmp_path):
    taken = profile.settings
    mine = profile.me.id

    profile.save_settings(replace(taken, profile_name="Ada"))

    assert profile.me.id == mine
    assert profile.me.name == "Ada"
    assert Settings.read(tmp_path / "settings.toml")[0].profile_id == mine
