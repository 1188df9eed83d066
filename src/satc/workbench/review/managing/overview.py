"""The overview of a project for managers, computed at most every few seconds.

The desk is locked only while the decisions are copied; what takes longer is computed afterwards.
"""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import NamedTuple

from satc.workbench.model.record import Record
from satc.workbench.review.desk import Desk
from satc.workbench.review.managing.attention import (
    ClassAgreement,
    ExpectedErrors,
    expected_errors,
    low_agreement,
)
from satc.workbench.review.managing.work import PersonWork, decisions_in, work_of

_LEAST_SECONDS = 3.0  # between two computations
_LEAST_RATIO = 20.0  # a computation takes at most this part of the time
_MOST_CLASSES = 10


class Overview(NamedTuple):
    """What people did, and which classes need attention; `errors` is None if not known."""

    people: tuple[PersonWork, ...]
    errors: tuple[ExpectedErrors, ...] | None
    agreement: tuple[ClassAgreement, ...]


class AuditStatus(NamedTuple):
    """The documents drawn for the audit, and those of them that nobody has decided on.

    `undecided` has the documents with the people who have them open; None where nobody has.
    """

    n_drawn: int
    n_decided: int
    undecided: tuple[tuple[int, str | None], ...]


class Overviews:
    """Computes the overview of one open project, and reuses it for a while."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = Lock()
        self._known: Overview | None = None
        self._changes = (-1, -1)  # the last event and the changes of labels that it knows
        self._wait_until = 0.0

    def latest(self) -> Overview:
        """Return the present overview, or one that is a few seconds old."""
        with self._lock:
            if self._known is None or (self._is_stale() and monotonic() >= self._wait_until):
                started = monotonic()
                self._known = self._compute()
                took = monotonic() - started
                self._wait_until = monotonic() + max(_LEAST_SECONDS, _LEAST_RATIO * took)
            return self._known

    def _is_stale(self) -> bool:
        return self._changes != (self._desk.record.last_number, self._desk.state.changes)

    def _compute(self) -> Overview:
        desk = self._desk
        with desk.reading():
            self._changes = desk.record.last_number, desk.state.changes
            decisions, pairs = decisions_in(desk.record), _decided_twice(desk.record)
            documents, undecided = desk.validation.documents, ~desk.validation.is_validated
        errors = expected_errors(documents, undecided, _MOST_CLASSES)
        return Overview(
            tuple(work_of(decisions, documents.decided)),
            None if errors is None else tuple(errors),
            tuple(low_agreement(pairs, _MOST_CLASSES)),
        )


def audit_status(desk: Desk) -> AuditStatus | None:
    """Return how far the audit is; None if nothing was drawn."""
    with desk.reading():
        record = desk.record
        drawn = list(record.drawn_for_audit)
        undecided = [document for document in drawn if record.current_decision(document) is None]
        readers = {lease.document: lease.who for lease in desk.leases}
    if not drawn:
        return None
    open_ones = tuple((document, readers.get(document)) for document in undecided)
    return AuditStatus(len(drawn), len(drawn) - len(undecided), open_ones)


def _decided_twice(record: Record) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the first labels of two people, for each document that two people decided on."""
    return [
        (first[0].labels, second[0].labels)
        for document, second in record.second_opinions.items()
        if second and (first := record.decisions.get(document))
    ]
