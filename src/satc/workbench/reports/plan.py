"""The plan: how much work a project has left, from what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from satc.assurance.live.planner import Curve, Plan, Prospect, check_target
from satc.errors import DataError
from satc.workbench.review.accuracy.live import Point
from satc.workbench.review.desk import open_desk
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store import Store


@dataclass(frozen=True)
class ProjectPlan:
    """A plan, with the state of the project that it starts from."""

    title: str
    measure: str  # as in "macro-F1"
    n_documents: int
    n_validated: int
    now: Point
    plan: Plan
    bought: tuple[tuple[float, Prospect], ...]  # hours of work, and their result
    observed: tuple[tuple[int, float], ...]  # documents validated, and the estimate then
    average: str
    minutes: float | None = None  # per document, if the user gave them

    @property
    def ahead(self) -> tuple[tuple[int, float, float, float], ...]:
        """The expected curve: documents validated, value, low, high."""
        curve: Curve = self.plan.curve
        columns = (curve.documents + self.n_validated, curve.value, curve.low, curve.high)
        return tuple(zip(*(column.tolist() for column in columns), strict=True))

    def lines(self) -> list[str]:
        """Return the plan as sentences."""
        now = getattr(self.now, self.average)
        plan = self.plan
        pace = "the pace so far" if self.minutes is None else f"{self.minutes:g} minutes each"
        spent = "" if plan.hours is None else f", {plan.hours:.1f} hours at {pace}"
        cost = "" if plan.cost is None else f", at a cost of {plan.cost:,.0f}"
        left = self.n_documents - self.n_validated
        said = [
            f"{self.n_validated:,} of {self.n_documents:,} documents are validated; {self.measure} "
            f"is about {now.value:.3f} ({now.low:.3f} to {now.high:.3f})",
            f"to reach {plan.target:g} with probability {plan.probability:g}: about "
            f"{plan.documents:,} of the {left:,} documents left{spent}{cost}",
        ]
        for hours, prospect in self.bought:
            buy = "hour buys" if hours == 1 else "hours buy"
            said.append(
                f"{hours:g} {buy} {prospect.documents:,} documents and {self.measure} "
                f"{prospect.value:.3f} ({prospect.low:.3f} to {prospect.high:.3f})"
            )
        return said

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-serialisable data."""
        now = getattr(self.now, self.average)
        return {
            "measure": self.measure,
            "n_documents": self.n_documents,
            "n_validated": self.n_validated,
            "now": {"value": now.value, "low": now.low, "high": now.high},
            "target": self.plan.target,
            "probability": self.plan.probability,
            "documents": self.plan.documents,
            "hours": self.plan.hours,
            "cost": self.plan.cost,
            "bought": [{"hours": hours, **vars(prospect)} for hours, prospect in self.bought],
            "curve": [dict(zip(("n", "value", "low", "high"), p, strict=True)) for p in self.ahead],
        }


def plan_project(
    store: Store,
    name: str | None,
    target: float,
    probability: float,
    *,
    hours: Sequence[float] = (),
    minutes: float | None = None,
    price: float | None = None,
) -> ProjectPlan:
    """Plan the work that a project has left."""
    check_target(target)  # before the slow part begins
    opened = OpenProject(open_desk(store, name))
    desk, monitor = opened.desk, opened.live_accuracy
    monitor.prepare()
    now = monitor.latest()
    if now is None and opened.growth is not None and opened.growth.error is not None:
        raise DataError(f"nothing is known about the larger set: {opened.growth.error}")
    if now is None and desk.validation.model.is_cold:
        raise DataError(f"no plan can be made. {monitor.why_unknown()}")
    if now is None:
        raise DataError(
            f"project {desk.project.name!r} must have training data for a plan, but has none; "
            "create it with --train, or with --oof-scores and --train-labels"
        )
    settings = desk.project.settings
    if not len(desk.validation.remaining()):
        here = "" if desk.validation.n_validated == desk.project.n_whole else " of this project"
        raise DataError(f"every document{here} is validated: nothing is left to plan")
    outlook = monitor.outlook(minutes=minutes)
    if outlook is None or (hours and not outlook.has_hours):
        raise DataError("hours need --minutes, or decisions that were timed")
    price = settings.price if price is None else price
    return ProjectPlan(
        settings.title,
        settings.measure_name,
        desk.project.n_whole,
        desk.validation.n_validated,
        now,
        outlook.plan(target, probability, price=price),
        tuple((budget, outlook.afford(hours=budget)) for budget in hours),
        tuple((p.n, getattr(p, settings.average).value) for p in monitor.points),
        settings.average,
        minutes,
    )
