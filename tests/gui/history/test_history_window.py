"""The history window: stepping, marks, the chart, what moved it, ways back, then and now."""

from __future__ import annotations

import csv
import threading
from contextlib import contextmanager
from itertools import pairwise, product
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer

from quizwriter.cancellation import Cancelled
from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Person, PutInSet
from quizwriter.domain.span import Span
from quizwriter.domain.style_sheet import StyleSheet
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import Engine
from quizwriter.errors import QuizwriterError
from quizwriter.gui.history import playback_bar
from quizwriter.gui.history.chart_drawing import ChartContent, PositionCurve, curves, legend
from quizwriter.gui.history.history_window import EMPTY_HISTORY, HistoryWindows
from quizwriter.gui.history.moves_pane import UNMOVED
from quizwriter.gui.theme import Theme
from quizwriter.services.wiring import App
from quizwriter.workflow.history_analysis import Position, PositionUnit, StepSize
from quizwriter.workflow.session import PendingSave, RecordedPlay
from tests.helpers.database import connected
from tests.helpers.fakes import fill
from tests.helpers.patience import PATIENCE_S, until

BRAHMS, MACBETH = "qw-example-johannes-brahms", "qw-example-macbeth"


@pytest.fixture
def app(tmp_path):
    app = App(tmp_path)
    app.tossups.add_examples()
    return app


@pytest.fixture
def players(player):
    """Today's: one the history knows and one it does not."""
    return [
        player("ir", Page("Robert_Schumann"), Page("Johannes_Brahms"), buzz=2),
        player("dan", "Elsewhere"),
    ]


@pytest.fixture
def histories(app, players, theme, collecting_here):
    found = HistoryWindows(app, theme, lambda: playing(players))
    yield found
    found.shutdown()


def playing(players):
    """An engine of which nothing but its players is asked."""
    return Engine(Path(), "", "", tuple(players), None, None, {})


def opened(qtbot, histories, tossup_id):
    window = histories.show(tossup_id)
    qtbot.waitUntil(lambda: window.history is not None)
    qtbot.waitUntil(lambda: window.moves.player_box.count() > 0)
    return window


@pytest.fixture
def brahms(qtbot, histories):
    window = opened(qtbot, histories, BRAHMS)
    qtbot.waitUntil(lambda: window.moves.model.moves != [])
    return window


@pytest.fixture(scope="module")
def theme(qapp):
    return Theme(qapp, scheme="light", draft_font="", draft_size_px=16)


@pytest.fixture(scope="module")
def shown(theme, tmp_path_factory):
    """The window of a history that most tests only look at."""
    app = App(tmp_path_factory.mktemp("home"))
    app.tossups.add_examples()
    histories = HistoryWindows(app, theme, lambda: playing([]))
    window = histories.show(BRAHMS)
    until(lambda: QCoreApplication.processEvents() or window.moves.model.moves != [], "the history")
    yield window
    histories.shutdown()
    window.deleteLater()
    app.store.close()


@pytest.fixture
def seen(shown):
    """The same, as it opened."""
    shown.playback.stop()
    shown.playback.step_size.choose(StepSize.EDIT)
    shown.chart_pane.position.choose(Position.BUZZ)
    shown.chart_pane.count_in(PositionUnit.WORDS)
    if shown.compare_button.isChecked():
        shown.compare_button.click()
    shown.go(19)
    return shown


def told(window):
    return window.playback.step_label.text()


def cells(window, row):
    item = window.players.table.topLevelItem(row)
    return [item.text(place) for place in range(window.players.table.columnCount())]


# -- what is shown


def test_it_opens_at_the_end_with_the_text_the_positions_and_the_guesses(brahms, app):
    assert brahms.windowTitle() == "History of Johannes Brahms"
    assert brahms.index == 19
    assert brahms.versions.version.text.replace("(*) ", "", 1) in app.store.load(BRAHMS).tossup.text.replace(
        "(*) ", "", 1
    )
    assert told(brahms) == "Edit 20 of 20: added “(*)”"
    assert cells(brahms, 0) == ["IR", "95", "87", "87"]
    assert brahms.players.table.topLevelItem(0).toolTip(0).startswith("The engine's digest: 844a3916")
    assert "✓ Johannes Brahms" in brahms.players.guesses_label.text()
    assert not brahms.restore_button.isEnabled()


