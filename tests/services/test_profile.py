"""The profile of the user: one id, and settings that two threads may save."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from msgspec.structs import replace

from quizwriter.errors import QuizwriterError
from quizwriter.services.profile import Profile
from quizwriter.settings import Settings
from quizwriter.store.store import Store
from quizwriter.workflow.session import now_ms
from tests.helpers.patience import PATIENCE_S


@pytest.fixture
def profile(tmp_path):
    """A new user's profile, which never opens a database."""
    return Profile(tmp_path / "settings.toml", lambda: pytest.fail("no database is needed"))


def test_the_window_saves_settings_while_a_job_gives_the_user_an_id(profile, tmp_path, monkeypatch):
    write, writing, both = Settings.write, threading.Event(), threading.Barrier(2)

    def writes(settings, path):
        writing.set()
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.3)  # a second writer would come in here, where none may
            pytest.fail("two threads write the settings at once")
        write(settings, path)

    monkeypatch.setattr(Settings, "write", writes)
    with ThreadPoolExecutor(1) as jobs:
        heard = jobs.submit(lambda: profile.me.id)
        assert writing.wait(PATIENCE_S)
        profile.save_settings(replace(profile.settings, profile_name="Ada"))
        mine = heard.result()

    saved, _ = Settings.read(tmp_path / "settings.toml")
    assert (saved.profile_id, saved.profile_name) == (mine, "Ada")


def test_settings_taken_before_the_user_had_an_id_do_not_take_it_away(profile, tmp_path):
    taken = profile.settings
    mine = profile.me.id

    profile.save_settings(replace(taken, profile_name="Ada"))

    assert profile.me.id == mine
    assert profile.me.name == "Ada"
    assert Settings.read(tmp_path / "settings.toml")[0].profile_id == mine


def test_what_was_typed_into_the_file_meanwhile_stays(profile, tmp_path):
    file, mine = tmp_path / "settings.toml", profile.me.id
    profile.save_settings(replace(profile.settings, text_percent=120))
    file.write_text(
        file.read_text()
        .replace('theme = "system"', 'theme = "dark"')
        .replace('index = "quizwriter"', 'index = "lakes"')
    )

    server = replace(profile.settings.elasticsearch, url="http://127.0.0.1:9200")
    profile.save_settings(replace(profile.settings, shows_legend=True, elasticsearch=server))

    saved, trouble = Settings.read(file)
    assert trouble is None
    assert (saved.theme, saved.text_percent, saved.shows_legend) == ("dark", 120, True)
    assert (saved.elasticsearch.index, saved.elasticsearch.url) == ("lakes", "http://127.0.0.1:9200")
    assert saved.profile_id == mine
    file.unlink()
    profile.save_settings(replace(profile.settings, shows_legend=False))
    assert Settings.read(file)[0].profile_id == mine


def test_a_name_given_while_the_clock_was_years_ahead_keeps_no_later_one_from_others(tmp_path, monkeypatch):
    years_ms = 10 * 365 * 24 * 3_600_000
    with closing(Store(tmp_path / "ben.db")) as store, closing(Store(tmp_path / "ada.db")) as other:
        ben = Profile(tmp_path / "settings.toml", lambda: store)
        for name, ahead_ms in (("Ben", 0), ("Ben of 2099", years_ms), ("Ben Osei", 0)):
            with monkeypatch.context() as clock:
                for module in ("services.profile", "store.merging"):
                    clock.setattr(f"quizwriter.{module}.now_ms", lambda ms=ahead_ms: now_ms() + ms)
                ben.set_profile(name, "")
            other.save_person(store.people()[ben.me.id])

        assert [one.people()[ben.me.id].name for one in (store, other)] == ["Ben Osei", "Ben Osei"]


def test_a_line_that_was_spoilt_meanwhile_is_said_and_left_to_be_corrected(profile, tmp_path):
    file = tmp_path / "settings.toml"
    assert profile.me.id
    spoilt = file.read_text().replace('theme = "system"', 'theme = "drak"')
    file.write_text(spoilt)

    with pytest.raises(QuizwriterError, match="drak"):
        profile.save_settings(replace(profile.settings, shows_legend=True))

    assert file.read_text() == spoilt
    file.write_text(spoilt.replace("drak", "dark"))
    profile.save_settings(replace(profile.settings, text_percent=120))
    saved = Settings.read(file)[0]
    assert (saved.theme, saved.shows_legend, saved.text_percent) == ("dark", True, 120)


def test_a_command_that_names_the_user_and_an_open_window_are_one_person(profile, tmp_path):
    command = Profile(tmp_path / "settings.toml", lambda: pytest.fail("no database is needed"))
    theirs = command.me.id
    command.save_settings(replace(command.settings, profile_name="Ada"))

    assert (profile.me.id, profile.me.name) == (theirs, "Ada")
    command.save_settings(replace(command.settings, profile_name="Ada Lee"))
    profile.save_settings(replace(profile.settings, shows_legend=True))

    saved = Settings.read(tmp_path / "settings.toml")[0]
    assert (saved.profile_id, saved.profile_name, saved.shows_legend) == (theirs, "Ada Lee", True)


def test_an_id_that_cannot_be_kept_is_said_in_a_sentence(tmp_path, caplog):
    file = tmp_path / "settings.toml"
    file.write_text("colour = 3")
    profile, told = Profile(file, lambda: pytest.fail("no database is needed")), []
    profile.identity.warn = told.append

    assert profile.me.id
    (trouble,) = told
    assert trouble.problem == (
        f"Your profile is new and cannot be kept. In {file}, colour = 3 makes no sense. "
        "What you chose holds only until you close QuizWriter."
    )
    assert trouble.remedy == "Correct that line or delete it."
    assert not caplog.records
