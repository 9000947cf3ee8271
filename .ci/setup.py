"""Makes ``.venv`` ready to run and test QuizWriter, or says in one sentence what this computer lacks.

Every ``make`` target begins here. It needs nothing but the Python it runs on, and does nothing when all is
ready. It must parse on Pythons older than QuizWriter supports, to be able to say that they are too old.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 13)  # as requires-python in pyproject.toml says

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / ".ci" / "requirements.txt"
LOG = ROOT / ".ci" / "setup.log"
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
READY = VENV / "ready"  # holds the fingerprint of what was installed; written last

# The system libraries that Qt's wheel expects to find on Linux, and the Debian packages that hold them: first
# for any window, then for X11, then for Wayland. Found with ldd on QtWidgets and on its platform plugins.
LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


def main() -> None:
    """Bring this checkout from whatever state it is in to one where ``.venv`` can be used.

    Raises:
        SystemExit: it cannot be done; the message is for the person at the keyboard.
    """
    use_supported_python()
    LOG.unlink(missing_ok=True)
    if sys.platform.startswith("linux"):
        # Asked every time, since it takes milliseconds: a package may be gone that was there before.
        provide_libraries()
    wanted = fingerprint()
    if READY.is_file() and READY.read_text(encoding="utf-8") == wanted:
        return
    provide_venv_module()
    make_environment()
    READY.write_text(wanted, encoding="utf-8")


def use_supported_python() -> None:
    """Return if this Python will do; otherwise start again with one that does."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        other = shutil.which(f"python3.{minor}")
        if other:
            os.execv(other, [other, *sys.argv])
    sys.exit(
        f"QuizWriter needs Python {OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}, but this is Python "
        f"{sys.version_info[0]}.{sys.version_info[1]}: install one of those beside it and run make again."
    )


def provide_libraries() -> None:
    """See to it that Qt finds the system libraries it needs."""
    missing = missing_libraries()
    if not missing:
        return
    packages = [LIBRARIES[name] for name in missing]
    if not has_good_fonts():
        packages.append("fonts-noto-core")  # sans and serif; the desktop's "serif" and "sans" turn to them
    if not module_exists("ensurepip"):
        packages.append(venv_package())  # so that one command mends everything
    install_system_packages(packages, f"libraries for its window ({', '.join(missing)})")
    missing = missing_libraries()
    if missing:
        sys.exit(f"QuizWriter's window cannot open here: {', '.join(missing)} cannot be loaded.")


def missing_libraries() -> list[str]:
    """The names in LIBRARIES that the dynamic loader does not find."""
    missing = []
    for name in LIBRARIES:
        try:
            ctypes.CDLL(name)
        except OSError:
            missing.append(name)
    return missing


def has_good_fonts() -> bool:
    """Whether anybody has chosen fonts for this computer.

    Debian's fontconfig always brings DejaVu, so that text can be read; alone it means that nobody has.
    """
    files = (file for folder in FONT_FOLDERS for file in Path(folder).expanduser().rglob("*.[ot]t[fc]"))
    return any(not file.name.startswith("DejaVu") for file in files)


def provide_venv_module() -> None:
    """See to it that this Python can make virtual environments; Debian packs that part separately."""
    if not module_exists("ensurepip"):
        install_system_packages([venv_package()], "Python's venv module")


def module_exists(name: str) -> bool:
    """Whether a new Python process could import ``name``."""
    importlib.invalidate_caches()
    return importlib.util.find_spec(name) is not None


def venv_package() -> str:
    """The Debian package that completes the Python we run on, which need not be the default one."""
    return f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"


