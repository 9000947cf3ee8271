"""Articles from a MediaWiki, politely, and all steps from nothing to a bundle."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest
from index_builder.catalogue import QANTA
from index_builder.corpus import Inputs
from index_builder.encyclopedia import AT_ONCE, fetch_articles, titles_of
from index_builder.sources import articles
from index_builder.steps import NICE, Everything

from index_builder.__main__ import main
from index_builder.build import build
from quizwriter.domain.tossup import Page, Tossup
from quizwriter.engine import load
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import ReadReport
from tests.servers import HASTY, Files, Told, Wiki, error, half_gzip, later, no_json, status

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
        more = {"manners": HASTY, **more}
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
    assert [article.source for article in articles(path, report)] == ["Wikipedia"] * 2
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
    assert [len(titles) for titles in wiki.questions] == [AT_ONCE] * 4 + [15]
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
        get(*wiki.articles, told=Told(stop_at=AT_ONCE))

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
    before = time.monotonic()

    get("Fox")

    assert time.monotonic() - before >= 5
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
    with pytest.raises(QuizwriterError, match="refuses the question"):
        get("Fox")

    wiki.faults = [status(403)]
    with pytest.raises(QuizwriterError, match=r"refuses the request.*--contact"):
        get("Fox", contact="me@example.org")
    assert len(wiki.asked) == 2
    assert "me@example.org" in wiki.asked[-1]["User-Agent"]


def test_questions_are_a_second_apart(get, wiki):
    wiki.articles = {f"P{n}": f"The text of number {n}." for n in range(50)}
    before = time.monotonic()

    get(*wiki.articles, manners=replace(HASTY, apart=0.3))

    assert time.monotonic() - before >= 0.6


def test_too_small_a_disk_is_said_before_anything_is_asked(get, wiki, monkeypatch, tmp_path):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000))

    with pytest.raises(QuizwriterError, match="not enough room"):
        get("Fox")
    assert not wiki.asked


def test_a_disk_that_fills_up_loses_nothing(wiki, small_disk, monkeypatch):
    monkeypatch.setattr("index_builder.encyclopedia.need_room", lambda *_: None)
    wiki.articles = {f"P{n}": f"Number {n} " + "goes on and on. " * 1_000 for n in range(60)}

    with pytest.raises(QuizwriterError, match="is full"):
        fetch_articles(list(wiki.articles), small_disk, Told(), api=wiki.url, manners=HASTY)
    kept = (small_disk / "wikipedia.jsonl").read_bytes()

    assert kept.endswith(b"\n")
    assert len(kept.splitlines()) == AT_ONCE


# -- all steps


QUESTIONS = [
    {"qanta_id": n, "text": text, "page": page, "answer": page, "fold": "guesstrain"}
    for n, (text, page) in enumerate(
        [
            ("red fox jumps over lazy dogs near rivers", "Fox"),
            ("this vixen red coat hunts hens at dusk quietly", "Fox"),
            ("grey wolf howls at moon with packs in winter", "Wolf"),
        ]
    )
]


@pytest.fixture
def world(wiki, monkeypatch):
    """A server of questions and one of articles; ``world(out)`` is the way from them to a bundle."""
    content = json.dumps({"questions": QUESTIONS}).encode()
    source = replace(QANTA, bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
    monkeypatch.setattr("index_builder.steps.QANTA", source)
    monkeypatch.setattr("index_builder.steps.GROWTH", 1)
    with Files(content).running() as files:

        def way(out):
            return Everything(out, mirror=files.url, api=wiki.url, manners=HASTY)

        way.files, way.wiki = files, wiki
        yield way


def passages(bundle, text, page):
    return [found.text for found in load(bundle).retrieval.explain(Tossup(text), Page(page)).passages]


def test_one_command_goes_from_nothing_to_a_bundle_with_articles(world, tmp_path):
    told = Told()
    world(tmp_path).run(told)

    # without articles, with them, and with the players that could be trained
    assert told.bundles == [tmp_path / "questions", tmp_path / "bundle", tmp_path / "bundle"]
    assert told.trained[-1][1] <= 1.0
    assert len(told.steps) == 5
    assert "Wolves live in packs that hunt elk." in passages(tmp_path / "bundle", "It hunts elk.", "Wolf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle", "sources"]
    assert world.wiki.questions == [["Fox", "Wolf"]]  # the answer asked for most comes first


def test_what_is_done_is_not_done_again(world, tmp_path, monkeypatch):
    world(tmp_path).run(Told())
    built = (tmp_path / "bundle" / "manifest.json").stat().st_mtime_ns

    told = Told()
    world(tmp_path).run(told)

    assert len(world.files.asked) == 1
    assert len(world.wiki.asked) == 1
    assert (tmp_path / "bundle" / "manifest.json").stat().st_mtime_ns == built
    assert told.bundles == [tmp_path / "bundle"]


def test_a_damaged_bundle_is_built_again(world, tmp_path):
    world(tmp_path).run(Told())
    (tmp_path / "bundle" / "pages.txt").write_text("Nothing\n")

    world(tmp_path).run(Told())

    assert load(tmp_path / "bundle").pages.all == ("Fox", "Wolf")


def test_without_the_encyclopedia_the_questions_are_there_all_the_same(world, tmp_path):
    world.wiki.faults = [status(403)]
    told = Told()
    with pytest.raises(QuizwriterError, match="refuses"):
        world(tmp_path).run(told)
    assert load(told.bundles[0]).pages.all == ("Fox", "Wolf")

    world(tmp_path).run(told)
    assert told.bundles[-1] == tmp_path / "bundle"
    assert len(world.files.asked) == 1


COMMAND = """
import sys
from dataclasses import replace
import index_builder.steps as steps
steps.QANTA = replace(steps.QANTA, bytes={size}, sha256={sha256!r})
from index_builder.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def command(world, tmp_path):
    """The command line of everything, for a process that knows the checksum of the test's questions."""
    content = world.files.content
    program = COMMAND.format(size=len(content), sha256=hashlib.sha256(content).hexdigest())
    sources = ["--mirror", world.files.url, "--api", world.wiki.url]
    return [sys.executable, "-c", program, "all", "--out", str(tmp_path / "out"), *sources, "--json-progress"]


