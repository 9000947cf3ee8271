"""Folders of sentence encoders: what is taken from them, and what of a stranger's folder is refused."""

from __future__ import annotations

import json
import pickle

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from safetensors.numpy import save

from index_builder.data import encoder_folder
from index_builder.data.encoder_folder import read_encoder
from quizwriter.errors import QuizwriterError
from tests.helpers.made_encoder import make_encoder, weights
from tests.helpers.memory import memory_at_most


@pytest.fixture
def folder(tmp_path):
    return make_encoder(tmp_path / "encoder")


def with_network(folder, change):
    """The folder with its network in the ONNX format, after ``change`` was made to it."""
    network = onnx.load_model_from_string(read_encoder(folder).model)
    change(network)
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(network.SerializeToString())
    return folder


def setting(folder, name, **changes):
    path = folder / name
    said = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**said, **changes}), encoding="utf-8")
    return folder


def refused(folder):
    with pytest.raises(QuizwriterError) as caught:
        read_encoder(folder).encoder(1)
    assert caught.value.remedy.startswith("Name the folder of another encoder")
    return caught.value.problem


def test_a_folder_is_read_as_sentence_transformers_saves_it(folder):
    found = read_encoder(folder)

    assert (found.about.title, found.about.width, found.about.tokens) == ("encoder", 8, 12)
    assert (found.about.pooling, found.about.query, found.about.passage) == ("mean", "this ", "tree ")
    encoder = found.encoder(1)
    vectors = encoder.encode(["alder birch", "leaf", ""])
    assert vectors.shape == (3, 8)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1])
    assert encoder.encode_queries(["elm"]) == pytest.approx(encoder.encode(["this elm"]))
    assert encoder.encode_passages(["elm"]) == pytest.approx(encoder.encode(["tree elm"]))
    assert encoder.encode([]).shape == (0, 8)


def test_a_vector_depends_on_its_own_text_alone(folder):
    encoder = read_encoder(folder).encoder(1)

    together = encoder.encode(["alder", "birch elm fir leaf this tree", "leafs ."])

    for number, text in enumerate(["alder", "birch elm fir leaf this tree", "leafs ."]):
        assert encoder.encode([text])[0] == pytest.approx(together[number], abs=1e-5)


def test_a_network_in_the_folder_is_taken_before_its_weights(folder):
    digest = read_encoder(folder).about.digest

    with_network(folder, lambda network: setattr(network, "producer_name", "somebody"))

    assert read_encoder(folder).about.digest != digest
    assert read_encoder(folder).encoder(1).encode(["alder"]).shape == (1, 8)


@pytest.mark.parametrize("mode", ["cls_token", "max_tokens"])
def test_the_tokens_become_one_vector_as_the_folder_says(folder, mode):
    mean = read_encoder(folder).encoder(1).encode(["alder birch"])
    setting(folder, "1_Pooling/config.json", pooling_mode_mean_tokens=False, **{f"pooling_mode_{mode}": True})

    other = read_encoder(folder).encoder(1).encode(["alder birch"])

    assert read_encoder(folder).about.pooling == mode.partition("_")[0]
    assert np.abs(mean - other).max() > 0.01


def test_a_pickle_is_never_read(folder):
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(weights()))

    assert "it has neither onnx/model.onnx nor model.safetensors" in refused(folder)


def test_no_link_is_followed(folder, tmp_path):
    (tmp_path / "elsewhere").write_bytes((folder / "model.safetensors").read_bytes())
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to(tmp_path / "elsewhere")

    assert "model.safetensors is not a regular file" in refused(folder)


def _loop(network):
    body = helper.make_graph([helper.make_node("Identity", ["a"], ["b"])], "body", [], [])
    network.graph.node.append(helper.make_node("Loop", ["", ""], ["c"], body=body))


def _loop_inside(network):
    inner = helper.make_graph([helper.make_node("Scan", ["a"], ["b"])], "inner", [], [])
    network.graph.node.append(helper.make_node("If", ["a"], ["c"], then_branch=inner, else_branch=inner))


def _outside(network):
    value = network.graph.initializer[0]
    value.data_location = onnx.TensorProto.EXTERNAL
    entry = value.external_data.add()
    entry.key, entry.value = "location", "../../../../etc/passwd"


def _outside_in_a_node(network):
    value = numpy_helper.from_array(np.ones(2, np.float32))
    value.external_data.add().key = "location"
    network.graph.node.append(helper.make_node("Constant", [], ["c"], value=value))


def _value(network, values):
    """The name of a constant of the network."""
    name = f"constant{len(network.graph.initializer)}"
    network.graph.initializer.append(numpy_helper.from_array(np.asarray(values), name))
    return name


def _add_to_result(network, nodes, number):
    """``nodes``, whose last gives one ``number``; its share of nothing is added to what the network gives."""
    (name,), last = [one.name for one in network.graph.output], network.graph.node[-1]
    last.output[0] = "before"
    nodes.append(helper.make_node("Mul", [number, _value(network, np.float32(0))], ["nothing"]))
    nodes.append(helper.make_node("Add", ["before", "nothing"], [name]))
    network.graph.node.extend(nodes)


def _gigabytes(network):
    """A few bytes that ask for three gigabytes."""
    size = _value(network, np.array([3 << 28], np.int64))
    nodes = [
        helper.make_node("ConstantOfShape", [size], ["gigabytes"]),
        helper.make_node("ReduceMax", ["gigabytes"], ["largest"], keepdims=0),
    ]
    _add_to_result(network, nodes, "largest")


