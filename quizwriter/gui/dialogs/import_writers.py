"""The question of an import: whose are these? One choice for each name in the files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtWidgets import QComboBox, QLabel, QScrollArea, QWidget

from quizwriter.domain.review import name_key
from quizwriter.gui.widgets.fields import choice_box, scrolling
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import NO_MARGINS, FieldRows, column_of
from quizwriter.services.known_people import LATER, OUTSIDE, OUTSIDER, KnownPerson, NamedWriter
from quizwriter.workflow.wording import counted_noun

QUESTION = "Who wrote these? The choices were made by names and initials; change any that are wrong."
MOST_HEIGHT = 168
"""Pixels of the choices at most; beyond that they scroll."""

_ANOTHER = "Another writer of this set"


class ImportWriters(QWidget):
    """For each name in the files, a choice of whose the questions with it are."""

    def __init__(self) -> None:
        super().__init__()
        self.choices: dict[str, QComboBox] = {}
        inside = QWidget()
        self._rows = FieldRows()
        self._rows.setContentsMargins(0, 0, 8, 0)
        inside.setLayout(self._rows)
        self._area: QScrollArea = scrolling(inside, sideways=False)
        self._inside = inside
        self.question: QLabel = plain_label(QUESTION)
        column_of(self.question, self._area, on=self, margins=NO_MARGINS, spacing=4)
        self.hide()

    def ask(self, names: Sequence[NamedWriter], people: Iterable[KnownPerson]) -> None:
        """Ask of each of ``names``; the first of ``people`` is the user."""
        known = [one for one in people if not one.into]
        for one in names:
            title = one.name or "Questions without a name"
            box = choice_box(f"Whose are the questions of {title}?")
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            for place, who in enumerate(known):
                name = who.person.name or who.person.email
                if place == 0:
                    box.addItem(f"Me ({name})" if name else "Me", who.person.id)
                elif name:
                    box.addItem(name, who.person.id)
            if one.name:
                box.addItem(_ANOTHER, LATER)
                box.addItem(OUTSIDER, OUTSIDE)
            wanted = next((at for at in (one.answer, one.proposal, LATER) if box.findData(at) >= 0), None)
            box.setCurrentIndex(0 if wanted is None else box.findData(wanted))
            self._rows.add(f"{title[:40]} ({counted_noun(one.questions, 'question')})", box)
            self.choices[one.name] = box
        self._area.setFixedHeight(min(MOST_HEIGHT, self._rows.totalSizeHint().height() + 4))
        self.setVisible(bool(names))

    @property
    def answers(self) -> dict[str, str]:
        """What was chosen, by :func:`quizwriter.domain.review.name_key`."""
        return {name_key(name): str(box.currentData()) for name, box in self.choices.items()}
