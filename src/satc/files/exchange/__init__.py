"""Exchange with other programs: documents with their labels are exported, decisions imported.

`FORMATS` lists the formats; installed packages can offer more (`satc.plugins`). Documents are
written from an iterator, and a file is written complete or not at all; decisions are read as an
iterator, and errors name the position in the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from satc.files.exchange.columns import LAYOUTS, Layout
from satc.files.exchange.doccano import read_doccano, write_doccano
from satc.files.exchange.exported_document import ExportedDocument
from satc.files.exchange.format import Classes, Format, Write
from satc.files.exchange.hugging_face import (
    iter_dataset_documents,
    read_dataset,
    write_dataset,
)
from satc.files.exchange.imported_decision import ImportedDecision
from satc.files.exchange.label_studio import (
    LabelConfig,
    label_config,
    read_annotations,
    read_label_config,
    write_tasks,
)
from satc.files.exchange.plugins import plugin_table
from satc.files.exchange.tables import (
    read_decisions,
    write_csv_table,
    write_excel_csv_table,
    write_json_table,
    write_parquet_table,
    write_tsv_table,
    write_xlsx_table,
)
from satc.files.formats.xlsx.positions import split_sheet
from satc.files.labels.column_names import Wanted
from satc.files.labels.shapes import AnswerColumns, ClassColumns, Shape, check_columns
from satc.inputs import MULTI_LABEL, choice

__all__ = [
    "FORMATS",
    "AnswerColumns",
    "ClassColumns",
    "ExportedDocument",
    "Format",
    "ImportedDecision",
    "LabelConfig",
    "format_names",
    "format_of",
    "iter_dataset_documents",
    "label_config",
    "read",
    "read_label_config",
    "write",
]

PathLike = str | os.PathLike[str]


def _without_classes(write: Callable[[Iterable[ExportedDocument], Path, Layout], int]) -> Write:
    return lambda records, path, classes, layout: write(records, path, layout)


FORMATS: Mapping[str, Format] = {
    "csv": Format(_without_classes(write_csv_table), read_decisions, ".csv", "text/csv"),
    "tsv": Format(
        _without_classes(write_tsv_table), read_decisions, ".tsv", "text/tab-separated-values"
    ),
    "csv-excel": Format(
        _without_classes(write_excel_csv_table), read_decisions, ".csv", "text/csv", inferred=False
    ),
    "xlsx": Format(
        _without_classes(write_xlsx_table),
        read_decisions,
        ".xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    "jsonl": Format(
        _without_classes(write_json_table), read_decisions, ".jsonl", "application/x-ndjson"
    ),
    "parquet": Format(
        _without_classes(write_parquet_table),
        read_decisions,
        ".parquet",
        "application/vnd.apache.parquet",
    ),
    "label-studio": Format(
        _without_classes(write_tasks), read_annotations, ".json", "application/json"
    ),
    "doccano": Format(
        _without_classes(write_doccano),
        read_doccano,
        ".jsonl",
        "application/x-ndjson",
        inferred=False,
    ),
    "hugging-face": Format(write_dataset, read_dataset, "", "inode/directory", inferred=False),
}
PLUGINS = plugin_table(lambda: FORMATS)


def format_names() -> tuple[str, ...]:
    """Return the names of all formats, with those of installed packages."""
    return (*FORMATS, *PLUGINS.names())


def write(
    records: Iterable[ExportedDocument],
    path: PathLike,
    format: str | None = None,  # noqa: A002 (the word that users know)
    *,
    classes: Classes = None,
    task: str = MULTI_LABEL,
    shape: Shape | None = None,
) -> int:
    """Write documents in a format; return their number.

    Parameters
    ----------
    records
        The documents; the iterator is read once, and never all of it is in memory.
    path
        The file to write; if anything fails, an earlier file is left unchanged.
    format
        A name of `FORMATS`, or of a format that an installed package offers; without it, the file
        ending names the format.
    classes
        All names that labels may have; a Hugging Face dataset numbers its labels by them.
    task
        In a ``"single-label"`` task, every document must have exactly one label: columns of labels
        hold one label in the place of a list, and are called ``satc_label``,
        ``satc_predicted_label`` and ``satc_classifier_label``.
    shape
        Only for tables: the final labels in several columns in the place of ``satc_labels``. With
        `ClassColumns`, each class has a column of 0 and 1; with `AnswerColumns`, each column holds
        one label.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "labels.csv"
    >>> write([ExportedDocument("1", "Wheat.", labels=("wheat",), source="human")], target)
    1
    >>> [(decision.id, decision.labels) for decision in read(target)]
    [('1', ('wheat',))]
    """
    path = Path(path)
    chosen = format_of(path, format)
    if not path.name.lower().endswith(chosen.suffix):
        raise ValueError(f"path must end with {chosen.suffix!r}, but is {str(path)!r}")
    layout = choice(task, LAYOUTS, "task")
    if shape is not None:
        check_table(chosen)
        check_columns(shape, layout.reserved)
    return chosen.write(records, path, classes, layout._replace(shape=shape))


def read(
    path: PathLike,
    format: str | None = None,  # noqa: A002 (the word that users know)
    *,
    labels_column: str | None = None,
    label_columns: Wanted | None = None,
) -> Iterator[ImportedDecision]:
    """Yield the decisions of a file.

    Parameters
    ----------
    path, format
        As for `write`.
    labels_column, label_columns
        Only for tables: where the labels are, as for `satc.files.read_documents`; without both, in
        the columns that `write` gives them without a shape.
    """
    path = Path(path)
    chosen = format_of(path, format)
    if labels_column is None and label_columns is None:
        return chosen.read(path)
    check_table(chosen)
    return read_decisions(path, labels_column, label_columns)


def check_table(chosen: Format) -> None:
    """Refuse a format that has no columns for labels."""
    tables = [name for name, one in FORMATS.items() if one.read is read_decisions]
    if chosen.read is not read_decisions:
        named = (repr(name) for name, one in FORMATS.items() if one is chosen)
        raise ValueError(
            f"format must be one of {', '.join(map(repr, tables))} for labels in several columns, "
            f"but is {next(named, 'that of a plugin')}"
        )


def format_of(path: PathLike, name: str | None = None) -> Format:
    """Return a format by its name, or by the ending of a path.

    >>> format_of("export.parquet").media_type
    'application/vnd.apache.parquet'
    """
    if name is not None:
        return PLUGINS.choice(name, FORMATS)
    file = split_sheet(Path(path))[0].name.lower().removesuffix(".gz")
    found = _by_ending(file, FORMATS) or _by_ending(file, PLUGINS.all())
    if found is not None:
        return found
    names = ", ".join(map(repr, format_names()))
    raise ValueError(f"format must be given for {str(path)!r}: one of {names}")


def _by_ending(file: str, formats: Mapping[str, Format]) -> Format | None:
    """Return the format that the name of a file tells; None if it tells none of them."""
    fitting = (one for one in formats.values() if one.inferred and file.endswith(one.suffix))
    return next(fitting, None)
