"""Arrays as compiled loops take them: contiguous, writeable, of one type of number.

Numba compiles a function anew for every type of array, and a read-only array or a slice of columns
is a type of its own. A block that does not have the usual type is copied.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

_USUAL: list[Literal["C", "W"]] = ["C", "W"]  # contiguous rows, writeable


def as_doubles(values: Any) -> NDArray[np.float64]:
    """Return values in double precision.

    >>> as_doubles(np.ones((2, 4), dtype=np.float32)[:, ::2]).flags.c_contiguous
    True
    """
    return np.require(values, dtype=np.float64, requirements=_USUAL)


def as_singles(values: Any) -> NDArray[np.float32]:
    """Return values in single precision."""
    return np.require(values, dtype=np.float32, requirements=_USUAL)


def as_flags(values: Any) -> NDArray[np.bool_]:
    """Return booleans."""
    return np.require(values, dtype=np.bool_, requirements=_USUAL)
