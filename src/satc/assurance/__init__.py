"""Assurance: how accurate the labels are, how much work is left, and when to stop.

* `certificate`: proven lower bounds, from a random audit.
* `live`: estimates with an interval, from calibrated probabilities, and a plan of the work.
* `stopping_rules`: rules over both, which say when the work may end.
"""

from satc.assurance.certificate.audit import AuditedDecision, AuditSample
from satc.assurance.certificate.certificate import Certificate, certify
from satc.assurance.certificate.class_bounds import ClassBound
from satc.assurance.certificate.measure_bounds import Bound
from satc.assurance.certificate.page import certificate_html
from satc.assurance.certificate.serialisation import certificate_json, log_hash, recomputed
from satc.assurance.live.accuracy import Accuracy, ClassAccuracy
from satc.assurance.live.drift import Assumption
from satc.assurance.live.planner import Curve, Outlook, Plan, Prospect, plan
from satc.assurance.stopping_rules import RULES, Rule, Status, parse_rule

Decision = AuditedDecision  # the name that was used before

__all__ = [
    "RULES",
    "Accuracy",
    "Assumption",
    "AuditSample",
    "AuditedDecision",
    "Bound",
    "Certificate",
    "ClassAccuracy",
    "ClassBound",
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
