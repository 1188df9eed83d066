"""The calibrator of a cold start: no true label is known at first, and people decide on some.

Before people have decided on `FIRST` documents, probabilities are those of the prior (`prior`).
Then the contextual calibrator learns from the decided documents. Which documents people are given
depends on the scores alone, so what is learnt of P(label | scores) is not biased by it. The prior
keeps a weight that falls with every label that people confirm or add.

Where features of the documents are known, they are used from `FIRST_SIMILAR` decisions on, to find
similar documents. Predictions that are not graded get a second opinion, if there is one: the scores
of a classifier that learnt the predicted labels of other documents (`combination`).
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from satc.calibration.cold.combination import combination_weights
from satc.calibration.cold.prior import Line, prior_line
from satc.calibration.contextual.calibrator import ClassContext, ContextualCalibrator, is_enough
from satc.calibration.contextual.description import document_blocks
from satc.calibration.contextual.one_label import OneLabelCalibrator
from satc.calibration.evidence import Evidence, is_there
from satc.calibration.platt import class_scales, expit
from satc.calibration.similarity.features import as_features, stacked
from satc.calibration.similarity.similar import SimilarDocument
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels, Scores
from satc.training import Training

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

FIRST = 10  # decisions from which probabilities are learnt; then again at 20, 40, 80, ...
FIRST_SIMILAR = 80  # decisions from which similar documents are used
# The prior weighs as much as this many labels that people decided on. Where every document has
# exactly one label, classes compete, and there is more to learn: that many for each class.
_PRIOR_LABELS = 2.0
_BLOCK_PAIRS = 1 << 18
_SMALLEST = 1e-6  # probabilities are at least this far from 0 and 1


class _Examples(NamedTuple):
    """Documents whose labels are known: scores divided by their scale, labels, features or None."""

    scores: Array
    labels: Labels
    features: Any

    def with_known(self, training: Training, scores: Array) -> _Examples:
        """Add documents that were known from the start; features count if all have them."""
        features = None
        if self.features is not None and training.features is not None:
            features = stacked([self.features, as_features(training.features, "train_features")])
        return _Examples(
            np.concatenate([self.scores, scores]),
            np.concatenate([self.labels, training.labels]),
            features,
        )


class Standing(NamedTuple):
    """What the probabilities of a cold start rest on.

    Attributes
    ----------
    n_decisions : int
        Decided or known documents that the probabilities were learnt from.
    prior_share : float
        The weight of the prior, from 1 (nothing is learnt yet) to 0.
    n_seen, n_classes : int
        Classes that at least one of these documents has, and all classes.
    """

    n_decisions: int
    prior_share: float
    n_seen: int
    n_classes: int

    def __str__(self) -> str:
        if not self.n_decisions:
            return (
                "The probabilities are a prior: they come from the predictions alone. They are "
                f"learnt from {FIRST} decisions on, once people have seen a label."
            )
        learnt = (
            f"The probabilities are learnt from {self.n_decisions:,} decisions "
            f"({self.prior_share:.0%} prior)."
        )
        if self.n_seen == self.n_classes:
            return f"{learnt} People have seen all {self.n_classes:,} classes."
        return (
            f"{learnt} People have seen {self.n_seen:,} of {self.n_classes:,} classes; the others "
            "are judged by what all classes have in common."
        )


class ColdStartCalibrator:
    """P(document belongs to class) from predictions and the decisions of people so far.

    Parameters
    ----------
    task : str
        ``"multi-label"`` or ``"single-label"``.
    random_state : int
        Seed of the contextual calibrator.

    Examples
    --------
    >>> scores = np.array([[2.0, -1.0], [0.1, -3.0], [-2.0, 1.0]])
    >>> calibrator = ColdStartCalibrator().fit(scores)
    >>> bool(calibrator.probabilities(scores)[1, 0] < calibrator.probabilities(scores)[0, 0])
    True
    >>> calibrator.standing_.n_decisions
    0
    """

    def __init__(self, task: str = MULTI_LABEL, random_state: int = 0) -> None:
        self.task = task
        self.random_state = random_state

    def fit(
        self,
        scores: Scores,
        evidence: Evidence | None = None,
        decided: Indices | None = None,
        labels: Labels | None = None,
        training: Training | None = None,
    ) -> Self:
        """Fit to the scores of all documents, and to the labels of those that people decided on.

        Parameters
        ----------
        scores : array of shape (n_documents, n_classes)
        evidence : Evidence, optional
            Features of all documents, and a second opinion.
        decided : int array, optional
            The documents that people decided on.
        labels : array of shape (len(decided), n_classes), optional
            Their labels.
        training : Training, optional
            A few other documents whose labels are known. They count as decisions, unless there
            is an opinion that does not know them.
        """
        known = evidence or Evidence()
        if decided is None or labels is None:
            decided, labels = np.zeros(0, dtype=np.int64), np.zeros((0, scores.shape[1]), bool)
        self.decided_ = decided
        self.uses_similar_ = False
        self.scale_ = self._scale(scores)
        self.opinion_scales_ = {
            name: self._scale(one[is_there(one)]) for name, one in known.opinions.items()
        }
        n_opinions = len(self.opinion_scales_)
        self.weights_ = np.full(1 + n_opinions, 1.0 / (1 + n_opinions))
        if n_opinions and is_enough(labels, FIRST):
            parts = self._parts(scores[decided], known.rows(decided))
            self.weights_ = combination_weights(parts, labels)
        combined = self._combined(scores, known)
        self.line_: Line = prior_line(combined, self.task)
        self.calibrator_: ContextualCalibrator | None = None
        examples = _Examples(combined[decided], labels, known.rows(decided).features)
        if training is not None and self.opinion_scales_.keys() <= training.opinions.keys():
            of_known = Evidence(None, training.opinions)
            examples = examples.with_known(training, self._combined(training.oof_scores, of_known))
        if is_enough(examples.labels, FIRST):
            self._learn(examples)
        self.standing_ = self._standing(examples.labels)
        return self

    def probabilities(self, scores: Any, features: Evidence | None = None) -> Array:
        """Return P(document belongs to class), documents x classes.

        `features` is the evidence on these documents, if there was any in `fit`.
        """
        known = features or Evidence()
        probability = np.empty(scores.shape)
        for rows in document_blocks(len(scores), scores.shape[1], _BLOCK_PAIRS):
            probability[rows] = self._block(scores[rows], known.rows(rows))
        return probability

    def _block(self, scores: Scores, known: Evidence) -> Array:
        combined = self._combined(scores, known)
        prior = np.clip(self.line_.probabilities(combined, self.task), _SMALLEST, 1.0 - _SMALLEST)
        if self.calibrator_ is None:
            return prior
        learnt = self.calibrator_.probabilities(combined, self._similar(known.features))
        return self._mixed(prior, learnt)

    def context(self, scores: Any, i: int, features: Evidence | None = None) -> list[ClassContext]:
        """Return the features of document i and their effect, one entry per class."""
        rows = slice(i, i + 1 or None)
        known = (features or Evidence()).rows(rows)
        after = self.probabilities(scores[rows], known)[0]
        if self.calibrator_ is None:
            found = [ClassContext(j, p, p, True, {}, {}) for j, p in enumerate(after.tolist())]
            return _with_opinions(found, known)
        combined = self._combined(scores[rows], known)
        found = self.calibrator_.context(combined, 0, self._similar(known.features))
        found = [one._replace(after=float(p)) for one, p in zip(found, after, strict=True)]
        return _with_opinions(found, known)

    def similar_to(self, features: Any, n: int) -> list[SimilarDocument]:
        """Return the n most similar documents with known labels, the nearest first.

        These are decided documents, with the labels that were learnt, and training documents, if
        a few were known. The list is empty until similar documents are used (`FIRST_SIMILAR`).
        """
        if self.calibrator_ is None:
            return []
        return [self._example(one) for one in self.calibrator_.similar_to(features, n)]

    def _example(self, found: SimilarDocument) -> SimilarDocument:
        """Return a similar example by its row in the documents that it is one of."""
        n_decided = len(self.decided_)
        if found.row >= n_decided:
            return found._replace(row=found.row - n_decided)
        return found._replace(row=int(self.decided_[found.row]), is_training=False)

    def _learn(self, examples: _Examples) -> None:
        kind = OneLabelCalibrator if self.task == SINGLE_LABEL else ContextualCalibrator
        n = len(examples.labels)
        self.uses_similar_ = examples.features is not None and n >= FIRST_SIMILAR
        self.calibrator_ = kind(self.random_state, min_documents=FIRST)
        self.calibrator_.fit(examples.scores, examples.labels, self._similar(examples.features))

    def _scale(self, scores: Scores) -> Array:
        """Return the typical |score| of every class; one for all where they compete."""
        scale = class_scales(scores)
        return np.full_like(scale, scale.mean()) if self.task == SINGLE_LABEL else scale

    def _similar(self, features: Any) -> Any:
        return features if self.uses_similar_ else None

    def _parts(self, scores: Scores, known: Evidence) -> list[Array]:
        """Return the scores and the opinions, each divided by the scale of its class.

        Where an opinion says nothing, it counts as the scores do.
        """
        own = np.asarray(scores / self.scale_, dtype=np.float64)
        parts = [own]
        for name, scale in self.opinion_scales_.items():
            if name not in known.opinions:
                raise ValueError(f"features must hold the opinion {name!r} that fit had")
            opinion = known.opinions[name] / scale
            parts.append(np.where(np.isfinite(opinion), opinion, own))
        return parts

    def _combined(self, scores: Scores, known: Evidence) -> Array:
        parts = self._parts(scores, known)
        if len(parts) == 1:
            return parts[0]
        return np.asarray(sum(w * part for w, part in zip(self.weights_, parts, strict=True)))

    def _mixed(self, prior: Array, learnt: Array) -> Array:
        """Return the weighted mean of the log-odds of the prior and of what was learnt."""
        share = self.standing_.prior_share
        logits = [np.log(p) - np.log1p(-p) for p in (prior, learnt)]
        mixed = expit(share * logits[0] + (1.0 - share) * logits[1])
        if self.task == SINGLE_LABEL:
            mixed /= mixed.sum(axis=1, keepdims=True)
        return np.clip(mixed, _SMALLEST, 1.0 - _SMALLEST)

    def _standing(self, labels: Labels) -> Standing:
        n_classes = int(labels.shape[1])
        if self.calibrator_ is None:
            return Standing(0, 1.0, 0, n_classes)
        prior = _PRIOR_LABELS * (n_classes if self.task == SINGLE_LABEL else 1)
        share = prior / (prior + float(np.count_nonzero(labels)))
        return Standing(len(labels), share, int(labels.any(axis=0).sum()), n_classes)


def _with_opinions(found: list[ClassContext], known: Evidence) -> list[ClassContext]:
    """Add what opinions say about a document; `known` is the evidence on it alone."""
    told = {name: one[0] for name, one in known.opinions.items() if is_there(one)[0]}
    return [
        one._replace(opinions={name: float(said[one.class_index]) for name, said in told.items()})
        for one in found
    ]


def due(n_decisions: int) -> int:
    """Return the number of decisions that probabilities are learnt from, at this number so far.

    >>> [due(n) for n in (9, 10, 19, 20, 100)]
    [0, 10, 10, 20, 80]
    """
    if n_decisions < FIRST:
        return 0
    return int(FIRST * 2 ** ((n_decisions // FIRST).bit_length() - 1))
