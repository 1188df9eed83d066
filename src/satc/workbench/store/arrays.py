"""Arrays in the database, in parts: dense rows, sparse rows, and whatever else is bytes.

Nothing here is pickled: opening somebody else's project runs no code of theirs.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sqlalchemy import Connection, func, insert, select

from satc.workbench.store import schema
from satc.workbench.store.connection import Store


def put(connection: Connection, project: int, name: str, part: int, value: Any) -> None:
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


def n_parts(connection: Connection, project: int, name: str) -> int:
    """Count the parts of an array."""
    table = schema.arrays
    query = select(func.count()).where(table.c.project == project, table.c.name == name)
    return int(connection.execute(query).scalar_one())


def get_bytes(store: Store, project: int, name: str, part: int = 0) -> bytes | None:
    """Return one part as it is; None where there is none."""
    table = schema.arrays
    query = select(table.c.data).where(
        table.c.project == project, table.c.name == name, table.c.part == part
    )
    with store.reading() as connection:
        return connection.execute(query).scalar_one_or_none()


def get_dense(store: Store, project: int, name: str) -> NDArray[Any] | None:
    """Return all rows of a dense array, each part copied to its place and let go."""
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
    """Return all rows of an array that may be sparse; None where there is none."""
    parts = [_unpacked(data) for data in _parts(store, project, name)]
    if not parts:
        return None
    return sparse.vstack(parts, "csr") if sparse.issparse(parts[0]) else np.concatenate(parts)


def _unpacked(data: bytes) -> Any:
    if data.startswith(b"\x93NUMPY"):
        return np.load(io.BytesIO(data), allow_pickle=False)
    return sparse.load_npz(io.BytesIO(data))


def _n_rows(store: Store, project: int, name: str) -> int:
    """Count rows from the headers: the first bytes of each part."""
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
