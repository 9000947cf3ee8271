"""Where a server is, and who can read what is sent there."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

SECRETS = {"key": "API key", "password": "password"}
"""What people call the secret that opens a server, by the way to sign in."""

SECRET_VARIABLES = {
    "key": "QUIZWRITER_ELASTICSEARCH_API_KEY",
    "password": "QUIZWRITER_ELASTICSEARCH_PASSWORD",
}
"""The environment variables that hold the secret where there is no keyring, by the way to sign in."""

MODEL_KEY_VARIABLE = "QUIZWRITER_LANGUAGE_MODEL_KEY"
"""The environment variable that holds the key of a server of language models where there is no keyring."""


def addresses(text: str) -> tuple[str, ...]:
    """Every address in ``text``, which names one server or, by commas, several of a cluster."""
    return tuple(url for one in text.split(",") if (url := one.strip().rstrip("/")))


def is_address(url: str) -> bool:
    """Whether ``url`` names a server one can ask over http or https."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def host(url: str) -> str:
    """Whom ``url`` names, with the port if it says one."""
    return urlsplit(url).netloc.rpartition("@")[2] if is_address(url) else ""


def is_here(url: str) -> bool:
    """Whether it is on this computer, so that nothing crosses a network."""
    name = urlsplit(url).hostname or "" if is_address(url) else ""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def is_encrypted(url: str) -> bool:
    return is_address(url) and urlsplit(url).scheme == "https"


def is_open(url: str) -> bool:
    """Whether what is sent there can be read on the way."""
    return is_address(url) and not is_encrypted(url) and not is_here(url)
