"""The preferences: every choice holds at once, is saved, and can be reset."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QCheckBox, QLineEdit, QSpinBox

from quizwriter.domain.guessing import Player
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.gui.colours import DARK, DARK_CONTRAST, LIGHT, LIGHT_CONTRAST
from quizwriter.gui.dialogs import preferences
from quizwriter.gui.dialogs.preferences_pages import PreferencesPage
from quizwriter.settings import Settings
from quizwriter.workflow.dates import day
from tests.helpers.fakes import DRAFT, Lead, Overlap
from tests.helpers.patience import hurried
from tests.helpers.windows import app_of, put_back

NOON = 1_793_880_000_000  # in November 2026


@pytest.fixture(scope="module", autouse=True)
def _hurried():
    with hurried("dialogs.preferences_pages.SETTLED_MS"):
        yield


@pytest.fixture(scope="module")
def opened(open_shared):
    return open_shared(players=tuple(Player(Overlap(name), Lead(), "fake") for name in ("ir", "dan", "rnn")))


@pytest.fixture
def window(opened, qtbot):
    window = put_back(opened, qtbot, Tossup(DRAFT, Answer("Madama Butterfly", Page("Madama_Butterfly"))))
    qtbot.waitUntil(lambda: window.settled)
    yield window
    window.appearance.reduce_motion(reduced=False)
    window.menus.keys.reset_all()
    window.appearance.use_dates("iso")
    window.appearance.use_letters(family="", draft_px=16, percent=100)


@pytest.fixture
def app(window):
    return app_of(window)


@pytest.fixture
def dialog(window, qtbot):
    """The dialog as Ctrl+, opens it."""
    qtbot.keyClick(window.draft, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert window.preferences.isVisible()
    return window.preferences


def page(dialog, title):
    dialog.open_page(title)
    return dialog.page


def pick(box, value):
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_arrow_keys_go_through_all_pages(dialog, qtbot):
    titles = []
    for _ in dialog.pages:
        titles.append(dialog.stack.currentWidget().title)
        qtbot.keyClick(dialog.list, Qt.Key.Key_Down)

    assert titles == ["Appearance", "Players", "Lengths", "Spelling", "Keys", "Backups"]


@pytest.mark.parametrize(
    ("title", "first"), [("Players", QCheckBox), ("Lengths", QSpinBox), ("Keys", QLineEdit)]
)
def test_the_keyboard_goes_from_the_pages_into_the_page_and_then_to_the_buttons(dialog, qtbot, title, first):
    shown = page(dialog, title)
    dialog.list.setFocus()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Tab)
    assert isinstance(dialog.focusWidget(), first)
    while shown.isAncestorOf(last := dialog.focusWidget()):
        qtbot.keyClick(last, Qt.Key.Key_Tab)
    assert last.text() == "Reset this page"


def test_a_theme_holds_at_once_and_is_saved(dialog, window, app):
    looks = page(dialog, "Appearance")
    for name, tokens in (("light", LIGHT), ("dark", DARK)):
        pick(looks.theme_box, name)
        assert window.theme.tokens == tokens
        assert app.settings.theme == name
    pick(looks.theme_box, "contrast")
    assert window.theme.tokens in (LIGHT_CONTRAST, DARK_CONTRAST)
    for action in window.menuBar().actions():
        action.menu().aboutToShow.emit()
    assert window.menus.keys.action("theme:contrast").isChecked()


def test_letters_grow_in_all_windows(dialog, window, app, qtbot):
    looks = page(dialog, "Appearance")
    before = (window.status.font().pointSizeF(), window.draft.font().pixelSize())
    looks.percent.setValue(200)
    looks.draft_px.setValue(20)
    qtbot.waitUntil(lambda: app.settings.text_percent == 200)

    assert window.status.font().pointSizeF() == pytest.approx(2 * before[0])
    assert window.draft.font().pixelSize() == 40
    assert app.settings.draft_size_px == 20


def test_a_number_that_waits_is_applied_when_the_dialog_closes(dialog, app):
    page(dialog, "Backups").days.setValue(30)
    dialog.close()

    assert app.settings.backup_days == 30


def test_a_font_is_used_for_the_draft(dialog, window, app, qtbot):
    looks = page(dialog, "Appearance")
    family = looks.family.itemData(1)
    pick(looks.family, family)
    qtbot.waitUntil(lambda: app.settings.draft_font == family)
    assert window.draft.font().family() == family

    click(
        qtbot,
        next(
            one for one in dialog.findChildren(type(dialog.close_button)) if "Reset this page" in one.text()
        ),
    )
    assert app.settings.draft_font == ""
    assert looks.family.currentData() == ""


def test_nothing_moves_where_the_writer_wants_that(dialog, window, app, qtbot):
    looks = page(dialog, "Appearance")
    looks.motion.click()
    assert app.settings.reduced_motion
    assert window.theme.animation_ms == 0


@pytest.mark.parametrize(
    ("name", "shown"), [("iso", "2026-11-05"), ("de", "5 Nov. 2026"), ("en", "5 Nov 2026")]
)
def test_dates_are_written_in_the_language(dialog, app, name, shown):
    pick(page(dialog, "Appearance").dates, name)

    assert day(NOON) == shown
    assert app.settings.dates == name


def test_a_player_is_switched_off_and_moved_by_keys(dialog, window, app, qtbot):
    players = page(dialog, "Players")
    players.list.setFocus()
    qtbot.keyClick(players.list, Qt.Key.Key_Space)
    assert app.settings.players_off == ("ir",)
    click(qtbot, players.down)
    assert window.analysis.players == ("dan", "ir", "rnn")
    assert players.list.currentItem().text() == "IR"
    assert [one.name for one in window.time_line.lanes] == ["dan", "rnn"]

    players.reset()
    assert window.analysis.enabled_players == ("ir", "dan", "rnn")


def test_all_players_buzz_at_the_chance_that_the_writer_chose(dialog, window, app, qtbot):
    def buzzes():
        return [one.buzz for one in window.time_line.lanes]

    own = buzzes()
    players = page(dialog, "Players")
    players.own_rule.click()
    players.chance.setValue(80)
    qtbot.waitUntil(lambda: app.settings.buzz_percent == 80 and window.settled)
    qtbot.waitUntil(lambda: buzzes() != own)
    first = next(at for at, row in enumerate(window.session.analysis.plays[0].rows, 1) if row)
    assert buzzes() == [first] * 3  # the fake gives each guess a chance of 80 %

    players.own_rule.click()
    qtbot.waitUntil(lambda: buzzes() == own)


def test_a_draft_that_is_too_long_is_told(dialog, window, app, qtbot):
    lengths = page(dialog, "Lengths")
    lengths.longest.setValue(100)
    qtbot.waitUntil(lambda: app.settings.longest_words == 100)
    qtbot.keyClicks(window.draft, " x")

    qtbot.waitUntil(lambda: "105 words (5 too many)" in window.status.length)


def test_the_shortest_is_never_longer_than_the_longest(dialog, app, qtbot):
    lengths, before = page(dialog, "Lengths"), app.settings.shortest_words
    lengths.longest.selectAll()
    qtbot.keyClicks(lengths.longest, "1")
    qtbot.waitUntil(lambda: not lengths._soon.isActive())
    assert app.settings.shortest_words == before  # 1 is the beginning of 150
    qtbot.keyClicks(lengths.longest, "50")
    qtbot.keyClick(lengths.longest, Qt.Key.Key_Return)
    assert (app.settings.shortest_words, app.settings.longest_words) == (before, 150)

    lengths.shortest.setValue(300)
    dialog.close()
    assert (app.settings.shortest_words, app.settings.longest_words) == (300, 300)
    assert lengths.longest.value() == 300


def press(field, key):
    field.setKeySequence(QKeySequence(key))


def test_a_key_that_another_action_has_is_told_before_and_after(dialog, window, app, qtbot):
    keys = page(dialog, "Keys")
    keys.search.setText("glossary")
    assert keys.rows == (("Glossary", ""),)
    keys.choose("glossary")
    press(keys.field, "Ctrl+N")
    assert "is the key of “New tossup”" in keys.about.text()
    click(qtbot, keys.use_button)

    assert "“New tossup” lost that key" in dialog.message.text()
    assert window.menus.keys.keys_of("glossary") == ("Ctrl+N",)
    assert app.settings.keys["glossary"] == ("Ctrl+N",)
    keys.search.clear()
    assert dict(keys.rows)["New tossup"] == ""
    keys.choose("glossary")
    click(qtbot, keys.reset_button)
    assert dict(keys.rows)["New tossup"] == "Ctrl+N"


def test_a_key_that_types_text_cannot_be_used(dialog, qtbot):
    keys = page(dialog, "Keys")
    keys.choose("glossary")
    press(keys.field, "K")

    assert "types text" in keys.about.text()
    assert not keys.use_button.isEnabled()


def test_a_second_key_and_none(dialog, window, qtbot):
    keys = page(dialog, "Keys")
    keys.choose("new")
    press(keys.field, "F12")
    click(qtbot, keys.add_button)
    assert window.menus.keys.keys_of("new") == ("Ctrl+N", "F12")
    click(qtbot, keys.clear_button)

    assert window.menus.keys.keys_of("new") == ()


def test_files_of_keys(dialog, window, tmp_path):
    keys = page(dialog, "Keys")
    window.menus.keys.assign("glossary", ["F12"])
    keys.export(tmp_path / "keys.json")
    dialog.page.reset()
    assert window.menus.keys.keys_of("glossary") == ()
    keys.import_file(tmp_path / "keys.json")
    assert window.menus.keys.keys_of("glossary") == ("F12",)
    assert dialog.message.text() == "The keys of keys.json are in use."
    (tmp_path / "bad.json").write_text("{}")
    keys.import_file(tmp_path / "bad.json")

    assert "cannot be read" in dialog.message.text()
    assert window.menus.keys.keys_of("glossary") == ("F12",)


def test_other_dialogs_open_from_here(dialog, window, qtbot):
    click(qtbot, page(dialog, "Players").server)
    assert window.engines.server_dialog.isVisible()
    window.engines.server_dialog.close()


def test_every_page_can_be_reset(dialog, app, window):
    for one in dialog.pages:
        one.reset()

    assert app.settings == Settings(
        theme="system", shows_clue_strip=False, shows_people_lane=False
    )  # choices of the menu View


def test_reopening_shows_what_is_chosen(dialog, window, app, qtbot):
    pick(page(dialog, "Appearance").theme_box, "light")
    dialog.close()
    qtbot.waitUntil(lambda: window.preferences is None)
    window.open_preferences("Appearance")

    assert window.preferences.page.theme_box.currentData() == "light"


def test_own_words_are_shown_and_edited(qtbot, window, dialog):
    window.appearance.save_settings(own_words=("Vadsbru",))
    words = page(dialog, "Spelling")
    assert words.words.toPlainText() == "Vadsbru"
    words.words.setPlainText("Vadsbru\n  Eelsby \n\nVadsbru")
    words.finish()
    assert window.appearance.settings.own_words == ("Vadsbru", "Eelsby")
    assert not dialog._reset_button.isVisible()  # words are no choice of the program's
    page(dialog, "Lengths")
    assert dialog._reset_button.isVisible()


def test_a_page_is_declared_once_and_found_everywhere(window, monkeypatch):
    class MoonPage(PreferencesPage):
        title = "Moon"

        def __init__(self, of):
            super().__init__(of)
            self.add_row("Crater", QCheckBox("Dusty"), "Where the cat lands.")

    monkeypatch.setattr(preferences, "PAGES", [*preferences.PAGES, MoonPage])
    window.open_preferences("Moon")

    assert isinstance(window.preferences.page, MoonPage)
    assert window.preferences.list.item(len(preferences.PAGES) - 1).text() == "Moon"
    assert window.preferences.page.accessibleName() == "Moon"
