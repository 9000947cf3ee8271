"""A day of an editor on 60 imported tossups, in the window alone: how many clicks and keys it takes.

Import, play all, filter, consent, accept, tag, export, withdraw, export again. Each step counts what a person
clicks and types; what a menu does is done by its action, as a menu that is open would hold up the test.
"""

from __future__ import annotations

import json
import random
import sys
from functools import partial

import pytest
from msgspec.structs import replace
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from quizwriter.domain.review import Consent, Round, Status
from quizwriter.gui.application import make_window
from quizwriter.gui.dialogs.import_files import ImportDialog
from quizwriter.gui.dialogs.released_sets import RetractDialog
from quizwriter.gui.queue.bulk_actions import COUNTING
from quizwriter.gui.review.status_dialog import LineDialog
from quizwriter.services.wiring import App
from quizwriter.workflow.event_log import LogFilter
from quizwriter.workflow.queue import QueueFilter

TOSSUPS, SHORT = 60, 12
WRITERS = ("Ilka Brandis", "Otmar Velsky", "Perla Kuznik")
MOST_STEPS = 90
"""Clicks and keys of the whole day at most; 45 of them are letters of names and reasons."""

WORDS = """
amber bridge candle dragon ember forest garden harbour island jungle kettle ladder meadow needle orchard
pebble quarry ribbon saddle thicket umbrella valley window yellow zephyr anchor basket copper desert engine
falcon granite hammer ivory jasmine kernel lantern marble nectar ocean pepper quiver river silver timber
""".split()  # noqa: SIM905 - as prose is easier to read


class Steps:
    """Counts the clicks and keys of a person."""

    def __init__(self):
        self.clicks = self.keys = 0

    def click(self, button):
        """Click a button that is there and enabled."""
        assert button.isEnabled(), button.text()
        self.clicks += 1
        button.click()

    def choose(self, fill, *titles):
        """Open a menu and choose: a click for the menu and for each title."""
        menu = QMenu()
        fill(menu)
        for _ in range(500):
            if menu.actions()[0].text() != COUNTING:
                break
            QTest.qWait(10)
        self.clicks += 1
        for title in titles:
            action = next(one for one in menu.actions() if one.text().startswith(title))
            self.clicks += 1
            assert action.isEnabled()
            if title == titles[-1]:
                action.trigger()
            else:
                menu = action.menu()

    def key(self, do, count=1):
        """Press a key, or some."""
        self.keys += count
        do()

    def type(self, line, text):
        """Type ``text`` into a line."""
        self.keys += len(text)
        line.setText(text)

    @property
    def total(self):
        return self.clicks + self.keys


def made_file(path, pages):
    """60 tossups by three writers, of which 12 are too short to become ready."""
    draw = random.Random(0)
    rows = []
    for number in range(TOSSUPS):
        # joined two by two, or every tossup would be near to every other
        words = ["".join(draw.sample(WORDS, 2)) for _ in range(20 if number < SHORT else 60)]
        page = pages[number % len(pages)]
        text = f"Clue {number} of this one names {' '.join(words)}. For 10 points, name this one."
        rows.append(
            {"id": f"q{number}", "text": text, "answer": page.replace("_", " "), "page": page,
             "category": "Mixture", "author": WRITERS[number % 3]}
        )  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def app(tmp_path, starter):
    app = App(tmp_path / "home", starter)
    app.profile.save_settings(replace(app.profile.settings, profile_id="eva", profile_name="Eva Editor"))
    yield app
    app.store.close()


@pytest.fixture
def window(qtbot, qapp, app, collecting_here):
    window = make_window(app, qapp, scheme="light")
    window.show()
    with qtbot.waitSignal(window.engines.engine_changed):
        window.start()
    yield window
    window.close()
    window.deleteLater()
    qtbot.wait(1)


