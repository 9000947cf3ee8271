"""Servers on this computer that behave as badly as those on the internet, when a test says so."""

from __future__ import annotations

import gzip
import json
import sys
import threading
import time
import traceback
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from msgspec.structs import replace

from index_builder.data.fetch import RetryPolicy
from index_builder.progress import Progress

HASTY = RetryPolicy(tries=4, first_wait=0.01, longest_wait=0.05, longest_asked=30, timeout=5, interval=0.0)
"""The policy of a test, in which nobody needs to wait."""


class FakeClock:
    """A clock that only sleeping moves; it begins at 0."""

    def __init__(self):
        self._now = 0.0

    def now(self):
        """Seconds slept so far."""
        return self._now

    def sleep(self, seconds):
        """Let so many seconds pass at once."""
        assert seconds >= 0
        self._now += seconds

    def keeping(self, policy):
        """``policy`` by this clock."""
        return replace(policy, clock=self.now, sleep=self.sleep)


class Server:
    """Answers with ``answer`` of a subclass, unless there are ``faults``: each spoils one answer."""

    def __init__(self):
        self.faults = []
        self.asked = []  # the headers of every request
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                outer.asked.append(dict(self.headers))
                fault = outer.faults.pop(0) if outer.faults else None
                try:
                    if fault is None:
                        outer.answer(self)
                    else:
                        fault(outer, self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *_):
                pass

            def reply(self, body, status=200, *, headers=(), length=None):
                """Send ``body``; a ``length`` that promises more is a cut connection."""
                self.send_response_only(status)
                for name, value in {"Date": formatdate(usegmt=True), **dict(headers)}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body) if length is None else length))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = length is not None and length != len(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = _complain
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def running(self):
        """Answer until the block ends."""
        with answering(self._server):
            yield self


@contextmanager
def answering(server):
    """Let an HTTP server of the standard library answer until the block ends."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _complain(*_):
    """Clients that hang up are what this is about; anything else is a bug of the test."""
    if not isinstance(sys.exception(), ConnectionError):
        traceback.print_exc()


class Files(Server):
    """Has one file, at every path; sends parts of it if ``ranges``, and names its version if ``tagged``."""

    def __init__(self, content, *, ranges=True, tagged=True):
        super().__init__()
        self.content = content
        self.ranges = ranges
        self.etag = '"one"' if tagged else None
        self.url = f"{self.address}/questions.json"

    def answer(self, request, *, until=None):
        """All of the file from where ``request`` wants it; cut after ``until`` bytes of the whole."""
        headers = {"ETag": self.etag} if self.etag else {}
        start = 0
        wanted = request.headers.get("Range")
        if wanted and self.ranges and request.headers.get("If-Range", self.etag) == self.etag:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            headers["Content-Range"] = f"bytes {start}-{len(self.content) - 1}/{len(self.content)}"
        whole = self.content[start:]
        sent = whole if until is None else self.content[start:until]
        request.reply(sent, 206 if start else 200, headers=headers, length=len(whole))


def cut(at):
    """The connection breaks after ``at`` bytes of the file."""
    return lambda server, request: server.answer(request, until=at)


def status(code, **headers):
    """The server answers with ``code``; in names of ``headers`` an underscore stands for a hyphen."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _, request: request.reply(b"no", code, headers=named)


def later(code, seconds, *, clock=0.0):
    """The server answers with ``code`` and a date so many seconds ahead; its clock is off by ``clock``."""

    def fault(server, request):
        now = time.time() + clock
        dates = {"Date": now, "Retry_After": now + seconds}
        status(code, **{name: formatdate(at, usegmt=True) for name, at in dates.items()})(server, request)

    return fault


def half_gzip(server, request):
    """A packed answer whose second half is missing, though its length is as announced."""
    packed = gzip.compress(server.body(request) if isinstance(server, Wiki) else server.content)
    request.reply(packed[: len(packed) // 2], headers={"Content-Encoding": "gzip"})


def no_json(_, request):
    """The page at which a hotel wants a password."""
    request.reply(b"<html>Welcome to our hotel", headers={"Content-Type": "text/html"})


def error(code, **headers):
    """The encyclopedia's own way to refuse."""
    body = json.dumps({"error": {"code": code, "info": f"for the reason {code}"}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _, request: request.reply(body, headers=named)


class Wiki(Server):
    """The part of a MediaWiki that answers ``action=query&prop=extracts``."""

    def __init__(self, articles, *, redirects=None, several=()):
        super().__init__()
        self.articles = articles
        self.redirects = redirects or {}
        self.several = several
        self.questions = []  # the titles of every request
        self.url = f"{self.address}/w/api.php"

    def answer(self, request):
        """As MediaWiki does."""
        packed = gzip.compress(self.body(request))
        request.reply(packed, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})

    def body(self, request):
        """The JSON of the answer."""
        given = {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
        assert given["action"] == "query"
        assert given["formatversion"] == "2"
        assert int(given["maxlag"]) <= 5
        titles = given["titles"].split("|")
        assert len(titles) <= 50
        self.questions.append(titles)
        query = {}
        for title in titles:
            normal = title.replace("_", " ").strip()
            normal = normal[:1].upper() + normal[1:]
            if normal != title:
                query.setdefault("normalized", []).append({"fromencoded": False, "from": title, "to": normal})
            seen = set()
            while normal in self.redirects and normal not in seen:
                seen.add(normal)
                step = {"from": normal, "to": self.redirects[normal]}
                query.setdefault("redirects", []).append(step)
                normal = step["to"]
            pages = query.setdefault("pages", {})
            if normal in seen:
                continue  # the redirects lead in a circle
            if normal in self.articles:
                pages[normal] = {"title": normal, "pageid": 1, "lastrevid": 4711}
                if normal in self.several:
                    pages[normal]["pageprops"] = {"disambiguation": ""}
            else:
                pages[normal] = {"title": normal, "missing": True}
        found = [page for page in query["pages"].values() if "missing" not in page]
        at_once = 20 if "exintro" in given else 1
        start = int(given.get("excontinue", 0))
        for page in found[start : start + at_once]:
            text = self.articles[page["title"]]
            page["extract"] = text.split("\n\n==")[0] if "exintro" in given else text
        query["pages"] = list(query["pages"].values())
        answer = {"batchcomplete": True, "query": query}
        if start + at_once < len(found):
            del answer["batchcomplete"]
            answer["continue"] = {"excontinue": start + at_once, "continue": "||pageprops|info"}
        return json.dumps(answer).encode()


class Told(Progress):
    """Progress that remembers what it was told."""

    def __init__(self, stop_at=None):
        self.far = []
        self.waits = []
        self.notes = []
        self.steps = []
        self.bundles = []
        self.trained = []
        self.stop_at = stop_at

    def fetching(self, name, done, total, unit):
        self.far.append((done, total, unit))
        if self.stop_at is not None and done >= self.stop_at:
            raise KeyboardInterrupt

    def waiting(self, why, seconds):
        self.waits.append((why, seconds))

    def note(self, sentence):
        self.notes.append(sentence)

    def step(self, number, of, name):
        self.steps.append(name)

    def published(self, bundle):
        self.bundles.append(bundle)

    def training(self, player, share):
        self.trained.append((player, share))
