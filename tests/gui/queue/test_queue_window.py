"""The window of the queue: filters, order, columns, changes of many, and thousands of tossups."""

from __future__ import annotations

import random
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFrame, QMenu, QPushButton, QToolButton
from shiboken6 import isValid

from quizwriter.domain.events import Event
from quizwriter.domain.history import Edit
from quizwriter.domain.review import Consent, Round, Status, StatusSet, Suggested
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import hold_jobs, release_jobs
from quizwriter.gui.queue.bulk_dialogs import CommentDialog, TagsDialog
from quizwriter.gui.queue.queue_model import PAGE
from quizwriter.gui.queue.queue_window import QueueWindow
from quizwriter.gui.review.status_dialog import LineDialog
from quizwriter.workflow.categories import STANDARD
from quizwriter.workflow.queue import QueueFilter
from quizwriter.workflow.session import PendingSave
from tests.helpers.database import connected
from tests.helpers.made_queue import ADA, BEN
from tests.helpers.patience import hurried


@pytest.fixture(scope="module", autouse=True)
def _hurried():
    with hurried("queue.queue_window.REFRESH_MS", "queue.queue_reader.FACETS_MS"):
        yield


@pytest.fixture
def window(qtbot, app, theme, saver):
    """The queue over whatever the test put into the store; it is asked to show itself by the test."""
    window = QueueWindow(app, theme, saver, lambda: None, lambda: None)
    yield window
    window.shutdown()
    qtbot.wait(1)


def shown(window):
    return "".join(window.model.keys)


def choose(window, keys):
    selection = QItemSelection()
    last = window.model.columnCount() - 1
    for key in keys:
        place = window.model.keys.index(key)
        selection.select(window.model.index(place, 0), window.model.index(place, last))
    window.table.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)


def text_of(window, key, title):
    titles = [
        str(window.model.headerData(at, Qt.Orientation.Horizontal)).rstrip(" ▾▴")
        for at in range(window.model.columnCount())
    ]
    index = window.model.index(window.model.keys.index(key), titles.index(title))
    return window.model.data(index)


