"""Fast evaluation of a fitted model of boosted trees.

The trees are stored as flat arrays and evaluated by a compiled loop. Evaluation in scikit-learn is
slower because it handles missing values and categories, which pairs do not have. Here the two
children of a node are adjacent in memory, and a leaf is its own child. So a step needs no branch,
and all pairs take as many steps as the depth of the tree.

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

_BLOCK = 256  # number of rows for which a tree is evaluated before the next tree


class Trees(NamedTuple):
    """The nodes of all trees, one tree after the other, in breadth-first order."""

    feature: Integers
    threshold: Table  # larger values go to the second child
    child: Integers  # the first child; for a leaf, the leaf itself
    value: Array
    roots: Integers
    depths: NDArray[np.int64]
    baseline: float  # log-odds before the first tree

    @classmethod
    def of(cls, model: Any, example: Table) -> Trees:
        """Convert a fitted `HistGradientBoostingClassifier` for two classes.

        `example` is a table of at least one row, from which the baseline is computed.
        """
        flat = [_breadth_first(stage[0].nodes) for stage in model._predictors]
        sizes = [len(nodes.child) for nodes in flat]
        roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.uint32)
        trees = cls(
            np.concatenate([nodes.feature for nodes in flat]),
            np.concatenate([nodes.threshold for nodes in flat]),
            np.concatenate([nodes.child + root for nodes, root in zip(flat, roots, strict=True)]),
            np.concatenate([nodes.value for nodes in flat]),
            roots,
            np.array([nodes.depth for nodes in flat], dtype=np.int64),
            0.0,
        )
        first = example[:1]
        rest = model.decision_function(first) - trees.log_odds(first)
        return trees._replace(baseline=float(rest[0]))

    def log_odds(self, table: Table) -> Array:
        """Return the log-odds of the rows of a table."""
        total = np.full(len(table), self.baseline)
        _add_leaf_values(np.ascontiguousarray(table), *self[:-1], total)
        return total


class _Nodes(NamedTuple):
    """The nodes of one tree."""

    feature: Integers
    threshold: Table
    child: Integers
    value: Array
    depth: int


def _breadth_first(nodes: NDArray[Any]) -> _Nodes:
    """Return the nodes of one tree in an order in which siblings are adjacent."""
    order, child, depths = [0], [], [0]
    for k, old in enumerate(order):  # the list grows during the loop
        if nodes[old]["is_leaf"]:
            child.append(k)
        else:
            child.append(len(order))
            order += [int(nodes[old]["left"]), int(nodes[old]["right"])]
            depths += [depths[k] + 1] * 2
    some = nodes[order]
    is_leaf = some["is_leaf"].astype(bool)
    return _Nodes(
        np.where(is_leaf, 0, some["feature_idx"]).astype(np.uint32),
        _rounded_down(np.where(is_leaf, np.inf, some["num_threshold"])),
        np.array(child, dtype=np.uint32),
        some["value"].astype(np.float64),
        max(depths),
    )


def _rounded_down(threshold: Array) -> Table:
    """Return thresholds in single precision that the same single-precision values exceed."""
    single = threshold.astype(np.float32)
    return np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single)


@njit(cache=True)
def _add_leaf_values(
    table: Table,
    feature: Integers,
    threshold: Table,
    child: Integers,
    value: Array,
    roots: Integers,
    depths: NDArray[np.int64],
    total: Array,
) -> None:
    """Add the values of the leaves that a row reaches to the total of the row."""
    n, width = table.shape
    cells = table.ravel()
    for first in range(0, n, _BLOCK):
        end = min(first + _BLOCK, n)
        whole = first + (end - first) // 4 * 4
        for tree in range(len(roots)):
            for i in range(first, whole, 4):  # four rows at once: steps of one row are sequential
                a = b = c = d = roots[tree]
                p = np.uint32(i * width)
                q, r, s = np.uint32(p + width), np.uint32(p + 2 * width), np.uint32(p + 3 * width)
                for _ in range(depths[tree]):
                    a = child[a] + np.uint32(cells[p + feature[a]] > threshold[a])
                    b = child[b] + np.uint32(cells[q + feature[b]] > threshold[b])
                    c = child[c] + np.uint32(cells[r + feature[c]] > threshold[c])
                    d = child[d] + np.uint32(cells[s + feature[d]] > threshold[d])
                total[i] += value[a]
                total[i + 1] += value[b]
                total[i + 2] += value[c]
                total[i + 3] += value[d]
            for i in range(whole, end):
                a = roots[tree]
                for _ in range(depths[tree]):
                    a = child[a] + np.uint32(table[i, feature[a]] > threshold[a])
                total[i] += value[a]
