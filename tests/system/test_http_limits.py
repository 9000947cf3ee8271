"""Servers that answer with anything: one sentence, in bounded time and memory, with nothing kept."""

from __future__ import annotations

import ssl
import sys
import threading

import httpx
import pytest
import trustme
from msgspec.structs import replace

from index_builder.data import fetch
from index_builder.progress import Progress
from quizwriter.errors import QuizwriterError
from quizwriter.system.http_limits import (
    AnswerTooLargeError,
    ForeignRedirectError,
    LimitedClient,
    MalformedAnswerError,
)
from tests.fuzz.limits import Meter
from tests.helpers import hostile_server as hostile
from tests.helpers.elasticsearch_proxy import Front
from tests.helpers.hostile_readers import POLICY, READERS, SOURCE
from tests.helpers.hostile_server import BEHAVIOURS, HostileServer
from tests.helpers.http_servers import Files
from tests.helpers.patience import PATIENCE_S

pytestmark = pytest.mark.logs("has failed for|marked alive|Retrying request", always=False)
"""The client of Elasticsearch logs each node that does not answer."""

MOST_MEMORY = 400 << 20
"""Bytes: the longest answer that anybody takes has 64 MB, and is held packed, unpacked and decoded."""

MOST_KEPT = 1 << 20
"""Bytes on the disk: notices, and the beginning of a download that a later try may go on from."""


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.__name__)
def test_a_hostile_answer_is_one_sentence_and_leaves_nothing(reader, behaviour, tmp_path):
    ask, sound = READERS[reader]
    meter = Meter()
    running = HostileServer(behaviour, sound).running()
    with running as server, meter.running(), pytest.raises(QuizwriterError) as said:
        ask(server.url, tmp_path)

    assert said.value.problem
    assert said.value.remedy
    assert len(str(said.value)) < 800
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < MOST_KEPT
    assert not (tmp_path / "questions.json").exists()
    if sys.platform == "linux":
        assert meter.bytes < MOST_MEMORY


@pytest.fixture
def client():
    with LimitedClient(timeout_s=5) as client:
        yield client


def test_a_sound_answer_comes_whole(client):
    with Files(b"lake " * 1_000).running() as files:
        for _ in range(2):  # the second on the same connection
            answer, body = client.request("GET", files.url, seconds=30, most_bytes=5_000)
            assert (answer.status_code, body) == (200, b"lake " * 1_000)
        with pytest.raises(AnswerTooLargeError):
            client.request("GET", files.url, seconds=30, most_bytes=4_999)


def test_a_coding_that_nobody_asked_for_is_not_unpacked(client, monkeypatch):
    def unpack():
        pytest.fail("a bomb would go off")

    monkeypatch.setitem(httpx._decoders.SUPPORTED_DECODERS, "zstd", unpack)  # as where its package is there

    def packed(request):
        request.reply(b"lake", more="Content-Encoding: zstd\r\n")

    with HostileServer(packed).running() as server, pytest.raises(MalformedAnswerError):
        client.request("GET", server.url, seconds=30, most_bytes=9)
    with Files(b"lake").running() as files:
        client.request("GET", files.url, seconds=30, most_bytes=9)
        asked = [request["Accept-Encoding"] for request in files.asked]
    assert asked == ["gzip, deflate"]


@pytest.mark.parametrize(
    "behaviour",
    [hostile.never_answers, hostile.drips_its_head, hostile.drips_its_body],
    ids=lambda one: one.__name__,
)
def test_time_is_for_the_whole_answer(client, behaviour):
    with HostileServer(behaviour).running() as server, pytest.raises(httpx.TimeoutException):
        client.request("GET", server.url, seconds=0.15, most_bytes=1 << 20)


def test_time_is_up_also_on_a_connection_that_is_used_again(client):
    with Files(b"lake").running() as files:
        client.request("GET", files.url, seconds=30, most_bytes=9)
        files.faults = [lambda _, request: threading.Event().wait(0.4)]
        with pytest.raises(httpx.TimeoutException):
            client.request("GET", files.url, seconds=0.2, most_bytes=9)


def test_a_file_of_unknown_size_ends_somewhere(monkeypatch, tmp_path):
    monkeypatch.setattr(fetch, "LARGEST_FILE", 1 << 20)
    unknown = replace(SOURCE, bytes=None, sha256=None)

    refusal = pytest.raises(QuizwriterError, match="more than it has been asked for")
    with HostileServer(hostile.sends_without_end).running() as server, refusal:
        fetch.fetch_file(unknown, tmp_path, Progress(), mirror=server.url, policy=POLICY)

    assert [path.name for path in tmp_path.iterdir()] == ["questions.json.LICENSE.txt"]


@pytest.mark.parametrize(
    ("location", "followed"),
    [
        ("/other", True),
        ("//192.0.2.1/other", False),
        ("http://192.0.2.1/", False),
        ("https://192.0.2.1/", False),
        ("file:///etc/passwd", False),
        ("ftp://127.0.0.1/", False),
        ("javascript:/alert(1)", False),
        ("http://127.0.0.1:1/", False),
    ],
)
def test_redirects_stay_on_the_server(client, location, followed):
    def redirect(request):
        if request.target == "/other":
            request.reply(b"there")
        else:
            request.head(status="302 Found", more=f"Location: {location}\r\nContent-Length: 0\r\n")

    with HostileServer(redirect).running() as server:
        if followed:
            assert client.request("GET", server.url, seconds=30, most_bytes=9)[1] == b"there"
        else:
            with pytest.raises(ForeignRedirectError):
                client.request("GET", server.url, seconds=30, most_bytes=9)


def test_an_encrypted_connection_stays_encrypted():
    authority = trustme.CA()
    context = ssl.create_default_context()
    authority.configure_trust(context)
    address = []

    def redirect(request):
        target = address[0].replace("https:", "http:")
        request.head(status="302 Found", more=f"Location: {target}/\r\nContent-Length: 0\r\n")

    with HostileServer(redirect).running() as behind:
        front = Front(behind.url, authority=authority)
        address.append(front.url)
        with front.standing():
            with LimitedClient(timeout_s=5, verify=context) as client, pytest.raises(ForeignRedirectError):
                client.request("GET", front.url, seconds=30, most_bytes=9)
            with LimitedClient(timeout_s=5) as client, pytest.raises(httpx.ConnectError, match="CERTIFICATE"):
                client.request("GET", front.url, seconds=30, most_bytes=9)


def test_closing_ends_a_request_on_its_way_and_every_later_one():
    arrived, ended = threading.Event(), []

    def behaviour(request):
        arrived.set()
        hostile.never_answers(request)

    client = LimitedClient(timeout_s=30)

    def ask():
        with pytest.raises(httpx.TransportError):
            client.request("GET", server.url, seconds=30, most_bytes=1)
        ended.append(True)

    with HostileServer(behaviour).running() as server:
        thread = threading.Thread(target=ask)
        thread.start()
        assert arrived.wait(PATIENCE_S)
        client.close()
        thread.join(PATIENCE_S)
        assert ended == [True]
        with pytest.raises(httpx.ConnectError, match="closed"):
            client.request("GET", server.url, seconds=30, most_bytes=1)
        assert server.requests == 1
