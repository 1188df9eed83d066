import numpy as np
import pytest

from satc.calibration.expected import expected_tables, raised
from satc.contingency import ContingencyTables
from satc.gains import average_gains
from satc.measures import NAMES, parse


def documents(n=40, m=6, seed=0):
    rng = np.random.default_rng(seed)
    probability = rng.beta(0.3, 1.5, (n, m)).clip(1e-6, 1 - 1e-6)
    decided = probability + rng.normal(0, 0.2, (n, m)) > 0.5
    return probability, decided, rng.random((n, m)) < probability


def test_expected_cells_are_the_mean_over_drawn_labels():
    probability, decided, _ = documents()
    rng = np.random.default_rng(1)
    drawn = [
        ContingencyTables.from_labels(rng.random(probability.shape) < probability, decided)
        for _ in range(4_000)
    ]
    for k, cell in enumerate(expected_tables(probability, decided)):
        np.testing.assert_allclose(cell, np.mean([list(t)[k] for t in drawn], axis=0), atol=0.15)


def test_certain_probabilities_give_the_true_tables():
    _, decided, labels = documents()
    for mine, its in zip(
        expected_tables(labels.astype(float), decided),
        ContingencyTables.from_labels(labels, decided),
        strict=True,
    ):
        np.testing.assert_array_equal(mine, its)


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("measure", NAMES)
def test_gains_are_finite_and_not_negative(measure, average):
    probability, decided, _ = documents()
    decided[:, 0] = False
    probability[:, 0] = 1e-6
    tables = expected_tables(probability, decided)
    gains = average_gains(parse(measure), raised(tables.pooled() if average == "micro" else tables))
    for gain in gains:
        assert gain.shape == ((1,) if average == "micro" else (6,))
        assert np.isfinite(gain).all()
        assert (gain >= -1e-12).all()


def test_no_gain_exceeds_what_ten_errors_could_bring():
    probability, decided = np.full((40, 1), 1e-6), np.zeros((40, 1), dtype=bool)
    tables = expected_tables(probability, decided)
    assert average_gains(parse("f1"), tables).fn[0] > 1_000
    assert average_gains(parse("f1"), raised(tables)).fn[0] <= 10
