"""The certificate: lower bounds on the accuracy of the labels, without any model.

*What is certified*: the present labels of the whole set, that is the labels of a person where a
document has been validated, and the predicted labels elsewhere: those of the classifier, or labels
chosen for a measure. The predicted labels are fixed before the audit starts.

*Evidence*: an audit, that is documents drawn at random among those that nobody had read (`audit`).
The wrong and the missing labels found in them bound the errors in the documents that are still
unread (`betting`). The bounds hold at any time, however often one looks.

*Undone decisions*: a document that was decided when another one was drawn was not drawn from. If
its decision is undone later, it keeps its place for that draw, and counts at its worst (`absent`).

*Declared assumptions*: no document from which the audit is drawn lacks more than `cap` labels.
People's labels are true. Or, where documents were shown twice: each label of a person is right
more often than wrong, and two readings err independently. The number of errors per document is
then at most the number of disagreements.

*Single-label data*: every document has exactly one label (`single_label`). It then lacks at most
one label, so that no cap has to be declared.

Each bound holds by itself with the stated confidence; they need not all hold together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from satc.assurance.certificate.audit import (
    Absence,
    AuditedDecision,
    as_absences,
    as_decisions,
)
from satc.assurance.certificate.betting import FIRST, HEDGED
from satc.assurance.certificate.class_bounds import ClassBound, class_bounds
from satc.assurance.certificate.found_errors import FoundErrors
from satc.assurance.certificate.measure_bounds import (
    Bound,
    MeasureBounds,
    bounds_for_cap,
    lowest_bounds,
)
from satc.assurance.certificate.single_label import (
    check_single_labels,
    disagreements,
    single_label_bounds,
)
from satc.assurance.certificate.undecided import UndecidedDraws
from satc.inputs import Labels, as_labels

AIM = 0.95  # the value of the measures at which the bounds are sharpest
FORMAT = 4  # of the computation; certificates in earlier formats can still be computed again


@dataclass(frozen=True)
class Certificate:
    """Lower bounds on the accuracy of the labels, with the evidence and the assumptions.

    Attributes
    ----------
    bounds : tuple of Bound
        micro-F1, precision, recall (micro-averaged) and macro-F1. For single-label data, accuracy
        comes first, and the three micro-averaged measures are equal to it.
    confidence : float
        Probability with which each bound holds.
    n_documents, n_classes, n_validated, n_audited, n_repeated : int
        Number of documents, of classes, of validated documents (audited ones included), of audited
        documents, and of documents shown twice.
    n_labels : int
        Number of labels that are assigned at present.
    cap, most_missed : int
        Largest number of labels that a document lacks: as declared, and as seen in the audit.
    found : tuple of two ints
        Numbers of wrong and of missing labels that the audit found.
    aim : float
        Value of the measures, fixed in advance, at which the bounds are sharpest.
    human_errors : float
        Upper bound on the mean number of errors that people leave in a document; for single-label
        data, on the share of documents that people misread.
    inputs : Inputs
        The data from which the certificate was computed.
    single_label : bool
        Whether every document has exactly one label.
    classes : tuple of ClassBound
        Bounds of every class for single-label data, and else of the classes for which the audit has
        drawn a document. The bounds of one class hold together; those of different classes need
        not.
    undecided : UndecidedDraws or None
        Drawn documents that are not decided, if there are any and a project told about them.
    """

    bounds: tuple[Bound, ...]
    confidence: float
    n_documents: int
    n_classes: int
    n_validated: int
    n_audited: int
    n_repeated: int
    n_labels: int
    cap: int
    most_missed: int
    found: tuple[int, int]
    aim: float
    human_errors: float
    inputs: Inputs = field(repr=False)
    single_label: bool = False
    classes: tuple[ClassBound, ...] = field(default=(), repr=False)
    undecided: UndecidedDraws | None = None

    def low(self, measure: str) -> float:
        """Return the lower bound of a measure, named as in `bounds`."""
        return dict(self.bounds)[measure]

    @property
    def accuracy(self) -> float | None:
        """The lower bound of accuracy; None for multi-label data."""
        return self.low("accuracy") if self.single_label else None


@dataclass(frozen=True, eq=False)
class Inputs:
    """The data of a certificate: predicted labels, decision log, repeats, undone decisions."""

    predicted: Labels
    decisions: tuple[AuditedDecision, ...]
    repeats: tuple[int, ...]
    undone: tuple[Absence, ...] = ()


def certify(
    predicted: Any,
    decisions: Iterable[Any],
    *,
    cap: int | None = None,
    confidence: float = 0.95,
    repeats: Sequence[int] = (),
    aim: float = AIM,
    single_label: bool = False,
    undone: Iterable[Any] = (),
) -> Certificate:
    """Compute lower bounds on the accuracy of the present labels.

    Parameters
    ----------
    predicted : array of shape (n_documents, n_classes)
        The predicted labels, fixed before the audit starts: those of the classifier, or labels
        chosen for a measure.
    decisions : sequence of (document, class indices, whether it was an audit)
        Every validated document once, in the order of validation, with its present labels. The
        audited documents are those that `AuditSample` drew, in the order of the draws.
    cap : int
        Largest number of labels that a document which nobody has read can lack. This is an
        assumption; the certificate prints it. A smaller cap never gives a looser bound. Leave it
        out for single-label data, where it is 1.
    confidence : float
        Probability with which each bound holds.
    repeats : sequence of int
        For each document that was shown twice: the number of labels in which the two readings
        differ.
    aim : float
        Value of the measures at which the bounds are sharpest. Fix it before the audit starts.
        The bounds of single-label data do not depend on it.
    single_label : bool
        Whether every document has exactly one label, predicted and true.
    undone : sequence of (document, first, last)
        Documents that were decided, and so were not drawn from, when the audited documents at the
        places first, ..., last - 1 of `decisions` were drawn, and whose decision was undone later.

    Examples
    --------
    >>> import numpy as np
    >>> predicted = np.ones((200, 1), dtype=bool)
    >>> audit = [(i, [0], True) for i in range(100)]
    >>> certificate = certify(predicted, audit, cap=1)
    >>> round(certificate.low("micro-F1"), 3), round(certificate.low("precision"), 3)
    (0.976, 0.977)

    With one label for each document, a bound on the wrong documents bounds accuracy:

    >>> predicted = np.eye(2, dtype=bool)[[0, 1] * 100]
    >>> audit = [(i, [i % 2], True) for i in range(100)]
    >>> certificate = certify(predicted, audit, single_label=True)
    >>> certificate.accuracy
    0.98
    >>> [round(one.recall, 3) for one in certificate.classes]
    [0.95, 0.95]
    """
    return certify_in_format(
        FORMAT,
        predicted,
        decisions,
        cap=cap,
        confidence=confidence,
        repeats=repeats,
        aim=aim,
        single_label=single_label,
        undone=undone,
    )


def certify_in_format(
    version: int,
    predicted: Any,
    decisions: Iterable[Any],
    *,
    cap: int | None,
    confidence: float,
    repeats: Sequence[int],
    aim: float,
    single_label: bool,
    undone: Iterable[Any] = (),
    with_classes: bool = True,
) -> Certificate:
    """Compute a certificate as `certify` does, or as it did in an earlier format.

    `with_classes=False` leaves out the bounds of the classes, which take most of the time.
    """
    labels = as_labels(predicted, "predicted")
    log = as_decisions(decisions, *labels.shape)
    declared = _checked_cap(cap, single_label)
    _check(declared, confidence, aim, repeats, single_label)
    if single_label:
        check_single_labels(labels, log)
        repeats = disagreements(repeats)
    absences = as_absences(undone, len(labels), len(log))
    found = FoundErrors.of(
        labels,
        log,
        declared,
        FIRST if version == 1 else HEDGED,
        absences,
        from_predictions=version >= 3,
    )
    error = 1.0 - confidence
    if single_label:
        measures = single_label_bounds(found, repeats, error)
    else:
        measures = _multi_label_bounds(version, found, repeats, error, aim)
    classes: tuple[ClassBound, ...] = ()
    if with_classes and (single_label or version >= 4):
        classes = class_bounds(found, measures.human, every=single_label)
    return Certificate(
        bounds=measures.bounds,
        confidence=confidence,
        n_documents=labels.shape[0],
        n_classes=labels.shape[1],
        n_validated=len(log),
        n_audited=int(found.is_audit.sum()),
        n_repeated=len(repeats),
        n_labels=int(found.n_labels.sum()),
        cap=declared,
        most_missed=found.most_missed,
        found=found.by_audit,
        aim=aim,
        human_errors=measures.human.rate,
        inputs=Inputs(labels, log, tuple(int(count) for count in repeats), absences),
        single_label=single_label,
        classes=classes,
    )


def _multi_label_bounds(
    version: int, found: FoundErrors, repeats: Sequence[int], error: float, aim: float
) -> MeasureBounds:
    if version == 1:
        return bounds_for_cap(found, repeats, error, aim)
    return lowest_bounds(found, repeats, error, aim)


def _checked_cap(cap: int | None, single_label: bool) -> int:
    if single_label and cap not in (None, 1):
        raise ValueError(
            "cap must be left out or 1 if single_label is true, because such a document lacks at "
            f"most one label, but is {cap!r}"
        )
    if single_label:
        return 1
    if cap is None:
        raise ValueError("cap must be a whole number, 1 or more, for multi-label data, but is None")
    return cap


def _check(
    cap: int, confidence: float, aim: float, repeats: Sequence[int], single_label: bool
) -> None:
    if int(cap) != cap or cap < 1:
        raise ValueError(f"cap must be a whole number, 1 or more, but is {cap!r}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, but is {confidence!r}")
    if not 0 < aim < 1:
        raise ValueError(f"aim must be between 0 and 1, but is {aim!r}")
    most, name = (2, "2 for single labels") if single_label else (cap, f"cap, {cap}")
    if any(not 0 <= count <= most for count in repeats):
        raise ValueError(f"repeats must be disagreements from 0 to {name}, but hold {max(repeats)}")
