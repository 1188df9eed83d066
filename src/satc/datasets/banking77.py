"""Banking77: questions of a bank's customers, each with exactly one of 77 intents.

There is a CSV file of training documents and one of test documents, with the columns ``text`` and
``category``. They have no ids, so a document is named by its part and its number.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from satc.datasets.dataset import Document, Split
from satc.errors import DataError
from satc.files import fields
from satc.files.formats.reader import read_rows


def read(paths: tuple[Path, ...]) -> Split:
    """Read both files."""
    if len(paths) != 2:
        raise DataError(
            f"{paths[0]} must come with the other file of Banking77: the collection is two files, "
            "banking77-train.csv.gz and banking77-test.csv.gz"
        )
    train, test = (
        list(_documents(path, part)) for path, part in zip(paths, ("train", "test"), strict=True)
    )
    return Split(train, test, len(train) + len(test))


def _documents(path: Path, part: str) -> Iterator[Document]:
    for number, (where, values) in enumerate(read_rows(path), start=1):
        text, category = (fields.required(values, name, where) for name in ("text", "category"))
        if not category.strip():
            raise DataError(f"{where}: 'category' must name the intent, but is empty")
        yield Document(f"{part}-{number}", text, (category.strip(),))
