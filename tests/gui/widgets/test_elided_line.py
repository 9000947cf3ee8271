"""A long line ends in an ellipsis until somebody types into it."""

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from quizwriter.gui.widgets.elided_line import ElidedLineEdit


@pytest.fixture
def lines(qtbot):
    """Two lines in a window, the second of which has the keyboard."""
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    made = ElidedLineEdit(), ElidedLineEdit()
    for line in made:
        line.setFixedWidth(120)
        layout.addWidget(line)
    window.show()
    qtbot.waitExposed(window)
    made[1].setFocus()
    yield made
    window.close()  # and until here it is kept, with the lines in it


def test_a_long_text_is_elided_while_nobody_types(lines):
    line, other = lines
    line.setText("Madama Butterfly [or Madame Butterfly; prompt on Cio-Cio-San]")

    assert line.is_elided
    line.setFocus()
    assert not line.is_elided
    other.setFocus()
    assert line.is_elided


def test_a_text_that_fits_is_shown_whole(lines):
    lines[0].setText("Turandot")

    assert not lines[0].is_elided


def test_the_ellipsis_is_painted_and_the_end_is_not(lines):
    line = lines[0]
    line.setText("Madama Butterfly [or Madame Butterfly]")
    elided = line.grab().toImage()
    line.setText("Madama Butterfly [or the opera about Nagasaki]")

    assert line.grab().toImage() == elided  # what differs lies beyond the ellipsis
    line.setText("Turandot")
    assert line.grab().toImage() != elided
