"""What linear classifiers of two classes share: their classes, scores and decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from satc.decisions import by_sign


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """A linear classifier of two classes; `fit` must set `coef_` and `intercept_`."""

    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]

    def _is_positive(self, y: Any) -> NDArray[np.bool_]:
        """Store the two classes; return which documents have the second one in sorted order."""
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported: y must have two classes, but has "
                f"{len(self.classes_)} class{'es' * (len(self.classes_) != 1)}"
            )
        return np.asarray(y == self.classes_[1])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return scores; a positive score means the second class."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_[0] + self.intercept_[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each document."""
        decided = by_sign(self.decision_function(X))
        return np.asarray(self.classes_[decided.astype(np.int64)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags
