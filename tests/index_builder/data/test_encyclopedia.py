"""Articles from a MediaWiki, fetched by its etiquette."""

from __future__ import annotations

import json
import lzma
import random
import shutil
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from msgspec.structs import replace

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.data.encyclopedia import TITLES_PER_REQUEST, article_titles, fetch_articles
from index_builder.data.readers import read_articles
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import ReadReport
from tests.fuzz.targets.bundles import seal
from tests.helpers.http_servers import HASTY, FakeClock, Told, Wiki, error, half_gzip, later, no_json, status
from tests.helpers.json_lines import write_lines

OPENINGS = {
    "Fox": "Foxes are small canids.\n\n== Diet ==\nThey eat hens.\n\n== See also ==\nWolf\n=== Lists ===\n..",
    "Wolf": "Wolves live in packs that hunt elk.",
    "Émile Zola": "Émile Zola wrote Germinal, about miners.",
    "Mercury": "Mercury may refer to several things at once.",
    "Empty": "",
}


@pytest.fixture
def wiki():
    redirects = {"Vixen": "Reynard", "Reynard": "Fox", "Round": "Circle", "Circle": "Round"}
    with Wiki(OPENINGS, redirects=redirects, several=["Mercury"]).running() as wiki:
        yield wiki


@pytest.fixture
def get(wiki, tmp_path):
    """Fetches articles from the stand-in; what was told lies in ``get.told``."""

    def get(*titles, **more):
        get.told = more.pop("told", Told())
        more = {"policy": FakeClock().keeping(HASTY), **more}
        return fetch_articles(titles, tmp_path, get.told, api=wiki.url, **more)

    return get


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def texts(path):
    return {row["page"]: row["text"] for row in rows(path)}


def test_articles_come_in_the_schema_that_the_builder_reads(get, tmp_path):
    path = get("Fox", "Wolf")

    assert rows(path)[0] == {
        "page": "Fox",
        "text": "Foxes are small canids.",
        "publication": "Wikipedia",
        "title": "Fox",
        "revision": 4711,
    }
    report = ReadReport("x")
    assert [article.source for article in read_articles(path, report)] == ["Wikipedia"] * 2
    assert not report.rejected
    assert "ShareAlike 4.0" in (tmp_path / "wikipedia.jsonl.LICENSE.txt").read_text(encoding="utf-8")


def test_redirects_and_spellings_lead_to_the_article_under_the_page_asked_for(get, wiki):
    path = get("Vixen", "fox", "E\u0301mile_Zola")

    assert texts(path) == {
        "Vixen": "Foxes are small canids.",
        "fox": "Foxes are small canids.",
        "E\u0301mile_Zola": "Émile Zola wrote Germinal, about miners.",
    }
    assert {row["title"] for row in rows(path)} == {"Fox", "Émile Zola"}


def test_pages_without_an_article_are_kept_apart_with_the_reason(get, wiki):
    path = get("Nobody_we_know", "Mercury", "Empty", "Round", "Fox", "C#", "A|B", " ", "x" * 300)

    assert list(texts(path)) == ["Fox"]
    assert {row["page"]: row["why"] for row in rows(path.with_suffix(".missing.jsonl"))} == {
        "Nobody_we_know": "no such article",
        "Mercury": "several articles of that name",
        "Empty": "no text",
        "Round": "no title of an article",
        "C#": "no title of an article",
        "A|B": "no title of an article",
        " ": "no title of an article",
        "x" * 300: "no title of an article",
    }
    assert wiki.questions == [["Nobody we know", "Mercury", "Empty", "Round", "Fox"]]


def test_openings_are_asked_for_in_batches(get, wiki):
    wiki.articles = {f"Page {n}": f"The text of number {n}." for n in range(95)}

    path = get(*(f"Page_{n}" for n in range(95)))

    assert len(rows(path)) == 95
    assert [len(titles) for titles in wiki.questions] == [TITLES_PER_REQUEST] * 4 + [15]
    assert get.told.far[-1] == (95, 95, "articles")
    agent = wiki.asked[0]["User-Agent"]
    assert agent.startswith("QuizWriter/")
    assert "python-httpx/" in agent
    assert "gzip" in wiki.asked[0]["Accept-Encoding"]


