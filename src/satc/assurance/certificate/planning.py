"""How many more random documents a certificate would need for a bound.

It is assumed that the documents which are drawn next have as many errors as those that were drawn
so far. The errors of the audited documents are repeated in their order, on documents that are drawn
among the unread ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from satc.assurance.certificate.audit import AuditedDecision
from satc.assurance.certificate.certificate import FORMAT, Certificate, certify_in_format
from satc.inputs import Labels


def documents_for_bound(certificate: Certificate, measure: str, target: float) -> int | None:
    """Return about how many more random documents a bound needs; None if all would not do.

    Parameters
    ----------
    certificate : Certificate
        The certificate now.
    measure : str
        A measure of its bounds.
    target : float
        The bound that is wanted.

    Examples
    --------
    >>> from satc.assurance import certify
    >>> predicted = np.ones((2000, 1), dtype=bool)
    >>> certificate = certify(predicted, [(i, [0], True) for i in range(20)], cap=1)
    >>> certificate.low("precision") < 0.9
    True
    >>> 10 < documents_for_bound(certificate, "precision", 0.9) < 40
    True
    """
    if not 0.0 < target <= 1.0:
        raise ValueError(f"target must be above 0 and at most 1, but is {target!r}")
    unread = _unread(certificate)
    more = _imagined(certificate, unread)

    def reaches(n: int) -> bool:
        return _with_more(certificate, more[:n]).low(measure) >= target

    return _smallest(reaches, len(unread))


def _smallest(reaches: Callable[[int], bool], largest: int) -> int | None:
    """Return the smallest number that reaches the target, if more never reach less."""
    low, high = -1, 0
    while not reaches(high):
        if high >= largest:
            return None
        low, high = high, min(largest, max(8, 2 * high))
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _unread(certificate: Certificate) -> NDArray[np.int64]:
    """Return the documents that nobody has read, in a random order."""
    inputs = certificate.inputs
    is_unread = np.ones(len(inputs.predicted), dtype=bool)
    is_unread[[one.document for one in inputs.decisions]] = False
    return np.random.default_rng(0).permutation(np.flatnonzero(is_unread))


def _imagined(certificate: Certificate, unread: NDArray[np.int64]) -> list[AuditedDecision]:
    """Return audited decisions on unread documents, with errors as those that were found."""
    predicted = certificate.inputs.predicted
    audited = [one for one in certificate.inputs.decisions if one.is_audit]
    errors = [_errors(predicted[one.document], one.labels) for one in audited] or [(0, 0)]
    return [
        AuditedDecision(int(i), _labels(predicted[i], *errors[k % len(errors)]), True)
        for k, i in enumerate(unread)
    ]


def _errors(predicted: Labels, labels: tuple[int, ...]) -> tuple[int, int]:
    """Return how many labels were wrong, and how many were missing."""
    there = set(np.flatnonzero(predicted).tolist())
    return len(there - set(labels)), len(set(labels) - there)


def _labels(predicted: Labels, wrong: int, missing: int) -> tuple[int, ...]:
    kept = np.flatnonzero(predicted)[wrong:]
    added = np.flatnonzero(~predicted)[:missing]
    return tuple(sorted([*kept.tolist(), *added.tolist()]))


def _with_more(certificate: Certificate, more: list[AuditedDecision]) -> Certificate:
    inputs = certificate.inputs
    return certify_in_format(
        FORMAT,
        inputs.predicted,
        [*inputs.decisions, *more],
        cap=None if certificate.single_label else certificate.cap,
        confidence=certificate.confidence,
        repeats=inputs.repeats,
        aim=certificate.aim,
        single_label=certificate.single_label,
        undone=inputs.undone,
        with_classes=False,
    )
