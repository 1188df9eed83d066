import json

import numpy as np
import pytest
from projects_made import make, make_project
from test_desk import labels_of
from typer.testing import CliRunner

from satc.assurance.certificate.certificate import AIM, certify_in_format
from satc.assurance.certificate.serialisation import certificate_json
from satc.cli import app
from satc.errors import DataError
from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.model.settings import Settings
from satc.workbench.project.certificate import about, certify_project, check_certificate
from satc.workbench.project.certificate_plan import plan_certificate
from satc.workbench.project.history import History, read_history
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.store.events import append
from satc.workbench.store.projects import get_project


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
    path.write_text(certificate_json(certificate, about(desk.project, history(desk))))
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


CHANGES = {
    "counts": lambda held: held["counts"].update(n_validated=9_999),
    "about.title": lambda held: held["about"].update(title="Something else"),
    "about.seed of the draws": lambda held: held["about"].update({"seed of the draws": 12}),
    "about.decisions undone": lambda held: held["about"].update({"decisions undone": 0}),
    "about.project created": lambda held: held["about"].pop("project created"),
    "about.by": lambda held: held["about"].update(by="an authority"),
    "format": lambda held: held.update(format=2),
    "aim": lambda held: held.update(aim=0.9),
    "audit_found.wrong": lambda held: held["audit_found"].update(wrong=0),
    "human_errors": lambda held: held.update(human_errors=0.5),
    "most_missed": lambda held: held.update(most_missed=0),
    "valid": lambda held: held.update(valid=True),
    "undecided_draws": lambda held: held.update(undecided_draws={"n_undecided": 3}),
    "no undecided draws": lambda held: held.pop("undecided_draws"),
    "classes": lambda held: held["classes"][0].update(precision=0.99),
    "no classes": lambda held: held.pop("classes"),
    "no undone": lambda held: held["inputs"].pop("undone"),
}


@pytest.fixture
def certified(desk, tmp_path):
    """A project with undone and revised decisions, and its certificate as a dictionary."""
    desk, made = desk
    work(desk, made, 60)
    for _ in range(3):
        desk.undo("ann")
    certificate = certify_project(desk.store, desk.project, history(desk))
    facts = about(desk.project, history(desk))
    return desk, json.loads(certificate_json(certificate, facts)), tmp_path / "c.json"


@pytest.mark.parametrize("name", CHANGES)
def test_a_certificate_that_was_changed_anywhere_is_refused(certified, name):
    desk, held, path = certified
    path.write_text(json.dumps(held))
    answer = check_certificate(desk.store, desk.project, history(desk), path)
    assert "the whole certificate follows from its log" in answer
    CHANGES[name](held)
    path.write_text(json.dumps(held))
    with pytest.raises(DataError, match=r"says something else|that its log supports"):
        check_certificate(desk.store, desk.project, history(desk), path)


def forged(desk, version, about, aim=AIM):
    """A certificate as an earlier version of the program would compute it, from the true log."""
    made = certify_project(desk.store, desk.project, history(desk))
    given = made.inputs
    earlier = certify_in_format(
        version,
        given.predicted,
        given.decisions,
        cap=made.cap,
        confidence=made.confidence,
        repeats=given.repeats,
        aim=aim,
        single_label=False,
    )
    held = json.loads(certificate_json(earlier, about)) | {"format": version}
    del held["inputs"]["undone"]
    return held


def earlier_facts(desk):
    """What certificates said about a project before format 3."""
    return {
        name: value
        for name, value in about(desk.project, history(desk)).items()
        if name not in ("seed of the draws", "project created") and not name.endswith("ed")
    }


@pytest.mark.parametrize("version", [1, 2])
def test_a_certificate_in_an_earlier_format_is_compared_as_a_whole(desk, version, tmp_path):
    desk, made = desk
    work(desk, made, 60)
    facts, path = earlier_facts(desk), tmp_path / "c.json"
    assert set(facts) >= {"project", "title", "labels", "method"}

    def check(held):
        path.write_text(json.dumps(held))
        return check_certificate(desk.store, desk.project, history(desk), path)

    assert "the whole certificate follows" in check(forged(desk, version, facts))
    for held in (
        forged(desk, version, facts | {"project": "another"}),
        forged(desk, version, facts | {"by": "an authority"}),
        forged(desk, version, {}),
        forged(desk, version, facts, aim=0.6),
    ):
        with pytest.raises(DataError, match="says something else"):
            check(held)


def test_a_certificate_in_an_earlier_format_does_not_hide_what_was_undone(certified):
    desk, _, path = certified
    path.write_text(json.dumps(forged(desk, 2, earlier_facts(desk))))
    with pytest.raises(DataError, match="must rest on the project's log"):
        check_certificate(desk.store, desk.project, history(desk), path)


def test_a_certificate_says_the_seed_and_what_was_undone(certified):
    desk, held, _ = certified
    said = held["about"]
    assert said["seed of the draws"] == desk.project.settings.draw_seed
    assert said["project created"] == desk.project.created_at
    assert said["decisions undone"] == 3
    assert said["decisions revised"] == 0
    assert held["inputs"]["undone"]


def test_the_command_prints_the_bounds_of_classes(certified):
    desk, held, _ = certified

    def run(*options):
        done = CliRunner().invoke(app, ["certify", desk.store.location, "--classes", *options])
        assert done.exit_code == 0, done.output
        return done.output

    printed = json.loads(run("--json"))
    assert printed["micro-F1"] == held["bounds"]["micro-F1"]
    names = desk.project.names
    assert [one["class"] for one in printed["classes"]] == [
        names[one["column"]] for one in held["classes"]
    ]
    assert [one["F1"] for one in printed["classes"]] == [one["f1"] for one in held["classes"]]
    assert "hold together with 95% confidence" in run()


def test_the_seed_of_the_audit_is_chosen_at_random(tmp_path):
    seeds = set()
    for name in ("a.satc", "b.satc"):
        make_project(make(n=20), tmp_path / name, audit_seed=None)
        store = open_store(tmp_path / name)
        seeds.add(get_project(store).settings.draw_seed)
        store.close()
    assert len(seeds) == 2
    assert min(seeds) > 1_000


def test_a_project_of_an_earlier_version_draws_by_its_seed():
    assert Settings(title="a", seed=7).draw_seed == 7


def test_the_plan_of_a_certificate_is_about_what_the_bound_needs(desk):
    desk, made = desk
    work(desk, made, 60)
    before = history(desk)
    first, macro = plan_certificate(desk.store, desk.project, before, 0.6)
    assert (first.measure, macro.measure) == ("micro-F1", "macro-F1")
    assert 0.0 < first.now < 0.6
    assert first.n_more > 0
    assert f"0.6 needs about {first.n_more:,} more random documents" in str(first)
    (reached, _) = plan_certificate(desk.store, desk.project, before, first.now)
    assert reached.n_more == 0
    assert "which reaches" in str(reached)
