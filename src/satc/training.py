"""`Training`: what calibration and contingency tables are estimated from.

The out-of-fold scores of the training documents, their true labels and, where they are known,
their features. A held-out set that the classifier has not seen serves as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.arrays.frames import Names, column_names, common_names, in_order, places_of
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
    class_names : tuple, optional
        The names of the classes; by default, those of the columns where the arrays are frames. The
        columns of frames are matched by name.

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
    class_names: Names | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        given: list[Any] = [self.oof_scores, self.labels, *self.opinions.values()]
        names = self.class_names or common_names(column_names(one) for one in given)
        scores = as_scores(in_order(self.oof_scores, names, "oof_scores"), "oof_scores")
        labels = as_labels(in_order(self.labels, names, "y_train"), "y_train")
        opinions = {
            name: np.asarray(in_order(one, names, f"opinions[{name!r}]"))
            for name, one in self.opinions.items()
        }
        check_same_shape(oof_scores=scores, y_train=labels)
        object.__setattr__(self, "oof_scores", scores)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "opinions", opinions)
        object.__setattr__(self, "class_names", names)

    def with_classes(self, names: Names | None) -> Training:
        """Return the same documents with the classes in the order of these names.

        If the classes of these documents have no names, they are in that order already.
        """
        if names is None or self.class_names is None:
            return self
        order = places_of(self.class_names, names, "training")
        if order is None:
            return self
        return replace(
            self,
            oof_scores=self.oof_scores[:, order],
            labels=self.labels[:, order],
            opinions={name: one[:, order] for name, one in self.opinions.items()},
            class_names=names,
        )

    def with_features(self, features: Any) -> Training:
        """Return the same documents with these features."""
        return replace(self, features=features)

    @property
    def n_documents(self) -> int:
        """How many training documents there are."""
        return int(self.labels.shape[0])

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.labels.shape[1])
