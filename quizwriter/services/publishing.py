"""Publishing a bundle to an Elasticsearch server: the program that sends it, what its environment needs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from quizwriter.services.engines import Engines
from quizwriter.settings import ServerSettings
from quizwriter.system.children import Child, child_command


class PublishCommand(msgspec.Struct, frozen=True):
    """A command that prints its progress as lines of JSON, and the secrets for its environment."""

    words: tuple[str, ...]
    secrets: Mapping[str, str] = {}


class Publishing:
    """Publishes bundles to servers, without the sets that never leave this machine."""

    def __init__(self, engines: Engines, database: Path) -> None:
        self._engines = engines
        self._database = database

    def publish_command(self, server: ServerSettings, secret: str, bundle: Path) -> PublishCommand:
        """What publishes ``bundle`` to ``server``; an empty ``secret``: the saved one.

        Slow where the secret is in the keyring; any thread may call it.
        """
        words = [f"--to={server.url}", f"--index={server.index}", f"--bundle={bundle}"]
        words += [f"--store={self._database}", "--json-progress"]
        words += [f"--ca={server.ca}"] if server.ca else []
        words += [] if server.verify else ["--no-verify"]
        words += ["--plain-http"] if server.plain_ok else []
        secrets = {}
        if server.credential_id:
            secrets[server.secret_variable] = secret or self._engines.secrets.find(server)
            words += [f"--user={server.user}"] if server.sign_in == "password" else []
        return PublishCommand(child_command(Child.BUILDER, "publish", *words), secrets)
