"""Webhooks: what they say, in which order, and what happens when the receiver is away."""

from __future__ import annotations

import json
import shutil
import time
from contextlib import contextmanager

import numpy as np
import pytest
from projects_made import make, make_project
from receiver import Receiver

from satc.errors import DataError
from satc.workbench.model.webhooks.messages import KINDS
from satc.workbench.model.webhooks.networks import EVERYWHERE
from satc.workbench.model.webhooks.signature import sign
from satc.workbench.reports.import_decisions import import_decisions
from satc.workbench.review.desk import open_desk
from satc.workbench.review.disagreements.settling import settle
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.review.webhooks import sender
from satc.workbench.review.webhooks.request import Post
from satc.workbench.review.webhooks.sender import Pace, Sender
from satc.workbench.review.webhooks.watcher import look_at
from satc.workbench.store import StoreError, connection, open_store
from satc.workbench.store.webhooks import outbox
from satc.workbench.store.webhooks.addresses import (
    MAX_WEBHOOKS,
    add_webhook,
    count_waiting,
    list_webhooks,
    remove_webhook,
)

QUICK = Pace(look=0.01, first_wait=0.02, longest_wait=0.05)
CLASSES = ("wheat", "corn", "gold", "oil", "trade", "ship")


@pytest.fixture
def receiver():
    running = Receiver()
    yield running
    running.is_open.set()
    running.close()


@pytest.fixture
def opened(location):
    """Make a project and open its desk: ``opened(overlap=1.0)``; closed in the end."""
    stores = []

    def opening(**settings):
        if not stores:
            make_project(make(n=12), location, names=CLASSES, **settings)
        stores.append(open_store(location))
        return open_desk(stores[-1])

    yield opening
    for store in stores:
        store.close()


@pytest.fixture(scope="module")
def file_made(tmp_path_factory):
    return make_project(make(n=12), tmp_path_factory.mktemp("made") / "made.satc", names=CLASSES)


@pytest.fixture
def desk(file_made, tmp_path):
    store = open_store(shutil.copy(file_made, tmp_path))
    yield open_desk(store)
    store.close()


def hook(desk, url, kinds=KINDS):
    return add_webhook(desk.store, desk.project.key, url, kinds, "max")


def decide(desk, who="ann", labels=(0,)):
    lease, _ = desk.next(who)
    desk.submit(lease.lease, who, list(labels), 1.0)
    return lease.document


def said(desk, webhook):
    """What waits for a webhook, the first message first."""
    waiting = outbox.recent_deliveries(desk.store, webhook.key, 1000)
    return [json.loads(one.body)["data"] for one in reversed(waiting)]


@contextmanager
def sending(desk, pace=QUICK):
    running = Sender(desk.store, Post(EVERYWHERE), pace)
    running.start()
    yield
    running.stop()
    running._thread.join(30)
    while running._busy:
        time.sleep(0.005)


def wait_until_sent(desk, webhook):
    while count_waiting(desk.store, webhook.key):
        time.sleep(0.005)


def test_a_message_says_who_did_what_to_which_document(opened):
    desk = opened(overlap=1.0)
    webhook = hook(desk, "https://example.org/")
    first = decide(desk, "ann", (0, 2))
    lease, _ = desk.next("ben")
    assert lease.document == first
    desk.submit(lease.lease, "ben", [1], None)
    desk.revise(first, "ann", [3], any_author=False)
    numbers = [one.number for one in (desk.record.decisions[first][-1],)]
    numbers += [desk.record.second_opinions[first][0].number]
    settle(desk, first, "max", [1, 2], tuple(numbers), is_manager=True)
    desk.undo("max")
    found = said(desk, webhook)
    kinds = ["decide", "second", "revise", "settle", "undo"]
    assert [one["kind"] for one in found] == kinds
    assert [one["who"] for one in found] == ["ann", "ben", "ann", "max", "max"]
    assert {one["document"] for one in found} == {f"d{first}"}
    given = [one["labels"] for one in found]
    assert given == [["wheat", "gold"], ["corn"], ["oil"], ["corn", "gold"], None]
    in_force = [one["labels_in_force"] for one in found]
    assert in_force == [["wheat", "gold"], ["wheat", "gold"], ["oil"], ["corn", "gold"], ["oil"]]
    assert found[-1]["undone"]["event"] == found[-2]["event"] == desk.record.last_number - 1
    assert all(one["at"] for one in found)


