"""Sums that do not depend on the order of their terms.

An engine adds the pairs of a document in whatever order they arrive, and floating-point sums
differ by the order: documents that tie would not, or not always. So contributions are cut into
two whole numbers, a coarse and a fine one, whose sums are exact in any order, on any number
of workers, and after one of them has died. Equal contributions give equal utilities, to the bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np

from satc.gains import Gains

_COARSE = 40  # bits below the largest contribution
_FINE = 45  # bits below the coarse unit; 2**17 classes fit into 63 bits
_GAIN = 40  # bits of a gain


def number(value: float) -> Any:
    """Expression: this very number; a decimal literal may be read as a neighbour of it."""
    return ibis.literal(repr(float(value))).cast("float64")


def rounded(gains: Gains) -> Gains:
    """Round gains to 40 bits, so that those that differ by rounding errors alone are equal.

    >>> rounded(Gains(np.array([0.1, 0.1 + 1e-17]), np.zeros(2))).fp.tolist()
    [0.10000000000002274, 0.10000000000002274]
    """

    def of(values: Any) -> Any:
        mantissa, exponent = np.frexp(values)
        return np.ldexp(np.round(np.ldexp(mantissa, _GAIN)), exponent - _GAIN)

    return Gains(of(gains.fp), of(gains.fn))


@dataclass(frozen=True)
class ExactSums:
    """The units of contributions up to a largest one.

    >>> sums = ExactSums(0.7)
    >>> coarse, fine = sums.cut_number(0.1)
    >>> sums.value(coarse, fine)
    0.1
    """

    largest: float

    @property
    def unit(self) -> float:
        """The coarse unit, a power of two, so that scaling by it is exact."""
        exponent = math.frexp(self.largest)[1] if self.largest else 0
        return math.ldexp(1.0, exponent - _COARSE)

    def cut(self, contribution: Any) -> tuple[Any, Any]:
        """Return the coarse and the fine part of an expression, as expressions of int64."""
        scaled = contribution * number(1.0 / self.unit)
        coarse = (scaled + 0.5).floor()
        fine = ((scaled - coarse) * number(2.0**_FINE) + 0.5).floor()
        return coarse.cast("int64"), fine.cast("int64")

    def cut_number(self, contribution: float) -> tuple[int, int]:
        """Return the coarse and the fine part of a number."""
        scaled = contribution / self.unit
        coarse = math.floor(scaled + 0.5)
        return coarse, math.floor((scaled - coarse) * 2.0**_FINE + 0.5)

    def value(self, coarse: Any, fine: Any) -> Any:
        """Return what the two sums stand for."""
        fine_unit = self.unit * 2.0**-_FINE
        if isinstance(coarse, int):
            return coarse * self.unit + fine * fine_unit
        return coarse.cast("float64") * number(self.unit) + fine.cast("float64") * number(fine_unit)
