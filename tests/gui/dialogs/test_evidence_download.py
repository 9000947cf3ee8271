"""*Get more evidence*: the dialog, and the program that it starts, watches, ends and survives."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sys
import threading

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from index_builder.data.catalogue import QANTA
from quizwriter.engine.engine import load
from quizwriter.gui.dialogs.evidence_download import DownloadStage, EvidenceDownload, EvidenceDownloadDialog
from quizwriter.services.downloads import SOURCES_FOLDER
from quizwriter.services.wiring import App
from tests.helpers.fakes import FakeApp
from tests.helpers.http_servers import Files, Wiki, cut, status
from tests.helpers.patience import PATIENCE_S
from tests.helpers.windows import app_of, put_back

STEADY = """
import json, sys, threading, time
threading.Thread(target=lambda: (sys.stdin.read(), __import__("os")._exit(130)), daemon=True).start()
def say(**what): print(json.dumps(what), flush=True)
say(step=1, of=5, name="Fetching past questions")
say(doing="Questions", done=25, total=100, said="25 of 100")
time.sleep(30)
"""
DEAF = STEADY.replace("sys.stdin.read()", "time.sleep(30)")


def says(*lines, code=0):
    printed = "".join(json.dumps(line) + "\n" for line in lines)
    return f"import sys; sys.stdout.write({printed!r}); sys.exit({code})"


@pytest.fixture(scope="module")
def opened(open_shared):
    window = open_shared()
    window.program = lambda text: setattr(app_of(window), "fetch_command", [sys.executable, "-S", "-c", text])
    return window


@pytest.fixture
def window(opened, qtbot):
    """A window whose program is whatever ``window.program`` says."""
    window = put_back(opened, qtbot)
    yield window
    window.engines.download.cancel()
    becomes(qtbot, window, DownloadStage.IDLE)
    shutil.rmtree(app_of(window).downloads.folder, ignore_errors=True)


@pytest.fixture
def app(window):
    return app_of(window)


@pytest.fixture
def dialog(window):
    window.menus.actions["get-evidence"].trigger()
    return window.engines.download_dialog


def shown(dialog):
    """The buttons that can be seen."""
    buttons = (
        dialog.remove,
        dialog.local,
        dialog.copy,
        dialog.close_button,
        dialog.cancel,
        dialog.pause,
        dialog.begin,
    )
    return [button.text() for button in buttons if button.isVisible()]


def becomes(qtbot, window, stage):
    qtbot.waitUntil(lambda: window.engines.download.stage is stage)


def started(qtbot, window):
    qtbot.waitUntil(lambda: window.engines.download.detail == "25 of 100")


def test_nothing_is_downloaded_before_the_writer_says_so(qtbot, window, app, dialog):
    said = "\n".join(label.text() for label in dialog.findChildren(QLabel))

    assert "s3-us-west-2.amazonaws.com, 169.0 MB" in said
    assert "en.wikipedia.org" in said
    assert "name no licence" in said
    assert "ShareAlike 4.0" in said
    assert "23.4 GB are free" in said
    assert str(app.downloads.folder) in said.replace("\u200b", "")
    assert shown(dialog) == ["Use a file of questions…", "Close", "Download"]
    assert app.fetches == []
    assert not app.downloads.folder.exists()


def test_the_progress_is_shown_and_the_download_can_be_paused_and_continued(qtbot, window, app, dialog):
    window.program(STEADY)
    dialog.begin.click()
    started(qtbot, window)
    assert dialog.heading.text() == "Step 1 of 5: Fetching past questions"
    assert dialog.step.text() == "25 of 100"
    assert dialog.bar.value() == dialog.bar.maximum() / 4
    assert shown(dialog) == ["Close", "Cancel download", "Pause"]

    dialog.pause.click()
    becomes(qtbot, window, DownloadStage.PAUSED)
    assert not window.engines.download.busy
    assert dialog.heading.text() == "Paused. Step 1 of 5: Fetching past questions"
    assert shown(dialog) == ["Close", "Cancel download", "Continue"]

    dialog.begin.click()
    started(qtbot, window)
    assert app.fetches == ["", ""]


def test_cancelled_is_as_before(qtbot, window, dialog):
    window.program(STEADY)
    dialog.begin.click()
    started(qtbot, window)
    dialog.cancel.click()
    becomes(qtbot, window, DownloadStage.IDLE)

    assert "Download" in shown(dialog)
    assert not (app_of(window).downloads.folder / "unfinished.json").exists()


def test_a_program_that_does_not_listen_is_ended_all_the_same(qtbot, window, dialog):
    window.engines.download._program._impatience.setInterval(100)
    window.program(DEAF)
    dialog.begin.click()
    started(qtbot, window)
    dialog.pause.click()
    assert shown(dialog) == ["Close", "Cancel download", "Pause"]
    assert not dialog.pause.isEnabled()

    becomes(qtbot, window, DownloadStage.PAUSED)


def test_trouble_is_said_with_its_remedy_and_can_be_tried_again(qtbot, window, dialog):
    window.program(says({"problem": "The server is away.", "remedy": "Wait for it."}, code=1))
    dialog.begin.click()
    becomes(qtbot, window, DownloadStage.FAILED)
    assert dialog.message.text() == "The server is away.\nWait for it."
    assert shown(dialog) == ["Use a file of questions…", "Close", "Cancel download", "Try again"]

    window.program(says({"step": 1, "of": 1, "name": "All"}))
    dialog.begin.click()
    becomes(qtbot, window, DownloadStage.DONE)
    assert not dialog.message.isVisible()
    assert shown(dialog) == ["Close"]


@pytest.mark.logs("the download of evidence broke")
def test_a_program_that_is_killed_can_be_started_again(qtbot, window, dialog):
    window.program(STEADY)
    dialog.begin.click()
    started(qtbot, window)
    os.kill(
        window.engines.download._program._process.processId(),
        signal.SIGKILL if os.name != "nt" else signal.SIGTERM,
    )
    becomes(qtbot, window, DownloadStage.FAILED)
    assert "ended unexpectedly" in dialog.message.text()

    dialog.begin.click()
    started(qtbot, window)


@pytest.mark.logs("the download of evidence broke.*a bug of ours")
def test_a_bug_in_it_can_be_reported(qtbot, window, dialog):
    window.program("raise RuntimeError('a bug of ours')")
    dialog.begin.click()
    becomes(qtbot, window, DownloadStage.FAILED)

    dialog.copy.click()

    assert "RuntimeError: a bug of ours" in QGuiApplication.clipboard().text()


@pytest.mark.logs("not understood: b'noise'", "not understood: b'5'")
def test_noise_on_its_output_is_passed_over(qtbot, window, dialog):
    window.program("print('noise'); print(5)\n" + says({"step": 1, "of": 1, "name": "All"}))
    dialog.begin.click()
    becomes(qtbot, window, DownloadStage.DONE)


def test_a_program_that_is_not_there_is_said(qtbot, window, dialog, app):
    app.fetch_command = ["/nowhere/python"]
    dialog.begin.click()
    becomes(qtbot, window, DownloadStage.FAILED)

    assert "could not be started" in dialog.message.text()


def test_the_questions_may_come_from_a_file_until_cancelled(qtbot, window, dialog, app):
    window.program(says({"problem": "It is the wrong file.", "remedy": "Take another."}, code=1))
    dialog.use_file("/a/file.json")
    becomes(qtbot, window, DownloadStage.FAILED)
    dialog.begin.click()
    becomes(qtbot, window, DownloadStage.FAILED)
    dialog.cancel.click()
    dialog.begin.click()
    becomes(qtbot, window, DownloadStage.FAILED)

    assert app.fetches == ["/a/file.json", "/a/file.json", ""]


def test_the_download_is_removed_at_the_second_click(qtbot, window, dialog, app):
    (app.downloads.folder / SOURCES_FOLDER).mkdir(parents=True)
    (app.downloads.folder / SOURCES_FOLDER / "q.json").write_text("x")
    window.engines.download.changed.emit()
    assert shown(dialog)[0] == "Remove the download"

    dialog.remove.click()
    assert (app.downloads.folder / SOURCES_FOLDER).exists()
    dialog.remove.click()
    assert not (app.downloads.folder / SOURCES_FOLDER).exists()
    assert "Remove the download" not in shown(dialog)


def test_a_published_bundle_is_used_at_once(qtbot, window, dialog, tmp_path):
    window.program(says({"published": str(tmp_path / "first")}, {"published": str(tmp_path / "bundle")}))
    dialog.close()
    window.engines.download.start()
    becomes(qtbot, window, DownloadStage.DONE)
    qtbot.waitUntil(lambda: window.windowTitle() == "bundle \u2014 QuizWriter")

    assert app_of(window).profile.settings.bundle == str(tmp_path / "bundle")
    assert window.messages.text("evidence") == "The new evidence is in use."


def test_trouble_while_the_dialog_is_closed_is_said_in_the_window(qtbot, window, dialog):
    window.program(says({"problem": "The server is away.", "remedy": "Wait for it."}, code=1))
    dialog.begin.click()
    dialog.close()
    becomes(qtbot, window, DownloadStage.FAILED)

    assert window.messages.text("evidence") == "The server is away. Wait for it."


def test_a_closed_window_ends_it_and_the_next_goes_on(qtbot, tmp_path, open_window):
    app = FakeApp(tmp_path)
    app.fetch_command = [sys.executable, "-S", "-c", STEADY]
    window = open_window(app)
    window.engines.open_download()
    window.engines.download_dialog.use_file("/a/file.json")
    started(qtbot, window)
    number = window.engines.download._program._process.processId()
    window.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)

    again = open_window(app)
    assert "not finished" in again.messages.text("evidence")
    again.engines._continue_download()
    started(qtbot, again)
    assert app.fetches == ["/a/file.json", "/a/file.json"]


def test_a_note_that_makes_no_sense_is_no_reason_not_to_start(tmp_path):
    app = FakeApp(tmp_path)
    app.downloads.folder.mkdir(parents=True)
    (app.downloads.folder / "unfinished.json").write_text("[1")
    assert EvidenceDownload(app).stage is DownloadStage.IDLE


@pytest.mark.parametrize("size", [(1280, 800), (900, 600)])
def test_the_dialog_fits_the_smallest_window(qtbot, window, dialog, size):
    window.resize(*size)
    for stage in DownloadStage:
        window.engines.download.stage = stage
        window.engines.download.notes = ["A note that is rather long, as they sometimes are. " * 3]
        window.engines.download.changed.emit()
        assert dialog.height() <= 600
        assert dialog.width() <= 760


@pytest.mark.logs("the download of evidence broke")
def test_the_real_program_brings_real_evidence_through_cuts_and_kills(qtbot, qapp, tmp_path):
    """Servers, process, builder, dialog and engine together; only the addresses are this computer's."""
    rows = [
        {"qanta_id": n, "text": text, "page": page, "answer": page, "fold": "guesstrain"}
        for n, (text, page) in enumerate(
            [("red fox jumps over lazy dogs near rivers", "Fox"), ("grey wolf howls at the moon", "Wolf")]
        )
    ]
    content = json.dumps({"questions": rows}).encode() + b" " * 500_000
    program = f"""
import sys
from msgspec.structs import replace
import index_builder.pipeline as steps
steps.QANTA = replace(steps.QANTA, bytes={len(content)}, sha256={hashlib.sha256(content).hexdigest()!r})
from index_builder.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
    app = App(tmp_path / "home")
    published = []

    killed = threading.Event()

    def stall(server, request):
        server.answer(request, until=300_000)
        killed.wait(PATIENCE_S)

    part = tmp_path / "home" / "evidence" / SOURCES_FOLDER / f"{QANTA.file}.part"

    with Files(content).running() as files, Wiki({"Fox": "Foxes dig dens."}).running() as wiki:
        arguments = ["--mirror", files.url, "--api", wiki.url]
        real = app.downloads.command

        def command(*, mirror):
            return [sys.executable, "-c", program, *real(mirror=mirror)[6:], *arguments]

        app.downloads.command = command
        fetching = EvidenceDownload(app)
        fetching.published.connect(published.append)
        files.faults = [cut(100_000), stall]
        wiki.faults = [status(503, Retry_After="1")]
        fetching.start()
        qtbot.waitUntil(lambda: part.exists() and part.stat().st_size > 200_000)
        fetching._program._process.kill()
        killed.set()
        qtbot.waitUntil(lambda: fetching.stage is DownloadStage.FAILED)
        fetching.start()
        # loading torch and scikit-learn to train takes seconds, and on a busy machine a minute
        qtbot.waitUntil(lambda: fetching.stage in (DownloadStage.DONE, DownloadStage.FAILED), timeout=90_000)

    assert fetching.trouble is None
    assert [path.name for path in published] == ["questions", "bundle"]
    assert [int(asked["Range"][6:-1]) // 100_000 for asked in files.asked[1:]] in ([1, 2], [1, 3])
    assert [*load(published[-1]).pages.all] == ["Fox", "Wolf"]
    assert app.downloads.offer().fetched_size
    app.downloads.remove_fetched()
    assert not app.downloads.offer().fetched_size
    assert load(published[-1]).pages.find("fox") == "Fox"


def test_the_command_is_that_of_the_builder(tmp_path):
    command = App(tmp_path).downloads.command(mirror="/a/file")

    assert command[:6] == (sys.executable, "-P", "-m", "quizwriter", "--child-process", "builder")
    assert "--json-progress" in command
    assert command[-2:] == ("--mirror", "/a/file")
    assert not any(tmp_path.iterdir())


def test_the_dialog_stands_without_a_window(qtbot, tmp_path, qapp):
    from quizwriter.gui.theme import Theme

    theme = Theme(qapp, scheme="light", draft_font="", draft_size_px=16)
    app = FakeApp(tmp_path)
    dialog = EvidenceDownloadDialog(app, theme, EvidenceDownload(app))
    qtbot.addWidget(dialog)
    theme.changed.emit()
    assert dialog.begin.text() == "Download"
