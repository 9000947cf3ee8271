"""The log as a list: what its cells say, its filters, and what it says where there is nothing to list."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from quizwriter.domain.review import Person
from quizwriter.domain.signatures import Authenticity
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs, stop_background
from quizwriter.gui.review.log_pane import NOTHING, TITLES, LogModel, LogPane
from quizwriter.services.set_log import SetLog
from quizwriter.workflow.event_log import KINDS, SIGNATURES, person_labels
from tests.helpers.made_queue import put_four

WHEN, WHO, TOSSUP, KIND, WHAT = range(len(TITLES))


@pytest.fixture
def opened(qtbot, app, theme):
    """Opens the pane, filled."""
    jobs, panes = Jobs("test"), []

    def open_one(tossup_id=""):
        pane = LogPane(app, theme, jobs, tossup_id)
        qtbot.addWidget(pane)
        panes.append(pane)
        pane.resize(900, 400)
        pane.show()
        with qtbot.waitSignal(pane.painted):
            pane.read()
        return pane

    yield open_one
    for pane in panes:
        stop_background(pane)
    jobs.stop()


def cells(pane, column):
    return [pane.model.index(at, column).data() for at in range(pane.model.rowCount())]


def test_an_empty_log_says_so(opened):
    pane = opened()

    assert pane.nothing.text() == NOTHING
    assert pane.nothing.isVisible()
    assert not pane.table.isVisible()


def test_a_row_says_who_did_what_to_which_tossup(app, opened):
    put_four(app)
    pane = opened()

    at = cells(pane, KIND).index(KINDS["status"])
    assert cells(pane, WHO)[at].startswith("Ada")
    assert "Too vague." in " ".join(cells(pane, WHAT))
    assert {"Kraków", "Zürich"} <= {
        title.strip("_").partition(" [")[0].strip("_") for title in cells(pane, TOSSUP)
    }
    assert all(cells(pane, WHEN))


def test_the_log_of_one_tossup_has_no_columns_for_what_is_known(app, opened):
    put_four(app)
    pane = opened("b")

    assert {one.tossup_id for entry in pane.model.entries for one in entry.tossups} == {"b"}
    assert pane.table.isColumnHidden(TOSSUP)
    assert not pane.sets.isVisible()


def test_filters_hold_together_and_stay_when_the_log_is_read_again(qtbot, app, opened):
    put_four(app)
    pane = opened()
    whole = len(pane.model.entries)
    pane.authors.choose([("ben",)])
    pane.choose_set("Autumn")
    assert {entry.author for entry in pane.model.entries} == {"ben"}
    assert 0 < len(pane.model.entries) < whole

    pane.search.setText("which lake")
    qtbot.waitUntil(lambda: len(pane.model.entries) == 1)
    with qtbot.waitSignal(pane.painted):
        pane.read()
    assert pane.count.text() == "1 entry"
    assert pane.filter.text == "which lake"


def test_what_was_taken_back_is_told_so_and_looks_paler(app, opened):
    put_four(app)
    app.review.take_back(app.review.events("c")[-1:])
    pane = opened("c")

    said = cells(pane, WHAT)
    (at,) = [at for at, text in enumerate(said) if text.endswith("(undone)")]
    paler = pane.model.index(at, WHAT).data(Qt.ItemDataRole.ForegroundRole)
    assert paler is not None
    others = [row for row, entry in enumerate(pane.model.entries) if entry.counts]
    assert pane.model.index(others[0], WHAT).data(Qt.ItemDataRole.ForegroundRole) is None


def test_a_name_carries_what_its_signature_is_worth(app, theme):
    put_four(app)
    entry = app.set_log.entries()[0]
    entries = [replace(entry, authenticity=worth) for worth in Authenticity]
    model = LogModel(theme)
    model.show_entries(entries, person_labels({entry.author: Person(entry.author, "Ada", "", 1)}))

    for at, one in enumerate(entries):
        index = model.index(at, WHO)
        assert index.data().endswith("✓") == (one.authenticity is Authenticity.VERIFIED)
        assert SIGNATURES[one.authenticity] in index.data(Qt.ItemDataRole.ToolTipRole)
        alarming = one.authenticity in (Authenticity.OTHER_KEY, Authenticity.FORGED)
        assert (index.data(Qt.ItemDataRole.ForegroundRole) is not None) == alarming or not one.counts


def test_a_database_that_cannot_be_read_says_why(qtbot, app, opened, monkeypatch):
    def refuse(self, wanted=None):
        raise QuizwriterError("The database is damaged.", "Restore a backup.")

    put_four(app)
    pane = opened()
    monkeypatch.setattr(SetLog, "entries", refuse)
    pane.read()
    qtbot.waitUntil(lambda: pane.nothing.isVisible())

    assert pane.nothing.text() == "The database is damaged. Restore a backup."
    assert not pane.table.isVisible()


def test_the_time_of_an_entry_is_not_cut_whatever_the_size_of_the_letters(qapp, app, opened, theme):
    put_four(app)
    theme.use_letters(family="", draft_px=16, percent=200)
    pane = opened()
    needed = pane.table.fontMetrics().horizontalAdvance(cells(pane, WHEN)[0])
    assert pane.table.columnWidth(WHEN) > needed
    pane.table.setColumnWidth(WHEN, 300)
    pane.read()
    assert pane.table.columnWidth(WHEN) == 300
