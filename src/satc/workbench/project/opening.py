"""Open a stored project: read its arrays, calibrate, and keep the labels that it was made with."""

from __future__ import annotations

from typing import Any

from satc.ranking.options import SIGN
from satc.ranking.preparation import prepare
from satc.texts.source import training_arguments
from satc.validation import Validation
from satc.workbench.project.creation import ranking_arguments
from satc.workbench.project.fixed_labels import with_labels
from satc.workbench.project.larger_set import as_part_of
from satc.workbench.store import Store
from satc.workbench.store.predictions import (
    read_decided,
    read_features,
    read_minutes,
    read_scores,
    read_training,
)
from satc.workbench.store.projects import Project


def open_validation(store: Store, project: Project) -> Validation:
    """Return the engine of a project, with nothing submitted."""
    scores = read_scores(store, project)
    minutes = read_minutes(store, project)
    options = ranking_arguments(project.settings, minutes)
    origin = project.settings.stored
    if origin is not None:
        options["decide"] = SIGN  # at first: the cuts are those of the larger set
    documents = prepare(scores, **_training(store, project), **options)
    if origin is not None:
        documents = as_part_of(origin, documents, store, project)
    labels = read_decided(store, project)
    return Validation.of(with_labels(documents, labels, is_part=origin is not None))


def _training(store: Store, project: Project) -> dict[str, Any]:
    return training_arguments(read_training(store, project), read_features(store, project))
