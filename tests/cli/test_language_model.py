"""``--endpoint`` and ``--model`` of ``play``, ``evaluate`` and ``bench``."""

from __future__ import annotations

import json

import pytest

from quizwriter.bench import engine as bench_engine
from quizwriter.cli import main
from quizwriter.domain.page import Page
from quizwriter.domain.review import PutInSet
from quizwriter.domain.tossup import Answer
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave
from tests.helpers.chat_server import MODEL, ChatServer, refused

TEXT = (
    "A child named Sorrow watches the harbour of Nagasaki in this work. A humming chorus sounds from "
    "offstage during its vigil. For 10 points, name this opera."
)


@pytest.fixture
def server():
    with ChatServer().running() as server:
        yield server


def llm(said):
    return next(play for play in said["plays"] if play["guesser"] == "llm")


def test_play_asks_the_model_at_sentence_ends_and_never_twice(command, draft, starter, server):
    options = ("--bundle", starter, "--endpoint", f"{server.url}/", "--model", MODEL)
    draft.write_text(TEXT, encoding="utf-8")
    play = llm(command("play", draft, "--answer", "Madama Butterfly", *options))

    assert play["sampled"] is True
    assert play["heard"] == [12, 21, 27]
    assert play["rows"][-1][0]["page"] == "Madama_Butterfly"
    assert len(server.asked) == 3
    assert llm(command("play", draft, *options))["heard"] == [12, 21, 27]
    assert len(server.asked) == 3
    assert all("Butterfly" not in json.dumps(sent) for sent in server.asked)


def test_play_says_the_trouble_of_the_model_and_the_others_play(capsys, caplog, draft, starter, server):
    server.faults = [refused(429, Retry_After="40")]
    with caplog.at_level("CRITICAL"):
        status = main(
            ["play", str(draft), "--bundle", str(starter), "--endpoint", server.url, "--model", MODEL]
        )
    said = capsys.readouterr().out
    assert status == 0
    assert "IR buzzes at " in said or "IR does not buzz" in said
    assert f"LLM: {server.host} has had too many requests" in said


def test_a_model_without_a_server_and_a_server_without_a_model_are_errors(capsys, draft, starter):
    for options, problem in (
        (["--model", MODEL], "no server is named"),
        (["--endpoint", "http://127.0.0.1:9/v1"], "No model of http://127.0.0.1:9/v1 is named"),
    ):
        assert main(["play", str(draft), "--bundle", str(starter), *options]) == 1
        assert problem in capsys.readouterr().err


def test_play_all_sends_nothing_of_a_barred_set(command, tmp_path, starter, server):
    database = tmp_path / "desk.db"
    with App(tmp_path / "other", bundle=starter, database=database) as app:
        for key, text in (
            ("one", TEXT),
            ("two", "Radames dies below a temple in Memphis in this other work."),
        ):
            answer = Answer("Madama Butterfly", Page("Madama_Butterfly"))
            app.store.save(PendingSave.begun(key, text, answer, 1, "ada"))
        app.review.record(["one"], PutInSet("Winter"))
        app.models.bar("Winter")
    said = command(
        "play", "--all", "--store", database, "--bundle", starter, "--endpoint", server.url, "--model", MODEL
    )
    assert said["barred"] == 1
    assert server.texts == ["Radames dies below a temple in Memphis in this other work."]


def test_evaluate_asks_at_the_shares_that_it_measures(command, tmp_path, starter, server):
    rows = [{"text": f"{TEXT} {number}", "answer": "Madama Butterfly"} for number in range(2)]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    said = command(
        "evaluate", "--questions", questions, "--bundle", starter, "--endpoint", server.url, "--model", MODEL
    )
    figures = said["guessers"]["llm"]
    assert figures["guessable"]["questions"] == 2
    assert figures["top1"]["100"] == 1.0
    assert figures["top1"]["10"] == 0.0
    assert len(server.asked) == 7  # six for the first; the second differs in its last word only


def test_bench_times_answers_that_were_not_kept(starter, server, tmp_path, monkeypatch):
    from quizwriter.settings import ModelSettings

    monkeypatch.setattr(bench_engine, "MODEL_TOSSUPS", 1)
    with App(tmp_path / "home", bundle=starter) as app:
        app.models.use(ModelSettings(on=True, url=server.url, model=MODEL))
        engine = app.engines.load()
        tossups = bench_engine._choose_tossups(engine)
        figures = bench_engine._model_figures(app, engine, tossups, lambda *_: None)
        assert figures["llm_requests"] == len(server.asked) > 0
        assert figures["llm_answer_p50"] > 0
        assert bench_engine._model_figures(app, engine, tossups, lambda *_: None) == {}
