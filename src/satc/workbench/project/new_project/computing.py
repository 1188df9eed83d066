"""Compute a new project: train, classify and rank. Nothing is stored meanwhile."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from satc.calibration.evidence import Evidence, evidence_of
from satc.code_book import CodeBook, Hierarchy
from satc.errors import DataError
from satc.files.faults import Faults
from satc.ranking.documents import RankedDocuments, apply_model
from satc.ranking.preparation import prepare
from satc.ranking.ranking import Ranking, ranked
from satc.texts.source import KnowsTrainingTexts, PreparedSource, Progress, training_arguments
from satc.training import Training
from satc.workbench.model.settings import Settings, class_weights_of
from satc.workbench.project.best_part import larger_set_of
from satc.workbench.project.larger_set import LargerSet, ties_of
from satc.workbench.project.new_project.spool import SpooledDocuments
from satc.workbench.project.reading_time import reading_minutes
from satc.workbench.project.stored_fit import StoredFit
from satc.workbench.store.arrays import Part, stack_rows
from satc.workbench.store.predictions import (
    document_parts,
    opinion_parts,
    ranking_parts,
    snippet_parts,
    training_parts,
)
from satc.workbench.store.words import word_parts

if TYPE_CHECKING:
    from satc.texts.words.lexicon import Lexicon

_SEED_BITS = 53  # so that JSON can hold it


class Imported(NamedTuple):
    """The arrays that the ranking needs; the texts are not in memory."""

    ids: list[str]
    scores: Any
    features: Any  # or evidence with features and opinions
    minutes: Any  # reading time of each document, or None
    lexicon: Lexicon | None


@dataclass(frozen=True, eq=False)
class ComputedProject:
    """Everything that is to be stored of a new project, besides its documents."""

    settings: Settings
    book: CodeBook | None
    whole: LargerSet | None
    ranking: Ranking
    _source: PreparedSource
    _imported: Imported
    _training: Training | None
    _fit: StoredFit

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        return self._source.classes

    def parts(self) -> Iterator[Part]:
        """Give the arrays that are to be stored, part by part."""
        imported, training, documents = self._imported, self._training, self.ranking.documents
        given = imported.features
        features = given.features if isinstance(given, Evidence) else given
        yield from document_parts(imported.scores, features, imported.minutes)
        if imported.lexicon is not None:
            yield from word_parts(imported.lexicon, len(self.classes))
        if training is not None:
            yield from training_parts(training)
        if isinstance(self._source, KnowsTrainingTexts):
            yield from snippet_parts(self._source.train_ids, self._source.train_texts)
        yield from self._fit.parts()
        self._fit.forget()
        yield from ranking_parts(documents.decided, self.ranking.probability)
        opinions = evidence_of(documents.features).opinions
        yield from opinion_parts(opinions, documents.model.training)


def compute_project(
    source: PreparedSource,
    settings: Settings,
    documents: Path,
    spool: SpooledDocuments,
    progress: Progress,
    weights: Mapping[str, float] | None,
    book: CodeBook | None,
) -> ComputedProject:
    """Read the documents into the spool, and rank them."""
    whole = larger_set_of(source)
    book = None if book is None else book.for_classes(source.classes)
    hierarchy = _closing(settings, book, len(source.classes))
    training = _completed(source.training, hierarchy)
    if weights is not None:
        settings = replace(settings, class_weights=class_weights_of(weights, source.classes))
    if whole is not None:
        settings = replace(settings, stored=whole.origin)
    settings = _with_audit_seed(settings)
    imported = _import(source, settings, documents, spool, progress)
    progress("ranking")
    fit = StoredFit()
    found = _documents(imported, training, settings, whole, hierarchy, fit)
    return ComputedProject(settings, book, whole, ranked(found), source, imported, training, fit)


def _import(
    source: PreparedSource,
    settings: Settings,
    path: Path,
    spool: SpooledDocuments,
    progress: Progress,
) -> Imported:
    """Read the documents, block by block."""
    faults = Faults(path)
    lexicon = source.new_lexicon()
    ids: list[str] = []
    scores: list[Any] = []
    known: list[Evidence] = []
    minutes: list[Any] = []
    for block in source.blocks(faults):
        spool.add(block.documents)
        ids += block.documents.ids
        scores.append(block.scores)
        given = block.features
        known.append(given if isinstance(given, Evidence) else Evidence(given))
        if settings.reading:
            minutes.append(reading_minutes(block.documents, settings.reading))
        if lexicon is not None:
            lexicon.add(block.documents.texts)
        progress("importing documents", len(ids))
    faults.check()
    return Imported(ids, np.concatenate(scores), _stacked(known), stack_rows(minutes), lexicon)


def _stacked(known: list[Evidence]) -> Any:
    """Return the features of all blocks; with opinions, evidence that holds both."""
    features = stack_rows([one.features for one in known if one.features is not None])
    names = known[0].opinions if known else ()
    opinions = {name: np.concatenate([one.opinions[name] for one in known]) for name in names}
    return Evidence(features, opinions) if opinions else features


def _with_audit_seed(settings: Settings) -> Settings:
    """Choose the seed of the audit at random, so that nobody knows the draws in advance."""
    if settings.audit_seed is not None:
        return settings
    return replace(settings, audit_seed=secrets.randbits(_SEED_BITS))


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
    fit: StoredFit,
) -> RankedDocuments:
    if whole is not None:
        return apply_model(whole.model, imported.scores, ties_of(whole.origin, imported.ids))
    known = training_arguments(training, imported.features)
    options = ranking_arguments(settings, imported.minutes, hierarchy)
    return prepare(imported.scores, calibrate=fit, **known, **options)


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
        "prior_shift": settings.prior_shift,
        "random_state": settings.seed,
        "class_weights": settings.class_weights,
        "error_costs": settings.error_costs,
        "costs": minutes,
        "hierarchy": hierarchy,
    }
