"""Documents of an Elasticsearch index: sorted and counted on disk, the same from files as from a bundle."""

from __future__ import annotations

import random

import pytest

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.index import elastic_staging
from index_builder.index.elastic_staging import documents, stage
from index_builder.progress import Progress
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import PRIOR_TERM
from quizwriter.errors import QuizwriterError
from tests.helpers.json_lines import write_lines


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Files with questions of two folds, bonuses, articles, and answers that only a map can place."""
    draw, folder = random.Random(0), tmp_path_factory.mktemp("inputs")
    words = [f"word{n}" for n in range(60)]

    def text():
        return " ".join(["This novel", *draw.sample(words, 12)])

    questions = [
        {"id": f"q{n}", "text": text(), **draw.choice([{"page": f"P{n % 9}"}, {"answer": f"the p{n % 9}"}])}
        for n in range(120)
    ]
    questions += [
        {"id": "number", "text": text(), "answer": "herons"},
        {"id": "name", "text": text(), "answer": "the Grey Wader [or Long Bittern]"},
    ]
    questions += [{"id": f"j{n}", "text": text(), "page": f"Leo{'šs'[n % 2]}_Janáček"} for n in range(20)]
    bonuses = [{"parts": [{"text": text(), "answer": f"nickname {n % 3}"}]} for n in range(20)]
    wiki = [{"page": f"P{n}", "text": f"{text()}. " * 20} for n in range(12)]
    wiki += [{"page": page, "text": f"{text()}. " * 20} for page in ("Heron", "Long_Bittern", "Leos_Janacek")]
    mapped = [{"key": "nickname 1", "page": "P1"}]
    return Inputs(
        (write_lines(folder / "q.jsonl", questions),),
        (write_lines(folder / "b.jsonl", bonuses),),
        (write_lines(folder / "w.jsonl", wiki),),
        (write_lines(folder / "m.jsonl", mapped),),
    )


@pytest.fixture(scope="module")
def bundle(inputs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("built") / "bundle"
    build(inputs, folder, "Few", Progress())
    return Bundle.open(folder)


@pytest.fixture(autouse=True)
def _few_parts(monkeypatch):
    monkeypatch.setattr(elastic_staging, "PARTS", 8)


@pytest.mark.parametrize(
    ("run", "batch", "parts"), [(500, 700, 8), (10**9, 10**9, elastic_staging.PARTS)], ids=["many", "one"]
)
def test_files_give_the_documents_of_the_bundle_built_from_them(
    inputs, bundle, tmp_path, monkeypatch, run, batch, parts
):
    monkeypatch.setattr(elastic_staging, "PARTS", parts)
    monkeypatch.setattr(elastic_staging, "RUN_CHARACTERS", run)
    monkeypatch.setattr(elastic_staging, "BATCH_CHARACTERS", batch)

    files = stage(inputs, tmp_path / "files", Progress())
    there = stage(bundle, tmp_path / "there", Progress())

    assert files.about == there.about
    found = list(documents(files, 0))
    assert found == list(documents(there, 0))
    assert [number for number, _ in found] == list(range(files.about.documents))
    pages = {document["page"]: document for _, document in found if "page" in document}
    assert set(pages) == set(bundle.lines("pages.txt"))
    assert not {"herons", "the_Grey_Wader"} & set(pages)
    assert {"Heron", "Long_Bittern", "Leoš_Janáček"} <= set(pages)
    assert not {"Leos_Janáček", "Leos_Janacek"} & set(pages)
    assert all(document["about"] in pages for _, document in found if "about" in document)


def test_documents_can_begin_anywhere_and_finished_work_is_used_again(bundle, tmp_path, monkeypatch):
    monkeypatch.setattr(elastic_staging, "BATCH_CHARACTERS", 700)
    every = list(documents(stage(bundle, tmp_path / "work", Progress()), 0))

    class Counted(Progress):
        def indexing(self, done, total):
            raise AssertionError("it was counted before")

    again = stage(bundle, tmp_path / "work", Counted())

    for start in (1, len(every) // 2, len(every)):
        assert list(documents(again, start)) == every[start:]


def test_points_and_titles_of_a_page_are_those_of_the_bundle(bundle, tmp_path):
    every = list(documents(stage(bundle, tmp_path / "work", Progress()), 0))
    pages = [document for _, document in every if "page" in document]
    offsets, rows = bundle.array("ir/offsets.npy"), bundle.array("ir/rows.npy")
    postings = {page["page"]: len(page["terms"]) - (PRIOR_TERM in page["terms"]) for page in pages}

    assert sum(postings.values()) == offsets[-1]
    for row, name in enumerate(bundle.lines("pages.txt")):
        assert postings[name] == (rows == row).sum()
    assert [page["asked"] for page in pages] == bundle.array("pages_asked.npy").tolist()


def test_a_row_that_cannot_be_used_leaves_nothing_to_publish(tmp_path):
    file = write_lines(tmp_path / "q.jsonl", [{"id": "1"}])

    with pytest.raises(QuizwriterError, match="nothing to publish"):
        stage(Inputs((file,)), tmp_path / "work", Progress())


def test_counted_terms_whose_summary_is_damaged_are_counted_again(bundle, tmp_path):
    first = stage(bundle, tmp_path / "work", Progress())
    for damage in (b"", b"[]", b'{"pages": -1}', b'{"pages": "many"}'):
        (tmp_path / "work/about.json").write_bytes(damage)

        assert stage(bundle, tmp_path / "work", Progress()).about == first.about, damage


def test_passages_that_may_not_be_sent_are_left_out_of_files_and_of_a_bundle(inputs, bundle, tmp_path):
    secret = {"word7", "word11"}

    def may_send(text):
        return secret.isdisjoint(text.rstrip(".").replace(". ", " ").split())

    files = stage(inputs, tmp_path / "files", Progress(), may_send)
    there = stage(bundle, tmp_path / "there", Progress(), may_send)

    every = {row.text for row in stage(bundle, tmp_path / "every", Progress()).rows()}
    sent = {row.text for row in files.rows()}
    assert sent == {row.text for row in there.rows()} == set(filter(may_send, every)) != every
    for staged in (files, there):
        texts = [one["text"] for _, one in documents(staged, 0) if "text" in one]
        assert len(texts) == staged.about.passages
        assert set(texts) == sent
