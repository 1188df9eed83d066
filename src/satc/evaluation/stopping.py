"""When the annotator stops: persistence p and the expected fraction xi (Section 5.3).

After each document the annotator continues with probability p. The expected number of validated
documents tends to 1 / (1 - p), which is the fraction xi = 1 / (|Te| (1 - p)) of the set.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def persistence(xi: float, n_documents: int) -> float:
    """Return p from xi.

    If the expected number of documents is below one, the annotator reads one document: p is 0.

    >>> round(persistence(0.20, 1000), 4), round(persistence(0.20, 10_000), 4)
    (0.995, 0.9995)
    """
    if not 0 < xi <= 1:
        raise ValueError(f"xi must be a fraction above 0 and up to 1, but is {xi!r}")
    return max(0.0, 1.0 - 1.0 / (xi * n_documents))


def expected_fraction(p: float, n_documents: int) -> float:
    """Return xi from p.

    >>> round(expected_fraction(0.995, 1000), 4)
    0.2
    """
    if not 0 <= p < 1:
        raise ValueError(f"p must be a probability below 1, but is {p!r}")
    return 1.0 / (n_documents * (1.0 - p))


def stopping_distribution(p: float, n_documents: int) -> NDArray[np.float64]:
    """Return P_s(n) for n = 1, ..., |Te| (Equation 12).

    >>> stopping_distribution(0.5, 3)
    array([0.5 , 0.25, 0.25])
    """
    if not 0 <= p <= 1:
        raise ValueError(f"p must be a probability, but is {p!r}")
    survival = reach(p, n_documents)
    return survival - np.append(survival[1:], 0.0)


def reach(p: float, n_documents: int) -> NDArray[np.float64]:
    """Return P(the annotator reaches document n) = p^(n-1), for n = 1, ..., |Te|."""
    return np.power(p, np.arange(n_documents, dtype=np.float64))
