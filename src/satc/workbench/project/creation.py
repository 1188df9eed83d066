"""Make a project: train, cross-validate, classify, rank, and store all, or nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from satc.errors import DataError
from satc.files import Documents
from satc.files.atomic import atomic_file
from satc.files.faults import Faults
from satc.files.values import jsonable
from satc.ranking.documents import RankedDocuments, apply_model
from satc.ranking.preparation import prepare
from satc.ranking.ranking import ranked
from satc.texts.source import PreparedSource, Progress, Source, training_arguments
from satc.texts.words import Lexicon
from satc.training import Training
from satc.workbench.model.settings import Settings, class_weights_of
from satc.workbench.project.best_part import larger_set_of
from satc.workbench.project.larger_set import LargerSet, ties_of
from satc.workbench.project.reading_time import reading_minutes
from satc.workbench.store import Store, Transaction, arrays, open_store
from satc.workbench.store.connection import StoreConflictError
from satc.workbench.store.larger_set import put_bound, put_tables
from satc.workbench.store.projects import (
    StoredDocument,
    add_documents,
    add_project,
    list_projects,
    set_ranks,
)

_NAME = re.compile(r"[\w][\w .-]{0,99}")


def create_file(
    path: Path,
    source: Source,
    settings: Settings,
    documents: Path,
    progress: Progress,
    weights: Mapping[str, float] | None = None,
) -> int:
    """Make a project in a file of its own; return how many documents it has.

    The file appears when it is complete; if anything fails, nothing is left behind.
    """
    check_name(path.stem)
    if path.exists():
        raise DataError(f"{path} must be a new file, but is there already")
    if not path.parent.is_dir():
        raise DataError(f"{path} must be in a folder that exists, but {path.parent} does not")
    for suffix in ("-wal", "-shm"):  # left by a file of that name that somebody removed
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    with atomic_file(path) as temporary:
        try:
            # It holds texts, password hashes and the key that signs sessions: for its owner only.
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL, 0o600))
            store = open_store(temporary, new=True)
            try:
                n = create(store, path.stem, source, settings, documents, progress, weights)
                _settle(store)
            finally:
                store.close()
        finally:
            for suffix in ("-wal", "-shm"):
                temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)
    return n


def _settle(store: Store) -> None:
    """Bring everything from the write-ahead log into the file itself."""
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def create(
    store: Store,
    name: str,
    source: Source,
    settings: Settings,
    documents: Path,
    progress: Progress,
    weights: Mapping[str, float] | None = None,
) -> int:
    """Make a project in a store, in one transaction; return how many documents it has.

    `weights` says how much classes matter, by name; 1 where it says nothing.
    """
    check_name(name)
    if name in [project.name for project in list_projects(store)]:
        raise DataError(f"{store.location} has a project {name!r} already; choose another name")
    prepared = source.prepare(progress)
    whole = larger_set_of(prepared)
    if weights is not None:
        settings = replace(settings, class_weights=class_weights_of(weights, prepared.classes))
    if whole is not None:
        settings = replace(settings, stored=whole.origin)
    try:
        with store.writing() as connection:
            key = add_project(connection, name, settings, prepared.classes)
            imported = _import(connection, key, prepared, settings, documents, progress)
            _store_training(connection, key, prepared.training)
            progress("ranking")
            _rank(connection, key, _documents(imported, prepared.training, settings, whole))
            if whole is not None:
                put_tables(connection, key, whole.model.class_tables)
                put_bound(connection, key, 0, whole.bound)
            return len(imported.scores)
    except StoreConflictError:
        raise DataError(f"{store.location} has got a project {name!r} meanwhile") from None


def check_name(name: str) -> None:
    """Refuse names that do not fit into an address.

    >>> check_name("../etc")
    Traceback (most recent call last):
    ...
    ValueError: a project's name must be letters, digits, spaces, dots or dashes, but is '../etc'
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"a project's name must be letters, digits, spaces, dots or dashes, but is {name!r}"
        )


class Imported(NamedTuple):
    """What is remembered of the documents: nothing of their texts."""

    ids: list[str]
    scores: Any
    features: Any
    minutes: Any  # what reading takes, or None


def _import(
    connection: Transaction,
    key: int,
    source: PreparedSource,
    settings: Settings,
    path: Path,
    progress: Progress,
) -> Imported:
    """Store the documents, block by block."""
    faults = Faults(path)
    lexicon = source.new_lexicon()
    ids: list[str] = []
    scores: list[Any] = []
    features: list[Any] = []
    minutes: list[Any] = []
    for part, block in enumerate(source.blocks(faults)):
        store_block(connection, key, len(ids), part, block.documents, block.scores)
        ids += block.documents.ids
        scores.append(block.scores)
        if block.features is not None:
            arrays.put(connection, key, "features", part, block.features)
            features.append(block.features)
        if settings.reading:
            minutes.append(reading_minutes(block.documents, settings.reading))
            arrays.put(connection, key, "minutes", part, minutes[-1])
        if lexicon is not None:
            lexicon.add(block.documents.texts)
        progress("importing documents", len(ids))
    faults.check()
    _store_words(connection, key, lexicon, scores[0].shape[1])
    return Imported(
        ids,
        np.concatenate(scores),
        _stacked(features),
        np.concatenate(minutes) if minutes else None,
    )


