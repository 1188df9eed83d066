"""Sums that do not depend on the order of their terms.

An engine adds the contributions of a document in any order, and the rounding of a floating-point
sum depends on that order. So documents with the same contributions could get different utilities.
To avoid this, each contribution is split into a coarse and a fine part. Each part is a multiple of
a unit that is large enough for the sum over all classes to need no rounding. Such sums are exact in
any order, on any number of workers, and also after a worker has failed and its work was repeated.
Documents with the same contributions get the same utility, bit for bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np

from satc.gains import Gains

_MANTISSA_BITS = 52
_GAIN_BITS = 40


def number(value: float) -> Any:
    """Expression: exactly this number; an engine may round a decimal literal differently."""
    return ibis.literal(repr(float(value))).cast("float64")


def rounded(gains: Gains) -> Gains:
    """Round gains to 40 bits, so that gains that differ only by rounding errors become equal.

    >>> rounded(Gains(np.array([0.1, 0.1 + 1e-17]), np.zeros(2))).fp.tolist()
    [0.10000000000002274, 0.10000000000002274]
    """

    def round_bits(values: Any) -> Any:
        mantissa, exponent = np.frexp(values)
        return np.ldexp(np.round(np.ldexp(mantissa, _GAIN_BITS)), exponent - _GAIN_BITS)

    return Gains(round_bits(gains.fp), round_bits(gains.fn))


@dataclass(frozen=True)
class ExactSums:
    """Split contributions so that sums of them are exact.

    `largest` is the largest absolute value of a contribution, `terms` the largest number of
    contributions in a sum.

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
        """Return the coarse and the fine part of a number, of an array or of an expression."""
        bits = _MANTISSA_BITS - 2 - math.ceil(math.log2(self.terms + 1))
        unit = math.ldexp(1.0, math.frexp(self.largest)[1] - bits)
        coarse = rounded_to(contribution, unit)
        return coarse, rounded_to(contribution - coarse, math.ldexp(unit, 1 - bits))


def rounded_to(value: Any, unit: float) -> Any:
    """Round a number, an array or an expression to a multiple of the unit.

    A large number is added and subtracted.
    """
    shift = math.ldexp(1.5 * unit, _MANTISSA_BITS)
    if isinstance(value, float | np.ndarray):
        return (value + shift) - shift
    return (value + number(shift)) - number(shift)
