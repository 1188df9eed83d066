"""How much large features, and near neighbours, count: learnt from the training labels.

*Power*: the weights of tf-idf are good for long texts. In short ones every word counts, and
similarities of words that are merely shared are better. Between these lie powers of the weights:
with power 1 the features are as given, with power 0 only whether a feature is there counts. Dense
features, such as embeddings, are not changed.

*Sharpness*: the vote of a neighbour is weighted by similarity ** sharpness. With sharpness 1 all
neighbours count nearly the same, because embeddings of any two texts have much in common.

Both are those with which the nearest training documents agree most with the labels of a document,
found on a sample of bounded size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from satc.calibration.similarity.features import is_sparse, normalised
from satc.calibration.similarity.nearest import make_index, nearest, vote_weights
from satc.calibration.similarity.selection import Nearest
from satc.inputs import Labels

Sample = tuple[Any, Any]  # features of documents, and their labels as a sparse matrix

POWERS = (1.0, 0.5, 0.25, 0.0)
_ROUNDING = 1e-4  # agreements that differ by less are the same
SHARPNESSES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_MOST_DOCUMENTS = 10_000  # among which neighbours are looked for
_MOST_QUERIES = 1_000
_LEAST_GAIN = 0.02  # a smaller rise of the agreement by a power did not make probabilities better


def damped(features: Any, power: float) -> Any:
    """Return sparse features with each weight raised to a power; its sign stays.

    >>> from scipy import sparse
    >>> damped(sparse.csr_array([[4.0, 0.0, -9.0]]), 0.5).toarray()
    array([[ 2.,  0., -3.]])
    """
    if power == 1.0 or not is_sparse(features):
        return features
    changed = features.copy()
    changed.eliminate_zeros()
    changed.data = np.sign(changed.data) * np.abs(changed.data) ** changed.data.dtype.type(power)
    return changed


def best_power(features: Any, labels: Labels, k: int, random_state: int = 0) -> float:
    """Return the power of `POWERS` with which neighbours agree most with the labels."""
    if not is_sparse(features) or features.shape[0] < 2:
        return 1.0
    here, known = _sampled(features, labels, random_state)
    agreed = [_agreement(_neighbours(damped(here, power), k), known) for power in POWERS]
    best = int(np.argmax(agreed))
    return POWERS[best] if agreed[best] > agreed[0] + _LEAST_GAIN else POWERS[0]


def best_sharpness(features: Any, labels: Labels, k: int, random_state: int = 0) -> float:
    """Return the sharpness with which neighbours agree most with the labels."""
    if features.shape[0] < 2:
        return SHARPNESSES[0]
    some, known = _sampled(features, labels, random_state)
    found = _neighbours(some, k)
    agreed = [_agreement(found, known, sharpness) for sharpness in SHARPNESSES]
    return SHARPNESSES[int(np.argmax(np.array(agreed) >= max(agreed) - _ROUNDING))]


def _sampled(features: Any, labels: Labels, random_state: int) -> Sample:
    """Return a random sample of documents among which neighbours are looked for."""
    rng = np.random.default_rng(random_state)
    sample = rng.permutation(features.shape[0])[:_MOST_DOCUMENTS]
    return features[sample], sparse.csr_array(labels[sample], dtype=np.float32)


def _neighbours(features: Any, k: int) -> Nearest:
    """Return the neighbours of the first documents of a sample among all of it."""
    n, scaled = features.shape[0], normalised(features)
    queries = np.arange(min(n, _MOST_QUERIES))
    index = make_index(scaled, exact=True, random_state=0)
    return nearest(index, scaled[queries], queries, min(k, n - 1))


def _agreement(found: Nearest, labels: Any, sharpness: float = 1.0) -> float:
    """Return the cosine of labels and of the votes of neighbours, over a sample of documents."""
    votes = vote_weights(found, labels.shape[0], sharpness) @ labels
    own = labels[: len(found.neighbour)]
    length = float(np.sqrt(votes.multiply(votes).sum() * own.sum()))
    return float(votes.multiply(own).sum()) / length if length else 0.0
