"""Generated predictions of every kind, as tables, and the scores that they are in memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from one_label_made import make_single
from scipy.special import expit, softmax
from stored_made import classes_of, ids_of

from made import Made, make
from satc import predictions

SINGLE, MULTI = "single-label", "multi-label"
N, M = 200, 5
CASES = [
    ("probabilities", MULTI, "long"),
    ("probabilities", MULTI, "wide"),
    ("probabilities", SINGLE, "long"),
    ("logits", MULTI, "long"),
    ("logits", SINGLE, "wide"),
    ("labels", MULTI, "labels"),
    ("labels", SINGLE, "label"),
    ("scores", MULTI, "wide"),
]


class Predicted(NamedTuple):
    table: pa.Table  # what is stored
    options: dict[str, Any]  # of `stored_predictions`
    made: Made  # the scores of memory


def predicted(kind, task, form):
    """Return predictions of a kind, and what they are in memory."""
    made = make(N, M, seed=5) if task == MULTI else make_single(N, M, seed=5)
    values, known = (_values(one, kind, task) for one in (made.scores, made.oof_scores))
    options = {"task": task}
    if kind in ("probabilities", "logits") and task == MULTI:
        options["threshold"] = 0.6
    scores, oof_scores = (_scores(one, kind, options) for one in (values, known))
    return Predicted(
        _table(values, form),
        {"kind": kind, "classes": classes_of(M), **options},
        made._replace(scores=scores, oof_scores=oof_scores),
    )


def _values(scores, kind, task):
    if kind == "probabilities":
        return expit(scores) if task == MULTI else softmax(scores, axis=1)
    if kind == "labels" and task == MULTI:
        return scores >= 0
    if kind == "labels":
        return np.eye(M, dtype=bool)[scores.argmax(axis=1)]
    return scores


def _scores(values, kind, options):
    if kind == "scores":
        return values
    return getattr(predictions, f"from_{kind}")(values, **options)


def _table(values, form):
    n, m = values.shape
    names = np.array(classes_of(m))
    if form == "wide":
        return pa.table({"document": ids_of(n), **dict(zip(names, values.T, strict=True))})
    if form == "label":
        return pa.table({"document": ids_of(n), "label": names[values.argmax(axis=1)]})
    if form == "labels":
        lists = [names[row].tolist() for row in values]
        return pa.table({"document": ids_of(n), "labels": pa.array(lists, pa.list_(pa.string()))})
    column = "probability" if values.max() <= 1 and values.min() >= 0 else "logit"
    pairs = {"document": np.repeat(ids_of(n), m), "class": np.tile(names, n)}
    return pa.table({**pairs, column: values.ravel()})
