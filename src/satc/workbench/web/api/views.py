"""From the desk's objects to what goes over the wire."""

from __future__ import annotations

from typing import Any

from satc.workbench.model.record import Decision
from satc.workbench.review.desk import Desk
from satc.workbench.review.live_accuracy import Point
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store.documents import StoredDocument, get_document, snippets
from satc.workbench.store.leases import Lease
from satc.workbench.web.api import models

_SNIPPET = 120


def assignment(
    desk: Desk, lease: Lease, decided: tuple[int, ...] | None = None
) -> models.Assignment:
    """Show a document to whom it is leased; a second reader sees nothing of the first."""
    second = lease.shown.is_second_opinion
    return models.Assignment(
        lease=lease.lease,
        expires=lease.expires_at,
        document=document(get_document(desk.store, desk.project.key, lease.document)),
        blind=lease.shown.is_blind,
        position=lease.shown.n_validated + 1,
        n_documents=desk.project.n_whole,
        predicted=[_suggestion(*one) for one in lease.shown.predicted],
        suggested=[_suggestion(*one) for one in lease.shown.suggested],
        flagged=lease.document in desk.record.flagged and not second,
        note="" if second else desk.record.notes.get(lease.document, ""),
        decided=None if decided is None else list(decided),
    )


def document(stored: StoredDocument) -> models.DocumentOut:
    """Show a document as it came."""
    return models.DocumentOut(
        index=stored.position, id=stored.id, text=stored.text, columns=stored.columns
    )


def _suggestion(label: int, probability: float, contribution: float) -> models.SuggestionOut:
    return models.SuggestionOut(label=label, probability=probability, contribution=contribution)


def is_blind(desk: Desk, index: int, who: str) -> bool:
    """Whether a person has a document open whose predictions are hidden from them."""
    return any(held.document == index and held.shown.is_blind for held in desk.leases.of(who))


def document_state(desk: Desk, index: int, who: str) -> models.DocumentState:
    """Show a document with its labels at this moment."""
    second = desk.leases.is_second_reader(who, index)
    standing = None if second else desk.record.current_decision(index)
    predicted = list(desk.state.predicted(index))
    hidden = is_blind(desk, index, who)
    return models.DocumentState(
        document=document(get_document(desk.store, desk.project.key, index)),
        labels=list(standing.labels) if standing is not None else [] if hidden else predicted,
        predicted=None if hidden else predicted,
        source="automatic" if standing is None else "human",
        who=None if standing is None else standing.who,
        when=None if standing is None else standing.at,
        flagged=index in desk.record.flagged and not second,
        note="" if second else desk.record.notes.get(index, ""),
    )


def decisions(desk: Desk, chosen: list[Decision]) -> models.Decisions:
    """List decisions with how their documents begin."""
    begin = snippets(desk.store, desk.project.key, [d.document for d in chosen], _SNIPPET)
    return models.Decisions(decisions=[_decision(desk, one, begin) for one in chosen])


def _decision(desk: Desk, one: Decision, begin: dict[int, tuple[str, str]]) -> models.DecisionLine:
    identity, snippet = begin[one.document]
    return models.DecisionLine(
        decision=one.number,
        document=models.DocumentLine(index=one.document, id=identity, snippet=snippet),
        labels=list(one.labels),
        predicted=list(desk.state.predicted(one.document)),
        who=one.who,
        when=one.at,
        flagged=one.document in desk.record.flagged,
        note=desk.record.notes.get(one.document, ""),
    )


def status(project: OpenProject, who: str) -> models.Status:
    """Say how far the work is."""
    desk = project.desk
    latest = project.monitor.latest()
    messages = project.monitor.messages()
    with desk.locked():
        record = desk.record
        people = [
            models.Person(name=name, n_decided=n)
            for name, n in record.n_decisions.most_common()
            if n
        ]
        return models.Status(
            n_documents=desk.project.n_whole,
            n_validated=desk.validation.n_validated,
            n_open=desk.leases.n_open(),
            n_flagged=len(record.flagged),
            n_corrected=desk.state.n_corrected,
            mine=record.n_decisions[who],
            seconds_per_document=record.seconds / record.n_timed if record.n_timed else None,
            accuracy=None if latest is None else _accuracy(desk, latest),
            curve=[_point(point) for point in project.monitor.points],
            people=people,
            messages=messages,
        )


def _accuracy(desk: Desk, latest: Point) -> models.AccuracyOut:
    settings = desk.project.settings
    macro, micro = (
        models.Estimate(value=one.value, low=one.low, high=one.high)
        for one in (latest.macro, latest.micro)
    )
    return models.AccuracyOut(
        measure=settings.measure, average=settings.average, macro=macro, micro=micro
    )


def _point(point: Point) -> models.CurvePoint:
    values: dict[str, Any] = {"n": point.n}
    for name, one in (("macro", point.macro), ("micro", point.micro)):
        values |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
    return models.CurvePoint(**values)


def plan(
    project: OpenProject, target: float, probability: float, hours: float | None
) -> models.PlanOut | None:
    """Say how much work is left until a target is reached, and what some hours buy."""
    outlook = project.monitor.outlook()
    if outlook is None:
        return None
    settings = project.desk.project.settings
    found = outlook.plan(target, probability, price=settings.price)
    bought = None
    if hours is not None and found.hours is not None:
        prospect = outlook.afford(hours=hours)
        bought = models.Bought(
            documents=prospect.documents,
            accuracy=models.Estimate(value=prospect.value, low=prospect.low, high=prospect.high),
        )
    n = project.desk.validation.n_validated
    curve = found.curve
    points = zip(curve.documents, curve.value, curve.low, curve.high, strict=True)
    return models.PlanOut(
        target=target,
        probability=probability,
        measure=settings.measure,
        average=settings.average,
        documents=found.documents,
        hours=found.hours,
        cost=found.cost,
        bought=bought,
        curve=[
            models.Ahead(n=n + int(k), value=float(value), low=float(low), high=float(high))
            for k, value, low, high in points
        ],
    )
