"""Who may settle which disagreement, in which order, and how a settlement is saved.

A third person settles: somebody who has given no labels for the document. A manager may settle
every disagreement, also one of their own, and `is_own` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satc.workbench.messages import Message
from satc.workbench.model.disagreements import (
    SETTLES,
    Disagreement,
    disagreement_on,
    is_settlement,
    open_disagreements,
    settlements,
)
from satc.workbench.model.record import Decision
from satc.workbench.review.desk import Desk
from satc.workbench.review.disagreements.worth import error_rates, worth
from satc.workbench.review.leases import ConflictError


class QueuedDisagreement(NamedTuple):
    """A disagreement that a person may settle."""

    disagreement: Disagreement
    worth: float  # the expected gain of settling it
    is_own: bool  # whether this person gave one of the answers


class DisagreementQueue(NamedTuple):
    """The disagreements that a person may settle, the most useful first, and how many there are."""

    found: list[QueuedDisagreement]
    n_open: int
    n_settled: int


def disagreements_for(desk: Desk, who: str, *, is_manager: bool) -> DisagreementQueue:
    """Return the disagreements that a person may settle, those of the largest worth first."""
    with desk.reading():
        record = desk.record
        settled = list(settlements(record))
        rate = error_rates(settled)
        still_open = open_disagreements(record)
        found = [
            QueuedDisagreement(
                one, worth(desk.validation, one, rate), record.has_decided(who, one.document)
            )
            for one in still_open
            if _may_settle(desk, one, who, is_manager)
        ]
    found.sort(key=lambda one: (-one.worth, one.disagreement.document))
    return DisagreementQueue(found, len(still_open), len(settled))


def settle(
    desk: Desk,
    document: int,
    who: str,
    labels: Sequence[int],
    answers: tuple[int, int],
    *,
    is_manager: bool,
) -> int:
    """Save the labels that settle a disagreement; return the number of the decision.

    Repeating the call changes nothing.

    Parameters
    ----------
    answers
        The numbers of the two answers that the person compared.

    Raises
    ------
    ConflictError
        If these answers do not disagree any more, or if this person may not settle them.
    """
    return desk.act(settle_now, desk, document, who, labels, answers=answers, is_manager=is_manager)


def settle_now(
    desk: Desk,
    document: int,
    who: str,
    labels: Sequence[int],
    *,
    answers: tuple[int, int],
    is_manager: bool,
) -> int:
    """Do as `settle`; an action of the desk."""
    current = desk.record.current_decision(document)
    if current is not None and _is_repeated(current, who, answers):
        return current.number
    found = disagreement_on(desk.record, document)
    if found is None or found.numbers != tuple(answers):
        raise ConflictError(Message("server.not_in_dispute"))
    if not _may_settle(desk, found, who, is_manager):
        raise ConflictError(Message("server.settled_by_a_third"))
    details = {SETTLES: list(answers)}
    return desk.revise(document, who, labels, any_author=True, details=details)


def _may_settle(desk: Desk, found: Disagreement, who: str, is_manager: bool) -> bool:
    if desk.leases.is_second_reader(who, found.document):
        return False
    return is_manager or not desk.record.has_decided(who, found.document)


def _is_repeated(current: Decision, who: str, answers: tuple[int, int]) -> bool:
    is_same = current.details.get(SETTLES) == list(answers)
    return is_settlement(current) and current.who == who and is_same
