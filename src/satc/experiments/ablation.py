"""The effect of each ingredient of the contextual method, added to the method of the paper.

One ingredient is added at a time: tables from Te itself, a Platt line for each class, the context
of a decision, the neighbours of a document, and learning while people correct.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.calibration.logistic import membership_probabilities
from satc.calibration.platt import PlattCalibrator, expit
from satc.datasets.dataset import Dataset
from satc.evaluation.error_reduction import error_reduction
from satc.experiments.published import XIS
from satc.experiments.scores import CachedScores
from satc.experiments.tables import Table
from satc.learners.embedding_classifier import EmbeddingOpinion
from satc.learners.text import tfidf_vectorizer
from satc.measures import parse
from satc.ranking.documents import RankedDocuments
from satc.ranking.live.dynamic import DynamicRanking
from satc.ranking.methods import METHODS
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.preparation import prepare
from satc.ranking.ranking import ranked

Array = NDArray[np.float64]


class Step(NamedTuple):
    """The results after one more ingredient."""

    name: str
    ener: list[float]  # macro-F1, xi = .05, .10, .20
    micro: float  # ENER of micro-F1, xi = .10
    f2: float  # ENER of macro-F2, xi = .10
    log_loss: float
    probability: Array


def ablate(dataset: Dataset, scores: CachedScores, vectors: Vectors | None = None) -> list[Step]:
    """Evaluate the method after each ingredient is added.

    `vectors` are embeddings of the training and of the test documents, for two further steps.
    """
    truth = dataset.test.labels
    steps = []
    for name, variants in _steps(dataset, scores, vectors):
        reductions = [
            error_reduction(
                _order(documents, truth),
                documents.scores,
                truth,
                measure=documents.model.measure,
                average=documents.model.average,
            )
            for documents in variants
        ]
        probability = ranked(variants[0]).probability
        steps.append(
            Step(
                name,
                [reductions[0].ener(xi) for xi in XIS],
                reductions[1].ener(0.10),
                reductions[2].ener(0.10),
                log_loss(probability, truth),
                probability,
            )
        )
    return steps


def log_loss(probability: Array, y_true: NDArray[np.bool_]) -> float:
    """Return the mean of -ln P(true label) over all pairs."""
    right = np.where(y_true, probability, 1.0 - probability)
    return float(-np.mean(np.log(np.clip(right, 1e-15, 1.0))))


def reliability(
    probability: Array, y_true: NDArray[np.bool_], n_bins: int = 20
) -> list[tuple[float, float, int]]:
    """Return (mean probability, share of positives, number of pairs) of bins.

    The bins have equal numbers of pairs; pairs with a probability below 1% are left out.
    """
    some = probability >= 0.01
    p, y = probability[some], y_true[some]
    by = np.argsort(p)
    parts = np.array_split(by, min(n_bins, len(by)))
    return [(float(p[b].mean()), float(y[b].mean()), len(b)) for b in parts if len(b)]


def as_table(outcomes: dict[str, list[Step]]) -> Table:
    """Return one table of the steps of all datasets and learners."""
    header = ["dataset", "method", "ξ=.05", "ξ=.10", "ξ=.20", "micro .10", "F2 .10", "log-loss"]
    rows = [
        [key, step.name, *map("{:.3f}".format, figures(step)), f"{step.log_loss:.4f}"]
        for key, steps in outcomes.items()
        for step in steps
    ]
    return Table("Ablation: ENER on the test sets", "", header, rows)


def figures(step: Step) -> list[float]:
    """Return the ENER figures of a step in the order of the table."""
    return [*step.ener, step.micro, step.f2]


Vectors = tuple[NDArray[np.float32], NDArray[np.float32]]
GOALS = (("f1", "macro"), ("f1", "micro"), ("f2", "macro"))


def _steps(
    dataset: Dataset, scores: CachedScores, vectors: Vectors | None
) -> Iterator[tuple[str, list[RankedDocuments]]]:
    training: dict[str, Any] = {"oof_scores": scores.oof, "y_train": dataset.train.labels}
    vectorizer = tfidf_vectorizer()
    features = {
        "train_features": vectorizer.fit_transform(dataset.train.texts),
        "features": vectorizer.transform(dataset.test.texts),
    }

    def contextual(method: str, **options: Any) -> list[RankedDocuments]:
        first = prepare(
            scores.test, **training, method=method, measure="f1", average="macro", **options
        )
        models = [replace(first.model, measure=parse(m), average=a) for m, a in GOALS]
        return [replace(first, model=model) for model in models]

    plain = [
        prepare(scores.test, **training, method="u-theoretic", measure=m, average=a)
        for m, a in GOALS
    ]
    yield "the paper's u-theoretic", plain
    yield (
        "+ tables from Te",
        [_given(d, membership_probabilities(d.scores, d.model.sigma or 1.0)) for d in plain],
    )
    platt = PlattCalibrator().fit(scores.oof, dataset.train.labels)
    probability = expit(platt.logits(scores.test))
    yield "+ class-wise Platt", [_given(documents, probability) for documents in plain]
    yield "+ context (`contextual`)", contextual("contextual")
    yield "+ neighbours (`contextual`, features)", contextual("contextual", **features)
    yield "the same, `contextual-dynamic`", contextual("contextual-dynamic", **features)
    if vectors is None:
        return
    by_meaning = {"train_features": vectors[0], "features": vectors[1]}
    yield "neighbours by embeddings", contextual("contextual", **by_meaning)
    opinion = EmbeddingOpinion().fit(vectors[0], dataset.train.labels)
    told = {"embeddings": (opinion.scores(vectors[1]), opinion.oof_scores_)}
    yield "+ embeddings as an opinion", contextual("contextual", **by_meaning, opinions=told)


def _given(documents: RankedDocuments, probability: Array) -> RankedDocuments:
    """Return the documents with other probabilities, and tables that follow from them."""
    errors = GivenMisclassification.from_probability(documents.decided, probability)
    tables = errors.expected_tables()
    model = replace(documents.model, method=METHODS["contextual"], class_tables=tables)
    return replace(documents, model=model, misclassification=errors)


def _order(documents: RankedDocuments, truth: NDArray[np.bool_]) -> NDArray[np.int64]:
    if documents.model.method.is_dynamic:
        return DynamicRanking(documents).run(documents.decided, truth)
    return ranked(documents).order
