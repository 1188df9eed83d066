import threading

import numpy as np
import pytest
from scipy import sparse

from satc.calibration.similarity import exact, terms
from satc.calibration.similarity.features import normalised
from satc.calibration.similarity.nearest import (
    ClusterIndex,
    ExactIndex,
    TermIndex,
    make_index,
    nearest,
)


def sparse_documents(n=4_000, n_terms=3_000, n_topics=40, length=40, seed=0):
    rng = np.random.default_rng(seed)
    common = np.minimum(rng.zipf(1.3, (n, length // 2)), n_terms) - 1
    words = rng.integers(0, n_terms, (n_topics, 60))
    own = words[rng.integers(0, n_topics, n)[:, np.newaxis], rng.integers(0, 60, (n, length // 2))]
    terms = np.concatenate([common, own], axis=1)
    rows = np.repeat(np.arange(n), length)
    counts = sparse.csr_array((np.ones(terms.size), (rows, terms.ravel())), shape=(n, n_terms))
    frequency = np.maximum(np.bincount(counts.indices, minlength=n_terms), 1)
    counts.data = (1 + np.log(counts.data)) * np.log(n / frequency)[counts.indices]
    return normalised(sparse.csr_array(counts, dtype=np.float32))


def embeddings(n=4_000, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(100, 32))
    group = rng.integers(0, 100, n)
    return normalised((centres[group] + rng.normal(0, 0.5, (n, 32))).astype(np.float32))


def recall(true, found):
    pairs = zip(true.neighbour, found.neighbour, strict=True)
    return np.mean([len(np.intersect1d(a, b)) / true.neighbour.shape[1] for a, b in pairs])


@pytest.mark.slow
@pytest.mark.parametrize("make", [sparse_documents, embeddings])
def test_the_approximate_index_finds_nearly_all_neighbours(make):
    features = make()
    own = np.arange(300)
    true = nearest(ExactIndex(features), features[:300], own, 20)
    found = nearest(make_index(features, exact=False, random_state=0), features[:300], own, 20)
    assert recall(true, found) > 0.85
    assert (found.similarity <= true.similarity + 1e-5).all()
    assert not (found.neighbour == own[:, np.newaxis])[found.similarity > 0].any()


def test_sparse_features_follow_terms_and_dense_ones_clusters():
    assert isinstance(make_index(sparse_documents(200), exact=False, random_state=0), TermIndex)
    assert isinstance(make_index(embeddings(200), exact=False, random_state=0), ClusterIndex)


@pytest.mark.slow
def test_heaviest_terms_are_exact_where_all_terms_are_followed():
    features = sparse_documents(90)  # fewer than are compared in full
    own = np.arange(90)
    true = nearest(ExactIndex(features), features, own, 5)
    found = nearest(TermIndex(features), features, own, 5)
    np.testing.assert_allclose(found.similarity, true.similarity, atol=1e-6)


@pytest.mark.slow
def test_an_empty_document_has_no_neighbours_in_any_index():
    features = sparse_documents(200)
    empty = sparse.csr_array((1, features.shape[1]), dtype=np.float32)
    for index in (ExactIndex(features), TermIndex(features)):
        assert not nearest(index, empty, np.array([-1]), 5).similarity.any()


@pytest.mark.parametrize(
    ("kind", "make"),
    [(ExactIndex, sparse_documents), (ExactIndex, embeddings), (TermIndex, sparse_documents)],
)
def test_threads_and_blocks_do_not_change_what_is_found(kind, make, monkeypatch):
    features, own = make(700), np.arange(700)
    own[::3] = -1
    index = kind(features)
    whole = nearest(index, features, own, 10)
    monkeypatch.setattr("satc.machine.threads.n_threads", lambda: 3)
    monkeypatch.setattr("satc.calibration.similarity.terms._ROWS", 50)
    monkeypatch.setattr("satc.calibration.similarity.selection._BLOCK_SIMILARITIES", 50 * 700)
    parts = nearest(index, features, own, 10)
    np.testing.assert_array_equal(parts.neighbour, whole.neighbour)
    np.testing.assert_array_equal(parts.similarity, whole.similarity)


@pytest.mark.parametrize("kind", [ExactIndex, TermIndex])
def test_blocks_of_documents_are_searched_side_by_side(kind, monkeypatch):
    features, names = sparse_documents(400), set()
    index = kind(features)
    monkeypatch.setattr("satc.machine.threads.n_threads", lambda: 2)
    monkeypatch.setattr("satc.calibration.similarity.terms._ROWS", 200)
    monkeypatch.setattr("satc.calibration.similarity.selection._BLOCK_SIMILARITIES", 200 * 400)
    meeting = threading.Barrier(2, timeout=60)

    class Own(np.ndarray):
        """Positions of documents that are read block by block."""

        def __getitem__(self, rows):
            names.add(threading.current_thread().name)
            meeting.wait()
            return np.asarray(self)[rows]

    nearest(index, features, np.arange(400).view(Own), 5)
    assert len(names) == 2


@pytest.mark.parametrize("loop", [exact._search_sparse, terms._search_heaviest])
def test_the_loops_release_the_lock_of_the_interpreter(loop):
    assert loop.targetoptions["nogil"]


def test_the_same_seed_gives_the_same_clusters():
    features, nobody = embeddings(1_000), np.full(1_000, -1)
    one, two = (nearest(ClusterIndex(features, 3), features, nobody, 5) for _ in range(2))
    np.testing.assert_array_equal(one.neighbour, two.neighbour)
