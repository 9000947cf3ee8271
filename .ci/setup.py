"""Makes ``.venv`` ready for one need, or says in one sentence what this computer lacks.

The need is the argument: ``run``, ``develop`` or ``train``; see NEEDS. Every ``make`` target begins here, and
so do the commands for systems without ``make``. It needs nothing but the Python it runs on, and does nothing
when all is ready. It must parse on Pythons older than QuizWriter supports, to be able to say that they are
too old.
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
PYTHON = "Scripts/python.exe" if os.name == "nt" else "bin/python"  # in a virtual environment
VENV_PYTHON = VENV / PYTHON
INSTALLER = VENV / "installer"  # an environment with pip and uv, which is there only while they install
READY = VENV / "ready.json"  # what was installed; written last, and gone while something is being installed

# What each need installs, as extras of pyproject.toml. A need has all that the needs above it have.
NEEDS = {
    "run": (),
    "develop": ("dense", "dev", "docs", "science"),
    "train": ("dense", "dev", "docs", "science", "train"),
}
# What is downloaded for each need if nothing is there yet, on Linux. The last is mostly PyTorch with CUDA, as
# PyPI has it for Linux; with TORCH=cpu, and elsewhere, it is a fifth of that.
DOWNLOADS = {"run": "150 MB", "develop": "350 MB", "train": "3 GB"}

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
NOT_DOWNLOADED = (
    "The libraries QuizWriter is made with could not be downloaded, or are not those that are pinned in "
    f"{PINS.relative_to(ROOT)}; is this computer online?"
)
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


def main() -> None:
    """Bring this checkout from whatever state it is in to one where ``.venv`` can be used.

    Raises:
        SystemExit: it cannot be done; the message is for the person at the keyboard.
    """
    use_supported_python()
    need = sys.argv[1] if len(sys.argv) > 1 else "train"
    if need == "train" and os.environ.get("TORCH") == "no":
        say("TORCH=no: PyTorch is not installed, and the tests that need it are left out.")
        need = "develop"
    if need not in NEEDS:
        sys.exit(f"{need} is none of {', '.join(NEEDS)}.")
    LOG.unlink(missing_ok=True)
    if sys.platform.startswith("linux"):
        # Asked every time, since it takes milliseconds: a package may be gone that was there before.
        provide_libraries()
    wanted = fingerprint()
    there = installed(wanted)
    if there is not None and there.issuperset(NEEDS[need]):
        return
    say(f"Setting up QuizWriter in .venv; this downloads {DOWNLOADS[need]} at most, and happens only once.")
    READY.unlink(missing_ok=True)
    provide_venv_module()
    if there is None:
        make_environment(VENV, "--clear", "--without-pip")
    install(need)
    ready = {"fingerprint": wanted, "extras": sorted({*NEEDS[need], *(there or ())})}
    READY.write_text(json.dumps(ready), encoding="utf-8")


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


def installed(wanted: str) -> set[str] | None:
    """The extras in ``.venv``; None if it must be made anew, because its fingerprint is not ``wanted``.

    An environment with more than is needed serves as it is, and one with less is added to.
    """
    try:
        ready = json.loads(READY.read_text(encoding="utf-8"))
        return {str(extra) for extra in ready["extras"]} if ready["fingerprint"] == wanted else None
    except (OSError, ValueError, KeyError, TypeError):  # there is none, or an installation was interrupted
        return None


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


def make_environment(folder: Path, *options: str) -> None:
    """Make a virtual environment in ``folder``."""
    command = [sys.executable, "-m", "venv", *options, str(folder)]
    do(command, f"Python could not set up the folder {folder.relative_to(ROOT)}.")


def install(need: str) -> None:
    """Install what ``need`` needs into ``.venv``, in exactly the versions in PINS, and the checkout itself.

    Each downloaded file must have one of the digests in PINS, so that a changed package index or a mirror
    cannot put other code into it. That holds for the installer and for what builds the checkout, too.
    """
    make_environment(INSTALLER, "--clear")
    python = str(INSTALLER / PYTHON)
    pip = [python, "-m", "pip"]
    listed = INSTALLER / "requirements.txt"
    listed.write_text(pinned("uv"), encoding="utf-8")
    checked = ["install", "--require-hashes"]
    do([*pip, *checked, "--no-deps", "--requirement", str(listed)], NOT_DOWNLOADED)
    if need == "train" and os.environ.get("TORCH") == "cpu" and sys.platform.startswith("linux"):
        install_torch_for_the_processor(pip)
        checked = ["install"]  # all but that file is still compared with its digest in PINS
    uv = [python, "-m", "uv", "pip"]
    into = ["--python", str(VENV_PYTHON)]
    extras = [f"--extra={extra}" for extra in NEEDS[need]]
    wanted = [*extras, "--requirement", "pyproject.toml", "--constraint", str(PINS)]
    do([*uv, *checked, *into, *wanted], NOT_DOWNLOADED)
    itself = ["--no-deps", "--editable", ".", "--build-constraints", str(PINS)]
    do([*uv, "install", *into, *itself], "QuizWriter itself could not be installed in .venv.")
    shutil.rmtree(INSTALLER)


def install_torch_for_the_processor(pip: list[str]) -> None:
    """Install PyTorch from the index of its makers that TORCH_INDEX names, which has it without CUDA.

    PINS has no digests of those files: ``pip`` compares the file with the digest that the index itself gives
    over a checked connection, and nothing else is taken from there.
    """
    version = pinned("torch").split(maxsplit=1)[0]
    index = os.environ.get("TORCH_INDEX", "https://download.pytorch.org/whl/cpu")
    failed = f"PyTorch could not be downloaded from {index}; without TORCH=cpu it comes from PyPI."
    do([*pip, "--python", str(VENV_PYTHON), "install", "--no-deps", "--index-url", index, version], failed)


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
