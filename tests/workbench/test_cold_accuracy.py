"""The accuracy of a project without known labels: it rests on random documents."""

import numpy as np
import pytest
from calling import BASE
from fastapi.testclient import TestClient
from projects_made import make, make_project
from typer.testing import CliRunner

from satc.assurance.live.cold import LEAST_DRAWN, cold_accuracy_model
from satc.cli import app as command
from satc.errors import DataError
from satc.workbench.project.history import read_history
from satc.workbench.reports.export import exported_documents
from satc.workbench.reports.plan import plan_project
from satc.workbench.reports.report import make_report
from satc.workbench.reports.report_page import as_dict, as_html, as_lines, estimated
from satc.workbench.review.desk import open_desk
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store import open_store
from satc.workbench.web.app import make_app

pytestmark = pytest.mark.slow
MADE = make(n=150, m=5, seed=11)


@pytest.fixture
def served(tmp_path):
    """Serve a cold project to its single user: ``client, project = served(audit=1.0)``."""
    stores = []

    def serve(**settings):
        path = tmp_path / "claims.satc"
        if not path.exists():
            make_project(MADE, path, cold=True, **settings)
        stores.append(open_store(path))
        app = make_app(stores[-1], estimating=False)
        client = TestClient(app, base_url="http://127.0.0.1")
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        return client, app.state.open_projects.open("claims")

    yield serve
    for store in stores:
        store.close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr("satc.workbench.review.accuracy.live._ESTIMATE_SECONDS", 0.0)
    monkeypatch.setattr("satc.workbench.review.accuracy.forecast._LEAST_SECONDS", 0.0)
    monkeypatch.setattr("satc.workbench.review.accuracy.forecast._PAUSE", 0.0)


def decide(project, n):
    for _ in range(n):
        lease, _ = project.desk.next("ann")
        labels = np.flatnonzero(MADE.y_true[lease.document]).tolist()
        project.desk.submit(lease.lease, "ann", labels, 2.0)
        project.learning.wait()


def test_before_enough_random_documents_there_is_no_number(served):
    client, project = served(audit=1.0, stop="target(0.9, 0.9)")
    decide(project, LEAST_DRAWN - 1)
    project.live_accuracy.prepare()
    status = client.get(f"{BASE}/status").json()
    assert status["accuracy"] is None
    assert status["curve"] == []
    assert status["accuracy_unknown"].startswith(
        "The accuracy is not known yet: about 1 more random document must be decided."
    )
    assert status["messages"] == []
    assert status["headline"]["level"] == "warning"
    assert status["headline"]["text"].endswith(
        "The stopping rule target(0.9, 0.9) needs the accuracy."
    )
    plan = client.get(f"{BASE}/plan")
    assert plan.status_code == 409
    assert "about 1 more random document" in plan.json()["detail"]
    store = project.desk.store
    with pytest.raises(DataError, match="not known yet: about 1 more random document"):
        plan_project(store, None, 0.9, 0.9)
    history = read_history(store, project.desk.project)
    report = make_report(store, project.desk.project, history)
    points, cold = estimated(store, project.desk.project, history)
    assert points is None
    lines = as_lines(report, points, cold)
    assert any("about 1 more random document" in line for line in lines)
    assert any("learnt from 40 decisions" in line for line in lines)
    assert not any("is about" in line for line in lines)
    data = as_dict(report, points, cold)
    assert data["accuracy"] is None
    assert "about 1 more random document" in data["accuracy_unknown"]
    assert "about 1 more random document" in as_html(store, report, history, points, cold)


def test_with_enough_random_documents_there_is_an_estimate(served):
    client, project = served(audit=1.0)
    decide(project, LEAST_DRAWN + 4)
    project.live_accuracy.prepare()
    status = client.get(f"{BASE}/status").json()
    desk = project.desk
    expected = cold_accuracy_model(
        desk.validation.documents, desk.validation.decisions, desk.record.drawn_for_audit
    )
    for document, labels in desk.validation.decisions:
        expected.validate(document, labels)
    for average in ("macro", "micro"):
        value = expected.accuracy(desk.validation.model.measure, average, 0.95)
        found = status["accuracy"][average]
        assert (found["value"], found["low"], found["high"]) == (value.value, value.low, value.high)
    assert status["accuracy_unknown"] is None
    assert "learnt from 40 decisions" in status["standing"]
    assert client.get(f"{BASE}/plan?target=0.9").json()["documents"] >= 0
    found = plan_project(desk.store, None, 0.9, 0.9)
    assert found.now.macro.value == status["accuracy"]["macro"]["value"]


