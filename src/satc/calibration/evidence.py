"""`Evidence`: what is known of documents besides their scores.

Features say which documents are similar. Opinions are the scores of further classifiers or people
on the same documents and classes. A document that an opinion does not know has NaN in its row.
Functions that take features also take evidence, which holds features and opinions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.calibration.similarity.features import as_features
from satc.training import Training

Array = NDArray[np.float64]
Opinions = Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Features of documents, and opinions on them.

    Attributes
    ----------
    features : array or sparse matrix, documents x features, or None
    opinions : mapping from a name to an array of scores, documents x classes
    """

    features: Any = None
    opinions: Opinions = field(default_factory=dict)

    def rows(self, rows: Any) -> Evidence:
        """Return the evidence on some documents."""
        features = None if self.features is None else self.features[rows]
        return Evidence(features, {name: one[rows] for name, one in self.opinions.items()})


def evidence_of(known: Any, name: str = "features") -> Evidence:
    """Return evidence of features, of evidence, or of None; features are checked.

    >>> evidence_of(None).features is None
    True
    """
    if isinstance(known, Evidence):
        features = None if known.features is None else as_features(known.features, name)
        return Evidence(features, known.opinions)
    return Evidence(None if known is None else as_features(known, name))


def evidence_on_training(training: Training) -> Any:
    """Return the features of training documents; with opinions, evidence that holds both."""
    features = training.features
    if features is not None:
        features = as_features(features, "train_features")
    return Evidence(features, training.opinions) if training.opinions else features


def rows_of(known: Any, rows: Any) -> Any:
    """Return the features, or the evidence, of some documents; None stays None."""
    if known is None:
        return None
    return known.rows(rows) if isinstance(known, Evidence) else known[rows]


def is_there(opinion: Array) -> NDArray[np.bool_]:
    """Return which documents an opinion knows: those without NaN.

    >>> is_there(np.array([[1.0, -1.0], [np.nan, np.nan]]))
    array([ True, False])
    """
    return np.asarray(np.isfinite(opinion).all(axis=1))
