"""How many clusters a document is compared with: as few as reach the wanted recall.

A document is compared with the clusters whose centres are nearest: at most `most` clusters, and
none whose centre is less similar than the nearest centre by more than `margin`. In data with clear
groups the margin saves most of the work, in data without groups the number does. Both are chosen on
a sample of the training documents, whose true neighbours are found by exact search, so the recall
is measured on the data themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.calibration.similarity.selection import Indices, Nearest, blocks, keep_nearest
from satc.machine.threads import even_parts, in_threads

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]

_QUERIES = 1_000  # number of documents on which the recall is measured
_SAFETY = 0.015  # the sample must reach this much more than the wanted recall
_NUMBERS = 24  # how many values of `most` are tried
_ROUNDING = 1e-6
_EQUAL = 1 - 1e-6  # cosine of equal vectors, at least


class Probing(NamedTuple):
    """Which clusters a document is compared with, and the recall that this reached."""

    most: int
    margin: float
    recall: float

    def probed(self, similarity: Floats) -> tuple[Indices, Indices]:
        """Return pairs of document and cluster; `similarity` is documents x centres."""
        n_clusters = similarity.shape[1]
        floor = similarity.max(axis=1) - np.float32(self.margin + _ROUNDING)
        if self.most < n_clusters:
            place = n_clusters - self.most
            floor = np.maximum(floor, np.partition(similarity, place, axis=1)[:, place])
        rows, clusters = np.nonzero(similarity >= floor[:, np.newaxis])
        return rows, clusters


def measured_probing(
    features: Floats,
    centres: Floats,
    cluster: Integers,
    k: int,
    recall: float,
    rng: np.random.Generator,
) -> Probing:
    """Return the cheapest probing that reaches this recall at k on a sample of the vectors.

    `cluster` is the position of the centre of each vector. Neighbours that equal the vector itself
    are always found; they do not count, so that many copies do not hide what the others reach.
    """
    queries = np.sort(rng.permutation(len(features))[:_QUERIES])
    true = exact_neighbours(features, queries, k)
    sizes = np.bincount(cluster, minlength=len(centres))
    wanted = min(1.0, recall + _SAFETY)
    there = (true.similarity > 0) & (true.similarity < _EQUAL)
    return _cheapest(features[queries] @ centres.T, sizes, cluster[true.neighbour], there, wanted)


def exact_neighbours(features: Floats, queries: Indices, k: int) -> Nearest:
    """Return the true neighbours of a few of the vectors."""
    shape = len(queries), k
    found = Nearest(np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.float32))

    def find(rows: slice) -> None:
        asked, places = features[queries[rows]], np.arange(rows.start, rows.stop)
        for held in blocks(len(features), len(places)):
            identities = np.arange(held.start, held.stop, dtype=np.int32)
            keep_nearest(asked @ features[held].T, places, identities, queries, *found)

    in_threads(find, even_parts(len(queries)))
    return found


def _cheapest(
    similarity: Floats, sizes: Indices, cluster: Integers, there: NDArray[np.bool_], wanted: float
) -> Probing:
    """Return the probing with the fewest comparisons.

    `cluster` holds the clusters of the true neighbours, documents x k, where `there` is true.
    """
    order = np.argsort(-similarity, axis=1, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(order.shape[1])[np.newaxis], axis=1)
    gap = similarity.max(axis=1, keepdims=True) - similarity
    ranks = np.take_along_axis(rank, cluster, axis=1)[there]
    gaps = np.take_along_axis(gap, cluster, axis=1)[there]
    needed = max(1, int(np.ceil(wanted * len(ranks))))
    best, fewest = Probing(1, 0.0, 1.0), np.inf
    for most in np.unique(np.geomspace(1, len(sizes), _NUMBERS).round().astype(int)):
        reached = np.sort(gaps[ranks < most])
        if len(reached) < needed:
            continue
        margin = reached[needed - 1]
        compared = (((rank < most) & (gap <= margin)) @ sizes).sum()
        if compared < fewest:
            recall = float(np.mean((ranks < most) & (gaps <= margin)))
            best, fewest = Probing(int(most), float(margin), recall), compared
    return best
