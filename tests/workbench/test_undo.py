import json

import numpy as np
import pytest
from calling import BASE, TEAM, bearer
from hypothesis import given
from hypothesis import strategies as st
from projects_made import make, make_project
from test_desk import labels_of, opened, state
from test_history import random_events, replayed

from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.project.history import read_history
from satc.workbench.reports.import_decisions import import_decisions
from satc.workbench.review import dispatch
from satc.workbench.review.desk import open_desk
from satc.workbench.review.leases import ConflictError
from satc.workbench.store import open_store

__all__ = ["opened"]  # a fixture


def decide(desk, who, labels=(1,)):
    lease, _ = desk.next(who)
    desk.submit(lease.lease, who, labels, 1.0)
    return lease.document


def test_undo_takes_back_what_was_done_last_whatever_it_was(opened):
    desk = opened(make(n=20))
    first = decide(desk, "ann")
    second, _ = desk.next("ann")
    desk.skip(second.lease, "ann")
    desk.flag(first, "ann", True)
    desk.note(first, "ann", "odd")
    desk.revise(first, "ann", [2], any_author=False)
    kinds = [desk.undo("ann").action.kind for _ in range(5)]
    assert kinds == ["revise", "note", "flag", "skip", "decide"]
    assert desk.validation.n_validated == 0
    assert (desk.record.flagged, desk.record.notes) == (set(), {})
    with pytest.raises(ConflictError, match="nothing yet that could be undone"):
        desk.undo("ann")


def test_an_undone_skip_opens_the_document_at_once(opened):
    desk = opened(make(n=20))
    decide(desk, "ann")
    skipped, _ = desk.next("ann")
    desk.skip(skipped.lease, "ann")
    ahead, _ = desk.next("ann")
    undone = desk.undo("ann")
    assert undone.lease.document == skipped.document != ahead.document
    assert undone.lease.shown.source == "ranked"
    assert str(undone.message) == "The document that you skipped is open again."
    assert not desk.record.is_skipped("ann", skipped.document)
    assert desk.next("bob")[0].document not in (skipped.document, ahead.document)


def test_a_skip_is_undone_for_the_reading_that_was_skipped(opened):
    desk = opened(make(n=12), overlap=1.0)
    first = decide(desk, "ann")
    lease, _ = desk.next("bob")
    assert (lease.document, lease.shown.source) == (first, "second")
    desk.skip(lease.lease, "bob")
    assert desk.undo("bob").lease.shown.source == "second"


def test_a_skipped_document_that_somebody_else_has_open_stays_with_them(opened):
    desk = opened(make(n=20))
    skipped, _ = desk.next("ann")
    desk.skip(skipped.lease, "ann")
    assert desk.next("bob")[0].document == skipped.document
    undone = desk.undo("ann")
    assert undone.lease is None
    assert str(undone.message) == "This is undone, but bob has the document open now."
    assert not desk.record.is_skipped("ann", skipped.document)


def test_a_skipped_document_in_a_closed_tab_comes_back(opened, monkeypatch):
    desk = opened(make(n=20))
    skipped, _ = desk.next("ann")
    desk.skip(skipped.lease, "ann")
    monkeypatch.setattr(dispatch, "later", lambda seconds: "2000-01-01T00:00:00.000000+00:00")
    late, _ = desk.next("bob")
    monkeypatch.undo()
    assert late.document == skipped.document
    assert desk.undo("ann").lease.document == skipped.document
    with pytest.raises(ConflictError, match="no longer yours"):
        desk.submit(late.lease, "bob", [1], 1.0)


def test_a_skipped_document_that_is_decided_since_is_not_opened(opened):
    desk = opened(make(n=20))
    skipped, _ = desk.next("ann")
    desk.skip(skipped.lease, "ann")
    assert decide(desk, "bob") == skipped.document
    undone = desk.undo("ann")
    assert undone.lease is None
    assert "bob" in str(undone.message)


