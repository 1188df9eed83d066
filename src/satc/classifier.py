"""`SemiAutomatedClassifier`: a scikit-learn classifier that also ranks documents for validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import Bunch, assert_all_finite, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    _check_feature_names,
    _num_samples,
    check_is_fitted,
    column_or_1d,
)

from satc.arrays.frames import column_names, common_names, in_order
from satc.decisions import Decided, by_sign
from satc.estimation.out_of_fold import fit_with_folds
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels, as_labels, refuse_masked
from satc.measures import Measure
from satc.ranking.deciding import decide
from satc.ranking.ranking import Ranking, rank
from satc.simulation import Simulation, simulate
from satc.validation import Validation

Array = NDArray[np.float64]


class SemiAutomatedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Classify documents, and rank them by the expected gain of validating each of them.

    If `y` is a vector of three classes or more, every document has exactly one label: rankings,
    simulations and validations are those of a single-label task, and the classifier's own label is
    the class with the largest score. Two classes are one column of scores, whose sign decides.

    Parameters
    ----------
    estimator : scikit-learn classifier
        With `decision_function` or `predict_proba`. Unless it is multi-label, one copy is fitted
        for each class. It can be a pipeline that starts with texts.
    cv : int or splitter
        The folds of the cross-validation from which everything is estimated.
    method, measure, average
        As for `satc.rank`.
    n_jobs : int, optional
        The number of folds and classes to fit in parallel, with joblib; the number of threads, if
        the estimator fits all folds together.
    random_state : int
        The seed of the folds.

    Attributes
    ----------
    classes_ : array
        The labels if `y` is a vector; the column indices if it is an indicator matrix.
    class_names_ : tuple or None
        The names of the columns of `y` if it is a frame; `simulate` matches columns by them.
    oof_scores_, y_train_ : arrays of shape (n_train, n_classes)
        Out-of-fold scores and true labels of the training documents.
    train_features_ : array or sparse matrix, or None
        The training documents as the classifier sees them, for the contextual methods.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> import satc
    >>> X, Y = make_multilabel_classification(300, n_classes=4, random_state=0)
    >>> clf = satc.SemiAutomatedClassifier(LogisticRegression(), cv=5).fit(X[:200], Y[:200])
    >>> clf.predict(X[200:]).shape
    (100, 4)
    >>> clf.simulate(X[200:], Y[200:]).ener(0.20) > 0
    True
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        cv: Any = 10,
        method: str = "contextual",
        measure: str | Measure = "f1",
        average: str = "macro",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.method = method
        self.measure = measure
        self.average = average
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, *, unlabelled: Any = None, **metadata: Any
    ) -> SemiAutomatedClassifier:
        """Train on all documents, and compute their out-of-fold scores.

        Parameters
        ----------
        X : documents
            Anything that the estimator accepts.
        y : array
            The true labels: a vector, or an indicator matrix.
        unlabelled : documents, optional
            The documents that are to be labelled, for a transductive classifier such as
            `satc.learners.TransductiveSVM`.
        **metadata : Any
            With scikit-learn's metadata routing (``sklearn.set_config``): arguments that the
            estimator requests for `fit`, such as ``sample_weight``, and that `cv` requests for
            `split`, such as ``groups``.
        """
        routed = self._routed(metadata)
        refuse_masked(X, "X")
        self.y_train_ = self._fit_labels(y)
        if _num_samples(X) != len(self.y_train_):
            raise ValueError(
                f"y must have as many rows as X has documents, {_num_samples(X)}, "
                f"but has {len(self.y_train_)}"
            )
        estimator = clone(self.estimator)
        self.scorer_, self.oof_scores_ = fit_with_folds(
            estimator,
            X,
            self.y_train_,
            cv=self.cv,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            fit_params=routed.estimator.fit,
            groups=routed.splitter.split.get("groups"),
            unlabelled=unlabelled,
        )
        fitted = self.scorer_.transformer or (self.scorer_.members or [None])[0]
        if hasattr(fitted, "n_features_in_"):
            self.n_features_in_ = fitted.n_features_in_
            _check_feature_names(self, X, reset=True)
        self.train_features_ = self.features(X)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata goes where: that of `fit` to the estimator, and to `cv`."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=to_fit)
        if hasattr(self.cv, "split") and hasattr(self.cv, "get_metadata_routing"):
            to_split = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=self.cv, method_mapping=to_split)
        return router

    def _routed(self, metadata: dict[str, Any]) -> Bunch:
        """Return the metadata of `fit` by receiver; refuse it where routing is not enabled."""
        nothing = {"estimator": Bunch(fit={}), "splitter": Bunch(split={})}
        if not metadata:
            return Bunch(**nothing)
        if not get_config()["enable_metadata_routing"]:
            raise ValueError(
                f"fit takes {', '.join(map(repr, metadata))} only with scikit-learn's metadata "
                "routing: sklearn.set_config(enable_metadata_routing=True)"
            )
        return Bunch(**{**nothing, **process_routing(self, "fit", **metadata)})

    def scores(self, X: Any) -> Array:
        """Return the scores that `rank` uses, always documents x classes."""
        check_is_fitted(self)
        refuse_masked(X, "X")
        if hasattr(self, "n_features_in_"):
            _check_feature_names(self, X, reset=False)
        return self.scorer_.scores(X)

    def decision_function(self, X: Any) -> Array:
        """Return the scores in the shape of scikit-learn: a vector for two classes."""
        scores = self.scores(X)
        return scores[:, 0] if self.kind_ == "binary" else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return predicted labels in the form of `y`: a vector, or an indicator matrix."""
        scores = self.scores(X)
        if self.kind_ == "multilabel":
            return by_sign(scores).astype(np.int64)
        if self.kind_ == "binary":
            return np.asarray(self.classes_[by_sign(scores[:, 0]).astype(np.int64)])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def rank(self, X: Any, **options: Any) -> Ranking:
        """Classify and rank documents; the options override those of the constructor."""
        return rank(self.scores(X), **self._arguments(X, options))

    def validation(self, X: Any, **options: Any) -> Validation:
        """Classify documents, and return a validation of them."""
        return Validation(self.scores(X), **self._arguments(X, options))

    def decide(self, X: Any, **options: Any) -> Decided:
        """Classify documents, and choose the labels that are best for the measure."""
        return decide(self.scores(X), **self._arguments(X, options))

    def simulate(self, X: Any, y: Any, **options: Any) -> Simulation:
        """Simulate the validation of documents whose true labels are known."""
        return simulate(self.scores(X), self._indicator(y), **self._arguments(X, options))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags

    def _arguments(self, X: Any, options: dict[str, Any]) -> dict[str, Any]:
        return {
            "features": self.features(X),
            "train_features": self.train_features_,
            "oof_scores": self.oof_scores_,
            "y_train": self.y_train_,
            "method": self.method,
            "measure": self.measure,
            "average": self.average,
            "task": SINGLE_LABEL if self.kind_ == "multiclass" else MULTI_LABEL,
            **options,
        }

    def features(self, X: Any) -> Any:
        """Return the numeric features that the classifier uses, or None if there are none."""
        if self.scorer_.transformer is not None:
            X = self.scorer_.transformer.transform(X)
        if not sparse.issparse(X):
            X = np.asarray(X)
        return X if X.ndim == 2 and X.dtype.kind in "buif" else None

    def _fit_labels(self, y: Any) -> Labels:
        """Store the kind of the labels; return them as an indicator matrix."""
        if y is None:
            raise ValueError("This classifier requires y to be passed, but the target y is None")
        refuse_masked(y, "y")
        self.class_names_ = column_names(y)
        y = y if sparse.issparse(y) else np.asarray(y)
        assert_all_finite(y, input_name="y")
        if (
            y.ndim == 2
            and y.shape[1] == 1
            and not sparse.issparse(y)
            and not np.isin(y, (0, 1)).all()
        ):
            y = column_or_1d(y, warn=True)
        if y.ndim == 2:
            self.kind_ = "multilabel"
            labels = as_labels(y, "y")
            self.classes_ = np.arange(labels.shape[1])
            return labels
        check_classification_targets(y)
        self.binarizer_ = LabelBinarizer().fit(y)
        self.classes_ = self.binarizer_.classes_
        if len(self.classes_) < 2:
            raise ValueError(f"y must have two classes or more, but has {len(self.classes_)} class")
        self.kind_ = type_of_target(y) if len(self.classes_) == 2 else "multiclass"
        return self._indicator(y)

    def _indicator(self, y: Any) -> Labels:
        if self.kind_ == "multilabel":
            names = common_names([self.class_names_, column_names(y)])
            return as_labels(in_order(y, names, "y"), "y")
        refuse_masked(y, "y")
        return np.asarray(self.binarizer_.transform(y) == 1)
