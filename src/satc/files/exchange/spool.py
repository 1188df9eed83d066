"""Rows in a temporary file, for formats that need all columns before the first row is written.

The rows come from an iterator that is read once. They are saved in batches, each with the columns
and types that it has. The types of all batches are then unified, so that one schema holds for all
rows. Texts stay texts and numbers stay numbers; a column of values of different types, or of
mappings, becomes text. The temporary file has no name and disappears when it is closed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from satc.files.exchange.columns import SEVERAL, Layout
from satc.files.values import as_text

BATCH_ROWS = 10_000
BATCH_CHARACTERS = 1 << 26  # of the documents' texts

COLUMN_TYPES = {
    "id": pa.string(),
    "text": pa.string(),
    "satc_source": pa.string(),
    "satc_rank": pa.int64(),
    "satc_validated_by": pa.string(),
    "satc_validated_at": pa.string(),
    "satc_flagged": pa.bool_(),
    "satc_note": pa.string(),
}


@dataclass(frozen=True)
class Spool:
    """Saved rows: their schema, their number, and the file that holds them."""

    schema: Any
    count: int
    file: IO[bytes]

    def batches(self) -> Iterator[Any]:
        """Yield the rows as record batches of the schema."""
        self.file.seek(0)
        left = self.count
        while left:
            with pa.ipc.open_stream(self.file) as stream:
                batch = stream.read_next_batch()
                for _ in stream:  # read up to the end mark, where the next stream begins
                    pass
            left -= batch.num_rows
            yield _cast(batch, self.schema)


@contextmanager
def spool_rows(
    rows: Iterable[Mapping[str, Any]], directory: Path, layout: Layout = SEVERAL
) -> Iterator[Spool]:
    """Save rows, as `columns.row_of` returns them, in a temporary file of the directory."""
    with tempfile.TemporaryFile(dir=directory) as file:
        fixed = _fixed_types(layout)
        types: dict[str, Any] = {name: fixed[name] for name in fixed if name != layout.classifier}
        count = 0
        for batch in _batches(rows):
            arrays = _arrays(batch, fixed)
            for name, array in arrays.items():
                types[name] = unified_type(types.get(name, pa.null()), array.type)
            _save(file, arrays)
            count += len(batch)
        yield Spool(_schema(types, layout), count, file)


def _batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    batch: list[Mapping[str, Any]] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += len(row["text"])
        if len(batch) == BATCH_ROWS or characters > BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _fixed_types(layout: Layout) -> dict[str, Any]:
    """Return the types of the columns that have the same type in every export."""
    labels = pa.string() if layout.is_single else pa.list_(pa.string())
    shaped = layout.final if layout.shape is not None else ()
    cells = pa.int64() if layout.shape is not None and layout.shape.has_numbers else pa.string()
    return COLUMN_TYPES | dict.fromkeys(layout.label_columns, labels) | dict.fromkeys(shaped, cells)


def _arrays(batch: list[Mapping[str, Any]], fixed: Mapping[str, Any]) -> dict[str, Any]:
    names = dict.fromkeys(name for row in batch for name in row)
    return {name: _array([row.get(name) for row in batch], fixed.get(name)) for name in names}


def _array(values: list[Any], fixed: Any) -> Any:
    if fixed is not None:
        return pa.array(values, fixed)
    try:
        array = pa.array(values)
    except (pa.ArrowException, OverflowError):
        return _as_texts(values)
    return array if _is_plain(array.type) else _as_texts(values)


def _as_texts(values: Iterable[Any]) -> Any:
    return pa.array(map(as_text, values), pa.string())


def _is_plain(kind: Any) -> bool:
    if pa.types.is_list(kind):
        return _is_plain(kind.value_type)
    return bool(pa.types.is_primitive(kind) or kind in (pa.null(), pa.string(), pa.binary()))


def unified_type(first: Any, second: Any) -> Any:
    """Return the type that holds the values of both types; text if no other does.

    >>> unified_type(pa.int64(), pa.float64()), unified_type(pa.null(), pa.bool_())
    (DataType(double), DataType(bool))
    >>> unified_type(pa.int64(), pa.bool_())
    DataType(string)
    """
    if first == second or pa.types.is_null(second):
        return first
    if pa.types.is_null(first):
        return second
    if {first, second} == {pa.int64(), pa.float64()}:
        return pa.float64()
    if pa.types.is_list(first) and pa.types.is_list(second):
        inner = unified_type(first.value_type, second.value_type)
        # Else the items of one list would be written as JSON and those of the other as texts.
        return pa.list_(inner) if inner != pa.string() or _has_text(first, second) else pa.string()
    return pa.string()


def _has_text(*lists: Any) -> bool:
    return all(kind.value_type in (pa.null(), pa.string()) for kind in lists)


def _save(file: IO[bytes], arrays: dict[str, Any]) -> None:
    batch = pa.record_batch(list(arrays.values()), names=list(arrays))
    with pa.ipc.new_stream(file, batch.schema) as stream:
        stream.write_batch(batch)


def _schema(types: dict[str, Any], layout: Layout) -> Any:
    own = [name for name in (*layout.satc_columns, layout.classifier) if name in types]
    names = [name for name in types if name not in own]
    return pa.schema([(name, _final_type(types[name])) for name in (*names, *own)])


def _final_type(kind: Any) -> Any:
    """Replace the type of columns that hold only nulls by text: every reader knows it."""
    if pa.types.is_list(kind):
        return pa.list_(_final_type(kind.value_type))
    return pa.string() if pa.types.is_null(kind) else kind


def _cast(batch: Any, schema: Any) -> Any:
    arrays = [_column(batch, field) for field in schema]
    return pa.record_batch(arrays, schema=schema)


def _column(batch: Any, field: Any) -> Any:
    if field.name not in batch.schema.names:
        return pa.nulls(batch.num_rows, field.type)
    array = batch.column(field.name)
    if array.type == field.type:
        return array
    if field.type == pa.string():
        return _as_texts(array.to_pylist())
    return array.cast(field.type, safe=False)  # integers beyond 2^53 lose digits
