"""The user's choices: kept whole, refused where they make no sense."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.errors import QuizwriterError
from quizwriter.settings import MAX_DRAFT_SIZE_PX, MIN_DRAFT_SIZE_PX, ServerSettings, Settings, data_folder

server = st.builds(
    ServerSettings,
    on=st.booleans(),
    url=st.text("aé:/", max_size=4),
    plain_ok=st.booleans(),
    sign_in=st.sampled_from(["nothing", "key", "password"]),
)

some = st.builds(
    Settings,
    bundle=st.text('aé😀"\\\n', max_size=5),
    theme=st.sampled_from(["system", "light", "dark"]),
    draft_font=st.text("a 'é", max_size=5),
    draft_size_px=st.integers(MIN_DRAFT_SIZE_PX, MAX_DRAFT_SIZE_PX),
    player_order=st.lists(st.sampled_from(["ir", "dan", "rnn"]), max_size=3).map(tuple),
    players_off=st.lists(st.text('aé"\n', max_size=3), max_size=2).map(tuple),
    elasticsearch=server,
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "settings.toml"


def told(path, raw):
    path.parent.mkdir()
    path.write_bytes(raw)
    return Settings.read(path)[1]


def test_without_a_file_everything_is_at_its_default(path):
    assert Settings.read(path) == (Settings(), None)


def test_the_defaults_make_sense(path):
    Settings().write(path)

    assert Settings.read(path) == (Settings(), None)


@pytest.fixture(scope="module")
def shared_path(tmp_path_factory):
    return tmp_path_factory.mktemp("settings") / "settings.toml"


@given(some)
def test_what_was_written_is_read_back(shared_path, settings):
    settings.write(shared_path)

    assert Settings.read(shared_path) == (settings, None)


def test_what_a_file_leaves_out_is_at_its_default(path):
    path.parent.mkdir()
    path.write_text('theme = "dark"')

    assert Settings.read(path) == (Settings(theme="dark"), None)


def test_a_line_that_makes_no_sense_leaves_the_others_in_force(path):
    path.parent.mkdir()
    path.write_text('colour = 3\ndraft_size_px = 99\nbundle = "/mine"\ntheme = "dark"')
    settings, trouble = Settings.read(path)

    assert settings == Settings(bundle="/mine", theme="dark")
    assert "colour = 3" in trouble.problem


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("draft_size_px = 9", "draft_size_px = 9"),
        ("draft_size_px = 41", "draft_size_px = 41"),
        ("draft_size_px = 16.0", "draft_size_px = 16.0"),
        ("draft_size_px = true", "draft_size_px = true"),
        ('draft_size_px = "16"', 'draft_size_px = "16"'),
        ('players_off = "ir"', 'players_off = "ir"'),
        ("player_order = [1]", "player_order = [1]"),
        ('bundle = ["/mine"]', 'bundle = ["/mine"]'),
        ('theme = "pink"', 'theme = "pink"'),
        ("theme = 1", "theme = 1"),
        ("bundle = ['a']", 'bundle = ["a"]'),
        ("colour = 3", "colour = 3"),
        ("theme = 2031-10-04T09:30:00Z", 'theme = "2031-10-04 09:30:00+00:00"'),
        ("players_off = [2031-10-04, 09:30:00]", 'players_off = ["2031-10-04", "09:30:00"]'),
        ("theme = {a = {b = false}}", 'theme = {"a": {"b": false}}'),
        ("[elasticsearch]\nverify = 0", "elasticsearch.verify = 0"),
        ("[elasticsearch]\nsign_in = 'magic'", 'elasticsearch.sign_in = "magic"'),
        ("elasticsearch = true", "elasticsearch = true"),
        ("[theme]\nname = 'dark'", 'theme = {"name": "dark"}'),
        ('bundle = "a\\u0000b"', 'bundle = "a\\u0000b"'),
        ('[elasticsearch]\nca = "\\u0000"', 'elasticsearch.ca = "\\u0000"'),
    ],
)
def test_a_line_that_makes_no_sense_is_named(path, line, name):
    trouble = told(path, line.encode())

    assert trouble.problem == f"In {path}, {name} makes no sense."
    assert trouble.remedy == "Correct that line or delete it."


@pytest.mark.parametrize("raw", [b"theme = ", b"\xff\xfe", b"a\0b", b"theme = 'dark'\ntheme = 'light'"])
def test_a_file_that_is_no_toml_is_said(path, raw):
    assert told(path, raw).problem.startswith(f"The settings in {path} cannot be read")


@pytest.mark.parametrize(
    "raw",
    [
        b"draft_size_px = " + b"1" * 5_000,
        b"draft_size_px = 0x" + b"f" * 9_000,
        b"players_off = " + b"[" * 5_000 + b"]" * 5_000,
        b"players_off = " + b"[" * 20 + b"]" * 20,
        b"a = " + b"{a = " * 300 + b"1" + b"}" * 300,
        b"a." * 5_000 + b"b = 1",
    ],
    ids=["digits", "hexadecimal digits", "lists", "some lists", "tables", "keys"],
)
def test_an_extreme_value_starts_the_program_with_the_defaults_and_one_sentence(path, raw):
    trouble = told(path, raw)

    assert trouble.problem.startswith(f"The settings in {path} cannot be read (")
    assert len(str(trouble)) < 1_000
    assert path.read_bytes() == raw


def test_of_a_long_value_that_makes_no_sense_the_beginning_is_named(path):
    trouble = told(path, b"colours = [" + b'"red",' * 10_000 + b"]")

    assert 'colours = ["red", "red"' in trouble.problem
    assert len(str(trouble)) < 1_000


def test_a_folder_in_the_way_is_said(path):
    path.mkdir(parents=True)

    settings, trouble = Settings.read(path)
    assert settings == Settings()
    assert trouble.problem.startswith(f"The settings in {path} cannot be read (")
    with pytest.raises(QuizwriterError, match="could not be written"):
        Settings().write(path)


def test_settings_that_cannot_be_written_leave_the_old_ones(path):
    Settings(theme="dark").write(path)
    path.with_name(".settings.toml.new").mkdir()  # where the new file would be made

    with pytest.raises(QuizwriterError, match="could not be written"):
        Settings(theme="light").write(path)
    assert Settings.read(path)[0] == Settings(theme="dark")


@pytest.mark.skipif(sys.platform == "win32", reason="There every name is Unicode.")
def test_a_folder_whose_name_is_no_text_is_said_and_leaves_the_old_settings(path):
    Settings(theme="dark").write(path)

    with pytest.raises(QuizwriterError, match="could not be written"):
        Settings(bundle="/data/\udcff").write(path)
    assert Settings.read(path)[0] == Settings(theme="dark")


def test_writing_leaves_no_other_file_behind(path):
    Settings(theme="dark").write(path)
    Settings(theme="light").write(path)

    assert [file.name for file in path.parent.iterdir()] == ["settings.toml"]


def test_files_live_where_the_environment_says(monkeypatch):
    monkeypatch.setenv("QUIZWRITER_HOME", "/some/where")

    assert data_folder() == Path("/some/where")


def test_files_live_in_a_folder_of_our_own_otherwise(monkeypatch):
    monkeypatch.setenv("QUIZWRITER_HOME", "")

    assert data_folder().name == "QuizWriter"
    assert data_folder().is_absolute()
