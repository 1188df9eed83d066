"""A cold start: rank predictions of which nothing else is known, and learn as people decide.

At first there are only predictions, so probabilities, tables and labels follow from a prior. After
10, 20, 40, ... decisions they are estimated anew (`re_estimated`). The result is a function of the
predictions and of the decisions, in whatever order people made them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.calibration.cold.calibrator import ColdStartCalibrator
from satc.calibration.cold.prior import is_graded
from satc.calibration.evidence import Evidence, evidence_of
from satc.decisions import OWN_LABELS, Decided
from satc.inputs import SINGLE_LABEL, Labels, Scores
from satc.ranking.documents import RankedDocuments
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.model import RankingModel, seed_of
from satc.ranking.second_opinion import second_opinion

Array = NDArray[np.float64]
Decisions = Sequence[tuple[int, Labels]]  # documents with their labels

SECOND_OPINION = "second opinion"  # the name of the one that is made here
CHOSEN_FROM = 10  # decided documents of a class from which its labels are chosen for the measure


def evidence_on(scores: Scores, labels: Labels, features: Any, seed: int) -> Evidence | None:
    """Return what is known of documents, with a second opinion where it helps; None if nothing.

    `features` are features, or evidence that holds features and opinions.
    """
    known = evidence_of(features)
    if known.features is None:
        return known if known.opinions else None
    if SECOND_OPINION in known.opinions:
        return known
    checked = known.features
    if checked.shape[0] != len(scores):
        raise ValueError(
            f"features must have as many rows as scores, {len(scores)}, but has {checked.shape[0]}"
        )
    if is_graded(scores):
        return known
    own = {SECOND_OPINION: second_opinion(checked, labels, seed)}
    return Evidence(checked, {**known.opinions, **own})


def re_estimated(
    documents: RankedDocuments, decisions: Decisions, labels: Labels | None = None
) -> RankedDocuments:
    """Return the documents with probabilities, labels and tables that are learnt from decisions.

    Parameters
    ----------
    documents
        Documents of a cold start.
    decisions
        The documents that people decided on, with their labels. Their order does not matter.
    labels
        The labels that the documents keep; by default, labels that are chosen for the measure
        are chosen anew.
    """
    model = documents.model
    decided, truth = arrays_of(decisions, model.n_classes)
    calibrator = ColdStartCalibrator(model.task, seed_of(model.random_state))
    calibrator.fit(documents.scores, documents.features, decided, truth, model.training)
    model = replace(model, calibrator=calibrator)
    probability = model.lifted(calibrator.probabilities(documents.scores, documents.features))
    chosen = documents.decisions
    if labels is not None:
        chosen = Decided(labels, model.cuts, rule=model.rule)
    elif model.is_chosen:
        chosen = chosen_where_learnt(model, documents.scores, probability, truth)
        model = replace(model, cuts=chosen.cuts, rule=chosen.rule)
    found = replace(documents, model=model, decisions=chosen)
    errors = GivenMisclassification.from_probability(found.decided, probability)
    known = probability.copy()
    known[decided] = truth
    tables = GivenMisclassification.from_probability(found.decided, known).expected_tables()
    return replace(found, misclassification=errors, model=replace(model, class_tables=tables))


def chosen_where_learnt(
    model: RankingModel, scores: Scores, probability: Array, truth: Labels
) -> Decided:
    """Choose the labels of classes of which enough examples are known; the others keep theirs.

    `truth` holds the labels of the decided documents. Where every document has exactly one label,
    classes compete, so all keep their labels until there are enough decisions for all.
    """
    own, own_cuts = model.own_labels(scores), np.full(model.n_classes, OWN_LABELS)
    if model.task == SINGLE_LABEL:
        is_learnt = len(truth) >= CHOSEN_FROM * model.n_classes
        return model.choose(probability) if is_learnt else Decided(own, own_cuts)
    learnt = truth.sum(axis=0) >= CHOSEN_FROM
    if not learnt.any():
        return Decided(model.closed(own), own_cuts)
    best = model.choose(probability)
    cuts = None if best.cuts is None else np.where(learnt, best.cuts, OWN_LABELS)
    return Decided(model.closed(np.where(learnt, best.labels, own)), cuts)


def arrays_of(decisions: Decisions, n_classes: int) -> tuple[NDArray[np.int64], Labels]:
    """Return decided documents and their labels, sorted by document."""
    known = dict(decisions)
    decided = np.array(sorted(known), dtype=np.int64)
    truth = np.zeros((len(known), n_classes), dtype=bool)
    for row, document in enumerate(decided.tolist()):
        truth[row] = known[document]
    return decided, truth
