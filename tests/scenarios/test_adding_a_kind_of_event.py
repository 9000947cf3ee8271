"""A kind of event that only this file knows is everywhere where events are: it is declared once."""

from __future__ import annotations

import json
import zipfile

import pytest

from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.name_decisions import NamesFoundError
from quizwriter.challenge.verify import verify
from quizwriter.cli import main
from quizwriter.domain import events
from quizwriter.domain.events import Body, Event, Released, decode_body, encode_body, event_kind
from quizwriter.domain.review import TakenBack
from quizwriter.formats.archive import Pack, write
from quizwriter.store.store import Store
from quizwriter.workflow import event_log
from quizwriter.workflow.event_log import LoggedTossup, LogNames, log_entries, log_sentence
from tests.helpers.challenge_desk import BEN, Desk


class Dreamt(Body, frozen=True):
    """Somebody dreamt of the tossup."""

    what: str
    nightmare: bool = False
    where: str = ""


@pytest.fixture
def declare(monkeypatch):
    """Declares the kind for one test."""
    monkeypatch.setattr(events, "_KINDS", dict(events.event_kinds()))
    monkeypatch.setattr(events, "_KIND_OF", dict(events._KIND_OF))

    def declared(released=Released.ALWAYS):
        event_kind(
            "dream",
            log="source",
            pack=8,
            later={"where": 9},
            texts={"what": "a dream about {}"},
            released=released,
        )(Dreamt)

        def with_dreams(body: Body, names: LogNames) -> str:
            return f"Dreamt of {body.what}" if isinstance(body, Dreamt) else log_sentence(body, names)

        monkeypatch.setattr(event_log, "log_sentence", with_dreams)

    return declared


@pytest.fixture
def desk(tmp_path, starter):
    made = Desk(tmp_path / "home", starter)
    yield made
    made.app.store.close()


def test_it_is_decoded_as_it_was_encoded_and_its_later_field_is_written_where_it_is_given(declare):
    declare()
    assert encode_body(Dreamt("eels")) == ("dream", {"what": "eels", "nightmare": False})
    assert decode_body(*_as_json(Dreamt("eels", True, "Linz"))) == Dreamt("eels", True, "Linz")
    assert [events.first_pack_version(Dreamt("eels", where=where)) for where in ("", "Linz")] == [8, 9]


def _as_json(body):
    kind, values = encode_body(body)
    return kind, json.dumps(values)


def test_the_log_has_a_sentence_for_it_also_where_it_is_taken_back(declare):
    declare()
    happened = [
        Event("a", "t", 1, BEN.id, Dreamt("eels")),
        Event("b", "t", 2, BEN.id, TakenBack(("a",))),
    ]
    back, dream = log_entries(happened, (), {"t": LoggedTossup("t", "Knut", "")}, {BEN.id: BEN})
    assert (dream.kind, dream.text, dream.counts) == ("source", "Dreamt of eels", False)
    assert back.text == "Undoes: Dreamt of eels"


def test_it_travels_in_a_pack_of_its_version_and_is_merged(declare, desk, tmp_path):
    declare()
    desk.write("a")
    (sent,) = desk.say("a", Dreamt("eels"))
    write(tmp_path / "pack.zip", desk.app.store.branches(["a"]), desk.app.store.people().values())
    with zipfile.ZipFile(tmp_path / "pack.zip") as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["version"] == 8  # newer than any that was released

    other, pack = Store(tmp_path / "other.db"), Pack(tmp_path / "pack.zip")
    for _ in range(2):
        other.merge(pack.branches(), pack.people())
    arrived = [event for event in other.events("a") if isinstance(event.body, Dreamt)]
    assert arrived == [sent]
    other.close()


@pytest.mark.parametrize(
    ("released", "remarks", "there"),
    [
        (Released.ALWAYS, False, True),
        (Released.WITH_REMARKS, False, False),
        (Released.WITH_REMARKS, True, True),
        (Released.NEVER, True, False),
    ],
)
def test_a_challenge_set_has_it_where_its_declaration_says_so_and_verifies(
    declare, desk, tmp_path, released, remarks, there
):
    declare(released)
    desk.write("a")
    desk.say("a", Dreamt("the eels of Linz"))
    desk.export(tmp_path / "set", release=SetMetadata("Spring", histories=True, remarks=remarks))
    texts = b"".join(path.read_bytes() for path in (tmp_path / "set").iterdir())
    assert (b"the eels of Linz" in texts) is there
    assert verify(desk.app, tmp_path / "set").problems == []


def test_a_release_is_searched_for_names_in_its_texts(declare, desk, tmp_path):
    declare()
    desk.write("a")
    desk.say("a", Dreamt(f"{BEN.name} at the lake"))
    with pytest.raises(NamesFoundError, match=r"“Ben Osei” .* in a dream about “Jane Austen”"):
        desk.export(tmp_path / "set", release=SetMetadata("Spring", histories=True))


def test_the_command_log_shows_it(declare, desk, monkeypatch, capsys):
    declare()
    desk.write("a")
    desk.say("a", Dreamt("eels"))
    monkeypatch.setenv("QUIZWRITER_HOME", str(desk.app.home))
    assert main(["log", "--kind", "source"]) == 0
    assert "Dreamt of eels" in capsys.readouterr().out
