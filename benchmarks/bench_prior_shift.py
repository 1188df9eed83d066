"""Does the correction for a prior shift help? Measured on training documents only.

The cached out-of-fold scores of a training set are one pool. For each seed, half of the pool
becomes Tr, and samples are drawn from the other half, half as large. Every class j gets a random
number g(j) with standard deviation S; a document is drawn with a probability proportional to the
product of exp(g(j)) over its labels. S = 0 is no shift. *time*: Tr is the first half of the pool in
the order of its file, and the second half is the sample (not for Banking77, whose file is sorted
by class). Test documents are not used.

    python bench_prior_shift.py CACHE RESULTS N_SEEDS DATASET:LEARNER...

The rows "true" use the true frequencies: the best that an estimate of frequencies could do.
Results are appended to a file, and a run continues where the last one stopped. The tables are
printed at the end.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

from satc.calibration.prior_shift.calibrator import PSEUDO_POSITIVES as CHOSEN
from satc.calibration.prior_shift.calibrator import shifted_probabilities
from satc.calibration.prior_shift.labels import shifted_shares, with_shares
from satc.calibration.prior_shift.one_label import with_class_shares
from satc.calibration.remembered import RememberedCalibrator
from satc.contingency import ContingencyTables
from satc.datasets.loading import load
from satc.evaluation import error_reduction
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS
from satc.measures import F1, macro_or_micro
from satc.ranking.preparation import fit_calibrator, prepare
from satc.ranking.ranking import ranked
from satc.training import Training

SHIFTS = (0.0, 0.5, 1.0, 1.5)
PSEUDO_POSITIVES = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0)
SINGLE = ("banking77",)
TARGET = 0.9
LARGEST_WEIGHT = 50.0  # of a document, relative to the median


def sample(labels, shift, rng):
    """Return rows that are drawn with shifted frequencies of the classes, a quarter of all."""
    weights = np.exp(labels @ rng.normal(0.0, shift, labels.shape[1]))
    weights = np.minimum(weights, LARGEST_WEIGHT * np.median(weights))
    return rng.choice(len(labels), len(labels) // 4, replace=False, p=weights / weights.sum())


def parts_of(oof, labels, kind, rng, task):
    """Return the rows of Tr and of the documents, and the classes that Tr has."""
    order = np.arange(len(oof)) if kind == "time" else rng.permutation(len(oof))
    a, b = order[: len(oof) // 2], order[len(oof) // 2 :]
    seen = labels[a].any(axis=0)
    if task == "single-label":
        b = b[labels[b][:, seen].any(axis=1)]
    return a, b, seen


def log_loss(p, truth, task):
    if task == "single-label":
        return -np.log(p[truth]).mean()
    return -np.where(truth, np.log(p), np.log1p(-p)).sum() / len(p)


def outcome(scores, probability, training, truth, task):
    """Return log-loss, macro- and micro-F1 of the chosen labels, and documents for the target."""

    def calibrate(scores, training, known, random_state, task):
        return RememberedCalibrator(lambda: None, scores, known, probability)

    documents = prepare(scores, training=training, task=task, decide="measure", calibrate=calibrate)
    tables = ContingencyTables.from_labels(truth, documents.decided)
    macro, micro = (macro_or_micro(F1, tables, average) for average in ("macro", "micro"))
    order = ranked(documents).order
    residual = error_reduction(order, scores, truth, labels=documents.decided).residual_error
    end = macro_or_micro(F1, ContingencyTables.from_labels(truth, truth), "macro")
    needed = int(np.flatnonzero(end - residual >= TARGET - 1e-12)[0])
    return log_loss(probability, truth, task), macro, micro, needed


def study_samples(pools, key):
    """Return one row for each number of pseudo-positives; the first row has no correction."""
    name, learner, kind, seed = key
    (oof, labels), _ = pools[name, learner]
    task = "single-label" if name in SINGLE else "multi-label"
    rng = np.random.default_rng([seed, *map(ord, str(kind))])
    a, b, seen = parts_of(oof, labels, kind, rng, task)
    training = Training(oof[a][:, seen], labels[a][:, seen])
    calibrator = fit_calibrator(training, seed, task)
    rows = np.arange(len(b)) if kind == "time" else sample(labels[b][:, seen], kind, rng)
    scores, truth = oof[b][rows][:, seen], labels[b][rows][:, seen]
    before = calibrator.probabilities(scores)
    found = [("none", *outcome(scores, before, training, truth, task))]
    for k in PSEUDO_POSITIVES:
        after = shifted_probabilities(before, training.labels, task, k)
        found.append((k, *outcome(scores, after, training, truth, task)))
    after = with_true_shares(before, training.labels, truth, task)
    found.append(("true", *outcome(scores, after, training, truth, task)))
    return found


def with_true_shares(probability, y_train, truth, task):
    """Correct probabilities with the true frequencies of the documents, and one more positive."""
    share = y_train.mean(axis=0)
    true = (truth.sum(axis=0) + 1.0) / (len(truth) + 1.0 / share)
    correct = with_shares
    if task == "single-label":
        correct, true = with_class_shares, true / true.sum()
    return np.clip(correct(probability, share, true), 1e-6, 1 - 1e-6)


def pools_of(pairs, cache):
    """Return scores and labels of training and test documents, by dataset and learner."""
    pools = {}
    for pair in pairs:
        name, learner = pair.split(":")
        dataset = load(name)
        held = scores_of(dataset, LEARNERS[learner], cache, n_jobs=1)
        pools[name, learner] = (held.oof, dataset.train.labels), (held.test, dataset.test.labels)
    return pools


def run(study, keys, results, pools):
    """Append the rows of every key that has none yet."""
    done = {tuple(json.loads(line)["key"]) for line in results.open()} if results.exists() else ()
    with results.open("a") as stream:
        for key in keys:
            if key not in done:
                stream.write(json.dumps({"key": key, "rows": study(pools, key)}) + "\n")
                stream.flush()


def changes_of(results):
    """Return by dataset, learner, shift and k: rows without the correction, and their changes."""
    found = defaultdict(list)
    for line in results.open():
        entry = json.loads(line)
        none = np.array(entry["rows"][0][1:])
        for k, *row in entry["rows"]:
            found[*entry["key"][:3], k].append((none, np.array(row) - none))
    return found


def with_error(values, form):
    error = np.std(values) / np.sqrt(max(len(values) - 1, 1))
    return f"{np.mean(values):+{form}} ± {error:{form}}"


def print_losses(found):
    """Print the log-loss without the correction, and its change for each number."""
    ks = (*PSEUDO_POSITIVES, "true")
    heads = " | ".join(k if k == "true" else f"k = {k:.0f}" for k in ks)
    print(f"| dataset | shift | seeds | without | {heads} |")
    print("|:--|:--|--:|--:|" + "--:|" * len(ks))
    for name, learner, kind in dict.fromkeys(key[:3] for key in found):
        rows = found[name, learner, kind, "none"]
        start = np.mean([before[0] for before, _ in rows])
        shown = [np.mean([change[0] for _, change in found[name, learner, kind, k]]) for k in ks]
        cells = " | ".join(f"{x:+.4f}" for x in shown)
        print(f"| {name} | {kind} | {len(rows)} | {start:.4f} | {cells} |")


def print_chosen(found, k):
    """Print all measures without the correction, and their changes for one number."""
    heads = ("log-loss", "macro-F1", "micro-F1", f"documents for {TARGET}")
    columns = " | ".join(f"{head} | change" for head in heads)
    print(f"\n| dataset | shift | {columns} |")
    print("|:--|:--|" + "--:|" * 2 * len(heads))
    for name, learner, kind in dict.fromkeys(key[:3] for key in found):
        rows = found[name, learner, kind, k]
        cells = []
        for j, form in enumerate((".4f", ".4f", ".4f", ".1f")):
            cells += [f"{np.mean([before[j] for before, _ in rows]):{form}}"]
            cells += [with_error([change[j] for _, change in rows], form)]
        print(f"| {name} | {kind} | {' | '.join(cells)} |")


def print_frequencies(pools):
    """Print how far estimated frequencies are from the true ones, in the order of time."""
    print("\n| dataset | frequencies of | classes | distance from the true ones | largest | true |")
    print("|:--|:--|--:|--:|--:|--:|")
    for (name, _), ((oof, labels), _) in pools.items():
        if name in SINGLE:
            continue
        a, b, seen = parts_of(oof, labels, "time", np.random.default_rng(0), "multi-label")
        training = Training(oof[a][:, seen], labels[a][:, seen])
        probability = fit_calibrator(training, 0, "multi-label").probabilities(oof[b][:, seen])
        share, true = training.labels.mean(axis=0), labels[b][:, seen].mean(axis=0)
        found = {"training": share}
        found |= {f"k = {k:.0f}": shifted_shares(probability, share, k) for k in (0.0, CHOSEN)}
        for how, one in found.items():
            cells = f"{np.abs(one - true).sum():.3f} | {one.max():.3f} | {true.max():.3f}"
            print(f"| {name} | {how} | {len(one)} | {cells} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    cache, results, n_seeds, *pairs = sys.argv[1:]
    pools = pools_of(pairs, Path(cache))
    keys = [
        (*pair, kind, seed)
        for seed in range(int(n_seeds))
        for pair in pools
        for kind in (*SHIFTS, "time")
        if not (kind == "time" and pair[0] in SINGLE)
    ]
    run(study_samples, keys, Path(results), pools)
    found = changes_of(Path(results))
    print_losses(found)
    print_chosen(found, CHOSEN)
    print_frequencies(pools)
