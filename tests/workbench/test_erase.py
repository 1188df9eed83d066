"""A person's name is taken out of the record; what the log proves stays."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commanding import command
from sqlalchemy import JSON, String, select, text
from worked_projects import PEOPLE, make_worked

from satc.workbench.model import events
from satc.workbench.model.clock import now
from satc.workbench.model.events import Event
from satc.workbench.project.history import read_history
from satc.workbench.project.verification.verification import verify
from satc.workbench.store import StoreError, open_store, schema
from satc.workbench.store.events import append, read_events
from satc.workbench.store.people import erasing
from satc.workbench.store.people.erasing import COLUMNS, erase_person
from satc.workbench.store.people.invitations import Invitation, add_invitation
from satc.workbench.store.people.users import add_user
from satc.workbench.store.projects import get_project
from satc.workbench.store.sqlite import engine

NAME = PEOPLE[0]


def make_with_traces(location):
    """Make a project with the name wherever it can be."""
    make_worked(location)
    with closing(open_store(location)) as store:
        for name, inviter in ((f"{NAME} ii", NAME), (NAME, "bob")):
            kind = "reset" if name == NAME else "new"
            digest = str(len(name)) * 8
            add_invitation(
                store, Invitation(digest, kind, name, "annotator", inviter, now(), "9999", None)
            )
        with store.writing() as connection:
            for k, used in enumerate(("2026", None)):
                row = {"digest": f"x{k}", "kind": "new", "name": f"guest {k}", "role": "annotator"}
                row |= {"invited_by": NAME, "created_at": "2026", "expires_at": "9999"}
                connection.execute(schema.invitations.insert().values(used_at=used, **row))
            imported = {"imported": f"{NAME.lower()}_2026.csv"}
            event = Event(0, now(), "bob", events.DECIDE, 39, (1,), details=imported)
            append(connection, 1, event)
    return location


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_with_traces(tmp_path_factory.mktemp("made") / "made.satc")


@pytest.fixture
def path(made, tmp_path):
    return Path(shutil.copy(made, tmp_path))


def faults(location):
    with closing(open_store(location)) as store:
        return verify(store, None, lambda step: None).faults


def proven(location):
    """Return what the log proves, without names and texts."""
    with closing(open_store(location)) as store:
        found = list(read_events(store, 1))
    return [(e.number, e.at, e.kind, e.document, e.labels, e.lease) for e in found]


def test_the_name_is_nowhere_in_the_file(path, tmp_path):
    assert NAME.encode().lower() in path.read_bytes().lower()
    done = command("erase", path, "--user", NAME, "--yes")
    assert done.returncode == 0, done.stderr
    assert "made: the person is now person-" in done.stdout
    for file in tmp_path.iterdir():
        content = file.read_bytes().lower()
        assert NAME.encode().lower() not in content.replace(f"{NAME} ii".lower().encode(), b"")


def test_decisions_order_and_numbers_stay_and_the_chain_holds(path):
    before = proven(path)
    command("erase", path, "--user", NAME, "--yes")
    assert proven(path) == before
    assert faults(path) == []
    with closing(open_store(path)) as store:
        history = read_history(store, get_project(store))
        names = set(history.record.n_decisions)
        (pseudonym,) = names - {"bob"}
        assert pseudonym.startswith("person-")
        assert history.record.notes[max(history.record.notes)] == f"Ask {pseudonym} about it"


def test_a_certificate_made_before_is_still_confirmed(path, tmp_path):
    done = command("certify", path, "-o", tmp_path / "certificate.json")
    assert done.returncode == 0, done.stderr
    command("erase", path, "--user", NAME, "--yes")
    done = command("certify", path, "--check", tmp_path / "certificate.json")
    assert done.returncode == 0, done.stderr
    assert "the whole certificate follows from its log" in done.stdout


def test_what_was_erased_is_protected_from_then_on(path):
    command("erase", path, "--user", NAME, "--yes")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "UPDATE events SET details = replace(details, 'about it', 'about us') "
            "WHERE kind = 'note'"
        )
        connection.commit()
    assert {fault.part for fault in faults(path)} == {"events"}
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE persons SET name = 'person-0000' WHERE salt IS NULL")
        connection.commit()
    assert any("'person-0000' does not match its commitment" in str(f) for f in faults(path))


def test_the_account_and_the_links_of_the_person_end(path):
    done = command("erase", path, "--user", NAME, "--yes", "--json")
    found = json.loads(done.stdout)
    assert found["n_texts"] == 3  # two notes and the name of a file
    assert found["n_events"] >= 6
    with closing(open_store(path)) as store, store.reading() as connection:
        for table in (schema.users, schema.tokens, schema.leases):
            assert connection.execute(select(table)).all() == []
        rows = connection.execute(select(schema.invitations)).all()
        assert [(row.name, row.invited_by) for row in rows] == [("guest 0", "erased person")]


def test_work_goes_on_and_another_person_may_have_the_name(path):
    command("erase", path, "--user", NAME, "--yes")
    with closing(open_store(path)) as store, store.writing() as connection:
        append(connection, 1, Event(0, now(), NAME, events.FLAG, 1))
    assert faults(path) == []
    assert command("erase", path, "--user", NAME, "--yes").returncode == 0
    assert faults(path) == []


def test_nothing_happens_without_a_yes_or_for_an_unknown_name(path):
    before = proven(path)
    assert command("erase", path, "--user", NAME, stdin="n\n").returncode == 1
    done = command("erase", path, "--user", "nobody", "--yes")
    assert done.returncode == 1
    assert f"must have a person 'nobody', but has {NAME}, audit, bob" in done.stderr
    assert proven(path) == before
    assert NAME.encode() in path.read_bytes()


def test_a_name_is_not_erased_under_a_server(path):
    with closing(open_store(path)) as server:
        server.lock()
        done = command("erase", path, "--user", NAME, "--yes")
    assert done.returncode == 1
    assert "is served by another process" in done.stderr


def test_a_process_that_reads_the_file_is_named_as_a_reason(path, monkeypatch):
    monkeypatch.setattr(erasing, "_ATTEMPTS", 1)
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("PRAGMA busy_timeout = 0")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        with closing(open_store(path)) as store, monkeypatch.context() as patch:
            patch.setattr(engine, "BUSY_MILLISECONDS", 0)
            store.engine.dispose()
            with pytest.raises(StoreError, match="another process still reads the file"):
                erase_person(store, NAME)


def test_the_name_is_nowhere_in_postgresql(cluster):
    address = make_with_traces(cluster.new_database())
    with closing(open_store(address)) as store:
        store.lock()
        erase_person(store, NAME)
        with store.reading() as connection:
            for table in schema.metadata.sorted_tables:
                rows = connection.execute(text(f"SELECT CAST(t AS text) FROM {table.name} t"))  # noqa: S608
                assert not [row for row in rows.scalars() if NAME.lower() in row.lower()]
                pages = connection.execute(
                    text("SELECT pg_relation_filepath(:name)"), {"name": table.name}
                ).scalar()
                content = (Path(cluster.data) / pages).read_bytes().lower()
                assert NAME.lower().encode() not in content, table.name
    assert faults(address) == []


def test_every_column_that_can_hold_a_name_is_known_to_the_erasure():
    """A new column must be added here, or to `COLUMNS` if a name can be in it, and be erased."""
    without_names = {
        "projects": {"name", "settings", "created_at", "classes_digest", "digest"},
        "classes": {"name"},
        "documents": {"id", "text", "columns", "digest", "rank_digest"},
        "arrays": {"name", "digest"},
        "events": {"at", "kind", "labels", "lease", "free_texts", "digest"},
        "chains": {"digest"},
        "persons": {"salt", "commitment"},
        "leases": {"lease", "expires_at", "shown", "opened_at"},
        "users": {"role", "password", "created_at"},
        "tokens": {"digest", "created_at"},
        "members": {"role"},
        "invitations": {
            "digest",
            "kind",
            "role",
            "created_at",
            "expires_at",
            "used_at",
            "projects",
        },
        "webhooks": {"url", "kinds", "secret", "created_at", "failing_since", "retry_at"},
        "webhook_outbox": {"id", "kind", "state", "created_at", "tried_at"},
        "secrets": {"name", "value"},
    }
    found = {
        (table.name, column.name)
        for table in schema.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, (String, JSON))
    }
    known = {(table, name) for table, names in without_names.items() for name in names}
    assert found == known | {(column.table.name, column.name) for column in COLUMNS}


def test_a_name_that_is_also_a_word_of_satc_changes_nothing_else(path):
    before = proven(path)
    with closing(open_store(path)) as store:
        add_user(store, "decide", "annotator", "a hash")
        erase_person(store, "decide")
    assert proven(path) == before
    assert faults(path) == []
