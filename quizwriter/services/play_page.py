"""The page on which people play: sent as a file to playtesters, or served to the phones of a room.

It has everything in one file, and a policy of its own that allows nothing from outside. Texts are data in it,
never markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from quizwriter.system.resource_files import resource_lines


class PlayFace(msgspec.Struct, frozen=True):
    """What the page is for: ``name`` is its class in the page, ``modules`` are its scripts.

    Each script imports only those before it.
    """

    name: str
    modules: tuple[str, ...]


MAIL = PlayFace("mail", ("words", "matcher", "game", "presses", "page"))
ROOM = PlayFace("room", ("presses", "room"))


def play_page(face: PlayFace, data: str, connect: Sequence[str] = ()) -> str:
    """The page with ``data``, a JSON document; it may only speak with the addresses ``connect``."""
    style = "\n".join(resource_lines("play/page.css"))
    modules = (line for name in face.modules for line in resource_lines(f"play/{name}.js"))
    script = "\n".join(line.removeprefix("export ") for line in modules if not line.startswith("import "))
    sockets = f"; connect-src {' '.join(connect)}" if connect else ""
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; base-uri 'none'; "
        f"form-action 'none'{sockets}"
    )
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    parts: Mapping[str, str] = {
        "policy": policy,
        "style": style,
        "face": face.name,
        "script": script,
        "data": safe,
    }
    page = "\n".join(resource_lines("play/page.html")) + "\n"
    for name, text in parts.items():  # the data last: nothing in it is taken for a place
        before, place, behind = page.partition(f"@{name}@")
        assert place, name
        page = f"{before}{text}{behind}"
    return page


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