def test_long_titles_do_not_make_addresses_too_long(get, wiki):
    long = {"ж" * 120 + str(n): "The text of a long title." for n in range(20)}
    wiki.articles = {title[:1].upper() + title[1:]: text for title, text in long.items()}

    assert len(rows(get(*long))) == 20
    assert max(len("|".join(titles).encode()) * 3 for titles in wiki.questions) < 8_000


def test_whole_articles_are_continued_and_lose_their_lists(get, wiki, tmp_path):
    path = get("Fox", "Wolf", "Vixen", whole=True)

    assert texts(path) == {
        "Fox": "Foxes are small canids.\nThey eat hens.",
        "Wolf": "Wolves live in packs that hunt elk.",
        "Vixen": "Foxes are small canids.\nThey eat hens.",
    }
    assert len(wiki.questions) == 2
    assert path.name == "wikipedia-whole.jsonl"


def test_what_is_there_or_was_not_to_be_had_is_not_asked_for_again(get, wiki):
    get("Fox", "Nobody")
    path = get("Fox", "Nobody", "Wolf")

    assert wiki.questions == [["Fox", "Nobody"], ["Wolf"]]
    assert list(texts(path)) == ["Fox", "Wolf"]
    assert get.told.far == [(2, 3, "articles"), (3, 3, "articles")]


def test_half_a_line_that_a_crash_left_is_fetched_again(get, wiki):
    path = get("Fox", "Wolf")
    path.write_bytes(path.read_bytes()[:-9])

    get("Fox", "Wolf")

    assert list(texts(path)) == ["Fox", "Wolf"]
    assert wiki.questions[-1] == ["Wolf"]


def test_a_stopped_fetch_goes_on_in_the_next_run(get, wiki):
    wiki.articles = {f"P{n}": f"The text of number {n}." for n in range(60)}
    with pytest.raises(KeyboardInterrupt):
        get(*wiki.articles, told=Told(stop_at=TITLES_PER_REQUEST))

    assert len(rows(get(*wiki.articles))) == 60
    assert len(wiki.questions) == 3


@pytest.mark.parametrize(
    "fault",
    [
        error("maxlag", Retry_After="1"),
        error("ratelimited", Retry_After="1"),
        error("internal_api_error_DBQueryError", Retry_After="0"),
        status(429, Retry_After="1"),
        later(503, 1),
        status(502),
        half_gzip,
        no_json,
        lambda server, request: request.reply(server.body(request)[:-9]),
        lambda server, request: request.reply(b"[]"),
        lambda server, request: request.reply(b"{}"),
        lambda server, request: request.reply(b'{"query": []}'),
        lambda server, request: request.reply(b'{"query": {"pages": [{"title": 5}]}}'),
        lambda server, request: request.reply(b"[" * 100_000),
        lambda server, request: request.reply(server.body(request)[:-9], length=9_999),
    ],
)
def test_whatever_passes_is_waited_out(get, wiki, fault):
    wiki.faults = [fault]

    assert list(texts(get("Fox"))) == ["Fox"]
    assert len(wiki.asked) == 2
    assert len(get.told.waits) >= 1


def test_lagging_servers_are_left_alone_for_five_seconds_at_least(get, wiki):
    wiki.faults = [error("maxlag")]
    clock = FakeClock()

    get("Fox", policy=clock.keeping(HASTY))

    assert clock.now() >= 5
    assert "busy" in get.told.waits[0][0]


def test_a_server_that_never_recovers_is_given_up_and_what_came_stays(get, wiki):
    wiki.articles = {f"P{n}": f"The text of number {n}." for n in range(40)}

    def then_fail(server, request):
        server.answer(request)
        server.faults = [no_json] * 9

    wiki.faults = [then_fail]

    with pytest.raises(QuizwriterError, match=r"not as an encyclopedia does.*login page"):
        get(*wiki.articles)
    wiki.faults = []
    assert len(rows(get(*wiki.articles))) == 40


