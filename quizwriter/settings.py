"""The user's settings, and the folder of data."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
import platformdirs
from msgspec.structs import replace

from quizwriter.domain.model_budget import USUAL_BUDGET, ModelBudget
from quizwriter.domain.server_address import MODEL_KEY_VARIABLE, SECRET_VARIABLES, addresses, host
from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_text
from quizwriter.system.decoding import DecodingError, decode_toml, decode_value, read_limited

MIN_DRAFT_SIZE_PX, MAX_DRAFT_SIZE_PX = 10, 40
"""Sizes of the draft's letters, in pixels."""

MIN_TEXT_PERCENT, MAX_TEXT_PERCENT = 80, 200
"""Sizes of all letters of the windows, in percent of what the desktop wants."""

MOST_WORDS = 10_000
"""The most words that a writer can allow a tossup."""

MOST_BACKUP_DAYS = 90
"""The most days of which a daily backup can be kept."""

MOST_KEYS = 1_000
"""The most actions whose keys can be chosen."""

MOST_REQUESTS, MOST_TOKENS, MOST_MONEY = 100_000, 1_000_000_000, 100_000.0
"""The most that a day's budget for language models can be."""

MIN_READING_SPEED, MAX_READING_SPEED = 60, 400
"""Words a minute that a moderator may read."""

_MOST_BYTES = 1 << 20


_Path = Annotated[str, msgspec.Meta(max_length=10_000, pattern=r"\A[^\x00]*\Z")]
_Theme = Annotated[str, msgspec.Meta(pattern=r"\A(system|light|dark|contrast)\Z")]
_FieldNames = Annotated[
    str, msgspec.Meta(max_length=410, pattern=r"\A([^\s,*\x00]{1,200}, ?[^\s,*\x00]{1,200})?\Z")
]
_SignIn = Annotated[str, msgspec.Meta(pattern=r"\A(nothing|key|password)\Z")]
_ModelSignIn = Annotated[str, msgspec.Meta(pattern=r"\A(nothing|key)\Z")]
_ReadingSpeed = Annotated[int, msgspec.Meta(ge=MIN_READING_SPEED, le=MAX_READING_SPEED)]
_ListGrouping = Annotated[str, msgspec.Meta(pattern=r"\A(none|set|packet|status)\Z")]
_FontSize = Annotated[int, msgspec.Meta(ge=MIN_DRAFT_SIZE_PX, le=MAX_DRAFT_SIZE_PX)]
_Family = Annotated[str, msgspec.Meta(max_length=200)]
_TextPercent = Annotated[int, msgspec.Meta(ge=MIN_TEXT_PERCENT, le=MAX_TEXT_PERCENT)]
_BuzzPercent = Annotated[int, msgspec.Meta(ge=0, le=99)]
_Words = Annotated[int, msgspec.Meta(ge=1, le=MOST_WORDS)]
_BackupDays = Annotated[int, msgspec.Meta(ge=1, le=MOST_BACKUP_DAYS)]
_Letter = Annotated[str, msgspec.Meta(min_length=1, max_length=1)]
_Dates = Annotated[str, msgspec.Meta(pattern=r"\A(iso|system|[a-z]{2,3})\Z")]
_ActionName = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
_Requests = Annotated[int, msgspec.Meta(ge=0, le=MOST_REQUESTS)]
_Tokens = Annotated[int, msgspec.Meta(ge=0, le=MOST_TOKENS)]
_Money = Annotated[float, msgspec.Meta(ge=0, le=MOST_MONEY)]
_Key = Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
KeyScheme = Annotated[
    dict[_ActionName, Annotated[tuple[_Key, ...], msgspec.Meta(max_length=4)]],
    msgspec.Meta(max_length=MOST_KEYS),
]
"""The keys of actions by the names of the actions, in Qt's portable notation."""


class ServerSettings(msgspec.Struct, frozen=True):
    """An Elasticsearch server as the writer set it up; its secret is never among the settings."""

    on: bool = False  # whether its player plays
    url: str = ""  # or several of one cluster, by commas
    index: str = "quizwriter"
    ca: _Path = ""  # a file with the certificate it is checked by; empty: the system's own
    verify: bool = True  # whether its certificate is checked at all
    plain_ok: bool = False  # whether drafts may be sent to it over a network unencrypted
    sign_in: _SignIn = "nothing"  # nothing, key or password
    user: str = ""  # whose password
    fields: _FieldNames = (
        ""  # of titles and texts that the server ranks itself; empty: it adds up IR's points
    )

    @property
    def ranked_fields(self) -> tuple[str, ...]:
        """The fields with the title and the text of a page; empty where the server does not rank itself."""
        title, _, text = self.fields.partition(",")
        return (title.strip(), text.strip()) if text else ()

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

    @property
    def secret_variable(self) -> str:
        """The environment variable that may hold the secret."""
        return SECRET_VARIABLES[self.sign_in]


