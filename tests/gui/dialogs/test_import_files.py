"""The import in the window: questions shown one by one, ticked, and made drafts; pasted ones, too."""

from __future__ import annotations

import errno

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QPushButton

from quizwriter.domain.review import Person
from quizwriter.domain.styles import LetterStyle
from quizwriter.gui.dialogs.import_files import ImportDialog
from quizwriter.gui.queue.play_all import NO_ENGINE
from tests.helpers.windows import is_news

FIRST = (
    "1. This animal, in a story by a made-up author, sleeps on a stove and (*) counts the flies above it. "
    "For 10 points, name this animal that purrs.\nANSWER: cat [accept kitten]\n<Ada, Biology>"
)
SECOND = (
    "2. This bird swims on a pond in a made-up city, where (*) seven painters feed it with old bread. "
    "For 10 points, name this bird that quacks.\nANSWER: duck"
)
BONUS = (
    "1. This bird builds nests. For 10 points each:\n[10] Name this bird that quacks and swims on ponds.\n"
    "ANSWER: duck\n[10] This person wrote about ducks, and about the ponds they swim on.\nANSWER: Ada\n"
    "[10] This made-up city holds ducks in a park.\nANSWER: Pondville"
)


def paste(window, text, html):
    source = QMimeData()
    source.setText(text)
    source.setHtml(html)
    window.draft.insertFromMimeData(source)


def shown(qtbot, window):
    qtbot.waitUntil(lambda: bool(window.findChildren(ImportDialog)))
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(lambda: not dialog.busy)
    return dialog


def drafts(app):
    return {one.answer_line: one.tossup_id for one in app.store.tossups()}


@pytest.fixture
def nameless(app):
    """Who imports is not asked for a name."""
    app.profile.save_settings(replace(app.profile.settings, profile_name=""))


@pytest.mark.usefixtures("nameless")
def test_several_questions_that_are_pasted_are_shown_and_become_drafts_with_their_styles(qtbot, window, app):
    text = f"{FIRST}\n\n{SECOND}\n\n{BONUS}"
    html = text.replace("<Ada, Biology>", "&lt;Ada, Biology&gt;").replace("\n", "<br>")
    paste(window, text, html.replace("made-up author", "<i>made-up</i> author"))
    assert window.messages.text("pasted") == (
        "This looks like 2 tossups and 1 bonus. Press Ctrl+Alt+V to see them and make a draft of each, or "
        "leave the text as it is."
    )
    window.menus.actions["fill-question"].trigger()
    dialog = shown(qtbot, window)
    assert [dialog.list.topLevelItem(row).text(0) for row in range(2)] == ["cat [accept kitten]", "duck"]
    assert dialog.focusWidget() is dialog.list
    assert "counts the flies" in dialog.view.toPlainText()
    assert dialog.view.toPlainText().endswith("ANSWER: cat [accept kitten]")
    dialog.list.setCurrentItem(dialog.list.topLevelItem(1))
    assert "seven painters" in dialog.view.toPlainText()

    dialog.play.setChecked(False)
    with qtbot.waitSignal(dialog.imported):
        dialog.import_button.click()
    qtbot.waitUntil(lambda: not window.findChildren(ImportDialog))
    stored = app.store.load(drafts(app)["cat [accept kitten]"])
    words = [stored.tossup.text[one.start : one.end] for one in stored.styles.spans()]
    assert (words, [one.styles for one in stored.styles.spans()]) == (["made-up"], [(LetterStyle.ITALIC,)])

    assert window.draft.text == text  # nobody takes it away
    assert window.messages.text("pasted") == "2 drafts added, 1 bonus left out."
    assert window.messages.text("import") == ""  # once is enough
    buttons = window.messages.findChildren(QPushButton)
    assert is_news(window, "pasted")
    next(one for one in buttons if one.text() == "Move the paste to the bin").click()
    qtbot.waitUntil(lambda: len(app.tossups.bin_contents()) == 1)


def test_a_full_disk_is_told_in_a_sentence_and_the_paste_stays(qtbot, window, monkeypatch):
    def full(**_):
        raise OSError(errno.ENOSPC, "No space left on device")

    text = f"{FIRST}\n\n{SECOND}"
    paste(window, text, text.replace("<Ada, Biology>", "").replace("\n", "<br>"))
    with monkeypatch.context() as patched:
        patched.setattr("quizwriter.gui.secondary_windows.TemporaryDirectory", full)
        window.menus.actions["fill-question"].trigger()
        qtbot.waitUntil(lambda: "No space left" in (window.messages.text("pasted") or ""))
    said = window.messages.text("pasted")
    assert said.endswith("Free some disk space, and try again.")
    assert not is_news(window, "pasted")
    assert "seven painters" in window.draft.text
    assert not window.findChildren(ImportDialog)

    again = next(one for one in window.messages.findChildren(QPushButton) if one.text() == "Try again")
    again.click()
    dialog = shown(qtbot, window)
    assert dialog.list.topLevelItemCount() == 2
    dialog.reject()


