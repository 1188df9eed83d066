"""The real model: the vectors of sentence-transformers, whatever the order, and hostile texts."""

import numpy as np
import pytest

import satc
from satc.embeddings import Embedder, iter_embed
from satc.embeddings.encoder import Encoder, batched
from satc.embeddings.models.finding import find_model
from satc.embeddings.passages import Passage

# The first numbers of the vectors that sentence-transformers 6.2 gives on torch 2.15.
PUBLISHED = {
    "I am still waiting on my card?": (-0.035352, -0.042137, -0.002757, 0.031937, 0.02319),
    "What do I do if I still have not received my new card?": (
        *(-0.008161, -0.038463, 0.023157, -0.004998, 0.031685),
    ),
    "Größe ÄÖÜ naïve": (-0.021697, 0.080979, -0.035641, -0.016169, -0.048421),
    "a\x00b\x07c": (-0.007829, 0.007353, -0.030943, 0.041504, -0.079097),
    "U.S. COMMERCIAL PAPER FALLS 375 MLN DLRS IN FEB 18 WEEK, FED SAYS\nBlah blah blah.": (
        *(-0.045148, -0.04602, 0.057713, 0.084543, 0.049175),
    ),
}
TEXTS = [f"{'please ' * (i % 9)}tell me about transfer {i}" for i in range(60)]


def cosines(a, b):
    return np.sum(a.astype(np.float64) * b, axis=1)


def test_the_vectors_are_those_of_sentence_transformers(encoder):
    exact = Encoder(encoder.folder, integers=False, n_threads=1).encode(list(PUBLISHED)).vectors
    np.testing.assert_allclose(exact[:, :5], list(PUBLISHED.values()), atol=2e-6)
    assert cosines(encoder.encode(list(PUBLISHED)).vectors, exact).min() > 0.99


def test_similar_texts_have_similar_vectors(encoder):
    texts = ["My card was stolen", "Somebody took my bank card", "How do I change my PIN?"]
    a, b, c = encoder.encode(texts).vectors
    assert a @ b > 0.6 > 0.45 > a @ c


def test_a_vector_does_not_depend_on_order_or_company(encoder):
    found = encoder.encode(TEXTS).vectors
    order = np.random.default_rng(0).permutation(len(TEXTS))
    mixed = encoder.encode([TEXTS[i] for i in order]).vectors
    assert cosines(mixed, found[order]).min() > 1 - 1e-4
    alone = np.concatenate([encoder.encode([text]).vectors for text in TEXTS[:20]])
    assert cosines(alone, found[:20]).min() > 1 - 1e-4
    beside = encoder.encode([*TEXTS[:20], "extremely long " * 400]).vectors[:20]
    assert cosines(beside, found[:20]).min() > 1 - 1e-4


def test_the_number_of_threads_changes_nothing(encoder):
    one = Encoder(encoder.folder, n_threads=1).encode(TEXTS).vectors
    np.testing.assert_array_equal(one, encoder.encode(TEXTS).vectors)


def test_a_long_text_has_the_weighted_mean_of_equal_passages(encoder):
    words = [f"{('river', 'bank', 'money', 'boat')[i // 150]}" for i in range(600)]
    found = encoder.encode([" ".join(words)])
    assert found.n_passages.tolist() == [3]  # 600 words, 254 at most beside the special tokens
    parts = [" ".join(words[i : i + 200]) for i in (0, 200, 400)]
    mean = encoder.encode(parts).vectors.mean(axis=0)  # each has 200 words
    assert found.vectors[0] @ mean / np.linalg.norm(mean) > 1 - 1e-6
    assert np.linalg.norm(found.vectors[0]) == pytest.approx(1, abs=1e-6)


def test_texts_up_to_the_limit_are_not_cut(encoder):
    texts = [" ".join(["money"] * n) for n in (253, 254, 255, 508, 509)]
    assert encoder.encode(texts).n_passages.tolist() == [1, 1, 2, 2, 3]


