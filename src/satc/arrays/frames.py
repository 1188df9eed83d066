"""Frames: columns are matched by their names, whatever their order.

The columns of a pandas or polars frame, or of an Arrow table, have names. If several arguments are
frames, their columns are brought into the order of the first one. Frames whose columns are only
numbered (0, 1, 2, ... of pandas, column_0, column_1, ... of polars) are taken by position, as
arrays are. Names that do not agree are an error that tells them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

Names = tuple[Hashable, ...]

_SHOWN = 5  # names in an error


def column_names(value: Any) -> Names | None:
    """Return the names of the columns of a frame; None for everything else.

    >>> import pandas as pd
    >>> column_names(pd.DataFrame([[1, 2]], columns=["wheat", "corn"]))
    ('wheat', 'corn')
    >>> column_names(np.zeros((1, 2))) is None
    True
    """
    if len(getattr(value, "shape", ())) != 2:
        return None
    names = getattr(value, "column_names", None)  # of an Arrow table
    if names is None:
        names = getattr(value, "columns", None)
    return None if names is None or callable(names) else tuple(names)


def common_names(found: Iterable[Names | None]) -> Names | None:
    """Return the names of the columns in the order of the first frame; None if no frame has any.

    >>> common_names([None, (0, 1), ("wheat", "corn"), ("corn", "wheat")])
    ('wheat', 'corn')
    >>> common_names([(0, 1), (1, 0)])
    (0, 1)
    """
    named = [names for names in found if names is not None]
    telling = next((names for names in named if not is_numbered(names)), None)
    if telling is None:
        return None
    return next(names for names in named if set(names) == set(telling))


def is_numbered(names: Sequence[Hashable]) -> bool:
    """Whether names are only the numbers of columns, in order, as pandas and polars give them."""
    numbered = all(name == j for j, name in enumerate(names))
    return numbered or all(name == f"column_{j}" for j, name in enumerate(names))


def in_order(value: Any, names: Names | None, name: str) -> Any:
    """Return a frame with its columns in the order of `names`; other values do not change.

    Parameters
    ----------
    value : Any
        The argument, such as a frame or an array.
    names : tuple or None
        The names of the columns in the order that is wanted; None if there are no names.
    name : str
        The name of the argument, for the error.
    """
    found = column_names(value)
    if names is None or found is None or found == names:
        return value
    places = places_of(found, names, name)
    return value if places is None else np.asarray(value)[:, places]


def row_in_order(value: Any, names: Names | None, name: str) -> Any:
    """Return a pandas Series with its entries in the order of `names`; others do not change."""
    index = getattr(value, "index", None)
    if names is None or index is None or callable(index):
        return in_order(value, names, name)
    if all(isinstance(one, int | np.integer) for one in index) and set(index) != set(names):
        return value
    places = places_of(tuple(index), names, name, "entries")
    return value if places is None else np.asarray(value)[places]


def places_of(found: Names, names: Names, name: str, what: str = "columns") -> list[int] | None:
    """Return where each of the names is found; None if the found ones are only numbers."""
    if found == names:
        return None
    if len(set(found)) == len(found) == len(names) and set(found) == set(names):
        place = {one: j for j, one in enumerate(found)}
        return [place[one] for one in names]
    if is_numbered(found):
        return None
    raise ValueError(
        f"{name} must have the {what} {_listed(names)}, each once, but has {_listed(found)}"
        f"{_difference(found, names)}"
    )


def _difference(found: Names, names: Names) -> str:
    missing = [one for one in names if one not in set(found)]
    return f": {missing[0]!r} is missing" if missing else ""


def _listed(names: Names) -> str:
    shown = ", ".join(repr(one) for one in names[:_SHOWN])
    more = len(names) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
