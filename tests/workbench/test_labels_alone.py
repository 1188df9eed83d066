"""A project of labels without scores: words of the texts give a second opinion, which is stored."""

import json
from pathlib import Path

import numpy as np
import pytest
from projects_made import quiet

from satc.calibration.evidence import Evidence
from satc.estimation import out_of_fold
from satc.ranking.cold_start import SECOND_OPINION
from satc.texts.predictions_source import PredictionsSource
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create_file
from satc.workbench.project.history import read_history
from satc.workbench.project.opening import open_documents
from satc.workbench.review.desk import open_desk
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store import open_store
from satc.workbench.store.predictions import read_features, read_opinions
from satc.workbench.store.projects import get_project

pytestmark = pytest.mark.slow
SUBJECTS = {"grain": "wheat maize harvest", "metal": "copper zinc ore", "ship": "port cargo vessel"}


def write_labels(folder: Path, n=90, wrong=9):
    """Write documents and their labels; the first ones have a wrong label."""
    rng, names = np.random.default_rng(2), list(SUBJECTS)
    truth = [names[i % 3] for i in range(n)]
    rows = [
        {"id": f"d{i}", "text": " ".join(rng.choice([*SUBJECTS[t].split(), "market", "said"], 8))}
        for i, t in enumerate(truth)
    ]
    given = [names[(i + 1) % 3] if i < wrong else t for i, t in enumerate(truth)]
    labels = [{"id": row["id"], "labels": [t]} for row, t in zip(rows, given, strict=True)]
    for name, lines in (("new.jsonl", rows), ("labels.jsonl", labels)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return PredictionsSource(folder / "labels.jsonl", folder / "new.jsonl"), truth


@pytest.fixture
def made(tmp_path):
    source, truth = write_labels(tmp_path)
    settings = Settings("Labels alone", task="single-label")
    documents = create_file(tmp_path / "made.satc", source, settings, tmp_path / "new.jsonl", quiet)
    store = open_store(tmp_path / "made.satc")
    yield store, documents, truth
    store.close()


def test_features_and_the_second_opinion_are_stored(made):
    store, documents, _ = made
    project = get_project(store, None)
    assert isinstance(documents.features, Evidence)
    assert read_features(store, project).shape[0] == 90
    assert list(documents.features.opinions) == [SECOND_OPINION]
    np.testing.assert_array_equal(
        read_opinions(store, project)[SECOND_OPINION], documents.features.opinions[SECOND_OPINION]
    )


def test_opening_reads_the_opinion_and_does_not_train_again(made, monkeypatch):
    store, documents, _ = made

    def refuse(*_, **__):
        raise AssertionError("the second opinion must be read, not computed")

    monkeypatch.setattr(out_of_fold, "out_of_fold_scores", refuse)
    project = get_project(store, None)
    opened = open_documents(store, project, read_history(store, project))
    np.testing.assert_array_equal(opened.probability(), documents.probability())


def test_implausible_labels_come_first_and_the_project_learns(made):
    store, _, truth = made
    project = OpenProject(open_desk(store))
    names, order = project.desk.project.classes, []
    for _ in range(12):
        lease, _ = project.desk.next("ann")
        order.append(lease.document)
        labels = [names.index(truth[lease.document])]
        project.desk.submit(lease.lease, "ann", labels, 1.0)
        project.learning.wait()
    assert len({i for i in order if i < 9}) >= 7  # of nine wrong labels
    assert project.desk.validation.standing.n_decisions == 10
    again = open_desk(store)
    assert again.validation.next() == project.desk.validation.next()