def test_an_undone_decision_leaves_no_labels_in_force(desk):
    webhook = hook(desk, "https://example.org/")
    decide(desk)
    desk.undo("ann")
    assert said(desk, webhook)[-1]["labels_in_force"] is None


def test_flags_notes_and_skips_are_no_decisions(desk):
    webhook = hook(desk, "https://example.org/")
    desk.flag(0, "ann", True)
    desk.note(0, "ann", "look")
    lease, _ = desk.next("ann")
    desk.skip(lease.lease, "ann")
    for _ in range(3):
        desk.undo("ann")
    assert said(desk, webhook) == []


def test_imported_decisions_are_told(desk, tmp_path):
    webhook = hook(desk, "https://example.org/")
    file = tmp_path / "done.jsonl"
    file.write_text('{"id": "d3", "labels": ["oil"], "annotator": "eve"}\n')
    assert import_decisions(desk.store, None, file, None, "max") == 1
    (found,) = said(desk, webhook)
    assert (found["document"], found["labels"], found["imported"]) == ("d3", ["oil"], True)


def test_an_event_that_is_not_saved_is_not_told(desk, monkeypatch):
    webhook = hook(desk, "https://example.org/")

    def full(*_):
        raise StoreError("the disk is full")

    lease, _ = desk.next("ann")
    monkeypatch.setattr(connection, "_commit", full)
    with pytest.raises(StoreError, match="the disk is full"):
        desk.submit(lease.lease, "ann", [0], None)
    assert said(desk, webhook) == []


def test_messages_arrive_in_order_and_signed(opened, receiver):
    desk = opened()
    webhook = hook(desk, receiver.url)
    documents = [f"d{decide(desk)}" for _ in range(5)]
    with sending(desk):
        found = receiver.take(5)
        wait_until_sent(desk, webhook)
    assert [one.message["data"]["document"] for one in found] == documents
    assert len({one.id for one in found}) == 5
    for one in found:
        seconds = int(one.headers["Satc-Webhook-Timestamp"])
        expected = sign(webhook.secret, one.id, seconds, one.body)
        assert one.headers["Satc-Signature"] == expected
        assert one.message["id"] == one.id
        assert (one.message["type"], one.message["project"]) == ("decision", desk.project.name)
        assert one.headers["Content-Type"] == "application/json"


def test_a_message_is_sent_again_until_it_is_taken(opened, receiver):
    desk = opened()
    webhook = hook(desk, receiver.url)
    receiver.answers += [500, 503, 404, 204, 204]
    first, second = (f"d{decide(desk)}" for _ in range(2))
    with sending(desk):
        found = receiver.take(5)
        wait_until_sent(desk, webhook)
    assert [one.message["data"]["document"] for one in found] == [first] * 4 + [second]
    assert len({one.id for one in found}) == 2
    newest, oldest = outbox.recent_deliveries(desk.store, webhook.key)
    assert (oldest.state, oldest.n_tried, oldest.status) == ("delivered", 4, 204)
    assert (newest.state, newest.n_tried) == ("delivered", 1)
    (kept,) = list_webhooks(desk.store, desk.project.key)
    assert (kept.n_failed, kept.failing_since, kept.retry_at) == (0, None, None)


