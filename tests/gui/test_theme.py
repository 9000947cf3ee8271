"""Whether people can read it: contrast over the table of colours."""

import pytest
from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QTabBar,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from quizwriter.gui.colours import (
    DARK,
    DARK_CONTRAST,
    LIGHT,
    LIGHT_CONTRAST,
    PLAYER_GLYPHS,
    PLAYER_SHAPES,
    THEMES,
    ColourTokens,
    PlayerMark,
    contrast_ratio,
    mixed,
)
from quizwriter.gui.theme import Theme, draw_player, fill_background
from quizwriter.gui.widgets.two_line_list import ListRow, TwoLineList

both = pytest.mark.parametrize("tokens", list(THEMES.values()), ids=list(THEMES))

TEXT_ON_BOTH = {"ink", "soft", "accent"}
TEXT_ON_PAPER = {"right", "confident", "note", "problem"}
MARKS = {"wrong", "cue", "counter"}
GROUNDS = {"page", "chrome", "on_accent", "line"}
"""What each colour is for; a new colour must be put into one of these, or the test below fails."""


def test_every_colour_is_measured():
    colours = {name for name in ColourTokens.__struct_fields__ if isinstance(getattr(LIGHT, name), str)}

    assert colours == TEXT_ON_BOTH | TEXT_ON_PAPER | MARKS | GROUNDS


