"""The file of a project: locked whatever it is called, never lost without a word, a short log."""

import os
import shutil
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from calling import BASE

from satc.workbench.review.desk import open_desk
from satc.workbench.store import StoreError, open_store
from satc.workbench.store.sqlite.log import LARGE, WriteAheadLog
from test_interrupted import small_disk

OPEN = "import sys; from satc.workbench.store import open_store; open_store(sys.argv[1]).close()"
LOCK = (
    "import sys; from satc.workbench.store import open_store; "
    "open_store(sys.argv[1]).lock(); print('locked', flush=True); sys.stdin.read()"
)


@pytest.fixture
def path(files_made, tmp_path):
    return Path(shutil.copy(files_made / "claims.satc", tmp_path))


@pytest.fixture
def desk(path, monkeypatch):
    monkeypatch.setattr("satc.workbench.store.connection._COPY_LOG_SECONDS", 600.0)
    with closing(open_store(path)) as store:
        store.lock()
        yield open_desk(store)


@contextmanager
def locked_elsewhere(path):
    """Let another process lock a project."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", LOCK, str(path)], **pipes) as other:
        assert other.stdout.readline() == b"locked\n"
        yield
        other.kill()


@pytest.mark.slow
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_second_server_is_kept_out_by_whatever_link(path, link, tmp_path):
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "linked.satc"
    link(path, other)
    for served, wanted in ((path, other), (other, path)):
        with locked_elsewhere(served):
            store = open_store(wanted)
            with pytest.raises(StoreError, match="served by another process"):
                store.lock()
            store.close()
    with closing(open_store(other)) as store:
        store.lock()


def test_a_store_that_is_closed_leaves_the_locks_of_others_alone(path, desk):
    """SQLite of another process would else remove the log as if nobody used the file."""
    lease, _ = desk.next("ann")
    open_store(path).close()
    code = (
        "import sys; from satc.workbench.store import open_store; open_store(sys.argv[1]).close()"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    number = desk.submit(lease.lease, "ann", [1], 1.0)
    with closing(open_store(path)) as again:
        assert open_desk(again).record.last_number == number


def test_a_file_that_is_removed_is_said_before_anything_is_lost(path, desk):
    lease, _ = desk.next("ann")
    elsewhere = path.with_name("elsewhere")
    path.rename(elsewhere)
    for _ in range(2):
        with pytest.raises(StoreError, match="was moved, removed or replaced while it was in use"):
            desk.submit(lease.lease, "ann", [1], 1.0)
    with pytest.raises(StoreError, match="was moved"):
        desk.next("ann")
    assert desk.validation.n_validated == 0
    assert not path.exists()
    elsewhere.rename(path)
    number = desk.submit(lease.lease, "ann", [1], 1.0)
    with closing(open_store(path)) as again:
        assert open_desk(again).record.last_number == number


def test_a_file_that_is_replaced_is_said_too(path, desk, files_made):
    lease, _ = desk.next("ann")
    own, other = path.with_name("own"), path.with_name("other")
    path.rename(own)
    shutil.copy(files_made / "team.satc", path)
    with pytest.raises(StoreError, match="was moved, removed or replaced"):
        desk.submit(lease.lease, "ann", [1], 1.0)
    path.rename(other)
    own.rename(path)
    assert desk.submit(lease.lease, "ann", [1], 1.0) == 1
    assert other.read_bytes() == (files_made / "team.satc").read_bytes()


def test_a_log_that_is_removed_is_said_too(path, desk):
    lease, _ = desk.next("ann")
    Path(f"{path}-wal").unlink()
    with pytest.raises(StoreError, match="was moved, removed or replaced"):
        desk.submit(lease.lease, "ann", [1], 1.0)


def test_over_http_the_status_is_503_until_the_file_is_back(client, app):
    given = client.post(f"{BASE}/next").json()["assignment"]
    url = f"{BASE}/leases/{given['lease']}/decision"
    path = Path(app.state.open_projects.store.location)
    path.rename(path.with_name("elsewhere"))
    answer = client.post(url, json={"labels": [0]})
    assert answer.status_code == 503
    assert "must put the same file back" in answer.json()["detail"]
    path.with_name("elsewhere").rename(path)
    assert client.post(url, json={"labels": [0]}).status_code == 200
    assert client.get(f"{BASE}/status").json()["n_validated"] == 1


def write_notes(desk, megabytes):
    """Write notes into the log, and wait until it was looked at."""
    for document in range(megabytes):
        desk.note(document % 40, "ann", f"{document}" + "n" * (1 << 20))
    with desk.locked():
        return WriteAheadLog(Path(desk.store.location)).size


def test_the_log_stays_short(path, desk, monkeypatch):
    monkeypatch.setattr("satc.workbench.store.sqlite.log._RETRY_SECONDS", 0.0)
    assert max(write_notes(desk, 2) for _ in range(6)) <= LARGE + (3 << 20)


def test_the_log_is_short_again_when_somebody_has_read_for_long(path, desk, monkeypatch):
    monkeypatch.setattr("satc.workbench.store.sqlite.log._RETRY_SECONDS", 0.0)
    with desk.store.engine.connect() as reader:
        reader.exec_driver_sql("BEGIN")
        reader.exec_driver_sql("SELECT count(*) FROM events").all()
        assert write_notes(desk, 7) > LARGE
        reader.exec_driver_sql("COMMIT")
    assert write_notes(desk, 1) <= LARGE


@pytest.mark.slow
def test_decisions_do_not_fill_a_small_disk(path, tmp_path, monkeypatch):
    monkeypatch.setattr("satc.workbench.store.sqlite.log._RETRY_SECONDS", 0.0)
    size = path.stat().st_size + (10 << 20)
    with (
        small_disk(tmp_path / "disk", size) as disk,
        closing(open_store(shutil.copy(path, disk))) as store,
    ):
        store.lock()
        desk = open_desk(store)
        for k in range(40):  # 20 MB through the log, of which little stays
            desk.note(0, "ann", f"{k}" + "n" * (1 << 19))
            store.shrink_log()
            with store.writing() as connection:
                connection.exec_driver_sql("UPDATE events SET details = '{}'")
        assert desk.next("ann")[0] is not None