def test_the_estimate_follows_decisions_and_is_renewed_when_the_project_has_learnt(served):
    client, project = served(audit=1.0)
    decide(project, 60)
    project.live_accuracy.prepare()
    first = client.get(f"{BASE}/status").json()["accuracy"]["macro"]["value"]
    decide(project, 3)
    second = client.get(f"{BASE}/status").json()["accuracy"]["macro"]["value"]
    assert second != first
    decide(project, 17)
    assert project.desk.validation.standing.n_decisions == 80
    assert project.live_accuracy._built_for is project.desk.validation
    after = client.get(f"{BASE}/status").json()
    assert after["curve"][-1]["n"] == 80
    again = served()[1]
    again.live_accuracy.prepare()
    assert again.live_accuracy.latest().macro.value == after["accuracy"]["macro"]["value"]


def test_an_error_of_the_estimate_is_a_message(served, monkeypatch):
    client, project = served(audit=1.0)
    decide(project, LEAST_DRAWN - 1)

    def fail(*_):
        raise MemoryError("out of memory")

    monkeypatch.setattr("satc.workbench.review.accuracy.cold.run_aside", fail)
    decide(project, 1)
    assert client.get(f"{BASE}/status").json()["accuracy"] is None
    project.live_accuracy.start().join()
    status = client.get(f"{BASE}/status").json()
    assert status["messages"] == ["The accuracy cannot be estimated: out of memory"]
    decide(project, 1)
    assert project.desk.validation.n_validated == LEAST_DRAWN + 1


def test_a_status_request_builds_the_model_in_the_background(served):
    client, project = served(audit=1.0)
    decide(project, LEAST_DRAWN)
    assert client.get(f"{BASE}/status").json()["accuracy"] is None
    project.live_accuracy._thread.join()
    assert client.get(f"{BASE}/status").json()["accuracy"] is not None


def test_an_undone_decision_can_make_the_accuracy_unknown_again(served):
    client, project = served(audit=1.0)
    decide(project, LEAST_DRAWN)
    project.live_accuracy.prepare()
    assert client.get(f"{BASE}/status").json()["accuracy"] is not None
    project.desk.undo("ann")
    status = client.get(f"{BASE}/status").json()
    assert status["accuracy"] is None
    assert status["curve"] == []
    assert project.live_accuracy.outlook() is None


def test_without_an_audit_the_page_says_how_to_get_random_documents(served):
    client, project = served()
    decide(project, 12)
    status = client.get(f"{BASE}/status").json()
    assert status["accuracy_unknown"].startswith(
        "The accuracy is not known, because no random documents"
    )
    assert "--audit 20%" in status["accuracy_unknown"]


def test_too_few_documents_are_said(served):
    client, project = served(audit=0.01)
    decide(project, 120)
    said = client.get(f"{BASE}/status").json()["accuracy_unknown"]
    assert "only 30 documents are left" in said


def test_the_explanation_says_that_it_follows_from_the_predictions(served):
    client, project = served()
    sentence = client.get(f"{BASE}/documents/0/explanation").json()["sentence"]
    assert sentence.endswith("so this follows from the predictions alone.")
    decide(project, 10)
    left = int(project.desk.validation.next())
    sentence = client.get(f"{BASE}/documents/{left}/explanation").json()["sentence"]
    assert "predictions alone" not in sentence


def test_an_export_has_the_probabilities_that_were_learnt(served):
    _, project = served()
    decide(project, 12)
    desk = project.desk
    history = read_history(desk.store, desk.project)
    learnt = desk.validation.documents.probability()
    names = desk.project.classes
    for i, document in enumerate(exported_documents(desk.store, desk.project, history)):
        for name, probability in document.probabilities.items():
            assert probability == learnt[i, names.index(name)]


@pytest.mark.parametrize(("audit", "said"), [([], True), (["--audit", "20%"], False)])
def test_create_says_that_accuracy_will_not_be_known(tmp_path, audit, said):
    (tmp_path / "new.csv").write_text(
        "id,text,labels\na,wheat and corn,grain\nb,gold price,metal\nc,corn harvest,grain\n",
        encoding="utf-8",
    )
    files = ["--predictions", str(tmp_path / "new.csv"), "--documents", str(tmp_path / "new.csv")]
    project = str(tmp_path / "made.satc")
    result = CliRunner().invoke(command, ["create", project, *files, "--multi-label", *audit])
    assert result.exit_code == 0, result.output
    assert ("the accuracy will not be known" in result.output) is said
    store = open_store(project)
    assert OpenProject(open_desk(store)).learning is not None
    store.close()
