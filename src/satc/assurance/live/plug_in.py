"""The plug-in estimate that the conclusion of the paper suggests.

The estimated contingency tables are updated by the corrections, and the measure of these tables is
the estimate. It is far too low where classes are rare, because the F1 of expected counts is not the
expected F1. `accuracy` draws labels instead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satc.contingency import ContingencyTables
from satc.inputs import Labels
from satc.measures import Measure, macro_or_micro

Array = NDArray[np.float64]


def plug_in(
    tables: ContingencyTables, decided: Labels, labels: Labels, measure: Measure, average: str
) -> float:
    """Return the measure of the estimated tables after the corrections.

    Parameters
    ----------
    tables : ContingencyTables
        The tables that were estimated before the first correction.
    decided, labels : arrays, documents x classes
        The classifier's decisions on the validated documents, and their true labels.
    measure, average
        The measure to estimate, and how it is averaged over classes.

    Examples
    --------
    >>> from satc.measures import F1
    >>> cells = ContingencyTables(*np.array([[3.0], [1.0], [1.0], [5.0]]))
    >>> plug_in(cells, np.array([[True]]), np.array([[False]]), F1, "macro")
    0.8571428571428571
    """
    fp = np.minimum(np.count_nonzero(decided & ~labels, axis=0), tables.fp)
    fn = np.minimum(np.count_nonzero(~decided & labels, axis=0), tables.fn)
    corrected = ContingencyTables(tables.tp + fn, tables.fp - fp, tables.fn - fn, tables.tn + fp)
    return macro_or_micro(measure, corrected, average)
