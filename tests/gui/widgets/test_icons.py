"""The icons of the windows: whole, of one set, in the colours of the theme, and sharp."""

import re

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from quizwriter.gui.colours import THEMES, contrast_ratio
from quizwriter.gui.theme import Theme, draw_player
from quizwriter.gui.widgets.icons import Icon, IconButton, SearchField, draw_bell, draw_icon, themed_icon
from quizwriter.system.resource_files import resources_folder

FOLDER = resources_folder() / "icons"


@pytest.fixture(params=["light", "dark"])
def theme(qapp, request):
    made = Theme(qapp, scheme=request.param, draft_font="", draft_size_px=16)
    yield made
    made.use_theme("light")


def colours(image: QImage) -> set[str]:
    return {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    }


def picture(draw) -> QImage:
    image = QImage(48, 48, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    draw(painter, QRectF(4, 4, 40, 40))
    painter.end()
    return image


def test_the_folder_has_the_icons_that_windows_draw_and_no_others():
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(Icon)
    for path in FOLDER.rglob("*.svg"):
        drawing = path.read_text(encoding="utf-8")
        assert "@license lucide-static" in drawing, path.name
        assert QSvgRenderer(drawing.encode()).isValid(), path.name
    assert (FOLDER / "LICENSE.txt").read_text(encoding="utf-8").startswith("ISC License")


def test_the_style_sheet_names_the_icons_that_are_there(theme, qapp):
    named = set(re.findall(r'url\("([^"]+)"\)', qapp.styleSheet()))

    assert named
    assert named <= {path.as_posix() for path in (FOLDER / "sheet").iterdir()}


@pytest.mark.parametrize("ground", ["page", "chrome"])
@pytest.mark.parametrize("name", ["chevron-down", "chevron-up", "x"])
def test_icons_of_one_grey_are_seen_on_every_background(name, ground):
    drawing = (FOLDER / "sheet" / f"{name}.svg").read_text(encoding="utf-8")
    (grey,) = re.findall(r'stroke="(#\w{6})"', drawing)

    assert min(contrast_ratio(grey, getattr(tokens, ground)) for tokens in THEMES.values()) >= 3


@pytest.mark.parametrize("icon", list(Icon))
def test_an_icon_is_drawn_in_its_colour_inside_its_box(icon):
    image = picture(lambda painter, box: draw_icon(painter, icon, box, QColor("#112233")))

    assert colours(image) == {"#112233"}
    outside = [(x, y) for x in range(48) for y in range(48) if not (3 <= x < 45 and 3 <= y < 45)]
    assert not any(image.pixelColor(x, y).alpha() for x, y in outside)


@pytest.mark.parametrize(
    ("right", "upper", "lower"),
    [(True, "#112233", "#112233"), (False, "#ffffff", "#ffffff"), (None, "#ffffff", "#112233")],
)
def test_a_buzz_is_full_if_right_hollow_if_wrong_and_half_full_without_an_answer(theme, right, upper, lower):
    ink, page = QColor("#112233"), QColor("#ffffff")
    mark = replace(theme.tokens.player("ir"), colour=ink.name())
    for image in (
        picture(lambda painter, box: draw_bell(painter, box, ink, page, right=right)),
        picture(lambda painter, box: draw_player(painter, box, mark, page, right=right)),
    ):
        assert (image.pixelColor(24, 21).name(), image.pixelColor(24, 27).name()) == (upper, lower)
        assert ink.name() in colours(image)


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0, 3.0])
def test_an_icon_is_drawn_for_the_scale_of_the_screen(theme, scale):
    icon = themed_icon(Icon.CLOSE, theme)

    pixmap = icon.pixmap(QSize(16, 16), scale, QIcon.Mode.Normal, QIcon.State.Off)

    assert pixmap.size() == QSize(16, 16) * scale
    assert theme.tokens.ink.lower() in colours(pixmap.toImage())


def test_a_disabled_button_and_another_theme_give_an_icon_another_colour(theme, qtbot):
    pressed = []
    button = IconButton(theme, Icon.CLOSE, "Close (Esc)", lambda: pressed.append(1), name="Close")
    qtbot.addWidget(button)
    button.resize(28, 28)
    button.show()

    def shown() -> str:
        off, on = QIcon.Mode.Disabled, QIcon.Mode.Normal
        pixmap = button.icon().pixmap(QSize(48, 48), 1.0, on if button.isEnabled() else off)
        return max(colours(pixmap.toImage()))

    assert shown() == theme.tokens.ink.lower()
    button.setEnabled(False)
    assert shown() == theme.tokens.wrong.lower()
    button.setEnabled(True)
    theme.use_theme("contrast")
    assert shown() == theme.tokens.ink.lower()
    button.click()
    assert pressed == [1]
    assert (button.toolTip(), button.accessibleName(), button.text()) == ("Close (Esc)", "Close", "")


def test_a_button_that_was_hidden_has_the_icon_of_the_theme_once_it_is_shown(theme, qtbot):
    button = IconButton(theme, Icon.CLOSE, "Close (Esc)")
    qtbot.addWidget(button)
    theme.use_theme("contrast")
    button.show()

    pixmap = button.icon().pixmap(QSize(48, 48), 1.0, QIcon.Mode.Normal)
    assert max(colours(pixmap.toImage())) == theme.tokens.ink.lower()


def test_letters_and_icons_grow_together(theme, qtbot):
    button, field = IconButton(theme, Icon.MORE, "More"), SearchField(theme, "Search")
    for one in (button, field):
        qtbot.addWidget(one)
        one.show()
    small, room = button.size(), field.textMargins().left()
    theme.use_letters("", 16, 200)

    assert button.width() > 1.5 * small.width()
    assert button.iconSize().width() == theme.px(16)
    assert field.textMargins().left() >= room + theme.px(14) - 14 > room
    theme.use_letters("", 16, 100)


def test_a_field_to_search_in_has_a_glass_left_of_its_words(theme, qtbot):
    field = SearchField(theme, "Search", name="Search tossups")
    qtbot.addWidget(field)
    field.resize(200, 32)
    field.show()
    image = field.grab().toImage()
    ratio = image.devicePixelRatio()
    glass = image.copy(round(8 * ratio), 0, round(14 * ratio), image.height())

    assert theme.tokens.soft.lower() in colours(glass)
    assert field.cursorRect().center().x() > 8 + 14
    assert (field.placeholderText(), field.accessibleName()) == ("Search", "Search tossups")
    assert field.isClearButtonEnabled()
