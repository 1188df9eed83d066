"""The compiled sums of Platt's lines, compared with the sums of planes in plain NumPy."""

import numpy as np
import pytest

from made import make
from satc.calibration.line_sums import N_SUMS, add_documents
from satc.calibration.planes import class_planes, pooled_plane, sums_of
from satc.calibration.platt import PlattCalibrator, class_scales, mean_and_spread

N, M, FOLDS = 700, 6, 3


@pytest.fixture(scope="module")
def training():
    """Scores, labels and the fold of each document."""
    made = make(n_train=N, m=M)
    return made.oof_scores, made.y_train, np.random.default_rng(0).integers(-1, FOLDS, N)


@pytest.fixture
def many_pairs(monkeypatch):
    """The compiled loop takes every number of pairs."""
    monkeypatch.setattr("satc.calibration.platt._FEW_PAIRS", 0)


def plain_blocks(scores, labels, known=slice(None)):
    """Return the standardised scores and the labels of known documents, as one block."""
    scale = class_scales(scores)
    mean, spread = mean_and_spread(scores, scale)
    return lambda: iter([([(scores[known] / scale - mean) / spread], labels[known])])


def test_sums_of_every_fold_are_those_of_plain_numpy(training):
    scores, labels, fold = training
    lines = np.random.default_rng(1).normal(0, 2, (FOLDS, 2, M))
    lines[0, 1, 0] = 1e4  # impossible labels
    active = np.array([True, True, False])
    scale = class_scales(scores)
    sums = np.zeros((FOLDS, N_SUMS, M))
    standard = scale, *mean_and_spread(scores, scale)
    add_documents(scores, labels, fold, *standard, lines, active, sums)
    for k in range(FOLDS):
        expected = np.zeros((N_SUMS, M))
        if active[k]:
            add = sums_of(plain_blocks(scores, labels, fold != k))
            add(lines[k], np.ones(1, dtype=bool), expected)
        np.testing.assert_allclose(sums[k], expected, rtol=1e-9, atol=1e-9)


def plain_lines(scores, labels):
    """Return the lines of all classes, and their prior."""
    blocks, positives = plain_blocks(scores, labels), labels.sum()
    odds = (positives + 0.5) / (labels.size - positives + 0.5)
    pooled = pooled_plane(blocks, np.array([[1.0], [np.log(odds)]]))
    centre = np.repeat(pooled, M, axis=1)
    return class_planes(sums_of(blocks), centre, centre), centre


def test_lines_of_few_pairs_are_those_of_plain_numpy_to_the_last_digit(training):
    scores, labels, fold = training
    lines, centre = plain_lines(scores, labels)
    platt = PlattCalibrator().fit(scores, labels)
    np.testing.assert_array_equal(platt._lines, lines)
    for k, found in enumerate(platt.refit_folds(scores, labels, fold)):
        scale, known = class_scales(scores), fold != k
        mean, spread = mean_and_spread(scores, scale)
        some = [((scores[known] / scale - mean) / spread)], labels[known]
        expected = class_planes(sums_of(lambda some=some: iter([some])), centre, lines)
        np.testing.assert_array_equal(found._lines, expected)


def test_lines_of_many_pairs_are_those_of_plain_numpy(training, many_pairs):
    scores, labels, _ = training
    lines, _ = plain_lines(scores, labels)
    platt = PlattCalibrator().fit(scores, labels)
    np.testing.assert_allclose(platt._lines, lines, rtol=0, atol=1e-6)


def test_all_folds_at_once_are_one_fold_after_the_other(training, many_pairs):
    scores, labels, fold = training
    platt = PlattCalibrator().fit(scores, labels)
    for k, found in enumerate(platt.refit_folds(scores, labels, fold)):
        alone = platt.refit(scores, labels, fold != k)
        np.testing.assert_array_equal(found.slope, alone.slope)
        np.testing.assert_array_equal(found.intercept, alone.intercept)
