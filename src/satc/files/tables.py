"""Write a table as CSV, TSV, XLSX, JSON, JSON lines or Parquet: complete, or not at all.

In CSV, TSV and XLSX, lists are joined by ``|``. In CSV and TSV, a text that a spreadsheet would run
as a formula gets a ``'`` in front; in XLSX, every text is written as a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from satc.files.atomic import output_file
from satc.files.documents import PathLike
from satc.files.formats.csv_tables import FOR_EXCEL, Dialect, write_csv
from satc.files.formats.json_lines import write_json_lines
from satc.files.formats.json_lists import write_json_list
from satc.files.formats.parquet import write_parquet
from satc.files.formats.xlsx.writer import write_xlsx
from satc.files.labels.cells import SEPARATOR
from satc.files.values import python_value, to_json

Columns = dict[str, list[Any]]


def write_table(
    path: PathLike, columns: Mapping[str, Sequence[Any]], *, excel: bool = False
) -> None:
    """Write columns of equal length; the file's ending names the format.

    With `excel`, a CSV file has what Excel expects where numbers have decimal commas: semicolons
    between cells, decimal commas, and a byte order mark.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "ranking.csv"
    >>> write_table(target, {"id": ["=1+1", "b"], "utility": [-0.5, 0.25]})
    >>> target.read_text().splitlines()
    ['id,utility', "'=1+1,-0.5", 'b,0.25']
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in _WRITERS:
        raise ValueError(f"path must end with one of {', '.join(_WRITERS)}, but is {str(path)!r}")
    plain = {name: [python_value(value) for value in values] for name, values in columns.items()}
    lengths = {name: len(values) for name, values in plain.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns must have the same length, but have {lengths}")
    check_for_excel(path, excel)
    with output_file(path) as temporary:
        if excel:
            _write_delimited(temporary, plain, FOR_EXCEL)
        else:
            _WRITERS[ending](temporary, plain)


def check_for_excel(path: Path, excel: bool) -> None:
    """Refuse to write another format than CSV for Excel."""
    if excel and path.suffix.lower() != ".csv":
        raise ValueError(f"excel needs a file that ends with .csv, but path is {str(path)!r}")


def _write_delimited(path: Path, columns: Columns, dialect: Dialect) -> None:
    write_csv(path, columns, _rows(columns), dialect)


def _rows(columns: Columns) -> Iterator[Iterator[Any]]:
    return (map(_cell, row) for row in zip(*columns.values(), strict=True))


def _cell(value: Any) -> Any:
    return SEPARATOR.join(map(str, value)) if isinstance(value, list) else value


def _json_rows(columns: Columns) -> Iterator[str]:
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        yield to_json(row, unknown=lambda value: value)  # json.dumps refuses it with its type


def _write_parquet(path: Path, columns: Columns) -> None:
    import pyarrow as pa

    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = pa.array(values)
        except (pa.ArrowException, OverflowError) as error:
            raise ValueError(f"column {name!r} must hold values of one kind: {error}") from error
    table = pa.table(arrays)
    write_parquet(path, table.schema, [table])


_WRITERS: dict[str, Callable[[Path, Columns], object]] = {
    ".csv": lambda path, columns: _write_delimited(path, columns, Dialect()),
    ".tsv": lambda path, columns: _write_delimited(path, columns, Dialect("\t")),
    ".xlsx": lambda path, columns: write_xlsx(path, list(columns), _rows(columns)),
    ".json": lambda path, columns: write_json_list(path, _json_rows(columns), comma_first=True),
    ".jsonl": lambda path, columns: write_json_lines(path, _json_rows(columns)),
    ".parquet": _write_parquet,
}
