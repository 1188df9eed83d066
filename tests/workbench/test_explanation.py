"""The explanation of a document: who says what, and similar labelled documents."""

import json
import shutil
from contextlib import closing

import numpy as np
import pytest
from explained_projects import N_TRAIN, SUBJECTS, N, explained, opinion_on
from fastapi.testclient import TestClient
from projects_made import NamedScores, make, quiet, write_files
from sqlalchemy import delete

from satc.texts.opinions.opinion_file import OpinionFile
from satc.texts.predictions_source import PredictionsSource
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create_file
from satc.workbench.review.desk import open_desk
from satc.workbench.review.explanation.classes import feature_name
from satc.workbench.review.explanation.document import explain
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store import open_store, schema
from satc.workbench.store.arrays import put_parts
from satc.workbench.store.predictions import (
    read_features,
    read_scores,
    read_train_snippets,
    read_training,
    shortened,
    snippet_parts,
)
from satc.workbench.store.projects import get_project
from satc.workbench.web.app import make_app

pytestmark = pytest.mark.slow
NAMES = sorted(SUBJECTS)
LONG = "A longer explanation of the problem. " * 12


@pytest.fixture(scope="module", params=["single-label", "multi-label"])
def made(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("explained") / "tickets.satc"
    return path, explained(path, LONG, task=request.param)


@pytest.fixture
def store(made, tmp_path):
    with closing(open_store(shutil.copy(made[0], tmp_path))) as store:
        yield store


@pytest.fixture
def ask(store):
    """Return the explanation of a document as the API gives it: ``ask(3)``."""
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"

        def asked(i):
            answer = client.get(f"/api/v1/projects/tickets/documents/{i}/explanation")
            assert answer.status_code == 200, answer.text
            return answer.json()

        yield asked


def cosines(row, others):
    """Cosines one by one, in double precision."""
    return np.array([(row @ o) / np.sqrt((row @ row) * (o @ o)) for o in others.astype(float)])


def test_the_three_most_similar_training_documents_are_told_with_texts_and_labels(made, store, ask):
    rows, project = made[1], get_project(store)
    power = open_desk(store).validation.model.calibrator.fitted().calibrator.similar_.power
    here, train = (
        np.where(x > 0, np.where(x > 0, x, 1.0) ** power, 0.0)
        for x in (
            read_features(store, project).toarray().astype(float),
            read_training(store, project).features.toarray().astype(float),
        )
    )
    for i in (0, 11, N - 1):
        expected = cosines(here[i], train)
        found = ask(i)["similar"]
        assert len(found) == 3
        similarity = [one["similarity"] for one in found]
        np.testing.assert_allclose(similarity, np.sort(expected)[::-1][:3], rtol=1e-4)
        for one in found:
            k = [row["id"] for row in rows].index(one["id"])
            assert k < N_TRAIN
            assert expected[k] == pytest.approx(one["similarity"], rel=1e-4)
            assert [NAMES[j] for j in one["labels"]] == rows[k]["labels"]
            assert one["text"] == f"{' '.join(rows[k]['text'].split())[:199]}…"


def test_the_classifier_and_the_opinion_are_told(made, store, ask):
    rows, project = made[1], get_project(store)
    scores, opinion = read_scores(store, project), opinion_on(made[1][N_TRAIN:])
    single = project.settings.is_single_label
    differ = 0
    for i in range(N - 1):
        found = ask(i)
        own = [int(scores[i].argmax())] if single else np.flatnonzero(scores[i] >= 0).tolist()
        says = np.flatnonzero(opinion[i] > 0).tolist()
        assert found["classifier_says"] == own
        assert found["opinions"] == [{"who": "embeddings", "says": says}]
        if single:
            sentence = f"The classifier says “{NAMES[own[0]]}”; the opinion “embeddings” says "
            sentence += f"“{NAMES[says[0]]}”."
            assert found["disagreement"] == ("" if own == says else sentence)
        else:
            shown = {one["class"] for one in found["classes"]}
            assert bool(found["disagreement"]) == bool(
                set(own) ^ set(says) and shown & (set(own) ^ set(says))
            )
        differ += bool(found["disagreement"])
    assert 0 < differ < N - 1
    assert len(rows) == N_TRAIN + N


def test_an_opinion_that_does_not_know_the_document_is_not_told(ask):
    found = ask(N - 1)
    assert found["opinions"] == []
    assert found["disagreement"] == ""


def test_a_project_of_an_earlier_version_has_similar_documents_without_texts(store, ask):
    before = ask(0)["similar"]
    with store.writing() as connection:
        connection.execute(delete(schema.arrays).where(schema.arrays.c.name == "train_snippets"))
    after = ask(0)["similar"]
    assert after == [one | {"id": "", "text": ""} for one in before]


def test_features_of_opinions_have_readable_names():
    assert str(feature_name("logit of embeddings")) == "opinion “embeddings”"
    assert str(feature_name("gap to best other logit of a b")) == "opinion “a b” on other classes"
    assert str(feature_name("gap to best other logit")) == "distance to the best other class"


def test_snippets_of_any_row_are_read_back(store):
    with store.writing() as connection:
        connection.execute(delete(schema.arrays).where(schema.arrays.c.name == "train_snippets"))
        ids = [f"i{k}" for k in range(1203)]
        texts = [f"text\x00 \n {k} \ud800 " + "y" * (k % 400) for k in range(1203)]
        put_parts(connection, 1, snippet_parts(ids, texts))
    found = read_train_snippets(store, 1, [1202, 0, 499, 500, 999, 1203, 5000])
    assert list(found) == [1202, 0, 499, 500, 999]
    for k, (identity, text) in found.items():
        assert identity == f"i{k}"
        whole = f"text\x00 {k} ? " + "y" * (k % 400)
        assert text == (whole.strip() if len(whole.strip()) <= 200 else f"{whole[:199]}…")
        assert shortened(text) == text


def scored_with_features(folder, cold=False, **settings):
    """Make a project of scores with features of the documents; return the features as well."""
    made = make(n=130, m=4, seed=9)
    files = write_files(made, folder)
    rng = np.random.default_rng(1)
    topics = np.concatenate([made.y_train, made.y_true]) @ rng.random((4, 8))
    features = topics + rng.random(topics.shape) * 0.3
    for name, part in (("train_features", features[:200]), ("features", features[200:])):
        np.save(folder / f"{name}.npy", part)
        files[name] = folder / f"{name}.npy"
    if cold:
        for name in ("oof_scores", "train_labels", "train_features"):
            del files[name]
    chosen = Settings("Scores", **({"method": "contextual-dynamic"} | settings))
    create_file(folder / "made.satc", NamedScores(**files), chosen, files["documents"], quiet)
    return made, features


def test_of_scores_without_ids_only_labels_and_similarities_are_told(tmp_path):
    made, features = scored_with_features(tmp_path)
    with closing(open_store(tmp_path / "made.satc")) as store:
        similar = explain(open_desk(store), 4).similar
    expected = cosines(features[204], features[:200])
    order = np.argsort(-expected)[:3]
    assert [(one.id, one.text) for one in similar] == [("", "")] * 3
    assert [one.labels for one in similar] == [
        tuple(np.flatnonzero(made.y_train[k])) for k in order
    ]
    np.testing.assert_allclose([one.similarity for one in similar], expected[order], rtol=1e-5)


def test_of_predictions_the_known_documents_are_told_with_their_texts(tmp_path):
    rng, names = np.random.default_rng(2), list(SUBJECTS)

    def row(i):
        words = rng.choice(SUBJECTS[names[i % 4]].split(), 9)
        return {"id": f"k{i}", "text": " ".join(words), "labels": [names[i % 4]]}

    rows = [row(i) for i in range(90)]
    wrong = [names[(i + (i % 7 == 0)) % 4] for i in range(90)]
    files = {
        "known": rows[:60],
        "documents": [{"id": r["id"], "text": r["text"]} for r in rows[60:]],
        "predictions": [{"id": r["id"], "labels": [w]} for r, w in zip(rows, wrong, strict=True)],
    }
    paths = {name: tmp_path / f"{name}.jsonl" for name in files}
    for name, some in files.items():
        paths[name].write_text("".join(json.dumps(one) + "\n" for one in some))
    chosen = Settings("Known", task="single-label")
    path = tmp_path / "made.satc"
    create_file(path, PredictionsSource(**paths), chosen, paths["documents"], quiet)
    with closing(open_store(path)) as store:
        desk = open_desk(store)
        similar = [one for i in range(30) for one in explain(desk, i).similar]
    assert len(similar) == 90
    for one in similar:
        known = rows[int(one.id[1:])]
        assert int(one.id[1:]) < 60
        assert one.text == known["text"]
        assert [desk.project.classes[j] for j in one.labels] == known["labels"]


def test_an_opinion_with_training_documents_is_told_after_a_restart(tmp_path):
    rng, made = np.random.default_rng(5), make(n=60, m=4, n_train=400, seed=9)
    files = write_files(made, tmp_path)
    said = [
        np.where(truth, 1.5, -1.5) + rng.normal(0, 0.8, truth.shape)
        for truth in (made.y_true, made.y_train)
    ]
    for name, scores in zip(("said", "oof_said"), said, strict=True):
        np.save(tmp_path / f"{name}.npy", scores)
    opinion = OpinionFile("embeddings", tmp_path / "said.npy", tmp_path / "oof_said.npy")
    source = NamedScores(**files, opinions=(opinion,), names=("a", "b", "c", "d"))
    chosen = Settings("Opinions", method="contextual-dynamic")
    create_file(tmp_path / "made.satc", source, chosen, files["documents"], quiet)
    with closing(open_store(tmp_path / "made.satc")) as store:
        desk = open_desk(store)
        found = [explain(desk, i) for i in range(60)]
    own = [tuple(np.flatnonzero(row >= 0)) for row in made.scores]
    assert [one.said.classifier for one in found] == own
    says = np.zeros((60, 4), dtype=bool)
    for i, one in enumerate(found):
        says[i, list(one.said.opinions["embeddings"])] = True
    sure = np.abs(said[0]) > 0.7  # the cut of Platt's calibration is near 0
    np.testing.assert_array_equal(says[sure], (said[0] > 0)[sure])
    told = [one.disagreement for one in found if one.disagreement]
    assert 0 < len(told) < 60
    beginning = "Unlike the classifier, the opinion “embeddings” "
    assert all(str(one[0]).startswith(beginning) for one in told)


def decide(project, made, n, who="ann"):
    for _ in range(n):
        lease, _ = project.desk.next(who)
        labels = np.flatnonzero(made.y_true[lease.document]).tolist()
        project.desk.submit(lease.lease, who, labels, 2.0)
    project.learning.wait()


def test_in_a_cold_start_decided_documents_are_told_with_their_present_labels(tmp_path):
    made, features = scored_with_features(tmp_path, cold=True)
    with closing(open_store(tmp_path / "made.satc")) as store:
        project = OpenProject(open_desk(store))
        desk = project.desk
        assert explain(desk, 0).similar == []
        decide(project, made, 80)
        left = int(np.flatnonzero(~desk.validation.is_validated)[0])
        expected = cosines(features[200 + left], features[200:])
        decided = np.flatnonzero(desk.validation.is_validated)
        nearest = decided[np.argsort(-expected[decided])][:4].tolist()
        similar = explain(desk, left).similar
        assert [one.id for one in similar] == [f"d{k}" for k in nearest[:3]]
        assert [one.text for one in similar] == [shortened(made.texts[k]) for k in nearest[:3]]
        labels = [tuple(np.flatnonzero(made.y_true[k]).tolist()) for k in nearest]
        assert [one.labels for one in similar] == labels[:3]
        desk.revise(nearest[1], "ann", [3], any_author=False)
        assert explain(desk, left).similar[1].labels == (3,)


def test_a_decision_that_was_undone_is_no_longer_told(tmp_path):
    made, _ = scored_with_features(tmp_path, cold=True)
    with closing(open_store(tmp_path / "made.satc")) as store:
        project = OpenProject(open_desk(store))
        desk = project.desk
        decide(project, made, 80)
        before = {k: {one.id for one in explain(desk, k).similar} for k in range(130)}
        shown_by = []
        while not shown_by:  # the last decisions may be newer than the model, or nobody's nearest
            undone = f"d{desk.record.actions.last('ann').document}"
            desk.undo("ann")
            shown_by = [k for k, ids in before.items() if undone in ids]
        for k in shown_by:
            ids = [one.id for one in explain(desk, k).similar]
            assert undone not in ids
            assert len(ids) == 3


def test_a_document_for_a_second_opinion_is_hidden_from_who_could_give_it(tmp_path):
    made, _ = scored_with_features(tmp_path, cold=True, overlap=1.0)
    with closing(open_store(tmp_path / "made.satc")) as store:
        project = OpenProject(open_desk(store))
        decide(project, made, 80)
        left = int(np.flatnonzero(~project.desk.validation.is_validated)[0])
        assert len(explain(project.desk, left, "ann").similar) == 3
        assert explain(project.desk, left, "ben").similar == []
