"""Outside data becomes typed objects within limits, or a reason that names the place."""

import bz2
import contextlib
import gzip
import json
import lzma
import os
import random
import tomllib
import tracemalloc
import zipfile
import zlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec
import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.system.decoding import (
    LARGEST_NUMBER,
    LATEST_MS,
    LONGEST_REASON,
    LONGEST_TEXT,
    SMALLEST_BOMB,
    Count,
    DecodingError,
    Milliseconds,
    check_json_shape,
    check_zip,
    decode_json,
    decode_small_json,
    decode_toml,
    decode_value,
    open_regular,
    read_limited,
    translate_decoding_errors,
    translate_unpacking_errors,
    unpacked,
)
from tests.helpers.memory import memory_at_most


class Inner(msgspec.Struct, frozen=True):
    """A part of a document."""

    at_ms: Milliseconds
    names: tuple[str, ...] = ()


class Outer(msgspec.Struct, frozen=True):
    """A whole document."""

    inner: Inner
    count: Count = 0
    words: Mapping[str, str] = msgspec.field(default_factory=lambda: MappingProxyType({}))


def test_a_value_becomes_an_object_of_the_kind():
    assert decode_value({"inner": {"at_ms": 1, "names": ["a"]}}, Outer) == Outer(Inner(1, ("a",)))
    assert decode_small_json('{"inner": {"at_ms": 1}, "count": 2}', Outer) == Outer(Inner(1), 2)
    assert decode_value({"inner": {"at_ms": 1}, "words": {"a": "b"}}, Outer).words == {"a": "b"}
    assert decode_json(b"[[1], [2, 3]]", list[list[int]]) == [[1], [2, 3]]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"inner": {"at_ms": "1"}}, "inner.at_ms: expected a whole number, found text"),
        ({"inner": {"at_ms": -1}}, "inner.at_ms: expected a whole number, 0 or more"),
        ({"inner": {"at_ms": LATEST_MS + 1}}, f"inner.at_ms: expected a whole number, {LATEST_MS} or less"),
        ({"inner": {"at_ms": 1}, "count": LARGEST_NUMBER + 1}, "a number is larger than"),
        ({"inner": {"at_ms": 1, "names": ["a" * (LONGEST_TEXT + 1)]}}, "a text is longer than"),
        ({"inner": {"at_ms": 1, "mood": "good"}}, "the field 'mood' is unknown"),
        ({"inner": [[[[[[[[]]]]]]]]}, "nested too deeply"),
        ({}, "the field `inner` is missing"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_place(value, reason):
    with pytest.raises(DecodingError) as trouble:
        decode_value(value, Outer)
    assert reason in str(trouble.value)


@pytest.mark.parametrize(
    ("raw", "kind", "reason"),
    [
        (b'"a"', float | None, "expected a number or nothing, found text"),
        (b"5", Annotated[int, msgspec.Meta(le=-2)], "expected a whole number, -2 or less"),
        (b'"b"', Annotated[str, msgspec.Meta(pattern="^a")], "expected text of another form"),
        (b'["b"]', dict[str, int], "expected named fields, found a list"),
        (b'"b"', Literal["a"], "invalid enum value 'b'"),
        (
            b'[{"long": 1}]',
            list[dict[Annotated[str, msgspec.Meta(max_length=3)], int]],
            "a key of [0]: expected text of length 3 or less",
        ),
    ],
)
def test_a_reason_names_no_type_of_a_programmer(raw, kind, reason):
    with pytest.raises(DecodingError) as trouble:
        decode_json(raw, kind)
    assert str(trouble.value).casefold() == reason


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
    assert trouble.value.problem == "The list is damaged ([1]: expected text, found a whole number)."
    assert trouble.value.remedy == "Make another."


def nested(levels):
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize("raw", [nested(65), b'{"a":' * 65 + b"1" + b"}" * 65, b"[" * 20_000])
def test_what_is_nested_too_deeply_is_refused_before_it_is_built(raw):
    with pytest.raises(DecodingError, match="nested too deeply"):
        check_json_shape(raw)
    with pytest.raises(DecodingError, match="nested too deeply"):
        decode_json(raw, object)


@pytest.mark.parametrize(
    "raw",
    [
        nested(64),
        b"[" + b",".join([b"[]"] * 1_000) + b"]",
        json.dumps(["[{" * 1_000]).encode(),
        json.dumps(['\\"[' * 1_000, "\\", "]" * 100, '\\\\"[[']).encode(),
        json.dumps(["é[" * 1_000], ensure_ascii=False),
    ],
    ids=["deep enough", "side by side", "in a text", "after escapes", "a string"],
)
def test_brackets_in_texts_and_side_by_side_are_not_deep(raw):
    check_json_shape(raw)
    assert decode_json(raw, object) == json.loads(raw)


def test_how_many_values_a_document_may_have_is_counted_outside_of_its_texts():
    check_json_shape(b"[1,2,3]", most_values=4)
    check_json_shape(b'["a,b,c,d,e,[,{"]', most_values=2)
    with pytest.raises(DecodingError, match="more than 3 values"):
        check_json_shape(b"[1,2,3]", most_values=3)
    with pytest.raises(DecodingError, match=r"more than 250,000 values"):
        decode_small_json(b"[" + b"0," * 300_000 + b"0]", list[int])


@pytest.mark.parametrize("text", ["a = " + "9" * 5_000, "a = " + "[" * 20_000, "a" + ".a" * 20_000 + " = 1"])
def test_no_toml_however_hostile_is_a_bug(text):
    with pytest.raises(DecodingError):
        decode_value(decode_toml(text.encode()), dict[str, int])


@pytest.mark.parametrize("read", [open_regular, lambda path: read_limited(path, 100)])
def test_a_pipe_is_not_waited_for_and_a_device_not_read(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="not a regular file"):
            read(path)
    with pytest.raises(IsADirectoryError):
        read(tmp_path)


def test_a_toml_that_notepad_saved_is_read_and_another_encoding_is_said():
    assert decode_toml(b"\xef\xbb\xbftheme = 'dark'") == {"theme": "dark"}
    with pytest.raises(DecodingError, match=r"^it is not a UTF-8 text$"):
        decode_toml("theme = 'dark'".encode("utf-16"))


def test_dots_in_texts_and_numbers_of_a_toml_document_are_no_parts_of_a_key():
    text = '''# ... ... ... ... ...
    a = "e. g. this. \\". . . . . . . . . . . ."
    b = """
    1. 2. 3. 4. 5. "" 6. 7. 8. 9. 10. 11. 12. \\"""
    """
    c = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5]
    d = '. . . . . . . . . . . . . . . .'
    '''
    assert decode_toml(text.encode()) == tomllib.loads(text)


@pytest.mark.parametrize("mark", ['"', "'"])
@pytest.mark.parametrize("more", [1, 2])
def test_a_long_key_behind_a_text_that_ends_with_marks_is_refused_before_it_is_read(mark, more):
    text = mark * 3 + "x" + mark * (3 + more)
    assert decode_toml(f"a = [{text}, {{b.c=1}}]".encode())["a"] == ["x" + mark * more, {"b": {"c": 1}}]
    with pytest.raises(DecodingError, match="a key has more than"):
        decode_toml(f"a = [{text}, {{{'b.' * 100}c=1}}]".encode())


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_a_number_that_is_not_finite_is_refused(text):
    with pytest.raises(DecodingError, match="not finite"):
        decode_value(decode_toml(f"a = {text}".encode()), dict[str, float])


def test_a_reason_has_one_line_and_an_end():
    class Strict(msgspec.Struct, forbid_unknown_fields=True):
        pass

    with pytest.raises(DecodingError) as trouble:
        decode_json(json.dumps({"a\n - at `b" * 20_000: 1}).encode(), Strict)
    assert len(str(trouble.value)) < 2 * LONGEST_REASON + 10
    assert str(trouble.value).isprintable()


PACKERS = {"gz": gzip.compress, "xz": partial(lzma.compress, preset=0), "bz2": bz2.compress}


@pytest.mark.parametrize("kind", PACKERS)
def test_a_packed_file_is_unpacked_as_far_as_its_length_is_plausible(tmp_path, kind):
    path = tmp_path / "file"
    path.write_bytes(PACKERS[kind](bytes(20 << 20)))
    with path.open("rb") as raw, unpacked(raw) as stream:
        assert stream.read(SMALLEST_BOMB - (1 << 20)) == bytes(SMALLEST_BOMB - (1 << 20))
        with pytest.raises(DecodingError, match="200 times longer"):
            stream.read(1 << 22)


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("harm", ["cut", "changed"])
def test_a_damaged_packed_file_is_refused(tmp_path, kind, harm):
    path = tmp_path / "file"
    whole = bytearray(PACKERS[kind](random.Random(0).randbytes(10_000)))
    if harm == "cut":
        del whole[5_000:]
    else:
        whole[5_000:5_020] = bytes(20)
    path.write_bytes(whole)
    with (
        path.open("rb") as raw,
        pytest.raises(DecodingError, match="damaged or ends early"),
        translate_unpacking_errors(),
        unpacked(raw) as stream,
    ):
        stream.read()


def test_the_head_of_an_xz_file_cannot_ask_for_gigabytes(tmp_path):
    whole = bytearray(lzma.compress(b"a" * 1_000))
    assert whole[14:16] == b"\x21\x01"  # the filter LZMA2, with one byte that says how much it remembers
    whole[16] = 40  # 4 GB
    whole[20:24] = zlib.crc32(whole[12:20]).to_bytes(4, "little")
    path = tmp_path / "file.xz"
    path.write_bytes(whole)
    with (
        memory_at_most(100),
        path.open("rb") as raw,
        contextlib.suppress(DecodingError),
        translate_unpacking_errors(),
        unpacked(raw) as stream,
    ):
        assert stream.read() == b"a" * 1_000


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in members.items():
            archive.writestr(name, contents)
    return path


def test_a_zip_is_checked_before_anything_is_unpacked(tmp_path):
    def refusal(path, most_bytes=64 << 20):
        with zipfile.ZipFile(path) as archive, pytest.raises(DecodingError) as trouble:
            check_zip(archive, most_bytes)
        return str(trouble.value)

    path = tmp_path / "file.zip"
    assert refusal(zipped(path, a=bytes(3 << 20), b=bytes(3 << 20)), 5 << 20).startswith(
        "it becomes longer than 5 MB"
    )
    assert "200 times longer" in refusal(zipped(path, a=bytes(20 << 20)))
    assert "5,000 files" in refusal(zipped(path, **{f"a{number}": b"" for number in range(5_001)}))

    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a", b"a" * 1_000)
    assert refusal(path) == "it is packed in an unusual way"

    raw = bytearray(zipped(path, a=b"a").read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    assert refusal(path) == "it is encrypted"

    with zipfile.ZipFile(zipped(path, a=b"a" * 1_000)) as archive:
        check_zip(archive, 1_000)


@pytest.mark.parametrize("buffer", [1, 2, 3, 5, 1_000])
def test_the_shape_is_that_outside_of_texts_wherever_a_block_ends(buffer, monkeypatch):
    monkeypatch.setattr("quizwriter.system.decoding._BUFFER", buffer)
    flat = rb'["[[[[[[", "\"[[[[", "\\\\", "[\\", "]]]\\\"[["]'

    check_json_shape(flat, deepest=1)
    with pytest.raises(DecodingError, match="nested too deeply"):
        check_json_shape(b"[" + flat + b"]", deepest=1)
    with pytest.raises(DecodingError, match="more than 3 values"):
        check_json_shape(flat, most_values=3)


def test_a_limit_takes_no_memory_that_the_file_does_not(tmp_path):
    (tmp_path / "small").write_bytes(b"lake")

    tracemalloc.start()
    assert read_limited(tmp_path / "small", 1 << 33) == b"lake"
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()
    with pytest.raises(DecodingError, match="more than"):
        read_limited(tmp_path / "small", 3)
