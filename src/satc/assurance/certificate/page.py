"""A certificate as a printable HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from satc.assurance.certificate.certificate import Certificate
from satc.assurance.certificate.serialisation import log_hash
from satc.assurance.certificate.single_label import ClassBound

_COUNTS = {
    "n_documents": "Documents",
    "n_classes": "Classes",
    "n_labels": "Labels assigned at present",
    "n_validated": "Documents validated by people",
    "n_audited": "of these, drawn at random (audit)",
    "n_repeated": "Documents shown twice",
}
_CLASS_COLUMNS = ("Class", "Labels", "Audited", "Precision", "Recall", "F1")
_STYLE = (
    "body{font:16px/1.5 Georgia,serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#111;"
    "background:#fff}h1{font-size:1.6rem}table{border-collapse:collapse;width:100%;margin:1rem 0}"
    "th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid #bbb}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}code{overflow-wrap:anywhere}"
    "body{overflow-wrap:break-word}.wide{overflow-x:auto}"
    ".name{display:inline-block;max-width:15rem}@media (max-width:40rem){.name{max-width:8rem}}"
    "@media print{body{margin:0}.wide{overflow:visible}}"
)


def certificate_html(
    certificate: Certificate,
    about: Mapping[str, Any] | None = None,
    class_names: Sequence[str] | None = None,
) -> str:
    """Return a certificate as a self-contained page that can be printed.

    `about` holds further entries, for example the data set, the method, versions and the date. Its
    entry `labels`, a sentence that says how the predicted labels were fixed, is shown at the top.
    `class_names` are the names of the classes in the table of single-label certificates.
    """
    facts = dict(about or {})
    fixed = facts.pop("labels", "The predicted labels were fixed before the audit started.")
    percent = f"{100 * certificate.confidence:g}%"
    bounds = [(name, f"at least {_floor(low)}") for name, low in _named_bounds(certificate)]
    counts = [(text, f"{getattr(certificate, name):,}") for name, text in _COUNTS.items()]
    wrong, missing = certificate.found
    counts += [
        ("Wrong labels found by the audit", f"{wrong:,}"),
        ("Missing labels found by the audit", f"{missing:,}"),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Certificate of accuracy</title><style>{_STYLE}</style></head><body>"
        "<header><h1>Certificate of accuracy</h1></header><main>"
        f"<p>Each of these bounds holds by itself with {percent} confidence. They concern the "
        "present labels of the whole set: the labels of a person where a document was validated, "
        f"the predicted labels elsewhere. {escape(str(fixed))} A bound holds no matter when you "
        "look or stop.</p>"
        f"{_table(bounds)}{_classes(certificate, class_names)}"
        f"<h2>Counts</h2>{_table(counts)}<h2>Assumptions</h2>"
        f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in _assumptions(certificate))}</ul>"
        f"{_about(facts)}<p>SHA-256 of the decision log: "
        f"<code>{log_hash(certificate.inputs.decisions)}</code></p></main></body></html>\n"
    )


def _named_bounds(certificate: Certificate) -> list[tuple[str, float]]:
    """Return the bounds to print; for single labels, equal ones only once."""
    if not certificate.single_label:
        return [(bound.measure, bound.low) for bound in certificate.bounds]
    return [
        ("accuracy (equals micro-F1, precision and recall)", certificate.low("accuracy")),
        ("macro-F1", certificate.low("macro-F1")),
    ]


def _classes(certificate: Certificate, names: Sequence[str] | None) -> str:
    """Return the table of the classes of a single-label certificate."""
    if not certificate.classes:
        return ""
    name, *figures = _CLASS_COLUMNS
    head = f'<th scope="col">{name}</th>'
    head += "".join(f'<th scope="col" class="n">{figure}</th>' for figure in figures)
    rows = "".join(_class_row(one, names) for one in certificate.classes)
    percent = f"{100 * certificate.confidence:g}%"
    return (
        "<h2>Classes</h2><p>Lower bounds for each class. The three bounds of one class hold "
        f"together with {percent} confidence. The bounds of different classes need not all hold "
        "together: choose the class before you look.</p>"
        '<div class="wide" role="region" aria-label="Classes" tabindex="0">'
        f"<table><tr>{head}</tr>{rows}</table></div>"
    )


def _class_row(one: ClassBound, names: Sequence[str] | None) -> str:
    name = str(one.column) if names is None else names[one.column]
    figures = [f"{one.n_labels:,}", f"{one.n_audited:,}"]
    figures += [_floor(value) for value in (one.precision, one.recall, one.f1)]
    cells = "".join(f'<td class="n">{figure}</td>' for figure in figures)
    return f'<tr><th scope="row"><span class="name">{escape(name)}</span></th>{cells}</tr>'


def _assumptions(certificate: Certificate) -> list[str]:
    lines = [
        "Audited documents were drawn uniformly among those not yet validated, by a seed fixed "
        "in advance. The bounds do not depend on a model."
    ]
    if certificate.single_label:
        lines.append("Declared: every document has exactly one label.")
    else:
        lines += [
            f"Declared: no unread document lacks more than {certificate.cap} labels. The largest "
            f"number of labels that an audited document lacked is {certificate.most_missed}.",
            f"The bounds are sharpest at {certificate.aim:g}, a value fixed in advance.",
        ]
    if certificate.n_repeated:
        lines.append(
            "Documents shown twice give an upper bound on the number of "
            f"{_human_unit(certificate)}: {certificate.human_errors:.3f}. The bounds above allow "
            "for these errors. Declared: readings err independently, and a label decided by a "
            "person is right more often than wrong."
        )
    else:
        lines.append("Declared: labels decided by people are true. No document was shown twice.")
    return lines


def _human_unit(certificate: Certificate) -> str:
    if certificate.single_label:
        return "misread documents, as a share of all documents"
    return "errors that people make per document"


def _about(about: Mapping[str, Any]) -> str:
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
    """Return three digits, rounded down, so that the printed bound is not above the bound."""
    return f"{np.floor(value * 1000) / 1000:.3f}"
