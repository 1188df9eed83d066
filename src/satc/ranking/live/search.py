"""The search for the best document, after corrections have changed the gains."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.ranking.live.blocks import (
    GROUP,
    MAX_ADDED_CHANGES,
    N_ADDED,
    N_CHANGES,
    UNIT,
    UPDATED,
    Blocks,
    set_bound,
    slack_below,
    update_block,
    withdraw,
)
from satc.ranking.live.exact import Exact, best_exact
from satc.ranking.live.tiles import BLOCK

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@njit(cache=True)
def find_best(ties: Indices, blocks: Blocks, exact: Exact) -> int:
    """Return the position of the available document with the largest utility.

    A position is an index into the initial order by utility. Among equal utilities the lowest of
    `ties` (position -> number) wins. Returns -1 if no document is available, or if `exact.missing`
    names rows that must be fetched before another call.
    """
    utility, bounds, numbers, near = blocks.utility, blocks.bounds, blocks.numbers, blocks.near
    n_near = update_near(blocks)
    position = only_rival(utility, bounds, numbers, near[0]) if n_near == 1 else -1
    return position if position >= 0 else best_exact(ties, blocks, exact, n_near)


@njit(cache=True)
def advance(
    ties: Indices, blocks: Blocks, exact: Exact, start: Indices, order: Indices, filled: int
) -> int:
    """Append the best documents to `order`, until one with a wrong decision has been appended.

    The wrong decisions of document i are those from `start[i]` up to `start[i + 1]`. Returns how
    many entries of `order` are filled. Returns earlier if rows are missing.
    """
    while filled < len(order):
        position = find_best(ties, blocks, exact)
        if position < 0:
            break
        withdraw(blocks.utility, blocks.bounds, blocks.group_bounds, position)
        i = ties[position]
        order[filled] = i
        filled += 1
        if start[i] < start[i + 1]:
            break
    return filled


@njit(cache=True)
def update_near(blocks: Blocks) -> int:
    """List the blocks that could contain the best document, all updated; return their number."""
    tiles, _, utility, bounds, group_bounds, gains, known, changes, stamps, numbers, near = blocks
    while True:
        best = -np.inf
        for group in range(len(group_bounds)):
            best = max(best, group_bounds[group])
        low = best if best == np.inf else best - slack_below(numbers, best)
        n_near = list_near(bounds, group_bounds, low, near)
        all_updated = True
        for a in range(n_near):
            b = near[a]
            if stamps[UPDATED, b] != changes[N_CHANGES]:
                update_block(tiles, utility, gains, known, changes, stamps, numbers[UNIT], b)
                set_bound(utility, bounds, group_bounds, b)
                all_updated = False
        if all_updated:
            return n_near


@njit(cache=True)
def list_near(bounds: Array, group_bounds: Array, low: float, near: Indices) -> int:
    """List the blocks with a document whose bound is `low` or more; return how many there are."""
    count = 0
    if low == -np.inf:
        return count
    for group in range(len(group_bounds)):
        if group_bounds[group] >= low:
            for b in range(group * GROUP, min((group + 1) * GROUP, len(bounds))):
                near[count] = b
                count += bounds[b] >= low
    return count


@njit(cache=True)
def only_rival(utility: Array, bounds: Array, numbers: Array, b: int) -> int:
    """Return the position of the best document of a block, -1 if others are within the slack."""
    low = bounds[b] - slack_below(numbers, bounds[b])
    count = 0
    for k in range(BLOCK):
        count += utility[b, k] >= low
    if count > 1:
        return -1
    best = 0
    while utility[b, best] < low:
        best += 1
    return b * BLOCK + best


@njit(cache=True)
def put_back(blocks: Blocks, exact: Exact, position: int) -> None:
    """Make the document at a position available again; its block will be summed again.

    Until then its utility is that of the gains that the block knows, as for its other documents.
    """
    b, k = position // BLOCK, position % BLOCK
    utility = 0.0
    for j in range(blocks.gains.shape[1]):
        p = np.float64(blocks.tiles[j, b, k])
        utility += p * (blocks.known[0, j, b] if p > 0 else -blocks.known[1, j, b])
    blocks.utility[b, k] = blocks.numbers[UNIT] * utility
    blocks.bounds[b] = blocks.group_bounds[b // GROUP] = np.inf
    blocks.stamps[UPDATED, b], blocks.stamps[N_ADDED, b] = -1, MAX_ADDED_CHANGES
    exact.found[b] = -1
