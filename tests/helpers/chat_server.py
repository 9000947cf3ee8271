"""A server on this computer that speaks the chat-completions protocol, with the troubles of a test."""

from __future__ import annotations

import json
import math
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from quizwriter.domain.model_budget import BudgetExceededError, Spending
from tests.helpers.http_servers import answering
from tests.helpers.patience import PATIENCE_S

MODEL = "parrot-7b"

CLUES = {
    "Turandot": ("riddles", "Peking"),
    "Madama Butterfly": ("Nagasaki", "Sorrow", "humming chorus", "Pinkerton"),
    "Aida": ("Memphis", "Radames"),
}
"""The words from which the model of the server knows these answers."""


def knows(read):
    """The guesses of a model that looks for a few words: answers, chances and clues."""
    points = {
        name: [clue for clue in clues if clue.casefold() in read.casefold()] for name, clues in CLUES.items()
    }
    best = sorted(points, key=lambda name: (-len(points[name]), name))
    shares = [0.1 + len(points[name]) for name in best]
    return [
        (name, round(share / (sum(shares) + 1), 4), points[name])
        for name, share in zip(best, shares, strict=True)
    ]


def guesses(*said):
    """The content of an answer with these answers, chances and clues."""
    rows = [{"answer": name, "chance": chance, "clues": clues} for name, chance, clues in said]
    return json.dumps({"guesses": rows})


def tokens_of(content, chances):
    """``content`` in tokens of four letters; those of each answer together have its chance."""
    pieces = [content[at : at + 4] for at in range(0, len(content), 4)]
    found = [{"token": piece, "logprob": 0.0} for piece in pieces]
    for name, chance in chances.items():
        start = content.index(f'"{name}"') + 1
        found[start // 4]["logprob"] = math.log(chance)
    return found


class ChatServer:
    """Answers as ``answer`` says, unless there are ``faults``: each spoils one answer.

    ``asked`` has the body of each request, ``headers`` its headers, ``texts`` what the model was given.
    """

    def __init__(self, answer=None, *, refuses=(), usage=True, tls=None):
        self.answer = answer or (lambda read: guesses(*knows(read)))
        self.refuses, self.usage = tuple(refuses), usage
        self.model, self.models = MODEL, (MODEL, "owl-70b")
        self.faults, self.asked, self.headers, self.texts = [], [], [], []
        self.gate = threading.Event()
        self.gate.set()
        self.arrived = threading.Semaphore(0)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                outer.headers.append(dict(self.headers))
                fault = outer.faults.pop(0) if outer.faults else None
                if fault is not None:
                    fault(outer, self)
                else:
                    self.reply({"object": "list", "data": [{"id": name} for name in outer.models]})

            def do_POST(self):
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(sent)
                outer.headers.append(dict(self.headers))
                system, user = sent["messages"]
                assert (system["role"], user["role"]) == ("system", "user")
                outer.texts.append(json.loads(user["content"])["read_so_far"])
                outer.arrived.release()
                assert outer.gate.wait(PATIENCE_S)
                try:
                    if outer.faults:
                        outer.faults.pop(0)(outer, self)
                        return
                    for name in outer.refuses:
                        if name in sent:
                            self.reply({"error": {"message": f"unknown parameter: {name}"}}, 400)
                            return
                    self.reply(outer.completion(sent))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *_):
                pass

            def reply(self, body, status=200, *, headers=(), length=None):
                """Send ``body``; a ``length`` that promises more is a cut connection."""
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in dict(headers).items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw) if length is None else length))
                self.end_headers()
                self.wfile.write(raw)
                self.close_connection = length is not None

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None
        scheme = "http"
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.configure_cert(context)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            scheme = "https"
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"{scheme}://{self.host}/v1"

    def completion(self, sent):
        """A sound answer to the request ``sent``."""
        content = self.answer(self.texts[-1])
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        if isinstance(content, tuple):  # with the chances of its tokens
            content, chances = content
            choice["message"]["content"] = content
            if sent.get("logprobs"):
                choice["logprobs"] = {"content": tokens_of(content, chances)}
        found = {"id": "1", "object": "chat.completion", "model": self.model, "choices": [choice]}
        return {**found, "usage": {"prompt_tokens": 400, "completion_tokens": 100}} if self.usage else found

    @contextmanager
    def running(self):
        """Answer until the block ends."""
        with answering(self._server):
            try:
                yield self
            finally:
                self.gate.set()


def refused(code, message="no", **headers):
    """The server refuses with ``code``; in names of ``headers`` an underscore stands for a hyphen."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _, request: request.reply({"error": {"message": message}}, code, headers=named)


def content(text, finish="stop"):
    """A sound answer with another content."""

    def fault(server, request):
        choice = {"message": {"content": text}, "finish_reason": finish}
        request.reply({"model": server.model, "choices": [choice]})

    return fault


def body(raw, **options):
    """An answer that is these bytes."""
    return lambda _, request: request.reply(raw, **options)


def cut(_, request):
    """The connection breaks in the middle of the answer."""
    request.reply(b'{"choices": [', length=4_000)


def redirect(to):
    """The server sends its client to another address."""
    return lambda _, request: request.reply(b"", 307, headers={"Location": to})


class Memory:
    """Keeps answers as the database does, for as long as the test takes."""

    def __init__(self):
        self.kept, self.today = {}, Spending()

    def find(self, model, digest):
        """As the database does."""
        return self.kept.get((model, digest))

    def keep(self, model, digest, body):
        """As the database does."""
        self.kept[model, digest] = body

    def spent(self):
        """As the database does."""
        return self.today

    def reserve(self, most, budget):
        """As the database does."""
        if limit := budget.exceeded_by(self.today, most):
            raise BudgetExceededError(limit)
        self.today += most
        return "today"

    def settle(self, day, more):
        """As the database does."""
        assert day == "today"
        self.today += more