def told(window):
    """The messages that the window shows."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    bars = window.messages.findChildren(QFrame, options=direct)
    return [bar.accessibleName() for bar in bars if not bar.isHidden()]


def press(window, button):
    """Press a button of the messages; one that a newer message replaced may still be there."""
    next(one for one in window.messages.findChildren(QPushButton) if one.text() == button).click()


def planned(qtbot, window):
    """The status dialog, once it shows what would happen to each tossup."""
    qtbot.waitUntil(lambda: window.review_actions.dialog is not None)
    dialog = window.review_actions.dialog
    qtbot.waitUntil(lambda: not dialog.busy)
    return dialog


def present(qtbot, window):
    with qtbot.waitSignal(window.painted):
        window.present()


def test_all_columns_fit_and_those_that_a_writer_widens_stay(qtbot, four, window):
    window.resize(1280, 800)
    present(qtbot, window)
    table = window.table
    table.show_players(("dan", "ensemble", "ir", "rnn"))
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)
    model, metrics = window.model, table.fontMetrics()
    seen = [at for at in range(model.columnCount()) if not table.isColumnHidden(at)]
    assert len(seen) == 14
    for at in seen:
        title = str(model.headerData(at, Qt.Orientation.Horizontal))
        assert table.columnWidth(at) > metrics.horizontalAdvance(title) + 20
    assert table.columns_to_save().widths == {}

    table.setColumnWidth(0, 300)
    window.resize(1200, 800)
    assert table.columnWidth(0) == 300
    assert table.columns_to_save().widths == {"answer:": 300}


def test_a_stale_game_is_marked_and_not_counted(qtbot, four, window):
    four.engines.players_in_use = {"ir": "engine", "dan": "trained since"}
    present(qtbot, window)
    assert [text_of(window, "a", title) for title in ("IR buzz", "DAN buzz", "Stumped")] == [
        "4", "8 ✗ ⟳", "0 of 1"
    ]  # fmt: skip
    four.engines.players_in_use = {"ir": "trained since", "dan": "trained since"}
    with qtbot.waitSignal(window.painted):
        window.use_engine()
    assert [text_of(window, "a", title) for title in ("IR buzz", "DAN buzz", "Stumped")] == [
        "4 ⟳", "8 ✗ ⟳", ""
    ]  # fmt: skip


def test_the_window_lists_filters_and_sorts(qtbot, four, window):
    present(qtbot, window)
    assert shown(window) == "abcd"
    assert text_of(window, "a", "IR buzz") == "4"
    assert text_of(window, "a", "DAN buzz") == "8 ✗"
    assert text_of(window, "b", "IR buzz") == "never"
    assert text_of(window, "c", "Answer") == "No answer yet"
    assert text_of(window, "a", "Author") == "Ada"
    with qtbot.waitSignal(window.painted):
        window.sort_by("buzz", "ir")
    assert shown(window) == "abcd"
    with qtbot.waitSignal(window.painted):
        qtbot.keyClicks(window.filters.search, "city")
    assert shown(window) == "ab"
    qtbot.waitUntil(lambda: window.action_bar.count_label.text() == "2 of 4 tossups")
    with qtbot.waitSignal(window.painted):
        window.filters.clear_button.click()
    assert shown(window) == "abcd"
    assert window.filters.search.text() == ""


def test_the_header_marks_the_order_of_the_rows_that_are_there(qtbot, four, window):
    window.resize(1280, 800)
    present(qtbot, window)
    resized = []
    window.table.horizontalHeader().sectionResized.connect(lambda *change: resized.append(change))

    def marked():
        titles = [window.model.headerData(at, Qt.Orientation.Horizontal) for at in range(12)]
        return [title for title in titles if title.endswith(("▾", "▴"))]

    assert marked() == ["Changed ▾"]
    with qtbot.waitSignal(window.painted):
        window.sort_by("set")
        assert marked() == ["Changed ▾"]
    assert marked() == ["Set ▴"]
    assert not resized  # or every row would be painted once more


def test_ticking_a_category_shows_all_below_it(qtbot, four, window):
    present(qtbot, window)
    qtbot.waitUntil(lambda: bool(window.filters.category_facet._items))
    with qtbot.waitSignal(window.painted):
        window.filters.category_facet._items["Geography",].setCheckState(0, Qt.CheckState.Checked)
    assert shown(window) == "ac"
    assert window.filters.category_facet.text() == "Category: Geography"


def test_a_filter_is_saved_and_comes_back(qtbot, four, window):
    present(qtbot, window)
    wanted = QueueFilter(text="city", statuses=(Status.READY,), least_words=3, changed_after_ms=0)
    with qtbot.waitSignal(window.painted):
        window.use_filter(wanted)
    window.filters.save_filter("Cities that are ready")
    with qtbot.waitSignal(window.painted):
        window.use_filter(QueueFilter())
    (kept,) = four.queue.filters().values()
    with qtbot.waitSignal(window.painted):
        window.use_filter(kept)
    assert shown(window) == "a"
    assert window.filters.filter.text == "city"
    assert window.filters.filter.statuses == (Status.READY,)


def test_trouble_of_a_saved_filter_is_told_and_no_reading_takes_it_away(qtbot, four, window, monkeypatch):
    present(qtbot, window)
    with qtbot.waitSignal(window.painted):
        window.use_filter(QueueFilter(text="city"))
    window.filters.save_filter("cities")

    def full(*_):
        raise QuizwriterError("The disk is full.", "Free some space.")

    def delete():
        buttons = window.filters.findChildren(QToolButton)
        menu = next(one for one in buttons if one.text() == "Saved filters").menu()
        menu.aboutToShow.emit()
        menu.findChild(QMenu).actions()[0].trigger()

    with monkeypatch.context() as broken:
        broken.setattr(four.store, "put_item", full)
        delete()
        with qtbot.waitSignal(window.painted):
            window.refresh()
    assert list(four.queue.filters()) == ["cities"]
    assert told(window) == ["The disk is full. Free some space."]
    delete()
    assert told(window) == ["The filter cities is deleted."]
    assert not four.queue.filters()
    press(window, "Undo")
    assert (told(window), list(four.queue.filters())) == ([], ["cities"])


def test_many_get_an_author_and_it_can_be_undone_and_redone(qtbot, four, window):
    present(qtbot, window)
    choose(window, "acd")
    assert window.table.selected == ("a", "c", "d")
    with qtbot.waitSignal(window.painted):
        window.bulk.set_author(BEN)
    assert {text_of(window, key, "Author") for key in "abcd"} == {"Ben"}
    assert window.table.selected == ("a", "c", "d")  # the selection stays
    assert window.messages.text("review") == "3 tossups now have the author Ben."
    with qtbot.waitSignal(window.painted):
        window.review_actions.undo()
    assert window.messages.text("review") == "Undone: the author Ben of 3 tossups."
    assert [text_of(window, key, "Author") for key in "abcd"] == ["Ada", "Ben", "Ada", ""]
    with qtbot.waitSignal(window.painted):
        window.review_actions.redo()
    assert {text_of(window, key, "Author") for key in "abcd"} == {"Ben"}


def test_many_become_ready_once_what_fails_is_explained(qtbot, four, window):
    present(qtbot, window)
    choose(window, "bd")
    window.bulk.set_status(Status.READY)
    qtbot.waitUntil(
        lambda: window.review_actions.dialog is not None and bool(window.review_actions.dialog.overrides)
    )
    dialog = window.review_actions.dialog
    assert {"length", "past"} <= set(dialog.overrides)  # no bundle is open
    assert not dialog.can_choose  # neither passes
    for line in dialog.overrides.values():
        qtbot.keyClicks(line, "Only a sample.")
    assert dialog.can_choose
    with qtbot.waitSignal(window.painted):
        dialog.choose()
    assert text_of(window, "b", "Status") == text_of(window, "d", "Status") == "Ready"


def test_those_that_cannot_follow_are_named_and_the_others_go_on(qtbot, four, window):
    present(qtbot, window)
    choose(window, "ab")
    window.bulk.set_status(Status.IN_REVIEW)
    dialog = planned(qtbot, window)
    (left,) = (dialog.left.topLevelItem(at) for at in range(dialog.left.topLevelItemCount()))
    assert "Not asked before: " in left.text(2)  # b is a draft, and no bundle is open
    with qtbot.waitSignal(window.painted):
        dialog.choose()
    assert text_of(window, "a", "Status") == "In review"
    assert text_of(window, "b", "Status") == "Draft"


def test_only_statuses_that_a_rule_leads_to_are_offered(qtbot, four, window):
    present(qtbot, window)
    offered = QMenu()
    choose(window, "c")  # rejected
    window.bulk._fill_statuses(offered)
    assert [action.text() for action in offered.actions()] == ["Back to draft…"]
    choose(window, "ac")
    window.bulk._fill_statuses(offered)
    assert "Accept… (1 of 2)" in [action.text() for action in offered.actions()]


def test_statuses_of_rows_that_are_not_read_are_counted_without_a_wait(qtbot, four, window, monkeypatch):
    present(qtbot, window)
    offered = QMenu()
    choose(window, "ac")
    monkeypatch.setattr(window.bulk._model, "read_rows", lambda keys: [])
    window.bulk._fill_statuses(offered)
    assert [action.text() for action in offered.actions()] == ["Counting the statuses…"]
    qtbot.waitUntil(lambda: "Accept… (1 of 2)" in [action.text() for action in offered.actions()])


def test_a_menu_that_closes_before_the_statuses_are_counted_is_left_alone(qtbot, four, window, monkeypatch):
    present(qtbot, window)
    choose(window, "ac")
    monkeypatch.setattr(window.bulk._model, "read_rows", lambda keys: [])
    hold_jobs()
    window._popup_menu(QPoint(0, 0))
    (menu,) = (one for one in window.findChildren(QMenu) if one.isVisible())
    menu.close()
    qtbot.waitUntil(lambda: not isValid(menu))
    release_jobs()
    counted = []
    window.jobs.ask(lambda _: None, counted.append)  # after the count
    qtbot.waitUntil(lambda: counted == [None])


def test_drafts_are_accepted_in_one_pass_and_one_undo_takes_all_steps_back(qtbot, four, window):
    present(qtbot, window)
    choose(window, "ab")
    window.bulk.set_status(Status.ACCEPTED)
    dialog = planned(qtbot, window)
    for line in dialog.overrides.values():
        qtbot.keyClicks(line, "Only a sample.")
    with qtbot.waitSignal(window.painted):
        dialog.choose()
    assert text_of(window, "a", "Status") == text_of(window, "b", "Status") == "Accepted"
    steps = [event.body.status for event in four.store.events("b") if isinstance(event.body, StatusSet)]
    assert [str(step) for step in steps] == ["ready", "in review", "edited", "proofread", "accepted"]
    assert window.messages.text("review") == "2 tossups now have the status “accepted”."
    with qtbot.waitSignal(window.painted):
        window.review_actions.undo()
    assert (text_of(window, "a", "Status"), text_of(window, "b", "Status")) == ("Ready", "Draft")
    assert window.messages.text("review") == "Undone: the status “accepted” of 2 tossups."


def test_an_open_suggestion_holds_back_accepted(qtbot, four, window):
    four.store.add_events([Event.new("a", 9_000, "ben", Suggested(1, Edit(0, "A", "One")))])
    present(qtbot, window)
    choose(window, "ab")
    window.bulk.set_status(Status.ACCEPTED)
    dialog = planned(qtbot, window)
    left = {
        dialog.left.topLevelItem(at).text(0): dialog.left.topLevelItem(at).text(2)
        for at in range(dialog.left.topLevelItemCount())
    }
    assert left["Kraków"] == "It has open suggestions. Accept or decline them first."
    dialog.reject()


def test_consents_comments_and_tags_of_many(qtbot, four, window, monkeypatch):
    present(qtbot, window)
    choose(window, "abc")
    window.bulk.set_consent(Consent.YES)
    qtbot.waitUntil(lambda: window.findChild(LineDialog) is not None)  # b is Ben's: how does Ada know?
    dialog = window.findChild(LineDialog)
    qtbot.keyClicks(dialog.line, "By e-mail on 3 May.")
    with qtbot.waitSignal(window.painted):
        qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    window.bulk.ask_comment()
    window.bulk.ask_tags()
    menu = QMenu(window)
    dict(window.bulk.menus)["Set"](menu)
    menu.actions()[-1].trigger()
    window.table.clearSelection()  # as when the rows leave the filter meanwhile
    comment, tags, named = (window.findChildren(kind)[-1] for kind in (CommentDialog, TagsDialog, LineDialog))
    comment.text.setPlainText("Please add a pronunciation guide.")
    tags.own.setText("Multi-Step Reasoning")
    named.line.setText("New Open")
    record, full = four.review.record, QuizwriterError("The disk is full.", "Free some space.")
    monkeypatch.setattr(four.review, "record", Mock(side_effect=full))
    comment._enter()
    qtbot.waitUntil(lambda: window.messages.text("review") == str(full))
    monkeypatch.setattr(four.review, "record", record)
    with qtbot.waitSignals([window.review_actions.changed, window.painted]):
        press(window, "Try again")  # the comment is still there
    for asked in (tags, named):
        with qtbot.waitSignals([window.review_actions.changed, window.painted]):
            asked._enter()
    assert [text_of(window, key, "Consent") for key in "abcd"] == ["Yes", "Yes", "Yes", "Not asked"]
    assert text_of(window, "b", "Open comments") == "2"
    reviews = four.review.reviews("abcd")
    assert reviews["a"].tags == {(Round.BLIND, "ada"): ("Multi-Step Reasoning",)}
    assert [four.review.review_of(key).set_name == "New Open" for key in "abcd"] == [True, True, True, False]
    choose(window, "abc")
    with qtbot.waitSignal(window.painted):
        window.bulk.add_tags(("Paraphrase",))
    assert four.review.reviews("a")["a"].tags == {
        (Round.BLIND, "ada"): ("Multi-Step Reasoning", "Paraphrase")
    }
    with qtbot.waitSignal(window.painted):
        window.use_filter(QueueFilter(consents=(Consent.YES,)))
    assert shown(window) == "abc"


def test_a_refusal_needs_a_reason(qtbot, four, window):
    present(qtbot, window)
    choose(window, "a")
    window.bulk.set_status(Status.SENT_BACK)
    qtbot.waitUntil(lambda: window.review_actions.dialog is not None)
    dialog = window.review_actions.dialog
    assert not dialog.can_choose
    qtbot.keyClicks(dialog.reason, "Two clues are swapped.")
    with qtbot.waitSignal(window.painted):
        qtbot.keyClick(dialog.reason, Qt.Key.Key_Return)
    assert text_of(window, "a", "Status") == "Sent back"


def test_what_is_shown_is_copied_with_its_titles(qtbot, four, window):
    present(qtbot, window)
    choose(window, "a")
    window.copy()
    qtbot.waitUntil(lambda: "Kraków" in QGuiApplication.clipboard().text())
    titles, row = QGuiApplication.clipboard().text().split("\n")
    assert titles.split("\t")[:3] == ["Answer", "Set", "Category"]
    assert dict(zip(titles.split("\t"), row.split("\t"), strict=True))["IR buzz"] == "4"
    assert "IR first right" not in titles  # not shown


def test_after_copying_many_rows_the_counts_are_shown_again(qtbot, four, window, monkeypatch):
    present(qtbot, window)
    monkeypatch.setattr("quizwriter.gui.queue.queue_window.PAGE", 0)  # four are many
    shown, before = [], window.action_bar.count_label.text()
    show = window.action_bar.show_progress
    monkeypatch.setattr(window.action_bar, "show_progress", lambda *far: (shown.append(far), show(*far)))
    QGuiApplication.clipboard().clear()
    window.copy()
    qtbot.waitUntil(lambda: "Answer" in QGuiApplication.clipboard().text())

    assert shown
    assert window.action_bar.count_label.text() == before


def test_what_is_shown_is_written_to_a_file(qtbot, four, window, tmp_path):
    present(qtbot, window)
    with qtbot.waitSignal(window.painted):
        window.use_filter(QueueFilter(text="city"))
    window.export(tmp_path / "out.csv")
    qtbot.waitUntil(lambda: (tmp_path / "out.csv").exists())
    assert len((tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines()) == 3
    window.export(tmp_path / "none" / "out.csv")
    qtbot.waitUntil(lambda: "could not be written" in window.messages.text("export"))
    with qtbot.waitSignal(window.painted):
        window.query()
    assert "could not be written" in window.messages.text("export"), "the table has nothing to do with it"
    window.export(tmp_path / "again.csv")
    qtbot.waitUntil(lambda: window.messages.text("export").startswith("2 tossups written to"))


def test_opening_a_row_says_which(qtbot, four, window):
    present(qtbot, window)
    with qtbot.waitSignal(window.opened) as opened:
        window.table.activated.emit(window.model.index(1, 0))
    assert opened.args == ["b"]


def test_what_the_main_window_saves_comes_up(qtbot, four, window, saver):
    present(qtbot, window)
    with qtbot.waitSignal(window.painted):
        saver.keep(PendingSave.begun("e", "Anew.", Answer("Eel"), 9_000))
    assert shown(window) == "eabcd"


def test_the_columns_chosen_are_remembered(qtbot, four, window, app, theme, saver):
    present(qtbot, window)
    places = {column: at for at, column in enumerate(window.model.columns)}
    assert window.table.isColumnHidden(places["first", "ir"])
    window.table.show_column("first", "ir", shown=True)
    window.table.show_column("power", shown=False)
    window.close()
    again = QueueWindow(app, theme, saver, lambda: None, lambda: None)
    present(qtbot, again)
    assert not again.table.isColumnHidden(places["first", "ir"])
    assert again.table.isColumnHidden(places["first", "dan"])
    assert again.table.isColumnHidden(places["power", ""])
    again.shutdown()


def test_nothing_is_said_to_be_there_when_nothing_is(qtbot, app, window):
    present(qtbot, window)
    assert window.table.empty_label.isVisible()
    assert "no tossups yet" in window.table.empty_label.text()


# -- at 20,000


def crowd(app, count):
    """A store of ``count`` tossups with games of four players, put there as rows."""
    draw = random.Random(4)
    for person in (ADA, BEN):
        app.store.save_person(person)
    words = [
        f"{first}{second}" for first in ("bla", "gro", "tri", "mon", "ser") for second in ("de", "ka", "nu")
    ]
    statuses, sets = list(Status), ["", "Winter", "Spring", "Autumn"]
    tossups, listed, standings = [], [], []
    for number in range(count):
        key, text = f"{draw.getrandbits(128):032x}", " ".join(draw.choices(words, k=110))
        line = f"{draw.choice(words)} {draw.choice(words)} {number}"
        tossups.append((key, line, line, text, 110, 0, number, number, key, 1, key))
        path = draw.choice(STANDARD)
        listed.append(
            (key, number, line, 110, draw.choice([None, 60]), draw.choice(["ada", "ben"]),
             str(draw.choice(statuses)), 0, 0, 0, 0, draw.choice(sets), *(*path, "", "", "")[:3], "not asked",
             0, 0, draw.randrange(90))
        )  # fmt: skip
        for guesser in ("dan", "ensemble", "ir", "rnn"):
            first = draw.choice([None, draw.randrange(110)])
            standings.append((key, guesser, "engine", 1, 110, first, first, draw.randrange(110), 1, 1, None))
    columns = (
        "tossup, changed_ms, answer, words, power, author, status, status_ms, status_seq, locked, "
        "superseded, set_name, category, subcategory, topic, consent, comments, suggestions, shift"
    )
    with connected(app.store) as db:
        db.execute("begin")
        db.executemany(
            """
            insert into tossup (id, answer_line, page, text, words, cursor, created_ms, changed_ms, root, seq,
                                head) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            tossups,
        )
        db.executemany(f"insert into listed ({columns}) values ({', '.join('?' * 19)})", listed)
        db.executemany(f"insert into standing values ({', '.join('?' * 11)})", standings)


