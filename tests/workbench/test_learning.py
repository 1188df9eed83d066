"""A project of which no label was known at first learns from the decisions of people."""

import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Event as Signal
from threading import Thread

import numpy as np
import pytest
from projects_made import make, make_project, make_single

import satc
from satc.validation import Validation
from satc.workbench.model import events
from satc.workbench.model.events import Learnt
from satc.workbench.project.history import History, read_history
from satc.workbench.review import aside
from satc.workbench.review import learning as learning_module
from satc.workbench.review.desk import open_desk
from satc.workbench.review.open_projects import OpenProject, OpenProjects
from satc.workbench.store import StoreError, open_store
from satc.workbench.store.events import read_events

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(location):
    """Make a cold project and open it; whatever is opened is closed in the end."""
    stores = []

    def opening(made=None, **settings):
        if made is not None:
            make_project(made, location, cold=True, **settings)
        stores.append(open_store(location))
        return OpenProject(open_desk(stores[-1]))

    yield opening
    for store in stores:
        store.close()


def labels_of(made, i):
    return np.flatnonzero(made.y_true[i]).tolist()


def decide(project, made, who="ann"):
    lease, _ = project.desk.next(who)
    project.desk.submit(lease.lease, who, labels_of(made, lease.document), 1.0)
    project.learning.wait()
    return lease.document


def next_documents(desk, n):
    """Return the next n documents of the ranking."""
    validation, found = desk.validation, []
    while len(found) < n and (document := validation.take()) is not None:
        found.append(document)
    for document in found:
        validation.give_back(document)
    return found


def learn_events(desk):
    found = read_events(desk.store, desk.project.key)
    return [event for event in found if event.kind == events.LEARN]


def work_with_everything(project, made, steps, seed=1):
    """Let three people decide, undo, revise, skip, and give back."""
    desk, rng = project.desk, np.random.default_rng(seed)
    for step in range(steps):
        who = ("ann", "bob", "eve")[int(rng.integers(3))]
        lease, _ = desk.next(who)
        match int(rng.integers(9)):
            case 0:
                desk.skip(lease.lease, who)
            case 1:
                desk.give_back(lease.lease, who)
            case 2:
                desk.submit(lease.lease, who, labels_of(made, lease.document), 2.0)
                undone = desk.undo(who)[1]
                if rng.random() < 0.5:
                    desk.give_back(undone.lease, who)
            case _:
                desk.submit(lease.lease, who, labels_of(made, lease.document), 2.0)
        if step % 7 == 6 and (last := desk.record.recent_decisions(3)):
            other = [0] if desk.project.settings.is_single_label else [0, 1]
            desk.revise(last[-1].document, last[-1].who, other, any_author=False)
        if rng.random() < 0.5:
            project.learning.wait()
    project.learning.wait()


@pytest.mark.parametrize("make_documents", [make, make_single], ids=["multi", "single"])
def test_a_restart_gives_the_same_documents_in_the_same_order(opened, make_documents):
    made = make_documents(n=160, m=6, seed=3)
    task = "single-label" if make_documents is make_single else "multi-label"
    project = opened(made, audit=0.2, task=task)
    work_with_everything(project, made, 75)
    assert len(learn_events(project.desk)) >= 2
    again = opened()
    desk, rebuilt = project.desk, again.desk
    assert rebuilt.state.learnt == desk.state.learnt
    assert rebuilt.validation.order.tolist() == desk.validation.order.tolist()
    assert next_documents(rebuilt, 30) == next_documents(desk, 30)
    np.testing.assert_array_equal(
        rebuilt.validation.documents.probability(), desk.validation.documents.probability()
    )
    for document in next_documents(desk, 5):
        assert rebuilt.validation.utility(document) == desk.validation.utility(document)


def test_a_process_beside_the_server_estimates_the_same(opened, monkeypatch):
    made = make(n=120, m=6, seed=3)
    project = opened(made, audit=1.0)
    monkeypatch.setattr(aside, "_SHORT", 0)
    for _ in range(10):
        decide(project, made)
    assert project.desk.state.learnt.n_decisions == 10
    desk, rebuilt = project.desk, opened().desk
    assert next_documents(rebuilt, 30) == next_documents(desk, 30)
    np.testing.assert_array_equal(
        rebuilt.validation.documents.probability(), desk.validation.documents.probability()
    )


def fails(store, project, message):
    raise ValueError(message)


def ends(store, project):
    os._exit(3)


@pytest.mark.parametrize("location", ["sqlite"], indirect=True)
def test_an_error_beside_the_server_is_raised_here(opened, monkeypatch):
    desk = opened(make(n=20)).desk
    monkeypatch.setattr(aside, "_SHORT", 0)
    with pytest.raises(ValueError, match="no such thing"):
        aside.run_aside(desk.store, desk.project, fails, "no such thing")
    with pytest.raises(RuntimeError, match="ended with 3"):
        aside.run_aside(desk.store, desk.project, ends)


