"""How much large features count in the similarity of documents, learnt from the training labels.

The weights of tf-idf are good for long texts. In short ones every word counts, and similarities of
words that are merely shared are better. Between these lie powers of the weights: with power 1 the
features are as given, with power 0 only whether a feature is there counts. The best power is that
with which the nearest training documents agree most with the labels of a document; it is found on
a sample of bounded size. Dense features, such as embeddings, are not changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from satc.calibration.similarity.features import is_sparse, normalised
from satc.calibration.similarity.nearest import make_index, nearest, vote_weights
from satc.inputs import Labels

POWERS = (1.0, 0.5, 0.25, 0.0)
_MOST_DOCUMENTS = 10_000  # among which neighbours are looked for
_MOST_QUERIES = 1_000
_LEAST_GAIN = 0.02  # a smaller rise of the agreement did not make probabilities better


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
    rng = np.random.default_rng(random_state)
    sample = rng.permutation(features.shape[0])[:_MOST_DOCUMENTS]
    here, known = features[sample], sparse.csr_array(labels[sample], dtype=np.float32)
    agreement = [_agreement(damped(here, power), known, k) for power in POWERS]
    best = int(np.argmax(agreement))
    return POWERS[best] if agreement[best] > agreement[0] + _LEAST_GAIN else POWERS[0]


def _agreement(features: Any, labels: Any, k: int) -> float:
    """Return the cosine of labels and of the votes of neighbours, over a sample of documents."""
    n, scaled = labels.shape[0], normalised(features)
    queries = np.arange(min(n, _MOST_QUERIES))
    index = make_index(scaled, exact=True, random_state=0)
    found = nearest(index, scaled[queries], queries, min(k, n - 1))
    votes, own = vote_weights(found, n) @ labels, labels[queries]
    length = float(np.sqrt(votes.multiply(votes).sum() * own.sum()))
    return float(votes.multiply(own).sum()) / length if length else 0.0
