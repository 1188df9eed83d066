"""The rounds of MP-Boost for one class, as compiled loops.

Write ``a`` for the share of the positive weight that lies on documents with a term, and ``b`` for
that of the negative weight. The value to minimise, divided by ``sqrt(W+ W-)``, is

    sqrt(a b) + sqrt((1 - a) (1 - b)) = cos(alpha - beta),  sin(alpha)^2 = a,  sin(beta)^2 = b,

so only shares count, and a factor common to one side need not be applied. Three things follow.

* **Few documents change.** On each side the documents with the pivot and those without it move
  apart by one factor. It is applied to the fewer of them; what all have in common is in ``scale``.
* **A pivot needs a large share.** ``|alpha - beta|`` is at most the larger of the two, so a term
  can reach a value ``z`` only if ``a`` or ``b`` is at least ``1 - z^2``. Two comparisons dismiss
  nearly all terms. For a rare class there remain the terms of its few positive documents and, of
  the others (``a = 0``), those with the largest ``b``.
* **Most weights do not matter.** After some rounds nearly all the weight lies on a few hundred
  documents. The sums per term are kept of ``counted`` weights, and a document's new weight is
  counted once it has moved by more than a trifle. What is ``pending``, and a bound on
  ``rounding``, say by how much a sum can be off; when it is too much, the sums are made anew.
  The terms that could be the best within these bounds, mostly one or two, are summed up directly
  from the weights, so the choice does not depend on how the sums are kept.

All of it is in one file because numba's cache looks at a function's own file only: it would keep
a loop whose helper has changed elsewhere.
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
"""Values that agree to this relative precision are tied: less may be the order of a sum."""

FLOOR = 1e-200
"""A weight below this share of its side is zero from then on, before numbers underflow."""

CANCELLATION = 0.01
"""A difference below this share of the total is summed up directly instead."""

ACCURACY = 1e-14
"""A total is summed up directly when it may be off by more than this share."""

HUGE = 1e60
"""Weights are rescaled when a total passes this, or its inverse."""

ULP = 2.5e-16
"""Relative error of a sum and of what is added to it, a little enlarged."""

_SLACK = 1e-2  # the sums may be off by this share of the share that a pivot needs
_TRIFLE = 1e-4  # one weight may be off by this share of the slack
_ROUNDING = 1e-11  # rounding below this share is never worth making the sums anew
_MARGIN = 1e-9  # for the rounding of values and their bounds
_BLOCK = 64  # terms that are dismissed together

DOCUMENT = np.dtype(
    [
        ("weight", np.float64),  # up to its side's scale
        ("counted", np.float64),  # the weight that the sums know of
        ("side", np.uint8),  # 1 if positive, else 0
        ("mark", np.uint8),  # scratch, else 0
    ],
    align=True,
)
SIDE = np.dtype(
    [
        ("begin", np.int64),  # where its documents are among the members
        ("end", np.int64),
        ("total", np.float64),  # sum of its weights
        ("total_error", np.float64),  # bound on the rounding error of that
        ("scale", np.float64),  # total x scale, over both sides, sums to 1
        ("pending", np.float64),  # sum of |weight - counted|
        ("rounding", np.float64),  # bound on the rounding error of any of its sums
        ("lowest", np.float64),  # no weight other than 0 is below
    ],
    align=True,
)


class State(NamedTuple):
    """What is known of one class. Side 0 is the negative documents, side 1 the positive ones.

    A *part* is 0 for the documents in a term's list (see `Design`), 1 for the rest.
    """

    documents: NDArray[Any]
    sides: NDArray[Any]
    members: Integers  # the documents, negative ones first
    sums: Floats  # side x term: counted weight of the documents with the term
    split: Floats  # part x side: sum of the weights
    listed: Integers  # side: number of documents in part 0
    slack: Floats  # one number: by what share of the total the sums may be off
    runner_up: Integers  # one number: a good term of the last round, or -1
    terms: Integers  # candidates
    values: Floats  # theirs, or lower bounds
    rows: Rows  # scratch


def boost_class(
    design: Design, labels: NDArray[np.bool_], n_rounds: int, epsilon: float
) -> tuple[Integers, Floats]:
    """Run MP-Boost for one class: pivots, and votes (round x absent, present)."""
    pivots, votes = np.empty(n_rounds, dtype=np.int64), np.empty((n_rounds, 2))
    design, state = read_only(design), _start(design, labels)
    if labels.any() and not labels.all():
        _run(design, state, epsilon, pivots, votes)
    else:
        # all terms are tied, at 0: the lowest index wins every time
        t = int(np.argmin(design.column))
        _split_weights(design, state, t)
        pivots[:] = design.column[t]
        _repeat(state, int(design.inverted[t]), epsilon, votes)
    return pivots, votes


def _start(design: Design, labels: NDArray[np.bool_]) -> State:
    """Begin with uniform weights, not yet counted."""
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
        _keep_house(design, state)


@njit(nogil=True, cache=True)
def _count_uniform(design: Design, state: State) -> None:
    """Count the first weights: only positive documents need be looked at, as all weigh the same."""
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
    """Whether the weights within each side will not change, hence nor will the pivot."""
    return (split[0, 0] == 0.0 or split[1, 0] == 0.0) and (split[0, 1] == 0.0 or split[1, 1] == 0.0)


@njit(nogil=True, cache=True)
def _repeat(state: State, present: int, epsilon: float, votes: Floats) -> None:
    """Run all further rounds with the same pivot: four sums stand for all documents."""
    split, sides = state.split, state.sides
    part_votes = np.empty(2)
    for r in range(len(votes)):
        _vote(split, sides, epsilon, part_votes)
        if _is_one_sided(split):
            _speak_for_empty_part(split, part_votes)
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
def _speak_for_empty_part(split: Floats, part_votes: Floats) -> None:
    """Let the part that has documents vote for one that has none.

    The vote of a part without documents is 0, and so would be the score of a document in it: a
    positive decision, even for a class without a positive example.
    """
    for part in range(2):
        if split[part, 0] + split[part, 1] == 0.0:
            part_votes[part] = part_votes[1 - part]


@njit(nogil=True, cache=True)
def _find_pivot(design: Design, state: State) -> int:
    """Choose the term with the least value, the lowest index among ties; fills its split."""
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
    """Find all terms that could have the least value; returns how many."""
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
    """Keep the candidates that have not been beaten since they were found."""
    kept = 0
    for c in range(count):
        if values[c] <= best:
            terms[kept], values[kept] = terms[c], values[c]
            kept += 1
    return kept


@njit(nogil=True, cache=True)
def _count_reaching(x: Floats, y: Floats, reach_x: float, reach_y: float) -> int:
    """Count the terms that cannot be dismissed; a mere reduction, so that it is vector code."""
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
    """The share below which a term cannot have that value, if shares can be off by the error."""
    return 1.0 - value * value - _MARGIN - error


@njit(nogil=True, cache=True)
def _cosine(a: float, b: float) -> float:
    return math.sqrt(a * b) + math.sqrt((1.0 - a) * (1.0 - b))


@njit(nogil=True, cache=True)
def _least(a: float, b: float, error_a: float, error_b: float) -> float:
    """Lower bound of the value of shares that can be off by these errors."""
    apart = abs(a - b) > error_a + error_b
    least = 1.0
    if a > b or not apart:
        least = _cosine(min(a + error_a, 1.0), max(b - error_b, 0.0))
    if a <= b or not apart:
        least = min(least, _cosine(max(a - error_a, 0.0), min(b + error_b, 1.0)))
    return least


@njit(nogil=True, cache=True)
def _most(a: float, b: float, error_a: float, error_b: float) -> float:
    """Upper bound of the value of shares that can be off by these errors."""
    if abs(a - b) <= error_a + error_b:
        return 1.0
    if a > b:
        return _cosine(max(a - error_a, 0.0), min(b + error_b, 1.0))
    return _cosine(min(a + error_a, 1.0), max(b - error_b, 0.0))


@njit(nogil=True, cache=True)
def _split_weights(design: Design, state: State, t: int) -> None:
    """Sum up, on each side, the weights of the documents in a term's list, and of the rest."""
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
    """Weight of the members that are not listed."""
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
    """Multiply the weights by exp(-y vote): the fewer documents in fact, the others in scale."""
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
        # the rest is the total less the list, and inherits its error
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
    """Collect, of each side, the documents in a list, or those that are not."""
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
    """Multiply the weights of some documents, and count those that moved by more than a trifle."""
    documents, sides, sums = state.documents, state.sides, state.sums
    term_start, terms = design.term_start, design.terms
    trifle = _TRIFLE * state.slack[0]
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
        if abs(change) > trifle * side.total:
            document.counted = new
            for j in range(term_start[i], term_start[i + 1]):
                sums[s, terms[j]] += change
        else:
            side.pending += abs(change)


