"""Coverage and width of the intervals of `satc.shares`, beside ppi-python and the plain audit.

The test documents of a dataset are the whole set, and their true labels are known. Each audit draws
documents at random; the three methods get the same draws:

* *shares*: `satc.shares` on the calibrated probabilities of the contextual method;
* *ppi*: `ppi_py.ppi_mean_ci` on the same probabilities, tuned class by class;
* *plain*: the audited documents alone, by Wilson's interval with the finite-population correction.

The columns of the methods show their coverage: of all pairs of a class and an audit, the part whose
interval holds the true share. A ratio of widths is a ratio of means over classes and audits. The
second table divides the classes by their number of documents, because the interval of ppi-python
has no width where the audit finds no document of a class. The third has predictions that are worse:
labels without probabilities, the probabilities of Naive Bayes as they are, those of other
documents, and 1 minus the probabilities.

    python bench_shares.py CACHE N_AUDITS
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import ppi_py
from scipy.stats import norm
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import MultinomialNB

import satc
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS

TASKS = {"reuters21578": "multi-label", "ohsumed20k": "multi-label", "banking77": "single-label"}
SIZES = (200, 400, 800)
GROUPS = ((0, 0), (1, 4), (5, 19), (20, 99), (100, np.inf))
METHODS = ("shares", "ppi", "plain")


def naive_bayes(dataset, task):
    """Return probabilities that are not calibrated."""
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2)
    train = vectorizer.fit_transform(dataset.train.texts)
    test = vectorizer.transform(dataset.test.texts)
    y = dataset.train.labels
    if task == "single-label":
        return MultinomialNB(alpha=0.1).fit(train, y.argmax(axis=1)).predict_proba(test)
    found = np.zeros((test.shape[0], y.shape[1]))
    for j in np.flatnonzero(y.any(axis=0)):
        found[:, j] = MultinomialNB(alpha=0.1).fit(train, y[:, j]).predict_proba(test)[:, 1]
    return found


def inputs(name, cache):
    """Return the probabilities, worse predictions by name, and the true labels."""
    dataset = satc.datasets.load(name)
    held = scores_of(dataset, LEARNERS["svm"], cache, n_jobs=1)
    ranking = satc.rank(
        held.test,
        oof_scores=held.oof,
        y_train=dataset.train.labels,
        method="contextual",
        task=TASKS[name],
    )
    decided = satc.decide(
        held.test,
        oof_scores=held.oof,
        y_train=dataset.train.labels,
        task=TASKS[name],
    )
    f = np.asarray(ranking.probability, dtype=float)
    worse = {
        "labels": decided.labels.astype(float),
        "Naive Bayes": naive_bayes(dataset, TASKS[name]),
        "of other documents": f[np.random.default_rng(0).permutation(len(f))],
        "inverted": 1.0 - f,
    }
    return f, worse, dataset.test.labels


def wilson(y, n_documents, level=0.95):
    """Return Wilson's interval of the mean of a sample without replacement."""
    n = len(y) / (1 - len(y) / n_documents)
    z2 = norm.ppf((1 + level) / 2) ** 2
    mean = y.mean(axis=0)
    centre = (mean + z2 / 2 / n) / (1 + z2 / n)
    half = np.sqrt(z2 * (mean * (1 - mean) / n + z2 / 4 / n**2)) / (1 + z2 / n)
    return centre - half, centre + half


def ppi(y, f, rest):
    """Return the interval of ppi-python, with a lambda of its own for each class.

    Where all predictions of a class are equal, its lambda is 0 / 0, and 0 is taken.
    """
    y = y.astype(float)
    tuned = ppi_py.ppi_mean_ci(y, f, rest, alpha=0.05, lam_optim_mode="element")
    plain = ppi_py.ppi_mean_ci(y, f, rest, alpha=0.05, lam=0)
    return [np.where(np.isnan(a), b, a) for a, b in zip(tuned, plain, strict=True)]


def audits(f, y, size, n_audits):
    """Return whether each interval covers, and its width: methods x audits x classes."""
    truth = y.mean(axis=0)
    covers, widths = (np.zeros((len(METHODS), n_audits, y.shape[1])) for _ in range(2))
    for k in range(n_audits):
        order = np.random.default_rng([size, k]).permutation(len(y))
        drawn, rest = order[:size], order[size:]
        ours = satc.shares(f, drawn, y[drawn])
        intervals = (
            (ours.low, ours.high),
            ppi(y[drawn], f[drawn], f[rest]),
            wilson(y[drawn], len(y)),
        )
        for method, (low, high) in enumerate(intervals):
            covers[method, k] = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
            widths[method, k] = high - low
    return covers, widths


def row(covers, widths, chosen=slice(None)):
    """Return coverage of each method, the worst class of ours, and the ratios of widths."""
    covered = covers[:, :, chosen].mean(axis=1)
    width = widths[:, :, chosen].mean(axis=(1, 2))
    ratios = [f"{width[0] / other:.2f}" if other > 1e-9 else "-" for other in width[1:]]
    return [*(f"{c:.1%}" for c in covered.mean(axis=1)), f"{covered[0].min():.1%}", *ratios]


def where_ppi_covers(covers, y):
    """Return the classes with documents that ppi-python covers in 93% of the audits or more."""
    return np.flatnonzero((covers[1].mean(axis=0) >= 0.93) & y.any(axis=0))


def print_header(*first):
    names = [*first, *METHODS, "worst class of shares", "width / ppi", "width / plain"]
    print("\n| " + " | ".join(names) + " |")
    print("|" + ":--|" * len(first) + "--:|" * (len(names) - len(first)))


def print_row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main(cache, n_audits):
    sets = {name: inputs(name, cache) for name in TASKS}
    runs = {}
    print(f"{n_audits} audits each")
    print_header("dataset", "audited", "classes")
    for name, (f, _, y) in sets.items():
        for size in SIZES:
            covers, widths = runs[name, size] = audits(f, y, size, n_audits)
            print_row(name, size, f"all {y.shape[1]}", *row(covers, widths))
            chosen = where_ppi_covers(covers, y)
            if len(chosen):
                told = f"{len(chosen)} that ppi covers"
                print_row(name, size, told, *row(covers, widths, chosen))
    print_header("dataset", "audited", "documents of the class", "classes")
    for (name, size), (covers, widths) in runs.items():
        positives = sets[name][2].sum(axis=0)
        for low, high in GROUPS:
            inside = np.flatnonzero((positives >= low) & (positives <= high))
            if len(inside):
                told = f"{low} to {high}" if high < np.inf else f"{low} or more"
                print_row(name, size, told, len(inside), *row(covers, widths, inside))
    print_header("dataset", "audited", "predictions")
    for name, (_, worse, y) in sets.items():
        for told, predictions in worse.items():
            print_row(name, SIZES[0], told, *row(*audits(predictions, y, SIZES[0], n_audits)))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    cache, n_audits = sys.argv[1:] or ("cache", "500")
    main(Path(cache), int(n_audits))
