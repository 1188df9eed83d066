"""Copy projects with their accounts from one store to another, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select

from satc.errors import DataError
from satc.workbench.store import schema
from satc.workbench.store.backup.tables import OF_PROJECT
from satc.workbench.store.search.indexing import Searchable, index_documents

Report = Callable[[int, int], None]  # the rows that are copied, of all rows

_BATCH = 500
_LARGE = {schema.arrays: 1}  # rows at a time: a part of an array has megabytes


def copy_projects(
    source: Connection, target: Connection, names: list[str], report: Report
) -> list[int]:
    """Copy projects; return their new keys. The search index is built from the texts.

    Raises
    ------
    DataError
        If the target has a project of one of the names.
    """
    _refuse_names(target, names)
    table = schema.projects
    keys = [
        source.execute(select(table.c.key).where(table.c.name == n)).scalar_one() for n in names
    ]
    total = sum(_count(source, table, key) for key in keys for table in OF_PROJECT)
    done = 0
    new_keys = []
    for key in keys:
        new_keys.append(_copy_project_row(source, target, key))
        for part in OF_PROJECT:
            for rows in _batches(source, part, key):
                target.execute(insert(part), [row | {"project": new_keys[-1]} for row in rows])
                if part is schema.documents:
                    _index(target, new_keys[-1], rows)
                done += len(rows)
                report(done, total)
    return new_keys


def copy_accounts(source: Connection, target: Connection) -> list[str]:
    """Copy the users whom the target does not have, with their tokens; return their names."""
    users, tokens = schema.users, schema.tokens
    known = set(target.execute(select(users.c.name)).scalars())
    rows = source.execute(select(users).order_by(users.c.name)).mappings().all()
    new = [dict(row) for row in rows if row["name"] not in known]
    names = [row["name"] for row in new]
    if new:
        target.execute(insert(users), new)
    theirs = [
        dict(row)
        for row in source.execute(select(tokens)).mappings().all()
        if row["user"] in set(names)
    ]
    if theirs:
        target.execute(insert(tokens), theirs)
    return names


def _refuse_names(target: Connection, names: list[str]) -> None:
    known = set(target.execute(select(schema.projects.c.name)).scalars())
    taken = [name for name in names if name in known]
    if taken:
        raise DataError(
            f"the database must not have a project {taken[0]!r}, but has one; restore into another "
            "database, or into a file with -o"
        )


def _copy_project_row(source: Connection, target: Connection, key: int) -> int:
    table = schema.projects
    row = dict(source.execute(select(table).where(table.c.key == key)).mappings().one())
    del row["key"]
    new = target.execute(insert(table).values(row)).inserted_primary_key
    if new is None:
        raise DataError("the database gave no key to a project")
    return int(new[0])


def _count(source: Connection, table: Table, project: int) -> int:
    query = select(func.count()).select_from(table).where(table.c.project == project)
    return int(source.execute(query).scalar_one())


def _batches(source: Connection, table: Table, project: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of a project in batches, in the order of their keys."""
    query = select(table).where(table.c.project == project).order_by(*table.primary_key)
    size = _LARGE.get(table, _BATCH)
    result = source.execution_options(stream_results=True, max_row_buffer=size).execute(query)
    rows = iter(result.mappings())
    while batch := [dict(row) for row in islice(rows, size)]:
        yield batch


def _index(target: Connection, project: int, rows: list[dict[str, Any]]) -> None:
    found = (Searchable(row["position"], row["id"], row["text"]) for row in rows)
    index_documents(target, project, found)
