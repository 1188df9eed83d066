"""The audit: documents drawn uniformly among all that nobody has decided on yet.

A draw is an event of its own, made by the project's seed and the number of the draw, so anyone can
check it. A document that was drawn is audited whenever it is decided, also where somebody happens
to have it open already, and stays drawn if it is skipped: a hard document cannot slip out of the
sample. The certificate rests on the draws up to the first that is not decided yet.
"""

from __future__ import annotations

from collections.abc import Iterable

from satc.assurance.certificate.audit import AuditedDecision, AuditSample
from satc.errors import DataError
from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.model.record import Record


def audit_log(history: Iterable[Event]) -> list[AuditedDecision]:
    """Return every decided document once, audited ones at the place of their draw.

    Those drawn after the first draw that is not decided yet count as decided, not as audited.
    """
    history = list(history)
    record = Record()
    for event in history:
        record.apply(event)
    decided = {i for i in record.decided if record.standing(i) is not None}
    audited: set[int] = set()
    for document in record.audited:
        if document not in decided:
            break
        audited.add(document)
    placed: dict[int, bool] = {}
    record = Record()
    for event in history:
        record.apply(event)
        i = event.document
        if event.kind == events.AUDIT and i in audited:
            placed[i] = True
        elif event.kind == events.DECIDE and i in decided:
            placed.setdefault(i, False)
        elif event.kind == events.UNDO and record.standing(i) is None and placed.get(i) is False:
            del placed[i]
    log = []
    for document, is_audit in placed.items():
        standing = record.standing(document)
        if standing is not None:
            log.append(AuditedDecision(document, standing.labels, is_audit))
    return log


def disagreements(record: Record) -> list[int]:
    """Return, for documents that two people decided on, in how many labels they differ."""
    found = []
    for document, given in record.opinions.items():
        if record.decided.get(document):
            first = record.decided[document][0]
            found.append(len(set(first.labels) ^ set(given[0].labels)))
    return found


def check_draws(history: Iterable[Event], seed: int, n_documents: int) -> None:
    """Refuse a log whose audited documents are not those that the seed gives."""
    record, audit = Record(), AuditSample(n_documents, seed)
    for event in history:
        if event.kind == events.AUDIT and event.document != audit.draw(record.decided):
            raise DataError(
                f"event {event.number}: the audit must draw the document that the seed gives, "
                f"but draws {event.document}"
            )
        record.apply(event)
