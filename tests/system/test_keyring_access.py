"""The keyring of the system, asked in a process of its own: in tests there is none."""

from __future__ import annotations

import subprocess
import sys

import pytest

ASKING = """
import sys
from quizwriter.errors import QuizwriterError
from quizwriter.system.keyring_access import find_secret
started = []
sys.addaudithook(lambda event, what: started.append(what[0]) if event == "subprocess.Popen" else None)
try:
    find_secret("nobody")
except QuizwriterError:
    pass
assert "keyring.backends" in sys.modules
print(started)
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="The keyring of macOS looks for its libraries.")
def test_no_compiler_is_started_to_look_for_the_keyring_of_another_system(tmp_path):
    """Python looks for a library with gcc and ld where the system's own list has none."""
    found = subprocess.run(
        [sys.executable, "-c", ASKING], capture_output=True, text=True, check=True,
        env={"HOME": str(tmp_path), "PYTHONPATH": ":".join(filter(None, sys.path))},
    )  # fmt: skip

    assert found.stdout.strip() == "[]"
