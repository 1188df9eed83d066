"""BRIGHTER: posts with any number of six emotions, in several languages (SemEval-2025, task 11).

Each language has a CSV file of training documents and one of test documents, with the columns
``id`` and ``text``, and a column of 0 and 1 for each emotion.
"""

from __future__ import annotations

from pathlib import Path

from satc.datasets.dataset import Document, Split
from satc.errors import DataError
from satc.files.documents import read_documents

EMOTIONS = ("anger", "disgust", "fear", "joy", "sadness", "surprise")


def read(paths: tuple[Path, ...]) -> Split:
    """Read both files of a language."""
    if len(paths) != 2:
        raise DataError(
            f"{paths[0]} must come with the other file of its language: each language of BRIGHTER "
            "is two files, such as deu-train.csv.gz and deu-test.csv.gz"
        )
    train, test = map(_documents, paths)
    return Split(train, test, len(train) + len(test))


def _documents(path: Path) -> list[Document]:
    found = read_documents(path, label_columns=EMOTIONS)
    rows = zip(found.ids, found.texts, found.labels or (), strict=True)
    return [Document(*row) for row in rows]
