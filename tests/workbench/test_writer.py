"""The writer of a project: groups of actions, one commit, and what happens if it fails."""

import asyncio
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import httpx
import numpy as np
import pytest
from calling import BASE, run_async
from projects_made import make, make_project
from test_desk import state

from satc.workbench.review.desk import open_desk
from satc.workbench.review.leases import ConflictError
from satc.workbench.store import Store, StoreError, connection, open_store
from satc.workbench.store.events import read_events


@pytest.fixture
def opened(location):
    """Make a project and open its desk; whatever is opened is closed in the end."""
    stores = []

    def opening(made=None, **settings):
        if made is not None:
            make_project(made, location, **settings)
        store = open_store(location)
        stores.append(store)
        return open_desk(store)

    yield opening
    for store in stores:
        store.close()


@pytest.fixture
def transactions(monkeypatch):
    """Note of each transaction whether it is durable."""
    found, writing = [], Store.writing

    def noted(store, *, durable=True):
        found.append(durable)
        return writing(store, durable=durable)

    monkeypatch.setattr(Store, "writing", noted)
    return found


def together(desk, *actions):
    """Let actions, each a function with its arguments, arrive while another one is run."""
    with desk.locked(), ThreadPoolExecutor(1) as pool:
        return [pool.submit(desk.queue, *action).result() for action in actions]


def results(futures):
    return [future.exception() or future.result() for future in futures]


def leases_of(desk, people):
    return {who: desk.next(who)[0] for who in people}


def decided(desk):
    return {one.document: one.labels for one in desk.record.current_decisions()}


def failing_commits(monkeypatch, times=1, saved=False):
    """Let commits fail, after they have been carried out if `saved`."""
    real, left = connection._commit, [times]

    def commit(*arguments):
        if left[0]:
            left[0] -= 1
            if saved:
                real(*arguments)
            raise StoreError("the connection was lost")
        real(*arguments)

    monkeypatch.setattr(connection, "_commit", commit)


PEOPLE = ["ann", "bob", "eve", "kim"]


def test_what_arrives_together_is_committed_once(opened, transactions):
    desk = opened(make(n=20))
    held = leases_of(desk, PEOPLE)
    transactions.clear()
    futures = together(
        desk, *((desk.submit, lease.lease, who, [1], 1.0) for who, lease in held.items())
    )
    numbers = results(futures)
    assert transactions == [True]
    assert numbers == sorted(numbers)
    assert decided(desk) == {lease.document: (1,) for lease in held.values()}
    assert state(opened()) == state(desk)


def test_actions_run_in_the_order_of_their_arrival(opened):
    desk = opened(make(n=20))
    in_turn = [lease.document for lease in leases_of(desk, PEOPLE).values()]
    for who in PEOPLE:
        desk.give_back(desk.leases.of(who)[0].lease, who)
    futures = together(desk, *((desk.next, who) for who in PEOPLE))
    assert [lease.document for lease, _ in results(futures)] == in_turn


def test_each_action_of_a_group_sees_the_ones_before_it(opened):
    desk = opened(make(n=20))
    lease = desk.next("ann")[0]
    futures = together(
        desk,
        (desk.submit, lease.lease, "ann", [1], 1.0),
        (desk.revise, lease.document, "ann", [0, 2]),
        (desk.undo, "ann"),
    )
    first, wrong, undone = results(futures)
    assert isinstance(wrong, TypeError)  # revise needs any_author
    assert undone.action.number == first
    assert decided(desk) == {}
    assert state(opened()) == state(desk)


def test_a_lease_alone_does_not_wait_for_the_disk(opened, transactions):
    desk = opened(make(n=20))
    transactions.clear()
    lease = desk.next("ann")[0]
    desk.renew(lease.lease, "ann")
    assert transactions == [False, False]
    desk.submit(lease.lease, "ann", [1], 1.0)
    assert transactions[-1]


def test_a_draw_for_the_audit_waits_for_the_disk(opened, transactions):
    desk = opened(make(n=20), audit=1.0)
    transactions.clear()
    assert desk.next("ann")[0].shown.source == "audit"
    assert transactions == [True]


