"""Parents that follow from the notation of codes: ``sport/football``, ``1:2``, ``C14.280.067``."""

from __future__ import annotations

from collections.abc import Sequence

SEPARATORS = ("/", ":", ".")


def check_separator(separator: str | None) -> None:
    """Refuse a separator that codes of a hierarchy are not written with."""
    if separator is not None and separator not in SEPARATORS:
        raise ValueError(
            f"hierarchy must be one of {' '.join(SEPARATORS)} (as in sport/football, 1:2 or "
            f"C14.280.067), but is {separator!r}"
        )


def parents_by_notation(codes: Sequence[str], separator: str) -> tuple[tuple[str, ...], ...]:
    """Return the parent of each code: the longest beginning of it that is a code.

    >>> parents_by_notation(["C14", "C14.280.067", "C14.280", "D1.2"], ".")
    ((), ('C14.280',), ('C14',), ())
    """
    check_separator(separator)
    known = set(codes)
    return tuple(_parent(code, separator, known) for code in codes)


def _parent(code: str, separator: str, known: set[str]) -> tuple[str, ...]:
    above = code
    while separator in above:
        above = above.rpartition(separator)[0]
        if above in known:
            return (above,)
    return ()
