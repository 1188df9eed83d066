"""Open a stored project: read its arrays and calibrate."""

from __future__ import annotations

from typing import Any

import numpy as np

from satc.errors import DataError
from satc.ranking.preparation import prepare
from satc.texts.source import training_arguments
from satc.training import Training
from satc.validation import Validation
from satc.workbench.project.creation import ranking_arguments
from satc.workbench.project.larger_set import ties_of, with_tables_of
from satc.workbench.store import Store
from satc.workbench.store.arrays import get_dense, get_rows
from satc.workbench.store.projects import Project, ids_of


def open_validation(store: Store, project: Project) -> Validation:
    """Return the engine of a project, with nothing submitted."""
    scores = get_dense(store, project.key, "scores")
    if scores is None:
        raise DataError(f"{store.location}: project {project.name!r} has no scores")
    minutes = get_dense(store, project.key, "minutes")
    documents = prepare(
        scores, **_training(store, project), **ranking_arguments(project.settings, minutes)
    )
    if (stored := project.settings.stored) is not None:
        places = ties_of(stored, ids_of(store, project.key))
        documents = with_tables_of(documents, store, project.key, places)
    return Validation.of(documents)


def _training(store: Store, project: Project) -> dict[str, Any]:
    oof = get_dense(store, project.key, "oof_scores")
    packed = get_dense(store, project.key, "y_train")
    if oof is None or packed is None:
        return {}
    labels = np.unpackbits(packed, axis=1, count=len(project.classes)).astype(bool)
    train_features = get_rows(store, project.key, "train_features")
    features = get_rows(store, project.key, "features")
    return training_arguments(Training(oof, labels, train_features), features)
