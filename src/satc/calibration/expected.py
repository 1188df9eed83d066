"""Expected contingency tables of the test documents, from the probabilities of their labels.

The k-fold estimate describes the errors of the classifier on similar documents; calibrated
probabilities describe its errors on these documents. An expected number of errors can be almost 0,
and the gain of one error would then be larger than the whole possible gain of the class. Therefore
*raised* tables contain a little more of each error: a tenth of an error where the scores decide, a
whole one where labels are chosen for the measure (`docs/research/decisions.md`). In a single-label
task it is always a tenth, also where labels are chosen, because that was better on training
documents. `RankingModel.raised_by` says which of the two a model uses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from satc.contingency import ContingencyTables
from satc.inputs import Labels

Array = NDArray[np.float64]

RAISED_BY = 0.1  # errors that are added where the scores decide, and in single-label tasks
RAISED_BY_CHOSEN = 1.0  # where labels of a multi-label task are chosen for the measure


def expected_tables(probability: Array, decided: Labels) -> ContingencyTables:
    """Return the expected TP, FP, FN and TN of every class.

    >>> tables = expected_tables(np.array([[0.9], [0.2]]), np.array([[True], [False]]))
    >>> [float(cell[0].round(3)) for cell in tables]
    [0.9, 0.1, 0.2, 0.8]
    """
    n_decided = np.count_nonzero(decided, axis=0).astype(np.float64)
    tp = np.einsum("ij,ij->j", probability, decided)
    fn = probability.sum(axis=0) - tp
    return ContingencyTables(tp, n_decided - tp, fn, len(probability) - n_decided - fn)


def raised(tables: ContingencyTables, by: float = RAISED_BY) -> ContingencyTables:
    """Add a part of an FP and of an FN to the tables, so that no gain is too large.

    >>> raised(ContingencyTables(*np.array([[1.0], [0.0], [2.0], [7.0]]))).fp
    array([0.1])
    """
    return ContingencyTables(tables.tp, tables.fp + by, tables.fn + by, tables.tn)
