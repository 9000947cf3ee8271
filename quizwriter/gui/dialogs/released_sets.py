"""The dialogs on released challenge sets: verifying one, and withdrawing questions in a new version."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QTreeWidget, QTreeWidgetItem, QWidget

from quizwriter.cancellation import Progress
from quizwriter.challenge.retraction import PublishedQuestion
from quizwriter.challenge.verify import VerifyReport
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import choice_box, plain_table, text_line, widen_columns
from quizwriter.gui.widgets.file_dialog import ask_folder, file_dialog
from quizwriter.gui.widgets.icons import SearchField
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.layouts import row_of
from quizwriter.services.wiring import App
from quizwriter.workflow.event_log import ReleaseRecord
from quizwriter.workflow.wording import counted_noun

MOST_PATHS = 5
"""Folders whose paths the dialog names; the list names all of them."""

NO_RELEASE = "No challenge set was exported here yet. Choose the folder of one."


class VerifyDialog(Dialog):
    """Verifies challenge sets, and lists what is wrong and what was verified."""

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, folders: Sequence[Path], parent: QWidget | None = None
    ) -> None:
        """The verification of the challenge sets in ``folders`` begins at once, one after the other."""
        super().__init__(theme, "Verify challenge set", parent, size=(720, 480))
        self._app = app
        self.list = QTreeWidget()
        self.list.setHeaderHidden(True)
        self.list.setAccessibleName("Problems and verified files")
        self.list.setWordWrap(True)
        names = [folder.name or str(folder) for folder in folders]
        self._names = names if len(set(names)) == len(names) else list(map(str, folders))
        heading = self._names[0] if len(folders) == 1 else counted_noun(len(folders), "challenge set")
        self.body.addWidget(self.label(heading, TextStyle.HEADING))
        self.body.addWidget(self.label("\n".join(map(str, folders[:MOST_PATHS])), TextStyle.CAPTION))
        self.body.addWidget(self.list, 1)
        self.copy_button = self.add_aside("Copy report", self._copy)
        self.copy_button.setEnabled(False)
        self._lines: list[str] = []

        def do(progress: Progress) -> list[VerifyReport]:
            from quizwriter.challenge.verify import VerifyReport, verify

            reports = []
            for folder in folders:
                try:
                    reports.append(verify(self._app, folder, lambda _, done, total: progress(done, total)))
                except QuizwriterError as trouble:
                    if len(folders) == 1:
                        raise
                    reports.append(VerifyReport([str(trouble)]))  # the other sets are verified all the same
            return reports

        self.run_job(
            jobs,
            "Verifying the files…",
            do,
            self._show,
            telling=lambda _, total: "Playing a sample again…" if total else "",
        )

    def _show(self, reports: Sequence[VerifyReport]) -> None:
        for name, report in zip(self._names, reports, strict=True):
            of_set = f" in {name}" if len(reports) > 1 else ""
            for title, lines in (("Problems", report.problems), ("Verified", report.notes)):
                if lines:
                    above = QTreeWidgetItem([f"{title}{of_set}: {len(lines):,}"])
                    for line in lines:
                        item = QTreeWidgetItem([line])
                        item.setToolTip(0, plain_tooltip(line))
                        above.addChild(item)
                    self.list.addTopLevelItem(above)
                    above.setExpanded(True)
            self._lines += [*([name] if of_set else []), *report.problems, *report.notes]
        self.copy_button.setEnabled(True)
        problems = sum(len(report.problems) for report in reports)
        said = f"{counted_noun(problems, 'problem')} found." if problems else "No problem was found."
        self.show_message(said, trouble=problems > 0)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._lines))


class RetractDialog(Dialog):
    """Withdraws questions of a released set in a new version, for a reason that is published."""

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, chosen: Sequence[str] = (), parent: QWidget | None = None
    ) -> None:
        """The tossups ``chosen`` are ticked, where the set has them."""
        super().__init__(theme, "Withdraw released questions", parent, size=(820, 560))
        self._app, self._jobs, self._chosen = app, jobs, frozenset(chosen)
        self._questions: tuple[PublishedQuestion, ...] = ()
        self._folder: Path | None = None
        self.releases = choice_box("Version")
        self.releases.activated.connect(lambda: self._read(Path(str(self.releases.currentData()))))
        row = row_of((self.releases, 1), outlined("Other folder…", self._choose_release), spacing=8)
        self.search = SearchField(theme, "Search the questions")
        self.search.textChanged.connect(self._filter)
        self.list = plain_table("Questions of the version", "Number", "Answer", "Text begins")
        self.list.setUniformRowHeights(True)
        widen_columns(self.list, theme.px, 110, 220)
        self.list.itemChanged.connect(self._enable)
        self.reason = text_line("Reason", "Reason; it is published", longest=2_000)
        self.reason.textChanged.connect(self._enable)
        self.body.addWidget(
            self.label(
                "The new version has the same files and lists the withdrawn questions with the reason. No "
                "later version releases them again.",
                TextStyle.CAPTION,
            )
        )
        self.body.addLayout(row)
        self.body.addWidget(self.search)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self.reason)
        self.retract_button = self.add_primary("Withdraw…", self._choose_folder)
        self._enable()
        self.run_job(jobs, "Looking for released sets…", lambda _: app.set_log.releases(), self._offer)

    def _offer(self, releases: tuple[ReleaseRecord, ...]) -> None:
        for one in reversed(releases):
            if Path(one.folder).is_dir():
                self.releases.addItem(f"{one.title} {one.version} ({one.folder})", one.folder)
        if self.releases.count():
            self._read(Path(str(self.releases.currentData())))
        else:
            self.show_message(NO_RELEASE)

    def _choose_release(self) -> None:
        ask_folder(self, "Choose the folder of a released version", self._read)

    def _read(self, folder: Path, said: str = "") -> None:
        from quizwriter.challenge.retraction import published_questions

        def then(found: tuple[PublishedQuestion, ...]) -> None:
            self._folder, self._questions = folder, found
            if self.releases.findData(str(folder)) < 0:
                self.releases.addItem(str(folder), str(folder))
            self.releases.setCurrentIndex(self.releases.findData(str(folder)))
            with QSignalBlocker(self.list):
                self.list.clear()
                for one in found:
                    item = QTreeWidgetItem([str(one.qanta_id), one.answer, one.text])
                    item.setToolTip(2, plain_tooltip(one.text))
                    if one.withdrawn:
                        item.setText(0, f"{one.qanta_id} (withdrawn)")
                        item.setDisabled(True)
                    else:
                        ticked = one.tossup_id in self._chosen
                        item.setCheckState(0, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
                    self.list.addTopLevelItem(item)
            self._filter()
            self._enable()
            self.show_message(said)

        self.run_job(
            self._jobs, "Reading the questions…", lambda _: published_questions(self._app, folder), then
        )

    @property
    def ticked(self) -> tuple[str, ...]:
        states = (self.list.topLevelItem(at) for at in range(self.list.topLevelItemCount()))
        return tuple(
            str(one.qanta_id)
            for one, item in zip(self._questions, states, strict=True)
            if not one.withdrawn and item is not None and item.checkState(0) is Qt.CheckState.Checked
        )

    def _filter(self) -> None:
        words = self.search.text().casefold().split()
        for at, one in enumerate(self._questions):
            item = self.list.topLevelItem(at)
            said = f"{one.qanta_id} {one.answer} {one.text}".casefold()
            if item is not None:
                item.setHidden(not all(word in said for word in words))

    def _enable(self) -> None:
        count = len(self.ticked) if self._questions else 0
        self.retract_button.setText(f"Withdraw {counted_noun(count, 'question')}…" if count else "Withdraw…")
        self.set_ready(count > 0 and bool(self.reason.text().strip()))

    def _choose_folder(self) -> None:
        dialog = file_dialog(self, "Folder of the new version")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, "Withdraw")
        if self._folder is not None:
            dialog.setDirectory(str(self._folder.parent))
            dialog.selectFile(f"{self._folder.name} after withdrawal")
        dialog.fileSelected.connect(lambda name: self.retract_to(Path(name)))
        dialog.open()

    def retract_to(self, out: Path) -> None:
        folder, ids, reason = self._folder, self.ticked, self.reason.text()
        if folder is None or not ids:
            return

        def do(_: Progress) -> str:
            from quizwriter.challenge.retraction import retract

            return retract(self._app, folder, ids, reason, out)

        def then(version: str) -> None:
            self.reason.clear()
            count = counted_noun(len(ids), "question")
            self._chosen = frozenset()
            self._read(out, f"{count} withdrawn. Version {version} is in {out}.")

        self.run_job(self._jobs, "Writing the new version…", do, then)
