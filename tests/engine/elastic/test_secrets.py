"""The server that was chosen: its secret stays in the keyring, and its player asks nothing unasked."""

import logging
import subprocess
import sys

import keyring
import keyring.backends.fail
import keyring.backends.null
import keyring.errors
import pytest
from msgspec.structs import replace

from quizwriter.domain.tossup import Tossup
from quizwriter.engine.elastic.client import Connection
from quizwriter.engine.elastic.secrets import Secrets, server_player
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.settings import ServerSettings
from tests.helpers.fakes import MemoryKeyring

LAB = ServerSettings(on=True, url="https://lab:9200", sign_in="key")
SECRET = "hunter2-very-secret"


class Plaintext(MemoryKeyring):
    """One that writes secrets into a file, as the least safe do."""

    priority = 0.5


class Locked(MemoryKeyring):
    """One whose owner is away, and whose complaints repeat what they were told."""

    def get_password(self, service, username):
        raise keyring.errors.KeyringLocked("locked")

    def set_password(self, service, username, password):
        raise keyring.errors.PasswordSetError(f"cannot keep {password}")


@pytest.fixture
def use_keyring(monkeypatch):
    """Makes a keyring the system's."""

    def use(backend):
        monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
        return backend

    return use


def test_a_secret_is_in_the_keyring_and_nowhere_else(use_keyring):
    kept = use_keyring(MemoryKeyring()).kept

    assert Secrets({}).keep(LAB, SECRET)
    assert kept == {("QuizWriter", "API key at https://lab:9200"): SECRET}
    assert Secrets({}).find(LAB) == SECRET


@pytest.mark.parametrize(
    "other",
    [
        replace(LAB, url="https://elsewhere:9200"),
        replace(LAB, url="https://lab:9201"),
        replace(LAB, url="http://lab:9200"),  # where others could read it
        replace(LAB, sign_in="password", user="elastic"),
    ],
)
def test_a_secret_opens_only_what_it_was_written_for(use_keyring, other):
    use_keyring(MemoryKeyring())
    Secrets({}).keep(LAB, SECRET)

    with pytest.raises(QuizwriterError, match="This computer has no"):
        Secrets({}).find(other)


def test_a_server_that_asks_for_nothing_needs_no_keyring(use_keyring):
    use_keyring(Locked())

    assert Secrets({}).find(replace(LAB, sign_in="nothing")) == ""
    Secrets({}).forget(replace(LAB, sign_in="nothing"))


def test_the_environment_says_a_secret_without_any_keyring(use_keyring):
    use_keyring(Locked())

    assert Secrets({"QUIZWRITER_ELASTICSEARCH_API_KEY": "k"}).find(LAB) == "k"
    password = replace(LAB, sign_in="password", user="elastic")
    assert Secrets({"QUIZWRITER_ELASTICSEARCH_PASSWORD": "p"}).find(password) == "p"


@pytest.mark.parametrize("backend", [Plaintext, keyring.backends.fail.Keyring, keyring.backends.null.Keyring])
def test_without_a_safe_keyring_a_secret_holds_until_the_end_and_is_written_nowhere(use_keyring, backend):
    used = use_keyring(backend())
    secrets = Secrets({})

    assert not secrets.keep(LAB, SECRET)
    assert secrets.find(LAB) == SECRET
    assert not getattr(used, "kept", None)
    with pytest.raises(QuizwriterError, match="Write it in File, Preferences…"):
        Secrets({}).find(LAB)


@pytest.mark.logs("the keyring failed: PasswordSetError", "the keyring failed: KeyringLocked")
def test_a_keyring_that_fails_is_a_sentence_without_the_secret(use_keyring, caplog):
    use_keyring(Locked())
    secrets = Secrets({})
    with caplog.at_level(logging.DEBUG), pytest.raises(QuizwriterError) as said:
        secrets.keep(LAB, SECRET)

    assert str(said.value).startswith("The keyring of this computer did not answer")
    assert SECRET not in str(said.value) + caplog.text
    assert secrets.find(LAB) == SECRET  # until the program ends
    with pytest.raises(QuizwriterError, match="Unlock it"):
        Secrets({}).find(LAB)


def test_the_secret_of_the_server_before_is_forgotten(use_keyring, tmp_path):
    kept = use_keyring(MemoryKeyring()).kept
    app = App(tmp_path)
    app.engines.secrets = Secrets({})
    app.engines.save_secret(LAB, SECRET)
    app.profile.save_settings(replace(app.profile.settings, elasticsearch=LAB))
    assert app.engines.save_secret(LAB, "")  # nothing new was written, so what is kept stays
    assert list(kept.values()) == [SECRET]
    app.engines.save_secret(replace(LAB, url="https://elsewhere:9200"), "another")

    assert kept == {("QuizWriter", "API key at https://elsewhere:9200"): "another"}
    assert SECRET not in (tmp_path / "settings.toml").read_text()


def test_a_connection_does_not_show_its_secrets():
    shown = repr(Connection("https://lab", "i", user="elastic", secret=SECRET, api_key=SECRET))

    assert SECRET not in shown


# -- the player


@pytest.mark.logs("the keyring failed")
def test_a_player_looks_for_no_secret_before_its_first_game(use_keyring):
    use_keyring(Locked())
    player = server_player(LAB, Secrets({}))

    assert player.distant
    assert player.name == "elasticsearch"
    with pytest.raises(QuizwriterError, match="keyring"):
        player.play(Tossup("This opera"))


def test_the_distant_player_joins_any_engine_and_leaves_it(engine, tmp_path):
    app = App(tmp_path)
    assert app.engines.with_server_player(engine) == engine
    app.engines.use_server(LAB)
    joined = app.engines.with_server_player(engine)
    assert [player.name for player in joined.players] == [
        *(player.name for player in engine.players),
        "elasticsearch",
    ]
    assert app.engines.with_server_player(joined) == joined  # the same one goes on, whatever the bundle
    app.engines.use_server(replace(LAB, index="other"))
    assert app.engines.with_server_player(joined).players[-1] != joined.players[-1]
    app.engines.use_server(None)
    assert app.engines.with_server_player(joined) == engine


def test_the_window_is_up_before_a_client_or_a_keyring_is_imported(tmp_path):
    with App(tmp_path) as app:
        app.profile.save_settings(replace(app.profile.settings, elasticsearch=LAB))
        app.store  # noqa: B018 - the library that makes a new database imports what it finds, once
    # Another thread imports NumPy for the players meanwhile, sooner or later: what the window imports counts.
    program = (
        "import sys\n"
        "import threading\n"
        "from pathlib import Path\n"
        "asked = set()\n"
        "class Watch:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if threading.current_thread() is threading.main_thread():\n"
        "            asked.add(name)\n"
        "sys.meta_path.insert(0, Watch)\n"
        "from quizwriter.services.wiring import App\n"
        "from quizwriter.gui.application import make_window, qt_application\n"
        "qt = qt_application()\n"
        f"app = App(Path({str(tmp_path)!r}))\n"
        "window = make_window(app, qt)\n"
        "window.show()\n"
        "qt.processEvents()\n"
        "window.engines.server_dialog or window.engines.open_server()\n"
        "qt.processEvents()\n"
        "assert window.engines.server_dialog.isVisible() and app.profile.settings.elasticsearch.on\n"
        "print({'cryptography', 'elasticsearch', 'httpx', 'ijson', 'keyring', 'numpy', 'ssl', 'urllib3'}"
        " & asked)\n"
        "window.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.stdout == "set()\n", done.stderr
