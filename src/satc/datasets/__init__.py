"""The datasets of the paper and of the demonstration.

`load` reads a dataset by its name, `fetch` downloads its files, `names` lists the datasets. For
your own files of documents, labels and scores, see `satc.files`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from satc.datasets.registry import ENTRIES

if TYPE_CHECKING:
    from satc.datasets.dataset import Dataset, Part
    from satc.datasets.fetching import fetch
    from satc.datasets.loading import load

names = tuple(ENTRIES)

_HOMES = {"Dataset": "dataset", "Part": "dataset", "fetch": "fetching", "load": "loading"}

__all__ = ["Dataset", "Part", "fetch", "load", "names"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used, so that ``import satc`` stays fast."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
