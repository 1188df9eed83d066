"""One statement about where a project stands: the strongest one that holds, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from satc.workbench.messages import Message
from satc.workbench.model.audit import AuditCounts
from satc.workbench.review.accuracy.stopping import MetRule

Level = Literal["good", "info", "warning"]


class Headline(NamedTuple):
    """A statement: good news, information, or a warning."""

    level: Level
    text: Message


class Estimated(NamedTuple):
    """The estimate of the measure that is to rise, and whether it can be trusted."""

    value: float
    low: float
    high: float
    is_reliable: bool


@dataclass(frozen=True)
class Facts:
    """What a statement is chosen by.

    Attributes
    ----------
    n_documents, n_validated
        All documents, and those that are checked.
    measure
        The name of the measure.
    target
        The value of the measure to reach.
    estimate
        The present estimate; None if there is none.
    unknown
        Why there is none.
    documents_left
        About how many more documents reach the target; None if that is not known.
    rule
        The stopping rule as it is written; "" if there is none.
    met
        Why the stopping rule is met; None if it is not.
    rule_needs_estimate
        Whether the stopping rule needs an estimate.
    audit
        The documents drawn at random; None if none are drawn.
    n_left_behind
        Drawn documents that are not decided and that nobody is reading.
    """

    n_documents: int
    n_validated: int
    measure: str
    target: float
    estimate: Estimated | None = None
    unknown: Message | None = None
    documents_left: int | None = None
    rule: str = ""
    met: MetRule | None = None
    rule_needs_estimate: bool = False
    audit: AuditCounts | None = None
    n_left_behind: int = 0


def headline(facts: Facts) -> Headline:
    """Return the strongest statement that holds, and what to do.

    From the strongest to the weakest:

    1. all documents are checked (good);
    2. the stopping rule is met by a certified bound (good);
    3. the stopping rule is met, and does not rest on an estimate that cannot be trusted (good);
    4. the stopping rule is met, but by an estimate that cannot be trusted (warning);
    5. the estimate cannot be trusted (warning);
    6. the target is reached, and there is no stopping rule (good), or it is not met (info);
    7. the certificate waits for drawn documents that nobody is reading (warning);
    8. about so many more documents reach the target, or make sure of it if the estimate is
       there already (info);
    9. the estimate is so and so, and the forecast is not ready (info);
    10. there is no estimate, and why (info; a warning if the stopping rule needs one).
    """
    if facts.n_validated >= facts.n_documents:
        return Headline("good", Message("server.all_checked", n=facts.n_documents))
    if facts.met is not None:
        return _of_met_rule(facts, facts.met)
    if facts.estimate is not None and not facts.estimate.is_reliable:
        return Headline("warning", Message(f"server.headline_unreliable_{_advice(facts)}"))
    if facts.estimate is not None and facts.documents_left == 0:
        return _of_target(facts, facts.estimate)
    if facts.audit is not None and facts.audit.n_blocked and facts.n_left_behind:
        return _of_waiting(facts.audit)
    if facts.estimate is not None:
        return _of_estimate(facts, facts.estimate)
    return _of_unknown(facts)


def _of_met_rule(facts: Facts, met: MetRule) -> Headline:
    is_doubtful = facts.estimate is not None and not facts.estimate.is_reliable
    if met.is_estimated and is_doubtful:
        return Headline("warning", Message(f"server.headline_doubtful_rule_{_advice(facts)}"))
    return Headline("good", Message("server.headline_may_stop", reason=met.reason))


def _advice(facts: Facts) -> str:
    """Return the end of a key: the advice depends on whether documents are drawn at random."""
    return "audit" if facts.audit is not None else "no_audit"


def _of_target(facts: Facts, estimate: Estimated) -> Headline:
    values = {"measure": facts.measure, "value": estimate.value, "target": facts.target}
    if facts.rule:
        text = Message("server.headline_target_not_rule", rule=facts.rule, **values)
        return Headline("info", text)
    return Headline("good", Message("server.headline_target", **values))


def _of_waiting(audit: AuditCounts) -> Headline:
    n, blocked = audit.n_undecided, audit.n_blocked
    return Headline("warning", Message("server.headline_audit_waits", n=n, blocked=blocked))


def _of_estimate(facts: Facts, estimate: Estimated) -> Headline:
    n, measure = facts.documents_left, facts.measure
    if n is not None:
        is_near = round(100 * estimate.value) >= round(100 * facts.target)
        key = "server.headline_more_sure" if is_near else "server.headline_more"
        values = {"measure": measure, "target": facts.target, "value": estimate.value}
        return Headline("info", Message(key, n=n, **values))
    interval = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return Headline("info", Message("server.headline_about", measure=measure, **interval))


def _of_unknown(facts: Facts) -> Headline:
    unknown = facts.unknown or Message("server.accuracy_soon")
    if not facts.rule_needs_estimate:
        return Headline("info", unknown)
    needs = Message("server.rule_needs_accuracy", rule=facts.rule)
    return Headline("warning", Message("server.two_sentences", first=unknown, second=needs))
