"""Stored predictions of any kind as stored scores, by expressions of the engine.

The scores are those that `satc.predictions` computes in memory. Probabilities and logits are in
long form (``document``, ``class``, and ``probability``, ``logit`` or ``score``) or in wide form.
Labels, such as those of a language model, are one row for each document: ``document``, and
``label`` (a name) or ``labels`` (a list of names, which may be empty).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ibis
import numpy as np

from satc.errors import DataError
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, check_task
from satc.predictions.probabilities import SMALLEST, log_odds
from satc.scale.engines import Engine
from satc.scale.stored import StoredScores, stored_scores

SCORES, PROBABILITIES, LOGITS, LABELS = "scores", "probabilities", "logits", "labels"
KINDS = (SCORES, PROBABILITIES, LOGITS, LABELS)
_VALUES = {PROBABILITIES: "probability", LOGITS: "logit"}  # columns of the long form


def stored_predictions(
    engine: Engine,
    predictions: Any,
    *,
    kind: str,
    classes: Sequence[str],
    task: str = MULTI_LABEL,
    threshold: float = 0.5,
    absent: float | None = None,
    vectors: Any = None,
) -> StoredScores:
    """Open stored predictions as scores, for `rank` and `StoredValidation`.

    Parameters
    ----------
    engine : Engine
        From `connect`.
    predictions : str or Ibis table
        Parquet files (a path, a directory or a pattern), or a table of the engine.
    kind : {"scores", "probabilities", "logits", "labels"}
        What is stored. Scores are taken as they are.
    classes : sequence of str
        The classes in the order of the training arrays.
    task : {"multi-label", "single-label"}
        In a single-label task, the score of a probability is its logarithm.
    threshold : float
        The smallest probability that is a label; only for probabilities and logits in a
        multi-label task.
    absent : float, optional
        The confidence with which a pair that is not stored counts as decided negative, as for
        `stored_scores`; it is a score, not a probability. Not for labels, which are complete.
    vectors : str or Ibis table, optional
        Features of the documents, as for `stored_scores`.

    Notes
    -----
    A probability outside 0 to 1 counts as a score that is not finite: `rank` names its document.
    The scores of the training documents come from `satc.predictions`, with the same kind.
    """
    check_task(task)
    _check(kind, task, threshold, absent)
    table = engine.open(predictions) if isinstance(predictions, str) else predictions
    if kind == LABELS:
        scores = _of_labels(engine, table, tuple(classes), task)
    elif kind == SCORES:
        scores = table
    else:
        scores = _of_numbers(table, kind, tuple(classes), task, threshold)
    return stored_scores(engine, scores, classes=classes, absent=absent, vectors=vectors)


def _check(kind: str, task: str, threshold: float, absent: float | None) -> None:
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, but is {kind!r}")
    if not 0.0 < threshold < 1.0:
        raise ValueError(f"threshold must be above 0 and below 1, but is {threshold!r}")
    if threshold != 0.5 and (task == SINGLE_LABEL or kind not in _VALUES):
        raise ValueError(
            "threshold is for probabilities and logits of a multi-label task, but kind is "
            f"{kind!r} and task is {task!r}: leave it out"
        )
    if absent is not None and kind == LABELS:
        raise ValueError("absent must be left out for labels: what is no label is negative")


def _of_numbers(
    table: Any, kind: str, classes: tuple[str, ...], task: str, threshold: float
) -> Any:
    """Expression: a table of scores, in the form of the table of probabilities or logits."""
    if "class" not in table.columns:
        names = [name for name in classes if name in table.columns]
        return table.mutate(**{name: _score(table[name], kind, task, threshold) for name in names})
    named = [name for name in (_VALUES[kind], "score") if name in table.columns]
    if not named or "document" not in table.columns:
        raise DataError(
            f"{kind} must have the columns document, class and {_VALUES[kind]} or score, "
            f"but have {', '.join(table.columns)}"
        )
    score = _score(table[named[0]], kind, task, threshold)
    return table.select("document", "class", score=score)


def _score(column: Any, kind: str, task: str, threshold: float) -> Any:
    """Expression: the score of a probability or a logit; null where nothing is stored."""
    if column.type().is_float32():  # 0.7 of few digits reaches a threshold of 0.7
        threshold = float(np.float32(threshold))
    limit = float(log_odds(np.array(threshold)))
    value = column.cast("float64")
    if kind == LOGITS:
        return value if task == SINGLE_LABEL else value - limit
    p = ibis.least(ibis.greatest(value, SMALLEST), 1.0 - SMALLEST)
    if task == SINGLE_LABEL:
        score = p.ln()
    else:
        odds = p.ln() - (1.0 - p).ln() - limit
        score = ibis.ifelse(value >= threshold, ibis.greatest(odds, 0.0), odds)
    return ibis.cases(
        (value.isnull(), ibis.null("float64")),
        (value.between(0.0, 1.0), score),
        else_=ibis.literal(float("nan"), "float64"),
    )


def _of_labels(engine: Engine, table: Any, classes: tuple[str, ...], task: str) -> Any:
    """Expression: a wide table of scores, 1 for a label and -1 otherwise."""
    lists = "labels" in table.columns
    column = "labels" if lists else "label"
    if "document" not in table.columns or column not in table.columns:
        raise DataError(
            "labels must have the column document, and label (a name) or labels (a list of names), "
            f"but have {', '.join(table.columns)}"
        )
    given = table[column]
    _check_names(engine, table.select(name=given.unnest() if lists else given), classes)
    if lists and task == SINGLE_LABEL:
        _check_one_label(engine, table)
    found = {name: given.contains(name) if lists else given == name for name in classes}
    scores = {name: ibis.ifelse(has, 1.0, -1.0) for name, has in found.items()}
    nothing = ibis.null("float64")
    return table.select(
        "document",
        **{name: ibis.ifelse(given.isnull(), nothing, score) for name, score in scores.items()},
    )


def _check_names(engine: Engine, names: Any, classes: tuple[str, ...]) -> None:
    """Refuse a label that is none of the classes."""
    unknown = names.filter(names.name.notnull() & names.name.notin(classes)).limit(1)
    for name in engine.run(unknown)["name"].to_pylist():
        raise DataError(f"labels must be among the classes, but one is {name!r}")


def _check_one_label(engine: Engine, table: Any) -> None:
    """Refuse a document with no label or with several, in a single-label task."""
    wrong = table.filter(table.labels.length() != 1).select("document").limit(1)
    for document in engine.run(wrong)["document"].to_pylist():
        raise DataError(
            f"labels must be one per document in a single-label task, but document {document!r} "
            "has none or several"
        )
