"""`RawPredictions`: the predictions of a file as they stand there, before they become scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.errors import DataError
from satc.files.predictions.kinds import LABELS, PROBABILITIES, VOTES
from satc.files.tasks import LEAST_LABELLED, suggested_task
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, indicator, off_sums

Array = NDArray[np.float64]
_NEAR_ONE = 0.05  # sums that are not farther from 1 may be those of a softmax
NameSets = list[tuple[str, ...] | None]
ANNIF = "suggestions of Annif"  # a form: the best classes of each document


@dataclass(frozen=True, eq=False)
class RawPredictions:
    """Predictions of documents; either `values`, `labels` or `votes` are there.

    Attributes
    ----------
    path, form, kind
        The file, its form in words ("wide form"), and one of `satc.files.predictions.KINDS`.
    classes
        The classes in the order of the columns of `values`, and all that labels name.
    where
        The position of each document for error messages ("a.csv, line 7").
    ids, texts, truth
        Ids, texts and true labels of the documents; None where the file has none.
    values
        Numbers, documents x classes; NaN where the file does not name the class.
    labels, confidences
        The labels of each document, and with them a number, or a dictionary of probabilities.
    votes
        For each voter the labels of each document, None where the voter has not seen it.
    ignored
        Columns that are not read.
    precision
        The type of the numbers in the file, to which thresholds are rounded.
    """

    path: Path
    form: str
    kind: str
    classes: tuple[str, ...]
    where: Sequence[str]
    ids: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    truth: list[tuple[str, ...]] | None = None
    values: Array | None = None
    labels: NameSets | None = None
    confidences: list[Any] | None = None
    votes: list[NameSets] | None = None
    ignored: tuple[str, ...] = ()
    precision: Any = np.float64

    def __len__(self) -> int:
        return len(self.where)

    @property
    def suggested_task(self) -> str | None:
        """The task that the predictions suggest; None if scores or logits say nothing about it."""
        if self.kind == VOTES:
            given = [one for voter in self.votes or () for one in voter if one is not None]
            return suggested_task(indicator(given, self.classes))
        if self.kind == LABELS and self.values is not None:
            return suggested_task(self.values == 1.0)
        if self.labels is not None:
            return suggested_task(indicator([one or () for one in self.labels], self.classes))
        if self.kind != PROBABILITIES or self.values is None:
            return None
        if self.form == ANNIF:  # subjects of a document; their scores sum to 1 by chance only
            return MULTI_LABEL
        return SINGLE_LABEL if self._sums_to_one() else MULTI_LABEL

    def _sums_to_one(self) -> bool:
        """Whether the probabilities that each document names sum to 1; refuse doubtful files."""
        values = np.nan_to_num(np.asarray(self.values))
        if values.shape[1] < 2:
            return False
        wrong, near = off_sums(values), np.abs(values.sum(axis=1) - 1.0) <= _NEAR_ONE
        if len(wrong) and (2 * len(wrong) < len(values) or near.mean() >= LEAST_LABELLED):
            i = int(wrong[0])
            raise DataError(
                f"{self.where[i]}: probabilities sum to {values[i].sum():.4g}, but those of most "
                "documents to about 1: say --multi-label, or make every row sum to 1 if each "
                "document has exactly one label (--single-label)"
            )
        return not len(wrong)

    def with_none_class(self, name: str | None) -> RawPredictions:
        """Give documents without a label the class of this name; with None, none of them."""
        if name is None:
            return self
        filled: dict[str, Any] = {}
        for field in ("labels", "truth"):
            if (sets := getattr(self, field)) is not None:
                filled[field] = [names or (name,) for names in sets]
        if self.votes is not None:
            filled["votes"] = [
                [None if names is None else names or (name,) for names in voter]
                for voter in self.votes
            ]
        if self.values is None and name not in self.classes:
            filled["classes"] = (*self.classes, name)
        return replace(self, **filled)
