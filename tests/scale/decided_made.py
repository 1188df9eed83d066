"""Stored rankings with chosen labels, and what they must be in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from stored_made import classes_of, ids_of

import satc
from satc.ranking.documents import apply_model
from satc.ranking.preparation import tables_of
from satc.ranking.ranking import ranked


def too_small(made, by=0.3):
    """Return scores that are too small, so that their signs give too few labels.

    The scores s and -s do not occur together either. Their probabilities sum to 1, and documents
    with such pairs would tie with others, up to rounding errors.
    """
    return made._replace(scores=made.scores - by, oof_scores=made.oof_scores - by)


def under_cuts(made, cuts, absent=None, **options):
    """Rank in memory with given cuts, and with tables that follow from them."""
    model = satc.rank(made.scores, decide="measure", **made.training, **options).documents.model
    documents = apply_model(replace(model, cuts=cuts, absent=absent), made.scores)
    tables = tables_of(documents, None)
    return ranked(replace(documents, model=replace(documents.model, class_tables=tables)))


def label_matrix(ranking, n):
    """Return the labels of a stored ranking, documents x classes."""
    rows = ranking.scores.engine.run(ranking.labels).to_pydict()
    row = {identity: i for i, identity in enumerate(ids_of(n))}
    column = {name: j for j, name in enumerate(ranking.scores.classes)}
    labels = np.zeros((n, len(column)), dtype=bool)
    for document, name in zip(rows["document"], rows["class"], strict=True):
        assert not labels[row[document], column[name]]
        labels[row[document], column[name]] = True
    return labels


def check_decided(ranking, memory):
    """Check that labels and tables are those of memory."""
    labels = label_matrix(ranking, len(memory.utility))
    np.testing.assert_array_equal(labels, memory.documents.decided)
    here, there = ranking.model.class_tables, memory.documents.model.class_tables
    assert (here is None) == (there is None)
    if here is not None:
        np.testing.assert_allclose(list(here), list(there), rtol=1e-8, atol=1e-7)


def only_stored(made, below=-1.5, absent=2.0):
    """Return scores in which small ones are -absent, and the columns that a wide table has."""
    scores = np.where(made.scores > below, made.scores, -absent)
    scores[:, 0] = made.scores[:, 0]  # so that every document is stored
    cells = {
        name: [None if s == -absent else s for s in scores[:, j].tolist()]
        for j, name in enumerate(classes_of(scores.shape[1]))
    }
    return made._replace(scores=scores), {"document": ids_of(len(scores)), **cells}
