"""*File > Import questions…*: what files hold is shown question by question, then made drafts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHeaderView, QWidget

from quizwriter.cancellation import Cancellation, Progress
from quizwriter.domain.answer_line import without_markup
from quizwriter.formats.styled_html import styled_markup
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.dialogs.import_writers import ImportWriters
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import choice_box, named, plain_table, widen_columns
from quizwriter.gui.widgets.labels import RichPane, tree_row
from quizwriter.gui.widgets.layouts import FieldRows
from quizwriter.gui.widgets.question_view import LONGEST_SHOWN
from quizwriter.services.known_people import KnownPerson
from quizwriter.services.transfer import MOST_PREVIEWED, ImportPreview, ImportReport, left_out_lines
from quizwriter.services.wiring import App
from quizwriter.workflow.problems.rule import PageIndex
from quizwriter.workflow.queue import person_name
from quizwriter.workflow.wording import counted_noun

_Found = tuple[ImportPreview, tuple[str, ...], tuple[KnownPerson, ...]]
"""What an import would add, the sets there are, and the people."""


class ImportDialog(Dialog):
    """Shows each question that an import would add, says what was not read, adds those that are ticked, and
    closes.

    ``imported`` carries the ids of the new drafts, whether they are to be played, and how many came of what.
    """

    imported = Signal(object, bool, str)

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, paths: Sequence[Path],
        pages: PageIndex | None = None, parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        """The import of the files ``paths``; answers are looked up in ``pages``, those of the bundle."""
        super().__init__(theme, "Import questions", parent, size=(820, 720))
        self._app, self._jobs, self._paths, self._pages = app, jobs, tuple(paths), pages
        self._preview: ImportPreview | None = None
        names = ", ".join(path.name for path in paths[:3])
        title = names if len(paths) <= 3 else f"{counted_noun(len(paths), 'file')}: {names}, …"
        self.list = plain_table("New drafts", "Answer", "Author", "Category", "Text begins")
        self.list.setUniformRowHeights(True)
        header = self.list.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        widen_columns(self.list, theme.px, 200, 110, 130)
        self.list.currentItemChanged.connect(lambda *_: self._show_question())
        self.list.itemChanged.connect(lambda *_: self._allow())
        self.view = named(RichPane(), "The question")
        theme.changed.connect(self._show_question)
        self.set = choice_box("Set")
        self.set.setEditable(True)
        line = self.set.lineEdit()
        assert line is not None
        line.setPlaceholderText("In no set")
        line.setMaxLength(200)
        self.play = QCheckBox("Play them in the background")
        self.play.setChecked(True)
        self.report = self.label("", TextStyle.CAPTION)
        self.writers = ImportWriters()
        where = QWidget()
        form = FieldRows()
        form.setContentsMargins(0, 0, 0, 0)
        form.add("Put the drafts into the set", self.set)
        where.setLayout(form)
        self._full = (self.list, self.view, where, self.play)
        self.body.addWidget(self.label(title, TextStyle.HEADING))
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self.view, 1)
        self.body.addWidget(self.report)
        self.body.addWidget(self.writers)
        self.body.addWidget(where)
        self.body.addWidget(self.play)
        self.import_button = self.add_primary("Import", self.start_import)
        self.name_close_button("Cancel")
        self.set_ready(False)
        self.fill(False, *self._full)
        self._read()

    def _read(self) -> None:
        cancellation = Cancellation()

        def do(progress: Progress) -> _Found:
            preview = self._app.transfer.preview_import(
                self._paths,
                pages=self._pages,
                progress=lambda report: progress(round(100 * report.read), 100),
                cancellation=cancellation,
            )
            sets = tuple(name for name in self._app.review.sets() if name)
            return preview, sets, self._app.people.known()

        self.run_job(self._jobs, "Reading the files…", do, self._show, cancel=cancellation.cancel)

    def _show(self, found: _Found) -> None:
        preview, sets, people = found
        self._preview = preview
        new = len(preview.drafts)
        self.fill(bool(new), *self._full)
        self.writers.ask(preview.writers if new else (), people)
        with QSignalBlocker(self.list):
            for row in preview.drafts[:MOST_PREVIEWED]:
                author = person_name(preview.people, row.author)
                cells = [without_markup(row.answer_line), author, " / ".join(row.category), row.opening]
                item = tree_row(cells)
                item.setCheckState(0, Qt.CheckState.Checked)
                self.list.addTopLevelItem(item)
        self.set.addItems(["", *sets])
        said = [f"{counted_noun(new, 'new draft')}." if new else "Nothing to import."]
        if new > MOST_PREVIEWED:
            said.append(f"The list shows the first {MOST_PREVIEWED:,}.")
        if preview.unlisted:
            said.append(f"The players do not know {counted_noun(preview.unlisted, 'answer')}.")
        if preview.known:
            said.append(
                f"{counted_noun(preview.known, 'tossup')} of the files "
                f"{'is' if preview.known == 1 else 'are'} here already."
            )
        self.report.setText("\n".join([" ".join(said), *left_out_lines(preview.reports, with_folders=False)]))
        if (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)
            self.list.setFocus()  # it had no room for the keyboard while the files were read
        else:
            self.name_close_button("Close")
            self.fit()
        self._allow()

    def _left_out(self) -> list[str]:
        """The ids of the drafts that are not ticked."""
        rows = self._preview.drafts[:MOST_PREVIEWED] if self._preview is not None else ()
        unticked = Qt.CheckState.Unchecked
        return [
            row.tossup_id
            for place, row in enumerate(rows)
            if (item := self.list.topLevelItem(place)) is not None and item.checkState(0) == unticked
        ]

    def _allow(self) -> None:
        new = len(self._preview.drafts) - len(self._left_out()) if self._preview is not None else 0
        self.import_button.setText(f"Import {counted_noun(new, 'draft')}" if new else "Import")
        self.set_ready(new > 0)

    def _show_question(self) -> None:
        place = self.list.currentIndex().row()
        row = self._preview.drafts[place] if self._preview is not None and place >= 0 else None
        stored = self._preview.questions.get(row.tossup_id) if self._preview is not None and row else None
        if stored is None:
            self.view.show_html("")
            return
        tossup, soft = stored.tossup, self._theme.tokens.soft
        line = tossup.answer.line if tossup.answer is not None else ""
        text, answer = tossup.text[:LONGEST_SHOWN], line[:LONGEST_SHOWN]
        self.view.show_html(
            f"<p style='margin:8px 0 4px 0; line-height:112%; font-family:{self._theme.draft_families}'>"
            f"{styled_markup(text, stored.styles)}{' …' * (len(tossup.text) > len(text))}</p>"
            f"<p style='margin:4px 0 8px 0'><span style='color:{soft}'>ANSWER:</span> "
            f"{styled_markup(answer, stored.answer_styles)}{' …' * (len(line) > len(answer))}</p>"
        )

    def start_import(self) -> None:
        name, cancellation = " ".join(self.set.currentText().split()), Cancellation()
        left_out, writers = frozenset(self._left_out()), self.writers.answers

        def do(progress: Progress) -> ImportReport:
            return self._app.transfer.import_files(
                self._paths,
                set_name=name,
                writers=writers,
                without=left_out,
                pages=self._pages,
                progress=lambda report: progress(round(100 * report.read), 100),
                cancellation=cancellation,
            )

        def then(report: ImportReport) -> None:
            self.imported.emit(tuple(report.added), self.play.isChecked(), report.sentence(name))
            self.accept()

        self.run_job(self._jobs, "Importing…", do, then, cancel=cancellation.cancel)

    def show_failure(self, text: str) -> None:
        super().show_failure(text)
        self._allow()