def test_a_refusal_is_not_tried_again(get, wiki):
    wiki.faults = [error("readapidenied")]
    with pytest.raises(QuizwriterError, match="refuses the request"):
        get("Fox")

    wiki.faults = [status(403)]
    with pytest.raises(QuizwriterError, match=r"refuses the request.*--contact"):
        get("Fox", contact="me@example.org")
    assert len(wiki.asked) == 2
    assert "me@example.org" in wiki.asked[-1]["User-Agent"]


def test_questions_are_a_second_apart(get, wiki):
    wiki.articles = {f"P{n}": f"The text of number {n}." for n in range(50)}
    clock = FakeClock()

    get(*wiki.articles, policy=clock.keeping(replace(HASTY, interval=1.0)))

    assert len(wiki.asked) == 3
    assert clock.now() == 2.0


def test_too_small_a_disk_is_said_before_anything_is_asked(get, wiki, monkeypatch, tmp_path):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000))

    with pytest.raises(QuizwriterError, match="not enough room"):
        get("Fox")
    assert not wiki.asked


def test_a_disk_that_fills_up_loses_nothing(wiki, small_disk, monkeypatch):
    monkeypatch.setattr("index_builder.data.encyclopedia.require_disk_space", lambda *_: None)
    wiki.articles = {f"P{n}": f"Number {n} " + "goes on and on. " * 1_000 for n in range(60)}

    with pytest.raises(QuizwriterError, match="is full"):
        fetch_articles(list(wiki.articles), small_disk, Told(), api=wiki.url, policy=HASTY)
    kept = (small_disk / "wikipedia.jsonl").read_bytes()

    assert kept.endswith(b"\n")
    assert len(kept.splitlines()) == TITLES_PER_REQUEST


def test_real_articles_from_a_stand_in_of_their_encyclopedia(shared_data, tmp_path):
    """Real titles, with their accents and brackets, through the API and back, each text as it was."""
    with lzma.open(shared_data / "wiki_pages.jsonl.xz", "rt", encoding="utf-8") as file:
        real = [json.loads(line) for line in islice(file, 400)]
    there = {row["page"].replace("_", " "): row["text"] for row in real}
    asked = Counter({row["page"]: row["n_tossups"] for row in real})
    questions = write_lines(
        tmp_path / "q.jsonl",
        [
            {"id": f"{page}{n}", "text": f"A question about something, number {n}.", "page": page}
            for page, count in asked.items()
            for n in range(min(3, 1 + count))
        ],
    )
    build(Inputs((questions,), everything=True), tmp_path / "few", "Few", Told())
    titles = article_titles(tmp_path / "few")

    with Wiki({title[:1].upper() + title[1:]: text for title, text in there.items()}).running() as wiki:
        path = fetch_articles(titles, tmp_path, Told(), api=wiki.url, whole=True, policy=HASTY)

    found = texts(path)
    assert len(found) == len(titles) == len(there)
    for page, text in found.items():
        original = there[page.replace("_", " ")]
        assert set(text.split()) <= set(original.split())
        assert len(text.split()) > 0.9 * len(original.split())


def test_a_bundle_whose_counts_are_of_other_pages_is_refused(bare_forest, tmp_path):
    bundle = shutil.copytree(bare_forest, tmp_path / "bundle")
    asked = np.load(bundle / "pages_asked.npy")
    np.save(bundle / "pages_asked.npy", np.append(asked, asked[:1]))
    seal(bundle, random.Random(0))

    with pytest.raises(QuizwriterError, match=r"pages_asked\.npy makes no sense: it does not fit the pages"):
        article_titles(bundle)


@pytest.mark.parametrize("row", ["[1]", "{}", '{"page": 7}', "nonsense", "\x85"])
def test_a_damaged_row_of_an_earlier_fetch_is_said(get, tmp_path, row):
    (tmp_path / "wikipedia.jsonl").write_text(
        f'{{"page": "Fox", "text": "Foxes."}}\n{row}\n', encoding="utf-8"
    )

    with pytest.raises(QuizwriterError, match="damaged"):
        get("Fox", "Wolf")
