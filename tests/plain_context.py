"""The contextual probabilities in plain NumPy: slow, obvious, with an array for every feature."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from satc.calibration.contextual.description import DocumentsInContext
from satc.calibration.evidence import evidence_of
from satc.calibration.platt import expit
from satc.decisions import by_sign


class PlainDocuments(NamedTuple):
    """What the features of documents are computed from, documents x classes."""

    scores: np.ndarray  # divided by the scale of the class
    logits: np.ndarray
    cooccurrence: np.ndarray
    log_prior: np.ndarray
    block: object  # with the votes of similar documents and with opinions


def plain(documents):
    """Return documents in context as plain arrays."""
    scores = documents.block.scores
    found = PlainDocuments(*(np.empty(scores.shape) for _ in range(4)), documents.block)
    for k, tables in enumerate(documents.tables):
        inside = documents.fold == k
        logits = documents.block.logits[inside]
        found.scores[inside] = scores[inside] / tables.scale
        found.logits[inside] = logits
        found.cooccurrence[inside] = evidence(tables.never, lift_of(tables), expit(logits))
        found.log_prior[inside] = tables.log_prior
    return found


def lift_of(tables):
    """Return the lift of pairs of labels as a sparse array."""
    shape = (len(tables.never),) * 2
    return sparse.csr_array((tables.lift, tables.lift_columns, tables.lift_starts), shape=shape)


def evidence(never, lift, probability):
    """Return the evidence of the likely labels of each document for every label."""
    likely = np.where(probability >= 0.01, probability, 0.0)
    return likely @ lift - likely * never + (likely @ never)[:, np.newaxis]


def describe(documents, rows, columns):
    """Return the features of some pairs, pairs x names."""
    logits, block, pair = documents.logits, documents.block, (rows, columns)
    probability, decided = expit(logits), by_sign(documents.scores)
    other = best_other(logits, rows, columns, -20.0)
    values = [
        documents.scores[pair],
        logits[pair],
        (logits[rows] > logits[pair][:, np.newaxis]).sum(axis=1),
        other,
        logits[pair] - other,
        decided.sum(axis=1)[rows] - decided[pair],
        probability.sum(axis=1)[rows] - probability[pair],
        documents.log_prior[pair],
        documents.cooccurrence[pair],
        documents.scores.mean(axis=1)[rows],
    ]
    if len(block.votes):
        values += [
            block.votes[pair],
            block.votes[pair] - best_other(block.votes, rows, columns, 0.0),
            block.nearest[rows],
            block.log_length[rows],
            block.errors[pair],
            block.centroid[pair],
            block.centroid[pair] - best_other(block.centroid, rows, columns, 0.0),
        ]
    for told in block.opinions:
        values += [told[pair], told[pair] - best_other(told, rows, columns, -20.0)]
    with np.errstate(over="ignore"):
        table = np.stack([np.asarray(value, dtype=np.float32) for value in values], axis=1)
    largest = np.finfo(np.float32).max
    return np.clip(table, -largest, largest)


def best_other(values, rows, columns, otherwise):
    """Return, for some pairs, the largest value among the other classes of the document."""
    if values.shape[1] == 1:
        return np.full(len(rows), otherwise)
    some = values[rows].astype(np.float64)
    some[np.arange(len(rows)), columns] = -np.inf
    return some.max(axis=1)


def probabilities(calibrator, scores, features=None):
    """Return what a contextual calibrator says of documents, each class apart."""
    known, rows = evidence_of(features), slice(0, len(scores))
    similar = calibrator._similar_to(scores, known.features)
    block = calibrator._block(scores, known, similar, rows)
    fold = np.zeros(len(scores), dtype=np.int64)
    documents = plain(DocumentsInContext(block, fold, [calibrator.tables_]))
    probability = expit(documents.logits)
    modelled = documents.logits >= calibrator.threshold_
    if len(block.votes):
        modelled |= block.votes > 0
    if calibrator.model_ is not None:
        probability[~modelled] *= calibrator.screened_ratio_
        values = describe(documents, *np.nonzero(modelled))
        probability[modelled] = calibrator._model_probability(values)
    return np.clip(probability, 1e-6, 1.0 - 1e-6), modelled
