"""Vectors of texts from sentence models: similar texts have similar vectors.

`embed` returns the vectors of texts, `iter_embed` gives them block by block, and `Embedder` is what
both use: a model with its cache. `Survey` measures what embedding will cost. All of this needs the
extra ``embeddings``; nothing here is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satc.embeddings.cost import Cost, Survey
    from satc.embeddings.embedder import Embedder
    from satc.embeddings.vectors import embed, iter_embed

_HOMES = {
    "Cost": "cost",
    "Embedder": "embedder",
    "Survey": "cost",
    "embed": "vectors",
    "iter_embed": "vectors",
}

__all__ = ["Cost", "Embedder", "Survey", "embed", "iter_embed"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
