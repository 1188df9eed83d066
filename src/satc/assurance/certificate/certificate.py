"""The certificate: lower bounds on the accuracy of the labels, without any model.

*What is certified*: the present labels of the whole set, that is the labels of a person where a
document has been validated, and the predicted labels elsewhere: those of the classifier, or labels
chosen for a measure. The predicted labels are fixed before the audit starts.

*Evidence*: an audit, that is documents drawn at random among those that nobody had read (`audit`).
The wrong and the missing labels found in them bound the errors in the documents that are still
unread (`betting`). The bounds hold at any time, however often one looks.

*Declared assumptions*: no document from which the audit is drawn lacks more than `cap` labels.
People's labels are true. Or, where documents were shown twice: each label of a person is right
more often than wrong, and two readings err independently. The number of errors per document is
then at most the number of disagreements.

Each bound holds by itself with the stated confidence; they need not all hold together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from satc.assurance.certificate.audit import AuditedDecision, as_decisions
from satc.assurance.certificate.betting import upper_mean
from satc.assurance.certificate.found_errors import FoundErrors
from satc.assurance.certificate.macro_bound import macro_lowest, macro_weights
from satc.assurance.certificate.micro_bound import micro_lowest, micro_weights
from satc.inputs import Labels, as_labels

# The share of the permitted error probability that is used for the bound on people's errors.
_REPEATS_SHARE = 0.2
_MEASURES = {"micro-F1": 1.0, "precision": 0.0, "recall": math.inf}


class Bound(NamedTuple):
    """A measure of the present labels, and its lower bound."""

    measure: str
    low: float


@dataclass(frozen=True)
class Certificate:
    """Lower bounds on the accuracy of the labels, with the evidence and the assumptions.

    Attributes
    ----------
    bounds : tuple of Bound
        micro-F1, precision, recall (micro-averaged) and macro-F1.
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
        Upper bound on the mean number of errors that people leave in a document.
    inputs : Inputs
        The data from which the certificate was computed.
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

    def low(self, measure: str) -> float:
        """Return the lower bound of a measure, named as in `bounds`."""
        return dict(self.bounds)[measure]


@dataclass(frozen=True, eq=False)
class Inputs:
    """The data of a certificate: the predicted labels, the decision log, the repeats."""

    predicted: Labels
    decisions: tuple[AuditedDecision, ...]
    repeats: tuple[int, ...]


def certify(
    predicted: Any,
    decisions: Iterable[Any],
    *,
    cap: int,
    confidence: float = 0.95,
    repeats: Sequence[int] = (),
    aim: float = 0.95,
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
        assumption; the certificate prints it.
    confidence : float
        Probability with which each bound holds.
    repeats : sequence of int
        For each document that was shown twice: the number of labels in which the two readings
        differ.
    aim : float
        Value of the measures at which the bounds are sharpest. Fix it before the audit starts.

    Examples
    --------
    >>> predicted = np.ones((200, 1), dtype=bool)
    >>> audit = [(i, [0], True) for i in range(100)]
    >>> certificate = certify(predicted, audit, cap=1)
    >>> round(certificate.low("micro-F1"), 3), round(certificate.low("precision"), 3)
    (0.977, 0.978)
    """
    labels = as_labels(predicted, "predicted")
    log = as_decisions(decisions, *labels.shape)
    _check(cap, confidence, aim, repeats)
    found = FoundErrors.of(labels, log, cap)
    error = 1.0 - confidence
    human = 0.0
    if repeats:
        share = _REPEATS_SHARE * error
        human = upper_mean(np.asarray(repeats, dtype=np.float64), float(cap), share)
        error -= share
    return Certificate(
        bounds=(*_micro_bounds(found, human, error, aim), _macro_bound(found, human, error)),
        confidence=confidence,
        n_documents=labels.shape[0],
        n_classes=labels.shape[1],
        n_validated=len(log),
        n_audited=int(found.is_audit.sum()),
        n_repeated=len(repeats),
        n_labels=int(found.n_labels.sum()),
        cap=cap,
        most_missed=found.most_missed,
        found=found.by_audit,
        aim=aim,
        human_errors=human,
        inputs=Inputs(labels, log, tuple(int(count) for count in repeats)),
    )


def _micro_bounds(found: FoundErrors, human: float, error: float, aim: float) -> list[Bound]:
    n_labels = found.n_labels.sum()
    bounds = []
    # An error rate of people concerns all documents: they make errors in the documents that they
    # validate, and overlook errors in the documents that they audit.
    for name, beta in _MEASURES.items():
        weights = micro_weights(beta, aim)
        errors = found.errors_left(weights.fp, weights.fn, error)
        by_people = human * found.n_documents
        low = micro_lowest(beta, aim, errors, n_labels, found.unread.sum(), by_people)
        bounds.append(Bound(name, low))
    return bounds


def _macro_bound(found: FoundErrors, human: float, error: float) -> Bound:
    return Bound("macro-F1", _macro_low(found, human, error))


def _macro_low(found: FoundErrors, human: float, error: float) -> float:
    if not found.n_unread and not human:  # people have validated everything without errors
        return 1.0
    labels, unread = found.labels_before_audit()
    weights = macro_weights(2 * labels - unread, found.cap + found.most_assigned, error)
    if not weights.any():
        return 0.0
    errors = found.errors_left(weights, weights, error)
    errors += float(weights.max()) * human * found.n_documents
    return macro_lowest(weights, 2 * found.n_labels - found.unread, errors)


def _check(cap: int, confidence: float, aim: float, repeats: Sequence[int]) -> None:
    if int(cap) != cap or cap < 1:
        raise ValueError(f"cap must be a whole number, 1 or more, but is {cap!r}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, but is {confidence!r}")
    if not 0 < aim < 1:
        raise ValueError(f"aim must be between 0 and 1, but is {aim!r}")
    if any(not 0 <= count <= cap for count in repeats):
        raise ValueError(
            f"repeats must be disagreements from 0 to cap, {cap}, but hold {max(repeats)}"
        )