@njit(nogil=True, cache=True)
def _keep_house(design: Design, state: State) -> None:
    """Keep the totals exact, the weights in range and the sums near enough."""
    documents, slack = state.documents, state.slack[0]
    stale = False
    for s in range(2):
        side = state.sides[s]
        members = state.members[side.begin : side.end]
        if side.total_error > ACCURACY * side.total:
            _sum_total(documents, members, side)
        if side.lowest < FLOOR * side.total:
            _drop_vanished(documents, members, side)
        if side.total > HUGE or side.total < 1.0 / HUGE:
            _rescale(documents, members, side, state.sums[s])
        stale |= side.rounding > max(0.1 * slack, _ROUNDING) * side.total
        stale |= side.pending > slack * side.total
    if stale:
        _count_anew(design, state)


@njit(nogil=True, cache=True)
def _sum_total(documents: NDArray[Any], members: Integers, side: Any) -> None:
    """Sum up a side's total directly."""
    total = 0.0
    for i in members:
        total += documents[i].weight
    side.total = total
    side.total_error = ULP * total


@njit(nogil=True, cache=True)
def _drop_vanished(documents: NDArray[Any], members: Integers, side: Any) -> None:
    floor, lowest = FLOOR * side.total, np.inf
    for i in members:
        if documents[i].weight < floor:
            documents[i].weight = 0.0
        else:
            lowest = min(lowest, documents[i].weight)
    side.lowest = lowest


@njit(nogil=True, cache=True)
def _rescale(documents: NDArray[Any], members: Integers, side: Any, sums: Floats) -> None:
    """Make a side's total 1."""
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
def _count_anew(design: Design, state: State) -> None:
    """Make the sums from nothing, but for weights that are negligible even together."""
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
