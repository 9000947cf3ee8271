"""A screen reader: it asks the program over AT-SPI, the protocol of screen readers on Linux.

It has a display, a session bus and an accessibility bus of its own: nothing of the desktop takes part.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from jeepney import DBusAddress, MatchRule, Properties, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection
from jeepney.wrappers import DBusErrorResponse, unwrap_msg

from tests.helpers.patience import PATIENCE_S

STATES = {
    "checked": 4, "editable": 7, "enabled": 8, "focusable": 11, "focused": 12, "multi line": 17,
    "selected": 23, "sensitive": 24, "showing": 25, "single line": 26, "visible": 30, "read only": 43,
}  # fmt: skip
"""The numbers of states, from ``AtspiStateType`` of at-spi2-core."""

NEEDED = {
    "Xvfb": "xvfb",
    "dbus-daemon": "dbus-daemon",
    "/usr/libexec/at-spi-bus-launcher": "at-spi2-core",
    "/usr/libexec/at-spi2-registryd": "at-spi2-core",
}
"""The programs that are needed, and the Debian packages that hold them."""

ACCESSIBLE, TEXT = "org.a11y.atspi.Accessible", "org.a11y.atspi.Text"
ROOT = "/org/a11y/atspi/accessible/root"


def missing() -> str:
    """Why there can be no screen reader here, in a sentence; empty if there can."""
    if not sys.platform.startswith("linux"):
        return "AT-SPI is the protocol of Linux desktops."
    packages = sorted({package for name, package in NEEDED.items() if shutil.which(name) is None})
    return f"No screen reader can be played without {', '.join(packages)}." if packages else ""


@dataclass(frozen=True)
class Element:
    """Something on the screen, as a screen reader knows it."""

    bus: str
    path: str


@dataclass(frozen=True)
class Heard:
    """An event: its ``kind``, such as ``TextChanged``, its ``detail``, such as ``insert``, and its value."""

    element: Element
    kind: str
    detail: str
    value: object


class ScreenReader:
    """Asks what is on the screen, and hears what changes there."""

    def __init__(self, session_bus: str) -> None:
        self._session = open_dbus_connection(session_bus)
        launcher = DBusAddress("/org/a11y/bus", bus_name="org.a11y.Bus", interface="org.a11y.Bus")
        (address,) = self._call(self._session, new_method_call(launcher, "GetAddress"))
        status = Properties(launcher.with_interface("org.a11y.Status"))
        for name in ("IsEnabled", "ScreenReaderEnabled"):
            self._call(self._session, status.set(name, "b", True))
        self._bus = open_dbus_connection(address)
        registry = DBusAddress(
            "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "org.a11y.atspi.Registry"
        )
        for kind in ("object", "focus", "window"):
            self._call(self._bus, new_method_call(registry, "RegisterEvent", "s", (f"{kind}:",)))
        rule = MatchRule(type="signal", interface="org.a11y.atspi.Event.Object")
        self._call(self._bus, message_bus.AddMatch(rule))
        self._rule = rule

    def close(self) -> None:
        """Ask no more."""
        self._bus.close()
        self._session.close()

    # -- what is there

    def application(self) -> Element:
        """The program, once it is there."""

        def find():
            desktop = Element("org.a11y.atspi.Registry", ROOT)
            found = (one for one in self.children(desktop) if self.name(one) == "QuizWriter")
            return next(found, None)

        return self.wait(find, "the program to appear")

    def children(self, element):
        """What ``element`` holds."""
        (found,) = self._ask(element, ACCESSIBLE, "GetChildren")
        return [Element(*one) for one in found]

    def name(self, element):
        """What ``element`` is called."""
        return self._property(element, ACCESSIBLE, "Name")

    def description(self, element):
        """What is said of ``element`` beyond its name."""
        return self._property(element, ACCESSIBLE, "Description")

    def role(self, element):
        """What kind of thing ``element`` is."""
        return self._ask(element, ACCESSIBLE, "GetRoleName")[0]

    def states(self, element):
        """The states of ``element``, of those in STATES."""
        ((low, high),) = self._ask(element, ACCESSIBLE, "GetState")
        bits = low | high << 32
        return {name for name, number in STATES.items() if bits >> number & 1}

    def text(self, element):
        """The text in ``element``."""
        return self._ask(element, TEXT, "GetText", "ii", (0, -1))[0]

    def caret(self, element):
        """Where the cursor is in ``element``."""
        return self._property(element, TEXT, "CaretOffset")

    def showing(self, element):
        """All in ``element`` that is on the screen, from its top, with name and role."""
        for child in self.children(element):
            if child.path.endswith("/null"):
                continue
            try:
                if "showing" in self.states(child):
                    yield child, self.name(child), self.role(child)
                    yield from self.showing(child)
            except DBusErrorResponse:  # it went away meanwhile
                continue

    def find(self, within, role, name, *, exact=True):
        """The first thing on the screen with this role and name, or beginning of a name, once it is there."""

        def look():
            for one, its_name, its_role in self.showing(within):
                if its_role == role and (its_name == name if exact else its_name.startswith(name)):
                    return one
            return None

        return self.wait(look, f"{role} “{name}”")

    # -- what happens

    def heard(self, wanted, what, *, do=None):
        """The first event for which ``wanted`` is true; ``do`` is called before it is waited for."""
        with self._bus.filter(self._rule, bufsize=10_000) as events:
            if do is not None:
                do()
            end = time.monotonic() + PATIENCE_S
            others = []
            while (left := end - time.monotonic()) > 0:
                try:
                    message = self._bus.recv_until_filtered(events, timeout=left)
                except TimeoutError:
                    break
                fields = {key.name: value for key, value in message.header.fields.items()}
                detail, _, _, (_, value), *_ = message.body
                event = Heard(Element(fields["sender"], fields["path"]), fields["member"], detail, value)
                if wanted(event):
                    return event
                others.append(event)
        raise AssertionError(f"nothing was heard of {what}, only {others[-40:]}")

    def wait(self, look, what):
        """What ``look`` finds, once it finds something."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                if (found := look()) is not None:
                    return found
            except DBusErrorResponse:
                pass  # it is on its way in or out
            time.sleep(0.1)
        raise AssertionError(f"waited in vain for {what}")

    # -- the bus

    def _call(self, connection, message):
        return unwrap_msg(connection.send_and_get_reply(message, timeout=PATIENCE_S))

    def _ask(self, element, interface, method, signature=None, body=()):
        address = DBusAddress(element.path, element.bus, interface)
        return self._call(self._bus, new_method_call(address, method, signature, body))

    def _property(self, element, interface, name):
        address = DBusAddress(element.path, element.bus, interface)
        return self._call(self._bus, Properties(address).get(name))[0][1]


