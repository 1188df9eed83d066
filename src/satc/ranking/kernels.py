"""The compiled inner loops of ranking.

The dynamic methods (Section 7) must find, after every correction, the document of the largest
utility, although a correction changes the utilities of all documents. To save time, they update
only a few of the documents:

* Documents are sorted by their first utility and cut into blocks. A *tile* holds the signed
  error probabilities of a block, classes x documents: P(error), positive where the document
  was decided positive (the error would be an FP), negative where it was decided negative (an
  FN). The utility is the sum over classes of ``p * gain_fp`` or ``-p * gain_fn``.
* Every block has an upper bound on its utilities. When the gains of a class change, the bound
  rises by at most the block's largest probability for that class, times the change.
* Only blocks whose bound allows that they contain the best document have their utilities updated,
  by adding the changes.
* Added changes accumulate rounding errors. When several documents are within `slack` of the best,
  these errors could decide, so utilities are recomputed in class order. The result is exactly
  that of the plain definition; among equal utilities the lowest index wins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.decisions import is_label
from satc.inputs import Scores

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

BLOCK = 320
# The utilities of a block are recomputed after at most this many added changes.
MAX_ADDED_CHANGES = 500
# Until then their rounding error is below this, relative to the largest possible utility.
ROUNDING = 1e-12


class Blocks(NamedTuple):
    """The state of the blocks of positions, one entry for each block."""

    tiles: Array
    utility: Array  # -inf for documents that are not available
    bounds: Array
    gains: Array
    known: Array  # the gains that the utilities were computed with
    stamps: Indices  # 2 x blocks: see `update_block`
    near: Indices  # buffer for block numbers, one longer than the number of blocks


def make_tiles(order: Indices, n_classes: int, signed: Callable[[Indices], Array]) -> Array:
    """Return the tiles of all blocks of this order, from the signed errors of their documents.

    The last block is padded with probabilities of 0.
    """
    tiles = np.empty((-(-len(order) // BLOCK), n_classes, BLOCK))
    for b, tile in enumerate(tiles):
        members = order[b * BLOCK : (b + 1) * BLOCK]
        tile[:, : len(members)] = signed(members).T
        tile[:, len(members) :] = 0.0
    return tiles


@njit(cache=True, error_model="numpy")
def sum_utilities(
    scores: Scores, grown: Array, gain_fp: Array, gain_fn: Array, utility: Array
) -> None:
    """Equation 9: U(d), the sum over classes of P(error) x gain, with P = 1 / (1 + grown).

    Overwrites `grown`.
    """
    n, m = scores.shape
    for i in range(n):
        for j in range(m):
            gain = gain_fp[j] if is_label(scores[i, j]) else gain_fn[j]
            grown[i, j] = (1.0 / (1.0 + grown[i, j])) * gain
    for i in range(0, n - n % 4, 4):  # four independent sums: the processor runs them in parallel
        one = two = three = four = 0.0
        for j in range(m):
            one += grown[i, j]
            two += grown[i + 1, j]
            three += grown[i + 2, j]
            four += grown[i + 3, j]
        utility[i], utility[i + 1], utility[i + 2], utility[i + 3] = one, two, three, four
    for i in range(n - n % 4, n):
        total = 0.0
        for j in range(m):
            total += grown[i, j]
        utility[i] = total


@njit(cache=True)
def given_utilities(signed: Array, gain_fp: Array, gain_fn: Array) -> Array:
    """Equation 9 from signed error probabilities, documents x classes."""
    n, m = signed.shape
    utility = np.empty(n)
    for i in range(n):
        total = 0.0
        for j in range(m):
            p = signed[i, j]
            total += p * (gain_fp[j] if p > 0 else -gain_fn[j])
        utility[i] = total
    return utility


@njit(cache=True, error_model="numpy")
def sum_errors(scores: Scores, grown: Array, sums: Array) -> None:
    """Sum P(error) over the classes decided positive, and -P(error) over the others."""
    for i in range(scores.shape[0]):
        positive = negative = 0.0
        for j in range(scores.shape[1]):
            wrong = 1.0 / (1.0 + grown[i, j])
            if is_label(scores[i, j]):
                positive += wrong
            else:
                negative += wrong
        sums[i, 0], sums[i, 1] = positive, -negative


@njit(cache=True, error_model="numpy")
def sign_errors(scores: Scores, grown: Array) -> None:
    """Overwrite `grown` with the signed error probabilities."""
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            wrong = 1.0 / (1.0 + grown[i, j])
            grown[i, j] = wrong if is_label(scores[i, j]) else -wrong


@njit(cache=True)
def largest_errors(tiles: Array) -> Array:
    """For each block and class, the largest P(FP) and the largest P(FN): 2 x classes x blocks."""
    n_blocks, m, size = tiles.shape
    largest = np.empty((2, m, n_blocks))
    for block in range(n_blocks):
        for j in range(m):
            fp = fn = 0.0
            for k in range(size):
                fp = max(fp, tiles[block, j, k])
                fn = min(fn, tiles[block, j, k])
            largest[0, j, block] = fp
            largest[1, j, block] = -fn
    return largest


@njit(cache=True)
def change_gains(
    gains: Array, bounds: Array, largest: Array, j: int, gain_fp: float, gain_fn: float
) -> None:
    """Set the gains of class j, and raise the bounds of the blocks accordingly."""
    change_fp, change_fn = gain_fp - gains[0, j], gain_fn - gains[1, j]
    gains[0, j], gains[1, j] = gain_fp, gain_fn
    for b in range(len(bounds)):
        rise_fp = largest[0, j, b] * change_fp
        rise_fn = largest[1, j, b] * change_fn
        bounds[b] += max(max(rise_fp, rise_fn), 0.0)


@njit(cache=True)
def largest_utility(utility: Array, b: int) -> float:
    """Return the largest utility of a block.

    Four independent maxima are faster than one, because each step waits for the one before.
    """
    one = two = three = four = -np.inf
    for k in range(0, BLOCK, 4):
        one = max(one, utility[b, k])
        two = max(two, utility[b, k + 1])
        three = max(three, utility[b, k + 2])
        four = max(four, utility[b, k + 3])
    return max(max(one, two), max(three, four))


@njit(cache=True)
def recompute_utilities(tiles: Array, utility: Array, gains: Array, known: Array, b: int) -> None:
    """Recompute the utilities of a block from its tile, in class order."""
    for k in range(BLOCK):
        utility[b, k] = 0.0 if utility[b, k] != -np.inf else -np.inf
    for j in range(tiles.shape[1]):
        gain_fp, gain_fn = gains[0, j], -gains[1, j]
        known[b, 0, j], known[b, 1, j] = gains[0, j], gains[1, j]
        for k in range(BLOCK):
            p = tiles[b, j, k]
            utility[b, k] += p * (gain_fp if p > 0 else gain_fn)


@njit(cache=True)
def add_changes(tiles: Array, utility: Array, gains: Array, known: Array, b: int) -> int:
    """Update the utilities of a block by the changes of the gains since its last update.

    Returns the number of classes whose gains had changed.
    """
    n_added = 0
    for j in range(tiles.shape[1]):
        change_fp, change_fn = gains[0, j] - known[b, 0, j], known[b, 1, j] - gains[1, j]
        if change_fp == 0.0 and change_fn == 0.0:
            continue
        known[b, 0, j], known[b, 1, j] = gains[0, j], gains[1, j]
        n_added += 1
        for k in range(BLOCK):
            p = tiles[b, j, k]
            utility[b, k] += p * (change_fp if p > 0 else change_fn)
    return n_added


@njit(cache=True)
def largest_bound(bounds: Array) -> float:
    """Return the largest bound of all blocks, also by four independent maxima."""
    one = two = three = four = -np.inf
    whole = len(bounds) // 4 * 4
    for b in range(0, whole, 4):
        one = max(one, bounds[b])
        two = max(two, bounds[b + 1])
        three = max(three, bounds[b + 2])
        four = max(four, bounds[b + 3])
    for b in range(whole, len(bounds)):
        one = max(one, bounds[b])
    return max(max(one, two), max(three, four))


@njit(cache=True)
def list_near(bounds: Array, low: float, near: Indices) -> int:
    """List the blocks whose bound is `low` or more; return how many there are."""
    count = 0
    for b in range(len(bounds)):
        near[count] = b
        count += bounds[b] >= low
    return count


@njit(cache=True)
def update_block(
    tiles: Array,
    utility: Array,
    bounds: Array,
    gains: Array,
    known: Array,
    stamps: Indices,
    n_changes: int,
    b: int,
) -> None:
    """Update the utilities and the bound of a block to the current gains.

    `known` holds the gains that the utilities of each block were computed with. `stamps`
    (2 x blocks) holds the number of gain changes at the last update of each block, and how many
    changes were added to it since its utilities were recomputed.
    """
    if stamps[1, b] > MAX_ADDED_CHANGES:
        recompute_utilities(tiles, utility, gains, known, b)
        stamps[1, b] = 0
    else:
        stamps[1, b] += add_changes(tiles, utility, gains, known, b)
    stamps[0, b] = n_changes
    bounds[b] = largest_utility(utility, b)


@njit(cache=True)
def find_lowest(
    documents: Indices, utility: Array, bounds: Array, near: Indices, n: int, best: float
) -> int:
    """Return the position of the lowest document, in the near blocks, that has the best utility."""
    found = -1
    for a in range(n):
        b = near[a]
        if bounds[b] == best:
            for k in range(BLOCK):
                if utility[b, k] == best and (
                    found == -1 or documents[b * BLOCK + k] < documents[found]
                ):
                    found = b * BLOCK + k
    return found


@njit(cache=True)
def pick(documents: Indices, blocks: Blocks, n_changes: int, slack: float) -> int:
    """Return the position of the best document, -1 if none is available.

    A position is an index into the initial order by utility, and `documents` maps positions to
    documents.
    """
    tiles, utility, bounds, gains, known, stamps, near = blocks
    while True:
        best = largest_bound(bounds)
        if best == -np.inf:
            return -1
        n = list_near(bounds, best - slack, near)
        settled = True
        for a in range(n):
            if stamps[0, near[a]] != n_changes:
                update_block(tiles, utility, bounds, gains, known, stamps, n_changes, near[a])
                settled = False
        if not settled:
            continue
        rivals, exact, found = 0, True, -1
        for a in range(n):
            b = near[a]
            exact &= stamps[1, b] == 0
            for k in range(BLOCK):
                if utility[b, k] >= best - slack:
                    rivals += 1
                    found = b * BLOCK + k
        if rivals == 1:
            return found
        if exact:
            return find_lowest(documents, utility, bounds, near, n, best)
        for a in range(n):
            b = near[a]
            if stamps[1, b] > 0:
                recompute_utilities(tiles, utility, gains, known, b)
                stamps[1, b] = 0
                bounds[b] = largest_utility(utility, b)


@njit(cache=True)
def withdraw(utility: Array, bounds: Array, position: int) -> None:
    """Make the document at a position unavailable."""
    b, k = position // BLOCK, position % BLOCK
    was_best = utility[b, k] == bounds[b]
    utility[b, k] = -np.inf
    if was_best:
        bounds[b] = largest_utility(utility, b)


@njit(cache=True)
def withdraw_all(utility: Array, stamps: Indices, positions: Indices) -> None:
    """Make the documents at several positions unavailable.

    The bounds of their blocks stay valid, but may be too high, so these blocks will be updated.
    """
    for position in positions:
        b, k = position // BLOCK, position % BLOCK
        utility[b, k] = -np.inf
        stamps[0, b] = -1


@njit(cache=True)
def put_back(utility: Array, bounds: Array, stamps: Indices, position: int) -> None:
    """Make the document at a position available again; its block will be recomputed."""
    b, k = position // BLOCK, position % BLOCK
    utility[b, k] = 0.0
    bounds[b] = np.inf
    stamps[0, b], stamps[1, b] = -1, MAX_ADDED_CHANGES + 1


@njit(cache=True)
def advance(
    documents: Indices,
    blocks: Blocks,
    n_changes: int,
    slack: float,
    has_error: Flags,
    order: Indices,
    filled: int,
) -> int:
    """Append the best documents to `order`, until one with an error has been appended.

    Returns how many entries of `order` are filled.
    """
    while filled < len(order):
        position = pick(documents, blocks, n_changes, slack)
        withdraw(blocks.utility, blocks.bounds, position)
        order[filled] = documents[position]
        filled += 1
        if has_error[order[filled - 1]]:
            break
    return filled
