"""Which words speak for and against each class, for learners whose scores are sums over terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from satc.texts.words import marks
from satc.workbench.store.arrays import Part, get_bytes
from satc.workbench.store.connection import Store

if TYPE_CHECKING:
    from satc.texts.words.lexicon import Lexicon  # needs scikit-learn, which is slow to import


def word_parts(lexicon: Lexicon, n_classes: int) -> Iterator[Part]:
    """Give the number of each word, and the weights of words for each class that has them."""
    yield Part("lexicon", 0, lexicon.packed())
    for label in range(n_classes):
        if (weights := lexicon.packed_weights(label)) is not None:
            yield Part("words", label, weights)


def read_terms(store: Store, project: int) -> dict[str, int]:
    """Return the number of each word; empty if the learner is not known."""
    packed = get_bytes(store, project, "lexicon")
    return {} if packed is None else marks.unpacked(packed)


def read_weights(store: Store, project: int, label: int) -> dict[int, float] | None:
    """Return the weights of words for a class, or None if there are none."""
    packed = get_bytes(store, project, "words", label)
    return None if packed is None else marks.unpacked_weights(packed)
