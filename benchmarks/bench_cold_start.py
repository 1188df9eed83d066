"""A cold start: what is lost if nothing is known but predictions, and what a gold set brings.

For every dataset and learner, ENER(.10) of macro-F1 and the documents that must be checked until it
is .8 and .9, for

* confidence alone (`baseline` with a sigma of 1, because nothing is known to fit it to),
* a cold start, from scores and from the probabilities that a sigmoid makes of them,
* a gold set of 200 training documents,
* the paper's method (`u-theoretic`) and ours, with all training documents.

Then, for the SVM, predictions without scores: labels alone, and the votes of three classifiers that
were trained on bootstrap samples.

    python bench_cold_start.py [DATASET ...] [--cache DIRECTORY]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.special import softmax

import satc
from satc import predictions
from satc.datasets.loading import load
from satc.decisions import own_labels
from satc.estimation.scorer import fit_scorer
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS
from satc.learners.text import LogTfidfTransformer

DATASETS = ("reuters21578", "ohsumed20k", "medline", "banking77")
SINGLE = ("banking77", "r52", "r8")
TARGETS = (0.8, 0.9)
GOLD = 200
_LARGEST_LOGIT = 15.0


def summary(found) -> str:
    start = found.value[0]
    until = ", ".join(f"{found.documents_for(target):>5}" for target in TARGETS)
    return f"ENER {found.ener(0.10):.3f}  start {start:.3f}  until {TARGETS}: {until}"


def compare(dataset, learner, cache: Path, task: str) -> None:
    scores = scores_of(dataset, learner, cache, n_jobs=2)
    truth, known = dataset.test.labels, dataset.train.labels
    options = {"task": task}
    gold = np.random.default_rng(0).permutation(len(known))[:GOLD]
    everything = {"oof_scores": scores.oof, "y_train": known}
    some = {"oof_scores": scores.oof[gold], "y_train": known[gold]}
    test = scores.test
    if task == "single-label":
        probabilities = softmax(test, axis=1)
    else:
        logits = test * (_LARGEST_LOGIT / np.abs(test).max())  # a sigmoid must not be 0 or 1
        probabilities = 1 / (1 + np.exp(-logits))
    inverted = predictions.from_probabilities(probabilities, task=task)
    cases = {
        "confidence alone": (test, {"method": "baseline", "sigma": 1.0}),
        "cold start": (test, {}),
        "cold start, dynamic": (test, {"method": "contextual-dynamic"}),
        "cold start from probabilities": (inverted, {}),
        f"gold set of {GOLD}": (test, some),
        "u-theoretic, all training": (test, {"method": "u-theoretic", **everything}),
        "contextual, all training": (test, everything),
    }
    print(f"\n{dataset.name}, {learner.title}", flush=True)
    for name, (given, extra) in cases.items():
        found = satc.simulate(given, truth, **options, **extra)
        print(f"  {name:<32}{summary(found)}", flush=True)


def compare_labels(dataset, learner, cache: Path, task: str) -> None:
    """Throw the scores away: labels alone, and votes of three bootstrapped classifiers."""
    scores = scores_of(dataset, learner, cache, n_jobs=2).test
    truth = dataset.test.labels
    vectorizer, estimator = learner.vectorizer(), learner.estimator()
    X = vectorizer.fit_transform(dataset.train.texts)
    X_test = vectorizer.transform(dataset.test.texts)
    features = LogTfidfTransformer().fit_transform(X_test)  # needs no labels
    own = own_labels(scores, task)
    labels = predictions.from_labels(own, task=task)
    rng = np.random.default_rng(0)
    voters = []
    for _ in range(3):
        rows = rng.integers(0, X.shape[0], X.shape[0])
        member = fit_scorer(estimator, X[rows], dataset.train.labels[rows], n_jobs=2)
        voters.append(own_labels(member.scores(X_test), task))
    votes = predictions.from_votes(voters, task=task)
    baseline = satc.simulate(scores, truth, method="baseline", sigma=1.0, task=task)
    print(f"\n{dataset.name}, labels of {learner.title} without scores", flush=True)
    print(f"  {'baseline with the scores':<32}{summary(baseline)}")
    for name, given, extra in (
        ("labels alone, no texts", labels, {}),
        ("labels alone, with texts", labels, {"features": features}),
        ("votes of three, no texts", votes, {}),
        ("votes of three, with texts", votes, {"features": features}),
    ):
        found = satc.simulate(given, truth, task=task, **extra)
        print(f"  {name:<32}{summary(found)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("datasets", nargs="*", default=DATASETS)
    parser.add_argument("--cache", type=Path, default=Path("build/scores"))
    given = parser.parse_args()
    for name in given.datasets:
        dataset = load(name)
        task = "single-label" if name in SINGLE else "multi-label"
        for learner in LEARNERS.values():
            if learner.name == "svm" or name not in ("banking77",):
                compare(dataset, learner, given.cache, task)
        compare_labels(dataset, LEARNERS["svm"], given.cache, task)


if __name__ == "__main__":
    main()