def waits_for_ever(store, project):
    (Path(store.location).parent / "begun").touch()
    time.sleep(600)


def test_a_process_beside_the_server_ends_when_the_server_is_killed(tmp_path):
    make_project(make(n=20), tmp_path / "made.satc", cold=True)
    program = f"""
import sys
sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}
from satc.workbench.review import aside
from satc.workbench.store import open_store
from satc.workbench.store.projects import get_project
from test_learning import waits_for_ever
if __name__ == "__main__":
    aside._SHORT = 0
    store = open_store({str(tmp_path / "made.satc")!r})
    aside.run_aside(store, get_project(store, None), waits_for_ever)
"""
    (tmp_path / "server.py").write_text(program, encoding="utf-8")
    server = subprocess.Popen([sys.executable, str(tmp_path / "server.py")])
    end = time.monotonic() + 60
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    children = children_of(server.pid)
    assert children
    server.kill()
    server.wait()
    while any(is_alive(child) for child in children):
        assert time.monotonic() < end
        time.sleep(0.05)


def children_of(pid):
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [int(child) for child in text.split()]


def is_alive(pid):
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def test_the_order_is_that_of_a_validation_that_learns_from_the_same_decisions(tmp_path):
    made = make(n=90, m=5, seed=2)
    make_project(made, tmp_path / "made.satc", cold=True)
    store = open_store(tmp_path / "made.satc")
    project = OpenProject(open_desk(store))
    validation = satc.Validation(made.scores, method="contextual-dynamic")
    order = []
    for _ in range(45):
        order.append(validation.next())
        validation.submit(order[-1], made.y_true[order[-1]])
    assert [decide(project, made) for _ in range(45)] == order
    assert next_documents(project.desk, 20) == next_documents_of(validation, 20)
    store.close()


def next_documents_of(validation, n):
    return [validation.take() for _ in range(n)]


def test_learning_is_due_at_every_doubling_and_says_so_in_the_log(opened):
    made = make(n=60, seed=4)
    project = opened(made)
    standing = []
    for _ in range(41):
        decide(project, made)
        standing.append(project.desk.validation.standing.n_decisions)
    assert standing == [0] * 9 + [10] * 10 + [20] * 20 + [40] * 2
    said = [event.details for event in learn_events(project.desk)]
    assert [details["decisions"] for details in said] == [10, 20, 40]
    numbers = [event.number for event in read_events(project.desk.store, project.desk.project.key)]
    assert all(details["after"] in numbers for details in said)


def test_people_go_on_while_the_project_learns(opened, monkeypatch):
    made = make(n=80, seed=5)
    project = opened(made)
    begun, may_end = Signal(), Signal()
    real = learning_module.run_aside

    def slow(*arguments):
        begun.set()
        assert may_end.wait(30)
        return real(*arguments)

    monkeypatch.setattr(learning_module, "run_aside", slow)
    desk, leases = project.desk, []
    for _ in range(10):
        lease, _ = desk.next("ann")
        desk.submit(lease.lease, "ann", labels_of(made, lease.document), 1.0)
        leases.append(lease)
    assert begun.wait(30)
    desk.revise(leases[2].document, "ann", [0, 1], any_author=False)
    for _ in range(4):
        lease, _ = desk.next("bob")
        desk.submit(lease.lease, "bob", labels_of(made, lease.document), 1.0)
    open_lease, _ = desk.next("eve")
    taken_back, _ = desk.next("ann")
    desk.give_back(taken_back.lease, "ann")
    assert not learn_events(desk)
    before = desk.validation.decisions
    may_end.set()
    project.learning.wait()
    assert project.learning.error is None
    assert desk.state.learnt.n_decisions == 10
    assert [i for i, _ in desk.validation.decisions] == [i for i, _ in before]
    assert desk.validation.is_taken(open_lease.document)
    assert not desk.validation.is_taken(taken_back.document)
    desk.submit(open_lease.lease, "eve", labels_of(made, open_lease.document), 1.0)
    rebuilt = opened().desk
    assert next_documents(rebuilt, 30) == next_documents(desk, 30)


