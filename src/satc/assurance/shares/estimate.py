"""`shares`: the share of each class in the whole set, and in groups of it.

The labels of decided documents are known. The positives among the others are estimated from the
predictions and corrected by the audit (`interval`). The set is finite: with every decision the
interval becomes narrower, and when all documents are decided it has no width.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from satc.arrays.frames import column_names, common_names, in_order
from satc.assurance.certificate.audit import AuditedDecision, as_absences
from satc.assurance.shares.arguments import (
    as_groups,
    as_predictions,
    as_rows,
    check_level,
    labels_of,
    refuse_repeated,
)
from satc.assurance.shares.parts import Part, Shares
from satc.assurance.shares.recalibration import fitted, recalibrated
from satc.assurance.shares.sample import Log, sample_of
from satc.assurance.shares.tuning import tuned
from satc.inputs import Scores, indicator


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
    [0.251, 0.213, 0.289]
    >>> round(float(y_true.mean()), 3)
    0.263
    """
    names = common_names(map(column_names, (predictions, y_audited, y_known)))
    f = as_predictions(in_order(predictions, names, "predictions"))
    y_known = in_order(y_known, names, "y_known")
    y_audited = in_order(y_audited, names, "y_audited")
    first, second = as_rows(known, len(f), "known"), as_rows(audited, len(f), "audited")
    documents = np.concatenate([first, second])
    refuse_repeated(documents)
    y = np.concatenate(
        [
            labels_of(first, y_known, f, "known", "y_known"),
            labels_of(second, y_audited, f, "audited", "y_audited"),
        ]
    )
    is_audit = np.arange(len(documents)) >= len(first)
    return _shares(f, Log(documents, y, is_audit), groups, level)


def shares_of_log(
    predictions: Any,
    decisions: Sequence[AuditedDecision],
    *,
    undone: Iterable[Any] = (),
    groups: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> Shares:
    """Estimate shares as `shares` does, from the log of decisions that `certify` takes.

    The audited documents are those that `AuditSample` drew while people decided on others.
    `undone` are the times in which documents were decided before this was undone, as in `certify`.
    """
    f = as_predictions(predictions)
    documents = as_rows([decision.document for decision in decisions], len(f), "decisions")
    refuse_repeated(documents)
    y = indicator([decision.labels for decision in decisions], range(f.shape[1]))
    is_audit = np.array([decision.is_audit for decision in decisions], dtype=bool)
    absences = as_absences(undone, len(f), len(documents))
    return _shares(f, Log(documents, y, is_audit, absences), groups, level)


def _shares(f: Scores, log: Log, groups: Sequence[Hashable] | None, level: float) -> Shares:
    check_level(level)
    members = as_groups(groups, len(f))
    if len(log.documents) == len(f) or not (sample := sample_of(f, log)).information:
        return Part(f, f, log, None, level).shares(members)
    corrected = recalibrated(f, fitted(sample))
    tuning = tuned(sample_of(corrected, log))
    return Part(f, corrected, log, tuning, level).shares(members)