@contextmanager
def desktop(folder: Path):
    """A display and a session bus; the result is the environment of programs on it."""
    with ExitStack() as stack:
        for name in ("runtime", "cache", "home"):
            (folder / name).mkdir(mode=0o700)
        env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("DBUS_", "AT_SPI", "QT_", "XDG_", "WAYLAND", "DISPLAY"))
        }
        env |= {
            "XDG_RUNTIME_DIR": str(folder / "runtime"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "HOME": str(folder / "home"),
            "QT_QPA_PLATFORM": "xcb",
            "LC_ALL": "C.UTF-8",
            "GSETTINGS_BACKEND": "memory",
        }
        env["DISPLAY"] = ":" + stack.enter_context(
            _said(["Xvfb", "-displayfd", "{}", "-screen", "0", "1280x900x24", "-nolisten", "tcp"], env)
        )
        env["DBUS_SESSION_BUS_ADDRESS"] = stack.enter_context(
            _said(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address", "{}"], env)
        )
        yield env


@contextmanager
def _said(command, env):
    """What ``command`` says once it is ready, at the file with the number {}; it ends with the block."""
    read, write = os.pipe()
    filled = [part.replace("{}", str(write)) for part in command]
    with subprocess.Popen(
        filled, env=env, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        os.close(write)
        try:
            with open(read, encoding="utf-8") as said:
                line = said.readline().strip()
            assert line, f"{command[0]} did not start"
            yield line
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
