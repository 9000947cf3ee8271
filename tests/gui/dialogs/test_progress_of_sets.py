"""The progress of writers and sets: their figures, and the samples drawn for review."""

from __future__ import annotations

import pytest
import shiboken6

from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.dialogs.progress_of_sets import ProgressDialog
from quizwriter.services.wiring import App
from quizwriter.workflow.set_progress import PROGRESS_COLUMNS


@pytest.fixture
def dialog(qtbot, four, theme):
    jobs = Jobs("test")
    dialog = ProgressDialog(four, theme, jobs)
    dialog.show()
    ready(qtbot, dialog)
    yield dialog
    if shiboken6.isValid(dialog):
        dialog.done(0)
    jobs.stop()


def ready(qtbot, dialog):
    qtbot.waitUntil(lambda: not dialog.busy)


def shown(dialog):
    """The rows, the first column of each, under their headings."""
    tops = [dialog.list.topLevelItem(at) for at in range(dialog.list.topLevelItemCount())]
    return {top.text(0): [top.child(at).text(0) for at in range(top.childCount())] for top in tops}


def row(dialog, heading, name):
    tops = [dialog.list.topLevelItem(at) for at in range(dialog.list.topLevelItemCount())]
    (top,) = [one for one in tops if one.text(0) == heading]
    (found,) = [top.child(at) for at in range(top.childCount()) if top.child(at).text(0) == name]
    return found


def test_writers_and_sets_have_their_figures(dialog):
    found = shown(dialog)

    assert sorted(found["Writers"]) == ["Ada", "Ben", "unknown"]
    assert {"Autumn", "Winter"} <= set(found["Sets"])
    at = PROGRESS_COLUMNS.index("Tossups")
    assert row(dialog, "Writers", "Ada").text(at) == "2"
    assert row(dialog, "Writers", "Ben").text(at) == "1"
    assert dialog.set.itemText(0) == "Every set"


def test_all_headings_are_in_sight_whole(dialog):
    header = dialog.list.header()
    assert header.count() == len(PROGRESS_COLUMNS)
    for at in range(header.count()):
        assert header.sectionSize(at) >= header.sectionSizeHint(at)
    last = header.count() - 1
    name = header.fontMetrics().horizontalAdvance(PROGRESS_COLUMNS[last])
    assert header.sectionViewportPosition(last) + name < dialog.list.viewport().width()


def test_one_set_is_counted_alone(qtbot, dialog):
    dialog.set.setCurrentIndex(dialog.set.findData("Winter"))
    ready(qtbot, dialog)

    assert shown(dialog)["Writers"] == ["Ada"]
    assert row(dialog, "Writers", "Ada").text(PROGRESS_COLUMNS.index("Tossups")) == "1"
    assert dialog.set.count() == len({dialog.set.itemText(at) for at in range(dialog.set.count())})


def test_the_sample_of_the_chosen_writer_goes_to_the_queue(qtbot, dialog):
    assert dialog.sample_button.text() == "Show the sample of 4 tossups in the queue"
    dialog.list.setCurrentItem(row(dialog, "Writers", "Ben"))
    assert dialog.sample_button.text() == "Show the sample of 1 tossup in the queue"

    with qtbot.waitSignal(dialog.sample_chosen) as chosen:
        dialog.sample_button.click()
    assert chosen.args == [("b",)]
    assert dialog.closed


def test_without_tossups_there_is_no_sample(qtbot, theme, tmp_path):
    app, jobs = App(tmp_path), Jobs("test")
    dialog = ProgressDialog(app, theme, jobs)
    dialog.show()
    ready(qtbot, dialog)

    assert dialog.sample == ()
    assert not dialog.sample_button.isEnabled()
    dialog.done(0)
    jobs.stop()
    app.store.close()


def test_each_number_of_the_state_leads_to_its_tossups(qtbot, dialog):
    tops = [dialog.state.topLevelItem(at) for at in range(dialog.state.topLevelItemCount())]
    groups = {top.text(0): top for top in tops}
    (drafts,) = [
        one
        for at in range(groups["Written"].childCount())
        if (one := groups["Written"].child(at)).text(0) == "Draft"
    ]
    with qtbot.waitSignal(dialog.sample_chosen) as chosen:
        dialog.state.itemActivated.emit(drafts, 0)
    assert f"{len(chosen.args[0]):,}" == drafts.text(1) != "0"