def test_hostile_texts(encoder):
    texts = [
        *("", "   \n\t", "\x00\x01\x02", "\u200b\u200b", "\ud800", "a\udfffb"),
        *("\N{GRINNING FACE}" * 50, "x" * 100_000, "[CLS] [SEP] [PAD] [MASK]", "\u202e\ufeffabc"),
    ]
    found = encoder.encode(texts)
    lengths = np.linalg.norm(found.vectors, axis=1)
    assert np.isfinite(found.vectors).all()
    empty = found.n_passages == 0
    assert empty[:3].all()
    np.testing.assert_allclose(lengths, np.where(empty, 0, 1), atol=1e-5)
    assert lengths[6:].min() > 0.99


def test_a_surrogate_pair_is_its_character(encoder):
    whole, halves = encoder.encode(["ok \U0001f600 fine", "ok \ud83d\ude00 fine"]).vectors
    assert whole @ halves == pytest.approx(1, abs=1e-6)


@pytest.mark.slow
def test_a_text_of_a_megabyte(encoder):
    text = "the quick brown fox jumps over the lazy dog. " * 23_000
    found = encoder.encode([text[:40_000]])
    whole = encoder._tokens.passages([text])
    assert sum(len(one.ids) - 2 for one in whole) == 23_000 * 10
    assert max(len(one.ids) for one in whole) <= 256
    assert found.n_passages[0] == -(-len(encoder._tokens._tokenised([text[:40_000]])[0]) // 254)


def test_batches_are_of_similar_length_and_bounded():
    lengths = np.random.default_rng(0).integers(1, 700, 500)
    passages = [Passage(i, np.zeros(n, dtype=np.int64)) for i, n in enumerate(lengths)]
    batches = list(batched(passages))
    assert sorted(i for batch in batches for i in batch) == list(range(500))
    for batch in batches:
        sizes = lengths[batch]
        assert len(batch) == 1 or len(batch) * sizes.max() <= 512
    padded = sum(len(batch) * lengths[batch].max() for batch in batches)
    assert padded < 1.05 * lengths.sum()


def test_embed_keeps_vectors_and_reports_progress(real_model, tmp_path):
    seen = []
    texts = [*TEXTS, "", TEXTS[0]]
    vectors = satc.embed(texts, real_model, progress=lambda *done: seen.append(done))
    assert vectors.shape == (62, 384)
    assert vectors.dtype == np.float32
    assert seen[-1] == (62, 62)
    np.testing.assert_array_equal(vectors[0], vectors[-1])
    assert not vectors[60].any()
    again = Embedder(real_model)
    np.testing.assert_array_equal(satc.embed(texts[::-1], again), vectors[::-1])
    assert (again.counts.n_cached, again.counts.n_empty) == (62, 1)
    assert again._encoder is None  # nothing was computed


def test_without_a_cache_nothing_is_kept(real_model, tmp_path):
    satc.embed(["a"], real_model, cache=False)
    assert not (tmp_path / "cache").exists()
    satc.embed(["a"], real_model, cache=tmp_path / "mine")
    assert len(list((tmp_path / "mine").rglob("*.vectors"))) == 1


def test_blocks_are_read_only_as_far_as_needed(real_model):
    def endless():
        i = 0
        while True:
            yield f"text {i % 50}"
            i += 1

    first = next(iter_embed(endless(), real_model))
    assert first.shape == (1_000, 384)


def test_wrong_texts_are_named():
    with pytest.raises(TypeError, match="texts must be a sequence of strings, but is one string"):
        satc.embed("a text")
    with pytest.raises(TypeError, match=r"texts\[1\] must be a string, but is int"):
        satc.embed(["a", 3])


def test_no_texts_give_no_vectors(real_model):
    assert satc.embed([], real_model).shape == (0, 384)


def test_models_do_not_share_cached_vectors(real_model, tmp_path):
    from made_models import save_model

    save_model(tmp_path / "small", "bert")
    assert satc.embed(["w1 w2"], real_model).shape == (1, 384)
    assert satc.embed(["w1 w2"], tmp_path / "small").shape == (1, 24)
    assert find_model(tmp_path / "small").name == "small"
