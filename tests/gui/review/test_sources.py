"""Sources of clues in the window: noted, listed, opened on demand only, exported."""

from __future__ import annotations

import json

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from quizwriter.domain.evidence import Evidence, Passage
from quizwriter.domain.page import Page
from quizwriter.domain.span import Span

TEXT = "A lake that holds a fifth of all water. Seals live in it."


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.fixture
def window(qtbot, shared_window):
    qtbot.keyClicks(shared_window.draft, TEXT)
    return shared_window


@pytest.fixture
def dialog(qtbot, window):
    """The sources, with one of the first sentence."""
    window.draft.select(Span(0, 6))
    window.menus.actions["sources"].trigger()
    dialog = window.sources.dialog
    dialog.source.setText("A book, page 3: https://example.org/lake")
    dialog.excerpt.setText("One fifth.")
    dialog.note_button.click()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1)
    return dialog


def row(dialog, number=0):
    item = dialog.list.topLevelItem(number)
    return item.text(0), item.text(1)


def test_a_source_of_the_selected_words_is_signed_and_moves_with_them(qtbot, dialog, window, app):
    assert row(dialog) == ("“A lake”", "A book, page 3: https://example.org/lake")
    assert "1 of 2 sentences has a source." in dialog._summary.text()
    (event,) = app.review.review_of(window.session.tossup_id).clue_sources
    assert (event.author, event.body.quoted, event.body.excerpt) == ("ada", "A lake", "One fifth.")

    window.draft.select(Span(0, 0))
    qtbot.keyClicks(window.draft, "Listen: ")
    dialog.list.setCurrentItem(dialog.list.topLevelItem(0))
    dialog.go_button.click()
    assert window.draft.selected == Span(8, 14)

    window.draft.select(Span(0, 16))
    window.draft.cut()
    assert row(dialog)[0] == "“A lake” (no longer in the text)"
    assert not dialog.go_button.isEnabled()


def test_the_dialog_follows_the_selection_until_a_source_is_begun(dialog, window):
    window.draft.select(Span(TEXT.index("Seals"), TEXT.index(" live")))
    assert dialog._about.text() == "“Seals”"
    dialog.source.setText("A film")
    window.draft.select(Span(0, 6))
    assert dialog._about.text() == "“Seals”"


def test_a_source_is_changed_removed_and_brought_back(qtbot, dialog, window):
    dialog.list.setCurrentItem(dialog.list.topLevelItem(0))
    dialog.change_button.click()
    dialog.source.setText("Another book")
    dialog.note_button.click()
    qtbot.waitUntil(lambda: row(dialog) == ("“A lake”", "Another book"))

    dialog.list.setCurrentItem(dialog.list.topLevelItem(0))
    dialog.remove_button.click()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 0)
    window.review_actions.undo()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1)


def test_a_source_that_is_typed_and_not_noted_stays(qtbot, dialog, window, app):
    window.draft.select(Span(TEXT.index("Seals"), TEXT.index(" live")))
    dialog.source.setText("A film about seals")
    dialog.excerpt.setText("They swim.")
    window.menus.actions["sources"].trigger()
    assert (dialog.source.text(), dialog.excerpt.text()) == ("A film about seals", "They swim.")

    first = window.session.tossup_id
    window.sessions.open_new()
    assert dialog.source.text() == "A film about seals"
    assert not dialog.note_button.isEnabled()
    qtbot.keyClicks(window.draft, "Seals swim.")
    window.draft.select(Span(0, 5))
    assert dialog._about.text() == "“Seals”"
    dialog.note_button.click()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1)
    assert dialog.source.text() == ""
    assert len(app.review.review_of(first).clue_sources) == 1

    window.sessions.open_saved(first)
    qtbot.waitUntil(lambda: row(dialog)[1].startswith("A book"))
    dialog.list.setCurrentItem(dialog.list.topLevelItem(0))
    dialog.change_button.click()
    window.menus.actions["sources"].trigger()
    assert (dialog.source.text(), dialog.note_button.text()) == ("", "Add source")


def test_a_link_opens_only_when_it_is_asked_for(dialog, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    dialog.list.setCurrentItem(dialog.list.topLevelItem(0))
    dialog.list.itemActivated.emit(dialog.list.topLevelItem(0), 0)
    assert opened == []
    dialog.open_button.click()
    assert opened == ["https://example.org/lake"]


def test_one_key_cites_the_passage_of_the_evidence(qtbot, window, app):
    tossup = window.session.tossup
    passages = (
        Passage("2011 Winter, tossup 4", "Seals in a lake.", (), 1),
        Passage("2012 Winter, tossup 5", "More seals.", (), 1),
    )
    window.evidence.show_evidence(tossup, Evidence("ir", Page("Lake_Baikal"), passages=passages))
    window.evidence._write()
    window.draft.select(Span(len(TEXT) - 3, len(TEXT) - 3))
    window.menus.actions["cite-evidence"].trigger()
    qtbot.waitUntil(lambda: bool(app.review.review_of(window.session.tossup_id).clue_sources))
    (event,) = app.review.review_of(window.session.tossup_id).clue_sources
    assert (event.body.quoted, event.body.source) == ("Seals live in it.", "2011 Winter, tossup 4")

    window.draft.select(Span(0, 0))
    window.menus.actions["cite-evidence"].trigger()
    assert "no passage for this sentence" in window.messages.text("sources")


def test_sources_are_exported_as_a_table_and_as_json(qtbot, dialog, window, tmp_path):
    key = window.session.tossup_id
    for name in ("sources.csv", "sources.json"):
        dialog.export_wanted.emit()
        window.sessions.open_new()
        dialog.findChildren(QFileDialog)[-1].fileSelected.emit(str(tmp_path / name))
        qtbot.waitUntil(
            lambda name=name: f"1 source written to {tmp_path / name}." == window.messages.text("sources")
        )
        window.sessions.open_saved(key)
    assert (
        'A lake,"A book, page 3: https://example.org/lake",One fifth.,yes'
        in (tmp_path / "sources.csv").read_text()
    )
    (one,) = json.loads((tmp_path / "sources.json").read_text())
    assert one["sources"][0]["link"] == "https://example.org/lake"


def test_a_source_of_a_sentence_is_told_with_one_full_stop(qtbot, window):
    window.sources.cite("A book")
    said = "This tossup now has a source for “Seals live in it”."
    qtbot.waitUntil(lambda: window.messages.text("review") == said)
