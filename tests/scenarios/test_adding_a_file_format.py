"""A file format that only this file knows is everywhere where files are: it is declared once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from index_builder.user_packets import _PacketReader
from quizwriter.cli import main
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.formats.file_formats import FORMATS, FileFormat, Holds
from quizwriter.formats.packets.packet_questions import Packet, PacketTossup
from quizwriter.formats.printed_packet import PrintedPacket, plain_text
from quizwriter.formats.question_files import place_key
from quizwriter.gui.application import make_window
from quizwriter.services.recorded_rooms import _question_files
from quizwriter.services.wiring import App

TEXT = "This queen of a made-up story drowned in an inland sea and left a crown of amber behind."


def read_tablet(path: Path) -> Packet:
    packet = Packet("line")
    for place, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text, _, answer = line.partition("|")
        packet.tossups.append(PacketTossup(str(place), text, answer, "", place))
    return packet


def write_tablet(packet: PrintedPacket, file) -> None:
    for one in packet.tossups:
        file.write(f"{plain_text(one.question)}|{plain_text(one.answer)}\n".encode())


@pytest.fixture(autouse=True)
def tablet(monkeypatch):
    made = FileFormat(
        "tablet", "Clay tablet", (".clay",), Holds.PACKET,
        kind="Clay tablets", tip="Write this tossup on clay.", read=read_tablet, write=write_tablet,
    )  # fmt: skip
    monkeypatch.setitem(FORMATS, made.id, made)


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    made = App(tmp_path / "home")
    made.profile.save_settings(replace(made.profile.settings, profile_id="ada", profile_name="Ada"))
    yield made
    made.store.close()


@pytest.fixture
def folder(tmp_path):
    """A folder of questions with one file of the format."""
    made = tmp_path / "packets"
    made.mkdir()
    (made / "Round 1.clay").write_text(f"{TEXT}|Matilda", encoding="utf-8")
    return made


def test_commands_read_it_and_write_it(app, folder, tmp_path, capsys):
    assert main(["import", str(folder / "Round 1.clay"), "--json"]) == 0
    (key,) = json.loads(capsys.readouterr().out)["added"]
    assert main(["packet", key, "--out", str(tmp_path / "out.clay")]) == 0
    assert (tmp_path / "out.clay").read_text(encoding="utf-8") == f"{TEXT}|Matilda\n"
    assert main(["packet", key, "--format", "tablet", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_bytes() == (tmp_path / "out.clay").read_bytes()
    assert main(["packet", key, "--out", str(tmp_path / "out.unknown")]) == 1
    assert "modaq or tablet" in capsys.readouterr().err


def test_added_packets_experiments_and_recorded_rooms_find_it_in_a_folder(app, folder):
    added = _PacketReader("Spring")
    added.read(folder / "Round 1.clay", "Round 1.clay")
    assert (added.tossups, added.unread) == (1, [])
    (question,) = ExperimentInputs(app, str(folder)).questions
    assert (question.tossup.text, question.tossup.answer.line) == (TEXT, "Matilda")
    assert list(_question_files(folder)) == [folder / "Round 1.clay"]
    assert place_key("Round 1.clay", 1) == place_key("Round 01", 1)


def test_windows_offer_it_and_take_it_where_it_is_dropped(app, folder, qtbot, qapp, monkeypatch):
    window = make_window(app, qapp, scheme="light")
    taken = []
    monkeypatch.setattr(window.windows, "import_files", taken.append)
    window.windows.choose_import()
    dialog = window.windows.window.findChildren(object)
    left = window.windows.take_files([folder / "Round 1.clay", folder / "other.stone"])
    assert left == [folder / "other.stone"]
    assert taken == [[folder / "Round 1.clay"]]
    filters = [child.nameFilters() for child in dialog if hasattr(child, "nameFilters")]
    assert any("*.clay" in names[0] for names in filters)
    assert window.menus.actions["export:tablet"].text().replace("&", "") == "Export as Clay tablet…"
    window.tossup_actions.packets.choose_file("tablet", ["a"])
    assert window.tossup_actions.packets.dialog.nameFilters() == ["Clay tablets (*.clay)"]
    window.close()
    window.deleteLater()
    qtbot.wait(1)