def test_another_program_reads_the_progress_in_lines(command, world, tmp_path):
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        said = [json.loads(line) for line in process.stdout]
        assert process.wait() == 0

    assert [line["step"] for line in said if "step" in line] == [1, 2, 3, 4, 5]
    assert said[-1] == {"published": str(tmp_path / "out" / "bundle")}
    size = len(world.files.content)
    assert any(line.get("done") == line.get("total") == size for line in said)
    assert any(line.get("said") == "2 of 2 articles" for line in said)


def test_trouble_is_a_line_as_well(command, world):
    world.files.faults = [status(404)]
    _closed, open_end = os.pipe()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, stdin=open_end, check=False)

    assert done.returncode == 1
    assert "no such file" in json.loads(done.stdout.splitlines()[-1])["problem"]


def test_it_stops_when_the_program_that_started_it_is_gone(command, world):
    world.files.faults = [lambda server, request: time.sleep(20)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        while "step" not in json.loads(process.stdout.readline()):
            pass
        ours, its = (os.getpriority(os.PRIO_PROCESS, number) for number in (0, process.pid))
        assert its == min(ours + NICE, 19)
        deadline = time.monotonic() + 10
        while not world.files.asked and time.monotonic() < deadline:
            time.sleep(0.01)
        before = time.monotonic()
        process.stdin.close()
        assert process.wait(timeout=10) == 130
    assert time.monotonic() - before < 3


def test_the_commands_fetch_and_say_what_it_may_be_used_for(world, tmp_path, capsys, monkeypatch):
    build(
        Inputs((write(tmp_path / "q.jsonl", QUESTIONS),), everything=True),
        tmp_path / "few",
        "Few",
        Told(),
    )
    command = ["fetch", "wikipedia", "--titles-from", str(tmp_path / "few"), "--out", str(tmp_path / "s")]

    assert main([*command, "--api", world.wiki.url]) == 0
    assert "ShareAlike" in capsys.readouterr().out
    assert titles_of(tmp_path / "few", 1) == ["Fox"]

    wrong = ["fetch", "qanta", "--out", str(tmp_path / "s"), "--mirror", world.files.url]
    assert main(wrong) == 1
    assert "checksum is wrong" in capsys.readouterr().err


def write(path, found):
    path.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    return path


def test_the_fetching_libraries_do_not_hold_up_the_start():
    code = (
        "import sys, quizwriter.cli, quizwriter.gui.main_window; print({'httpx', 'rich'} & set(sys.modules))"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    )
    assert done.stdout.strip() == "set()"


def test_real_articles_from_a_stand_in_of_their_encyclopedia(shared_data, tmp_path):
    """Real titles, with their accents and brackets, through the API and back, each text as it was."""
    with lzma.open(shared_data / "wiki_pages.jsonl.xz", "rt", encoding="utf-8") as file:
        real = [json.loads(line) for line in islice(file, 400)]
    there = {row["page"].replace("_", " "): row["text"] for row in real}
    asked = Counter({row["page"]: row["n_tossups"] for row in real})
    questions = write(
        tmp_path / "q.jsonl",
        [
            {"id": f"{page}{n}", "text": f"A question about something, number {n}.", "page": page}
            for page, count in asked.items()
            for n in range(min(3, 1 + count))
        ],
    )
    build(Inputs((questions,), everything=True), tmp_path / "few", "Few", Told())
    titles = titles_of(tmp_path / "few")

    with Wiki({title[:1].upper() + title[1:]: text for title, text in there.items()}).running() as wiki:
        path = fetch_articles(titles, tmp_path, Told(), api=wiki.url, whole=True, manners=HASTY)

    found = texts(path)
    assert len(found) == len(titles) == len(there)
    for page, text in found.items():
        original = there[page.replace("_", " ")]
        assert set(text.split()) <= set(original.split())
        assert len(text.split()) > 0.9 * len(original.split())
