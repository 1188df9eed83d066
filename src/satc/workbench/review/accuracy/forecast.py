"""The forecast of a project while people work: it is computed now and then, and ages in between.

A forecast takes up to some seconds. It is computed again if labels have changed, but not at once:
the pause is longer where a forecast takes longer. Until then the documents validated since are
subtracted from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock, Thread
from time import monotonic
from typing import NamedTuple

import numpy as np

from satc.assurance.live.planner import Curve, Outlook, Plan, Prospect

_LEAST_SECONDS = 2.0  # between two forecasts
_PAUSE = 10.0  # and so many times the seconds that a forecast takes


class Basis(NamedTuple):
    """What a forecast was computed for: the model, the changes of labels, documents validated."""

    model: object
    changes: int
    n_validated: int


@dataclass(frozen=True, eq=False)
class AgedOutlook:
    """An outlook that was computed some documents ago.

    Attributes
    ----------
    outlook
        The outlook as it was computed.
    since
        How many documents were validated since; negative if some were undone.
    left
        How many documents are not validated now.
    """

    outlook: Outlook
    since: int
    left: int

    @property
    def has_hours(self) -> bool:
        """Whether the reading time is known."""
        return self.outlook.has_hours

    def plan(self, target: float, probability: float, *, price: float | None = None) -> Plan:
        """Return the work that is needed from now on to reach a target."""
        then = self.outlook.plan(target, probability, price=price)
        least = min(1, then.documents)  # only a new forecast says that the target is reached
        documents = min(max(then.documents - self.since, least), self.left)
        share = documents / then.documents if then.documents else 0.0
        return replace(
            then,
            documents=documents,
            hours=None if then.hours is None else share * then.hours,
            cost=None if then.cost is None else share * then.cost,
            curve=self._from_now_on(then.curve),
        )

    def afford(self, *, documents: int | None = None, hours: float | None = None) -> Prospect:
        """Return the measure after a further number of documents or of hours."""
        if hours is not None:
            documents = self.outlook.afford(hours=hours).documents
        bought = min(documents or 0, self.left)
        after = self.outlook.afford(documents=max(bought + self.since, 0))
        return replace(after, documents=bought)

    def _from_now_on(self, curve: Curve) -> Curve:
        """Return the rest of a curve; it starts now and ends with the last document."""
        documents = np.clip(curve.documents - self.since, 0, self.left)
        kept = np.unique(np.concatenate([[0], documents, [self.left]])).astype(np.int64)
        columns = (
            np.interp(kept + self.since, curve.documents, column)
            for column in (curve.value, curve.low, curve.high)
        )
        return Curve(kept, *columns)


class Forecast:
    """The last forecast of a project, and when to compute the next one."""

    def __init__(self, compute: Callable[[], tuple[Basis, Outlook]], name: str) -> None:
        self._compute = compute
        self._name = name
        self._computing = Lock()
        self._known: tuple[Basis, Outlook] | None = None
        self._next_at = -np.inf
        self._thread: Thread | None = None

    def get(self, basis: Basis, left: int) -> AgedOutlook:
        """Return the forecast; wait for a new one if it is due."""
        with self._computing:
            known = self._known
            if known is None or self._is_due(basis):
                known = self._update()
            return _aged(known, basis, left)

    def get_soon(self, basis: Basis, left: int) -> AgedOutlook | None:
        """Return the last forecast, None if there is none; start a new one if it is due."""
        if self._is_due(basis) and (self._thread is None or not self._thread.is_alive()):
            name = f"forecast {self._name}"
            self._thread = Thread(target=self.get, args=(basis, left), name=name, daemon=True)
            self._thread.start()
        return None if self._known is None else _aged(self._known, basis, left)

    def _is_due(self, basis: Basis) -> bool:
        known = self._known
        if known is None or known[0].model is not basis.model:
            return True
        return known[0].changes != basis.changes and monotonic() >= self._next_at

    def _update(self) -> tuple[Basis, Outlook]:
        start = monotonic()
        self._known = known = self._compute()
        end = monotonic()
        self._next_at = end + max(_LEAST_SECONDS, _PAUSE * (end - start))
        return known


def _aged(known: tuple[Basis, Outlook], basis: Basis, left: int) -> AgedOutlook:
    then, outlook = known
    return AgedOutlook(outlook, basis.n_validated - then.n_validated, left)
