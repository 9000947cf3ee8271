"""The dialog about the server: which one plays, what is sent to it, and that the window waits for neither."""

import json
import sys
import threading

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from quizwriter.domain.guessing import Player
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.dialogs.server import NOT_OF_BUNDLE
from quizwriter.settings import ServerSettings
from tests.helpers.fakes import DRAFT, Lead, Overlap
from tests.helpers.windows import app_of, put_back

LAB = ServerSettings(on=True, url="https://lab:9200", index="tossups")

CANNOT_WORK = [
    (replace(LAB, url=""), "The address is not valid."),
    (replace(LAB, url="lab:9200"), "The address is not valid."),
    (replace(LAB, url="https://:9200"), "The address is not valid."),
    (replace(LAB, url="https://lab:99999999"), "The address is not valid."),
    (replace(LAB, url="https://[lab"), "The address is not valid."),
    (replace(LAB, url="file:///etc/passwd"), "The address is not valid."),
    (replace(LAB, url="https://lab:9200,lab:9201"), "The address is not valid."),
    (replace(LAB, url="https://lab:9200,http://lab:9201"), "unencrypted only with your consent"),
    (replace(LAB, url="https://me:hunter2@lab:9200"), "In the address anyone can read them"),
    (replace(LAB, index=""), "Enter the index"),
    (replace(LAB, url="http://lab:9200"), "unencrypted only with your consent"),
    (replace(LAB, url="HTTP://lab:9200"), "unencrypted only with your consent"),
    (replace(LAB, url="http://localhost:1@lab:9200"), "In the address anyone can read them"),
    (replace(LAB, url="http://10.0.0.7:9200"), "unencrypted only with your consent"),
    (replace(LAB, sign_in="password"), "the name for the password"),
    (replace(LAB, sign_in="key"), "Enter the API key for lab:9200."),
]
"""Servers that cannot be asked, and what is said."""


@pytest.fixture(scope="module")
def opened(open_shared):
    return open_shared(tossup=Tossup(DRAFT))


@pytest.fixture
def window(opened, qtbot):
    window = put_back(opened, qtbot, Tossup(DRAFT))
    app_of(window).distant = Player(Overlap("elasticsearch"), Lead(), distant=True)
    yield window
    if app_of(window).asks is not None:
        window.engines._use_server(ServerSettings(), "")


@pytest.fixture
def app(window):
    return app_of(window)


@pytest.fixture
def preferences(qtbot, window):
    """The dialog about the lab's server, as the preferences open it."""
    window.engines.open_server()
    dialog = window.engines.server_dialog
    assert dialog.isVisible()
    return dialog


def fill(dialog, server, secret=""):
    dialog.on.setChecked(server.on)
    for field, text in ((dialog.url, server.url), (dialog.index, server.index), (dialog.user, server.user)):
        field.clear()
        field.insert(text)
        field.textEdited.emit(text)
    dialog.sign_in[server.sign_in].setChecked(True)
    dialog.verify.setChecked(server.verify)
    dialog.plain.setChecked(server.plain_ok)
    dialog.secret.setText(secret)


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def lanes(window):
    return [one.name for one in window.time_line.lanes]


def test_a_server_that_is_saved_plays_at_once_and_no_longer_when_it_is_off(qtbot, app, window, preferences):
    qtbot.waitUntil(lambda: lanes(window) == ["ir"])
    fill(preferences, LAB)
    click(qtbot, preferences.save_button)
    qtbot.waitUntil(lambda: lanes(window) == ["ir", "elasticsearch"])
    assert not preferences.isVisible()
    assert app.profile.settings.elasticsearch == LAB
    assert app.asks == LAB

    window.engines.open_server()
    assert preferences.server == LAB
    preferences.on.setChecked(False)
    click(qtbot, preferences.save_button)
    qtbot.waitUntil(lambda: lanes(window) == ["ir"])
    assert app.profile.settings.elasticsearch == replace(LAB, on=False)  # the rest is kept for the next time
    assert app.asks is None


def test_a_test_says_what_answers_and_nothing_waits_for_it(qtbot, app, window, preferences):
    app.answering.clear()
    fill(preferences, LAB)
    click(qtbot, preferences.test_button)
    assert preferences.message.text() == "Asking lab:9200…"
    qtbot.keyClicks(window.draft, " more")  # while it is asked
    assert window.draft.text.endswith(" more")
    app.answering.set()
    qtbot.waitUntil(lambda: "Asking" not in preferences.message.text())

    assert preferences.message.text() == (
        "It answers in 12\u00a0ms: Elasticsearch 9.1.0, 61,489 documents in tossups-2."
    )
    assert app.profile.settings.elasticsearch == ServerSettings()  # nothing is saved by that

    app.bundle_digest = "another"
    click(qtbot, preferences.test_button)
    qtbot.waitUntil(lambda: preferences.message.text().endswith(f"tossups-2. {NOT_OF_BUNDLE}"))
    assert threading.main_thread() not in app.compared_in  # the bundle may be on a slow disk

    app.answer = replace(app.answer, documents=0)
    click(qtbot, preferences.test_button)
    qtbot.waitUntil(lambda: preferences.message.text().endswith("the index tossups-2 is empty."))


