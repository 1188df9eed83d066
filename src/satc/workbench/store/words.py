"""Which words speak for and against each class, for learners whose scores are sums over terms."""

from __future__ import annotations

from satc.texts.words import marks
from satc.texts.words.lexicon import Lexicon
from satc.workbench.store.arrays import get_bytes, put
from satc.workbench.store.connection import Store, Transaction


def put_words(connection: Transaction, project: int, lexicon: Lexicon, n_classes: int) -> None:
    """Store the number of each word, and the weights of words for each class that has them."""
    put(connection, project, "lexicon", 0, lexicon.packed())
    for label in range(n_classes):
        if (weights := lexicon.packed_weights(label)) is not None:
            put(connection, project, "words", label, weights)


def read_terms(store: Store, project: int) -> dict[str, int]:
    """Return the number of each word; empty if the learner is not known."""
    packed = get_bytes(store, project, "lexicon")
    return {} if packed is None else marks.unpacked(packed)


def read_weights(store: Store, project: int, label: int) -> dict[int, float] | None:
    """Return the weights of words for a class, or None if there are none."""
    packed = get_bytes(store, project, "words", label)
    return None if packed is None else marks.unpacked_weights(packed)
