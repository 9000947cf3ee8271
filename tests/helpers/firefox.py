"""Debian's Firefox, steered by its own WebDriver BiDi: no driver is needed."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import time
from contextlib import contextmanager

import pytest

from tests.helpers.browser import a_browser, needs_browser
from tests.helpers.room_client import LoopbackSocket

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")

needs_firefox = pytest.mark.skipif(FIREFOX is None, reason="Firefox is not installed")

_PREFERENCES = """
user_pref("app.normandy.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("ui.systemUsesDarkTheme", {dark});
"""


class Firefox:
    """One window without a screen; its methods are those of a :class:`tests.helpers.browser.Browser`."""

    def __init__(self, port, size):
        self._socket = LoopbackSocket(port, "/session", patience=90)
        self._ids = itertools.count(1)
        self.ask("session.new", capabilities={})
        self._page = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        width, height = map(int, size.split(","))
        self._here("browsingContext.setViewport", viewport={"width": width, "height": height})

    def ask(self, method, **values):
        number = next(self._ids)
        self._socket.say({"id": number, "method": method, "params": values})
        answer = self._socket.hear(lambda one: one.get("id") == number)
        assert answer is not None, "Firefox is gone"
        assert answer["type"] == "success", answer
        return answer["result"]

    def _here(self, method, **values):
        return self.ask(method, context=self._page, **values)

    def open(self, page):
        """Open a file, or an address."""
        self._here(
            "browsingContext.navigate", url=page if isinstance(page, str) else page.as_uri(), wait="complete"
        )

    def run(self, script, *arguments):
        """What ``script``, the body of a function, returns."""
        function = f"""(...given) => {{
          const found = (function () {{ {script} }}).apply(null, given.map((one) => JSON.parse(one)));
          return JSON.stringify(found ?? null);
        }}"""
        given = [{"type": "string", "value": json.dumps(one)} for one in arguments]
        answer = self.ask(
            "script.callFunction",
            functionDeclaration=function,
            arguments=given,
            target={"context": self._page},
            awaitPromise=False,
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def _act(self, kind, *actions):
        self._here("input.performActions", actions=[{"type": kind, "id": kind, "actions": list(actions)}])

    def press(self, keys):
        """Press ``keys`` where the keyboard is."""
        self._act("key", *({"type": what, "value": key} for key in keys for what in ("keyDown", "keyUp")))

    def click(self, name):
        """Click the element with this id."""
        found = self._here("browsingContext.locateNodes", locator={"type": "css", "value": f"#{name}"})
        self.run("document.getElementById(arguments[0]).scrollIntoView({block: 'nearest'})", name)
        where = {"type": "element", "element": {"sharedId": found["nodes"][0]["sharedId"]}}
        self._act(
            "pointer",
            {"type": "pointerMove", "x": 0, "y": 0, "origin": where},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        )

    def picture(self):
        """The window as a PNG, in base64."""
        return self._here("browsingContext.captureScreenshot")["data"]

    def close(self):
        self.ask("browser.close")
        self._socket.close()


@contextmanager
def a_firefox(folder, size="390,844", *, dark=False):
    """A window of ``size`` whose profile lies in ``folder``."""
    folder.mkdir()
    (folder / "user.js").write_text(_PREFERENCES.format(dark=int(dark)))
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port=0"]
    said = folder / "said.txt"  # a pipe that nobody reads would stop it
    with said.open("w") as file:
        process = subprocess.Popen([*command, "about:blank"], stdout=file, stderr=file)
    try:
        browser = Firefox(_port(process, said), size)
        yield browser
        browser.close()
        process.wait(60)
    finally:
        process.kill()
        process.wait()


def _port(process, said):
    """The port at which Firefox listens, once it does."""
    while True:
        found = re.search(r"BiDi listening on ws://127\.0\.0\.1:(\d+)", said.read_text())
        if found:
            return int(found[1])
        assert process.poll() is None, said.read_text()
        time.sleep(0.1)


BROWSERS = [
    pytest.param(a_browser, id="chromium", marks=needs_browser),
    pytest.param(a_firefox, id="firefox", marks=needs_firefox),
]
"""What a test of a page is given for its ``a_browser``: it runs in each of those that are installed."""