def test_a_refused_action_changes_nothing_and_does_not_hurt_the_others(opened, transactions):
    desk = opened(make(n=20))
    held = leases_of(desk, ["ann", "bob", "eve"])
    transactions.clear()
    futures = together(
        desk,
        (desk.submit, held["ann"].lease, "ann", [1], 1.0),
        (desk.submit, held["ann"].lease, "bob", [2], 1.0),
        (desk.submit, held["eve"].lease, "eve", [99], 1.0),
        (desk.submit, held["bob"].lease, "bob", [3], 1.0),
    )
    first, theirs, wrong, last = results(futures)
    assert isinstance(theirs, ConflictError)
    assert isinstance(wrong, ValueError)
    assert first < last
    assert transactions == [True]
    assert decided(desk) == {held["ann"].document: (1,), held["bob"].document: (3,)}
    assert state(opened()) == state(desk)


def test_an_action_that_fails_half_way_is_undone_and_the_others_are_saved(opened):
    desk = opened(make(n=20))
    held = leases_of(desk, ["ann", "bob"])

    def half():
        desk.submit(held["bob"].lease, "bob", [2], 1.0)
        desk.flag(3, "bob", True)
        raise ValueError("out of luck")

    futures = together(
        desk,
        (desk.submit, held["ann"].lease, "ann", [1], 1.0),
        (half,),
        (desk.note, 5, "eve", "hm"),
    )
    number, error, _ = results(futures)
    assert "out of luck" in str(error)
    assert decided(desk) == {held["ann"].document: (1,)}
    assert (desk.record.flagged, desk.record.notes) == (set(), {5: "hm"})
    assert desk.submit(held["ann"].lease, "ann", [1], 1.0) == number
    assert desk.submit(held["bob"].lease, "bob", [2], 1.0)
    assert state(opened()) == state(desk)


def test_if_a_commit_fails_everybody_is_told_and_nothing_has_happened(opened, monkeypatch):
    desk = opened(make(n=20), overlap=0.5)
    held = leases_of(desk, PEOPLE)
    desk.submit(held["ann"].lease, "ann", [1], 1.0)
    desk.submit(held["bob"].lease, "bob", [1, 2], 1.0)
    before = deepcopy(state(desk))
    best = desk.validation.remaining().tolist()
    group = [
        (desk.submit, held["eve"].lease, "eve", [1], 1.0),
        (desk.undo, "bob"),
        (desk.skip, held["kim"].lease, "kim"),
        (desk.flag, 3, "kim", True),
        (desk.next, "zoe"),
        (desk.give_back, held["kim"].lease, "kim"),
    ]
    failing_commits(monkeypatch)
    errors = results(together(desk, *group))
    assert [str(one) for one in errors[:5]] == ["the connection was lost"] * 5
    assert state(desk) == before
    assert desk.validation.remaining().tolist() == best
    again = results(together(desk, *group))
    assert not [one for one in again[:5] if isinstance(one, Exception)]
    rebuilt = opened()
    assert state(rebuilt) == state(desk)
    assert rebuilt.validation.next() == desk.validation.next()


def test_if_the_answer_to_a_commit_is_lost_a_repeated_request_gets_it(opened, monkeypatch):
    desk = opened(make(n=20))
    held = leases_of(desk, PEOPLE)
    group = [(desk.submit, lease.lease, who, [1], 1.0) for who, lease in held.items()]
    failing_commits(monkeypatch, saved=True)
    assert {str(one) for one in results(together(desk, *group))} == {"the connection was lost"}
    assert len(decided(desk)) == len(PEOPLE)
    numbers = [event.number for event in read_events(desk.store, desk.project.key)]
    assert results(together(desk, *group)) == numbers
    assert state(opened()) == state(desk)


def test_while_the_store_cannot_be_read_nothing_is_told(opened, monkeypatch):
    desk = opened(make(n=20))
    lease = desk.next("ann")[0]
    failing_commits(monkeypatch)

    def away(store):
        raise StoreError("the database is away")

    monkeypatch.setattr(Store, "reading", away)
    with pytest.raises(StoreError, match="the connection was lost"):
        desk.submit(lease.lease, "ann", [1], 1.0)
    with pytest.raises(StoreError, match="the database is away"):
        desk.submit(lease.lease, "ann", [1], 1.0)
    with pytest.raises(StoreError, match="the database is away"), desk.reading():
        pass
    monkeypatch.undo()
    with desk.reading():
        assert decided(desk) == {}
    assert desk.submit(lease.lease, "ann", [1], 1.0)
    assert state(opened()) == state(desk)


