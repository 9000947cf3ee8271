"""Pronunciation guides in the window: asked for by a key, offered, put in, changed, not counted."""

import pytest
from msgspec.structs import force_setattr
from PySide6.QtCore import Qt

from quizwriter.domain.pronunciation import UsedGuide
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from tests.helpers.windows import app_of, put_back

TEXT = "This baker met Ilse Brandt in Łódkowo, where eels sleep."


class Book:
    """The guides of two names."""

    def of(self, name):
        """Those of ``name``."""
        if name == "Łódkowo":
            return (UsedGuide(name, "wood-KO-vo", 14, 2019), UsedGuide(name, "wod-KOH-voh", 1))
        return (UsedGuide(name, "IL-zuh BRAHNT", 2, 2011),) if name == "Ilse Brandt" else ()


@pytest.fixture(scope="module")
def opened(open_shared):
    window = open_shared()
    force_setattr(window.analysis.engine, "guides", Book())
    return window


@pytest.fixture
def window(opened, qtbot):
    return put_back(opened, qtbot, Tossup(TEXT))


@pytest.fixture
def app(window):
    return app_of(window)


def ask(qtbot, window, word, *, offers=True):
    at = window.draft.text.index(word) + 1
    window.draft.select(Span(at, at))
    window.menus.actions["pronunciation"].trigger()
    if offers:
        qtbot.waitUntil(lambda: bool(window.guides.popup.offers.offers))
    return window.guides.popup


def press(qtbot, popup, *keys):
    for key in keys:
        qtbot.keyClick(popup.line, key)


def test_one_key_offers_the_guide_of_past_questions_and_enter_puts_it_in(qtbot, window):
    words, counts = window.session.tossup.words, window.status._size.text()
    popup = ask(qtbot, window, "kowo")
    assert popup.title.text() == "How is “Łódkowo” pronounced?"
    assert popup.line.text() == popup.line.selectedText() == "wood-KO-vo"
    assert [one.spoken for one in popup.offers.offers] == [
        "wood-KO-vo, 14 past questions, last 2019", "wod-KOH-voh, 1 past question",
    ]  # fmt: skip
    press(qtbot, popup, Qt.Key.Key_Return)

    assert "in Łódkowo (“wood-KO-vo”), where" in window.draft.text
    assert window.session.tossup.text == window.draft.text
    assert len(window.session.tossup.words) == len(words)
    assert window.status._size.text() == counts  # neither letters nor words nor seconds
    assert [span.of(window.draft.text) for span in window.draft.mark_painter.asides] == ["(“wood-KO-vo”)"]
    assert window.draft.hasFocus()
    window.draft.undo()
    assert window.draft.text == TEXT


def test_the_guides_of_the_writers_other_tossups_come_before_those_of_past_questions(
    qtbot, app, window, monkeypatch
):
    own = UsedGuide("Łódkowo", "WOOT-ko-vo", 2, own=True)

    def guides_of(names, but):
        return (own,) if "Łódkowo" in names and but == window.session.tossup_id else ()

    monkeypatch.setattr(app.tossups, "guides_of", guides_of)
    popup = ask(qtbot, window, "kowo")
    assert [one.spoken for one in popup.offers.offers][:2] == [
        "WOOT-ko-vo, 2 tossups of yours", "wood-KO-vo, 14 past questions, last 2019",
    ]  # fmt: skip
    assert popup.hint.text().startswith("Your other tossups and past questions used these.")
    press(qtbot, popup, Qt.Key.Key_Return)
    assert "Łódkowo (“WOOT-ko-vo”)," in window.draft.text


def test_another_offer_is_taken_by_the_arrow_keys(qtbot, window):
    press(qtbot, ask(qtbot, window, "kowo"), Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert "Łódkowo (“wod-KOH-voh”)," in window.draft.text


def test_the_whole_name_is_offered_at_its_last_word(qtbot, window):
    popup = ask(qtbot, window, "Brandt")
    assert popup.offers.offers[0].note == "Ilse Brandt"
    press(qtbot, popup, Qt.Key.Key_Return)
    assert "Ilse Brandt (“IL-zuh BRAHNT”) in" in window.draft.text


def test_a_guide_is_changed_and_taken_away_where_it_stands(qtbot, window):
    press(qtbot, ask(qtbot, window, "kowo"), Qt.Key.Key_Return)
    popup = ask(qtbot, window, "KO-vo")
    assert popup.line.text() == "wood-KO-vo"
    popup.line.setText("WOOD-ko-vo")
    press(qtbot, popup, Qt.Key.Key_Return)
    assert "Łódkowo (“WOOD-ko-vo”), where" in window.draft.text
    popup = ask(qtbot, window, "kowo")
    popup.line.clear()
    press(qtbot, popup, Qt.Key.Key_Return)
    assert window.draft.text == TEXT


def test_what_the_writer_types_is_not_replaced_by_an_offer_that_comes_late(qtbot, window):
    popup = ask(qtbot, window, "eels", offers=False)
    qtbot.keyClicks(popup.line, "EE-uls")
    popup.show_offers((UsedGuide("eels", "eelz", 3),))
    assert popup.line.text() == "EE-uls"
    press(qtbot, popup, Qt.Key.Key_Escape)
    assert window.draft.text == TEXT


def test_nothing_is_put_into_another_text_than_the_one_that_was_asked_about(qtbot, window):
    popup = ask(qtbot, window, "kowo")
    window.draft.replace("Another text.")
    press(qtbot, popup, Qt.Key.Key_Return)
    assert window.draft.text == "Another text."


def test_a_locked_draft_and_a_place_without_a_word_say_so(qtbot, window):
    refused = []
    window.draft.refused_edit.connect(lambda: refused.append(True))
    window.draft.lock(locked=True)
    window.guides.insert()
    assert refused == [True]
    window.draft.lock(locked=False)
    window.draft.replace("")
    window.guides.insert()
    assert "Put the cursor at the name" in window.messages.text("guides")


def test_guides_and_notes_are_softer_than_the_text_and_power_marks_are_not(window):
    window.draft.replace("He met Ada (“AY-duh”) there (*) [read slowly] and (in 1712) left.")
    soft = [selection.cursor.selectedText() for selection in window.draft.extraSelections()]
    assert soft[:2] == ["(“AY-duh”)", "[read slowly]"]
    assert all("(*)" not in one for one in soft[:2])
