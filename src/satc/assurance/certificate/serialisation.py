"""A certificate as JSON, with all data that are needed to compute it again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from satc.assurance.certificate.audit import AuditedDecision
from satc.assurance.certificate.certificate import Certificate, certify
from satc.inputs import indicator

FORMAT = 1
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
            "cap": certificate.cap,
            "most_missed": certificate.most_missed,
            "aim": certificate.aim,
            "human_errors": certificate.human_errors,
            "log_sha256": log_hash(inputs.decisions),
            "inputs": {
                "predicted": [np.flatnonzero(row).tolist() for row in inputs.predicted],
                "decisions": [[d, list(labels), audit] for d, labels, audit in inputs.decisions],
                "repeats": list(inputs.repeats),
            },
        }
    )


def recomputed(text: str) -> Certificate:
    """Compute a certificate again from its JSON.

    Raises
    ------
    ValueError
        If the hash of the decision log is not the one in the JSON.
    """
    held = json.loads(text)
    inputs, counts = held["inputs"], held["counts"]
    if len(inputs["predicted"]) != counts["n_documents"]:
        raise ValueError(
            f"predicted must hold the labels of all {counts['n_documents']} documents, but holds "
            f"those of {len(inputs['predicted'])}"
        )
    predicted = indicator(inputs["predicted"], range(counts["n_classes"]))
    certificate = certify(
        predicted,
        inputs["decisions"],
        cap=held["cap"],
        confidence=held["confidence"],
        repeats=inputs["repeats"],
        aim=held["aim"],
    )
    if log_hash(certificate.inputs.decisions) != held["log_sha256"]:
        raise ValueError("log_sha256 must be the hash of the decisions, but is another one")
    return certificate
