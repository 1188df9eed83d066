"""The log-odds in context of the pairs of a block of documents, as one compiled loop.

For each document, the loop finds the pairs that are looked at. If there are any, the sums and
maxima that their context needs follow. The features of a pair go to a small table of `ROWS` pairs.
When it is full, the trees are evaluated. So there is no array of features of all pairs. The loops
run without the interpreter's lock, so that several blocks can be computed in several threads.

The features and their order are those of `description`; a slow version of the same is in the tests.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.calibration.contextual.block import DocumentBlock
from satc.calibration.contextual.class_tables import ClassTables
from satc.calibration.contextual.trees import ROWS, Table, Trees, add_leaf_values
from satc.decisions import is_label

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Indices = NDArray[np.int64]

UNLIKELY = 0.01  # labels with a smaller probability are no evidence for others
_NO_OTHER = -20.0  # value of "best other logit" if there is only one class
LARGEST = np.float32(np.finfo(np.float32).max)  # magnitude of a feature
_N_SCORE, _N_SIMILAR, _N_OPINION = 10, 7, 2  # features of each kind


class PairModel(NamedTuple):
    """How the log-odds of a pair follow from its features."""

    trees: Trees
    threshold: float  # pairs with a smaller logit are screened
    shift: float  # of the log-odds of the trees
    platt_weight: float  # of Platt's log-odds in the mean
    mix_shift: float  # of the mean


class _Work(NamedTuple):
    """Work arrays for one document: an element for each class."""

    standard: Array  # scores divided by the scale of the class
    evidence: Array
    high: Array  # the largest logits, which can be larger than that of a pair that is looked at
    columns: Indices  # classes that are looked at
    opinions: Array  # the largest and the second largest logit of each opinion


class _Best(NamedTuple):
    """The largest value of a document and the second largest."""

    first: float
    second: float


class _Pairs(NamedTuple):
    """Some pairs of a document, and their place in a table of features."""

    row: int
    columns: Indices
    first: int  # in `columns`
    end: int
    offset: int | np.int64  # from the place in `columns` to that in the table


class _Summary(NamedTuple):
    """The values of a document that the features of all its pairs need."""

    mean: float  # of the scores
    n_decided: int
    expected: float  # sum of the probabilities
    never: float  # evidence of labels that never occur together
    threshold: float  # of high logits
    n_high: int
    best: _Best
    best_votes: _Best
    best_centroid: _Best


class _Buffer(NamedTuple):
    """Pairs whose log-odds are computed next."""

    table: Table  # features x `ROWS`
    leaves: NDArray[np.uint16]
    total: Array


@njit(cache=True, nogil=True, error_model="numpy")
def log_odds_in_context(
    block: DocumentBlock, tables: ClassTables, model: PairModel
) -> tuple[Indices, Array]:
    """Return the places of the pairs that are looked at, and their log-odds.

    The place of a pair is the number of pairs before it, document by document.
    """
    n, m = block.scores.shape
    places, log_odds = np.empty(n * m, dtype=np.int64), np.empty(n * m)
    work, buffer = _new_work(block), _new_buffer(n_features(block))
    filled, done = np.int64(0), np.int64(0)  # not a literal, which is a type of its own
    for i in range(n):
        n_looked_at, n_high = _look(block, i, model.threshold, work)
        if n_looked_at == 0:
            continue
        summary = _summarise(block, tables, i, n_high, model.threshold, work)
        first = 0
        while first < n_looked_at:
            end = min(n_looked_at, first + ROWS - filled)
            pairs = _Pairs(i, work.columns, first, end, filled - first)
            _describe(block, tables, pairs, summary, work, buffer.table)
            for k in range(first, end):
                places[done + filled - first + k] = i * m + work.columns[k]
            filled += end - first
            if filled == ROWS:
                _flush(model, buffer, filled, log_odds[done:])
                done, filled = done + filled, np.int64(0)
            first = end
    _flush(model, buffer, filled, log_odds[done:])
    return places[: done + filled], log_odds[: done + filled]


@njit(cache=True, nogil=True, error_model="numpy")
def describe_pairs(
    block: DocumentBlock,
    tables: ClassTables,
    rows: Indices,
    columns: Indices,
    places: Indices,
    table: Table,
) -> None:
    """Write the features of the pairs in some places to the same columns of a table.

    Rows ascend, and the places hold either all pairs of a document or none.
    """
    work, k = _new_work(block), 0
    while k < len(places):
        first, i = places[k], rows[places[k]]
        while k < len(places) and rows[places[k]] == i:
            k += 1
        _, n_high = _look(block, i, -np.inf, work)
        summary = _summarise(block, tables, i, n_high, -np.inf, work)
        pairs = _Pairs(i, columns, first, places[k - 1] + 1, 0)
        _describe(block, tables, pairs, summary, work, table)


@njit(cache=True, nogil=True)
def n_features(block: DocumentBlock) -> int:
    """Return how many features a pair has."""
    similar = _N_SIMILAR if len(block.votes) else 0
    return _N_SCORE + similar + _N_OPINION * len(block.opinions)


@njit(cache=True, nogil=True)
def _new_work(block: DocumentBlock) -> _Work:
    m = block.scores.shape[1]
    columns, opinions = np.empty(m, dtype=np.int64), np.empty((len(block.opinions), 2))
    return _Work(np.empty(m), np.empty(m), np.empty(m), columns, opinions)


@njit(cache=True, nogil=True)
def _new_buffer(n_features: int) -> _Buffer:
    table = np.zeros((n_features, ROWS), dtype=np.float32)
    return _Buffer(table, np.empty(ROWS, dtype=np.uint16), np.empty(ROWS))


@njit(cache=True, nogil=True)
def _look(block: DocumentBlock, i: int, threshold: float, work: _Work) -> tuple[int, int]:
    """Find the pairs that use the model: likely enough, or with the vote of a neighbour.

    Returns how many these are, and how many of them are likely enough.
    """
    logits, columns, high = block.logits[i], work.columns, work.high
    with_votes = len(block.votes) > 0
    looked_at, n_high = 0, 0
    for j in range(len(logits)):
        likely = logits[j] >= threshold
        columns[looked_at] = j
        high[n_high] = logits[j]
        n_high += likely
        looked_at += likely or (with_votes and block.votes[i, j] > 0)
    return looked_at, n_high


@njit(cache=True, nogil=True, error_model="numpy")
def _summarise(
    block: DocumentBlock,
    tables: ClassTables,
    i: int,
    n_high: int,
    threshold: float,
    work: _Work,
) -> _Summary:
    """Compute the values of a document that the features of all its pairs need."""
    standard, decided = work.standard, 0
    for j in range(len(standard)):
        standard[j] = block.scores[i, j] / tables.scale[j]
    for j in range(len(standard)):
        decided += is_label(standard[j])
    # If there are two high logits, the two largest logits are among them.
    if n_high > 1:
        best = _two_largest(work.high, n_high, _NO_OTHER)
    else:
        best = _two_largest(block.logits[i], len(standard), _NO_OTHER)
    best_votes = best_centroid = _Best(0.0, 0.0)
    if len(block.votes):
        best_votes = _two_largest(block.votes[i], len(standard), 0.0)
        best_centroid = _two_largest(block.centroid[i], len(standard), 0.0)
    for k in range(len(block.opinions)):
        of_opinion = _two_largest(block.opinions[k, i], len(standard), _NO_OTHER)
        work.opinions[k, 0], work.opinions[k, 1] = of_opinion.first, of_opinion.second
    never = _hear(tables, block.probability[i], work.evidence)
    mean, expected = _total(standard) / len(standard), _total(block.probability[i])
    return _Summary(
        mean, decided, expected, never, threshold, n_high, best, best_votes, best_centroid
    )


@njit(cache=True, nogil=True)
def _hear(tables: ClassTables, probability: Array, evidence: Array) -> float:
    """Sum the evidence of the likely labels for labels that they occur with, and for others."""
    evidence[:] = 0.0
    never = 0.0
    for k in range(len(probability)):
        p = probability[k]
        if p >= UNLIKELY:
            never += p * tables.never[k]
            for q in range(tables.lift_starts[k], tables.lift_starts[k + 1]):
                evidence[tables.lift_columns[q]] += p * tables.lift[q]
    return never


@njit(cache=True, nogil=True, error_model="numpy")
def _describe(
    block: DocumentBlock,
    tables: ClassTables,
    pairs: _Pairs,
    document: _Summary,
    work: _Work,
    table: Table,
) -> None:
    """Write the features of some pairs of a document to columns of the table."""
    logits, probabilities = block.logits[pairs.row], block.probability[pairs.row]
    for k in range(pairs.first, pairs.end):
        j, place = pairs.columns[k], pairs.offset + k
        own, probability = logits[j], probabilities[j]
        other = _other(document.best, own)
        own_never = probability * tables.never[j] if probability >= UNLIKELY else 0.0
        table[0, place] = work.standard[j]
        table[1, place] = own
        table[3, place] = other
        table[4, place] = own - other
        table[5, place] = document.n_decided - is_label(work.standard[j])
        table[6, place] = document.expected - probability
        table[7, place] = tables.log_prior[j]
        table[8, place] = (work.evidence[j] - own_never) + document.never
        table[9, place] = document.mean
    _rank(pairs, document, logits, work.high, table[2])
    first = _N_SCORE
    if len(block.votes):
        _describe_similar(block, pairs, document, table)
        first += _N_SIMILAR
    for opinion in range(len(block.opinions)):
        told = block.opinions[opinion, pairs.row]
        best = _Best(work.opinions[opinion, 0], work.opinions[opinion, 1])
        for k in range(pairs.first, pairs.end):
            own = told[pairs.columns[k]]
            table[first, pairs.offset + k] = own
            table[first + 1, pairs.offset + k] = own - _other(best, own)
        first += _N_OPINION


@njit(cache=True, nogil=True)
def _describe_similar(
    block: DocumentBlock, pairs: _Pairs, document: _Summary, table: Table
) -> None:
    i = pairs.row
    for k in range(pairs.first, pairs.end):
        j, place = pairs.columns[k], pairs.offset + k
        votes, centroid = block.votes[i, j], block.centroid[i, j]
        table[10, place] = votes
        table[11, place] = votes - _other(document.best_votes, votes)
        table[12, place] = block.nearest[i]
        table[13, place] = block.log_length[i]
        table[14, place] = block.errors[i, j]
        table[15, place] = centroid
        table[16, place] = centroid - _other(document.best_centroid, centroid)


@njit(cache=True, nogil=True)
def _rank(pairs: _Pairs, document: _Summary, logits: Array, high: Array, ranks: Floats) -> None:
    """Count how many logits of the document are larger."""
    for k in range(pairs.first, pairs.end):
        own, larger = logits[pairs.columns[k]], 0
        if own >= document.threshold:  # all larger ones are high, too
            for j in range(document.n_high):
                larger += high[j] > own
        else:
            for j in range(len(logits)):
                larger += logits[j] > own
        ranks[pairs.offset + k] = larger


@njit(cache=True, nogil=True)
def _flush(model: PairModel, buffer: _Buffer, n: int, log_odds: Array) -> None:
    """Compute the log-odds of the n pairs in the buffer."""
    total, table = buffer.total, buffer.table
    _limit(table, n)
    add_leaf_values(model.trees, table, n, buffer.leaves, total)
    for r in range(n):
        in_context = total[r] + model.shift
        mixed = (1.0 - model.platt_weight) * in_context + model.platt_weight * table[1, r]
        log_odds[r] = mixed + model.mix_shift


@njit(cache=True, nogil=True)
def _limit(table: Table, n: int) -> None:
    """Replace infinite features of n pairs, which scores of extreme magnitude have."""
    for feature in range(len(table)):
        values = table[feature]
        for r in range(n):
            values[r] = min(max(values[r], -LARGEST), LARGEST)


@njit(cache=True, nogil=True)
def _two_largest(values: Array, n: int, otherwise: float) -> _Best:
    """Return the two largest of n values; `otherwise` is the second one if there is only one."""
    first, second = -np.inf, -np.inf
    for j in range(n):
        value = np.float64(values[j])
        if value > second:
            second = min(first, value)
            first = max(first, value)
    return _Best(first, second if n > 1 else otherwise)


@njit(cache=True, nogil=True)
def _other(best: _Best, own: float) -> float:
    """Return the largest value among the other classes."""
    return best.second if own >= best.first else best.first


@njit(cache=True, nogil=True)
def _total(values: Array) -> float:
    """Return the sum, added up in several lanes."""
    whole = len(values) // 8 * 8
    a = b = c = d = e = f = g = h = 0.0
    for j in range(0, whole, 8):
        a += values[j]
        b += values[j + 1]
        c += values[j + 2]
        d += values[j + 3]
        e += values[j + 4]
        f += values[j + 5]
        g += values[j + 6]
        h += values[j + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for j in range(whole, len(values)):
        total += values[j]
    return total
