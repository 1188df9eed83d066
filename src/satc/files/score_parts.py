"""Write scores in parts, each a Parquet file in long form, into a new folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from satc.errors import DataError
from satc.files.atomic import atomic_folder
from satc.files.formats.parquet import write_parquet
from satc.inputs import Labels


@contextmanager
def new_score_folder(target: Path) -> Iterator[Path]:
    """Give a temporary folder and rename it to `target`, a new one, when the block succeeds."""
    if target.exists():
        raise DataError(f"{target} must be a new directory, but is there already")
    with atomic_folder(target) as temporary:
        yield temporary


def write_block(
    path: Path, ids: Sequence[str], classes: Sequence[str], scores: Any, **more: Any
) -> None:
    """Write the scores of some documents, documents x classes, as one file.

    `more` holds further arrays of the same shape; each becomes a column.
    """
    n, m = len(ids), len(classes)
    numbers = np.repeat(np.arange(n, dtype=np.int32), m), np.tile(np.arange(m, dtype=np.int32), n)
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(number), pa.array(values, pa.string()))
        for name, number, values in zip(
            ("document", "class"), numbers, (list(ids), list(classes)), strict=True
        )
    }
    score = pa.array(np.asarray(scores, dtype=np.float64).ravel())
    others = {name: pa.array(np.asarray(values).ravel()) for name, values in more.items()}
    table = pa.table({**columns, "score": score, **others})
    write_parquet(path, table.schema, [table])


def add_labels(path: Path, n_classes: int, decide: Callable[[Any], Labels]) -> None:
    """Add the column `label` to a file of `write_block`.

    `decide` is a function from probabilities, documents x classes, to labels.
    """
    table = pq.read_table(path)
    probability = table["probability"].to_numpy().reshape(-1, n_classes)
    table = table.append_column("label", pa.array(decide(probability).ravel()))
    write_parquet(path, table.schema, [table])
