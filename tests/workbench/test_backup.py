"""A backup is one consistent file, made while others write; restored, the project is as it was."""

import json
import os
import shutil
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest
from commanding import command
from crowd import Wire
from projects_made import add_people, make, make_project
from serving import Site
from sqlalchemy import insert, select
from worked_projects import N_EVENTS, PEOPLE, make_worked

from satc.errors import DataError
from satc.workbench.model import events
from satc.workbench.model.clock import now
from satc.workbench.model.events import Event
from satc.workbench.project.verification.verification import verify
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store, schema
from satc.workbench.store.backup import tables
from satc.workbench.store.backup.backup import back_up
from satc.workbench.store.backup.online_copy import copy_file
from satc.workbench.store.backup.restore import restore_database, restore_file
from satc.workbench.store.events import append, read_events
from satc.workbench.store.people.users import list_users, secret
from satc.workbench.store.projects import get_project
from satc.workbench.store.search.finding import find_documents
from satc.workbench.store.search.query import parse_query


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_worked(tmp_path_factory.mktemp("made") / "made.satc")


@pytest.fixture
def path(made, tmp_path):
    return Path(shutil.copy(made, tmp_path))


@pytest.fixture
def in_database(cluster):
    return make_worked(cluster.new_database())


def quiet(done, total):
    """Show no progress."""


def content(location, name=None):
    """Return all rows of a project without its key, and its users."""
    found = {}
    with closing(open_store(location)) as store, store.reading() as connection:
        project = get_project(store, name)
        for table in (schema.projects, *tables.OF_PROJECT):
            own = table.c.key if table is schema.projects else table.c.project
            query = select(table).where(own == project.key).order_by(*table.primary_key)
            found[table.name] = [row[1:] for row in connection.execute(query)]
        found["users"] = list_users(store)
    return found


def faults(location):
    with closing(open_store(location)) as store:
        return verify(store, None, lambda step: None).faults


def events_of(location):
    with closing(open_store(location)) as store:
        return list(read_events(store, get_project(store).key))


def test_every_table_is_restored_or_left_out_on_purpose():
    named = {schema.projects, *tables.OF_PROJECT, *tables.OF_STORE, *tables.LEFT_OUT}
    assert named == set(schema.metadata.sorted_tables)


def test_a_backup_is_a_project_for_its_owner_alone(path, tmp_path):
    done = command("backup", path, "-o", tmp_path / "backup.satc", "--json")
    assert done.returncode == 0, done.stderr
    backup = tmp_path / "backup.satc"
    assert json.loads(done.stdout) == {"file": str(backup), "bytes": backup.stat().st_size}
    assert stat.S_IMODE(os.stat(backup).st_mode) == 0o600
    assert content(backup) == content(path)
    assert faults(backup) == []
    assert not list(tmp_path.glob(".*"))


def test_an_earlier_backup_is_replaced_only_by_force(path, tmp_path):
    backup = tmp_path / "backup.satc"
    backup.write_text("earlier")
    (tmp_path / "backup.satc-wal").write_text("the log of the earlier file")
    done = command("backup", path, "-o", backup)
    assert done.returncode == 1
    assert "must be a new file, but is there already" in done.stderr
    assert backup.read_text() == "earlier"
    assert command("backup", path, "-o", backup, "--force").returncode == 0
    assert not (tmp_path / "backup.satc-wal").exists()
    assert content(backup) == content(path)
    done = command("backup", path, "-o", path, "--force")
    assert "the backup must be another file than" in done.stderr


def test_a_backup_under_constant_writing_is_a_prefix_of_the_log(path, tmp_path):
    backup, ended, begun = tmp_path / "backup.satc", threading.Event(), threading.Event()
    steps = []

    def write():
        with closing(open_store(path)) as store:
            while not ended.is_set():
                with store.writing(durable=False) as connection:
                    append(connection, 1, Event(0, now(), "ann", events.FLAG, 1))
                begun.set()

    def report(done, total):
        n_events = len(steps)
        steps.append(done)
        begun.clear()
        assert begun.wait(30), "the writer must go on while pages are copied"
        assert len(steps) == n_events + 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        begun.wait(30)
        copy_in_small_steps(path, backup, report)
    finally:
        ended.set()
        writer.join()
    found, all_events = events_of(backup), events_of(path)
    assert len(steps) > 3
    assert steps == sorted(steps), "the copy must not begin again"
    assert N_EVENTS < len(found) < len(all_events)
    assert found == all_events[: len(found)]
    assert faults(backup) == []


def copy_in_small_steps(source, target, report):
    from unittest.mock import patch

    with patch("satc.workbench.store.backup.online_copy._PAGES", 10):
        copy_file(source, target, report)


def test_a_backup_is_made_while_a_server_works(path, tmp_path):
    (token,) = add_people(path, 1)
    site = Site(path)
    try:
        wire = Wire(site, token)
        lease = wire.post("/next")["assignment"]["lease"]
        done = command("backup", path, "-o", tmp_path / "backup.satc")
        assert done.returncode == 0, done.stderr
        wire.post(f"/leases/{lease}/decision", {"labels": [1], "seconds": 1.0})
        wire.close()
    finally:
        site.stop()
    found, later = events_of(tmp_path / "backup.satc"), events_of(path)
    assert found == later[: len(found)]
    assert len(found) < len(later)
    assert faults(tmp_path / "backup.satc") == []


