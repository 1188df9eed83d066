"""Named arrays in the database, divided into numbered parts: dense rows, sparse rows, or bytes.

Nothing here is pickled, so that a project from somebody else runs no code when it is opened.
Compiled loops trust the shapes of arrays and the indices of sparse rows, so both are checked.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sqlalchemy import func, insert, select

from satc.errors import DataError
from satc.files.numpy_arrays import array_errors, load_array
from satc.workbench.store import schema
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.digests.faults import WAY_ON, DamagedError
from satc.workbench.store.digests.sealing import array_digest

Shape = tuple[int | None, ...]  # None: any number

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


def get_dense(
    store: Store, project: int, name: str, shape: Shape | None = None
) -> NDArray[Any] | None:
    """Return all rows of a dense array, or None; only one part is held beside the result.

    Raises
    ------
    DamagedError
        If it cannot be read, or does not have the `shape`, where None is any number.
    """
    whole: NDArray[Any] | None = None
    filled, lengths = 0, _lengths(store, project, name)
    for number in range(len(lengths)):
        data = get_bytes(store, project, name, number)
        with refusing_damage(store, name):
            part = _unpacked(name, data)
            if whole is None:
                whole = np.empty((sum(lengths), *part.shape[1:]), dtype=part.dtype)
            check_shape(name, part, (None, *whole.shape[1:]))
            whole[filled : filled + len(part)] = part
            filled += len(part)
    if whole is not None and shape is not None:
        with refusing_damage(store, name):
            check_shape(name, whole, shape)
    return whole


def get_rows(store: Store, project: int, name: str) -> Any:
    """Return all rows of a dense or sparse array, or None if there is no such array.

    Raises
    ------
    DamagedError
        If it cannot be read, or an index of a sparse array is out of range.
    """
    found = []
    for data in _parts(store, project, name):
        with refusing_damage(store, name):
            found.append(_unpacked(name, data))
            check_shape(name, found[-1], (None, found[0].shape[-1]))
    with refusing_damage(store, name):
        return stack_rows(found)


def stack_rows(parts: list[Any]) -> Any:
    """Join parts, all dense or all sparse, into one array; None if there is no part."""
    if not parts:
        return None
    return sparse.vstack(parts, "csr") if sparse.issparse(parts[0]) else np.concatenate(parts)


@contextmanager
def refusing_damage(store: Store, name: str) -> Iterator[None]:
    """Raise a `DamagedError` that names the array in the place of an error about its content."""
    try:
        with array_errors(f"array {name}"):
            yield
    except DataError as error:
        said = f"{store.location} is damaged: {error}; {WAY_ON}"
        raise DamagedError(said, str(error)) from error


def check_shape(name: str, array: Any, shape: Shape) -> None:
    """Refuse an array of another shape; None is any number."""
    agrees = (wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=False))
    if len(array.shape) != len(shape) or not all(agrees):
        wanted = ", ".join("any" if one is None else str(one) for one in shape)
        raise DataError(f"array {name} must have the shape ({wanted}), but has {array.shape}")


def _unpacked(name: str, data: bytes | None) -> Any:
    """Return a part of an array: numbers, dense or in sparse rows."""
    if data is None:
        raise DataError(f"array {name} has a part that follows a part that is missing")
    found = load_array(io.BytesIO(data), f"array {name}")
    is_array = isinstance(found, np.ndarray) or getattr(found, "format", "") == "csr"
    if not is_array or found.ndim == 0 or found.dtype.kind not in "fiub":
        raise DataError(f"array {name} must hold rows of numbers, but does not")
    return found


def _lengths(store: Store, project: int, name: str) -> list[int]:
    """Count the rows of each part by its header, the first bytes; parts are in any order."""
    table = schema.arrays
    query = select(func.substr(table.c.data, 1, 256))
    query = query.where(table.c.project == project, table.c.name == name)
    with store.reading() as connection:
        heads = connection.execute(query).scalars().all()
    with refusing_damage(store, name):
        return [_header_rows(head) for head in heads]


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
