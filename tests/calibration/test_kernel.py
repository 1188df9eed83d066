"""The compiled loop over the pairs of documents, compared with plain NumPy."""

import numpy as np
import pytest
from scipy.special import expit

import plain_context
from satc.calibration.contextual.block import DocumentBlock
from satc.calibration.contextual.calibrator import ContextualCalibrator
from satc.calibration.contextual.class_tables import ClassTables
from satc.calibration.contextual.cooccurrence import Cooccurrence
from satc.calibration.contextual.description import DocumentsInContext, log_priors
from satc.calibration.contextual.one_label import OneLabelCalibrator, coherent
from satc.calibration.evidence import Evidence
from satc.calibration.exponential import expit_row
from satc.calibration.opinions.pool import Pooled
from satc.calibration.platt import PlattCalibrator
from satc.machine.threads import one_thread


def made(n, m=12, *, one_label=False, seed=0):
    """Return scores, labels, and features and an opinion that reveal them."""
    rng = np.random.default_rng(seed)
    labels = rng.random((n, m)) < 0.15
    labels[:, 1] = labels[:, 0] & (rng.random(n) < 0.8)  # often together
    if one_label:
        labels = np.eye(m, dtype=bool)[rng.integers(0, m, n)]
    scores = labels * 1.2 - 0.9 + rng.normal(0, 0.5, labels.shape)
    centres = np.random.default_rng(99).random((m, 15))
    features = np.abs(labels @ centres + rng.normal(0, 0.3, (n, 15)))
    opinion = labels * 2.0 - 1.0 + rng.normal(size=labels.shape)
    opinion[rng.random(n) < 0.1] = np.nan
    return scores, labels, features, opinion


KNOWN = {
    "scores": lambda features, opinion: None,
    "features": lambda features, opinion: features,
    "opinions": lambda features, opinion: Evidence(None, {"second": opinion}),
    "both": lambda features, opinion: Evidence(features, {"second": opinion}),
}


@pytest.fixture(scope="module", params=[(kind, task) for kind in KNOWN for task in (False, True)])
def fitted(request):
    """A fitted calibrator, and documents with what is known of them."""
    kind, one_label = request.param
    scores, labels, *known = made(600, one_label=one_label)
    calibrator = OneLabelCalibrator() if one_label else ContextualCalibrator()
    calibrator.fit(scores, labels, KNOWN[kind](*known))
    scores, _, *known = made(400, one_label=one_label, seed=1)
    return calibrator, scores, KNOWN[kind](*known)


def plain_answer(calibrator, scores, known):
    found, modelled = plain_context.probabilities(calibrator, scores, known)
    assert 0 < np.count_nonzero(modelled) < modelled.size
    if isinstance(calibrator, OneLabelCalibrator):
        return coherent(found, calibrator.weights_)
    return found


def test_the_compiled_loop_says_what_plain_numpy_says_to_the_last_digit(fitted):
    calibrator, scores, known = fitted
    np.testing.assert_array_equal(calibrator.probabilities(scores, known), plain_answer(*fitted))


def test_float32_columns_and_read_only_arrays_are_served_too(fitted):
    calibrator, scores, known = fitted
    single = np.asfortranarray(scores.astype(np.float32))
    single.flags.writeable = False
    found = calibrator.probabilities(single, known)
    expected = plain_answer(calibrator, single.astype(np.float64), known)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_threads_and_blocks_change_nothing(fitted, monkeypatch):
    calibrator, scores, known = fitted
    with one_thread():
        expected = calibrator.probabilities(scores, known)
    monkeypatch.setattr("satc.machine.threads.n_threads", lambda: 3)
    monkeypatch.setattr("satc.calibration.contextual.calibrator._BLOCK_PAIRS", 300)
    np.testing.assert_allclose(calibrator.probabilities(scores, known), expected, atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e300])  # of the second, some features overflow
def test_features_of_pairs_are_those_of_plain_numpy(scale):
    scores, labels, _, _ = made(300, 40)
    together = Cooccurrence().fit(labels)
    platt = PlattCalibrator().fit(scores, labels)
    tables = ClassTables.of(platt.scale, log_priors(labels.sum(axis=0), 300), together)
    fold = np.zeros(300, dtype=np.int64)
    block = DocumentBlock.of(scores * scale, Pooled(platt.logits(scores * scale), {}))
    documents = DocumentsInContext(block, fold, [tables])
    pairs = np.nonzero(np.random.default_rng(0).random(labels.shape) < 0.3)
    expected = plain_context.describe(plain_context.plain(documents), *pairs)
    np.testing.assert_allclose(documents.describe(*pairs), expected, rtol=1e-5, atol=1e-6)


def test_ties_share_a_rank_and_the_best_other_logit():
    scores = np.array([[1.0, 1.0, 0.0, -1.0], [2.0, 1.0, 1.0, 1.0]])
    ones, zeros = np.ones(4), np.zeros(4)
    nothing = np.zeros(5, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
    tables = ClassTables(ones, zeros, zeros, *nothing)
    block = DocumentBlock.of(scores, Pooled(scores, {}))
    documents = DocumentsInContext(block, np.zeros(2, dtype=np.int64), [tables])
    rows, columns = np.divmod(np.arange(8), 4)
    values = documents.describe(rows, columns)
    assert values[:, 2].tolist() == [0, 0, 2, 3, 0, 1, 1, 1]
    assert values[:, 3].tolist() == [1, 1, 1, 1, 1, 2, 2, 2]


def test_the_logistic_function_is_exact_to_the_last_digits():
    far = np.array([-np.inf, -1e308, -800.0, -0.0, 0.0, 800.0, 1e308, np.inf])
    logits = np.concatenate([far, np.random.default_rng(0).normal(0, 10, 10_001)])
    bits, found = np.empty(len(logits), dtype=np.int64), np.empty(len(logits))
    expit_row(logits, bits, bits.view(np.float64), found)
    np.testing.assert_allclose(found, expit(logits), rtol=1e-15, atol=1e-300)
