"""Tossups as packets in the window: copied, printed and written, of the open tossup and of the queue."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QWidget

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import PutInSet
from quizwriter.domain.tossup import Answer
from quizwriter.formats.file_formats import FORMATS, read_packet, written_formats
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.dialogs.packet_export import PacketExport
from quizwriter.gui.queue.queue_window import QueueWindow
from quizwriter.workflow.session import PendingSave
from tests.helpers.made_queue import put_four

TEXT = "A cat of a made-up story sleeps on a stove and counts (*) the flies. For 10 points, name this animal."

WRITTEN = [one.id for one in written_formats()]


@pytest.fixture(autouse=True)
def empty_clipboard(qapp):
    """What a test copied does not stay for the next one."""
    yield
    QGuiApplication.clipboard().clear()


@pytest.fixture
def told():
    return []


@pytest.fixture
def packets(qtbot, app, saver, told):
    """Exports of a draft that is handed to the saver only when an export begins."""
    parent, jobs = QWidget(), Jobs("test")
    qtbot.addWidget(parent)
    pending = PendingSave.begun("a", TEXT, Answer("<b><u>cat</u></b>"), 1, "ada")
    waiting = [pending]

    def save():
        while waiting:
            saver.keep(waiting.pop())

    yield PacketExport(app, jobs, saver, save, lambda text, *, trouble: told.append((text, trouble)), parent)
    jobs.stop()


def test_what_was_just_typed_is_copied_with_its_styles(qtbot, packets, told):
    packets.copy(["a"])
    qtbot.waitUntil(lambda: bool(told))
    assert told == [("1 tossup copied with its styles.", False)]
    source = QGuiApplication.clipboard().mimeData()
    assert source.text() == f"{TEXT}\nANSWER: cat\n<Ada>"
    assert "<b>A cat of a made-up story sleeps on a stove and counts (*)</b> the flies." in source.html()
    assert "ANSWER: <b><u>cat</u></b>" in source.html()


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_packet_is_written_off_the_windows_thread(qtbot, packets, told, tmp_path, kind):
    path = tmp_path / f"packet{FORMATS[kind].endings[0]}"
    packets.export(path, kind, ["a"])
    qtbot.waitUntil(lambda: bool(told))
    assert told == [(f"1 tossup written to {path}.", False)]
    if kind == "docx":
        assert [one.text for one in read_packet(path).tossups] == [TEXT]
    else:
        assert path.stat().st_size > 100


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_disk_that_takes_nothing_is_one_sentence_and_the_old_file_stays(
    qtbot, packets, told, tmp_path, monkeypatch, kind
):
    path = tmp_path / "packet"
    path.write_text("old")

    def full(handle):
        raise OSError(28, "No space left on device")

    packets.copy(["a"])  # the draft itself is on disk
    qtbot.waitUntil(lambda: bool(told))
    told.clear()
    monkeypatch.setattr("quizwriter.system.atomic.os.fsync", full)
    packets.export(path, kind, ["a"])
    qtbot.waitUntil(lambda: bool(told))
    ((text, trouble),) = told
    assert trouble
    assert text.startswith(f"The packet could not be written to {path} (No space left on device).")
    assert path.read_text() == "old"


def test_a_packet_is_printed(qtbot, packets, told, tmp_path):
    packets.print_on_paper(["a"])
    dialog = packets.print_dialog
    printer = dialog.printer()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "paper.pdf"))
    dialog.accepted.emit(printer)
    qtbot.waitUntil(lambda: bool(told))
    assert told == [("1 tossup printed.", False)]
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF-")
    dialog.reject()


def test_nothing_is_written_of_a_tossup_that_is_not_there(qtbot, packets, told, tmp_path):
    packets.export(tmp_path / "x.docx", "docx", ["nobody"])
    qtbot.waitUntil(lambda: bool(told))
    assert told[0][1]
    assert not (tmp_path / "x.docx").exists()


def test_the_file_dialog_asks_for_a_name_with_the_right_ending(packets, monkeypatch, tmp_path):
    chosen = []
    monkeypatch.setattr(packets, "export", lambda *given: chosen.append(given))
    packets.choose_file("modaq", ["a"])
    assert packets.dialog.defaultSuffix() == "json"
    packets.dialog.fileSelected.emit(str(tmp_path / "p.json"))
    assert chosen == [(tmp_path / "p.json", "modaq", ["a"])]
    packets.dialog.reject()


def test_the_open_tossup_is_exported_by_the_menus_and_an_empty_one_says_so(open_window, monkeypatch):
    window = open_window(start=False)
    done = []
    packets, actions = window.tossup_actions.packets, window.menus.actions
    monkeypatch.setattr(packets, "copy", lambda keys: done.append(("copy", keys)))
    monkeypatch.setattr(packets, "print_on_paper", lambda keys: done.append(("print", keys)))
    monkeypatch.setattr(packets, "choose_file", lambda kind, keys, name: done.append((kind, keys, name)))
    ids = ["copy-formatted", "print", *(f"export:{kind}" for kind in WRITTEN)]
    actions[ids[0]].trigger()
    assert (done, window.messages.text("bin")) == ([], "This tossup is empty.")
    for one, kind, said in (
        ("consent:yes", "header", "This tossup is empty. Write some text first."),
        ("ready", "header", "This tossup is empty. Write some text first."),
        ("mend-answer", "answer", "There is nothing to fix in the answer line."),
        ("past-answers", "answer", "No past answer lines are known for this answer."),
    ):
        window.messages.dismiss(kind)
        actions[one].trigger()
        assert window.messages.text(kind) == said
    window.draft.insertPlainText(TEXT)
    for one in ids:
        actions[one].trigger()
    key = window.sessions.current.tossup_id
    title = window.session.title
    assert done == [("copy", [key]), ("print", [key]), *((what, [key], title) for what in WRITTEN)]


def test_a_packet_is_exported_from_the_tossup_that_is_open_in_the_order_in_which_it_was_begun(
    qtbot, app, open_window, monkeypatch
):
    window = open_window(app, start=False)
    done = []
    monkeypatch.setattr(window.tossup_actions.packets, "choose_file", lambda *given: done.append(given))
    window.draft.insertPlainText(TEXT)
    window.menus.actions["export-packet:docx"].trigger()
    qtbot.waitUntil(lambda: "This tossup is in no set." in window.messages.text("bin"))
    store = app.store
    for at, (key, packet) in enumerate({"b": "Finals", "a": "Finals", "c": ""}.items(), start=1):
        store.save(PendingSave.begun(key, TEXT, None, at, "ada"))
        store.add_events([Event.new(key, at, "ada", PutInSet("Spring", packet))])
    worked_over = Change(2, 9, Edit(0, "", "Here: "), "ada")
    store.save(PendingSave("b", f"Here: {TEXT}", None, 0, 9, (worked_over,), author="ada"))
    window.sessions.open_saved("a")
    for kind in WRITTEN:
        window.menus.actions[f"export-packet:{kind}"].trigger()
        qtbot.waitUntil(lambda kind=kind: bool(done) and done[-1][0] == kind)
    assert done == [(kind, ("b", "a"), "Spring, Finals") for kind in WRITTEN]


def test_the_queue_exports_what_is_selected_or_else_what_it_shows(qtbot, theme, app, saver, tmp_path):
    put_four(app)
    window = QueueWindow(app, theme, saver, lambda: None, lambda: None)
    try:
        with qtbot.waitSignal(window.painted):
            window.present()
        window.packets.export(tmp_path / "all.docx", "docx", window._chosen_keys)
        qtbot.waitUntil(lambda: "4 tossups written to" in window.messages.text("export"))
        window.table.selectRow(0)
        assert window.table.selected == ("a",)
        window.copy_formatted()
        qtbot.waitUntil(lambda: window.messages.text("export") == "1 tossup copied with its styles.")
        assert QGuiApplication.clipboard().text().count("ANSWER: ") == 1
        window.table.clearSelection()
        window.copy_formatted()
        qtbot.waitUntil(lambda: window.messages.text("export") == "4 tossups copied with their styles.")
        assert len(list_of(tmp_path / "all.docx")) == 4
    finally:
        window.shutdown()
        qtbot.wait(1)


def test_a_tossup_stays_on_one_page_and_none_is_lost(qapp, tmp_path, monkeypatch):
    from quizwriter.domain.tossup import Tossup
    from quizwriter.formats.printed_packet import PrintedPacket, printed_tossup
    from quizwriter.gui import printing

    drawn = []
    monkeypatch.setattr(
        printing, "_draw", lambda _painter, document, *place: drawn.append((document.toPlainText(), *place))
    )
    long = " ".join([TEXT] * 120)
    texts = [TEXT, TEXT * 9, long, *[TEXT * 4] * 30]
    packet = PrintedPacket("", tuple(printed_tossup(Tossup(text, Answer("x"))) for text in texts))
    printing.write_pdf(packet, tmp_path / "p.pdf")
    height = 11 * 300 - 2 * 300
    assert all(at >= 0 and at + end - start <= height for _, start, end, at in drawn)
    pages = sum(at == 0 for *_, at in drawn)
    assert (tmp_path / "p.pdf").read_bytes().count(b"/Type /Page\n") == pages > 3
    parts = [(start, end) for text, start, end, _ in drawn if len(text) > 10_000]
    assert len(parts) > 1  # longer than a page
    assert [start for start, _ in parts[1:]] == [end for _, end in parts[:-1]]
    assert len(drawn) - len(parts) == len(texts) - 1


def list_of(path):
    """The answer lines of a Word file, by its paragraphs: the made tossups are too short for a packet."""
    from docx import Document

    return [one.text for one in Document(path).paragraphs if one.text.startswith("ANSWER: ")]
