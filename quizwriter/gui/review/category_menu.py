"""Menus and the dialog in which categories are chosen and changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu, QWidget

from quizwriter.errors import QuizwriterError
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.services.wiring import App
from quizwriter.workflow.categories import Category

if TYPE_CHECKING:
    from quizwriter.gui.review.status_dialog import CategoriesDialog


def tick_action(menu: QMenu, text: str, ticked: bool, do: Callable[[], object]) -> None:
    """Add what ``text`` says to a ``menu``; it is ``ticked`` where it holds already."""
    action = menu.addAction(text.replace("&", "&&"))
    action.setCheckable(True)
    action.setChecked(ticked)
    action.triggered.connect(lambda _=False: do())


def fill_categories(
    menu: QMenu,
    paths: Sequence[Category],
    choose: Callable[[Category], object],
    chosen: Category | None = None,
) -> None:
    """Offer ``paths`` in ``menu``, a menu of its own for each that has others below it."""
    menus: dict[Category, QMenu] = {(): menu}
    above = {path[:depth] for path in paths for depth in range(1, len(path))}

    def offer(where: QMenu, path: Category, text: str) -> None:
        tick_action(where, text, path == chosen, lambda: choose(path))

    for path in paths:
        where = menus.get(path[:-1], menu)
        if path in above:
            menus[path] = where.addMenu(path[-1].replace("&", "&&"))
            offer(menus[path], path, f"{path[-1]} in general")
            menus[path].addSeparator()
        else:
            offer(where, path, path[-1])


def open_categories(
    app: App, theme: Theme, messages: MessageBars, current: str, window: QWidget
) -> CategoriesDialog | None:
    from quizwriter.gui.review.status_dialog import CategoriesDialog

    def show(name: str) -> None:
        with messages.telling("categories"):
            own = app.review.sets_with_categories()
            dialog.show_paths(app.review.categories(name), standard=name not in own)

    def save(name: str, paths: Sequence[Category] | None) -> None:
        with messages.telling("categories"):
            app.review.save_categories(name, paths)

    try:
        sets = app.review.sets()
    except QuizwriterError as trouble:
        messages.show_message("categories", str(trouble))
        return None
    dialog = CategoriesDialog(theme, sets, current, window)
    dialog.set_selected.connect(show)
    dialog.saved.connect(save)
    show(current)
    dialog.open()
    return dialog
