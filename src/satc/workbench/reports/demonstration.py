"""The demonstration: from records with known labels to a report, a ranked table and a project.

A learner is trained on the training documents and classifies the test documents; these are then
validated in simulation, in the order of each method, by somebody who knows the true labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from satc import __version__
from satc.datasets.dataset import Dataset, Part
from satc.experiments.savings_page import as_html
from satc.files import Documents, write_table
from satc.inputs import indicator
from satc.ranking.ranking import ranked
from satc.simulation import Simulation, simulate
from satc.texts.ranked_table import for_spreadsheets, ranked_columns
from satc.texts.sources import LearnerSource, Progress
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create_file

OURS = "contextual"
METHODS = {
    OURS: "satc's default",
    "u-theoretic": "the paper's method",
    "baseline": "by the classifier's confidence",
    "random": "at random",
}
FILES = {
    "report.html": "the curves and the counts, one page",
    "ranked.csv": "the documents in their order, with predicted labels",
    "demo.satc": "the project, for the workbench",
    "labelled.csv": "what was learnt from",
    "new.csv": "what was classified",
}


def some(dataset: Dataset, n_test: int) -> Dataset:
    """Return a part of a dataset: so many test documents, and as large a share of the others."""
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
    folds: int = 10,
    seed: int = 0,
) -> dict[str, Simulation]:
    """Write `FILES` into a folder; return the simulation of each of `METHODS`."""
    write_table(
        folder / "labelled.csv", _columns(dataset.train) | {"labels": _names(dataset.train)}
    )
    write_table(folder / "new.csv", _columns(dataset.test))
    source = LearnerSource(folder / "labelled.csv", folder / "new.csv", folds=folds, seed=seed)
    classes, training = source.prepare(progress)
    progress(f"classifying {len(dataset.test):,} documents", 0, None)
    documents = Documents(dataset.test.ids, dataset.test.texts, None, {})
    block = source.classified(documents)
    known = training.arguments(block.features) | {"random_state": seed}
    truth = indicator(_names(dataset.test), classes, drop_unknown=True)
    simulations = {}
    for method, meaning in METHODS.items():
        progress(f"simulating {method}, {meaning}", 0, None)
        simulations[method] = simulate(block.scores, truth, method=method, **known)
    progress("writing the report", 0, None)
    names = {method: f"{method}: {meaning}" for method, meaning in METHODS.items()}
    names["random"] = "random"
    page = as_html(simulations, names, targets, _about(dataset, classes, seed))
    (folder / "report.html").write_text(page, encoding="utf-8")
    columns = ranked_columns(documents, classes, ranked(simulations[OURS].documents))
    write_table(folder / "ranked.csv", for_spreadsheets(columns, source.columns.separator))
    settings = Settings(title=title, seed=seed, learner=source.learner)
    create_file(folder / "demo.satc", source, settings, source.documents, progress)
    return simulations


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
