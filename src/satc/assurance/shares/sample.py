"""What the audited documents say about the documents that nobody has decided on.

Documents are drawn at random from a *frame*: all documents that are not decided on at that time.
People decide on other documents between two draws, so that the frame shrinks. Draws without a
decision between them are one *block*: a simple random sample, without replacement, of n from a
frame of M documents. Its mean, times M, estimates the total of the frame. The documents of the
frame that were decided on since then are known, and are subtracted: what remains is an estimate of
the total of the documents that are still undecided. It is unbiased no matter which documents people
chose, even if they chose them because of what the audit had found: a draw is uniform in its frame,
whatever the frame is.

With the same variance of values everywhere, the variance of this estimate is proportional to
M (M - n) / n: the finite-population correction is in it. The blocks are combined with weights
n / (M (M - n)), which do not depend on labels as long as the audit takes a fixed share of the work.
If all draws are one block, this is the estimate of a simple random sample. Documents whose decision
was undone were outside of some frames (`undone`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise, starmap

import numpy as np
from numpy.typing import NDArray

from satc.assurance.certificate.audit import Absence
from satc.assurance.shares.undone import OutsideFrame, ends_of, powers_of, within_rows
from satc.inputs import Labels

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """The audited documents of a set, and sums over the documents that are left.

    Attributes
    ----------
    y, f : arrays, audited documents x classes
        True labels, and predictions (probabilities, or labels as 0 and 1).
    weight : array, one value per audited document
        What a document counts; the sum is 1.
    information : float
        1 / `information` is the variance of the estimate of a total over the undecided documents,
        for values with variance 1.
    y_left, f_left : arrays, one value per class
        Totals over the undecided documents, estimated from the audited documents alone.
    f_total, uncertain : arrays, one value per class
        Sums of f and of f (1 - f) over the undecided documents, as they are.
    moments : array, 4 x classes
        Means of f, f squared, f cubed and f to the fourth over the frames.
    frame : float
        Mean number of documents in a frame.
    n_left : int
        Number of undecided documents.
    too_high, too_low : arrays, one value per class
        By how much the totals can be too high or too low, because undecided documents were outside
        of frames.
    """

    y: Array
    f: Array
    weight: Array
    information: float
    y_left: Array
    f_left: Array
    f_total: Array
    uncertain: Array
    moments: Array
    frame: float
    n_left: int
    too_high: Array
    too_low: Array

    @property
    def n_effective(self) -> float:
        """Number of equally weighted draws that would say as much; 0 without draws."""
        return 1.0 / float(self.weight @ self.weight) if self.information else 0.0


@dataclass(frozen=True, eq=False)
class Log:
    """The decided documents in the order of the log.

    Attributes
    ----------
    documents : integer array
        Row of each document in the predictions.
    y : boolean array, decisions x classes
    is_audit : boolean array, one value per decision
    undone : tuple of Absence
        The times in which documents were decided, and so outside of frames, before this was undone.
    """

    documents: NDArray[np.int64]
    y: Labels
    is_audit: NDArray[np.bool_]
    undone: tuple[Absence, ...] = ()

    def within(self, rows: NDArray[np.int64], n_documents: int) -> Log:
        """Return the part of the log that is about some documents, which get the rows 0, 1, ..."""
        place = np.full(n_documents, -1)
        place[rows] = np.arange(len(rows))
        inside = place[self.documents] >= 0
        undone = within_rows(self.undone, place, inside)
        return Log(place[self.documents[inside]], self.y[inside], self.is_audit[inside], undone)

    def blocks(self) -> Iterator[slice]:
        """Iterate over the blocks: draws without a decision or an undo between them."""
        ends, start = ends_of(self.undone), 0
        for is_audit, entries in groupby(self.is_audit.tolist()):
            stop = start + len(list(entries))
            if is_audit:
                inner = sorted(place for place in ends if start < place < stop)
                yield from starmap(slice, pairwise([start, *inner, stop]))
            start = stop


def sample_of(predictions: NDArray[np.floating], log: Log) -> Sample:
    """Return the sample of a log of decisions; at least one document must be undecided."""
    n, n_classes = predictions.shape
    f = predictions[log.documents].astype(np.float64)
    y = log.y.astype(np.float64)
    totals = powers_of(predictions)
    found, outside = _Sums(n_classes), OutsideFrame(log.undone, predictions, log.documents, y)
    frame, y_since, f_since = totals.copy(), y.sum(axis=0), f.sum(axis=0)
    before = 0
    for block in log.blocks():
        skipped = slice(before, block.start)
        frame -= powers_of(f[skipped])
        y_since -= y[skipped].sum(axis=0)
        f_since -= f[skipped].sum(axis=0)
        outside.move_to(block.start)
        found.add(
            n - block.start - outside.n_documents,
            frame - outside.powers,
            y[block],
            y_since - outside.y_since,
            f[block],
            f_since - outside.f_since,
            outside,
        )
        before = block.start
    left = totals - powers_of(f)
    return found.sample(y, f, log.is_audit, left, n - len(f))


class _Sums:
    """Weighted sums over blocks."""

    def __init__(self, n_classes: int) -> None:
        self.information = 0.0
        self.y_left = np.zeros(n_classes)
        self.f_left = np.zeros(n_classes)
        self.moments = np.zeros((4, n_classes))
        self.frame = 0.0
        self.too_high = np.zeros(n_classes)
        self.too_low = np.zeros(n_classes)
        self.weight: list[Array] = []

    def add(
        self,
        size: int,
        powers: Array,
        y: Array,
        y_since: Array,
        f: Array,
        f_since: Array,
        outside: OutsideFrame,
    ) -> None:
        """Add a block of draws from a frame of `size` documents with these sums of powers.

        `y_since` and `f_since` are totals over all documents of the frame decided since then: the
        draws of the block and later ones. A block of the whole frame says nothing about others.
        """
        n, imputed = len(y), outside.f_undecided
        information = n / (size * (size - n)) if size > n else 0.0
        self.information += information
        self.y_left += information * (size * y.mean(axis=0) - y_since + imputed)
        self.f_left += information * (size * f.mean(axis=0) - f_since + imputed)
        self.too_high += information * imputed
        self.too_low += information * (outside.n_undecided - imputed)
        self.moments += information * powers / size
        self.frame += information * size
        self.weight.append(np.full(n, information / n))

    def sample(
        self, y: Array, f: Array, is_audit: NDArray[np.bool_], left: Array, n_left: int
    ) -> Sample:
        """Return the sample, with weights that sum to 1."""
        whole = self.information or 1.0
        return Sample(
            y=y[is_audit],
            f=f[is_audit],
            weight=np.concatenate([np.zeros(0), *self.weight]) / whole,
            information=self.information,
            y_left=self.y_left / whole,
            f_left=self.f_left / whole,
            f_total=left[0],
            uncertain=np.maximum(left[0] - left[1], 0.0),
            moments=self.moments / whole,
            frame=self.frame / whole,
            n_left=n_left,
            too_high=self.too_high / whole,
            too_low=self.too_low / whole,
        )
