"""MP-Boost: boosting for multi-label text, with one pivot for each class and round.

A decision stump tests whether a document contains one term, the *pivot*. It gives one vote if the
term is present and another if it is absent. The score of a class is the sum of the votes of its
stumps. AdaBoost.MH (Schapire and Singer 2000) chooses one pivot per round for all classes. MP-Boost
(Esuli, Fagni and Sebastiani 2006) chooses a pivot for each class, so that the classes are
independent problems.

Let ``W+x`` and ``W-x`` be the weights of the positive and negative documents of a class in which a
term is present (``x = 1``) or absent (``x = 0``), where all weights of the class sum to 1. Then

* the pivot minimises ``sqrt(W+1 W-1) + sqrt(W+0 W-0)``; of tied terms the lowest index wins;
* its votes are ``c_x = 1/2 ln((W+x + epsilon) / (W-x + epsilon))``;
* a weight is multiplied by ``exp(-y c_x)``, with y = 1 for positive and -1 for negative documents.

References
----------
Robert E. Schapire and Yoram Singer. BoosTexter: a boosting-based system for text categorization.
Machine Learning 39(2/3), 2000.

Andrea Esuli, Tiziano Fagni and Fabrizio Sebastiani. MP-Boost: a multiple-pivot boosting algorithm
and its application to text categorization. SPIRE 2006.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import joblib
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from satc.decisions import by_sign
from satc.inputs import as_labels, choice
from satc.learners.mpboost_design import Design, make_design, presence
from satc.learners.mpboost_kernels import Floats, Integers, boost_class
from satc.learners.mpboost_mh import SharedBoosting

Progress = Callable[[int, int], object]
_Rounds = tuple[Integers, Floats]


LEAST_EPSILON = 1e-30
"""With a smaller epsilon, a single round could change weights beyond the range of numbers."""


class TermVote(NamedTuple):
    """One term of a fitted class: number of rounds as the pivot, and the sums of its votes."""

    term: str
    column: int
    rounds: int
    absent: float
    present: float


class MPBoostClassifier(ClassifierMixin, BaseEstimator):
    """Boosted decision stumps on the presence of terms, one pivot per class and round.

    Parameters
    ----------
    n_rounds
        Number of stumps per class.
    variant
        ``"mp"``, one pivot for each class and round (MP-Boost), or ``"mh"``, one pivot per round
        that all classes share (AdaBoost.MH).
    epsilon
        Smoothing of the votes; None means 1 / (number of classes x number of documents).
    n_jobs
        Number of classes that are fitted in parallel by joblib: None means 1 unless
        `joblib.parallel_config` sets another number, -1 means all processors. Threads are used
        unless `joblib.parallel_config` names another backend. ``"mh"`` uses one processor.
    callback
        Called as ``callback(done, total)`` while fitting, with the number of classes (``"mp"``) or
        of rounds (``"mh"``).

    Attributes
    ----------
    classes_ : ndarray
        The labels; for an indicator matrix the numbers of its columns.
    pivots_ : ndarray of shape (n_rounds, n_outputs)
        Column of the term of each stump.
    votes_ : ndarray of shape (n_rounds, n_outputs, 2)
        Votes of each stump: ``votes_[..., 0]`` if the term is absent, ``votes_[..., 1]`` if it is
        present.
    coef_ : sparse array of shape (n_outputs, n_features)
        The change of the scores by the presence of each term, over all rounds.
    intercept_ : ndarray of shape (n_outputs,)
        Score of a document that contains none of the pivots.
    n_features_in_ : int
        Number of terms.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the terms, if `fit` was called with a frame whose columns have names.

    Notes
    -----
    A term is present if its value is not zero, also in dense input; the value does not matter.

    With an indicator matrix, a score of exactly 0 is a positive decision, and a class without a
    positive training document is decided negative everywhere. With a vector of labels, the rules of
    scikit-learn hold: for two labels there is one score per document, positive for the second
    label; for more labels there is one score for each, and the label with the largest is chosen.

    Values that agree to 12 digits are ties, and a weight below 1e-200 of the positive (or negative)
    weight of its class is set to 0; smaller differences may be rounding errors.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]])  # wheat, said, bank
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> model = MPBoostClassifier(n_rounds=5).fit(X, Y)
    >>> model.predict([[1, 1, 0], [0, 1, 1]])
    array([[1, 0],
           [0, 1]])
    >>> for vote in model.describe(0, feature_names=["wheat", "said", "bank"]):
    ...     print(f"{vote.term}: {vote.absent:+.1f} if absent, {vote.present:+.1f} if present")
    wheat: -4.0 if absent, +4.0 if present
    """

    def __init__(
        self,
        n_rounds: int = 1000,
        *,
        variant: str = "mp",
        epsilon: float | None = None,
        n_jobs: int | None = None,
        callback: Progress | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.variant = variant
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the pivots and compute their votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Documents x terms; a term is present if its value is not zero.
        y : array-like or sparse matrix of shape (n_samples, n_outputs), or (n_samples,)
            An indicator matrix, 1 where the document belongs to the class, or one label for each
            document.
        """
        boost = choice(self.variant, {"mp": _boost_classes, "mh": _boost_together}, "variant")
        n_rounds = _checked_rounds(self.n_rounds)
        X = validate_data(self, X, accept_sparse="csr")
        labels = self._indicator(y, X.shape[0])
        epsilon = _checked_epsilon(self.epsilon, labels)
        design = make_design(presence(X))
        self.pivots_, self.votes_ = boost(
            design, labels, n_rounds, epsilon, self.n_jobs, self.callback
        )
        self._set_coefficients()
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of documents: the sums of the votes.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs), or (n_samples,) for a binary problem
        """
        scores = (self._presence(X) @ self.coef_.T).toarray() + self.intercept_
        return self._shaped(scores)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the scores of documents after each round."""
        present = sp.csc_array(self._presence(X))
        scores = np.zeros((present.shape[0], self.pivots_.shape[1]))
        for pivots, votes in zip(self.pivots_, self.votes_, strict=True):
            found = sp.coo_array(present[:, pivots])
            scores += votes[:, 0]
            scores[found.row, found.col] += (votes[:, 1] - votes[:, 0])[found.col]
            yield self._shaped(scores.copy())

    def predict(self, X: Any) -> NDArray[Any]:
        """Return labels, or an indicator matrix if the classifier was fitted with one."""
        scores = self.decision_function(X)
        if self._multilabel:
            return by_sign(scores).astype(np.int64)
        if scores.ndim == 2:
            return self.classes_[scores.argmax(axis=1)]
        return self.classes_[np.where(scores > 0, len(self.classes_) - 1, 0)]

    def describe(
        self,
        class_index: int = 0,
        *,
        feature_names: Sequence[str] | None = None,
        top: int | None = None,
    ) -> list[TermVote]:
        """Return the pivots of a class with the sums of their votes, the most important first.

        Parameters
        ----------
        class_index
            Column of the scores.
        feature_names
            Names of the terms; by default `feature_names_in_`, or the numbers of the columns.
        top
            Number of terms to return; None for all.
        """
        check_is_fitted(self)
        votes = self.votes_[:, class_index]
        terms, stump = np.unique(self.pivots_[:, class_index], return_inverse=True)
        rounds = np.bincount(stump)
        absent, present = (np.bincount(stump, weights=votes[:, x]) for x in (0, 1))
        order = np.argsort(-np.abs(present - absent), kind="stable")[:top]
        names = self._names(feature_names)
        return [
            TermVote(
                str(names[terms[i]]),
                int(terms[i]),
                int(rounds[i]),
                float(absent[i]),
                float(present[i]),
            )
            for i in order
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        # the data of scikit-learn's checks are dense: every term is present in every document
        tags.classifier_tags.poor_score = True
        return tags

    def _indicator(self, y: Any, n_documents: int) -> NDArray[np.bool_]:
        """Return labels, documents x outputs; sets `classes_` and `_multilabel`."""
        if y is None:
            raise ValueError("MPBoostClassifier requires y to be passed, but the target y is None")
        values = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
        self._multilabel = values.ndim == 2 and not _is_label_column(values)
        if self._multilabel:
            labels = as_labels(values, "y")
            self.classes_ = np.arange(labels.shape[1])
        else:
            labels = self._label_columns(column_or_1d(values, warn=True))
        if len(labels) != n_documents:
            raise ValueError(
                f"y must have as many documents (rows) as X, {n_documents}, but has {len(labels)}"
            )
        return labels

    def _label_columns(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        assert_all_finite(values, input_name="y")
        check_classification_targets(values)
        self.classes_, number = np.unique(values, return_inverse=True)
        if len(self.classes_) <= 2:
            return (number == len(self.classes_) - 1)[:, np.newaxis]
        return number[:, np.newaxis] == np.arange(len(self.classes_))

    def _set_coefficients(self) -> None:
        """Sum the votes of each term; scores are linear in the presence of terms."""
        n_rounds, n_outputs = self.pivots_.shape
        outputs = np.broadcast_to(np.arange(n_outputs), (n_rounds, n_outputs))
        gain = self.votes_[..., 1] - self.votes_[..., 0]
        shape = (n_outputs, self.n_features_in_)
        coordinates = (outputs.ravel(), self.pivots_.ravel())
        self.coef_ = sp.csr_array(sp.coo_array((gain.ravel(), coordinates), shape=shape))
        self.intercept_ = self.votes_[..., 0].sum(axis=0)

    def _presence(self, X: Any) -> sp.csr_array:
        check_is_fitted(self)
        return presence(validate_data(self, X, accept_sparse="csr", reset=False))

    def _shaped(self, scores: Floats) -> Floats:
        return scores if self._multilabel or scores.shape[1] > 1 else scores[:, 0]

    def _names(self, feature_names: Sequence[str] | None) -> Sequence[Any]:
        if feature_names is None:
            feature_names = getattr(self, "feature_names_in_", None)
        if feature_names is None:
            return range(self.n_features_in_)
        if len(feature_names) != self.n_features_in_:
            raise ValueError(
                f"feature_names must hold a name for each of the {self.n_features_in_} terms, "
                f"but holds {len(feature_names)}"
            )
        return feature_names


def _is_label_column(values: NDArray[Any]) -> bool:
    """Return whether a matrix is one column of labels, not an indicator matrix of one class."""
    return values.shape[1] == 1 and not bool(np.isin(values, (0, 1)).all())


def _checked_rounds(n_rounds: Any) -> int:
    if not isinstance(n_rounds, Integral) or isinstance(n_rounds, bool) or int(n_rounds) < 1:
        raise ValueError(f"n_rounds must be a positive integer, but is {n_rounds!r}")
    return int(n_rounds)


def _checked_epsilon(epsilon: Any, labels: NDArray[np.bool_]) -> float:
    if epsilon is None:
        return 1.0 / labels.size
    if not isinstance(epsilon, Real) or not LEAST_EPSILON <= float(epsilon) < np.inf:
        raise ValueError(
            f"epsilon must be a finite number, at least {LEAST_EPSILON}, or None, "
            f"but is {epsilon!r}"
        )
    return float(epsilon)


def _boost_classes(
    design: Design,
    labels: NDArray[np.bool_],
    n_rounds: int,
    epsilon: float,
    n_jobs: int | None,
    callback: Progress | None,
) -> _Rounds:
    """Run MP-Boost for each class, beginning with the classes with most positive documents."""
    order = np.argsort(-labels.sum(axis=0), kind="stable")
    by_class = np.ascontiguousarray(labels.T)
    tasks = (joblib.delayed(boost_class)(design, by_class[k], n_rounds, epsilon) for k in order)
    pivots = np.empty((n_rounds, len(order)), dtype=np.int64)
    votes = np.empty((n_rounds, len(order), 2))
    for done, (k, result) in enumerate(zip(order, _parallel(n_jobs)(tasks), strict=True), 1):
        pivots[:, k], votes[:, k] = result
        if callback is not None:
            callback(done, len(order))
    return pivots, votes


def _parallel(n_jobs: int | None) -> joblib.Parallel:
    """Return a `Parallel` that yields results one by one, if the backend supports it.

    The callback can then report progress.
    """
    try:
        return joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    except ValueError:
        return joblib.Parallel(n_jobs=n_jobs, prefer="threads")


def _boost_together(
    design: Design,
    labels: NDArray[np.bool_],
    n_rounds: int,
    epsilon: float,
    n_jobs: int | None,
    callback: Progress | None,
) -> _Rounds:
    """Run AdaBoost.MH: in each round all classes share the pivot."""
    n_classes = labels.shape[1]
    pivots = np.empty((n_rounds, n_classes), dtype=np.int64)
    votes = np.empty((n_rounds, n_classes, 2))
    boosting = SharedBoosting(design, labels)
    for r in range(n_rounds):
        pivots[r], votes[r] = boosting.round(epsilon)
        if callback is not None:
            callback(r + 1, n_rounds)
    return pivots, votes
