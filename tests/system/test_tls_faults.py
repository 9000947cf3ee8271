"""Encrypted connections that do not come about: what is said of each, by everything that asks servers."""

from __future__ import annotations

import datetime
import socket
import ssl
import threading
from contextlib import contextmanager, suppress

import pytest
import trustme

from index_builder.data.fetch import fetch_file
from index_builder.progress import Progress
from quizwriter.engine.elastic.client import Connection, probe_index
from quizwriter.engine.language_model.chat_client import ChatClient, ModelEndpoint, ModelTrouble
from quizwriter.errors import QuizwriterError
from quizwriter.system import http_limits
from tests.helpers.hostile_readers import POLICY, SOURCE

pytestmark = pytest.mark.logs("has failed for|marked alive|Retrying request", always=False)
"""The client of Elasticsearch logs each node that does not answer."""

LONG_AGO = datetime.datetime(2001, 1, 1, tzinfo=datetime.UTC)


@contextmanager
def answering(greet):
    """The port of a server that lets ``greet`` do with each connection as it likes."""
    listener, threads = socket.create_server(("127.0.0.1", 0)), []

    def answer(connection):
        with suppress(OSError), connection:
            connection.settimeout(10)
            greet(connection)

    def accept():
        with suppress(OSError):
            while True:
                threads.append(threading.Thread(target=answer, args=listener.accept()[:1]))
                threads[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for thread in (accepting, *threads):
            thread.join()


def encrypting(certificate, *, wants_one=None, answers=True):
    """A server with ``certificate``, which ``wants_one`` of its client, too, and ``answers`` or hangs up."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    if wants_one is not None:
        wants_one.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED

    def greet(connection):
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(65_536)
            if answers:
                secure.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    return greet


def in_the_open(connection):
    connection.recv(65_536)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def of_nginx(connection):
    page = b"<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>"
    connection.recv(65_536)
    connection.sendall(
        b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%b"
        % (len(page), page)
    )


def hangs_up(connection):
    connection.recv(65_536)


AUTHORITY, NOBODY = trustme.CA(), trustme.CA()

SERVERS = {
    "of nobody known": (lambda: encrypting(NOBODY.issue_cert("127.0.0.1")), "is not trusted", True),
    "of another host": (
        lambda: encrypting(AUTHORITY.issue_cert("lake.example")),
        "for another address",
        True,
    ),
    "of long ago": (
        lambda: encrypting(
            AUTHORITY.issue_cert(
                "127.0.0.1", not_before=LONG_AGO, not_after=LONG_AGO + datetime.timedelta(days=9)
            )
        ),
        "has expired, or is not valid yet",
        False,
    ),
    "none": (lambda: in_the_open, "does not answer over https", True),
    "both ways": (
        lambda: encrypting(AUTHORITY.issue_cert("127.0.0.1"), wants_one=NOBODY),
        r"No encrypted connection to .* can be made \(.*certificate required\)",
        False,
    ),
}
"""Certificates, what is said of them, and whether a model is left alone until its settings change."""


@pytest.fixture
def authority(tmp_path):
    """The file of the authority that everybody trusts."""
    AUTHORITY.cert_pem.write_to_path(tmp_path / "ca.pem")
    return str(tmp_path / "ca.pem")


def ask_model(port, authority="", scheme="https"):
    client = ChatClient(ModelEndpoint(f"{scheme}://127.0.0.1:{port}/v1", "parrot", ca=authority))
    try:
        client.models()
    finally:
        client.close()


@pytest.mark.parametrize("name", SERVERS)
def test_each_certificate_that_does_not_do_is_said_in_its_own_words(name, authority, tmp_path, monkeypatch):
    server, said, lasting = SERVERS[name]
    monkeypatch.setenv("SSL_CERT_FILE", authority)
    monkeypatch.setattr(http_limits, "_authorities", http_limits._authorities.__wrapped__)  # not those before
    with answering(server()) as port:
        with pytest.raises(QuizwriterError, match=said) as of_search:
            probe_index(Connection(f"https://127.0.0.1:{port}", "lakes", ca=authority))
        with pytest.raises(ModelTrouble, match=said) as of_model:
            ask_model(port, authority)
        with pytest.raises(QuizwriterError, match=said) as of_file:
            fetch_file(
                SOURCE, tmp_path, Progress(), mirror=f"https://127.0.0.1:{port}/questions.json", policy=POLICY
            )

    assert of_search.value.remedy == of_model.value.remedy
    assert "login page" in of_file.value.remedy
    assert (of_model.value.wait_s is None) == lasting


def test_a_server_that_hangs_up_is_not_said_to_have_a_wrong_certificate_and_is_asked_again(authority):
    with answering(hangs_up) as port:
        with pytest.raises(QuizwriterError, match="cannot be reached"):
            probe_index(Connection(f"https://127.0.0.1:{port}", "lakes", ca=authority))
        with pytest.raises(ModelTrouble, match="cannot be reached") as trouble:
            ask_model(port, authority)
        assert trouble.value.wait_s


def test_who_asks_in_the_open_what_encrypts_is_told_of_https():
    with answering(hangs_up) as port, pytest.raises(QuizwriterError, match="cannot be reached") as trouble:
        probe_index(Connection(f"http://127.0.0.1:{port}", "lakes"))

    assert "a server that encrypts has one with https://" in trouble.value.remedy


def test_who_is_encrypted_already_is_not_told_of_https(authority):
    server = encrypting(AUTHORITY.issue_cert("127.0.0.1"), answers=False)
    with answering(server) as port, pytest.raises(QuizwriterError, match="cannot be reached") as trouble:
        probe_index(Connection(f"https://127.0.0.1:{port}", "lakes", ca=authority))

    assert "https://" not in trouble.value.remedy


def test_a_proxy_that_wants_https_is_heard():
    with answering(of_nginx) as port:
        with pytest.raises(QuizwriterError, match="answers over https only") as of_search:
            probe_index(Connection(f"http://127.0.0.1:{port}", "lakes"))
        with pytest.raises(ModelTrouble, match="answers over https only") as of_model:
            ask_model(port, scheme="http")

    assert of_search.value.remedy == of_model.value.remedy
