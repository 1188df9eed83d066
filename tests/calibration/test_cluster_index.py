import numpy as np
import pytest

from satc.calibration.similarity.clusters import ClusterIndex
from satc.calibration.similarity.nearest import nearest
from satc.calibration.similarity.neighbours import Neighbours
from satc.calibration.similarity.probing import Probing, exact_neighbours
from satc.machine.threads import in_threads


def unit(x):
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return (x / np.where(length > 0, length, 1)).astype(np.float32)


def topics(n=20_000, d=48, n_topics=60, noise=0.8):
    """Overlapping topics of unequal size, in directions of unequal variance.

    More documents start with the same ones.
    """
    rng = np.random.default_rng(0)
    spread = np.arange(1, d + 1) ** -0.4
    share = 1 / np.arange(1, n_topics + 1) ** 0.7
    centres = rng.normal(size=(n_topics, d)) * spread
    topic = np.random.default_rng(1).choice(n_topics, n, p=share / share.sum())
    return unit(centres[topic] + noise * np.random.default_rng(2).normal(size=(n, d)) * spread)


def without_groups(n=5_000, d=32, seed=0):
    return unit(np.random.default_rng(seed).normal(size=(n, d)))


def plain_neighbours(train, query, own, k):
    """Sort all similarities of one document, in double precision."""
    similarity = train.astype(float) @ query.astype(float)
    if own >= 0:
        similarity[own] = -np.inf
    return np.argsort(-similarity, kind="stable")[:k], np.sort(similarity)[::-1][:k]


def share_found(index, train, queries, own, k=20):
    """Count found documents that are as similar as the k-th true neighbour."""
    found = nearest(index, queries, own, k)
    shares = []
    for row, query in enumerate(queries):
        limit = plain_neighbours(train, query, own[row], k)[1][-1]
        shares.append(np.mean(found.similarity[row] >= limit - 1e-5))
    return np.mean(shares)


@pytest.fixture(scope="module")
def train():
    return topics()


@pytest.fixture(scope="module")
def index(train):
    return ClusterIndex(train, random_state=0)


@pytest.mark.slow
def test_the_promised_recall_is_reached_on_training_and_on_new_documents(train, index):
    own = np.random.default_rng(5).choice(len(train), 400, replace=False)
    assert share_found(index, train, train[own], own) >= 0.95
    assert share_found(index, train, topics(20_400)[20_000:], np.full(400, -1)) >= 0.95


@pytest.mark.slow
def test_the_measured_recall_is_that_of_a_search(train, index):
    own = np.random.default_rng(7).choice(len(train), 1_000, replace=False)
    assert index.recall_ >= 0.95
    assert share_found(index, train, train[own], own) == pytest.approx(index.recall_, abs=0.015)


@pytest.mark.slow
def test_only_a_part_of_the_documents_is_compared(train, index):
    similarity = train[:500] @ index.centres.T
    sizes = np.array([len(members) for members in index.members])
    _, clusters = index.probing.probed(similarity)
    assert sizes[clusters].sum() / 500 < 0.2 * len(train)


@pytest.mark.slow
def test_found_neighbours_are_distinct_and_sorted_and_carry_their_cosines(train, index):
    own = np.arange(0, 20_000, 50)
    found = nearest(index, train[own], own, 20)
    assert not (found.neighbour == own[:, np.newaxis]).any()
    assert all(len(set(row)) == 20 for row in found.neighbour.tolist())
    assert (np.diff(found.similarity, axis=1) <= 0).all()
    cosines = np.einsum("ij,ikj->ik", train[own], train[found.neighbour])
    np.testing.assert_allclose(found.similarity, cosines, atol=1e-5)


@pytest.mark.slow
def test_more_recall_is_reached_where_it_is_wanted_even_without_groups():
    train = without_groups()
    low, high = (ClusterIndex(train, 0, recall=recall) for recall in (0.5, 0.99))
    own = np.arange(500)
    assert 0.5 <= low.recall_ < 0.75
    assert high.recall_ >= 0.99
    assert 0.45 <= share_found(low, train, train[own], own) < 0.75
    assert share_found(high, train, train[own], own) >= 0.98


def test_a_recall_of_1_finds_all_true_neighbours():
    train = without_groups(600, 16)
    index = ClusterIndex(train, 0, k=5, recall=1.0)
    found = nearest(index, train, np.arange(600), 5)
    for row in range(600):  # all 600 documents are in the sample that is measured
        np.testing.assert_array_equal(
            found.neighbour[row], plain_neighbours(train, train[row], row, 5)[0]
        )


def test_exact_neighbours_are_those_of_a_plain_sort():
    train, queries = without_groups(700, 16), np.array([3, 99, 500])
    found = exact_neighbours(train, queries, 6)
    for row, query in enumerate(queries):
        np.testing.assert_array_equal(
            found.neighbour[row], plain_neighbours(train, train[query], query, 6)[0]
        )