def test_the_guesses_are_below_the_table_where_there_is_no_room_for_both(brahms, qtbot):
    players = brahms.players
    brahms._side.setFixedHeight(120)  # letters of 200 %, on a low screen
    qtbot.waitUntil(lambda: brahms._side.height() == 120)
    assert players.guesses_label.geometry().top() > players.table.geometry().bottom()


def test_what_an_edit_took_and_put_is_marked_in_the_text(seen):
    seen.go(15)
    marked = seen.versions.version.marked

    assert [span.of(marked.text) for span in marked.removed] == [
        "The critic Eduard Hanslick championed this composer"
    ]
    assert marked.inserted[0].of(marked.text).startswith("This composer, whom the critic Eduard Hanslick")
    assert seen.versions.version.text == marked.text
    assert {selection.format.fontStrikeOut() for selection in seen.versions.version.extraSelections()} == {
        False,
        True,
    }


def test_the_buzz_stands_behind_the_word_it_was_at_though_what_is_gone_is_shown_too(seen):
    seen.go(15)
    (mark,) = seen.versions.version.buzz_marks()
    text = seen.history.text(15)
    word = Tossup(text).words[seen.history.steps[15].shown["ir"].buzz_heard - 1]

    assert Span(mark.at - 5, mark.at).of(seen.versions.version.text) == Span(word.end - 5, word.end).of(text)
    assert mark.right is True


def test_the_keys_step_play_and_go_to_the_ends(qtbot, seen):
    press = lambda key: qtbot.keyClick(seen, key)  # noqa: E731
    press(Qt.Key.Key_Home)
    assert (seen.index, seen.chart_pane.slider.value()) == (0, 0)
    press(Qt.Key.Key_Right)
    press(Qt.Key.Key_Right)
    press(Qt.Key.Key_Left)
    assert seen.index == 1
    press(Qt.Key.Key_End)
    assert seen.index == 19
    seen.playback.step_size.choose(StepSize.GUESS)
    press(Qt.Key.Key_Left)
    assert seen.index == seen.history.next_index(19, StepSize.GUESS, -1)
    qtbot.keyClick(seen.chart_pane.slider, Qt.Key.Key_Home)
    assert seen.index == 0
    seen.playback.step_size.choose(StepSize.EDIT)
    for widget in (
        seen.chart_pane.slider,
        seen.players.table,
        seen.moves.list,
        seen.versions.version,
    ):
        qtbot.keyClick(widget, Qt.Key.Key_Right)
    assert seen.index == 4


def test_play_goes_to_the_end_and_stops_there_and_space_pauses_it(qtbot, seen, monkeypatch):
    monkeypatch.setattr(playback_bar, "SLOWEST_MS", playback_bar.FRAME_MS)
    qtbot.keyClick(seen, Qt.Key.Key_Space)
    assert seen.index == 0
    assert seen.playback.play_button.text() == "Pause"
    qtbot.waitUntil(lambda: seen.index > 0)
    qtbot.keyClick(seen, Qt.Key.Key_Space)
    assert seen.playback.play_button.text() == "Play"

    seen.go(18)
    seen.play()
    qtbot.waitUntil(lambda: seen.index == 19 and not seen.playback.playing)
    assert seen.playback.play_button.text() == "Play"


def test_stepping_by_sentence_marks_all_that_changed_since_the_last_halt(seen):
    seen.go(0)
    seen.playback.step_size.choose(StepSize.SENTENCE)
    while seen.index < 19:
        before = seen.history.text(seen.index)
        seen.step(1)
        marked = seen.versions.version.marked
        kept = [
            not any(span.start <= at < span.end for span in marked.inserted) for at in range(len(marked.text))
        ]
        assert "".join(letter for letter, keep in zip(marked.text, kept, strict=True) if keep) == before


