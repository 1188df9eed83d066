"""Create a project: train, cross-validate, classify, rank, and store everything or nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from satc.calibration.evidence import Evidence, evidence_of
from satc.code_book import CodeBook, Hierarchy
from satc.errors import DataError
from satc.files.faults import Faults
from satc.ranking.documents import RankedDocuments, apply_model
from satc.ranking.preparation import prepare
from satc.ranking.ranking import Ranking, ranked
from satc.texts.source import (
    KnowsTrainingTexts,
    PreparedSource,
    Progress,
    Source,
    training_arguments,
)
from satc.training import Training
from satc.workbench.model.settings import Settings, class_weights_of
from satc.workbench.project.best_part import larger_set_of
from satc.workbench.project.larger_set import LargerSet, ties_of
from satc.workbench.project.reading_time import reading_minutes
from satc.workbench.store import Store, Transaction
from satc.workbench.store.arrays import stack_rows
from satc.workbench.store.connection import StoreConflictError
from satc.workbench.store.documents import add_documents, set_ranks
from satc.workbench.store.larger_set import put_bound, put_cuts, put_rule, put_tables
from satc.workbench.store.new_file import new_file
from satc.workbench.store.predictions import (
    append_decided,
    append_features,
    append_minutes,
    append_probabilities,
    append_scores,
    put_opinions,
    put_train_snippets,
    put_training,
)
from satc.workbench.store.projects import add_project, list_projects, put_code_book
from satc.workbench.store.words import put_words

_NAME = re.compile(r"[\w][\w .-]{0,99}")


def create_file(
    path: Path,
    source: Source,
    settings: Settings,
    documents: Path,
    progress: Progress,
    weights: Mapping[str, float] | None = None,
    book: CodeBook | None = None,
) -> RankedDocuments:
    """Create a project in a new file; return its documents, as they were ranked.

    The file appears when it is complete; if anything fails, there is no file.
    """
    check_name(path.stem)
    with new_file(path) as store:
        return create(store, path.stem, source, settings, documents, progress, weights, book)


def create(
    store: Store,
    name: str,
    source: Source,
    settings: Settings,
    documents: Path,
    progress: Progress,
    weights: Mapping[str, float] | None = None,
    book: CodeBook | None = None,
) -> RankedDocuments:
    """Create a project in a store, in one transaction; return its documents, as they were ranked.

    `weights` gives the weights of classes by name; other classes have weight 1. `book` has the
    codes of all classes.
    """
    check_name(name)
    if name in [project.name for project in list_projects(store)]:
        raise DataError(f"{store.location} has a project {name!r} already; choose another name")
    prepared = source.prepare(progress)
    whole = larger_set_of(prepared)
    book = None if book is None else book.for_classes(prepared.classes)
    hierarchy = _closing(settings, book, len(prepared.classes))
    training = _completed(prepared.training, hierarchy)
    if weights is not None:
        settings = replace(settings, class_weights=class_weights_of(weights, prepared.classes))
    if whole is not None:
        settings = replace(settings, stored=whole.origin)
    try:
        with store.writing() as connection:
            key = add_project(connection, name, settings, prepared.classes)
            if book is not None:
                put_code_book(connection, key, book)
            imported = _import(connection, key, prepared, settings, documents, progress)
            if training is not None:
                put_training(connection, key, training)
            if isinstance(prepared, KnowsTrainingTexts):
                put_train_snippets(connection, key, prepared.train_ids, prepared.train_texts)
            progress("ranking")
            ranked_documents = _documents(imported, training, settings, whole, hierarchy)
            store_ranking(connection, key, ranked(ranked_documents))
            opinions = evidence_of(ranked_documents.features).opinions
            put_opinions(connection, key, opinions, ranked_documents.model.training)
            if whole is not None:
                put_tables(connection, key, whole.model.class_tables)
                put_cuts(connection, key, whole.model.cuts)
                put_rule(connection, key, whole.model.rule)
                put_bound(connection, key, 0, whole.bound)
            return ranked_documents
    except StoreConflictError:
        raise DataError(
            f"{store.location} got a project {name!r} while this one was made; choose another name"
        ) from None


def check_name(name: str) -> None:
    """Refuse names that cannot be part of a web address.

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
    """The arrays that the ranking needs; the texts are not in memory."""

    ids: list[str]
    scores: Any
    features: Any  # or evidence with features and opinions
    minutes: Any  # reading time of each document, or None


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
    known: list[Evidence] = []
    minutes: list[Any] = []
    for block in source.blocks(faults):
        add_documents(connection, key, len(ids), block.documents)
        append_scores(connection, key, block.scores)
        ids += block.documents.ids
        scores.append(block.scores)
        given = block.features
        known.append(given if isinstance(given, Evidence) else Evidence(given))
        if known[-1].features is not None:
            append_features(connection, key, known[-1].features)
        if settings.reading:
            minutes.append(reading_minutes(block.documents, settings.reading))
            append_minutes(connection, key, minutes[-1])
        if lexicon is not None:
            lexicon.add(block.documents.texts)
        progress("importing documents", len(ids))
    faults.check()
    if lexicon is not None:
        put_words(connection, key, lexicon, scores[0].shape[1])
    return Imported(ids, np.concatenate(scores), _stacked(known), stack_rows(minutes))