def test_a_test_that_fails_says_why(qtbot, app, preferences):
    app.answer = QuizwriterError("The server at lab:9200 does not answer.", "See that it runs.")
    fill(preferences, LAB)
    click(qtbot, preferences.test_button)
    qtbot.waitUntil(lambda: preferences.message.text() == str(app.answer))


def test_what_is_said_of_a_server_is_gone_with_its_address(qtbot, app, preferences):
    app.answering.clear()
    fill(preferences, LAB)
    click(qtbot, preferences.test_button)
    fill(preferences, replace(LAB, url="https://other:9200"))
    app.answering.set()
    qtbot.wait(100)

    assert preferences.message.text() == ""


def test_a_key_goes_to_the_keyring_and_is_never_shown(qtbot, app, window, preferences):
    fill(preferences, replace(LAB, sign_in="key"), "hunter2")
    assert preferences.secret.echoMode() is QLineEdit.EchoMode.Password
    click(qtbot, preferences.save_button)
    qtbot.waitUntil(lambda: not preferences.isVisible())
    assert app.secrets_kept == [(("https://lab:9200", "key", ""), "hunter2")]
    assert "hunter2" not in repr(app.profile.settings)
    assert window.messages.text("server") == ""

    window.engines.open_server()
    assert preferences.secret.text() == ""
    assert preferences.secret.placeholderText().startswith("Unchanged")
    click(qtbot, preferences.save_button)  # an empty field leaves it as it is
    qtbot.waitUntil(lambda: len(app.secrets_kept) == 2)
    assert app.secrets_kept[1][1] == ""


def test_a_key_that_was_typed_and_is_not_needed_is_kept_nowhere(qtbot, app, preferences):
    fill(preferences, replace(LAB, sign_in="key"), "hunter2")
    preferences.sign_in["nothing"].setChecked(True)
    click(qtbot, preferences.save_button)
    qtbot.waitUntil(lambda: not preferences.isVisible())

    assert app.secrets_kept == [((), "")]


def test_without_a_keyring_it_is_said_that_the_key_holds_for_now(qtbot, app, window, preferences):
    app.has_keyring = False
    fill(preferences, replace(LAB, sign_in="password", user="me"), "hunter2")
    click(qtbot, preferences.save_button)
    qtbot.waitUntil(lambda: "no keyring" in window.messages.text("server"))

    assert "forgets the password for lab:9200 when you close it" in window.messages.text("server")


def test_a_keyring_that_does_not_answer_is_said_in_the_dialog(qtbot, app, preferences):
    app.keyring_trouble = QuizwriterError("The keyring did not answer.", "Unlock it and try again.")
    fill(preferences, replace(LAB, sign_in="key"), "hunter2")
    click(qtbot, preferences.save_button)
    qtbot.waitUntil(lambda: preferences.message.text() == str(app.keyring_trouble))

    assert preferences.isVisible()
    assert not app.profile.settings.elasticsearch.on


def test_what_cannot_work_is_said_and_not_saved(qtbot, app, preferences):
    for server, problem in CANNOT_WORK:
        fill(preferences, server)
        for button in (preferences.test_button, preferences.save_button):
            preferences.say("")
            click(qtbot, button)
            assert problem in preferences.message.text(), server
        assert app.profile.settings.elasticsearch == ServerSettings(), server
        assert app.tested == app.secrets_kept == [], server


@pytest.mark.parametrize("host", ["localhost", "lab.localhost", "127.0.0.1", "127.3.2.1", "[::1]"])
def test_a_server_on_this_computer_needs_no_encryption(qtbot, app, preferences, host):
    fill(preferences, replace(LAB, url=f"http://{host}:9200"))
    assert "which is on this computer" in preferences.privacy.text()
    assert not preferences.plain.isVisible()
    click(qtbot, preferences.save_button)

    qtbot.waitUntil(lambda: app.profile.settings.elasticsearch.on)


def test_leave_to_send_drafts_unencrypted_is_for_one_server_only(qtbot, app, preferences):
    fill(preferences, replace(LAB, url="http://lab:9200", plain_ok=True))
    assert preferences.plain.isVisible()
    assert "unencrypted to lab:9200" in preferences.privacy.text()
    assert preferences._problem(preferences.server) == ""
    preferences.url.setFocus()
    preferences.url.setCursorPosition(10)
    qtbot.keyClicks(preferences.url, "x")

    assert not preferences.plain.isChecked()
    assert "unencrypted" in preferences._problem(preferences.server)