def store_block(
    connection: Transaction, key: int, first: int, part: int, documents: Documents, scores: Any
) -> None:
    """Store some documents, the first of them at this position, and their scores as this part."""
    rows = (
        StoredDocument(
            first + k,
            _storable(identity),
            _storable(text),
            {_storable(name): _storable(values[k]) for name, values in documents.extra.items()},
        )
        for k, (identity, text) in enumerate(zip(documents.ids, documents.texts, strict=True))
    )
    add_documents(connection, key, rows)
    arrays.put(connection, key, "scores", part, np.asarray(scores, dtype=np.float64))


def _stacked(features: list[Any]) -> Any:
    if not features:
        return None
    from scipy import sparse

    if hasattr(features[0], "tocsr"):
        return sparse.vstack(features, "csr")
    return np.concatenate(features)


def _storable(value: Any) -> Any:
    """Return what both databases can hold of a value: JSON, and texts without NUL."""
    return jsonable(value, text=_without_nul, unknown=lambda other: _without_nul(str(other)))


def _without_nul(text: str) -> str:
    return text.replace("\x00", "\ufffd")


def _store_training(connection: Transaction, key: int, training: Training | None) -> None:
    if training is None:
        return
    oof = np.asarray(training.oof_scores, dtype=np.float64)
    size = max(1, (1 << 20) // oof.shape[1])
    for part, start in enumerate(range(0, len(oof), size)):
        rows = slice(start, start + size)
        arrays.put(connection, key, "oof_scores", part, oof[rows])
        arrays.put(connection, key, "y_train", part, np.packbits(training.labels[rows], axis=1))
        if training.features is not None:
            arrays.put(connection, key, "train_features", part, training.features[rows])


def _store_words(
    connection: Transaction, key: int, lexicon: Lexicon | None, n_classes: int
) -> None:
    if lexicon is None:
        return
    arrays.put(connection, key, "lexicon", 0, lexicon.packed())
    for j in range(n_classes):
        if (weights := lexicon.packed_weights(j)) is not None:
            arrays.put(connection, key, "words", j, weights)


def _documents(
    imported: Imported, training: Training | None, settings: Settings, whole: LargerSet | None
) -> RankedDocuments:
    if whole is not None:
        return apply_model(whole.model, imported.scores, ties_of(whole.origin, imported.ids))
    known = training_arguments(training, imported.features)
    return prepare(imported.scores, **known, **ranking_arguments(settings, imported.minutes))


def _rank(connection: Transaction, key: int, documents: RankedDocuments) -> None:
    ranking = ranked(documents)
    store_probabilities(connection, key, 0, ranking.probability)
    order = ranking.order.tolist()
    utility = ranking.utility.tolist()
    set_ranks(connection, key, ((i, place, utility[i]) for place, i in enumerate(order, start=1)))


def store_probabilities(connection: Transaction, key: int, part: int, probability: Any) -> None:
    """Store P(document belongs to class), from this part on."""
    size = max(1, (1 << 20) // probability.shape[1])
    for start in range(0, len(probability), size):
        some = probability[start : start + size].astype(np.float32)
        arrays.put(connection, key, "probability", part + start // size, some)


def store_more(
    connection: Transaction,
    key: int,
    first: int,
    blocks: Sequence[Documents],
    larger: RankedDocuments,
) -> None:
    """Store documents behind the first ones, and their places among all of them."""
    part, position = arrays.n_parts(connection, key, "scores"), first
    for k, documents in enumerate(blocks):
        end = position + len(documents)
        scores = larger.scores[position:end]
        store_block(connection, key, position, part + k, documents, scores)
        position = end
    ranking = ranked(larger)
    parts = arrays.n_parts(connection, key, "probability")
    if position > first:
        store_probabilities(connection, key, parts, ranking.probability[first:])
    new = [i for i in ranking.order.tolist() if i >= first]
    utility = ranking.utility.tolist()
    set_ranks(connection, key, ((i, first + k, utility[i]) for k, i in enumerate(new, start=1)))


def ranking_arguments(settings: Settings, minutes: Any) -> dict[str, Any]:
    """Return what `satc.rank` and `satc.Validation` are told of the settings."""
    return {
        "method": settings.method,
        "measure": settings.measure,
        "average": settings.average,
        "random_state": settings.seed,
        "class_weights": settings.class_weights,
        "error_costs": settings.error_costs,
        "costs": minutes,
    }
