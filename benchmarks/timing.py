"""Measure functions fairly: after a warm-up, the best of several runs, in alternation."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(*functions: Callable[[], object], repeat: int = 7) -> list[float]:
    """Return the best wall-clock time of each function; they alternate, so that noise is shared."""
    for function in functions:
        function()
    best = [float("inf")] * len(functions)
    for _ in range(repeat):
        for k, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[k] = min(best[k], time.perf_counter() - start)
    return best


def report(name: str, ratio: float, wanted: str) -> None:
    print(f"{name:<58} ratio {ratio:8.3f}   (wanted: {wanted})", flush=True)
