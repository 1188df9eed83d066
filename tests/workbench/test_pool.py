"""The certificate against a plain simulation of the documents from which the audit draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satc.assurance.certificate.audit import AuditSample
from satc.assurance.certificate.certificate import certify
from satc.assurance.certificate.serialisation import certificate_json, recomputed
from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.model.record import Record
from satc.workbench.project.history import History

N = 5  # documents
PEOPLE = ("ann", "bob")
KINDS = ("decide", "undo", "undo", "answer", "revise", "skip", "second", "draw")
KINDS += ("flag", "unflag", "note", "import", "imported")
ACTIONS = st.tuples(st.sampled_from(KINDS), st.integers(0, N - 1), st.sampled_from(PEOPLE))


class Project:
    """Events of a project, with the documents that each draw was made from."""

    def __init__(self, n_documents=N, seed=5):
        self.events, self.record = [], Record()
        self.audit, self.n_documents = AuditSample(n_documents, seed), n_documents
        self.pools = []  # of each draw, the documents that it was made from

    def add(self, kind, document, who, labels=None, **details):
        event = Event(len(self.events) + 1, "now", who, kind, document, labels, details=details)
        self.events.append(event)
        self.record.apply(event)

    def decided(self):
        return {one.document for one in self.record.current_decisions()}

    def draw(self):
        pool = set(range(self.n_documents)) - self.decided() - set(self.audit.drawn)
        document = self.audit.draw(sorted(self.decided()))
        if document is not None:
            self.pools.append(pool)
            self.add(events.AUDIT, document, "ann")

    def undo(self, who):
        last = self.record.actions.last(who)
        if last is not None:
            self.add(events.UNDO, last.document, who, of=last.number)

    def decide(self, document, who, labels=(0,), **details):
        if document not in self.decided():
            self.add(events.DECIDE, document, who, labels, **details)

    def act(self, kind, document, who):
        is_decided = document in self.decided()
        if kind == "draw":
            self.draw()
        elif kind == "answer" and self.audit.drawn:
            self.decide(self.audit.drawn[-1], who)
        elif kind == "undo":
            self.undo(who)
        elif kind == "decide":
            self.decide(document, who)
        elif kind == "import":
            self.decide(document, who, imported=True)
        elif kind == "imported" and is_decided:
            self.add(events.REVISE, document, who, (1,), imported=True)
        elif kind in ("revise", "second") and is_decided:
            self.add(kind, document, who, (1,))
        elif kind in ("skip", "flag", "unflag"):
            self.add(kind, document, who)
        elif kind == "note":
            self.add(kind, document, who, note="look")

    def log(self):
        return History.of(self.events).pool_log()


def pools_of(decisions, undone, n_documents):
    """The documents that each audited decision of a log was drawn from, according to the log."""
    found = []
    for place, (_, _, is_audit) in enumerate(decisions):
        if is_audit:
            outside = {one.document for one in decisions[:place]}
            outside |= {one.document for one in undone if one.first <= place < one.last}
            found.append(set(range(n_documents)) - outside)
    return found


@given(st.lists(ACTIONS, min_size=15, max_size=60))
@settings(max_examples=400, deadline=None)
def test_the_log_says_from_which_documents_each_draw_was_made(actions):
    project = Project()
    for kind, document, who in actions:
        project.act(kind, document, who)
    decisions, undone = project.log()
    n_audited = sum(one.is_audit for one in decisions)
    assert pools_of(decisions, undone, N) == project.pools[:n_audited]
    assert {one.document for one in decisions} == project.decided()
    drawn = [one.document for one in decisions if one.is_audit]
    assert drawn == project.audit.drawn[:n_audited]


@given(st.lists(ACTIONS, min_size=15, max_size=60))
@settings(max_examples=100, deadline=None)
def test_a_certificate_with_undone_decisions_is_recomputed_from_its_file(actions):
    project = Project()
    for kind, document, who in actions:
        project.act(kind, document, who)
    decisions, undone = project.log()
    predicted = np.ones((N, 2), dtype=bool)
    certificate = certify(predicted, decisions, cap=2, undone=undone)
    again = recomputed(certificate_json(certificate))
    assert (again.bounds, again.inputs.undone) == (certificate.bounds, certificate.inputs.undone)


def hostile(n_wrong=300, n=1_500, n_audits=300, labels=None):
    """Somebody decides on the wrong documents, others are audited, and the first undoes all."""
    truth = np.ones((n, 1), dtype=bool)
    truth[:n_wrong] = False
    project = Project(n)
    for document in range(n_wrong):
        project.decide(document, "ann", () if labels is None else labels)
    for _ in range(n_audits):
        project.draw()
        document = project.audit.drawn[-1]
        project.decide(document, "bob", (0,) if truth[document, 0] else ())
    for _ in range(n_wrong):
        project.undo("ann")
    return project, truth


@pytest.mark.parametrize("labels", [None, (0,)])
def test_undone_decisions_do_not_give_a_false_certificate(labels):
    project, truth = hostile(labels=labels)
    assert project.record.current_decision(0) is None
    decisions, undone = project.log()
    assert len(undone) == 300
    predicted = np.ones_like(truth)
    certificate = certify(predicted, decisions, cap=1, undone=undone)
    precision = truth.mean()
    assert certificate.low("precision") <= precision
    assert certificate.low("micro-F1") <= 2 * precision / (precision + 1)
    assert certify(predicted, decisions, cap=1).low("precision") > precision  # as it was before


def test_the_bounds_of_single_labels_hold_after_undone_decisions_too():
    project, truth = hostile()
    decisions, undone = project.log()
    predicted = np.column_stack([truth[:, 0] | True, np.zeros(len(truth), dtype=bool)])
    log = [(one.document, (0,), one.is_audit) for one in decisions]
    certificate = certify(predicted, log, single_label=True, undone=undone)
    assert certificate.low("accuracy") <= 0.8
    assert certificate.classes[0].precision <= 0.8


def test_a_decision_that_was_undone_and_made_again_costs_nothing():
    plain, again = Project(200), Project(200)
    for project in (plain, again):
        for document in range(20):
            project.decide(document, "ann", ())
        for _ in range(50):
            project.draw()
            project.decide(project.audit.drawn[-1], "bob")
    for _ in range(20):
        again.undo("ann")
    for document in range(20):
        again.decide(document, "ann", ())
    predicted = np.ones((200, 1), dtype=bool)
    bounds = []
    for project in (plain, again):
        decisions, undone = project.log()
        bounds.append(dict(certify(predicted, decisions, cap=1, undone=undone).bounds))
    assert bounds[1] == pytest.approx(bounds[0], abs=1e-9)


def test_undone_decisions_never_raise_a_bound():
    for n_wrong in (1, 10, 100):
        project, truth = hostile(n_wrong, n=400, n_audits=100)
        decisions, undone = project.log()
        predicted = np.ones_like(truth)
        with_undone = certify(predicted, decisions, cap=1, undone=undone)
        without = certify(predicted, decisions, cap=1)
        for measure in ("micro-F1", "precision", "recall", "macro-F1"):
            assert with_undone.low(measure) <= without.low(measure)
