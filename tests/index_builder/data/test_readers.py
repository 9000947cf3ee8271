"""Files of bonuses, articles and answer maps: every good row is read and every bad one counted."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma

import pytest

from index_builder.data.readers import read_answer_map, read_articles, read_bonus_parts
from quizwriter.formats.question_files import ReadReport

TEXT = "This very deep lake freezes every winter."


def lines(*rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.fixture
def read(tmp_path):
    """What ``reader`` reads from a file with these bytes, and the report of it."""

    def read(raw, reader):
        path = tmp_path / "rows"
        path.write_bytes(raw)
        report = ReadReport(str(path))
        return list(reader(path, report)), report

    return read


def test_the_parts_of_a_bonus_are_read_each(read):
    parts = [{"text": TEXT, "answer": "Baikal", "page": "Lake Baikal"}, {"text": TEXT, "answer": "Ob"}]
    found, report = read(lines({"parts": parts, "tournament": "ACF", "num": 2}), read_bonus_parts)

    assert [(part.page, part.answer, part.source) for part in found] == [
        ("Lake_Baikal", "Baikal", "ACF, bonus 2"),
        (None, "Ob", "ACF, bonus 2"),
    ]
    assert (report.used, report.rejected) == (1, {})


@pytest.mark.parametrize(
    ("bonus", "reason"),
    [
        ({"parts": "three"}, "no bonus parts"),
        ({"parts": []}, "no bonus parts"),
        ({}, "no bonus parts"),
        ({"parts": [5, None, {"text": 5, "answer": "a"}, {"text": TEXT}]}, "no part with text and answer"),
    ],
)
def test_a_bonus_without_a_good_part_is_counted(read, bonus, reason):
    found, report = read(lines(bonus), read_bonus_parts)

    assert found == []
    assert report.rejected == {reason: 1}


def test_articles_are_read_and_the_useless_ones_counted(read):
    raw = lines({"page": "Lake Baikal", "text": TEXT}, {"text": TEXT}, {"page": "A", "text": 3})
    found, report = read(raw, read_articles)

    assert [(article.page, article.text) for article in found] == [("Lake_Baikal", TEXT)]
    assert report.rejected == {"no page": 1, "text missing or too short": 1}


def test_a_map_from_answers_to_pages_is_read(read):
    found, report = read(
        lines({"key": "baikal", "page": "Lake Baikal"}, {"key": 3, "page": "A"}), read_answer_map
    )

    assert found == [("baikal", "Lake_Baikal")]
    assert report.rejected == {"no key or no page": 1}


def test_articles_come_in_the_forms_that_people_have(tmp_path):
    text = "A long enough text about the thing, with a sentence or two in it."
    extracted = {"id": "1", "url": "u", "title": "Blue Whale", "text": f"Blue Whale\n\n{text}"}
    action = {"index": {"_type": "page", "_id": "1"}}
    cirrus = [
        *(action, {"title": "Blue Whale", "namespace": 0, "text": text}),
        *(action, {"title": "Talk:Blue Whale", "namespace": 1, "text": text}),
    ]
    forms = {"ours": [{"page": "Blue_Whale", "text": text}], "extracted": [extracted], "cirrus": cirrus}
    for name, rows in forms.items():
        raw = "".join(json.dumps(row) + "\n" for row in rows).encode()
        for packed in (raw, gzip.compress(raw), bz2.compress(raw), lzma.compress(raw)):
            path = tmp_path / name
            path.write_bytes(packed)
            report = ReadReport(str(path))

            (article,) = read_articles(path, report)

            assert (article.page, article.text, article.source) == ("Blue_Whale", text, "Wikipedia")
            assert report.rows == report.used + report.rejected["not an article"]
            assert report.rejected.total() == (name == "cirrus")
