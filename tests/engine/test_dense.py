"""The dense player, with an encoder trained here: its games, its evidence, its files and its troubles."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys

import numpy as np
import pytest
from msgspec.structs import replace

from index_builder.__main__ import main
from index_builder.data.encoder_folder import read_encoder
from index_builder.progress import Progress
from index_builder.training.dense import train_dense
from index_builder.training.encoder_training import EncoderPlan, train_encoder
from index_builder.training.trainer import train
from quizwriter.cli import main as quizwriter
from quizwriter.domain.evidence import Method
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.engine import load
from quizwriter.engine.evidence import TITLE_POINTS
from quizwriter.engine.player_processes import PlayerProcesses
from quizwriter.engine.sentence_points import sentence_ends
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from tests.helpers.forest import TREES, in_the_forest
from tests.helpers.made_encoder import make_encoder

SMALL = EncoderPlan(words=150, width=24, layers=1, heads=2, tokens=32, steps=60, batch=24, rate=1e-2)


def about(tree):
    """A tossup of two sentences on ``tree``."""
    first, second = in_the_forest(tree, 60).split(". ")
    return Tossup(f"{first}. It {second}", Answer(tree, Page(tree)))


FIR = about("Fir")


@pytest.fixture(scope="module")
def encoder(bare_forest, tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoders") / "small"
    report = train_encoder(bare_forest, folder, Progress(), plan=SMALL)
    assert report["loss"] < 2.0
    return folder


@pytest.fixture(scope="module")
def dense_forest(bare_forest, encoder, tmp_path_factory):
    folder = shutil.copytree(bare_forest, tmp_path_factory.mktemp("trained") / "forest")
    arguments = ["train", "--bundle", str(folder), "--players", "dense", "--encoder", str(encoder)]
    assert main(arguments) == 0
    return folder


@pytest.fixture
def bundle(dense_forest, tmp_path):
    return shutil.copytree(dense_forest, tmp_path / "forest")


@pytest.fixture(scope="module")
def player(dense_forest):
    return next(player for player in load(dense_forest).players if player.name == "dense")


def dense(folder):
    return next(player for player in load(folder).players if player.name == "dense")


def test_it_plays_at_sentence_ends_only_and_finds_the_page(player):
    found = [player.play(about(tree)) for tree in TREES]

    assert player.at_pauses
    assert player.has_gaps
    assert not player.distant
    for play in found:
        assert play.sampled
        assert play.heard == sentence_ends(play.tossup) == (8, 14)
        assert play.knows_answer
        assert len(play.rows[-1]) == 5
        assert [guess.score for guess in play.final] == sorted(
            (guess.score for guess in play.final), reverse=True
        )
    assert sum(play.right[-1] for play in found) >= 5
    assert all(play.ranks[-1] <= 3 for play in found)


def test_its_chances_are_those_of_a_buzzer_that_was_fitted_on_tossups_held_back(dense_forest, player):
    saved = Bundle.open(dense_forest).about["buzzers"]

    assert list(saved) == ["dense"]
    assert saved["dense"]["reliability"]["tossups"] == 24
    assert saved["dense"]["reliability"]["development"]["end"] >= 0.8
    assert all(0 <= chance <= 1 for chance in player.play(FIR).chances)


def test_no_guess_depends_on_words_that_were_not_heard(player):
    whole, begun = player.play(FIR), player.play(FIR.heard(8))

    assert begun.heard == (8,)
    assert whole.rows[0] == begun.rows[0]


def test_nothing_is_asked_of_a_text_that_has_hardly_begun(player):
    assert player.play(Tossup("This king")).rows == ()
    assert player.play(Tossup("")).rows == ()


def test_its_evidence_are_the_passages_that_it_found(player, dense_forest):
    found = player.explain(FIR, Page("Fir"))

    assert found.method is Method.NEAREST
    assert found.cues == ()
    assert {passage.sentence for passage in found.passages} <= {0, 1}
    retrieval = load(dense_forest).retrieval
    known = retrieval.texts_about(retrieval.pages.rows["fir"])
    assert found.passages
    for passage in found.passages:
        assert passage.text in known
        assert passage.source
        said = [hit.of(passage.text).casefold() for hit in passage.hits]
        assert all(word in FIR.text.casefold() for word in said)
    assert player.explain(FIR, Page("Nothing_of_that_name")).passages == ()


def test_a_title_that_is_read_aloud_costs_its_page_points(player):
    named = Tossup(f"{FIR.text} It is not the Fir at all.")

    scores = {guess.page: guess.score for guess in player.play(named).final}

    found = player.explain(named, Page("Fir")).score
    assert scores["Fir"] == pytest.approx(found + TITLE_POINTS)


def test_a_tossup_of_the_bundle_is_measured_as_if_it_were_not_there(dense_forest, player):
    bundle = Bundle.open(dense_forest)
    text = bundle.texts("passages/texts")[0]

    seen, unseen = player.guesser.play(Tossup(text)), player.guesser.play(Tossup(text), without=0)

    assert seen.final[0].score > unseen.final[0].score


def test_where_accuracy_is_measured_it_is_asked_after_shares_of_the_words(dense_forest):
    (found,) = (one for one in load(dense_forest, shares=(50, 100)).players if one.at_pauses)

    assert found.play(FIR).heard == (7, 14)


def test_it_plays_the_same_in_a_process_of_its_own(dense_forest, player):
    processes = PlayerProcesses()
    try:
        engine = load(dense_forest)
        away = processes.players(engine)

        apart = next(one for one in away.players if one.name == "dense")

        assert [one.name for one in away.players] == [one.name for one in engine.players]
        assert apart.play(FIR).rows == player.play(FIR).rows
        assert apart.explain(FIR, Page("Fir")) == player.explain(FIR, Page("Fir"))
        assert "dense" not in [one.name for one in processes.variant_players(engine)]
    finally:
        processes.close()


def test_commands_play_and_measure_it(dense_forest, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    draft, questions = tmp_path / "draft.txt", tmp_path / "questions.jsonl"
    draft.write_text(f"{FIR.text}\nANSWER: Fir\n", encoding="utf-8")
    questions.write_text(json.dumps({"id": "q1", "text": FIR.text, "answer": "Fir", "page": "Fir"}) + "\n")

    assert quizwriter(["--bundle", str(dense_forest), "play", str(draft), "--json"]) == 0
    plays = {play["guesser"]: play for play in json.loads(capsys.readouterr().out)["plays"]}
    assert plays["dense"]["sampled"]
    assert plays["dense"]["heard"] == [8, 14]

    command = ["--bundle", str(dense_forest), "evaluate", "--questions", str(questions), "--json"]
    assert quizwriter(command) == 0
    figures = json.loads(capsys.readouterr().out)["guessers"]["dense"]
    assert figures["top1"]["100"] == 1.0


def test_batches_leave_it_out(dense_forest, tmp_path):
    with App(home=tmp_path, bundle=dense_forest) as app:
        engine = app.engines.load()

        assert "dense" in [one.name for one in engine.players]
        assert [one.name for one in app.engines.batch_engine(engine).players] == ["ir"]
        assert [one.name for one in app.engines.variant_players(engine)] == ["ir"]


# -- its files


def test_another_encoder_is_refused_with_a_sentence(bundle, tmp_path):
    """Also where somebody made the digests of the files fit: the manifest says which encoder it was."""
    place = bundle / Bundle.open(bundle).players["dense"].folder
    other = read_encoder(make_encoder(tmp_path / "other")).model
    (place / "model.onnx").write_bytes(other)
    with pytest.raises(QuizwriterError, match=r"is damaged: players/dense-.*/model.onnx"):
        load(bundle)
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    entry = manifest["files"][f"{place.relative_to(bundle).as_posix()}/model.onnx"]
    entry["bytes"], entry["sha256"] = len(other), hashlib.sha256(other).hexdigest()
    (bundle / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    with pytest.raises(QuizwriterError, match=r"The encoder of the dense player .* is another one"):
        dense(bundle).play(FIR)
    assert load(bundle).players[0].play(FIR).rows


def test_vectors_that_do_not_fit_are_refused(bundle):
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    manifest["players"]["dense"]["encoder"]["width"] = 25
    (bundle / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    with pytest.raises(QuizwriterError, match="it does not fit the passages or the encoder"):
        load(bundle)


def test_without_the_extra_one_sentence_has_the_command_and_the_others_play(dense_forest, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    engine = load(dense_forest)

    with pytest.raises(
        QuizwriterError, match=r"^The dense player needs onnxruntime, which is not installed\. .*make setup$"
    ):
        engine.players[-1].play(FIR)
    assert engine.players[0].play(FIR).rows


def test_nothing_is_loaded_over_a_network(bundle):
    asked = []
    watching = [True]

    def watch(event, arguments):
        if watching and event.startswith("socket."):
            asked.append((event, arguments))

    sys.addaudithook(watch)
    try:
        dense(bundle).play(FIR)
    finally:
        watching.clear()

    assert asked == []
    assert os.environ["HF_HUB_OFFLINE"] == "1"


def test_a_training_that_was_stopped_goes_on(bare_forest, encoder, tmp_path, monkeypatch):
    from index_builder.training import dense as builder
    from quizwriter.engine.sentence_encoder import SentenceEncoder

    monkeypatch.setattr(builder, "AT_ONCE", 20)
    folder, work = shutil.copytree(bare_forest, tmp_path / "forest"), tmp_path / "work"
    encode, encoded = SentenceEncoder.encode_passages, []

    def stops(self, texts):
        if len(encoded) == 2:
            raise KeyboardInterrupt
        encoded.append(len(texts))
        return encode(self, texts)

    monkeypatch.setattr(SentenceEncoder, "encode_passages", stops)
    with pytest.raises(KeyboardInterrupt):
        train_dense(folder, encoder, work, Progress(), anew=False, seed=0)
    assert Bundle.open(folder).players == {}
    again = []
    monkeypatch.setattr(
        SentenceEncoder,
        "encode_passages",
        lambda self, texts: again.append(len(texts)) or encode(self, texts),
    )
    train_dense(folder, encoder, work, Progress(), anew=False, seed=0)

    passages = len(Bundle.open(folder).array("passages/kinds.npy"))
    assert sum(encoded) + sum(again) == passages
    assert encoded == [20, 20]
    again.clear()
    train_dense(folder, encoder, work, Progress(), anew=False, seed=0)  # the same encoder: nothing to do
    assert again == []


def test_a_stop_while_its_buzzer_is_fitted_leaves_only_that_to_do(
    dense_forest, encoder, tmp_path, monkeypatch
):
    from index_builder.training import dense as builder
    from quizwriter.engine.sentence_encoder import SentenceEncoder

    folder, work = shutil.copytree(dense_forest, tmp_path / "forest"), tmp_path / "work"
    before, fit = Bundle.open(folder).about["buzzers"]["dense"], builder.fit_buzzer

    def stops(*what):
        raise KeyboardInterrupt

    monkeypatch.setattr(builder, "fit_buzzer", stops)
    with pytest.raises(KeyboardInterrupt):
        train_dense(folder, encoder, work, Progress(), anew=True, seed=0)
    assert "dense" not in Bundle.open(folder).about["buzzers"]
    monkeypatch.setattr(builder, "fit_buzzer", fit)
    monkeypatch.setattr(SentenceEncoder, "encode_passages", stops)  # the vectors are there

    train_dense(folder, encoder, work, Progress(), anew=False, seed=0)

    assert Bundle.open(folder).about["buzzers"]["dense"] == before


def test_an_encoder_whose_training_was_stopped_ends_as_it_would_have(bare_forest, tmp_path):
    class Stop(Progress):
        def training(self, player, share):
            if share > 0.4:
                raise KeyboardInterrupt

    plan, whole, folder = replace(SMALL, steps=8), tmp_path / "whole", tmp_path / "stopped"
    train_encoder(bare_forest, whole, Progress(), plan=plan)
    with pytest.raises(KeyboardInterrupt):
        train_encoder(bare_forest, folder, Stop(), plan=plan)
    assert not folder.exists()
    assert train_encoder(bare_forest, folder, Progress(), plan=plan)["resumed"]

    names = sorted(one.relative_to(whole) for one in whole.rglob("*") if one.is_file())
    assert all((folder / name).read_bytes() == (whole / name).read_bytes() for name in names)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["stopped", "whole"]


def test_networks_that_are_trained_later_leave_its_buzzer(bundle, small_and_quick):
    before = Bundle.open(bundle).about["buzzers"]["dense"]
    with small_and_quick():
        train(bundle, ("dan", "ensemble", "buzzers"), Progress())

    about = Bundle.open(bundle).about
    assert about["buzzers"]["dense"] == before
    assert {"ir", "dan", "ensemble", "dense"} == about["buzzers"].keys()
    assert [one.name for one in load(bundle).players] == ["ir", "dan", "ensemble", "dense"]
    assert about["players"]["ensemble"]["members"] == ["ir", "dan"]


def test_it_is_not_trained_without_an_encoder(bare_forest, tmp_path, capsys):
    assert main(["train", "--bundle", str(bare_forest), "--players", "dense"]) == 1

    assert "The dense player needs a sentence encoder." in capsys.readouterr().err


# -- the encoder


def test_the_network_of_a_folder_computes_what_torch_does(encoder):
    import torch
    from safetensors.numpy import load as load_weights

    from index_builder.data.encoder_folder import BertConfig
    from index_builder.training.encoder_training import BertModule

    files = read_encoder(encoder)
    config = BertConfig(
        SMALL.width, 1, 2, 4 * SMALL.width, len(json.loads(files.tokenizer)["model"]["vocab"]), 32
    )
    module = BertModule(config)
    weights = load_weights((encoder / "model.safetensors").read_bytes())
    module.load_state_dict({name: torch.from_numpy(one) for name, one in weights.items()})
    played = files.encoder(1)
    texts = ["This king AA1 leaf3.", "FF2", FIR.text]
    tokens = [played._tokenizer.encode(text).ids for text in texts]
    longest = max(map(len, tokens))
    ids = torch.tensor([one + [0] * (longest - len(one)) for one in tokens])
    there = torch.tensor([[at < len(one) for at in range(longest)] for one in tokens])

    with torch.no_grad():
        expected = module.vectors(ids, there).numpy()

    assert np.abs(played.encode(texts) - expected).max() < 1e-5
