"""`shares`: the share of each class in the whole set, and in groups of it.

The labels of decided documents are known. The positives among the others are estimated from the
predictions and corrected by the audit (`interval`). The set is finite: with every decision the
interval becomes narrower, and when all documents are decided it has no width.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.certificate.audit import AuditedDecision
from satc.assurance.shares.interval import Interval, interval
from satc.assurance.shares.sample import Array, Log, sample_of
from satc.assurance.shares.tuning import Tuning, tuned
from satc.inputs import (
    Labels,
    as_labels,
    as_scores,
    check_same_classes,
    check_unit_interval,
    indicator,
)


@dataclass(frozen=True, eq=False)
class Shares:
    """The share of each class, with an interval.

    Attributes
    ----------
    share, low, high : arrays, one value per class
        Estimate and interval. `low` and `high` are NaN where no document was audited.
    count : array, one value per class
        Estimated number of documents of the class.
    predicted : array, one value per class
        The mean of the predictions: the share without any correction.
    validated, audited : integer arrays, one value per class
        Decided documents that have the class, and how many of them were audited.
    n_documents, n_validated, n_audited : int
        Number of documents, of decided ones (audited ones included), and of audited ones.
    level : float
        Confidence of the intervals.
    groups : dict
        The shares within each group of documents, if groups were given.
    """

    share: Array
    low: Array
    high: Array
    predicted: Array
    validated: NDArray[np.int64]
    audited: NDArray[np.int64]
    n_documents: int
    n_validated: int
    n_audited: int
    level: float
    groups: dict[Any, Shares] = field(default_factory=dict, repr=False)

    @property
    def count(self) -> Array:
        """Estimated number of documents of each class."""
        return self.share * self.n_documents


def shares(
    predictions: Any,
    audited: Any,
    y_audited: Any,
    *,
    known: Any = (),
    y_known: Any = None,
    groups: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> Shares:
    """Estimate the share of each class in a set of documents, with a confidence interval.

    Parameters
    ----------
    predictions : array of shape (n_documents, n_classes)
        Probabilities, or labels as 0 and 1. They must not have been learnt from the audited
        documents.
    audited : array of int
        Rows of the audited documents: a simple random sample of all documents that are not known.
    y_audited : array of shape (n_audited, n_classes)
        Their true labels.
    known : array of int
        Rows of documents whose labels were known before, in any way.
    y_known : array of shape (n_known, n_classes)
        Their true labels.
    groups : sequence
        The group of each document, for shares within groups.
    level : float
        Confidence of the intervals.

    Returns
    -------
    Shares
        With `share`, `low` and `high`, one value per class.

    See Also
    --------
    satc.assurance.shares.shares_of_log : for an audit that was mixed into other work.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> probability = rng.beta(0.3, 0.9, size=(2000, 1))
    >>> y_true = rng.random((2000, 1)) < probability
    >>> audited = rng.choice(2000, size=200, replace=False)
    >>> found = shares(probability, audited, y_true[audited])
    >>> [round(float(value[0]), 3) for value in (found.share, found.low, found.high)]
    [0.25, 0.21, 0.289]
    >>> round(float(y_true.mean()), 3)
    0.241
    """
    f = _as_predictions(predictions)
    first, second = _rows(known, len(f), "known"), _rows(audited, len(f), "audited")
    documents = np.concatenate([first, second])
    _refuse_repeated(documents)
    y = np.concatenate(
        [
            _labels_of(first, y_known, f, "known", "y_known"),
            _labels_of(second, y_audited, f, "audited", "y_audited"),
        ]
    )
    is_audit = np.arange(len(documents)) >= len(first)
    return _shares(f, Log(documents, y, is_audit), groups, level)


def shares_of_log(
    predictions: Any,
    decisions: Sequence[AuditedDecision],
    *,
    groups: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> Shares:
    """Estimate shares as `shares` does, from the log of decisions that `certify` takes.

    The audited documents are those that `AuditSample` drew while people decided on others.
    """
    f = _as_predictions(predictions)
    documents = _rows([decision.document for decision in decisions], len(f), "decisions")
    _refuse_repeated(documents)
    y = indicator([decision.labels for decision in decisions], range(f.shape[1]))
    is_audit = np.array([decision.is_audit for decision in decisions], dtype=bool)
    return _shares(f, Log(documents, y, is_audit), groups, level)


def _shares(
    f: NDArray[np.floating[Any]], log: Log, groups: Sequence[Hashable] | None, level: float
) -> Shares:
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, such as 0.95, but is {level!r}")
    are_labels = bool(((f == 0.0) | (f == 1.0)).all())
    tuning = None
    if log.is_audit.any() and len(log.documents) < len(f):
        tuning = tuned(sample_of(f, log), are_labels)
    return _of_part(f, log, tuning, level, _by_group(f, log, tuning, level, groups))


def _by_group(
    f: NDArray[np.floating[Any]],
    log: Log,
    tuning: Tuning | None,
    level: float,
    groups: Sequence[Hashable] | None,
) -> dict[Any, Shares]:
    if groups is None:
        return {}
    if len(groups) != len(f):
        raise ValueError(
            f"groups must have {len(f)} values, one per document, but has {len(groups)}"
        )
    rows: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    found = {}
    for group, members in rows.items():
        inside = np.array(members, dtype=np.int64)
        found[group] = _of_part(f[inside], log.within(inside, len(f)), tuning, level, {})
    return found


def _of_part(
    f: NDArray[np.floating[Any]],
    log: Log,
    tuning: Tuning | None,
    level: float,
    groups: dict[Any, Shares],
) -> Shares:
    n, known = len(f), log.y.sum(axis=0)
    left = _left(f, log, tuning, level)
    return Shares(
        share=(known + left.estimate) / n,
        low=(known + left.low) / n,
        high=(known + left.high) / n,
        predicted=f.mean(axis=0, dtype=np.float64),
        validated=known.astype(np.int64),
        audited=log.y[log.is_audit].sum(axis=0).astype(np.int64),
        n_documents=n,
        n_validated=len(log.documents),
        n_audited=int(log.is_audit.sum()),
        level=level,
        groups=groups,
    )


def _left(f: NDArray[np.floating[Any]], log: Log, tuning: Tuning | None, level: float) -> Interval:
    """Return the positives among the undecided documents; without an audit there is no interval."""
    if len(log.documents) == len(f):
        none = np.zeros(f.shape[1])
        return Interval(none, none, none)
    sample = sample_of(f, log)
    if tuning is None or not len(sample.weight):
        unknown = np.full(f.shape[1], np.nan)
        return Interval(sample.f_total, unknown, unknown)
    return interval(sample, tuning, level)


def _as_predictions(value: Any) -> NDArray[np.floating[Any]]:
    f = as_scores(value, "predictions")
    check_unit_interval(f, "predictions")
    return f


def _rows(value: Any, n_documents: int, name: str) -> NDArray[np.int64]:
    rows = np.asarray(value)
    if rows.size and (rows.ndim != 1 or rows.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a list of rows of predictions, but is {value!r}")
    rows = rows.astype(np.int64).reshape(-1)
    outside = rows[(rows < 0) | (rows >= n_documents)]
    if len(outside):
        raise ValueError(
            f"{name} must hold rows from 0 to {n_documents - 1}, but holds {outside[0]}"
        )
    return rows


def _refuse_repeated(documents: NDArray[np.int64]) -> None:
    rows, times = np.unique(documents, return_counts=True)
    if (times > 1).any():
        raise ValueError(
            "audited and known must hold every document once at most, but document "
            f"{rows[times > 1][0]} is there twice"
        )


def _labels_of(
    rows: NDArray[np.int64], labels: Any, f: NDArray[np.floating[Any]], name: str, named: str
) -> Labels:
    if not len(rows) and labels is None:
        return np.zeros((0, f.shape[1]), dtype=bool)
    if labels is None:
        raise ValueError(f"{named} must hold the labels of the {len(rows)} {name} documents")
    y = as_labels(labels, named)
    check_same_classes(predictions=f, **{named: y})
    if len(y) != len(rows):
        raise ValueError(
            f"{named} must have one row for each of {len(rows)} {name} documents, but has {len(y)}"
        )
    return y