class ModelSettings(msgspec.Struct, frozen=True):
    """A language model as the writer set it up; the key of its server is never among the settings."""

    on: bool = False  # whether it plays
    url: str = ""  # of its server, up to /v1
    model: str = ""  # its name there
    sign_in: _ModelSignIn = "nothing"  # nothing or key
    ca: _Path = ""  # a file with the certificate of an authority; empty: the system's own
    plain_ok: bool = False  # whether drafts may be sent to it over a network unencrypted
    requests: _Requests = USUAL_BUDGET.requests  # the most on one day
    tokens: _Tokens = USUAL_BUDGET.tokens  # the most on one day
    money: _Money = USUAL_BUDGET.money  # the most on one day; 0: no limit
    prompt_price: _Money = 0.0  # of a million tokens that are sent, in the same currency
    completion_price: _Money = 0.0  # of a million tokens that are answered

    @property
    def host(self) -> str:
        """The host and port of the server; empty if the address names none."""
        return host(self.url)

    @property
    def credential_id(self) -> tuple[str, ...]:
        """The address that the key is for, and how it is used; empty without a key."""
        return (self.url, self.sign_in, "") if self.sign_in == "key" else ()

    @property
    def secret_variable(self) -> str:
        """The environment variable that may hold the key."""
        return MODEL_KEY_VARIABLE

    @property
    def budget(self) -> ModelBudget:
        """What it may cost on one day."""
        return ModelBudget(self.requests, self.tokens, self.money, self.prompt_price, self.completion_price)


class Settings(msgspec.Struct, frozen=True):
    """The user's choices; replaced whole, kept as TOML."""

    bundle: _Path = ""  # folder of the bundle used last; empty: the embedded starter bundle
    theme: _Theme = "system"  # system, light, dark, or contrast: high contrast, light or dark as the system
    draft_font: _Family = ""  # family of the draft; empty: the program's choice
    draft_size_px: _FontSize = 16  # MIN_DRAFT_SIZE_PX to MAX_DRAFT_SIZE_PX, at 100 percent
    text_percent: _TextPercent = 100  # the size of all letters
    reduced_motion: bool = False  # nothing glides or fades; the system may ask for it, too
    dates: _Dates = "iso"  # iso: 2026-11-21; system, or the code of a language
    shortest_words: _Words = 50  # a tossup with fewer words is short
    longest_words: _Words = 175  # a tossup with more words is long
    buzz_percent: _BuzzPercent = 0  # the chance at which all players buzz; 0: each by its own rule
    backup_days: _BackupDays = 7  # the last backup of each of so many days is kept
    keys: KeyScheme = msgspec.field(default_factory=dict)  # the keys that the writer changed
    player_order: tuple[
        str, ...
    ] = ()  # the players shown first; the others follow in the order of the bundle
    players_off: tuple[str, ...] = ()
    list_grouping: _ListGrouping = "none"  # of the list of tossups: none, set, packet or status
    reading_speed: _ReadingSpeed = 180  # of a moderator, in words a minute
    recent_letters: Annotated[tuple[_Letter, ...], msgspec.Meta(max_length=50)] = ()  # of the palette
    own_words: tuple[str, ...] = ()  # right as they are written, whatever a dictionary says
    marks_stock_clues: bool = False  # underlines in the draft what past questions had
    shows_legend: bool = False  # below the lanes
    shows_clue_strip: bool = False  # below the legend
    shows_people_lane: bool = False  # below the clue strip
    profile_id: str = ""  # the id of the user, which never changes; empty: not needed yet
    profile_name: str = ""  # the name that others see; empty: not asked yet
    profile_email: str = ""
    elasticsearch: ServerSettings = ServerSettings()
    language_model: ModelSettings = ModelSettings()

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
        """Write the settings to ``path``; if that fails, the file stays as it was."""
        with atomic_text(
            path,
            problem=f"The settings could not be written to {path}",
            remedy="They apply until you close QuizWriter. Free some disk space, or allow writing there, to "
            "keep them.",
            make_folder=True,
        ) as file:
            file.write(msgspec.toml.encode(self).decode())


def data_folder() -> Path:
    """The folder of the database, logs and settings: ``QUIZWRITER_HOME``, or the system's data folder."""
    override = os.environ.get("QUIZWRITER_HOME")
    return Path(override) if override else Path(platformdirs.user_data_dir("QuizWriter", appauthor=False))


SettingsType = TypeVar("SettingsType", Settings, ServerSettings, ModelSettings)


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
        if kinds.get(name) in (ServerSettings, ModelSettings) and isinstance(raw, dict):
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


def merged_settings(before: SettingsType, mine: SettingsType, theirs: SettingsType) -> SettingsType:
    """``theirs`` with what is otherwise in ``mine`` than it was ``before``."""
    values: dict[str, Any] = {}
    for name in before.__struct_fields__:
        old, new, other = (getattr(one, name) for one in (before, mine, theirs))
        if isinstance(old, ServerSettings | ModelSettings):
            values[name] = merged_settings(old, new, other)
        else:
            values[name] = other if new == old else new
    return replace(theirs, **values)


_SHOWN = 80  # characters of a name or value that is refused


def _as_typed(value: object) -> str:
    """The beginning of a value, nearly as it is typed in the file."""
    typed = json.dumps(value, ensure_ascii=False, default=str)  # dates are no JSON
    return typed if len(typed) <= _SHOWN else f"{typed[:_SHOWN]}…"


def _refused_value(path: Path, name: str, value: object) -> QuizwriterError:
    return QuizwriterError(
        f"In {path}, {name[:_SHOWN]} = {_as_typed(value)} makes no sense.",
        "Correct that line or delete it.",
    )
