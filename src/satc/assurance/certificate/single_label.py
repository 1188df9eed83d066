"""Lower bounds for single-label data, where every document has exactly one label.

A document is right or wrong, and a wrong document has one wrong label and lacks one label. So one
bound on the number of wrong documents bounds accuracy, which equals micro-F1, micro-averaged
precision and micro-averaged recall. No split of the errors into wrong and missing labels has to be
assumed, and the number is a whole number.

Each class has bounds of its own (`class_bounds`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from satc.assurance.certificate.audit import AuditedDecision
from satc.assurance.certificate.found_errors import FoundErrors
from satc.assurance.certificate.measure_bounds import (
    Bound,
    MeasureBounds,
    human_errors,
    macro_bound,
)
from satc.inputs import Labels

ACCURACY_NAMES = ("accuracy", "micro-F1", "precision", "recall")  # one value for single labels


def check_single_labels(predicted: Labels, log: tuple[AuditedDecision, ...]) -> None:
    """Refuse labels and decisions with a document that does not have exactly one label."""
    counts = predicted.sum(axis=1)
    if len(wrong := np.flatnonzero(counts != 1)):
        raise ValueError(_fault("predicted", int(wrong[0]), int(counts[wrong[0]])))
    for document, labels, _ in log:
        if len(labels) != 1:
            raise ValueError(_fault("decisions", document, len(labels)))


def _fault(name: str, document: int, count: int) -> str:
    return (
        f"{name} must have exactly one label for each document if single_label is true, but has "
        f"{count} for document {document}; use single_label=False for multi-label data"
    )


def disagreements(repeats: Sequence[int]) -> list[int]:
    """Return 1 for each document that two people read differently, 0 for the others.

    Two readings of a document differ in two labels, or in none; 1 is accepted as well.

    >>> disagreements([0, 2, 1])
    [0, 1, 1]
    """
    return [int(count > 0) for count in repeats]


def single_label_bounds(found: FoundErrors, repeats: Sequence[int], error: float) -> MeasureBounds:
    """Return the bounds of accuracy and macro-F1."""
    human = human_errors(repeats, 1, error, found.strategy)
    accuracy = accuracy_lowest(found, *human)
    bounds = [Bound(name, accuracy) for name in ACCURACY_NAMES]
    # a misread document has two label errors
    bounds.append(macro_bound(found, 2 * human.rate, human.error))
    return MeasureBounds(tuple(bounds), human)


def accuracy_lowest(found: FoundErrors, human: float, error: float) -> float:
    """Return the lower bound of the share of documents with the right label."""
    n = found.n_documents
    if not n:
        return 1.0
    wrong = math.floor(found.errors_left(1.0, 0.0, error)) + human * n
    return max(0.0, 1.0 - wrong / n)
