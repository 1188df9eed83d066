"""Generated texts: the sizes of classes and the frequencies of words follow Zipf's law.

Each class has its own distribution of words. A text has about 80 words; a quarter of them come from
its classes, if it has any.
"""

from __future__ import annotations

import csv
from itertools import islice

import numpy as np

N_WORDS, LENGTH = 30_000, 80
OF_CLASSES = 0.25  # share of a text's words that come from its classes
N_LABELS = (0, 1, 1, 2, 3)  # a text has one of these numbers of labels


def random_words(rng):
    """Return distinct words of random letters."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = {"".join(word) for word in rng.choice(letters, (2 * N_WORDS, 7))}
    return np.array(sorted(words)[:N_WORDS])


def random_sets(n, n_classes, single_label=False):
    """Yield sets of n texts, each with the numbers of the classes of each text."""
    rng = np.random.default_rng(0)
    words = random_words(rng)
    orders = np.array([rng.permutation(N_WORDS) for _ in range(n_classes)])
    while True:
        yield random_texts(n, words, rng, orders, single_label)


def random_texts(n, words, rng, orders, single_label=False):
    """Return random texts, and the numbers of the classes of each."""
    zipf, size = (np.arange(N_WORDS) + 5.0) ** -1.1, np.arange(1, len(orders) + 1) ** -0.8
    zipf, size = zipf / zipf.sum(), size / size.sum()
    lengths = rng.lognormal(np.log(LENGTH), 0.4, n).astype(int) + 5
    texts, labels = [], []
    for length in lengths:
        n_labels = 1 if single_label else rng.choice(N_LABELS)
        chosen = rng.choice(len(orders), n_labels, False, size)
        term = rng.choice(N_WORDS, length, p=zipf)
        if len(chosen):
            of_class = np.flatnonzero(rng.random(length) < OF_CLASSES)
            term[of_class] = orders[rng.choice(chosen, len(of_class)), term[of_class]]
        texts.append(" ".join(words[term]))
        labels.append(np.sort(chosen))
    return texts, labels


def write(path, texts, labels=None):
    """Write texts to a CSV file, with the names of their labels if there are any."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text"] + ["labels"] * (labels is not None))
        for i, text in enumerate(texts):
            names = [] if labels is None else ["|".join(f"class {j:02d}" for j in labels[i])]
            writer.writerow([f"d{i}", text, *names])


def write_texts(folder, n, n_classes, single_label=False):
    """Write n labelled texts to ``labelled.csv``, and n others to ``new.csv``."""
    labelled, new = islice(random_sets(n, n_classes, single_label), 2)
    write(folder / "labelled.csv", *labelled)
    write(folder / "new.csv", new[0])
