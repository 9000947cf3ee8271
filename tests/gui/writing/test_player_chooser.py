"""The row of players whose evidence is chosen."""

from __future__ import annotations

from quizwriter.gui.writing.player_chooser import PlayerChooser

FIVE = ("ir", "dan", "rnn", "ensemble", "dense")


def test_every_name_is_whole_in_a_narrow_window(qtbot, theme):
    chooser = PlayerChooser(theme, "the evidence")
    qtbot.addWidget(chooser)
    chooser.show_players(FIVE, "dense")
    chooser.resize(250, chooser.heightForWidth(250))
    chooser.show()

    assert list(chooser._buttons) == list(FIVE)
    for button in chooser._buttons.values():
        assert button.width() >= button.sizeHint().width()
        assert chooser.rect().contains(button.geometry())

    chooser.show_players(("ir", "dan"), "ir")  # others leave no gap behind
    assert chooser.layout().count() == 2
