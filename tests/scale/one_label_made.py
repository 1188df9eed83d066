"""Generated scores of documents with exactly one label, stored, and what they must be in memory."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from decided_made import check_decided
from scipy.special import expit
from stored_made import check_same, classes_of, ids_of, long_table

import satc
from made import Made
from satc import scale

SINGLE = {"task": "single-label"}


def make_single(n, m, *, seed=0, tied=False):
    """Generate documents of one label each, classes from frequent to rare, and their scores."""
    rng = np.random.default_rng(seed)
    rng.normal(0, 1, 4_000)  # the numbers of `_centre`
    centre = _centre(m, seed)

    def part(size):
        scores = centre + rng.normal(0, 1, (size, m))
        if tied:
            scores = np.round(scores * 2) / 2
        p = expit(2.5 * scores)
        chosen = (p.cumsum(axis=1) / p.sum(axis=1, keepdims=True) > rng.random((size, 1))).argmax(1)
        return scores, np.eye(m, dtype=bool)[chosen]

    return Made(*part(n), *part(300))


@cache
def _centre(m, seed):
    """Return the mean score of each class.

    On average the logistic functions of a document sum to 1, so that sigma is near 2.5.
    """
    noise = np.random.default_rng(seed).normal(0, 1, 4_000)
    mean = expit(2.5 * (np.linspace(-5, 1, 601)[:, np.newaxis] + noise)).mean(1)
    return np.interp(1 / m * np.linspace(1.4, 0.6, m), mean, np.linspace(-5, 1, 601))


def top_k(made, k, absent):
    """Return scores in which all but the k largest of each document are -absent."""
    kept = np.argsort(-made.scores, axis=1, kind="stable")[:, :k]
    scores = np.full(made.scores.shape, -absent)
    np.put_along_axis(scores, kept, np.take_along_axis(made.scores, kept, axis=1), axis=1)
    return made._replace(scores=scores)


def store_some(engine, folder, scores, absent, form="long"):
    """Store the pairs whose score is not -absent."""
    m = scores.shape[1]
    table = long_table(scores)
    if form == "wide":
        cells = {
            name: pa.array([None if s == -absent else s for s in column], pa.float64())
            for name, column in zip(classes_of(m), scores.T.tolist(), strict=True)
        }
        table = pa.table({"document": ids_of(len(scores)), **cells})
    else:
        table = table.filter(pa.compute.not_equal(table["score"], -absent))
    folder.mkdir(exist_ok=True)
    pq.write_table(table, folder / f"{form}.parquet")
    return scale.stored_scores(
        engine, str(folder / f"{form}.parquet"), classes=classes_of(m), absent=absent
    )


def check_single(stored, made, **options):
    """Check labels, tables, rule, utilities and order against `satc.rank`; return both."""
    memory = satc.rank(made.scores, **made.training, **SINGLE, **options)
    ranking = scale.rank(stored, **made.training, **SINGLE, **options)
    check_rule(ranking.rule, memory.documents.model.rule)
    check_decided(ranking, memory)
    assert (memory.documents.decided.sum(axis=1) == 1).all()
    check_same(ranking, memory)
    return ranking, memory


def check_rule(found, expected):
    assert (found is None) == (expected is None)
    if found is not None:
        np.testing.assert_allclose(found.slope, expected.slope, rtol=1e-8)
        np.testing.assert_allclose(found.offset, expected.offset, rtol=1e-8, atol=1e-12)


def true_labels(engine, y_true):
    """Return a table of the engine with the true labels."""
    document, label = np.nonzero(y_true)
    ids, classes = np.array(ids_of(len(y_true))), np.array(classes_of(y_true.shape[1]))
    return engine.temporary_table(pa.table({"document": ids[document], "class": classes[label]}))
