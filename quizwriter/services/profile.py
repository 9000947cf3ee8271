"""The profile of the user: the name, the e-mail address and the settings."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from quizwriter.domain.review import Person
from quizwriter.errors import QuizwriterError
from quizwriter.settings import Settings
from quizwriter.store import Store
from quizwriter.workflow.session import now_ms

log = logging.getLogger(__name__)


class Profile:
    """The writer's settings and name, kept in the data folder."""

    def __init__(self, file: Path, open_store: Callable[[], Store]) -> None:
        """The settings in ``file``; ``settings_trouble`` names the first wrong value in it, if there is one.

        The default holds for every wrong value. ``open_store`` gives the database.
        """
        self._file = file
        self._open_store = open_store
        self.settings, self.settings_trouble = Settings.read(file)
        self._saved = self.settings

    def save_settings(self, settings: Settings) -> None:
        """Use ``settings`` from now on, and write them to the file.

        Raises:
            QuizwriterError: the file cannot be written, or must be corrected first. The settings hold until
                the program ends.
        """
        self.settings = settings
        if settings == self._saved:
            return
        if self.settings_trouble is not None:
            _, self.settings_trouble = Settings.read(self._file)
        if self.settings_trouble is not None:  # writing would destroy what the user typed into the file
            raise QuizwriterError(
                f"{self.settings_trouble.problem} What you chose holds only until you close the window.",
                self.settings_trouble.remedy,
            )
        settings.write(self._file)
        self._saved = settings

    @property
    def me(self) -> Person:
        """The user as a person; the name is empty until the user enters it."""
        settings = self.settings
        if not settings.profile_id:
            try:
                self.save_settings(replace(settings, profile_id=uuid.uuid4().hex))
            except QuizwriterError as trouble:
                log.warning("the id of the user holds for this run only: %s", trouble)
        settings = self.settings
        return Person(settings.profile_id, settings.profile_name, settings.profile_email)

    def set_profile(self, name: str, email: str) -> None:
        """Save the name and the e-mail address of the user.

        Raises:
            QuizwriterError: the database or the settings cannot be written.
        """
        me = Person(self.me.id, name, email, now_ms())
        self._open_store().save_person(me)
        self.save_settings(replace(self.settings, profile_name=name, profile_email=email))
