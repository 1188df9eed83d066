"""Named arrays in the database, divided into numbered parts: dense rows, sparse rows, or bytes.

Nothing here is pickled, so that a project from somebody else runs no code when it is opened.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sqlalchemy import func, insert, select

from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.digests.sealing import array_digest

_PART_BYTES = 1 << 20  # of rows in one part, about


class Part(NamedTuple):
    """A part of an array: its name, its number, and its bytes."""

    name: str
    number: int
    data: bytes

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return len(self.data)


def put_parts(connection: Transaction, project: int, parts: Iterable[Part]) -> None:
    """Store parts of arrays."""
    for part in parts:
        put(connection, project, *part)


def parts_of(name: str, rows: Any) -> Iterator[Part]:
    """Divide the rows of an array, dense or sparse, into parts of bounded size."""
    rows = rows.tocsr() if hasattr(rows, "tocsr") else rows
    for number, some in enumerate(row_slices(rows)):
        yield Part(name, number, packed(rows[some]))


def row_slices(rows: Any) -> Iterator[slice]:
    """Divide rows into parts of about 1 MB, but at least one row."""
    n_rows = rows.shape[0]
    n_bytes = rows.data.nbytes + rows.indices.nbytes if hasattr(rows, "tocsr") else rows.nbytes
    size = max(1, _PART_BYTES * n_rows // max(1, n_bytes))
    for start in range(0, n_rows, size):
        yield slice(start, start + size)


def put(connection: Transaction, project: int, name: str, part: int, value: Any) -> None:
    """Store one part: bytes, a dense array, or sparse rows."""
    data = packed(value)
    digest = array_digest(name, part, data)
    row = {"project": project, "name": name, "part": part, "data": data, "digest": digest}
    connection.execute(insert(schema.arrays).values(row))


def packed(value: Any) -> bytes:
    """Return a dense array or sparse rows as bytes; bytes stay as they are."""
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
