"""The record of what a person saw beside a document, stored with the lease and the decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Source = Literal[
    "ranked",  # the most useful document left
    "second",  # a document that another person has decided on, for a second opinion
    "audit",  # a document that was drawn at random
    "chosen",  # a document that the person has opened from the list of all documents
]


class Suggestion(NamedTuple):
    """One class, the probability that the document belongs to it, and the gain of a check."""

    label: int
    probability: float
    contribution: float

    def rounded(self) -> Suggestion:
        """Return the figures that people see.

        >>> Suggestion(2, 0.654321, 0.00657049).rounded()
        Suggestion(label=2, probability=0.6543, contribution=0.00657)
        """
        return Suggestion(self.label, round(self.probability, 4), float(f"{self.contribution:.4g}"))


@dataclass(frozen=True)
class Shown:
    """The suggestions that a person saw, and the reason why they got the document.

    Attributes
    ----------
    source
        Why the person got the document.
    n_validated
        How many documents were validated at that time.
    is_blind
        Whether predictions were hidden; then there are no suggestions.
    predicted, suggested
        The labels of the classifier, and labels that it may have missed.
    """

    source: Source
    n_validated: int
    is_blind: bool
    predicted: tuple[Suggestion, ...] = ()
    suggested: tuple[Suggestion, ...] = ()

    @property
    def is_second_opinion(self) -> bool:
        """Whether another person has decided on the document before."""
        return self.source == "second"

    def as_json(self) -> dict[str, Any]:
        """Return the form in which it is stored.

        >>> Shown("audit", 3, is_blind=True).as_json()
        {'source': 'audit', 'validated': 3, 'blind': True}
        """
        values = {"source": self.source, "validated": self.n_validated, "blind": self.is_blind}
        if self.is_blind:
            return values
        lists = {"predicted": self.predicted, "suggested": self.suggested}
        return values | {name: [list(one) for one in given] for name, given in lists.items()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Shown:
        """Read the stored form."""
        predicted, suggested = (
            tuple(Suggestion(*one) for one in values.get(name, ()))
            for name in ("predicted", "suggested")
        )
        return cls(values["source"], values["validated"], values["blind"], predicted, suggested)