def test_a_receiver_that_comes_back_gets_everything_after_a_restart(opened, receiver):
    desk = opened()
    webhook = hook(desk, receiver.url)
    receiver.close()
    documents = [f"d{decide(desk)}" for _ in range(3)]
    slow = QUICK._replace(first_wait=3000.0, longest_wait=3600.0)
    with sending(desk, slow):
        while not list_webhooks(desk.store, desk.project.key)[0].failing_since:
            time.sleep(0.005)
    (failing,) = list_webhooks(desk.store, desk.project.key)
    assert failing.retry_at > failing.failing_since
    waiting = outbox.recent_deliveries(desk.store, webhook.key)
    assert [one.n_tried for one in waiting] == [0, 0, 1]
    assert waiting[-1].error == "Connection refused"
    desk.store.close()
    receiver.open()
    desk = opened()
    with sending(desk, slow):
        found = receiver.take(3)
    assert [one.message["data"]["document"] for one in found] == documents


def test_a_slow_receiver_keeps_nobody_waiting(desk, receiver):
    slow = Receiver()
    slow.is_open.clear()
    hook(desk, slow.url)
    quick = hook(desk, receiver.url)
    documents = [f"d{decide(desk)}"]
    with sending(desk):
        slow.take(1)
        documents += [f"d{decide(desk)}" for _ in range(3)]
        found = receiver.take(4)
        wait_until_sent(desk, quick)
        assert slow.received.empty()
        slow.is_open.set()
    assert [one.message["data"]["document"] for one in found] == documents
    slow.close()


def test_while_the_database_is_full_a_message_is_not_sent_all_the_time(desk, receiver, monkeypatch):
    webhook = hook(desk, receiver.url)
    decide(desk)

    def full(*_):
        raise StoreError("the disk is full")

    monkeypatch.setattr(sender, "note_success", full)
    with sending(desk, QUICK._replace(first_wait=1.0, longest_wait=1.0)):
        receiver.take(1)
        assert receiver.is_empty()
        monkeypatch.undo()
        (again,) = receiver.take(1)
        wait_until_sent(desk, webhook)
    assert again.message["type"] == "decision"


def test_messages_are_given_up_after_some_days(desk, receiver):
    webhook = hook(desk, receiver.url)
    receiver.close()
    for _ in range(3):
        decide(desk)
    with sending(desk, QUICK._replace(give_up_after=0.0)):
        wait_until_sent(desk, webhook)
    found = outbox.recent_deliveries(desk.store, webhook.key)
    assert [one.state for one in found] == ["given up"] * 3


def test_waiting_times_grow_up_to_a_limit_and_differ():
    pace = Pace()
    waits = [[pace.wait_after(n) for _ in range(20)] for n in (1, 2, 3, 1000)]
    for found, longest in zip(waits, (5, 10, 20, 3600), strict=True):
        assert longest / 2 <= min(found) < max(found) <= longest


def test_a_wrong_clock_delays_nobody_for_days(desk):
    webhook = hook(desk, "https://example.org/")
    decide(desk)
    (waiting,) = outbox.recent_deliveries(desk.store, webhook.key)
    outcome = outbox.Outcome(500)
    outbox.note_failure(desk.store, waiting, outcome, 1e6, 1e9)
    assert outbox.due_webhooks(desk.store, 2e6) == []
    assert [one.key for one in outbox.due_webhooks(desk.store, 3600.0)] == [webhook.key]


def test_of_the_messages_that_were_sent_the_last_ones_are_kept(desk, monkeypatch):
    monkeypatch.setattr(outbox, "KEPT", 2)
    webhook = hook(desk, "https://example.org/")
    for _ in range(5):
        decide(desk)
    for _ in range(4):
        first = outbox.first_waiting(desk.store, webhook.key)
        outbox.note_success(desk.store, first, outbox.Outcome(200))
    found = outbox.recent_deliveries(desk.store, webhook.key)
    assert [one.state for one in found] == ["waiting", "delivered", "delivered"]


def test_redirects_are_not_followed_and_long_answers_not_read(desk, receiver):
    elsewhere = Receiver()
    webhook = hook(desk, receiver.url)
    receiver.headers["Location"] = elsewhere.url
    receiver.answer = b"x" * 50_000_000
    receiver.answers += [307, 200]
    decide(desk)
    with sending(desk):
        receiver.take(2)
        wait_until_sent(desk, webhook)
    assert elsewhere.received.empty()
    elsewhere.close()


