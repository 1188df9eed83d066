"""The contextual probabilities of a block of documents, as one compiled loop over its pairs.

A document is read once: log-odds and probabilities of its pairs, and which pairs are looked at. If
there are any, the sums and maxima that their context needs follow. The features of a pair go to a
small table of `ROWS` pairs. When it is full, the trees are evaluated, and the probabilities are
written to the result. So there is no array of features of all pairs. The loops run without the
interpreter's lock, so that several blocks can be computed in several threads.

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
from satc.calibration.exponential import expit_row
from satc.decisions import is_label

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

UNLIKELY = 0.01  # labels with a smaller probability are no evidence for others
SMALLEST = 1e-6  # probabilities are at least this far from 0 and 1
_NO_OTHER = -20.0  # value of "best other logit" if there is only one class
LARGEST = np.float32(np.finfo(np.float32).max)  # magnitude of a feature
_N_SCORE, _N_SIMILAR, _N_OPINION = 10, 7, 2  # features of each kind


class PairModel(NamedTuple):
    """How the probability of a pair follows from its features."""

    trees: Trees
    threshold: float  # pairs with a smaller logit are screened
    screened_ratio: float  # factor of the probabilities of screened pairs
    shift: float  # of the log-odds of the trees
    platt_weight: float  # of Platt's log-odds in the mean
    mix_shift: float  # of the mean


class _Work(NamedTuple):
    """Work arrays for one document: an element for each class."""

    standard: Array  # scores divided by the scale of the class
    logits: Array
    probability: Array
    evidence: Array
    high: Array  # the largest logits, which can be larger than that of a pair that is looked at
    columns: Indices  # classes that are looked at
    opinions: Array  # the largest and the second largest logit of each opinion
    bits: NDArray[np.int64]
    powers: Array  # a view of `bits`


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
    """Pairs whose probabilities are computed next."""

    table: Table  # features x `ROWS`
    rows: Indices
    columns: Indices
    leaves: NDArray[np.uint16]
    total: Array
    probability: Array
    bits: NDArray[np.int64]
    powers: Array


@njit(cache=True, nogil=True, error_model="numpy")
def fill_probabilities(
    block: DocumentBlock, tables: ClassTables, model: PairModel, out: Array
) -> None:
    """Write P(document belongs to class) of all pairs of a block to `out`."""
    n, m = block.scores.shape
    work, buffer = _new_work(block), _new_buffer(n_features(block))
    ratio, filled = model.screened_ratio, np.int64(0)  # not a literal, which is a type of its own
    for i in range(n):
        _read(block, tables, i, work)
        probability = work.probability
        for j in range(m):
            out[i, j] = min(max(ratio * probability[j], SMALLEST), 1.0 - SMALLEST)
        n_looked_at, n_high = _look(block, i, model.threshold, work)
        if n_looked_at == 0:
            continue
        summary = _summarise(block, tables, i, n_high, model.threshold, work)
        first = 0
        while first < n_looked_at:
            end = min(n_looked_at, first + ROWS - filled)
            pairs = _Pairs(i, work.columns, first, end, filled - first)
            _describe(block, tables, pairs, summary, work, buffer.table)
            filled = _fill_buffer(pairs, buffer)
            if filled == ROWS:
                _flush(model, buffer, filled, out)
                filled = np.int64(0)
            first = end
    _flush(model, buffer, filled, out)


@njit(cache=True, nogil=True, error_model="numpy")
def screen(
    block: DocumentBlock, tables: ClassTables, documents: Indices, threshold: float, seen: Flags
) -> float:
    """Mark the pairs of some documents that are looked at; return the sum of the other ones."""
    work = _new_work(block)
    expected = 0.0
    for i in documents:
        _read(block, tables, i, work)
        looked_at, _ = _look(block, i, threshold, work)
        seen[i] = False
        for k in range(looked_at):
            seen[i, work.columns[k]] = True
            work.probability[work.columns[k]] = 0.0
        expected += _total(work.probability)
    return expected


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
        _read(block, tables, i, work)
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
    bits = np.empty(m, dtype=np.int64)
    columns = np.empty(m, dtype=np.int64)
    opinions, powers = np.empty((len(block.opinions), 2)), bits.view(np.float64)
    a, b, c, d, e = np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    return _Work(a, b, c, d, e, columns, opinions, bits, powers)


@njit(cache=True, nogil=True)
def _new_buffer(n_features: int) -> _Buffer:
    table = np.zeros((n_features, ROWS), dtype=np.float32)
    rows, columns = np.empty(ROWS, dtype=np.int64), np.empty(ROWS, dtype=np.int64)
    bits = np.empty(ROWS, dtype=np.int64)
    leaves, total, probability = np.empty(ROWS, dtype=np.uint16), np.empty(ROWS), np.empty(ROWS)
    return _Buffer(table, rows, columns, leaves, total, probability, bits, bits.view(np.float64))


@njit(cache=True, nogil=True, error_model="numpy")
def _read(block: DocumentBlock, tables: ClassTables, i: int, work: _Work) -> None:
    """Compute the log-odds and the probabilities of a document."""
    scores, logits = block.scores[i], work.logits
    if len(block.logits):
        for j in range(len(scores)):
            logits[j] = block.logits[i, j]
    else:
        for j in range(len(scores)):
            logits[j] = scores[j] * tables.slope[j] + tables.intercept[j]
    expit_row(logits, work.bits, work.powers, work.probability)


@njit(cache=True, nogil=True)
def _look(block: DocumentBlock, i: int, threshold: float, work: _Work) -> tuple[int, int]:
    """Find the pairs that use the model: likely enough, or with the vote of a neighbour.

    Returns how many these are, and how many of them are likely enough.
    """
    logits, columns, high = work.logits, work.columns, work.high
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
        best = _two_largest(work.logits, len(standard), _NO_OTHER)
    best_votes = best_centroid = _Best(0.0, 0.0)
    if len(block.votes):
        best_votes = _two_largest(block.votes[i], len(standard), 0.0)
        best_centroid = _two_largest(block.centroid[i], len(standard), 0.0)
    for k in range(len(block.opinions)):
        of_opinion = _two_largest(block.opinions[k, i], len(standard), _NO_OTHER)
        work.opinions[k, 0], work.opinions[k, 1] = of_opinion.first, of_opinion.second
    never = _hear(tables, work.probability, work.evidence)
    mean, expected = _total(standard) / len(standard), _total(work.probability)
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
    for k in range(pairs.first, pairs.end):
        j, place = pairs.columns[k], pairs.offset + k
        own, probability = work.logits[j], work.probability[j]
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
    _rank(pairs, document, work.logits, work.high, table[2])
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
def _fill_buffer(pairs: _Pairs, buffer: _Buffer) -> int | np.int64:
    """Note which pairs are in the buffer; return how many."""
    for k in range(pairs.first, pairs.end):
        buffer.rows[pairs.offset + k] = pairs.row
        buffer.columns[pairs.offset + k] = pairs.columns[k]
    return pairs.offset + pairs.end


@njit(cache=True, nogil=True)
def _flush(model: PairModel, buffer: _Buffer, n: int, out: Array) -> None:
    """Compute the probabilities of the pairs in the buffer."""
    total, table = buffer.total, buffer.table
    _limit(table, n)
    add_leaf_values(model.trees, table, n, buffer.leaves, total)
    for r in range(n):
        in_context = total[r] + model.shift
        mixed = (1.0 - model.platt_weight) * in_context + model.platt_weight * table[1, r]
        total[r] = mixed + model.mix_shift
    probability = buffer.probability
    expit_row(total[:n], buffer.bits, buffer.powers, probability)
    for r in range(n):
        limited = min(max(probability[r], SMALLEST), 1.0 - SMALLEST)
        out[buffer.rows[r], buffer.columns[r]] = limited


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
