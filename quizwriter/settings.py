"""The user's settings, and the folders of data and resources."""

from __future__ import annotations

import os
import reprlib
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

MIN_DRAFT_SIZE_PX, MAX_DRAFT_SIZE_PX = 10, 40
"""Sizes of the draft's letters, in pixels."""

MIN_READING_SPEED, MAX_READING_SPEED = 60, 400
"""Words a minute that a moderator may read."""

_MOST_BYTES = 1 << 20


_Path = Annotated[str, msgspec.Meta(max_length=10_000, pattern=r"\A[^\x00]*\Z")]
_Theme = Annotated[str, msgspec.Meta(pattern=r"\A(system|light|dark)\Z")]
_SignIn = Annotated[str, msgspec.Meta(pattern=r"\A(nothing|key|password)\Z")]
_ReadingSpeed = Annotated[int, msgspec.Meta(ge=MIN_READING_SPEED, le=MAX_READING_SPEED)]
_ListGrouping = Annotated[str, msgspec.Meta(pattern=r"\A(none|set|packet|status)\Z")]
_FontSize = Annotated[int, msgspec.Meta(ge=MIN_DRAFT_SIZE_PX, le=MAX_DRAFT_SIZE_PX)]


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """An Elasticsearch server as the writer set it up; its secret is never among the settings."""

    on: bool = False  # whether its player plays
    url: str = ""  # or several of one cluster, by commas
    index: str = "quizwriter"
    ca: _Path = ""  # a file with the certificate it is checked by; empty: the system's own
    verify: bool = True  # whether its certificate is checked at all
    plain_ok: bool = False  # whether drafts may be sent to it over a network unencrypted
    sign_in: _SignIn = "nothing"  # nothing, key or password
    user: str = ""  # whose password

    @property
    def host(self) -> str:
        """The hosts and ports that the addresses name, separated by commas; empty if there are none."""
        return ", ".join(filter(None, map(host, addresses(self.url))))

    @property
    def credential_id(self) -> tuple[str, ...]:
        """The address, the way to sign in and the user that the secret is for; empty without a secret."""
        if self.sign_in == "nothing":
            return ()
        return self.url, self.sign_in, self.user if self.sign_in == "password" else ""


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's choices; replaced whole, kept as TOML."""

    bundle: _Path = ""  # folder of the bundle used last; empty: the embedded starter bundle
    theme: _Theme = "system"  # system, light or dark
    draft_font: str = ""  # family of the draft; empty: the program's choice
    draft_size_px: _FontSize = 16  # MIN_DRAFT_SIZE_PX to MAX_DRAFT_SIZE_PX
    player_order: tuple[
        str, ...
    ] = ()  # the players shown first; the others follow in the order of the bundle
    players_off: tuple[str, ...] = ()
    list_grouping: _ListGrouping = "none"  # of the list of tossups: none, set, packet or status
    reading_speed: _ReadingSpeed = 180  # of a moderator, in words a minute
    marks_stock_clues: bool = True  # underlines in the draft what past questions had
    profile_id: str = ""  # the id of the user, which never changes; empty: not needed yet
    profile_name: str = ""  # the name that others see; empty: not asked yet
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
        settings, refused = _apply_values(cls(), values)
        trouble = _refused_value(path, *refused) if refused else None
        return settings, trouble

    def write(self, path: Path) -> None:
        """Write the settings to ``path``; if that fails, the file stays as it was.

        Raises:
            QuizwriterError: the settings cannot be written.
        """
        with atomic_text(
            path,
            problem=f"The settings could not be written to {path}",
            remedy="They hold until you close the window. Make room, or allow writing there, to keep them.",
            make_folder=True,
        ) as file:
            file.write(tomli_w.dumps(asdict(self)))


def data_folder() -> Path:
    """The folder of the database, logs and settings: ``QUIZWRITER_HOME``, or the system's data folder."""
    override = os.environ.get("QUIZWRITER_HOME")
    return Path(override) if override else Path(platformdirs.user_data_dir("QuizWriter", appauthor=False))


SettingsType = TypeVar("SettingsType", Settings, ServerSettings)


def _apply_values(
    settings: SettingsType, values: Mapping[str, object]
) -> tuple[SettingsType, tuple[str, object] | None]:
    """``choices`` with the values that fit, and the first value that does not, with its name.

    Each value is decoded by itself, so that one bad line leaves the others in force.
    """
    refused: tuple[str, object] | None = None
    kinds = get_type_hints(type(settings), include_extras=True)
    for name, raw in values.items():
        value: Any = None
        if kinds.get(name) is ServerSettings and isinstance(raw, dict):
            value, wrong = _apply_values(getattr(settings, name), raw)
            refused = refused or (wrong and (f"{name}.{wrong[0]}", wrong[1]))
        else:
            try:
                value = decode_value(raw, kinds[name])
            except (KeyError, DecodingError):
                refused = refused or (name, raw)
                continue
        settings = replace(settings, **{name: value})
    return settings, refused


_SHOWN = 80  # characters of a name or value that is refused
_shortened = reprlib.Repr()
_shortened.maxstring = _shortened.maxother = _SHOWN


def _refused_value(path: Path, name: str, value: object) -> QuizwriterError:
    return QuizwriterError(
        f"In {path}, {name[:_SHOWN]} = {_shortened.repr(value)} makes no sense.",
        "Correct that line or delete it.",
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
