"""The work of each person: decisions by time, corrections, and seconds per document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.workbench.model.events import DECIDE, SECOND
from satc.workbench.model.record import Decision, Record

QUARTER_SECONDS = 900  # time zones differ by multiples of a quarter of an hour


class PersonWork(NamedTuple):
    """The decisions of one person.

    Attributes
    ----------
    name
        Who.
    n_decided, n_second
        First decisions, and second opinions.
    n_changed
        Later changes of labels: their own ones, or those of others.
    n_corrected
        First decisions and second opinions that differ from the predicted labels.
    seconds_per_document
        The average time of the decisions that were timed; None if there are none.
    quarters
        First decisions and second opinions by time: the number of a quarter of an hour since
        1970 in UTC, and how many.
    """

    name: str
    n_decided: int
    n_second: int
    n_changed: int
    n_corrected: int
    seconds_per_document: float | None
    quarters: tuple[tuple[int, int], ...]


def decisions_in(record: Record) -> list[Decision]:
    """Return all decisions and second opinions that were not undone."""
    lists = (*record.decisions.values(), *record.second_opinions.values())
    return [decision for given in lists for decision in given]


def work_of(decisions: Iterable[Decision], predicted: NDArray[np.bool_]) -> list[PersonWork]:
    """Return the work of each person, the one with most decisions first."""
    by_person: dict[str, list[Decision]] = defaultdict(list)
    for decision in decisions:
        by_person[decision.who].append(decision)
    found = [_person(name, mine, predicted) for name, mine in by_person.items()]
    return sorted(found, key=lambda one: (-one.n_decided - one.n_second, one.name))


def quarter_of(at: str) -> int:
    """Return the number of the quarter of an hour since 1970 of a time.

    >>> quarter_of("1970-01-01T01:20:00.000000+00:00")
    5
    """
    return int(datetime.fromisoformat(at).timestamp()) // QUARTER_SECONDS


def _person(name: str, mine: Sequence[Decision], predicted: NDArray[np.bool_]) -> PersonWork:
    kinds = Counter(decision.kind for decision in mine)
    read = [decision for decision in mine if decision.kind in (DECIDE, SECOND)]
    times = [seconds for one in read if (seconds := one.seconds) is not None]
    return PersonWork(
        name,
        kinds[DECIDE],
        kinds[SECOND],
        len(mine) - len(read),
        sum(_is_correction(one, predicted) for one in read),
        sum(times) / len(times) if times else None,
        tuple(sorted(Counter(quarter_of(one.at) for one in read).items())),
    )


def _is_correction(decision: Decision, predicted: NDArray[np.bool_]) -> bool:
    row = predicted[decision.document]
    labels = decision.labels
    return len(labels) != np.count_nonzero(row) or not row[list(labels)].all()
