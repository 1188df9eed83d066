"""Lower bounds for single-label data, where every document has exactly one label.

A document is right or wrong, and a wrong document has one wrong label and lacks one label. So one
bound on the number of wrong documents bounds accuracy, which equals micro-F1, micro-averaged
precision and micro-averaged recall. No split of the errors into wrong and missing labels has to be
assumed, and the number is a whole number.

*Classes.* The documents that the classifier assigned to a class, and all other documents, are two
sets; the audited documents in each of them are a random sample of it. The first set bounds the
wrong labels of the class, the second one its missing labels. Half of the permitted error
probability goes to each. So the precision, recall and F1 of one class hold together with the
stated confidence, but the bounds of different classes need not all hold together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

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


class ClassBound(NamedTuple):
    """Lower bounds of one class, which hold together.

    Attributes
    ----------
    column : int
        Index of the class.
    n_labels : int
        Number of documents that have this label at present.
    n_audited : int
        Number of audited documents that the classifier had assigned to this class.
    precision, recall, f1 : float
        Lower bounds.
    """

    column: int
    n_labels: int
    n_audited: int
    precision: float
    recall: float
    f1: float


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


def single_label_bounds(
    found: FoundErrors, repeats: Sequence[int], error: float
) -> tuple[MeasureBounds, tuple[ClassBound, ...]]:
    """Return the bounds of accuracy and macro-F1, and those of each class."""
    human, error = human_errors(repeats, 1, error, found.strategy)
    accuracy = accuracy_lowest(found, human, error)
    bounds = [Bound(name, accuracy) for name in ACCURACY_NAMES]
    bounds.append(macro_bound(found, 2 * human, error))  # a misread document has two label errors
    classes = (class_bound(found, column, human, error) for column in range(len(found.n_labels)))
    return MeasureBounds(tuple(bounds), human), tuple(classes)


def accuracy_lowest(found: FoundErrors, human: float, error: float) -> float:
    """Return the lower bound of the share of documents with the right label."""
    n = found.n_documents
    if not n:
        return 1.0
    wrong = math.floor(found.errors_left(1.0, 0.0, error)) + human * n
    return max(0.0, 1.0 - wrong / n)


def class_bound(found: FoundErrors, column: int, human: float, error: float) -> ClassBound:
    """Return the lower bounds of precision, recall and F1 of a class.

    The documents that people misread are at most `human` times the number of documents; each of
    them has at most one error of this class.
    """
    n_labels = int(found.n_labels[column])
    wrong = math.floor(found.wrong_left(column, error / 2))
    missing = math.floor(found.missing_left(column, error / 2))
    by_people = human * found.n_documents
    splits = (0.0, min(by_people, max(0.0, n_labels - wrong)))  # the worst one is at an end
    right = [max(0.0, n_labels - wrong - part) for part in splits]
    lacking = [missing + by_people - part for part in splits]
    return ClassBound(
        column,
        n_labels,
        int(found.assigned[found.is_audit, column].sum()),
        _share(right[1], n_labels),
        min(_share(tp, tp + fn) for tp, fn in zip(right, lacking, strict=True)),
        min(_share(2 * tp, n_labels + tp + fn) for tp, fn in zip(right, lacking, strict=True)),
    )


def _share(part: float, whole: float) -> float:
    """Return part / whole; 0 for 0/0, because a lower bound must hold under every convention.

    >>> _share(3, 4), _share(0, 0)
    (0.75, 0.0)
    """
    return part / whole if whole > 0 else 0.0
