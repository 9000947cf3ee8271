"""Files from servers that cut, lie, stall and change their minds."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import random
import shutil
import threading

import pytest
from msgspec.structs import replace

from index_builder.data.catalogue import QANTA, megabytes
from index_builder.data.fetch import fetch_file
from quizwriter.errors import QuizwriterError
from tests.helpers.http_servers import HASTY, FakeClock, Files, Told, cut, half_gzip, later, status

CONTENT = random.Random(1).randbytes(300_000)
SOURCE = replace(
    QANTA, title="Questions", bytes=len(CONTENT), sha256=hashlib.sha256(CONTENT).hexdigest(), file="q.json"
)


@pytest.fixture
def server():
    with Files(CONTENT).running() as server:
        yield server


@pytest.fixture
def get(server, tmp_path):
    """Fetches from the server; what was told lies in ``get.told``."""

    def get(source=SOURCE, mirror=None, **more):
        get.told = more.pop("told", Told())
        policy = more.pop("policy", FakeClock().keeping(HASTY))
        address = server.url if mirror is None else str(mirror)
        return fetch_file(source, tmp_path, get.told, mirror=address, policy=policy)

    return get


def starts(server):
    """Where in the file each request began."""
    return [int(asked.get("Range", "bytes=0-")[6:-1]) for asked in server.asked]


def test_a_file_arrives_whole_with_its_licence_beside_it(get, server, tmp_path):
    path = get()

    assert path.read_bytes() == CONTENT
    assert "QANTA" in (tmp_path / "q.json.LICENSE.txt").read_text(encoding="utf-8")
    assert get.told.far[-1] == (300_000, 300_000, "bytes")
    assert [done for done, *_ in get.told.far] == sorted(done for done, *_ in get.told.far)
    assert server.asked[0]["User-Agent"].startswith("QuizWriter/")
    assert {file.name for file in tmp_path.iterdir()} == {
        "q.json",
        "q.json.LICENSE.txt",
        "q.json.fetched.json",
    }


def test_what_is_there_is_not_fetched_again_unless_it_was_damaged(get, server):
    path = get()
    get()
    assert len(server.asked) == 1

    path.write_bytes(CONTENT[:-1])
    get()
    assert len(server.asked) == 2
    assert path.read_bytes() == CONTENT


def test_cut_connections_are_taken_up_where_they_broke(get, server):
    server.faults = [cut(100_000), cut(150_000), cut(299_999)]

    assert get().read_bytes() == CONTENT
    assert starts(server) == [0, 100_000, 150_000, 299_999]
    assert {asked.get("If-Range") for asked in server.asked[1:]} == {'"one"'}


def test_a_connection_that_goes_on_a_little_each_time_is_never_given_up(get, server):
    server.faults = [cut(at) for at in range(10_000, 300_000, 10_000)]

    assert get().read_bytes() == CONTENT
    assert len(server.asked) == 30


def test_a_server_that_cuts_at_the_same_place_is_given_up_and_what_came_is_kept(get, server):
    server.ranges = False
    server.faults = [cut(100_000)] * 9

    with pytest.raises(QuizwriterError, match=r"broke off the connection.*continues from there"):
        get()
    assert len(server.asked) == HASTY.tries

    server.faults, server.ranges = [], True
    assert get().read_bytes() == CONTENT
    assert starts(server)[-1] == 100_000


def test_a_stopped_fetch_goes_on_in_the_next_run(get, server, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        get(told=Told(stop_at=131_072))

    kept = (tmp_path / "q.json.part").stat().st_size
    assert 131_072 <= kept < len(CONTENT)

    assert get().read_bytes() == CONTENT
    assert starts(server)[-1] == kept
    assert not (tmp_path / "q.json.part").exists()


def test_a_server_that_ignores_ranges_is_read_from_the_beginning(get, server):
    server.ranges = False
    server.faults = [cut(200_000)]

    assert get().read_bytes() == CONTENT


def test_without_an_etag_or_a_date_nothing_is_taken_up(get, server):
    server.etag = None
    server.faults = [cut(200_000)]

    assert get().read_bytes() == CONTENT
    assert starts(server) == [0, 0]


def test_an_etag_that_cannot_be_sent_back_is_none(get, server):
    server.etag = '"\u00e9t\u00e9"'
    server.faults = [cut(1_000)]

    assert get().read_bytes() == CONTENT
    assert all("Range" not in asked for asked in server.asked)


def test_a_weak_etag_promises_nothing(get, server):
    server.etag = 'W/"one"'
    server.faults = [cut(200_000)]

    assert get().read_bytes() == CONTENT
    assert starts(server) == [0, 0]


def test_a_file_that_changes_midway_is_read_from_the_beginning(get, server):
    def changes(server, request):
        server.content = b"x" * 250_000
        server.answer(request, until=200_000)
        server.content, server.etag = CONTENT, '"two"'

    server.faults = [changes]

    assert get().read_bytes() == CONTENT
    assert starts(server) == [0, 200_000]  # asked for the rest, given all


def test_parts_of_another_version_are_refused_even_if_the_server_does_not_care(get, server):
    def changed(server, request):
        server.etag = '"two"'
        request.headers.replace_header("If-Range", '"two"')
        server.answer(request)

    server.faults = [cut(200_000), changed]

    assert get().read_bytes() == CONTENT
    assert starts(server) == [0, 200_000, 0]


def test_a_range_that_is_no_more_is_forgotten(get, server):
    server.faults = [cut(200_000), status(416)]

    assert get().read_bytes() == CONTENT
    assert starts(server) == [0, 200_000, 0]


def test_a_wrong_checksum_is_said_and_nothing_is_used(get, server, tmp_path):
    server.content = CONTENT[:-1] + b"?"

    with pytest.raises(QuizwriterError, match=r"checksum is wrong.*--mirror"):
        get()

    assert not (tmp_path / "q.json").exists()
    assert not (tmp_path / "q.json.part").exists()


def test_a_wrong_checksum_after_taking_up_is_tried_once_from_the_beginning(get, server):
    def another(server, request):
        server.content = b"y" * 300_000
        server.answer(request, until=100_000)
        server.content = CONTENT  # under the same name

    server.faults = [another]

    assert get().read_bytes() == CONTENT
    assert starts(server) == [0, 100_000, 0]
    assert "from the beginning" in get.told.notes[0]


@pytest.mark.parametrize("code", [429, 503])
def test_servers_are_left_alone_as_long_as_they_ask(get, server, code):
    server.faults = [status(code, Retry_After="1"), later(code, 2, clock=-86_400)]
    clock = FakeClock()

    assert get(policy=clock.keeping(HASTY)).read_bytes() == CONTENT

    assert clock.now() >= 3
    assert max(seconds for _, seconds in get.told.waits) <= 2
    assert "127.0.0.1" in get.told.waits[0][0]


def test_a_server_that_wants_an_hour_gets_it(get, server):
    server.faults = [status(503, Retry_After="3600")]

    with pytest.raises(QuizwriterError, match="left alone for 60 minutes"):
        get()
    assert len(server.asked) == 1


def test_nonsense_in_retry_after_is_not_waited_for(get, server):
    server.faults = [status(503, Retry_After="soon"), status(500)]

    assert get().read_bytes() == CONTENT


@pytest.mark.parametrize(("code", "said"), [(404, "no such file"), (403, "refuses"), (410, "no such file")])
def test_what_will_not_change_is_not_tried_again(get, server, code, said):
    server.faults = [status(code)]

    with pytest.raises(QuizwriterError, match=f"{said}.*--mirror"):
        get()
    assert len(server.asked) == 1


def test_nobody_there_is_said_in_a_sentence(tmp_path):
    with pytest.raises(QuizwriterError, match=r"cannot be reached.*online"):
        fetch_file(SOURCE, tmp_path, Told(), mirror="http://127.0.0.1:9/q.json", policy=HASTY)


@pytest.mark.parametrize("mirror", ["ftp://example.org/x", "http://", "gopher://x/y"])
def test_an_address_that_is_none_is_said_in_a_sentence(tmp_path, mirror):
    with pytest.raises(QuizwriterError, match="not an address"):
        fetch_file(SOURCE, tmp_path, Told(), mirror=mirror, policy=HASTY)


def test_a_silent_server_is_not_waited_for_forever(server, tmp_path):
    over = threading.Event()

    def silent(server, request):
        over.wait(60)
        request.close_connection = True

    server.faults = [silent] * 9
    impatient = replace(HASTY, timeout=0.1, tries=2)

    with pytest.raises(QuizwriterError, match="does not answer"):
        fetch_file(SOURCE, tmp_path, Told(), mirror=server.url, policy=impatient)
    over.set()


def test_a_mirror_may_be_packed_and_half_of_it_is_noticed(get, server):
    packed = gzip.compress(CONTENT)
    server.content = packed[: len(packed) // 2]
    with pytest.raises(QuizwriterError, match="ends early, or is damaged"):
        get()

    server.content, server.etag = packed, '"whole"'
    assert gzip.decompress(get().read_bytes()) == CONTENT


def test_packing_on_the_way_that_was_not_asked_for_is_noticed_when_cut(get, server):
    server.faults = [half_gzip]

    with pytest.raises(QuizwriterError, match="ends early"):
        get()
    assert server.asked[0]["Accept-Encoding"] == "identity"


def test_a_file_on_this_computer_does_as_well(get, server, tmp_path):
    local = tmp_path / "from a friend.json.bz2"
    local.write_bytes(bz2.compress(CONTENT))

    assert bz2.decompress(get(mirror=local).read_bytes()) == CONTENT
    assert local.exists()
    assert not server.asked


def test_a_wrong_or_missing_file_on_this_computer_is_said(get, tmp_path):
    local = tmp_path / "wrong.json"
    with pytest.raises(QuizwriterError, match="cannot be read"):
        get(mirror=local)

    local.write_bytes(b"something else")
    with pytest.raises(QuizwriterError, match="checksum is wrong"):
        get(mirror=local)
    assert local.read_bytes() == b"something else"


def test_without_a_checksum_the_first_contents_are_trusted_and_expected(get, server, tmp_path):
    unknown = replace(SOURCE, sha256=None, bytes=None)
    get(unknown)
    digest = hashlib.sha256(CONTENT).hexdigest()
    assert digest in get.told.notes[0]
    assert json.loads((tmp_path / "q.json.fetched.json").read_text())["sha256"] == digest

    get(unknown)
    assert len(server.asked) == 1

    (tmp_path / "q.json").unlink()
    server.content, server.etag = b"z" * 300_000, '"two"'
    with pytest.raises(QuizwriterError, match="checksum is wrong"):
        get(unknown)


def test_too_small_a_disk_is_said_before_anything_is_fetched(get, server, monkeypatch, tmp_path):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=200_000))

    with pytest.raises(QuizwriterError, match=r"needs 0\.3 MB, and 0\.2 MB are free"):
        get()
    assert len(server.asked) == 1
    assert not (tmp_path / "q.json.part").exists()


def test_a_disk_that_fills_up_is_said_and_what_came_is_kept(server, small_disk, monkeypatch):
    monkeypatch.setattr("index_builder.data.fetch.require_disk_space", lambda *_: None)
    (small_disk / "other").write_bytes(bytes(300_000))

    with pytest.raises(QuizwriterError, match=r"is full.*Free some disk space"):
        fetch_file(SOURCE, small_disk, Told(), mirror=server.url, policy=HASTY)
    kept = (small_disk / "q.json.part").stat().st_size
    assert kept > 100_000

    (small_disk / "other").unlink()
    path = fetch_file(SOURCE, small_disk, Told(), mirror=server.url, policy=HASTY)
    assert path.read_bytes() == CONTENT
    assert starts(server)[-1] == kept


def test_the_address_and_checksum_of_qanta_are_those_its_users_state():
    """From huggingface/datasets, datasets/qanta/dataset_infos.json, of which this is an independent copy."""
    assert QANTA.address.startswith("https://")
    assert (QANTA.bytes, QANTA.sha256[:8], len(QANTA.sha256)) == (169001564, "5f2f4297", 64)
    assert megabytes(QANTA.bytes) == "169.0 MB"
