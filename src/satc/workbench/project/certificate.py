"""The certificate of a project, from its log alone; and the check of one that was given before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from satc import __version__
from satc.assurance.certificate.certificate import Certificate, certify
from satc.assurance.certificate.page import log_hash, recomputed
from satc.errors import DataError
from satc.workbench.model.audit import audit_log, check_draws, disagreements
from satc.workbench.model.clock import now
from satc.workbench.model.record import Record
from satc.workbench.store import Store
from satc.workbench.store.events import read_events
from satc.workbench.store.predictions import read_scores
from satc.workbench.store.projects import Project

# What a file that is no certificate, or a changed one, makes of the computation.
_UNSUPPORTED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)


def certify_project(
    store: Store, project: Project, *, confidence: float = 0.95, cap: int | None = None
) -> Certificate:
    """Bound the accuracy of a project's labels from below."""
    if project.settings.stored is not None:
        raise DataError(
            f"project {project.name!r} must hold all its documents for a certificate, which needs "
            f"a random sample of them, but holds {project.n_documents:,} of {project.n_whole:,}"
        )
    scores = read_scores(store, project)
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
    declared = project.settings.cap
    if cap is not None and cap < declared:
        raise DataError(
            f"the cap must be at least the {declared} labels declared when the project was made, "
            f"but is {cap}"
        )
    repeats = disagreements(record)
    # A larger cap only loosens the bounds, so it may follow from what was seen.
    allowed = max(declared if cap is None else cap, *repeats, 1)
    return certify(scores >= 0, log, cap=allowed, confidence=confidence, repeats=repeats)


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
    """Compute a certificate anew, and compare it with what it says and with the project.

    Raises
    ------
    DataError
        If the certificate says anything that its log does not bear out, or is not of this project
        as it stands.
    """
    try:
        text = path.read_text(encoding="utf-8")
        held, earlier = json.loads(text), recomputed(text)
        said = held["bounds"], held["cap"], held["counts"]["n_audited"]
    except _UNSUPPORTED as error:
        raise DataError(f"{path} must be a certificate that its log supports: {error}") from error
    found = {bound.measure: bound.low for bound in earlier.bounds}, earlier.cap, earlier.n_audited
    if said != found:
        raise DataError(f"{path} must say what follows from its log, but says something else")
    present = certify_project(store, project, confidence=earlier.confidence, cap=earlier.cap)
    ours, theirs = present.inputs, earlier.inputs
    if log_hash(ours.decisions) != log_hash(theirs.decisions) or ours.repeats != theirs.repeats:
        raise DataError(f"{path} must rest on the project's log, but that has changed since")
    if not np.array_equal(ours.predicted, theirs.predicted):
        raise DataError(f"{path} must rest on the project's predictions, but rests on others")
    return f"{path}: the bounds follow from its log, which is the project's"
