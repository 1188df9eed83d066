"""Lower bounds of the precision, recall and F1 of single classes.

The documents that the classifier assigned to a class, and all other documents, are two sets; the
audited documents in each of them are a random sample of it. The first set bounds the wrong labels
of the class, the second one its missing labels. A document has at most one error of the class, so
no cap is needed. Half of the permitted error probability goes to each set. So the precision, recall
and F1 of one class hold together with the stated confidence, but the bounds of different classes
need not all hold together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from satc.assurance.certificate.found_errors import FoundErrors
from satc.assurance.certificate.measure_bounds import HumanErrors


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


def class_bounds(
    found: FoundErrors, human: HumanErrors, *, every: bool = False
) -> tuple[ClassBound, ...]:
    """Return the bounds of the classes for which the audit has drawn a document, or of all.

    Without an audited document that the classifier assigned to a class, the audit says nothing
    about the unread labels of the class.
    """
    shown = np.ones_like(found.n_labels) if every else found.assigned[found.is_audit].any(axis=0)
    return tuple(class_bound(found, int(column), *human) for column in np.flatnonzero(shown))


def class_bound(found: FoundErrors, column: int, human: float, error: float) -> ClassBound:
    """Return the lower bounds of precision, recall and F1 of a class.

    `human` bounds people's errors per document: people have made at most so many times the number
    of documents errors in all classes, so not more in this one.
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
