"""The audit: documents drawn uniformly among all that nobody has decided on yet.

A draw is an event of its own. It follows from the project's seed and the number of the draw, so
anyone can check it. A document that was drawn is audited whenever it is decided, even if somebody
has it open already, and stays drawn if it is skipped: nobody can remove a hard document from the
sample. The certificate uses the draws before the first draw that is not decided yet.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import takewhile

from satc.assurance.certificate.audit import AuditedDecision, AuditSample
from satc.errors import DataError
from satc.workbench.model import events
from satc.workbench.model.record import Record, Step


def audit_log(steps: Sequence[Step], record: Record) -> list[AuditedDecision]:
    """Return every decided document once, audited ones at the place of their draw.

    Documents drawn after the first draw that is not decided yet count as decided, not as audited.

    Parameters
    ----------
    steps
        All events of the project, with their effects.
    record
        The record after the last step.
    """
    current = {decision.document: decision for decision in record.current_decisions()}
    audited = _audited(record, current)
    placed: dict[int, bool] = {}  # decided documents in the order of the log: is it an audit?
    for event, _, after in steps:
        document = event.document
        if event.kind == events.AUDIT and document in audited:
            placed[document] = True
        elif event.kind == events.DECIDE and document in current:
            placed.setdefault(document, False)
        elif event.kind == events.UNDO and after is None and placed.get(document) is False:
            del placed[document]
    return [
        AuditedDecision(document, current[document].labels, is_audit)
        for document, is_audit in placed.items()
    ]


def _audited(record: Record, current: Container[int]) -> set[int]:
    """Return the documents drawn before the first one that is not decided."""
    return set(takewhile(lambda document: document in current, record.drawn_for_audit))


def disagreements(record: Record) -> list[int]:
    """Return the number of labels that differ, for each document that two people decided on."""
    found = []
    for document, opinions in record.second_opinions.items():
        if decisions := record.decisions.get(document):
            found.append(len(set(decisions[0].labels) ^ set(opinions[0].labels)))
    return found


def check_draws(steps: Sequence[Step], seed: int, n_documents: int) -> None:
    """Refuse events whose audited documents are not those that the seed draws."""
    audit = AuditSample(n_documents, seed)
    decided: set[int] = set()
    for event, _, after in steps:
        if event.kind == events.AUDIT and event.document != audit.draw(decided):
            raise DataError(
                f"event {event.number}: the audit must draw the document that the seed gives, "
                f"but draws {event.document}"
            )
        if after is None:
            decided.discard(event.document)
        else:
            decided.add(event.document)