def test_the_flag_of_somebody_else_stays(opened):
    desk = opened(make(n=20))
    desk.flag(3, "ann", True)
    desk.flag(3, "bob", False)
    desk.flag(3, "eve", True)
    assert "eve has changed the flag" in str(desk.undo("ann").message)
    assert desk.record.flagged == {3}
    assert str(desk.undo("eve").message) == "Your flag is removed again."
    assert desk.record.flagged == set()
    desk.undo("bob")
    assert desk.record.flagged == set()  # nobody's change is left


def test_the_note_of_somebody_else_stays_and_the_former_one_comes_back(opened):
    desk = opened(make(n=20))
    desk.note(3, "ann", "odd")
    desk.note(3, "bob", "very odd")
    assert "bob has changed the note" in str(desk.undo("ann").message)
    assert desk.record.notes == {3: "very odd"}
    desk.note(3, "ann", "not odd")
    assert str(desk.undo("ann").message) == "The former note is back."
    assert desk.record.notes == {3: "very odd"}
    assert str(desk.undo("bob").message) == "Your note is removed again."
    assert desk.record.notes == {}


def test_labels_that_a_manager_gave_later_stay(opened):
    desk = opened(make(n=20))
    document = decide(desk, "ann", [1])
    desk.revise(document, "max", [2], any_author=True)
    undone = desk.undo("ann")
    assert undone.lease is None
    assert "labels that max gave later stay in force" in str(undone.message)
    assert desk.record.current_decision(document).labels == (2,)


def test_nobody_undoes_an_import(opened, tmp_path):
    desk = opened(make(n=20))
    decide(desk, "ann")
    desk.store.close()
    path = tmp_path / "done.jsonl"
    taken = {d.document for d in desk.record.current_decisions()}
    rows = [{"id": f"d{i}", "labels": ["class 2"]} for i in range(5) if i not in taken]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    desk = opened()
    n = import_decisions(desk.store, None, path, None, "ann")
    desk.store.close()
    desk = opened()
    assert desk.undo("ann").action.document in taken
    with pytest.raises(ConflictError, match="nothing yet"):
        desk.undo("ann")
    assert desk.validation.n_validated == n


def test_draws_stay_drawn(tmp_path):
    made = make(n=60)
    make_project(made, tmp_path / "claims.satc", audit=0.5)
    store = open_store(tmp_path / "claims.satc")
    desk = open_desk(store)
    for _ in range(12):
        decide(desk, "ann")
    drawn = list(desk.record.drawn_for_audit)
    while desk.record.actions.last("ann") is not None:
        undone = desk.undo("ann")
        is_drawn = undone.action.document in drawn
        assert undone.lease.shown.source == ("audit" if is_drawn else "ranked")
        desk.give_back(undone.lease.lease, "ann")
    history = read_history(store, desk.project)
    assert history.record.drawn_for_audit == drawn
    history.check_draws(desk.project.settings.seed, 60)
    assert history.audit_log() == []
    store.close()


def test_a_log_in_which_undo_passed_over_skips_is_replayed_as_before():
    def event(number, kind, document, **details):
        return Event(number, "now", "ann", kind, document, (0,), details=details)

    record = replayed(
        [
            event(1, events.DECIDE, 4),
            event(2, events.SKIP, 5),
            event(3, events.FLAG, 6),
            event(4, events.UNDO, 4, of=1),
        ]
    )
    assert record.current_decision(4) is None
    assert record.is_skipped("ann", 5)
    assert record.flagged == {6}
    assert record.actions.last("ann").number == 3


def test_nobody_undoes_what_somebody_else_did():
    made = [
        Event(1, "now", "ann", events.FLAG, 4),
        Event(2, "now", "bob", events.UNDO, 4, details={"of": 1}),
    ]
    assert replayed(made).flagged == {4}


def summary(record):
    """All that the record of a project tells."""
    return (
        {i: [d.number for d in ds] for i, ds in record.decisions.items() if ds},
        {i: [d.number for d in ds] for i, ds in record.second_opinions.items() if ds},
        set(record.flagged),
        dict(record.notes),
        +record.n_decisions,
        record.drawn_for_audit,
        {(who, i) for who in ("ann", "bob") for i in range(12) if record.is_skipped(who, i)},
    )


