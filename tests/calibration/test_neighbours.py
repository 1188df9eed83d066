from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse

from satc.calibration.similarity.features import as_features, lengths
from satc.calibration.similarity.neighbours import Neighbours


class Said(NamedTuple):
    votes: np.ndarray
    nearest: np.ndarray
    length: np.ndarray


def said(neighbours, found):
    votes = (neighbours.vote_weights(found) @ neighbours.labels_).toarray()
    return Said(votes, found.nearest.similarity[:, 0], found.length)


def of_training(neighbours):
    return said(neighbours, neighbours.find_for_training())


def of(neighbours, queries):
    return said(neighbours, neighbours.find(queries))


def features(n=80, d=30, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, d)) * (rng.random((n, d)) < 0.3)


def labels(n=80, m=4, seed=1):
    return np.random.default_rng(seed).random((n, m)) < 0.3


def plain_votes(train, y, queries, k, own=None):
    unit = train / np.linalg.norm(train, axis=1, keepdims=True)
    votes = np.zeros((len(queries), y.shape[1]))
    for i, query in enumerate(queries):
        similarity = unit @ (query / np.linalg.norm(query))
        if own is not None:
            similarity[own[i]] = -1
        nearest = np.argsort(-similarity, kind="stable")[:k]
        votes[i] = similarity[nearest] @ y[nearest] / similarity[nearest].sum()
    return votes


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_votes_are_those_of_the_obvious_version(form):
    X, y, Z = features(), labels(), features(20, seed=5)
    found = of(Neighbours(k=5).fit(form(X), y), form(Z))
    np.testing.assert_allclose(found.votes, plain_votes(X, y, Z, 5), atol=1e-5)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_training_document_does_not_vote_for_itself(form):
    X, y = features(), labels()
    found = of_training(Neighbours(k=5).fit(form(X), y))
    np.testing.assert_allclose(found.votes, plain_votes(X, y, X, 5, np.arange(80)), atol=1e-5)


def test_a_twin_votes_although_the_document_itself_does_not():
    X, y = features(), labels()
    X[7] = X[3]
    found = of_training(Neighbours(k=1).fit(X, y))
    np.testing.assert_allclose(found.votes[7], y[3], atol=1e-6)
    assert found.nearest[7] == pytest.approx(1.0, abs=1e-5)


def test_dense_and_sparse_features_agree():
    X, y, Z = features(), labels(), features(20, seed=5)
    dense = of(Neighbours().fit(X, y), Z)
    for queries in (Z, sparse.csr_array(Z)):
        other = of(Neighbours().fit(sparse.csr_array(X), y), queries)
        for mine, its in zip(dense, other, strict=True):
            np.testing.assert_allclose(mine, its, atol=1e-5)


def test_length_counts_the_nonzero_features():
    X = features()
    assert of(Neighbours().fit(X, labels()), X[:5]).length.tolist() == [
        np.count_nonzero(row) for row in X[:5]
    ]


def test_an_empty_document_has_no_neighbours():
    neighbours = Neighbours().fit(sparse.csr_array(features()), labels())
    found = of(neighbours, np.zeros((1, 30)))
    assert not found.votes.any()
    assert found.nearest.tolist() == [0.0]


def test_fewer_documents_than_neighbours_all_vote():
    X, y = np.eye(3) + 1, np.array([[1], [1], [0]], dtype=bool)
    assert of_training(Neighbours(k=20).fit(X, y)).votes[2] == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_approximate_index_finds_nearly_the_same_neighbours(form):
    rng = np.random.default_rng(0)
    centres = rng.random((12, 40))
    topic = rng.integers(0, 12, 1500)
    X = np.maximum(centres[topic] + rng.normal(0, 0.1, (1500, 40)), 0)
    y = topic[:, np.newaxis] == np.arange(12)
    exact = Neighbours().fit(form(X), y)
    near = Neighbours(exact_documents=1000).fit(form(X), y)
    for mine, its in (
        (of_training(exact), of_training(near)),
        (of(exact, X[:50]), of(near, X[:50])),
    ):
        assert np.abs(mine.votes - its.votes).mean() < 0.01
        assert (mine.nearest - its.nearest).mean() < 0.01


def test_features_must_fit_the_training_documents():
    with pytest.raises(ValueError, match="train_features must have as many rows as y_train, 80"):
        Neighbours().fit(features(79), labels())
    with pytest.raises(ValueError, match="features must have as many columns as train_features"):
        of(Neighbours().fit(features(), labels()), features(d=31))
    with pytest.raises(ValueError, match="train_features must be finite"):
        Neighbours().fit(np.full((80, 2), np.nan), labels())
    with pytest.raises(ValueError, match="train_features must have two dimensions"):
        Neighbours().fit(np.ones(80), labels())


def test_features_in_a_file_are_not_copied(tmp_path):
    X = features(300, 20).astype(np.float32)
    np.save(tmp_path / "vectors.npy", X)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    assert np.shares_memory(as_features(mapped, "features"), mapped)
    assert np.shares_memory(as_features(X, "features"), X)
    half = as_features(X.astype(np.float16), "features")
    assert half.dtype == np.float32
    np.testing.assert_array_equal(half, X.astype(np.float16))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_value_that_is_not_finite_is_found_in_every_block(bad, monkeypatch):
    monkeypatch.setattr("satc.calibration.similarity.features._BLOCK_ROWS", 7)
    X = features(30, 5)
    np.testing.assert_array_equal(lengths(X), (X != 0).sum(axis=1))
    for row in (0, 6, 7, 29):
        Z = X.copy()
        Z[row, 3] = bad
        with pytest.raises(ValueError, match="features must be finite"):
            as_features(Z, "features")


def test_mapped_features_give_the_same_neighbours(tmp_path):
    X, y = features(300, 20).astype(np.float32), labels(300)
    np.save(tmp_path / "vectors.npy", X)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    mine, its = (of_training(Neighbours().fit(each, y)) for each in (X, mapped))
    np.testing.assert_array_equal(mine.votes, its.votes)
