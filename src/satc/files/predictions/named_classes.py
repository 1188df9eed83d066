"""What the classes that each document names tell: all of them, or the one that was best."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from satc.files.predictions.kinds import LABELS, PROBABILITIES
from satc.files.predictions.raw import NameSets, RawPredictions

EVERY_CLASS = "lists of all classes and their scores"
ONE_CLASS = "labels with confidences (each document names one class)"


def as_every_class(raw: RawPredictions) -> RawPredictions:
    """Take lists of labels and scores for probabilities if every document names all classes.

    Zero-shot classification of Hugging Face gives such lists. With fewer classes in some documents,
    or with a single class, the labels are labels.
    """
    given: list[Any] = raw.confidences or []
    if len(given[0]) < 2 or any(set(one) != set(given[0]) for one in given):
        return raw
    values = np.array([[one.get(name, np.nan) for name in raw.classes] for one in given])
    return replace(
        raw, form=EVERY_CLASS, kind=PROBABILITIES, values=values, labels=None, confidences=None
    )


def as_one_class(raw: RawPredictions) -> RawPredictions:
    """Take probabilities for labels with confidences if every document names exactly one class.

    This is the best class of each document, whatever its probability. Where all documents name the
    same class, the numbers are its probabilities.
    """
    if raw.kind != PROBABILITIES or raw.values is None or raw.values.shape[1] < 2:
        return raw
    named = ~np.isnan(raw.values)
    if (named.sum(axis=1) != 1).any() or named.any(axis=0).sum() < 2:
        return raw
    best = named.argmax(axis=1)
    labels: NameSets = [(raw.classes[j],) for j in best]
    numbers = raw.values[np.arange(len(best)), best].tolist()
    return replace(
        raw, form=ONE_CLASS, kind=LABELS, values=None, labels=labels, confidences=numbers
    )
