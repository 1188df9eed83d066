"""A report as a page, as sentences and as data."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from satc import __version__
from satc.evaluation.agreement import Agreement
from satc.files.values import jsonable
from satc.measures import display_name
from satc.printed.style import POLICY, STYLE
from satc.workbench.model.audit import AuditCounts
from satc.workbench.model.clock import now
from satc.workbench.model.settings import Settings
from satc.workbench.project.history import History
from satc.workbench.reports.report import Report
from satc.workbench.reports.report_charts import accuracy_figure, reliability_figure
from satc.workbench.reports.share_bars import share_bars
from satc.workbench.reports.tree import tree_data, tree_lines, tree_rows
from satc.workbench.review.accuracy.live import Point
from satc.workbench.review.desk import desk_of
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store import Store
from satc.workbench.store.projects import Project

Points = list[Point] | None
_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True
)


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
    unknown = monitor.why_unknown()
    said = None if unknown is None else str(unknown)
    cold = None if standing is None else ColdStart(str(standing), said)
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
        curve=accuracy_figure(settings, points),
        reliability=reliability_figure(store, report.project, history.record),
        meaning=_meaning(settings),
        about=_about(settings),
        style=Markup(STYLE),  # noqa: S704 (a file of the package)
        policy=POLICY,
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
    said += _audit_lines(report.audit)
    for person in report.people:
        pace = person.seconds_per_document
        took = "" if pace is None else f", {pace:.1f} s each"
        said.append(f"{person.name}: {person.decisions:,} decisions{took}")
    return said + _agreement_lines(report.agreement) + _influence_lines(report) + tree_lines(report)


def _audit_lines(audit: AuditCounts | None) -> list[str]:
    """Say how many documents were drawn at random, and which of them do not count yet."""
    if audit is None:
        return []
    said = f"{audit.n_drawn:,} documents were drawn at random, {audit.n_decided:,} of them decided"
    if not audit.n_undecided:
        return [said]
    return [
        f"{said}; a certificate counts the {audit.n_counted:,} before the first undecided one "
        "('satc certify' says what the bound would be with the others)"
    ]


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
        "audit": None if report.audit is None else report.audit.as_dict(),
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


def _meaning(settings: Settings) -> str:
    """Say what the two averages of the measure mean."""
    measure = display_name(settings.measure)
    macro, micro = (settings.name_of(average) for average in ("macro", "micro"))
    said = [
        f"{macro[0].upper()}{macro[1:]} is the mean of the {measure} of all classes, so that a "
        "rare class counts as much as a frequent one."
    ]
    if micro == "accuracy":
        said.append("Accuracy is the share of documents whose label is right.")
    else:
        said.append(f"{micro[0].upper()}{micro[1:]} is the {measure} of all labels together.")
    if measure == "F1":
        said.append("F1 combines precision and recall in one figure from 0 to 1.")
    return " ".join(said)


def _about(settings: Settings) -> list[tuple[str, str]]:
    return [
        ("Labels per document", "exactly one" if settings.is_single_label else "any number"),
        ("Predicted labels", settings.decided_how),
        ("Ranking method", settings.method),
        ("Measure", settings.measure_name),
        ("Classifier", settings.learner or "scores given"),
        ("Program", f"satc {__version__}"),
    ]


def _number(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"
