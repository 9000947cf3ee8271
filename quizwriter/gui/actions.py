"""The actions of the main window, each declared once: menus, search (F1), Preferences and tests read them.

Here are titles, keys, sentences and what an action calls. What it does is a method of a controller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtWidgets import QApplication, QLineEdit, QTextEdit, QWhatsThis

from quizwriter.domain.review import Consent, ConsentBasis, Status
from quizwriter.domain.styles import LetterStyle
from quizwriter.formats.file_formats import FileFormat, written_formats
from quizwriter.gui.game.kinds import GameKind
from quizwriter.gui.help_texts import DIALOGS
from quizwriter.gui.pasted_question import FILL_KEY
from quizwriter.gui.review.consent import CONSENT_TITLES
from quizwriter.gui.widgets.key_bindings import action_name
from quizwriter.gui.widgets.keys import LETTERS
from quizwriter.gui.widgets.whats_this import KEY, explain
from quizwriter.gui.window_table import WINDOWS, AtDesk, WindowSpec
from quizwriter.gui.writing.tossup_list import GROUPING_TITLES, ListGrouping
from quizwriter.workflow.wording import player_name, player_title

if TYPE_CHECKING:
    from quizwriter.gui.review.comments_pane import CommentsPane
    from quizwriter.gui.writing.past_pane import PastPane
    from quizwriter.gui.writing.what_if_pane import WhatIfPane
    from quizwriter.gui.writing_desk import Desk

MENUS = {
    "file": "&File",
    "file/export": "Export &this tossup",
    "file/packet": "Export its pac&ket",
    "edit": "&Edit",
    "format": "F&ormat",
    "view": "&View",
    "view/order": "&Order of the players",
    "view/speed": "&Reading speed",
    "view/groups": "&Group the list",
    "go": "&Go",
    "review": "&Review",
    "review/remarks": "&Comments and sources",
    "review/release": "Release o&f this tossup",
    "review/sets": "S&ets",
    "review/challenge": "Cha&llenge sets",
    "play": "&Play",
    "help": "&Help",
}
"""The titles of the menus. A submenu stands where its first action is declared."""

READING_SPEEDS = (120, 140, 160, 180, 200, 220, 240)
"""Words a minute that the menu offers; the settings allow others, too."""


LONGEST_SELECTION = 200
"""Characters of the selection that *Search everything* looks for."""


class Action(msgspec.Struct, frozen=True):
    """A command of the main window: everything that a menu and the editor of keys show of it."""

    id: str  # never changes: settings and files keep a person's own keys under it
    menu: str  # one of MENUS
    title: str  # with & before the letter that chooses it, and … if it asks for more
    keys: str  # in Qt's portable notation, separated by spaces; a person can change them
    tip: str  # one sentence
    do: Callable[[Desk], object]
    checked: Callable[[Desk], bool] | None = None  # whether it has a tick when its menu opens
    group: str = ""  # only one action of a group has the tick
    line: bool = False  # whether a line is above it, or above its submenu if it is the first there

    @property
    def name(self) -> str:
        """The title without its marks, as the search and Preferences show it."""
        return action_name(self.title)


class ActionFamily(msgspec.Struct, frozen=True):
    """Actions that depend on the engine in use; ``Menus.renew`` asks for them again."""

    actions: Callable[[Desk], Sequence[Action]]


# -- what more than one call is needed for


def _call_in_focus(window: Desk, name: str) -> None:
    """Call the method ``name`` of the text field in focus, else of the draft."""
    widget = QApplication.focusWidget()
    if not isinstance(widget, QLineEdit | QTextEdit):
        widget = window.draft
    if _in_answer(window) and name in ("undo", "redo", "cut", "copy"):
        getattr(window.answer.styling, name)()
    else:
        getattr(widget, name)()


def _in_answer(window: Desk) -> bool:
    return QApplication.focusWidget() is window.answer.line


def _toggle_style(window: Desk, style: LetterStyle | None) -> None:
    if _in_answer(window):
        window.answer.styling.toggle(style)
    else:
        window.draft.toggle_style(style)


def _has_style(window: Desk, style: LetterStyle) -> bool:
    if _in_answer(window):
        return window.answer.styling.has(style)
    return window.draft.styling.has(style, window.draft.selected)


def _switch(window: Desk, setting: str, show: Callable[..., None]) -> None:
    """Turn the ``setting`` on or off, and show what it is about accordingly."""
    shown = not getattr(window.appearance.settings, setting)
    window.appearance.save_settings(**{setting: shown})
    show(shown=shown)


def _focus_list(window: Desk) -> None:
    window.columns.show_tossups()
    window.tossups.search.setFocus()
    window.tossups.search.selectAll()


def _focus_answer(window: Desk) -> None:
    window.answer.line.setFocus()
    window.answer.line.selectAll()


def _in_answer_line(window: Desk, do: Callable[[], bool], why_not: str) -> None:
    """Change the answer line by ``do``, or say why it stays as it is."""
    if window.answer.line.isReadOnly():
        window.header.refuse_edit()
    elif not do():
        window.messages.show_message("answer", why_not, brief=True)


def _focus_evidence(window: Desk) -> None:
    window.show_right()
    window.right_tabs.choose(window.evidence)
    window.evidence.text.setFocus()


def _toggle_right(window: Desk) -> None:
    if window.columns.shows_players:
        window.put_away()
    else:
        window.show_right()


def _focus_tab(window: Desk, pane: PastPane | WhatIfPane | CommentsPane) -> None:
    window.show_right()
    window.right_tabs.choose(pane)
    pane.take_keyboard()


def _toggle_comments(window: Desk) -> None:
    if window.columns.shows_players and window.right_tabs.shown is window.comments.pane:
        window.right_tabs.choose(window.evidence)
        window.draft.setFocus()
    else:
        _focus_tab(window, window.comments.pane)


def _send(window: Desk) -> None:
    """Send a pack; the dialog offers the open tossup alone, unless it is empty."""
    session = window.session
    written = bool(session.tossup.text or session.tossup.answer)
    window.windows.send(*(session.tossup_id, session.title) if written else ("", ""))


def _open_window(window: Desk, window_id: str) -> None:
    selected = window.draft.textCursor().selectedText()
    desk = AtDesk(
        window.session.tossup_id,
        " ".join(selected.split())[:LONGEST_SELECTION],
        window.analysis.enabled_players,
    )
    with window.messages.telling("window"):
        window.windows.open_for(desk, window_id)


def _record_consent(window: Desk, consent: Consent) -> None:
    if not window.header.says_empty():
        window.review_actions.record_consent([window.session.tossup_id], consent)


def _consent_now(window: Desk) -> str:
    """Whether the open tossup may be released now, and how sure that is."""
    given = window.header.review.release
    how = f", {given.basis}" if given.basis is not ConsentBasis.NONE else ""
    why = f": {given.reason}" if given.reason else ""
    return f"Now: {given.consent}{how}{why}".replace("&", "&&")


def _search_actions(window: Desk) -> None:
    window.action_search.open(QApplication.focusWidget())


# -- actions of which there are several of a kind


def _windows(menu: str) -> ActionFamily:
    return ActionFamily(lambda _: [_window(one) for one in WINDOWS.values() if one.menu == menu])


def _window(spec: WindowSpec) -> Action:
    return Action(
        spec.id, spec.menu, spec.title, spec.keys, spec.tip,
        lambda window: _open_window(window, spec.id),
        line=spec.line,
    )  # fmt: skip


_CONSENT_TIPS = {
    Consent.YES: "Record that this tossup may be released in a challenge set.",
    Consent.NO: "Record that this tossup may not be released.",
    Consent.DO_NOT_RELEASE: "Record that this tossup is never released, even if others allow it.",
}


def _export(written: FileFormat) -> Action:
    return Action(
        f"export:{written.id}", "file/export", f"Export as {written.title}…", "", written.tip,
        lambda window: window.tossup_actions.export_as(written.id),
    )  # fmt: skip


def _export_packet(written: FileFormat) -> Action:
    return Action(
        f"export-packet:{written.id}", "file/packet", f"Export its packet as {written.title}…", "",
        "Export all tossups of its packet, or of its set if it is in no packet, the oldest first.",
        lambda window: window.tossup_actions.export_packet_as(written.id),
    )  # fmt: skip


def _style(style: LetterStyle, title: str, key: str, tip: str) -> Action:
    return Action(
        f"style:{style}", "format", title, key, tip,
        lambda window: _toggle_style(window, style),
        checked=lambda window: _has_style(window, style),
    )  # fmt: skip


def _theme(name: str, title: str, tip: str, *, line: bool = False) -> Action:
    return Action(
        f"theme:{name}", "view", f"Theme: {title}", "", tip,
        lambda window: window.appearance.use_theme(name),
        checked=lambda window: window.appearance.settings.theme == name,
        group="theme", line=line,
    )  # fmt: skip


def _players(window: Desk) -> list[Action]:
    """The switches in the order of the bundle, so that keys keep their meaning, and the moves."""
    bundle, enabled = window.analysis.bundle_players, window.analysis.enabled_players
    switches = [_player_switch(number, name) for number, name in enumerate(bundle, start=1)]
    return [*switches, *map(_player_move, enabled[1:])]


def _player_switch(number: int, name: str) -> Action:
    return Action(
        f"player:{name}", "view", f"Player: {player_title(name)}",
        f"Ctrl+Shift+{number}" if number <= 9 else "",
        "Switch this player on or off.",
        lambda window: window.analysis.switch_player(name),
        checked=lambda window: name in window.analysis.enabled_players,
        line=number == 1,
    )  # fmt: skip


def _player_move(name: str) -> Action:
    return Action(
        f"move-up:{name}", "view/order", f"Move {player_name(name)} up", "",
        "Show this player before the one above it.",
        lambda window: window.analysis.move_player(name, -1),
    )  # fmt: skip


def _reading_speed(speed: int) -> Action:
    return Action(
        f"reading-speed:{speed}", "view/speed", f"Reading speed: {speed} words a minute", "",
        "Count the time to read the draft aloud at this speed.",
        lambda window: window.appearance.save_settings(reading_speed=speed),
        checked=lambda window: window.appearance.settings.reading_speed == speed,
        group="reading speed", line=speed == READING_SPEEDS[0],
    )  # fmt: skip


def _grouping(grouping: ListGrouping) -> Action:
    return Action(
        f"group-list:{grouping}", "view/groups", f"Tossups: {GROUPING_TITLES[grouping].lower()}", "",
        "Group the list of tossups this way.",
        lambda window: window.tossups.choose_grouping(grouping),
    )  # fmt: skip


def _evidence(rank: int, number: str) -> Action:
    return Action(
        f"evidence:{rank}", "go", f"Evidence for guess &{rank}", f"Ctrl+{rank}",
        f"Show why the players make the {number} guess.",
        lambda window: window.analysis.choose_rank(rank),
        line=rank == 1,
    )  # fmt: skip


def _consent(consent: Consent) -> Action:
    return Action(
        f"consent:{consent.name.casefold()}", "review/release", CONSENT_TITLES[consent], "",
        _CONSENT_TIPS[consent],
        lambda window: _record_consent(window, consent),
        checked=lambda window: window.header.review.release.consent is consent,
    )  # fmt: skip


ACTIONS: tuple[Action | ActionFamily, ...] = (
    # File
    Action(
        "new", "file", "&New tossup", "Ctrl+N",
        "Start an empty tossup. The open tossup is saved.",
        lambda window: window.sessions.open_new(),
    ),
    Action(
        "go-list", "file", "Open from the &list", "Ctrl+O",
        "Go to the list on the left and search it.",
        _focus_list,
    ),
    Action(
        "new-from-past", "file", "New from a past question…", "Ctrl+Shift+N",
        DIALOGS["New from a past question"],
        lambda window: window.tossup_actions.begin_from_past(),
    ),
    Action(
        "new-for-brief", "file", "New for the set brief…", "Ctrl+Alt+N",
        "See what the set still needs, and start a tossup of that kind.",
        lambda window: window.tossup_actions.open_brief(),
    ),
    Action(
        "duplicate", "file", "&Duplicate this tossup", "Ctrl+Shift+D",
        "Copy this tossup and open the copy.",
        lambda window: window.tossup_actions.duplicate(),
    ),
    Action(
        "move-to-bin", "file", "&Move this tossup to the bin", "Ctrl+Shift+Del",
        "Remove this tossup from all lists. You can restore it from the bin.",
        lambda window: window.tossup_actions.put_in_bin(),
    ),
    Action(
        "bin", "file", "B&in…", "",
        DIALOGS["Bin"],
        lambda window: window.tossup_actions.open_bin(),
    ),
    Action(
        "import-questions", "file", "Import questions…", "Ctrl+Alt+I",
        DIALOGS["Import questions"],
        lambda window: window.windows.choose_import(),
        line=True,
    ),
    ActionFamily(lambda _: [_export(one) for one in written_formats()]),
    ActionFamily(lambda _: [_export_packet(one) for one in written_formats()]),
    Action(
        "print", "file", "Print t&his tossup…", "Ctrl+P",
        "Print this tossup as a page of a packet.",
        lambda window: window.tossup_actions.print_on_paper(),
    ),
    Action(
        "open-bundle", "file", "Open &bundle…", "",
        "Choose the folder of a bundle to use its players.",
        lambda window: window.engines.choose_bundle(),
        line=True,
    ),
    Action(
        "packets", "file", "Add &packets…", "",
        "Add packets to the players' evidence.",
        lambda window: window.engines.open_packets(),
    ),
    Action(
        "get-evidence", "file", "&Get more evidence…", "",
        DIALOGS["Get more evidence"],
        lambda window: window.engines.open_download(),
    ),
    Action(
        "send", "file", "&Send to editor…", "",
        DIALOGS["Send to editor"],
        _send,
        line=True,
    ),
    Action(
        "receive", "file", "&Receive…", "",
        DIALOGS["Receive"],
        lambda window: window.windows.transfer.choose(),
    ),
    Action(
        "backups", "file", "Rest&ore from backup…", "",
        "See the backups of your tossups, and restore one of them.",
        lambda window: window.recovery.open_backups(),
        line=True,
    ),
    Action(
        "profile", "file", "Pro&file…", "",
        "Enter the name that others see beside your edits and comments.",
        lambda window: window.windows.profile.open(),
        line=True,
    ),
    Action(
        "export-profile", "file", "E&xport my profile…", "",
        DIALOGS["Export my profile"],
        lambda window: window.windows.profile.export(),
    ),
    Action(
        "import-profile", "file", "Import a profile…", "",
        DIALOGS["Import a profile"],
        lambda window: window.windows.profile.choose_import(),
    ),
    Action(
        "preferences", "file", "Pr&eferences…", "Ctrl+,",
        "Change the settings: fonts, colours, players, lengths, keys and backups.",
        lambda window: window.open_preferences(),
    ),
    Action(
        "quit", "file", "&Quit", "Ctrl+Q",
        "Save everything, and close QuizWriter.",
        lambda window: window.close(),
        line=True,
    ),
    # Edit
    Action(
        "undo", "edit", "&Undo", "Ctrl+Z",
        DIALOGS["Undo"],
        lambda window: _call_in_focus(window, "undo"),
    ),
    Action(
        "redo", "edit", "&Redo", "Ctrl+Shift+Z Ctrl+Y",
        "Redo the edit that you undid.",
        lambda window: _call_in_focus(window, "redo"),
    ),
    Action(
        "cut", "edit", "Cu&t", "Ctrl+X",
        "Move the selected text to the clipboard.",
        lambda window: _call_in_focus(window, "cut"),
        line=True,
    ),
    Action(
        "copy", "edit", "&Copy", "Ctrl+C",
        "Copy the selected text to the clipboard.",
        lambda window: _call_in_focus(window, "copy"),
    ),
    Action(
        "paste", "edit", "&Paste", "Ctrl+V",
        "Insert the text of the clipboard.",
        lambda window: _call_in_focus(window, "paste"),
    ),
    Action(
        "paste-plain", "edit", "Paste &without styles", "Ctrl+Shift+V",
        "Insert the text of the clipboard as plain letters.",
        lambda window: window.draft.styling.paste_plain(),
    ),
    Action(
        "fill-question", "edit", "Fill in the pasted &question", FILL_KEY,
        "Move the answer and the category of a pasted question to their fields.",
        lambda window: window.pasted.fill(),
    ),
    Action(
        "select-all", "edit", "Select all", "Ctrl+A",
        "Select all text of the field with the cursor.",
        lambda window: _call_in_focus(window, "selectAll"),
    ),
    _windows("edit"),
    Action(
        "find", "edit", "&Find…", "Ctrl+F",
        "Find words in this tossup.",
        lambda window: window.find_bar.open_bar(),
    ),
    Action(
        "replace", "edit", "Find and replace…", "Ctrl+H",
        "Find words in this tossup and replace them.",
        lambda window: window.find_bar.open_bar(replace=True),
    ),
    Action(
        "find-next", "edit", "Find &next", "F3",
        "Go to the next match.",
        lambda window: window.find_bar.go(1),
    ),
    Action(
        "find-previous", "edit", "Find pre&vious", "Shift+F3",
        "Go to the previous match.",
        lambda window: window.find_bar.go(-1),
    ),
    Action(
        "replace-in-set", "edit", "Find and replace in a &set…", "",
        DIALOGS["Find and replace in a set"],
        lambda window: window.tossup_actions.replace_in_set(window.find_bar.search, ""),
    ),
    Action(
        "tidy", "edit", "T&idy…", "",
        DIALOGS["Tidy"],
        lambda window: window.tossup_actions.tidy(),
    ),
    Action(
        "power-mark", "edit", "Insert the power &mark", "Ctrl+K",
        "Insert the power mark (*) at the cursor.",
        lambda window: window.draft.insert_power_mark(),
        line=True,
    ),
    Action(
        "pronunciation", "edit", "Insert a pronunciation guide…", "Ctrl+Shift+G",
        "Show how the name at the cursor is pronounced. Past questions offer their guides.",
        lambda window: window.guides.insert(),
    ),
    Action(
        LETTERS, "edit", "Insert an accent or a special letter…", "Ctrl+Shift+U",
        "Choose a letter that your keyboard does not have, in any text field.",
        lambda window: window.open_letters(),
    ),
    Action(
        "fix-problem", "edit", "Fi&x or dismiss the problem…", "Ctrl+.",
        "See the fixes for this problem, or dismiss it with a reason.",
        lambda window: window.problems.offer(),
    ),
    Action(
        "make-change", "edit", "&Apply the suggested change", "Ctrl+Alt+T",
        "Show the first change of What if; press the key again to apply it.",
        lambda window: window.what_if.make_first(),
    ),
    Action(
        "move-easy-clue", "edit", "Move the eas&y clue later", "Ctrl+Alt+Y",
        "Move the clue after the harder one, as the clue strip suggests.",
        lambda window: window.what_if.move_easy_clue(),
    ),
    Action(
        "mend-answer", "edit", "Fix the answer &line", "Ctrl+Alt+A",
        "See the problems of the answer line, and fix them.",
        lambda window: _in_answer_line(
            window, window.answer.mend, "There is nothing to fix in the answer line."
        ),
    ),
    Action(
        "past-answers", "edit", "Past answ&er lines…", "Ctrl+Alt+L",
        "See how past questions wrote this answer line, and use one of them.",
        lambda window: _in_answer_line(
            window, window.answer.offer_past_lines, "No past answer lines are known for this answer."
        ),
    ),
    Action(
        "people-answers", "edit", "People's wron&g answers…", "",
        "Accept, prompt on or reject in the answer line what people answered.",
        lambda window: window.people.offer_answers(),
    ),
    Action(
        "copy-tossup", "edit", "Copy the &draft with its answer", "Ctrl+Shift+C",
        "Copy the whole tossup with its answer line to the clipboard.",
        lambda window: window.sessions.copy_draft(),
    ),
    Action(
        "copy-formatted", "edit", "Copy f&ormatted", "Ctrl+Alt+F",
        "Copy this tossup as it prints, with its styles, for Word, e-mail and browsers.",
        lambda window: window.tossup_actions.copy_formatted(),
    ),
    # Format
    _style(LetterStyle.BOLD, "&Bold", "Ctrl+B", "Make the selected words bold."),
    _style(LetterStyle.ITALIC, "&Italics", "Ctrl+I", "Set the selected words in italics."),
    _style(LetterStyle.UNDERLINE, "&Underline", "Ctrl+U", "Underline the selected words."),
    _style(LetterStyle.SUPERSCRIPT, "Su&perscript", "Ctrl+Alt+=", "Raise the selected words above the line."),
    _style(LetterStyle.SUBSCRIPT, "Subs&cript", "Ctrl+Alt+-", "Lower the selected words below the line."),
    Action(
        "plain-letters", "format", "Plain &letters", "Ctrl+\\",
        "Remove bold, italics and all other styles from the selected words.",
        lambda window: _toggle_style(window, None),
        line=True,
    ),
    # View
    Action(
        "larger-text", "view", "Larger text", "Ctrl++ Ctrl+=",
        "Make the letters of the draft larger.",
        lambda window: window.appearance.resize_draft(1),
    ),
    Action(
        "smaller-text", "view", "Smaller text", "Ctrl+-",
        "Make the letters of the draft smaller.",
        lambda window: window.appearance.resize_draft(-1),
    ),
    _theme("light", "l&ight", "Dark letters on light paper, in all windows.", line=True),
    _theme("dark", "d&ark", "Dark mode: light letters on dark paper, in all windows."),
    _theme("system", "follow the s&ystem", "Light or dark, like the system."),
    _theme(
        "contrast", "high &contrast",
        "Black and white with strong colours; follows the system's light or dark setting.",
    ),
    ActionFamily(_players),
    *map(_reading_speed, READING_SPEEDS),
    *map(_grouping, GROUPING_TITLES),
    Action(
        "mark-clues", "view", "Mark stock clues in the draft", "Ctrl+Alt+K",
        "Underline clues that past questions have used, or leave them unmarked.",
        lambda window: _switch(window, "marks_stock_clues", window.clues.show_marks),
        checked=lambda window: window.appearance.settings.marks_stock_clues,
    ),
    Action(
        "legend", "view", "Legend below the lanes", "",
        "Show what the colours and the marks of the lanes mean.",
        lambda window: _switch(window, "shows_legend", window.time_line.show_legend),
        checked=lambda window: window.appearance.settings.shows_legend,
    ),
    Action(
        "clue-strip", "view", "Clue strip below the lanes", "",
        "Show one bar for each clue: how strongly it alone points to the answer.",
        lambda window: _switch(window, "shows_clue_strip", window.what_if.show_strip),
        checked=lambda window: window.appearance.settings.shows_clue_strip,
    ),
    Action(
        "people-lane", "view", "People's lane below the lanes", "",
        "Show how early people answer, as recorded or as predicted.",
        lambda window: _switch(window, "shows_people_lane", window.people.show_lane),
        checked=lambda window: window.appearance.settings.shows_people_lane,
    ),
    Action(
        "stop-llm", "view", "Stop the LLM", "Ctrl+Alt+X",
        "Switch the language model off immediately; nothing more is sent to it.",
        lambda window: window.models.stop(),
        line=True,
    ),
    Action(
        "toggle-problems", "view", "Hide or show the &problems", "Ctrl+F8",
        "The list of problems in the draft.",
        lambda window: window.problems.toggle(),
    ),
    Action(
        "toggle-list", "view", "Hide or show the &list", "F9",
        "The list of tossups on the left.",
        lambda window: window.columns.toggle_tossups(),
    ),
    Action(
        "toggle-players", "view", "Hide or show the right column", "F10",
        "The guesses with their evidence, the past questions, What if and the comments.",
        lambda window: _toggle_right(window),
    ),
    Action(
        "writing-only", "view", "&Draft only", "F11",
        "Hide everything except the text, or show it again; Esc shows it, too.",
        lambda window: window.write_alone(alone=not window.writes_alone),
        checked=lambda window: window.writes_alone,
    ),
    # Go
    Action(
        "go-answer", "go", "To the &answer", "Ctrl+L",
        "Move the cursor to the answer field.",
        _focus_answer,
    ),
    Action(
        "go-draft", "go", "To the &draft", "Ctrl+D",
        "Move the cursor to the draft.",
        lambda window: window.draft.setFocus(),
    ),
    Action(
        "go-evidence", "go", "To the &evidence", "Ctrl+E Ctrl+Alt+1",
        "Show the evidence, and move the focus there.",
        _focus_evidence,
    ),
    Action(
        "go-past", "go", "To the past &questions", "F5 Ctrl+Alt+2",
        "Show the past questions on this answer, and move the focus there.",
        lambda window: _focus_tab(window, window.panes.past),
    ),
    Action(
        "go-what-if", "go", "To &what if", "F6 Ctrl+Alt+3",
        "Show how the buzzes change if a clue is removed, moved or rephrased.",
        lambda window: _focus_tab(window, window.what_if.pane),
    ),
    Action(
        "go-comments", "go", "To the &comments", "Ctrl+Alt+4",
        "Show the comments, and move the focus there.",
        lambda window: _focus_tab(window, window.comments.pane),
    ),
    Action(
        "go-time-line", "go", "To the &time line", "Ctrl+T",
        "Move the focus to the time line. The arrow keys then step through the words.",
        lambda window: window.time_line.setFocus(),
    ),
    Action(
        "word-back", "go", "One word back", "Alt+Left",
        "Show the guesses one word earlier.",
        lambda window: window.time_line.step(-1),
        line=True,
    ),
    Action(
        "word-forward", "go", "One word forward", "Alt+Right",
        "Show the guesses one word later.",
        lambda window: window.time_line.step(1),
    ),
    Action(
        "last-word", "go", "Back to the last word", "Alt+End",
        "Show the guesses after the whole draft.",
        lambda window: window.analysis.show_word(None),
    ),
    Action(
        "next-buzz", "go", "Why the &buzz?", "F4",
        "Show why the first player buzzes; press the key again for the next player.",
        lambda window: window.analysis.show_next_buzz(),
    ),
    Action(
        "next-problem", "go", "&Next problem", "F8",
        "Go to the next problem in the draft.",
        lambda window: window.problems.step(1),
        line=True,
    ),
    Action(
        "previous-problem", "go", "&Previous problem", "Shift+F8",
        "Go to the previous problem in the draft.",
        lambda window: window.problems.step(-1),
    ),
    Action(
        "next-misspelt", "go", "Next &misspelt word", "F7",
        "Go to the next word that is probably misspelt.",
        lambda window: window.problems.step(1, "spelling"),
    ),
    _evidence(1, "first"),
    _evidence(2, "second"),
    _evidence(3, "third"),
    _evidence(4, "fourth"),
    _evidence(5, "fifth"),
    Action(
        "evidence:answer", "go", "Evidence for the true answer", "Ctrl+0",
        "Show the evidence for the answer of this tossup.",
        lambda window: window.analysis.choose_answer(),
    ),
    Action(
        "ask-llm", "go", "As&k the LLM without each sentence…", "",
        "See which sentence its guess depends on. You see the cost first.",
        lambda window: window.models.ask_without_sentences(),
    ),
    Action(
        "wikipedia", "go", "Read about this page on Wikipedia", "Ctrl+Shift+W",
        "Open the article on this page in your browser.",
        lambda window: window.analysis.open_wikipedia(),
    ),
    # Review
    Action(
        "ready", "review", "&Ready…", "Ctrl+Return",
        "Check the tossup, and mark it as ready for an editor.",
        lambda window: window.header.set_status(Status.READY),
    ),
    Action(
        "status", "review", "Change the &status…", "Ctrl+Alt+S",
        "Open the menu with the next steps that this tossup can take.",
        lambda window: window.header.open_menu(window.header.status_chip),
    ),
    Action(
        "category", "review", "Choose a cate&gory…", "Ctrl+Alt+C",
        "Choose the category of this tossup.",
        lambda window: window.header.open_menu(window.header.category_chip),
    ),
    Action(
        "set", "review", "Choose a set…", "Ctrl+Alt+P",
        "Put this tossup into a set, and into a packet of it.",
        lambda window: window.header.open_menu(window.header.set_chip),
    ),
    Action(
        "bar-set", "review", "Never send this set to a server…", "",
        "Permanently keep this set off the players on servers.",
        lambda window: window.models.bar_set(),
    ),
    Action(
        "undo-review", "review", "&Undo the last review change", "",
        "Undo the last change to a status, category, set, source, style sheet or dismissed problem.",
        lambda window: window.review_actions.undo(),
    ),
    Action(
        "comment", "review/remarks", "&Comment on the selection", "Ctrl+Alt+M",
        "Write a comment on the selected words.",
        lambda window: window.comments.comment(),
        line=True,
    ),
    Action(
        "suggest", "review/remarks", "S&uggest other words", "Ctrl+Alt+G",
        "Suggest a replacement for the selected words.",
        lambda window: window.comments.suggest(),
    ),
    Action(
        "toggle-comments", "review/remarks", "Hide or show the co&mments", "Ctrl+Shift+M",
        "The comments on this tossup, on the right.",
        _toggle_comments,
    ),
    Action(
        "sources", "review/remarks", "&Sources of the clues…", "Ctrl+Alt+R",
        DIALOGS["Sources of the clues"],
        lambda window: window.sources.show(),
        line=True,
    ),
    Action(
        "cite-evidence", "review/remarks", "C&ite the evidence for this sentence", "Ctrl+Alt+E",
        "Add the passage of the evidence as the source of this sentence.",
        lambda window: window.sources.cite_evidence(),
    ),
    Action(
        "buzz-goal", "review", "Bu&zz goal…", "",
        DIALOGS["Buzz goal"],
        lambda window: window.tossup_actions.choose_goal(),
    ),
    *map(_consent, CONSENT_TITLES),
    _windows("review"),
    Action(
        "set-categories", "review/sets", "&Categories of the set…", "",
        "Edit the list of categories that this set uses.",
        lambda window: window.header.edit_categories(),
    ),
    Action(
        "style-sheet", "review/sets", "&Style sheet of the set…", "",
        "Choose the rules, the lengths and the spelling for this set.",
        lambda window: window.problems.edit_style_sheet(),
    ),
    Action(
        "control-arm", "review/sets", "Control &arm of the set…", "",
        DIALOGS["Control arm of the set"],
        lambda window: window.tossup_actions.open_control_arm(),
    ),
    Action(
        "import-buzzes", "review/sets", "Import people's &buzzes…", "",
        DIALOGS["Import people's buzzes"],
        lambda window: window.people.choose_import(),
    ),
    Action(
        "people", "review/sets", "P&eople…", "",
        DIALOGS["People"],
        lambda window: window.recovery.open_people(),
    ),
    _windows("review/sets"),
    _windows("review/challenge"),
    Action(
        "verify-challenge", "review/challenge", "&Verify challenge set…", "",
        "Check that a challenge set is whole and unchanged.",
        lambda window: window.windows.choose_verification(),
    ),
    Action(
        "branches", "review", "&Branches…", "",
        DIALOGS["Branches"],
        lambda window: window.windows.transfer.branches(),
        line=True,
    ),
    # Play
    Action(
        "play-read", "play", "&Read to someone…", "",
        DIALOGS["Read to someone"],
        lambda window: window.games.begin(GameKind.READ),
    ),
    Action(
        "play-alone", "play", "Play &alone against the machines…", "",
        DIALOGS["Play alone against the machines"],
        lambda window: window.games.begin(GameKind.ALONE),
    ),
    Action(
        "play-room", "play", "&Open a room…", "",
        DIALOGS["Open a room"],
        lambda window: window.games.begin(GameKind.ROOM),
    ),
    _windows("play"),
    # Help
    Action(
        "keys", "help", "&Keys and actions", "F1",
        "Find every action by its name, and see its shortcut keys.",
        _search_actions,
    ),
    Action(
        "search-actions", "help", "&Search all actions", "Ctrl+Shift+P",
        "Find an action by its name, and run it.",
        _search_actions,
    ),
    Action(
        "what-is-this", "help", "&What is this?", KEY,
        "Explain the part of the window that has the focus.",
        lambda window: explain(QApplication.focusWidget() or window),
    ),
    Action(
        "what-is-this-mouse", "help", "What is this? with the &mouse", "",
        "Explain the part of the window that you click on next.",
        lambda window: QWhatsThis.enterWhatsThisMode(),
    ),
    Action(
        "tour", "help", "&Tour", "",
        "See in five steps, with the example set, how to write a tossup against the players.",
        lambda window: window.start_tour(),
    ),
    _windows("help"),
    Action(
        "example-set", "help", "Open the &example set", "",
        "Open 23 tossups that the players have never seen.",
        lambda window: window.sessions.open_examples(),
    ),
)  # fmt: skip
"""Every action, in the order of the menus and of the search."""

NOTES: dict[str, Callable[[Desk], str]] = {"review/release": _consent_now}
"""The menus that end in a line that only tells something."""
