"""Where the dialog that asks for files begins."""

from pathlib import Path

import pytest

from quizwriter.gui.widgets.file_dialog import LONGEST_NAME, begin_in, file_dialog, save_dialog


def test_a_saved_folder_that_the_system_refuses_to_look_at_keeps_no_dialog_from_opening(qtbot, monkeypatch):
    """``Path.is_dir`` raises for such a folder, as for one of a network that is cut off."""
    monkeypatch.setattr("quizwriter.gui.widgets.file_dialog._last", [])
    begin_in("/" + "x" * 9_000)
    dialog = file_dialog(None, "Import questions")
    qtbot.addWidget(dialog)
    assert Path(dialog.directory().absolutePath()).is_dir()


@pytest.mark.parametrize(
    ("name", "proposed"),
    [
        ("sources.csv", "sources.csv"),
        ("9/11: A\\B?.csv", "9 11 A B.csv"),
        ("../../x.csv", "x.csv"),
        ("...And Justice for All.csv", "And Justice for All.csv"),
        ("???.csv", "packet.csv"),
        ("\ud800é.csv", "é.csv"),
        ("a" * 300 + ".csv", "a" * LONGEST_NAME + ".csv"),
        ("a" + "\U0001f3b5" * 100 + ".csv", "a" + "\U0001f3b5" * (LONGEST_NAME // 4 - 1) + ".csv"),
    ],
)
def test_a_new_file_is_proposed_where_the_last_one_was_with_the_ending_of_its_type(
    qtbot, monkeypatch, tmp_path, name, proposed
):
    monkeypatch.setattr("quizwriter.gui.widgets.file_dialog._last", [])
    begin_in(str(tmp_path))
    dialog = save_dialog(None, "Export", name, "Tables (*.csv);;JSON (*.json)")
    qtbot.addWidget(dialog)
    assert dialog.selectedFiles() == [str(tmp_path / proposed)]
    dialog.filterSelected.emit("JSON (*.json)")
    assert dialog.defaultSuffix() == "json"
