"""Checks the starter corpus: its size and spread, its tossups' style, its originality.

The corpus is resources/starter (indexed tossups and articles) and resources/examples.jsonl
(tossups that are not indexed).
"""

import json
import lzma
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RESOURCES = ROOT / "resources"
STARTER = RESOURCES / "starter"

CATEGORIES = {
    "Literature", "History", "Science", "Fine Arts", "Religion", "Mythology",
    "Philosophy", "Social Science", "Geography", "Pop Culture",
}  # fmt: skip
FIELDS = {
    "id", "text", "answer", "answer_main", "page", "answer_label",
    "category", "subcategory", "tournament", "year", "difficulty",
}  # fmt: skip
REQUIRED_PAGES = {
    "Johannes_Brahms", "Joseph_Haydn", "Frédéric_Chopin", "Madama_Butterfly",
    "Turandot", "Conic_section", "Sphere",
}  # fmt: skip

POWER_MARK = "(*)"
GIVEAWAY = "For 10 points"
ALLOWED_TITLE_WORDS = {"battle"}  # what such a question asks for: "name this battle"

RUN = 8  # this many equal words in a row count as copied
PROBE = 5  # any RUN words hold, at one of every PROBE_STEP starts, a whole probe of this many words
PROBE_STEP = RUN - PROBE + 1
STOCK = re.compile(r"\bfor 10 points (?:name|what|identify|give) (?:this|these)?")


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


TOSSUPS = [row for path in sorted((STARTER / "tossups").glob("*.jsonl")) for row in rows(path)]
ARTICLES = [row for path in sorted((STARTER / "articles").glob("*.jsonl")) for row in rows(path)]
EXAMPLES = rows(RESOURCES / "examples.jsonl")


def by_id(row: dict) -> str:
    return row["id"]


def plain(text: str) -> str:
    """Lower case, accents and apostrophes dropped."""
    text = text.lower().replace("'", "")
    if not text.isascii():
        text = re.sub("[’\u0300-\u036f]", "", unicodedata.normalize("NFKD", text))
    return text


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", plain(text))


def sentence_starts(text: str) -> list[int]:
    """Offsets at which sentences begin; initials and titles of address do not end one."""
    ends = re.finditer(r"[.?!][\"')\]]*\s+(?=[\"'(]*[A-ZÀ-Þ])", text)
    abbreviation = re.compile(r"\b(?:[A-Z]|Mrs?|Ms|Dr|St|No)\.\s+$")
    return [0, *(end.end() for end in ends if not abbreviation.search(text[: end.end()]))]


def runs_of(text: str) -> set[tuple[str, ...]]:
    """Every RUN consecutive words of an own text, those across a stock phrase left out."""
    found = set()
    for piece in STOCK.split(" ".join(words(text))):
        tokens = piece.split()
        found.update(tuple(tokens[i : i + RUN]) for i in range(len(tokens) - RUN + 1))
    return found


def own_texts() -> dict[str, str]:
    return {row["id"]: row["text"] for row in TOSSUPS + EXAMPLES} | {
        f"article {row['page']}": row["text"] for row in ARTICLES
    }


# --- size and spread ---


def test_two_tossups_and_one_article_for_each_answer() -> None:
    tossups = Counter(row["page"] for row in TOSSUPS)
    assert len(tossups) >= 200
    assert set(tossups.values()) == {2}
    articles = Counter(row["page"] for row in ARTICLES)
    assert set(articles.values()) == {1}
    assert set(articles) >= set(tossups)
    assert len(articles) - len(tossups) >= 40
    assert set(tossups) >= REQUIRED_PAGES


def test_every_category_is_present() -> None:
    assert {row["category"] for row in TOSSUPS} == CATEGORIES


def test_ids_are_unique() -> None:
    ids = Counter(row["id"] for row in TOSSUPS + EXAMPLES)
    assert [key for key, count in ids.items() if count > 1] == []


