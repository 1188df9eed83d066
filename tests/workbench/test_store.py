import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from satc.errors import DataError
from satc.workbench.store import StoreError, open_store
from satc.workbench.store.people.users import secret
from satc.workbench.store.schema import metadata, secrets
from satc.workbench.store.search.tables import TABLE


@pytest.fixture
def store(location):
    made = open_store(location, new=True)
    yield made
    made.close()


def is_described(name, kind, _):
    """Whether the metadata describes a table: the databases have different search indexes."""
    return kind != "table" or not name.startswith(TABLE)


def test_the_migrations_make_the_tables_that_queries_are_written_in(store):
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": is_described})
        assert compare_metadata(context, metadata) == []


def test_opening_again_changes_nothing(store, location):
    assert secret(store, "a", "first") == "first"
    again = open_store(location)
    assert secret(again, "a", "second") == "first"
    again.close()


def test_a_failed_transaction_leaves_nothing_behind(store):
    def fail():
        with store.writing() as connection:
            connection.execute(secrets.insert().values(name="a", value="b"))
            raise ZeroDivisionError("in the middle")

    with pytest.raises(ZeroDivisionError, match="in the middle"):
        fail()
    with store.reading() as connection:
        assert connection.execute(secrets.select()).all() == []


def test_only_one_server_has_a_store(store, location):
    store.lock()
    other = open_store(location)
    with pytest.raises(StoreError, match="served by another process"):
        other.lock()
    store.close()
    other.lock()
    other.close()


def test_a_closed_store_can_be_locked_at_once(postgresql):
    open_store(postgresql, new=True).close()
    for _ in range(30):  # PostgreSQL notices the end of a session a little later, sometimes
        first, second = open_store(postgresql), open_store(postgresql)
        with closing(second):
            first.lock()
            first.close()
            second.lock()


def test_a_lock_ends_with_its_process(location):
    open_store(location, new=True).close()
    code = (
        "import sys; from satc.workbench.store import open_store; "
        "open_store(sys.argv[1]).lock(); print('locked', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(location)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    store = open_store(location)
    with subprocess.Popen(command, **pipes) as other:
        assert other.stdout.readline() == b"locked\n"
        with pytest.raises(StoreError, match="served by another process"):
            store.lock()
        other.kill()
    lock_soon(store)
    store.close()


def lock_soon(store, seconds=20.0):
    """Lock a store; PostgreSQL needs a moment to notice that the other process is gone."""
    end = monotonic() + seconds
    while True:
        try:
            return store.lock()
        except StoreError:
            if monotonic() > end:
                raise
            sleep(0.05)


def test_another_thread_may_release_the_lock(tmp_path):
    path = tmp_path / "made.satc"
    store = open_store(path, new=True)
    store.lock()
    assert Path(f"{path}-lock").stat().st_mode & 0o077 == 0
    closing = Thread(target=store.close)
    closing.start()
    closing.join()
    other = open_store(path)
    other.lock()
    other.close()


def test_a_store_of_a_later_version_is_refused(store, location):
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DataError, match="a later satc has made it"):
        open_store(location)


def test_a_database_of_somebody_else_is_refused(location, tmp_path):
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bills (number INTEGER)")
    other.commit()
    other.close()
    with pytest.raises(DataError, match=r"must hold satc's tables, but holds bills"):
        open_store(path)
    with pytest.raises(DataError, match=r"must hold satc's tables, but holds bills"):
        open_store(path, new=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be opened: No such file"), (b"id,text\n", "must be a project made by")],
)
def test_what_is_no_project_is_named(tmp_path, content, message):
    path = tmp_path / "claims.satc"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StoreError, match=message):
        open_store(path)


def test_a_database_that_is_away_is_said_in_one_line():
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:9") as raised:
        open_store("postgresql://satc:secret@127.0.0.1:9/none")
    assert "\n" not in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_full_disk_is_a_store_error_that_loses_nothing(tmp_path):
    store = open_store(tmp_path / "a.satc", new=True)
    assert secret(store, "kept", "value") == "value"
    with store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="full"):
            _fill(store, connection)
    assert secret(store, "kept", "other") == "value"
    store.close()


def _fill(store, connection):
    from satc.workbench.store.connection import _translated

    with _translated(store.location):
        connection.execute(secrets.insert().values(name="much", value="x" * 1_000_000))


def test_a_database_that_comes_back_is_used_again(cluster):
    location = cluster.new_database()
    store = open_store(location, new=True)
    store.lock()
    assert secret(store, "a", "first") == "first"
    cluster.halt()
    with pytest.raises(StoreError):
        secret(store, "a", "second")
    cluster.start()
    assert secret(store, "a", "third") == "first"
    other = open_store(location)
    with pytest.raises(StoreError, match="served by another process"):
        other.lock()
    other.close()
    store.close()


@pytest.fixture
def read_only(files_made, tmp_path, monkeypatch):
    """Return a project in a folder that cannot be written to; also root cannot, it seems."""
    folder = tmp_path / "kept # ? %20"
    folder.mkdir()
    path = Path(shutil.copy(files_made / "claims.satc", folder))
    access = os.access
    monkeypatch.setattr("os.access", lambda one, mode: mode != os.W_OK and access(one, mode))
    path.chmod(0o444)
    folder.chmod(0o555)
    yield path
    folder.chmod(0o755)


def test_a_closed_project_that_can_only_be_read_is_read(read_only):
    store = open_store(read_only)
    with store.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM documents").scalar() == 40
    with pytest.raises(StoreError, match="readonly"), store.writing() as connection:
        connection.exec_driver_sql("DELETE FROM documents")
    store.close()
    assert [path.name for path in read_only.parent.iterdir()] == ["claims.satc"]


def test_a_project_that_can_only_be_read_must_have_been_closed(read_only):
    read_only.parent.chmod(0o755)
    Path(f"{read_only}-wal").write_bytes(b"not empty")
    with pytest.raises(StoreError, match=r"was not closed properly and cannot be written to"):
        open_store(read_only)
