"""Fast evaluation of a fitted model of boosted trees.

Evaluation in scikit-learn is slower because it handles missing values and categories, which pairs
do not have, and because it walks from node to node. Here no path is walked (QuickScorer, Lucchese
et al. 2015): every node of a tree is compared with a block of rows, and where a row would go to the
right, the leaves of the left side are removed from its set of possible leaves, the bits of a
number. The first leaf that remains is the leaf that the row reaches. These loops have no branches
and no jumps in memory, so that a processor compares many rows at once.

The fitted trees are in the private attribute `_predictors` of scikit-learn's model; a test compares
our results with those of scikit-learn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.uint32]  # unsigned, so that no check for negative indices is compiled
Table = NDArray[np.float32]
Leaves = NDArray[np.uint16]

ROWS = 256  # number of rows in a block
MOST_LEAVES = 16  # of a tree: the bits of a set of leaves
_ALL = np.uint16(0xFFFF)
_ALL_BITS, _ONE, _SHIFT = np.uint32(0xFFFF), np.uint32(1), np.uint32(12)
_DE_BRUIJN = np.uint32(0x09AF)  # its product with a power of two has different highest four bits
_STEP = 32  # blocks are filled up to a multiple of this, so that no rows are left over


class Trees(NamedTuple):
    """The inner nodes of all trees, one tree after the other, and the values of their leaves."""

    feature: Integers
    threshold: Table  # larger values go to the right
    stay: Leaves  # leaves that remain possible if a row goes to the right
    starts: Integers  # first node of each tree, and the number of nodes
    value: Array  # 16 for each tree, in the order of `_place`
    baseline: float  # log-odds before the first tree

    @classmethod
    def of(cls, model: Any, example: Table) -> Trees:
        """Convert a fitted `HistGradientBoostingClassifier` for two classes.

        `example` is a table of at least one row, from which the baseline is computed.
        """
        found = [_Tree(stage[0].nodes) for stage in model._predictors]
        starts = np.cumsum([0, *(len(tree.feature) for tree in found)])
        trees = cls(
            np.concatenate([np.array(tree.feature, dtype=np.uint32) for tree in found]),
            _rounded_down(np.concatenate([np.array(tree.threshold) for tree in found])),
            np.concatenate([np.array(tree.stay, dtype=np.uint16) for tree in found]),
            starts.astype(np.uint32),
            np.concatenate([tree.values() for tree in found]),
            0.0,
        )
        first = example[:1]
        rest = model.decision_function(first) - trees.log_odds(first)
        return trees._replace(baseline=float(rest[0]))

    def log_odds(self, table: Table) -> Array:
        """Return the log-odds of the rows of a table."""
        total = np.empty(len(table))
        _of_table(self, np.asarray(table, dtype=np.float32, order="C"), total)
        return total


class _Tree:
    """One tree; its leaves are numbered from left to right."""

    def __init__(self, nodes: NDArray[Any]) -> None:
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.stay: list[int] = []
        self.leaves: list[float] = []
        self._add(nodes, 0)
        if len(self.leaves) > MOST_LEAVES:
            raise ValueError(
                f"a tree must have at most {MOST_LEAVES} leaves, but one has {len(self.leaves)}"
            )

    def _add(self, nodes: NDArray[Any], k: int) -> int:
        """Add a node and those below it; return the set of its leaves."""
        node = nodes[k]
        if node["is_leaf"]:
            self.leaves.append(float(node["value"]))
            return 1 << (len(self.leaves) - 1)
        place = len(self.feature)
        self.feature.append(int(node["feature_idx"]))
        self.threshold.append(float(node["num_threshold"]))
        self.stay.append(0)
        left = self._add(nodes, int(node["left"]))
        self.stay[place] = int(_ALL) & ~left
        return left | self._add(nodes, int(node["right"]))

    def values(self) -> Array:
        """Return the values of the leaves in the order in which they are looked up."""
        values = np.zeros(MOST_LEAVES)
        for k, value in enumerate(self.leaves):
            values[((1 << k) * int(_DE_BRUIJN) & int(_ALL_BITS)) >> int(_SHIFT)] = value
        return values


def _rounded_down(threshold: Array) -> Table:
    """Return thresholds in single precision that the same single-precision values exceed."""
    single = threshold.astype(np.float32)
    return np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single)


@njit(cache=True, nogil=True)
def add_leaf_values(trees: Trees, columns: Table, n: int, leaves: Leaves, total: Array) -> None:
    """Write the log-odds of n rows to `total`.

    `columns` has a row for each feature and `ROWS` columns; `leaves` and `total` have `ROWS`
    elements. What is beyond the n rows is overwritten.
    """
    n = min(ROWS, (n + _STEP - 1) // _STEP * _STEP)
    total[:n] = trees.baseline
    for tree in range(len(trees.starts) - 1):
        leaves[:n] = _ALL
        for node in range(trees.starts[tree], trees.starts[tree + 1]):
            values, threshold = columns[trees.feature[node]], trees.threshold[node]
            stay = trees.stay[node]
            for r in range(n):
                leaves[r] &= stay if values[r] > threshold else _ALL
        first = tree * MOST_LEAVES
        for r in range(n):
            some = np.uint32(leaves[r])
            lowest = some & (~some + _ONE)
            total[r] += trees.value[first + (((lowest * _DE_BRUIJN) & _ALL_BITS) >> _SHIFT)]


@njit(cache=True, nogil=True)
def _of_table(trees: Trees, table: Table, total: Array) -> None:
    columns = np.empty((table.shape[1], ROWS), dtype=np.float32)
    leaves, sums = np.empty(ROWS, dtype=np.uint16), np.empty(ROWS)
    for first in range(0, len(table), ROWS):
        n = min(ROWS, len(table) - first)
        for r in range(n):
            for k in range(table.shape[1]):
                columns[k, r] = table[first + r, k]
        add_leaf_values(trees, columns, n, leaves, sums)
        for r in range(n):
            total[first + r] = sums[r]