def test_a_webhook_gets_the_kinds_that_it_wants(desk):
    wanted, other = (hook(desk, "https://example.org/", [kind]) for kind in KINDS[:2])
    decide(desk)
    assert (len(said(desk, wanted)), len(said(desk, other))) == (1, 0)


def test_a_removed_webhook_takes_its_messages_with_it(opened):
    desk = opened()
    webhook = hook(desk, "https://example.org/")
    decide(desk)
    assert remove_webhook(desk.store, desk.project.key, webhook.key)
    assert not remove_webhook(desk.store, desk.project.key, webhook.key)
    assert outbox.recent_deliveries(desk.store, webhook.key) == []
    decide(desk)


def test_a_project_has_a_limited_number_of_webhooks(desk):
    for _ in range(MAX_WEBHOOKS):
        hook(desk, "https://example.org/")
    with pytest.raises(DataError, match="at most 20 webhooks"):
        hook(desk, "https://example.org/")
    with pytest.raises(ValueError, match="event must be one of decision, finished, alarm, but is"):
        hook(desk, "https://example.org/", ["everything"])


def test_the_end_is_told_once_each_time_it_is_reached(opened):
    project = OpenProject(opened())
    desk = project.desk
    webhook = hook(desk, "https://example.org/", ["finished"])
    look_at(project)
    assert said(desk, webhook) == []
    for _ in range(12):
        decide(desk)
    for _ in range(2):
        look_at(project)
    (found,) = said(desk, webhook)
    assert (found["reason"], found["n_checked"], found["n_documents"]) == ("all checked", 12, 12)
    lease = desk.undo("ann").lease
    look_at(project)
    desk.submit(lease.lease, "ann", [0], None)
    look_at(OpenProject(opened()))  # a restart
    assert len(said(desk, webhook)) == 2
    look_at(OpenProject(opened()))
    assert len(said(desk, webhook)) == 2


def test_a_stopping_rule_that_is_met_is_told(desk):
    project = OpenProject(desk)
    desk.change_settings({"stop": "budget(documents=3)"})
    webhook = hook(project.desk, "https://example.org/", ["finished"])
    for _ in range(3):
        decide(project.desk)
    look_at(project)
    (found,) = said(project.desk, webhook)
    assert (found["reason"], found["rule"]) == ("rule met", "budget(documents=3)")
    assert "3 documents" in found["message"]


@pytest.fixture(scope="module")
def estimated(tmp_path_factory):
    """Return a project whose accuracy is estimated."""
    path = tmp_path_factory.mktemp("estimated") / "made.satc"
    store = open_store(make_project(make(n=300, n_train=400), path, method="u-theoretic"))
    project = OpenProject(open_desk(store))
    project.live_accuracy.prepare()
    yield project
    store.close()


@pytest.mark.slow
def test_a_rule_that_needs_an_estimate_stays_met_until_there_is_one(estimated):
    desk = estimated.desk
    desk.change_settings({"stop": "target(0.01, 0.5)"})
    webhook = hook(desk, "https://example.org/", ["finished"])
    look_at(estimated)
    look_at(OpenProject(open_desk(desk.store)))  # a restart: there is no estimate yet
    look_at(estimated)
    assert len(said(desk, webhook)) == 1


@pytest.mark.slow
def test_the_alarm_is_told_once(estimated, monkeypatch):
    monkeypatch.setattr("satc.workbench.review.accuracy.live._ESTIMATE_SECONDS", 0.0)
    desk = estimated.desk
    webhook = hook(desk, "https://example.org/", ["alarm"])
    look_at(estimated)
    assert said(desk, webhook) == []
    for document in range(60):  # every label is wrong
        lease = desk.open_chosen(document, "ann")
        wrong = np.flatnonzero(~desk.validation.documents.decided_on(document))
        desk.submit(lease.lease, "ann", wrong.tolist(), None)
    for _ in range(2):
        look_at(estimated)
    (found,) = said(desk, webhook)
    assert "do not agree" in found["message"]
