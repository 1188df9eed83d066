"""How much more the nearest neighbours count than the others, learnt from the training labels.

The vote of a neighbour is weighted by similarity ** sharpness. With sharpness 1 all neighbours
count nearly the same, because embeddings of any two texts have much in common. The best sharpness
is that with which the neighbours agree most with the labels of a document; it is found on a sample
of bounded size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from satc.calibration.similarity.features import normalised
from satc.calibration.similarity.nearest import Nearest, make_index, nearest, vote_weights
from satc.inputs import Labels

Sample = tuple[Any, Any]  # features of documents, and their labels as a sparse matrix

SHARPNESSES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_MOST_DOCUMENTS = 10_000  # among which neighbours are looked for
_MOST_QUERIES = 1_000


def sampled(features: Any, labels: Labels, random_state: int) -> Sample:
    """Return a random sample of documents among which neighbours are looked for."""
    rng = np.random.default_rng(random_state)
    sample = rng.permutation(features.shape[0])[:_MOST_DOCUMENTS]
    return features[sample], sparse.csr_array(labels[sample], dtype=np.float32)


def neighbours_of_sample(features: Any, k: int) -> Nearest:
    """Return the neighbours of the first documents of a sample among all of it."""
    n, scaled = features.shape[0], normalised(features)
    queries = np.arange(min(n, _MOST_QUERIES))
    index = make_index(scaled, exact=True, random_state=0)
    return nearest(index, scaled[queries], queries, min(k, n - 1))


def agreement(found: Nearest, labels: Any, sharpness: float = 1.0) -> float:
    """Return the cosine of labels and of the votes of neighbours, over a sample of documents."""
    votes = vote_weights(found, labels.shape[0], sharpness) @ labels
    own = labels[: len(found.neighbour)]
    length = float(np.sqrt(votes.multiply(votes).sum() * own.sum()))
    return float(votes.multiply(own).sum()) / length if length else 0.0


def best_sharpness(features: Any, labels: Labels, k: int, random_state: int = 0) -> float:
    """Return the sharpness with which neighbours agree most with the labels."""
    if features.shape[0] < 2:
        return SHARPNESSES[0]
    some, known = sampled(features, labels, random_state)
    found = neighbours_of_sample(some, k)
    agreed = [agreement(found, known, sharpness) for sharpness in SHARPNESSES]
    return SHARPNESSES[int(np.argmax(agreed))]
