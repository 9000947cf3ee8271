"""Encyclopedia text of a bundle's answers, through the public MediaWiki API and by its etiquette.

Source:
    https://www.mediawiki.org/wiki/: API:Etiquette, API:Continue, Manual:Maxlag_parameter and
    Extension:TextExtracts.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import httpx
import msgspec
import numpy as np

from index_builder.data.catalogue import WIKIPEDIA
from index_builder.data.fetch import (
    DEFAULT_POLICY,
    RESUME_HINT,
    RetryPolicy,
    RetryState,
    TransientFailure,
    check_response,
    http_client,
    require_disk_space,
    retry_after,
    translate_disk_errors,
    translate_http_errors,
    write_licence_notice,
)
from index_builder.progress import Progress
from quizwriter.domain.page import page_title
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.stored_arrays import require
from quizwriter.errors import QuizwriterError
from quizwriter.system.decoding import DecodingError, decode_json
from quizwriter.system.http_limits import LimitedClient

TITLES_PER_REQUEST = 20
"""The API gives the openings of so many articles in one answer; whole articles come one by one."""

MOST_TITLE_BYTES = 4_000
"""Bytes of titles in one address; servers cut longer addresses off."""

MAXIMUM_LAG = 5
"""Seconds by which the encyclopedia's copies may lag behind before it asks us to wait."""

OPENING_BYTES, ARTICLE_BYTES = 2_500, 30_000
"""Room to keep free for each answer; more than the texts take on average."""

LARGEST_ANSWER = 1 << 26
"""Bytes of one answer, unpacked; the longest articles have a few million."""

_TRANSIENT_ERRORS = {"maxlag", "ratelimited", "readonly"}
_NO_TITLE = re.compile(r"[#<>\[\]{}|\x00-\x1f\x7f\ufffd]|%[0-9A-Fa-f]{2}|^:|^\.{1,2}$|~~~")
_APPARATUS = {
    "bibliography",
    "citations",
    "external links",
    "footnotes",
    "further reading",
    "gallery",
    "notes",
    "notes and references",
    "references",
    "see also",
    "sources",
    "works cited",
}


class _Step(msgspec.Struct, rename={"old": "from", "new": "to"}):
    """A title, and the title that the encyclopedia reads it as or redirects it to."""

    old: str
    new: str


class _Article(msgspec.Struct):
    """What the encyclopedia says of a title; ``extract`` and ``pageprops`` may come in another answer."""

    title: str
    missing: bool = False
    invalid: bool = False
    extract: str | None = None
    lastrevid: int | None = None
    pageprops: dict[str, str] = {}

    def continued_by(self, other: _Article) -> _Article:
        """This article with what a further answer says of it."""
        return _Article(
            self.title,
            self.missing or other.missing,
            self.invalid or other.invalid,
            self.extract if other.extract is None else other.extract,
            self.lastrevid if other.lastrevid is None else other.lastrevid,
            self.pageprops | other.pageprops,
        )


class _Query(msgspec.Struct):
    """What the encyclopedia says of the titles in a request."""

    normalized: list[_Step] = []
    redirects: list[_Step] = []
    pages: list[_Article] = []


class _ApiError(msgspec.Struct):
    """Why the encyclopedia refuses a request."""

    code: str = ""
    info: str = ""


class _Answer(msgspec.Struct, rename={"continuation": "continue"}):
    """The answer to a request; ``continuation`` has the parameters that get the rest of it."""

    query: _Query | None = None
    error: _ApiError | None = None
    batchcomplete: bool = False
    continuation: dict[str, str | int] = {}


def article_titles(bundle: Path, limit: int | None = None) -> list[str]:
    """The pages of ``bundle``, those asked for most often first; at most ``limit`` of them."""
    opened = Bundle.open(bundle)
    pages = opened.lines("pages.txt")
    asked = opened.array("pages_asked.npy")
    with opened.refusing("pages_asked.npy"):
        require(len(asked) == len(pages), "it does not fit the pages")
    favourites = np.argsort(-asked, kind="stable")
    return [pages[row] for row in favourites[:limit]]


