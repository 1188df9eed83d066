import numpy as np
import pytest

from satc.calibration.contextual.pairs import UniformSample, sample_pairs, sample_positives


def sampled(room, sizes, seed=0):
    rng = np.random.default_rng(seed)
    sample, start = UniformSample(room), 0
    for size in sizes:
        keys = rng.random(size)
        wanted = sample.wanted(keys)
        rows = np.arange(start, start + size, dtype=np.float32)[:, np.newaxis]
        sample.add(keys[wanted], rows[wanted])
        start += size
    return sample


def test_everything_stays_while_there_is_room():
    sample = sampled(100, [30, 0, 40])
    assert sample.rows()[:, 0].tolist() == list(range(70))
    assert sample.share == 1.0


def test_how_a_table_is_cut_into_parts_does_not_show():
    whole, parts = sampled(50, [1_000]), sampled(50, [10] * 100)
    np.testing.assert_array_equal(whole.rows(), parts.rows())
    assert whole.share == parts.share == 0.05


def test_every_row_has_the_same_chance():
    counts = np.zeros(100)
    for seed in range(400):
        counts[sampled(20, [50, 30, 20], seed).rows()[:, 0].astype(int)] += 1
    assert counts.sum() == 400 * 20
    assert np.abs(counts / 400 - 0.2).max() < 0.09  # 4.5 standard errors


def test_all_pairs_are_taken_where_they_are_few_and_some_where_they_are_many():
    rng = np.random.default_rng(0)
    rows, columns = sample_pairs((3, 4), 100, rng)
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == 12
    rows, columns = sample_pairs((300, 40), 100, rng)
    assert len(rows) == 100
    assert rows.max() < 300
    assert columns.max() < 40


def test_positives_are_positive_and_all_are_found():
    rng = np.random.default_rng(0)
    labels = rng.random((500, 200)) < 0.1
    rows, columns = sample_positives(labels, labels.sum(), rng)
    np.testing.assert_array_equal(np.array([rows, columns]), np.nonzero(labels))
    rows, columns = sample_positives(labels, 1_000, rng)
    assert labels[rows, columns].all()
    assert len(rows) == pytest.approx(1_000, rel=0.15)
