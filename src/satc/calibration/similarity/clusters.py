"""The approximate index of dense features: training documents in the nearest clusters.

Documents are compared with a cluster all at once, by a matrix product. How many clusters a document
is compared with depends on the data: `probing` measures the recall.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.calibration.similarity.centres import clustered
from satc.calibration.similarity.probing import measured_probing
from satc.calibration.similarity.selection import (
    Indices,
    Integers,
    Nearest,
    as_array,
    blocks,
    keep_nearest,
)
from satc.machine.threads import even_parts, in_threads

Floats = NDArray[np.float32]

RECALL = 0.95  # wanted share of the true neighbours
_LARGE = 4  # a cluster of more than this many times the mean is searched for copies
_HELD_ROWS = 1 << 14  # training documents that are copied for a product
_PAIRS = 1 << 23  # pairs of document and cluster that are held in memory, about


class ClusterIndex:
    """An index that compares a document with the training documents in the nearest clusters.

    Parameters
    ----------
    features : float32 array of shape (n_train, n_features)
        Rows of length 1, or of zeros. The index keeps a reference, not a copy.
    random_state : int
        Seed of the centres and of the sample on which the recall is measured.
    k : int
        Number of neighbours that will be searched.
    recall : float
        Wanted share of the true neighbours.

    Attributes
    ----------
    recall_ : float
        The recall at k on a sample of the training documents.
    probing : Probing
        Which clusters a document is compared with.
    """

    def __init__(
        self, features: Floats, random_state: int, k: int = 20, recall: float = RECALL
    ) -> None:
        rng = np.random.default_rng(random_state)
        self.features = features
        self.centres, cluster = clustered(features, k + 1, rng)
        large = _LARGE * len(features) / len(self.centres)
        self.members = [
            _without_copies(features, members, k + 1) if len(members) > large else members
            for members in _groups(cluster, len(self.centres))
        ]
        self.probing = measured_probing(features, self.centres, cluster, k, recall, rng)
        self.recall_ = self.probing.recall

    def search(self, features: Any, own: Indices, found: Nearest) -> None:
        """Compare the documents of each cluster with the documents that are near it."""
        dense = as_array(features)

        def find(part: slice) -> None:
            for rows, clusters in self._probed(dense, part):
                for cluster, near in enumerate(_groups(clusters, len(self.members))):
                    if len(near):
                        self._compare(dense, rows[near], self.members[cluster], own, found)

        in_threads(find, even_parts(len(dense)))

    def _compare(
        self, features: Floats, rows: Integers, members: Integers, own: Indices, found: Nearest
    ) -> None:
        """Compare some documents with the members of a cluster."""
        for start in range(0, len(members), _HELD_ROWS):
            some = members[start : start + _HELD_ROWS]
            held = self.features[some].T
            for part in blocks(len(rows), len(some)):
                near = rows[part].astype(np.int64)
                keep_nearest(features[near] @ held, near, some, own, *found)

    def _probed(self, features: Floats, part: slice) -> Iterator[tuple[Integers, Integers]]:
        """Yield pairs of document and cluster, many at a time; a document of zeros has none."""
        pending: list[NDArray[np.int32]] = []
        for block in blocks(part.stop - part.start, len(self.centres)):
            start, stop = part.start + block.start, part.start + block.stop
            asked = start + np.flatnonzero(features[start:stop].any(axis=1))
            if len(asked):
                rows, clusters = self.probing.probed(features[asked] @ self.centres.T)
                pending.append(np.array([asked[rows], clusters], dtype=np.int32))
            if pending and (stop == part.stop or sum(p.shape[1] for p in pending) > _PAIRS):
                rows, clusters = np.concatenate(pending, axis=1)
                pending = []
                yield rows, clusters


def _groups(groups: Integers, n_groups: int) -> list[Integers]:
    """Return the positions of the members of every group, in ascending order."""
    order = np.argsort(groups, kind="stable").astype(np.int32)
    bounds = np.searchsorted(groups[order], np.arange(n_groups + 1))
    return [order[start:stop] for start, stop in pairwise(bounds)]


def _without_copies(features: Floats, members: Integers, most: int) -> Integers:
    """Return members of which at most some have the same features.

    Of many equal documents, one more than the number of neighbours is enough: without the copies,
    the search of a cluster of n equal documents would take n * n comparisons.
    """
    seen: Counter[bytes] = Counter()
    kept = []
    for member in members:
        digest = blake2b(features[member].tobytes(), digest_size=16).digest()
        seen[digest] += 1
        if seen[digest] <= most:
            kept.append(member)
    return np.array(kept, dtype=np.int32)
