"""Each architecture gives what a slow computation of the published formulas gives."""

import json

import numpy as np
import pytest
from made_models import WORDS, ids_of, save_model, save_tokenizer
from safetensors.numpy import save_file
from slow_networks import PARTS, hidden_state, mean_vector

from satc.embeddings.encoder import Encoder
from satc.embeddings.models.model_folder import read_model_folder
from satc.errors import DataError

TEXTS = [" ".join(WORDS[(7 * i + j) % 60] for j in range(1 + (5 * i) % 14)) for i in range(25)]


def encoder(folder, integers=False):
    return Encoder(read_model_folder(folder), integers=integers, n_threads=2)


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu"])
def test_a_network_is_that_of_the_formulas(kind, activation, tmp_path):
    weights, config = save_model(tmp_path, kind, activation=activation)
    expected = [mean_vector(hidden_state(kind, weights, config, ids_of(text))) for text in TEXTS]
    found = encoder(tmp_path).encode(TEXTS)
    np.testing.assert_allclose(found.vectors, expected, atol=2e-6)
    assert found.vectors.dtype == np.float32
    assert (found.n_passages == 1).all()


@pytest.mark.parametrize("kind", PARTS)
def test_integers_stay_near_the_formulas_and_do_not_depend_on_the_batch(kind, tmp_path):
    weights, config = save_model(tmp_path, kind)
    expected = [mean_vector(hidden_state(kind, weights, config, ids_of(text))) for text in TEXTS]
    integers = encoder(tmp_path, integers=True)
    found = integers.encode(TEXTS).vectors
    assert np.sum(found * expected, axis=1).min() > 0.99
    alone = np.concatenate([integers.encode([text]).vectors for text in TEXTS])
    assert np.sum(found * alone, axis=1).min() > 1 - 1e-5


@pytest.mark.parametrize(
    ("pooling", "slow"),
    [
        ("cls", lambda hidden: hidden[0]),
        ("max", lambda hidden: hidden.max(axis=0)),
        ("mean_sqrt_len", lambda hidden: hidden.sum(axis=0) / np.sqrt(len(hidden))),
        ("lasttoken", lambda hidden: hidden[-1]),
    ],
)
def test_every_pooling(pooling, slow, tmp_path):
    weights, config = save_model(tmp_path, "bert", pooling=pooling)
    raw = [slow(hidden_state("bert", weights, config, ids_of(text))) for text in TEXTS]
    expected = [vector / np.linalg.norm(vector) for vector in raw]
    np.testing.assert_allclose(encoder(tmp_path).encode(TEXTS).vectors, expected, atol=2e-6)


def test_names_of_weights_may_have_a_prefix_and_weights_may_be_16_bit(tmp_path):
    weights, config = save_model(tmp_path, "roberta", prefix="roberta.")
    half = {f"roberta.{name}": value.astype(np.float16) for name, value in weights.items()}
    save_file(half, tmp_path / "model.safetensors")
    exact = {name: value.astype(np.float16) for name, value in weights.items()}
    expected = [mean_vector(hidden_state("roberta", exact, config, ids_of(t))) for t in TEXTS]
    np.testing.assert_allclose(encoder(tmp_path).encode(TEXTS).vectors, expected, atol=2e-6)


