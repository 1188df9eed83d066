"""OHSUMED in its original format: training 1987 to 1990, test 1991 (Section 6.4).

Only records that have both an abstract and MeSH terms are used. Labels are the main headings of the
Heart Diseases subtree; the text is title and abstract. A record begins with a line ``.I n``. Its
fields follow: first the tag on a line of its own (``.U`` MEDLINE identifier, ``.M`` MeSH terms,
``.T`` title, ``.W`` abstract, ...), then the value.

The original distribution has one file for each year, ohsumed.87 to ohsumed.91. TREC-9 joined the
last four into ohsumed.88-91; there the first two digits of the MEDLINE identifier are the year.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from satc.datasets.dataset import Document, Split
from satc.datasets.mesh import HEART_DISEASES, subtree
from satc.errors import DataError
from satc.files.archives import members, open_unpacked

TEST_YEAR = "91"
YEARS = ("87", "88", "89", "90", "91")

_FILE = re.compile(r"ohsumed\.(\d\d)(-\d\d)?")
_TAG = re.compile(r"\.[A-Z]\s*")

Record = dict[str, str]


def read(paths: tuple[Path, ...]) -> Split:
    """Read an archive that holds the files, or the five files themselves."""
    train: list[Document] = []
    test: list[Document] = []
    records = 0
    years = set()
    for path, name, file in _files(paths):
        for record in _records(file, f"{path}: {name}"):
            records += 1
            year = _year(name, record, path)
            years.add(year)
            if record.get("W") and record.get("M"):
                (test if year == TEST_YEAR else train).append(_document(record))
    if missing := sorted(set(YEARS) - years):
        raise DataError(f"{paths[0]} must hold the years 87 to 91, but lacks {', '.join(missing)}")
    return Split(train, test, records)


def _files(paths: tuple[Path, ...]) -> Iterator[tuple[Path, str, IO[bytes]]]:
    if len(paths) == 1:
        for name, file in members(paths[0], lambda name: _FILE.fullmatch(_base(name)) is not None):
            yield paths[0], _base(name), file
    else:
        for path in paths:
            with open_unpacked(path) as file:
                yield path, path.name.removesuffix(".gz"), file


def _base(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _records(file: IO[bytes], where: str) -> Iterator[Record]:
    record: Record | None = None
    tag = ""
    for number, line in enumerate(_lines(file), start=1):
        if line.startswith(".I "):
            if record is not None:
                yield record
            record, tag = {"I": line[3:].strip()}, ""
        elif record is None:
            raise DataError(f"{where}, line {number} must begin a record with '.I', but does not")
        elif _TAG.fullmatch(line):
            tag = line[1]
        elif tag:
            record[tag] = f"{record[tag]} {line.strip()}" if tag in record else line.strip()
    if record is not None:
        yield record


def _lines(file: Iterable[bytes]) -> Iterator[str]:
    return (line.decode("latin-1") for line in file if not line.isspace())


def _year(name: str, record: Record, path: Path) -> str:
    match = _FILE.fullmatch(name)
    if match is not None and match[2] is None:
        return match[1]
    year = record.get("U", "")[:2]
    if year not in YEARS:
        raise DataError(
            f"{path}: record {record['I']} must have a MEDLINE identifier (.U) that begins with "
            f"its year, 87 to 91, but has {record.get('U')!r}"
        )
    return year


def _document(record: Record) -> Document:
    return Document(
        id=record.get("U") or record["I"],
        text="\n".join(filter(None, [record.get("T"), record["W"]])),
        labels=tuple(sorted(main_headings(record["M"]) & subtree(HEART_DISEASES))),
    )


def main_headings(terms: str) -> set[str]:
    """Return the main headings of a field of MeSH terms, without qualifiers and stars.

    >>> sorted(main_headings("Angina Pectoris/*DT; *Heart Arrest; Human; Support, U.S. Gov't."))
    ['Angina Pectoris', 'Heart Arrest', 'Human', "Support, U.S. Gov't"]
    """
    headings = (term.partition("/")[0] for term in terms.strip().removesuffix(".").split(";"))
    return {heading.replace("*", "").strip() for heading in headings} - {""}
