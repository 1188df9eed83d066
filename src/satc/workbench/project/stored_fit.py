"""Opening reads instead of fitting: probabilities that a project has stored replace a fit.

They are used if they came from the same scores, training documents and settings, under the same
versions of satc and of the libraries that compute them. If not, the calibrator is fitted, and the
project stores the new probabilities. Nothing of the calibrator itself is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

import satc
from satc.calibration.evidence import Evidence
from satc.calibration.remembered import RememberedCalibrator
from satc.calibration.untrained.calibrator import Calibrator
from satc.inputs import Scores
from satc.ranking.preparation import calibrated
from satc.training import Training
from satc.workbench.store import Store
from satc.workbench.store.arrays import Part, put_parts
from satc.workbench.store.connection import StoreError
from satc.workbench.store.creating.short_transactions import ShortTransactions
from satc.workbench.store.stored_fit import fit_parts, read_fit, remove_fit

Array = NDArray[np.float64]
Read = Callable[[str, tuple[int, ...]], Array | None]  # from the digest and the shape

_LIBRARIES = ("scikit-learn", "numpy", "scipy", "numba")


def _nothing_stored(source: str, shape: tuple[int, ...]) -> None:
    """Return None: the project is new."""


class StoredFit:
    """Calibrates with stored probabilities, or fits (argument `calibrate` of `prepare`).

    Parameters
    ----------
    read
        Returns the stored probabilities that came from the same source, or None.
    """

    def __init__(self, read: Read = _nothing_stored) -> None:
        self._read = read
        self._calibrator: RememberedCalibrator | None = None
        self._new: tuple[str, Array] | None = None

    @classmethod
    def of(cls, store: Store, project: int) -> StoredFit:
        """Return the fit that a project has stored, if it has."""
        return cls(partial(read_fit, store, project))

    def __call__(
        self, scores: Scores, training: Training, known: Any, random_state: Any, task: str
    ) -> Calibrator:
        """Return a calibrator that is fitted, or that is fitted when it is needed."""
        source = digest_of(scores, training, known, random_state, task)
        probability = self._read(source, scores.shape)
        fit: Callable[[], Calibrator] = partial(
            calibrated, scores, training, known, random_state, task
        )
        if probability is None:
            fitted = fit()
            probability = fitted.probabilities(scores, known)
            self._new = source, probability
            fit = partial(_same, fitted)
        self._calibrator = RememberedCalibrator(fit, scores, known, probability)
        return self._calibrator

    @property
    def is_new(self) -> bool:
        """Whether something was fitted that is not stored."""
        return self._new is not None

    def parts(self) -> Iterator[Part]:
        """Give what was fitted, to be stored; nothing if it is stored already."""
        if self._new is not None:
            yield from fit_parts(*self._new)

    def put_if_possible(self, store: Store, project: int) -> None:
        """Store what was fitted, if it is new and the project can be written."""
        if not self.is_new:
            return
        transactions = ShortTransactions(store)
        with suppress(StoreError):
            transactions.run(lambda to: remove_fit(to, project))
            transactions.write(
                self.parts(), lambda part: part.size, lambda to, some: put_parts(to, project, some)
            )
            self._new = None

    def forget(self) -> None:
        """Free the memory of the probabilities."""
        self._new = None
        if self._calibrator is not None:
            self._calibrator.forget()


def _same(calibrator: Calibrator) -> Calibrator:
    return calibrator


def digest_of(*arguments: Any) -> str:
    """Return a digest of everything that probabilities come from.

    >>> digest_of(np.zeros(2)) == digest_of(np.zeros(2)), digest_of(1) == digest_of("1")
    (True, False)
    """
    digest = sha256()
    for part in (*_versions(), *arguments):
        for piece in _pieces(part):
            digest.update(len(piece).to_bytes(8, "little"))
            digest.update(piece)
    return digest.hexdigest()


@cache
def _versions() -> tuple[str, ...]:
    return (satc.__version__, *(_version(name) for name in _LIBRARIES))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def _pieces(value: Any) -> list[Any]:
    """Return a value as pieces of bytes, which differ where the value differs."""
    if isinstance(value, Training):
        return _pieces([value.oof_scores, value.labels, value.features, value.opinions])
    if isinstance(value, Evidence):
        return [b"evidence", *_pieces([value.features, value.opinions])]
    if isinstance(value, Mapping):
        return [b"mapping", *_pieces([part for pair in value.items() for part in pair])]
    if isinstance(value, list):
        return [str(len(value)).encode(), *(piece for part in value for piece in _pieces(part))]
    if hasattr(value, "tocsr"):
        return _pieces(["sparse", list(value.shape), *_sparse_parts(value.tocsr())])
    if isinstance(value, np.ndarray):
        about = f"{value.dtype.str} {value.shape}"
        return [about.encode(), np.ascontiguousarray(value).reshape(-1).view(np.uint8).data]
    return [f"{type(value).__name__} {value!r}".encode()]


def _sparse_parts(rows: Any) -> list[NDArray[Any]]:
    return [rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)]
