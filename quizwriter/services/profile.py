"""The profile of the user: the name, the e-mail address and the settings."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from quizwriter.domain.review import Person
from quizwriter.errors import QuizwriterError
from quizwriter.services.identity import Identity
from quizwriter.settings import Settings, merged_settings
from quizwriter.store.merging import CLOCKS_DIFFER_MS
from quizwriter.store.store import Store
from quizwriter.workflow.session import now_ms


class Profile:
    """The writer's settings and name, kept in the data folder."""

    def __init__(self, file: Path, open_store: Callable[[], Store]) -> None:
        """The settings in ``file``, and beside it the key of the user.

        ``settings_trouble`` names the first wrong value in the file, if there is one.

        The default holds for every wrong value. ``open_store`` gives the database.
        """
        self._file = file
        self._open_store = open_store
        self._saving = threading.RLock()  # jobs ask who the user is while the window saves the settings
        self.identity = Identity(file.parent, lambda: self.me, open_store)
        self.settings, self.settings_trouble = Settings.read(file)
        self._saved = self.settings

    def save_settings(self, settings: Settings) -> None:
        """Use ``settings`` from now on, and write them to the file."""
        with self._saving:
            if not settings.profile_id:  # a job may have given the user an id since these settings were taken
                settings = replace(settings, profile_id=self.settings.profile_id)
            self.settings = settings
            if settings == self._saved:
                return
            found, self.settings_trouble = self._in_the_file()
            if self.settings_trouble is not None:  # writing would destroy what the user typed into the file
                raise QuizwriterError(
                    f"{self.settings_trouble.problem} What you chose holds only until you close QuizWriter.",
                    self.settings_trouble.remedy,
                )
            merged_settings(self._saved, settings, found).write(self._file)
            self._saved = settings

    def _in_the_file(self) -> tuple[Settings, QuizwriterError | None]:
        """The settings as they are in the file, where the user or a command may have changed them since."""
        if not self._file.exists():
            return self._saved, None
        found, trouble = Settings.read(self._file)
        return replace(found, profile_id=found.profile_id or self._saved.profile_id), trouble

    @property
    def me(self) -> Person:
        """The user as a person; the name is empty until the user enters it."""
        if not self.settings.profile_id:
            with self._saving:
                self._give_id()
        settings = self.settings
        return Person(settings.profile_id, settings.profile_name, settings.profile_email)

    def _give_id(self) -> None:
        """Give the user an id, unless a job beside this one just did."""
        if (found := Settings.read(self._file)[0]).profile_id:  # a command gave it, in another process
            who = {name: getattr(found, name) for name in ("profile_id", "profile_name", "profile_email")}
            self.settings, self._saved = (replace(one, **who) for one in (self.settings, self._saved))
        if not self.settings.profile_id:
            try:
                self.save_settings(replace(self.settings, profile_id=uuid.uuid4().hex))
            except QuizwriterError as trouble:
                problem = f"Your profile is new and cannot be kept. {trouble.problem}"
                self.identity.warn(QuizwriterError(problem, trouble.remedy))

    def set_profile(self, name: str, email: str) -> None:
        store, key = self._open_store(), self.me.id
        known = store.people().get(key)
        # the newest name counts, also for others, and the clock may have been put back; but a name from the
        # future comes after all others
        changed_ms = now_ms()
        if known is not None and known.changed_ms <= changed_ms + CLOCKS_DIFFER_MS:
            changed_ms = max(changed_ms, known.changed_ms + 1)
        store.save_person(Person(key, name, email, changed_ms))
        self.save_settings(replace(self.settings, profile_name=name, profile_email=email))

    def keep_name(self) -> None:
        """Let the database know the name in the settings, where it knows another one."""
        me = self.me
        known = self._open_store().people().get(me.id)
        if me.name and known is not None and (known.name, known.email) != (me.name, me.email):
            self.set_profile(me.name, me.email)

    def export(self, path: Path, passphrase: str) -> None:
        """Write the profile with its key to a file that ``passphrase`` protects; takes about a second."""
        if not self.me.name:
            raise QuizwriterError("Your profile has no name yet.", "Enter your name first: File, Profile….")
        self.identity.export(path, passphrase)

    def import_profile(self, path: Path, passphrase: str) -> Person:
        """Be the person whose profile is in the file at ``path`` from now on. Slow, about a second.

        What was written under the former profile stays that profile's.
        """
        person, key = self.identity.read(path, passphrase)
        forgotten = self._open_store().forgotten
        if person.id in forgotten.ids or forgotten.person_of(person.name, person.email, key.public):
            raise QuizwriterError(
                "This person was forgotten on this computer.",
                "quizwriter forget --allow with the name lets the person write here again.",
            )
        before = self.settings
        self.save_settings(
            replace(before, profile_id=person.id, profile_name=person.name, profile_email=person.email)
        )
        try:
            self.identity.adopt(person, key)
        except QuizwriterError:
            self.save_settings(before)
            raise
        return self.me
