"""Checks the starter corpus: its size and spread, its style and originality, and how hard it is.

The corpus is resources/starter (indexed tossups and articles) and resources/examples.jsonl (tossups that
are not indexed). ``-k hard --log-cli-level=INFO`` says where the player is right, by category.
"""

import json
import logging
import lzma
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from statistics import median

import pytest

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress
from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.history import replay
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import load
from quizwriter.services.wiring import App

log = logging.getLogger(__name__)

ROOT = Path(__file__).resolve().parent.parent
RESOURCES = ROOT / "resources"
STARTER = RESOURCES / "starter"

SHARES = {
    "Literature": 20, "History": 20, "Science": 20, "Fine Arts": 15, "Religion": 5, "Mythology": 5,
    "Philosophy": 5, "Social Science": 5, "Geography": 3, "Pop Culture": 2,
}  # fmt: skip
"""Per cent of a packet's tossups, as most sets have it."""

SLACK = 2.0  # per cent points
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

BARE = bytes(byte if chr(byte).isalnum() and byte < 128 else 32 for byte in bytes(range(256)).lower())

RARE = 6  # a word of so few tossups, each answer has two, points to an answer rather than to a subject
STOCK = re.compile(r"\bfor 10 points (?:name|what|identify|give) (?:this|these)?")


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


TOSSUPS_BY_FILE = {path.stem: rows(path) for path in sorted((STARTER / "tossups").glob("*.jsonl"))}
TOSSUPS = [row for found in TOSSUPS_BY_FILE.values() for row in found]
ARTICLE_FILES = sorted((STARTER / "articles").glob("*.jsonl"))
ARTICLES = [row for path in ARTICLE_FILES for row in rows(path)]
EXAMPLES = rows(RESOURCES / "examples.jsonl")
HISTORIES = rows(RESOURCES / "example_histories.jsonl")


def by_id(row: dict) -> str:
    return row["id"]


def words(text: str) -> list[str]:
    """Lower case, accents and apostrophes dropped; whatever is neither letter nor digit parts words."""
    if not text.isascii():
        text = re.sub("[’\u0300-\u036f]", "", unicodedata.normalize("NFKD", text))
    return text.encode("ascii", "replace").translate(BARE, b"'").decode().split()


def sentence_starts(text: str) -> list[int]:
    """Offsets at which sentences begin; initials and titles of address do not end one."""
    ends = re.finditer(r"[.?!][\"')\]]*\s+(?=[\"'(]*[A-ZÀ-Þ])", text)
    abbreviation = re.compile(r"\b(?:[A-Z]|Mrs?|Ms|Dr|St|No)\.\s+$")
    return [0, *(end.end() for end in ends if not abbreviation.search(text[: end.end()]))]


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in pairwise([*sentence_starts(text), len(text)])]


def runs_of(text: str) -> set[tuple[str, ...]]:
    """Every RUN consecutive words of an own text, those across a stock phrase left out."""
    found = set()
    for piece in STOCK.split(" ".join(words(text))):
        tokens = piece.split()
        found.update(tuple(tokens[i : i + RUN]) for i in range(len(tokens) - RUN + 1))
    return found


def pairs() -> dict[str, list[dict]]:
    """The tossups of each answer."""
    found: dict[str, list[dict]] = defaultdict(list)
    for row in TOSSUPS:
        found[row["page"]].append(row)
    return found


def own_texts() -> dict[str, str]:
    return {row["id"]: row["text"] for row in TOSSUPS + EXAMPLES} | {
        f"article {row['page']}": row["text"] for row in ARTICLES
    }


# --- size and spread ---


def test_two_tossups_and_one_article_for_each_answer() -> None:
    tossups = Counter(row["page"] for row in TOSSUPS)
    articles = Counter(row["page"] for row in ARTICLES)
    assert len(tossups) >= 200
    assert set(tossups.values()) == {2}
    assert set(articles.values()) == {1}
    assert set(articles) >= set(tossups)
    assert len(articles) - len(tossups) >= 40
    assert set(tossups) >= REQUIRED_PAGES


def test_the_categories_have_their_shares_of_a_packet() -> None:
    count = Counter(row["category"] for row in TOSSUPS)
    assert set(count) == set(SHARES)
    off = {name: 100 * count[name] / len(TOSSUPS) - share for name, share in SHARES.items()}
    assert {name: by for name, by in off.items() if abs(by) > SLACK} == {}


def test_each_category_has_a_file_of_its_own() -> None:
    for name, found in TOSSUPS_BY_FILE.items():
        assert {row["category"].lower().replace(" ", "_") for row in found} == {name}
    assert [path.stem for path in ARTICLE_FILES] == list(TOSSUPS_BY_FILE)


def test_ids_are_unique() -> None:
    ids = Counter(row["id"] for row in TOSSUPS + EXAMPLES)
    assert [key for key, count in ids.items() if count > 1] == []


def test_examples_ask_for_answers_of_the_corpus() -> None:
    pages = {row["page"] for row in TOSSUPS}
    assert {row["page"] for row in EXAMPLES} <= pages
    assert all(row["id"].startswith("qw-example-") for row in EXAMPLES)
    assert len(EXAMPLES) >= 20


def test_articles_are_of_a_length() -> None:
    for row in ARTICLES:
        assert set(row) == {"page", "text", "publication"}
        assert row["publication"] == "QuizWriter starter article"
        assert 120 <= len(row["text"].split()) <= 250, row["page"]


# --- style ---