def _stacked(known: list[Evidence]) -> Any:
    """Return the features of all blocks; with opinions, evidence that holds both."""
    features = stack_rows([one.features for one in known if one.features is not None])
    names = known[0].opinions if known else ()
    opinions = {name: np.concatenate([one.opinions[name] for one in known]) for name in names}
    return Evidence(features, opinions) if opinions else features


def _closing(settings: Settings, book: CodeBook | None, n_classes: int) -> Hierarchy | None:
    """Return the hierarchy that labels are closed under; None if they are not."""
    if not settings.closed:
        return None
    if book is None or not book.has_parents:
        raise DataError(
            "a closed project must have a hierarchy, but its code book has no parents; add a "
            "column 'parent', or name the notation of the codes"
        )
    return book.class_hierarchy(n_classes)


def _completed(training: Training | None, hierarchy: Hierarchy | None) -> Training | None:
    """Add to the labels of the training documents what they imply."""
    if training is None or hierarchy is None:
        return training
    return replace(training, labels=hierarchy.close(training.labels))


def _documents(
    imported: Imported,
    training: Training | None,
    settings: Settings,
    whole: LargerSet | None,
    hierarchy: Hierarchy | None,
) -> RankedDocuments:
    if whole is not None:
        return apply_model(whole.model, imported.scores, ties_of(whole.origin, imported.ids))
    known = training_arguments(training, imported.features)
    options = ranking_arguments(settings, imported.minutes, hierarchy)
    return prepare(imported.scores, **known, **options)


def store_ranking(connection: Transaction, key: int, ranking: Ranking, first: int = 0) -> None:
    """Store labels, probabilities, ranks and utilities of the documents from `first` on.

    Documents that were stored before keep their ranks, and the new ones come after them.
    """
    append_decided(connection, key, ranking.documents.decided[first:])
    append_probabilities(connection, key, ranking.probability[first:])
    new = [i for i in ranking.order.tolist() if i >= first]
    utility = ranking.utility.tolist()
    set_ranks(
        connection, key, ((i, rank, utility[i]) for rank, i in enumerate(new, start=first + 1))
    )


def ranking_arguments(
    settings: Settings, minutes: Any, hierarchy: Hierarchy | None = None
) -> dict[str, Any]:
    """Return the arguments of `satc.rank` and `satc.Validation` that follow from the settings."""
    return {
        "task": settings.task,
        "method": settings.method,
        "measure": settings.measure,
        "average": settings.average,
        "decide": settings.decide,
        "random_state": settings.seed,
        "class_weights": settings.class_weights,
        "error_costs": settings.error_costs,
        "costs": minutes,
        "hierarchy": hierarchy,
    }
