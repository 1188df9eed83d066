"""Processor time of `satc rank --train` with its defaults, from CSV to CSV.

The command reads, counts, fits eleven times (on all documents, and for ten folds), calibrates,
finds neighbours, ranks and writes. The SVMs of all folds are fitted together; the reference is the
same command with the SVMs fitted fold by fold. Both run in turns, each in a process of its own,
after a run on few documents that fills the cache of compiled code. The least time of each counts.
With few documents, other parts of the command take most of the time, and the ratio is larger.

The texts are generated: 10,000 labelled and 10,000 new ones of about 80 words, with 100 classes
whose sizes follow Zipf's law. They have no, one or several labels, or exactly one (single-label).
`banking77` are real questions with exactly one label each, from SATC_DATA or ../shared/data.

The other reference is one fit of the default learner on the word counts, in one process.

    python benchmarks/bench_rank_csv.py [--data multi-label single-label banking77]
        [--documents 10000] [--classes 100] [--repeat 2] [--precision]

With --precision, the out-of-fold scores of twelve classes are compared with those of SVMs that are
fitted with a tolerance of 1e-6.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.base import clone

import command
from fold_by_fold import NEVER_TOGETHER
from generated_texts import write, write_texts
from satc.datasets.loading import load
from satc.estimation.out_of_fold import out_of_fold_scores
from satc.estimation.scorer import fit_scorer
from satc.files import read_documents
from satc.inputs import indicator
from satc.learners.presets import LEARNERS
from satc.texts.labelled import read_labelled
from satc.texts.learner_source import LearnerSource
from satc.texts.words.classifier import train_on_words
from timing import report

LIMIT = 60.0  # seconds
WARM_UP = 500  # documents
CHECKED = 12  # classes whose scores are compared with the solution
EXACT = {"linearsvm__tol": 1e-6, "linearsvm__random_state": 1}
VARIANTS = {
    "fold by fold": [sys.executable, str(Path(__file__).with_name("fold_by_fold.py"))],
    "together": [sys.executable, "-m", "satc"],
}
OPTIONS = ["--train=labelled.csv", "--documents=new.csv", "--output=ranked.csv"]


def write_banking77(folder, n):
    """Write at most about n questions for training, and as many others."""
    data = load("banking77")
    train, test = (
        part.take(np.arange(0, len(part), max(1, len(part) // n)))
        for part in (data.train, data.test)
    )
    write(folder / "labelled.csv", train.texts, [np.flatnonzero(row) for row in train.labels])
    write(folder / "new.csv", test.texts)


def one_fit(path):
    """Return the seconds of one fit of the default learner for all classes."""
    labelled = read_documents(path)
    learner = LEARNERS["svm"]
    counts = learner.vectorizer().fit_transform(labelled.texts)
    labels = indicator(labelled.labels, labelled.classes)
    start = time.perf_counter()
    fit_scorer(learner.estimator(), counts, labels)
    return time.perf_counter() - start


def ranked(variant, folder):
    """Run the command in one of its variants; return what it has used."""
    started = [*VARIANTS[variant], "rank", *OPTIONS]
    with (folder / "progress.txt").open("w") as progress:
        return command.run(started, cwd=folder, stderr=progress)


def compare(name, folder, repeat):
    """Run both variants in turns, and print what each has used; return the best seconds of ours."""
    runs = {variant: [] for variant in VARIANTS}
    for _ in range(repeat):
        for variant, found in runs.items():
            used = ranked(variant, folder)
            found.append(used)
            print(f"{name}, {variant}: {used.processor:.1f} s of processor time", end="")
            print(f", {used.seconds:.1f} s elapsed, {used.memory}", flush=True)
    apart, ours = (min(used.processor for used in found) for found in runs.values())
    report(f"{name}, CSV to CSV, CPU: together / fold by fold", ours / apart, "at most 0.5")
    apart, ours = (max(used.peaks.together for used in found) for found in runs.values())
    report(f"{name}, peak memory: together / fold by fold", ours / apart, "for information")
    return min(used.seconds for used in runs["together"])


def compare_with_one_fit(name, folder, seconds):
    """Print the time of the command over that of one fit, and over the time that is allowed."""
    fit = one_fit(folder / "labelled.csv")
    print(f"one fit takes {fit:.1f} s; load {os.getloadavg()[0]:.1f}")
    report(f"{name}, CSV to CSV / one fit", seconds / fit, "for information")
    report(f"{name}, CSV to CSV / 60 s", seconds / LIMIT, "at most 1")


def print_precision(name, folder):
    """Print the distances of out-of-fold scores from those of nearly exact SVMs."""
    source = LearnerSource(folder / "labelled.csv", folder / "new.csv")
    labelled = read_labelled(source)
    m = labelled.labels.shape[1]
    chosen = np.unique(np.linspace(0, m - 1, CHECKED).astype(int))
    words = train_on_words(source, labelled, lambda step: None)
    estimator, counts = words.classifier.estimator, words.vectorizer.transform
    X, Y = counts(list(labelled.documents.texts)), labelled.labels[:, chosen]
    exact = out_of_fold_scores(clone(estimator).set_params(**EXACT), X, Y, n_jobs=-1)
    with NEVER_TOGETHER:
        apart = out_of_fold_scores(estimator, X, Y, n_jobs=-1)
    found = {"fold by fold": apart, "together": words.classifier.oof_scores_[:, chosen]}
    for variant, scores in found.items():
        away, other = np.abs(scores - exact).max(), ((scores > 0) != (exact > 0)).sum()
        print(f"{name}, {variant}: out-of-fold scores at most {away:.5f} from the solution", end="")
        print(f", {other} of {scores.size:,} decisions differ", flush=True)


def measure(name, given):
    """Make the texts of this name, and measure the command on them."""
    single = name == "single-label"
    make = partial(write_texts, n_classes=given.classes, single_label=single)
    if name == "banking77":
        make = write_banking77
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        make(folder, WARM_UP)
        for variant in VARIANTS:
            ranked(variant, folder)
        make(folder, given.documents)
        seconds = compare(name, folder, given.repeat)
        compare_with_one_fit(name, folder, seconds)
        if given.precision:
            print_precision(name, folder)


def main():
    parser = argparse.ArgumentParser()
    kinds = ["multi-label", "single-label", "banking77"]
    parser.add_argument("--data", nargs="+", choices=kinds, default=kinds[:2])
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--classes", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--precision", action="store_true")
    given = parser.parse_args()
    for name in given.data:
        measure(name, given)


if __name__ == "__main__":
    main()