@pytest.mark.parametrize("found", [*TOSSUPS_BY_FILE.values(), EXAMPLES], ids=[*TOSSUPS_BY_FILE, "examples"])
def test_tossup_style(found: list[dict]) -> None:
    for row in found:
        require_style(row)


def require_style(row: dict) -> None:
    text, answer = row["text"], row["answer"]
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
    assert text.count("(") == text.count(")")
    assert text.count("[") == text.count("]")
    assert text.count('"') % 2 == 0
    assert not set(text) & set("“”‘’<>{}")
    title = {word for word in words(row["page"].replace("_", " ")) if len(word) > 3} - ALLOWED_TITLE_WORDS
    assert [word for word in words(text) for part in title if word.startswith(part)] == []  # no leaks

    assert set(row) == FIELDS
    assert row["answer_label"] == row["page"]
    assert " " not in row["page"]
    assert 3 <= row["difficulty"] <= 7
    assert Answer(answer).main == row["answer_main"]
    assert answer.count("[") == answer.count("]") <= 1
    assert answer.count('"') % 2 == 0


def test_the_two_tossups_on_an_answer_share_at_most_two_clues() -> None:
    """Sentences with two rare words in common count as the same clue."""
    texts = Counter(word for row in TOSSUPS for word in set(words(row["text"])))

    def telling(sentence: str) -> set[str]:
        return {word for word in words(sentence) if len(word) > 3 and texts[word] <= RARE}

    shared = {}
    for page, (one, other) in pairs().items():
        both = product(sentences(one["text"]), sentences(other["text"]))
        shared[page] = [mine for mine, theirs in both if len(telling(mine) & telling(theirs)) >= 2]
    assert {page: clues for page, clues in shared.items() if len(clues) > 2} == {}


# --- how hard it is ---


@pytest.fixture(scope="module")
def plays(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Playthrough]:
    """The retrieval player's game on every tossup, by id; it knows the answer's other tossup and article.

    Half of the tossups are left out at a time, one of each answer.
    """
    folder, found = tmp_path_factory.mktemp("halves"), {}
    for left_out, known in ((0, 1), (1, 0)):
        half = folder / f"{known}.jsonl"
        half.write_text("".join(json.dumps(pair[known]) + "\n" for pair in pairs().values()), "utf-8")
        bundle = folder / f"bundle{known}"
        build(Inputs((half,), wiki=ARTICLE_FILES, everything=True), bundle, "half", Progress())
        player = load(bundle).players[0]
        for row in (pair[left_out] for pair in pairs().values()):
            found[row["id"]] = player.play(Tossup(row["text"], Answer(row["answer"], Page(row["page"]))))
    return found


def test_it_is_hard_enough_to_be_fun(plays: dict[str, Playthrough]) -> None:
    def figures(chosen: list[Playthrough]) -> tuple[float, float]:
        """Per cent: the median first-correct position in the words, and how many are right in the end."""
        first = [
            100 * (play.first_correct or len(play.tossup.words)) / len(play.tossup.words) for play in chosen
        ]
        return median(first), 100 * sum(play.right[-1] for play in chosen) / len(chosen)

    for name in (*SHARES, ""):
        chosen = [plays[row["id"]] for row in TOSSUPS if name in ("", row["category"])]
        first, end = figures(chosen)
        log.info(
            "%-15s %4d, first right at %.1f %%, in the end %.1f %%", name or "all", len(chosen), first, end
        )
    first, end = figures(list(plays.values()))
    assert 30 <= first <= 80
    assert end >= 80


# --- the example set ---


def test_two_examples_come_with_the_history_of_how_they_were_written(tmp_path: Path) -> None:
    app = App(tmp_path)
    packet = app.tossups.add_examples()
    ids = [one.tossup_id for one in packet]

    assert ids == [row["id"] for row in EXAMPLES]
    assert app.store.check() == ()
    assert [one.tossup_id for one in app.store.tossups()] == ids  # a list shows them in this order
    for key, row in zip(ids, EXAMPLES, strict=True):
        kept = app.store.load(key)
        assert kept.tossup == Tossup(row["text"], Answer(row["answer"], Page(row["page"])))
        assert replay(change.edit for change in app.store.history(key)) == row["text"]
    assert [row["id"] for row in HISTORIES] == ids[:2]
    assert all(10 <= len(app.store.history(key)) <= 30 for key in ids[:2])


def test_opening_the_examples_again_leaves_them_as_they_were_written_on(tmp_path: Path) -> None:
    app = App(tmp_path)
    first = app.tossups.add_examples()[0].tossup_id
    session = app.tossups.session(first)
    session.type("This man")
    saving = session.take_unsaved()
    assert saving is not None
    app.store.save(saving)

    assert app.tossups.add_examples()[0].opening == "This man"
    assert app.store.load(first).tossup.text == "This man"
    assert len(app.store.tossups()) == len(EXAMPLES)
    assert app.store.check() == ()


@pytest.mark.parametrize("row", HISTORIES, ids=by_id)
def test_the_recorded_buzz_moves_to_the_end(row: dict) -> None:
    shown = row["shown"]
    seqs = [one["seq"] for one in shown]
    assert seqs == sorted(set(seqs))
    assert seqs[-1] == len(row["edits"])
    heard = [one["buzz_heard"] for one in shown if one["buzz_heard"] is not None]
    assert heard[-1] > 60 + heard[0]
    assert min(heard[1:]) < heard[0]  # and once a new clue gave it all away


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
