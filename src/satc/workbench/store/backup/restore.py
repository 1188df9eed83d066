"""Restore a backup: into a new file, or into PostgreSQL.

Everything of the projects comes back, and the accounts. Open documents, invitations and the key of
the sessions do not: after a restore nobody has a document open, and everybody logs in again.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import delete

from satc.errors import DataError, SatcError
from satc.files.atomic import output_file
from satc.workbench.store.backup.copying import Report, copy_accounts, copy_projects
from satc.workbench.store.backup.online_copy import copy_file, no_report
from satc.workbench.store.backup.snapshot import snapshot
from satc.workbench.store.backup.tables import LEFT_OUT
from satc.workbench.store.connection import Store, open_store
from satc.workbench.store.digests.checking import check_digests
from satc.workbench.store.new_file import check_new, remove_companions
from satc.workbench.store.people.users import list_users
from satc.workbench.store.projects import list_projects


class Restored(NamedTuple):
    """The names of the projects and of the users that were restored."""

    projects: list[str]
    users: list[str]


def restore_file(backup: Path, target: Path, report: Report) -> Restored:
    """Restore a backup into a new file, which appears when it is complete."""
    check_new(target)
    with output_file(target) as temporary:
        try:
            with _checked_copy(backup, temporary, report) as store:
                users = [user.name for user in list_users(store)]
                names = [project.name for project in list_projects(store)]
                with store.reading() as connection:
                    connection.exec_driver_sql("VACUUM")
                    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            remove_companions(temporary)
        remove_companions(target)  # left by a file of that name that somebody removed
    return Restored(names, users)


def restore_database(backup: Path, address: str, report: Report) -> Restored:
    """Restore a backup into PostgreSQL, completely or not at all."""
    folder = Path(tempfile.mkdtemp(prefix="satc-"))
    try:
        with _checked_copy(backup, folder / backup.name) as source:
            names = [project.name for project in list_projects(source)]
            target = open_store(address, new=True)
            try:
                with snapshot(source) as rows, target.writing() as connection:
                    users = copy_accounts(rows, connection)
                    copy_projects(rows, connection, names, report)
            finally:
                target.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Restored(names, users)


@contextmanager
def _checked_copy(backup: Path, path: Path, report: Report = no_report) -> Iterator[Store]:
    """Give a copy of a backup, upgraded and checked; the backup itself is not changed."""
    copy_file(backup, path, report)
    with _named(path, backup):
        store = open_store(path)
    try:
        with _named(path, backup):
            for project in list_projects(store):
                check_digests(store, project.name)
        with store.writing() as connection:
            for table in LEFT_OUT:
                connection.execute(delete(table))
        yield store
    finally:
        store.close()


@contextmanager
def _named(copy: Path, backup: Path) -> Iterator[None]:
    """Let errors about a copy name the backup itself."""
    try:
        yield
    except SatcError as error:
        raise DataError(str(error).replace(str(copy), str(backup))) from error
