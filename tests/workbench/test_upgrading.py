"""An upgrade succeeds completely, or changes nothing; a file is copied before it."""

import os
import shutil
import sqlite3
import stat
from contextlib import closing

import pytest
from earlier_project import N_EVENTS, unpack
from sqlalchemy import create_engine, inspect, text

from satc.errors import DataError
from satc.workbench.store import StoreError, open_store, upgrading
from satc.workbench.store.events import read_events

FAILING = '''"""A migration that fails in the middle."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{last}"


def upgrade():
    op.create_table("half", sa.Column("key", sa.Integer, primary_key=True))
    op.execute("UPDATE projects SET name = 'changed'")
    raise ValueError("this migration fails")
'''


@pytest.fixture
def failing(tmp_path, monkeypatch):
    """Let the migrations have one more, which fails."""
    folder = tmp_path / "migrations"
    shutil.copytree(upgrading._MIGRATIONS, folder)
    last = max(path.name for path in (folder / "versions").glob("0*.py"))[:4]
    (folder / "versions" / "9999_failing.py").write_text(FAILING.format(last=last))
    monkeypatch.setattr(upgrading, "_MIGRATIONS", folder)


def dump(path):
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_an_upgrade_that_fails_leaves_the_file_as_it_was_and_names_its_copy(tmp_path, failing):
    path = unpack(tmp_path)
    before = dump(path)
    with pytest.raises(DataError, match=r"as it was before; .*before-upgrade.*migration fails"):
        open_store(path)
    copy = tmp_path / "survey.satc.before-upgrade"
    assert dump(path) == before
    assert dump(copy) == before
    assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600


def test_after_a_failed_upgrade_the_next_one_succeeds_and_removes_the_copy(tmp_path, monkeypatch):
    path = unpack(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(upgrading.command, "upgrade", lambda *_: 1 / 0)
        with pytest.raises(DataError, match="division by zero"):
            open_store(path)
    with closing(open_store(path)) as store:
        assert len(list(read_events(store, 1))) == N_EVENTS
    assert {file.name for file in tmp_path.glob("survey*")} <= {
        "survey.satc",
        "survey.satc-wal",
        "survey.satc-shm",
    }


def test_a_new_file_is_not_copied(tmp_path, failing):
    with pytest.raises(ValueError, match="migration fails"):
        open_store(tmp_path / "new.satc", new=True)
    assert not list(tmp_path.glob("*.before-upgrade"))


def test_no_upgrade_without_a_copy(tmp_path, monkeypatch):
    path = unpack(tmp_path)
    before = dump(path)

    def full(source, target):
        target.write_bytes(b"half")
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(upgrading, "copy_file", full)
    with pytest.raises(StoreError, match="disk is full"):
        open_store(path)
    assert dump(path) == before
    assert not list(tmp_path.glob("*.before-upgrade"))


def test_postgresql_upgrades_in_one_transaction(cluster, failing):
    address = cluster.new_database()
    with pytest.raises(ValueError, match="migration fails"):
        open_store(address, new=True)
    engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        assert inspect(connection).get_table_names() == []
        assert connection.execute(text("SELECT 1")).scalar() == 1
    engine.dispose()
