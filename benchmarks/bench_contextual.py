"""The contextual calibrator at Reuters' size, against one plain gradient-boosted fit of its pairs.

Fitting on 9,603 x 115 pairs may cost one fit of scikit-learn's HistGradientBoostingClassifier
with default settings; scoring 50,216 x 97 pairs, per pair, a tenth of that.
"""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from satc.calibration.context import Documents, describe, log_priors
from satc.calibration.contextual import ContextualCalibrator
from satc.calibration.cooccurrence import Cooccurrence
from satc.calibration.platt import PlattCalibrator, expit
from scores import OHSUMED, REUTERS_TRAIN
from timing import report, seconds


def make(shape, seed=0):
    """Zipf-like topics and their companions; long documents score high, classes differ in scale."""
    n, m = shape
    rng = np.random.default_rng(seed)
    prior = 1 / np.arange(1, m + 1) ** 1.1
    topic = rng.choice(m, n, p=prior / prior.sum())
    labels = topic[:, np.newaxis] == np.arange(m)
    companions = rng.random(n) < 0.2
    labels[companions, (topic[companions] * 7 + 3) % m] = True
    spread = np.random.default_rng(0).uniform(0.15, 0.4, m)
    noise = spread * rng.normal(size=(n, m)) + rng.normal(0, 0.2, (n, 1))
    strength = rng.gamma(2.0, 0.6, (n, 1))
    return np.where(labels, strength, 0.0) - 1.0 + noise, labels


scores, labels = make(REUTERS_TRAIN)
platt = PlattCalibrator().fit(scores, labels)
logits = platt.logits(scores)
evidence = Cooccurrence().fit(labels).evidence(expit(logits))
prior = np.broadcast_to(log_priors(labels.sum(axis=0), len(labels)), scores.shape)
everything = np.nonzero(np.ones(scores.shape, dtype=bool))
pairs = describe(Documents(scores / platt.scale, logits, evidence, prior, None), *everything)

(small, small_labels), (many, _) = make((REUTERS_TRAIN[0], OHSUMED[1]), seed=1), make(OHSUMED)
calibrator = ContextualCalibrator().fit(small, small_labels)

plain, fitted, scored = seconds(
    lambda: HistGradientBoostingClassifier(random_state=0).fit(pairs, labels.ravel()),
    lambda: ContextualCalibrator().fit(scores, labels),
    lambda: calibrator.probabilities(many),
    repeat=2,
)
report("fitting in context / one plain fit of all pairs", fitted / plain, "at most 1")
per_pair = (scored / many.size) / (plain / scores.size)
report("scoring in context / one plain fit, per pair", per_pair, "at most 0.1")
