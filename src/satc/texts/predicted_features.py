"""Features of documents with predictions: from files, or the words of their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from satc.errors import DataError
from satc.files.faults import Faults
from satc.files.predictions import PredictionSet
from satc.files.predictions.features import FeatureTable, read_both_features, read_features
from satc.texts.unlabelled import iter_unlabelled

if TYPE_CHECKING:
    from satc.texts.predictions_source import PredictionsSource

Features = tuple[Any, Any]


def features_of(source: PredictionsSource, found: PredictionSet) -> Features:
    """Return the features of all rows of the predictions, and of the known documents.

    Both are None if nothing is known about similar documents. Words are used if no features are
    given; where true labels are known, only if these documents have texts, too.
    """
    if source.features is not None:
        return _from_files(source, found, source.features)
    if source.train_features is not None:
        raise DataError(f"{source.train_features} needs --features, those of the documents")
    return _from_texts(source, found)


def _from_files(source: PredictionsSource, found: PredictionSet, path: Path) -> Features:
    id_column, n_rows = source.columns.id_column, len(found.table.scores)
    if found.training is None:
        return read_features(path, id_column).of(found.table.ids, n_rows), None
    n = found.training.n_documents
    ids = None if found.known is None else found.known.ids
    if source.train_features is not None:
        table, train_table = read_both_features(path, source.train_features, id_column)
        own, known = table.of(found.table.ids, n_rows), train_table.of(ids, n)
    else:
        table = read_features(path, id_column)
        own = table.of(found.table.ids, n_rows)
        known = _known_rows(table, own, found, ids)
    if known.shape[1] != own.shape[1]:
        raise DataError(
            f"{source.train_features} must have the {own.shape[1]} features of {path}, but has "
            f"{known.shape[1]}"
        )
    return own, known


def _known_rows(
    table: FeatureTable, own: Any, found: PredictionSet, ids: Sequence[str] | None
) -> Any:
    """Return the features of the known documents from the file of all documents."""
    if table.has(ids):
        return table.of(ids, 0)
    rows = [] if found.known is None else found.known.rows
    if rows and None not in rows:
        return own[[row for row in rows if row is not None]]
    raise DataError(
        f"{table.path} has no features of the documents with true labels: --train-features has them"
    )


def _from_texts(source: PredictionsSource, found: PredictionSet) -> Features:
    nothing: Features = (None, None)
    if found.training is not None and found.known is None:  # matrices have no texts
        return nothing
    rows, texts = _texts(source, found)
    if rows is None:
        return nothing
    known = found.known
    place = {row: k for k, row in enumerate(rows)}
    looked_up = [] if known is None else [place.get(row) for row in known.rows if row is not None]
    by_row = known is not None and len(looked_up) == len(known.rows) and None not in looked_up
    more: Iterable[str] = ()
    if known is not None and not by_row:
        if known.texts is None:
            return nothing
        more = known.texts
    words = _words(chain(texts, more))
    if words is None:
        return nothing
    own = _at_rows(words[: len(rows)], rows, len(found.table.scores))
    if known is None:
        return own, None
    return own, words[looked_up] if by_row else words[len(rows) :]


def _texts(
    source: PredictionsSource, found: PredictionSet
) -> tuple[Sequence[int] | None, Iterable[str]]:
    """Return the texts of documents, and which rows of the predictions these are of."""
    table = found.table
    if table.texts is not None:
        return range(len(table.texts)), table.texts
    if source.documents is None:
        return None, ()
    place = {identity: row for row, identity in enumerate(table.ids or ())}
    rows: list[int] = []
    n = 0
    for ids, _ in _documents(source):
        given = range(n, n + len(ids)) if table.ids is None else [place.get(one, -1) for one in ids]
        rows += given
        n += len(ids)
    return rows, (text for _, texts in _documents(source) for text in texts)


def _documents(source: PredictionsSource) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Read ids and texts of the documents in blocks; rows that cannot be used are left out."""
    path = source.documents or Path()
    faults = Faults(path)
    for documents in iter_unlabelled(path, source.of_documents, faults):
        yield documents.ids, documents.texts
    faults.check()


def _words(texts: Iterable[str]) -> Any:
    """Return tf-idf features; None if the texts have no words."""
    from satc.learners.text import LogTfidfTransformer
    from satc.learners.text.analysis import WORDS, TextAnalysis
    from satc.learners.text.counting import TermCounter
    from satc.learners.text.guessing import guess_languages

    texts = list(texts)
    try:
        counts = TermCounter(TextAnalysis(WORDS, guess_languages(texts))).fit_transform(texts)
    except ValueError:  # there is no term
        return None
    return LogTfidfTransformer().fit_transform(counts)


def _at_rows(words: Any, rows: Sequence[int], n_rows: int) -> Any:
    """Return the features in the order of the predictions; zeros where there is no text."""
    source = np.full(n_rows, words.shape[0])
    kept = [(row, k) for k, row in enumerate(rows) if 0 <= row < n_rows]
    for row, k in kept:
        source[row] = k
    zeros = sparse.csr_matrix((1, words.shape[1]))
    return sparse.vstack([words, zeros], format="csr")[source]
