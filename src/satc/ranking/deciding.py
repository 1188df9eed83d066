"""`decide`: which labels to give to documents before anyone has read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from satc.arrays.frames import row_in_order
from satc.decisions import Decided
from satc.inputs import SINGLE_LABEL, as_labels, check_one_label
from satc.ranking.options import DEFAULTS, FOR_MEASURE, RankingOptions, shows_options
from satc.ranking.preparation import prepare
from satc.ranking.ranking import ranked


@shows_options(RankingOptions, {**DEFAULTS, "decide": FOR_MEASURE})
def decide(
    scores: Any, *, known: Mapping[int, Any] | None = None, **options: Unpack[RankingOptions]
) -> Decided:
    """Choose the labels that maximise the expected value of a measure.

    The sign of a score is the classifier's own decision. Calibrated probabilities know better: how
    frequent the class is, which labels go together, what similar documents have. These labels are
    the best ones for the measure under the probabilities of the method.

    Parameters
    ----------
    scores : array of shape (n_documents, n_classes)
        The classifier's scores.
    known : mapping from document index to 0/1 labels, optional
        Documents that a person has decided on: they keep these labels, which count in the tables.
    oof_scores, y_train, features, train_features, opinions, training, task, method, measure, \
average, prior_shift, hierarchy, class_weights, error_costs : optional
        As for `satc.rank`. Costs of errors multiply the expected false positives and false
        negatives; weights of classes count in the pooled table of micro-averaging.
    decide : {"measure", "sign"}
        With ``sign``, the classifier's own labels, and their expected value.

    Returns
    -------
    Decided
        ``labels``, ``cuts`` (the smallest probability that gets the label, for each class) and
        ``expected``, the expected value of the measure. In a single-label task there are no cuts,
        but a ``rule``: the label is the class with the largest slope x probability + offset.

    Examples
    --------
    >>> import satc
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, Y = make_multilabel_classification(300, n_classes=4, random_state=0)
    >>> clf = satc.SemiAutomatedClassifier(LogisticRegression(), cv=5).fit(X[:200], Y[:200])
    >>> decided = satc.decide(clf.scores(X[200:]), oof_scores=clf.oof_scores_, y_train=Y[:200])
    >>> decided.labels.shape, decided.cuts.shape
    ((100, 4), (4,))
    """
    options.setdefault("decide", FOR_MEASURE)
    documents = prepare(scores, **options)
    is_chosen = documents.decisions is not None and options["decide"] == FOR_MEASURE
    if documents.decisions is not None and is_chosen and not known:
        return documents.decisions
    model = documents.model
    probability = np.array(ranked(documents).probability)
    named = {
        i: row_in_order(one, model.class_names, f"known[{i}]") for i, one in (known or {}).items()
    }
    labels = _checked(named, *probability.shape)
    if model.task == SINGLE_LABEL:
        for i, given in labels.items():
            check_one_label(given[np.newaxis], f"known[{i}]")
    for i, given in labels.items():
        probability[i] = given
    if not is_chosen:
        decided = Decided(documents.decided)
        decided = replace(decided, expected=model.expected_value(probability, decided.labels))
    else:
        decided = model.choose(probability)
    for i, given in labels.items():
        decided.labels[i] = given
    return decided


def _checked(known: Mapping[int, Any], n: int, m: int) -> dict[int, NDArray[np.bool_]]:
    labels = {}
    for i, given in known.items():
        row = as_labels(given, f"known[{i}]").ravel()
        if not 0 <= i < n or row.shape != (m,):
            raise ValueError(
                f"known must map documents, 0 to {n - 1}, to one 0/1 label per class, {m}, but has "
                f"{len(row)} labels for document {i}"
            )
        labels[int(i)] = row
    return labels
