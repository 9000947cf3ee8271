"""The key of the profile: made and kept, carried over by a file, and never in the way of writing."""

import json
import os
import stat
import sys
import threading
import time

import keyring
import keyring.errors
import pytest
from keyring.backend import KeyringBackend
from msgspec.structs import replace

from quizwriter.domain.signatures import Authenticity
from quizwriter.errors import QuizwriterError
from quizwriter.services import identity
from quizwriter.services.wiring import App
from quizwriter.store.backups import BackupReason
from quizwriter.system import signing
from quizwriter.system.keyring_access import find_lasting_secret
from quizwriter.workflow.session import WritingSession

PASSPHRASE = "correct horse"


class Locked(KeyringBackend):
    """A keyring that gives and takes nothing."""

    priority = 5

    def get_password(self, service, username):
        raise keyring.errors.KeyringLocked("locked")

    def set_password(self, service, username, password):
        raise keyring.errors.PasswordSetError("locked")


class Open(KeyringBackend):
    """A keyring in memory."""

    priority = 5

    def __init__(self):
        super().__init__()
        self.kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password


@pytest.fixture
def desk(tmp_path):
    apps = []

    def make(name="home"):
        app = App(tmp_path / name)
        apps.append(app)
        return app

    yield make
    for app in apps:
        app.store.close()


@pytest.fixture(scope="module", autouse=True)
def _weak_passphrases():
    """No test here guesses them; as they are, each use takes a third of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(signing, "SCRYPT_COST", 1 << 4)
        yield


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """What a profile is in a file."""
    home = tmp_path_factory.mktemp("exported")
    with App(home) as app:
        app.profile.set_profile("Ada", "")
        app.profile.export(home / "me", PASSPHRASE)
    return json.loads((home / "me").read_text())


def write(app, key="one"):
    session = WritingSession(key, author=app.profile.me.id)
    session.type("A lake.")
    app.tossups.save(session.take_unsaved())
    return app.store.edit_authenticity(key)


def test_without_a_keyring_the_key_is_in_a_private_file_and_stays(desk):
    app = desk()
    assert write(app) == (Authenticity.VERIFIED,)
    (file,) = app.home.glob("signing-*.key")
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600

    again = desk()
    assert write(again, "two") == (Authenticity.VERIFIED,)
    assert again.profile.identity.key().public == app.profile.identity.key().public
    assert again.profile.identity.trouble is None


def test_with_a_keyring_the_key_is_in_no_file(desk, monkeypatch):
    kept = Open()
    monkeypatch.setattr(keyring, "get_keyring", lambda: kept)
    app = desk()

    assert write(app) == (Authenticity.VERIFIED,)
    assert not list(app.home.glob("signing-*"))
    assert list(kept.kept.values()) == [app.profile.identity.key().secret]


@pytest.mark.logs("the keyring failed")
def test_a_locked_keyring_keeps_nobody_from_writing_and_one_sentence_says_so(desk, monkeypatch):
    monkeypatch.setattr(keyring, "get_keyring", Locked)
    app, told = desk(), []
    app.profile.identity.warn = told.append

    assert write(app) == (Authenticity.UNSIGNED,)
    assert write(app, "two") == (Authenticity.UNSIGNED,)
    assert len(told) == 1
    assert "saved without your signature" in told[0].problem
    assert "Unlock it" in told[0].remedy


def test_a_database_that_is_busy_at_the_start_is_asked_again_at_the_next_save(desk, monkeypatch):
    app, told = desk(), []
    app.profile.identity.warn = told.append
    app.profile.identity.deferred = True  # as in a window
    use_key = app.store.use_key

    def busy(*_, **__):
        raise QuizwriterError("The database could not be written (database is locked).", "Close the other.")

    monkeypatch.setattr(app.store, "use_key", busy)
    app.profile.identity.load()
    assert told[0].problem.startswith("Your edits are saved without your signature for now.")
    monkeypatch.setattr(app.store, "use_key", use_key)
    assert write(app) == (Authenticity.VERIFIED,)
    assert app.profile.identity.trouble is None
    assert len(told) == 1


def test_a_disk_that_takes_no_key_keeps_nobody_from_writing(desk, monkeypatch):
    def refuse(*_):
        raise QuizwriterError(
            "The key could not be written (No space left on device).", "Free some disk space."
        )

    monkeypatch.setattr("quizwriter.services.identity.keep_lasting_secret", refuse)
    app = desk()

    assert write(app) == (Authenticity.UNSIGNED,)
    assert "No space left" in app.profile.identity.trouble.problem


def test_two_threads_that_load_at_once_make_one_key(desk, monkeypatch):
    app, made, keep = desk(), [], identity.keep_lasting_secret

    def keep_slowly(account, secret, file):
        made.append(secret)
        time.sleep(0.1)
        keep(account, secret, file)

    monkeypatch.setattr(identity, "keep_lasting_secret", keep_slowly)
    both = [threading.Thread(target=app.profile.identity.load) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(made) == 1
    assert app.profile.identity.trouble is None


def test_a_window_saves_unsigned_until_the_key_is_there(desk):
    app = desk()
    app.profile.identity.deferred = True

    assert write(app) == (Authenticity.UNSIGNED,)
    app.profile.identity.load()
    assert write(app, "two") == (Authenticity.VERIFIED,)


def test_a_profile_is_carried_over_by_a_file_and_a_passphrase(desk, tmp_path):
    one, two = desk("one"), desk("two")
    one.profile.set_profile("Ada", "ada@example.org")
    file = tmp_path / "me.qwprofile"

    one.profile.export(file, PASSPHRASE)
    me = two.profile.import_profile(file, PASSPHRASE)

    assert (me.id, me.name, me.email) == (one.profile.me.id, "Ada", "ada@example.org")
    assert two.profile.identity.key().public == one.profile.identity.key().public
    assert write(two) == (Authenticity.VERIFIED,)
    text = file.read_text()
    for secret in (one.profile.identity.key().secret, "Ada", PASSPHRASE):
        assert secret not in text
    with pytest.raises(QuizwriterError, match="passphrase does not open"):
        two.profile.import_profile(file, PASSPHRASE + "!")
    assert two.profile.me.id == me.id


def test_an_imported_key_is_the_persons_whatever_was_seen_before(desk, tmp_path):
    """Somebody else's pack may have come first, with another key in this name."""
    one, two = desk("one"), desk("two")
    one.profile.set_profile("Ada", "")
    one.profile.export(tmp_path / "me", PASSPHRASE)
    two.profile.save_settings(replace(two.profile.settings, profile_id=one.profile.me.id))
    write(two)

    two.profile.import_profile(tmp_path / "me", PASSPHRASE)

    assert two.store.people()[one.profile.me.id].key == one.profile.identity.key().public
    assert two.store.edit_authenticity("one") == (Authenticity.OTHER_KEY,)


