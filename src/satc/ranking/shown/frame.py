"""A ranking as a pandas data frame: one row for each document, the first to check first."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from satc.errors import MissingExtraError
from satc.inputs import SINGLE_LABEL, Labels
from satc.ranking.documents import RankedDocuments
from satc.ranking.shown.doubts import column_of, doubts

if TYPE_CHECKING:
    from pandas import DataFrame

    from satc.ranking.ranking import Ranking


def ranking_frame(
    ranking: Ranking, ids: Sequence[Hashable] | None, classes: Sequence[Hashable] | None
) -> DataFrame:
    """Return the frame of `Ranking.to_frame`."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("a data frame", "frames") from None
    documents, order = ranking.documents, ranking.order
    names, decided = class_names(documents, classes), documents.decided
    columns: dict[str, Any] = {
        "rank": np.arange(1, len(order) + 1),
        "utility": ranking.utility[order],
        "predicted": [predicted(documents, decided[i], names) for i in order],
    }
    if (found := doubts(documents)) is not None:
        columns[column_of(documents)] = [names[j] for j in found.classes[order]]
        columns["probability_wrong"] = found.wrong[order]
    known = _ids(len(order), ids)
    return pd.DataFrame(columns, index=pd.Index([known[i] for i in order], name="document"))


def class_names(
    documents: RankedDocuments, classes: Sequence[Hashable] | None
) -> Sequence[Hashable]:
    """Return the names of the classes: as given, or else those of the frames, or else numbers."""
    n = documents.model.n_classes
    if classes is None:
        return documents.model.class_names or range(n)
    if len(classes) != n:
        raise ValueError(f"classes must be the {n} names of the classes, but are {len(classes)}")
    return classes


def predicted(documents: RankedDocuments, labels: Labels, names: Sequence[Hashable]) -> Any:
    """Return the names of labels as a list; where every document has exactly one, this name."""
    found = [names[j] for j in np.flatnonzero(labels).tolist()]
    return found[0] if documents.model.task == SINGLE_LABEL else found


def _ids(n: int, ids: Sequence[Hashable] | None) -> Sequence[Hashable]:
    if ids is None:
        return range(n)
    found = list(ids)  # an array or a series, too
    if len(found) != n:
        raise ValueError(f"ids must be the ids of the {n} documents, but are {len(found)}")
    return found
