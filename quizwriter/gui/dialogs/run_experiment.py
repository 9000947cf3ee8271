"""*Review > Experiments…*: each with what it asks; run on a source, it shows table, plot and sentence."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontInfo, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTabWidget,
    QTreeWidgetItem,
    QWidget,
)

from quizwriter.cancellation import Cancellation, Progress
from quizwriter.experiments.drawing import PlotStyle
from quizwriter.experiments.experiment_options import OPTIONS, option_words, source_words
from quizwriter.experiments.registry import Experiment
from quizwriter.experiments.runner import ExperimentReport
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import named, plain_table, text_line
from quizwriter.gui.widgets.file_dialog import ask_file, ask_folder
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import column_of
from quizwriter.services.wiring import App
from quizwriter.workflow.dates import day
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.wording import counted_noun, player_title

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

WIDEST = 7
"""Columns of a table that stand beside each other; a wider table is laid on its side."""

_FIELDS = {"questions": "Questions", "buzzes": "Buzzes", "against": "Compare with"}
_ARGUMENT = re.compile(r"(with )?--([a-z]+)")

LOADING = "The players are still being loaded."

DRAW_MS = 150
"""The time, in ms, from the last change of the plot's place or colours until it is drawn anew."""

LEAST_LETTERS_HIGH = 17
"""How many letters high a plot is at least, so that what stands beside its axis is not cut."""

SCREEN_DPI = 96
"""Dots of a screen per inch, to which sizes of letters in pixels refer."""


def options_in(text: str) -> dict[str, str]:
    """The options in ``text``, as ``plan=seeds seeds=3``; what has no value is an option that is on."""
    found = {}
    for word in text.replace(", ", ",").split():
        name, _, value = word.partition("=")
        found[name.lstrip("-")] = value or "yes"
    return found


def in_window_words(text: str) -> str:
    """``text`` about the arguments of a command, such as ``--questions``, with the names of the fields."""

    def said(found: re.Match[str]) -> str:
        field = _FIELDS.get(found[2])
        if field is None:
            return f"{found[1] or ''}the option {found[2]}"
        return f"in the field {field}" if found[1] else field

    return _ARGUMENT.sub(said, text)


