"""The probabilities that a project's calibrator gave, with a digest of what they came from.

They are stored in double precision in the array `fitted`. `fitted_from` is a JSON object of two
digests: of what the calibrator was fitted to, and of the stored probabilities themselves. Whatever
is missing, damaged or came from something else is not returned.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete

from satc.workbench.store import schema
from satc.workbench.store.arrays import Part, get_bytes, get_dense, parts_of
from satc.workbench.store.connection import Store, Transaction
from satc.workbench.store.digests.faults import DamagedError

Array = NDArray[np.float64]

_VALUES, _FROM = "fitted", "fitted_from"


def remove_fit(connection: Transaction, project: int) -> None:
    """Remove the stored probabilities, before others are stored."""
    table = schema.arrays
    for name in (_FROM, _VALUES):
        connection.execute(delete(table).where(table.c.project == project, table.c.name == name))


def fit_parts(source: str, probability: Array) -> Iterator[Part]:
    """Give probabilities to be stored; `source` is the digest of their origin.

    The digests come last: without them, nobody reads the rest.
    """
    yield from parts_of(_VALUES, probability)
    digests = {"source": source, "values": _digest(probability)}
    yield Part(_FROM, 0, json.dumps(digests).encode())


def read_fit(store: Store, project: int, source: str, shape: tuple[int, ...]) -> Array | None:
    """Return the stored probabilities of this source; None if there are none to be trusted."""
    try:
        digests = json.loads(get_bytes(store, project, _FROM) or b"null")
        if not isinstance(digests, dict) or digests.get("source") != source:
            return None
        found = get_dense(store, project, _VALUES)
    except (DamagedError, ValueError, TypeError, RecursionError):
        return None  # not JSON, not an array, or parts that do not fit together
    if found is None or not _are_probabilities(found, shape):
        return None
    return found if digests.get("values") == _digest(found) else None


def is_whole(store: Store, project: int) -> bool:
    """Whether the stored probabilities match their digest; True if there are none."""
    if (stored := get_bytes(store, project, _FROM)) is None:
        return get_bytes(store, project, _VALUES) is None
    found = get_dense(store, project, _VALUES)
    return found is not None and json.loads(stored).get("values") == _digest(found)


def _are_probabilities(found: NDArray[Any], shape: tuple[int, ...]) -> bool:
    if found.dtype != np.float64 or found.shape != shape:
        return False
    return bool(((found >= 0.0) & (found <= 1.0)).all())


def _digest(probability: Array) -> str:
    return sha256(np.ascontiguousarray(probability).data).hexdigest()
