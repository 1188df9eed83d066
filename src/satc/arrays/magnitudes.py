"""Scores of extreme magnitude: they are multiplied by a power of two before anything is computed.

Probabilities, utilities and orders do not depend on the unit of the scores, but sums and squares of
scores near 1e308 overflow, and the reciprocals of subnormal scores do. Scores whose largest
magnitude is far from 1 are therefore brought near 1. Multiplying by a power of two is exact; scores
of ordinary magnitude do not change.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_ORDINARY = 60  # magnitudes from 2^-60 to 2^60 do not change
_LARGEST = 2.0**120  # probabilities are 0 or 1 long before, and it is a float32
_SMALLEST = float(np.finfo(np.float64).tiny)


def largest_magnitude(values: NDArray[Any]) -> float:
    """Return the largest finite |value|; 0 if there is none."""
    if not values.size:
        return 0.0
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    largest = max(-low, high)
    return largest if np.isfinite(largest) else 0.0


def extreme_exponent(values: NDArray[Any]) -> int:
    """Return e if the largest |value| is near 2^e and far from 1; 0 where it is ordinary.

    >>> extreme_exponent(np.array([[1e308, -3.0]])), extreme_exponent(np.array([[0.5, -3.0]]))
    (1024, 0)
    >>> extreme_exponent(np.array([[5e-324]]))
    -1073
    """
    exponent = int(np.frexp(largest_magnitude(values))[1])
    return exponent if abs(exponent) > _ORDINARY else 0


def scaled(values: NDArray[Any], exponent: int) -> NDArray[Any]:
    """Return values / 2^exponent, with their signs; none of them is larger than 2^120.

    Values of ordinary magnitude are returned as they are if the exponent is 0.

    >>> scaled(np.array([1e308, -1e308]), 1024).round(3)
    array([ 0.556, -0.556])
    >>> scaled(np.array([-1e-300]), 1024) < 0
    array([ True])
    """
    if exponent == 0 and largest_magnitude(values) <= 2.0**_ORDINARY:
        return values
    with np.errstate(under="ignore", over="ignore"):
        result = np.ldexp(values.astype(np.float64), -exponent)
    result = np.clip(result, -_LARGEST, _LARGEST)
    lost = (result == 0.0) & (values != 0.0)
    result[lost] = np.copysign(_SMALLEST, values[lost])
    return result


def refuse_extreme(values: NDArray[Any], name: str) -> None:
    """Raise an error if the largest |value| is far from 1, where values cannot be changed.

    >>> refuse_extreme(np.array([[1e308]]), "oof_scores")
    Traceback (most recent call last):
    ...
    ValueError: oof_scores must have a largest magnitude from 1e-18 to 1e18, but it is 1e+308
    """
    if extreme_exponent(values):
        raise ValueError(
            f"{name} must have a largest magnitude from 1e-18 to 1e18, but it is "
            f"{largest_magnitude(values):g}"
        )
