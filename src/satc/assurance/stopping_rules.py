"""Stopping rules decide when the validation may end.

Rules are small frozen objects, which ``any`` and ``all`` combine. A rule is written as a call, for
example ``any(target(0.95, 0.9), budget(hours=8))``; `parse_rule` reads this text, and the `repr` of
a rule is such a text. Each rule declares in `needs` the fields of `Status` that it reads, so that
a caller computes only these: a certificate, for example, is expensive.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from satc.inputs import choice

Array = NDArray[np.float64]
StatusField = Literal[
    "documents", "hours", "cost", "draws", "certified", "gain_per_hour", "since_gain"
]
Fields = frozenset[StatusField]


@dataclass(frozen=True, eq=False)
class Status:
    """The progress of a validation, as far as stopping rules need it.

    Attributes
    ----------
    documents, hours, cost : numbers
        Documents validated, and hours and money spent.
    draws : array or None
        Draws of the measure (`Accuracy.draws`).
    certified : float or None
        Lower bound of the certificate.
    gain_per_hour : float or None
        Expected increase of the measure in the next hour of work.
    since_gain : int
        Number of documents validated since the last correction.
    """

    documents: int = 0
    hours: float = 0.0
    cost: float = 0.0
    draws: Array | None = None
    certified: float | None = None
    gain_per_hour: float | None = None
    since_gain: int = 0


class Rule(Protocol):
    """Interface of a stopping rule."""

    @property
    def needs(self) -> Fields:
        """Names of the fields of `Status` that the rule reads."""

    def reason(self, status: Status) -> str | None:
        """Return why the work may end, or None if it should continue."""


class _RuleRepr:
    """Mixin: the repr of a rule is the text from which `parse_rule` rebuilds it."""

    def __repr__(self) -> str:
        name = next(name for name, rule in RULES.items() if rule is type(self))
        given = [
            repr(value) if part.name in _POSITIONAL else f"{part.name}={value!r}"
            for part in fields(self)  # type: ignore[arg-type]
            if (value := getattr(self, part.name)) is not None
        ]
        return f"{name}({', '.join(given)})"


@dataclass(frozen=True, repr=False)
class Target(_RuleRepr):
    """The live estimate of P(measure >= `value`) is at least `confidence`."""

    value: float
    confidence: float = 0.9
    needs: ClassVar[Fields] = frozenset({"draws"})

    def reason(self, status: Status) -> str | None:
        if status.draws is None:
            return None
        reached = float(np.mean(status.draws >= self.value))
        if reached < self.confidence:
            return None
        return f"{self.value:g} is reached with probability {reached:.2f}"


@dataclass(frozen=True, repr=False)
class Certified(_RuleRepr):
    """The lower bound of the certificate is at least `value`."""

    value: float
    needs: ClassVar[Fields] = frozenset({"certified"})

    def reason(self, status: Status) -> str | None:
        if status.certified is None or status.certified < self.value:
            return None
        return f"{self.value:g} is certified"


@dataclass(frozen=True, repr=False)
class Budget(_RuleRepr):
    """A limit on hours, documents or cost is reached."""

    hours: float | None = None
    documents: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        if self.hours is None and self.documents is None and self.cost is None:
            raise ValueError("budget must name hours, documents or cost, but names none")

    @property
    def needs(self) -> Fields:
        """Names of the fields of `Status` that have a limit."""
        return frozenset(name for name in _BUDGETED if getattr(self, name) is not None)

    def reason(self, status: Status) -> str | None:
        for name in _BUDGETED:
            limit = getattr(self, name)
            if limit is not None and getattr(status, name) >= limit:
                return f"the budget of {limit:g} {name} is spent"
        return None


@dataclass(frozen=True, repr=False)
class Gain(_RuleRepr):
    """The expected increase of the measure in the next hour is less than `below`."""

    below: float
    needs: ClassVar[Fields] = frozenset({"gain_per_hour"})

    def reason(self, status: Status) -> str | None:
        if status.gain_per_hour is None or status.gain_per_hour >= self.below:
            return None
        return f"the next hour is expected to raise the measure by {status.gain_per_hour:.4f}"


@dataclass(frozen=True, repr=False)
class NoGain(_RuleRepr):
    """The last `documents` documents needed no correction."""

    documents: int
    needs: ClassVar[Fields] = frozenset({"since_gain"})

    def reason(self, status: Status) -> str | None:
        if status.since_gain < self.documents:
            return None
        return f"the last {status.since_gain} documents needed no correction"


@dataclass(frozen=True, repr=False, init=False)
class _Combined:
    """Base of the rules that are made of other rules."""

    rules: tuple[Rule, ...] = field(default=())

    def __init__(self, *rules: Rule) -> None:
        if not rules:
            raise ValueError("any and all must hold one rule or more, but hold none")
        object.__setattr__(self, "rules", rules)

    @property
    def needs(self) -> Fields:
        """Names of the fields of `Status` that at least one of the rules reads."""
        return frozenset[StatusField]().union(*(rule.needs for rule in self.rules))

    def __repr__(self) -> str:
        name = next(name for name, rule in RULES.items() if rule is type(self))
        return f"{name}({', '.join(map(repr, self.rules))})"


class AnyOf(_Combined):
    """At least one of the rules says that the work may end."""

    def reason(self, status: Status) -> str | None:
        reasons = [rule.reason(status) for rule in self.rules]
        return next((reason for reason in reasons if reason), None)


class AllOf(_Combined):
    """All rules say that the work may end."""

    def reason(self, status: Status) -> str | None:
        reasons = [rule.reason(status) for rule in self.rules]
        given = [reason for reason in reasons if reason]
        return " and ".join(given) if len(given) == len(reasons) else None


_POSITIONAL = ("value", "confidence", "below")  # parameters that are written without their names
_BUDGETED: tuple[StatusField, ...] = ("hours", "documents", "cost")
RULES: dict[str, Any] = {
    "target": Target,
    "certified": Certified,
    "budget": Budget,
    "gain": Gain,
    "nogain": NoGain,
    "any": AnyOf,
    "all": AllOf,
}


def parse_rule(text: str) -> Rule:
    """Return the rule that a text describes.

    >>> rule = parse_rule("any(target(0.95, 0.9), budget(hours=8))")
    >>> rule
    any(target(0.95, 0.9), budget(hours=8))
    >>> rule.reason(Status(hours=8.5))
    'the budget of 8 hours is spent'
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise ValueError(f"a rule must be written as name(...), but is {text!r}") from None
    return _rule_of(tree, text)


def _rule_of(tree: ast.expr, text: str) -> Rule:
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise ValueError(f"a rule must be written as name(...), but is {text!r}")
    rule = choice(tree.func.id, RULES, "a rule")
    if issubclass(rule, _Combined):
        return rule(*(_rule_of(part, text) for part in tree.args))
    values = [_number_of(part, text) for part in tree.args]
    named = {part.arg: _number_of(part.value, text) for part in tree.keywords if part.arg}
    try:
        return rule(*values, **named)
    except TypeError as error:
        expected = ", ".join(part.name for part in fields(rule))
        raise ValueError(f"{tree.func.id} must be given {expected}: {error}") from None


def _number_of(tree: ast.expr, text: str) -> float | int:
    value = tree.value if isinstance(tree, ast.Constant) else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ValueError(f"a rule must hold numbers only, but is {text!r}")
