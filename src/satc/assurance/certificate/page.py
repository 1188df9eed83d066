"""A certificate as a printable HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from satc.assurance.certificate.certificate import Certificate
from satc.assurance.certificate.class_bounds import ClassBound
from satc.assurance.certificate.serialisation import log_hash
from satc.printed.page import html_page, section
from satc.printed.table import table

_COUNTS = {
    "n_documents": "Documents",
    "n_classes": "Classes",
    "n_labels": "Labels that are assigned now",
    "n_validated": "Documents that people have checked",
    "n_audited": "Checked documents that were drawn at random (the audit)",
    "n_repeated": "Documents that two people have checked",
}
_CLASS_COLUMNS = ("Class", "Labels", "Audited", "Precision", "Recall", "F1")
_FIXED = "The predicted labels were fixed before the audit started."


def certificate_html(
    certificate: Certificate,
    about: Mapping[str, Any] | None = None,
    class_names: Sequence[str] | None = None,
) -> str:
    """Return a certificate as a self-contained page that can be printed.

    `about` holds further entries, for example the data set, the method, versions and the date. Its
    entry `labels`, a sentence that says how the predicted labels were fixed, is shown at the top.
    `class_names` are the names of the classes in the table of their bounds.
    """
    facts = dict(about or {})
    fixed = str(facts.pop("labels", _FIXED))
    parts = [
        section("Bounds", _bounds(certificate, fixed)),
        _classes(certificate, class_names),
        section("Counts", table("The documents and the audit", (), _counts(certificate))),
        section("Assumptions", _assumptions(certificate)),
        _about(facts),
        section("Decision log", _log(certificate)),
    ]
    title = "Certificate of accuracy"
    return html_page(title, kind="Certificate", lead=_lead(certificate), main="".join(parts))


def _lead(certificate: Certificate) -> str:
    return (
        f"This certificate says how accurate the labels of {certificate.n_documents:,} documents "
        "are at least. It rests on documents that were drawn at random and checked by people, and "
        "not on a model."
    )


def _bounds(certificate: Certificate, fixed: str) -> str:
    """Return the bounds, and the sentences that say what they mean."""
    facts = [
        f"<li><b>at least {_floor(low)}</b> {escape(name)}</li>"
        for name, low in _named_bounds(certificate)
    ]
    percent = f"{100 * certificate.confidence:g}%"
    meaning = (
        f"Each bound holds by itself with {percent} confidence. The bounds hold for the labels "
        "that all documents have now: the labels that people gave to the documents they checked, "
        f"and the predicted labels of all other documents. {fixed} A bound holds no matter when "
        "you look or stop."
    )
    if all(low < 0.001 for _, low in certificate.bounds):
        meaning += " Bounds of 0 say nothing yet: the audit has too few documents."
    draws = certificate.undecided
    waiting = "" if draws is None else f'<p class="warning">{escape(draws.sentence())}</p>'
    return f'<ul class="facts">{"".join(facts)}</ul><p>{escape(meaning)}</p>{waiting}'


def _counts(certificate: Certificate) -> list[tuple[str, str]]:
    counts = [(text, f"{getattr(certificate, name):,}") for name, text in _COUNTS.items()]
    wrong, missing = certificate.found
    return [
        *counts,
        ("Wrong labels that the audit found", f"{wrong:,}"),
        ("Missing labels that the audit found", f"{missing:,}"),
    ]


def _named_bounds(certificate: Certificate) -> list[tuple[str, float]]:
    """Return the bounds to print; for single labels, equal ones only once."""
    if not certificate.single_label:
        return [(bound.measure, bound.low) for bound in certificate.bounds]
    return [
        ("accuracy (equals micro-F1, precision and recall)", certificate.low("accuracy")),
        ("macro-F1", certificate.low("macro-F1")),
    ]


def _classes(certificate: Certificate, names: Sequence[str] | None) -> str:
    """Return the bounds of the classes."""
    if not certificate.classes:
        return ""
    percent = f"{100 * certificate.confidence:g}%"
    meaning = (
        f"These are lower bounds for {_which_classes(certificate)}. The three bounds of one class "
        f"hold together with {percent} confidence. The bounds of different classes need not all "
        "hold together: choose the class before you look at its bounds."
    )
    rows = [_class_row(one, names) for one in certificate.classes]
    return section(
        "Classes", f"<p>{meaning}</p>{table('Bounds of each class', _CLASS_COLUMNS, rows)}"
    )


def _which_classes(certificate: Certificate) -> str:
    if len(certificate.classes) == certificate.n_classes:
        return "each class"
    return (
        f"{len(certificate.classes):,} of {certificate.n_classes:,} classes. For the others, no "
        "document with their predicted label was drawn at random and checked"
    )


def _class_row(one: ClassBound, names: Sequence[str] | None) -> list[str]:
    name = str(one.column) if names is None else names[one.column]
    bounds = [_floor(value) for value in (one.precision, one.recall, one.f1)]
    return [name, f"{one.n_labels:,}", f"{one.n_audited:,}", *bounds]


def _assumptions(certificate: Certificate) -> str:
    lines = [
        "The audited documents were drawn with equal probability among the documents that nobody "
        "had checked. The seed of these draws was fixed in advance.",
        *(_single_label() if certificate.single_label else _multi_label(certificate)),
        _people(certificate),
    ]
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def _single_label() -> list[str]:
    return ["It was declared that every document has exactly one label."]


def _multi_label(certificate: Certificate) -> list[str]:
    return [
        f"It was declared that no unread document lacks more than {certificate.cap} labels. The "
        f"audited document that lacked most labels lacked {certificate.most_missed}.",
        f"The bounds are sharpest for measures near {certificate.aim:g}. This value was fixed in "
        "advance.",
    ]


def _people(certificate: Certificate) -> str:
    if not certificate.n_repeated:
        return (
            "It was declared that the labels given by people are true. No document was checked by "
            "two people."
        )
    return (
        "Two people checked some documents. Their disagreements give an upper bound on the number "
        f"of {_human_unit(certificate)}: {certificate.human_errors:.3f}. The bounds allow for "
        "these errors. It was declared that two people err independently, and that a label given "
        "by a person is right more often than wrong."
    )


def _human_unit(certificate: Certificate) -> str:
    if certificate.single_label:
        return "misread documents, as a share of all documents"
    return "errors that people make per document"


def _about(about: Mapping[str, Any]) -> str:
    if not about:
        return ""
    rows = [(f"{name[:1].upper()}{name[1:]}", str(value)) for name, value in about.items()]
    return section("About", table("The project and the program", (), rows))


def _log(certificate: Certificate) -> str:
    return (
        "<p>The certificate was computed from the decision log, which is in its JSON file. The "
        f"SHA-256 hash of this log is <code>{log_hash(certificate.inputs.decisions)}</code>.</p>"
    )


def _floor(value: float) -> str:
    """Return three digits, rounded down, so that the printed bound is not above the bound."""
    return f"{np.floor(value * 1000) / 1000:.3f}"
