"""Assurance: how good the labels are, how much work is left, and proof of it."""

from satc.assurance.accuracy import Accuracy, ClassAccuracy
from satc.assurance.audit import AuditSample, Decision
from satc.assurance.certificate import Bound, Certificate, certify
from satc.assurance.certificate_page import (
    certificate_html,
    certificate_json,
    log_hash,
    recomputed,
)
from satc.assurance.drift import Assumption

__all__ = [
    "Accuracy",
    "Assumption",
    "AuditSample",
    "Bound",
    "Certificate",
    "ClassAccuracy",
    "Decision",
    "certificate_html",
    "certificate_json",
    "certify",
    "log_hash",
    "recomputed",
]