def articles_file(folder: Path, *, whole: bool) -> Path:
    """Where :func:`fetch_articles` keeps openings or ``whole`` articles in ``folder``."""
    return folder / ("wikipedia-whole.jsonl" if whole else WIKIPEDIA.file)


def fetch_articles(
    titles: Sequence[str],
    folder: Path,
    progress: Progress,
    *,
    api: str = WIKIPEDIA.address,
    whole: bool = False,
    contact: str = "",
    policy: RetryPolicy = DEFAULT_POLICY,
) -> Path:
    """The file of articles on ``titles`` in ``folder``, JSON lines as the builder reads them.

    Of each title the opening is fetched, or the ``whole`` article. Titles that are in the file, or that have
    no article, are not asked for again; a fetch that was cut off goes on where it ended. ``contact`` is told
    to the encyclopedia's operators.
    """
    with translate_disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_licence_notice(WIKIPEDIA, folder)
        path = articles_file(folder, whole=whole)
        found, missing = _RowFile(path), _RowFile(path.with_suffix(".missing.jsonl"))
        known = found.pages() | missing.pages()
    wanted = [title for title in titles if title not in known]
    require_disk_space(folder, len(wanted) * (ARTICLE_BYTES if whole else OPENING_BYTES), WIKIPEDIA.title)
    done = len(titles) - len(wanted)
    progress.fetching(WIKIPEDIA.title, done, len(titles), "articles")
    with http_client(policy, contact) as http:
        encyclopedia = _Encyclopedia(http, api, progress, policy, whole=whole)
        for batch in _batches(wanted):
            rows = encyclopedia.look_up(batch)
            with translate_disk_errors(folder):
                found.add([row for row in rows if "text" in row])
                missing.add([row for row in rows if "text" not in row])
            done += len(batch)
            progress.fetching(WIKIPEDIA.title, done, len(titles), "articles")
    return path


class _FetchedRow(msgspec.Struct):
    page: str


