from contextlib import contextmanager
from threading import Thread

import numpy as np
import pytest
from crowd import crowd, given_twice
from projects_made import add_people, make, make_project
from serving import Site
from test_desk import state

from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.store.events import read_events

pytestmark = pytest.mark.slow

PEOPLE = 20


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def shared(request, tmp_path_factory):
    """A served project, a token for each of many people, and where the project is.

    All tests of a store share them, because a server takes seconds to start.
    """
    if request.param == "sqlite":
        location = tmp_path_factory.mktemp("shared") / "made.satc"
    else:
        location = request.getfixturevalue("cluster").new_database()
    with serving(location) as served:
        yield *served, location


@contextmanager
def serving(location):
    made = make(n=600, m=12, n_train=300)
    make_project(made, location)
    tokens = add_people(location, PEOPLE)
    site = at(location)
    yield site, made, tokens
    site.stop()


def at(location, port=0):
    if str(location).startswith("postgresql"):
        return Site("made", str(location), port)
    return Site(location, port=port)


def n_validated(site, token):
    return site.client(token).get("/status").json()["n_validated"]


def kill_when_busy(site, token, n_before):
    """Kill the server when people are in the middle of their work."""
    status = site.client(token)
    site.wait_until(lambda: status.get("/status").json()["n_validated"] >= n_before + 100)
    site.kill()


def labels_of(made):
    return lambda i: np.flatnonzero(made.y_true[i]).tolist()


def check_nothing_is_lost(location, workers):
    store = open_store(location)
    try:
        desk = open_desk(store)
        events = {e.number: e for e in read_events(store, desk.project.key)}
        for i, worker in enumerate(workers):
            for document, (number, labels) in worker.acknowledged.items():
                event = events[number]
                assert (event.document, list(event.labels)) == (document, labels)
                assert event.who == f"person{i}"
        decided = [e.document for e in events.values()]
        assert len(set(decided)) == len(decided), "counted twice"
        return desk
    finally:
        store.close()


def test_a_second_server_on_the_same_project_is_refused(shared):
    with pytest.raises(RuntimeError, match="is served by another process"):
        at(shared[-1])


def test_twenty_people_at_once_lose_nothing_and_share_nothing(shared):
    site, made, tokens, location = shared
    before = n_validated(site, tokens[0])
    workers = crowd(site, tokens, labels_of(made), rounds=8)
    assert [worker.refused for worker in workers] == [[]] * PEOPLE
    assert given_twice(workers) == []
    assert sum(len(w.acknowledged) for w in workers) == 8 * PEOPLE
    assert n_validated(site, tokens[0]) == before + 8 * PEOPLE
    check_nothing_is_lost(location, workers)  # while the server runs


def test_a_kill_in_the_middle_loses_nothing_that_was_acknowledged(shared):
    site, made, tokens, location = shared
    n_before = n_validated(site, tokens[0])
    Thread(target=kill_when_busy, args=(site, tokens[0], n_before)).start()
    workers = crowd(site, tokens, labels_of(made), rounds=1000)
    acknowledged = sum(len(w.acknowledged) for w in workers)
    assert 0 < acknowledged < 600 - n_before
    rebuilt = check_nothing_is_lost(location, workers)
    site.start()
    assert n_validated(site, tokens[0]) == rebuilt.validation.n_validated >= n_before + acknowledged
    before = {d for w in workers for d in w.acknowledged}
    more = crowd(site, tokens, labels_of(made), rounds=5)
    assert given_twice(more) == []
    assert not before & {d for w in more for d in w.given}
    site.stop()
    store = open_store(location)
    try:
        assert state(open_desk(store)) == state(open_desk(store))
    finally:
        store.close()
