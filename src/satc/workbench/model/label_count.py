"""How many labels a decision may have: any number, or exactly one in a single-label project."""

from __future__ import annotations

from collections.abc import Collection

from satc.inputs import SINGLE_LABEL


def label_count_error(task: str, labels: Collection[object]) -> str | None:
    """Say what is wrong with the number of labels; None if nothing is.

    >>> label_count_error("single-label", [4])
    >>> label_count_error("single-label", [4, 7])
    'labels must be exactly one class, because every document of this project has one, but are 2'
    """
    n = len(set(labels))
    if task != SINGLE_LABEL or n == 1:
        return None
    return (
        "labels must be exactly one class, because every document of this project has one, "
        f"but are {n or 'empty'}"
    )
