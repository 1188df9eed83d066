"""Short invented requests of bank customers, each with one label, and files of them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

CLASSES = ("card", "refund", "transfer")
_PHRASES = {
    "card": ["my card was swallowed", "the debit card does not work", "order a new card"],
    "refund": ["please return my money", "I want my payment back", "reimburse the charge"],
    "transfer": ["the wire has not arrived", "where is my transfer", "send funds abroad"],
}
_OTHERS = ["my", "the", "card", "money", "please", "not", "where", "order", "back", "arrived"]


def requests(n: int, seed: int) -> tuple[list[str], np.ndarray]:
    """Return requests, with words of others mixed in, and their labels, documents x classes."""
    rng = np.random.default_rng(seed)
    texts, labels = [], np.zeros((n, len(CLASSES)), dtype=bool)
    for row in labels:
        j = rng.integers(len(CLASSES))
        row[j] = True
        words = [*rng.choice(_PHRASES[CLASSES[j]]).split(), *rng.choice(_OTHERS, 4)]
        texts.append(" ".join(rng.permutation(words)[: rng.integers(4, 9)]))
    return texts, labels


def names_of(labels: np.ndarray) -> list[str]:
    """Return the name of the one label of each document."""
    return [CLASSES[j] for j in labels.argmax(axis=1)]


def write_table(path: Path, **columns: list) -> Path:
    """Write columns as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


class Opened(NamedTuple):
    """A stored project: its learner, its documents as opened, and what was stored of them."""

    learner: str
    documents: Any
    probability: np.ndarray
    ids_by_rank: list[str]


def open_project(path: Path) -> Opened:
    """Open a project that a command has made."""
    from satc.workbench.project.history import read_history
    from satc.workbench.project.opening import open_documents
    from satc.workbench.store import open_store
    from satc.workbench.store.documents import iter_documents
    from satc.workbench.store.predictions import read_probabilities
    from satc.workbench.store.projects import get_project

    store = open_store(path)
    try:
        project = get_project(store, None)
        documents = open_documents(store, project, read_history(store, project))
        stored = sorted(iter_documents(store, project.key), key=lambda one: one.rank)
        probability = read_probabilities(store, project)
    finally:
        store.close()
    ids = [one.id for one in stored]
    return Opened(project.settings.learner, documents, probability, ids)
