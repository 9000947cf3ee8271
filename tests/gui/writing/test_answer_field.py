"""The answer field: what it offers, what it shows under the line, and what it mends."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from quizwriter.domain.answer_line import Style
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.past_questions import PastAnswerLine, TimesAsked
from quizwriter.domain.tossup import Answer
from quizwriter.engine.pages import Alias, Pages
from quizwriter.gui.background.jobs import stop_background
from quizwriter.gui.writing.answer_field import UNLISTED, AnswerFacts, AnswerField, is_meant
from quizwriter.gui.writing.printed_answer import MOST_ROWS

NAMES = {"Madama_Butterfly": 20, "John_F._Kennedy": 140, "JFK": 2, "Turandot": 12}
ALIASES = [Alias("JFK", "jfk", 1, 30, 30), Alias("Cio-Cio-San", "cio cio san", 0, 14, 14)]
PAST = (
    PastAnswerLine("Madama *_Butterfly_* [or *_Cio-Cio-San_*]", 13, 2024),
    PastAnswerLine("Madama Butterfly", 1, None),
)

LONG = 100


@pytest.fixture
def field(qtbot, theme):

    pages = Pages(
        [Page(name) for name in NAMES], [answer_key(name) for name in NAMES], list(NAMES.values()), ALIASES
    )
    field = AnswerField(theme)
    qtbot.addWidget(field)
    field.resize(560, 140)
    field.show()
    qtbot.waitExposed(field)
    field.use_pages(pages, lambda page: TimesAsked(NAMES[page], NAMES[page] // 10))
    qtbot.waitUntil(lambda: field.has_pages)
    field.line.setFocus()
    yield field
    stop_background(field)


def typed(qtbot, field, text):
    field.line.selectAll()
    if text.isascii() and len(text) < LONG:
        qtbot.keyClicks(field.line, text)
    else:  # the simulated keyboard has no such letters, and types slowly
        QApplication.clipboard().setText(text)
        field.line.paste()


def entered(qtbot, field, text):
    typed(qtbot, field, text)
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    return field.notes.texts


def test_a_page_is_offered_with_the_name_that_was_found_and_how_often_it_is_asked_for(qtbot, field):
    typed(qtbot, field, "cio cio")
    qtbot.waitUntil(lambda: field.offered() == ("Madama Butterfly",))
    (offer,) = field._offer.offers

    assert (offer.note, offer.aside) == ("Cio-Cio-San", "20 tossups, 2 bonus parts")
    assert offer.spoken == "Madama Butterfly, Cio-Cio-San, 20 tossups, 2 bonus parts"
    assert not field._offer.grab().toImage().isNull()


def test_what_was_typed_last_is_completed_however_quick_the_keys_come(qtbot, field):
    typed(qtbot, field, "turan")
    typed(qtbot, field, "madama")
    qtbot.waitUntil(lambda: field.offered() == ("Madama Butterfly",))

    typed(qtbot, field, "zzzz")
    qtbot.waitUntil(lambda: field.offered() == ())


def test_enter_takes_the_first_offer_and_escape_keeps_what_was_typed(qtbot, field):
    typed(qtbot, field, "cio cio")
    qtbot.waitUntil(lambda: field.offered() == ("Madama Butterfly",))
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    assert field.answer == Answer("Madama Butterfly", Page("Madama_Butterfly"))
    field.line.undo()
    assert field.line.text() == "cio cio"

    typed(qtbot, field, "cio ci")
    qtbot.waitUntil(lambda: field.offered() == ("Madama Butterfly",))
    qtbot.keyClick(field.line, Qt.Key.Key_Escape)
    assert field.offered() == ()
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    assert field.answer.line == "cio ci"

    typed(qtbot, field, "cio c")
    qtbot.waitUntil(lambda: field.offered() == ("Madama Butterfly",))
    field.line.setText("Cio c, by a writer quicker than the list")
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    assert field.line.text() == "Cio c, by a writer quicker than the list"


@pytest.mark.parametrize(
    ("typed", "title", "alias", "meant"),
    [
        ("Mann", "Invisible Man", "", False),
        ("Cook", "Book of Daniel", "", False),
        ("Plath", "Plato", "", False),
        ("Bellini", "Gian Lorenzo Bernini", "", False),
        ("Ceph", "Oxygen", "dephlogisticated air", False),
        ("John Cage", "John Cabot", "", False),
        ("Iran", "Ivan Turgenev", "", False),
        ("brahms", "Johannes Brahms", "", True),
        ("joha bra", "Johannes Brahms", "", True),
        ("johanes brams", "Johannes Brahms", "", True),
        ("tchaikovski", "Pyotr Ilyich Tchaikovsky", "", True),
        ("Mozrat", "Wolfgang Amadeus Mozart", "", True),
        ("Nietzche", "Friedrich Nietzsche", "", True),
        ("adjective", "Objective", "", False),
        ("Dvorak", "Antonín Dvořák", "", True),
        ("cio cio", "Madama Butterfly", "Cio-Cio-San", True),
        ("mac beth", "Macbeth", "", True),
        ("vangogh", "Vincent van Gogh", "", True),
        ("jfk", "John F. Kennedy", "", True),
        ("fifth symphony", "Symphony No. 5", "", True),
    ],
)
def test_enter_takes_what_the_writer_surely_means(typed, title, alias, meant):
    assert is_meant(typed, title, alias) is meant


def test_an_answer_that_only_resembles_an_offer_is_kept_by_enter_and_taken_by_the_arrow(qtbot, field):
    for keys, line in (((Qt.Key.Key_Return,), "Turin"), ((Qt.Key.Key_Down, Qt.Key.Key_Return), "Turandot")):
        typed(qtbot, field, "Turin")
        qtbot.waitUntil(lambda: field.offered() == ("Turandot",))
        for key in keys:
            qtbot.keyClick(field.line, key)
        assert field.line.text() == line


def test_nothing_is_offered_where_no_edit_is_taken(qtbot, field):
    field.put(Answer("Turandot", Page("Turandot")))
    field.line.setReadOnly(True)
    qtbot.keyClick(field.line, Qt.Key.Key_Down)
    assert field._wanted is None
    assert field.offered() == ()
    field.line.setReadOnly(False)
    typed(qtbot, field, "Turand")
    qtbot.waitUntil(lambda: field.offered() == ("Turandot",))
    field.line.setReadOnly(True)  # somebody accepts it while the list is open
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    assert (field.line.text(), field.offered()) == ("Turand", ())


def test_the_offers_are_not_covered_by_the_notes_on_the_line(qtbot, field):
    typed(qtbot, field, "madama")
    qtbot.waitUntil(lambda: field.offered() == ("Madama Butterfly",))
    with qtbot.waitSignal(field.settled):  # the typing pauses, and the notes are worked out
        pass
    field.show_facts(field.answer, AnswerFacts(TimesAsked()))
    assert field.offered()
    assert not field.below.isVisible()

    qtbot.keyClick(field.line, Qt.Key.Key_Escape)
    assert field.below.isVisible()


@pytest.mark.parametrize("width", [340, 420, 900])
def test_the_notes_are_whole_beside_or_above_the_buttons(qtbot, field, width):
    field.resize(width, 140)
    entered(qtbot, field, "Nobody")
    field.show_facts(field.answer, AnswerFacts(lines=PAST))
    label = field.notes._label

    assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()
    assert field.below.rect().contains(field.notes.geometry())


@pytest.mark.parametrize("width", [340, 420, 900])
def test_a_long_answer_line_is_whole_below_the_field(qtbot, field, width):
    field.resize(width, 140)
    line = (
        "Battle of the Metaurus [accept the battle at which Hasdrubal Barca was killed before he could join "
    )
    entered(qtbot, field, f"{line}his brother; prompt on Second Punic War; do not accept Battle of Trebia]")
    field._lay_below(shown=True)
    printed = field.printed

    _, lines, cut = printed._laid_out(printed.width())
    assert not cut
    assert len(lines) > 1
    assert sum(one.textLength() for one in lines) == len(printed.text)
    assert printed.height() >= printed.heightForWidth(printed.width())
    assert field.below.rect().contains(printed.geometry())
    assert field.notes._label.height() >= field.notes._label.heightForWidth(field.notes._label.width())
    assert field.below.rect().contains(field.notes.geometry())


def test_nothing_is_offered_for_what_stands_in_brackets(qtbot, field):
    typed(qtbot, field, "Turandot [or mad")
    field._complete()

    assert field.offered() == ()
    assert field.answer == Answer("Turandot [or mad", Page("Turandot"))


def test_a_nickname_is_ticked_as_the_real_page_and_says_so(qtbot, field):
    entered(qtbot, field, "JFK")

    assert field.answer == Answer("JFK", Page("John_F._Kennedy"))
    assert field.notes.texts[0] == "Players know it as John F. Kennedy."


def test_how_often_it_was_asked_is_shown_unless_the_answer_changed_meanwhile(qtbot, field):
    entered(qtbot, field, "Madama Butterfly")
    facts = AnswerFacts(TimesAsked(tossups=140), PAST, "14 past answer lines; most accept Cio-Cio-San.")
    field.show_facts(Answer("Turandot"), facts)
    assert field.notes.texts[:2] == ("", "")

    field.show_facts(field.answer, facts)
    assert field.notes.texts[:2] == ("Asked in 140 tossups.", "14 past lines")
    assert "most accept Cio-Cio-San" in field.notes._lines.toolTip()

    entered(qtbot, field, "Turandot")
    assert field.notes.texts[:2] == ("", "")


def test_the_same_answer_in_the_set_is_warned_of_first(qtbot, field):
    entered(qtbot, field, "Turandot")
    field.show_facts(field.answer, AnswerFacts(TimesAsked(tossups=1), elsewhere=("A riddle",)))

    assert field.notes.texts[0] == "Also the answer of 1 other tossup of this set. Asked in 1 tossup."


def test_a_past_answer_line_is_taken_over_with_the_keyboard(qtbot, field):
    entered(qtbot, field, "Madama Butterfly")
    field.show_facts(field.answer, AnswerFacts(lines=PAST))
    field.offer_past_lines()
    assert field.offered() == ("Madama Butterfly [or Cio-Cio-San]", "Madama Butterfly")
    assert [offer.aside for offer in field._offer.offers] == ["13 times, last 2024", "once"]
    qtbot.keyClick(field.line, Qt.Key.Key_Return)

    assert field.answer == Answer("Madama Butterfly [or Cio-Cio-San]", Page("Madama_Butterfly"))
    assert [text for text, style in field.printed.runs if style] == ["Butterfly", "Cio-Cio-San"]
    assert field.notes.texts[2] == ""
    assert field.offered() == ()
    field.line.undo()
    assert field.line.text() == "Madama Butterfly"


def test_the_line_is_shown_as_it_will_print(qtbot, field):
    entered(qtbot, field, "Madama *_Butterfly_* [or <Cio>; prompt on opera]")

    assert field.printed.text == "Madama Butterfly [or <Cio>; prompt on opera]"
    assert field.printed.runs[1] == ("Butterfly", Style.BOLD | Style.UNDERLINE)
    assert "required: Butterfly" in field.printed.accessibleDescription()
    assert not field.printed.grab().toImage().isNull()

    entered(qtbot, field, "Turandot")
    assert field.printed.text == ""


def test_a_longer_line_takes_so_many_rows_and_no_more(qtbot, field):
    entered(qtbot, field, "*_Turandot_* [or *_Princess_*]")
    one = field.printed.heightForWidth(400)
    entered(qtbot, field, "*_Turandot_* [or *_Princess_*" + "; or *_Turandotté_*" * 40 + "]")

    assert field.printed.heightForWidth(400) == MOST_ROWS * one
    assert not field.printed.grab().toImage().isNull()


@pytest.mark.parametrize("width", [300, 700])
def test_what_is_said_of_the_line_lies_below_it_while_it_has_the_keyboard(qtbot, field, width):
    field.resize(width, field.height())
    for line in ("Turandot", "*_Turandot_* [or *_Princess_*" + "; or *_T_*" * 20 + "]", "Turandot [Liu"):
        entered(qtbot, field, line)
        assert field.below.isVisible()
        assert field.below.geometry().top() > field.line.geometry().bottom()
        assert field.below.layout().minimumSize().height() <= field.below.height(), line
    field.line.selectAll()
    qtbot.keyClick(field.line, Qt.Key.Key_Delete)
    assert not field.below.isVisible()  # nothing is to be said of it

    entered(qtbot, field, "Turandot")
    field.line.clearFocus()
    other = QLineEdit(field)
    other.show()
    other.setFocus()
    assert not field.below.isVisible()


def test_what_the_line_misses_is_mended_with_one_key(qtbot, field):
    said = entered(qtbot, field, "Turandot [Princess 𝄞x; prompt on opera")[2]
    assert said == "The bracket [ is not closed (+2)"
    for _ in range(5):
        qtbot.keyClick(field.line, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)

    assert field.line.text() == "Turandot [accept Princess 𝄞x; prompt on opera]"
    assert field.answer.line == field.line.text()
    assert field.notes.texts[2] == ""
    required = Style.BOLD | Style.UNDERLINE
    assert [text for text, style in field.printed.runs if style == required] == ["Turandot", "Princess 𝄞x"]
    before = set()
    for _ in range(8):
        field.styling.undo()
        before.add(field.line.text())
    assert "Turandot [Princess 𝄞x; prompt on opera" in before


def test_to_mark_the_required_words_is_one_step_of_undo(qtbot, field):
    entered(qtbot, field, "Madama Butterfly [or Cio-Cio-San]")
    field.mend()
    assert Style.BOLD | Style.UNDERLINE in [style for _, style in field.printed.runs]
    assert field.styling.styles
    field.styling.undo()
    assert not field.styling.styles
    assert field.line.text() == "Madama Butterfly [or Cio-Cio-San]"


def test_where_nobody_knows_how_to_mend_the_place_is_selected(qtbot, field, monkeypatch):
    from quizwriter.domain.span import Span
    from quizwriter.gui.writing import answer_field
    from quizwriter.workflow.answer_notes import LineProblem

    monkeypatch.setattr(answer_field, "line_problems", lambda *_: (LineProblem("Odd.", Span(2, 5)),))
    entered(qtbot, field, "Turandot")
    field.mend()

    assert field.line.selectedText() == "ran"
    assert field.line.text() == "Turandot"


def test_a_locked_line_is_not_mended_and_takes_nothing_over(qtbot, field):
    entered(qtbot, field, "Madama Butterfly")
    field.show_facts(field.answer, AnswerFacts(lines=PAST))
    field.line.setReadOnly(True)
    field.mend()
    field.offer_past_lines()

    assert field.line.text() == "Madama Butterfly"
    assert field.offered() == ()


def test_an_unlisted_answer_is_said_before_all_else(qtbot, field):
    entered(qtbot, field, "Nobody")
    field.show_facts(field.answer, AnswerFacts(TimesAsked()))

    assert field.verdict == field.notes.texts[0] == UNLISTED


def test_text_that_looks_like_html_is_shown_as_it_is(qtbot, field):
    entered(qtbot, field, "<img src=x> [or <h1>; or &amp;]")

    assert "<img src=x>" in field.printed.text
    assert "&lt;img" in field.printed.toolTip()