def test_positions_are_counted_in_words_or_in_per_cent(seen):
    seen.chart_pane.count_in(PositionUnit.PERCENT)

    assert cells(seen, 0)[1:4] == ["75\u00a0%", "69\u00a0%", "69\u00a0%"]


def test_who_made_an_edit_is_said(qtbot, app, histories):
    app.store.save_person(Person("p1", "Ada Novak", "", 1))
    app.store.save(PendingSave.begun("t", "A", None, 5, "p1"))
    window = opened(qtbot, histories, "t")

    assert window.playback.time_label.text().endswith(", Ada Novak (unsigned)")


# -- the chart


def at(chart, index):
    """Where step ``index`` is on the chart."""
    return QPoint(round(chart.frame.point(index, 0).x()), 60)


def test_a_click_on_the_chart_goes_there_and_a_drag_goes_along(qtbot, seen):
    chart = seen.chart_pane.chart
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 12))
    assert seen.index == 12
    qtbot.mousePress(chart, Qt.MouseButton.LeftButton, pos=at(chart, 3))
    qtbot.mouseMove(chart, at(chart, 5))
    qtbot.waitUntil(lambda: seen.index in (3, 5))


def test_the_chart_reads_out_what_is_under_the_mouse(seen):
    chart = seen.chart_pane.chart
    chart._show_read_out(chart.step_at(QPointF(at(chart, 12))), QPointF(at(chart, 12)))

    assert chart._read_out.textFormat() is Qt.TextFormat.RichText
    assert "Edit 13" in chart._read_out.text()
    assert "IR: 5\u00a0% (word 5 of 94)" in chart._read_out.text()
    assert "844a3916" in chart._read_out.text()
    assert chart.rect().contains(chart._read_out.geometry())


def test_the_slider_stands_under_the_line_of_the_chart(qtbot, seen):
    seen.resize(1280, 800)
    qtbot.wait(50)
    for index in (0, 10, 19):
        seen.go(index)
        groove = seen.chart_pane.slider.geometry()
        handle = groove.left() + 8 + index / 19 * (groove.width() - 16)
        assert abs(handle - at(seen.chart_pane.chart, index).x()) < 4


def test_the_chart_draws_each_position_in_each_unit(seen):
    for position, unit in product(Position, PositionUnit):
        seen.chart_pane.position.choose(position)
        seen.chart_pane.count_in(unit)
        drawing = ChartContent(seen.history, curves(seen.history, {}), position, unit)
        (curve,) = drawing.curves
        for _, shown in curve.points:
            heard, height = position.of(shown), drawing.height(shown)
            if heard is None:
                expected = (126 if unit is PositionUnit.WORDS else 100) * 1.1
            else:
                expected = heard if unit is PositionUnit.WORDS else 100 * heard / shown.words
            assert height == pytest.approx(expected), (position, unit)


def test_a_line_breaks_where_another_engine_played_and_no_point_is_lost(seen):
    (curve,) = (one for one in seen.chart_pane.chart.drawing.curves if one.player == "ir" and not one.today)
    engines = ["old"] * 8 + ["new"] + ["newest"] * (len(curve.points) - 9)
    points = tuple(
        (index, replace(shown, engine=engine))
        for (index, shown), engine in zip(curve.points, engines, strict=True)
    )
    drawn = PositionCurve("ir", False, points)
    content = ChartContent(seen.history, (drawn,))
    lines = list(content.lines(drawn))

    # two lines of three runs, one of which is a point; a line goes on level, then up or down at once
    heights = [content.height(shown) for _, shown in points]
    pairs = [number for number in range(len(points) - 1) if engines[number] == engines[number + 1]]
    assert [line[0] for line in lines] == [(points[at][0], heights[at]) for at in (0, 8, 9)]
    assert sum(len(line) - 1 for line in lines) == sum(
        1 + (heights[number] != heights[number + 1]) for number in pairs
    )
    assert all(one[0] == other[0] or one[1] == other[1] for line in lines for one, other in pairwise(line))
    assert content.marked(drawn) == [(at, height) for (at, _), height in zip(points, heights, strict=True)]


