"""Documents until targets on the training documents of a set alone: no test label is used.

    python bench_compare_splits.py CACHE SET LEARNER [--splits 8]

A third of the training documents takes the place of the test documents, with their out-of-fold
scores: the last third, and then random thirds. The paper's methods are compared with ours. Scores
are read from the cache of `bench_compare.py`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from satc.datasets import load
from satc.experiments.comparison.comparison import compare
from satc.experiments.comparison.contenders import Case, KnownSet, SeedRun, run_methods
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS
from satc.learners.text import tfidf_vectorizer

CASES = [Case("contextual", "measure"), Case("contextual", "sign"), Case("u-theoretic", "sign")]
SHOWN = ("until 0.8", "until 0.9", "until 0.95", "until 90% removed")


def splits(n, count):
    """Yield which documents are held out."""
    yield np.arange(n) >= n - n // 3
    for seed in range(count):
        held_out = np.random.default_rng(seed).permutation(n)[: n // 3]
        yield np.isin(np.arange(n), held_out)


def held_out_set(labels, scores, features, out):
    """Return the documents that are held out; classes without another document are left out."""
    kept = labels[~out].any(axis=0)
    known = {
        "oof_scores": scores[~out][:, kept],
        "y_train": labels[~out][:, kept],
        "features": features[out],
        "train_features": features[~out],
    }
    return KnownSet(scores[out][:, kept], labels[out][:, kept], known)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path)
    parser.add_argument("set")
    parser.add_argument("learner")
    parser.add_argument("--splits", type=int, default=8)
    given = parser.parse_args()
    dataset = load(given.set)
    scores = scores_of(dataset, LEARNERS[given.learner], given.cache / "scores", n_jobs=1).oof
    features = tfidf_vectorizer().fit_transform(dataset.train.texts)
    rows = []
    for out in splits(len(scores), given.splits):
        held_out = held_out_set(dataset.train.labels, scores, features, out)
        runs = [SeedRun(held_out, list(run_methods(held_out, CASES)))]
        table = compare(runs, n_resamples=0).table
        rows.append([[table[case][name].value for name in SHOWN] for case in CASES])
        print(*(f"{case}: {row}" for case, row in zip(CASES, rows[-1], strict=True)), flush=True)
    means = np.mean(rows, axis=0)
    fewer = np.mean(np.subtract(rows, np.array(rows)[:, :1]) > 0, axis=0)
    for case, mean, share in zip(CASES, means, fewer, strict=True):
        print(f"mean, {case}:", *(f"{n} {x:.1f}," for n, x in zip(SHOWN, mean, strict=True)))
        print("  share of splits where the first needs fewer:", share.round(2))


if __name__ == "__main__":
    main()
