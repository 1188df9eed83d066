"""Centres of clusters of vectors of length 1: k-means by cosine, on a sample of bounded size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.similarity.features import normalised
from satc.calibration.similarity.selection import blocks
from satc.machine.threads import in_threads

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]

_PER_CENTRE = 30  # number of sampled vectors for each centre
_ROUNDS = 5


def n_centres(n: int) -> int:
    """Return the number of clusters for n vectors.

    More clusters make the search of vectors that form no groups shorter, and the comparison with
    the centres longer.

    >>> n_centres(1_000_000), n_centres(1)
    (4000, 1)
    """
    return max(1, min(int(4 * np.sqrt(n)), n // 4))


def clustered(features: Floats, least: int, rng: np.random.Generator) -> tuple[Floats, Integers]:
    """Return centres, and the position of the centre of each vector.

    A cluster with fewer vectors than `least` is dissolved, so that the nearest cluster alone has
    enough neighbours for every vector.
    """
    centres = _train_centres(features, rng)
    cluster = nearest_centre(features, centres)
    sizes = np.bincount(cluster, minlength=len(centres))
    kept = sizes >= min(least, sizes.max())
    lost = np.flatnonzero(~kept[cluster])
    cluster = (np.cumsum(kept) - 1)[cluster].astype(np.int32)
    cluster[lost] = nearest_centre(features[lost], centres[kept])
    return centres[kept], cluster


def _train_centres(features: Floats, rng: np.random.Generator) -> Floats:
    """Return centres of clusters of some of the vectors."""
    n, n_clusters = len(features), n_centres(len(features))
    sample = features[np.sort(rng.permutation(n)[: _PER_CENTRE * n_clusters])]
    centres = sample[rng.permutation(len(sample))[:n_clusters]]
    for _ in range(_ROUNDS):
        centres = _means(sample, nearest_centre(sample, centres), centres)
    return centres


def nearest_centre(features: Floats, centres: Floats) -> Integers:
    """Return the position of the most similar centre of each vector."""
    found = np.empty(len(features), dtype=np.int32)

    def find(rows: slice) -> None:
        found[rows] = np.argmax(features[rows] @ centres.T, axis=1)

    in_threads(find, blocks(len(features), len(centres)))
    return found


def _means(sample: Floats, labels: Integers, centres: Floats) -> Floats:
    """Return the directions of the sums of the clusters; an empty cluster keeps its centre."""
    entries = np.ones(len(sample), dtype=np.float32), (labels, np.arange(len(sample)))
    sums = sparse.csr_array(entries, shape=(len(centres), len(sample))) @ sample
    empty = ~sums.any(axis=1, keepdims=True)
    means: Floats = np.where(empty, centres, normalised(sums))
    return means
