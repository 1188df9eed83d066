"""Time of `satc rank --train` with its defaults, from CSV to CSV.

The texts are generated: 10,000 labelled and 10,000 new ones of about 80 words, with 100 classes
whose sizes follow Zipf's law; each class has its own distribution of words. The reference is one
fit of the default learner on the word counts, in one process. The command also reads, counts, fits
eleven times (on all documents, and for ten folds), calibrates, finds neighbours, ranks and writes.
"""

from __future__ import annotations

import csv
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from satc.estimation.scorer import fit_scorer
from satc.files import read_documents
from satc.inputs import indicator
from satc.learners.presets import LEARNERS
from timing import report

N_DOCUMENTS, N_CLASSES, N_WORDS, LENGTH = 10_000, 100, 30_000, 80
OF_CLASSES = 0.25  # share of a text's words that come from its classes
LIMIT = 60.0  # seconds


def random_words(rng):
    """Return distinct words of random letters."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = {"".join(word) for word in rng.choice(letters, (2 * N_WORDS, 7))}
    return np.array(sorted(words)[:N_WORDS])


def random_texts(n, words, rng, orders):
    """Return random texts, and the numbers of the classes of each."""
    zipf = (np.arange(N_WORDS) + 5.0) ** -1.1
    size = np.arange(1, N_CLASSES + 1) ** -0.8
    lengths = rng.lognormal(np.log(LENGTH), 0.4, n).astype(int) + 5
    texts, labels = [], []
    for length in lengths:
        chosen = rng.choice(N_CLASSES, rng.choice([0, 1, 1, 2, 3]), False, size / size.sum())
        term = rng.choice(N_WORDS, length, p=zipf / zipf.sum())
        if len(chosen):
            of_class = np.flatnonzero(rng.random(length) < OF_CLASSES)
            term[of_class] = orders[rng.choice(chosen, len(of_class)), term[of_class]]
        texts.append(" ".join(words[term]))
        labels.append(np.sort(chosen))
    return texts, labels


def write(path, texts, labels=None):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text"] + ["labels"] * (labels is not None))
        for i, text in enumerate(texts):
            names = [] if labels is None else ["|".join(f"class {j:02d}" for j in labels[i])]
            writer.writerow([f"d{i}", text, *names])


def make(folder):
    rng = np.random.default_rng(0)
    words = random_words(rng)
    orders = np.array([rng.permutation(N_WORDS) for _ in range(N_CLASSES)])
    write(folder / "labelled.csv", *random_texts(N_DOCUMENTS, words, rng, orders))
    write(folder / "new.csv", random_texts(N_DOCUMENTS, words, rng, orders)[0])


def one_fit(path):
    """Return the seconds of one fit of the default learner for all classes."""
    labelled = read_documents(path)
    learner = LEARNERS["svm"]
    counts = learner.vectorizer().fit_transform(labelled.texts)
    labels = indicator(labelled.labels, labelled.classes)
    start = time.perf_counter()
    fit_scorer(learner.estimator(), counts, labels)
    return time.perf_counter() - start


def ranked(folder):
    """Run the command; return its wall-clock seconds, and its CPU seconds."""
    options = ["--train=labelled.csv", "--documents=new.csv", "--output=ranked.csv"]
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "satc", "rank", *options], cwd=folder, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - start, used.ru_utime + used.ru_stime


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder)
        fit, (command, work) = one_fit(folder / "labelled.csv"), ranked(folder)
        print(f"one fit takes {fit:.1f} s, 'satc rank' from CSV to CSV {command:.1f} s", end="")
        print(f" of wall-clock time and {work:.1f} s of CPU; load {os.getloadavg()[0]:.1f}")
        report("satc rank --train, CSV to CSV / one fit", command / fit, "for information")
        report("satc rank --train, CSV to CSV / 60 s", command / LIMIT, "at most 1")
