"""The page of playtesters without a browser: its modules run by Node, where that is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from quizwriter.judging.verdict_table import language
from quizwriter.system.resource_files import resources_folder

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="the page's scripts run with Node here")


def in_node(rows):
    """What the modules answer to each of ``rows``; the language of answers is set first."""
    rows = [{"do": "language", "language": language()}, *rows]
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("node.mjs")), str(resources_folder() / "play")],
        input=b"\n".join(map(msgspec.json.encode, rows)) + b"\n",
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()][1:]
