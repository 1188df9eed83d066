"""Put the opinions of files beside features and training documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.calibration.evidence import Evidence
from satc.texts.opinions.reading import Opinion
from satc.training import Training

Array = NDArray[np.float64]


def with_opinions(features: Any, opinions: Mapping[str, Array]) -> Any:
    """Return evidence of features and opinions; without opinions, the features."""
    return Evidence(features, opinions) if opinions else features


def opinions_on(
    opinions: Iterable[Opinion], ids: Sequence[str] | None, n_documents: int, start: int = 0
) -> dict[str, Array]:
    """Return what opinions say about documents, of which the first is the document `start`."""
    return {one.name: one.documents.of(ids, n_documents, start) for one in opinions}


def training_with(
    training: Training, opinions: Iterable[Opinion], ids: Sequence[str] | None, whose: object
) -> Training:
    """Add the opinions that are known of the training documents, which come from `whose` file."""
    known = {
        one.name: one.on_training(ids, training.n_documents, whose)
        for one in opinions
        if one.training is not None
    }
    return replace(training, opinions={**training.opinions, **known}) if known else training
