"""The scores of a few stored documents, held in memory as documents x classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.scale.stored import StoredScores


def fetch(scores: StoredScores, ids: Sequence[Any]) -> NDArray[np.float64]:
    """Return the scores of these documents, in this order; absent pairs as what they stand for."""
    kind = scores.table.schema().to_pyarrow().field("document").type
    wanted = scores.engine.lend(pa.table({"wanted": pa.array(ids, kind)}))
    rows = scores.table.join(wanted, scores.table.document == wanted.wanted, how="inner")
    table = scores.engine.run(rows.drop("wanted"))
    row = {identity: k for k, identity in enumerate(ids)}
    documents = np.array([row[identity] for identity in table["document"].to_pylist()], dtype=int)
    held = np.full((len(ids), len(scores.classes)), -(scores.absent or np.nan))
    if scores.is_long:
        column = {name: j for j, name in enumerate(scores.classes)}
        places = [column[str(name)] for name in table["class"].to_pylist()]
        held[documents, places] = table["score"].to_numpy()
        return held
    for j, name in enumerate(scores.classes):
        cells = table[name].to_numpy().astype(np.float64)
        held[documents, j] = np.where(np.isnan(cells), held[documents, j], cells)
    return held
