"""Out-of-fold scores of the training set, by k-fold cross-validation (Sections 4.3 and 6.1).

Every training document is scored by a classifier that was not trained on it. Sigma, the contingency
tables and all other estimates are computed from these scores. Any scikit-learn classifier with
`decision_function` or `predict_proba` can be used. If it is not a multi-label classifier, one copy
is fitted for each class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import _num_samples, has_fit_parameter

from satc.inputs import Labels, as_labels

Array = NDArray[np.float64]

# Probabilities are clipped to this distance from 0 and 1, so that scores are finite.
CLIPPED_AT = 1e-6


class Scorer(NamedTuple):
    """Fitted classifiers for all classes."""

    transformer: Any  # the transformers that all classes share, or None
    members: list[Any]  # one classifier per varying class, or a single multi-label one
    varying: NDArray[np.int64]  # classes with positive and negative examples
    always: NDArray[np.bool_]  # for every class, whether all examples are positive

    def scores(self, X: Any) -> Array:
        """Return scores, documents x classes: sign = decision, magnitude = confidence."""
        if self.transformer is not None:
            X = self.transformer.transform(X)
        scores = np.zeros((_num_samples(X), len(self.always)))
        if len(self.members) == 1 and len(self.varying) > 1:
            scores[:, self.varying] = _multi_label_scores(self.members[0], X)
        else:
            for j, member in zip(self.varying, self.members, strict=True):
                scores[:, j] = _binary_scores(member, X)
        self._decide_constant(scores)
        return scores

    def _decide_constant(self, scores: Array) -> None:
        """Fill in the scores of classes without a positive (or without a negative) example.

        Their confidence is the mean confidence of the other classes, so that it fits the scale of
        the classifier. For classifiers with probabilities it is the largest possible confidence;
        without another class it is 1.
        """
        constant = np.setdiff1d(np.arange(len(self.always)), self.varying)
        if not len(constant):
            return
        confidence = 1.0
        if self.members and hasattr(self.members[0], "decision_function"):
            confidence = float(np.mean(np.abs(scores[:, self.varying])))
        elif self.members:
            confidence = float(_logit(np.ones(1))[0])
        scores[:, constant] = np.where(self.always[constant], confidence, -confidence)


def fit_scorer(
    estimator: BaseEstimator,
    X: Any,
    Y: Labels,
    n_jobs: int | None = None,
    fit_params: Mapping[str, Any] | None = None,
    unlabelled: Sequence[Any] = (),
) -> Scorer:
    """Fit a classifier for all classes: one multi-label classifier, or one for each class.

    `fit_params` are arguments of its `fit`, such as ``sample_weight``. `unlabelled` are sets of
    documents without labels, for a transductive classifier.
    """
    given = fit_params or {}
    if unlabelled:
        check_transductive(estimator)
    if not (hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")):
        raise TypeError(
            "estimator must have decision_function or predict_proba, "
            f"but {type(estimator).__name__} has neither"
        )
    varying = np.flatnonzero(Y.any(axis=0) & ~Y.all(axis=0))
    always: NDArray[np.bool_] = np.asarray(Y.all(axis=0))
    if len(varying) > 1 and get_tags(estimator).classifier_tags.multi_label:
        given = {**given, **_unlabelled(None, unlabelled)}
        member = clone(estimator).fit(X, Y[:, varying].astype(np.int64), **given)
        return Scorer(None, [member], varying, always)
    transformer, final, X, given = _share(estimator, X, given)
    if unlabelled and final is estimator and isinstance(estimator, Pipeline):
        raise ValueError(
            "the transformers of a transductive classifier must not need labels, but those of "
            f"{type(estimator).__name__} do"
        )
    given = {**given, **_unlabelled(transformer, unlabelled)}
    members = Parallel(n_jobs=n_jobs)(
        delayed(_fit_one)(final, X, Y[:, j].astype(np.int64), given) for j in varying
    )
    return Scorer(transformer, members, varying, always)


def out_of_fold_scores(
    estimator: BaseEstimator,
    X: Any,
    Y: Any,
    *,
    cv: Any = 10,
    n_jobs: int | None = None,
    random_state: Any = 0,
    fit_params: Mapping[str, Any] | None = None,
    groups: Any = None,
    unlabelled: Any = None,
) -> Array:
    """Score every training document by a classifier that was trained on the other folds.

    Parameters
    ----------
    estimator : scikit-learn classifier
        It needs `decision_function`, or `predict_proba`; with the latter the score is the log-odds.
    X : documents
        Anything that the estimator accepts: array, sparse matrix, frame, list of texts.
    Y : array or sparse matrix of shape (n_documents, n_classes)
        The true labels, 0/1.
    cv : int, splitter or iterable
        The number of shuffled folds, a scikit-learn splitter, or pairs of index arrays.
    n_jobs : int, optional
        Number of folds that are computed in parallel by joblib.
    random_state : int or RandomState
        Seed of the shuffling.
    fit_params : mapping, optional
        Arguments of the `fit` of the estimator, such as ``{"sample_weight": weights}``. A sequence
        with one value for each document is cut to the documents of a fold.
    groups : array of shape (n_documents,), optional
        For a splitter such as ``GroupKFold``: documents of one group stay in one fold.
    unlabelled : documents, optional
        The documents that are to be labelled, for a transductive classifier: each fold gets them,
        and its own test documents, without their labels. So the scores of a training document and
        those of a document to be labelled are made in the same way.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> X = [[0.0], [0.1], [0.2], [0.3], [0.7], [0.8], [0.9], [1.0]]
    >>> Y = [[1, 0]] * 4 + [[0, 1]] * 4
    >>> (out_of_fold_scores(LinearSVC(), X, Y, cv=4) >= 0).astype(int).tolist() == Y
    True
    """
    labels = as_labels(Y, "Y")
    n = _num_samples(X)
    if n != len(labels):
        raise ValueError(f"Y must have as many rows as X has documents, {n}, but has {len(labels)}")
    X = _with_rows(X)
    folds = make_folds(labels, cv, random_state, groups)
    parts = Parallel(n_jobs=n_jobs)(
        delayed(score_fold)(estimator, X, labels, fold, fit_params, unlabelled) for fold in folds
    )
    scores = np.empty(labels.shape)
    for fold, part in zip(folds, parts, strict=True):
        scores[fold.test] = part
    return scores


class Fold(NamedTuple):
    """Indices of the documents to train on and of the documents to score."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]


