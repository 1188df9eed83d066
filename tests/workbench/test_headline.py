"""The strongest statement that holds, case by case, from the strongest to the weakest."""

from dataclasses import replace

import numpy as np
import pytest

from satc.assurance.stopping_rules import Status, parse_rule
from satc.workbench.messages import Message
from satc.workbench.model.audit import AuditCounts
from satc.workbench.review.accuracy.headline import Estimated, Facts, headline
from satc.workbench.review.accuracy.stopping import met_rule, needs_estimate, target_of

FACTS = Facts(120, 45, "macro-F1", 0.95)
GOOD, DOUBTFUL = Estimated(0.88, 0.82, 0.94, True), Estimated(0.88, 0.82, 0.94, False)
AUDIT, WAITING = AuditCounts(21, 20, 20), AuditCounts(21, 20, 8)


def met(rule, **status):
    return met_rule(parse_rule(rule), Status(**status), "macro-F1")


TARGET_MET = met("target(0.8, 0.9)", draws=np.full(10, 0.9))
CERTIFIED = met("certified(0.8)", certified=0.83)
SPENT = met("budget(documents=40)", documents=45)


def said(**changes):
    level, text = headline(replace(FACTS, **changes))
    return level, str(text)


def test_all_documents_are_checked_whatever_else_holds():
    everything = {"met": TARGET_MET, "estimate": DOUBTFUL, "audit": WAITING}
    assert said(n_validated=120, **everything) == ("good", "All 120 documents are checked.")


def test_a_certified_bound_holds_even_if_the_estimate_is_off():
    expected = "You can stop. macro-F1 is certified to be at least 83%."
    assert said(met=CERTIFIED, estimate=DOUBTFUL, audit=AUDIT) == ("good", expected)


def test_a_rule_that_is_met_by_a_good_estimate_ends_the_work():
    level, text = said(met=TARGET_MET, estimate=GOOD)
    assert level == "good"
    assert text == "You can stop. macro-F1 is 80% or more, with a probability of at least 90%."


def test_a_rule_without_an_estimate_is_met_whatever_the_estimate_says():
    expected = "You can stop. The budget of 40 documents is spent."
    assert said(met=SPENT, estimate=DOUBTFUL) == ("good", expected)


@pytest.mark.parametrize("audit", [None, AUDIT])
def test_a_rule_that_is_met_by_a_doubtful_estimate_is_not_followed(audit):
    level, text = said(met=TARGET_MET, estimate=DOUBTFUL, audit=audit, rule="target(0.8)")
    assert level == "warning"
    assert "uses an estimate that cannot be trusted" in text
    assert ("Rely on the certificate" in text) == (audit is not None)
    assert ("drawn at random, to measure the accuracy" in text) == (audit is None)


@pytest.mark.parametrize("audit", [None, AUDIT])
def test_a_doubtful_estimate_is_said_before_what_follows_from_it(audit):
    level, text = said(estimate=DOUBTFUL, documents_left=0, audit=audit)
    assert level == "warning"
    assert text.startswith("The estimate of the accuracy cannot be trusted")
    assert ("Rely on the certificate" in text) == (audit is not None)


def test_the_target_is_reached():
    level, text = said(estimate=GOOD, documents_left=0, audit=WAITING)
    assert level == "good"
    assert text == "macro-F1 is about 88%. The target of 95% is reached, so you can stop."


def test_the_target_is_reached_but_the_rule_is_not_met():
    level, text = said(estimate=GOOD, documents_left=0, rule="nogain(50)")
    assert level == "info"
    assert text.endswith("The stopping rule nogain(50) is not met yet, so go on.")


def test_the_certificate_waits_for_documents_that_are_open_elsewhere():
    level, text = said(estimate=GOOD, documents_left=13, audit=WAITING, n_left_behind=1)
    assert level == "warning"
    assert text.startswith("1 document that was drawn at random is not decided.")
    assert "(12 so far). A manager can release it" in text


def test_a_drawn_document_that_somebody_is_reading_is_no_reason_for_a_warning():
    level, text = said(estimate=GOOD, documents_left=13, audit=WAITING, n_left_behind=0)
    assert (level, text) == ("info", "Check about 13 more documents to reach 95% macro-F1.")


def test_so_many_documents_are_left():
    expected = "Check about 13 more documents to reach 95% macro-F1."
    assert said(estimate=GOOD, documents_left=13, audit=AUDIT) == ("info", expected)
    assert "1 more document to" in said(estimate=GOOD, documents_left=1)[1]


def test_the_estimate_is_there_before_the_forecast():
    level, text = said(estimate=GOOD)
    assert level == "info"
    assert text.startswith("macro-F1 is about 88% (82% to 94%).")


def test_nothing_is_known_yet():
    soon = "The accuracy is being estimated. You can work meanwhile."
    assert said() == ("info", soon)
    missing = Message("server.accuracy_needs_random_all", n=3)
    assert said(unknown=missing) == ("info", str(missing))
    level, text = said(unknown=missing, rule="target(0.9)", rule_needs_estimate=True)
    assert level == "warning"
    assert text == f"{missing} The stopping rule target(0.9) needs the accuracy."


def test_the_reason_of_a_combined_rule_is_the_strongest_one():
    facts = {"documents": 45, "certified": 0.83, "since_gain": 7}
    any_rule = met("any(nogain(5), certified(0.8), budget(documents=40))", **facts)
    assert any_rule.is_certified
    both = met("all(nogain(5), budget(documents=40))", **facts)
    expected = "The last 7 documents needed no correction. The budget of 40 documents is spent."
    assert str(both.reason) == expected
    assert met("all(nogain(5), budget(documents=50))", **facts) is None


@pytest.mark.parametrize(
    ("rule", "status", "reason"),
    [
        ("budget(hours=8)", {"hours": 9.0}, "The budget of 8 hours is spent."),
        ("budget(cost=300)", {"cost": 300.0}, "The budget of 300 is spent."),
        ("gain(0.01)", {"gain_per_hour": 0.002}, "raise macro-F1 by 0.0020 only."),
        ("nogain(1)", {"since_gain": 1}, "The last document needed no correction."),
    ],
)
def test_every_rule_says_why_it_is_met(rule, status, reason):
    found = met(rule, **status)
    assert str(found.reason).endswith(reason)
    assert found.is_estimated == needs_estimate(rule)
    assert met(rule) is None


def test_the_target_of_a_project_is_that_of_its_rule():
    assert target_of("any(all(budget(hours=1), target(0.8)), nogain(3))") == (0.8, 0.9)
    assert target_of("nogain(3)") == (0.95, 0.9)


def test_an_estimate_at_the_target_is_not_yet_sure():
    level, text = said(estimate=Estimated(0.953, 0.89, 0.99, True), documents_left=57)
    assert level == "info"
    assert text.startswith("macro-F1 is about 95%. Check about 57 more documents to be sure")
