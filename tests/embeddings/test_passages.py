"""Settings of a model folder that change its tokens, and MPNet's distances."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_models import WORDS, ids_of, save_model
from slow_networks import bias_of

from satc.embeddings.models.architectures import distance_bias
from satc.embeddings.models.model_folder import read_model_folder
from satc.embeddings.passages import PIECE, Tokens, pieces


@pytest.fixture
def folder(tmp_path):
    save_model(tmp_path, "bert")
    return tmp_path


def tokens(folder, max_tokens=10, **options):
    return Tokens(folder / "tokenizer.json", max_tokens, **options)


def test_passages_hold_every_token_once_and_have_equal_lengths(folder):
    texts = [" ".join(WORDS[i % 60] for i in range(n)) for n in (0, 1, 8, 9, 16, 17, 50)]
    found = tokens(folder).passages(texts)
    for row, text in enumerate(texts):
        parts = [one.ids.tolist() for one in found if one.text == row]
        assert all((part[0], part[-1]) == (2, 3) for part in parts)
        assert [token for part in parts for token in part[1:-1]] == ids_of(text)[1:-1]
        sizes = [len(part) for part in parts]
        assert max(sizes, default=0) <= 10
        assert not sizes or max(sizes) - min(sizes) <= 1


def test_a_prompt_stands_before_every_text_and_lower_case_is_applied(folder):
    plain, changed = tokens(folder), tokens(folder, prompt="w5 ", lower_case=True)
    assert changed.passages(["W7"])[0].ids.tolist() == ids_of("w5 w7")
    assert plain.passages(["w7"])[0].ids.tolist() == ids_of("w7")
    assert changed.passages([""]) == []


def test_the_default_prompt_of_a_folder_is_read(folder):
    about = {"prompts": {"query": "w1 ", "other": "w2 "}, "default_prompt_name": "query"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(about))
    assert read_model_folder(folder).prompt == "w1 "
    about["default_prompt_name"] = None
    (folder / "config_sentence_transformers.json").write_text(json.dumps(about))
    assert read_model_folder(folder).prompt == ""


@given(st.integers(0, 3), st.integers(0, PIECE), st.booleans())
def test_pieces_are_the_whole_text_and_bounded(n, rest, spaces):
    text = ("word " if spaces else "abcde") * (n * PIECE // 5) + "x" * rest
    parts = list(pieces(text))
    assert "".join(parts) == text
    assert all(0 < len(part) <= 2 * PIECE for part in parts)


def test_long_texts_have_the_tokens_of_the_whole(folder):
    text = " ".join(WORDS[i % 60] for i in range(40_000))
    found = tokens(folder).passages([text])
    assert [t for one in found for t in one.ids[1:-1].tolist()] == ids_of(text)[1:-1]


def test_distances_of_mpnet_are_those_of_the_published_rule():
    table = np.random.default_rng(0).normal(size=(32, 3)).astype(np.float32)
    slow = bias_of({"encoder.relative_attention_bias.weight": table}, 300)
    found = distance_bias(table, 300)
    assert found.shape == (1, 3, 300, 300)
    np.testing.assert_array_equal(found[0], [slow(head) for head in range(3)])
