"""The menus of the main window: every action with its keys, and the actions for the players."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QMenu, QTextEdit, QWhatsThis, QWidget

from quizwriter.domain.review import Consent, ConsentBasis, Status
from quizwriter.domain.styles import LetterStyle
from quizwriter.errors import QuizwriterError
from quizwriter.gui.action_tips import action_tip
from quizwriter.gui.analysis_controller import AnalysisController
from quizwriter.gui.appearance import Appearance
from quizwriter.gui.clues_controller import CluesController
from quizwriter.gui.dialogs.packet_export import PACKET_FILES
from quizwriter.gui.engine_controller import EngineController
from quizwriter.gui.guides_controller import GuidesController
from quizwriter.gui.help_texts import TOUR, WHAT_IS_THIS
from quizwriter.gui.model_controller import ModelController
from quizwriter.gui.pasted_question import FILL_KEY, PastedQuestion
from quizwriter.gui.people_controller import PeopleController
from quizwriter.gui.problems_controller import ProblemsController
from quizwriter.gui.recovery_controller import RecoveryController
from quizwriter.gui.review.comments_controller import CommentsController
from quizwriter.gui.review.consent import CONSENT_TITLES
from quizwriter.gui.review.header import TossupHeader
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.review.sources_controller import SourcesController
from quizwriter.gui.secondary_windows import SecondaryWindows
from quizwriter.gui.session_controller import SessionController
from quizwriter.gui.theme import Theme
from quizwriter.gui.tossup_actions import TossupActions
from quizwriter.gui.what_if_controller import WhatIfController
from quizwriter.gui.widgets.action_search import ActionSearch
from quizwriter.gui.widgets.column_layout import ColumnLayout
from quizwriter.gui.widgets.key_bindings import KeyBindings, action_name
from quizwriter.gui.widgets.keys import PALETTE, PALETTE_KEY
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.whats_this import KEY, explain
from quizwriter.gui.writing.find_bar import FindBar
from quizwriter.gui.writing.lower_pane import LowerPane
from quizwriter.gui.writing.panes import WritingPanes
from quizwriter.gui.writing.tossup_list import GROUPING_TITLES
from quizwriter.workflow.wording import player_name, player_title

if TYPE_CHECKING:
    from quizwriter.gui.dialogs.preferences import PreferencesDialog
    from quizwriter.gui.review.comments_pane import CommentsPane
    from quizwriter.gui.tour import Tour
    from quizwriter.gui.widgets.letter_palette import LetterPalette
    from quizwriter.gui.writing.past_pane import PastPane
    from quizwriter.gui.writing.what_if_pane import WhatIfPane

THEME_TITLES = {
    "light": "l&ight",
    "dark": "d&ark",
    "system": "as the s&ystem",
    "contrast": "high &contrast",
}
"""The titles of the themes by their names in the settings."""

_LETTER = re.compile(r"&(\w)")

READING_SPEEDS = (120, 140, 160, 180, 200, 220, 240)
"""Words a minute that the menu offers; the settings take others, too."""

LONGEST_SELECTION = 200
"""Characters of the selection that are looked for; more is no search."""

_STYLES = {
    LetterStyle.BOLD: ("&Bold", "Ctrl+B"),
    LetterStyle.ITALIC: ("&Italics", "Ctrl+I"),
    LetterStyle.UNDERLINE: ("&Underline", "Ctrl+U"),
    LetterStyle.SUPERSCRIPT: ("Su&perscript", "Ctrl+Alt+="),
    LetterStyle.SUBSCRIPT: ("Subs&cript", "Ctrl+Alt+-"),
}


class Menus(QObject):
    """Makes the actions of the main window, and updates the actions of the players when these change."""

    def __init__(
        self,
        window: QMainWindow,
        theme: Theme,
        panes: WritingPanes,
        columns: ColumnLayout,
        lower: LowerPane,
        header: TossupHeader,
        analysis: AnalysisController,
        sessions: SessionController,
        engines: EngineController,
        comments: CommentsController,
        review_actions: ReviewActions,
        windows: SecondaryWindows,
        appearance: Appearance,
        recovery: RecoveryController,
        problems: ProblemsController,
        sources: SourcesController,
        tossup_actions: TossupActions,
        find_bar: FindBar,
        pasted: PastedQuestion,
        clues: CluesController,
        what_if: WhatIfController,
        guides: GuidesController,
        models: ModelController,
        people: PeopleController,
    ) -> None:
        super().__init__(window)
        self._window, self._panes, self._columns, self._lower_pane = window, panes, columns, lower
        self._header, self._analysis, self._sessions, self._engines = header, analysis, sessions, engines
        self._comments, self._review_actions = comments, review_actions
        self._windows, self._appearance, self._recovery = windows, appearance, recovery
        self._parts: dict[str, QWidget] = {
            "header": header,
            "answer": panes.answer,
            "draft": panes.draft,
            "time_line": panes.time_line,
            "guesses": panes.guesses,
            "evidence": lower,
            "tossups": panes.tossups,
            "status": panes.status,
            "menu_bar": window.menuBar(),
        }
        settings = appearance.settings
        self.keys = KeyBindings(settings.keys, lambda keys: appearance.save_settings(keys=keys), self)
        self._problems, self._sources, self._find_bar = problems, sources, find_bar
        self._tossup_actions, self._pasted, self._theme = tossup_actions, pasted, theme
        self._clues, self._what_if, self._guides, self._models = clues, what_if, guides, models
        self._people = people
        self.letters: LetterPalette | None = None
        self.actions: dict[str, QAction] = {}
        """Every action by its text."""
        self._player_actions: list[QAction] = []
        self._consent_actions: dict[Consent, QAction] = {}
        self._theme_actions: dict[str, QAction] = {}
        self.preferences: PreferencesDialog | None = None
        self.tour: Tour | None = None
        panes.draft.tour_requested.connect(self.start_tour)
        bar = window.menuBar()
        titles = ("&File", "&Edit", "F&ormat", "&View", "&Go", "&Review", "&Help")
        file, edit, styles, self._view, go, review, help_menu = (bar.addMenu(title) for title in titles)
        self._fill_file(file)
        self._fill_edit(edit)
        self._fill_format(styles)
        self._fill_view(self._view)
        self._fill_go(go)
        self._fill_review(review)
        self._add(help_menu, "&Keys and actions", "F1", self._open_search)
        self._add(help_menu, "&Search all actions", "Ctrl+Shift+P", self._open_search)
        self._add(help_menu, "&What is this?", KEY, lambda: explain(QApplication.focusWidget() or window))
        self._add(help_menu, "What is this? with the &mouse", "", QWhatsThis.enterWhatsThisMode)
        self._add(help_menu, "&Tour", "", self.start_tour)
        self._add(help_menu, "The &players", "", self._show_players)
        self._add(help_menu, "&Glossary", "", self._show_glossary)
        self._add(help_menu, "Open the &example set", "", sessions.open_examples)
        for menu in bar.findChildren(QMenu):
            menu.aboutToHide.connect(lambda: panes.status.show_tip(""))
        for name, part in {
            **self._parts,
            "evidence": panes.evidence,
            "lower": lower,
            "comments": comments.pane,
            "messages": panes.messages,
        }.items():
            part.setWhatsThis(plain_tooltip(WHAT_IS_THIS[name]))
        self.search = ActionSearch(theme, tuple(self.actions.values()), window)
        self.search.setWhatsThis(plain_tooltip(WHAT_IS_THIS["search_actions"]))
        analysis.players_changed.connect(self.update_player_actions)

    def _add(self, menu: QMenu, text: str, key: str | Sequence[str], do: Callable[[], object]) -> QAction:
        action = QAction(_with_letter(text, menu), self._window)
        tip = action_tip(action_name(text))
        action.setStatusTip(plain_tooltip(tip))
        action.setWhatsThis(plain_tooltip(tip))
        self.keys.add(action, [key] if isinstance(key, str) else key)
        action.triggered.connect(lambda _=False: do())
        action.hovered.connect(lambda: self._panes.status.show_tip(tip))
        menu.addAction(action)
        self.actions[text] = action
        return action

    def _fill_file(self, menu: QMenu) -> None:
        self._add(menu, "&New tossup", "Ctrl+N", self._sessions.open_new)
        self._add(menu, "Open from the &list", "Ctrl+O", self._focus_list)
        actions = self._tossup_actions
        self._add(menu, "New from a past &question…", "Ctrl+Shift+N", actions.begin_from_past)
        self._add(menu, "New &for the set brief…", "Ctrl+Alt+N", actions.open_brief)
        self._add(menu, "&Duplicate this tossup", "Ctrl+Shift+D", lambda: actions.duplicate())
        self._add(menu, "&Move this tossup to the bin", "Ctrl+Shift+Del", lambda: actions.put_in_bin())
        self._add(menu, "B&in…", "", actions.open_bin)
        menu.addSeparator()
        self._add(menu, "&Import questions…", "Ctrl+Alt+I", self._windows.choose_import)
        exports = menu.addMenu("Export &this tossup")
        for kind, (name, _, _) in PACKET_FILES.items():
            self._add(exports, f"Export as {name}…", "", partial(actions.export_as, kind))
        self._add(menu, "Print t&his tossup…", "Ctrl+P", actions.print_on_paper)
        menu.addSeparator()
        self._add(menu, "Open &bundle…", "", self._engines.choose_bundle)
        self._add(menu, "Add &packets…", "", self._engines.open_packets)
        self._add(menu, "&Get more evidence…", "", self._engines.open_download)
        menu.addSeparator()
        self._add(menu, "&Send to editor…", "", self.send)
        self._add(menu, "&Receive…", "", lambda: self._windows.transfer.choose())
        menu.addSeparator()
        self._add(menu, "Rest&ore from backup…", "", self._recovery.open_backups)
        menu.addSeparator()
        profile = self._windows.profile
        self._add(menu, "Pro&file…", "", lambda: profile.open())
        self._add(menu, "E&xport my profile…", "", lambda: profile.export())
        self._add(menu, "I&mport a profile…", "", profile.choose_import)
        self._add(menu, "Pr&eferences…", "Ctrl+,", self.open_preferences)
        menu.addSeparator()
        self._add(menu, "&Quit", "Ctrl+Q", self._window.close)

    def _fill_edit(self, menu: QMenu) -> None:
        undo = self._add(menu, "&Undo", "Ctrl+Z", lambda: self._call_in_focus("undo"))
        redo = self._add(menu, "&Redo", ("Ctrl+Shift+Z", "Ctrl+Y"), lambda: self._call_in_focus("redo"))
        self._sessions.undo.use_actions(undo, redo)
        menu.addSeparator()
        self._add(menu, "Cu&t", "Ctrl+X", lambda: self._call_in_focus("cut"))
        self._add(menu, "&Copy", "Ctrl+C", lambda: self._call_in_focus("copy"))
        self._add(menu, "&Paste", "Ctrl+V", lambda: self._call_in_focus("paste"))
        self._add(menu, "Paste &without styles", "Ctrl+Shift+V", self._panes.draft.styling.paste_plain)
        self._add(menu, "Fill in the pasted &question", FILL_KEY, self._pasted.fill)
        self._add(menu, "Select &all", "Ctrl+A", lambda: self._call_in_focus("selectAll"))
        menu.addSeparator()
        self._add(menu, "Searc&h everything…", "Ctrl+Shift+F", self._search_everything)
        bar, actions = self._find_bar, self._tossup_actions
        self._add(menu, "&Find…", "Ctrl+F", bar.open_bar)
        self._add(menu, "Find and &replace…", "Ctrl+H", lambda: bar.open_bar(replace=True))
        self._add(menu, "Find &next", "F3", lambda: bar.go(1))
        self._add(menu, "Find pre&vious", "Shift+F3", lambda: bar.go(-1))
        self._add(menu, "Find and replace in a &set…", "", lambda: actions.replace_in_set(bar.search, ""))
        self._add(menu, "T&idy…", "", actions.tidy)
        menu.addSeparator()
        self._add(menu, "Insert the power &mark", "Ctrl+K", self._panes.draft.insert_power_mark)
        self._add(menu, "Insert a pronunciation guide…", "Ctrl+Shift+G", self._guides.insert)
        letters = self._add(menu, "Insert an accent or a special letter…", PALETTE_KEY, self._open_letters)
        letters.setObjectName(PALETTE)
        letters.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)  # windows without menus have it
        self._add(menu, "Fi&x or dismiss the problem…", "Ctrl+.", self._problems.offer)
        self._add(menu, "Make the change that is &offered", "Ctrl+Alt+T", self._what_if.make_first)
        self._add(menu, "Move the clue that is too eas&y", "Ctrl+Alt+Y", self._what_if.move_easy_clue)
        self._add(menu, "Mend the answer &line", "Ctrl+Alt+A", self._panes.answer.mend)
        self._add(menu, "Past answ&er lines…", "Ctrl+Alt+L", self._panes.answer.offer_past_lines)
        self._add(menu, "Copy the &draft with its answer", "Ctrl+Shift+C", self._sessions.copy_draft)
        self._add(menu, "Copy f&ormatted", "Ctrl+Alt+F", actions.copy_formatted)

    def _fill_format(self, menu: QMenu) -> None:
        actions = {}
        for style, (title, key) in _STYLES.items():
            actions[style] = self._add(menu, title, key, partial(self._toggle_style, style))
            actions[style].setCheckable(True)
        menu.addSeparator()
        self._add(menu, "Plain &letters", "Ctrl+\\", partial(self._toggle_style, None))

        def show() -> None:
            for style, action in actions.items():
                action.setChecked(self._has_style(style))

        menu.aboutToShow.connect(show)

    def _fill_view(self, menu: QMenu) -> None:
        self._add(menu, "Larger text", ("Ctrl++", "Ctrl+="), lambda: self._appearance.resize_draft(1))
        self._add(menu, "Smaller text", "Ctrl+-", lambda: self._appearance.resize_draft(-1))
        menu.addSeparator()
        themes = QActionGroup(self)
        for name, title in THEME_TITLES.items():
            action = self._add(menu, f"Theme: {title}", "", partial(self._appearance.use_theme, name))
            action.setCheckable(True)
            themes.addAction(action)
            self._theme_actions[name] = action
        menu.aboutToShow.connect(self._show_theme)
        self._show_theme()
        menu.addSeparator()
        self._order_menu = menu.addMenu("&Order of the players")
        menu.addSeparator()
        speeds, choices = menu.addMenu("&Reading speed"), QActionGroup(self)
        for speed in READING_SPEEDS:
            action = self._add(
                speeds, f"Reading speed: {speed} words a minute", "", partial(self._use_reading_speed, speed)
            )
            action.setCheckable(True)
            action.setChecked(speed == self._appearance.reading_speed)
            choices.addAction(action)
        groups = menu.addMenu("&Group the list")
        for grouping, title in GROUPING_TITLES.items():
            self._add(
                groups,
                f"Tossups: {title.lower()}",
                "",
                partial(self._panes.tossups.choose_grouping, grouping),
            )
        for text, key, setting, show in (
            ("Mark stock &clues in the draft", "Ctrl+Alt+K", "marks_stock_clues", self._clues.show_marks),
            ("Clue strip below the &lanes", "", "shows_clue_strip", self._what_if.show_strip),
            ("People's lane below the lanes", "", "shows_people_lane", self._people.show_lane),
        ):
            action = self._add(menu, text, key, partial(self._switch, setting, show))
            action.setCheckable(True)
            action.setChecked(getattr(self._appearance.settings, setting))
        menu.addSeparator()
        self._add(menu, "Stop the LLM", "Ctrl+Alt+X", self._models.stop)
        self._add(menu, "Hide or show the &problems", "Ctrl+F8", self._problems.toggle)
        self._add(menu, "Hide or show the &list", "F9", self._columns.toggle_tossups)
        self._add(menu, "Hide or show the &guesses and evidence", "F10", self._columns.toggle_players)
        self._add(menu, "&Draft and time line only", "F11", self._columns.toggle_all_but_writing)

    def _switch(self, setting: str, show: Callable[..., None]) -> None:
        """Show what the ``setting`` is about, or hide it, and save that setting."""
        shown = not getattr(self._appearance.settings, setting)
        self._appearance.save_settings(**{setting: shown})
        show(shown=shown)

    def _use_reading_speed(self, speed: int) -> None:
        self._appearance.save_settings(reading_speed=speed)

    def _fill_go(self, menu: QMenu) -> None:
        time_line, analysis = self._panes.time_line, self._analysis
        self._add(menu, "To the &answer", "Ctrl+L", self._focus_answer)
        self._add(menu, "To the &draft", "Ctrl+D", self._panes.draft.setFocus)
        self._add(menu, "To the &evidence", ("Ctrl+E", "Ctrl+Alt+1"), self._focus_evidence)
        self._add(menu, "To the past &questions", "Ctrl+Alt+2", partial(self._focus_tab, self._panes.past))
        self._add(menu, "To &what if", "Ctrl+Alt+3", partial(self._focus_tab, self._what_if.pane))
        self._add(menu, "To the &comments", "Ctrl+Alt+4", partial(self._focus_tab, self._comments.pane))
        self._add(menu, "To the &time line", "Ctrl+T", time_line.setFocus)
        menu.addSeparator()
        self._add(menu, "One word back", "Alt+Left", lambda: time_line.step(-1))
        self._add(menu, "One word forward", "Alt+Right", lambda: time_line.step(1))
        self._add(menu, "Back to the last word", "Alt+End", lambda: analysis.show_word(None))
        menu.addSeparator()
        self._add(menu, "&Next problem", "F8", lambda: self._problems.step(1))
        self._add(menu, "&Previous problem", "Shift+F8", lambda: self._problems.step(-1))
        self._add(menu, "Next &misspelt word", "F7", lambda: self._problems.step(1, "spelling"))
        menu.addSeparator()
        for rank in range(1, 6):
            choose = partial(analysis.choose_rank, rank)
            self._add(menu, f"Evidence for guess &{rank}", f"Ctrl+{rank}", choose)
        self._add(menu, "Evidence for the true answer", "Ctrl+0", analysis.choose_answer)
        self._add(menu, "As&k the LLM without each sentence…", "", self._models.ask_without_sentences)
        self._add(menu, "Read about this page on Wikipedia", "Ctrl+Shift+W", analysis.open_wikipedia)

    def _fill_review(self, menu: QMenu) -> None:
        header, windows = self._header, self._windows
        self._add(menu, "&Ready…", "Ctrl+Return", lambda: header.set_status(Status.READY))
        self._add(menu, "Change the &status…", "Ctrl+Alt+S", header.status_chip.showMenu)
        self._add(menu, "Choose a cate&gory…", "Ctrl+Alt+C", header.category_chip.showMenu)
        self._add(menu, "Never send this set to a server…", "", self._models.bar_set)
        self._add(menu, "&Take back the last change", "", self._review_actions.undo)
        menu.addSeparator()
        self._fill_remarks(menu.addMenu("&Comments and sources"))
        self._add(menu, "Bu&zz goal…", "", self._tossup_actions.choose_goal)
        self._fill_release(menu.addMenu("Release o&f this tossup"))
        menu.addSeparator()
        self._add(menu, "T&ag tossups…", "Ctrl+Shift+T", windows.open_tagging)
        self._add(menu, "&Queue", "Ctrl+Shift+Q", windows.open_queue)
        of_set = menu.addMenu("S&ets")
        self._add(of_set, "&Categories of the set…", "", header.edit_categories)
        self._add(of_set, "&Style sheet of the set…", "", self._problems.edit_style_sheet)
        self._add(of_set, "Control &arm of the set…", "", self._tossup_actions.open_control_arm)
        self._add(of_set, "Import people's &buzzes…", "", self._people.choose_import)
        of_set.addSeparator()
        self._add(of_set, "&Log of all sets…", "Ctrl+Shift+L", windows.open_log)
        self._add(of_set, "&Progress of writers and sets…", "", windows.open_progress)
        self._add(menu, "E&xperiments…", "", lambda: windows.open_experiments())
        released = menu.addMenu("Cha&llenge sets")
        self._add(released, "&Export challenge set…", "", windows.open_challenge)
        self._add(released, "&Verify challenge set…", "", windows.choose_verification)
        self._add(released, "&Withdraw released questions…", "", windows.open_retraction)
        menu.addSeparator()
        self._add(menu, "&Branches…", "", lambda: windows.transfer.branches())
        self._add(
            menu, "&History…", "Ctrl+Shift+H", lambda: windows.show_history(self._sessions.current.tossup_id)
        )

    def _fill_remarks(self, menu: QMenu) -> None:
        comments = self._comments
        comment = self._add(menu, "&Comment on the selection", "Ctrl+Alt+M", comments.comment)
        suggest = self._add(menu, "S&uggest other words", "Ctrl+Alt+G", comments.suggest)
        self._add(menu, "Hide or show the co&mments", "Ctrl+Shift+M", self._toggle_comments)
        menu.addSeparator()
        source = self._add(menu, "&Sources of the clues…", "Ctrl+Alt+R", self._sources.show)
        cite = self._add(
            menu, "C&ite the evidence for this sentence", "Ctrl+Alt+E", self._sources.cite_evidence
        )
        self._panes.draft.offers = [comment, suggest, source, cite]

    def _fill_release(self, menu: QMenu) -> None:
        for consent, title in CONSENT_TITLES.items():
            action = self._add(menu, title, "", partial(self._record_consent, consent))
            action.setCheckable(True)
            self._consent_actions[consent] = action
        menu.addSeparator()
        self._consent_now = menu.addAction("")
        self._consent_now.setEnabled(False)
        menu.aboutToShow.connect(self._show_consent)

    def open_preferences(self, page: str = "") -> None:
        """Show the preferences, with the page of this title in sight if one is named."""
        from quizwriter.gui.dialogs.preferences import PreferencesDialog

        if self.preferences is None:
            self.preferences = PreferencesDialog(
                self._theme,
                self._appearance,
                self._analysis,
                self.keys,
                open_server=self._engines.open_server,
                open_model=self._models.open_settings,
                open_backups=self._recovery.open_backups,
                parent=self._window,
            )
            self.preferences.finished.connect(self._forget_preferences)
        if page:
            self.preferences.open_page(page)
        self.preferences.show()
        self.preferences.activateWindow()

    def _forget_preferences(self) -> None:
        self.preferences = None

    def start_tour(self) -> None:
        """Show the example set, and what each part of the window is for; a tour that goes on begins anew."""
        from quizwriter.gui.tour import Tour

        if self.tour is not None:
            self.tour.end()
        self._sessions.open_examples()
        self._columns.show_players_side()
        self._lower_pane.choose(self._panes.evidence)
        self.tour = Tour(self._theme, self._window, self._parts, TOUR)
        self.tour.ended.connect(self._forget_tour)
        self.tour.go(1)

    def _forget_tour(self) -> None:
        self.tour = None

    def _show_players(self) -> None:
        from quizwriter.gui.dialogs.players import PlayersDialog

        PlayersDialog(self._theme, self._analysis.enabled_players, self._window).show()

    def _show_theme(self) -> None:
        """Tick the theme in use, which the preferences may have changed."""
        self._theme_actions[self._appearance.settings.theme].setChecked(True)

    def update_player_actions(self) -> None:
        """Replace the actions that switch and move players, in the View menu and by keys."""
        for action in self._player_actions:
            self.actions = {text: one for text, one in self.actions.items() if one is not action}
            self.keys.remove(action)  # it lives until the next event, and two actions cannot share a key
            action.deleteLater()
        self._player_actions.clear()
        enabled = self._analysis.enabled_players
        # The switches stand in the bundle's order, so that keys keep their meaning.
        for number, name in enumerate(self._analysis.bundle_players, start=1):
            key = f"Ctrl+Shift+{number}" if number <= 9 else ""
            switch = self._add(
                self._view, f"Player: {player_title(name)}", key, partial(self._analysis.switch_player, name)
            )
            self._view.insertAction(self._order_menu.menuAction(), switch)
            switch.setCheckable(True)
            switch.setChecked(name in enabled)
            self._player_actions.append(switch)
        for name in enabled[1:]:
            up = self._add(
                self._order_menu,
                f"Move {player_name(name)} up",
                "",
                partial(self._analysis.move_player, name, -1),
            )
            self._player_actions.append(up)
        self._order_menu.menuAction().setVisible(len(enabled) > 1)
        self.search.use(tuple(self.actions.values()))

    def send(self) -> None:
        """Send a pack; the dialog offers the open tossup alone, unless it is empty."""
        tossup = self._sessions.current.tossup
        written = bool(tossup.text or tossup.answer)
        key, title = (self._sessions.current.tossup_id, self._sessions.title) if written else ("", "")
        self._windows.send(key, title)

    def _show_consent(self) -> None:
        """Show whether the open tossup may be released now, and how sure that is."""
        given = self._header.review.release
        for consent, action in self._consent_actions.items():
            action.setChecked(consent is given.consent)
        how = f", {given.basis}" if given.basis is not ConsentBasis.NONE else ""
        why = f": {given.reason}" if given.reason else ""
        self._consent_now.setText(f"Now: {given.consent}{how}{why}".replace("&", "&&"))

    def _record_consent(self, consent: Consent) -> None:
        """Record whether the open tossup may be released."""
        self._review_actions.record_consent([self._sessions.current.tossup_id], consent)

    def _call_in_focus(self, name: str) -> None:
        """Call the method ``name`` of the text widget in focus, else of the draft."""
        widget = QApplication.focusWidget()
        if not isinstance(widget, QLineEdit | QTextEdit):
            widget = self._panes.draft
        if self._answers and name in ("undo", "redo", "cut", "copy"):
            getattr(self._panes.answer.styling, name)()
        else:
            getattr(widget, name)()

    @property
    def _answers(self) -> bool:
        """Whether the keyboard is in the answer line, so that a style is meant there."""
        return QApplication.focusWidget() is self._panes.answer.line

    def _toggle_style(self, style: LetterStyle | None) -> None:
        answer, draft = self._panes.answer.styling, self._panes.draft
        answer.toggle(style) if self._answers else draft.toggle_style(style)

    def _has_style(self, style: LetterStyle) -> bool:
        draft = self._panes.draft
        if self._answers:
            return self._panes.answer.styling.has(style)
        return draft.styling.has(style, draft.selected)

    def _open_letters(self) -> None:
        """Open the palette at the field that has the keyboard, else at the draft."""
        from quizwriter.gui.widgets.letter_palette import LetterPalette  # here, as nobody starts with it
        from quizwriter.gui.widgets.popup import text_field_in_focus

        if self.letters is None:
            look = self._appearance
            self.letters = LetterPalette(
                self._theme,
                lambda: look.settings.recent_letters,
                lambda letters: look.save_settings(recent_letters=letters),
                self._window,
            )
        draft = self._panes.draft
        field = text_field_in_focus() or draft
        draft.refused_edit.emit() if field.isReadOnly() else self.letters.open_for(field)

    def _open_search(self) -> None:
        self.search.open(QApplication.focusWidget())

    def _show_glossary(self) -> None:
        try:
            self._windows.show_glossary()
        except QuizwriterError as trouble:
            self._panes.messages.show_message("glossary", str(trouble))

    def _focus_list(self) -> None:
        self._columns.show_tossups()
        self._panes.tossups.search.setFocus()
        self._panes.tossups.search.selectAll()

    def _focus_answer(self) -> None:
        self._panes.answer.line.setFocus()
        self._panes.answer.line.selectAll()

    def _focus_evidence(self) -> None:
        self._columns.show_players_side()
        self._lower_pane.choose(self._panes.evidence)
        self._panes.evidence.text.setFocus()

    def _search_everything(self) -> None:
        """Open the search; what is selected in the draft is looked for."""
        selected = self._panes.draft.textCursor().selectedText()
        self._windows.open_search(" ".join(selected.split())[:LONGEST_SELECTION])

    def _focus_tab(self, pane: PastPane | WhatIfPane | CommentsPane) -> None:
        self._columns.show_players_side()
        self._lower_pane.choose(pane)
        pane.take_keyboard()

    def _toggle_comments(self) -> None:
        if self._lower_pane.currentWidget() is self._comments.pane:
            self._lower_pane.choose(self._panes.evidence)
            self._panes.draft.setFocus()
        else:
            self._focus_tab(self._comments.pane)


def _with_letter(text: str, menu: QMenu) -> str:
    """``text`` with a letter by which it is chosen in the open ``menu``: its own, else the first free one."""
    if "&" in text:
        return text
    taken = {found[1].casefold() for one in menu.actions() if (found := _LETTER.search(one.text()))}
    free = (at for at, one in enumerate(text) if one.isalnum() and one.casefold() not in taken)
    at = next(free, 0)
    return f"{text[:at]}&{text[at:]}"
