"""The experiments in a window: what each asks, why it cannot be run, its result, cancelling and saving."""

from __future__ import annotations

import json
import threading

import pytest
import shiboken6
from msgspec.structs import replace

from quizwriter.experiments import registry
from quizwriter.experiments.registry import experiments
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.colours import DARK, LIGHT
from quizwriter.gui.dialogs.run_experiment import LOADING, ExperimentDialog, in_window_words, options_in
from quizwriter.services.wiring import App


@pytest.fixture
def buzzes(tmp_path):
    path = tmp_path / "buzzes.jsonl"
    row = {"bq": "q", "n_words": 30, "correct": True}
    path.write_text("\n".join(json.dumps(row | {"game": f"g{at}", "pos": at}) for at in range(20)))
    return str(path)


@pytest.fixture
def opened(qtbot, theme, tmp_path):
    """Opens the dialog; the theme is light."""
    app, jobs, made = App(tmp_path / "home"), Jobs("test"), []

    def make(selected=()):
        dialog = ExperimentDialog(app, theme, jobs, lambda: None, selected)
        made.append(dialog)
        dialog.show()
        return dialog

    yield make
    for dialog in made:
        if shiboken6.isValid(dialog):
            dialog.done(0)
    jobs.stop()


def choose(dialog, name):
    for at in range(dialog.list.count()):
        dialog.list.setCurrentRow(at)
        if dialog.chosen.name == name:
            return
    raise AssertionError(name)


def test_each_experiment_says_what_it_asks_and_why_it_cannot_be_run(opened, buzzes):
    dialog = opened()

    assert dialog.list.count() == len(experiments())
    choose(dialog, "people")
    assert dialog.asks.text() == "Do people buzz earlier, and are they right more often?"
    assert dialog.reason.text() == "This experiment needs a file of buzzes."
    assert not dialog.run_button.isEnabled()
    dialog.buzzes.setText(buzzes)
    assert not dialog.reason.isVisible()
    assert dialog.run_button.isEnabled()
    choose(dialog, "curves")
    assert dialog.reason.text() == LOADING
    grey = dialog.list.currentItem().foreground().color()
    choose(dialog, "published")
    assert dialog.list.currentItem().foreground().color() != grey


def test_the_selection_of_the_queue_is_the_input(opened):
    dialog = opened(("a", "b"))

    assert "2 selected tossups" in dialog.questions.placeholderText()


def test_a_run_shows_table_plot_and_sentence_and_is_saved(opened, qtbot, tmp_path, buzzes):
    dialog = opened()
    choose(dialog, "people")
    dialog.buzzes.setText(buzzes)

    dialog.run_button.click()
    qtbot.waitUntil(lambda: not dialog.busy)

    assert dialog.sentence.text().startswith("People are right in 100.0 % of 20 buzzes")
    rows = [dialog.table.topLevelItem(at).text(0) for at in range(dialog.table.topLevelItemCount())]
    assert "conversion" in rows
    dialog.tabs.setCurrentWidget(dialog.plot)
    qtbot.waitUntil(lambda: not dialog.plot.pixmap().isNull())  # Matplotlib is imported first
    assert "bootstrap" in dialog.remarks.text()
    choose(dialog, "curves")  # each experiment has its own result
    assert not dialog.sentence.text()
    assert dialog.table.topLevelItemCount() == 0
    assert not dialog.save_button.isEnabled()
    choose(dialog, "people")
    assert dialog.sentence.text().startswith("People are right")
    dialog.save(tmp_path / "out")
    qtbot.waitUntil(lambda: not dialog.busy)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "CITATION.cff", "README.md", "people.csv", "people.json", "people.png", "people.svg",
    ]  # fmt: skip
    assert "6 files are in" in dialog.message.text()


def test_the_plot_is_drawn_in_the_colours_and_the_size_of_the_window(opened, qtbot, buzzes):
    dialog = opened()
    choose(dialog, "people")
    dialog.buzzes.setText(buzzes)
    dialog.run_button.click()
    qtbot.waitUntil(lambda: not dialog.busy)

    def ground():
        pixmap = dialog.plot.pixmap()
        return "" if pixmap.isNull() else pixmap.toImage().pixelColor(2, 2).name().upper()

    dialog.tabs.setCurrentWidget(dialog.plot)
    qtbot.waitUntil(lambda: ground() == LIGHT.page)
    assert abs(dialog.plot.pixmap().width() - dialog.plot.width()) <= 1
    dialog._theme.use_theme("dark")
    qtbot.waitUntil(lambda: ground() == DARK.page)
    dialog.resize(dialog.width() + 120, dialog.height())
    qtbot.waitUntil(lambda: abs(dialog.plot.pixmap().width() - dialog.plot.width()) <= 1)


def test_trouble_is_said_in_the_window(opened, qtbot, tmp_path):
    dialog = opened()
    choose(dialog, "people")
    dialog.buzzes.setText(str(tmp_path / "missing.jsonl"))

    dialog.run_button.click()
    qtbot.waitUntil(lambda: not dialog.busy)

    assert "cannot be read" in dialog.message.text()
    assert not dialog.save_button.isEnabled()


def test_a_refusal_names_the_fields_of_the_window_and_no_argument_of_a_command(opened):
    said = in_window_words(
        "Name them with --questions, with fewer folds with --folds, or leave --against out."
    )

    assert said == (
        "Name them in the field Questions, with fewer folds with the option folds, or leave Compare with out."
    )
    dialog = opened()
    dialog.show_failure("Name other questions with --against.")
    assert dialog.message.text() == "Name other questions in the field Compare with."


def test_without_a_result_there_is_neither_plot_nor_remarks(opened):
    dialog = opened()

    assert [dialog.tabs.isTabEnabled(at) for at in range(3)] == [True, False, False]


def test_a_run_can_be_cancelled(opened, qtbot, monkeypatch):
    began = threading.Event()

    def slow(given):
        began.set()
        while True:
            given.progress("Waiting", 1, 3)
            given.cancellation.check()

    wanted = replace(experiments()["published"], function=slow)
    monkeypatch.setitem(registry._EXPERIMENTS, "published", wanted)
    dialog = opened()
    choose(dialog, "published")

    dialog.run_button.click()
    qtbot.waitUntil(began.is_set)
    dialog.close_button.click()
    qtbot.waitUntil(lambda: not dialog.busy)

    assert "stopped" in dialog.message.text()


def test_options_are_named_where_an_experiment_has_some(opened):
    dialog = opened()

    choose(dialog, "retrain")
    assert dialog.options.isVisible()
    assert "plan" in dialog.options.placeholderText()
    choose(dialog, "published")
    assert not dialog.options.isVisible()


def test_options_are_read_as_they_are_written():
    assert options_in("plan=seeds --seeds=3 fit probe=drop, swap") == {
        "plan": "seeds", "seeds": "3", "fit": "yes", "probe": "drop,swap",
    }  # fmt: skip
    assert options_in("") == {}


def test_the_list_follows_the_theme(opened):
    dialog = opened()
    item = dialog.list.item(dialog.list.count() - 1)
    assert item.foreground().color().name().upper() == LIGHT.ink.upper()
    dialog._theme.use_theme("dark")
    assert item.foreground().color().name().upper() == DARK.ink.upper()
