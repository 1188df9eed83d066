"""`rank`: which documents to validate first, and why (Section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.calibration.contextual.calibrator import ClassContext
from satc.calibration.similarity.features import as_features
from satc.gains import Gains
from satc.measures import Measure
from satc.ranking.setting import Setting, prepare


class Contribution(NamedTuple):
    """What one class adds to the utility of a document."""

    class_index: int
    decision: bool  # whether the classifier put the document into the class
    error_probability: float
    gain: float  # of correcting the decision, if it is wrong
    contribution: float  # error_probability x gain
    context: ClassContext | None = None  # what moved the probability, for the contextual methods


@dataclass(frozen=True, eq=False)
class Ranking:
    """Documents by decreasing utility.

    Attributes
    ----------
    order : int array
        Document indices, the first to validate first.
    utility : float array
        One value per document, in the documents' own order.
    """

    order: NDArray[np.int64]
    utility: NDArray[np.float64]
    setting: Setting

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """P(document belongs to class), documents x classes."""
        decided = self.setting.scores >= 0
        if self.setting.misclassification is None:
            return np.where(decided, 1.0, 0.0)
        wrong = self.setting.misclassification.of_documents(slice(None))
        return np.subtract(1.0, wrong, out=wrong, where=decided)

    def explain(self, i: int) -> list[Contribution]:
        """Say why document i stands where it does: what each class contributes, largest first."""
        n = len(self.setting.scores)
        if not -n <= i < n:
            raise ValueError(f"i must be a document, 0 to {n - 1}, but is {i}")
        return contributions(self.setting, i % n, self.setting.gains)


def contributions(setting: Setting, i: int, gains: Gains) -> list[Contribution]:
    """Return what each class contributes to the utility of document i, largest first."""
    if setting.misclassification is None:
        return []
    decided = setting.scores[i] >= 0
    gain = np.where(decided, *gains)
    if setting.worth is not None:
        gain = gain * setting.worth.of_classes(decided) / setting.worth.cost[i]
    wrong = setting.misclassification.of_documents(slice(i, i + 1))[0]
    contribution = wrong * gain
    context = _context(setting, i)
    return [
        Contribution(
            int(j),
            bool(decided[j]),
            float(wrong[j]),
            float(gain[j]),
            float(contribution[j]),
            context[j],
        )
        for j in np.argsort(-contribution, kind="stable")
    ]


def _context(setting: Setting, i: int) -> Sequence[ClassContext | None]:
    if setting.calibrator is None:
        return [None] * setting.scores.shape[1]
    features = setting.features
    if features is not None:
        features = as_features(features, "features")[i : i + 1]
    return setting.calibrator.context(setting.scores[i : i + 1], 0, features)


def rank(
    scores: Any,
    *,
    oof_scores: Any = None,
    y_train: Any = None,
    y_true: Any = None,
    method: str = "contextual",
    measure: str | Measure = "f1",
    average: str = "macro",
    sigma: float | None = None,
    features: Any = None,
    train_features: Any = None,
    random_state: Any = 0,
    class_weights: Any = None,
    costs: Any = None,
    error_costs: Any = None,
) -> Ranking:
    """Rank documents by what validating each of them is expected to bring.

    Parameters
    ----------
    scores : array of shape (n_documents, n_classes)
        The classifier's scores: the sign is its decision, the magnitude its confidence.
    oof_scores, y_train : arrays of shape (n_train, n_classes)
        Out-of-fold scores and true labels (0/1) of the training documents; sigma and the
        contingency tables are estimated from them.
    y_true : array of shape (n_documents, n_classes), optional
        The true labels, for the oracles alone.
    method : str
        ``contextual``, ``contextual-dynamic``, ``baseline``, ``u-theoretic``,
        ``u-theoretic-dynamic``, ``oracle1``, ``oracle1-dynamic``, ``oracle2``,
        ``oracle2-dynamic`` or ``random``. A dynamic method is ranked as it stands before the
        first correction; use `Validation` to go on.
    measure : str or callable of (tp, fp, fn, tn)
        What is to rise: ``f1``, ``f2``, ``accuracy``, ... (see `satc.measures.parse`).
    average : {"macro", "micro"}
        Whether classes count alike, or documents.
    sigma : float, optional
        The growth rate of the logistic function, where it is known; else it is calibrated.
    features, train_features : arrays or sparse matrices, documents x features, optional
        For the contextual methods: similar training documents give a second opinion. Any features
        whose cosine is a similarity will do: tf-idf, embeddings.
    random_state : int, Generator or None
        For ``random``.
    class_weights : sequence of numbers, one per class, optional
        How much each class matters; 1 by default.
    costs : sequence of numbers, one per document, optional
        What reading each document costs, in minutes or any other unit: the ranking is then one
        of utility per unit of cost.
    error_costs : pair of numbers, or of sequences with one number per class, optional
        What a false positive and a false negative cost.

    Returns
    -------
    Ranking
        ``order``, ``utility``, ``probability`` and ``explain(i)``.

    Examples
    --------
    >>> import satc
    >>> V = [[1.0, -0.8], [0.4, -0.3], [-0.2, 0.9], [-1.1, 0.1], [-0.6, -0.9], [0.3, -0.5]]
    >>> Y = [[0, 0], [0, 0], [0, 0], [0, 1], [0, 0], [1, 0]]
    >>> ranking = satc.rank([[0.9, -0.1], [0.1, -0.2], [-0.7, 0.8]], oof_scores=V, y_train=Y,
    ...                     method="u-theoretic")
    >>> ranking.order
    array([1, 0, 2])
    """
    setting = prepare(
        scores,
        oof_scores=oof_scores,
        y_train=y_train,
        y_true=y_true,
        method=method,
        measure=measure,
        average=average,
        sigma=sigma,
        features=features,
        train_features=train_features,
        random_state=random_state,
        class_weights=class_weights,
        costs=costs,
        error_costs=error_costs,
    )
    return ranked(setting)


def ranked(setting: Setting) -> Ranking:
    """Rank what has been prepared; ties go by document index, unless the setting says otherwise."""
    if setting.columns is None:
        order = np.random.default_rng(setting.random_state).permutation(len(setting.scores))
        return Ranking(order, np.zeros(len(order)), setting)
    utility = setting.columns.utilities(setting.column_gains)
    if setting.ties is not None:
        return Ranking(np.lexsort((setting.ties, -utility)), utility, setting)
    return Ranking(np.argsort(-utility, kind="stable"), utility, setting)
