"""`Training`: what calibration and contingency tables are estimated from.

The out-of-fold scores of the training documents, their true labels and, where they are known,
their features. A held-out set that the classifier has not seen serves as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import Labels, Scores, as_labels, as_scores, check_same_shape

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Training:
    """Out-of-fold scores and true labels of the training documents.

    Parameters
    ----------
    oof_scores, labels : arrays of shape (n_train, n_classes)
        The scores of each document by a classifier that was not trained on it, and 0/1 labels.
    features : array or sparse matrix, documents x features, optional
        For the contextual methods: what makes documents similar.
    opinions : mapping from a name to an array of shape (n_train, n_classes), optional
        Scores by further classifiers that were not trained on the document; NaN in the rows of
        documents that an opinion does not know.

    Examples
    --------
    >>> import satc
    >>> training = satc.Training([[0.9, -0.1], [-0.7, 0.8]], [[1, 0], [0, 1]])
    >>> training.n_documents, training.n_classes
    (2, 2)
    """

    oof_scores: Scores
    labels: Labels
    features: Any = field(default=None, repr=False)
    opinions: Mapping[str, Array] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        scores = as_scores(self.oof_scores, "oof_scores")
        labels = as_labels(self.labels, "y_train")
        check_same_shape(oof_scores=scores, y_train=labels)
        object.__setattr__(self, "oof_scores", scores)
        object.__setattr__(self, "labels", labels)

    @property
    def n_documents(self) -> int:
        """How many training documents there are."""
        return int(self.labels.shape[0])

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.labels.shape[1])
