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

from satc.calibration.similarity.features import is_sparse
from satc.calibration.similarity.sharpness import (
    agreement,
    neighbours_of_sample,
    sampled,
)
from satc.inputs import Labels

POWERS = (1.0, 0.5, 0.25, 0.0)
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
    here, known = sampled(features, labels, random_state)
    agreed = [agreement(neighbours_of_sample(damped(here, power), k), known) for power in POWERS]
    best = int(np.argmax(agreed))
    return POWERS[best] if agreed[best] > agreed[0] + _LEAST_GAIN else POWERS[0]
