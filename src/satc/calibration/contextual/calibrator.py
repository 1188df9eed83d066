"""Calibrated probabilities from scores in their context, learnt from out-of-fold scores.

One gradient-boosted model gives P(y = 1) of a pair of document and class. Its features
(`description`) are the class-wise Platt logit and its context: the scores of the other classes, the
co-occurrence of labels and, if features of documents are given, similar training documents. The
log-odds of the model are averaged with those of Platt, whose weight is smaller the more positive
examples there are. A mean of log-odds expects too few positives; a shift corrects that. Most pairs
are clear negatives. Pairs with a logit below that of almost all positive training pairs are
*screened*: they do not use the model, and get a scaled Platt probability. The calibrator processes
documents in blocks and is fitted on a sample of bounded size (`pairs`). It holds no array of
documents x classes besides its arguments and its result.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from satc.calibration.contextual.block import DocumentBlock
from satc.calibration.contextual.class_tables import ClassTables
from satc.calibration.contextual.cooccurrence import Cooccurrence
from satc.calibration.contextual.description import (
    SCORE_NAMES,
    DocumentsInContext,
    document_blocks,
    feature_names,
    log_priors,
)
from satc.calibration.contextual.held_out import HeldOut, random_folds
from satc.calibration.contextual.kernel import PairModel, log_odds_in_context
from satc.calibration.contextual.pairs import UniformSample, sample_pairs, sample_positives
from satc.calibration.contextual.trees import Trees
from satc.calibration.evidence import Evidence, evidence_of, is_there
from satc.calibration.opinions.pool import OpinionPool
from satc.calibration.platt import expit
from satc.calibration.processors import on_idle_processors
from satc.calibration.similarity.similar import (
    SimilarDocument,
    SimilarDocuments,
    SimilarOf,
    no_features,
)
from satc.inputs import Labels, Scores, as_labels, as_scores, check_same_classes, check_same_shape
from satc.machine.threads import in_threads

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MIN_DOCUMENTS = 50
MAX_PAIRS = 400_000  # largest size of the sample that the model is fitted on
_SCREENED_POSITIVES = 0.005  # share of the positive training pairs that are screened, at most
_NOT_SCREENED = 0.1  # share of all training pairs that are not screened, at most
_PLATT_POSITIVES = 300.0  # Platt's weight is 300 / (300 + positives)
_SMALLEST = 1e-6  # probabilities are at least this far from 0 and 1
_LARGEST_SHIFT = 5.0  # of the mean of log-odds
_BLOCK_PAIRS = 1 << 16  # of a block of documents whose probabilities one thread computes
_SAMPLE_PAIRS = 1 << 18  # of a block of documents from which pairs are sampled
_QUANTILE_PAIRS = 1 << 18  # largest number of pairs from which quantiles are computed
_MODEL: dict[str, Any] = {
    "learning_rate": 0.1,
    "max_iter": 60,
    "max_leaf_nodes": 15,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "early_stopping": False,
}


class ClassContext(NamedTuple):
    """The features of one document and class, and their effect on the probability."""

    class_index: int
    before: float  # class-wise Platt probability, by the scores alone
    after: float  # contextual probability
    screened: bool  # whether the class was too unlikely for the model to be used
    values: dict[str, float]
    moved_by: dict[str, float]  # change of the probability compared with a typical feature value
    opinions: Mapping[str, float] = MappingProxyType({})  # positive: yes; silent ones are left out


class ContextualCalibrator:
    """P(document belongs to class) from scores in their context.

    Parameters
    ----------
    random_state : int
        Seed of the folds, of the sample of pairs and of the model.
    max_pairs : int
        Largest number of pairs that the model is fitted on, approximately.
    min_documents : int
        Smallest number of training documents that `fit` accepts.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.random((200, 3)) < 0.3
    >>> scores = labels - 0.5 + rng.normal(0, 0.5, labels.shape)
    >>> calibrator = ContextualCalibrator().fit(scores, labels)
    >>> calibrator.probabilities(scores[:2]).shape
    (2, 3)
    """

    def __init__(
        self,
        random_state: int = 0,
        *,
        max_pairs: int = MAX_PAIRS,
        min_documents: int = MIN_DOCUMENTS,
    ) -> None:
        self.random_state = random_state
        self.max_pairs = max_pairs
        self.min_documents = min_documents

    def fit(self, oof_scores: Any, y_train: Any, train_features: Any = None) -> Self:
        """Fit to the out-of-fold scores and labels (and features) of training documents.

        Parameters
        ----------
        oof_scores, y_train : arrays of shape (n_train, n_classes)
            Scores by classifiers that were not trained on the document, and true labels.
        train_features : array or sparse matrix of shape (n_train, n_features), optional
            Features from which similar documents are found. If they are given, `probabilities`
            needs features, too.

        Raises
        ------
        ValueError
            If there are fewer than `min_documents` documents, no positive or no negative label.
        """
        scores = as_scores(oof_scores, "oof_scores")
        labels = as_labels(y_train, "y_train")
        check_same_shape(oof_scores=scores, y_train=labels)
        check_enough(labels, self.min_documents)
        rng = np.random.default_rng(self.random_state)
        self.platt_weight_ = _PLATT_POSITIVES / (_PLATT_POSITIVES + int(np.count_nonzero(labels)))
        known = evidence_of(train_features, "train_features")
        fold = random_folds(len(labels), rng)
        self.pool_ = OpinionPool().fit(scores, known.opinions, labels, fold)
        self.log_prior_ = log_priors(labels.sum(axis=0), len(labels))
        self.cooccurrence_ = Cooccurrence().fit(labels)
        self.tables_ = ClassTables.of(self.pool_.platt.scale, self.log_prior_, self.cooccurrence_)
        self.classes_compete_ = bool((labels.sum(axis=1) == 1).all())
        held_out = HeldOut(self.pool_, scores, known, labels, fold)
        similar = self._fit_similar(known.features, labels, held_out)
        self.threshold_ = _threshold(held_out, labels, rng)
        self.model_ = self._fit_model(*self._sample(held_out, similar, labels, rng))
        return self

    def probabilities(self, scores: Any, features: Any = None) -> Array:
        """Return P(document belongs to class), documents x classes, strictly between 0 and 1."""
        checked = as_scores(scores, "scores")
        known = evidence_of(features)
        similar = self._similar_to(checked, known.features)
        probability = np.empty(checked.shape)

        def fill(rows: slice) -> None:
            block = self._block(checked, known, similar, rows)
            self._fill(block, probability[rows])
            self._finish(probability[rows])

        n, m = checked.shape
        in_threads(fill, list(document_blocks(n, m, _BLOCK_PAIRS)))
        return probability

    def context(self, scores: Any, i: int, features: Any = None) -> list[ClassContext]:
        """Return the features of document i and their effect, one entry per class.

        For a screened class, the probability after is the scaled probability before.
        """
        row = as_scores(scores, "scores")[i : i + 1 or None]
        known = evidence_of(features).rows(slice(i, i + 1 or None))
        block = self._block(row, known, self._similar_to(row, known.features), slice(0, 1))
        after = self._fill(block, np.empty(row.shape))[0]
        of_each = self.pool_.pooled(row, known.opinions).alone
        told = {name: one[0] for name, one in of_each.items() if is_there(known.opinions[name])[0]}
        before = expit(self.pool_.platt.logits(row))[0]
        places = np.zeros(len(after), dtype=np.int64)
        documents = DocumentsInContext(block, places[:1], [self.tables_])
        modelled = block.looked_at(self.threshold_)[0]
        values = documents.describe(places, np.arange(len(after)))
        effects = np.where(modelled[:, np.newaxis], self._effects(values, after), 0.0)
        names = feature_names(similar=self.similar_ is not None, opinions=self._competing())
        return [
            ClassContext(
                j,
                float(before[j]),
                float(after[j]),
                not modelled[j],
                dict(zip(names, values[j].tolist(), strict=True)),
                dict(zip(names, effects[j].tolist(), strict=True)),
                {name: float(logits[j]) for name, logits in told.items()},
            )
            for j in range(len(after))
        ]

    def similar_to(self, features: Any, n: int) -> list[SimilarDocument]:
        """Return the n most similar training documents of one document, the nearest first.

        Parameters
        ----------
        features
            Features of one document, or evidence that holds them.
        n : int
            There are at most 20: those that vote.

        Returns
        -------
        list of SimilarDocument
            Empty if `fit` had no features.
        """
        if self.similar_ is None:
            return []
        return self.similar_.nearest_to(evidence_of(features).features, n)

    def _effects(self, values: NDArray[np.float32], after: Array) -> Array:
        """Return how much each probability decreases if one feature has a typical value."""
        effects = np.zeros(values.shape)
        if self.model_ is None:
            return effects
        for column in range(values.shape[1]):
            other = values.copy()
            other[:, column] = self.typical_[column]
            effects[:, column] = after - self._model_probability(other)
        return effects

    def _model_probability(self, values: NDArray[np.float32]) -> Array:
        if self.model_ is None:
            raise ValueError("the scores separate the classes perfectly: there is no model")
        return expit(self._mixed(self.model_, values) + self.mix_shift_)

    def _mixed(self, model: Trees, values: NDArray[np.float32]) -> Array:
        """Return the weighted mean of the log-odds of the model and of Platt."""
        in_context = model.log_odds(values) + self.shift_
        platt = values[:, SCORE_NAMES.index("logit")].astype(np.float64)
        return np.asarray((1.0 - self.platt_weight_) * in_context + self.platt_weight_ * platt)

    def _fit_similar(self, features: Any, labels: Labels, held_out: HeldOut) -> SimilarOf:
        self.similar_: SimilarDocuments | None = None
        if features is None:
            return no_features
        residuals = held_out.residuals(labels)
        self.similar_ = SimilarDocuments(features, labels, residuals, self.random_state)
        return self.similar_.of_training()

    def _sample(
        self, held_out: HeldOut, similar: SimilarOf, labels: Labels, rng: np.random.Generator
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the features of a sample of positive pairs and of negative pairs.

        This also sets `screened_ratio_`, the ratio of true to expected positives among screened
        pairs, and `shift_`, the correction of the log-odds for the sampling rates.
        """
        half = self.max_pairs // 2
        positives = UniformSample(half)
        negatives = UniformSample(max(half, self.max_pairs - int(np.count_nonzero(labels))))
        found, expected = 0.5, 0.5
        for block, documents in held_out.blocks(similar, _SAMPLE_PAIRS):
            modelled = documents.block.looked_at(self.threshold_)
            found += np.count_nonzero(labels[block] & ~modelled)
            expected += float(documents.block.probability[~modelled].sum())
            for sample, kind in ((positives, labels[block]), (negatives, ~labels[block])):
                rows, columns = np.nonzero(modelled & kind)
                keys = rng.random(len(rows))
                wanted = sample.wanted(keys)
                sample.add(keys[wanted], documents.describe(rows[wanted], columns[wanted]))
        self.screened_ratio_ = float(np.clip(found / expected, 0.1, 10.0))
        self.shift_ = float(np.log(negatives.share) - np.log(positives.share))
        return positives.rows(), negatives.rows()

    def _fit_model(
        self, positives: NDArray[np.float32], negatives: NDArray[np.float32]
    ) -> Trees | None:
        if not len(negatives):  # the scores separate the classes perfectly: no model is needed
            return None
        from sklearn.ensemble import HistGradientBoostingClassifier  # slow to import

        values = np.concatenate([positives, negatives])
        self.typical_ = np.median(values, axis=0)
        leaf = min(_MODEL["min_samples_leaf"], max(5, len(values) // 50))
        model = HistGradientBoostingClassifier(
            **(_MODEL | {"min_samples_leaf": leaf}), random_state=self.random_state
        )
        with on_idle_processors():
            model.fit(values, np.arange(len(values)) < len(positives))
            trees = Trees.of(model, values)
        weights = np.ones(len(values))
        weights[len(positives) :] = np.exp(-self.shift_)  # sampled negatives stand for more
        self.mix_shift_ = _shift_to(self._mixed(trees, values), weights, len(positives))
        return trees

    def _block(
        self, scores: Scores, known: Evidence, similar: SimilarOf, rows: slice
    ) -> DocumentBlock:
        told = {name: one[rows] for name, one in known.opinions.items()}
        pooled = self.pool_.pooled(scores[rows], told, alone=self.classes_compete_)
        return DocumentBlock.of(scores[rows], pooled, similar(rows))

    def _competing(self) -> tuple[str, ...]:
        """Return the opinions whose own log-odds are features: all, if classes compete."""
        return tuple(self.pool_.heard) if self.classes_compete_ else ()

    def _similar_to(self, scores: Scores, features: Any) -> SimilarOf:
        check_same_classes(y_train=self.log_prior_[np.newaxis], scores=scores)
        if (features is None) != (self.similar_ is None):
            raise ValueError(
                "features must be given where train_features were, and only there: "
                f"train_features were {'not ' if self.similar_ is None else ''}given"
            )
        if self.similar_ is None:
            return no_features
        if features.shape[0] != len(scores):
            raise ValueError(
                f"features must have as many rows as scores, {len(scores)}, "
                f"but has {features.shape[0]}"
            )
        return self.similar_.of(features)

    def _fill(self, block: DocumentBlock, out: Array) -> Array:
        """Write the probabilities of a block to `out`, each class apart."""
        if self.model_ is None:
            out[:] = block.probability
        else:
            np.multiply(block.probability, self.screened_ratio_, out=out)
            model = self._pair_model(self.model_)
            places, log_odds = log_odds_in_context(block, self.tables_, model)
            np.put(out, places, expit(log_odds))
        return np.clip(out, _SMALLEST, 1.0 - _SMALLEST, out=out)

    def _finish(self, probability: Array) -> None:
        """Change the probabilities of each class apart to those of documents."""

    def _pair_model(self, trees: Trees) -> PairModel:
        return PairModel(
            trees,
            self.threshold_,
            self.shift_,
            self.platt_weight_,
            self.mix_shift_,
        )


def _shift_to(log_odds: Array, weights: Array, total: float) -> float:
    """Return the shift of the log-odds with which the weighted probabilities sum to a total."""

    def excess(shift: float) -> float:
        return float(weights @ expit(log_odds + shift)) - total

    if excess(_LARGEST_SHIFT) < 0.0 or excess(-_LARGEST_SHIFT) > 0.0:
        return 0.0
    return float(scipy.optimize.brentq(excess, -_LARGEST_SHIFT, _LARGEST_SHIFT, xtol=1e-9))


def is_enough(labels: Labels, min_documents: int = MIN_DOCUMENTS) -> bool:
    """Whether there are enough labels to fit the calibrator.

    >>> is_enough(np.eye(MIN_DOCUMENTS, dtype=bool)), is_enough(np.ones((99, 2), dtype=bool))
    (True, False)
    """
    return len(labels) >= min_documents and bool(labels.any()) and not labels.all()


def check_enough(labels: Labels, min_documents: int = MIN_DOCUMENTS) -> None:
    """Raise an error that says why, if there are too few labels to fit the calibrator."""
    if is_enough(labels, min_documents):
        return
    if len(labels) < min_documents:
        raise ValueError(
            f"y_train must hold at least {min_documents} documents for probabilities in "
            f"context, but holds {len(labels)}"
        )
    raise ValueError(
        "y_train must hold positive and negative labels for probabilities in context, "
        f"but holds only {'positive' if labels.any() else 'negative'} ones"
    )


def _threshold(held_out: HeldOut, labels: Labels, rng: np.random.Generator) -> float:
    """Return the logit below which pairs are screened; quantiles are computed from samples."""
    positives = held_out.logits(*sample_positives(labels, _QUANTILE_PAIRS, rng))
    everything = held_out.logits(*sample_pairs(labels.shape, _QUANTILE_PAIRS, rng))
    modelled = max(_NOT_SCREENED, 2.0 * float(labels.mean()))  # more if labels are not rare
    missed = np.quantile(positives, _SCREENED_POSITIVES)
    return float(max(missed, np.quantile(everything, max(0.0, 1.0 - modelled))))
