"""The 20,000-document OHSUMED set: abstracts of 1991, 23 classes of diseases (C01 to C23).

Two forms are read. JSON lines have ``id``, ``split``, ``title``, ``abstract`` and ``topics``. The
original archive has a file for each document and class, such as ``training/C01/0000018``; a
document with several classes has a file in the directory of each.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from satc.datasets.dataset import Document, Split
from satc.errors import DataError
from satc.files.archives import members, open_unpacked

_MEMBER = re.compile(r"(?:.*/)?(training|test)/(C\d\d)/(\d+)")
_FIELDS = ("id", "split", "title", "abstract", "topics")


def read(paths: tuple[Path, ...]) -> Split:
    """Read JSON lines or the original archive; the first byte tells them apart."""
    (path,) = paths
    with open_unpacked(path) as file:
        is_json = file.read(1) == b"{"
    parts = _read_lines(path) if is_json else _read_archive(path)
    train, test = parts["train"], parts["test"]
    return Split(train, test, len(train) + len(test))


def _read_lines(path: Path) -> dict[str, list[Document]]:
    parts: dict[str, list[Document]] = {"train": [], "test": []}
    with open_unpacked(path) as file:
        for number, line in enumerate(file, start=1):
            record = _record(line, f"{path}, line {number}")
            text = f"{record['title']}\n{record['abstract']}"
            document = Document(str(record["id"]), text, tuple(record["topics"]))
            parts[record["split"]].append(document)
    return parts


def _record(line: bytes, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} must be JSON, but is not: {error}") from error
    if not isinstance(record, dict) or not all(field in record for field in _FIELDS):
        raise DataError(f"{where} must be an object with {', '.join(_FIELDS)}, but is not")
    if record["split"] not in ("train", "test"):
        raise DataError(f"{where}: split must be 'train' or 'test', but is {record['split']!r}")
    topics = record["topics"]
    texts = [record["title"], record["abstract"], *(topics if isinstance(topics, list) else [None])]
    if not all(isinstance(text, str) for text in texts):
        raise DataError(f"{where}: title and abstract must be texts, and topics a list of texts")
    return record


def _read_archive(path: Path) -> dict[str, list[Document]]:
    texts: dict[tuple[str, str], str] = {}
    topics: dict[tuple[str, str], list[str]] = {}
    for name, file in members(path, lambda name: _MEMBER.fullmatch(name) is not None):
        match = _MEMBER.fullmatch(name)
        if match is not None:
            part, topic, number = match.groups()
            texts.setdefault((part, number), file.read().decode("latin-1").strip())
            topics.setdefault((part, number), []).append(topic)
    if not texts:
        raise DataError(
            f"{path} must hold files like training/C01/0000018, but holds none; "
            "is it another archive?"
        )
    documents = {
        key: Document(key[1], texts[key], tuple(sorted(topics[key]))) for key in sorted(texts)
    }
    return {
        part: [document for key, document in documents.items() if key[0] == directory]
        for part, directory in (("train", "training"), ("test", "test"))
    }
