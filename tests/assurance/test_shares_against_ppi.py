"""The shares agree with ppi-python where both have the same task."""

import numpy as np
import pytest

from satc.assurance.shares.interval import difference_estimate
from satc.assurance.shares.sample import Log, sample_of
from satc.assurance.shares.tuning import tuned

ppi_py = pytest.importorskip("ppi_py", reason="pip install --no-deps ppi-python; needs statsmodels")


@pytest.fixture(scope="module")
def drawn():
    """A large audit of a much larger set, with two classes and calibrated probabilities."""
    rng = np.random.default_rng(0)
    probability = rng.beta([0.4, 0.8], [0.8, 4.0], (60_000, 2))
    y = rng.random(probability.shape) < probability
    rows = rng.permutation(60_000)[:3000]
    rest = np.setdiff1d(np.arange(60_000), rows)
    sample = sample_of(probability, Log(rows, y[rows], np.ones(3000, dtype=bool)))
    return sample, y[rows].astype(float), probability[rows], probability[rest]


@pytest.mark.parametrize("slope", [0.0, 0.5, 1.0])
def test_the_estimate_is_that_of_ppi_for_the_same_lambda(drawn, slope):
    sample, y, f, rest = drawn
    theirs = ppi_py.ppi_mean_pointestimate(y, f, rest, lam=slope)
    ours = difference_estimate(sample, np.full(2, slope)) / sample.n_left
    assert ours == pytest.approx(np.ravel(theirs), rel=1e-12)


def test_the_tuned_lambda_and_the_interval_are_near_those_of_ppi(drawn):
    sample, y, f, rest = drawn
    slope = tuned(sample).slope
    for j in range(2):
        spread = np.concatenate([f, rest])[:, j].var(ddof=1)
        theirs = np.cov(y[:, j], f[:, j], ddof=0)[0, 1] / spread
        assert slope[j] == pytest.approx(min(theirs, 1.0), abs=0.03)


def test_the_interval_is_near_that_of_ppi_when_little_of_the_set_is_audited(drawn):
    from satc.assurance.shares.interval import interval

    sample, y, f, rest = drawn
    ours = interval(sample, tuned(sample), 0.95)
    for j in range(2):
        low, high = ppi_py.ppi_mean_ci(y[:, j], f[:, j], rest[:, j], alpha=0.05)
        width = float(high[0] - low[0])
        assert (ours.high[j] - ours.low[j]) / sample.n_left == pytest.approx(width, rel=0.06)
        middle = float(high[0] + low[0]) / 2
        assert ours.estimate[j] / sample.n_left == pytest.approx(middle, abs=0.1 * width)
