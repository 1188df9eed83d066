"""A report as a page, as sentences and as data."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from satc import __version__
from satc.errors import MissingExtraError
from satc.evaluation.agreement import Agreement
from satc.evaluation.forecast_plot import forecast_chart
from satc.evaluation.plot import reliability_chart, rendered
from satc.files.values import jsonable
from satc.inputs import indicator
from satc.measures import display_name
from satc.workbench.model.clock import now
from satc.workbench.model.record import Record
from satc.workbench.project.history import History
from satc.workbench.reports.report import Report
from satc.workbench.reports.share_bars import share_bars
from satc.workbench.reports.tree import tree_data, tree_lines, tree_rows
from satc.workbench.review.desk import desk_of
from satc.workbench.review.live_accuracy import Point
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store import Store
from satc.workbench.store.predictions import read_probabilities
from satc.workbench.store.projects import Project

Points = list[Point] | None
_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True
)
_BINS = 10


class ColdStart(NamedTuple):
    """What the report says about a project of which no label was known at first.

    `standing` says what the probabilities rest on, and `unknown` what an estimate of accuracy
    needs; None if there is one.
    """

    standing: str
    unknown: str | None


class Estimated(NamedTuple):
    """The estimates of accuracy so far, or None; and `cold` for a project that learns."""

    points: Points = None
    cold: ColdStart | None = None


def estimated(store: Store, project: Project, history: History) -> Estimated:
    """Open a project, and estimate its accuracy as far as that is possible."""
    opened = OpenProject(desk_of(store, project, history))
    monitor, standing = opened.live_accuracy, opened.desk.validation.standing
    monitor.prepare()
    points = monitor.points if monitor.latest() is not None else None
    cold = None if standing is None else ColdStart(str(standing), monitor.why_unknown())
    return Estimated(points, cold)


def past_points(store: Store, project: Project, history: History) -> Points:
    """Return the accuracy estimates of the work so far; None if there is no training data."""
    return estimated(store, project, history).points


def as_html(
    store: Store,
    report: Report,
    history: History,
    points: Points,
    cold: ColdStart | None = None,
) -> str:
    """Return a self-contained page."""
    settings = report.project.settings
    page = _templates.get_template("report.html")
    return page.render(
        report=report,
        settings=settings,
        measure=display_name(settings.measure),
        alpha=report.agreement.label_sets,
        alpha_nominal=report.agreement.alpha_nominal,
        kappa=_kappas(report.agreement),
        classes=_class_rows(report, points),
        tree=tree_rows(report),
        first=_both(points[0]) if points else None,
        last=_both(points[-1]) if points else None,
        cold=cold,
        shares=report.shares and share_bars(report.shares),
        curve=_curve(settings.average, points),
        reliability=_reliability(store, report.project, history.record),
        version=__version__,
        date=now()[:10],
        number=_number,
    )


def as_lines(report: Report, points: Points, cold: ColdStart | None = None) -> list[str]:
    """Return the main figures as sentences."""
    project = report.project
    said = [
        f"{project.settings.title}: {report.n_validated:,} of {project.n_whole:,} documents "
        f"validated, {report.n_corrected:,} corrected, {report.n_flagged:,} flagged",
        f"the predicted labels were {project.settings.decided_how}",
    ]
    if points:
        for average, one in _both(points[-1]).items():
            name = project.settings.name_of(average)
            said.append(f"{name} is about {one.value:.3f} ({one.low:.3f} to {one.high:.3f})")
    if cold is not None:
        said += [cold.standing] if cold.unknown is None else [cold.standing, cold.unknown]
    for person in report.people:
        pace = person.seconds_per_document
        took = "" if pace is None else f", {pace:.1f} s each"
        said.append(f"{person.name}: {person.decisions:,} decisions{took}")
    return said + _agreement_lines(report.agreement) + _influence_lines(report) + tree_lines(report)


def _agreement_lines(agreement: Agreement) -> list[str]:
    if not agreement.documents:
        return []
    alpha = agreement.alpha_nominal
    if alpha is None:
        alpha = agreement.label_sets["jaccard"]
    return [
        f"{agreement.documents:,} documents were decided twice: Krippendorff's alpha "
        f"{_number(alpha)}",
        *(
            f"Cohen's kappa of {a} and {b}: {_number(kappa)} ({documents:,} documents)"
            for (a, b), kappa, documents in _kappas(agreement)
        ),
    ]


def _kappas(agreement: Agreement) -> list[tuple[tuple[str, str], float, int]]:
    """Return pairs of people, Cohen's kappa (single labels: over the classes), and documents."""
    return [
        (pair, agreement.kappa_nominal.get(pair, one.pooled), one.documents)
        for pair, one in sorted(agreement.kappa.items())
    ]


