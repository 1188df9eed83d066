"""Weights of terms from their counts: (1 + ln tf) x ln(N/df), cosine-normalised."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted, validate_data


class LogTfidfTransformer(TransformerMixin, BaseEstimator):
    """Transform counts to (1 + ln tf) x ln(N/df), cosine-normalised.

    `TfidfTransformer` of scikit-learn adds 1 to the second factor, so that terms which occur in
    every document keep a weight; here their weight is 0. The weight of a term that no training
    document contains is 0, too; such terms exist if the transformer is fitted on a part of the
    counted documents.
    """

    def fit(self, X: Any, y: object = None) -> Self:
        """Compute ln(N/df) of each term."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        document_frequency = _non_negative(X, self).getnnz(axis=0)
        self.idf_ = np.log(X.shape[0] / np.maximum(document_frequency, 1))
        self.idf_[document_frequency == 0] = 0.0
        return self

    def transform(self, X: Any) -> sparse.csr_matrix:
        """Return weighted and normalised rows; a document without known terms is a row of zeros."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        weighted = _non_negative(X, self)
        weighted.data = (1.0 + np.log(weighted.data)) * self.idf_[weighted.indices]
        weights: sparse.csr_matrix = normalize(weighted, copy=False)
        return weights

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def _non_negative(X: Any, owner: object) -> sparse.csr_matrix:
    """Return a copy in CSR form without stored zeros; negative counts are an error."""
    counts = sparse.csr_matrix(X, copy=True)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    if counts.nnz and counts.data.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {type(owner).__name__}: X must hold counts"
        )
    return counts