def make_folds(
    labels: Labels, cv: Any = 10, random_state: Any = 0, groups: Any = None
) -> list[Fold]:
    """Return folds in which every document is in exactly one test part."""
    folds = [Fold(train, test) for train, test in _splits(labels, cv, random_state, groups)]
    held_out = np.concatenate([fold.test for fold in folds])
    if len(held_out) != len(labels) or len(np.unique(held_out)) != len(labels):
        raise ValueError("cv must put every document into exactly one test fold, but does not")
    return folds


def score_fold(
    estimator: BaseEstimator,
    X: Any,
    labels: Labels,
    fold: Fold,
    fit_params: Mapping[str, Any] | None = None,
    unlabelled: Any = None,
) -> Array:
    """Train on the training documents of a fold and score its test documents.

    A transductive classifier also gets the test documents, without their labels.
    """
    given = {
        name: _safe_indexing(value, fold.train) if _is_per_document(value, labels) else value
        for name, value in (fit_params or {}).items()
    }
    rows, test = _safe_indexing(X, fold.train), _safe_indexing(X, fold.test)
    others = () if unlabelled is None else (unlabelled, test)
    scorer = fit_scorer(estimator, rows, labels[fold.train], 1, given, others)
    return scorer.scores(test)


def is_transductive(estimator: BaseEstimator) -> bool:
    """Whether a classifier also learns from documents without labels: `fit` takes `unlabelled`."""
    final = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return bool(has_fit_parameter(final, "unlabelled"))


def check_transductive(estimator: BaseEstimator) -> None:
    """Refuse documents without labels for a classifier that has no use for them."""
    if not is_transductive(estimator):
        raise ValueError(
            "unlabelled must be left out unless the fit of the classifier takes it, but that of "
            f"{type(estimator).__name__} does not; satc.learners.TransductiveSVM does"
        )