def test_thousands_of_equal_documents_are_neighbours_of_each_other_at_bounded_cost():
    others = topics(2_000)
    train = np.concatenate([np.repeat(others[:1], 3_000, axis=0), others])
    index = ClusterIndex(train, 0)
    assert max(len(members) for members in index.members) < 1_000
    own = np.array([0, 1, 1_500, 2_999, 3_000])
    found = nearest(index, train[own], own, 20)
    np.testing.assert_allclose(found.similarity, 1.0, atol=1e-5)
    assert not (found.neighbour == own[:, np.newaxis]).any()
    assert all(len(set(row)) == 20 for row in found.neighbour.tolist())
    rest = np.arange(3_001, 5_000, 5)
    assert share_found(index, train, train[rest], rest) >= 0.95


def test_documents_of_zeros_have_no_neighbours_and_are_none():
    train = topics(2_000)
    train[::2] = 0
    index = ClusterIndex(train, 0)
    found = nearest(index, train, np.arange(2_000), 20)
    assert not found.similarity[::2].any()
    assert (found.neighbour[found.similarity > 0] % 2 == 1).all()
    own = np.arange(1, 2_000, 2)
    assert share_found(index, train, train[own], own) >= 0.95


def test_only_zeros():
    index = ClusterIndex(np.zeros((300, 8), dtype=np.float32), 0)
    assert not nearest(index, np.eye(8, dtype=np.float32), np.full(8, -1), 5).similarity.any()


@pytest.mark.parametrize("n", [1, 2, 7])
def test_fewer_documents_than_neighbours(n):
    train = np.abs(without_groups(n, 4))
    found = nearest(ClusterIndex(train, 0), train, np.arange(n), 20)
    assert ((found.similarity > 0).sum(axis=1) == n - 1).all()


def test_one_very_large_cluster():
    rng = np.random.default_rng(0)
    near = np.zeros(24)
    near[0] = 1
    tight = unit(near + 1e-3 * rng.normal(size=(4_000, 24)))
    train = np.concatenate([tight, without_groups(400, 24)])
    index = ClusterIndex(train, 0)
    own = np.arange(0, 4_400, 11)
    assert share_found(index, train, train[own], own) >= 0.95
    limited = index.probing._replace(margin=2.0, most=len(index.centres))
    index.probing = limited  # compare with everything: then nothing may be missing
    assert share_found(index, train, train[own], own) == 1.0


def test_blocks_do_not_change_what_is_found(monkeypatch):
    train, own = topics(2_000), np.arange(2_000)
    index = ClusterIndex(train, 0)
    whole = nearest(index, train, own, 20)
    monkeypatch.setattr("satc.calibration.similarity.clusters._PAIRS", 100)
    monkeypatch.setattr("satc.calibration.similarity.clusters._HELD_ROWS", 7)
    monkeypatch.setattr("satc.calibration.similarity.selection._BLOCK_SIMILARITIES", 5_000)
    parts = nearest(index, train, own, 20)
    np.testing.assert_allclose(parts.similarity, whole.similarity, atol=1e-5)


def test_threads_do_not_change_what_is_found(monkeypatch):
    train, own = topics(2_000), np.arange(2_000)
    one = nearest(ClusterIndex(train, 0), train, own, 20)
    monkeypatch.setattr("satc.machine.threads.n_threads", lambda: 3)
    three = nearest(ClusterIndex(train, 0), train, own, 20)
    np.testing.assert_allclose(three.similarity, one.similarity, atol=1e-5)


def test_an_error_in_a_thread_is_raised():
    def fail(rows):
        raise MemoryError(f"rows {rows.start}")

    with pytest.raises(MemoryError, match="rows 0"):
        in_threads(fail, [slice(0, 2), slice(2, 4)])


def test_a_document_probes_the_nearest_clusters_within_the_margin():
    similarity = np.array([[0.9, 0.1, 0.85, 0.7], [0.2, 0.25, 0.1, 0.3]], dtype=np.float32)
    rows, clusters = Probing(2, 0.1, 1.0).probed(similarity)
    assert list(zip(rows, clusters, strict=True)) == [(0, 0), (0, 2), (1, 1), (1, 3)]
    rows, clusters = Probing(4, 0.06, 1.0).probed(similarity)
    assert list(zip(rows, clusters, strict=True)) == [(0, 0), (0, 2), (1, 1), (1, 3)]
    rows, clusters = Probing(1, 2.0, 1.0).probed(similarity)
    assert list(zip(rows, clusters, strict=True)) == [(0, 0), (1, 3)]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_votes_are_nearly_those_of_an_exact_search(dtype, train):
    X = train.astype(dtype)
    y = X[:, :6] > 0.05
    exact = Neighbours(exact_documents=10**9).fit(X, y)
    near = Neighbours(exact_documents=1_000).fit(X, y)
    assert isinstance(near.index_, ClusterIndex)
    rows = slice(0, 2_000)
    votes = [
        (each.vote_weights(each.find_for_training(), rows) @ each.labels_).toarray()
        for each in (exact, near)
    ]
    assert np.abs(votes[0] - votes[1]).mean() < 0.01
