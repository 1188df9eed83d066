"""Generated scores and labels, and a slow, plain implementation of the ranking methods."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from satc.measures import parse


class Made(NamedTuple):
    scores: np.ndarray
    y_true: np.ndarray
    oof_scores: np.ndarray
    y_train: np.ndarray

    @property
    def training(self):
        return {"oof_scores": self.oof_scores, "y_train": self.y_train}


def make(n=60, m=5, *, n_train=300, seed=0, tied=False, prevalence=0.25):
    """Generate noisy scores and labels; with `tied`, scores have few values and rows repeat."""
    rng = np.random.default_rng(seed)

    centre = -1.6 + 3 * prevalence * rng.uniform(0.2, 1.5, m)

    def part(size):
        scores = centre + rng.normal(0, 1, (size, m))
        labels = rng.random((size, m)) < 1 / (1 + np.exp(-2.5 * scores))
        if tied:
            scores = np.round(scores * 2) / 2
            twice = rng.integers(0, size, size // 3)
            scores[rng.integers(0, size, size // 3)] = scores[twice]
        return scores, labels

    scores, y_true = part(n)
    oof_scores, y_train = part(n_train)
    return Made(scores, y_true, oof_scores, y_train)


def plain_order(
    made,
    *,
    dynamic,
    sigma,
    measure,
    average,
    tables,
    oracle=False,
    truth=False,
    class_weights=None,
    costs=None,
    error_costs=(1.0, 1.0),
):
    """The paper's algorithm, written plainly: everything is recomputed for every document.

    `tables` are lists of [tp, fp, fn, tn], one per class, or a single one for micro.
    """
    measure = parse(measure)
    tables = [list(map(float, table)) for table in tables]
    scores, n, m = made.scores, *made.scores.shape

    def smooth(table):
        added = 0
        while min(table[:3]) + added < 1:
            added += 1
        if added:
            table[:] = [c + added for c in table[:3]] + [max(table[3] - 3 * added, 0.0)]

    if not oracle:
        for table in tables:
            smooth(table)

    def probability(i, j):
        if truth:
            return float((scores[i, j] >= 0) != made.y_true[i, j])
        return 1.0 / (1.0 + float(np.exp(sigma * abs(scores[i, j]))))

    p = [[probability(i, j) for j in range(m)] for i in range(n)]
    if class_weights is not None or costs is not None or error_costs != (1.0, 1.0):
        for i in range(n):
            for j in range(m):
                weight = 1.0 if class_weights is None else class_weights[j]
                weight *= error_costs[0 if scores[i, j] >= 0 else 1]
                p[i][j] = p[i][j] * weight / (1.0 if costs is None else costs[i])

    def gains(table):
        tp, fp, fn, tn = table
        now = float(measure(tp, fp, fn, tn))
        if dynamic:
            gain_fp = float(measure(tp, fp - 1, fn, tn + 1)) - now if fp > 0 else 0.0
            gain_fn = float(measure(tp + 1, fp, fn - 1, tn)) - now if fn > 0 else 0.0
        else:
            gain_fp = (float(measure(tp, 0.0, fn, tn + fp)) - now) / fp if fp > 0 else 0.0
            gain_fn = (float(measure(tp + fn, fp, 0.0, tn)) - now) / fn if fn > 0 else 0.0
        return gain_fp, gain_fn

    def utility(i):
        of_class = [gains(tables[0 if average == "micro" else j]) for j in range(m)]
        if average == "micro":
            positive = negative = 0.0
            for j in range(m):
                if scores[i, j] >= 0:
                    positive += p[i][j]
                else:
                    negative += p[i][j]
            return positive * of_class[0][0] + negative * of_class[0][1]
        total = 0.0
        for j in range(m):
            total += p[i][j] * of_class[j][0 if scores[i, j] >= 0 else 1]
        return total

    if not dynamic:
        return sorted(range(n), key=lambda i: (-utility(i), i))
    left, order = list(range(n)), []
    while left:
        values = [utility(i) for i in left]
        best = left[values.index(max(values))]
        left.remove(best)
        order.append(best)
        for j in range(m):
            table = tables[0 if average == "micro" else j]
            decided = scores[best, j] >= 0
            if decided and not made.y_true[best, j]:
                table[1] -= 1
                table[3] += 1
            elif not decided and made.y_true[best, j]:
                table[2] -= 1
                table[0] += 1
            else:
                continue
            if not oracle:
                smooth(table)
    return order
