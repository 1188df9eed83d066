"""The named ranking methods, all with the formula U(d) = sum of P(error) x gain.

They differ in the source of the error probabilities, of the contingency tables and of the gains,
and in whether corrections change the ranking (Sections 4, 6.5 and 7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from satc.inputs import choice


@dataclass(frozen=True)
class Method:
    """A ranking method: its name and its four choices."""

    name: str
    probability: Literal["context", "sigma", "truth", "none"]
    tables: Literal["none", "k-fold", "expected", "truth"]
    gains: Literal["unit", "average", "pointwise", "none"]
    is_dynamic: bool = False  # whether corrections change the ranking (Section 7)

    @property
    def without_context(self) -> str:
        """The name of the corresponding method of the paper, which does not use context."""
        return self.name.replace("contextual", "u-theoretic")

    @property
    def needs_truth(self) -> bool:
        """Whether this method is an oracle: it needs the true labels."""
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
    """Return the method of this name; the error for an unknown name lists all names."""
    return choice(name, METHODS, "method")