def test_examples_ask_for_answers_of_the_corpus() -> None:
    pages = {row["page"] for row in TOSSUPS}
    assert {row["page"] for row in EXAMPLES} <= pages
    assert all(row["id"].startswith("qw-example-") for row in EXAMPLES)
    assert len(EXAMPLES) >= 20


@pytest.mark.parametrize("row", TOSSUPS + EXAMPLES, ids=by_id)
def test_row_shape(row: dict) -> None:
    assert set(row) == FIELDS
    assert row["answer"].startswith(row["answer_main"])
    assert row["answer_label"] == row["page"]
    assert " " not in row["page"]
    assert 3 <= row["difficulty"] <= 7
    assert row["answer"].count("[") == row["answer"].count("]") <= 1
    assert row["answer"].count('"') % 2 == 0


@pytest.mark.parametrize("row", ARTICLES, ids=lambda row: row["page"])
def test_article_length(row: dict) -> None:
    assert set(row) == {"page", "text", "publication"}
    assert row["publication"] == "QuizWriter starter article"
    assert 120 <= len(row["text"].split()) <= 250


# --- style ---


@pytest.mark.parametrize("row", TOSSUPS + EXAMPLES, ids=by_id)
def test_tossup_style(row: dict) -> None:
    text = row["text"]
    starts = sentence_starts(text)
    assert 500 <= len(text) <= 900
    assert 5 <= len(starts) <= 8
    assert text.count(POWER_MARK) == 1
    assert text.index(POWER_MARK) < starts[-2]
    assert text.count(GIVEAWAY) == 1
    assert text.startswith(GIVEAWAY, starts[-1])
    assert text == text.strip()
    assert "  " not in text
    assert text[-1] in '.?"'


@pytest.mark.parametrize("row", TOSSUPS + EXAMPLES, ids=by_id)
def test_brackets_and_quotes_are_balanced(row: dict) -> None:
    text = row["text"]
    assert text.count("(") == text.count(")")
    assert text.count("[") == text.count("]")
    assert text.count('"') % 2 == 0
    assert not set(text) & set("“”‘’<>{}")


@pytest.mark.parametrize("row", TOSSUPS + EXAMPLES, ids=by_id)
def test_answer_is_not_in_the_text(row: dict) -> None:
    title = {word for word in words(row["page"].replace("_", " ")) if len(word) > 3}
    leaks = [
        word for word in words(row["text"]) for part in title - ALLOWED_TITLE_WORDS if word.startswith(part)
    ]
    assert leaks == []


# --- originality ---


def test_own_texts_share_no_run_of_words() -> None:
    owners: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, text in own_texts().items():
        for run in runs_of(text):
            owners[run].add(name)
    assert {" ".join(run): names for run, names in owners.items() if len(names) > 1} == {}


def shared_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Every question and encyclopedia text in the shared data, with where it comes from."""
    for name in ("tossups", "bonuses", "wiki_pages", "wiki_openings"):
        with lzma.open(folder / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                source = f"{name} {row.get('id') or row['page']}"
                if "parts" in row:
                    yield source, row["leadin"]
                    for part in row["parts"]:
                        yield source, part["text"]
                else:
                    yield source, row["text"]


def test_no_run_of_words_is_copied_from_the_shared_data(shared_data: Path) -> None:
    own = {run for text in own_texts().values() for run in runs_of(text)}
    probes = {run[i : i + PROBE] for run in own for i in range(PROBE_STEP)}
    copied: set[tuple[str, str]] = set()
    for source, text in shared_texts(shared_data):
        tokens = words(text)
        if not probes.isdisjoint(zip(*(tokens[i::PROBE_STEP] for i in range(PROBE)), strict=False)):
            found = own.intersection(zip(*(tokens[i:] for i in range(RUN)), strict=False))
            copied.update((" ".join(run), source) for run in found)
    assert copied == set()
