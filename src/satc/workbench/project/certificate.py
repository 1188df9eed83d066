"""The certificate of a project, computed from its log; and the check of an earlier certificate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from satc import __version__
from satc.assurance.certificate.certificate import Certificate, certify
from satc.assurance.certificate.serialisation import log_hash, recomputed
from satc.errors import DataError
from satc.workbench.model.audit import disagreements
from satc.workbench.model.clock import now
from satc.workbench.project.history import History
from satc.workbench.store import Store
from satc.workbench.store.predictions import read_decided
from satc.workbench.store.projects import Project

# Errors that the computation raises for a changed certificate, or for a file that is none.
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
    store: Store,
    project: Project,
    history: History,
    *,
    confidence: float = 0.95,
    cap: int | None = None,
) -> Certificate:
    """Compute lower bounds on the accuracy of a project's labels.

    Raises
    ------
    DataError
        If the project cannot have a certificate, its draws are not those of its seed, or the cap
        is smaller than the declared one. A single-label project has no cap.
    """
    _check_holds_all_documents(project)
    predicted = read_decided(store, project)
    history.check_draws(project.settings.seed, len(predicted))
    log = history.audit_log()
    if not any(decision.is_audit for decision in log) and len(log) < len(predicted):
        raise DataError(
            f"project {project.name!r} must have audited documents for a certificate, but has "
            "none; 'satc create --audit 10%' mixes them into the work"
        )
    repeats = disagreements(history.record)
    if project.settings.is_single_label:
        _refuse_cap(cap)
        return certify(predicted, log, confidence=confidence, repeats=repeats, single_label=True)
    # A larger cap only loosens the bounds, so that it may be raised to what was observed.
    allowed = max(_checked_cap(cap, project.settings.cap), *repeats, 1)
    return certify(predicted, log, cap=allowed, confidence=confidence, repeats=repeats)


def _check_holds_all_documents(project: Project) -> None:
    if project.settings.stored is not None:
        raise DataError(
            f"project {project.name!r} must hold all its documents for a certificate, which needs "
            f"a random sample of them, but holds {project.n_documents:,} of {project.n_whole:,}"
        )


def _checked_cap(cap: int | None, declared: int) -> int:
    if cap is not None and cap < declared:
        raise DataError(
            f"the cap must be at least the {declared} labels declared when the project was made, "
            f"but is {cap}"
        )
    return declared if cap is None else cap


def _refuse_cap(cap: int | None) -> None:
    if cap not in (None, 1):
        raise DataError(
            "the cap must be left out in a single-label project, where a document lacks at most "
            f"one label, but is {cap}"
        )


def say_how_labels_were_fixed(project: Project) -> str:
    """Say how the labels of a project were decided on, and when."""
    return f"The labels were fixed when the project was made: {project.settings.decided_how}."


def about(project: Project) -> dict[str, Any]:
    """Return the facts about a project that a certificate states besides its figures."""
    settings = project.settings
    return {
        "project": project.name,
        "title": settings.title,
        "labels": say_how_labels_were_fixed(project),
        "method": settings.method,
        "measure": settings.measure_name,
        "learner": settings.learner or "scores given",
        "audit rate": settings.audit,
        "satc": __version__,
        "date": now(),
    }


def check_certificate(store: Store, project: Project, history: History, path: Path) -> str:
    """Recompute a certificate, and compare it with its file and with the project.

    Raises
    ------
    DataError
        If the figures of the certificate do not follow from its log, or if its log is not the
        log of this project now.
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
    present = certify_project(
        store, project, history, confidence=earlier.confidence, cap=earlier.cap
    )
    ours, theirs = present.inputs, earlier.inputs
    if log_hash(ours.decisions) != log_hash(theirs.decisions) or ours.repeats != theirs.repeats:
        raise DataError(f"{path} must rest on the project's log, but that has changed since")
    if not np.array_equal(ours.predicted, theirs.predicted):
        raise DataError(f"{path} must rest on the project's predictions, but rests on others")
    return f"{path}: the bounds follow from its log, which is the project's"
