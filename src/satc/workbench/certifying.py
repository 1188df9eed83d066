"""The certificate of a project, from its log alone; and the check of one that was given before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from satc import __version__
from satc.assurance.certificate import Certificate, certify
from satc.assurance.certificate_page import log_hash, recomputed
from satc.errors import DataError
from satc.workbench.auditing import audit_log, check_draws, disagreements
from satc.workbench.clock import now
from satc.workbench.record import Record
from satc.workbench.store import Store
from satc.workbench.store.arrays import get_dense
from satc.workbench.store.events import read_events
from satc.workbench.store.projects import Project


def certify_project(
    store: Store, project: Project, *, confidence: float = 0.95, cap: int | None = None
) -> Certificate:
    """Bound the accuracy of a project's labels from below."""
    scores = get_dense(store, project.key, "scores")
    if scores is None:
        raise DataError(f"{store.location}: project {project.name!r} has no scores")
    history = list(read_events(store, project.key))
    check_draws(history, project.settings.seed, len(scores))
    record = Record()
    for event in history:
        record.apply(event)
    log = audit_log(history)
    if not any(decision.is_audit for decision in log) and len(log) < len(scores):
        raise DataError(
            f"project {project.name!r} must have audited documents for a certificate, but has "
            "none; 'satc create --audit 10%' mixes them into the work"
        )
    return certify(
        scores >= 0,
        log,
        cap=project.settings.cap if cap is None else cap,
        confidence=confidence,
        repeats=disagreements(record),
    )


def about(store: Store, project: Project) -> dict[str, Any]:
    """Return what a certificate says besides its figures."""
    settings = project.settings
    return {
        "project": project.name,
        "title": settings.title,
        "method": settings.method,
        "measure": f"{settings.average}-{settings.measure}",
        "learner": settings.learner or "scores given",
        "audit rate": settings.audit,
        "satc": __version__,
        "date": now(),
    }


def check_certificate(store: Store, project: Project, path: Path) -> str:
    """Compute a certificate anew from its own log, and compare that log with the project's."""
    try:
        earlier = recomputed(path.read_text(encoding="utf-8"))
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise DataError(f"{path} must be a certificate that its log supports: {error}") from error
    history = list(read_events(store, project.key))
    if log_hash(earlier.inputs.decisions) != log_hash(audit_log(history)):
        return f"{path}: the bounds follow from its log, but the project's log has changed since"
    return f"{path}: the bounds follow from its log, which is the project's"