def _is_per_document(value: Any, labels: Labels) -> bool:
    """Whether an argument of `fit` has one value for each document."""
    is_sequence = hasattr(value, "__len__") or hasattr(value, "shape")
    if not is_sequence or isinstance(value, str | bytes | Mapping):
        return False
    return bool(_num_samples(value) == len(labels))


def _splits(
    labels: Labels, cv: Any, random_state: Any, groups: Any
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    if isinstance(cv, int | np.integer):
        if not 2 <= cv <= len(labels):
            raise ValueError(
                f"cv must be from 2 to the number of training documents, {len(labels)}, but is {cv}"
            )
        if groups is not None:
            raise ValueError(
                f"groups need a splitter that uses them, such as GroupKFold({cv}), but cv is {cv}"
            )
        cv = KFold(int(cv), shuffle=True, random_state=random_state)
    if hasattr(cv, "split") and not isinstance(cv, str):
        y = labels if labels.shape[1] > 1 else labels[:, 0]
        return iter(cv.split(np.empty(len(labels)), y, groups))
    if groups is not None:
        raise ValueError("groups must be left out unless cv is a splitter that uses them")
    if isinstance(cv, Iterable) and not isinstance(cv, str):
        return iter(cv)
    raise TypeError(f"cv must be a number of folds, a splitter or an iterable, but is {cv!r}")


def _with_rows(X: Any) -> Any:
    """Return documents in a form that can be indexed by row."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    return X if hasattr(X, "__getitem__") else np.asarray(X)


def _share(
    estimator: BaseEstimator, X: Any, fit_params: Mapping[str, Any]
) -> tuple[Any, BaseEstimator, Any, Mapping[str, Any]]:
    """Fit the transformers of a pipeline once for all classes, if they need only the documents.

    Returns the fitted transformers (or None), the classifier to fit for each class, the documents
    to fit it on, and the arguments of its `fit`.
    """
    unshared = None, estimator, X, fit_params
    if not isinstance(estimator, Pipeline) or len(estimator.steps) < 2:
        return unshared
    final_params = _params_of_last_step(estimator, fit_params)
    if final_params is None:
        return unshared
    transformer = clone(estimator[:-1])
    try:
        transformed = transformer.fit_transform(X)
    except (TypeError, ValueError):  # a transformer needs labels: each class fits its own
        return unshared
    return transformer, estimator.steps[-1][1], transformed, final_params


def _params_of_last_step(
    pipeline: Pipeline, fit_params: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the arguments that the last step requests; None if other steps request any."""
    if not fit_params:
        return {}
    routed = process_routing(pipeline, "fit", **fit_params)
    (last, _), others = pipeline.steps[-1], [name for name, _ in pipeline.steps[:-1]]
    if any(params for name in others for params in routed.get(name, {}).values()):
        return None
    return dict(routed[last].fit)


def _unlabelled(transformer: Any, parts: Sequence[Any]) -> dict[str, Any]:
    """Return documents without labels as an argument of `fit`; nothing if there are none."""
    if not parts:
        return {}
    found = [part if transformer is None else transformer.transform(part) for part in parts]
    if any(sparse.issparse(part) for part in found):
        return {"unlabelled": sparse.vstack([sparse.csr_matrix(part) for part in found], "csr")}
    return {"unlabelled": np.concatenate([np.asarray(part) for part in found])}


def _fit_one(
    estimator: BaseEstimator, X: Any, y: NDArray[np.int64], fit_params: Mapping[str, Any]
) -> Any:
    return clone(estimator).fit(X, y, **fit_params)


def _binary_scores(member: Any, X: Any) -> Array:
    if hasattr(member, "decision_function"):
        return np.asarray(member.decision_function(X), dtype=np.float64).reshape(-1)
    return _logit(np.asarray(member.predict_proba(X), dtype=np.float64)[:, 1])


def _multi_label_scores(member: Any, X: Any) -> Array:
    if hasattr(member, "decision_function"):
        return np.asarray(member.decision_function(X), dtype=np.float64)
    probability = member.predict_proba(X)
    if isinstance(probability, list):  # one array per class, as forests and neighbours give
        probability = np.column_stack([one[:, 1] for one in probability])
    return _logit(np.asarray(probability, dtype=np.float64))


def _logit(probability: Array) -> Array:
    clipped = np.clip(probability, CLIPPED_AT, 1.0 - CLIPPED_AT)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))
