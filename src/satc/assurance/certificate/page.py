"""A certificate on paper and for programs: a printable page, and JSON that recomputes itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np

from satc.assurance.certificate.audit import Decision
from satc.assurance.certificate.certificate import Certificate, certify
from satc.inputs import indicator

FORMAT = 1
_COUNTS = {
    "n_documents": "Documents",
    "n_classes": "Classes",
    "n_labels": "Labels assigned, as they stand",
    "n_validated": "Documents validated by people",
    "n_audited": "of these, drawn at random (audit)",
    "n_repeated": "Documents shown twice",
}
_STYLE = (
    "body{font:16px/1.5 Georgia,serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#111;"
    "background:#fff}h1{font-size:1.6rem}table{border-collapse:collapse;width:100%;margin:1rem 0}"
    "th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid #bbb}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}code{overflow-wrap:anywhere}"
    "@media print{body{margin:0}}"
)


def log_hash(decisions: Iterable[Decision]) -> str:
    """Fingerprint of a decision log: SHA-256 of one line of JSON for each decision.

    >>> log_hash([Decision(3, (0, 2), True)])[:12]
    '6b819ebb6ddf'
    """
    digest = hashlib.sha256()
    for document, labels, is_audit in decisions:
        digest.update(json.dumps([document, list(labels), is_audit]).encode() + b"\n")
    return digest.hexdigest()


def certificate_json(certificate: Certificate, about: Mapping[str, Any] | None = None) -> str:
    """Write a certificate down with all that it was computed from.

    `about` holds what else it should say: data set, method, versions, date.
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
    """Compute a certificate anew from its JSON; refuse one whose log is not the one it names."""
    held = json.loads(text)
    inputs, counts = held["inputs"], held["counts"]
    if len(inputs["predicted"]) != counts["n_documents"]:
        raise ValueError("predicted must have the labels of every document, but has not")
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


def certificate_html(certificate: Certificate, about: Mapping[str, Any] | None = None) -> str:
    """Return a self-contained, printable page."""
    percent = f"{100 * certificate.confidence:g}%"
    bounds = [(bound.measure, f"at least {_floor(bound.low)}") for bound in certificate.bounds]
    counts = [(text, f"{getattr(certificate, name):,}") for name, text in _COUNTS.items()]
    wrong, missing = certificate.found
    counts += [
        ("Wrong labels found by the audit", f"{wrong:,}"),
        ("Missing labels found by the audit", f"{missing:,}"),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>Certificate of accuracy</title><style>{_STYLE}</style></head><body>"
        "<h1>Certificate of accuracy</h1>"
        f"<p>Each of these bounds holds with {percent} confidence by itself, for the labels of the "
        "whole set as they stand: a person's where a document was validated, the classifier's "
        "elsewhere. It was valid to look at any time and to stop at will.</p>"
        f"{_table(bounds)}<h2>Counts</h2>{_table(counts)}<h2>What it rests on</h2>"
        f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in _declared(certificate))}</ul>"
        f"{_about(about)}<p>SHA-256 of the decision log: "
        f"<code>{log_hash(certificate.inputs.decisions)}</code></p></body></html>\n"
    )


def _declared(certificate: Certificate) -> list[str]:
    lines = [
        "Audited documents were drawn uniformly among those not yet validated, by a seed fixed "
        "in advance; no model enters the bounds.",
        f"Declared: no unread document lacks more than {certificate.cap} labels. The most that "
        f"an audited document lacked is {certificate.most_missed}.",
        f"The bounds are sharpest at {certificate.aim:g}, a value fixed in advance.",
    ]
    if certificate.n_repeated:
        lines.append(
            f"From documents shown twice, people's errors per document are bounded by "
            f"{certificate.human_errors:.3f}, and counted against the bounds. Declared: readings "
            "err independently, and a label decided by a person is right more often than wrong."
        )
    else:
        lines.append("Declared: labels decided by people are true. No document was shown twice.")
    return lines


def _about(about: Mapping[str, Any] | None) -> str:
    if not about:
        return ""
    return f"<h2>About</h2>{_table([(name, str(value)) for name, value in about.items()])}"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    cells = (
        f'<tr><th scope="row">{escape(name)}</th><td class="n">{escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table>{''.join(cells)}</table>"


def _floor(value: float) -> str:
    """Three digits, rounded down: a bound must not be printed above itself."""
    return f"{np.floor(value * 1000) / 1000:.3f}"
