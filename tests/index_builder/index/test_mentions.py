"""Mentions: passages about other pages tell of a page by the words around its title."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from index_builder import user_packets
from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.index import elastic_staging, mentions, term_matrix
from index_builder.index.delta_index import write_delta_index
from index_builder.index.elastic_staging import documents, rounded_points, stage
from index_builder.index.mentions import ABOUT_COUNT, NEAR, NEAR_COUNT, MentionCounter
from index_builder.index.term_matrix import HEARING, WORDS
from index_builder.index.tokenized_texts import tokenize_texts
from index_builder.progress import Progress
from index_builder.user_packets import add_packets
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import PRIOR_TERM, term_names
from quizwriter.engine.engine import load
from quizwriter.engine.tokenizer import Hashes, title_hashes, title_stems, token
from tests.helpers.json_lines import write_lines

PAGES = ("Amber_Gate", "Copper_(ship)", "Copper_(song)", "Tin_Drummer", "Zinc")
NOTHING: Hashes = np.zeros(0, np.uint64)


def told(texts, stop_words=NOTHING):
    """What mentions tell: for each page the words, which count so much. Texts come with their page."""
    page_of = np.asarray([PAGES.index(page) for page, _ in texts], np.int32)
    words = {token(word).hash: word for _, text in texts for word in text.split()}
    words |= {token(word).hash: word for page in PAGES for word in page.split("_")}
    counter = MentionCounter(*title_hashes(PAGES), len(PAGES), stop_words)
    read = counter.read(tokenize_texts([text for _, text in texts]), page_of, list(map(title_stems, PAGES)))
    stems, pages, counts = counter.settled(read)
    assert (np.lexsort((pages, stems)) == np.arange(len(stems))).all()
    by_page: dict[str, dict[str, float]] = {}
    for stem, page, count in zip(stems.tolist(), pages.tolist(), counts.tolist(), strict=True):
        by_page.setdefault(PAGES[page], {})[words[stem]] = pytest.approx(count)
    return by_page


def test_words_near_a_title_tell_of_its_page_and_so_does_what_the_passage_is_about():
    found = told([("Amber_Gate", "pilgrims carved Zinc idols idols"), ("Amber_Gate", "this Amber Gate")])

    assert found == {
        "Zinc": {
            "pilgrims": NEAR_COUNT,
            "carved": NEAR_COUNT,
            "idols": 2 * NEAR_COUNT,
            "Amber": ABOUT_COUNT,
            "Gate": ABOUT_COUNT,
        }
    }


def test_only_words_that_are_near_and_in_the_passage_tell():
    far = " ".join(f"far{number}" for number in range(5))
    near = " ".join(f"near{number}" for number in range(NEAR))

    found = told([("Zinc", f"{far} {near} Tin Drummer {near} {far}"), ("Zinc", "Zinc elsewhere")])

    assert found["Tin_Drummer"] == {
        **{f"near{number}": 2 * NEAR_COUNT for number in range(NEAR)},
        "Zinc": ABOUT_COUNT,
    }


def test_stop_words_tell_nothing_but_may_stand_within_a_title():
    stop_words = np.asarray([token("carved").hash])

    found = told([("Zinc", "they carved the doors of Tin and Drummer quickly"), ("Zinc", "Zinc")], stop_words)

    assert set(found["Tin_Drummer"]) == {"doors", "quickly", "Zinc"}


@pytest.mark.parametrize(
    "text",
    [
        "Zinc itself",  # about its own page
        "Copper rusted",  # the title of two pages
        "Tin soldiers met a Drummer",  # no title
        "Tin",  # ends where the next passage begins
    ],
)
def test_what_names_no_other_page_tells_nothing(text):
    assert told([("Zinc", text), ("Zinc", "Drummer marched")]) == {}


def test_a_title_that_stands_in_too_many_places_tells_nothing(monkeypatch):
    monkeypatch.setattr(mentions, "MOST_MENTIONS_OF_A_WORD", 2)
    monkeypatch.setattr(mentions, "MOST_MENTIONS", 3)
    texts = [("Amber_Gate", f"word{number} Zinc") for number in range(3)]
    texts += [("Amber_Gate", f"word{number} Tin Drummer") for number in range(3)]

    assert set(told(texts)) == {"Tin_Drummer"}
    assert set(told(texts[1:])) == {"Tin_Drummer", "Zinc"}
    assert told([*texts, ("Amber_Gate", "one Tin Drummer more")]) == {}


def test_many_mentions_count_together_as_much_as_a_hundred(monkeypatch):
    monkeypatch.setattr(mentions, "FULL_MENTIONS", 2)

    found = told([("Amber_Gate", f"word{number} carved Zinc") for number in range(8)])

    assert found["Zinc"] == {
        "carved": 2 * NEAR_COUNT,
        **{f"word{n}": NEAR_COUNT / 4 for n in range(8)},
        **dict.fromkeys(("Amber", "Gate"), 2 * ABOUT_COUNT),
    }


def test_texts_read_in_small_blocks_tell_the_same(monkeypatch):
    texts = [("Amber_Gate", f"word{number} Tin Drummer and Zinc") for number in range(9)]
    every = told(texts)
    monkeypatch.setattr("index_builder.index.tokenized_texts.BLOCK", 7)

    assert told(texts) == every


QUESTIONS = [
    ("masons raised Amber Gate beside frozen quays", "Harbour"),
    ("sailors painted masons near lanterns", "Lighthouse"),
    ("lanterns glow over lagoons at midnight", "Lighthouse"),
    ("an old arch with two towers", "Amber_Gate"),
]


def written(tmp_path, name, rows=QUESTIONS):
    questions = [
        {"id": f"{name}{n}", "text": text, "page": page, "answer": page.replace("_", " ")}
        for n, (text, page) in enumerate(rows)
    ]
    return write_lines(tmp_path / f"{name}.jsonl", questions)


@pytest.fixture
def built(tmp_path, monkeypatch):
    """Builds a bundle of rows with mentions, whatever they are worth, or without them."""
    monkeypatch.setattr(term_matrix, "LEAST_MENTION_POINTS", 0.0)

    def build_it(name, counted, rows=QUESTIONS):
        monkeypatch.setattr(term_matrix, "MENTIONS_FROM", 0 if counted else 1000)
        inputs = Inputs((written(tmp_path, name, rows),), everything=True)
        build(inputs, tmp_path / f"bundle-{name}", name, Progress())
        return tmp_path / f"bundle-{name}"

    return build_it


def test_a_mention_gives_points_and_leaves_lengths_and_totals_as_they_are(built):
    plain, rich = Bundle.open(built("plain", False)), Bundle.open(built("rich", True))

    for name in ("counts/lengths.npy", "counts/totals.npy", "counts/masses.npy", "ir/terms.npy"):
        assert np.array_equal(plain.array(name), rich.array(name))
    quay = Tossup("quays", Answer("Amber Gate", "Amber_Gate"))
    assert [guess.page for guess in load(plain.folder).retrieval.play(quay).final] == ["Harbour"]
    retrieval = load(rich.folder).retrieval
    scores = {guess.page: guess.score for guess in retrieval.play(quay).final}
    assert list(scores) == ["Harbour", "Amber_Gate"]

    terms = rich.array("ir/terms.npy").tolist()
    row = rich.lines("pages.txt").index("Amber_Gate")
    share = (rich.array("counts/totals.npy")[terms.index(token("quays").hash)] + 0.5) / rich.array(
        "counts/masses.npy"
    )[0]
    own = WORDS.points(np.asarray([NEAR_COUNT]), rich.array("counts/lengths.npy")[0, row], share)
    prior = rich.array("ir/prior.npy")[row]
    assert scores["Amber_Gate"] == pytest.approx(float((1 - HEARING.early_loss) * own[0] + prior), rel=1e-5)
    evidence = retrieval.explain(quay, "Amber_Gate")
    assert sum(cue.weight for cue in evidence.cues) == pytest.approx(scores["Amber_Gate"], rel=1e-5)


def test_few_pages_have_no_mentions_counted(built, monkeypatch):
    few = Bundle.open(built("few", False))
    assert len(few.lines("pages.txt")) < term_matrix.MENTIONS_FROM
    monkeypatch.undo()
    assert term_matrix.MENTIONS_FROM == 2_000


def test_common_words_get_no_postings_from_mentions(built, monkeypatch):
    monkeypatch.setattr(term_matrix, "LEAST_MENTION_POINTS", 1e9)

    plain, rich = Bundle.open(built("plain", False)), Bundle.open(built("rich", True))

    assert np.array_equal(plain.array("ir/rows.npy"), rich.array("ir/rows.npy"))


def published(source, folder):
    """The terms of each page in the documents made of files or of a bundle."""
    found = documents(stage(source, folder, Progress()), 0)
    return {one["page"]: one["terms"] for _, one in found if "page" in one}


@pytest.mark.parametrize("one_page_a_batch", [False, True])
@pytest.mark.parametrize("from_files", [False, True])
def test_a_server_gets_the_points_that_mentions_gave(
    built, tmp_path, monkeypatch, from_files, one_page_a_batch
):
    bundle = Bundle.open(built("rich", True))
    monkeypatch.setattr(elastic_staging, "MENTIONS_FROM", 0)
    if one_page_a_batch:
        monkeypatch.setattr(elastic_staging, "BATCH_CHARACTERS", 1)
        monkeypatch.setattr(elastic_staging, "PARTS", 2)
    files = Inputs((tmp_path / "rich.jsonl",), everything=True)

    pages = published(files if from_files else bundle, tmp_path / "work")

    terms = term_names(bundle.array("ir/terms.npy"))
    names, offsets = bundle.lines("pages.txt"), bundle.array("ir/offsets.npy").tolist()
    rows, points = bundle.array("ir/rows.npy").tolist(), rounded_points(bundle.array("ir/points.npy"))
    expected = {page: {} for page in names}
    for number, term in enumerate(terms):
        for at in range(offsets[number], offsets[number + 1]):
            expected[names[rows[at]]][term] = pytest.approx(float(points[at]), rel=5e-3)
    (quays,) = term_names(np.asarray([token("quays").hash], np.uint64))
    assert quays in expected["Amber_Gate"]
    for page, its in expected.items():
        assert {term: value for term, value in pages[page].items() if term != PRIOR_TERM} == its


def test_a_title_that_stands_in_too_many_batches_tells_a_server_nothing(built, tmp_path, monkeypatch):
    monkeypatch.setattr(elastic_staging, "MENTIONS_FROM", 0)
    monkeypatch.setattr(elastic_staging, "BATCH_CHARACTERS", 1)
    files = Inputs(
        (written(tmp_path, "rows", [*QUESTIONS, ("red flakes cover Amber Gate every winter", "Rust")]),),
        everything=True,
    )
    (quays,) = term_names(np.asarray([token("quays").hash], np.uint64))

    assert quays in published(files, tmp_path / "enough")["Amber_Gate"]
    monkeypatch.setattr(mentions, "MOST_MENTIONS", 1)
    assert quays not in published(files, tmp_path / "too_many")["Amber_Gate"]


def test_few_pages_are_published_without_mentions(tmp_path):
    files = Inputs((written(tmp_path, "rows"),), everything=True)
    (quays,) = term_names(np.asarray([token("quays").hash], np.uint64))

    assert quays not in published(files, tmp_path / "work")["Amber_Gate"]


@pytest.fixture
def added(built, tmp_path, monkeypatch):
    """Final scores after packets with some rows are added, and in a bundle of everything.

    Every change of a point is made, however small.
    """
    monkeypatch.setattr(user_packets, "write_delta_index", partial(write_delta_index, tolerance=0.0))

    def scores(rows, heard):
        part, whole = built("part", True), built("whole", True, [*QUESTIONS, *rows])
        add_packets(part, [written(tmp_path, "more", rows)])
        plays = [load(folder).retrieval.play(Tossup(heard)) for folder in (part, whole)]
        return [{guess.page: guess.score for guess in play.final} for play in plays]

    return scores


def test_packets_that_are_added_leave_what_mentions_told(added):
    more = [("wolves drank under willows", "Amber_Gate"), ("quays froze over at midnight", "Lighthouse")]

    ours, theirs = added(more, "quays masons wolves willows lanterns")

    assert {"Amber_Gate", "Harbour", "Lighthouse"} <= set(theirs)
    assert ours == pytest.approx(theirs, rel=1e-3)


def test_packets_that_are_added_count_for_their_own_pages_only(added):
    more = [("wolves drank beside Amber Gate", "Lighthouse")]

    ours, theirs = added(more, "wolves")

    assert set(theirs) == {"Lighthouse", "Amber_Gate"}
    assert ours == pytest.approx({"Lighthouse": theirs["Lighthouse"]}, rel=1e-3)
