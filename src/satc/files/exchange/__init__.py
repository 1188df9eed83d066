"""Exchange with other programs: documents with their labels go out, decisions come back.

`FORMATS` is the list of what is known. Records go out as an iterator and are written complete or
not at all; what comes back is an iterator of `Finished`, and its errors say where it stood.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from satc.files.exchange.doccano import read_doccano, write_doccano
from satc.files.exchange.hugging_face import (
    iter_dataset_documents,
    read_dataset,
    write_dataset,
)
from satc.files.exchange.label_studio import label_config, read_annotations, write_tasks
from satc.files.exchange.record import Finished, Record
from satc.files.exchange.table import (
    read_finished,
    write_csv,
    write_jsonl,
    write_parquet,
    write_tsv,
)

__all__ = [
    "FORMATS",
    "Finished",
    "Format",
    "Record",
    "format_of",
    "iter_dataset_documents",
    "label_config",
    "read",
    "write",
]

PathLike = str | os.PathLike[str]
Classes = Sequence[str] | None
Write = Callable[[Iterable[Record], Path, Classes], int]


class Format(NamedTuple):
    """How a format is written and read; its file ending, and whether that alone tells it."""

    write: Write
    read: Callable[[Path], Iterator[Finished]]
    suffix: str
    media_type: str
    inferred: bool = True


def _plain(write: Callable[[Iterable[Record], Path], int]) -> Write:
    return lambda records, path, classes: write(records, path)


FORMATS: Mapping[str, Format] = {
    "csv": Format(_plain(write_csv), read_finished, ".csv", "text/csv"),
    "tsv": Format(_plain(write_tsv), read_finished, ".tsv", "text/tab-separated-values"),
    "jsonl": Format(_plain(write_jsonl), read_finished, ".jsonl", "application/x-ndjson"),
    "parquet": Format(
        _plain(write_parquet), read_finished, ".parquet", "application/vnd.apache.parquet"
    ),
    "label-studio": Format(_plain(write_tasks), read_annotations, ".json", "application/json"),
    "doccano": Format(
        _plain(write_doccano), read_doccano, ".jsonl", "application/x-ndjson", inferred=False
    ),
    "hugging-face": Format(write_dataset, read_dataset, "", "inode/directory", inferred=False),
}


def write(
    records: Iterable[Record],
    path: PathLike,
    format: str | None = None,  # noqa: A002 (the word that users know)
    *,
    classes: Classes = None,
) -> int:
    """Write records in a format; return how many there were.

    Parameters
    ----------
    records
        The documents; they pass once and are never held all at a time.
    path
        Where to; an earlier file stays as it was if anything fails.
    format
        A name of `FORMATS`; without it, the file ending tells.
    classes
        All names that labels may have; a Hugging Face dataset numbers its labels by them.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "labels.csv"
    >>> write([Record("1", "Wheat rose.", labels=("wheat",), source="human")], target)
    1
    >>> [(done.id, done.labels) for done in read(target)]
    [('1', ('wheat',))]
    """
    path = Path(path)
    chosen = format_of(path, format)
    if not path.name.lower().endswith(chosen.suffix):
        raise ValueError(f"path must end with {chosen.suffix!r}, but is {str(path)!r}")
    return chosen.write(records, path, classes)


def read(
    path: PathLike,
    format: str | None = None,  # noqa: A002 (the word that users know)
) -> Iterator[Finished]:
    """Yield the decisions of a file; see `write` for the arguments."""
    path = Path(path)
    return format_of(path, format).read(path)


def format_of(path: PathLike, name: str | None = None) -> Format:
    """Return a format by its name, or by the ending of a file.

    >>> format_of("export.parquet").media_type
    'application/vnd.apache.parquet'
    """
    names = ", ".join(map(repr, FORMATS))
    if name is not None:
        if name not in FORMATS:
            raise ValueError(f"format must be one of {names}, but is {name!r}")
        return FORMATS[name]
    file = Path(path).name.lower().removesuffix(".gz")
    for known in FORMATS.values():
        if known.inferred and file.endswith(known.suffix):
            return known
    raise ValueError(f"format must be given for {str(path)!r}: one of {names}")
