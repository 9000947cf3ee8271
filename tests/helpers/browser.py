"""Debian's Chromium, steered by its own driver over the WebDriver protocol; firefox.py has the other."""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import contextmanager

import httpx
import pytest

needs_browser = pytest.mark.skipif(
    shutil.which("chromedriver") is None or shutil.which("chromium") is None,
    reason="Chromium and its driver are not installed",
)

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """One window without a screen."""

    def __init__(self, client, session):
        self._client, self._session = client, session

    def _ask(self, path, **values):
        answer = self._client.post(f"/session/{self._session}/{path}", json=values).json()["value"]
        assert not isinstance(answer, dict) or "error" not in answer, answer
        return answer

    def open(self, page):
        """Open a file, or an address."""
        self._ask("url", url=page if isinstance(page, str) else page.as_uri())

    def run(self, script, *arguments):
        """What ``script``, the body of a function, returns."""
        return self._ask("execute/sync", script=script, args=list(arguments))

    def press(self, keys):
        """Press ``keys`` where the keyboard is."""
        found = self._client.get(f"/session/{self._session}/element/active").json()["value"]
        self._ask(f"element/{found[_ELEMENT]}/value", text=keys)

    def click(self, name):
        """Click the element with this id."""
        found = self._ask("element", using="css selector", value=f"#{name}")
        self._ask(f"element/{found[_ELEMENT]}/click")

    def picture(self):
        """The window as a PNG, in base64."""
        return self._client.get(f"/session/{self._session}/screenshot").json()["value"]


@contextmanager
def a_browser(folder, size="390,844", *arguments):
    """A window of ``size`` whose profile lies in ``folder``."""
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        port = next(found[1] for line in driver.stdout if (found := re.search(r"on port ([1-9]\d*)", line)))
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=90, trust_env=False) as client:
            width, height = map(int, size.split(","))
            given = [
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                f"--user-data-dir={folder}",
            ]
            wanted = {
                "alwaysMatch": {
                    "browserName": "chrome",
                    "goog:chromeOptions": {
                        "binary": shutil.which("chromium"),
                        "args": [*given, *arguments],
                        # a window of its own is never narrower than 500
                        "mobileEmulation": {
                            "deviceMetrics": {"width": width, "height": height, "mobile": False}
                        },
                    },
                    "goog:loggingPrefs": {"browser": "ALL"},
                }
            }
            answer = client.post("/session", json={"capabilities": wanted}).json()["value"]
            assert "sessionId" in answer, answer
            try:
                yield Browser(client, answer["sessionId"])
            finally:
                client.delete(f"/session/{answer['sessionId']}")
    finally:
        driver.terminate()
        driver.wait(20)
        driver.stdout.close()
