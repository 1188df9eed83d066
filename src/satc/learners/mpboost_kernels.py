"""The rounds of MP-Boost for one class, as compiled loops.

Let ``a`` be the share of the positive weight that is on documents with a term, and ``b`` the same
share of the negative weight. The value to minimise, divided by ``sqrt(W+ W-)``, is

    sqrt(a b) + sqrt((1 - a) (1 - b)) = cos(alpha - beta),  sin(alpha)^2 = a,  sin(beta)^2 = b.

So only shares matter, and a factor common to all documents of one side need not be applied. This
has three consequences.

* **Few documents change.** On each side, the weights of documents with the pivot change by one
  factor relative to documents without it. The factor is applied to the smaller of the two groups;
  the factor common to both groups is stored in ``scale``.
* **A pivot needs a large share.** ``|alpha - beta|`` is at most the larger of the two angles, so a
  term can have a value ``z`` only if ``a`` or ``b`` is at least ``1 - z^2``. Two comparisons
  exclude nearly all terms. For a rare class there remain the terms of its few positive documents
  and, among the other terms (``a = 0``), those with the largest ``b``.
* **Most weights do not matter.** After some rounds nearly all the weight is on a few hundred
  documents. The sums per term are sums of ``counted`` weights: the sums are updated for a document
  only when its weight has changed by more than a small amount. The differences that are
  ``pending``, and a bound on ``rounding`` errors, give a bound on the error of a sum; when it
  becomes too large, the sums are recomputed. The terms that could be the best within these bounds,
  mostly one or two, are summed again directly from the weights, so the choice of the pivot does
  not depend on the errors of the sums.

All functions are in one file because the cache of numba checks only the file of a function: it
would not notice a change of a function in another file.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.learners.mpboost_design import Design, read_only

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Rows = NDArray[np.uint32]

TIE = 1e-12
"""Values with a smaller relative difference are ties: it may be due to the order of summation."""

FLOOR = 1e-200
"""A weight below this share of its side is set to 0, before numbers underflow."""

CANCELLATION = 0.01
"""A difference below this share of the total is recomputed as a direct sum."""

ACCURACY = 1e-14
"""A total is recomputed when its relative error can be larger than this."""

HUGE = 1e60
"""Weights are rescaled when a total is above this, or below its inverse."""

ULP = 2.5e-16
"""Upper bound on the relative rounding error of an addition and of its operands."""

_SLACK = 1e-2  # permitted error of the sums, as a share of the share that a pivot needs
_NEGLIGIBLE = 1e-4  # permitted error of one weight, as a share of the slack
_ROUNDING = 1e-11  # rounding errors below this share never cause the sums to be recomputed
_MARGIN = 1e-9  # for the rounding of values and of their bounds
_BLOCK = 64  # number of terms that are excluded together

DOCUMENT = np.dtype(
    [
        ("weight", np.float64),  # to be multiplied by the scale of its side
        ("counted", np.float64),  # the weight that the sums contain
        ("side", np.uint8),  # 1 if positive, else 0
        ("mark", np.uint8),  # workspace, 0 between uses
    ],
    align=True,
)
SIDE = np.dtype(
    [
        ("begin", np.int64),  # its documents are members[begin:end]
        ("end", np.int64),
        ("total", np.float64),  # sum of its weights
        ("total_error", np.float64),  # bound on the rounding error of the total
        ("scale", np.float64),  # total * scale sums to 1 over both sides
        ("pending", np.float64),  # sum of |weight - counted|
        ("rounding", np.float64),  # bound on the rounding error of any of its sums
        ("lowest", np.float64),  # lower bound of its weights other than 0
    ],
    align=True,
)


class State(NamedTuple):
    """The state of boosting for one class.

    Side 0 is the negative documents, side 1 the positive documents. Part 0 of a term is the
    documents in its list (see `Design`), part 1 the other documents.
    """

    documents: NDArray[Any]
    sides: NDArray[Any]
    members: Integers  # the documents, negative ones first
    sums: Floats  # side x term: counted weight of the documents with the term
    split: Floats  # part x side: sum of the weights
    listed: Integers  # side: number of documents in part 0
    slack: Floats  # one number: permitted error of the sums, as a share of the total
    runner_up: Integers  # one number: a good term of the last round, or -1
    terms: Integers  # candidates for the pivot
    values: Floats  # values of the candidates, or lower bounds
    rows: Rows  # workspace


def boost_class(
    design: Design, labels: NDArray[np.bool_], n_rounds: int, epsilon: float
) -> tuple[Integers, Floats]:
    """Run MP-Boost for one class; return pivots and votes, round x (absent, present)."""
    pivots, votes = np.empty(n_rounds, dtype=np.int64), np.empty((n_rounds, 2))
    design, state = read_only(design), _start(design, labels)
    if labels.any() and not labels.all():
        _run(design, state, epsilon, pivots, votes)
    else:
        # the value of all terms is 0: the lowest index wins in every round
        t = int(np.argmin(design.column))
        _split_weights(design, state, t)
        pivots[:] = design.column[t]
        _repeat(state, int(design.inverted[t]), epsilon, votes)
    return pivots, votes


def _start(design: Design, labels: NDArray[np.bool_]) -> State:
    """Return the initial state: uniform weights, which the sums do not contain yet."""
    n, n_terms = len(labels), len(design.column)
    negatives, positives = np.flatnonzero(~labels), np.flatnonzero(labels)
    documents, sides = np.zeros(n, DOCUMENT), np.zeros(2, SIDE)
    documents["weight"] = 1.0 / n
    documents["side"] = labels
    sides["begin"] = [0, len(negatives)]
    sides["end"] = [len(negatives), n]
    sides["total"] = [len(negatives) / n, len(positives) / n]
    sides["total_error"] = ULP
    sides["scale"] = 1.0
    sides["lowest"] = 1.0 / n
    return State(
        documents=documents,
        sides=sides,
        members=np.concatenate([negatives, positives]),
        sums=np.zeros((2, n_terms)),
        split=np.zeros((2, 2)),
        listed=np.zeros(2, dtype=np.int64),
        slack=np.array([_SLACK]),
        runner_up=np.array([-1]),
        terms=np.empty(n_terms, dtype=np.int64),
        values=np.empty(n_terms),
        rows=np.empty(n, dtype=np.uint32),
    )


@njit(nogil=True, cache=True)
def _run(design: Design, state: State, epsilon: float, pivots: Integers, votes: Floats) -> None:
    _count_uniform(design, state)
    part_votes = np.empty(2)
    for r in range(len(pivots)):
        t = _find_pivot(design, state)
        present = 1 if design.inverted[t] else 0
        if _is_settled(state.split):
            for later in range(r, len(pivots)):
                pivots[later] = design.column[t]
            _repeat(state, present, epsilon, votes[r:])
            return
        pivots[r] = design.column[t]
        _vote(state.split, state.sides, epsilon, part_votes)
        votes[r, 0], votes[r, 1] = part_votes[1 - present], part_votes[present]
        _reweight(design, state, t, part_votes)
        _limit_errors(design, state)


@njit(nogil=True, cache=True)
def _count_uniform(design: Design, state: State) -> None:
    """Compute the first sums from the positive documents only; all weights are the same."""
    documents, negative, positive = state.documents, state.sums[0], state.sums[1]
    n = len(documents)
    for i in state.members[state.sides[1].begin : state.sides[1].end]:
        for j in range(design.term_start[i], design.term_start[i + 1]):
            positive[design.terms[j]] += 1.0
    for t in range(len(positive)):
        frequency = design.row_start[t + 1] - design.row_start[t]
        if design.inverted[t]:
            frequency = n - frequency
        negative[t] = (frequency - positive[t]) / n
        positive[t] /= n
    for i in range(n):
        documents[i].counted = documents[i].weight
    for s in range(2):
        state.sides[s].rounding = ULP * state.sides[s].total


@njit(nogil=True, cache=True)
def _vote(split: Floats, sides: NDArray[Any], epsilon: float, part_votes: Floats) -> None:
    for part in range(2):
        negative, positive = split[part, 0] * sides[0].scale, split[part, 1] * sides[1].scale
        part_votes[part] = 0.5 * math.log((positive + epsilon) / (negative + epsilon))


@njit(nogil=True, cache=True)
def _is_settled(split: Floats) -> bool:
    """Return whether the shares within each side, and so the pivot, will not change any more."""
    return (split[0, 0] == 0.0 or split[1, 0] == 0.0) and (split[0, 1] == 0.0 or split[1, 1] == 0.0)


@njit(nogil=True, cache=True)
def _repeat(state: State, present: int, epsilon: float, votes: Floats) -> None:
    """Run all further rounds with the same pivot; they depend on the four sums of `split` only."""
    split, sides = state.split, state.sides
    part_votes = np.empty(2)
    for r in range(len(votes)):
        _vote(split, sides, epsilon, part_votes)
        if _is_one_sided(split):
            _copy_vote_to_empty_part(split, part_votes)
        votes[r, 0], votes[r, 1] = part_votes[1 - present], part_votes[present]
        norm = 0.0
        for part in range(2):
            split[part, 0] *= sides[0].scale * math.exp(part_votes[part])
            split[part, 1] *= sides[1].scale * math.exp(-part_votes[part])
            norm += split[part, 0] + split[part, 1]
        sides[0].scale = sides[1].scale = 1.0 / norm


@njit(nogil=True, cache=True)
def _is_one_sided(split: Floats) -> bool:
    return split[0, 0] + split[1, 0] == 0.0 or split[0, 1] + split[1, 1] == 0.0


@njit(nogil=True, cache=True)
def _copy_vote_to_empty_part(split: Floats, part_votes: Floats) -> None:
    """Give a part without documents the vote of the other part.

    Otherwise its vote would be 0, and a document in it would get the score 0, which is a positive
    decision, even for a class without a positive example.
    """
    for part in range(2):
        if split[part, 0] + split[part, 1] == 0.0:
            part_votes[part] = part_votes[1 - part]


@njit(nogil=True, cache=True)
def _find_pivot(design: Design, state: State) -> int:
    """Return the term with the smallest value (of ties, the lowest index), and set its split."""
    terms, values = state.terms, state.values
    count = _find_candidates(state)
    best = np.inf
    for c in range(count):
        if values[c] <= best * (1.0 + _MARGIN):
            _split_weights(design, state, terms[c])
            values[c] = _value(state.split, state.sides)
            best = min(best, values[c])
    pivot = -1
    for c in range(count):
        if values[c] <= best * (1.0 + TIE) and (
            pivot < 0 or design.column[terms[c]] < design.column[pivot]
        ):
            pivot = terms[c]
    if count > 1:
        _split_weights(design, state, pivot)
    state.slack[0] = _SLACK * max(1.0 - best * best, 1e-9)
    return pivot


@njit(nogil=True, cache=True)
def _value(split: Floats, sides: NDArray[Any]) -> float:
    value = math.sqrt(split[0, 0] * split[0, 1]) + math.sqrt(split[1, 0] * split[1, 1])
    return value / math.sqrt(sides[0].total * sides[1].total)


@njit(nogil=True, cache=True)
def _find_candidates(state: State) -> int:
    """Find all terms that could have the smallest value; return their number."""
    negative, positive, runner_up = state.sums[0], state.sums[1], state.runner_up
    total_n, total_p = state.sides[0].total, state.sides[1].total
    error_n, error_p = _share_error(state.sides[0]), _share_error(state.sides[1])
    best = 1.0 + _MARGIN
    if runner_up[0] >= 0:
        t = runner_up[0]
        a, b = _share(positive[t] / total_p), _share(negative[t] / total_n)
        best = _most(a, b, error_p, error_n) * (1.0 + _MARGIN)
    reach_n, reach_p = _reach(best, error_n) * total_n, _reach(best, error_p) * total_p
    leader, leading, following = -1, 2.0, 2.0
    count = 0
    for begin in range(0, len(negative), _BLOCK):
        end = min(begin + _BLOCK, len(negative))
        if _count_reaching(negative[begin:end], positive[begin:end], reach_n, reach_p) == 0:
            continue
        for t in range(begin, end):
            if negative[t] < reach_n and positive[t] < reach_p:
                continue
            a, b = _share(positive[t] / total_p), _share(negative[t] / total_n)
            least = _least(a, b, error_p, error_n)
            if least < leading:
                leading, following = least, leading
                leader, runner_up[0] = t, leader
            elif least < following:
                following = least
                runner_up[0] = t
            if least <= best:
                state.terms[count], state.values[count] = t, least
                count += 1
                best = min(best, _most(a, b, error_p, error_n) * (1.0 + _MARGIN))
                reach_n, reach_p = _reach(best, error_n) * total_n, _reach(best, error_p) * total_p
    return _drop_beaten(state.terms, state.values, count, best)


@njit(nogil=True, cache=True)
def _drop_beaten(terms: Integers, values: Floats, count: int, best: float) -> int:
    """Remove candidates that are worse than the best one; return the number that is left."""
    kept = 0
    for c in range(count):
        if values[c] <= best:
            terms[kept], values[kept] = terms[c], values[c]
            kept += 1
    return kept


@njit(nogil=True, cache=True)
def _count_reaching(x: Floats, y: Floats, reach_x: float, reach_y: float) -> int:
    """Count the terms that cannot be excluded; a plain reduction, which is vectorised."""
    count = 0
    for j in range(len(x)):
        count += (x[j] >= reach_x) | (y[j] >= reach_y)
    return count


@njit(nogil=True, cache=True)
def _share(x: float) -> float:
    return min(max(x, 0.0), 1.0)


@njit(nogil=True, cache=True)
def _share_error(side: Any) -> float:
    return (side.pending + side.rounding) / side.total + ACCURACY


@njit(nogil=True, cache=True)
def _reach(value: float, error: float) -> float:
    """Return the share below which a term cannot have a value, given the error of shares."""
    return 1.0 - value * value - _MARGIN - error


@njit(nogil=True, cache=True)
def _cosine(a: float, b: float) -> float:
    return math.sqrt(a * b) + math.sqrt((1.0 - a) * (1.0 - b))


@njit(nogil=True, cache=True)
def _least(a: float, b: float, error_a: float, error_b: float) -> float:
    """Return a lower bound of the value, given the errors of the two shares."""
    apart = abs(a - b) > error_a + error_b
    least = 1.0
    if a > b or not apart:
        least = _cosine(min(a + error_a, 1.0), max(b - error_b, 0.0))
    if a <= b or not apart:
        least = min(least, _cosine(max(a - error_a, 0.0), min(b + error_b, 1.0)))
    return least


@njit(nogil=True, cache=True)
def _most(a: float, b: float, error_a: float, error_b: float) -> float:
    """Return an upper bound of the value, given the errors of the two shares."""
    if abs(a - b) <= error_a + error_b:
        return 1.0
    if a > b:
        return _cosine(max(a - error_a, 0.0), min(b + error_b, 1.0))
    return _cosine(min(a + error_a, 1.0), max(b - error_b, 0.0))


@njit(nogil=True, cache=True)
def _split_weights(design: Design, state: State, t: int) -> None:
    """Sum the weights, on each side, of the documents in the list of a term and of the rest."""
    documents, split, listed = state.documents, state.split, state.listed
    rows = design.rows[design.row_start[t] : design.row_start[t + 1]]
    positives, positive, negative = 0, 0.0, 0.0
    for i in rows:
        if documents[i].side:
            positive += documents[i].weight
            positives += 1
        else:
            negative += documents[i].weight
    listed[0], listed[1] = len(rows) - positives, positives
    split[0, 0], split[0, 1] = negative, positive
    for s in range(2):
        side = state.sides[s]
        split[1, s] = side.total - split[0, s]
        if listed[s] == side.end - side.begin:
            split[1, s] = 0.0
        elif split[1, s] < CANCELLATION * side.total:
            split[1, s] = _sum_rest(documents, state.members[side.begin : side.end], rows)


@njit(nogil=True, cache=True)
def _sum_rest(documents: NDArray[Any], members: Integers, rows: Rows) -> float:
    """Return the weight of the members that are not in a list."""
    _set_mark(documents, rows, 1)
    rest = 0.0
    for i in members:
        if documents[i].mark == 0:
            rest += documents[i].weight
    _set_mark(documents, rows, 0)
    return rest


@njit(nogil=True, cache=True)
def _set_mark(documents: NDArray[Any], rows: Rows, value: int) -> None:
    for i in rows:
        documents[i].mark = value


@njit(nogil=True, cache=True)
def _reweight(design: Design, state: State, t: int, part_votes: Floats) -> None:
    """Multiply the weights by exp(-y vote); for the larger group, change `scale` only."""
    changed, factor = np.zeros(2, np.int64), np.empty(2)
    norm = 0.0
    for s in range(2):
        side, listed = state.sides[s], state.listed[s]
        sign = -1.0 if s == 1 else 1.0
        unlisted = side.end - side.begin - listed
        part = 1 if listed > unlisted else 0
        changed[s] = part
        factor[s] = math.exp(sign * (part_votes[part] - part_votes[1 - part]))
        before = side.total
        side.total = state.split[1 - part, s] + factor[s] * state.split[part, s]
        # the rest is the total minus the list, and has the error of the total
        error = side.total_error + ULP * before
        side.total_error = (error * factor[s] if part == 1 else error) + ULP * side.total
        side.rounding += ULP * min(listed, unlisted) * max(before, side.total)
        side.scale *= math.exp(sign * part_votes[1 - part])
        norm += side.scale * side.total
    state.sides[0].scale /= norm
    state.sides[1].scale /= norm
    rows = design.rows[design.row_start[t] : design.row_start[t + 1]]
    if changed[0] + changed[1] > 0:
        rows = state.rows[: _find_rows(state, rows, changed)]
    _multiply(design, state, rows, factor)


@njit(nogil=True, cache=True)
def _find_rows(state: State, listed: Rows, changed: Integers) -> int:
    """Collect, for each side, the documents in a list or the documents that are not in it."""
    documents, rows = state.documents, state.rows
    count = 0
    for i in listed:
        if changed[documents[i].side] == 0:
            rows[count] = i
            count += 1
    _set_mark(documents, listed, 1)
    for s in range(2):
        if changed[s] == 1:
            for i in state.members[state.sides[s].begin : state.sides[s].end]:
                if documents[i].mark == 0:
                    rows[count] = i
                    count += 1
    _set_mark(documents, listed, 0)
    return count


@njit(nogil=True, cache=True)
def _multiply(design: Design, state: State, rows: Rows, factor: Floats) -> None:
    """Multiply the weights of some documents, and update the sums for larger changes."""
    documents, sides, sums = state.documents, state.sides, state.sums
    term_start, terms = design.term_start, design.terms
    negligible = _NEGLIGIBLE * state.slack[0]
    for i in rows:
        document = documents[i]
        old = document.weight
        if old == 0.0:
            continue
        s = document.side
        side = sides[s]
        new = old * factor[s]
        document.weight = new
        side.lowest = min(side.lowest, new)
        change = new - document.counted
        side.pending -= abs(old - document.counted)
        if abs(change) > negligible * side.total:
            document.counted = new
            for j in range(term_start[i], term_start[i + 1]):
                sums[s, terms[j]] += change
        else:
            side.pending += abs(change)


@njit(nogil=True, cache=True)
def _limit_errors(design: Design, state: State) -> None:
    """Recompute totals, weights or sums if they have become too inexact or too large."""
    documents, slack = state.documents, state.slack[0]
    stale = False
    for s in range(2):
        side = state.sides[s]
        members = state.members[side.begin : side.end]
        if side.total_error > ACCURACY * side.total:
            _recompute_total(documents, members, side)
        if side.lowest < FLOOR * side.total:
            _clear_tiny_weights(documents, members, side)
        if side.total > HUGE or side.total < 1.0 / HUGE:
            _rescale(documents, members, side, state.sums[s])
        stale |= side.rounding > max(0.1 * slack, _ROUNDING) * side.total
        stale |= side.pending > slack * side.total
    if stale:
        _recompute_sums(design, state)


@njit(nogil=True, cache=True)
def _recompute_total(documents: NDArray[Any], members: Integers, side: Any) -> None:
    """Compute the total of a side directly from the weights."""
    total = 0.0
    for i in members:
        total += documents[i].weight
    side.total = total
    side.total_error = ULP * total


@njit(nogil=True, cache=True)
def _clear_tiny_weights(documents: NDArray[Any], members: Integers, side: Any) -> None:
    floor, lowest = FLOOR * side.total, np.inf
    for i in members:
        if documents[i].weight < floor:
            documents[i].weight = 0.0
        else:
            lowest = min(lowest, documents[i].weight)
    side.lowest = lowest


@njit(nogil=True, cache=True)
def _rescale(documents: NDArray[Any], members: Integers, side: Any, sums: Floats) -> None:
    """Divide the weights of a side so that their total is 1."""
    total = side.total
    for i in members:
        documents[i].weight /= total
        documents[i].counted /= total
    for t in range(len(sums)):
        sums[t] /= total
    side.pending /= total
    side.lowest /= total
    side.rounding = side.rounding / total + ULP
    side.total_error = side.total_error / total + ULP
    side.scale *= total
    side.total = 1.0


@njit(nogil=True, cache=True)
def _recompute_sums(design: Design, state: State) -> None:
    """Compute the sums from the weights, without weights whose sum is negligible."""
    documents = state.documents
    term_start, terms = design.term_start, design.terms
    for s in range(2):
        side, sums = state.sides[s], state.sums[s]
        negligible = 0.25 * state.slack[0] * side.total / len(documents)
        sums.fill(0.0)
        side.pending = 0.0
        side.rounding = ULP * len(documents) * side.total
        for i in state.members[side.begin : side.end]:
            weight = documents[i].weight
            if weight > negligible:
                documents[i].counted = weight
                for j in range(term_start[i], term_start[i + 1]):
                    sums[terms[j]] += weight
            else:
                documents[i].counted = 0.0
                side.pending += weight
