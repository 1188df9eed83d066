"""Compare the planner with simulation: how many documents until a target is reached.

The splits are those of the exchangeable study (`bench_assurance_coverage`). For each split, before
any validation, the planner predicts after how many documents macro- and micro-F1 reach .8, .9 and
.95, with probability .5 and .9. The simulation uses the true labels to find the actual number.
Targets that are reached at the start are skipped. DECIDE is sign or measure: who decides on the
labels.

    python bench_assurance_planner.py CACHE N_SEEDS DECIDE
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

import satc
from bench_assurance_coverage import DATASETS, split
from satc.datasets.loading import load
from satc.evaluation import error_reduction
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS

TARGETS = (0.8, 0.9, 0.95)


def needed(validation, y_true, average, target):
    order = validation._ranking.remaining()
    documents = validation.documents
    reduction = error_reduction(
        order, documents.scores, y_true, average=average, labels=documents.decided
    )
    measure = 1.0 - reduction.residual_error
    return int(np.argmax(measure >= target - 1e-12))


def main(cache, n_seeds, decide):
    found = defaultdict(list)
    for name in DATASETS:
        dataset = load(name)
        for learner in LEARNERS.values():
            held = scores_of(dataset, learner, cache, n_jobs=1)
            pools = (held.oof, dataset.train.labels), (held.test, dataset.test.labels)
            for seed in range(n_seeds):
                oof, y_train, scores, y_true = split(pools, "exchangeable", seed)
                for average in ("micro", "macro"):
                    training = {"oof_scores": oof, "y_train": y_train}
                    v = satc.Validation(scores, **training, average=average, decide=decide)
                    outlook = v.outlook()
                    for target in TARGETS:
                        n = needed(v, y_true, average, target)
                        if n:
                            row = n, *(outlook.plan(target, p).documents for p in (0.5, 0.9))
                            found[name, learner.name, average, target].append(row)
    print(
        "\n| dataset | learner | average | target | splits | needed, median | planned (.5), median "
        "| median of \\|planned - needed\\| / needed | enough at .9 |"
    )
    print("|:--|:--|:--|--:|--:|--:|--:|--:|--:|")
    all_errors = []
    for (name, learner, average, target), rows in found.items():
        n, half, most = np.array(rows, dtype=float).T
        off = np.abs(half - n) / n
        all_errors += off.tolist()
        print(
            f"| {name} | {learner} | {average} | {target} | {len(n)} | {np.median(n):.0f} | "
            f"{np.median(half):.0f} | {np.median(off):.0%} | {np.mean(most >= n):.0%} |"
        )
    print(f"\noverall: median {np.median(all_errors):.0%} of {len(all_errors)} plans")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    cache, n_seeds, decide = sys.argv[1:] or ("cache", "10", "sign")
    main(Path(cache), int(n_seeds), decide)
