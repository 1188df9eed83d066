"""Weights of terms from their counts: (1 + ln tf) x ln(N/df), cosine-normalised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
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
        self.idf_ = _inverse_frequency(_non_negative(X, self).getnnz(axis=0), X.shape[0])
        return self

    def transform(self, X: Any) -> sparse.csr_matrix:
        """Return weighted and normalised rows; a document without known terms is a row of zeros."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        weighted = _non_negative(X, self)
        weighted.data = (1.0 + np.log(weighted.data)) * self.idf_[weighted.indices]
        weights: sparse.csr_matrix = normalize(weighted, copy=False)
        return weights

    def fold_factors(
        self, X: Any, trained: Sequence[NDArray[np.int64]]
    ) -> tuple[sparse.csr_matrix, NDArray[np.float64]]:
        """Return the factors of the weights: 1 + ln tf, and ln(N/df) in each fold.

        Parameters
        ----------
        X
            The counts of the documents on which the transformer was fitted.
        trained
            Rows of the training documents of each fold.

        Returns
        -------
        1 + ln tf, documents x terms; and ln(N/df), first among all documents and then among the
        training documents of each fold. The weights of a fold are the products of both, divided by
        the Euclidean norm of the row.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        factors = _non_negative(X, self)
        factors.data = 1.0 + np.log(factors.data)
        return factors, np.array([self.idf_, *(_within(factors, rows) for rows in trained)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def _within(counts: sparse.csr_matrix, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return ln(N/df) of each term among some rows."""
    chosen = np.zeros(counts.shape[0], dtype=bool)
    chosen[rows] = True
    terms = counts.indices[np.repeat(chosen, np.diff(counts.indptr))]
    return _inverse_frequency(np.bincount(terms, minlength=counts.shape[1]), len(rows))


def _inverse_frequency(
    document_frequency: NDArray[np.int64], n_documents: int
) -> NDArray[np.float64]:
    """Return ln(N/df); 0 for terms that no document contains."""
    found = np.log(n_documents / np.maximum(document_frequency, 1))
    found[document_frequency == 0] = 0.0
    return np.asarray(found)


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
