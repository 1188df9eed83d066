"""The contextual calibrator, compared with one gradient-boosted fit of all pairs.

Fitting on 9,603 x 115 pairs, the size of Reuters, should take no longer than one fit of
scikit-learn's HistGradientBoostingClassifier with default settings. Scoring 50,216 x 97 pairs
should take a tenth of that per pair, also if labels are independent of each other, when the largest
number of pairs needs the full model. Memory is the peak of what Python allocates, divided by the
size of one float64 array of scores.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

import satc
from satc.calibration.contextual.calibrator import ContextualCalibrator
from satc.calibration.contextual.cooccurrence import Cooccurrence
from satc.calibration.contextual.description import DocumentBlock, describe, log_priors
from satc.calibration.platt import PlattCalibrator, expit
from scores import OHSUMED, REUTERS_TRAIN
from scores import make as make_independent
from timing import report, seconds

LARGE = (60_000, 200)
N_DECISIONS = 300


def make(shape, seed=0):
    """Generate scores and labels: Zipf-like topics, often with a second label that goes with them.

    The scores of a document have a common strength, and those of a class a common spread.
    """
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


def all_pairs(scores, labels):
    """Return the features of every pair, for the reference fit."""
    platt = PlattCalibrator().fit(scores, labels)
    logits = platt.logits(scores)
    evidence = Cooccurrence().fit(labels).evidence(expit(logits))
    prior = np.broadcast_to(log_priors(labels.sum(axis=0), len(labels)), scores.shape)
    everything = np.nonzero(np.ones(scores.shape, dtype=bool))
    return describe(DocumentBlock(scores / platt.scale, logits, evidence, prior, None), *everything)


def peak(function):
    tracemalloc.start()
    result = function()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return result, most


def decisions(scores, labels, oof_scores, y_train):
    """Return the median and the largest time of `next` and `submit`, in milliseconds."""
    validation = satc.Validation(
        scores, oof_scores=oof_scores, y_train=y_train, method="contextual-dynamic"
    )
    taken = []
    for _ in range(N_DECISIONS):
        start = time.perf_counter()
        i = validation.next()
        validation.submit(i, labels[i])
        taken.append(1e3 * (time.perf_counter() - start))
    return float(np.median(taken[1:])), max(taken[1:])  # the first one compiles


scores, labels = make(REUTERS_TRAIN)
pairs = all_pairs(scores, labels)
trained = (REUTERS_TRAIN[0], OHSUMED[1])
(small, small_labels), (many, many_labels) = make(trained, seed=1), make(OHSUMED)
calibrator = ContextualCalibrator().fit(small, small_labels)
independent = ContextualCalibrator().fit(*make_independent(trained, seed=1))
many_independent, _ = make_independent(OHSUMED)

plain, fitted, scored, scored_independent = seconds(
    lambda: HistGradientBoostingClassifier(random_state=0).fit(pairs, labels.ravel()),
    lambda: ContextualCalibrator().fit(scores, labels),
    lambda: calibrator.probabilities(many),
    lambda: independent.probabilities(many_independent),
    repeat=2,
)
per_pair = many.size * plain / scores.size
report("fitting in context / one plain fit of all pairs", fitted / plain, "at most 1")
report("scoring in context / one plain fit, per pair", scored / per_pair, "at most 0.1")
report("the same, independent labels", scored_independent / per_pair, "at most 0.1")

large, large_labels = make_independent(LARGE)
for max_pairs in (50_000, 400_000):
    large_calibrator, memory = peak(
        lambda most=max_pairs: ContextualCalibrator(max_pairs=most).fit(large, large_labels)
    )
    name = f"fit of {LARGE[0]:,} x {LARGE[1]}, {max_pairs:,} pairs: peak memory"
    report(name, memory / large.nbytes, "blocks and the sample")
_, memory = peak(lambda: large_calibrator.probabilities(large))
report("probabilities: peak memory", memory / large.nbytes, "1, the result, and blocks")

median, slowest = decisions(many, many_labels, small, small_labels)
print(f"contextual-dynamic, a decision at {OHSUMED}: {median:.1f} ms, slowest {slowest:.1f} ms")
