"""The windows beside the main one, each declared once: menus, search (F1), keys and the next start read it.

The module of a window is imported when it is first opened, so that none of them is on the way to the start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from quizwriter.gui.dialogs.progress_of_sets import ProgressDialog
    from quizwriter.gui.dialogs.search_window import SearchWindow
    from quizwriter.gui.queue.log_window import LogWindow
    from quizwriter.gui.queue.queue_window import QueueWindow
    from quizwriter.gui.review.tagging_window import TaggingWindow
    from quizwriter.gui.secondary_windows import SecondaryWindows
    from quizwriter.gui.widgets.saved_layout import WindowPlace


class AtDesk(NamedTuple):
    """What the main window shows while the action of a window is chosen."""

    tossup_id: str
    selection: str  # of the draft, in one line
    players: tuple[str, ...]  # those that are on


class WindowSpec(msgspec.Struct, frozen=True):
    """A window beside the main one, and the action that opens it."""

    id: str  # of the window and of its action; never changes: layouts and people's keys are kept under it
    menu: str
    title: str  # of the action, with & before its letter
    keys: str
    tip: str
    made: str  # its class or function as "module:name"
    make: Callable[..., QWidget]  # makes and connects it, from the windows, ``made``, and what it shows
    given: Callable[[AtDesk], tuple[Any, ...]] = lambda _: ()  # what it shows when the action opens it
    kept: bool = False  # one that is closed is presented again; else it is made anew
    many: bool = False  # several are open at a time; who makes them keeps them
    place: str = ""  # the kind of its ``WindowPlace``, if it opens again at the next start
    again: Callable[[WindowPlace], tuple[Any, ...]] = lambda _: ()  # what it shows then
    signed: bool = False  # whether it asks for the user's name first
    line: bool = False


def _queue(here: SecondaryWindows, made: type[QueueWindow]) -> QWidget:
    queue = made(here.app, here.theme, here.saver, here.save, here.engine, here.play_all)
    queue.opened.connect(here.opened)
    queue.tagging_requested.connect(lambda keys: here.open("tag", tuple(keys)))
    queue.log_requested.connect(lambda name: here.open("log", name))
    queue.experiment_requested.connect(lambda name: here.open("experiments", name))
    queue.retraction_requested.connect(lambda keys: here.open("withdraw-released", tuple(keys)))
    here.take_drops(queue)
    queue.review_actions.changed.connect(lambda _: here.refresh("log"))
    queue.review_actions.changed.connect(here.header.take_changed)
    queue.review_actions.changed.connect(lambda _: here.recorded.emit())
    here.review_actions.changed.connect(queue.refresh)
    return queue


def _log(here: SecondaryWindows, made: type[LogWindow], _: str | None = None) -> QWidget:
    log = _opening(here, made(here.app, here.theme))
    here.review_actions.changed.connect(lambda _: here.refresh("log"))
    return log


def _search(here: SecondaryWindows, made: type[SearchWindow], _: str = "") -> QWidget:
    search = made(here.app, here.theme, here.engine)
    search.cited.connect(here.cited)
    return _opening(here, search)


def _opening(here: SecondaryWindows, window: LogWindow | SearchWindow | TaggingWindow) -> QWidget:
    """``window``, whose tossups open in the main window."""
    window.opened.connect(here.opened)
    return window


def _progress(here: SecondaryWindows, made: type[ProgressDialog]) -> QWidget:
    dialog = made(here.app, here.theme, here.jobs, here.window)
    dialog.sample_chosen.connect(here.show_in_queue)
    return dialog


_SPECS = (
    WindowSpec(
        "search-everything", "edit", "Searc&h everything…", "Ctrl+Shift+F",
        "Search past questions, packets, articles and your own tossups.",
        "quizwriter.gui.dialogs.search_window:SearchWindow", _search, lambda desk: (desk.selection,),
        kept=True, place="search", line=True,
    ),
    WindowSpec(
        "tag", "review", "T&ag tossups…", "Ctrl+Shift+T",
        "Tag what makes each tossup hard, one tossup after the other.",
        "quizwriter.gui.review.tagging_window:TaggingWindow",
        lambda here, made, keys=(), place=None: _opening(here, made(here.app, here.theme, keys, place=place)),
        place="tagging", again=lambda place: (place.tossups, place), signed=True, line=True,
    ),
    WindowSpec(
        "queue", "review", "&Queue", "Ctrl+Shift+Q",
        "See all tossups as a table that can be filtered and sorted.",
        "quizwriter.gui.queue.queue_window:QueueWindow", _queue, kept=True, place="queue",
    ),
    WindowSpec(
        "experiments", "review", "E&xperiments…", "",
        "Ask one question about many tossups: how players and people play them.",
        "quizwriter.gui.dialogs.run_experiment:ExperimentDialog",
        lambda here, made, name="": made(
            here.app, here.theme, here.jobs, here.engine, here.selected, here.window, name=name
        ),
    ),
    WindowSpec(
        "history", "review", "&History…", "Ctrl+Shift+H",
        "See every version of this tossup, and what the players guessed then.",
        "quizwriter.gui.history.history_window:HistoryWindows",
        lambda here, made, tossup_id: here.histories(made).show(tossup_id),
        lambda desk: (desk.tossup_id,),
        many=True, place="history", again=lambda place: place.tossups[:1],
    ),
    WindowSpec(
        "log", "review/sets", "&Log of all sets…", "Ctrl+Shift+L",
        "See who changed which status, category or tag, and when.",
        "quizwriter.gui.queue.log_window:LogWindow", _log,
        kept=True, place="log", line=True,
    ),
    WindowSpec(
        "progress", "review/sets", "&Progress of writers and sets…", "",
        "See how many tossups each writer and each set has.",
        "quizwriter.gui.dialogs.progress_of_sets:ProgressDialog", _progress,
    ),
    WindowSpec(
        "export-challenge", "review/challenge", "&Export challenge set…", "",
        "Write accepted tossups with their histories into a folder for researchers.",
        "quizwriter.gui.dialogs.challenge:ChallengeDialog",
        lambda here, made: made(here.app, here.theme, here.engine, here.window),
    ),
    WindowSpec(
        "withdraw-released", "review/challenge", "&Withdraw released questions…", "",
        "Record which questions of a released set no longer count.",
        "quizwriter.gui.dialogs.released_sets:RetractDialog",
        lambda here, made, chosen=(): made(here.app, here.theme, here.jobs, chosen, here.window),
    ),
    WindowSpec(
        "send-playtest", "play", "&Send to playtesters…", "",
        "Write one file that people play in a browser, and e-mail it to them.",
        "quizwriter.gui.game.playtests:SendPlaytestDialog",
        lambda here, made: made(here.app, here.theme, here.jobs, here.window),
        line=True,
    ),
    WindowSpec(
        "receive-playtest", "play", "Receive results…", "",
        "Read the results that playtesters sent, and keep them with the tossups.",
        "quizwriter.gui.game.playtests:ReceivePlaytestDialog",
        lambda here, made: made(here.app, here.theme, here.jobs, here.window),
    ),
    WindowSpec(
        "players", "help", "The &players", "",
        "Read what each player is and how it guesses.",
        "quizwriter.gui.dialogs.players:PlayersDialog",
        lambda here, made, enabled: made(here.theme, enabled, here.window),
        lambda desk: (desk.players,),
    ),
    WindowSpec(
        "glossary", "help", "&Glossary", "",
        "Look up a word of QuizWriter or of quizbowl.",
        "quizwriter.gui.dialogs.glossary:show_glossary",
        lambda here, made: made(here.theme, here.window),
    ),
)  # fmt: skip

WINDOWS = {one.id: one for one in _SPECS}
"""Every window that an action opens, by its id, in the order of the menus."""