class _RowFile:
    """A file of JSON lines, to which rows are added a batch at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pages(self) -> set[str]:
        """The page of each row; half a line that a crash left behind is removed."""
        if not self.path.exists():
            self.path.touch()
        raw = self.path.read_bytes()
        whole = raw.rfind(b"\n") + 1
        if whole < len(raw):
            os.truncate(self.path, whole)
        try:
            return {decode_json(line, _FetchedRow).page for line in raw[:whole].split(b"\n")[:-1]}
        except DecodingError as trouble:
            raise QuizwriterError(
                f"{self.path} is damaged ({trouble}).", "Delete that file; its articles are fetched again."
            ) from trouble

    def add(self, rows: Sequence[dict[str, object]]) -> None:
        """Put ``rows`` on disk, all or (but for half a line) none."""
        if not rows:
            return
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        before = self.path.stat().st_size
        try:
            with self.path.open("ab") as file:
                file.write(text.encode("utf-8", "replace"))
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            os.truncate(self.path, before)
            raise


def _batches(titles: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for title in titles:
        more = len(quote(page_title(title))) + 3
        if batch and (len(batch) == TITLES_PER_REQUEST or size + more > MOST_TITLE_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(title)
        size += more
    if batch:
        yield batch


class _Encyclopedia:
    """Sends one request after the other, never two at once."""

    def __init__(
        self, http: LimitedClient, api: str, progress: Progress, policy: RetryPolicy, *, whole: bool
    ) -> None:
        self._http = http
        self._api = api
        self._host = api.split("/")[2] if api.count("/") >= 2 else api
        self._progress = progress
        self._policy = policy
        self._whole = whole
        self._requested = -policy.interval  # when the last request was sent

    def look_up(self, pages: Sequence[str]) -> list[dict[str, object]]:
        """A row for each of ``pages``: with its ``text``, or ``why`` there is none."""
        titles = {page: unicodedata.normalize("NFC", page_title(page)) for page in pages}
        asked = [title for title in titles.values() if _can_be_title(title)]
        normal: dict[str, str] = {}
        redirects: dict[str, str] = {}
        articles: dict[str, _Article] = {}
        further: dict[str, str] = {}
        while asked:
            answer = self._ask({"titles": "|".join(asked), **further})
            query = answer.query or _Query()
            normal |= {step.old: step.new for step in query.normalized}
            redirects |= {step.old: step.new for step in query.redirects}
            for article in query.pages:
                known = articles.get(article.title)
                articles[article.title] = article if known is None else known.continued_by(article)
            before, further = further, {key: str(value) for key, value in answer.continuation.items()}
            if further in ({}, before):
                break
        rows: list[dict[str, object]] = []
        for page, title in titles.items():
            title = normal.get(title, title)
            for _ in redirects:  # a redirect may lead to another, or in a circle
                title = redirects.get(title, title)
            rows.append({"page": page, **self._row(articles.get(title))})
        return rows

    def _row(self, article: _Article | None) -> dict[str, object]:
        if article is None or article.invalid:
            return {"why": "no title of an article"}
        if article.missing:
            return {"why": "no such article"}
        if "disambiguation" in article.pageprops:
            return {"why": "several articles of that name"}
        text = _plain_text(article.extract or "")
        if not text:
            return {"why": "no text"}
        return {
            "text": text,
            "publication": "Wikipedia",
            "title": article.title,
            "revision": article.lastrevid,
        }

    def _ask(self, more: dict[str, str]) -> _Answer:
        parameters = {
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "redirects": "1",
            "maxlag": str(MAXIMUM_LAG),
            "prop": "extracts|pageprops|info",
            "ppprop": "disambiguation",
            "explaintext": "1",
            "exsectionformat": "wiki",
            "exlimit": "1" if self._whole else str(TITLES_PER_REQUEST),
            **({} if self._whole else {"exintro": "1"}),
            **more,
        }
        tries = RetryState(self._policy, self._progress)
        while True:
            if (left := self._requested + self._policy.interval - self._policy.clock()) > 0:
                self._policy.sleep(left)
            self._requested = self._policy.clock()
            try:
                with translate_http_errors(self._host):
                    answer, body = self._http.request(
                        "GET",
                        self._api,
                        seconds=self._policy.answer,
                        most_bytes=LARGEST_ANSWER,
                        params=parameters,
                    )
                return self._answer(answer, body)
            except TransientFailure as failure:
                tries.wait(failure)

    def _answer(self, response: httpx.Response, body: bytes) -> _Answer:
        check_response(
            response,
            "See whether Wikipedia can be opened in a browser here; its operators ask heavy users for a way "
            f"to reach them (--contact). {RESUME_HINT}",
        )
        try:
            answer = decode_json(body, _Answer, most_bytes=LARGEST_ANSWER)
            if answer.query is None and answer.error is None and not answer.batchcomplete:
                raise DecodingError("it is empty")
        except DecodingError as trouble:  # cut short, or the login page of a hotel
            raise TransientFailure(
                f"{self._host} answers, but not as an encyclopedia does.",
                f"Check that no login page is between this computer and the internet. {RESUME_HINT}",
            ) from trouble
        error = answer.error
        if error is None:
            return answer
        if error.code in _TRANSIENT_ERRORS or error.code.startswith("internal_api_error"):
            asked = retry_after(response)
            after = float(MAXIMUM_LAG) if asked is None else asked
            raise TransientFailure(
                f"{self._host} is busy and asks us to wait.", f"Try again later. {RESUME_HINT}", after
            )
        raise QuizwriterError(
            f"{self._host} refuses the request ({error.code}: {error.info}).",
            f"Try again later. {RESUME_HINT}",
        )


def _can_be_title(title: str) -> bool:
    """Whether an article may be called ``title``."""
    return bool(title.strip()) and not _NO_TITLE.search(title) and len(title.encode()) <= 255


def _plain_text(extract: str) -> str:
    """An extract without headings, and without the sections that only list where to read on."""
    kept: list[str] = []
    left_out = 0  # the level of the heading whose section is left out
    for line in extract.split("\n"):
        bare = line.strip()
        if len(bare) > 1 and bare.startswith("=") and bare.endswith("="):
            heading = bare.strip("=")
            level = min(bare.find(heading), len(bare) - len(bare.rstrip("="))) or len(bare) // 2
            if not left_out or level <= left_out:
                left_out = level if heading.strip().casefold() in _APPARATUS else 0
        elif not left_out and bare:
            kept.append(" ".join(line.split()))
    return "\n".join(kept)