def test_a_decision_that_is_undone_while_the_project_learns_is_undone(opened, monkeypatch):
    made = make(n=60, seed=5)
    project = opened(made)
    desk, real = project.desk, learning_module.run_aside
    undoing = Thread(target=desk.undo, args=["ann"])

    def undo_meanwhile(*arguments):
        found = real(*arguments)
        undoing.start()
        undoing.join()
        return found

    monkeypatch.setattr(learning_module, "run_aside", undo_meanwhile)
    for _ in range(10):
        lease, _ = desk.next("ann")
        desk.submit(lease.lease, "ann", labels_of(made, lease.document), 1.0)
    project.learning.wait()
    assert desk.validation.n_validated == 9
    assert desk.validation.standing.n_decisions == 10
    assert next_documents(opened().desk, 30) == next_documents(desk, 30)


def test_an_error_does_not_stop_the_work(opened, monkeypatch):
    made = make(n=40, seed=6)
    project = opened(made)

    def fail(*_):
        raise MemoryError("out of memory\nmore lines")

    monkeypatch.setattr(learning_module, "run_aside", fail)
    for _ in range(12):
        decide(project, made)
    said = [str(message) for message in project.messages()]
    assert said == ["The probabilities cannot be learnt anew: out of memory"]
    assert project.desk.validation.n_validated == 12
    assert not learn_events(project.desk)
    monkeypatch.undo()
    monkeypatch.setattr(learning_module, "_RETRY_SECONDS", 0.0)
    decide(project, made)
    assert project.messages() == []
    assert project.desk.state.learnt.n_decisions == 13


def test_nothing_is_half_done_if_saving_fails(opened, monkeypatch):
    made = make(n=40, seed=6)
    project = opened(made)
    desk, real = project.desk, Learnt.event

    def fail(*_):
        raise StoreError("the disk is full")

    monkeypatch.setattr(Learnt, "event", fail)
    for _ in range(10):
        decide(project, made)
    assert "The disk is full" in str(project.messages()[0])
    assert desk.state.learnt is None
    assert desk.validation.standing.n_decisions == 0
    monkeypatch.setattr(Learnt, "event", real)
    assert next_documents(opened().desk, 30) == next_documents(desk, 30)


def test_an_event_whose_commit_was_not_acknowledged_is_followed(opened, monkeypatch):
    made = make(n=60, seed=7)
    project = opened(made)
    desk, real = project.desk, project.desk._journal.record

    def lost(event, closing=()):
        stored = real(event, closing)
        if event.kind == events.LEARN:  # it is stored, but the answer is lost
            raise StoreError("the connection was lost")
        return stored

    monkeypatch.setattr(desk._journal, "record", lost)
    for _ in range(10):
        decide(project, made)
    assert desk.state.learnt is None
    assert desk.record.learnt.n_decisions == 10
    monkeypatch.undo()
    monkeypatch.setattr(learning_module, "_RETRY_SECONDS", 0.0)
    decide(project, made)
    assert desk.state.learnt == desk.record.learnt
    assert len(learn_events(desk)) == 1
    assert next_documents(opened().desk, 30) == next_documents(desk, 30)


def test_the_labels_stay_those_that_were_stored(opened):
    made = make(n=80, m=3, seed=8)
    project = opened(made, decide="measure")
    before = project.desk.validation.documents.decided.copy()
    for _ in range(45):
        decide(project, made)
    assert project.desk.validation.standing.n_decisions == 40
    np.testing.assert_array_equal(project.desk.validation.documents.decided, before)
    np.testing.assert_array_equal(opened().desk.validation.documents.decided, before)
    own = Validation.of(project.desk.validation.documents).labels
    np.testing.assert_array_equal(own, before)


def test_a_server_learns_at_once_from_decisions_that_were_imported(opened, location, tmp_path):
    from satc.workbench.reports.import_decisions import import_decisions

    made = make(n=40, seed=9)
    project = opened(made)
    names = project.desk.project.classes
    rows = [f"d{i},{'|'.join(names[j] for j in labels_of(made, i))}" for i in range(25)]
    (tmp_path / "decided.csv").write_text("\n".join(["id,labels", *rows, ""]), encoding="utf-8")
    project.desk.store.close()
    store = open_store(location)
    assert import_decisions(store, None, tmp_path / "decided.csv", None, "ann") == 25
    desk = open_desk(store)
    assert desk.validation.standing.n_decisions == 25
    projects = OpenProjects(store, estimating=False)
    assert projects.open(desk.project.name).desk.state.learnt.n_decisions == 25
    store.close()


def test_the_decisions_after_an_event_are_those_of_a_replay_up_to_it(opened):
    made = make(n=60, seed=10)
    project = opened(made)
    work_with_everything(project, made, 40)
    desk = project.desk
    history = read_history(desk.store, desk.project)
    stored = list(read_events(desk.store, desk.project.key))
    for k in range(0, len(stored), 5):
        until = History.of(stored[: k + 1]).record.current_decisions()
        found = history.decisions_after(stored[k].number)
        assert {d.number for d in found} == {d.number for d in until}
