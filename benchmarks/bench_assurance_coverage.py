"""Coverage of the live estimate's 95% interval, on every dataset and learner.

*Exchangeable*: the cached out-of-fold scores of a training set are one pool of documents, all
scored in the same way. For each seed, the pool is shuffled; `N_DOCUMENTS` documents become Tr and
the same number of others Te (half of the pool each if it is smaller); classes without a positive in
Tr are dropped; and Te is validated in the order of the contextual method. *Original*: the documents
come from the original Tr and Te. There, Te was scored by the classifier trained on all of Tr, and
may come from another time. At each depth, the interval is compared with the true value. DECIDE is
sign or measure: who decides on the labels. Results are appended to a file, and a run continues
where the last one stopped.

    python bench_assurance_coverage.py CACHE RESULTS N_SEEDS N_SEEDS_ORIGINAL DECIDE
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

import satc
from satc.contingency import ContingencyTables
from satc.datasets.loading import load
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS
from satc.measures import F1, macro_or_micro

DATASETS = ("reuters21578", "ohsumed20k", "medline", "medline-s")
DEPTHS = (0.0, 0.02, 0.05, 0.10, 0.20)
N_DOCUMENTS = 700


def split(pools, kind, seed):
    """Return the scores and labels of Tr and Te for one seed."""
    rng = np.random.default_rng(seed)
    (oof, y_train), (scores, y_test) = pools
    if kind == "exchangeable":
        size = min(N_DOCUMENTS, len(oof) // 2)
        shuffled = rng.permutation(len(oof))
        a, b = shuffled[:size], shuffled[size : 2 * size]
        parts = oof[a], y_train[a], oof[b], y_train[b]
    else:
        a = rng.permutation(len(oof))[:N_DOCUMENTS]
        b = rng.permutation(len(scores))[:N_DOCUMENTS]
        parts = oof[a], y_train[a], scores[b], y_test[b]
    seen = parts[1].any(axis=0)
    return [part[:, seen] for part in parts]


def validate(parts, decide, **options):
    """Return rows of (depth, average, truth, value, low, high, whether the assumption held)."""
    oof, y_train, scores, y_true = parts
    validation = satc.Validation(scores, oof_scores=oof, y_train=y_train, decide=decide, **options)
    rows = []
    for depth in DEPTHS:
        while validation.n_validated < round(depth * len(scores)):
            i = validation.next()
            validation.submit(i, y_true[i])
        tables = ContingencyTables.from_labels(y_true, validation.labels)
        for average in ("macro", "micro"):
            truth = macro_or_micro(F1, tables, average)
            a = validation.accuracy(average=average)
            held = a.assumption.holds
            rows.append((depth, average, truth, a.value, a.low, a.high, held))
    return rows


def study(cache, results, n_seeds, n_original, decide):
    done = (
        {tuple(json.loads(line)["key"]) for line in results.open()} if results.exists() else set()
    )
    pools = {}
    for name in DATASETS:
        dataset = load(name)
        for learner in LEARNERS.values():
            held = scores_of(dataset, learner, cache, n_jobs=1)
            train, test = dataset.train.labels, dataset.test.labels
            pools[name, learner.name] = (held.oof, train), (held.test, test)
    keys = [
        (*pair, kind, seed)
        for seed in range(max(n_seeds, n_original))
        for kind, n in (("exchangeable", n_seeds), ("original", n_original))
        for pair in pools
        if seed < n
    ]
    with results.open("a") as stream:
        for key in keys:
            if key not in done:
                rows = validate(split(pools[key[:2]], key[2], key[3]), decide)
                stream.write(json.dumps({"key": key, "rows": rows}) + "\n")
                stream.flush()


def table(results):
    groups = defaultdict(list)
    for line in results.open():
        entry = json.loads(line)
        name, learner, kind, _ = entry["key"]
        for depth, average, truth, value, low, high, held in entry["rows"]:
            groups[kind, name, learner, average, depth].append(
                (low <= truth <= high, value - truth, high - low, not held)
            )
    for kind in ("exchangeable", "original"):
        for average in ("micro", "macro"):
            print(
                f"\n{kind}, {average}-F1: coverage, mean error of the estimate, width of the "
                "interval; alarms at 20%"
            )
            shares = " | ".join(f"{depth:.0%}" for depth in DEPTHS)
            print(f"\n| dataset | learner | seeds | {shares} | alarms |")
            print("|:--|:--|--:|" + "--:|" * (len(DEPTHS) + 1))
            for name in DATASETS:
                for learner in LEARNERS:
                    cells = [groups[kind, name, learner, average, depth] for depth in DEPTHS]
                    if not cells[0]:
                        continue
                    means = [np.mean(cell, axis=0) for cell in cells]
                    shown = " | ".join(f"{m[0]:.0%} {m[1]:+.3f} {m[2]:.3f}" for m in means)
                    print(
                        f"| {name} | {learner} | {len(cells[0])} | {shown} | {means[-1][3]:.0%} |"
                    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    default = ("cache", "coverage.jsonl", "200", "10", "sign")
    cache, results, n_seeds, n_original, decide = sys.argv[1:] or default
    study(Path(cache), Path(results), int(n_seeds), int(n_original), decide)
    table(Path(results))
