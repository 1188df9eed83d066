"""Stopping rules: when to say that the work may end.

Small frozen objects that combine with ``any`` and ``all``. A rule is written as it is called, and
what is printed parses back: ``any(target(0.95, 0.9), budget(hours=8))``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from satc.inputs import choice

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Status:
    """How far a validation is.

    Attributes
    ----------
    documents, hours, cost : numbers
        Spent so far.
    draws : array or None
        Draws of the measure (`Accuracy.draws`).
    certified : float or None
        Lower bound of the certificate.
    gain_per_hour : float or None
        Expected rise of the measure by the next hour of work.
    since_gain : int
        Documents since the last one with a correction.
    """

    documents: int = 0
    hours: float = 0.0
    cost: float = 0.0
    draws: Array | None = None
    certified: float | None = None
    gain_per_hour: float | None = None
    since_gain: int = 0


class Rule(Protocol):
    """What all rules can."""

    def reason(self, status: Status) -> str | None:
        """Say why the work may end; None when it should go on."""


class _Written:
    """Prints as it is called."""

    def __repr__(self) -> str:
        name = next(name for name, rule in RULES.items() if rule is type(self))
        given = [
            repr(value) if part.name in _FIRST else f"{part.name}={value!r}"
            for part in fields(self)  # type: ignore[arg-type]
            if (value := getattr(self, part.name)) is not None
        ]
        return f"{name}({', '.join(given)})"


@dataclass(frozen=True, repr=False)
class Target(_Written):
    """The measure is at least `value`, with probability `confidence` by the live estimate."""

    value: float
    confidence: float = 0.9

    def reason(self, status: Status) -> str | None:
        if status.draws is None:
            return None
        reached = float(np.mean(status.draws >= self.value))
        if reached < self.confidence:
            return None
        return f"{self.value:g} is reached with probability {reached:.2f}"


@dataclass(frozen=True, repr=False)
class Certified(_Written):
    """The certificate's lower bound is at least `value`."""

    value: float

    def reason(self, status: Status) -> str | None:
        if status.certified is None or status.certified < self.value:
            return None
        return f"{self.value:g} is certified"


@dataclass(frozen=True, repr=False)
class Budget(_Written):
    """So many hours, documents, or so much money is spent."""

    hours: float | None = None
    documents: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        if self.hours is None and self.documents is None and self.cost is None:
            raise ValueError("budget must name hours, documents or cost, but names none")

    def reason(self, status: Status) -> str | None:
        for name in ("hours", "documents", "cost"):
            limit = getattr(self, name)
            if limit is not None and getattr(status, name) >= limit:
                return f"the budget of {limit:g} {name} is spent"
        return None


@dataclass(frozen=True, repr=False)
class Gain(_Written):
    """The next hour is expected to raise the measure by less than `below`."""

    below: float

    def reason(self, status: Status) -> str | None:
        if status.gain_per_hour is None or status.gain_per_hour >= self.below:
            return None
        return f"the next hour is expected to bring {status.gain_per_hour:.4f}"


@dataclass(frozen=True, repr=False)
class NoGain(_Written):
    """The last so many documents needed no correction."""

    documents: int

    def reason(self, status: Status) -> str | None:
        if status.since_gain < self.documents:
            return None
        return f"the last {status.since_gain} documents needed no correction"


@dataclass(frozen=True, repr=False, init=False)
class _Combined:
    rules: tuple[Rule, ...] = field(default=())

    def __init__(self, *rules: Rule) -> None:
        if not rules:
            raise ValueError("any and all must hold one rule or more, but hold none")
        object.__setattr__(self, "rules", rules)

    def __repr__(self) -> str:
        name = next(name for name, rule in RULES.items() if rule is type(self))
        return f"{name}({', '.join(map(repr, self.rules))})"


class AnyOf(_Combined):
    """One of the rules says so."""

    def reason(self, status: Status) -> str | None:
        reasons = [rule.reason(status) for rule in self.rules]
        return next((reason for reason in reasons if reason), None)


class AllOf(_Combined):
    """All rules say so."""

    def reason(self, status: Status) -> str | None:
        reasons = [rule.reason(status) for rule in self.rules]
        said = [reason for reason in reasons if reason]
        return " and ".join(said) if len(said) == len(reasons) else None


_FIRST = ("value", "confidence", "below")
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
    """Return the rule that is written down.

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
    return _built(tree, text)


def _built(tree: ast.expr, text: str) -> Rule:
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise ValueError(f"a rule must be written as name(...), but is {text!r}")
    rule = choice(tree.func.id, RULES, "a rule")
    if issubclass(rule, _Combined):
        return rule(*(_built(part, text) for part in tree.args))
    values = [_number(part, text) for part in tree.args]
    named = {part.arg: _number(part.value, text) for part in tree.keywords if part.arg}
    try:
        return rule(*values, **named)
    except TypeError as error:
        expected = ", ".join(part.name for part in fields(rule))
        raise ValueError(f"{tree.func.id} must be given {expected}: {error}") from None


def _number(tree: ast.expr, text: str) -> float | int:
    value = tree.value if isinstance(tree, ast.Constant) else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ValueError(f"a rule must hold numbers only, but is {text!r}")