def test_weights_may_be_in_several_files(tmp_path):
    weights, config = save_model(tmp_path, "bert")
    (tmp_path / "model.safetensors").unlink()
    parts = {"model-1.safetensors": list(weights)[::2], "model-2.safetensors": list(weights)[1::2]}
    for file, names in parts.items():
        save_file({name: weights[name] for name in names}, tmp_path / file)
    index = {"weight_map": {name: file for file, names in parts.items() for name in names}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    expected = [mean_vector(hidden_state("bert", weights, config, ids_of(t))) for t in TEXTS]
    np.testing.assert_allclose(encoder(tmp_path).encode(TEXTS).vectors, expected, atol=2e-6)


def test_a_dense_layer_follows_the_pooling(tmp_path):
    weights, config = save_model(tmp_path, "bert")
    modules = json.loads((tmp_path / "modules.json").read_text())
    modules[2] = {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "2_Dense").mkdir()
    about = {"activation_function": "torch.nn.modules.activation.Tanh"}
    (tmp_path / "2_Dense" / "config.json").write_text(json.dumps(about))
    rng = np.random.default_rng(5)
    dense = {
        "linear.weight": rng.normal(size=(7, 24)).astype(np.float32),
        "linear.bias": rng.normal(size=7).astype(np.float32),
    }
    save_file(dense, tmp_path / "2_Dense" / "model.safetensors")
    means = [hidden_state("bert", weights, config, ids_of(t)).mean(axis=0) for t in TEXTS]
    raw = np.tanh(np.array(means) @ dense["linear.weight"].T + dense["linear.bias"])
    expected = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    np.testing.assert_allclose(encoder(tmp_path).encode(TEXTS).vectors, expected, atol=2e-6)


@pytest.mark.parametrize("form", ["sentence-transformers", "model2vec"])
def test_a_static_model_has_the_mean_of_its_tokens(form, tmp_path):
    save_tokenizer(tmp_path)
    table = np.random.default_rng(1).normal(size=(65, 9)).astype(np.float32)
    name = "embedding.weight" if form == "sentence-transformers" else "embeddings"
    save_file({name: table}, tmp_path / "model.safetensors")
    if form == "model2vec":
        (tmp_path / "config.json").write_text('{"model_type": "model2vec", "normalize": true}')
    else:
        step = {"path": "", "type": "sentence_transformers.models.StaticEmbedding"}
        (tmp_path / "modules.json").write_text(json.dumps([step]))
    texts = [*TEXTS, " ".join(WORDS * 30)]
    raw = np.array([table[ids_of(text)[1:-1]].mean(axis=0) for text in texts])
    expected = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    found = encoder(tmp_path).encode(texts)
    np.testing.assert_allclose(found.vectors, expected, atol=2e-6)
    assert (found.n_passages == 1).all()


def test_an_exported_network_is_used_where_satc_cannot_compute_the_architecture(tmp_path):
    onnx = pytest.importorskip("onnx")
    save_model(tmp_path, "bert")
    (tmp_path / "config.json").write_text('{"model_type": "modernbert"}')
    table = np.random.default_rng(1).normal(size=(65, 9)).astype(np.float32)
    helper, kinds = onnx.helper, onnx.TensorProto
    info = helper.make_tensor_value_info
    inputs = [info(n, kinds.INT64, ["b", "s"]) for n in ("input_ids", "attention_mask")]
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "exported",
        inputs,
        [info("last_hidden_state", kinds.FLOAT, ["b", "s", 9])],
        [onnx.numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (tmp_path / "onnx").mkdir()
    onnx.save(model, str(tmp_path / "onnx" / "model.onnx"))
    raw = np.array([table[ids_of(text)].mean(axis=0) for text in TEXTS])
    expected = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    np.testing.assert_allclose(encoder(tmp_path).encode(TEXTS).vectors, expected, atol=2e-6)


def config_with(**changes):
    def change(folder):
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | changes))

    return change


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (config_with(model_type="modernbert"), "'modernbert'.*give the file of vectors"),
        (config_with(model_type=None), "of no known kind|'None'"),
        (config_with(hidden_act="silu"), "activation must be .* but is 'silu'"),
        (config_with(num_hidden_layers=3), r"must hold the weights 'encoder\.layer\.2\."),
        (config_with(num_hidden_layers="two"), "'num_hidden_layers' must be at least 1"),
        (config_with(position_embedding_type="relative_key"), "must be 'absolute'"),
        (lambda folder: (folder / "model.safetensors").unlink(), "must have model.safetensors"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"x" * 99), "cannot be read"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "has no tokenizer.json"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "must be a tokenizer"),
        (lambda folder: (folder / "config.json").write_text("{"), "must hold JSON"),
        (lambda folder: (folder / "config.json").write_text("[1]"), "must hold a JSON object"),
        (
            lambda folder: (folder / "1_Pooling" / "config.json").write_text(
                '{"pooling_mode_weightedmean_tokens": true}'
            ),
            "pooling must be .* but is 'weightedmean'",
        ),
        (
            lambda folder: (folder / "modules.json").write_text('[{"type": "x.CNN", "path": ""}]'),
            "the model has 'CNN'",
        ),
    ],
)
def test_a_model_that_cannot_be_computed_is_refused_with_its_name_and_a_remedy(
    spoil, message, tmp_path
):
    save_model(tmp_path, "bert")
    spoil(tmp_path)
    with pytest.raises(DataError, match=message) as caught:
        encoder(tmp_path)
    assert str(tmp_path) in str(caught.value) or "activation" in message


def test_a_tokenizer_with_more_tokens_than_the_network_is_refused(tmp_path):
    weights, _ = save_model(tmp_path, "bert")
    name = "embeddings.word_embeddings.weight"
    save_file(weights | {name: weights[name][:50].copy()}, tmp_path / "model.safetensors")
    with pytest.raises(DataError, match="65 tokens, but the network has vectors of 50"):
        encoder(tmp_path)
