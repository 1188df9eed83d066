"""The named ranking methods: one formula, U(d) = sum of P(error) x gain, four choices.

They differ in where the probability of an error, the contingency tables and the gains come
from, and in whether corrections feed back (Sections 4, 6.5 and 7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from satc.inputs import choice


@dataclass(frozen=True)
class Method:
    """One row of the table."""

    name: str
    probability: Literal["context", "sigma", "truth", "none"]
    tables: Literal["none", "k-fold", "expected", "truth"]
    gains: Literal["unit", "average", "pointwise", "none"]
    is_dynamic: bool = False  # whether corrections change the ranking of what is left (Section 7)

    @property
    def plain(self) -> str:
        """The name of the paper's method that does without context."""
        return self.name.replace("contextual", "u-theoretic")

    @property
    def needs_truth(self) -> bool:
        """Whether this is an oracle, which knows the true labels."""
        return "truth" in (self.probability, self.tables)


METHODS = {
    method.name: method
    for method in (
        Method("contextual", "context", "expected", "average"),
        Method("contextual-dynamic", "context", "expected", "average", is_dynamic=True),
        Method("baseline", "sigma", "none", "unit"),
        Method("u-theoretic", "sigma", "k-fold", "average"),
        Method("u-theoretic-dynamic", "sigma", "k-fold", "pointwise", is_dynamic=True),
        Method("oracle1", "sigma", "truth", "average"),
        Method("oracle1-dynamic", "sigma", "truth", "pointwise", is_dynamic=True),
        Method("oracle2", "truth", "truth", "average"),
        Method("oracle2-dynamic", "truth", "truth", "pointwise", is_dynamic=True),
        Method("random", "none", "none", "none"),
    )
}


def parse_method(name: str) -> Method:
    """Return the method of that name, or say which there are."""
    return choice(name, METHODS, "method")
