"""A start applies the decisions in force; the result is that of following all events."""

from dataclasses import replace

import numpy as np
import pytest
from events_made import random_events
from projects_made import make, make_project

from satc.validation import Validation
from satc.workbench.model import events
from satc.workbench.model.audit import audit_counts
from satc.workbench.model.events import Learnt
from satc.workbench.project.history import History
from satc.workbench.project.opening import open_documents
from satc.workbench.review.state import ProjectState
from satc.workbench.store import open_store
from satc.workbench.store.projects import get_project

METHODS = ("u-theoretic", "u-theoretic-dynamic", "contextual-dynamic")


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Return the stored project and its documents, by method."""
    folder, found = tmp_path_factory.mktemp("start"), {}
    for method in METHODS:
        make_project(make(n=12, m=3), folder / f"{method}.satc", method=method)
        store = open_store(folder / f"{method}.satc")
        project = get_project(store)
        project = replace(project, settings=replace(project.settings, overlap=0.5))
        found[method] = project, open_documents(store, project, History.of([]))
        store.close()
    return found


def followed(project, documents, history):
    """Return the state after every single event."""
    state = ProjectState(project, Validation.of(documents), History.of([]))
    for event in history:
        state.apply(event)
    return state


def available(v):
    """Return the documents that nobody has, in the order in which people get them."""
    found = []
    while (i := v.take()) is not None:
        found.append(i)
    for i in found:
        v.give_back(i)
    return found


def seen(state):
    v = state.validation
    return {
        "order": v.order.tolist(),
        "labels": v.labels.tolist(),
        "gains": np.array(v.gains).tolist(),
        "in order": available(v),
        "changes": state.changes,
        "corrected": state.n_corrected,
        "since": state.n_since_correction(),
        "second opinions": list(state.next_document._second_opinions),
        "audit": audit_counts(state.record),
        "undecided": state.record.undecided_draws,
        "next": [state.next_document.choose(who, ()) for who in ("ann", "bob", "eve")],
        "recent": {who: state.record.recent_decisions(5, who) for who in (None, "ann", "eve")},
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(8))
def test_a_start_gives_the_state_of_following_all_events(opened, method, seed):
    project, documents = opened[method]
    history = random_events(np.random.default_rng(seed), 70)
    history.append(replace(Learnt(40, 5).event("now"), number=71))
    started = ProjectState(project, Validation.of(documents), History.of(history))
    assert seen(started) == seen(followed(project, documents, history))
    assert started.n_corrected > 0


def test_a_start_submits_only_the_decisions_in_force(opened, monkeypatch):
    project, documents = opened["contextual-dynamic"]
    history = random_events(np.random.default_rng(3), 70)
    submitted = []
    submit_all = Validation.submit_all

    def counted(self, indices, labels):
        submitted.extend(indices)
        submit_all(self, indices, labels)

    monkeypatch.setattr(Validation, "submit_all", counted)
    monkeypatch.setattr(Validation, "submit", None)
    monkeypatch.setattr(Validation, "undo", None)
    state = ProjectState(project, Validation.of(documents), History.of(history))
    assert sorted(submitted) == sorted(one.document for one in state.record.current_decisions())
    assert sum(one.kind == events.UNDO for one in history) > 5


@pytest.mark.parametrize("seed", range(5))
def test_the_counts_of_the_audit_are_those_of_a_plain_count(seed):
    record = History.of(random_events(np.random.default_rng(seed), 100)).record
    decided = [record.current_decision(i) is not None for i in record.drawn_for_audit]
    n_counted = decided.index(False) if False in decided else len(decided)
    assert audit_counts(record) == (len(decided), sum(decided), n_counted)
