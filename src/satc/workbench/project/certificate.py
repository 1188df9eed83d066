"""The certificate of a project, computed from its log; and the check of an earlier certificate."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from satc import __version__
from satc.assurance.certificate.certificate import AIM, FORMAT, Certificate, certify_in_format
from satc.assurance.certificate.serialisation import certificate_json, log_hash, recomputed
from satc.assurance.certificate.undecided import UndecidedDraws
from satc.errors import DataError
from satc.workbench.model.audit import (
    AuditCounts,
    Changes,
    audit_counts,
    changes,
    disagreements,
)
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
    with_classes: bool = True,
    version: int = FORMAT,
) -> Certificate:
    """Compute lower bounds on the accuracy of a project's labels.

    `with_classes=False` leaves out the bounds of the classes, which take most of the time.
    `version` is an earlier format, to check a certificate that was made in it.

    Raises
    ------
    DataError
        If the project cannot have a certificate, its draws are not those of its seed, or the cap
        is smaller than the declared one. A single-label project has no cap.
    """
    _check_holds_all_documents(project)
    predicted = read_decided(store, project)
    history.check_draws(project.settings.draw_seed, len(predicted))
    log, undone = history.pool_log()
    if not any(decision.is_audit for decision in log) and len(log) < len(predicted):
        raise DataError(_why_no_audit(project, audit_counts(history.record)))
    repeats = disagreements(history.record)
    single_label = project.settings.is_single_label
    if single_label:
        _refuse_cap(cap)
        allowed = None
    else:  # A larger cap only loosens the bounds, so that it may be raised to what was observed.
        allowed = max(_checked_cap(cap, project.settings.cap), *repeats, 1)
    return certify_in_format(
        version,
        predicted,
        log,
        cap=allowed,
        confidence=confidence,
        repeats=repeats,
        aim=AIM,
        single_label=single_label,
        undone=undone,
        with_classes=with_classes,
    )


def _why_no_audit(project: Project, counts: AuditCounts) -> str:
    required = f"project {project.name!r} must have audited documents for a certificate, but has"
    if not counts.n_drawn:
        return f"{required} none; 'satc create --audit 10%' mixes them into the work"
    return (
        f"{required} none that count: {counts.n_drawn:,} were drawn, but the first one that was "
        f"drawn is not decided yet; it comes to the next person once its lease ends, or a manager "
        "releases it"
    )


def with_undecided_draws(
    certificate: Certificate, history: History, version: int = FORMAT
) -> Certificate:
    """Add how many draws are undecided, and the bounds if their predicted labels were right."""
    counts = audit_counts(history.record)
    if not counts.n_undecided:
        return certificate
    predicted, inputs = certificate.inputs.predicted, certificate.inputs
    decisions, undone = history.pool_log(lambda i: tuple(np.flatnonzero(predicted[i]).tolist()))
    if_right = certify_in_format(
        version,
        predicted,
        decisions,
        cap=None if certificate.single_label else certificate.cap,
        confidence=certificate.confidence,
        repeats=inputs.repeats,
        aim=certificate.aim,
        single_label=certificate.single_label,
        undone=undone,
        with_classes=False,
    )
    draws = UndecidedDraws(counts.n_undecided, counts.n_blocked, if_right.bounds)
    return replace(certificate, undecided=draws)


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


def about(project: Project, history: History) -> dict[str, Any]:
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
        "seed of the draws": settings.draw_seed,
        **changes(history.steps, history.record).as_dict(),
        "project created": project.created_at,
        "satc": __version__,
        "date": now(),
    }


def check_certificate(store: Store, project: Project, history: History, path: Path) -> str:
    """Recompute a certificate, and compare the whole of it with its file and with the project.

    Raises
    ------
    DataError
        If the figures of the certificate do not follow from its log, if its log is not the log of
        this project now, or if it says anything else about the project than is true.
    """
    try:
        text = path.read_text(encoding="utf-8")
        held, earlier = json.loads(text), recomputed(text)
        version = held["format"]
        differing = _differing(held, json.loads(certificate_json(earlier)), _OWN_FACTS, version)
        if version < _WITH_UNDONE and "undone" in held["inputs"]:
            differing.append("format")
    except _UNSUPPORTED as error:
        raise DataError(f"{path} must be a certificate that its log supports: {error}") from error
    _refuse_differing(path, differing)
    present = certify_project(
        store,
        project,
        history,
        confidence=earlier.confidence,
        cap=earlier.cap,
        version=version,
    )
    ours, theirs = present.inputs, earlier.inputs
    if log_hash(ours.decisions) != log_hash(theirs.decisions) or (
        (ours.repeats, ours.undone) != (theirs.repeats, theirs.undone)
    ):
        raise DataError(f"{path} must rest on the project's log, but that has changed since")
    if not np.array_equal(ours.predicted, theirs.predicted):
        raise DataError(f"{path} must rest on the project's predictions, but rests on others")
    present = with_undecided_draws(present, history, version)
    whole = json.loads(certificate_json(present, about(project, history)))
    _refuse_differing(path, _differing(held, whole, _OF_THE_MOMENT, version))
    return f"{path}: the whole certificate follows from its log, which is the project's"


_OWN_FACTS = ("about", "undecided_draws", "format")  # do not follow from the log of a certificate
# When it was made, by which version, and the rate of further draws, which may change at any time.
_OF_THE_MOMENT = ("about.date", "about.satc", "about.audit rate", "format")
_WITH_UNDONE = 3  # the first format that says what was undone
# Entries that certificates in formats before these did not have.
_ADDED = {
    "single_label": 2,
    "classes": 2,
    "undecided_draws": 3,
    "inputs.undone": _WITH_UNDONE,
    "about.seed of the draws": 3,
    "about.project created": 3,
    **{f"about.{name.replace('_', ' ')}": 3 for name in Changes._fields},
}


def _differing(
    held: Any, computed: Any, ignored: Collection[str], version: int, name: str = ""
) -> list[str]:
    """Return the names of entries that differ, also inside of entries.

    An entry that the format of the certificate did not have may be missing.
    """
    if not isinstance(held, dict) or not isinstance(computed, dict):
        return [] if held == computed else [name]
    found = []
    for key in {**computed, **held}:
        inner = f"{name}.{key}" if name else str(key)
        if inner in ignored or (key not in held and version < _ADDED.get(inner, 0)):
            continue
        if key not in held or key not in computed:
            found.append(inner)
        else:
            found += _differing(held[key], computed[key], ignored, version, inner)
    return found


def _refuse_differing(path: Path, differing: list[str]) -> None:
    if differing:
        raise DataError(
            f"{path} must say what follows from its log, but says something else: "
            f"{', '.join(sorted(differing))}"
        )
