"""Blocks of documents with an upper bound on their utilities, and the loops that update them.

A correction changes the gains of some classes, and so the utilities of all documents. To save time,
only a few blocks are updated:

* When the gains of a class change, the bound of a block rises by at most the block's largest
  probability for that class, times the change since the block was updated.
* Only blocks whose bound allows that they contain the best document have their utilities updated,
  by adding the changes.
* The documents of a block have about the same utility, because they are sorted. Where all documents
  are validated, the others are sorted again from time to time.

These utilities are sums of rounded probabilities (`tiles`), and added changes accumulate rounding
errors. `slack_below` is an upper bound on the difference that both make.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.gains import Gains
from satc.machine.threads import in_threads
from satc.ranking.live.tiles import BLOCK, ROUNDED, Rounded, Tiles, sort_tiles

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

# Blocks in a group; the largest bound of each group is known.
GROUP = 16
# Rows that a thread adds at once, at the least.
_ROWS_AT_ONCE = 2_048
# The classes of this many of the last changes are known.
RECENT = 64
# The documents are sorted again after this many added rows for each class and block.
SORTED_FOR = 5
# The utilities of a block are summed again after about this many added rows.
MAX_ADDED_CHANGES = 4_000
# Until then their rounding error is below this, relative to the largest possible utility.
ADDING = 2e-12


class Blocks(NamedTuple):
    """The state of all blocks; an array without a note has one number for each block.

    A function that runs for every document takes the arrays, not this tuple, because compiled code
    counts the users of each array that it takes out of a tuple.
    """

    tiles: Rounded  # classes x blocks x documents
    largest: Array  # 2 x classes x blocks: the largest P(FP) and P(FN)
    utility: Array  # blocks x documents; -inf for documents that are not available
    bounds: Array
    group_bounds: Array  # the largest bound of each group of blocks
    gains: Array  # 2 x classes
    known: Array  # 2 x classes x blocks: the gains that the utilities were computed with
    changes: Indices  # N_CHANGES, then the classes of the last changes
    stamps: Indices  # (UPDATED, N_ADDED, ROWS) x blocks
    numbers: Array  # UNIT, SLACK, NEGATIVE, PER_GAIN
    near: Indices  # buffer for block numbers, one longer than the number of blocks


# Places in `changes`: how often the gains of a class have changed. The class of change c is at
# place 1 + c modulo RECENT.
N_CHANGES = 0
# Places in `stamps`: the number of changes when the block was last updated, and of rows that were
# added since its utilities were 0, and since the documents were sorted.
UPDATED, N_ADDED, ROWS = 0, 1, 2
# Places in `numbers`: the unit of the tiles; the rounding error of added changes, and how much of
# it a gain of 1 makes; the most that negative gains can take from a utility.
UNIT, SLACK, PER_GAIN, NEGATIVE = 0, 1, 2, 3


def make_blocks(tiles: Tiles, gains: Gains, n_documents: int) -> Blocks:
    """Return the blocks of documents that are all available."""
    _, m, n_blocks = tiles.largest.shape
    utility = np.full((n_blocks, BLOCK), -np.inf)
    utility.ravel()[:n_documents] = 0.0
    per_gain = ADDING * m * float(tiles.largest.max(initial=0.0))
    blocks = Blocks(
        *(tiles.rounded, tiles.largest, utility),
        bounds=np.full(n_blocks, -np.inf),
        group_bounds=np.full(-(-n_blocks // GROUP), -np.inf),
        gains=np.array(gains),
        known=np.zeros((2, m, n_blocks)),
        changes=np.zeros(1 + RECENT, dtype=np.int64),
        stamps=np.zeros((3, n_blocks), dtype=np.int64),
        numbers=np.array([tiles.unit, 0.0, per_gain, 0.0]),
        near=np.zeros(n_blocks + 1, dtype=np.int64),
    )
    sum_blocks(blocks)
    return blocks


def sort_blocks(blocks: Blocks, positions: Indices) -> Blocks:
    """Return the blocks of the documents at these positions, in this order; forget the others.

    All blocks must be updated. The new ones use the memory of the tiles.
    """
    tiles = sort_tiles(blocks.tiles, float(blocks.numbers[UNIT]), positions)
    n_blocks = tiles.largest.shape[2]
    utility = np.full((n_blocks, BLOCK), -np.inf)
    utility.ravel()[: len(positions)] = blocks.utility.ravel()[positions]
    stamps = np.zeros((3, n_blocks), dtype=np.int64)
    stamps[UPDATED] = blocks.changes[N_CHANGES]
    stamps[N_ADDED] = blocks.stamps[N_ADDED].max()
    bounds = utility.max(axis=1)
    return blocks._replace(
        largest=tiles.largest,
        utility=utility,
        bounds=bounds,
        group_bounds=np.maximum.reduceat(bounds, np.arange(0, n_blocks, GROUP)),
        known=np.repeat(blocks.gains[:, :, np.newaxis], n_blocks, axis=2),
        stamps=stamps,
        near=np.zeros(n_blocks + 1, dtype=np.int64),
    )


def sort_roughly(utility: Array) -> Indices:
    """Return the positions of available documents, those of larger utilities first.

    Utilities that differ by less than 1% may come in any order, and so may negative ones: blocks
    need no more. Numbers of 16 bits are sorted fastest; these are the first bits of a float.
    """
    available = np.flatnonzero(utility != -np.inf)
    with np.errstate(over="ignore"):
        first_bits = utility[available].astype(np.float32).view(np.int32) >> 16
    return np.asarray(available[np.argsort(~first_bits.astype(np.int16), kind="stable")])


def _parts(blocks: Blocks) -> list[tuple[int, int]]:
    """Return parts of the blocks, from one to before another, for threads.

    They are whole groups, because a thread sets the bounds of groups.
    """
    n, n_classes = len(blocks.bounds), len(blocks.tiles)
    size = GROUP * -(-_ROWS_AT_ONCE // (GROUP * n_classes))
    return [(first, min(first + size, n)) for first in range(0, n, size)]


def sum_blocks(blocks: Blocks) -> None:
    """Sum the utilities of all blocks."""
    in_threads(partial(sum_some, blocks), _parts(blocks))
    for j in range(blocks.gains.shape[1]):
        raise_slack(blocks.largest, blocks.gains, blocks.numbers, j)


@njit(cache=True, nogil=True)
def sum_some(blocks: Blocks, part: tuple[int, int]) -> None:
    """Sum the utilities of some blocks."""
    for b in range(part[0], part[1]):
        sum_block(blocks, b)


@njit(cache=True)
def sum_block(blocks: Blocks, b: int) -> None:
    """Sum the utilities of a block, and set its bound."""
    tiles, _, utility, bounds, group_bounds, gains, known, changes, stamps, numbers, _ = blocks
    stamps[N_ADDED, b] = MAX_ADDED_CHANGES
    update_block(tiles, utility, gains, known, changes, stamps, numbers[UNIT], b)
    set_bound(utility, bounds, group_bounds, b)


@njit(cache=True)
def update_block(
    tiles: Rounded,
    utility: Array,
    gains: Array,
    known: Array,
    changes: Indices,
    stamps: Indices,
    unit: float,
    b: int,
) -> None:
    """Update the utilities of a block to the current gains.

    Rows are added in pairs, because then the processor waits for two of them at the same time.
    """
    before, now, n_added = stamps[UPDATED, b], changes[N_CHANGES], stamps[N_ADDED, b]
    if n_added >= MAX_ADDED_CHANGES:
        forget_utilities(utility, known, b)
        n_added = 0
    n_before = n_added
    waiting, of_positive, of_negative = -1, 0.0, 0.0
    recent = n_added > 0 and now - before <= RECENT
    for c in range(before if recent else 0, now if recent else len(tiles)):
        j = changes[1 + c % RECENT] if recent else c
        fp, fn = gains[0, j] - known[0, j, b], gains[1, j] - known[1, j, b]
        if fp != 0.0 or fn != 0.0:
            known[0, j, b], known[1, j, b] = gains[0, j], gains[1, j]
            n_added += 1
            if waiting < 0:
                waiting, of_positive, of_negative = j, unit * fp, -unit * fn
            else:
                add_two_rows(
                    *(tiles, b, utility, waiting, of_positive, of_negative),
                    *(j, unit * fp, -unit * fn),
                )
                waiting = -1
    if waiting >= 0:
        add_row(tiles, b, utility, waiting, of_positive, of_negative)
    stamps[ROWS, b] += n_added - n_before
    stamps[UPDATED, b], stamps[N_ADDED, b] = now, n_added


@njit(cache=True)
def forget_utilities(utility: Array, known: Array, b: int) -> None:
    """Set the utilities of a block to those of gains of 0, so that they are summed again."""
    for k in range(BLOCK):
        utility[b, k] = 0.0 if utility[b, k] != -np.inf else -np.inf
    for j in range(known.shape[1]):
        known[0, j, b] = known[1, j, b] = 0.0


@njit(cache=True, fastmath={"contract"})
def add_row(
    tiles: Rounded, b: int, utility: Array, j: int, of_positive: float, of_negative: float
) -> None:
    """Add the signed probabilities of a class, times one of two factors, to the utilities."""
    for k in range(BLOCK):
        p = np.float64(tiles[j, b, k])
        utility[b, k] += p * (of_positive if p > 0 else of_negative)


@njit(cache=True, fastmath={"contract"})
def add_two_rows(
    tiles: Rounded,
    b: int,
    utility: Array,
    j: int,
    of_positive: float,
    of_negative: float,
    other: int,
    of_other_positive: float,
    of_other_negative: float,
) -> None:
    """Add the rows of two classes, one after the other."""
    for k in range(BLOCK):
        p, q = np.float64(tiles[j, b, k]), np.float64(tiles[other, b, k])
        with_one = utility[b, k] + p * (of_positive if p > 0 else of_negative)
        utility[b, k] = with_one + q * (of_other_positive if q > 0 else of_other_negative)


@njit(cache=True)
def set_bound(utility: Array, bounds: Array, group_bounds: Array, b: int) -> None:
    """Set the bound of an updated block to its largest utility.

    Four independent maxima are faster than one, because each step waits for the one before.
    """
    one = two = three = four = -np.inf
    for k in range(0, BLOCK, 4):
        one = max(one, utility[b, k])
        two = max(two, utility[b, k + 1])
        three = max(three, utility[b, k + 2])
        four = max(four, utility[b, k + 3])
    bounds[b] = max(max(one, two), max(three, four))
    set_group_bound(bounds, group_bounds, b // GROUP)


@njit(cache=True)
def set_group_bound(bounds: Array, group_bounds: Array, group: int) -> None:
    """Set the bound of a group to the largest one of its blocks."""
    highest = -np.inf
    for b in range(group * GROUP, min((group + 1) * GROUP, len(bounds))):
        highest = max(highest, bounds[b])
    group_bounds[group] = highest


@njit(cache=True)
def change_gains(blocks: Blocks, columns: Indices, gains_fp: Array, gains_fn: Array) -> None:
    """Set the gains of some classes, and raise the bounds of the blocks accordingly."""
    _, largest, _, bounds, group_bounds, gains, known, changes, _, numbers, _ = blocks
    for c in range(len(columns)):
        change_gain(
            *(largest, bounds, gains, known, changes, numbers),
            *(columns[c], gains_fp[c], gains_fn[c]),
        )
    for group in range(len(group_bounds)):
        set_group_bound(bounds, group_bounds, group)


@njit(cache=True)
def change_gain(
    largest: Array,
    bounds: Array,
    gains: Array,
    known: Array,
    changes: Indices,
    numbers: Array,
    j: int,
    gain_fp: float,
    gain_fn: float,
) -> None:
    """Set the gains of class j, and the bounds of the blocks, but not those of the groups."""
    raise_bounds(bounds, largest, known, j, gains[0, j], gains[1, j], gain_fp, gain_fn)
    gains[0, j], gains[1, j] = gain_fp, gain_fn
    changes[1 + changes[N_CHANGES] % RECENT] = j
    changes[N_CHANGES] += 1
    raise_slack(largest, gains, numbers, j)


@njit(cache=True)
def raise_bounds(
    bounds: Array,
    largest: Array,
    known: Array,
    j: int,
    before_fp: float,
    before_fn: float,
    gain_fp: float,
    gain_fn: float,
) -> None:
    """Add to each bound how much more than before the gains of class j can have raised a utility.

    The utilities of a block were computed with the gains that it knows.
    """
    for b in range(len(bounds)):
        fp, fn = largest[0, j, b], largest[1, j, b]
        known_fp, known_fn = known[0, j, b], known[1, j, b]
        before = max(fp * (before_fp - known_fp), fn * (before_fn - known_fn))
        now = max(fp * (gain_fp - known_fp), fn * (gain_fn - known_fn))
        bounds[b] += max(now, 0.0) - max(before, 0.0)


@njit(cache=True)
def raise_slack(largest: Array, gains: Array, numbers: Array, j: int) -> None:
    """Raise the slack to that of the gains of class j, and note negative gains."""
    most = max(abs(gains[0, j]), abs(gains[1, j]))
    numbers[SLACK] = max(numbers[SLACK], numbers[PER_GAIN] * most)
    if min(gains[0, j], gains[1, j]) < 0.0 or numbers[NEGATIVE] > 0.0:
        numbers[NEGATIVE] = 0.0
        for kind in range(2):
            for c in range(gains.shape[1]):
                if gains[kind, c] < 0.0:
                    numbers[NEGATIVE] -= gains[kind, c] * largest[kind, c].max()


@njit(cache=True)
def slack_below(numbers: Array, best: float) -> float:
    """Return how far below the best utility another one can be, and be larger in truth.

    Rounding changes the probabilities by a share, and so a utility by at most this share of the sum
    of P(error) x |gain|. That is the utility itself, plus twice what negative gains take from it.
    """
    rounded = 1.01 * ROUNDED * max(best + 2.0 * numbers[NEGATIVE], 0.0)
    return numbers[SLACK] + 2.0 * rounded


def update_all(blocks: Blocks) -> None:
    """Update the utilities of all blocks to the current gains; the bounds stay."""
    in_threads(partial(update_some, blocks), _parts(blocks))


@njit(cache=True, nogil=True)
def update_some(blocks: Blocks, part: tuple[int, int]) -> None:
    """Update the utilities of some blocks; the bounds stay."""
    tiles, _, utility, _, _, gains, known, changes, stamps, numbers, _ = blocks
    for b in range(part[0], part[1]):
        if stamps[UPDATED, b] != changes[N_CHANGES]:
            update_block(tiles, utility, gains, known, changes, stamps, numbers[UNIT], b)


@njit(cache=True)
def are_unsorted(stamps: Indices, n_classes: int) -> bool:
    """Whether the updates have cost as much as it costs to sort the documents again."""
    return stamps[ROWS].sum() > SORTED_FOR * n_classes * stamps.shape[1]


@njit(cache=True)
def withdraw(utility: Array, bounds: Array, group_bounds: Array, position: int) -> None:
    """Make the document at a position unavailable."""
    b, k = position // BLOCK, position % BLOCK
    was_best = utility[b, k] == bounds[b]
    utility[b, k] = -np.inf
    if was_best:
        set_bound(utility, bounds, group_bounds, b)


@njit(cache=True)
def withdraw_all(blocks: Blocks, positions: Indices) -> None:
    """Make the documents at several positions unavailable."""
    for position in positions:
        withdraw(blocks.utility, blocks.bounds, blocks.group_bounds, position)
