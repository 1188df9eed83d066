"""Short invented texts with labels: on one or two topics, some with a word of a third."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

TOPICS = {"corn": "maize crop field", "oil": "barrel crude rig", "rates": "bank interest loan"}


def invented(n: int, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Return texts and their labels, documents x topics."""
    rng = np.random.default_rng(seed)
    topics = list(TOPICS)
    everything = " ".join(TOPICS.values()).split()
    texts, labels = [], np.zeros((n, len(topics)), dtype=bool)
    for row in labels:
        row[rng.choice(len(topics), rng.integers(1, 3), replace=False)] = True
        chosen = [topics[j] for j in np.flatnonzero(row)]
        words = [*chosen, *(rng.choice(TOPICS[t].split()) for t in chosen), rng.choice(everything)]
        texts.append(" ".join(words))
    return texts, labels


def write_texts(path: Path, n: int, *, seed: int = 0, labelled: bool = False) -> None:
    """Write invented texts as CSV, with the columns id, text and rank (a column of the user)."""
    texts, labels = invented(n, seed)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "rank", *(["labels"] if labelled else [])])
        for i, (text, row) in enumerate(zip(texts, labels, strict=True)):
            names = "|".join(np.array(list(TOPICS))[row])
            writer.writerow([f"={i}", f"=A{i} {text}", 100 + i, *([names] if labelled else [])])
