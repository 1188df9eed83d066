"""Dynamic validation over a set that does not fit: the top part is held, the rest is bounded.

Corrections change the gains, and with them the utility of every document. Those held are summed
afresh; of all the others it is known what the best of them was worth under the gains of the last
look. P(error) is never above 1/2, so no utility has risen by more than half the rise of the gains,
nor by a larger factor than any gain. While the best document held is above that bound, it is the
best of all; otherwise the engine looks again, under the gains of now, and more are fetched. The
order is the one of `satc.Validation`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.calibration.sigma import GAPS
from satc.errors import DataError, StateError
from satc.gains import Gains
from satc.inputs import as_labels, choice
from satc.measures import Measure, parse
from satc.ranking.methods import parse_method
from satc.ranking.misclassification import GivenMisclassification, LogisticMisclassification
from satc.ranking.progress import GainChanges, UpdatedTables
from satc.scale.estimates import Estimates, estimates_of_arrays
from satc.scale.flaws import explain_flaw
from satc.scale.held import fetch
from satc.scale.stored import StoredScores
from satc.scale.utilities import utilities
from satc.smoothing import smooth

Array = NDArray[np.float64]
_SLACK = 1e-9  # relative; what two ways of summing may differ by, and more


class _Decision(NamedTuple):
    row: Any
    before: object


class StoredValidation:
    """Validate stored documents one by one, the most useful first.

    Parameters
    ----------
    scores : StoredScores
        From `stored_scores`.
    oof_scores, y_train : arrays of shape (n_train, n_classes)
        The training side; or `estimates` in their place.
    method : {"u-theoretic-dynamic"}
        The method.
    measure, average
        As for `satc.Validation`.
    hold : int
        How many documents are fetched at a time.
    """

    def __init__(
        self,
        scores: StoredScores,
        *,
        oof_scores: Any = None,
        y_train: Any = None,
        estimates: Estimates | None = None,
        method: str = "u-theoretic-dynamic",
        measure: str | Measure = "f1",
        average: str = "macro",
        hold: int = 50_000,
    ) -> None:
        chosen = choice(
            method, {"u-theoretic-dynamic": parse_method("u-theoretic-dynamic")}, "method"
        )
        choice(average, GAPS, "average")
        if hold < 1:
            raise ValueError(f"hold must be at least 1, but is {hold}")
        if estimates is None:
            estimates = estimates_of_arrays(scores.classes, oof_scores, y_train, average=average)
        self._scores, self._sigma, self._hold = scores, estimates.sigma, hold
        self._micro = average == "micro"
        n = scores.n_documents
        tables = estimates.tables.scaled(n / estimates.n_train)
        tables = smooth(tables.pooled() if self._micro else tables)
        parsed = parse(measure)
        self._tables = UpdatedTables(tables, parsed, smoothed=True, micro=self._micro)
        self._gains = np.array(estimates.gains(chosen, parsed, average, n))
        self._reference = self._gains.copy()
        self._outside = np.inf  # the largest utility outside, under the reference
        self._ids: list[Any] = []
        self._held = np.empty((0, len(scores.classes)))
        self._running: dict[Any, bool] = {}
        self._log: list[_Decision] = []
        self.n_fetches = 0
        self._columns: GivenMisclassification | None = None

    @property
    def n_held(self) -> int:
        """How many documents are in memory."""
        return len(self._ids)

    @property
    def order(self) -> list[Any]:
        """The documents submitted so far, in order."""
        return [decision.row for decision in self._log]

    def bound(self) -> float:
        """Return what no document outside can be above, now."""
        if not np.isfinite(self._outside):
            return float(self._outside)
        rise = np.maximum(self._gains - self._reference, 0.0).max(axis=0)
        added = self._outside + 0.5 * float(rise.sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self._gains > self._reference, self._gains / self._reference, 1.0)
        grown = np.inf
        if (self._reference > 0).all():
            grown = self._outside * float(ratio.max())
        return min(added, grown)

    def next(self) -> Any:
        """Return the id of the document to validate now; None when none is left."""
        best, utility = self._best()
        bound = self.bound()
        if utility <= bound + _SLACK * abs(bound):
            self._fetch()
            best, _ = self._best()
        return best

    def submit(self, document: Any, labels: Any) -> None:
        """Record the true labels of a document that is held, 0/1 for every class."""
        if document not in self._running:
            raise StateError(f"document {document!r} is not held: next() says which comes now")
        if not self._running[document]:
            raise StateError(f"document {document!r} is validated already")
        truth = as_labels(labels, "labels").ravel()
        if truth.shape != (len(self._scores.classes),):
            raise ValueError(
                f"labels must have one entry per class, {len(self._scores.classes)}, "
                f"but has {len(truth)}"
            )
        decided = self._held[self._ids.index(document)] >= 0
        wrong = np.flatnonzero(decided != truth)
        before = self._tables.state()
        self._change(
            self._tables.validate(
                0, list(zip(wrong.tolist(), decided[wrong].tolist(), strict=True))
            )
        )
        self._running[document] = False
        self._log.append(_Decision(document, before))

    def undo(self) -> Any:
        """Take back the last decision; return its document."""
        if not self._log:
            raise StateError("nothing has been submitted yet, so there is nothing to undo")
        decision = self._log.pop()
        self._change(self._tables.restore(decision.before))
        self._running[decision.row] = True
        return decision.row

    def _change(self, changes: GainChanges) -> None:
        for column, fp, fn in changes:
            places = slice(None) if self._micro else column
            self._gains[0, places], self._gains[1, places] = fp, fn

    def _best(self) -> tuple[Any, float]:
        """The best document held, the smallest id among equals, and its utility."""
        running = np.array([self._running[identity] for identity in self._ids], dtype=bool)
        if self._columns is None or not running.any():
            return None, -np.inf
        size = self._columns.shape[1]
        utility = self._columns.utilities(Gains(self._gains[0, :size], self._gains[1, :size]))
        place = int(np.argmax(np.where(running, utility, -np.inf)))
        return self._ids[place], float(utility[place])

    def _fetch(self) -> None:
        """Look again, and bring the best of those outside: what then stays there is behind them."""
        engine = self._scores.engine
        table = utilities(self._scores, self._sigma, Gains(*self._gains))
        if self._ids:
            kind = self._scores.table.schema().to_pyarrow().field("document").type
            held = engine.lend(pa.table({"held": pa.array(self._ids, kind)}))
            table = table.anti_join(held, table.document == held.held)
        flawed, by = table.flaws > 0, ibis.desc(table.utility)
        rows = engine.run(
            table.order_by(ibis.desc(flawed), by, table.document).limit(self._hold + 1)
        )
        if len(rows) and rows["flaws"][0].as_py():
            raise DataError(explain_flaw(self._scores, rows["document"][0].as_py()))
        new = rows["document"].to_pylist()
        self._outside = rows["utility"][-1].as_py() if len(new) > self._hold else -np.inf
        self._reference = self._gains.copy()
        self._hold_on(new[: self._hold])
        self.n_fetches += 1

    def _hold_on(self, new: list[Any]) -> None:
        if not new:
            return
        ids = [*self._ids, *new]
        held = np.concatenate([self._held, fetch(self._scores, new)])
        by = sorted(range(len(ids)), key=ids.__getitem__)  # so that the first among equals is best
        self._ids, self._held = [ids[k] for k in by], held[by]
        self._running |= dict.fromkeys(new, True)
        errors = LogisticMisclassification(self._held, self._sigma)
        if self._micro:
            self._columns = GivenMisclassification(errors.sums())
        else:
            wrong = errors.of_documents(slice(None))
            self._columns = GivenMisclassification(np.where(self._held >= 0, wrong, -wrong))
