"""The language model in the window: asked at sentence ends and pauses, its lane, its padlock, its stop."""

import socket
import sys

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from quizwriter.domain.evidence import Cue, Evidence, Method
from quizwriter.domain.guessing import Guess, Player, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.review import PutInSet
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.dialogs.language_model import LanguageModelDialog
from quizwriter.gui.writing.guess_card import guess_card
from quizwriter.services.wiring import App
from quizwriter.settings import ModelSettings, ServerSettings
from quizwriter.workflow.analysis import Analysis, Request
from quizwriter.workflow.session import PendingSave, RecordedPlay, WritingSession
from quizwriter.workflow.wording import lane, lane_in_words, play_sentence, stumped_sentence, summary_sentence
from tests.helpers import chat_server
from tests.helpers.chat_server import MODEL, ChatServer
from tests.helpers.fakes import DRAFT, FakeApp, FakeEngine, Lead, Overlap

pytestmark = pytest.mark.usefixtures("collecting_here")

OPERA = Answer("Madama Butterfly", Page("Madama_Butterfly"))
FIRST = "Three riddles are asked in this opera."
TEXT = f"{FIRST} It is set in Nagasaki with Pinkerton and Sorrow."


@pytest.fixture
def server():
    with ChatServer().running() as server:
        yield server


@pytest.fixture
def real_app(tmp_path, starter):
    """An application with a database and the starter's players."""
    with App(tmp_path / "home", bundle=starter) as app:
        app.engines.may_train = False
        yield app


def switched_on(app, server, **more):
    settings = ModelSettings(on=True, url=server.url, model=MODEL, **more)
    app.profile.settings = replace(app.profile.settings, theme="light", language_model=settings)
    return app


def with_text(app, text=TEXT, key="one"):
    app.store.save(PendingSave.begun(key, text, OPERA, 1, "ada"))
    return app


def llm_lane(window):
    return next((one for one in window.time_line.lanes if one.name == "llm"), None)


