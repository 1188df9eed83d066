"""The shares agree with ppi-python where both have the same task."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import MultinomialNB

import satc
from satc.assurance.shares.interval import difference_estimate, interval
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
    sample, y, f, rest = drawn
    ours = interval(sample, tuned(sample), 0.95)
    for j in range(2):
        low, high = ppi_py.ppi_mean_ci(y[:, j], f[:, j], rest[:, j], alpha=0.05)
        width = float(high[0] - low[0])
        assert (ours.high[j] - ours.low[j]) / sample.n_left == pytest.approx(width, rel=0.06)
        middle = float(high[0] + low[0]) / 2
        assert ours.estimate[j] / sample.n_left == pytest.approx(middle, abs=0.1 * width)


def wilson_width(y, n_documents):
    """Return the width of Wilson's interval of the audited documents alone."""
    n, z2, mean = len(y) / (1 - len(y) / n_documents), norm.ppf(0.975) ** 2, y.mean(axis=0)
    return 2 * np.sqrt(z2 * (mean * (1 - mean) / n + z2 / 4 / n**2)) / (1 + z2 / n)


@pytest.mark.slow
def test_on_real_texts_intervals_cover_and_are_narrow(dataset):
    """Naive Bayes on Banking77: its probabilities are far from calibrated."""
    banking = dataset("banking77")
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2)
    train = vectorizer.fit_transform(banking.train.texts)
    learnt = MultinomialNB(alpha=0.1).fit(train, banking.train.labels.argmax(axis=1))
    f = learnt.predict_proba(vectorizer.transform(banking.test.texts))
    y = banking.test.labels
    covered, widths = [], []
    for seed in range(40):
        order = np.random.default_rng(seed).permutation(len(y))
        drawn, rest = order[:400], order[400:]
        found = satc.shares(f, drawn, y[drawn])
        covered.append((found.low <= y.mean(axis=0)) & (y.mean(axis=0) <= found.high))
        low, high = ppi_py.ppi_mean_ci(
            y[drawn].astype(float), f[drawn], f[rest], alpha=0.05, lam_optim_mode="element"
        )
        plain = wilson_width(y[drawn], len(y))
        widths.append([w.mean() for w in (found.high - found.low, high - low, plain)])
    ours, theirs, plain = np.mean(widths, axis=0)
    assert np.mean(covered) >= 0.93
    assert ours <= 1.05 * theirs
    assert ours <= 0.8 * plain
