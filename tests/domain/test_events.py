"""Bodies of events as values of JSON: what was encoded is decoded again, and anything else is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given

from quizwriter.domain.events import LARGEST_BODY, decode_body, encode_body, event_kinds
from quizwriter.domain.review import Commented
from quizwriter.system.decoding import DecodingError
from tests.helpers.strategies import bodies

KNOWN = Path(__file__).parents[1] / "data" / "kinds-of-pack-3.json"
"""The kinds, with their fields, of programs that read packs up to version 3."""


@given(bodies)
def test_a_body_comes_back_from_json_as_it_was(body):
    kind, values = encode_body(body)

    assert decode_body(kind, json.dumps(values)) == body


def test_the_values_of_a_body_have_the_names_and_the_order_of_its_fields():
    assert encode_body(Commented("a", 1, 2, 3, "b")) == (
        "comment",
        {"text": "a", "seq": 1, "start": 2, "end": 3, "quoted": "b"},
    )


def test_what_programs_of_the_third_version_of_packs_do_not_know_makes_a_pack_of_a_later_one():
    """They would ask for the file again, instead of for a newer program."""
    known = json.loads(KNOWN.read_text(encoding="utf-8"))
    for name, kind in event_kinds().items():
        if kind.pack < 4:
            fields = kind.body.__struct_fields__
            new = {field for field in fields if kind.later.get(field, kind.pack) < 4} - set(known[name])
            assert new == set(), name


@pytest.mark.parametrize(
    ("kind", "values", "reason"),
    [
        ("telepathy", {}, "unknown kind"),
        ("status", {"status": "perfect"}, "status: invalid enum value 'perfect'"),
        ("status", {}, "the field `status` is missing"),
        ("status", {"status": "ready", "mood": "good"}, "the field 'mood' is unknown"),
        (
            "status",
            {"status": "ready", "overridden": [{"check": "length"}]},
            r"\[0\]: the field .* is missing",
        ),
        (
            "status",
            {"status": "ready", "overridden": [{"check": "a", "reason": "b", "mood": "good"}]},
            "the field 'mood' is unknown",
        ),
        ("comment", {"text": "a", "start": "0"}, "start: expected a whole number, found text"),
        ("comment", {"text": "a", "start": True}, "start: expected a whole number, found true or false"),
        ("comment", {"text": "a", "start": 2**60}, "a number is larger"),
        ("comment", {"text": "a" * 100_001}, "a text is longer"),
        ("comment", [[[[[[[[[[]]]]]]]]]], "nested too deeply"),
        ("suggestion", {"seq": 1, "edit": [0, "", "a"]}, "edit: expected named fields"),
        ("tags", {"tags": "Paraphrase"}, "tags: expected a list, found text"),
        ("set", [], "expected named fields, found a list"),
    ],
)
def test_values_that_are_not_a_body_are_refused(kind, values, reason):
    with pytest.raises(DecodingError, match=f"(?i){reason}"):
        decode_body(kind, json.dumps(values))


def test_json_that_is_cut_off_is_refused():
    with pytest.raises(DecodingError, match="truncated"):
        decode_body("set", '{"name": "Wint')


def test_a_body_is_bounded_before_it_is_decoded(monkeypatch):
    monkeypatch.setattr("quizwriter.domain.events.decode_small_json", None)  # so that decoding would fail

    with pytest.raises(DecodingError, match="longer than 1,048,576 bytes"):
        decode_body("tags", "[" + "[]," * (LARGEST_BODY // 3) + "[]]")
