"""Hierarchies of classes: each class has any number of parents, and no class is above itself.

Classes are numbers from 0 on, as everywhere in satc. A set of labels is *closed* if it has all
ancestors of each of its labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from satc.inputs import Labels

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Hierarchy:
    """The parents of each class.

    Parameters
    ----------
    parents
        For each class, the numbers of its parents; none for a class at the top.

    Raises
    ------
    ValueError
        If a parent is not a class, or if a class is above itself.

    Examples
    --------
    >>> tree = Hierarchy([[], [0], [1], [0]])
    >>> tree.ancestors(2), tree.descendants(0), tree.path(2)
    ((1, 0), (1, 2, 3), (0, 1, 2))
    >>> tree.close(np.array([[False, False, True, False]])).tolist()
    [[True, True, True, False]]
    """

    parents: tuple[Numbers, ...]

    def __init__(self, parents: Iterable[Iterable[int]]) -> None:
        given = tuple(tuple(dict.fromkeys(int(one) for one in some)) for some in parents)
        object.__setattr__(self, "parents", given)
        n = len(given)
        for j, some in enumerate(given):
            for one in some:
                if not 0 <= one < n:
                    raise ValueError(
                        f"parents[{j}] must be classes, 0 to {n - 1}, but one is {one}"
                    )
        if (cycle := find_cycle(given)) is not None:
            raise ValueError(
                "parents must not form a cycle, but do: " + " > ".join(map(str, cycle))
            )

    def __len__(self) -> int:
        return len(self.parents)

    @cached_property
    def children(self) -> tuple[Numbers, ...]:
        """The classes directly below each class, in their order."""
        found: list[list[int]] = [[] for _ in self.parents]
        for j, some in enumerate(self.parents):
            for one in some:
                found[one].append(j)
        return tuple(map(tuple, found))

    @cached_property
    def roots(self) -> Numbers:
        """The classes at the top."""
        return tuple(j for j, some in enumerate(self.parents) if not some)

    @property
    def is_flat(self) -> bool:
        """Whether no class has a parent."""
        return not any(self.parents)

    def ancestors(self, j: int) -> Numbers:
        """Return all classes above a class, the nearest first."""
        return _reached(j, self.parents)

    def descendants(self, j: int) -> Numbers:
        """Return all classes below a class, the nearest first."""
        return tuple(sorted(_reached(j, self.children)))

    def path(self, j: int) -> Numbers:
        """Return a class with the classes above it, from the top; of several parents, the first."""
        above = [j]
        while self.parents[above[-1]]:
            above.append(self.parents[above[-1]][0])
        return tuple(reversed(above))

    def walk(self) -> Iterator[tuple[int, int]]:
        """Yield classes from the top, each with its depth.

        A class with several parents comes below each of them, with its own children only once.

        >>> list(Hierarchy([[], [], [0, 1], [2]]).walk())
        [(0, 0), (2, 1), (3, 2), (1, 0), (2, 1)]
        """
        stack = [(j, 0) for j in reversed(self.roots)]
        seen: set[int] = set()
        while stack:
            j, depth = stack.pop()
            yield j, depth
            if j not in seen:
                stack += [(child, depth + 1) for child in reversed(self.children[j])]
            seen.add(j)

    def close(self, labels: Any) -> Labels:
        """Add all ancestors to the labels of documents: a new matrix, documents x classes."""
        given = np.asarray(labels, dtype=bool)
        if given.ndim != 2 or given.shape[1] != len(self):
            raise ValueError(
                f"labels must be documents x classes with {len(self)} classes, but have the shape "
                f"{given.shape}"
            )
        if self.is_flat:
            return given.copy()
        counts = sparse.csr_array(given, dtype=np.int32) @ self._upward
        return np.asarray(counts.toarray() > 0)

    def lift(self, values: Any) -> Any:
        """Raise the values of each class to the largest one below it: documents x classes.

        A document that belongs to a class belongs to all classes above it. So these are at least
        as probable.

        >>> Hierarchy([[], [0], [1]]).lift(np.array([[0.1, 0.2, 0.9]])).tolist()
        [[0.9, 0.9, 0.9]]
        """
        lifted = np.array(values)
        for j in reversed(self._downward):
            for one in self.parents[j]:
                np.maximum(lifted[:, one], lifted[:, j], out=lifted[:, one])
        return lifted

    def close_one(self, labels: Iterable[int]) -> Numbers:
        """Add all ancestors to the labels of one document; return them sorted.

        >>> Hierarchy([[], [0], [1]]).close_one([2])
        (0, 1, 2)
        """
        given = set(labels)
        return tuple(sorted(given.union(*(self.ancestors(j) for j in given))))

    def without_ancestors(self, members: Sequence[int]) -> Numbers:
        """Return those of some classes that are not below another one of them."""
        inside = set(members)
        return tuple(j for j in members if not inside.intersection(self.ancestors(j)))

    @cached_property
    def _downward(self) -> Numbers:
        """All classes, each after its parents."""
        left = [len(some) for some in self.parents]
        found = list(self.roots)
        for j in found:  # it grows while it is read
            for child in self.children[j]:
                left[child] -= 1
                if not left[child]:
                    found.append(child)
        return tuple(found)

    @cached_property
    def _upward(self) -> Any:
        """Which class leads to which: itself and its ancestors, as a sparse 0/1 matrix."""
        rows = [(j, *self.ancestors(j)) for j in range(len(self))]
        indptr = np.cumsum([0, *map(len, rows)])
        indices = np.array([one for row in rows for one in row], dtype=np.int64)
        ones = np.ones(len(indices), dtype=np.int32)
        return sparse.csr_array((ones, indices, indptr), shape=(len(self), len(self)))


def _reached(start: int, steps: Sequence[Numbers]) -> Numbers:
    """Return what can be reached in one step or more, the nearest first."""
    found: dict[int, None] = {}
    layer: Iterable[int] = steps[start]
    while layer := [one for one in dict.fromkeys(layer) if one not in found]:
        found.update(dict.fromkeys(layer))
        layer = [above for one in layer for above in steps[one]]
    return tuple(found)


def find_cycle(parents: Sequence[Sequence[int]]) -> Numbers | None:
    """Return classes that are above themselves, from one of them back to it; None if none are.

    >>> find_cycle([[1], [2], [0]])
    (0, 1, 2, 0)
    >>> find_cycle([[], [0], [0, 1]]) is None
    True
    """
    done: set[int] = set()
    for start in range(len(parents)):
        trail: list[int] = []
        steps = [iter((start,))]
        while steps:
            j = next(steps[-1], None)
            if j is None:
                steps.pop()
                if trail:
                    done.add(trail.pop())
            elif j in trail:
                return (*trail[trail.index(j) :], j)
            elif j not in done:
                trail.append(j)
                steps.append(iter(parents[j]))
    return None
