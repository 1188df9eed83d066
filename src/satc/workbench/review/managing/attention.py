"""Classes that need attention: many errors expected, or people who disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.ranking.documents import RankedDocuments

_BLOCK_CELLS = 4_000_000  # pairs of document and class that are in memory at a time
_LEAST_GIVEN = 3  # documents in which somebody gave a label, for a statement on agreement


class ExpectedErrors(NamedTuple):
    """The errors of one class that are expected among the undecided documents."""

    label: int
    predicted: int  # documents that have the label
    wrong: float  # of these, expected not to belong to the class
    missing: float  # other documents that are expected to belong to it


class ClassAgreement(NamedTuple):
    """How often two people gave the same label."""

    label: int
    n_either: int  # documents decided twice in which at least one person gave the label
    n_both: int


def expected_errors(
    documents: RankedDocuments, undecided: NDArray[np.bool_], n: int
) -> list[ExpectedErrors] | None:
    """Return the n classes with most expected errors; None if the method has no probabilities."""
    errors = documents.misclassification
    if errors is None:
        return None
    n_documents, n_classes = errors.shape
    predicted, wrong, missing = np.zeros((3, n_classes))
    step = max(1, _BLOCK_CELLS // n_classes)
    for start in range(0, n_documents, step):
        rows = slice(start, start + step)
        chosen = undecided[rows]
        decided, probability = documents.decided[rows][chosen], errors.of_documents(rows)[chosen]
        of_labels = np.where(decided, probability, 0.0).sum(axis=0)
        predicted += decided.sum(axis=0)
        wrong += of_labels
        missing += probability.sum(axis=0) - of_labels
    order = np.argsort(-(wrong + missing), kind="stable")[:n].tolist()
    return [
        ExpectedErrors(j, int(predicted[j]), float(wrong[j]), float(missing[j]))
        for j in order
        if wrong[j] + missing[j] >= 0.5
    ]


def low_agreement(
    pairs: Iterable[tuple[tuple[int, ...], tuple[int, ...]]], n: int
) -> list[ClassAgreement]:
    """Return the classes on which people agree least, from the labels that two people gave.

    >>> low_agreement([((0, 1), (0,)), ((1,), (1,)), ((1,), ())], 5)
    [ClassAgreement(label=1, n_either=3, n_both=1)]
    """
    either: Counter[int] = Counter()
    both: Counter[int] = Counter()
    for first, second in pairs:
        either.update({*first, *second})
        both.update(set(first) & set(second))
    found = [
        ClassAgreement(label, count, both[label])
        for label, count in either.items()
        if count >= _LEAST_GIVEN and both[label] < count
    ]
    return sorted(found, key=lambda one: (one.n_both / one.n_either, -one.n_either, one.label))[:n]
