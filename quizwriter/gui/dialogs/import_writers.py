"""The question of an import: whose are these? One choice for each name in the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
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
        titles: dict[str, str] = {}
        for known in people:
            name = known.person.name or known.person.email
            if not titles:
                titles[known.person.id] = f"Me ({name})" if name else "Me"
            elif name and not known.into:
                titles[known.person.id] = name
        # one list for all boxes: a packet may have a thousand names, and each be any of a thousand people
        nameless, named = (
            self._model(some) for some in (titles, titles | {LATER: _ANOTHER, OUTSIDE: OUTSIDER})
        )
        places = {who: place for place, who in enumerate((*titles, LATER, OUTSIDE))}
        for one in names:
            title = one.name or "Questions without a name"
            box = choice_box(f"Whose are the questions of {title}?")
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setModel(named if one.name else nameless)
            wanted = next(places[who] for who in (one.answer, one.proposal, LATER) if who in places)
            box.setCurrentIndex(wanted if wanted < box.count() else 0)
            self._rows.add(f"{title[:40]} ({counted_noun(one.questions, 'question')})", box)
            self.choices[one.name] = box
        self._area.setFixedHeight(min(MOST_HEIGHT, self._rows.totalSizeHint().height() + 4))
        self.setVisible(bool(names))

    def _model(self, titles: Mapping[str, str]) -> QStandardItemModel:
        model = QStandardItemModel(self)
        for who, title in titles.items():
            item = QStandardItem(title)
            item.setData(who, Qt.ItemDataRole.UserRole)
            model.appendRow(item)
        return model

    @property
    def answers(self) -> dict[str, str]:
        """What was chosen, by :func:`quizwriter.domain.review.name_key`."""
        return {name_key(name): str(box.currentData()) for name, box in self.choices.items()}
