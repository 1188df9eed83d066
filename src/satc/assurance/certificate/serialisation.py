"""A certificate as JSON, with all data that are needed to compute it again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from satc.assurance.certificate.audit import AuditedDecision
from satc.assurance.certificate.certificate import FORMAT, Certificate, certify_in_format
from satc.files.formats.json_texts import without_repetition
from satc.inputs import indicator

_COUNTS = ("n_documents", "n_classes", "n_labels", "n_validated", "n_audited", "n_repeated")


def log_hash(decisions: Iterable[AuditedDecision]) -> str:
    """Return the SHA-256 hash of a decision log, written as one line of JSON per decision.

    >>> log_hash([AuditedDecision(3, (0, 2), True)])[:12]
    '6b819ebb6ddf'
    """
    digest = hashlib.sha256()
    for document, labels, is_audit in decisions:
        digest.update(json.dumps([document, list(labels), is_audit]).encode() + b"\n")
    return digest.hexdigest()


def certificate_json(certificate: Certificate, about: Mapping[str, Any] | None = None) -> str:
    """Return a certificate as JSON, with the data from which it was computed.

    `about` holds further entries, for example the data set, the method, versions and the date.
    """
    inputs = certificate.inputs
    return json.dumps(
        {
            "format": FORMAT,
            "about": dict(about or {}),
            "bounds": {bound.measure: bound.low for bound in certificate.bounds},
            "confidence": certificate.confidence,
            "counts": {name: getattr(certificate, name) for name in _COUNTS},
            "audit_found": {"wrong": certificate.found[0], "missing": certificate.found[1]},
            "single_label": certificate.single_label,
            "classes": [one._asdict() for one in certificate.classes],
            "cap": certificate.cap,
            "most_missed": certificate.most_missed,
            "aim": certificate.aim,
            "human_errors": certificate.human_errors,
            "undecided_draws": _undecided(certificate),
            "log_sha256": log_hash(inputs.decisions),
            "inputs": {
                "predicted": [np.flatnonzero(row).tolist() for row in inputs.predicted],
                "decisions": [[d, list(labels), audit] for d, labels, audit in inputs.decisions],
                "repeats": list(inputs.repeats),
                "undone": [list(one) for one in inputs.undone],
            },
        }
    )


def _undecided(certificate: Certificate) -> dict[str, Any] | None:
    """Return what is known about draws that are not decided; it is not part of the evidence."""
    draws = certificate.undecided
    if draws is None:
        return None
    return {
        "n_undecided": draws.n_undecided,
        "n_blocked": draws.n_blocked,
        "bounds_if_right": {bound.measure: bound.low for bound in draws.bounds_if_right},
        "assumption": "the predicted labels of the undecided documents are right",
    }


def recomputed(text: str) -> Certificate:
    """Compute a certificate again from its JSON, with the rules of its format.

    Raises
    ------
    ValueError
        If the format is unknown, a name comes twice, the hash of the decision log is not the one in
        the JSON, or the bounds of the classes do not follow from the log.
    """
    held = json.loads(text, object_pairs_hook=without_repetition)
    if type(held["format"]) is not int or held["format"] not in range(1, FORMAT + 1):
        raise ValueError(f"format must be from 1 to {FORMAT}, but is {held['format']!r}")
    inputs, counts = held["inputs"], held["counts"]
    if len(inputs["predicted"]) != counts["n_documents"]:
        raise ValueError(
            f"predicted must hold the labels of all {counts['n_documents']} documents, but holds "
            f"those of {len(inputs['predicted'])}"
        )
    certificate = certify_in_format(
        held["format"],
        indicator(inputs["predicted"], range(counts["n_classes"])),
        inputs["decisions"],
        cap=held["cap"],
        confidence=held["confidence"],
        repeats=inputs["repeats"],
        aim=held["aim"],
        single_label=held.get("single_label", False),
        undone=inputs.get("undone", ()),
    )
    if log_hash(certificate.inputs.decisions) != held["log_sha256"]:
        raise ValueError("log_sha256 must be the hash of the decisions, but is another one")
    if [one._asdict() for one in certificate.classes] != held.get("classes", []):
        raise ValueError("classes must hold the bounds that follow from the log, but do not")
    return certificate
