"""The certificate: how good the labels are at least, whatever the model believes.

*What is certified*: the labels of the whole set as they stand now, a person's where a document has
been validated, the classifier's elsewhere. *What it rests on*: an audit, documents drawn at random
among those that nobody had read (`audit`); the wrong and the missing labels found in them bound
those in the documents still unread (`betting`), at any moment, under continuous peeking. *What is
declared*: no document that was drawn from lacks more than `cap` labels; people's labels are true,
or, where documents were shown twice, each label of theirs is right more often than wrong and two
readings err independently: the errors per document are then at most the disagreements.

Each bound holds by itself with the stated confidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.assurance.certificate.audit import Decision, as_decisions
from satc.assurance.certificate.betting import Draws, upper_mean, upper_total
from satc.assurance.certificate.limits import lowest, weights_of
from satc.assurance.certificate.macro_bound import macro_lowest, macro_weights
from satc.inputs import Labels, as_labels, indicator

Array = NDArray[np.float64]

# What share of the permitted error goes to the disagreement of repeated readings.
_REPEATS_SHARE = 0.2
_MEASURES = {"micro-F1": 1.0, "precision": 0.0, "recall": math.inf}


class Bound(NamedTuple):
    """A measure of the labels as they stand, and what it is at least."""

    measure: str
    low: float


@dataclass(frozen=True)
class Certificate:
    """Lower bounds with all that they rest on.

    Attributes
    ----------
    bounds : tuple of Bound
        micro-F1, precision, recall (micro-averaged) and macro-F1.
    confidence : float
        With which each bound holds.
    n_documents, n_classes, n_validated, n_audited, n_repeated : int
        Documents in all, validated (audited ones included), audited, shown twice.
    n_labels : int
        Labels assigned, as they stand.
    cap, most_missed : int
        Labels that a document lacks at most: as declared, and as seen in the audit.
    found : tuple of two ints
        Wrong and missing labels that the audit found.
    aim : float
        The value at which the bounds are sharpest, fixed in advance.
    human_errors : float
        Errors that people may have left in a document, on average, at most.
    inputs : Inputs
        What it was computed from.
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
        """Return the bound of a measure."""
        return dict(self.bounds)[measure]


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a certificate is recomputed from: the classifier's labels and the decision log."""

    predicted: Labels
    decisions: tuple[Decision, ...]
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
    """Bound the accuracy of the labels as they stand, from below.

    Parameters
    ----------
    predicted : array of shape (n_documents, n_classes)
        The classifier's labels.
    decisions : sequence of (document, class indices, whether it was an audit)
        Every validated document once, in the order of the validations, with its labels as
        they stand; audited ones as `AuditSample` drew them.
    cap : int
        No document that nobody has read lacks more labels than that. Declared, and printed.
    confidence : float
        With which each bound holds.
    repeats : sequence of int
        For documents shown a second time: in how many labels the two readings differ.
    aim : float
        Value of the measures at which the bounds are sharpest; fix it before the audit.

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
    work = _Work.of(labels, log, cap)
    error = 1.0 - confidence
    human = 0.0
    if repeats:
        share = _REPEATS_SHARE * error
        human = upper_mean(np.asarray(repeats, dtype=np.float64), float(cap), share)
        error -= share
    return Certificate(
        bounds=(*_micro(work, human, error, aim), Bound("macro-F1", _macro(work, human, error))),
        confidence=confidence,
        n_documents=labels.shape[0],
        n_classes=labels.shape[1],
        n_validated=len(log),
        n_audited=int(work.is_audit.sum()),
        n_repeated=len(repeats),
        n_labels=int(work.n_labels.sum()),
        cap=cap,
        most_missed=work.most_missed,
        found=work.found,
        aim=aim,
        human_errors=human,
        inputs=Inputs(labels, log, tuple(int(count) for count in repeats)),
    )


@dataclass(frozen=True, eq=False)
class _Work:
    """The log against the classifier's labels, class by class."""

    wrong: Labels  # decisions x classes: wrongly assigned by the classifier
    missing: Labels  # decisions x classes
    is_audit: NDArray[np.bool_]
    assigned: Labels  # the classifier's labels of the decisions
    n_labels: Array  # assigned as they stand, per class
    unread: Array  # of these, by the classifier alone, per class
    n_unread: int
    most_assigned: int  # to a document among those that were drawn from
    cap: int

    @classmethod
    def of(cls, predicted: Labels, log: tuple[Decision, ...], cap: int) -> _Work:
        documents = np.array([decision.document for decision in log], dtype=np.int64)
        is_audit = np.array([decision.is_audit for decision in log], dtype=bool)
        truth = indicator([decision.labels for decision in log], range(predicted.shape[1]))
        assigned = predicted[documents]
        unread = predicted.sum(axis=0) - assigned.sum(axis=0)
        first = int(is_audit.argmax()) if is_audit.any() else len(log)
        drawn_from = np.ones(len(predicted), dtype=bool)
        drawn_from[documents[:first]] = False
        per_document = predicted[drawn_from].sum(axis=1)
        return cls(
            wrong=assigned & ~truth,
            missing=truth & ~assigned,
            is_audit=is_audit,
            assigned=assigned,
            n_labels=(unread + truth.sum(axis=0)).astype(np.float64),
            unread=unread.astype(np.float64),
            n_unread=len(predicted) - len(log),
            most_assigned=int(per_document.max(initial=0)),
            cap=cap,
        )._checked()

    def _checked(self) -> _Work:
        if self.most_missed > self.cap:
            raise ValueError(
                f"cap must be at least the {self.most_missed} labels that an audited document "
                f"lacked, but is {self.cap}; declare a larger one"
            )
        return self

    @property
    def most_missed(self) -> int:
        return int(self.missing[self.is_audit].sum(axis=1).max(initial=0))

    @property
    def found(self) -> tuple[int, int]:
        return int(self.wrong[self.is_audit].sum()), int(self.missing[self.is_audit].sum())

    def errors_left(self, wrong: Any, missing: Any, error: float) -> float:
        """Bound the weighted errors in the documents that nobody has read."""
        if not self.n_unread:
            return 0.0
        value = self.wrong @ _vector(wrong, self) + self.missing @ _vector(missing, self)
        largest = np.max(wrong) * self.most_assigned + np.max(missing) * self.cap
        read_before = np.arange(len(value))
        known = np.cumsum(value) - value
        left = self.n_unread + len(value) - read_before
        audit = self.is_audit
        draws = Draws(value[audit], known[audit], left[audit].astype(np.float64))
        total = upper_total(draws, float(largest), error)
        return float(min(total - value.sum(), largest * self.n_unread))