def install_system_packages(packages: list[str], purpose: str) -> None:
    """Install Debian packages if we may, and otherwise stop with the command that does.

    ``purpose`` says what the packages are for, in words that also help where there is no apt-get.
    """
    if shutil.which("apt-get") is None:
        sys.exit(f"QuizWriter needs {purpose}; please install that with your system's package manager first.")
    # Five minutes of patience, since automatic updates may be at work.
    apt_get = ["apt-get", "-o", "DPkg::Lock::Timeout=300"]
    install = ["install", "--yes", "--no-install-recommends", *packages]
    command = shlex.join(["apt-get", *install])
    if os.geteuid() != 0:
        how = "this installs them: sudo" if shutil.which("sudo") else "this, run as root, installs them:"
        sys.exit(f"QuizWriter needs some system packages; {how} {command}")
    say(f"Installing system packages: {' '.join(packages)}")
    failed = f"These system packages could not be installed; is this computer online? By hand: {command}"
    do([*apt_get, "update"], failed)
    do([*apt_get, *install], failed)


def fingerprint() -> str:
    """A text that changes whenever ``.venv`` has to be made anew.

    That is when the pins, the dependencies, this script, the Python or the folder changes: a virtual
    environment cannot be moved. Settings of tools in pyproject.toml do not count.
    """
    import tomllib  # not at the top: older Pythons, which are only to be told that they are, lack it

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    parts = {
        "package": [project["build-system"], project["project"], project["tool"]["hatch"]],
        "pins": PINS.read_text(encoding="utf-8"),
        "script": Path(__file__).read_text(encoding="utf-8"),
        "python": [sys.version, sys.base_prefix],
        "folder": str(ROOT),
    }
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def make_environment() -> None:
    """Make ``.venv`` from nothing, with exactly the pinned packages.

    Each downloaded file must have one of the digests in PINS, so that a changed package index or a mirror
    cannot put other code into it. The installer is the first package and is checked in the same way.
    """
    say("Setting up QuizWriter in .venv; this downloads about 300 MB and happens only once.")
    python = str(VENV_PYTHON)
    failed = (
        "The libraries QuizWriter is made with could not be downloaded, or are not those that are pinned in "
        f"{PINS.relative_to(ROOT)}; is this computer online?"
    )
    do([sys.executable, "-m", "venv", "--clear", str(VENV)], "Python could not set up the folder .venv.")
    installer = VENV / "installer.txt"
    installer.write_text(pinned("uv"), encoding="utf-8")
    checked = ["install", "--require-hashes"]
    do([python, "-m", "pip", *checked, "--no-deps", "--requirement", str(installer)], failed)
    uv = [python, "-m", "uv", "pip"]
    do([*uv, *checked, "--python", python, "--requirement", str(PINS)], failed)
    # The checkout itself is no download. Its build takes hatchling from what was just installed.
    itself = ["install", "--python", python, "--no-deps", "--no-build-isolation", "--offline"]
    do([*uv, *itself, "--editable", "."], "QuizWriter itself could not be installed in .venv.")


def pinned(name: str) -> str:
    """The lines of PINS that pin the package ``name``: its version and the digests of its files."""
    lines = iter(PINS.read_text(encoding="utf-8").splitlines(keepends=True))
    block = ""
    for line in lines:
        if block and not line.startswith(" "):
            break
        if block or line.startswith(f"{name}=="):
            block += line
    return block


def do(command: list[str], failed: str) -> None:
    """Run ``command`` quietly.

    Raises:
        SystemExit: the command failed, with ``failed`` as the message. What the command said is in LOG,
            and in CI, where nobody can open that file, also printed.
    """
    quietly = {"DEBIAN_FRONTEND": "noninteractive", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "NO_COLOR": "1"}
    with LOG.open("ab") as log:
        log.write(f"\n$ {shlex.join(command)}\n".encode())
        log.flush()
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **quietly},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode != 0:
        if os.environ.get("CI"):
            say(LOG.read_text(encoding="utf-8", errors="replace"))
        sys.exit(f"{failed} (Details: {LOG.relative_to(ROOT)})")


def say(sentence: str) -> None:
    """Tell the person at the keyboard what is going on."""
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        # As shells report Ctrl-C. A half-made .venv is not marked ready, so the next run starts over.
        sys.exit(130)
