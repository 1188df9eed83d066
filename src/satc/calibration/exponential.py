"""The logistic function as a compiled loop, which computes several numbers at once.

The exponential is 2^n times a polynomial of the remainder, as in every mathematical library. Here
it is written out, because a call of a library cannot be vectorised: it takes about three times as
long. The result differs from the exact one by at most two units in the last place.

The cache of numba checks only the file of a function. After a change here, delete the cache of the
loop that calls this function (`line_sums.py`).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

_FAR = 700.0  # log-odds are limited to this magnitude; the exponential is finite there
_LOG2_E = 1.0 / math.log(2.0)
_LN2_HIGH = float.fromhex("0x1.62e42fefa0000p-1")  # its product with n is exact
_LN2_LOW = float.fromhex("0x1.cf79abc9e3b3ap-40")
_ROUND = 1.5 * 2.0**52  # a number plus this, minus this, is the nearest integer
_C2, _C3, _C4, _C5, _C6, _C7 = (1.0 / math.factorial(k) for k in range(2, 8))
_C8, _C9, _C10, _C11, _C12, _C13 = (1.0 / math.factorial(k) for k in range(8, 14))
_BIAS = 1023  # of the exponents of double precision
_SHIFT = 52  # bits to the right of the exponent


@njit(cache=True, nogil=True, error_model="numpy")
def expit_row(logits: Array, bits: NDArray[np.int64], powers: Array, out: Array) -> None:
    """Write the probabilities of log-odds to `out`.

    `bits` is a work array of at least the same length, and `powers` a view of it as floats.
    """
    for j in range(len(logits)):
        x = -logits[j]
        x = _FAR if x > _FAR else x
        x = -_FAR if x < -_FAR else x
        n = (x * _LOG2_E + _ROUND) - _ROUND
        r = (x - n * _LN2_HIGH) - n * _LN2_LOW
        tail = _C8 + r * (_C9 + r * (_C10 + r * (_C11 + r * (_C12 + r * _C13))))
        rest = _C2 + r * (_C3 + r * (_C4 + r * (_C5 + r * (_C6 + r * (_C7 + r * tail)))))
        out[j] = 1.0 + (r + r * r * rest)
        bits[j] = (np.int64(np.int32(n)) + _BIAS) << _SHIFT
    for j in range(len(logits)):
        out[j] = 1.0 / (1.0 + out[j] * powers[j])