def test_contrast_is_what_the_guidelines_say():
    assert contrast_ratio("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast_ratio("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@both
@pytest.mark.parametrize("ground", ["page", "chrome"])
@pytest.mark.parametrize("text", sorted(TEXT_ON_BOTH))
def test_text_is_legible(tokens, text, ground):
    assert contrast_ratio(getattr(tokens, text), getattr(tokens, ground)) >= 4.5


@both
@pytest.mark.parametrize("text", sorted(TEXT_ON_PAPER))
def test_coloured_text_is_legible_on_paper(tokens, text):
    assert contrast_ratio(getattr(tokens, text), tokens.page) >= 4.5


@both
@pytest.mark.parametrize("mark", sorted(MARKS | TEXT_ON_PAPER | TEXT_ON_BOTH))
def test_marks_stand_out_from_paper(tokens, mark):
    assert contrast_ratio(getattr(tokens, mark), tokens.page) >= 3


KNOWN = ("ir", "dan", "rnn", "birnn", "ensemble", "elasticsearch")


@both
def test_players_have_a_colour_each_that_is_legible_on_paper_and_stands_out_around_it(tokens):
    colours = [tokens.player(name).colour for name in KNOWN]

    assert (
        min(contrast_ratio(colour, tokens.page) for colour in tokens.players) >= 4.5
    )  # it is on letters, too
    assert min(contrast_ratio(colour, tokens.chrome) for colour in tokens.players) >= 3
    assert len(set(colours)) == len(KNOWN)


def test_a_player_has_its_shape_in_light_and_dark_and_in_files_its_colour():
    from quizwriter.domain.players import NUMBERS, player_kind
    from quizwriter.experiments.drawing import PAPER

    marks = [(LIGHT.player(name), DARK.player(name)) for name in (*KNOWN, "somebody else")]

    assert all(light.shape == dark.shape and light.glyph == dark.glyph for light, dark in marks)
    assert len({light.shape for light, _ in marks}) == len(marks)
    assert {*(len(tokens.players) for tokens in THEMES.values()), len(PAPER.series)} == {NUMBERS}
    assert len(set(PLAYER_SHAPES)) == len(set(PLAYER_GLYPHS)) == NUMBERS
    for name in KNOWN:
        printed = QColor(PAPER.series[player_kind(name).number]).hsvHueF()
        for tokens in (LIGHT, DARK):
            apart = abs(QColor(tokens.player(name).colour).hsvHueF() - printed)
            assert min(apart, 1 - apart) < 0.09, name


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_the_players_shapes_differ_to_the_eye_whatever_their_colours(qapp, tokens):
    pictures = set()
    for shape in PLAYER_SHAPES:
        picture = QImage(24, 24, QImage.Format.Format_RGB32)
        picture.fill(QColor(tokens.page))
        painter = QPainter(picture)
        draw_player(painter, QRectF(4, 4, 16, 16), PlayerMark(tokens.ink, shape, ""))
        painter.end()
        dark = frozenset(
            (x, y) for x in range(24) for y in range(24) if picture.pixelColor(x, y) == QColor(tokens.ink)
        )
        assert 40 < len(dark) < 256
        pictures.add(dark)
    for one in pictures:
        for other in pictures - {one}:
            assert len(one ^ other) >= 20


@both
def test_text_on_the_accent_is_legible(tokens):
    assert contrast_ratio(tokens.on_accent, tokens.accent) >= 4.5


@both
def test_text_stays_legible_on_the_strongest_cue(tokens):
    assert contrast_ratio(tokens.ink, mixed(tokens.cue, tokens.page, tokens.strong)) >= 4.5


@both
def test_the_answer_s_title_is_legible_on_the_row_in_focus(tokens):
    assert contrast_ratio(tokens.right, mixed(tokens.accent, tokens.page, 0.09)) >= 4.5


contrasts = pytest.mark.parametrize("tokens", [LIGHT_CONTRAST, DARK_CONTRAST], ids=["light", "dark"])


@contrasts
@pytest.mark.parametrize("text", sorted(TEXT_ON_BOTH | TEXT_ON_PAPER))
def test_in_high_contrast_text_has_seven_to_one(tokens, text):
    assert contrast_ratio(getattr(tokens, text), tokens.page) >= 7
    assert min(contrast_ratio(colour, tokens.page) for colour in tokens.players) >= 7


@contrasts
@pytest.mark.parametrize("mark", sorted(MARKS))
def test_in_high_contrast_marks_have_what_text_needs(tokens, mark):
    assert contrast_ratio(getattr(tokens, mark), tokens.page) >= 4.5


@contrasts
def test_in_high_contrast_hairlines_stand_out(tokens):
    assert contrast_ratio(tokens.line, tokens.page) >= 3


@both
def test_text_that_cannot_be_used_now_can_still_be_read_as_a_mark(tokens):
    assert contrast_ratio(tokens.wrong, tokens.chrome) >= 3


@both
def test_lists_show_the_row_under_the_mouse_and_stay_legible(tokens):
    assert contrast_ratio(tokens.ink, mixed(tokens.ink, tokens.chrome, 0.07)) >= 4.5


@pytest.mark.parametrize(
    ("scheme", "tables"),
    [("light", {"light"}), ("dark", {"dark"}), ("contrast", {"light contrast", "dark contrast"})],
)
def test_a_scheme_uses_its_table_of_colours(qapp, scheme, tables):
    theme = Theme(qapp, scheme=scheme, draft_font="", draft_size_px=16)

    assert theme.tokens in [THEMES[name] for name in tables]


def test_all_letters_grow_together_and_shrink_again(qapp):
    theme = Theme(qapp, scheme="light", draft_font="", draft_size_px=16)
    before = qapp.font().pointSizeF()
    again = Theme(qapp, scheme="light", draft_font="", draft_size_px=16, text_percent=200)
    assert qapp.font().pointSizeF() == pytest.approx(2 * before)
    assert again.draft_font().pixelSize() == 32
    assert again.px(18) >= QFontMetricsF(again.font(small=True)).height()
    again.use_letters("", 16, 100)

    assert qapp.font().pointSizeF() == pytest.approx(before)
    assert theme.px(18) == 18


def test_nothing_moves_where_the_writer_wants_that(qapp):
    assert Theme(qapp, scheme="light", draft_font="", draft_size_px=16, reduced_motion=True).animation_ms == 0


def linear(colour):
    return [((int(colour[at : at + 2], 16) / 255 + 0.055) / 1.055) ** 2.4 for at in (1, 3, 5)]


# Viénot, Brettel and Mollon, "Digital video colourmaps for checking the legibility of displays by
# dichromats" (1999): what is left of red and green, and of blue, in linear light.
PROTAN = ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0))
DEUTAN = ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0))


@both
@pytest.mark.parametrize("sight", [PROTAN, DEUTAN], ids=["protanopia", "deuteranopia"])
def test_for_and_against_differ_without_red_or_green(tokens, sight):
    cue, counter = (
        [sum(share * light for share, light in zip(row, linear(colour), strict=True)) for row in sight]
        for colour in (tokens.cue, tokens.counter)
    )

    assert max(abs(one - other) for one, other in zip(cue, counter, strict=True)) > 0.25


