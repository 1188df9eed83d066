"""The contract of a measure: a function of ``(tp, fp, fn, tn)`` that is 1 without errors.

The cells are numbers from 0 up, not only integers. The value is a finite number, larger is better,
and it is 1 for every table without errors, also if the table is empty. The function may take arrays
as well: it is then called once for many tables, which is faster.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

_TABLES = (
    (3.0, 1.0, 2.0, 4.0),
    (0.5, 1.25, 0.75, 7.5),
    (5.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 9.0),
    (0.0, 3.0, 0.0, 2.0),
    (0.0, 0.0, 4.0, 1.0),
    (0.0, 2.0, 3.0, 0.0),
    (0.0, 0.0, 0.0, 0.0),
)


def check_measure(function: Any) -> bool:
    """Check a measure on a few tables; return whether it takes arrays."""
    if not callable(function):
        raise ValueError(f"it must be a function of (tp, fp, fn, tn), but is {function!r:.80}")
    values = [_value(function, table) for table in _TABLES]
    for table, value in zip(_TABLES, values, strict=True):
        if table[1] == table[2] == 0 and abs(value - 1.0) > 1e-9:
            raise ValueError(f"it must be 1 for a table without errors, but {_said(table, value)}")
        if value > 1.0 + 1e-9:
            raise ValueError(f"it must be at most 1, but {_said(table, value)}")
    return _takes_arrays(function, values)


def _value(function: Callable[..., Any], table: tuple[float, ...]) -> float:
    try:
        value = function(*table)
        number = float(value)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ValueError(f"it must be a number for {_cells(table)}, but fails: {error}") from error
    if not math.isfinite(number):
        raise ValueError(f"it must be finite, but {_said(table, number)}")
    return number


def _takes_arrays(function: Callable[..., Any], values: list[float]) -> bool:
    cells = np.array(_TABLES).T
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(function(*cells), dtype=np.float64)
    except Exception:  # a function of numbers may fail in any way
        return False
    return found.shape == (len(values),) and bool(np.allclose(found, values, rtol=1e-12, atol=0))


def _said(table: tuple[float, ...], value: float) -> str:
    return f"is {value:g} for {_cells(table)}"


def _cells(table: tuple[float, ...]) -> str:
    named = zip(("tp", "fp", "fn", "tn"), table, strict=True)
    return ", ".join(f"{name}={cell:g}" for name, cell in named)
