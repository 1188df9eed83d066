"""Projects from predictions, over HTTP."""

import io
import json
import time

import numpy as np
import pytest
from fastapi.testclient import TestClient
from projects_made import make_project, make_single

from satc.files import write_table
from satc.workbench.store import open_store
from satc.workbench.store.predictions import read_features, read_scores, read_training
from satc.workbench.store.projects import get_project
from satc.workbench.web.app import make_app

CLASSES = ("a", "b", "c", "d")


@pytest.fixture
def client(tmp_path):
    store = open_store(make_project(make_single(n=8), tmp_path / "first.satc"))
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        client.store = store
        yield client
    store.close()


def lines(rows):
    return "\n".join(map(json.dumps, rows)).encode()


def sent_files(made):
    labels = made.scores.argmax(axis=1)
    documents = [{"id": f"d{i}", "text": text} for i, text in enumerate(made.texts)]
    predictions = [{"id": f"d{i}", "label": CLASSES[j]} for i, j in enumerate(labels)]
    return {
        "documents": ("documents.jsonl", lines(documents)),
        "predictions": ("predictions.jsonl", lines(predictions)),
    }


def upload(client, files, **fields):
    answer = client.post("/api/v1/projects", data={"name": "sent"} | fields, files=files)
    if answer.status_code != 202:
        return answer.json()["detail"]
    while True:
        found = client.get("/api/v1/projects").json()["projects"]
        line = next((one for one in found if one["name"] == "sent"), None)
        if line is not None and line["state"] != "creating":
            return line
        time.sleep(0.05)


def test_labels_alone_become_a_project(client):
    made = make_single(n=40)
    line = upload(client, sent_files(made), audit=0.5)
    assert (line["error"], line["task"], line["n_documents"]) == (None, "single-label", 40)
    project = get_project(client.store, "sent")
    assert project.settings.audit == 0.5
    assert project.classes == CLASSES
    scores = read_scores(client.store, project)
    np.testing.assert_array_equal(scores.argmax(axis=1), made.scores.argmax(axis=1))
    assert read_features(client.store, project) is not None  # the words of the texts
    given = client.post("/api/v1/projects/sent/next").json()["assignment"]
    assert given["document"]["text"] in made.texts


def test_known_documents_are_the_training_side(client):
    made = make_single(n=80)
    truth = made.y_true.argmax(axis=1)
    known = [{"id": f"d{i}", "true_label": CLASSES[truth[i]]} for i in range(60)]
    files = sent_files(made) | {"known": ("known.jsonl", lines(known))}
    line = upload(client, files)
    assert (line["error"], line["n_documents"]) == (None, 20)
    training = read_training(client.store, get_project(client.store, "sent"))
    np.testing.assert_array_equal(training.labels, made.y_true[:60])


def test_probabilities_that_are_sent_as_scores_are_refused(client, tmp_path):
    made = make_single(n=20)
    np.save(tmp_path / "p.npy", np.random.default_rng(0).random((20, 4)))
    files = sent_files(made)
    del files["predictions"]
    line = upload(client, files | {"scores": ("p.npy", (tmp_path / "p.npy").read_bytes())})
    assert line["state"] == "failed"
    assert "all are from 0 to 1" in line["error"]


def array_file(array):
    data = io.BytesIO()
    np.save(data, array)
    return ("array.npy", data.getvalue())


@pytest.mark.parametrize("part", ["predictions", "scores"])
def test_training_files_and_features_are_used(client, part):
    made, rng = make_single(n=20), np.random.default_rng(1)
    own, known = rng.random((20, 3)), rng.random((60, 3))
    oof, truth = rng.normal(size=(60, 4)), np.eye(4, dtype=bool)[rng.integers(0, 4, 60)]
    files = {"documents": sent_files(made)["documents"], part: array_file(made.scores)} | {
        "oof_scores": array_file(oof),
        "train_labels": array_file(truth),
        "features": array_file(own),
        "train_features": array_file(known),
    }
    fields = {"kind": "logits"} if part == "predictions" else {}
    line = upload(client, files, **fields)
    assert (line["error"], line["n_documents"]) == (None, 20)
    project = get_project(client.store, "sent")
    training = read_training(client.store, project)
    np.testing.assert_array_equal(training.labels, truth)
    np.testing.assert_allclose(training.oof_scores, oof)
    np.testing.assert_allclose(np.asarray(training.features), known)
    np.testing.assert_allclose(np.asarray(read_features(client.store, project)), own)


