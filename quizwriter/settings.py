"""What the user chose, and where files live."""

from __future__ import annotations

import os
import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import platformdirs
import tomli_w

from quizwriter.errors import QuizwriterError

SMALLEST, LARGEST = 10, 40


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's choices; replaced whole, kept as TOML."""

    bundle: str = ""  # folder of the bundle used last; empty: the embedded starter bundle
    theme: str = "system"  # system, light or dark
    draft_font: str = ""  # family of the draft; empty: the program's choice
    draft_size_px: int = 16  # SMALLEST to LARGEST
    player_order: tuple[str, ...] = ()  # who stands first; the others follow as the bundle has them
    players_off: tuple[str, ...] = ()
    profile_id: str = ""  # who writes here, the same for good; empty: not needed yet
    profile_name: str = ""  # what others call that person; empty: not asked yet
    profile_email: str = ""

    @classmethod
    def read(cls, path: Path) -> tuple[Settings, QuizwriterError | None]:
        """What makes sense of the settings in ``path``, the defaults for the rest; and what does not."""
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return cls(), None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            return cls(), QuizwriterError(
                f"The settings in {path} cannot be read ({reason}).",
                "Correct the file, or delete it to go back to the defaults.",
            )
        settings = cls()
        trouble: QuizwriterError | None = None
        known = {field.name for field in fields(cls)}
        for name, raw in values.items():
            value: Any = tuple(raw) if isinstance(raw, list) else raw
            if name in known and _sensible(name, value, type(getattr(settings, name))):
                settings = replace(settings, **{name: value})
            else:
                trouble = trouble or _senseless(path, name, raw)
        return settings, trouble

    def write(self, path: Path) -> None:
        """Keep the settings in ``path``; what was there stays whole if that fails.

        Raises:
            QuizwriterError: they cannot be written.
        """
        beside = path.with_suffix(".new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(tomli_w.dumps(asdict(self)), encoding="utf-8")
            beside.replace(path)
        except (OSError, UnicodeEncodeError) as trouble:  # the latter: a folder whose name is no text
            reason = trouble.strerror if isinstance(trouble, OSError) else trouble.reason
            raise QuizwriterError(
                f"The settings could not be written to {path} ({reason}).",
                "They hold until you close the window; make room or allow writing there to keep them.",
            ) from trouble


def data_folder() -> Path:
    """Where databases, logs and settings live; ``QUIZWRITER_HOME`` overrides the system's place."""
    override = os.environ.get("QUIZWRITER_HOME")
    return Path(override) if override else Path(platformdirs.user_data_dir("QuizWriter", appauthor=False))


def _sensible(name: str, value: object, kind: type) -> bool:
    if name == "theme":
        return value in ("system", "light", "dark")
    if name == "draft_size_px":
        return type(value) is int and SMALLEST <= value <= LARGEST
    if isinstance(value, tuple):
        return kind is tuple and all(isinstance(one, str) for one in value)
    return type(value) is kind


def _senseless(path: Path, name: str, value: object) -> QuizwriterError:
    return QuizwriterError(
        f"In {path}, {name} = {value!r} makes no sense.", "Correct that line or delete it."
    )