def test_what_is_sent_where_is_said(preferences):
    fill(preferences, replace(LAB, url="https://one:9200, https://two:9200"))
    assert "of your draft encrypted to one:9200, two:9200 whenever you pause" in preferences.privacy.text()
    fill(preferences, LAB)
    assert "the words of your draft encrypted to lab:9200" in preferences.privacy.text()
    assert "sends nothing else" in preferences.privacy.text()
    fill(preferences, replace(LAB, verify=False))
    assert "any server that answers as lab:9200" in preferences.privacy.text()


def test_a_dialog_that_is_cancelled_changes_nothing(qtbot, app, window, preferences):
    fill(preferences, LAB, "hunter2")
    click(qtbot, preferences.close_button)
    assert app.profile.settings.elasticsearch == ServerSettings()
    window.engines.open_server()

    assert preferences.url.text() == preferences.secret.text() == ""


def test_the_server_s_own_ranking_needs_two_fields(qtbot, app, window, preferences):
    assert not preferences.fields.isVisible()
    fill(preferences, LAB)
    preferences.ranks.setChecked(True)
    assert preferences.fields.isVisible()
    preferences.fields.setText("title")
    click(qtbot, preferences.save_button)
    assert preferences.message.text().startswith("Enter the fields of the index")
    preferences.fields.setText("title, text")
    click(qtbot, preferences.save_button)
    qtbot.waitUntil(lambda: not preferences.isVisible())

    assert app.profile.settings.elasticsearch == replace(LAB, fields="title, text")
    assert app.profile.settings.elasticsearch.ranked_fields == ("title", "text")
    window.engines.open_server()
    assert preferences.ranks.isChecked()
    preferences.ranks.setChecked(False)
    assert preferences.server == LAB


# -- publishing

SENDING = """
import json, os, sys
def say(**what): print(json.dumps(what), flush=True)
say(doing="Sending", done=5, total=20, said="5 of 20 documents")
say(waiting="node-1 has too little room on its disk to merge.", seconds=8)
sys.stdin.read()
sys.exit(130)
"""


def says(*lines, code=0):
    printed = "".join(json.dumps(line) + "\n" for line in lines)
    return [sys.executable, "-c", f"import sys; sys.stdout.write({printed!r}); sys.exit({code})"]


def begin(qtbot, dialog):
    click(qtbot, dialog.publish_button)
    click(qtbot, dialog.publish_button)


def test_publishing_starts_at_the_second_press_says_how_far_it_is_and_can_be_stopped(
    qtbot, app, window, preferences
):
    app.fetch_command = [sys.executable, "-c", SENDING]
    fill(preferences, replace(LAB, sign_in="key"), "hunter2")
    click(qtbot, preferences.publish_button)
    assert "the whole bundle “A few operas” to lab:9200" in preferences.message.text()
    assert "replaces what was published as “tossups” before" in preferences.message.text()
    assert app.publications == []

    click(qtbot, preferences.publish_button)
    qtbot.waitUntil(lambda: "too little room" in preferences.message.text())
    assert app.publications == [(replace(LAB, sign_in="key"), "hunter2", window.engines.engine.folder)]
    assert preferences.publish_button.text() == "Stop publishing"
    preferences.close()
    preferences.open_settings()
    assert "too little room" in preferences.message.text(), "closing the dialog ends nothing"

    click(qtbot, preferences.publish_button)
    qtbot.waitUntil(lambda: not preferences.publishing)
    assert preferences.message.text().startswith("Publishing stopped. What has arrived is kept")
    assert preferences.publish_button.text() == "Publish bundle…"


@pytest.mark.parametrize("field", ["url", "index"])
def test_another_address_or_index_is_asked_about_anew(qtbot, app, preferences, field):
    fill(preferences, LAB)
    click(qtbot, preferences.publish_button)
    getattr(preferences, field).setText("https://other:9200" if field == "url" else "others")
    click(qtbot, preferences.publish_button)

    assert "other" in preferences.message.text()
    assert app.publications == []


def test_what_publishing_came_to_is_said(qtbot, app, preferences):
    app.fetch_command = says({"note": "Published tossups on https://lab:9200: 3 pages."})
    fill(preferences, LAB)
    begin(qtbot, preferences)
    qtbot.waitUntil(lambda: preferences.message.text().startswith("Published tossups"))
    qtbot.waitUntil(lambda: not preferences.publishing)

    app.fetch_command = says({"problem": "It is full.", "remedy": "Free some disk space."}, code=1)
    begin(qtbot, preferences)
    qtbot.waitUntil(lambda: preferences.message.text() == "It is full.\nFree some disk space.")
    qtbot.waitUntil(lambda: not preferences.publishing)
    assert preferences.message.text() == "It is full.\nFree some disk space."


def test_nothing_is_published_to_somebody_elses_index_or_without_an_address(qtbot, app, preferences):
    fill(preferences, replace(LAB, url="nowhere"))
    begin(qtbot, preferences)
    assert preferences.message.text().startswith("The address is not valid.")
    preferences.ranks.setChecked(True)
    assert preferences.publish_button.isHidden()
    assert app.publications == []
