"""Single-label tasks: satc, the usual rules of active learning, and cleanlab on the same data.

First, the probabilities of the documents: log-loss and expected calibration error (ECE, 15 bins of
the largest probability) of satc, of temperature scaling, fitted to the same out-of-fold scores, and
of scikit-learn's CalibratedClassifierCV around the same classifier. Then, how many documents
must be checked until macro-F1 is .90, .95 and .98: the label with the largest probability, checked
in the order of each rule, and satc's labels in satc's order. The rules see the probabilities of
temperature scaling, and then those of satc. cleanlab (``pip install cleanlab``) ranks labels by
three scores of its own.

    python bench_single_label.py [DATASET ...]
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier

import satc
from satc.classifier import SemiAutomatedClassifier
from satc.datasets.loading import load
from satc.decisions import largest
from satc.evaluation import error_reduction
from satc.learners.presets import LEARNERS

DATASETS = ("banking77", "r52", "r8")
TARGETS = (0.90, 0.95, 0.98)


def temperature(oof, y_train):
    """Return the factor of the scores that makes the training labels most likely."""

    def loss(factor):
        return -log_softmax(factor * oof, axis=1)[y_train].mean()

    return minimize_scalar(loss, bounds=(0.01, 100.0), method="bounded").x


def log_loss(probability, y_true):
    return -np.log(np.maximum(probability[y_true], 1e-15)).mean()


def calibration_error(probability, y_true):
    confidence, right = probability.max(axis=1), (largest(probability) & y_true).any(axis=1)
    bins = np.minimum((confidence * 15).astype(int), 14)
    gaps = [
        (bins == k).mean() * abs(right[bins == k].mean() - confidence[bins == k].mean())
        for k in np.unique(bins)
    ]
    return sum(gaps)


def until(labels, order, scores, y_true):
    """Return macro-F1 at the start, and the documents until each target."""
    value = 1.0 - error_reduction(order, scores, y_true, labels=labels).residual_error
    return value[0], *(int(np.argmax(value >= target - 1e-12)) for target in TARGETS)


def orders(probability):
    """Return documents by each rule, the most doubtful first."""
    from cleanlab.rank import get_label_quality_scores

    first, second = -np.sort(-probability, axis=1)[:, :2].T
    entropy = -(probability * np.log(np.maximum(probability, 1e-15))).sum(axis=1)
    found = {
        "smallest margin": np.argsort(first - second, kind="stable"),
        "least confidence": np.argsort(first, kind="stable"),
        "entropy": np.argsort(-entropy, kind="stable"),
    }
    for method in ("normalized_margin", "self_confidence", "confidence_weighted_entropy"):
        quality = get_label_quality_scores(probability.argmax(axis=1), probability, method=method)
        found[f"cleanlab, {method}"] = np.argsort(quality, kind="stable")
    return found


def study(name):
    data = load(name)
    learner = LEARNERS["svm"]
    vectorizer = learner.vectorizer()
    train, test = vectorizer.fit_transform(data.train.texts), vectorizer.transform(data.test.texts)
    classifier = SemiAutomatedClassifier(learner.estimator(), n_jobs=-1)
    classifier.fit(train, data.train.labels)
    scores, y_true = classifier.scores(test), data.test.labels
    known = classifier.oof_scores_, classifier.y_train_, classifier.train_features_
    training = satc.Training(*known)
    options = {
        "training": training,
        "features": classifier.features(test),
        "task": "single-label",
    }
    ours = satc.rank(scores, **options).probability
    scaled = softmax(scores * temperature(training.oof_scores, training.labels), axis=1)
    folds = list(KFold(10, shuffle=True, random_state=0).split(train))  # rare classes are in few
    wrapped = CalibratedClassifierCV(OneVsRestClassifier(learner.estimator()), cv=folds)
    by_sklearn = wrapped.fit(train, training.labels.argmax(axis=1)).predict_proba(test)
    print(f"\n{name}: {len(y_true):,} documents, {y_true.shape[1]} classes\n")
    print("| probabilities | log-loss | ECE |\n|:--|--:|--:|")
    for title, probability in (
        ("satc", ours),
        ("temperature scaling", scaled),
        ("CalibratedClassifierCV", by_sklearn),
    ):
        loss, gap = log_loss(probability, y_true), calibration_error(probability, y_true)
        print(f"| {title} | {loss:.4f} | {gap:.4f} |")
    print("\n| labels and order | macro-F1 at the start | until .90 | .95 | .98 |")
    print("|:--|--:|--:|--:|--:|")
    for kind, probability in (("temperature scaling", scaled), ("satc's probabilities", ours)):
        for rule, order in orders(probability).items():
            row(f"{kind}: {rule}", until(largest(probability), order, scores, y_true))
    for method in ("contextual", "contextual-dynamic"):
        sim = satc.simulate(scores, y_true, **options, method=method, decide="measure")
        row(f"satc, {method}", (sim.value[0], *map(sim.documents_for, TARGETS)))


def row(title, figures):
    print(f"| {title} | {figures[0]:.3f} | " + " | ".join(f"{n:,}" for n in figures[1:]) + " |")


if __name__ == "__main__":
    for name in sys.argv[1:] or DATASETS:
        study(name)
