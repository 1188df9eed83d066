"""Sums that do not depend on the order of their terms.

An engine adds the pairs of a document in whatever order they arrive, and floating-point sums
differ by the order: documents that tie would not, or not always. So a contribution is cut into a
coarse and a fine part, each a multiple of a unit so large that no sum over the classes is ever
rounded. Such sums are exact in any order, on any number of workers, and after one of them has
died: equal contributions give equal utilities, to the bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np

from satc.gains import Gains

_MANTISSA = 52
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
    """The two units, for so many contributions up to a largest one.

    >>> sums = ExactSums(largest=0.7, terms=100)
    >>> sum(sums.cut(0.1))
    0.1
    >>> coarse, fine = sums.cut(0.1)
    >>> sum([coarse] * 100) / 100 == coarse
    True
    """

    largest: float
    terms: int

    def cut(self, contribution: Any) -> tuple[Any, Any]:
        """Return the coarse and the fine part of a number or of an expression."""
        bits = _MANTISSA - 2 - math.ceil(math.log2(self.terms + 1))
        unit = math.ldexp(1.0, math.frexp(self.largest)[1] - bits)
        coarse = _multiple(contribution, unit)
        return coarse, _multiple(contribution - coarse, math.ldexp(unit, 1 - bits))


def _multiple(value: Any, unit: float) -> Any:
    """Round to a multiple of the unit: beside a number this large, nothing smaller is kept."""
    shift = math.ldexp(1.5 * unit, _MANTISSA)
    if isinstance(value, float):
        return (value + shift) - shift
    return (value + number(shift)) - number(shift)
