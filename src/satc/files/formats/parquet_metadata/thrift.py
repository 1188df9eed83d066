"""Structs in Thrift's compact protocol, in which Parquet files describe themselves."""

from __future__ import annotations

from typing import Any

Fields = dict[int, Any]  # by number; None for what nobody here needs: bytes and fractions

_DEPTH_LIMIT = 30


class BadStructError(ValueError):
    """The bytes are no struct. An `IndexError` says that they are cut off."""


def read_struct(data: bytes, at: int = 0, depth: int = 0) -> tuple[Fields, int]:
    r"""Read a struct; return its fields by number, and where it ends.

    >>> read_struct(b"\x15\x06\x19\x25\x02\x04\x00")
    ({1: 3, 2: [1, 2]}, 7)
    """
    if depth > _DEPTH_LIMIT:
        raise BadStructError("it is nested too deeply")
    fields: Fields = {}
    number = 0
    while True:
        head = data[at]
        at += 1
        if head == 0:
            return fields, at
        if head >> 4:
            number += head >> 4
        else:
            number, at = _zigzag(data, at)
        fields[number], at = _value(data, at, head & 15, depth)


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (1, 2):  # true, false
        return kind == 1, at
    if kind == 3:  # a byte
        return data[at], at + 1
    if kind in (4, 5, 6):  # whole numbers
        return _zigzag(data, at)
    if kind in (7, 13):  # a floating point number, a UUID
        return None, _within(data, at + (8 if kind == 7 else 16))
    if kind == 8:  # bytes
        length, at = _varint(data, at)
        return None, _within(data, at + length)
    if kind in (9, 10):
        return _list(data, at, depth)
    if kind == 11:
        return None, _skip_map(data, at, depth)
    if kind == 12:
        return read_struct(data, at, depth + 1)
    raise BadStructError("it has a field of an unknown kind")


def _element(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """Read an element of a list or a map, where a truth value has a byte of its own."""
    if kind in (1, 2):
        return data[at] == 1, at + 1
    return _value(data, at, kind, depth + 1)


def _list(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    head = data[at]
    at += 1
    length = head >> 4
    if length == 15:
        length, at = _varint(data, at)
    found = []
    for _ in range(length):
        one, at = _element(data, at, head & 15, depth)
        found.append(one)
    return found, at


def _skip_map(data: bytes, at: int, depth: int) -> int:
    length, at = _varint(data, at)
    if not length:
        return at
    kinds = data[at]
    at += 1
    for _ in range(length):
        _, at = _element(data, at, kinds >> 4, depth)
        _, at = _element(data, at, kinds & 15, depth)
    return at


def _within(data: bytes, at: int) -> int:
    if at > len(data):
        raise IndexError(at)
    return at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if not byte & 128:
            return value, at
        shift += 7
        if shift > 63:
            raise BadStructError("a number in it is too long")


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at