@pytest.mark.parametrize("scheme", ["light", "dark", "contrast"])
def test_boxes_and_circles_to_tick_have_edges_that_are_seen(qapp, qtbot, scheme):
    theme = Theme(qapp, scheme=scheme, draft_font="", draft_size_px=16)
    for kind in (QCheckBox, QRadioButton):
        for ground in (theme.tokens.page, theme.tokens.chrome):
            box = kind()
            qtbot.addWidget(box)
            fill_background(box, ground)
            image = box.grab().toImage()
            seen = {image.pixelColor(x, image.height() // 2).name() for x in range(image.width())}
            assert max(contrast_ratio(colour, ground) for colour in seen) >= 2.5, kind.__name__
    theme.use_theme("light")


def controls(theme):
    """One of each kind that can have the keyboard."""
    outlined, primary, plain = QPushButton("Do it"), QPushButton("Do it"), QToolButton()
    outlined.setObjectName("outlined")
    primary.setObjectName("primary")
    plain.setText("Do it")
    plain.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    tabs = QTabBar()
    for title in ("One", "Two"):
        tabs.addTab(title)
    rows = TwoLineList(theme, "Rows")
    rows.show_rows((ListRow("One", "first"), ListRow("Two", "second")), 0)
    made = (QLineEdit(), QComboBox(), QSpinBox(), outlined, primary, plain, QTreeWidget(), QTableWidget(2, 2))
    return (*made, QPlainTextEdit(), QCheckBox("Tick"), tabs, rows)


@pytest.mark.parametrize("scheme", ["light", "dark", "contrast"])
def test_what_has_the_keyboard_is_seen_in_every_theme(qtbot, qapp, scheme):
    theme = Theme(qapp, scheme=scheme, draft_font="", draft_size_px=16)
    page = QWidget()
    qtbot.addWidget(page)
    fill_background(page, theme.tokens.chrome)
    column = QVBoxLayout(page)
    kinds = controls(theme)
    rest = QPushButton("The keyboard is here")
    for one in (*kinds, rest):
        column.addWidget(one)
    page.show()
    page.activateWindow()
    faint = []
    lists = (QTreeWidget, QTableWidget)  # where lines are strong, their selected row shows it
    for one in kinds:
        if scheme == "contrast" and isinstance(one, lists):
            continue
        rest.setFocus()
        without = page.grab(one.geometry()).toImage()
        one.setFocus()
        qtbot.waitUntil(one.hasFocus)
        having = page.grab(one.geometry()).toImage()
        pairs = {
            (without.pixelColor(x, y).name(), having.pixelColor(x, y).name())
            for x in (*range(40), *range(having.width() // 2 - 20, having.width() // 2 + 20))
            for y in range(having.height())
        }
        if max(contrast_ratio(*pair) for pair in pairs) < 3:
            faint.append((type(one).__name__, one.objectName()))
    theme.use_theme("light")
    assert not faint


@pytest.mark.parametrize("scheme", ["light", "dark", "contrast"])
def test_what_an_empty_field_asks_for_is_legible_whatever_colour_its_words_have(qtbot, qapp, scheme):
    theme = Theme(qapp, scheme=scheme, draft_font="", draft_size_px=16)
    fields = (QLineEdit(), QPlainTextEdit(), QComboBox(), QLineEdit())
    fields[3].setStyleSheet(f"color: {theme.tokens.ink};")
    for one in fields:
        qtbot.addWidget(one)
        one.setPlaceholderText("Name it")
        one.ensurePolished()
    hints = [one.palette().placeholderText().color() for one in fields]
    page = theme.tokens.page
    theme.use_theme("light")

    assert all(hint.alpha() == 255 for hint in hints)
    assert min(contrast_ratio(hint.name(), page) for hint in hints) >= 4.5


def ticks(view, width):
    """The colours of the boxes to tick in the first rows of a view: on, off, and both in selected rows."""
    image = view.viewport().grab().toImage()
    boxes = []
    for row in range(4):
        rect = view.visualRect(view.model().index(row, 0))
        square = image.copy(rect.left(), rect.top(), width, rect.height())
        seen = {square.pixelColor(x, y).name() for x in range(square.width()) for y in range(square.height())}
        boxes.append(seen)
    return boxes


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("contrast", [False, True], ids=["usual", "contrast"])
@pytest.mark.parametrize("kind", [QTreeWidget, QListWidget])
def test_ticks_are_seen_in_selected_rows_too(qtbot, qapp, monkeypatch, kind, dark, contrast):
    theme = Theme(qapp, scheme="dark" if dark else "light", draft_font="", draft_size_px=16)
    if contrast:
        monkeypatch.setitem(THEMES, "dark" if dark else "light", DARK_CONTRAST if dark else LIGHT_CONTRAST)
        theme.use_theme("dark" if dark else "light")
    view = kind()
    qtbot.addWidget(view)
    view.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
    for row in range(4):
        item = QTreeWidgetItem([""]) if kind is QTreeWidget else QListWidgetItem("")
        where = (0,) if kind is QTreeWidget else ()
        item.setCheckState(*where, Qt.CheckState.Checked if row % 2 else Qt.CheckState.Unchecked)
        view.addTopLevelItem(item) if kind is QTreeWidget else view.addItem(item)
        item.setSelected(row > 1)
    view.show()
    tokens = theme.tokens
    off, on, off_selected, on_selected = ticks(view, 28)
    theme.use_theme("light")

    def stands_out(colours, ground):
        return max(contrast_ratio(colour, ground) for colour in colours)

    assert stands_out(off, tokens.page) >= 3  # its edge
    assert tokens.accent.lower() in on
    assert stands_out(on, tokens.accent) >= 4.5  # the tick in its box
    assert stands_out(off_selected, tokens.accent) >= 4.5
    assert tokens.on_accent.lower() in on_selected
    inside = on_selected - {tokens.accent.lower()}
    assert stands_out(inside, tokens.on_accent) >= 10  # the tick, not what is around the box


def test_what_stands_in_a_table_stands_under_its_header(qtbot, theme):
    tables = [QTableWidget(1, 1), QTreeWidget()]
    tables[0].setHorizontalHeaderLabels(["I"])
    tables[0].setItem(0, 0, QTableWidgetItem("I"))
    tables[0].horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
    tables[0].setShowGrid(False)
    tables[0].verticalHeader().hide()
    tables[1].setHeaderLabels(["I"])
    tables[1].setRootIsDecorated(False)
    tables[1].addTopLevelItem(QTreeWidgetItem(["I"]))
    headers = (tables[0].horizontalHeader(), tables[1].header())
    page = QColor(theme.tokens.page)

    def first_column(widget, height):
        image = widget.grab().toImage()
        return next(
            x for x in range(image.width())
            if any(contrast_ratio(image.pixelColor(x, y).name(), page.name()) > 2 for y in range(2, height))
        )  # fmt: skip

    for table, header in zip(tables, headers, strict=True):
        qtbot.addWidget(table)
        table.resize(200, 120)
        table.show()
        row = table.visualRect(table.model().index(0, 0))
        letter = first_column(table.viewport(), row.height() - 2)
        assert abs(letter - first_column(header.viewport(), header.height() - 4)) <= 1, type(table).__name__


def test_widgets_are_styled_anew_only_for_another_look(qapp, qtbot, theme):
    class Styled(QWidget):
        times = 0

        def changeEvent(self, event):
            self.times += event.type() == QEvent.Type.StyleChange

    widget = Styled()
    qtbot.addWidget(widget)
    widget.show()

    def styled(*does):
        before = widget.times
        for do in does:
            do()
        return widget.times > before

    def make_widgets():
        with theme.bare_widgets():  # beside another window
            pass

    assert not styled(
        lambda: theme.use_theme("light"),
        lambda: theme.use_letters("Courier", 18, 100),
        lambda: Theme(qapp, scheme="light", draft_font="", draft_size_px=16),
    )
    changes = []
    theme.changed.connect(lambda: changes.append(theme.text_percent))
    theme.use_letters("Courier", 18, 100)  # as they are
    assert not styled(make_widgets)
    assert changes == []
    assert styled(lambda: theme.use_letters("", 16, 101))  # another font, with the same style sheet
    before = theme.font().pointSizeF()
    assert styled(lambda: theme.use_letters("", 16, 150))
    assert theme.font().pointSizeF() > before
    assert styled(lambda: theme.use_letters("", 16, 100))
    assert styled(lambda: theme.use_theme("dark"))
    assert styled(lambda: theme.use_theme("light"))
