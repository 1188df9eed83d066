"""Documents that were drawn for the audit and are not decided: they come back, and are told of."""

import json
from dataclasses import replace

import numpy as np
import pytest
from commanding import command
from projects_made import make, make_project, make_single
from test_desk import labels_of

from satc.assurance.certificate.page import certificate_html
from satc.assurance.certificate.serialisation import certificate_json, recomputed
from satc.errors import DataError
from satc.workbench.model.audit import audit_counts
from satc.workbench.model.clock import later
from satc.workbench.project.certificate import certify_project, with_undecided_draws
from satc.workbench.project.history import read_history
from satc.workbench.reports.report import make_report
from satc.workbench.reports.report_page import as_dict, as_html, as_lines
from satc.workbench.review import dispatch
from satc.workbench.review.accuracy.facts import n_left_behind
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store

PAST = "2000-01-01T00:00:00.000000+00:00"


@pytest.fixture
def opened(tmp_path):
    stores = []

    def opening(made=None, **settings):
        if made is not None:
            make_project(made, tmp_path / "claims.satc", **settings)
        stores.append(open_store(tmp_path / "claims.satc"))
        return open_desk(stores[-1])

    yield opening
    for store in stores:
        store.close()


def decide(desk, who, made, times):
    for _ in range(times):
        lease, _ = desk.next(who)
        desk.submit(lease.lease, who, labels_of(made, lease.document), 1.0)


def left_behind(desk, made, times=80):
    """Let ann leave her third draw in a tab, while bob goes on; return her lease."""
    while True:
        lease, _ = desk.next("ann")
        if lease.shown.source == "audit" and audit_counts(desk.record).n_drawn == 3:
            break
        desk.submit(lease.lease, "ann", labels_of(made, lease.document), 1.0)
    decide(desk, "bob", made, times)
    return lease


def history(desk):
    return read_history(desk.store, desk.project)


def test_a_draw_in_a_closed_tab_keeps_later_ones_from_counting(opened):
    made = make(n=200)
    desk = opened(made, audit=0.25)
    left_behind(desk, made)
    counts = audit_counts(desk.record)
    assert counts.n_undecided == 1
    assert (counts.n_counted, counts.n_blocked) == (2, counts.n_drawn - 3)
    assert certify_project(desk.store, desk.project, history(desk)).n_audited == 2


def test_a_draw_that_is_being_read_is_not_left_behind(opened):
    made = make(n=200)
    desk = opened(made, audit=0.25)
    lease = left_behind(desk, made)
    assert n_left_behind(desk) == 0
    half = later(desk.project.settings.lease_seconds / 2 - 1)
    desk.leases.put(replace(lease, expires_at=half))  # a page that is open would have renewed it
    assert n_left_behind(desk) == 1
    desk.submit(lease.lease, "ann", labels_of(made, lease.document), 1.0)
    assert n_left_behind(desk) == 0


def test_a_draw_comes_back_once_its_lease_has_ended(opened, monkeypatch):
    made = make(n=200)
    desk = opened(made, audit=0.25)
    monkeypatch.setattr(dispatch, "later", lambda seconds: PAST)
    lost, _ = desk.next("ann")
    while lost.shown.source != "audit":
        desk.submit(lost.lease, "ann", labels_of(made, lost.document), 1.0)
        lost, _ = desk.next("ann")
    monkeypatch.undo()
    again, _ = desk.next("bob")
    assert (again.document, again.shown.source) == (lost.document, "audit")


def test_the_draw_that_the_certificate_waits_for_comes_first(opened):
    made = make(n=200)
    desk = opened(made, audit=0.5)
    first, _ = desk.next("ann")
    while first.shown.source != "audit":
        desk.submit(first.lease, "ann", labels_of(made, first.document), 1.0)
        first, _ = desk.next("ann")
    desk.skip(first.lease, "ann")
    later, _ = desk.next("ann")
    while later.shown.source != "audit":
        desk.submit(later.lease, "ann", labels_of(made, later.document), 1.0)
        later, _ = desk.next("ann")
    desk.give_back(later.lease, "ann")
    assert later.document != first.document
    assert desk.next("bob")[0].document == first.document


