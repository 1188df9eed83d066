"""The cost is measured on a sample, before anything is embedded."""

import numpy as np
import pytest
from made_models import WORDS, save_model

from satc.embeddings import Cost, Embedder, Survey, embed
from satc.embeddings.cost import SAMPLE_CHARACTERS, SAMPLE_TEXTS, TEXT_CHARACTERS


@pytest.fixture
def embedder(tmp_path):
    save_model(tmp_path / "model", "bert")
    return Embedder(tmp_path / "model")


def texts(n, words=6):
    return [" ".join(WORDS[(i * 7 + j) % 60] for j in range(words)) + f" {i}" for i in range(n)]


def test_the_sample_does_not_depend_on_the_blocks(embedder):
    whole, parts = Survey(embedder), Survey(embedder)
    found = texts(1_000)
    whole.add(found)
    for start in range(900, -1, -100):
        parts.add(found[start : start + 100])
    assert sorted(whole._sample) == sorted(parts._sample)
    assert len(whole._sample) == SAMPLE_TEXTS
    assert (whole.n_texts, whole.n_cached) == (1_000, 0)
    assert whole.n_characters == sum(map(len, found))


def test_the_sample_is_small_even_if_texts_are_long(embedder):
    survey = Survey(embedder)
    survey.add(texts(300, words=5_000))
    assert max(len(text) for _, text in survey._sample) == TEXT_CHARACTERS
    chosen = survey._chosen()
    assert SAMPLE_CHARACTERS <= sum(map(len, chosen)) < SAMPLE_CHARACTERS + TEXT_CHARACTERS


def test_the_estimate_is_the_time_of_the_sample_for_all_characters(embedder, monkeypatch):
    found = texts(6_000, words=12)
    survey = Survey(embedder)
    survey.add(found)
    clock = iter((10.0, 12.0))
    monkeypatch.setattr("satc.embeddings.cost.perf_counter", lambda: next(clock))
    cost = survey.cost()
    share = sum(map(len, survey._chosen())) / sum(map(len, found))
    assert cost.seconds == pytest.approx(2.0 / share)
    assert cost.per_second == pytest.approx(6_000 / cost.seconds)


def test_cached_texts_cost_nothing(embedder):
    embed(texts(50), embedder)
    survey = Survey(embedder)
    survey.add(texts(50))
    assert survey.cost() == Cost(50, 50, 0.0)
    survey.add(["w1 w2 new"])
    cost = survey.cost()
    assert (cost.n_texts, cost.n_cached) == (51, 50)
    assert cost.seconds > 0
    assert "51 texts, 50 of them in the cache, about" in str(cost)


def test_empty_texts_cost_nothing(embedder):
    survey = Survey(embedder)
    survey.add([""] * 3)
    assert survey.cost().seconds == 0
    assert str(survey.cost()) == "3 texts without words: nothing to compute"
    np.testing.assert_array_equal(embed(["", ""], embedder), np.zeros((2, 24)))