def _influence_lines(report: Report) -> list[str]:
    if not report.blind.documents:
        return []
    shown, blind = (line.share_corrected or 0.0 for line in (report.shown, report.blind))
    return [
        f"corrected: {shown:.1%} of documents with predictions in view, "
        f"{blind:.1%} of those without"
    ]


def as_dict(report: Report, points: Points, cold: ColdStart | None = None) -> dict[str, Any]:
    """Return JSON-serialisable data."""
    known = {} if cold is None else {"standing": cold.standing, "accuracy_unknown": cold.unknown}
    return known | {
        "project": report.project.name,
        "settings": asdict(report.project.settings),
        "n_documents": report.project.n_whole,
        "n_validated": report.n_validated,
        "n_corrected": report.n_corrected,
        "n_flagged": report.n_flagged,
        "accuracy": _accuracy_data(points[-1]) if points else None,
        "people": [person._asdict() for person in report.people],
        "agreement": _agreement_data(report.agreement),
        "shown": report.shown._asdict(),
        "blind": report.blind._asdict(),
        "classes": [jsonable(row) for row in _class_rows(report, points)],
        **({"tree": tree_data(report)} if report.nodes else {}),
        "shares": None if report.shares is None else report.shares.as_dict(),
    }


def _accuracy_data(last: Point) -> dict[str, Any]:
    estimates = {
        name: {"value": one.value, "low": one.low, "high": one.high}
        for name, one in _both(last).items()
    }
    assumption = last.macro.assumption
    return estimates | {"assumption": {"holds": assumption.holds, "message": assumption.message}}


def _agreement_data(agreement: Agreement) -> dict[str, Any]:
    kappa = [
        {"people": list(pair), "kappa": jsonable(kappa), "documents": documents}
        for pair, kappa, documents in _kappas(agreement)
    ]
    alpha: dict[str, Any] = {name: jsonable(value) for name, value in agreement.label_sets.items()}
    if agreement.alpha_nominal is not None:
        alpha = {"nominal": jsonable(agreement.alpha_nominal)}
    return {"documents": agreement.documents, "kappa": kappa, "alpha": alpha}


def _both(point: Point) -> dict[str, Any]:
    return {"macro": point.macro, "micro": point.micro}


def _class_rows(report: Report, points: Points) -> list[dict[str, Any]]:
    rows = []
    for j, line in enumerate(report.classes):
        row = line._asdict()
        if report.project.book is not None:
            row["code"] = report.project.classes[j]
        if points:
            first, last = points[0].macro.classes, points[-1].macro.classes
            row |= {"first": first.value[j], "last": last.value[j]}
            row |= {"low": last.low[j], "high": last.high[j]}
        rows.append(row)
    return sorted(rows, key=lambda row: -(row["removed"] + row["added"]))


def _curve(average: str, points: Points) -> Markup | None:
    if not points or len(points) < 2:
        return None
    chosen = [(p.n, getattr(p, average)) for p in points]
    course = zip(*((n, one.value, one.low, one.high) for n, one in chosen), strict=True)
    try:
        return _picture(forecast_chart(*course, observed=[(n, one.value) for n, one in chosen]))
    except MissingExtraError:
        return None


def _reliability(store: Store, project: Project, record: Record) -> Markup | None:
    """Draw the share of labels that people gave against the predicted probability."""
    current = record.current_decisions()
    if not current:
        return None
    probability = read_probabilities(store, project)
    given = probability[[one.document for one in current]].ravel()
    truth = indicator([one.labels for one in current], range(probability.shape[1]))
    place = np.minimum((given * _BINS).astype(int), _BINS - 1)
    place[given < 0.01] = -1
    bins = [
        (float(given[inside].mean()), float(truth.ravel()[inside].mean()), int(inside.sum()))
        for b in range(_BINS)
        if (inside := place == b).any()
    ]
    try:
        return _picture(reliability_chart({"validated documents": bins}))
    except MissingExtraError:
        return None


def _picture(chart: Any) -> Markup:
    """Return a chart as part of the page; the renderer escapes its texts."""
    return Markup(rendered(chart, ".svg").decode())  # noqa: S704


def _number(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"
