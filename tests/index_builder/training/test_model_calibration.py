"""``train --players buzzers --endpoint URL``: a buzzer for a language model."""

import json
import shutil

import pytest
from msgspec.structs import replace

from index_builder.__main__ import main
from index_builder.training import model_calibration
from index_builder.training.model_calibration import ANSWERS_SUFFIX
from quizwriter.domain.guessing import Player
from quizwriter.domain.model_budget import ModelBudget
from quizwriter.domain.review import PutInSet
from quizwriter.domain.server_address import MODEL_KEY_VARIABLE
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.buzzers import CalibratedBuzzer
from quizwriter.engine.engine import has_own_buzzers, load, model_buzzer_name, model_player
from quizwriter.engine.language_model.chat_client import ChatClient, ModelEndpoint
from quizwriter.engine.language_model.guesser import LanguageModelGuesser, ModelUse
from quizwriter.services.wiring import App
from quizwriter.settings import ModelSettings
from quizwriter.workflow.session import PendingSave
from tests.helpers.chat_server import MODEL, ChatServer, Memory, guesses, refused

TOSSUPS = 5


def sure_of_everything(read):
    """A model that is right in the end, and says each time that it is nearly sure."""
    right = "Madama Butterfly" if "Pinkerton" in read or "Nagasaki" in read else "Aida"
    return guesses((right, 0.97, []), ("Turandot", 0.02, []))


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """The folder of a writer who calibrates."""
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(model_calibration, "FEWEST", TOSSUPS - 2)
    return tmp_path / "home"


@pytest.fixture
def bundle(starter, tmp_path):
    return shutil.copytree(starter, tmp_path / "bundle")


def train(bundle, server, *more):
    return main([
        "train", "--bundle", str(bundle), "--players", "buzzers", "--endpoint", server.url, "--model", MODEL,
        "--tossups", str(TOSSUPS), *more,
    ])  # fmt: skip


def test_a_buzzer_is_fitted_and_the_player_of_that_model_uses_it(bundle, capsys):
    with ChatServer(sure_of_everything).running() as server:
        assert train(bundle, server) == 0
        printed = capsys.readouterr()
        report = json.loads(printed.out)[model_buzzer_name(MODEL)]
        asked = len(server.asked)
        said = " ".join(printed.err.split())
        assert (
            f" is sent the beginnings of {TOSSUPS} past tossups of this bundle in at most {asked} req" in said
        )
        assert report["requests"] == asked > TOSSUPS
        assert report["tossups"] == TOSSUPS
        assert train(bundle, server) == 0  # again: everything was kept
        assert len(server.asked) == asked

    about = Bundle.open(bundle).about
    assert model_buzzer_name(MODEL) in about["buzzers"]
    assert not has_own_buzzers(about)  # those of the other players are still to be trained
    engine = load(bundle)

    def player_of(model):
        endpoint = ModelEndpoint("http://127.0.0.1:9/v1", model)
        use = ModelUse(Memory(), ModelBudget())
        return model_player(
            engine, LanguageModelGuesser(lambda: ChatClient(endpoint), model, "lab", use, engine.pages)
        )

    fitted, other = player_of(MODEL), player_of("owl-70b")
    assert isinstance(fitted, Player)
    assert isinstance(fitted.buzzer, CalibratedBuzzer)
    assert not isinstance(other.buzzer, CalibratedBuzzer)
    assert fitted.engine != other.engine


def test_a_trouble_ends_it_with_a_sentence_and_keeps_what_was_paid_for(bundle, capsys):
    with ChatServer(sure_of_everything).running() as server:
        server.faults = [lambda server, request: request.reply(server.completion(server.asked[-1]))] * 5
        server.faults.append(refused(401))
        assert train(bundle, server) == 1
        assert "does not accept the key" in capsys.readouterr().err
        assert train(bundle, server) == 0
        assert len(server.asked) == len(set(server.texts)) + 1  # only what was refused was asked twice


def test_a_tossup_without_a_guess_is_left_out_and_a_model_without_any_is_refused(bundle, capsys):
    poor = None

    def stumbles(read):
        nonlocal poor
        poor = poor or read.split()[0]
        return "I would rather not." if read.startswith(poor) else sure_of_everything(read)

    with ChatServer(stumbles).running() as server:
        assert train(bundle, server) == 0
        printed = capsys.readouterr()
        report = json.loads(printed.out)[model_buzzer_name(MODEL)]
        assert model_calibration.FEWEST <= report["tossups"] < TOSSUPS
        assert "which were left out" in " ".join(printed.err.split())
    with ChatServer(lambda read: "I would rather not.").running() as server:
        assert train(bundle, server, "--seed", "4") == 1
        assert "answered something else than guesses" in capsys.readouterr().err
        assert len(server.asked) < 12 * TOSSUPS


def test_a_tossup_that_never_leaves_the_machine_is_not_sent(bundle, home, capsys):
    with ChatServer(sure_of_everything).running() as server:
        assert train(bundle, server) == 0
        theirs = max(server.texts, key=len)  # all of one tossup
        capsys.readouterr()
    with App(home) as app:
        app.store.save(PendingSave.begun("mine", theirs, None, 1, "ada"))
        app.review.record(["mine"], PutInSet("Winter"))
        app.models.bar("Winter")
    (bundle.parent / f"{bundle.name}{ANSWERS_SUFFIX}").unlink()
    with ChatServer(sure_of_everything).running() as server:
        assert train(bundle, server) == 0
        assert server.texts
        assert not any(theirs.startswith(text) for text in server.texts)
    printed = capsys.readouterr()
    said = " ".join(printed.err.split())
    assert f"Of {TOSSUPS} tossups, 1 never leave this machine, and are left out." in said
    assert json.loads(printed.out)[model_buzzer_name(MODEL)]["tossups"] == TOSSUPS - 1


def test_the_budget_that_the_writer_chose_stops_it_and_the_next_day_goes_on(bundle, home, capsys):
    with ChatServer(sure_of_everything).running() as server:
        with App(home) as app:
            chosen = ModelSettings(url=server.url, model=MODEL, requests=20)
            app.profile.save_settings(replace(app.profile.settings, language_model=chosen))
        assert train(bundle, server) == 1
        assert "The budget of today for language models is spent: 20 requests." in " ".join(
            capsys.readouterr().err.split()
        )
        assert len(server.asked) == 20
        with App(home) as app:
            assert app.models.spent().requests == 20
            more = replace(chosen, requests=1_000)
            app.profile.save_settings(replace(app.profile.settings, language_model=more))
        assert train(bundle, server) == 0
        assert len(server.asked) == len(set(server.texts))


def test_the_key_of_the_writer_goes_with_each_request_and_stays_out_of_files(bundle, home, monkeypatch):
    monkeypatch.setenv(MODEL_KEY_VARIABLE, "sk-a-key-of-a-test")
    with ChatServer(sure_of_everything).running() as server:
        assert train(bundle, server) == 0
        assert {headers["authorization"] for headers in server.headers} == {"Bearer sk-a-key-of-a-test"}
    written = [path for path in bundle.parent.rglob("*") if path.is_file()]
    assert not [path for path in written if b"sk-a-key-of-a-test" in path.read_bytes()]


def test_only_a_buzzer_can_be_trained_for_a_model(bundle, capsys):
    assert main(["train", "--bundle", str(bundle), "--endpoint", "http://127.0.0.1:9/v1"]) == 1
    assert "only a buzzer can be trained" in capsys.readouterr().err
