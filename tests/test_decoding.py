"""Outside data becomes typed objects within limits, or a reason that names the place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import pytest

from quizwriter.decoding import (
    LARGEST_NUMBER,
    LATEST_MS,
    LONGEST_TEXT,
    Count,
    DecodingError,
    Milliseconds,
    decode_json,
    decode_small_json,
    decode_value,
    read_limited,
    translate_decoding_errors,
)
from quizwriter.errors import QuizwriterError


@dataclass(frozen=True)
class Inner:
    """A part of a document."""

    at_ms: Milliseconds
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outer:
    """A whole document."""

    inner: Inner
    count: Count = 0
    words: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def test_a_value_becomes_an_object_of_the_kind():
    assert decode_value({"inner": {"at_ms": 1, "names": ["a"]}}, Outer) == Outer(Inner(1, ("a",)))
    assert decode_small_json('{"inner": {"at_ms": 1}, "count": 2}', Outer) == Outer(Inner(1), 2)
    assert decode_value({"inner": {"at_ms": 1}, "words": {"a": "b"}}, Outer).words == {"a": "b"}
    assert decode_json(b"[[1], [2, 3]]", list[list[int]]) == [[1], [2, 3]]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"inner": {"at_ms": "1"}}, "inner.at_ms: expected `int`, got `str`"),
        ({"inner": {"at_ms": -1}}, "inner.at_ms: expected `int` >= 0"),
        ({"inner": {"at_ms": LATEST_MS + 1}}, f"inner.at_ms: expected `int` <= {LATEST_MS}"),
        ({"inner": {"at_ms": 1}, "count": LARGEST_NUMBER + 1}, "a number is larger than"),
        ({"inner": {"at_ms": 1, "names": ["a" * (LONGEST_TEXT + 1)]}}, "a text is longer than"),
        ({"inner": {"at_ms": 1, "mood": "good"}}, "the field 'mood' is unknown"),
        ({"inner": [[[[[[[[]]]]]]]]}, "nested too deeply"),
        ({}, "missing required field `inner`"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_place(value, reason):
    with pytest.raises(DecodingError) as trouble:
        decode_value(value, Outer)
    assert reason in str(trouble.value)


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"\xff\xfe", b'"\xff"', b'"\\ud800"', b"NaN", b"[" * 200_000],
    ids=["empty", "half", "no text", "not UTF-8", "half a character", "no number", "deep"],
)
def test_bytes_that_are_not_json_are_refused(raw):
    with pytest.raises(DecodingError):
        decode_json(raw, object)


def test_what_is_longer_than_allowed_is_not_decoded(tmp_path):
    with pytest.raises(DecodingError, match="longer than 2 bytes"):
        decode_json(b"[1]", list[int], most_bytes=2)
    path = tmp_path / "long.json"
    path.write_bytes(b"[1]")
    assert read_limited(path, 3) == b"[1]"
    with pytest.raises(DecodingError, match=r"long\.json has more than"):
        read_limited(path, 2)


def test_a_refusal_says_what_it_is_about_and_what_helps():
    with (
        pytest.raises(QuizwriterError) as trouble,
        translate_decoding_errors("The list is damaged", "Make another."),
    ):
        decode_json(b'["a", 1]', list[str])
    assert trouble.value.problem == "The list is damaged ([1]: expected `str`, got `int`)."
    assert trouble.value.remedy == "Make another."
