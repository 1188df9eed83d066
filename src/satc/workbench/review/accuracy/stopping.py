"""The stopping rule of a project: whether it is met, why, and what that rests on."""

from __future__ import annotations

from typing import NamedTuple

from satc.assurance.stopping_rules import (
    AllOf,
    AnyOf,
    Budget,
    Certified,
    Gain,
    NoGain,
    Rule,
    Status,
    Target,
    parse_rule,
)
from satc.workbench.messages import Message
from satc.workbench.model.settings import PROBABILITY, TARGET

ESTIMATED = frozenset({"draws", "gain_per_hour"})  # facts that come from the estimate


class MetRule(NamedTuple):
    """A stopping rule that is met.

    Attributes
    ----------
    reason
        A sentence that says why.
    is_estimated
        Whether the reason rests on the estimate of accuracy.
    is_certified
        Whether the reason rests on the certificate.
    """

    reason: Message
    is_estimated: bool = False
    is_certified: bool = False


def met_rule(rule: Rule, status: Status, measure: str) -> MetRule | None:
    """Return why a rule is met; None if it is not. `measure` is the name of the measure."""
    if isinstance(rule, AnyOf | AllOf):
        found = [met_rule(part, status, measure) for part in rule.rules]
        met = [one for one in found if one is not None]
        if isinstance(rule, AnyOf):
            return max(met, key=_strength, default=None)
        return _together(met) if len(met) == len(found) else None
    if rule.reason(status) is None:
        return None
    reason = _say_reason(rule, status, measure)
    return MetRule(reason, not ESTIMATED.isdisjoint(rule.needs), "certified" in rule.needs)


def target_of(stop: str) -> tuple[float, float]:
    """Return the target of a stopping rule and its probability, or the defaults.

    >>> target_of("any(budget(hours=8), target(0.9, 0.8))")
    (0.9, 0.8)
    >>> target_of("")
    (0.95, 0.9)
    """
    if stop and (target := _find_target(parse_rule(stop))) is not None:
        return target.value, target.confidence
    return TARGET, PROBABILITY


def needs_estimate(stop: str) -> bool:
    """Whether a stopping rule needs an estimate of accuracy.

    >>> needs_estimate("target(0.9)"), needs_estimate("budget(hours=8)"), needs_estimate("")
    (True, False, False)
    """
    return bool(stop) and not ESTIMATED.isdisjoint(parse_rule(stop).needs)


def _find_target(rule: Rule) -> Target | None:
    if isinstance(rule, AnyOf | AllOf):
        found = (_find_target(part) for part in rule.rules)
        return next((one for one in found if one is not None), None)
    return rule if isinstance(rule, Target) else None


def _strength(met: MetRule) -> tuple[bool, bool]:
    return met.is_certified, not met.is_estimated


def _together(met: list[MetRule]) -> MetRule:
    """Combine rules of which all are met."""
    reason = met[0].reason
    for one in met[1:]:
        reason = Message("server.two_sentences", first=reason, second=one.reason)
    is_estimated = any(one.is_estimated for one in met)
    return MetRule(reason, is_estimated, all(one.is_certified for one in met))


def _say_reason(rule: Rule, status: Status, measure: str) -> Message:
    match rule:
        case Target(value, confidence):
            values = {"value": value, "confidence": confidence, "measure": measure}
            return Message("server.stop_target", **values)
        case Certified():
            return Message("server.stop_certified", low=status.certified, measure=measure)
        case Budget():
            return _say_spent(rule, status)
        case Gain():
            return Message("server.stop_gain", gain=f"{status.gain_per_hour:.4f}", measure=measure)
        case NoGain():
            return Message("server.stop_no_gain", n=status.since_gain)
        case _:
            raise TypeError(f"a stopping rule must be one of those known, but is {rule!r}")


def _say_spent(rule: Budget, status: Status) -> Message:
    if rule.hours is not None and status.hours >= rule.hours:
        return Message("server.stop_hours", hours=rule.hours)
    if rule.documents is not None and status.documents >= rule.documents:
        return Message("server.stop_documents", n=rule.documents)
    return Message("server.stop_cost", cost=f"{rule.cost:,g}")
