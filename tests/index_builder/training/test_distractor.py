"""The distractor: pairs by rule, a network that learns to copy, and trainings that go on after a stop."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch

from index_builder.progress import Progress
from index_builder.training import trainer
from index_builder.training.distractor import (
    LONGEST_INPUT,
    CopyingTransformer,
    DistractorBatch,
    DistractorLearner,
    DistractorPlan,
    DistractorWriter,
    StatementScores,
    Vocabulary,
    input_tokens,
    text_of,
    tokens_of,
)
from index_builder.training.stated_questions import StatedPair, asking_sentence, state
from index_builder.training.trainer import TrainingOptions, train
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle, add_player
from quizwriter.engine.engine import load
from quizwriter.errors import QuizwriterError
from tests.helpers.novels import author, novel

NOUNS = {"author", "short", "story", "river"}
QUICK = DistractorPlan(steps=4, batch=4, warm_up=2)
PAIRS = [
    StatedPair(f"Name this author of {novel(at)}.", author(at), f"{author(at)} is the author of {novel(at)}.")
    for at in range(14)
]


@pytest.fixture(autouse=True)
def one_thread():
    """Small sums take longer in several threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("For 10 points, name this author of Emma.", "Ann", "Ann is the author of Emma."),
        ("Name these rivers that meet?", "Nile", "Nile are the rivers that meet."),
        ("Identify this author of “Go.”", "Ann", "Ann is the author of “Go.”"),
        ("This author's cat spoke.", "Ann", "Ann's cat spoke."),
        ("A cat spoke in this short story, which ends.", "Go", "A cat spoke in Go, which ends."),
        ("Ships sank in this wide river.", "Nile", "Ships sank in Nile."),
        ("This author of Emma wrote.", "Ann", None),
        ("This was that.", "Ann", None),
        ("", "Ann", None),
    ],
)
def test_the_rule_states_two_forms_of_questions(question, answer, statement):
    assert state(question, answer, NOUNS) == statement


def test_the_question_of_a_tossup_is_its_last_sentence_that_points_at_the_answer():
    text = "This author wrote a lot of books. For ten points, name this author of Emma. It ends here, really."

    assert asking_sentence(Tossup(text)) == "name this author of Emma."
    assert asking_sentence(Tossup("No pointer is in this sentence at all")) is not None
    assert asking_sentence(Tossup("Nothing points. At all.")) is None


@pytest.mark.parametrize(
    "text",
    [
        "Ann's cat (a “Persian”) cost $5, didn't it?",
        'She said "no" and left; he said "yes".',
        "Well-known: 3.5 and 1,000!",
        "",
    ],
)
def test_tokens_are_put_together_as_they_were(text):
    assert text_of(tokens_of(text)) == text


def test_chances_of_saying_and_copying_are_one_together_and_padding_is_never_copied():
    torch.manual_seed(1)
    vocabulary = Vocabulary.of(PAIRS)
    batch = DistractorBatch.of([PAIRS[0], StatedPair("Name this.", "X", "X.")], vocabulary)
    module = CopyingTransformer(len(vocabulary)).eval()
    with torch.no_grad():
        chances = module(batch.given, batch.said).exp()

    assert torch.allclose(chances.sum(-1), torch.ones(chances.shape[:2]), atol=1e-5)
    short = len(input_tokens("Name this.", "X"))
    assert not chances[1, :, len(vocabulary) + short :].any()


def test_what_is_said_does_not_depend_on_what_is_said_later():
    torch.manual_seed(1)
    vocabulary = Vocabulary.of(PAIRS)
    batch = DistractorBatch.of(PAIRS[:1], vocabulary)
    module = CopyingTransformer(len(vocabulary)).eval()
    with torch.no_grad():
        whole, part = module(batch.given, batch.said), module(batch.given, batch.said[:, :3])

    assert torch.allclose(whole[:, :3], part, atol=1e-5)


def test_the_network_learns_to_copy_names_that_it_never_saw(novels_with_distractor):
    _, report = novels_with_distractor
    held = report["distractor"]["held_back"]

    assert held["pairs"] > 0
    assert held["copied"] > 0.9
    writer = DistractorWriter.load(novels_with_distractor[0])
    assert writer is not None
    (said,) = writer.write([(f"name this author of {novel(1)} and Plugh.", author(3))])
    assert author(3) in said
    assert "Plugh" in said


def test_a_bundle_with_a_distractor_has_the_players_that_it_had(novels_with_distractor):
    assert [player.name for player in load(novels_with_distractor[0]).players] == ["ir"]