@given(seed=st.integers(0, 2**32 - 1))
def test_one_who_undoes_everything_is_where_the_others_are(seed):
    """As if the person had never done anything, where nobody built on it."""
    made = [one for one in random_events(np.random.default_rng(seed), 60) if one.kind != "undo"]
    record = replayed(made)
    number = len(made)
    while (last := record.actions.last("bob")) is not None:
        number += 1
        undo = {"of": last.number}
        record.apply(Event(number, "now", "bob", events.UNDO, last.document, details=undo))
    without = replayed([one for one in made if one.who != "bob" or one.kind == events.AUDIT])
    assert summary(record) == summary(without)


def test_a_desk_that_undid_everything_equals_its_replay(opened):
    made = make(n=30)
    desk = opened(made, overlap=0.3)
    rng = np.random.default_rng(2)
    for step in range(60):
        who = ("ann", "bob")[int(rng.integers(2))]
        if rng.random() < 0.3 and desk.record.actions.last(who) is not None:
            desk.undo(who)
            continue
        mine = desk.leases.of(who)
        lease = mine[0] if mine else desk.next(who)[0]
        match int(rng.integers(5)):
            case 0:
                desk.skip(lease.lease, who)
            case 1:
                desk.flag(lease.document, who, bool(rng.integers(2)))
            case 2:
                desk.note(lease.document, who, f"note {step}")
            case _:
                desk.submit(lease.lease, who, labels_of(made, lease.document), 2.0)
    again = opened()
    assert state(again) == state(desk)
    assert summary(again.record) == summary(desk.record)
    for who in ("ann", "bob"):
        assert again.record.actions.last(who) == desk.record.actions.last(who)


def test_the_page_learns_what_was_undone(client):
    first = client.post(f"{BASE}/next").json()["assignment"]
    i = first["document"]["index"]
    client.put(f"{BASE}/documents/{i}/note", json={"note": "odd"})
    client.put(f"{BASE}/documents/{i}/flag", json={"flagged": True})
    client.post(f"{BASE}/leases/{first['lease']}/skip")
    undone = client.post(f"{BASE}/undo").json()
    assert undone["kind"] == "skip"
    assert undone["assignment"]["document"]["index"] == undone["document"] == i
    assert undone["assignment"]["decided"] is None
    assert undone["message"] == "The document that you skipped is open again."
    undone = client.post(f"{BASE}/undo").json()
    expected = {"kind": "flag", "assignment": None, "flagged": False, "note": "odd"}
    assert {name: undone[name] for name in expected} == expected
    assert client.post(f"{BASE}/undo").json()["note"] == ""
    assert client.post(f"{BASE}/undo").status_code == 409


def test_a_second_reader_learns_nothing_of_the_first_by_undoing(opened):
    from satc.workbench.messages import Messages
    from satc.workbench.web.api.responses.assignments import undone_response

    desk = opened(make(n=12), overlap=1.0)
    first = decide(desk, "ann")
    desk.note(first, "ann", "odd")
    lease, _ = desk.next("bob")
    desk.skip(lease.lease, "bob")
    shown = undone_response(desk, desk.undo("bob"), Messages("en"))
    assert (shown.document, shown.note, shown.assignment.note) == (first, "", "")


def test_a_page_that_is_loaded_again_counts_the_documents_of_now(team, stranger):
    ann, boss = bearer(team, "ann"), bearer(team, "max")
    assert stranger.post(f"{TEAM}/next", headers=ann).json()["assignment"]["position"] == 1
    other = stranger.post(f"{TEAM}/next", headers=boss).json()["assignment"]["lease"]
    url = f"{TEAM}/leases/{other}/decision"
    assert stranger.post(url, json={"labels": [0]}, headers=boss).status_code == 200
    (again,) = stranger.get(f"{TEAM}/assignments", headers=ann).json()["assignments"]
    assert again["position"] == 2
