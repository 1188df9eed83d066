"""The demonstration: from records with known labels to a report, a ranked table and a project.

A learner is trained on the training documents and classifies the test documents. Validation of the
test documents is then simulated, with their true labels, for the classifier's labels in the order
of several methods, and for the labels and the order of satc.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from satc import __version__
from satc.code_book import CodeBook
from satc.datasets.dataset import Dataset, Part
from satc.experiments.savings_page import as_html
from satc.files import Documents, write_table
from satc.inputs import indicator
from satc.ranking.options import FOR_MEASURE, LIVE_METHOD, SIGN
from satc.ranking.ranking import ranked
from satc.simulation import Simulation, simulate
from satc.texts.learner_source import LearnerSource
from satc.texts.ranked_table import for_spreadsheets, ranked_columns
from satc.texts.source import Progress, ReadySource, training_arguments
from satc.texts.trained_learner import TrainedLearner
from satc.workbench.model.settings import Settings, default_decide
from satc.workbench.project.creation import create_file


class Case(NamedTuple):
    """Labels, and the order in which people check them."""

    labels: str
    order: str
    method: str
    decide: str = SIGN


OURS = "satc"
_CLASSIFIER = "classifier's"
CASES = {
    OURS: Case("satc's", "satc's", LIVE_METHOD, FOR_MEASURE),
    "contextual": Case(_CLASSIFIER, "satc's", LIVE_METHOD),
    "u-theoretic": Case(_CLASSIFIER, "the paper's", "u-theoretic"),
    "baseline": Case(_CLASSIFIER, "by confidence", "baseline"),
    "random": Case(_CLASSIFIER, "at random", "random"),
}
EMBEDDED = "satc, embeddings"
WITH_EMBEDDINGS = {
    EMBEDDED: Case("satc's", "satc's, by meaning", LIVE_METHOD, FOR_MEASURE),
    **CASES,
}
FILES = {
    "report.html": "the curves and the counts, one page",
    "ranked.csv": "the documents in their order, with predicted labels",
    "demo.satc": "the project, for the workbench, with labels chosen for macro-F1",
    "labelled.csv": "the documents that the classifier was trained on",
    "new.csv": "the documents that it classified",
}


def take_part(dataset: Dataset, n_test: int) -> Dataset:
    """Return a part of a dataset: `n_test` test documents, and the same share of the others."""
    share = n_test / len(dataset.test)
    train, test = (
        part.take(np.linspace(0, len(part) - 1, round(share * len(part))).round().astype(int))
        for part in (dataset.train, dataset.test)
    )
    return replace(dataset, train=train, test=test, tests=(test,))


def demonstrate(
    folder: Path,
    dataset: Dataset,
    progress: Progress,
    *,
    title: str,
    targets: Sequence[float],
    folds: int = LearnerSource.folds,
    seed: int = LearnerSource.seed,
    embeddings: str | None = None,
    book: CodeBook | None = None,
) -> dict[str, Simulation]:
    """Write `FILES` into a folder; return the simulation of each of `CASES`.

    `targets` are the shares of the error for which the report counts documents. `embeddings` names
    a sentence model: the first of `WITH_EMBEDDINGS` is simulated, too, and the project uses it.
    `book` is the code book of the project.
    """
    source = _write_documents(folder, dataset, folds, seed)
    trained = source.prepare(progress)
    simulations = _simulate(trained, dataset.test, progress, CASES)
    if embeddings is not None:
        trained = replace(source, embeddings=embeddings).prepare(progress)
        first = {EMBEDDED: WITH_EMBEDDINGS[EMBEDDED]}
        simulations = _simulate(trained, dataset.test, progress, first) | simulations
    progress("writing the report")
    about = _about(dataset, trained.classes, seed)
    if embeddings is not None:
        about["embeddings"] = embeddings
    page = as_html(simulations, _legend(simulations), targets, about)
    (folder / "report.html").write_text(page, encoding="utf-8")
    best = simulations.get(EMBEDDED, simulations[OURS])
    _write_ranked(folder / "ranked.csv", trained, dataset.test, best)
    decide = default_decide(from_texts=True)
    settings = Settings(
        title=title, task=trained.task, decide=decide, seed=seed, learner=source.learner
    )
    path, ready = folder / "demo.satc", ReadySource(trained)
    create_file(path, ready, settings, source.documents, progress, book=book)
    return simulations


def _write_documents(folder: Path, dataset: Dataset, folds: int, seed: int) -> LearnerSource:
    train, new = folder / "labelled.csv", folder / "new.csv"
    write_table(train, _columns(dataset.train) | {"labels": _names(dataset.train)})
    write_table(new, _columns(dataset.test))
    return LearnerSource(train, new, folds=folds, seed=seed)


def _simulate(
    trained: TrainedLearner, test: Part, progress: Progress, cases: Mapping[str, Case]
) -> dict[str, Simulation]:
    progress(f"classifying {len(test):,} documents")
    block = trained.classify(_documents(test))
    truth = indicator(_names(test), trained.classes, drop_unknown=True)
    known = training_arguments(trained.training, block.features)
    simulations = {}
    for name, case in cases.items():
        progress(f"simulating {case.labels} labels, order: {case.order}")
        simulations[name] = simulate(
            block.scores,
            truth,
            task=trained.task,
            method=case.method,
            decide=case.decide,
            random_state=trained.source.seed,
            **known,
        )
    return simulations


def _write_ranked(path: Path, trained: TrainedLearner, test: Part, simulation: Simulation) -> None:
    ranking = ranked(simulation.documents)
    columns = ranked_columns(_documents(test), trained.classes, ranking)
    write_table(path, for_spreadsheets(columns, trained.source.columns.separator))


def _legend(names: Iterable[str]) -> dict[str, str]:
    """Return the names of the curves."""
    cases = {name: WITH_EMBEDDINGS[name] for name in names}
    return {name: f"{case.labels} labels, order: {case.order}" for name, case in cases.items()}


def _documents(part: Part) -> Documents:
    return Documents(part.ids, part.texts, None, {})


def _columns(part: Part) -> dict[str, Any]:
    return {"id": part.ids, "text": part.texts}


def _names(part: Part) -> list[tuple[str, ...]]:
    return [part.label_names(i) for i in range(len(part))]


def _about(dataset: Dataset, classes: tuple[str, ...], seed: int) -> dict[str, str]:
    return {
        "data": f"{dataset.name}, {dataset.source}",
        "terms of use": dataset.licence,
        "training documents": f"{len(dataset.train):,}",
        "documents ranked": f"{len(dataset.test):,}",
        "classes": f"{len(classes):,}",
        "classifier": "linear SVM, its scores cross-validated",
        "made by": f"satc {__version__}, seed {seed}",
    }
