"""Write scores in blocks, each a Parquet file in long form, into a directory of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from satc.errors import DataError
from satc.files.atomic import replacing_folder


@contextmanager
def writing(target: Path) -> Iterator[Path]:
    """Give a temporary directory beside `target`, which takes its place when the block succeeds."""
    if target.exists():
        raise DataError(f"{target} must be a new directory, but is there already")
    with replacing_folder(target) as temporary:
        yield temporary


def write_block(path: Path, ids: Sequence[str], classes: Sequence[str], scores: Any) -> None:
    """Write the scores of some documents, documents x classes."""
    n, m = len(ids), len(classes)
    places = np.repeat(np.arange(n, dtype=np.int32), m), np.tile(np.arange(m, dtype=np.int32), n)
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(place), pa.array(values, pa.string()))
        for name, place, values in zip(
            ("document", "class"), places, (list(ids), list(classes)), strict=True
        )
    }
    score = pa.array(np.asarray(scores, dtype=np.float64).ravel())
    pq.write_table(pa.table({**columns, "score": score}), path)
