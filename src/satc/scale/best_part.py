"""Fetch the best documents of a stored set that are not held in memory yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.errors import DataError
from satc.gains import Gains
from satc.ranking.model import RankingModel
from satc.ranking.unfetched import LARGEST_IN_CONTEXT, LARGEST_LOGISTIC, UnfetchedBound
from satc.scale.flaws import explain_flaw
from satc.scale.ranking import utilities_under
from satc.scale.stored import StoredScores


class BestPart(NamedTuple):
    """The best documents that were not held in memory, and a bound on the ones that remain."""

    ids: list[Any]  # best first
    scores: NDArray[np.float64]
    bound: UnfetchedBound


def fetch_best_unheld(
    scores: StoredScores, model: RankingModel, gains: Gains, held: Sequence[Any], size: int
) -> BestPart:
    """Rank all documents under these gains, and fetch the best ones that are not held."""
    engine = scores.engine
    table = utilities_under(scores, model, gains)
    if held:
        in_memory = engine.temporary_table(pa.table({"held": _as_stored(scores, held)}))
        table = table.anti_join(in_memory, table.document == in_memory.held)
    flawed, by = table.flaws > 0, ibis.desc(table.utility)
    rows = engine.run(table.order_by(ibis.desc(flawed), by, table.document).limit(size + 1))
    if len(rows) and rows["flaws"][0].as_py():
        raise DataError(explain_flaw(scores, rows["document"][0].as_py()))
    ids = rows["document"].to_pylist()
    best, first = -np.inf, None
    if len(ids) > size:
        best, first = rows["utility"][-1].as_py(), ids[-1]
    by_sign_of_score = model.calibrator is None and model.cuts is None
    largest = LARGEST_LOGISTIC if by_sign_of_score else LARGEST_IN_CONTEXT
    bound = UnfetchedBound(best, model.weighted(gains), largest, first)
    return BestPart(ids[:size], fetch(scores, ids[:size]), bound)


def fetch(scores: StoredScores, ids: Sequence[Any]) -> NDArray[np.float64]:
    """Return the scores of these documents, in this order; absent pairs get -absent."""
    held = np.full((len(ids), len(scores.classes)), -(scores.absent or np.nan))
    if not ids:
        return held
    wanted = scores.engine.temporary_table(pa.table({"wanted": _as_stored(scores, ids)}))
    rows = scores.table.join(wanted, scores.table.document == wanted.wanted, how="inner")
    table = scores.engine.run(rows.drop("wanted"))
    row = {identity: k for k, identity in enumerate(ids)}
    documents = np.array([row[identity] for identity in table["document"].to_pylist()], dtype=int)
    if scores.is_long:
        column = {name: j for j, name in enumerate(scores.classes)}
        places = [column[str(name)] for name in table["class"].to_pylist()]
        held[documents, places] = table["score"].to_numpy()
        return held
    for j, name in enumerate(scores.classes):
        cells = table[name].to_numpy().astype(np.float64)
        held[documents, j] = np.where(np.isnan(cells), held[documents, j], cells)
    return held


def _as_stored(scores: StoredScores, ids: Sequence[Any]) -> pa.Array:
    """Return ids, which may be given as text, in the data type of the stored ids."""
    return pa.array(ids).cast(scores.table.schema().to_pyarrow().field("document").type)