@pytest.mark.parametrize("way", ["restore", "restore_closed", "replacement"])
def test_a_database_from_before_brings_no_former_name_back(desk, way):
    if way == "replacement" and sys.platform == "win32":
        pytest.skip("There an open file cannot be replaced.")
    app = desk()
    app.profile.set_profile("Ada Byron", "ada@example.org")
    write(app)
    backup = app.store.backups.make(BackupReason.REQUESTED).path
    app.profile.set_profile("Ada Lovelace", "")
    bring_back(app, way, backup)

    me = app.store.people()[app.profile.me.id]
    assert (me.name, me.email) == ("Ada Lovelace", "")
    assert me.signature is not None


@pytest.mark.parametrize("way", ["restore", "replacement"])
def test_an_imported_key_stays_the_persons_in_a_database_from_before(desk, tmp_path, way):
    if way == "replacement" and sys.platform == "win32":
        pytest.skip("There an open file cannot be replaced.")
    one, two = desk("one"), desk("two")
    one.profile.set_profile("Ada", "")
    one.profile.export(tmp_path / "me", PASSPHRASE)
    two.profile.save_settings(replace(two.profile.settings, profile_id=one.profile.me.id))
    write(two)
    backup = two.store.backups.make(BackupReason.REQUESTED).path
    two.profile.import_profile(tmp_path / "me", PASSPHRASE)
    bring_back(two, way, backup)

    assert write(two, "another") == (Authenticity.VERIFIED,)


def bring_back(app, way, backup):
    """Let ``backup`` be the database of ``app``."""
    if way == "restore":
        app.recovery.restore(backup)
    elif way == "replacement":
        app.store.backups.put_in_place(backup)
        app.store.put_item("filter", "mine", "{}")
    else:
        app.store.close()
        del app.store
        app.recovery.restore_closed(backup)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"version": 2, "program": "\u202e9.0\n"}, r"newer QuizWriter \(9\.0\)"),
        ({"format": "other"}, "not a QuizWriter profile"),
        ({"salt": "zz"}, "not a QuizWriter profile"),
        ({"sealed": "é"}, "not a QuizWriter profile"),
        ({"sealed": "AAAA"}, "passphrase does not open"),
    ],
)
def test_a_file_that_is_no_profile_is_refused_and_nothing_changes(desk, tmp_path, exported, change, match):
    app, file = desk(), tmp_path / "me.qwprofile"
    app.profile.set_profile("Ada", "")
    before = app.profile.settings
    file.write_text(json.dumps(exported | change))

    with pytest.raises(QuizwriterError, match=match):
        app.profile.import_profile(file, PASSPHRASE)
    assert app.profile.settings == before


def test_a_short_passphrase_and_a_profile_without_a_name_are_refused(desk, tmp_path):
    app = desk()
    with pytest.raises(QuizwriterError, match="no name yet"):
        app.profile.export(tmp_path / "me", PASSPHRASE)
    app.profile.set_profile("Ada", "")
    with pytest.raises(QuizwriterError, match="shorter than 8"):
        app.profile.export(tmp_path / "me", "short")
    assert not (tmp_path / "me").exists()


def test_a_pipe_in_the_place_of_the_key_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "signing.key")
    with pytest.raises(QuizwriterError, match="it is not a regular file"):
        find_lasting_secret("nobody", tmp_path / "signing.key")
