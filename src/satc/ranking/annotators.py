"""Distribute one ranking over several annotators (footnote to Section 6.6.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def round_robin(order: Any, n_annotators: int) -> list[NDArray[np.int64]]:
    """Distribute a ranking: annotator i gets the documents at the ranks r with r mod k = i.

    So all annotators work on the most useful documents. If the set were split before it is
    ranked, some annotators could get few of them.

    >>> round_robin([7, 3, 9, 1, 4], 2)
    [array([7, 9, 4]), array([3, 1])]
    """
    if isinstance(n_annotators, bool) or not isinstance(n_annotators, int | np.integer):
        raise TypeError(f"n_annotators must be a whole number, but is {n_annotators!r}")
    if n_annotators < 1:
        raise ValueError(f"n_annotators must be 1 or more, but is {n_annotators}")
    order = np.asarray(order)
    return [order[i::n_annotators] for i in range(n_annotators)]
