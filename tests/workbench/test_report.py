import json

import numpy as np
import pytest
from projects_made import make, make_project
from test_desk import labels_of

from satc.workbench.project.history import read_history
from satc.workbench.reports.plan import plan_project
from satc.workbench.reports.report import make_report
from satc.workbench.reports.report_page import as_dict, as_html, as_lines, past_points
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store

NAMES = ("<script>alert(1)</script>", "wheat", "corn", "gold", "oil", "ship")


@pytest.fixture
def worked(tmp_path):
    """A project on which two people have worked; bob never gives the first label."""
    made = make(n=120)
    path = tmp_path / "claims.satc"
    make_project(made, path, names=NAMES, overlap=0.5, blind=0.3, price=30.0)
    store = open_store(path)
    desk = open_desk(store)
    for step in range(60):
        who = ("ann", "bob")[step % 2]
        lease, _ = desk.next(who)
        labels = labels_of(made, lease.document)
        if who == "bob":
            labels = [label for label in labels if label != 0]
        desk.submit(lease.lease, who, labels, 30.0)
    yield store, desk, made
    store.close()


def test_the_report_says_who_did_what_and_whether_they_agree(worked):
    store, desk, _ = worked
    report = make_report(store, desk.project, read_history(store, desk.project))
    assert {person.name: person.decisions for person in report.people} == {"ann": 30, "bob": 30}
    assert [person.hours for person in report.people] == [0.25, 0.25]
    assert report.agreement.documents > 5
    kappa = report.agreement.kappa["ann", "bob"]
    assert kappa.pooled < 1.0
    assert np.nanmin(kappa.per_class[1:]) == 1.0
    assert report.n_validated == desk.validation.n_validated
    assert report.n_corrected == desk.state.n_corrected


def test_the_report_counts_corrections_by_class(worked):
    store, desk, made = worked
    lines = make_report(store, desk.project, read_history(store, desk.project)).classes
    now = desk.validation.labels.sum(axis=0)
    assert [line.now for line in lines] == now.tolist()
    before = (made.scores >= 0).sum(axis=0)
    assert [line.predicted for line in lines] == before.tolist()


def test_blind_and_shown_documents_are_told_apart(worked):
    store, desk, _ = worked
    report = make_report(store, desk.project, read_history(store, desk.project))
    assert report.blind.documents > 5
    assert report.blind.documents + report.shown.documents == report.n_validated


def test_the_page_is_self_contained_and_escapes_names(worked):
    store, desk, _ = worked
    history = read_history(store, desk.project)
    report = make_report(store, desk.project, history)
    points = past_points(store, desk.project, history)
    page = as_html(store, report, history, points)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert page.count("<figure") == 2
    assert "Cohen" in page
    lines = " ".join(as_lines(report, points))
    assert "Krippendorff's alpha" in lines
    data = json.loads(json.dumps(as_dict(report, points)))
    assert data["people"][0]["decisions"] == 30
    assert all(row["low"] <= row["last"] <= row["high"] for row in data["classes"])
    assert data["accuracy"]["assumption"]["holds"] in (True, False)


def test_the_plan_says_documents_hours_and_cost(worked):
    store, desk, _ = worked
    plan = plan_project(store, None, 0.9, 0.9, hours=[0.5])
    left = 120 - desk.validation.n_validated
    assert 0 < plan.plan.documents <= left
    assert plan.plan.hours == pytest.approx(plan.plan.documents * 30 / 3600)
    assert plan.plan.cost == pytest.approx(plan.plan.hours * 30.0)
    ((hours, bought),) = plan.bought
    assert (hours, bought.documents) == (0.5, 60)
    assert plan.ahead[0][0] == desk.validation.n_validated
    assert plan.ahead[-1][:2] == (120, pytest.approx(1.0))
    assert "to reach 0.9" in " ".join(plan.lines())
    assert plan.as_dict()["documents"] == plan.plan.documents