def test_a_restored_file_equals_the_original(path, tmp_path):
    command("backup", path, "-o", tmp_path / "backup.satc")
    before = (tmp_path / "backup.satc").read_bytes()
    done = command("restore", tmp_path / "backup.satc", "-o", tmp_path / "restored.satc", "--json")
    assert json.loads(done.stdout) == {"projects": ["made"], "users": [PEOPLE[0]]}
    restored = tmp_path / "restored.satc"
    assert content(restored) == content(path)
    assert faults(restored) == []
    assert stat.S_IMODE(os.stat(restored).st_mode) == 0o600
    assert (tmp_path / "backup.satc").read_bytes() == before


def test_nobody_has_a_document_open_and_everybody_logs_in_again(path, tmp_path):
    restore_file(path, tmp_path / "restored.satc", quiet)
    with closing(open_store(tmp_path / "restored.satc")) as store:
        assert secret(store, "sessions", "fresh") == "fresh"
        assert list(open_desk(store).leases) == []
    assert b"the key of the sessions" not in (tmp_path / "restored.satc").read_bytes()


def test_postgresql_is_backed_up_into_a_file_and_restored_from_it(in_database, cluster, tmp_path):
    backup, other = tmp_path / "backup.satc", cluster.new_database()
    make_project(make(n=20), other, name="another")
    add_events(other, 3)
    done = command("backup", "made", "-o", backup, "--database", in_database)
    assert done.returncode == 0, done.stderr
    assert content(backup) == content(in_database)
    assert faults(backup) == []
    done = command("restore", backup, "--database", other)
    assert done.returncode == 0, done.stderr
    assert content(other, "made") == content(in_database)
    assert faults(other) == []
    make_project(make(n=20), other, name="third")
    with closing(open_store(other)) as store:
        project = get_project(store, "made")
        assert find_documents(store, project.key, parse_query("text 7 ")).tolist() == [7]
        with store.writing() as connection:
            assert append(connection, project.key, flag()).number == N_EVENTS + 1
    assert faults(other) == []


def flag():
    return Event(0, now(), "ann", events.FLAG, 1)


def add_events(location, n):
    with closing(open_store(location)) as store, store.writing() as connection:
        for _ in range(n):
            append(connection, 1, flag())


def test_a_snapshot_of_postgresql_does_not_see_what_comes_later(in_database, tmp_path):
    with closing(open_store(in_database)) as store:

        def report(done, total):
            with store.writing() as connection:
                append(connection, 1, flag())

        back_up(store, "made", tmp_path / "backup.satc", report)
    assert len(events_of(tmp_path / "backup.satc")) == N_EVENTS
    assert len(events_of(in_database)) > N_EVENTS
    assert faults(tmp_path / "backup.satc") == []


def test_a_restore_replaces_no_project_and_no_user(path, in_database, tmp_path):
    before = content(in_database)
    with pytest.raises(DataError, match="must not have a project 'made', but has one"):
        restore_database(path, in_database, quiet)
    with pytest.raises(DataError, match="must be a new file, but is there already"):
        restore_file(path, path, quiet)
    assert content(in_database) == before


def test_a_restore_into_postgresql_is_all_or_nothing(path, cluster, monkeypatch):
    address = cluster.new_database()

    def stop(done, total):
        if done == total:
            raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError, match="power"):
        restore_database(path, address, stop)
    with closing(open_store(address)) as store, store.reading() as connection:
        for table in schema.metadata.sorted_tables:
            assert connection.execute(select(table)).first() is None


def test_users_of_the_database_stay_as_they_are(path, cluster):
    address = cluster.new_database()
    with closing(open_store(address, new=True)) as store:
        row = {"name": PEOPLE[0], "role": "annotator", "password": "other", "created_at": now()}
        with store.writing() as connection:
            connection.execute(insert(schema.users).values(row))
        assert restore_database(path, address, quiet).users == []
        assert [(user.role, user.password) for user in list_users(store)] == [
            ("annotator", "other")
        ]


def test_a_damaged_backup_is_not_restored(path, tmp_path, cluster):
    with closing(open_store(path)) as store, store.writing() as connection:
        connection.exec_driver_sql("UPDATE documents SET text = 'other' WHERE position = 3")
    done = command("restore", path, "-o", tmp_path / "restored.satc")
    assert done.returncode == 1
    assert f"{path}: project 'made' is damaged: document 'd3'" in done.stderr
    assert not (tmp_path / "restored.satc").exists()
    with pytest.raises(DataError, match="document 'd3'"):
        restore_database(path, cluster.new_database(), quiet)


def test_a_restore_needs_a_place_and_a_backup(path, tmp_path):
    assert "-o (a new file) or --database" in command("restore", path).stderr
    (tmp_path / "none.satc").write_text("no database at all")
    for name in ("none.satc", "missing.satc"):
        done = command("restore", tmp_path / name, "-o", tmp_path / "restored.satc")
        assert done.returncode == 1
        assert f"{name} cannot be copied" in done.stderr
    assert [file.name for file in tmp_path.glob("*restored*")] == []
