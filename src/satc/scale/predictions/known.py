"""Documents of a stored set whose true labels are known: their scores, and the set without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.errors import DataError
from satc.scale.stored import StoredScores, explain_flaw
from satc.scale.window import fetch


def fetch_known(scores: StoredScores, ids: Sequence[str]) -> NDArray[np.float64]:
    """Return the scores of these documents, in this order; all of them must be stored."""
    stored = _stored_ids(scores, ids)
    for identity in ids:
        if identity not in stored:
            raise DataError(f"predictions must have one of document {identity!r}, but have none")
    found = fetch(scores, [stored[identity] for identity in ids])
    for row in np.flatnonzero(~np.isfinite(found).all(axis=1)).tolist():
        raise DataError(explain_flaw(scores, stored[ids[row]]))
    return found


def without_documents(scores: StoredScores, ids: Sequence[str]) -> StoredScores:
    """Return the scores of all other documents."""
    known = _table(scores, ids)
    table = scores.table
    others = table.anti_join(known, table.document.cast("string") == known.known)
    return replace(scores, table=others)


def _table(scores: StoredScores, ids: Sequence[str]) -> Any:
    return scores.engine.temporary_table(pa.table({"known": pa.array(ids, pa.string())}))


def _stored_ids(scores: StoredScores, ids: Sequence[str]) -> dict[str, Any]:
    """Return the stored id of each document, which may be a number, by its text."""
    known = _table(scores, ids)
    documents = scores.table.select("document", name=scores.table.document.cast("string"))
    found = documents.semi_join(known, documents.name == known.known).distinct()
    rows = scores.engine.run(found)
    return dict(zip(rows["name"].to_pylist(), rows["document"].to_pylist(), strict=True))
