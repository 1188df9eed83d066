"""The certificate on real data: how often a bound is wrong at any time, and how tight it is.

`N_SIMULATIONS` simulations for every dataset and learner. In each, 5% of the test documents are
validated in the order of the paper's method; then validations and audits alternate until 800
documents are audited. A simulation fails if the true total of errors is refuted at any moment, as
if somebody looked after every document. There are three classifiers: the trained one, a drifted
one (noise on all scores, a third of the classes shifted), and the trained one with a wrong
calibrator (the reversed order). The bounds at some audit sizes are compared with the true values,
as means over `N_TIGHT` simulations. `--format 1` computes certificates as they were before two
players bet and the lowest bound of all smaller caps was taken.

    python bench_assurance_certificate.py CACHE [--format 1] [--datasets reuters21578 ...]
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

import satc
from satc.assurance.certificate.betting import FIRST, HEDGED, Draws, log_wealth, stakes_of
from satc.assurance.certificate.certificate import certify_in_format
from satc.assurance.certificate.micro_bound import micro_weights
from satc.datasets.loading import load
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS
from satc.measures import F1

DATASETS = ("reuters21578", "ohsumed20k", "medline", "medline-s")
N_SIMULATIONS, N_TIGHT, N_AUDITED = 1000, 40, 800
SIZES = (100, 300, 800)
ERROR = 0.05
OPTIONS = {"confidence": 1 - ERROR, "repeats": (), "aim": 0.95, "single_label": False}
BETAS = {"micro-F1": 1.0, "precision": 0.0, "recall": math.inf}


def drifted(scores, rng):
    """Add noise to all scores, and shift a third of the classes, in units of the median score."""
    m = scores.shape[1]
    shift = np.where(rng.random(m) < 1 / 3, rng.normal(0, 0.4, m), 0.0)
    typical = np.median(np.abs(scores), axis=0)
    return scores + typical * (shift + 0.2 * rng.normal(size=scores.shape))


def schedule(order, queue):
    """Return the documents in the order of validation, and which of them are audits."""
    n = len(order)
    read, documents, audits = np.zeros(n, dtype=bool), [], []
    work, audit, n_audited = iter(order), iter(queue), 0
    while len(documents) < n and n_audited < min(N_AUDITED, n):
        is_audit = len(documents) >= n // 20 and (len(documents) - n // 20) % 2 == 0
        i = next(i for i in (audit if is_audit else work) if not read[i])
        read[i] = True
        documents.append(int(i))
        audits.append(is_audit)
        n_audited += is_audit
    return np.array(documents), np.array(audits)


def refuted(value, documents, audits, largest, total, strategy=HEDGED, error=ERROR):
    """Whether the true total is refuted at any moment."""
    known = np.cumsum(value[documents]) - value[documents]
    left = len(value) - np.arange(len(documents), dtype=float)
    draws = Draws(value[documents][audits], known[audits], left[audits])
    stakes = stakes_of(draws.value, largest, error, strategy)
    return log_wealth(draws, stakes, total, strategy) >= -np.log(error)


def truth_of(predicted, y_true, documents):
    labels = predicted.copy()
    labels[documents] = y_true[documents]
    tp, assigned, true = (labels & y_true).sum(0), labels.sum(0), y_true.sum(0)
    micro = tp.sum()
    return {
        "micro-F1": 2 * micro / (assigned.sum() + true.sum()),
        "precision": micro / assigned.sum(),
        "recall": micro / true.sum(),
        "macro-F1": float(np.mean(F1(tp, assigned - tp, true - tp, 0))),
    }


def study(scores, y_true, order, cap, version):
    predicted = scores >= 0
    fp, fn = (predicted & ~y_true).sum(1), (~predicted & y_true).sum(1)
    most = predicted.sum(1).max()
    failures, gaps, above = dict.fromkeys(BETAS, 0), {}, 0
    label_lists = [np.flatnonzero(row).tolist() for row in y_true]
    for seed in range(N_SIMULATIONS):
        queue = np.random.default_rng(seed).permutation(len(order))
        documents, audits = schedule(order, queue)
        for name, beta in BETAS.items():
            weights = micro_weights(beta, 0.95)
            value = weights.fp * fp + weights.fn * fn
            largest = weights.fp * most + weights.fn * cap
            strategy = FIRST if version == 1 else HEDGED
            failures[name] += refuted(value, documents, audits, largest, value.sum(), strategy)
        if seed >= N_TIGHT:
            continue
        for size in SIZES:
            if audits.sum() < size:
                continue
            stop = int(np.flatnonzero(np.cumsum(audits) == size)[0]) + 1
            log = [(i, label_lists[i], a) for i, a in zip(documents[:stop], audits, strict=False)]
            certificate = certify_in_format(version, predicted, log, cap=cap, **OPTIONS)
            truth = truth_of(predicted, y_true, documents[:stop])
            above += any(certificate.low(name) > truth[name] for name in truth)
            for name in truth:
                gaps.setdefault((name, size), []).append((truth[name], certificate.low(name)))
    return failures, gaps, above


def main(cache, version, datasets):
    print(
        "| dataset | learner | classifier | cap | ever refuted, % (F1, precision, recall) | "
        "truth and bound after " + ", ".join(map(str, SIZES)) + " audited: micro-F1 | precision "
        "| recall | macro-F1 |"
    )
    print("|:--|:--|:--|--:|--:|--:|--:|--:|--:|")
    for name in datasets:
        dataset = load(name)
        for learner in LEARNERS.values():
            held = scores_of(dataset, learner, Path(cache), n_jobs=1)
            training = {"oof_scores": held.oof, "y_train": dataset.train.labels}
            y_true = dataset.test.labels
            cap = int(max(dataset.train.labels.sum(1).max(), y_true.sum(1).max()))
            rng = np.random.default_rng(0)
            for kind in ("trained", "drifted", "wrong calibrator"):
                scores = drifted(held.test, rng) if kind == "drifted" else held.test
                order = satc.rank(scores, **training, method="u-theoretic", average="micro").order
                if kind == "wrong calibrator":
                    order = order[::-1]
                failures, gaps, above = study(scores, y_true, order, cap, version)
                share = " ".join(f"{100 * f / N_SIMULATIONS:.1f}" for f in failures.values())
                cells = " | ".join(
                    ", ".join(
                        "{:.3f} {:.3f}".format(*np.mean(gaps[measure, size], axis=0))
                        for size in SIZES
                        if (measure, size) in gaps
                    )
                    for measure in (*BETAS, "macro-F1")
                )
                note = f" ({above} of the checked bounds were above the truth)" if above else ""
                print(
                    f"| {name} | {learner.name} | {kind} | {cap} | {share}{note} | {cells} |",
                    flush=True,
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cache", nargs="?", default="cache", help="folder of the cached scores")
    parser.add_argument("--format", type=int, choices=(1, 2), default=2)
    parser.add_argument("--datasets", nargs="+", default=DATASETS, choices=DATASETS)
    given = parser.parse_args()
    main(given.cache, given.format, given.datasets)