class ExperimentDialog(Dialog):
    """Lists the experiments, runs one, and shows what it found."""

    def __init__(
        self,
        app: App,
        theme: Theme,
        jobs: Jobs,
        engine: Callable[[], Engine | None],
        selected: Sequence[str] = (),
        parent: QWidget | None = None,
        *,
        name: str = "",
    ) -> None:
        """``selected`` are the ids of the tossups that are selected in the queue: they are the questions.

        ``name`` is the experiment that is chosen first.
        """
        super().__init__(theme, "Experiments", parent, size=(980, 660))
        from quizwriter.experiments.registry import experiments

        self._app, self._jobs, self._engine = app, jobs, engine
        self._selected = tuple(selected)
        self._found: ExperimentReport | None = None
        self._results: dict[str, ExperimentReport] = {}  # the last of each experiment
        self._pixmap = QPixmap()
        self._drawing: tuple[ExperimentReport, PlotStyle] | None = None  # what the plot is, or soon will be
        self._draw_soon = SingleShot(self, DRAW_MS, self._draw_plot)
        self.list = named(QListWidget(), "Experiments")
        self.list.setObjectName("pages")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setViewportMargins(0, 0, 8, 0)
        for one in experiments().values():
            item = QListWidgetItem(one.title, self.list)
            item.setData(Qt.ItemDataRole.UserRole, one)
            item.setToolTip(plain_tooltip(one.asks))
        self.asks = self.label(style=TextStyle.HEADING)
        self.source = self.label(style=TextStyle.CAPTION)
        self.reason = self.label(style=TextStyle.CAPTION)
        fields = QGridLayout()
        fields.setHorizontalSpacing(8)
        self.questions = self._source_row(
            fields, _FIELDS["questions"], "A file, a folder, a set, or held-back"
        )
        self.buzzes = self._source_row(
            fields, _FIELDS["buzzes"], "People's buzzes: a file or a folder of games"
        )
        self.against = self._source_row(fields, _FIELDS["against"], "Other questions or buzzes; may be empty")
        self.options = text_line("Options")
        self.options_label = plain_label("Options")
        self.options_label.setBuddy(self.options)
        at = fields.rowCount()
        fields.addWidget(self.options_label, at, 0)
        fields.addWidget(self.options, at, 1, 1, 2)
        if self._selected:
            chosen = counted_noun(len(self._selected), "selected tossup")
            self.questions.setPlaceholderText(f"The {chosen} of the queue")
        self.table = plain_table("Result")
        self.table.setHeaderHidden(True)  # until there is a result
        self.plot = plain_label()
        self.plot.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.plot.setMinimumSize(200, 120)
        self.remarks = self.label(style=TextStyle.CAPTION)
        self.remarks.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.tabs = QTabWidget()
        self.tabs.addTab(self.table, "Table")
        self.tabs.addTab(self.plot, "Plot")
        self.tabs.addTab(self.remarks, "Remarks")
        self.tabs.currentChanged.connect(lambda _: self._draw_soon.start_in(0))
        self.sentence = self.label()
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        side = QWidget()
        column_of(
            self.asks,
            self.source,
            fields,
            self.reason,
            (self.tabs, 1),
            self.sentence,
            on=side,
            margins=(12, 0, 0, 0),
        )
        halves = QSplitter()
        halves.setChildrenCollapsible(False)
        halves.setHandleWidth(1)
        halves.addWidget(self.list)
        halves.addWidget(side)
        halves.setStretchFactor(1, 1)
        halves.setSizes([theme.px(240), theme.px(740)])
        self.body.addWidget(halves, 1)
        self.save_button = self.add_aside("Save…", self._choose_folder)
        self.save_button.setEnabled(False)
        self.run_button = self.add_primary("Run", self._run)
        self.list.currentItemChanged.connect(lambda *_: self._show_chosen())
        self.list.setCurrentRow(max(0, list(experiments()).index(name) if name in experiments() else 0))
        self._show_missing()

    def apply_theme(self) -> None:
        """Follow the theme, the list too: its colours say what can be run now; and the plot."""
        super().apply_theme()
        self._show_missing()
        self._draw_soon.start()

    def _source_row(self, fields: QGridLayout, name: str, hint: str) -> QLineEdit:
        row = fields.rowCount()
        edit = text_line(name, hint)
        edit.textChanged.connect(lambda *_: self._show_missing())
        label = plain_label(name)
        label.setBuddy(edit)
        button = named(outlined("Choose…", lambda: self._choose_file(name, edit)), f"Choose a file: {name}")
        for at, widget in enumerate((label, edit, button)):
            fields.addWidget(widget, row, at)
        return edit

    def _choose_file(self, name: str, edit: QLineEdit) -> None:
        ask_file(self, f"{name}: choose a file", "", lambda path: edit.setText(str(path)))

    # -- what can be run

    @property
    def chosen(self) -> Experiment:
        found: Experiment = self.list.currentItem().data(Qt.ItemDataRole.UserRole)
        return found

    def _missing(self, one: Experiment) -> str:
        """Why ``one`` cannot be run now; empty if it can."""
        from quizwriter.experiments.registry import Need

        there = {Need.HISTORIES, Need.PLAYERS}
        if self.questions.text().strip() or self._selected:
            there.add(Need.QUESTIONS)
        if self.buzzes.text().strip():
            there.add(Need.BUZZES)
        if self.against.text().strip():
            there |= {Need.AGAINST_QUESTIONS, Need.AGAINST_BUZZES}
        if Need.PLAYERS in one.needs and self._engine() is None:
            return LOADING
        return one.missing(frozenset(there))

    def _show_missing(self) -> None:
        tokens = self._theme.tokens
        for at in range(self.list.count()):
            item = self.list.item(at)
            one: Experiment = item.data(Qt.ItemDataRole.UserRole)
            why = self._missing(one)
            item.setForeground(QColor(tokens.soft if why else tokens.ink))
            item.setToolTip(plain_tooltip(why or one.asks))
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, why or one.asks)
        if self.list.currentItem() is not None:
            why = self._missing(self.chosen)
            self.reason.setText(why)
            self.reason.setVisible(bool(why))
            self.set_ready(not why)

    def _show_chosen(self) -> None:
        self.asks.setText(self.chosen.asks)
        self.source.setText(f"After {self.chosen.source}.")
        names = self.chosen.options
        self.options.clear()
        self.options.setPlaceholderText(
            ", ".join(name if OPTIONS[name].switch else f"{name}=…" for name in names)
        )
        self.options.setToolTip(plain_tooltip("\n".join(f"{name}: {OPTIONS[name].help}." for name in names)))
        for widget in (self.options_label, self.options):
            widget.setVisible(bool(names))
        self._show_missing()
        if not self.busy:
            self.show_message("")
        self._show_result()

    # -- running

    def _run(self) -> None:
        from quizwriter.experiments.inputs import ExperimentInputs
        from quizwriter.experiments.retraining import keep_survival
        from quizwriter.experiments.runner import run

        chosen, cancellation = self.chosen, Cancellation()
        named = self.questions.text().strip()
        buzzes, against = self.buzzes.text().strip(), self.against.text().strip()
        sources = {"questions": named, "buzzes": buzzes, "against": against}
        options = options_in(self.options.text())
        words = ["quizwriter", "experiment", chosen.name, *source_words(sources), *option_words(options)]
        if self._selected and not named:
            words += ["--tossups", ",".join(self._selected)]

        def do(progress: Progress) -> ExperimentReport:
            given = ExperimentInputs(
                self._app,
                named,
                buzzes,
                against,
                tossup_ids=() if named else self._selected,
                options=options,
                progress=lambda _, done, total: progress(int(done), int(total)),
                cancellation=cancellation,
                loaded=self._engine(),
            )
            report = run(chosen.name, given, shlex.join(words))
            keep_survival(given, report, day(now_ms()))
            return report

        self.run_job(
            self._jobs,
            f"{chosen.title}…",
            do,
            lambda found: self._take(chosen, found),
            cancel=cancellation.cancel,
            closable=False,
        )

    def show_failure(self, text: str) -> None:
        super().show_failure(in_window_words(text))

    def _take(self, experiment: Experiment, found: ExperimentReport) -> None:
        self._results[experiment.name] = found
        if self.chosen is experiment:
            self._show_result()
        else:
            self.show_message(f"{experiment.title} has a result: choose it in the list.")

    def _show_result(self) -> None:
        """Show what the chosen experiment found the last time, or nothing."""
        self._found = report = self._results.get(self.chosen.name)
        self.save_button.setEnabled(report is not None)
        for tab in (self.plot, self.remarks):
            self.tabs.setTabEnabled(self.tabs.indexOf(tab), report is not None)
        self._pixmap, self._drawing = QPixmap(), None
        if report is None:
            self.table.clear()
            self.table.setHeaderHidden(True)
            self.sentence.clear()
            self.remarks.clear()
            self._show_plot()
            return
        self.sentence.setText(report.found.sentence)
        head, rows = report.head, list(report.lines)
        if len(head) > WIDEST:
            head, rows = (
                (head[0], *(row[0] for row in rows)),
                [(title, *(row[at] for row in rows)) for at, title in enumerate(head[1:], 1)],
            )
        self.table.clear()
        self.table.setColumnCount(len(head))
        engine = self._engine()
        players = {one.name: player_title(one.name) for one in engine.players} if engine is not None else {}
        self.table.setHeaderLabels([players.get(name, name) for name in head])
        self.table.setHeaderHidden(False)
        self.table.addTopLevelItems(
            [QTreeWidgetItem([players.get(cell, cell) for cell in row]) for row in rows]
        )
        for at in range(len(head)):
            self.table.resizeColumnToContents(at)
            self.table.setColumnWidth(at, min(self.table.columnWidth(at) + 12, self._theme.px(280)))
        left_out = [f"Left out: {reason} ({number:,})." for reason, number in report.left_out]
        self.remarks.setText("\n\n".join([*report.found.remarks, *left_out]))
        self.tabs.setTabEnabled(self.tabs.indexOf(self.plot), report.has_plot)
        self.plot.setAccessibleName(f"Plot: {report.found.sentence}")
        self._show_plot()
        self._draw_soon.start_in(0)

    def _plot_style(self) -> PlotStyle:
        """The plot in the colours of the theme, as large as its place, with the letters of the window."""
        from quizwriter.experiments.drawing import PlotStyle

        tokens, ratio = self._theme.tokens, self.devicePixelRatio()
        letters: float = QFontInfo(self._theme.font(small=True)).pixelSize()
        letters = min(letters, self.plot.height() / LEAST_LETTERS_HIGH)
        return PlotStyle(
            ground=tokens.page,
            ink=tokens.ink,
            grid=mixed(tokens.ink, tokens.page, 0.15),
            series=tokens.players,
            inches=(self.plot.width() / SCREEN_DPI, self.plot.height() / SCREEN_DPI),
            dots_per_inch=SCREEN_DPI * ratio,
            letters_pt=letters * 72 / SCREEN_DPI,
        )

    def _draw_plot(self) -> None:
        """Have the plot drawn if it is in sight and would look otherwise now."""
        report = self._found
        if self.closed or report is None or not report.has_plot or not self.plot.isVisible():
            return
        wanted = (report, self._plot_style())
        if wanted == self._drawing:
            return
        self._drawing = wanted

        def take(drawn: bytes) -> None:
            self._pixmap.loadFromData(drawn)
            self._show_plot()

        self._jobs.ask(
            lambda _: report.picture(wanted[1]),
            take,
            still=lambda: not self.closed and self._drawing is wanted,
        )

    def _show_plot(self) -> None:
        if self._pixmap.isNull():
            self.plot.setText("Drawing…" if self._found is not None else "")
            return
        room = self.plot.size() * self.devicePixelRatio()
        smooth = Qt.TransformationMode.SmoothTransformation
        scaled = self._pixmap.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, smooth)
        scaled.setDevicePixelRatio(self.devicePixelRatio())
        self.plot.setPixmap(scaled)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_plot()
        self._draw_soon.start()

    # -- saving

    def _choose_folder(self) -> None:
        ask_folder(self, "Save the result in a folder", self.save)

    def save(self, folder: Path) -> None:
        found = self._found
        if found is None:
            return

        def do(_: object) -> tuple[Path, ...]:
            return found.write(folder)

        def tell(written: tuple[Path, ...]) -> None:
            self.show_message(f"{counted_noun(len(written), 'file')} are in {folder}.")

        self.run_job(self._jobs, "Saving…", do, tell)
