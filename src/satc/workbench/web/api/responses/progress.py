"""Response bodies for the status of a project and for the plan."""

from __future__ import annotations

from typing import Any

from satc.assurance.live.planner import Plan
from satc.calibration.cold.calibrator import FIRST
from satc.workbench.messages import Messages
from satc.workbench.model.audit import AuditCounts
from satc.workbench.review.accuracy.forecast import AgedOutlook
from satc.workbench.review.accuracy.headline import headline
from satc.workbench.review.accuracy.live import Point
from satc.workbench.review.desk import Desk
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.web.api.models.progress import (
    AccuracyOut,
    Ahead,
    AuditOut,
    Bought,
    CurvePoint,
    Estimate,
    HeadlineOut,
    Person,
    PlanOut,
    Status,
)


def status_response(project: OpenProject, user: str, say: Messages) -> Status:
    """Describe the progress of a project, for one of its users."""
    desk = project.desk
    latest = project.live_accuracy.latest()
    facts = project.facts()
    statement = headline(facts)
    with desk.reading():
        record = desk.record
        return Status(
            headline=HeadlineOut(
                level=statement.level, kind=statement.text.key, text=say(statement.text)
            ),
            target=facts.target,
            documents_left=facts.documents_left,
            audit=None if facts.audit is None else _audit(facts.audit),
            n_documents=desk.project.n_whole,
            n_validated=desk.validation.n_validated,
            n_open=desk.leases.n_open(),
            n_flagged=len(record.flagged),
            n_corrected=desk.state.n_corrected,
            mine=record.n_decisions[user],
            seconds_per_document=record.seconds / record.n_timed if record.n_timed else None,
            accuracy=None if latest is None else _accuracy(desk, latest),
            accuracy_unknown=None if facts.unknown is None else say(facts.unknown),
            standing=_standing(desk, say),
            curve=[] if latest is None else [_curve_point(p) for p in project.live_accuracy.points],
            people=[
                Person(name=name, n_decided=n) for name, n in record.n_decisions.most_common() if n
            ],
            messages=[say(message) for message in project.messages()],
        )


def _standing(desk: Desk, say: Messages) -> str | None:
    """Say what the probabilities of a cold start rest on; None if there were training documents."""
    standing = desk.validation.standing
    if standing is None:
        return None
    if not standing.n_decisions:
        return say("server.standing_prior", n=FIRST)
    key = "all" if standing.n_seen == standing.n_classes else "some"
    return say(
        f"server.standing_{key}",
        n=standing.n_decisions,
        prior=standing.prior_share,
        seen=standing.n_seen,
        classes=standing.n_classes,
    )


def _audit(counts: AuditCounts) -> AuditOut:
    return AuditOut(
        n_drawn=counts.n_drawn,
        n_decided=counts.n_decided,
        n_undecided=counts.n_undecided,
        n_counted=counts.n_counted,
    )


def _accuracy(desk: Desk, latest: Point) -> AccuracyOut:
    settings = desk.project.settings
    macro, micro = (
        Estimate(value=one.value, low=one.low, high=one.high)
        for one in (latest.macro, latest.micro)
    )
    return AccuracyOut(measure=settings.measure, average=settings.average, macro=macro, micro=micro)


def _curve_point(point: Point) -> CurvePoint:
    values: dict[str, Any] = {"n": point.n}
    for name, one in (("macro", point.macro), ("micro", point.micro)):
        values |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
    return CurvePoint(**values)


def plan_response(
    project: OpenProject, target: float, probability: float, hours: float | None
) -> PlanOut | None:
    """Describe the work left until a target, and how far some hours go; None without a model."""
    outlook = project.live_accuracy.outlook()
    if outlook is None:
        return None
    settings = project.desk.project.settings
    plan = outlook.plan(target, probability, price=settings.price)
    return PlanOut(
        target=target,
        probability=probability,
        measure=settings.measure,
        average=settings.average,
        documents=plan.documents,
        hours=plan.hours,
        cost=plan.cost,
        bought=None if hours is None or plan.hours is None else _bought(outlook, hours),
        curve=_expected_curve(plan, project.desk.validation.n_validated),
    )


def _bought(outlook: AgedOutlook, hours: float) -> Bought:
    prospect = outlook.afford(hours=hours)
    estimate = Estimate(value=prospect.value, low=prospect.low, high=prospect.high)
    return Bought(documents=prospect.documents, accuracy=estimate)


def _expected_curve(plan: Plan, n_validated: int) -> list[Ahead]:
    curve = plan.curve
    points = zip(curve.documents, curve.value, curve.low, curve.high, strict=True)
    return [
        Ahead(n=n_validated + int(k), value=float(value), low=float(low), high=float(high))
        for k, value, low, high in points
    ]
