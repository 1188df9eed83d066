"""Probabilities that know their context, learnt from out-of-fold scores alone.

One gradient-boosted model gives P(y = 1) of a pair of document and class from the class-wise
Platt logit and its context (`description`): the other classes' scores, the labels that usually go
together, and, where features are known, what similar training documents say. Its log-odds are
averaged with Platt's, whose weight shrinks as positive examples grow in number. Most pairs are
clear negatives: pairs below a logit that almost no positive training pair falls below are
*screened*, and keep a scaled Platt probability. The calibrator works in blocks of documents, and is
fitted on a sample of bounded size (`pairs`): besides its arguments and the probabilities that it
returns it holds no array of documents x classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from satc.calibration.contextual.cooccurrence import Cooccurrence
from satc.calibration.contextual.description import (
    SCORE_NAMES,
    Documents,
    describe,
    document_blocks,
    log_priors,
)
from satc.calibration.contextual.held_out import HeldOut
from satc.calibration.contextual.pairs import EvenSample, some_pairs, some_positives
from satc.calibration.contextual.trees import Trees
from satc.calibration.platt import PlattCalibrator, expit
from satc.calibration.similarity.features import as_features
from satc.calibration.similarity.similar import SimilarDocuments, SimilarOf, unknown
from satc.inputs import Labels, Scores, as_labels, as_scores, check_same_classes, check_same_shape

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MIN_DOCUMENTS = 50
MAX_PAIRS = 400_000  # that the model is fitted on
_SCREENED_POSITIVES = 0.005  # share of the positive training pairs that screening may miss
_LOOKED_AT = 0.1  # share of all training pairs that are looked at, at most
# The fewer positives the model has seen, the more it leans on Platt: as if so many spoke for it.
_PLATT_POSITIVES = 300.0
_SMALLEST = 1e-6  # probabilities keep this distance from 0 and 1
_BLOCK_PAIRS = 1 << 18
_SAMPLED = 1 << 18  # pairs whose quantiles are taken, at most
_MODEL: dict[str, Any] = {
    "learning_rate": 0.1,
    "max_iter": 60,
    "max_leaf_nodes": 15,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "early_stopping": False,
}


class ClassContext(NamedTuple):
    """What the calibrator saw of one document and class, and what it made of it."""

    class_index: int
    before: float  # class-wise Platt probability
    after: float  # contextual probability
    screened: bool  # whether the class was too unlikely to be looked at in context
    values: dict[str, float]
    moved_by: dict[str, float]  # what each value adds to the probability, against a typical one


class ContextualCalibrator:
    """P(document belongs to class) from scores in their context.

    Parameters
    ----------
    random_state : int
        Seeds the folds, the thinning and the model.
    max_pairs : int
        The model is fitted on at most about so many pairs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.random((200, 3)) < 0.3
    >>> scores = labels - 0.5 + rng.normal(0, 0.5, labels.shape)
    >>> calibrator = ContextualCalibrator().fit(scores, labels)
    >>> calibrator.probabilities(scores[:2]).shape
    (2, 3)
    """

    def __init__(self, random_state: int = 0, *, max_pairs: int = MAX_PAIRS) -> None:
        self.random_state = random_state
        self.max_pairs = max_pairs

    def fit(self, oof_scores: Any, y_train: Any, train_features: Any = None) -> Self:
        """Learn from the out-of-fold scores and labels (and features) of training documents.

        Parameters
        ----------
        oof_scores, y_train : arrays of shape (n_train, n_classes)
            Scores by classifiers that have not seen the document, and true labels.
        train_features : array or sparse matrix of shape (n_train, n_features), optional
            For what similar documents say; `probabilities` then needs features too.

        Raises
        ------
        ValueError
            With fewer than `MIN_DOCUMENTS` documents, without a positive or without a negative.
        """
        scores = as_scores(oof_scores, "oof_scores")
        labels = as_labels(y_train, "y_train")
        check_same_shape(oof_scores=scores, y_train=labels)
        check_enough(labels)
        rng = np.random.default_rng(self.random_state)
        self.platt_weight_ = _PLATT_POSITIVES / (_PLATT_POSITIVES + np.count_nonzero(labels))
        self.platt_ = PlattCalibrator().fit(scores, labels)
        self.log_prior_ = log_priors(labels.sum(axis=0), len(labels))
        self.cooccurrence_ = Cooccurrence().fit(labels)
        held_out = HeldOut(self.platt_, scores, labels, rng)
        similar = self._fit_similar(train_features, labels, held_out)
        self.threshold_ = _threshold(held_out, labels, rng)
        self.model_ = self._fit_model(*self._sample(held_out, similar, labels, rng))
        return self

    def probabilities(self, scores: Any, features: Any = None) -> Array:
        """P(document belongs to class), documents x classes, strictly between 0 and 1."""
        checked = as_scores(scores, "scores")
        probability = np.empty(checked.shape)
        for rows, documents in self._blocks(checked, features):
            probability[rows] = self._of_documents(documents)[0]
        return probability

    def context(self, scores: Any, i: int, features: Any = None) -> list[ClassContext]:
        """Return what the calibrator sees of document i, class by class.

        Where `screened`, the probability after is the scaled one before.
        """
        row = as_scores(scores, "scores")[i : i + 1 or None]
        if features is not None:
            features = as_features(features, "features")[i : i + 1 or None]
        _, documents = next(self._blocks(row, features))
        after, looked_at = self._of_documents(documents)
        before = expit(documents.logits)
        m = row.shape[1]
        seen = describe(documents, np.zeros(m, dtype=np.int64), np.arange(m))
        moved = np.where(looked_at.T, self._moved(seen, after[0]), 0.0)
        return [
            ClassContext(
                j,
                float(before[0, j]),
                float(after[0, j]),
                not looked_at[0, j],
                dict(zip(documents.names, seen[j].tolist(), strict=True)),
                dict(zip(documents.names, moved[j].tolist(), strict=True)),
            )
            for j in range(m)
        ]

    def _moved(self, seen: NDArray[np.float32], after: Array) -> Array:
        """How much of each probability goes when one value at a time becomes a typical one."""
        moved = np.zeros(seen.shape)
        if self.model_ is None:
            return moved
        for column in range(seen.shape[1]):
            other = seen.copy()
            other[:, column] = self.typical_[column]
            moved[:, column] = after - self._model_probability(other)
        return moved

    def _model_probability(self, seen: NDArray[np.float32]) -> Array:
        if self.model_ is None:
            raise ValueError("the scores separate the classes perfectly: there is no model")
        in_context = self.model_.sum(seen) + self.shift_
        alone = seen[:, SCORE_NAMES.index("logit")]
        return expit((1.0 - self.platt_weight_) * in_context + self.platt_weight_ * alone)

    def _fit_similar(self, features: Any, labels: Labels, held_out: HeldOut) -> SimilarOf:
        self.similar_: SimilarDocuments | None = None
        if features is None:
            return unknown
        residuals = held_out.residuals(labels)
        self.similar_ = SimilarDocuments(features, labels, residuals, self.random_state)
        return self.similar_.to_training()

    def _looked_at(self, documents: Documents) -> NDArray[np.bool_]:
        """Pairs whose context is worth a look: likely enough, or voted for by a neighbour."""
        looked_at = documents.logits >= self.threshold_
        if documents.similar is not None:
            looked_at |= documents.similar.votes > 0
        return looked_at

    def _sample(
        self, held_out: HeldOut, similar: SimilarOf, labels: Labels, rng: np.random.Generator
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Describe the positive and the negative pairs to learn from; count what is screened."""
        half = self.max_pairs // 2
        positives = EvenSample(half)
        negatives = EvenSample(max(half, self.max_pairs - int(np.count_nonzero(labels))))
        found, expected = 0.5, 0.5
        for block, documents in held_out.blocks(similar, _BLOCK_PAIRS):
            looked_at = self._looked_at(documents)
            found += np.count_nonzero(labels[block] & ~looked_at)
            expected += float(expit(documents.logits[~looked_at]).sum())
            for sample, kind in ((positives, labels[block]), (negatives, ~labels[block])):
                rows, columns = np.nonzero(looked_at & kind)
                keys = rng.random(len(rows))
                wanted = sample.wanted(keys)
                sample.add(keys[wanted], describe(documents, rows[wanted], columns[wanted]))
        self.screened_ratio_ = float(np.clip(found / expected, 0.1, 10.0))
        self.shift_ = float(np.log(negatives.share) - np.log(positives.share))
        return positives.rows(), negatives.rows()

    def _fit_model(
        self, positives: NDArray[np.float32], negatives: NDArray[np.float32]
    ) -> Trees | None:
        if not len(negatives):  # the scores separate perfectly: nothing is left to learn
            return None
        seen = np.concatenate([positives, negatives])
        self.typical_ = np.median(seen, axis=0)
        leaf = min(_MODEL["min_samples_leaf"], max(5, len(seen) // 50))
        model = HistGradientBoostingClassifier(
            **(_MODEL | {"min_samples_leaf": leaf}), random_state=self.random_state
        )
        return Trees.of(model.fit(seen, np.arange(len(seen)) < len(positives)), seen)

    def _blocks(self, scores: Scores, features: Any) -> Iterator[tuple[slice, Documents]]:
        similar = self._similar_to(scores, features)
        for rows in document_blocks(len(scores), scores.shape[1], _BLOCK_PAIRS):
            logits = self.platt_.logits(scores[rows])
            evidence = self.cooccurrence_.evidence(expit(logits))
            prior = np.broadcast_to(self.log_prior_, logits.shape)
            standard = scores[rows] / self.platt_.scale
            yield rows, Documents(standard, logits, evidence, prior, similar(rows))

    def _similar_to(self, scores: Scores, features: Any) -> SimilarOf:
        check_same_classes(y_train=self.log_prior_[np.newaxis], scores=scores)
        if (features is None) != (self.similar_ is None):
            raise ValueError(
                "features must be given where train_features were, and only there: "
                f"train_features were {'not ' if self.similar_ is None else ''}given"
            )
        if self.similar_ is None:
            return unknown
        features = as_features(features, "features")
        if features.shape[0] != len(scores):
            raise ValueError(
                f"features must have as many rows as scores, {len(scores)}, "
                f"but has {features.shape[0]}"
            )
        return self.similar_.to(features)

    def _of_documents(self, documents: Documents) -> tuple[Array, NDArray[np.bool_]]:
        probability = expit(documents.logits)
        looked_at = self._looked_at(documents)
        if self.model_ is not None:
            probability[~looked_at] *= self.screened_ratio_
            rows, columns = np.nonzero(looked_at)
            if len(rows):
                seen = describe(documents, rows, columns)
                probability[rows, columns] = self._model_probability(seen)
        return np.clip(probability, _SMALLEST, 1.0 - _SMALLEST, out=probability), looked_at


def check_enough(labels: Labels) -> None:
    """Refuse labels that say too little about context."""
    if len(labels) < MIN_DOCUMENTS:
        raise ValueError(
            f"y_train must hold at least {MIN_DOCUMENTS} documents for probabilities in "
            f"context, but holds {len(labels)}"
        )
    if not labels.any() or labels.all():
        raise ValueError(
            "y_train must hold positive and negative labels for probabilities in context, "
            f"but holds only {'positive' if labels.any() else 'negative'} ones"
        )


def _threshold(held_out: HeldOut, labels: Labels, rng: np.random.Generator) -> float:
    """Return the logit below which pairs are screened; both quantiles may be of a sample."""
    positives = held_out.logits(*some_positives(labels, _SAMPLED, rng))
    everything = held_out.logits(*some_pairs(labels.shape, _SAMPLED, rng))
    looked_at = max(_LOOKED_AT, 2.0 * float(labels.mean()))  # where labels are not rare
    missed = np.quantile(positives, _SCREENED_POSITIVES)
    return float(max(missed, np.quantile(everything, max(0.0, 1.0 - looked_at))))
