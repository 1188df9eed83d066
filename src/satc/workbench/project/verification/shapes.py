"""Compare the shapes of a project's arrays with its numbers of documents and classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from satc.workbench.store import Store
from satc.workbench.store.arrays import get_dense, get_rows
from satc.workbench.store.connection import StoreError
from satc.workbench.store.digests.faults import UNREADABLE, Fault, unreadable
from satc.workbench.store.projects import Project
from satc.workbench.store.stored_fit import is_whole

_REQUIRED = ("scores", "probability")


def shape_faults(store: Store, project: Project) -> Iterator[Fault]:
    """Yield arrays that do not fit the project, and a stored fit that is damaged."""
    n, m = project.n_documents, len(project.classes)
    packed = -(-m // 8)
    expected: dict[str, tuple[int, ...]] = {
        "scores": (n, m),
        "probability": (n, m),
        "decided": (n, packed),
        "minutes": (n,),
    }
    for name, shape in expected.items():
        yield from _wrong_shape(store, project, name, shape)
    yield from _wrong_rows(store, project, "features", n)
    yield from _training_faults(store, project, m, packed)
    try:
        if not is_whole(store, project.key):
            problem = "do not match their digest; opening the project fits them anew"
            yield Fault("arrays", "the stored probabilities of the calibrator", problem)
    except (StoreError, *UNREADABLE) as error:
        yield unreadable("arrays", "array fitted", error)


def _training_faults(store: Store, project: Project, m: int, packed: int) -> Iterator[Fault]:
    found = yield from _read(store, project, "oof_scores")
    if found is None:
        return
    yield from _wrong_shape(store, project, "oof_scores", (len(found), m))
    yield from _wrong_shape(store, project, "y_train", (len(found), packed))
    yield from _wrong_rows(store, project, "train_features", len(found))


def _wrong_shape(
    store: Store, project: Project, name: str, shape: tuple[int, ...]
) -> Iterator[Fault]:
    found = yield from _read(store, project, name)
    if found is None and name in _REQUIRED:
        yield Fault("arrays", f"array {name}", "is missing")
    elif found is not None and found.shape != shape:
        problem = f"must have the shape {shape}, but has {found.shape}"
        yield Fault("arrays", f"array {name}", problem)


def _wrong_rows(store: Store, project: Project, name: str, n_rows: int) -> Iterator[Fault]:
    found = yield from _read(store, project, name, rows=True)
    if found is not None and found.shape[0] != n_rows:
        problem = f"must have {n_rows:,} rows, but has {found.shape[0]:,}"
        yield Fault("arrays", f"array {name}", problem)


def _read(store: Store, project: Project, name: str, *, rows: bool = False) -> Any:
    """Return an array, or None; yield a fault if it cannot be read."""
    try:
        return (get_rows if rows else get_dense)(store, project.key, name)
    except (StoreError, *UNREADABLE) as error:
        yield unreadable("arrays", f"array {name}", error)
        return None
