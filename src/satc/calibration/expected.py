"""Tables of the test documents themselves, from the probabilities of their labels.

The k-fold estimate says how often the classifier errs on documents like these; calibrated
probabilities say how often it is expected to err on these documents. An expectation is never
exactly 0, but it can be next to it, and one error would then be worth more than the class can
gain: *raised* tables expect a tenth of an error more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satc.contingency import ContingencyTables
from satc.inputs import Labels

Array = NDArray[np.float64]

_RAISED_BY = 0.1


def expected_tables(probability: Array, decided: Labels) -> ContingencyTables:
    """Expected TP, FP, FN and TN of every class.

    >>> tables = expected_tables(np.array([[0.9], [0.2]]), np.array([[True], [False]]))
    >>> [float(cell[0].round(3)) for cell in tables]
    [0.9, 0.1, 0.2, 0.8]
    """
    n_decided = np.count_nonzero(decided, axis=0).astype(np.float64)
    tp = np.einsum("ij,ij->j", probability, decided)
    fn = probability.sum(axis=0) - tp
    return ContingencyTables(tp, n_decided - tp, fn, len(probability) - n_decided - fn)


def raised(tables: ContingencyTables) -> ContingencyTables:
    """Tables with a tenth of an FP and of an FN more, so that no gain is out of proportion.

    >>> raised(ContingencyTables(*np.array([[1.0], [0.0], [2.0], [7.0]]))).fp
    array([0.1])
    """
    return ContingencyTables(tables.tp, tables.fp + _RAISED_BY, tables.fn + _RAISED_BY, tables.tn)
