"""Named arrays in the database, divided into numbered parts: dense rows, sparse rows, or bytes.

Nothing here is pickled, so that a project from somebody else runs no code when it is opened.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sqlalchemy import func, insert, select

from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction


def put(connection: Transaction, project: int, name: str, part: int, value: Any) -> None:
    """Store one part: bytes, a dense array, or sparse rows."""
    row = {"project": project, "name": name, "part": part, "data": _packed(value)}
    connection.execute(insert(schema.arrays).values(row))


def _packed(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    buffer = io.BytesIO()
    if hasattr(value, "tocsr"):
        sparse.save_npz(buffer, value.tocsr(), compressed=False)
    else:
        np.save(buffer, value, allow_pickle=False)
    return buffer.getvalue()


def append(connection: Transaction, project: int, name: str, value: Any) -> None:
    """Store a value behind the parts that the array has."""
    table = schema.arrays
    count = select(func.count()).where(table.c.project == project, table.c.name == name)
    put(connection, project, name, int(connection.execute(count).scalar_one()), value)


def get_bytes(store: Store, project: int, name: str, part: int = 0) -> bytes | None:
    """Return the bytes of one part, or None if there is no such part."""
    table = schema.arrays
    query = select(table.c.data).where(
        table.c.project == project, table.c.name == name, table.c.part == part
    )
    with store.reading() as connection:
        return connection.execute(query).scalar_one_or_none()


def get_dense(store: Store, project: int, name: str) -> NDArray[Any] | None:
    """Return all rows of a dense array, or None; only one part is held beside the result."""
    whole: NDArray[Any] | None = None
    filled = 0
    rows = _n_rows(store, project, name)
    for data in _parts(store, project, name):
        part = np.load(io.BytesIO(data), allow_pickle=False)
        if whole is None:
            whole = np.empty((rows, *part.shape[1:]), dtype=part.dtype)
        whole[filled : filled + len(part)] = part
        filled += len(part)
    return whole


def get_rows(store: Store, project: int, name: str) -> Any:
    """Return all rows of a dense or sparse array, or None if there is no such array."""
    return stack_rows([_unpacked(data) for data in _parts(store, project, name)])


def stack_rows(parts: list[Any]) -> Any:
    """Join parts, all dense or all sparse, into one array; None if there is no part."""
    if not parts:
        return None
    return sparse.vstack(parts, "csr") if sparse.issparse(parts[0]) else np.concatenate(parts)


def _unpacked(data: bytes) -> Any:
    if data.startswith(b"\x93NUMPY"):
        return np.load(io.BytesIO(data), allow_pickle=False)
    return sparse.load_npz(io.BytesIO(data))


def _n_rows(store: Store, project: int, name: str) -> int:
    """Count rows by the headers, the first bytes of each part."""
    table = schema.arrays
    query = select(func.substr(table.c.data, 1, 256))
    query = query.where(table.c.project == project, table.c.name == name)
    with store.reading() as connection:
        return sum(_header_rows(head) for head in connection.execute(query).scalars())


def _header_rows(head: bytes) -> int:
    file = io.BytesIO(head)
    version = np.lib.format.read_magic(file)
    read = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    return int(read(file)[0][0])


def _parts(store: Store, project: int, name: str) -> Iterator[bytes]:
    part = 0
    while (data := get_bytes(store, project, name, part)) is not None:
        yield data
        part += 1
