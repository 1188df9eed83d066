"""Builds the responses about disagreements and agreement."""

from __future__ import annotations

from math import isnan

from satc.workbench.model.record import Decision
from satc.workbench.review.desk import Desk
from satc.workbench.review.disagreements.agreement import (
    ClassAgreement,
    PersonAgreement,
    ProjectAgreement,
)
from satc.workbench.review.disagreements.settling import DisagreementQueue, QueuedDisagreement
from satc.workbench.web.api.disagreements.models import (
    AgreementOut,
    Answer,
    ClassAgreementOut,
    DisagreementOut,
    Disagreements,
    DriftOut,
    PersonAgreementOut,
)
from satc.workbench.web.api.responses.documents import document_response


def disagreements_response(desk: Desk, queue: DisagreementQueue, limit: int) -> Disagreements:
    """List the first disagreements of a queue, with the documents."""
    return Disagreements(
        n_yours=len(queue.found),
        n_open=queue.n_open,
        n_settled=queue.n_settled,
        disagreements=[_disagreement(desk, one) for one in queue.found[:limit]],
    )


def _disagreement(desk: Desk, queued: QueuedDisagreement) -> DisagreementOut:
    index, first, second = queued.disagreement
    return DisagreementOut(
        document=document_response(desk, index),
        first=_answer(first),
        second=_answer(second),
        worth=queued.worth,
        own=queued.is_own,
        flagged=index in desk.record.flagged,
        note=desk.record.notes.get(index, ""),
    )


def _answer(decision: Decision) -> Answer:
    return Answer(
        decision=decision.number,
        who=decision.who,
        when=decision.at,
        labels=list(decision.labels),
    )


def agreement_response(found: ProjectAgreement) -> AgreementOut:
    """Show how well people agree."""
    return AgreementOut(
        documents=found.documents,
        same=found.same,
        classes=[_class_line(one) for one in found.classes],
        people=[_person_line(one) for one in found.people],
    )


def _class_line(line: ClassAgreement) -> ClassAgreementOut:
    return ClassAgreementOut(
        label=line.label, both=line.both, one=line.one, alpha=_known(line.alpha)
    )


def _person_line(line: PersonAgreement) -> PersonAgreementOut:
    drift = {**line.drift._asdict(), "shares": list(line.drift.shares)}
    values = {**line._asdict(), "kappa": _known(line.kappa), "drift": DriftOut(**drift)}
    return PersonAgreementOut(**values)


def _known(value: float) -> float | None:
    return None if isnan(value) else value
