"""The best part of a larger set, held in memory, with a bound on the other documents.

The documents in memory are validated with the tables of the whole set. As long as the best of them
is above the bound on the others (`ranking.unfetched`), the order is that of a validation of the
whole set. If it is not, the engine ranks the whole set again under the current gains, and the best
documents that are not held are fetched. `StoredValidation` fetches them immediately; the workbench
fetches them in the background and saves them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.errors import DataError
from satc.gains import Gains
from satc.inputs import MULTI_LABEL, Scores
from satc.ranking.documents import apply_model
from satc.ranking.model import RankingModel
from satc.ranking.unfetched import LARGEST_IN_CONTEXT, LARGEST_LOGISTIC, UnfetchedBound, places
from satc.scale.contextual.features import PLACES, VECTOR
from satc.scale.contextual.passes import feature_reader
from satc.scale.ranking import utilities_under
from satc.scale.stored import StoredScores, explain_flaw
from satc.validation import Validation


def _identity(value: Any) -> Any:
    return value


class Window:
    """The documents of a larger set that are held, and a bound on the utility of the others.

    Parameters
    ----------
    model : RankingModel
        With the tables of the whole set.
    size : int
        The number of documents to fetch at a time.
    ids : iterable
        The documents held so far, in the order of the documents of the validation.
    bound : UnfetchedBound or None
        The bound on the others; None before the first fetch.
    sort_key : callable
        Among equal utilities, the document whose id has the smallest key comes first.
    """

    def __init__(
        self,
        model: RankingModel,
        size: int,
        ids: Iterable[Any] = (),
        bound: UnfetchedBound | None = None,
        sort_key: Callable[[Any], Any] = _identity,
    ) -> None:
        self.model = model
        self.size = size
        self.ids = list(ids)
        self.bound = bound
        self._sort_key = sort_key

    def may_be_beaten(
        self, validation: Validation, document: int | None, share: float = 1.0
    ) -> bool:
        """Whether a document that is not held could now rank before this one.

        With a share below 1: whether it could reach this share of the document's utility.
        """
        if self.bound is None:
            return True
        gains = self.model.weighted(validation.gains)
        if document is None:
            return self.bound.may_beat(-np.inf, gains)
        utility = validation.utility(document)
        if share < 1.0:
            return self.bound.may_beat(share * utility if utility > 0 else utility, gains)
        return self.bound.may_beat(utility, gains, self._sort_key(self.ids[document]))

    def fetch(self, scores: StoredScores, gains: Gains, kept: Any = None) -> BestPart:
        """Rank the whole set under these gains; return the best documents that are not held.

        `kept` are the probabilities that a ranking of the set has computed, if they are known.
        """
        return fetch_best_unheld(scores, self.model, gains, self.ids, self.size, kept)

    def validation(self, scores: Scores, ids: Iterable[Any], features: Any = None) -> Validation:
        """Return a validation of some documents of the set."""
        ties = places([self._sort_key(identity) for identity in ids])
        return Validation.of(apply_model(self.model, scores, ties, features))

    def hold(self, ids: Iterable[Any], bound: UnfetchedBound) -> None:
        """Add documents that were fetched; `bound` is the bound on the others."""
        self.ids += ids
        self.bound = bound


class BestPart(NamedTuple):
    """The best documents that were not held in memory, and a bound on the ones that remain."""

    ids: list[Any]  # best first
    scores: NDArray[np.float64]
    features: Any  # None if none are stored beside the scores
    bound: UnfetchedBound


def fetch_best_unheld(
    scores: StoredScores,
    model: RankingModel,
    gains: Gains,
    held: Sequence[Any],
    size: int,
    kept: Any = None,
) -> BestPart:
    """Rank all documents under these gains, and fetch the best ones that are not held."""
    engine = scores.engine
    table = utilities_under(scores, model, gains, kept)
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
    bound = UnfetchedBound(best, model.weighted(gains), _largest_error(model), first)
    features = fetch_features(scores, model, ids[:size])
    return BestPart(ids[:size], fetch(scores, ids[:size]), features, bound)


def _largest_error(model: RankingModel) -> float:
    """Return the largest value that P(error) can have."""
    if model.calibrator is None and model.task == MULTI_LABEL and not model.is_chosen:
        return LARGEST_LOGISTIC
    return LARGEST_IN_CONTEXT


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


def fetch_features(scores: StoredScores, model: RankingModel, ids: Sequence[Any]) -> Any:
    """Return the features of these documents, in this order; None if none are stored."""
    reader = feature_reader(scores, model)
    if reader is None:
        return None
    texts = pa.array([str(identity) for identity in ids], pa.string())
    wanted = pa.table({"wanted": texts, "place": np.arange(len(ids))})
    wanted = scores.engine.temporary_table(wanted)
    vectors = scores.vectors.join(wanted, scores.vectors.id == wanted.wanted, how="right")
    names = {VECTOR: vectors.vector} | ({PLACES: vectors.places} if scores.has_terms else {})
    rows = scores.engine.run(vectors.select("place", **names).order_by("place"))
    return reader.of(rows.combine_chunks().to_batches(max_chunksize=max(1, len(ids)))[0])


def _as_stored(scores: StoredScores, ids: Sequence[Any]) -> pa.Array:
    """Return ids, which may be given as text, in the data type of the stored ids."""
    return pa.array(ids).cast(scores.table.schema().to_pyarrow().field("document").type)
