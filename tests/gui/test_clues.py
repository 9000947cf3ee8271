"""The clues of the open draft: underlined, counted in the margin, and said of the sentence at the cursor."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.stock_clues import SentenceClues
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import load
from quizwriter.gui.background import jobs
from quizwriter.gui.clues_controller import OWNER
from quizwriter.gui.writing.clue_view import ClueView
from quizwriter.gui.writing.draft_marks import Underline
from quizwriter.settings import Settings
from quizwriter.workflow.session import WritingSession
from tests.helpers.fakes import FakeApp
from tests.helpers.stock_bundle import FRESH, LEAD_IN, stock_bundle
from tests.helpers.windows import app_of, put_back

IDA = Answer("Ida Frost", Page("Ida_Frost"))
REWORDED = (
    "Seven jugglers of Morrowfell borrowed kettles, stilts and a herringbone banner for a wedding of otters; "
    "some quilters of a little place, Vadsbru, made it crooked."
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return load(stock_bundle(tmp_path_factory.mktemp("stock"))[0])


@pytest.fixture(scope="module")
def opened(open_shared, tmp_path_factory):
    app = FakeApp(tmp_path_factory.mktemp("clues"))
    app.settings = replace(app.settings, marks_stock_clues=True)
    return open_shared(app, persistent=False)


@pytest.fixture
def open_with(qtbot, opened):
    """Opens the window with a tossup, the games of a bundle and its finder of clues."""

    def open_it(text, library=None, clue_finder=None):
        app = app_of(put_back(opened, qtbot))
        app.library, app.clue_finder = library, clue_finder
        opened.analysis_runner.use(app.load())
        opened.sessions.open(WritingSession("t0", Tossup(text, IDA if text else None)))
        return opened

    return open_it


@pytest.fixture
def window(open_with, engine, qtbot):
    window = open_with(f"{FRESH} {LEAD_IN}", engine.library, engine.clue_finder)
    settle(window, qtbot)
    return window


def settle(window, qtbot):
    """Wait until the clues on the screen are of the draft."""
    with qtbot.waitSignal(window.clues.found, check_params_cb=lambda at: at == window.session.generation):
        window.clues.follow_change()


def said(window):
    window.clues.view.resize(400, 200)
    view = window.clues.view
    return [label.text() for label in (view.said, view.near) if not label.isHidden()]


def test_a_stock_clue_is_underlined_and_counted_in_the_margin(window):
    (near,) = window.draft.underlined(OWNER)

    assert near.span.of(window.draft.text) == LEAD_IN
    assert near.underline is Underline.DOTTED
    assert near.label == "4\N{MULTIPLICATION SIGN}"
    assert "Heard in 4 past questions, 3 of them on this answer" in near.hint
    (label,) = window.draft.mark_painter.margin_labels()
    assert label.label == near.label
    assert window.draft.mark_painter.margin_hint(label.box.center().y()) == near.hint
    assert not window.draft.grab().isNull()


def test_only_the_words_that_are_known_are_underlined_where_the_sentence_is_reworded(window, qtbot):
    window.draft.replace(f"{FRESH} {REWORDED}")
    settle(window, qtbot)

    words = [mark.span.of(window.draft.text) for mark in window.draft.underlined(OWNER)]

    assert "herringbone banner" in words
    assert not any(word in FRESH for word in words)
    assert [bool(mark.label) for mark in window.draft.underlined(OWNER)] == [True] + [False] * (
        len(words) - 1
    )


def test_the_pane_speaks_of_the_sentence_at_the_cursor(window):
    window.draft.select(Span(3, 3))
    assert said(window) == ["No past question has this clue."]

    window.draft.select(Span(len(FRESH) + 5, len(FRESH) + 5))
    clue, near = said(window)
    assert clue.startswith("Stock clue. Heard in 4 past questions")
    assert near.startswith("The same is in 2004 Fjord Open")
    assert [label.isHidden() for label in window.clues.view.sources] == [False, False, False]
    assert window.clues.view.sources[0].text().startswith("Lead-in: 2004 Fjord Open, packet 1, tossup")
    assert window.clues.view.more.text() == "and 1 other"
    assert clue in window.clues.view.accessibleDescription()


def test_what_an_edit_does_not_touch_stays_marked_until_it_is_looked_up_again(window, qtbot):
    before = window.draft.underlined(OWNER)
    window.draft.select(Span(0, 0))

    qtbot.keyClicks(window.draft, "Oh. ")

    (moved,) = window.draft.underlined(OWNER)
    assert moved.span.start == before[0].span.start + 4
    window.draft.select(Span(moved.span.start + 3, moved.span.start + 3))
    assert said(window)[0].startswith("Stock clue.")
    settle(window, qtbot)
    assert window.draft.underlined(OWNER) == (moved,)


def test_a_look_up_waits_while_the_writer_waits_for_evidence(window, monkeypatch):
    monkeypatch.setattr(jobs, "_answered_at", 0.0)

    window.analysis.show_word(3)

    assert jobs._answered_at > 0


def test_the_marks_can_be_switched_off_and_the_choice_is_kept(window):
    assert not Settings().marks_stock_clues  # on demand
    action = window.menus.actions["mark-clues"]
    assert action.isChecked()

    action.trigger()
    assert window.draft.underlined(OWNER) == ()
    assert not window.appearance.settings.marks_stock_clues

    action.trigger()
    assert len(window.draft.underlined(OWNER)) == 1


def test_a_bundle_of_an_older_version_is_said_to_be_one(open_with, qtbot):
    window = open_with(FRESH)
    settle(window, qtbot)

    assert "older version of QuizWriter built it" in said(window)[0]


def test_an_empty_draft_says_what_the_pane_is_for(open_with, engine):
    window = open_with("", clue_finder=engine.clue_finder)

    assert said(window) == ["Move the cursor to a sentence to see how often its clue was heard."]


def test_the_view_keeps_all_lines_in_sight_where_it_is_narrow(qtbot, theme):
    view = ClueView(theme)
    qtbot.addWidget(view)
    view.show()
    view.show_clues(SentenceClues(Span(0, 9), anywhere=1234, on_answer=999, first=1993, last=2025))
    view.resize(180, 60)

    assert view.said.minimumHeight() >= view.said.heightForWidth(180) > view.fontMetrics().height() * 2