def test_random_failures_lose_nothing_and_leave_nothing_behind(opened, monkeypatch):
    made, rng = make(n=40), np.random.default_rng(3)
    desk = opened(made, overlap=0.2, audit=0.3)
    told = {}
    for step in range(40):
        held = {one.who: one for one in desk.leases}
        group = []
        for who in PEOPLE:
            lease = held.get(who)
            actions = [(desk.next, who), (desk.undo, who), (desk.flag, int(step), who, True)]
            if lease is not None:
                decision = desk.submit, lease.lease, who, [int(rng.integers(6))], 1.0
                actions += [decision, decision, (desk.skip, lease.lease, who)]
            group.append(actions[int(rng.integers(len(actions)))])
        if rng.random() < 0.3:
            failing_commits(monkeypatch, saved=bool(rng.random() < 0.5))
        for action, future in zip(group, together(desk, *group), strict=True):
            if action[0] == desk.submit and future.exception() is None:
                told[future.result()] = tuple(action[3])
        monkeypatch.undo()
    desk.next("zoe")
    saved = {event.number: event.labels for event in read_events(desk.store, desk.project.key)}
    assert len(told) > 5
    assert told.items() <= saved.items()
    mine, theirs = state(desk), state(opened())
    assert sorted(mine[0]) == sorted(theirs[0])
    assert mine[1:] == theirs[1:]


def test_a_setting_whose_saving_was_not_confirmed_is_read_again(opened, monkeypatch):
    desk = opened(make(n=20))
    failing_commits(monkeypatch, saved=True)
    with pytest.raises(StoreError, match="the connection was lost"):
        desk.change_settings({"title": "Other"})
    desk.next("ann")
    assert desk.project.settings.title == "Other"


class Disk:
    """A disk that is slow: each commit waits until it may go on."""

    def __init__(self, monkeypatch):
        self.waits, self.goes_on = threading.Event(), threading.Event()
        real = connection._commit

        def commit(*arguments):
            self.waits.set()
            assert self.goes_on.wait(30)
            real(*arguments)

        monkeypatch.setattr(connection, "_commit", commit)


def test_nobody_who_reads_waits_for_the_disk(opened, monkeypatch):
    desk = opened(make(n=20))
    lease = desk.next("ann")[0]
    disk = Disk(monkeypatch)
    future = desk.queue(desk.submit, lease.lease, "ann", [1], 1.0)
    assert disk.waits.wait(30)
    with desk.reading():
        assert desk.project.n_documents == 20
    assert not future.done()
    disk.goes_on.set()
    assert future.result() == 1


@pytest.mark.slow
def test_the_event_loop_does_not_wait_for_the_disk(app, monkeypatch):
    headers = {"Authorization": f"Bearer {app.state.authenticator.link_key}"}
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))

    async def work():
        options = {"base_url": "http://127.0.0.1", "headers": headers, "transport": transport}
        async with httpx.AsyncClient(**options) as client:
            given = (await client.post(f"{BASE}/next")).json()["assignment"]
            disk = Disk(monkeypatch)
            url = f"{BASE}/leases/{given['lease']}/decision"
            saving = asyncio.create_task(client.post(url, json={"labels": [0]}))
            await asyncio.to_thread(disk.waits.wait, 30)
            others = [asyncio.create_task(client.post(f"{BASE}/next")) for _ in range(3)]
            answers = [await client.get("/login"), await client.get(f"{BASE}/status")]
            assert not saving.done()
            disk.goes_on.set()
            return [*answers, await saving, *(await asyncio.gather(*others))]

    assert {answer.status_code for answer in run_async(work())} <= {200, 303}


def test_a_caller_who_is_gone_gets_no_document(opened):
    desk = opened(make(n=20))
    with desk.locked(), ThreadPoolExecutor(1) as pool:
        gone = pool.submit(desk.queue, desk.next, "ann").result()
        assert gone.cancel()
    desk.next("bob")
    assert [held.who for held in desk.leases] == ["bob"]


def test_the_thread_ends_with_the_store(files_made, tmp_path):
    store = open_store(shutil.copy(files_made / "claims.satc", tmp_path))
    desk = open_desk(store)
    futures = [desk.queue(desk.next, who) for who in PEOPLE]
    store.close()
    assert all(future.done() for future in futures)
    assert not [one for one in threading.enumerate() if one.name == "write claims"]
