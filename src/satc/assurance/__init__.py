"""Assurance: how good the labels are, how much work is left, and proof of it."""

from satc.assurance.certificate.audit import AuditSample, Decision
from satc.assurance.certificate.certificate import Bound, Certificate, certify
from satc.assurance.certificate.page import (
    certificate_html,
    certificate_json,
    log_hash,
    recomputed,
)
from satc.assurance.live.accuracy import Accuracy, ClassAccuracy
from satc.assurance.live.drift import Assumption
from satc.assurance.live.planner import Curve, Outlook, Plan, Prospect, plan
from satc.assurance.stopping_rules import RULES, Rule, Status, parse_rule

__all__ = [
    "RULES",
    "Accuracy",
    "Assumption",
    "AuditSample",
    "Bound",
    "Certificate",
    "ClassAccuracy",
    "Curve",
    "Decision",
    "Outlook",
    "Plan",
    "Prospect",
    "Rule",
    "Status",
    "certificate_html",
    "certificate_json",
    "certify",
    "log_hash",
    "parse_rule",
    "plan",
    "recomputed",
]