def test_a_day_of_an_editor_takes_few_clicks_and_keys(qtbot, app, window, engine, tmp_path):
    windows, steps = window.windows, Steps()
    names = {word.casefold() for word in WORDS}
    pages = [page for page in sorted(engine.pages.rows) if names.isdisjoint(page.casefold().split("_"))]
    made_file(tmp_path / "submissions.jsonl", pages)

    # Ctrl+I, the file, Open; the name of the set; Import
    steps.key(lambda: None)
    steps.clicks += 2
    windows.import_files([tmp_path / "submissions.jsonl"])
    dialog = window.findChild(ImportDialog)
    qtbot.waitUntil(lambda: not dialog.busy)
    assert dialog.list.topLevelItemCount() == TOSSUPS
    steps.type(dialog.set.lineEdit(), "Winter Open")
    steps.click(dialog.import_button)
    qtbot.waitUntil(lambda: window.messages.text("import") == f"{TOSSUPS} drafts added to Winter Open.")
    assert windows.play_all.running  # in the background

    # Ctrl+Shift+Q; they are being played
    steps.key(partial(windows.open, "queue"))
    queue = windows.find("queue")
    qtbot.waitUntil(lambda: not windows.play_all.running, timeout=120_000)
    assert app.plays.unplayed(window.engines.engine) == ()
    assert app.transfer.preview_import([tmp_path / "submissions.jsonl"]).known == TOSSUPS

    # the set: a click for the list, one for the tick, Esc; Ctrl+A
    qtbot.waitUntil(lambda: bool(queue.filters.set_facet._items))
    steps.clicks += 2
    with qtbot.waitSignal(queue.painted):
        queue.filters.set_facet.choose([("Winter Open",)])
        queue.filters.changed.emit()
    steps.keys += 1
    assert len(queue.model.keys) == TOSSUPS
    steps.key(queue.table.selectAll)

    # consent, which writers gave by e-mail
    steps.choose(queue.bulk._fill_consents, "&Allow it")
    qtbot.waitUntil(lambda: queue.findChild(LineDialog) is not None)
    reason = queue.findChild(LineDialog)
    steps.type(reason.line, "By e-mail, 3 May.")
    steps.key(reason._enter)
    qtbot.waitUntil(lambda: app.store.facets().consents == {Consent.YES: TOSSUPS})

    # all steps to accepted in one pass; the short ones are named and stay
    steps.choose(queue.bulk._fill_statuses, "Accept…")
    qtbot.waitUntil(lambda: queue.review_actions.dialog is not None)
    status = queue.review_actions.dialog
    qtbot.waitUntil(lambda: not status.busy)
    assert status.left.topLevelItemCount() == 1  # one reason for all of them
    assert status.left.topLevelItem(0).childCount() == SHORT
    assert "Length: " in status.left.topLevelItem(0).text(2)
    steps.key(status.choose)
    wanted = {Status.DRAFT: SHORT, Status.ACCEPTED: TOSSUPS - SHORT}
    qtbot.waitUntil(lambda: app.store.facets().statuses == wanted)

    # one tag for all: Ctrl+T, a tick, Enter
    def reviews():
        return app.review.reviews(queue.model.keys)

    steps.key(queue.bulk.ask_tags)
    tags = next(one for one in queue.children() if type(one).__name__ == "TagsDialog")
    steps.click(next(iter(tags.boxes.values())))
    steps.key(tags._enter)
    qtbot.waitUntil(lambda: all((Round.BLIND, "eva") in one.tags for one in reviews().values()))

    # the challenge set: two clicks for the menu, Export…, Enter in the file dialog, Esc
    played = len(app.plays.unplayed(window.engines.engine))
    steps.clicks += 2
    windows.open("export-challenge")
    challenge = windows.find("export-challenge")
    qtbot.waitUntil(lambda: challenge.export_button.isEnabled())
    steps.clicks += 1
    steps.key(lambda: challenge.export_to(tmp_path / "set-1.0"))
    qtbot.waitUntil(lambda: not challenge.busy, timeout=120_000)
    assert (tmp_path / "set-1.0").is_dir(), challenge.message.text()
    released = json.loads((tmp_path / "set-1.0" / "questions.json").read_text(encoding="utf-8"))
    assert len(released["questions"]) == TOSSUPS - SHORT
    assert played == 0
    steps.key(challenge.reject)

    # one question is withdrawn: More, Withdraw…, a tick, the reason, Withdraw, Enter, Esc
    queue.table.clearSelection()
    steps.choose(queue._fill_more, "Withdraw")
    retraction = window.findChild(RetractDialog)
    qtbot.waitUntil(lambda: not retraction.busy and retraction.list.topLevelItemCount() > 0)
    steps.clicks += 1
    first = retraction.list.topLevelItem(0)
    first.setCheckState(0, first.checkState(0).Checked)
    steps.type(retraction.reason, "A clue is wrong.")
    steps.clicks += 1
    steps.key(lambda: retraction.retract_to(tmp_path / "set-1.1"))
    qtbot.waitUntil(lambda: "1 question withdrawn" in retraction.message.text())
    steps.key(retraction.reject)

    # export again after it: the menu, the folder of the last version, Open, Export…, Enter
    steps.clicks += 2
    windows.open("export-challenge")
    challenge = windows.find("export-challenge")
    qtbot.waitUntil(lambda: challenge.export_button.isEnabled())
    steps.clicks += 3
    challenge.after.setText(str(tmp_path / "set-1.1"))
    challenge.version.setText("1.2")
    steps.keys += 3
    steps.clicks += 1
    steps.key(lambda: challenge.export_to(tmp_path / "set-1.2"))
    qtbot.waitUntil(lambda: not challenge.busy, timeout=120_000)
    again = json.loads((tmp_path / "set-1.2" / "questions.json").read_text(encoding="utf-8"))
    assert len(again["questions"]) == TOSSUPS - SHORT - 1
    steps.key(challenge.reject)

    sys.stdout.write(f"{steps.clicks} clicks and {steps.keys} keys\n")
    assert steps.total <= MOST_STEPS
    kinds = [entry.text for entry in app.set_log.entries(LogFilter(kinds=("release",)))]
    assert kinds == [
        f"{TOSSUPS - SHORT - 1} tossups released in {challenge.metadata.title} 1.2",
        f"1 tossup withdrawn in {challenge.metadata.title} 1.1: A clue is wrong.",
        f"{TOSSUPS - SHORT} tossups released in {challenge.metadata.title} 1.0",
    ]
    assert len(app.queue.find(QueueFilter(consents=(Consent.YES,)), queue.table.sort)) == TOSSUPS