def test_the_same_seed_learns_the_same_bytes_and_another_does_not():
    def learnt(seed):
        learner = DistractorLearner(PAIRS, DistractorPlan(steps=3, batch=4, seed=seed))
        learner.learn(lambda share: None)
        return learner.arrays()["parameters"].tobytes()

    assert learnt(1) == learnt(1)
    assert learnt(1) != learnt(2)


def test_a_training_that_was_stopped_comes_to_the_same_result(tmp_path):
    whole = DistractorLearner(PAIRS, QUICK)
    whole.learn(lambda share: None)
    stopped = DistractorLearner(PAIRS, QUICK)

    def stop(share):
        if share >= 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped.learn(stop)
    stopped.save(tmp_path)
    going_on = DistractorLearner(PAIRS, QUICK)
    assert going_on.resume(tmp_path)
    assert going_on.step == 2
    going_on.learn(lambda share: None)

    assert going_on.arrays()["parameters"].tobytes() == whole.arrays()["parameters"].tobytes()


def test_a_training_goes_on_with_its_own_pairs_only_and_never_from_a_damaged_file(tmp_path):
    learner = DistractorLearner(PAIRS, QUICK)
    assert not learner.resume(tmp_path)
    learner.save(tmp_path)
    assert not DistractorLearner(PAIRS[:-1], QUICK).resume(tmp_path)
    file = tmp_path / "distractor.npz"
    file.write_bytes(file.read_bytes()[:500])
    assert not learner.resume(tmp_path)
    file.write_bytes(b"")
    assert not learner.resume(tmp_path)


def test_a_stop_in_the_middle_is_saved_and_the_same_command_goes_on(novels, tmp_path, monkeypatch):
    folder = shutil.copytree(novels, tmp_path / "novels")
    options = TrainingOptions(distractor=QUICK, threads=1, device="cpu")

    class Stop(Progress):
        def training(self, player, share):
            if share >= 0.5:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(folder, ["distractor"], Stop(), options=options)
    assert "distractor" not in Bundle.open(folder).players
    report = train(folder, ["distractor"], Progress(), options=options)

    assert report["distractor"]["resumed"]
    assert not list(folder.parent.glob(f"*{trainer.WORK_SUFFIX}"))
    assert train(folder, ["distractor"], Progress(), options=options) == {}


def test_a_bundle_with_too_few_questions_says_so(starter, tmp_path, monkeypatch):
    from index_builder.training import distractor

    monkeypatch.setattr(distractor, "FEWEST_PAIRS", 10**9)
    with pytest.raises(QuizwriterError, match="too few questions in the bundle for the distractor"):
        train(shutil.copytree(starter, tmp_path / "b"), ["distractor"], Progress())


def test_hostile_questions_are_written_about_and_never_fail(novels_with_distractor):
    writer = DistractorWriter.load(novels_with_distractor[0])
    assert writer is not None
    hostile = ["", "\0", "\ud800 this", "word " * 500, "“" * 300, "’s’s’s", "ℵ " * 100, "a" * 5_000]

    said = writer.write([(text, text) for text in hostile])

    assert len(said) == len(hostile)
    assert all(len(input_tokens(text, text)) <= LONGEST_INPUT for text in hostile)
    assert writer.write([]) == []


@pytest.mark.parametrize(
    "arrays",
    [
        {"letters": np.frombuffer(b"a\nb\n", np.uint8)},
        {"letters": np.frombuffer(b"a\nb\n", np.uint8), "parameters": np.zeros(5, np.float16)},
        {"letters": np.frombuffer(b"a\na\n", np.uint8), "parameters": np.zeros(5, np.float16)},
        {"letters": np.frombuffer(b"\xff\xfe", np.uint8), "parameters": np.zeros(5, np.float16)},
        {"letters": np.zeros(3, np.float32), "parameters": np.zeros(5, np.float16)},
        {"letters": np.frombuffer(b"a\n", np.uint8), "parameters": np.full(5, np.inf, np.float16)},
        {
            "letters": np.frombuffer("".join(f"w{at}\n" for at in range(50_001)).encode(), np.uint8),
            "parameters": np.zeros(5, np.float16),
        },
    ],
)
def test_a_distractor_that_makes_no_sense_is_refused(novels, tmp_path, arrays):
    folder = shutil.copytree(novels, tmp_path / "novels")
    add_player(folder, "distractor", arrays, {})

    with pytest.raises(QuizwriterError, match=r"makes no sense|cannot be used"):
        DistractorWriter.load(folder)


def test_scores_are_shares_of_pairs():
    vocabulary = Vocabulary.of(PAIRS)
    said = [PAIRS[0].statement, "nothing of it"]

    scores = StatementScores.of(PAIRS[:2], said, vocabulary)

    assert (scores.number, scores.exact, scores.answered) == (2, 0.5, 0.5)
