"""Records as CSV, TSV, JSON lines or Parquet, and decisions read back from such files.

All columns of the input come back, ours beside them (`columns.py`). Records are an iterator and
pass once: no more than a batch is held, so that ten million documents take no more memory than ten
thousand.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.atomic import placed
from satc.files.cells import escaped, restored
from satc.files.exchange import fields
from satc.files.exchange.cells import cell, split
from satc.files.exchange.columns import row
from satc.files.exchange.json_objects import write_lines
from satc.files.exchange.record import SOURCES, Finished, Record
from satc.files.exchange.spool import Spool, spooled
from satc.files.rows import Row, rows


def write_csv(records: Iterable[Record], path: Path, delimiter: str = ",") -> int:
    """Write CSV without formulas; return how many records there were."""
    with placed(path) as temporary, spooled(map(row, records), path.parent) as spool:
        header = _header(spool.schema.names)
        with temporary.open("x", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter)  # its \r\n makes it quote both
            writer.writerow(header)
            for cells in _cells(spool):
                writer.writerow(cells)
        return spool.count


def write_tsv(records: Iterable[Record], path: Path) -> int:
    """Write the same with tabs between the cells."""
    return write_csv(records, path, delimiter="\t")


def write_jsonl(records: Iterable[Record], path: Path) -> int:
    """Write an object per line; return how many records there were."""
    return write_lines(map(row, records), path)


def write_parquet(records: Iterable[Record], path: Path) -> int:
    """Write Parquet; a column of mixed values, or of mappings, becomes text."""
    import pyarrow.parquet as pq

    with placed(path) as temporary, spooled(map(row, records), path.parent) as spool:
        with pq.ParquetWriter(temporary, spool.schema) as writer:
            for batch in spool.batches():
                writer.write_batch(batch)
        return spool.count


def _header(names: list[str]) -> list[str]:
    stripped = [name.strip() for name in names]
    twice = {name for name in stripped if stripped.count(name) > 1}
    if twice:
        raise ValueError(
            "column names must differ without the spaces around them to be written as CSV or TSV, "
            f"but {sorted(twice)[0]!r} comes twice; JSON lines and Parquet take them"
        )
    return [escaped(name) for name in names]


def _cells(spool: Spool) -> Iterator[Iterator[str]]:
    names = spool.schema.names
    for batch in spool.batches():
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield map(cell, names, values)


def read_finished(path: Path) -> Iterator[Finished]:
    """Yield the decisions of a CSV, TSV, JSON lines or Parquet file with `id` and labels.

    The labels stand in `satc_labels`, or else in `labels`. Where the file says in `satc_source`
    whose labels they are, only those of people count.
    """
    is_text = path.name.lower().removesuffix(".gz").endswith((".csv", ".tsv"))
    for one in rows(path):
        decision = finished(_restored(one) if is_text else one)
        if decision is not None:
            yield decision


def _restored(one: Row) -> Row:
    values: dict[str, Any] = {name: restored(value) for name, value in one.values.items()}
    column = _labels_column(one)
    return Row(one.where, {**values, column: list(split(one.values[column]))})


def finished(one: Row) -> Finished | None:
    """Return the decision of a row, or None where the labels are the classifier's."""
    where, values = one
    column = _labels_column(one)
    source = values.get("satc_source", "human")
    if source not in SOURCES:
        raise DataError(
            f"{where}: 'satc_source' must be one of {', '.join(map(repr, SOURCES))}, "
            f"but is {source!r:.80}"
        )
    decision = Finished(
        fields.identity(fields.of(values, "id", where), "id", where),
        fields.names(values[column], column, where),
        fields.person(values.get("satc_validated_by"), "satc_validated_by", where),
        fields.moment(values.get("satc_validated_at"), "satc_validated_at", where),
        where,
    )
    return decision if source == "human" else None


def _labels_column(one: Row) -> str:
    for name in ("satc_labels", "labels"):
        if name in one.values:
            return name
    raise DataError(
        f"{one.where} must have 'satc_labels' or 'labels', "
        f"but has {', '.join(map(repr, one.values)) or 'nothing'}"
    )
