"""Answers of servers: Elasticsearch, language models, the encyclopedia, and downloads with their records."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from index_builder.data.catalogue import DataSource
from index_builder.data.encyclopedia import fetch_articles
from index_builder.data.fetch import RetryPolicy, fetch_file
from index_builder.progress import Progress
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.elastic.client import Connection, probe_index
from quizwriter.engine.elastic.guesser import ElasticGuesser
from quizwriter.engine.language_model.chat_answers import read_completion, read_models
from quizwriter.engine.language_model.guesser import clue_spans
from quizwriter.system.decoding import DecodingError
from tests.fuzz import mutation
from tests.fuzz.target import Target, packed_seed, refusal

_POLICY = RetryPolicy(tries=2, first_wait=0.0, longest_wait=0.0, timeout=3, answer=3, interval=0.0)
_TOSSUP = Tossup(
    "This lake is the deepest of all. Seals live only in this lake, which the Angara leaves. For 10 points, "
    "name this lake in Siberia.",
    Answer("Lake Baikal", Page("Lake_Baikal")),
)
_PAGES = ("Lake_Baikal", "Angara", "Siberia", "Seal")


class _Server:
    """Answers with what ``answer`` gives for the target and the body of a request."""

    def __init__(self) -> None:
        self.answer: Callable[[str, bytes], bytes] = lambda target, body: b""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                raw = outer.answer(self.path, body)
                self.send_response(200)
                self.send_header("X-Elastic-Product", "Elasticsearch")
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST = do_HEAD = do

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"


class ElasticsearchAnswers(Target):
    """Answers of an Elasticsearch: its version, its index, and its searches."""

    name = "Elasticsearch answers"

    def prepare(self, folder: Path) -> None:
        import elasticsearch  # noqa: F401 - takes a second, which is not the reader's

        self._server = _Server()
        about = {
            "schema": 1,
            "complete": True,
            "everywhere": ["a1", "ff"],
            "largest_prior": 1.5,
            "hearing": [0.1875, 0.625, 0.625, 1.625],
        }
        self._seeds: dict[str, Any] = {
            "info": {"name": "node", "version": {"number": "8.19.0"}, "tagline": "You know, for Search"},
            "mapping": {
                "lakes-1": {"mappings": {"_meta": {"quizwriter": {**about, "documents": 9, "sent": 9}}}}
            },
            "count": {"count": 9, "_shards": {"total": 1}},
            "game": {"responses": [self._found(number) for number in range(6)]},
        }

    @staticmethod
    def _found(number: int) -> dict[str, Any]:
        passage = {
            "_score": 2.5,
            "_source": {"source": "A packet"},
            "fields": {"kind": [1], "number": [7]},
            "highlight": {"text": ["The \x01Angara\x02 leaves the lake."]},
        }
        hits = [
            {
                "_score": 9.0 - place - number / 4,
                "fields": {"page": [page], "title": ["baikal"]},
                "matched_queries": {"asked": 0.5, "0": 1.25, "3": 2.0},
                "inner_hits": {
                    "best": {"hits": {"hits": [passage, {**passage, "fields": {"kind": [2], "number": [8]}}]}}
                },
            }
            for place, page in enumerate(_PAGES)
        ]
        return {"took": 3, "status": 200, "hits": {"hits": hits}}

    def make(self, draw: random.Random, case: Path) -> None:
        changed = draw.choice(("info", "mapping", "count", "game", "game", "game"))
        for name, seed in self._seeds.items():
            raw = json.dumps(seed).encode()
            (case / name).write_bytes(mutation.json_bytes(draw, raw) if name == changed else raw)

    def read(self, case: Path) -> None:
        def answer(target: str, body: bytes) -> bytes:
            if "_msearch" not in target:
                name = "info" if target == "/" else "mapping" if "_mapping" in target else "count"
                return (case / name).read_bytes()
            raw = (case / "game").read_bytes()
            try:  # as many answers as searches, where the answers still are a list
                found = json.loads(raw)
                rows = found["responses"]
                count = len(body.splitlines()) // 2
                found["responses"] = (rows * (count // len(rows) + 1))[:count]
                return json.dumps(found).encode()
            except (ValueError, KeyError, TypeError, ZeroDivisionError, RecursionError, MemoryError):
                return raw

        self._server.answer = answer
        connection = Connection(self._server.url, "lakes")
        with refusal():
            repr(probe_index(connection))
        player = ElasticGuesser(connection)
        try:
            with refusal():
                repr(player.play(_TOSSUP)).encode("utf-8", "surrogatepass")
            with refusal():
                repr(player.explain(_TOSSUP, Page("Lake_Baikal")))
        finally:
            player.close()


class LanguageModelAnswers(Target):
    """Answers of a server of language models: its completions and its list of models."""

    name = "language-model answers"

    def prepare(self, folder: Path) -> None:
        guesses = [
            {"answer": page.replace("_", " "), "chance": 0.4, "clues": ["the deepest of all", "Angara"]}
            for page in _PAGES
        ]
        content = json.dumps({"guesses": guesses})
        tokens = [{"token": content[at : at + 5], "logprob": -0.1} for at in range(0, len(content), 5)]
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": content, "refusal": None},
            "logprobs": {"content": tokens},
            "finish_reason": "stop",
        }
        usage = {"prompt_tokens": 400, "completion_tokens": 120}
        self._content = content
        self._answer = {"id": "1", "model": "parrot", "choices": [choice], "usage": usage}
        self._models = {"object": "list", "data": [{"id": "parrot"}, {"id": "owl"}]}

    def make(self, draw: random.Random, case: Path) -> None:
        answer = self._answer
        if draw.random() < 0.5:  # the answer of the model, within a sound answer of the server
            said = mutation.json_bytes(draw, self._content.encode()).decode("utf-8", "replace")
            message = {"role": "assistant", "content": said}
            answer = {**answer, "choices": [{"message": message, "finish_reason": "stop"}]}
            (case / "answer").write_bytes(json.dumps(answer).encode())
        else:
            (case / "answer").write_bytes(mutation.json_bytes(draw, json.dumps(answer).encode()))
        (case / "models").write_bytes(mutation.json_bytes(draw, json.dumps(self._models).encode()))

    def read(self, case: Path) -> None:
        raw = (case / "answer").read_bytes()
        with suppress(DecodingError):
            read_models((case / "models").read_bytes())
        try:
            found = read_completion(raw).answer
        except DecodingError:
            return
        for guess in found.guesses:
            assert 0 <= guess.chance <= 1
            assert "\n" not in guess.answer
            assert len(guess.answer) <= 200
        spans = clue_spans(_TOSSUP, [clue for guess in found.guesses for clue in guess.clues])
        assert all(span in _TOSSUP.words for span in spans)


class EncyclopediaAnswers(Target):
    """Answers of the encyclopedia, and the rows of articles that were fetched before."""

    name = "encyclopedia answers"

    def prepare(self, folder: Path) -> None:
        self._server = _Server()
        self._rows = b"\n".join(packed_seed("bundles/articles.jsonl.xz").splitlines()[:3]) + b"\n"

    def make(self, draw: random.Random, case: Path) -> None:
        pages = [
            {
                "title": "Fox",
                "lastrevid": 7,
                "extract": "Foxes are small.\n\n== Diet ==\nHens.\n== See also ==\nWolf",
            },
            {"title": "Wolf", "missing": True},
            {"title": "Mercury", "extract": "Several.", "pageprops": {"disambiguation": ""}},
        ]
        steps = [{"from": "fox", "to": "Fox"}, {"from": "Vixen", "to": "Fox"}]
        answer = {
            "batchcomplete": True,
            "query": {"normalized": steps[:1], "redirects": steps, "pages": pages},
        }
        if draw.random() < 0.3:
            answer["continue"] = {"excontinue": 1, "continue": "||"}
        (case / "answer").write_bytes(mutation.json_bytes(draw, json.dumps(answer).encode()))
        if draw.random() < 0.4:
            (case / "wikipedia.jsonl").write_bytes(mutation.json_lines(draw, self._rows))

    def read(self, case: Path) -> None:
        asked = 0

        def answer(target: str, _: bytes) -> bytes:
            nonlocal asked
            asked += 1
            parse_qs(urlsplit(target).query)
            return (case / "answer").read_bytes()

        self._server.answer = answer
        try:
            fetch_articles(
                ["fox", "Vixen", "Wolf", "Mercury"],
                case,
                Progress(),
                api=f"{self._server.url}/w",
                policy=_POLICY,
            )
        finally:
            assert asked < 1_000, "the encyclopedia is asked without end"


class Downloads(Target):
    """Files from a mirror, and the records that an earlier download left beside them."""

    name = "downloads"
    _source = DataSource("Questions", "", "questions.json", 10_000, None, "", "A notice.")

    def prepare(self, folder: Path) -> None:
        self._server = _Server()

    def make(self, draw: random.Random, case: Path) -> None:
        address = f"{self._server.url}/questions.json"
        content = packed_seed("bundles/questions.jsonl.xz")[:3_000]
        part = {"address": address, "validator": '"one"', "total": len(content)}
        fetched = {"address": address, "bytes": len(content), "sha256": "0" * 64, "fetched": "2031-01-01"}
        (case / "served").write_bytes(mutation.raw(draw, content))
        (case / "address").write_text(address, encoding="utf-8")
        if draw.random() < 0.6:
            (case / "questions.json.part").write_bytes(content[: draw.randrange(3_000)])
            (case / "questions.json.part.json").write_bytes(
                mutation.json_bytes(draw, json.dumps(part).encode())
            )
        if draw.random() < 0.6:
            (case / "questions.json").write_bytes(content)
            (case / "questions.json.fetched.json").write_bytes(
                mutation.json_bytes(draw, json.dumps(fetched).encode())
            )

    def read(self, case: Path) -> None:
        self._server.answer = lambda *_: (case / "served").read_bytes()
        for path in case.glob("*.part.json"):  # of a server that ran at another port
            path.write_bytes(
                re.sub(rb"http://127\.0\.0\.1:\d+", self._server.url.encode(), path.read_bytes())
            )
        mirror = f"{self._server.url}/questions.json"
        fetch_file(self._source, case, Progress(), mirror=mirror, policy=_POLICY)
