"""Disagreements: documents on which two people gave different labels, and which nobody has settled.

The first answer is the decision in force, and the second one is the second opinion. To settle is to
revise the decision: `details["settles"]` has the numbers of the two answers. So the labels of the
settlement are in force, and undoing it opens the disagreement again. The certificate compares the
first decision with the first second opinion (`double_readings`), which stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from satc.workbench.model.record import Decision, Record

SETTLES = "settles"


class Disagreement(NamedTuple):
    """Two different answers on one document; the first one is in force."""

    document: int
    first: Decision
    second: Decision

    @property
    def numbers(self) -> tuple[int, int]:
        """The numbers of both answers."""
        return self.first.number, self.second.number

    @property
    def differing(self) -> tuple[int, ...]:
        """The labels that only one of the two people gave."""
        return tuple(sorted(set(self.first.labels) ^ set(self.second.labels)))


class DoubleReading(NamedTuple):
    """The first answers of two people on one document."""

    document: int
    first: Decision
    second: Decision

    @property
    def is_same(self) -> bool:
        """Whether both people gave the same labels."""
        return set(self.first.labels) == set(self.second.labels)


class Settlement(NamedTuple):
    """A decision that settled a disagreement, with the two answers."""

    decision: Decision
    first: Decision
    second: Decision


def is_settlement(decision: Decision) -> bool:
    """Whether a decision settled a disagreement."""
    return SETTLES in decision.details


def disagreement_on(record: Record, document: int) -> Disagreement | None:
    """Return the disagreement on a document; None if there is none, or if it is settled."""
    opinions, decisions = record.second_opinions.get(document), record.decisions.get(document)
    if not opinions or not decisions:
        return None
    found = Disagreement(document, decisions[-1], opinions[-1])
    is_settled = any(is_settlement(one) and one.number > found.second.number for one in decisions)
    return None if is_settled or not found.differing else found


def open_disagreements(record: Record) -> list[Disagreement]:
    """Return the disagreements that nobody has settled, by document."""
    found = (disagreement_on(record, document) for document in sorted(record.second_opinions))
    return [one for one in found if one is not None]


def double_readings(record: Record) -> list[DoubleReading]:
    """Return the first answers on every document that two people have read.

    A settlement is not an answer, also if the decision before it was undone.
    """
    found = []
    for document, opinions in record.second_opinions.items():
        given = (one for one in record.decisions.get(document, ()) if not is_settlement(one))
        if opinions and (first := next(given, None)) is not None:
            found.append(DoubleReading(document, first, opinions[0]))
    return found


def settlements(record: Record) -> Iterator[Settlement]:
    """Yield the settlements that were not undone, with the answers that they compared."""
    for document, opinions in record.second_opinions.items():
        given = record.decisions.get(document, [])
        by_number = {one.number: one for one in (*given, *opinions)}
        for one in given:
            if is_settlement(one):
                first, second = (by_number.get(number) for number in one.details[SETTLES])
                if first is not None and second is not None:
                    yield Settlement(one, first, second)