def test_a_threshold_and_a_class_of_its_own_for_no_label_are_used(client):
    files = sent_files(make_single(n=8))
    rows = [{"id": f"d{i}", "a": 0.4, "b": 0.1} for i in range(8)]
    files["predictions"] = ("predictions.jsonl", lines(rows))
    assert upload(client, files, threshold=0.3)["error"] is None
    scores = read_scores(client.store, get_project(client.store, "sent"))
    assert (scores >= 0).tolist() == [[True, False]] * 8


def test_predictions_without_a_label_get_the_class_that_is_named(client):
    files = sent_files(make_single(n=8))
    rows = [{"id": f"d{i}", "labels": ["a"] if i % 2 else []} for i in range(8)]
    files["predictions"] = ("predictions.jsonl", lines(rows))
    line = upload(client, files, none_class="none")
    assert (line["error"], line["task"]) == (None, "single-label")
    project = get_project(client.store, "sent")
    assert project.classes == ("a", "none")
    assert read_scores(client.store, project).argmax(axis=1).tolist() == [1, 0] * 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda f: f.update(oof_scores=f["documents"]),
            "oof_scores and train_labels must be given together",
        ),
        (
            lambda f: f.update(
                known=f["documents"], oof_scores=f["documents"], train_labels=f["documents"]
            ),
            "known and oof_scores must not be given together",
        ),
        (
            lambda f: f.update(train_labels=f["documents"], train=f.pop("predictions")),
            "train_labels needs scores or predictions",
        ),
        (
            lambda f: f.update(train_features=f["documents"]),
            "train_features needs features",
        ),
        (
            lambda f: f.update(train_features=f["documents"], features=f["documents"]),
            "train_features needs known or oof_scores",
        ),
        (lambda f: f.pop("predictions"), "either train, predictions or scores is needed"),
        (lambda f: f.update(train=f["documents"]), "either train, predictions or scores"),
        (
            lambda f: f.update(known=f["documents"], train=f.pop("predictions")),
            "known needs predictions",
        ),
    ],
)
def test_files_that_do_not_go_together_are_refused(client, change, message):
    files = sent_files(make_single(n=8))
    change(files)
    assert upload(client, files).startswith(message)


def test_an_unknown_kind_is_refused(client):
    said = upload(client, sent_files(make_single(n=8)), kind="guesses")
    assert said.startswith("kind: Input should be 'scores', 'probabilities'")


def test_a_row_that_cannot_be_read_is_named(client):
    files = sent_files(make_single(n=8))
    files["predictions"] = ("predictions.jsonl", b'{"id": "d0", "label": "a"}\n{"id": "d1", "la')
    line = upload(client, files)
    assert line["state"] == "failed"
    assert "predictions.jsonl, line 2" in line["error"]


def workbooks(made, folder):
    ids, labels = [f"d{i}" for i in range(40)], made.scores.argmax(axis=1)
    tables = {
        "documents": {"id": ids, "text": list(made.texts)},
        "predictions": {"id": ids, "label": [CLASSES[j] for j in labels]},
    }
    for part, columns in tables.items():
        write_table(folder / f"{part}.xlsx", columns)
    return {part: (f"{part}.xlsx", (folder / f"{part}.xlsx").read_bytes()) for part in tables}


@pytest.mark.parametrize("fields", [{}, {"sheet": "satc"}], ids=["the only sheet", "by name"])
def test_workbooks_are_uploaded(fields, client, tmp_path):
    line = upload(client, workbooks(make_single(n=40), tmp_path), **fields)
    assert (line["error"], line["n_documents"]) == (None, 40)


def test_a_sheet_that_an_uploaded_workbook_lacks_is_named(client, tmp_path):
    files = workbooks(make_single(n=40), tmp_path)
    assert "pattern" in str(upload(client, files, sheet="../other.xlsx"))
    line = upload(client, files, sheet="Other")
    assert line["error"] == "predictions.xlsx must have a sheet 'Other', but has 'satc'"
