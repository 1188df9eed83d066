"""MP-Boost: boosting for multi-label text, with a pivot of its own for each class and round.

A decision stump asks whether a document has one term, the *pivot*, and gives one vote if it has
and another if it has not; a class's score is the plain sum of its stumps' votes. AdaBoost.MH
(Schapire and Singer 2000) takes one pivot per round for all classes; MP-Boost (Esuli, Fagni and
Sebastiani 2006) lets each class choose, so that the classes are independent problems.

With ``W+x`` and ``W-x`` the weights of a class's positive and negative documents that have
(``x = 1``) or lack (``x = 0``) a term, and all weights of the class summing to 1,

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

from satc.inputs import as_labels, choice
from satc.learners.mpboost_design import Design, make_design, presence
from satc.learners.mpboost_kernels import Floats, Integers, boost_class
from satc.learners.mpboost_mh import SharedBoosting

Progress = Callable[[int, int], object]
_Rounds = tuple[Integers, Floats]


LEAST_EPSILON = 1e-30
"""A smaller one would let a single round change weights beyond what numbers can hold."""


class TermVote(NamedTuple):
    """What a fitted class has to say about one term: the sums of its votes."""

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
        ``"mp"``, a pivot of its own for each class and round (MP-Boost), or ``"mh"``, one pivot
        per round shared by all classes (AdaBoost.MH).
    epsilon
        Smoothing of the votes; None stands for 1 / (number of classes x number of documents).
    n_jobs
        Classes fitted at the same time, in joblib's sense: None is 1 unless
        `joblib.parallel_config` says otherwise, -1 is all processors. Threads, unless
        `joblib.parallel_config` names another backend. ``"mh"`` uses one processor.
    callback
        Called as ``callback(done, total)`` while fitting: classes with ``"mp"``, rounds with
        ``"mh"``.

    Attributes
    ----------
    classes_ : ndarray
        The labels; for an indicator matrix the numbers of its columns.
    pivots_ : ndarray of shape (n_rounds, n_outputs)
        Column of each stump's term.
    votes_ : ndarray of shape (n_rounds, n_outputs, 2)
        Each stump's votes: ``votes_[..., 0]`` when the term is absent, ``votes_[..., 1]`` when it
        is present.
    coef_ : sparse array of shape (n_outputs, n_features)
        What the presence of each term adds to the scores, over all rounds.
    intercept_ : ndarray of shape (n_outputs,)
        Score of a document without any of the pivots.
    n_features_in_ : int
        Number of terms.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the terms, when `fit` was given a frame whose columns have names.

    Notes
    -----
    Anything but zero counts as present, also in dense input: values do not matter.

    With an indicator matrix, a score of exactly 0 is a positive decision, and a class without a
    positive training document is decided negative everywhere. With a vector of labels,
    scikit-learn's rules hold: two labels make one score per document, positive for the second
    label; more than two make one score for each, and the largest decides.

    Values that agree to 12 digits count as tied, and a weight below 1e-200 of its class's positive
    (or negative) weight as zero: beyond that, rounding would decide.

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
        """Choose the pivots and their votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Documents by terms; anything but zero counts as present.
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
        self._add_up()
        return self

    def decision_function(self, X: Any) -> Floats:
        """Score documents: the sum of the votes.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs), or (n_samples,) for a binary problem
        """
        scores = (self._presence(X) @ self.coef_.T).toarray() + self.intercept_
        return self._shaped(scores)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Score documents after each round, the first round first."""
        present = sp.csc_array(self._presence(X))
        scores = np.zeros((present.shape[0], self.pivots_.shape[1]))
        for pivots, votes in zip(self.pivots_, self.votes_, strict=True):
            found = sp.coo_array(present[:, pivots])
            scores += votes[:, 0]
            scores[found.row, found.col] += (votes[:, 1] - votes[:, 0])[found.col]
            yield self._shaped(scores.copy())

    def predict(self, X: Any) -> NDArray[Any]:
        """Decide: labels, or an indicator matrix if the classifier was fitted with one."""
        scores = self.decision_function(X)
        if self._multilabel:
            return (scores >= 0).astype(np.int64)
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
        """List a class's pivots with the sums of their votes, those that matter most first.

        Parameters
        ----------
        class_index
            Column of the scores.
        feature_names
            Names of the terms; by default `feature_names_in_`, or the columns' numbers.
        top
            How many to list; None for all.
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
        # the contract's data are dense and real: every term present everywhere
        tags.classifier_tags.poor_score = True
        return tags

    def _indicator(self, y: Any, n_documents: int) -> NDArray[np.bool_]:
        """Documents x outputs; sets `classes_` and whether the problem is multi-label."""
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

    def _add_up(self) -> None:
        """Add the votes up by term: scores are linear in presence."""
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
    """Whether a matrix is one column of labels rather than an indicator of one class."""
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
    """MP-Boost: each class by itself, those with the most positive documents first."""
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
    """Results as they come, so that progress can be told, if the backend can do that."""
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
    """AdaBoost.MH: all classes share each round's pivot."""
    n_classes = labels.shape[1]
    pivots = np.empty((n_rounds, n_classes), dtype=np.int64)
    votes = np.empty((n_rounds, n_classes, 2))
    boosting = SharedBoosting(design, labels)
    for r in range(n_rounds):
        pivots[r], votes[r] = boosting.round(epsilon)
        if callback is not None:
            callback(r + 1, n_rounds)
    return pivots, votes
