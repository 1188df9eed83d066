import json

import numpy as np
import pytest
from projects_made import make, make_project
from test_desk import labels_of

from satc.assurance.certificate.serialisation import certificate_json
from satc.errors import DataError
from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.project.certificate import certify_project, check_certificate
from satc.workbench.project.history import History, read_history
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.store.events import append


@pytest.fixture
def desk(tmp_path):
    made = make(n=200)
    make_project(made, tmp_path / "claims.satc", audit=0.25)
    store = open_store(tmp_path / "claims.satc")
    yield open_desk(store), made
    store.close()


def work(desk, made, times, skip=()):
    for step in range(times):
        who = ("ann", "bob")[step % 2]
        lease, _ = desk.next(who)
        if step in skip:
            desk.skip(lease.lease, who)
        else:
            desk.submit(lease.lease, who, labels_of(made, lease.document), 1.0)


def history(desk):
    return read_history(desk.store, desk.project)


def test_a_share_of_the_work_is_a_random_audit_that_anyone_can_check(desk):
    desk, made = desk
    work(desk, made, 80)
    log = history(desk).audit_log()
    assert len(log) == desk.validation.n_validated
    assert sum(d.is_audit for d in log) == pytest.approx(0.25 * len(log), abs=1)
    history(desk).check_draws(desk.project.settings.seed, 200)


def test_a_document_that_was_chosen_is_not_passed_off_as_drawn(desk):
    desk, made = desk
    work(desk, made, 10)
    chosen = next(i for i in range(200) if i not in desk.record.drawn_for_audit)
    forged = desk.state.new_event("audit", events.AUDIT, chosen)
    with desk.store.writing() as transaction:
        append(transaction, desk.project.key, forged)
    with pytest.raises(DataError, match="must draw the document that the seed gives"):
        history(desk).check_draws(desk.project.settings.seed, 200)


def test_a_hard_document_cannot_slip_out_of_the_sample(desk):
    desk, made = desk
    work(desk, made, 3)
    lease, _ = desk.next("bob")
    assert lease.shown.source == "audit"
    desk.skip(lease.lease, "bob")
    lease_of_ann, _ = desk.next("ann")
    assert lease_of_ann.document == lease.document
    desk.give_back(lease_of_ann.lease, "ann")
    for _ in range(12):
        given, _ = desk.next("bob")
        if given.document != lease.document:
            desk.submit(given.lease, "bob", labels_of(made, given.document), 1.0)
    log = history(desk).audit_log()
    assert not any(decision.is_audit for decision in log), "an undecided draw came before these"


@pytest.mark.slow
def test_the_certificate_is_below_the_truth_and_can_be_recomputed(desk, tmp_path):
    desk, made = desk
    work(desk, made, 150)
    certificate = certify_project(desk.store, desk.project, history(desk), cap=6)
    labels = desk.validation.labels
    tp = (labels & made.y_true).sum()
    truth = 2 * tp / (labels.sum() + made.y_true.sum())
    assert 0.1 < certificate.low("micro-F1") < truth
    assert certificate.n_audited > 30
    path = tmp_path / "certificate.json"
    path.write_text(certificate_json(certificate))
    assert "which is the project's" in check_certificate(
        desk.store, desk.project, history(desk), path
    )
    forged = json.loads(path.read_text())
    forged["bounds"]["micro-F1"] = 0.9999
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    with pytest.raises(DataError, match="must say what follows from its log"):
        check_certificate(desk.store, desk.project, history(desk), tmp_path / "forged.json")
    forged = json.loads(path.read_text())
    forged["inputs"]["decisions"][0][1] = [0, 1, 2, 3]
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    with pytest.raises(DataError, match="must be a certificate that its log supports"):
        check_certificate(desk.store, desk.project, history(desk), tmp_path / "forged.json")
    work(desk, made, 1)
    with pytest.raises(DataError, match="has changed since"):
        check_certificate(desk.store, desk.project, history(desk), path)


def test_the_cap_is_not_lowered_afterwards(desk):
    desk, made = desk
    work(desk, made, 20)
    with pytest.raises(DataError, match="at least the 5 labels declared"):
        certify_project(desk.store, desk.project, history(desk), cap=4)


def test_a_document_drawn_after_an_undo_is_audited():
    def event(number, kind, **details):
        return Event(number, "now", "ann", kind, 7, (0,), details=details)

    history = [
        event(1, events.DECIDE),
        event(2, events.UNDO, of=1),
        event(3, events.AUDIT),
        event(4, events.DECIDE),
    ]
    assert History.of(history).audit_log() == [(7, (0,), True)]
    assert History.of([history[0]]).audit_log() == [(7, (0,), False)]
    assert History.of(history[:3]).audit_log() == []


@pytest.mark.slow
def test_disagreement_of_people_widens_the_bound(tmp_path):
    made = make(n=200)
    bounds = {}
    for overlap in (0.0, 1.0):
        path = tmp_path / f"{overlap}.satc"
        make_project(made, path, audit=0.5, overlap=overlap, cap=4)
        store = open_store(path)
        desk = open_desk(store)
        while desk.validation.n_validated < 190:
            work(desk, made, 2)
        certificate = certify_project(store, desk.project, history(desk))
        assert (certificate.n_repeated > 150) == (overlap == 1.0)
        bounds[overlap] = certificate.low("micro-F1")
        store.close()
    assert 0.3 < bounds[1.0] < bounds[0.0] < 1.0


def test_without_an_audit_there_is_no_certificate(tmp_path):
    make_project(make(n=20), tmp_path / "a.satc")
    store = open_store(tmp_path / "a.satc")
    desk = open_desk(store)
    with pytest.raises(DataError, match="must have audited documents"):
        certify_project(store, desk.project, history(desk))
    store.close()


def test_audits_by_several_people_at_once_are_drawn_from_all_that_is_undecided(tmp_path):
    made = make(n=60)
    make_project(made, tmp_path / "a.satc", audit=0.5)
    store = open_store(tmp_path / "a.satc")
    desk = open_desk(store)
    rng = np.random.default_rng(0)
    held = []
    while desk.validation.n_validated < 60:
        who = f"p{rng.integers(8)}"
        lease, _ = desk.next(who) if len(desk.leases.of(who)) < 3 else (None, None)
        if lease is not None:
            held.append((lease, who))
        if held and (lease is None or rng.random() < 0.5):
            done, by = held.pop(int(rng.integers(len(held))))
            desk.submit(done.lease, by, labels_of(made, done.document), None)
    history(desk).check_draws(0, 60)
    log = history(desk).audit_log()
    assert sorted(decision.document for decision in log) == list(range(60))
    assert sum(decision.is_audit for decision in log) >= 20
    store.close()
