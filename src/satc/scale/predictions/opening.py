"""`stored_predictions`: opens stored predictions of any kind as scores.

The scores are those that `satc.predictions` computes in memory. There is a module for the columns
and the expressions of each kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from satc.files.labels.cells import SEPARATOR
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, check_task
from satc.scale.engines import Engine
from satc.scale.predictions.confidences import scores_of_confidences
from satc.scale.predictions.labels import scores_of_labels
from satc.scale.predictions.numbers import (
    LOGITS,
    PROBABILITIES,
    VALUES,
    Threshold,
    scores_of_numbers,
    thresholds,
)
from satc.scale.predictions.votes import scores_of_votes
from satc.scale.stored import StoredScores, stored_scores

SCORES, LABELS, VOTES, CONFIDENCES = "scores", "labels", "votes", "confidences"
OF_LABELS = {
    LABELS: scores_of_labels,
    VOTES: scores_of_votes,
    CONFIDENCES: scores_of_confidences,
}
KINDS = (SCORES, PROBABILITIES, LOGITS, *OF_LABELS)


def stored_predictions(
    engine: Engine,
    predictions: Any,
    *,
    kind: str,
    classes: Sequence[str],
    task: str = MULTI_LABEL,
    threshold: Threshold = 0.5,
    absent: float | None = None,
    vectors: Any = None,
    separator: str = SEPARATOR,
) -> StoredScores:
    """Open stored predictions as scores, for `rank` and `StoredValidation`.

    Parameters
    ----------
    engine : Engine
        From `connect`.
    predictions : str or Ibis table
        Parquet files (a path, a directory or a pattern), or a table of the engine.
    kind : {"scores", "probabilities", "logits", "labels", "votes", "confidences"}
        What is stored. Scores are taken as they are. Votes are the labels of several people or
        classifiers. Confidences are labels with a number from 0 to 1 or a word.
    classes : sequence of str
        The classes in the order of the training arrays.
    task : {"multi-label", "single-label"}
        In a single-label task, the score of a probability is its logarithm.
    threshold : float, or one per class, or a dictionary by class
        The smallest probability that is a label; only for probabilities and logits in a
        multi-label task. A class that a dictionary lacks has 0.5.
    absent : float, optional
        The confidence with which a pair that is not stored counts as decided negative, as for
        `stored_scores`; it is a score, not a probability. Not for labels, votes and confidences,
        which are complete.
    vectors : str or Ibis table, optional
        Features of the documents, as for `stored_scores`.
    separator : str
        The sign between the labels of a text, as in "refund|card lost".

    Notes
    -----
    A probability outside 0 to 1 counts as a score that is not finite: `rank` names its document.
    Labels, votes and confidences are checked here, in one aggregation by document. The scores of
    the training documents come from `satc.predictions`, with the same kind.
    """
    check_task(task)
    _check(kind, absent)
    cuts = thresholds(threshold, classes)
    if set(cuts) != {0.5} and (task == SINGLE_LABEL or kind not in VALUES):
        raise ValueError(
            "threshold is for probabilities and logits of a multi-label task, but kind is "
            f"{kind!r} and task is {task!r}: leave it out"
        )
    scores = engine.open(predictions) if isinstance(predictions, str) else predictions
    if kind in OF_LABELS:
        scores = OF_LABELS[kind](engine, scores, tuple(classes), task, separator)
    elif kind != SCORES:
        scores = scores_of_numbers(engine, scores, kind, tuple(classes), task, cuts)
    return stored_scores(engine, scores, classes=classes, absent=absent, vectors=vectors)


def _check(kind: str, absent: float | None) -> None:
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, but is {kind!r}")
    if absent is not None and kind in OF_LABELS:
        raise ValueError(f"absent must be left out for {kind}: what is no label is negative")