def test_of_a_thousand_rows_few_are_ever_read(qtbot, app, theme, saver, monkeypatch):
    monkeypatch.setattr("quizwriter.gui.queue.queue_model.PAGES", 6)
    crowd(app, 1_000)
    read, rows = [], app.store.queue_rows
    monkeypatch.setattr(app.store, "queue_rows", lambda keys, _: read.extend(keys) or rows(keys))
    window = QueueWindow(app, theme, saver, lambda: None, lambda: None)
    present(qtbot, window)
    window.table.viewport().repaint()
    assert len(window.model.keys) == 1_000
    assert len(read) == PAGE

    def fetched(do):
        """How many rows are read until the table is painted anew."""
        read.clear()
        with qtbot.waitSignal(window.painted):
            do()
        window.table.viewport().repaint()
        return len(read)

    for column, player in (("answer", ""), ("status", ""), ("author", ""), ("buzz", "ir"), ("stumped", "")):
        assert 0 < fetched(lambda one=column, who=player: window.sort_by(one, who)) <= 2 * PAGE
    for wanted in (QueueFilter(text="tride 7"), QueueFilter(categories=(("Science",),), stumps=("ir",))):
        assert 0 < fetched(lambda wanted=wanted: window.use_filter(wanted)) <= 2 * PAGE
        assert 0 < len(window.model.keys) < 250
    with qtbot.waitSignal(window.painted):
        window.use_filter(QueueFilter())

    read.clear()
    window.table.scrollToBottom()
    window.table.viewport().repaint()
    last = window.model.keys[-1]
    qtbot.waitUntil(lambda: last in read)
    for place in range(0, 1_000, 50):  # however far it is scrolled, few pages are kept
        window.table.scrollTo(window.model.index(place, 0))
        window.table.viewport().repaint()
        QApplication.processEvents()
    assert len(window.model._rows) <= 7 * PAGE
    window.shutdown()