def test_a_draw_that_everybody_skipped_comes_back_and_stays_a_draw(opened):
    made = make(n=12)
    desk = opened(made, audit=0.2)
    decide(desk, "ann", made, 4)
    drawn, _ = desk.next("ann")
    assert drawn.shown.source == "audit"
    desk.skip(drawn.lease, "ann")
    while (lease := desk.next("ann")[0]).document != drawn.document:
        desk.submit(lease.lease, "ann", labels_of(made, lease.document), 1.0)
    assert desk.validation.n_validated == 11
    assert lease.shown.source == "audit"
    desk.submit(lease.lease, "ann", [0], 1.0)
    assert audit_counts(desk.record).n_undecided == 0


def test_the_queue_of_draws_is_that_of_a_restart(opened):
    made = make(n=60)
    desk = opened(made, audit=0.5)
    decide(desk, "ann", made, 12)
    for _ in range(3):
        desk.give_back(desk.undo("ann").lease.lease, "ann")
    again = opened()
    assert again.record.undecided_draws == desk.record.undecided_draws
    assert again.state.next_document.choose("bob", ()) == desk.state.next_document.choose("bob", ())


@pytest.mark.parametrize("task", ["multi-label", "single-label"])
def test_the_bounds_with_the_undecided_draws_are_those_of_right_predictions(opened, task):
    made = make_single(n=200) if task == "single-label" else make(n=200)
    desk = opened(made, audit=0.25, task=task)
    lease = left_behind(desk, made)
    found = certify_project(desk.store, desk.project, history(desk))
    draws = with_undecided_draws(found, history(desk)).undecided
    desk.submit(lease.lease, "ann", desk.state.predicted(lease.document), 1.0)
    decided = certify_project(desk.store, desk.project, history(desk))
    assert draws.bounds_if_right == decided.bounds
    assert draws.bounds_if_right != found.bounds
    assert with_undecided_draws(decided, history(desk)).undecided is None


def test_certificate_and_report_say_what_is_undecided(opened, tmp_path):
    made = make(n=200)
    desk = opened(made, audit=0.25)
    left_behind(desk, made)
    n_blocked = audit_counts(desk.record).n_blocked
    found = certify_project(desk.store, desk.project, history(desk))
    certificate = with_undecided_draws(found, history(desk))
    sentence = (
        f"1 document that was drawn for the audit is not decided yet, so {n_blocked} later draws "
        "do not count as audited. If the predicted labels of this document turn out right, the "
        "bounds would be: micro-F1 "
    )
    assert sentence in certificate_html(certificate)
    assert "not decided yet" not in certificate_html(found)
    data = json.loads(certificate_json(certificate))
    assert data["undecided_draws"]["n_blocked"] == n_blocked
    bounds = data["undecided_draws"]["bounds_if_right"]
    assert bounds == {bound.measure: bound.low for bound in certificate.undecided.bounds_if_right}
    assert "labels of the undecided documents are right" in data["undecided_draws"]["assumption"]
    assert recomputed(json.dumps(data)).bounds == found.bounds
    report = make_report(desk.store, desk.project, history(desk))
    assert as_dict(report, None)["audit"]["n_undecided"] == 1
    assert any("a certificate counts the 2 before" in line for line in as_lines(report, None))
    page = as_html(desk.store, report, history(desk), None)
    assert "1 of the documents that were drawn at random is not decided yet." in page
    desk.store.close()
    done = command("certify", tmp_path / "claims.satc")
    assert done.returncode == 0, done.stderr
    assert sentence in done.stdout


def test_a_first_draw_that_is_undecided_is_named_as_the_reason(opened):
    made = make(n=60)
    desk = opened(made, audit=0.25)
    while (lease := desk.next("ann")[0]).shown.source != "audit":
        desk.submit(lease.lease, "ann", labels_of(made, lease.document), 1.0)
    with pytest.raises(DataError, match="1 were drawn, but the first one that was drawn is not"):
        certify_project(desk.store, desk.project, history(desk))


def test_the_status_counts_the_draws(opened):
    made = make(n=200)
    desk = opened(made, audit=0.25)
    left_behind(desk, made)
    counts = audit_counts(desk.record).as_dict()
    assert counts["n_drawn"] == counts["n_decided"] + counts["n_undecided"]
    assert np.isclose(counts["n_drawn"], 0.25 * desk.validation.n_validated, atol=2)
