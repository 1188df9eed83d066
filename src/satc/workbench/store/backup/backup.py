"""Make a backup: one project file, from a file or from PostgreSQL, while a server works.

A backup of a file is a copy of the whole file. A backup of a project in PostgreSQL is a new file
with this project and the accounts of its database.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from satc.errors import DataError
from satc.files.atomic import output_file
from satc.workbench.store.backup.copying import Report, copy_accounts, copy_projects
from satc.workbench.store.backup.online_copy import copy_file
from satc.workbench.store.backup.snapshot import snapshot
from satc.workbench.store.connection import Store
from satc.workbench.store.new_file import check_new, new_file, remove_companions
from satc.workbench.store.projects import get_project


def back_up(
    store: Store, name: str | None, target: Path, report: Report, *, replace: bool = False
) -> None:
    """Write a backup; it appears when it is complete.

    Raises
    ------
    DataError
        If there is no such project, or if the file exists and is not to be replaced.
    """
    if name is not None or not store.is_sqlite:
        name = get_project(store, name).name
    if store.is_sqlite:
        _refuse_itself(Path(store.location), target)
        check_new(target, replace=replace)
        with output_file(target) as temporary, ExitStack() as stack:
            stack.callback(remove_companions, temporary)
            copy_file(Path(store.location), temporary, report)
            remove_companions(target)  # of an earlier backup, which is replaced now
        return
    with (
        new_file(target, replace=replace) as backup,
        snapshot(store) as source,
        backup.writing() as connection,
    ):
        copy_accounts(source, connection)
        copy_projects(source, connection, [str(name)], report)


def _refuse_itself(source: Path, target: Path) -> None:
    if target.exists() and target.samefile(source):
        raise DataError(f"the backup must be another file than {source}")
