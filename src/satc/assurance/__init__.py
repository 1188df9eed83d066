"""Assurance: how good the labels are, how much work is left, and proof of it."""

from satc.assurance.audit import AuditSample, Decision
from satc.assurance.certificate import Bound, Certificate, certify
from satc.assurance.certificate_page import (
    certificate_html,
    certificate_json,
    log_hash,
    recomputed,
)

__all__ = [
    "AuditSample",
    "Bound",
    "Certificate",
    "Decision",
    "certificate_html",
    "certificate_json",
    "certify",
    "log_hash",
    "recomputed",
]