def _vector(weight: Any, work: _Work) -> Array:
    return np.broadcast_to(np.asarray(weight, dtype=np.float64), work.n_labels.shape)


def _micro(work: _Work, human: float, error: float, aim: float) -> list[Bound]:
    n_labels, n_documents = work.n_labels.sum(), work.n_unread + len(work.is_audit)
    bounds = []
    # What people get wrong is wrong in what they read, and was overlooked in the audit.
    for name, beta in _MEASURES.items():
        weights = weights_of(beta, aim)
        errors = work.errors_left(weights.fp, weights.fn, error)
        low = lowest(beta, aim, errors, n_labels, work.unread.sum(), human * n_documents)
        bounds.append(Bound(name, low))
    return bounds


def _macro(work: _Work, human: float, error: float) -> float:
    if not work.n_unread and not human:  # people have read everything, and are believed
        return 1.0
    first = int(work.is_audit.argmax()) if work.is_audit.any() else len(work.is_audit)
    later_truth = (work.assigned[first:] & ~work.wrong[first:]) | work.missing[first:]
    unread = work.unread + work.assigned[first:].sum(axis=0)
    labels = work.n_labels - later_truth.sum(axis=0) + work.assigned[first:].sum(axis=0)
    weights = macro_weights(2 * labels - unread, work.cap + work.most_assigned, error)
    if not weights.any():
        return 0.0
    errors = work.errors_left(weights, weights, error)
    errors += float(weights.max()) * human * (work.n_unread + len(work.is_audit))
    return macro_lowest(weights, 2 * work.n_labels - work.unread, errors)


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
