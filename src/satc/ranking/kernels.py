"""The hot loops of ranking, compiled.

The dynamic methods (Section 5) must find, after every correction, the document of the largest
utility, although a correction changes the utilities of all documents. They look at few:

* Documents are sorted by their first utility and cut into blocks. A *tile* holds the signed
  error probabilities of a block, classes x documents: P(error), positive where the document
  was decided positive (the error would be an FP), negative where it was decided negative (an
  FN). The utility is the sum over classes of ``p * gain_fp`` or ``-p * gain_fn``.
* Every block has an upper bound of its utilities. When the gains of a class change, a bound
  rises by no more than the block's largest probability for that class, times the change.
* Only where a bound could hold the best document are the changes added to the utilities.
* Added changes collect rounding errors. Wherever these could matter, that is where several
  documents are within `slack` of the best, utilities are summed afresh in class order, so a
  pick is exactly that of the plain definition, the lowest index among equals included.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from satc.calibration.logistic import error_probability
from satc.inputs import Scores

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
Table = NDArray[np.void]

BLOCK = 256
# A block's utilities are summed afresh after this many added changes at the latest...
MOST_ADDED = 500
# ... by when rounding has moved them by less than this, relative to the largest possible one.
ROUNDING = 1e-12


@njit(cache=True, parallel=True)
def static_utilities(scores: Scores, sigma: float, gain_fp: Array, gain_fn: Array) -> Array:
    """Equation 8: U(d), the sum over classes of P(error) x gain, straight from the scores."""
    n, m = scores.shape
    utility = np.empty(n)
    for i in prange(n):
        total = 0.0
        for j in range(m):
            gain = gain_fp[j] if scores[i, j] >= 0 else gain_fn[j]
            total += error_probability(scores[i, j], sigma) * gain
        utility[i] = total
    return utility


@njit(cache=True, parallel=True)
def given_utilities(signed: Array, gain_fp: Array, gain_fn: Array) -> Array:
    """Equation 8 from signed error probabilities, documents x classes."""
    n, m = signed.shape
    utility = np.empty(n)
    for i in prange(n):
        total = 0.0
        for j in range(m):
            p = signed[i, j]
            total += p * (gain_fp[j] if p > 0 else -gain_fn[j])
        utility[i] = total
    return utility


@njit(cache=True, parallel=True)
def error_tiles(scores: Scores, sigma: float, order: Indices) -> Array:
    """Signed error probabilities, blocks x classes x documents of the block, in this order.

    The last block is filled up with documents that cannot be wrong.
    """
    n, m = scores.shape
    tiles = np.empty(((n + BLOCK - 1) // BLOCK, m, BLOCK))
    for block in prange(tiles.shape[0]):
        members = order[block * BLOCK : block * BLOCK + BLOCK]
        for k in range(len(members)):
            row = scores[members[k]]
            for j in range(m):
                wrong = error_probability(row[j], sigma)
                tiles[block, j, k] = wrong if row[j] >= 0 else -wrong
        tiles[block, :, len(members) :] = 0.0
    return tiles


@njit(cache=True, parallel=True)
def signed_error_sums(scores: Scores, sigma: float) -> Array:
    """Sum P(error) over the classes decided positive, and minus the sum over the others.

    These two columns are all that the micro-averaged methods need, whose gains are the same
    for every class (Equation 17).
    """
    n, m = scores.shape
    signed = np.zeros((n, 2))
    for i in prange(n):
        for j in range(m):
            wrong = error_probability(scores[i, j], sigma)
            if scores[i, j] >= 0:
                signed[i, 0] += wrong
            else:
                signed[i, 1] -= wrong
    return signed


@njit(cache=True)
def tiles_of(signed: Array, order: Indices) -> Array:
    """Cut signed error probabilities (documents x classes) into tiles, in this order."""
    n, m = signed.shape
    tiles = np.zeros(((n + BLOCK - 1) // BLOCK, m, BLOCK))
    for position in range(n):
        block, k = divmod(position, BLOCK)
        for j in range(m):
            tiles[block, j, k] = signed[order[position], j]
    return tiles


@njit(cache=True, parallel=True)
def largest_errors(tiles: Array) -> Array:
    """For each block and class, the largest P(FP) and the largest P(FN): 2 x classes x blocks."""
    n_blocks, m, size = tiles.shape
    largest = np.empty((2, m, n_blocks))
    for block in prange(n_blocks):
        for j in range(m):
            fp = fn = 0.0
            for k in range(size):
                fp = max(fp, tiles[block, j, k])
                fn = min(fn, tiles[block, j, k])
            largest[0, j, block] = fp
            largest[1, j, block] = -fn
    return largest


# One row per change of the gains of a class.
CHANGE = np.dtype([("class", np.int64), ("fp", np.float64), ("fn", np.float64)], align=True)


@njit(cache=True)
def raise_bounds(bounds: Array, largest: Array, j: int, change_fp: float, change_fn: float) -> None:
    """Let the bounds of the blocks follow a change of the gains of class j."""
    for b in range(len(bounds)):
        rise_fp = largest[0, j, b] * change_fp
        rise_fn = largest[1, j, b] * change_fn
        bounds[b] += max(max(rise_fp, rise_fn), 0.0)


@njit(cache=True)
def largest_utility(utility: Array, b: int) -> float:
    """Return the largest utility of a block; in four strands, since one would wait for itself."""
    one = two = three = four = -np.inf
    for k in range(0, BLOCK, 4):
        one = max(one, utility[b, k])
        two = max(two, utility[b, k + 1])
        three = max(three, utility[b, k + 2])
        four = max(four, utility[b, k + 3])
    return max(max(one, two), max(three, four))


@njit(cache=True)
def sum_afresh(tiles: Array, utility: Array, gains: Array, b: int) -> None:
    """Sum the utilities of a block in class order."""
    for k in range(BLOCK):
        utility[b, k] = 0.0 if utility[b, k] != -np.inf else -np.inf
    for j in range(tiles.shape[1]):
        gain_fp, gain_fn = gains[0, j], -gains[1, j]
        for k in range(BLOCK):
            p = tiles[b, j, k]
            utility[b, k] += p * (gain_fp if p > 0 else gain_fn)


@njit(cache=True)
def add_changes(
    tiles: Array, utility: Array, changes: Table, start: int, stop: int, b: int
) -> None:
    """Add to the utilities of a block the changes from `start` to `stop`."""
    for c in range(start, stop):
        j, change_fp, change_fn = changes[c]["class"], changes[c]["fp"], -changes[c]["fn"]
        for k in range(BLOCK):
            p = tiles[b, j, k]
            utility[b, k] += p * (change_fp if p > 0 else change_fn)


@njit(cache=True)
def largest_bound(bounds: Array) -> float:
    """Return the largest bound of all blocks, in four strands as well."""
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
def bring_up_to_date(
    tiles: Array,
    utility: Array,
    bounds: Array,
    known: Indices,
    gains: Array,
    changes: Table,
    n_changes: int,
    b: int,
) -> None:
    """Let the utilities of a block know all changes.

    `known` is 2 x blocks: how many changes a block knows, and how many of these were added
    since it was summed afresh.
    """
    unknown = n_changes - known[0, b]
    if unknown > tiles.shape[1] or known[1, b] + unknown > MOST_ADDED:
        sum_afresh(tiles, utility, gains, b)
        known[1, b] = 0
    else:
        add_changes(tiles, utility, changes, known[0, b], n_changes, b)
        known[1, b] += unknown
    known[0, b] = n_changes
    bounds[b] = largest_utility(utility, b)


@njit(cache=True)
def find_lowest(
    documents: Indices, utility: Array, bounds: Array, near: Indices, n: int, best: float
) -> int:
    """Find, in the near blocks, the lowest document whose utility is the best."""
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
def pick(
    documents: Indices,
    tiles: Array,
    utility: Array,
    bounds: Array,
    known: Indices,
    near: Indices,
    gains: Array,
    changes: Table,
    n_changes: int,
    slack: float,
) -> int:
    """Find the position of the best document, -1 if none is in the running.

    Positions count along the first order of utilities: `documents` maps them to documents,
    `tiles`, `utility` (-inf for what is not in the running) and `bounds` go by blocks of them.
    """
    while True:
        best = largest_bound(bounds)
        if best == -np.inf:
            return -1
        n = list_near(bounds, best - slack, near)
        settled = True
        for a in range(n):
            if known[0, near[a]] != n_changes:
                bring_up_to_date(tiles, utility, bounds, known, gains, changes, n_changes, near[a])
                settled = False
        if not settled:
            continue
        rivals, exact, found = 0, True, -1
        for a in range(n):
            b = near[a]
            exact &= known[1, b] == 0
            for k in range(BLOCK):
                if utility[b, k] >= best - slack:
                    rivals += 1
                    found = b * BLOCK + k
        if rivals == 1:
            return found
        if exact:
            return find_lowest(documents, utility, bounds, near, n, best)
        for a in range(n):
            if known[1, near[a]] > 0:
                sum_afresh(tiles, utility, gains, near[a])
                known[1, near[a]] = 0
                bounds[near[a]] = largest_utility(utility, near[a])


@njit(cache=True)
def withdraw(utility: Array, bounds: Array, position: int) -> None:
    """Take the document at a position out of the running."""
    b, k = position // BLOCK, position % BLOCK
    was_best = utility[b, k] == bounds[b]
    utility[b, k] = -np.inf
    if was_best:
        bounds[b] = largest_utility(utility, b)


@njit(cache=True)
def put_back(utility: Array, bounds: Array, known: Indices, position: int) -> None:
    """Put the document at a position back into the running, its utility to be summed."""
    b, k = position // BLOCK, position % BLOCK
    utility[b, k] = 0.0
    bounds[b] = np.inf
    known[0, b] = -MOST_ADDED - 1


@njit(cache=True)
def advance(
    documents: Indices,
    tiles: Array,
    utility: Array,
    bounds: Array,
    known: Indices,
    near: Indices,
    gains: Array,
    changes: Table,
    n_changes: int,
    slack: float,
    has_error: Flags,
    order: Indices,
    filled: int,
) -> int:
    """Pick documents into `order`, up to and with the next one that has an error.

    Returns how many places of `order` are filled.
    """
    while filled < len(order):
        position = pick(
            documents, tiles, utility, bounds, known, near, gains, changes, n_changes, slack
        )
        withdraw(utility, bounds, position)
        order[filled] = documents[position]
        filled += 1
        if has_error[order[filled - 1]]:
            break
    return filled
