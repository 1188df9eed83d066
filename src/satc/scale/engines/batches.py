"""Arrow batches in which the rows of a group, such as the pairs of a document, stay together.

Scores are usually written document by document, so the pairs of a document are next to each other.
`whole_groups` then only moves the rows of the last group of a batch to the next batch. `GroupCheck`
notices groups whose rows are not together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

Batches = Iterator[pa.RecordBatch]
MapBatches = Callable[[Batches], Batches]


class SplitGroupError(Exception):
    """The rows of a group are not together."""


def runs_of(values: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return the values of runs of equal values, and the positions where the runs end.

    >>> values, ends = runs_of(pa.array(["a", "a", "b"]))
    >>> values.to_pylist(), ends.to_pylist()
    (['a', 'b'], [2, 3])
    """
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    runs = pc.run_end_encode(values)
    return runs.values, runs.run_ends


def whole_groups(batches: Batches, by: str, rows: int = 1) -> Batches:
    """Cut batches of about `rows` rows or more, so that no group is in two of them.

    The rows of a group must be next to each other in the stream.
    """
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        if not len(batch):
            continue
        start = _start_of_last_run(batch.column(by))
        is_new = bool(waiting) and waiting[-1].column(by)[-1] != batch.column(by)[0]
        if sum(map(len, waiting)) + start >= rows and (start or is_new):
            yield pa.concat_batches([*waiting, batch.slice(0, start)])
            waiting = [batch.slice(start)]
        else:
            waiting.append(batch)
    if waiting:
        yield pa.concat_batches(waiting)


def _start_of_last_run(values: pa.Array) -> int:
    """Return the position where the last run of equal values starts."""
    n, size = len(values), 64
    while True:
        first = max(0, n - size)
        _, ends = runs_of(values.slice(first))
        if len(ends) > 1:
            return first + int(ends[-2].as_py())
        if first == 0:
            return 0
        size *= 4


class GroupCheck:
    """Look at batches of whole groups, to notice a group that comes in two places.

    Where the values grow from row to row, as ids often do, that needs only the first and the last
    value of each batch.
    """

    def __init__(self, by: str) -> None:
        self._by = by
        self._ranges: list[tuple[Any, Any]] = []
        self._grows = True
        self.n_groups = 0

    def watch(self, batches: Batches) -> Batches:
        """Return the batches; raise `SplitGroupError` if a group is in two places of a batch."""
        for batch in batches:
            values, _ = runs_of(batch.column(self._by))
            if values.null_count:
                raise SplitGroupError
            self.n_groups += len(values)
            if pc.all(pc.less(values[:-1], values[1:])).as_py() is not False:
                self._ranges.append((values[0].as_py(), values[-1].as_py()))
            elif pc.count_distinct(values).as_py() < len(values):
                raise SplitGroupError
            else:
                self._grows = False
            yield batch

    @property
    def is_proven(self) -> bool:
        """Whether every group is in one place; if not, it is not known."""
        if not self._grows:
            return False
        return all(one[1] < other[0] for one, other in pairwise(sorted(self._ranges)))
