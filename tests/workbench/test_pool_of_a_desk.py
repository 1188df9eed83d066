"""The documents that the audit draws from, while people do everything that a desk allows."""

import json
import shutil
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from projects_made import make, make_project
from test_pool import pools_of

from satc.assurance.certificate.serialisation import certificate_json
from satc.workbench.model import events
from satc.workbench.project.certificate import (
    about,
    certify_project,
    check_certificate,
    with_undecided_draws,
)
from satc.workbench.project.history import read_history
from satc.workbench.reports.import_decisions import import_decisions
from satc.workbench.review.desk import open_desk
from satc.workbench.review.leases import ConflictError
from satc.workbench.store import open_store
from satc.workbench.store.events import read_events

N = 9  # documents
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # making an example smaller takes minutes
PEOPLE = ("ann", "bob", "eve")
KINDS = ("decide", "decide", "decide", "decide", "undo", "undo", "undo", "skip", "give back")
KINDS += ("choose", "revise", "flag", "unflag", "note", "import", "restart")
ACTIONS = st.tuples(st.sampled_from(KINDS), st.integers(0, N - 1), st.sampled_from(PEOPLE))


class Team:
    """People at a desk; each action is one method or a name in `act`."""

    def __init__(self, path):
        self.path, self.store = path, open_store(path)
        self.desk = open_desk(self.store)

    def act(self, kind, document, who):
        try:
            self._act(kind, document, who)
        except ConflictError:  # for example, there is nothing to undo
            return

    def _act(self, kind, document, who):
        desk, labels = self.desk, [document % 3]
        if kind in ("decide", "skip", "give back"):
            lease, _ = desk.next(who)
            if lease is None:
                return
            if kind == "decide":
                desk.submit(lease.lease, who, labels, 1.0)
            else:
                {"skip": desk.skip, "give back": desk.give_back}[kind](lease.lease, who)
        elif kind == "choose":
            desk.submit(desk.open_chosen(document, who).lease, who, labels, None)
        elif kind == "undo":
            desk.undo(who)
        elif kind == "revise":
            desk.revise(document, who, [3, 4], any_author=True)
        elif kind in ("flag", "unflag"):
            desk.flag(document, who, kind == "flag")
        elif kind == "note":
            desk.note(document, who, f"see {document}")
        else:
            self._restart(document if kind == "import" else None)

    def _restart(self, imported):
        """Open the project again, after a decision was imported."""
        self.store.close()
        self.store = open_store(self.path)
        if imported is not None:
            file = self.path.with_name("done.jsonl")
            file.write_text(json.dumps({"id": f"d{imported}", "labels": ["class 6"]}) + "\n")
            import_decisions(self.store, None, file, None, "max")
        self.desk = open_desk(self.store)


def simulated(stored):
    """Return the pool of each draw and the documents that are decided, by a plain simulation."""
    standing = defaultdict(list)  # numbers of the decisions on each document
    pools, drawn = [], set()
    for event in stored:
        if event.kind in (events.DECIDE, events.REVISE):
            standing[event.document].append(event.number)
        elif event.kind == events.UNDO and event.details["of"] in standing[event.document]:
            standing[event.document].remove(event.details["of"])
        elif event.kind == events.AUDIT:
            pools.append({i for i in range(N) if not standing[i]} - drawn)
            drawn.add(event.document)
    return pools, {i for i in range(N) if standing[i]}


@pytest.fixture(scope="module")
def project_made(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "made.satc"
    return make_project(make(n=N), path, audit=0.5, overlap=0.4, cap=6, method="baseline")


@pytest.mark.slow
@given(st.lists(ACTIONS, min_size=20, max_size=60))
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES)
def test_the_log_says_from_which_documents_each_draw_was_made(project_made, tmp_path, actions):
    for path in tmp_path.glob("*"):
        path.unlink()
    team = Team(shutil.copy(project_made, tmp_path / "team.satc"))
    try:
        for kind, document, who in actions:
            team.act(kind, document, who)
        check(team.store, team.desk.project, tmp_path / "certificate.json")
    finally:
        team.store.close()


def check(store, project, file):
    """Compare the log with the simulation, and check the certificate."""
    history = read_history(store, project)
    pools, decided = simulated(read_events(store, project.key))
    decisions, undone = history.pool_log()
    n_audited = sum(one.is_audit for one in decisions)
    assert pools_of(decisions, undone, N) == pools[:n_audited]
    assert {one.document for one in decisions} == decided
    history.check_draws(project.settings.draw_seed, N)
    if n_audited:
        certificate = with_undecided_draws(certify_project(store, project, history), history)
        file.write_text(certificate_json(certificate, about(project, history)))
        assert "follows from its log" in check_certificate(store, project, history, file)
