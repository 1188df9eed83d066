"""Projects that several people have worked on: most kinds of events, an open document, a note."""

from __future__ import annotations

from contextlib import closing

from projects_made import make, make_project

from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.store.people.members import grant
from satc.workbench.store.people.users import add_token, add_user, secret
from satc.workbench.store.projects import get_project

N_EVENTS = 22
PEOPLE = ("Quirinalis", "bob")  # an unusual name is found in a file only where it was stored


def make_worked(location, n=40, decisions=12, name="made"):
    """Make a project, and let people work on it; the location is a file or a database."""
    columns = {"year": [2000 + i % 7 for i in range(n)]}
    make_project(make(n=n), location, columns=columns, audit=0.3, overlap=0.3, name=name)
    with closing(open_store(location)) as store:
        add_user(store, PEOPLE[0], "manager", "a hash")
        grant(store, PEOPLE[0], get_project(store).name, "manager")
        add_token(store, PEOPLE[0], "d" * 64)
        secret(store, "sessions", "the key of the sessions")
        work(open_desk(store), decisions)
    return location


def work(desk, decisions):
    for k in range(decisions):
        who = PEOPLE[k % 2]
        lease, _ = desk.next(who)
        desk.submit(lease.lease, who, [k % 3, 4], 1.5)
    first = lease.document
    desk.revise(first, who, [1, 2], any_author=False)
    skipped, _ = desk.next(who)
    desk.skip(skipped.lease, who)
    desk.flag(first, who, True)
    desk.note(first, PEOPLE[1], f"Ask {PEOPLE[0].upper()} about it")
    desk.note(first, PEOPLE[0], "a note without a name")
    desk.undo(PEOPLE[1])
    desk.note(first, PEOPLE[1], f"Ask {PEOPLE[0]} about it")
    desk.next(PEOPLE[0])  # stays open