def test_a_player_s_colour_in_the_chart_is_the_one_it_has_everywhere(seen):
    tokens = seen._theme.tokens
    alone = ChartContent(seen.history, curves(seen.history, {"dan": seen.history.points("ir")}))
    said = legend(alone, "", tokens)

    for name in ("ir", "dan"):
        mark = tokens.player(name)
        assert f"<span style='color:{mark.colour}'>{mark.glyph}</span> {name.upper()}" in said
    first = ChartContent(seen.history, curves(seen.history, {"dan": seen.history.points("ir")}, {"ir"}))
    assert tokens.player("dan").glyph in legend(first, "", tokens)


def test_the_chart_is_saved_as_lines_a_picture_or_figures(seen, tmp_path):
    for name in ("chart.svg", "chart.png", "chart.csv"):
        seen.chart_pane.save(tmp_path / name)
    svg = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    picture = QImage(str(tmp_path / "chart.png"))
    table = list(csv.DictReader((tmp_path / "chart.csv").read_text(encoding="utf-8").splitlines()))

    assert QSvgRenderer(svg.encode()).isValid()
    assert "<image" not in svg
    assert "never" in svg
    assert "844a3916" in svg
    assert picture.width() == 2400
    assert len({picture.pixel(x, 300) for x in range(0, 2400, 3)}) > 3
    assert [row["edit"] for row in table] == [str(number) for number in range(1, 21)]
    assert table[12]["buzz"] == "5"
    assert seen.messages.text("save") == "Saved as chart.csv."


def test_a_chart_that_cannot_be_saved_says_why(seen, tmp_path):
    seen.chart_pane.save(tmp_path / "chart.doc")
    assert "ends in .svg, .png or .csv" in seen.messages.text("save")
    for kind in ("svg", "png", "csv"):
        seen.chart_pane.save(tmp_path / "nowhere" / f"chart.{kind}")
        assert "could not be saved" in seen.messages.text("save")


def test_a_player_can_be_left_out_of_the_chart(seen):
    seen.chart_pane.switches["ir"].click()
    assert seen.chart_pane.chart.drawing.curves == ()
    assert seen.versions.version.buzz_marks() == ()
    seen.chart_pane.switches["ir"].click()
    assert len(seen.chart_pane.chart.drawing.curves) == 1


# -- what moved it


def test_what_moved_it_is_listed_and_leads_to_the_place(qtbot, seen):
    first = seen.moves.model.index(0)
    assert seen.moves.model.data(first) == (
        "Added “The publisher Simrock printed Dvořák's first duets because this man asked him to.”: "
        "IR 74\u00a0% → 5\u00a0% (word 5 of 94)"
    )
    seen.moves.list.clicked.emit(first)

    assert seen.index == 12
    assert told(seen).startswith("Edit 13 of 20: added “The publisher Simrock")
    assert not seen.moves.empty_label.isVisibleTo(seen)
    qtbot.keyClick(seen.moves.list, Qt.Key.Key_Home)
    qtbot.keyClick(seen.moves.list, Qt.Key.Key_Down)
    assert seen.index == 13


def test_where_nobody_read_along_nothing_moved(qtbot, app, histories):
    app.store.save(PendingSave.begun("t", "A", None, 5))
    window = opened(qtbot, histories, "t")
    window.moves.show_moves()

    assert window.moves.empty_label.text() == UNMOVED
    assert window.moves.empty_label.isVisibleTo(window.moves)
    assert window.players.guesses_label.text() == "No player read this version."


# -- ways back


def test_two_versions_stand_side_by_side_the_earlier_one_left(seen):
    seen.go(8)
    seen.compare_button.click()
    seen.go(16)

    assert seen.versions.other_box.isVisible()
    assert seen.versions.other.text == seen.history.text(8)
    assert seen.versions.version.text == seen.history.text(16)
    assert seen.versions.other_caption.text() == "After edit 9: 54 words, kept for comparison"
    assert seen.versions.other.marked.removed
    assert seen.versions.version.marked.inserted
    seen.go(2)
    assert seen.versions.other.text == seen.history.text(2)
    seen.compare_button.click()
    assert not seen.versions.other_box.isVisible()


