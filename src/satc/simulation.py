"""`simulate`: a validation in which the true labels replace the annotator (Section 6.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from satc.arrays.frames import in_order
from satc.contingency import ContingencyTables
from satc.evaluation.error_reduction import ErrorReduction, expected_reduction
from satc.evaluation.error_reduction import error_reduction as evaluate_order
from satc.evaluation.random_ranker import monte_carlo_random_curve
from satc.inputs import Labels, as_labels, check_same_shape
from satc.measures import display_name, macro_or_micro
from satc.printed.notebook import notebook_table
from satc.ranking.documents import RankedDocuments
from satc.ranking.live.dynamic import DynamicRanking
from satc.ranking.model import RankingModel
from satc.ranking.options import RankingOptions, shows_options
from satc.ranking.preparation import prepare
from satc.ranking.ranking import ranked
from satc.validation import Validation

Array = NDArray[np.float64]

_ROUNDING = 1e-12
_SHOWN = (0.0, 0.05, 0.10, 0.20, 0.50, 1.0)  # shares of the documents, in notebooks


@dataclass(frozen=True, eq=False)
class Simulation:
    """The effect of validating all documents in the order of a method.

    Attributes
    ----------
    order : int array
        The order in which documents were validated.
    error_reduction : float array
        ER(n) for n = 0, ..., |Te|, against the classifier's own error; for ``random``, the mean
        over the trials. It starts at 0 where the signs of the scores decide, and elsewhere at what
        the choice of the labels has brought.
    value : float array
        The measure after n documents, for n = 0, ..., |Te|: from the start to 1.
    reduction : ErrorReduction
        The same in detail, against the error at the start: residual error, NER, class-wise values.
    documents : RankedDocuments
    """

    order: NDArray[np.int64]
    error_reduction: Array
    value: Array
    reduction: ErrorReduction
    documents: RankedDocuments

    def documents_for(self, target: float) -> int:
        """Return how many documents must be validated until the measure reaches a target.

        Parameters
        ----------
        target : float
            A value of the measure, as 0.9.
        """
        reached = np.flatnonzero(self.value >= target - _ROUNDING)
        if not len(reached):
            raise ValueError(
                f"target must be a value that the measure reaches, at most {self.value.max():g}, "
                f"but is {target}"
            )
        return int(reached[0])

    def ener(self, xi: float = 0.10, *, class_wise: bool = False) -> float:
        """Return the expected normalised error reduction; see `ErrorReduction.ener`.

        Where labels were chosen for the measure, it is that of `error_reduction`.
        """
        if self.documents.model.method.name != "random" and self.documents.decisions is None:
            return self.reduction.ener(xi, class_wise=class_wise)
        if class_wise and self.documents.decisions is not None:
            return self.reduction.ener(xi, class_wise=True)
        return expected_reduction(self.error_reduction, xi)

    def _repr_html_(self) -> str:
        """Return a table of the measure after some shares of the work, for notebooks."""
        model, n = self.documents.model, len(self.order)
        measure = display_name(model.measure, model.average, model.task)
        checked = dict.fromkeys(round(share * n) for share in _SHOWN)
        rows = [
            [f"{k:,}", f"{self.value[k]:.3f}", f"{self.error_reduction[k]:.3f}"] for k in checked
        ]
        caption = f"{n:,} documents in the order of {model.method.name}"
        return notebook_table(caption, ["checked", measure, "error reduction"], rows)


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
    return simulate_documents(prepare(scores, y_true=y_true, **options), y_true, n_trials=n_trials)


def simulate_documents(
    documents: RankedDocuments, y_true: Any, *, n_trials: int = 100
) -> Simulation:
    """Simulate a validation of documents that are prepared already."""
    model = documents.model
    truth = as_labels(in_order(y_true, model.class_names, "y_true"), "y_true")
    decided = documents.decided
    check_same_shape(scores=documents.scores, y_true=truth)
    evaluated: dict[str, Any] = {
        "measure": model.measure,
        "average": model.average,
        "labels": decided,
    }
    if model.is_cold:
        return _simulate_cold_start(documents, truth)
    if model.method.is_dynamic:
        order = DynamicRanking(documents).run(decided, truth)
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
    error = reduction.residual_error[0] * (1.0 - curve)
    value = _measured(model, truth, truth) - error
    if documents.decisions is not None:
        curve = _reduction_of_classifier_error(
            model, truth, model.own_labels(documents.scores), value, curve
        )
    return Simulation(order, curve, value, reduction, documents)


def _simulate_cold_start(documents: RankedDocuments, truth: Labels) -> Simulation:
    """Simulate a validation that begins without any known label and learns on the way."""
    model, validation = documents.model, Validation.learning(documents)
    tables = ContingencyTables.from_labels(truth, documents.decided)
    value = [macro_or_micro(model.measure, tables, model.average)]
    labels = validation.labels
    while (i := validation.next()) is not None:
        validation.submit(i, truth[i])
        changed = validation.documents is not documents
        documents = validation.documents
        if changed:  # labels may have been chosen anew
            labels = validation.labels
            tables = ContingencyTables.from_labels(truth, labels)
        else:
            tables = _corrected(tables, labels[i], truth[i])
            labels[i] = truth[i]
        value.append(macro_or_micro(model.measure, tables, model.average))
    order, own = validation.order, model.own_labels(documents.scores)
    reduction = evaluate_order(
        order, documents.scores, truth, measure=model.measure, average=model.average, labels=own
    )
    curve = _reduction_of_classifier_error(model, truth, own, np.array(value), reduction.er)
    return Simulation(order, curve, np.array(value), reduction, documents)


def _corrected(tables: ContingencyTables, labels: Labels, truth: Labels) -> ContingencyTables:
    """Return the tables after the labels of one document have been corrected."""
    fp, fn = labels & ~truth, truth & ~labels
    return ContingencyTables(tables.tp + fn, tables.fp - fp, tables.fn - fn, tables.tn + fp)


def _measured(model: RankingModel, truth: Labels, labels: Labels) -> float:
    tables = ContingencyTables.from_labels(truth, labels)
    return macro_or_micro(model.measure, tables, model.average)


def _reduction_of_classifier_error(
    model: RankingModel, truth: Labels, own_labels: Labels, value: Array, curve: Array
) -> Array:
    """Return the share by which the error of the classifier's own labels is reduced.

    `curve` is the reduction of the error of the chosen labels. It is returned if the classifier's
    own labels have no error.
    """
    start, end = _measured(model, truth, own_labels), value[-1]
    return curve if start >= end else (value - start) / (end - start)
