"""Sixteen numbers that compiled code computes at once.

A *lane* is one of the sixteen positions. In functions that numba compiles, a value of the type
`Lanes` is a vector of LLVM with 16 floats of 32 bits, and a `Mask` has a truth value for each lane.
Every processor can compute with them: one with short vectors divides them into parts. Rows of
arrays with 16 columns are read by `load` and written by `store`; `zeros` makes such arrays.

Functions that take or return such values must have the option ``inline="always"``: compiled code
that numba has kept from an earlier run does not pass them reliably.

Sums and products are rounded as written, so the numbers are the same on every processor.

Numba does not vectorise loops over a few columns by itself: with these types, the sums of a
document for all folds take less time than the sum for one.

Examples
--------
>>> from numba import njit
>>> @njit
... def larger_than_one(rows, times):
...     doubled = load(rows, 1) * splat(times)
...     store(rows, 0, where(doubled > splat(np.float32(1)), doubled, load(rows, 0)))
>>> rows = zeros(2)
>>> rows[1, 3] = 2
>>> larger_than_one(rows, np.float32(2))
>>> rows[0, 2:5].tolist()
[0.0, 4.0, 0.0]
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, models, overload, register_model
from numpy.typing import NDArray

N_LANES = 16
_LINE = 64  # bytes of a line of the cache, which holds the sixteen numbers of a row

_NUMBERS = ir.VectorType(ir.FloatType(), N_LANES)
_TRUTHS = ir.VectorType(ir.IntType(1), N_LANES)
_INDEX = ir.IntType(64)
_FIRST = ir.Constant(ir.VectorType(ir.IntType(32), N_LANES), [0] * N_LANES)
_UNALIGNED = 4  # bytes; `zeros` aligns rows to lines, but other arrays may be loaded, too


def zeros(n_rows: int) -> NDArray[np.float32]:
    """Return an array of zeros, rows x lanes, with each row in one line of the cache."""
    size = np.dtype(np.float32).itemsize
    memory = np.zeros(n_rows * N_LANES + _LINE // size, dtype=np.float32)
    start = -memory.ctypes.data % _LINE // size
    return memory[start : start + n_rows * N_LANES].reshape(n_rows, N_LANES)


class Lanes(types.Type):
    """The type of sixteen numbers."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


class Mask(types.Type):
    """The type of sixteen truth values."""

    def __init__(self) -> None:
        super().__init__(name="Mask")


_lanes, _mask = Lanes(), Mask()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, of: Lanes) -> None:
        super().__init__(manager, of, _NUMBERS)


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, of: Mask) -> None:
        super().__init__(manager, of, _TRUTHS)


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of a row, for the arguments `array` and `row`."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    row = context.cast(builder, arguments[1], signature.args[1], types.int64)
    return builder.gep(builder.bitcast(array.data, _NUMBERS.as_pointer()), [row])


@intrinsic
def load(typing: Any, array: Any, row: Any) -> Any:
    """Return a row of an array of 16 columns; the index is not checked."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_address(context, builder, signature, arguments), align=_UNALIGNED)

    return _lanes(array, row), generate


@intrinsic
def store(typing: Any, array: Any, row: Any, value: Any) -> Any:
    """Set a row of an array of 16 columns; the index is not checked."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature, arguments)
        builder.store(arguments[2], address, align=_UNALIGNED)
        return context.get_dummy_value()

    return types.void(array, row, value), generate


@intrinsic
def splat(typing: Any, number: Any) -> Any:
    """Return the same number in all lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        unknown = ir.Constant(_NUMBERS, ir.Undefined)
        one = builder.insert_element(unknown, arguments[0], ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(one, unknown, _FIRST)

    return _lanes(types.float32), generate


@intrinsic
def where(typing: Any, condition: Any, then: Any, otherwise: Any) -> Any:
    """Return `then` in the lanes where the condition holds, and `otherwise` in the others."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    return _lanes(_mask, _lanes, _lanes), generate


@intrinsic
def any_of(typing: Any, condition: Any) -> Any:
    """Whether a condition holds in any lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(arguments[0], ir.IntType(N_LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(_mask), generate


def _operator(
    of: Callable[[Any, Any], Any], operand: Any, result: Any, build: Callable[[Any, Any, Any], Any]
) -> None:
    """Define an operator of two values of one type."""

    @intrinsic
    def compute(typing: Any, left: Any, right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return build(builder, *arguments)

        return result(operand, operand), generate

    @overload(of, strict=False, inline="always")  # not strict: only `choose` has annotations
    def choose(left: Any, right: Any) -> Any:
        if left == operand and right == operand:
            return lambda left, right: compute(left, right)
        return None


_operator(operator.add, _lanes, _lanes, lambda b, x, y: b.fadd(x, y))
_operator(operator.sub, _lanes, _lanes, lambda b, x, y: b.fsub(x, y))
_operator(operator.mul, _lanes, _lanes, lambda b, x, y: b.fmul(x, y))
_operator(operator.lt, _lanes, _mask, lambda b, x, y: b.fcmp_ordered("<", x, y))
_operator(operator.gt, _lanes, _mask, lambda b, x, y: b.fcmp_ordered(">", x, y))
_operator(operator.eq, _lanes, _mask, lambda b, x, y: b.fcmp_ordered("==", x, y))
_operator(operator.and_, _mask, _mask, lambda b, x, y: b.and_(x, y))
_operator(operator.or_, _mask, _mask, lambda b, x, y: b.or_(x, y))


@njit(inline="always")
def minimum(left: Any, right: Any) -> Any:
    """Return the smaller number of each lane."""
    return where(left < right, left, right)


@njit(inline="always")
def maximum(left: Any, right: Any) -> Any:
    """Return the larger number of each lane."""
    return where(left > right, left, right)
