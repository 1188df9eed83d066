"""The contextual calibrator: scoring compared with plain NumPy, fitting in seconds, and memory.

Scoring 50,216 x 97 pairs should take at most 6 times the static ranking as a plain NumPy expression
(`bench_ranking.py`), also if labels are independent of each other. Fitting on 9,603 x 115 pairs,
the size of Reuters, should take at most 1.5 s on two free cores, and less than one fit of all pairs
by scikit-learn's HistGradientBoostingClassifier with default settings. Memory is the peak of what
Python allocates, divided by the size of one float64 array of scores. Compiling is not measured.

python benchmarks/bench_contextual.py [--quick]

With `--quick`, the fit of all pairs, the larger set and the decisions are left out.
"""

from __future__ import annotations

import os
import sys
import time
import tracemalloc

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

import satc
from satc.calibration.contextual.block import DocumentBlock
from satc.calibration.contextual.calibrator import ContextualCalibrator
from satc.calibration.contextual.class_tables import ClassTables
from satc.calibration.contextual.cooccurrence import Cooccurrence
from satc.calibration.contextual.description import DocumentsInContext, log_priors
from satc.calibration.opinions.pool import Pooled
from satc.calibration.platt import PlattCalibrator
from satc.contingency import ContingencyTables
from satc.gains import average_gains
from satc.measures import F1
from satc.smoothing import smooth
from scores import OHSUMED, REUTERS_TRAIN
from scores import make as make_independent
from timing import report, seconds

LARGE = (60_000, 200)
N_DECISIONS = 300
SIGMA = 6.5


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
    prior = log_priors(labels.sum(axis=0), len(labels))
    platt = PlattCalibrator().fit(scores, labels)
    tables = ClassTables.of(platt.scale, prior, Cooccurrence().fit(labels))
    block = DocumentBlock.of(scores, Pooled(platt.logits(scores), {}))
    documents = DocumentsInContext(block, np.zeros(len(scores), dtype=np.int64), [tables])
    return documents.describe(*np.nonzero(np.ones(scores.shape, dtype=bool)))


def plain_static(scores, gains):
    """Return the static ranking of the paper's method, as a plain NumPy expression."""
    wrong = 1 / (1 + np.exp(SIGMA * np.abs(scores)))
    utility = (wrong * np.where(scores >= 0, gains.fp, gains.fn)).sum(axis=1)
    return np.argsort(-utility, kind="stable")


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


def report_scoring(name, make_documents):
    """Print how long scoring takes, compared with plain NumPy, and its memory."""
    scores, _ = make_documents(OHSUMED)
    oof_scores, y_train = make_documents((REUTERS_TRAIN[0], OHSUMED[1]), seed=1)
    calibrator = ContextualCalibrator().fit(oof_scores, y_train)
    tables = smooth(ContingencyTables.from_labels(y_train, oof_scores >= 0))
    gains = average_gains(F1, tables)
    plain, scored = seconds(
        lambda: plain_static(scores, gains), lambda: calibrator.probabilities(scores)
    )
    report(f"scoring in context / plain NumPy static, {name}", scored / plain, "at most 6")
    per_pair = 1e9 * scored / scores.size
    print(f"  {1e3 * scored:.0f} ms, {per_pair:.1f} ns a pair; plain NumPy {1e3 * plain:.0f} ms")
    _, memory = peak(lambda: calibrator.probabilities(scores))
    report(f"scoring, {name}: peak memory / scores", memory / scores.nbytes, "1, the result")


def report_fit():
    """Print how long a fit of 1.1 million pairs takes, and its memory."""
    scores, labels = make(REUTERS_TRAIN)
    independent = make_independent(REUTERS_TRAIN)
    fitted, fitted_independent = seconds(
        lambda: ContextualCalibrator().fit(scores, labels),
        lambda: ContextualCalibrator().fit(*independent),
        repeat=5,
    )
    start = time.process_time()
    ContextualCalibrator().fit(scores, labels)
    used = time.process_time() - start
    print(f"fit of {scores.size:,} pairs: {fitted:.2f} s, {used:.2f} s of processor time")
    print(f"the same, independent labels: {fitted_independent:.2f} s   (wanted: at most 1.5 s)")
    _, memory = peak(lambda: ContextualCalibrator().fit(scores, labels))
    report("fit: peak memory / scores", memory / scores.nbytes, "for information")


def report_plain_fit():
    """Print how long a fit takes, compared with one gradient-boosted fit of all pairs."""
    scores, labels = make(REUTERS_TRAIN)
    pairs = all_pairs(scores, labels)
    plain, fitted = seconds(
        lambda: HistGradientBoostingClassifier(random_state=0).fit(pairs, labels.ravel()),
        lambda: ContextualCalibrator().fit(scores, labels),
        repeat=2,
    )
    report("fitting in context / one plain fit of all pairs", fitted / plain, "at most 1")


def report_large():
    """Print the memory of a larger set."""
    large, labels = make_independent(LARGE)
    for max_pairs in (50_000, 400_000):
        calibrator, memory = peak(
            lambda most=max_pairs: ContextualCalibrator(max_pairs=most).fit(large, labels)
        )
        name = f"fit of {LARGE[0]:,} x {LARGE[1]}, {max_pairs:,} pairs: peak memory"
        report(name, memory / large.nbytes, "blocks and the sample")
    _, memory = peak(lambda: calibrator.probabilities(large))
    report("probabilities: peak memory", memory / large.nbytes, "1, the result, and blocks")


def report_decisions():
    """Print how long a decision takes."""
    training = make((REUTERS_TRAIN[0], OHSUMED[1]), seed=1)
    median, slowest = decisions(*make(OHSUMED), *training)
    print(f"contextual-dynamic, a decision at {OHSUMED}: {median:.1f} ms, slowest {slowest:.1f} ms")


print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
report_scoring("labels that go together", make)
report_scoring("independent labels", make_independent)
report_fit()
if "--quick" not in sys.argv[1:]:
    report_plain_fit()
    report_large()
    report_decisions()