def test_a_branch_has_all_that_led_to_it(qtbot, brahms, app):
    brahms.go(9)
    with qtbot.waitSignal(brahms.branched) as branched:
        brahms.branch_button.click()
    (key,) = branched.args

    assert app.store.load(key).tossup.text == brahms.history.text(9)
    assert app.store.history(key) == brahms.history.changes[:10]


# -- then and now


def test_today_s_players_stand_beside_what_was_said_then(qtbot, brahms):
    brahms.reread.button.click()
    qtbot.waitUntil(lambda: not brahms.reread.reading)
    brahms.go(10)

    assert cells(brahms, 0)[0] == "IR"
    assert cells(brahms, 1) == ["IR today", "2", "2", "2"]
    assert "ir-diges" in brahms.players.table.topLevelItem(1).toolTip(0)
    assert cells(brahms, 2)[:4] == ["DAN today", "never", "never", "never"]
    assert [(curve.title, curve.engines) for curve in brahms.chart_pane.chart.drawing.curves] == [
        ("IR", "844a3916"),
        ("IR today", "ir-diges"),
        ("DAN today", "dan-dige"),
    ]
    assert "IR today: 3\u00a0% (word 2 of 77)" in brahms.chart_pane.chart.read_out(10)
    assert set(brahms.chart_pane.switches) == {"ir", "dan"}
    qtbot.waitUntil(lambda: brahms.moves.player_box.count() == 5)


def test_versions_are_read_again_by_the_buzz_rule_of_the_set(qtbot, brahms, app):
    app.review.record([brahms.tossup_id], PutInSet("Winter"))
    app.problems.choose_style("Winter", StyleSheet(buzz_percent=99))
    brahms.reread.toggle()
    qtbot.waitUntil(lambda: not brahms.reread.reading)

    assert {play.buzz_heard for _, play in brahms.reread.today["ir"]} == {None}, "no guess is that sure"


def test_reading_again_can_be_stopped_and_keeps_what_it_has(qtbot, brahms, players, monkeypatch):
    gate, once = threading.Semaphore(3), type(players[0]).play

    def play(self, tossup, *top):
        assert gate.acquire(timeout=PATIENCE_S)
        return once(self, tossup, *top)

    monkeypatch.setattr(type(players[0]), "play", play)
    brahms.reread.toggle()
    qtbot.waitUntil(lambda: len(brahms.reread.plays) == 1)
    brahms.reread.toggle()
    gate.release()
    qtbot.waitUntil(lambda: not brahms.reread.reading)

    assert brahms.reread.button.text() == "Read again"
    assert not brahms.messages.text("again"), "who stops it need not be told"
    assert len(brahms.reread.today["ir"]) == 1
    assert cells(brahms, 1)[0] == "IR today"


@pytest.mark.parametrize("end", ["stop", "close"])
def test_reading_again_is_a_batch_that_ends_at_once_when_nobody_wants_it(
    qtbot, histories, brahms, app, monkeypatch, end
):
    begun, ended, asked = threading.Event(), threading.Event(), []

    class Waits:
        """A guesser in a process that is busy until it is ended."""

        name = "ir"

        def play(self, tossup, top=5):
            begun.set()
            assert ended.wait(PATIENCE_S)
            raise Cancelled

    @contextmanager
    def batch_players(engine, cancellation):
        asked.append([player.name for player in engine.players])
        waits = replace(engine.players[0], guesser=Waits())
        with cancellation.on_cancel(ended.set):
            yield replace(engine, players=(waits, *engine.players[1:]))

    monkeypatch.setattr(app.engines, "batch_players", batch_players)
    brahms.reread.toggle()
    qtbot.waitUntil(begun.is_set)
    if end == "stop":
        brahms.reread.toggle()
        qtbot.waitUntil(lambda: brahms.reread.button.text() == "Read again")
        assert not brahms.reread.today
    else:
        brahms.close()
    assert ended.is_set()
    assert asked == [["ir", "dan"]]


def test_nobody_ready_is_said(brahms, players):
    players.clear()
    brahms.reread.toggle()

    assert brahms.messages.text("again").startswith("No player is ready yet")


# -- troubles


