"""What the user chose, and where files live."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
import platformdirs
import tomli_w

from quizwriter.atomic import atomic_text
from quizwriter.decoding import DecodingError, decode_toml, decode_value, read_limited
from quizwriter.domain.server_address import addresses, host
from quizwriter.errors import QuizwriterError

SMALLEST, LARGEST = 10, 40
"""Sizes of the draft's letters, in pixels."""

_MOST_BYTES = 1 << 20


_Theme = Annotated[str, msgspec.Meta(pattern=r"\A(system|light|dark)\Z")]
_SignIn = Annotated[str, msgspec.Meta(pattern=r"\A(nothing|key|password)\Z")]
_FontSize = Annotated[int, msgspec.Meta(ge=SMALLEST, le=LARGEST)]


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """An Elasticsearch server as the writer set it up; its secret is never among the settings."""

    on: bool = False  # whether its player plays
    url: str = ""  # or several of one cluster, by commas
    index: str = "quizwriter"
    ca: str = ""  # a file with the certificate it is checked by; empty: the system's own
    verify: bool = True  # whether its certificate is checked at all
    plain_ok: bool = False  # whether drafts may be sent to it over a network unencrypted
    sign_in: _SignIn = "nothing"  # nothing, key or password
    user: str = ""  # whose password

    @property
    def host(self) -> str:
        """Whom the addresses name, with the ports, as people say it; empty if nobody."""
        return ", ".join(filter(None, map(host, addresses(self.url))))

    @property
    def opened_by(self) -> tuple[str, ...]:
        """What its secret is for: another address or another user has another."""
        if self.sign_in == "nothing":
            return ()
        return self.url, self.sign_in, self.user if self.sign_in == "password" else ""


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's choices; replaced whole, kept as TOML."""

    bundle: str = ""  # folder of the bundle used last; empty: the embedded starter bundle
    theme: _Theme = "system"  # system, light or dark
    draft_font: str = ""  # family of the draft; empty: the program's choice
    draft_size_px: _FontSize = 16  # SMALLEST to LARGEST
    player_order: tuple[str, ...] = ()  # who stands first; the others follow as the bundle has them
    players_off: tuple[str, ...] = ()
    profile_id: str = ""  # who writes here, the same for good; empty: not needed yet
    profile_name: str = ""  # what others call that person; empty: not asked yet
    profile_email: str = ""
    elasticsearch: ServerSettings = ServerSettings()

    @classmethod
    def read(cls, path: Path) -> tuple[Settings, QuizwriterError | None]:
        """The settings in ``path``, the default where one is missing or refused, and the first refusal."""
        try:
            values = decode_toml(read_limited(path, _MOST_BYTES))
        except (FileNotFoundError, NotADirectoryError):
            return cls(), None
        except (OSError, DecodingError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            return cls(), QuizwriterError(
                f"The settings in {path} cannot be read ({reason}).",
                "Correct the file, or delete it to go back to the defaults.",
            )
        settings, refused = _filled(cls(), values)
        trouble = _refusal(path, *refused) if refused else None
        return settings, trouble

    def write(self, path: Path) -> None:
        """Write the settings to ``path``; if that fails, the file stays as it was.

        Raises:
            QuizwriterError: the settings cannot be written.
        """
        with atomic_text(
            path,
            problem=f"The settings could not be written to {path}",
            remedy="They hold until you close the window; make room or allow writing there to keep them.",
            make_folder=True,
        ) as file:
            file.write(tomli_w.dumps(asdict(self)))


def data_folder() -> Path:
    """Where databases, logs and settings live; ``QUIZWRITER_HOME`` overrides the system's place."""
    override = os.environ.get("QUIZWRITER_HOME")
    return Path(override) if override else Path(platformdirs.user_data_dir("QuizWriter", appauthor=False))


Choices = TypeVar("Choices", Settings, ServerSettings)


def _filled(choices: Choices, values: Mapping[str, object]) -> tuple[Choices, tuple[str, object] | None]:
    """``choices`` with the values that fit, and the first value that does not, with its name.

    Each value is decoded by itself, so that one bad line leaves the others in force.
    """
    refused: tuple[str, object] | None = None
    kinds = get_type_hints(type(choices), include_extras=True)
    for name, raw in values.items():
        value: Any = None
        if kinds.get(name) is ServerSettings and isinstance(raw, dict):
            value, wrong = _filled(getattr(choices, name), raw)
            refused = refused or (wrong and (f"{name}.{wrong[0]}", wrong[1]))
        else:
            try:
                value = decode_value(raw, kinds[name])
            except (KeyError, DecodingError):
                refused = refused or (name, raw)
                continue
        choices = replace(choices, **{name: value})
    return choices, refused


def _refusal(path: Path, name: str, value: object) -> QuizwriterError:
    return QuizwriterError(
        f"In {path}, {name} = {value!r} makes no sense.", "Correct that line or delete it."
    )


def resources_folder() -> Path:
    """The folder of shipped data: inside the installed package, or beside it in a checkout.

    Raises:
        QuizwriterError: the installation is not whole.
    """
    package = Path(__file__).parent
    for folder in (package / "resources", package.parent / "resources"):
        if folder.is_dir():
            return folder
    raise QuizwriterError("The program's resources folder is missing.", "Install QuizWriter again.")
