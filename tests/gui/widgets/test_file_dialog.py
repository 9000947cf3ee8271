"""Where the dialog that asks for files begins."""

from pathlib import Path

from quizwriter.gui.widgets.file_dialog import begin_in, file_dialog


def test_a_saved_folder_that_the_system_refuses_to_look_at_keeps_no_dialog_from_opening(qtbot, monkeypatch):
    """``Path.is_dir`` raises for such a folder, as for one of a network that is cut off."""
    monkeypatch.setattr("quizwriter.gui.widgets.file_dialog._last", [])
    begin_in("/" + "x" * 9_000)
    dialog = file_dialog(None, "Import questions")
    qtbot.addWidget(dialog)
    assert Path(dialog.directory().absolutePath()).is_dir()
