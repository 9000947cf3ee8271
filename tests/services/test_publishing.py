"""Publishing from the window: the command is the builder's, and its secrets are in no command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from quizwriter.services.wiring import App
from quizwriter.settings import ServerSettings

LAB = ServerSettings(on=True, url="http://127.0.0.1:9", index="-odd name", sign_in="password", user="ada")


@pytest.fixture
def app(tmp_path):
    with App(tmp_path / "home", database=tmp_path / "other.db") as app:
        yield app


def test_the_secret_is_in_the_environment_and_in_no_word(app):
    command = app.publishing.publish_command(LAB, "hunter2", Path("/bundle"))

    assert command.secrets == {"QUIZWRITER_ELASTICSEARCH_PASSWORD": "hunter2"}
    assert not [word for word in command.words if "hunter2" in word]
    assert not app.publishing.publish_command(ServerSettings(url=LAB.url), "hunter2", Path("/bundle")).secrets


def test_the_database_with_the_sets_that_never_leave_is_that_of_the_window(app, tmp_path):
    words = app.publishing.publish_command(LAB, "hunter2", Path("/bundle")).words

    assert f"--store={tmp_path / 'other.db'}" in words


def test_a_server_that_does_not_answer_is_a_line_with_a_remedy(app, starter, tmp_path):
    app.store.tossups()  # the window has made its database
    command = app.publishing.publish_command(LAB, "hunter2", starter)
    environment = {**os.environ, **command.secrets, "QUIZWRITER_HOME": str(tmp_path / "home")}

    with subprocess.Popen(
        command.words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = [json.loads(line) for line in process.stdout.read().splitlines()]

    assert process.returncode == 1
    assert "cannot be reached" in lines[-1]["problem"]
    assert lines[-1]["remedy"]