@pytest.fixture
def dialog(qtbot, window, nameless, tmp_path):
    packet = tmp_path / "two rounds.txt"
    packet.write_text(f"Round 1\n\n{FIRST}\n\nRound 2\n\n1.{SECOND[2:]}")
    window.windows.import_files([packet])
    dialog = shown(qtbot, window)
    dialog.play.setChecked(False)
    return dialog


def test_a_question_that_is_not_ticked_is_left_out_and_games_without_players_are_told(
    qtbot, window, app, dialog
):
    dialog.list.topLevelItem(0).setCheckState(0, Qt.CheckState.Unchecked)
    assert dialog.import_button.text() == "Import 1 draft"
    dialog.play.setChecked(True)
    with qtbot.waitSignal(dialog.imported):
        dialog.import_button.click()
    assert list(drafts(app)) == ["duck"]
    qtbot.waitUntil(lambda: not window.findChildren(ImportDialog))
    assert window.messages.text("import") == "1 draft added."
    assert window.messages.text("games") == NO_ENGINE
    window.engines.engine_changed.emit()
    assert window.messages.text("games") == ""


class Pages:
    """A bundle that has a page for no answer."""

    def find(self, title):
        return None

    meant = find


def test_what_is_here_already_is_a_sentence_and_no_empty_table(qtbot, window, app, tmp_path):
    path = tmp_path / "packet.txt"
    path.write_text(f"{FIRST}\n\n{SECOND}\n", encoding="utf-8")
    app.transfer.import_files([path])
    dialog = ImportDialog(app, window.theme, window.windows.jobs, [path], Pages(), window)
    dialog.show()
    qtbot.waitUntil(lambda: not dialog.busy)
    assert dialog.report.text() == "Nothing to import. 2 tossups of the files are here already."
    assert dialog.list.isHidden()
    assert dialog.view.isHidden()
    assert dialog.writers.isHidden()
    assert dialog.height() < 300
    assert dialog.close_button.text() == "Close"
    assert dialog.report.height() >= dialog.report.heightForWidth(dialog.report.width())
    dialog.reject()


def test_only_the_answers_of_new_drafts_are_counted_as_unknown(qtbot, window, app, tmp_path):
    path = tmp_path / "packet.txt"
    path.write_text(f"{FIRST}\n", encoding="utf-8")
    app.transfer.import_files([path])
    path.write_text(f"{FIRST}\n\n{SECOND}\n", encoding="utf-8")
    assert app.transfer.preview_import([path], pages=Pages()).unlisted == 1


def test_numbers_may_begin_anew_within_a_file(qtbot, app, dialog):
    new, headings = dialog.report.text().splitlines()
    assert new == "2 new drafts."
    assert headings == (
        "two rounds.txt: 2 lines left out as not part of a question (headings, notes, page numbers)."
    )
    with qtbot.waitSignal(dialog.imported):
        dialog.import_button.click()
    assert set(drafts(app)) == {"cat [accept kitten]", "duck"}


def test_whose_the_questions_are_is_asked_once_with_a_proposal(qtbot, window, app, tmp_path):
    app.profile.set_profile("Ada Example", "ada@example.org")
    app.store.save_person(Person("ben", "Ben Ortiz", "", 1))
    path = tmp_path / "packet.txt"
    path.write_text(f"{FIRST}\n\n{SECOND}\n<Zoe, Biology>\n", encoding="utf-8")
    dialog = ImportDialog(app, window.theme, window.windows.jobs, [path], None, window)
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(lambda: not dialog.busy)
    ada, zoe = dialog.writers.choices["Ada"], dialog.writers.choices["Zoe"]
    assert ada.currentText() == "Me (Ada Example)"
    assert [zoe.itemText(at) for at in range(zoe.count())] == [
        "Me (Ada Example)",
        "Ben Ortiz",
        "Another writer of this set",
        "A writer who does not use QuizWriter",
    ]
    assert zoe.currentText() == "Another writer of this set"
    zoe.setCurrentText("Ben Ortiz")
    dialog.play.setChecked(False)
    with qtbot.waitSignal(dialog.imported):
        dialog.import_button.click()

    written = {line: app.store.review_of(key).writer for line, key in drafts(app).items()}
    assert written == {"cat [accept kitten]": app.profile.me.id, "duck": "ben"}
    assert app.people.answers("packet.txt") == {"ada": app.profile.me.id, "zoe": "ben"}