def played(*heard, pages=("Turandot",), buzz=None, tossup=None):
    tossup = tossup or Tossup(TEXT, OPERA)
    rows = tuple((Guess(Page(page), -0.5),) for page in pages * (len(heard) // len(pages)))
    return Playthrough(
        "llm", tossup, heard, rows, (None,) * len(rows), (0.6,) * len(rows), buzz, sampled=True
    )


# -- in the window


def test_it_plays_in_a_lane_of_its_own_and_its_game_is_recorded(qtbot, server, real_app, open_window):
    window = open_window(with_text(switched_on(real_app, server)))
    qtbot.waitUntil(lambda: llm_lane(window) is not None and "r" in llm_lane(window).states)

    qtbot.waitUntil(lambda: llm_lane(window).states == "------w--------r")
    card = next(view.shown for view in window.guesses.cards if view.shown.player == "llm")
    assert card.lines[0].page == "Madama_Butterfly"
    window.save()
    qtbot.waitUntil(lambda: "llm" in {play.guesser for play in real_app.store.recorded_plays("one")})
    (play,) = [play for play in real_app.store.recorded_plays("one") if play.guesser == "llm"]
    assert (play.first_correct, play.stable_correct) == (16, 16)


def test_one_click_on_the_padlock_stops_it_at_once(qtbot, server, real_app, open_window):
    server.gate.clear()
    window = open_window(with_text(switched_on(real_app, server)))
    qtbot.waitUntil(lambda: window.models.mark.isVisible())
    assert server.host in window.models.mark.toolTip()
    qtbot.waitUntil(lambda: window.time_line.rect().contains(window.models.mark.geometry()))
    qtbot.waitUntil(lambda: bool(server.asked))  # a request that is on its way is counted when it arrives

    qtbot.mouseClick(window.models.mark, Qt.MouseButton.LeftButton)
    assert not real_app.models.on
    assert real_app.profile.settings.language_model.on is False
    qtbot.waitUntil(lambda: llm_lane(window) is None)
    assert window.messages.text("language model") == "The LLM was stopped. Nothing more is sent."
    qtbot.waitUntil(lambda: not window.models.mark.isVisible())
    asked = len(server.asked)
    server.gate.set()
    window.models.stop()
    assert len(server.asked) == asked


@pytest.mark.logs("llm could not play")
def test_its_trouble_stands_in_its_lane_and_the_others_never_wait(qtbot, server, real_app, open_window):
    server.faults = [chat_server.refused(401)]
    window = open_window(with_text(switched_on(real_app, server)))
    qtbot.waitUntil(lambda: bool(llm_lane(window) and llm_lane(window).trouble))

    assert llm_lane(window).trouble.endswith("does not accept the key. Enter a valid key in Preferences.")
    others = [one for one in window.time_line.lanes if one.name != "llm"]
    assert others
    assert all(one.states and not one.trouble for one in others)


def test_a_barred_set_is_said_in_the_lane_and_nothing_is_sent(qtbot, server, real_app, open_window):
    switched_on(with_text(real_app), server)
    real_app.review.record(["one"], PutInSet("Winter"))
    real_app.models.bar("Winter")
    window = open_window(real_app)
    qtbot.waitUntil(lambda: bool(llm_lane(window) and llm_lane(window).trouble))
    assert llm_lane(window).trouble.startswith("Tossups of Winter never leave this machine")
    assert not server.asked


def test_writing_with_it_off_opens_no_socket(qtbot, real_app, open_window, monkeypatch):
    opened = []

    class Watched(socket.socket):
        def __init__(self, *arguments, **options):
            opened.append(arguments)
            super().__init__(*arguments, **options)

    monkeypatch.setattr(socket, "socket", Watched)
    listening = [True]

    def hook(event, arguments):
        if listening[0] and event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind"):
            opened.append((event, arguments))

    sys.addaudithook(hook)
    try:
        window = open_window(real_app)
        qtbot.waitUntil(lambda: window.analysis.engine is not None)
        sentences = DRAFT.split(". ")
        for number in range(8):
            window.sessions.open_new()
            for sentence in sentences[: 2 + number % 3]:
                for at in range(0, len(sentence), 40):
                    window.draft.insertPlainText(sentence[at : at + 40])
                window.draft.insertPlainText(". ")
            if number % 4 == 0:
                qtbot.waitUntil(lambda: window.analysis.settled)
        window.save()
    finally:
        listening[0] = False
    assert opened == []


# -- when it is asked


class Noted(Overlap):
    """A metered guesser that notes what it is asked."""

    def __init__(self):
        super().__init__("llm")
        object.__setattr__(self, "asked", [])

    def play(self, tossup, top=5):
        self.asked.append(tossup.text)
        return replace(super().play(tossup, top), sampled=True)


@pytest.fixture
def machine(qtbot):
    machine = AnalysisRunner(metered_pause_ms=60_000, why_barred={"secret": "It stays here."}.get)
    yield machine
    machine.stop()


def test_keys_within_a_sentence_ask_nothing_and_its_end_does(qtbot, machine):
    machine._readers[3]._why_barred = lambda key: ""
    noted = Noted()
    with qtbot.waitSignal(machine.loaded):
        machine.load(
            lambda: FakeEngine(
                (Player(Overlap("ir"), Lead()), Player(noted, Lead(), distant=True, metered=True))
            )
        )
    heard = []
    machine.analysed.connect(heard.append)
    for generation, end in enumerate(range(5, len(TEXT) - 1, 9), start=1):
        machine.submit(Request(generation, Tossup(TEXT[:end].rstrip(". ")), whose="ir"))
        qtbot.waitUntil(lambda: bool(heard) and heard[-1].done)
        heard.clear()
    assert noted.asked == []

    machine.submit(Request(99, Tossup(TEXT), whose="ir"))
    qtbot.waitUntil(lambda: noted.asked == [TEXT])


def test_a_player_of_this_computer_that_plays_at_pauses_is_not_asked_at_keys_and_nobody_waits(qtbot):
    machine, noted = AnalysisRunner(slow_pause_ms=60_000), Noted()
    try:
        with qtbot.waitSignal(machine.loaded):
            machine.load(
                lambda: FakeEngine((Player(Overlap("ir"), Lead()), Player(noted, Lead(), at_pauses=True)))
            )
        heard = []
        machine.analysed.connect(heard.append)
        for generation, end in enumerate(range(5, len(TEXT) - 1, 9), start=1):
            machine.submit(Request(generation, Tossup(TEXT[:end].rstrip(". ")), whose="ir"))
            qtbot.waitUntil(lambda: bool(heard) and heard[-1].done)
            assert [play.guesser for play in heard[-1].plays] == ["ir"]
            heard.clear()
        assert noted.asked == []

        machine.submit(Request(99, Tossup(TEXT), whose="ir"))
        qtbot.waitUntil(lambda: noted.asked == [TEXT])
        qtbot.waitUntil(lambda: [play.guesser for play in heard[-1].plays] == ["ir", "llm"])
    finally:
        machine.stop()


# -- what is said of a game between whose points nothing is known


def test_a_lane_shows_nothing_between_the_points_asked():
    found = lane(played(7, 16))
    assert found.states == "------w--------w"
    assert "asked after 2 words only" in lane_in_words(found)
    assert lane(played(7)).states == "------w---------"


def test_a_card_at_a_word_that_was_not_asked_says_so():
    play = played(7, 16)
    assert guess_card(play, 7).lines
    card = guess_card(play, 12)
    assert card.lines == ()
    assert card.note == "Not asked at this word; asked at word 16"
    assert guess_card(play, 8).note == "Not asked at this word; asked at word 7"


def test_sentences_claim_nothing_of_words_that_were_not_asked():
    play = played(7, 16)
    assert play_sentence(play) == (
        "LLM does not buzz after 2 of its 16 words. Your answer is never its first guess."
    )
    other = Overlap("ir").play(Tossup(TEXT, OPERA))
    assert "the LLM never at the words asked" in summary_sentence([replace(other, buzz=None), play])
    assert stumped_sentence([other, play]) == ""  # of one player alone nothing is said


def test_a_game_that_still_grows_is_not_recorded():
    session = WritingSession("t")
    session.type("A word")
    growing = replace(played(1, tossup=session.tossup), grows=True)
    session.accept(Analysis(session.request(), (growing,)), ["engine"])
    session.accept(Analysis(session.request(), (replace(growing, grows=False),)), ["engine"])
    (kept,) = session.take_unsaved().shown
    assert isinstance(kept, RecordedPlay)
    assert kept.guesser == "llm"


# -- evidence on request


@pytest.mark.logs("a job of language model failed")
def test_the_cost_is_said_before_it_is_asked_without_each_sentence(qtbot, open_window, tmp_path):
    app = FakeApp(tmp_path)
    tossup = Tossup(TEXT, OPERA)
    app.asks, app.distant = ServerSettings(), Player(Noted(), Lead(), "x", distant=True, metered=True)
    cues = (Cue(tossup.sentences[0], 0.25), Cue(tossup.sentences[1], -0.1))
    app.models.evidence = Evidence("llm", Page("Madama_Butterfly"), 0.7, cues, method=Method.LEFT_OUT)
    window = open_window(app, tossup=tossup)
    qtbot.waitUntil(lambda: "llm" in window.analysis.players_up_to_date)
    window.menus.actions["ask-llm"].trigger()
    qtbot.waitUntil(lambda: window.models.question is not None)
    said = " ".join(label.text() for label in window.models.question.findChildren(QLabel))
    assert "3 requests and about 1,750 tokens" in said

    window.models.question.accept()
    qtbot.waitUntil(lambda: "The chance of Madama Butterfly is 70" in window.evidence.why)
    text = window.evidence.text.toPlainText()
    assert "without it, the chance falls by 25 points" in text
    assert "without it, the chance rises by 10 points" in text

    app.models.leave_out = lambda *_: 1 / 0
    asked = window.models.question
    window.menus.actions["ask-llm"].trigger()
    qtbot.waitUntil(lambda: window.models.question is not asked)
    window.models.question.accept()
    assert window.messages.text("language model") == "Asking without each sentence…"
    qtbot.waitUntil(lambda: bool(window.messages.text("bug")))
    assert window.messages.text("language model") == ""


# -- the dialog


@pytest.fixture
def dialog(qtbot, tmp_path, theme):
    app = FakeApp(tmp_path)
    app.settings = replace(app.settings, language_model=ModelSettings())
    dialog = LanguageModelDialog(app, theme)
    qtbot.addWidget(dialog)
    dialog.open_settings()
    yield dialog
    dialog.shutdown()


def test_before_it_is_switched_on_a_paragraph_says_what_is_sent(qtbot, dialog):
    dialog.url.setText("https://models.example.org/v1")
    dialog.prompt_price.setValue(3.0)
    dialog.completion_price.setValue(15.0)
    said = dialog.privacy.text()
    assert "encrypted to models.example.org: at the end of each sentence and when you pause" in said
    assert "neither the answer line nor names" in said
    assert "about 6 requests and 4,020 tokens or 0.03 at your prices" in said
    assert "300 requests, 300,000 tokens or 1.00 of money" in said
    assert not dialog.on.isChecked()
    qtbot.waitUntil(lambda: dialog.spent.text() == "Today: 12 requests, 7,400 tokens, 0.25 of money.")


def test_the_dialog_saves_what_is_complete_and_keeps_the_key_out_of_the_settings(qtbot, dialog):
    saved = []
    dialog.saved.connect(lambda *told: saved.append(told))
    dialog.on.setChecked(True)
    dialog.save_button.click()
    assert "The address is not valid" in dialog.message.text()
    dialog.url.setText("http://models.example.org/v1")
    dialog.save_button.click()
    assert "Enter the model" in dialog.message.text()
    dialog.model.setCurrentText("owl-70b")
    dialog.save_button.click()
    assert "unencrypted only with your consent" in dialog.message.text()
    dialog.plain.setChecked(True)
    dialog.with_key.setChecked(True)
    dialog.save_button.click()
    assert "Enter the key" in dialog.message.text()
    dialog.secret.setText(" sk-1 ")
    dialog.save_button.click()
    qtbot.waitUntil(lambda: bool(saved))
    ((settings, note),) = saved
    assert settings == ModelSettings(
        True, "http://models.example.org/v1", "owl-70b", sign_in="key", plain_ok=True
    )
    assert "forgets the key for models.example.org" in note
    assert "sk-1" not in repr(settings)


def test_the_models_of_a_server_are_offered(qtbot, dialog):
    dialog.url.setText("http://127.0.0.1:11434/v1")
    dialog.test_button.click()
    qtbot.waitUntil(lambda: "It answers. It has 2 models: parrot-7b, owl-70b." in dialog.message.text())
    assert [dialog.model.itemText(at) for at in range(2)] == ["parrot-7b", "owl-70b"]
    dialog._app.models.names = QuizwriterError("lab cannot be reached.", "See that it runs.")
    dialog.test_button.click()
    qtbot.waitUntil(lambda: "lab cannot be reached." in dialog.message.text())