def test_a_history_that_does_not_replay_says_so_and_one_that_is_empty_too(qtbot, histories, app):
    with connected(app.store) as db:
        db.execute("update edit set start = 500 where tossup = ? and seq = 2", [MACBETH])
    window = histories.show(MACBETH)
    qtbot.waitUntil(lambda: "does not replay" in window.notice.text())
    assert window.notice.isVisible()

    app.store.save(PendingSave("new", "", Answer("Aida"), 0, 5))
    window = histories.show("new")
    qtbot.waitUntil(lambda: window.notice.text() == EMPTY_HISTORY)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_End, Qt.Key.Key_Space, Qt.Key.Key_Home):
        qtbot.keyClick(window, key)


def test_a_window_that_is_closed_while_it_reads_is_left_alone(qtbot, histories):
    window = histories.show(BRAHMS)
    window.close()
    assert histories.windows == {}
    again = opened(qtbot, histories, BRAHMS)

    assert again is not window
    qtbot.keyClick(again, Qt.Key.Key_Escape)
    assert histories.windows == {}


def test_strange_letters_and_a_change_of_theme_keep_the_marks(qtbot, app, histories):
    texts = ["A 😀 b", "A 😀 шалом b", "A 😀 b"]
    edits = [Edit.between(one, other) for one, other in zip(["", *texts], texts, strict=False)]
    changes = tuple(Change(seq, seq * 1_000, edit) for seq, edit in enumerate(edits, start=1))
    shown = (RecordedPlay(2, 2_050, "ir", "e", (Guess(Page("Aida"), 1.0),), None, None, 3, Page("Aida"), 4),)
    app.store.save(PendingSave("t", texts[-1], None, 0, 5, changes, shown))
    window = opened(qtbot, histories, "t")
    window.go(1)
    for theme in ("dark", "light"):
        histories._theme.use_theme(theme)
        (selection,) = window.versions.version.extraSelections()
        assert selection.cursor.selectedText().strip() == "шалом"
    (mark,) = window.versions.version.buzz_marks()
    assert window.versions.version.text[: mark.at] == "A 😀 шалом"


def test_a_wrong_buzz_is_crossed_out(seen):
    (curve,) = (one for one in seen.chart_pane.chart.drawing.curves if one.player == "ir" and not one.today)
    points = tuple(
        (index, replace(shown, buzz_page="Franz_Liszt", buzz_heard=3) if index in (2, 5) else shown)
        for index, shown in curve.points
    )
    drawn = PositionCurve("ir", False, points)

    assert {at for at, _ in ChartContent(seen.history, (drawn,)).wrong_buzzes(drawn)} >= {2, 5}
    first = ChartContent(seen.history, (drawn,), Position.FIRST)
    assert first.wrong_buzzes(drawn) == []


def test_the_chart_paints_each_point_in_the_colour_of_its_player_and_the_step_it_is_at(brahms):
    chart, tokens = brahms.chart_pane.chart, brahms._theme.tokens
    brahms.go(10)
    (curve,) = chart.drawing.curves
    picture = chart.grab().toImage()

    for index, height in chart.drawing.marked(curve):
        point = chart.frame.point(index, height).toPoint()
        assert picture.pixelColor(point).name() in {tokens.player("ir").colour.lower(), tokens.accent.lower()}
    here = chart.frame.point(10, chart.drawing.full * 1.05).toPoint()
    assert picture.pixelColor(here).name() == tokens.accent.lower()
    assert picture.pixelColor(here + QPoint(8, 0)).name() == tokens.page.lower()


def test_on_a_full_disk_the_chart_that_was_there_stays(seen, small_disk):
    paths = [small_disk / f"chart.{kind}" for kind in ("svg", "png", "csv")]
    for path in paths:
        path.write_bytes(b"the one before")
    fill(small_disk / "filler")
    for path in paths:
        with pytest.raises(QuizwriterError, match=r"The chart could not be saved to .*No space left"):
            seen.chart_pane.chart.save(path)
        assert path.read_bytes() == b"the one before"
    assert {one.name for one in small_disk.iterdir()} == {*(path.name for path in paths), "filler"}
