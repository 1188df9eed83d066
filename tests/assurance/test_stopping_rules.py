from dataclasses import fields

import numpy as np
import pytest

from satc.assurance import RULES, Status, parse_rule

DRAWS = np.linspace(0.9, 1.0, 101)


@pytest.mark.parametrize(
    ("rule", "stops", "goes_on"),
    [
        ("target(0.91, 0.8)", Status(draws=DRAWS), Status(draws=DRAWS - 0.05)),
        ("certified(0.9)", Status(certified=0.9), Status(certified=0.89)),
        ("budget(hours=8)", Status(hours=8.0), Status(hours=7.9)),
        ("budget(documents=10)", Status(documents=10), Status(documents=9, hours=99)),
        ("budget(cost=5)", Status(cost=6.0), Status(cost=4.0)),
        ("gain(0.01)", Status(gain_per_hour=0.005), Status(gain_per_hour=0.01)),
        ("nogain(documents=50)", Status(since_gain=50), Status(since_gain=49)),
    ],
)
def test_a_rule_fires_where_it_should_and_not_before(rule, stops, goes_on):
    parsed = parse_rule(rule)
    assert parsed.reason(stops)
    assert parsed.reason(goes_on) is None
    assert parsed.reason(Status()) is None


def test_any_needs_one_rule_and_all_needs_every():
    either = parse_rule("any(budget(hours=2), nogain(documents=5))")
    both = parse_rule("all(budget(hours=2), nogain(documents=5))")
    half, full = Status(hours=3), Status(hours=3, since_gain=6)
    assert either.reason(half) == "the budget of 2 hours is spent"
    assert both.reason(half) is None
    assert both.reason(full) == (
        "the budget of 2 hours is spent and the last 6 documents needed no correction"
    )


class WatchedStatus:
    """A status that refuses fields which a rule did not declare, and records the others."""

    def __init__(self, declared, **values):
        self.declared = declared
        self.values = Status(**values)
        self.read = set()

    def __getattr__(self, name):
        assert name in self.declared, f"{name} is read but not declared"
        self.read.add(name)
        return getattr(self.values, name)


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("target(0.91, 0.8)", {"draws"}),
        ("certified(0.9)", {"certified"}),
        ("budget(hours=8)", {"hours"}),
        ("budget(documents=10, cost=5)", {"documents", "cost"}),
        ("budget(hours=8, documents=10, cost=5)", {"hours", "documents", "cost"}),
        ("gain(0.01)", {"gain_per_hour"}),
        ("nogain(documents=50)", {"since_gain"}),
        ("any(nogain(documents=50), budget(hours=8))", {"since_gain", "hours"}),
        (
            "all(gain(0.01), any(certified(0.9), target(0.9)))",
            {"gain_per_hour", "certified", "draws"},
        ),
    ],
)
def test_a_rule_declares_exactly_the_fields_that_it_reads(text, needs):
    rule = parse_rule(text)
    assert rule.needs == needs
    far_away = {"draws": np.zeros(3), "certified": 0.0, "gain_per_hour": 1.0}
    reached = {"documents": 99, "hours": 99.0, "cost": 99.0, "draws": np.ones(3)}
    reached |= {"certified": 1.0, "gain_per_hour": 0.0, "since_gain": 99}
    status = WatchedStatus(rule.needs, **far_away)
    assert rule.reason(status) is None
    assert status.read == needs
    assert rule.reason(WatchedStatus(rule.needs, **reached))


def test_the_fields_that_rules_need_are_those_of_a_status():
    rules = ["target(0.9)", "certified(0.9)", "budget(hours=1, documents=1, cost=1)"]
    both = parse_rule(f"all({', '.join(rules)}, gain(0.1), nogain(documents=1))")
    assert both.needs == {field.name for field in fields(Status)}


@pytest.mark.parametrize(
    "text",
    [
        "target(0.95, 0.9)",
        "budget(hours=8, cost=300)",
        "any(all(certified(0.9), gain(0.001)), nogain(documents=40))",
    ],
)
def test_what_is_printed_parses_back(text):
    assert repr(parse_rule(text)) == text
    assert repr(parse_rule(repr(parse_rule(text)))) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stop(1)", "a rule must be one of 'target', 'certified', 'budget', 'gain', 'nogain'"),
        ("target", r"a rule must be written as name\(...\), but is 'target'"),
        ("target(", r"a rule must be written as name\(...\)"),
        ("budget()", "budget must name hours, documents or cost, but names none"),
        ("target()", "target must be given value, confidence"),
        ("gain('a')", "a rule must hold numbers only"),
        ("gain(__import__('os'))", "a rule must hold numbers only"),
        ("any()", "any and all must hold one rule or more, but hold none"),
        ("any(3)", r"a rule must be written as name\(...\)"),
    ],
)
def test_what_is_no_rule_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_rule(text)


def test_every_rule_is_known_by_its_name():
    assert set(RULES) == {"target", "certified", "budget", "gain", "nogain", "any", "all"}