def _hours(network):
    """Products of constants, which take a minute at least, and could be computed when it is loaded."""
    size = _value(network, np.array([1_000, 1_000], np.int64))
    nodes = [helper.make_node("ConstantOfShape", [size], ["product0"])]
    nodes += [helper.make_node("MatMul", [f"product{at}"] * 2, [f"product{at + 1}"]) for at in range(2_000)]
    nodes.append(helper.make_node("ReduceMax", ["product2000"], ["largest"], keepdims=0))
    _add_to_result(network, nodes, "largest")


def _window(network):
    network.graph.node.append(helper.make_node("MaxPool", ["a"], ["b"], kernel_shape=[100_000_000]))


def _generation(network):
    network.graph.node.append(helper.make_node("BeamSearch", ["a"], ["b"], domain="com.microsoft"))


def _function(network):
    network.functions.append(
        helper.make_function("mine", "F", ["a"], ["b"], [], [helper.make_opsetid("", 17)])
    )


def _foreign(network):
    network.graph.node.append(helper.make_node("Anything", ["a"], ["b"], domain="com.example"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_loop, "the operator 'Loop'"),
        (_loop_inside, "the operator 'Scan'"),
        (_outside, "values in another file"),
        (_outside_in_a_node, "values in another file"),
        (_function, "functions of its own"),
        (_foreign, "the operator 'Anything'"),
        (_window, "the operator 'MaxPool'"),
        (_generation, "the operator 'BeamSearch'"),
        (lambda network: network.graph.ClearField("node"), "not a network in the ONNX format"),
    ],
)
def test_a_network_that_could_run_for_ever_or_read_other_files_is_refused(folder, change, reason):
    assert reason in refused(with_network(folder, change))


def test_a_network_gets_so_much_memory_and_time_and_then_breaks(folder, monkeypatch):
    too_large, too_slow = (
        with_network(make_encoder(folder.parent / change.__name__), change) for change in (_gigabytes, _hours)
    )

    with memory_at_most(400):
        assert "the network breaks, or is too large or too slow" in refused(too_large)
    monkeypatch.setattr(encoder_folder, "LONGEST_QUERY_S", 0.05)
    assert "the network breaks, or is too large or too slow" in refused(too_slow)
    monkeypatch.undo()
    assert read_encoder(folder).encoder(1).encode_queries(["alder"]).shape == (1, 8)


def test_a_network_that_takes_something_else_is_refused(folder):
    def rename(network):
        network.graph.input[0].name = "pixels"
        for node in network.graph.node:
            node.input[:] = ["pixels" if name == "input_ids" else name for name in node.input]

    assert "does not take input_ids, attention_mask" in refused(with_network(folder, rename))


def test_a_regular_expression_of_a_tokenizer_is_refused_unless_it_is_harmless(folder):
    split = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    setting(folder, "tokenizer.json", pre_tokenizer={"type": "Sequence", "pretokenizers": [split]})

    assert "the tokenizer has a regular expression" in refused(folder)

    split["pattern"] = {"Regex": r"\s+"}
    setting(folder, "tokenizer.json", pre_tokenizer={"type": "Sequence", "pretokenizers": [split]})
    assert read_encoder(folder).encoder(1).encode(["alder"]).shape == (1, 8)


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("config.json", {"hidden_size": 9}, "the width cannot be shared"),
        ("config.json", {"model_type": "mpnet"}, "not a plain BERT"),
        ("config.json", {"num_hidden_layers": 10**9}, "num_hidden_layers"),
        ("config.json", {"vocab_size": 14}, "no embeddings.word_embeddings.weight of 14 by 8 numbers"),
        ("1_Pooling/config.json", {"word_embedding_dimension": 9}, "does not give vectors of 9 numbers"),
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "does not take the mean"),
        ("1_Pooling/config.json", {"word_embedding_dimension": "many"}, "1_Pooling/config.json"),
        ("tokenizer.json", {"model": {"type": "WordPiece"}}, "it is not a tokenizer"),
        ("tokenizer.json", {"truncation": 3}, "it is not a tokenizer"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_their_place(folder, name, changes, reason):
    assert reason in refused(setting(folder, name, **changes))


def test_a_layer_after_the_network_that_is_not_known_is_refused(folder):
    more = [{"type": "sentence_transformers.models.Dense"}]
    (folder / "modules.json").write_text(json.dumps(more), encoding="utf-8")

    assert "sentence_transformers.models.Dense comes after the network" in refused(folder)


def test_weights_that_are_no_numbers_are_refused(folder):
    every = weights()
    every["embeddings.LayerNorm.weight"][:] = np.nan
    (folder / "model.safetensors").write_bytes(save(every))

    assert "vectors that are no numbers" in refused(folder)


def test_ids_that_the_network_does_not_know_are_an_error_of_the_encoder(folder):
    raw = (folder / "tokenizer.json").read_text(encoding="utf-8")
    (folder / "tokenizer.json").write_text(raw.replace('"tree":10', '"tree":1000'), encoding="utf-8")

    encoder = read_encoder(folder).encoder(1)

    from quizwriter.system.decoding import DecodingError

    with pytest.raises(DecodingError, match="the network breaks"):
        encoder.encode(["tree"])


def test_there_must_be_an_encoder(tmp_path):
    assert "it has no tokenizer.json" in refused(tmp_path)
    assert "holds no sentence encoder" in refused(tmp_path / "nothing")
