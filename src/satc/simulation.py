"""`simulate`: a validation in which the true labels replace the annotator (Section 6.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from satc.evaluation.error_reduction import ErrorReduction
from satc.evaluation.error_reduction import error_reduction as evaluate_order
from satc.evaluation.random_ranker import monte_carlo_random_curve
from satc.evaluation.stopping import persistence, reach
from satc.inputs import as_labels, check_same_shape
from satc.ranking.documents import RankedDocuments
from satc.ranking.dynamic import DynamicRanking
from satc.ranking.options import RankingOptions, shows_options
from satc.ranking.preparation import prepare
from satc.ranking.ranking import ranked

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Simulation:
    """The result of a simulated validation.

    Attributes
    ----------
    order : int array
        The order in which documents were validated.
    error_reduction : float array
        ER(n) for n = 0, ..., |Te|; for ``random``, the mean over the trials.
    reduction : ErrorReduction
        The same in detail: residual error, NER, class-wise values.
    """

    order: NDArray[np.int64]
    error_reduction: Array
    reduction: ErrorReduction
    documents: RankedDocuments

    def ener(self, xi: float = 0.10, *, class_wise: bool = False) -> float:
        """Expected normalised error reduction; see `ErrorReduction.ener`."""
        if self.documents.model.method.name == "random":
            n = len(self.order)
            weights = reach(persistence(xi, n), n)
            return float(np.dot(np.diff(self.error_reduction), weights) - weights.mean())
        return self.reduction.ener(xi, class_wise=class_wise)


@shows_options()
def simulate(
    scores: Any, y_true: Any, *, n_trials: int = 100, **options: Unpack[RankingOptions]
) -> Simulation:
    """Simulate a validation of all documents by an annotator who makes no mistakes.

    Parameters
    ----------
    scores, y_true : arrays of shape (n_documents, n_classes)
        The classifier's scores and the true labels.
    n_trials : int
        The number of random orders over which the curve of the method ``random`` is averaged.
    **options : Any
        As for `satc.rank`. The result is evaluated with the same measure and average.

    Examples
    --------
    >>> import satc
    >>> V = [[1.0, -0.8], [0.4, -0.3], [-0.2, 0.9], [-1.1, 0.1], [-0.6, -0.9], [0.3, -0.5]]
    >>> Y = [[0, 0], [0, 0], [0, 0], [0, 1], [0, 0], [1, 0]]
    >>> scores, y_true = [[0.9, -0.1], [0.1, -0.2], [-0.7, 0.8]], [[1, 1], [1, 0], [0, 1]]
    >>> sim = satc.simulate(scores, y_true, oof_scores=V, y_train=Y, method="u-theoretic")
    >>> sim.error_reduction
    array([0., 0., 1., 1.])
    """
    documents = prepare(scores, y_true=y_true, **options)
    model, truth = documents.model, as_labels(y_true, "y_true")
    check_same_shape(scores=documents.scores, y_true=truth)
    evaluated: dict[str, Any] = {"measure": model.measure, "average": model.average}
    if model.method.is_dynamic:
        order = DynamicRanking(documents).run(documents.scores, truth)
    else:
        order = ranked(documents).order
    reduction = evaluate_order(order, documents.scores, truth, **evaluated)
    curve = reduction.er
    if model.method.name == "random":
        curve = monte_carlo_random_curve(
            documents.scores,
            truth,
            **evaluated,
            n_trials=n_trials,
            random_state=model.random_state,
        )
    return Simulation(order, curve, reduction, documents)
