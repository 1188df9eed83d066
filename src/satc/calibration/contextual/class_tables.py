"""What the features of a pair need to know of the classes, as arrays for the compiled loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.calibration.contextual.cooccurrence import Cooccurrence

Array = NDArray[np.float64]


class ClassTables(NamedTuple):
    """Scales, priors and co-occurrences of the classes."""

    scale: Array
    log_prior: Array
    never: Array  # evidence of a label for labels that it never occurs with
    lift_starts: NDArray[np.int64]
    lift_columns: NDArray[np.int32]
    lift: Array

    @classmethod
    def of(cls, scale: Array, log_prior: Array, cooccurrence: Cooccurrence) -> ClassTables:
        """Gather what was learnt."""
        lift = cooccurrence.lift_
        return cls(
            scale,
            log_prior,
            cooccurrence.never_,
            lift.indptr.astype(np.int64, copy=False),
            lift.indices.astype(np.int32, copy=False),
            lift.data,
        )
