"""MP-Boost and AdaBoost.MH, simple and slow: everything is recomputed in every round.

Both sides of a split are computed as direct sums, never as a difference, so that small sums are
exact. The two conventions of the fast version are the same here: values that agree to 12 digits are
ties, and a weight below 1e-200 of the weight of its side is set to 0.
"""

import numpy as np

TIE = 1e-12
FLOOR = 1e-200


def plain_boost(X, Y, n_rounds, epsilon=None, variant="mp"):
    """Pivots (round x class) and votes (round x class x absent, present)."""
    X, Y = np.asarray(X) != 0, np.asarray(Y) == 1
    epsilon = 1 / Y.size if epsilon is None else epsilon
    if variant == "mh":
        return _boost(X, Y, n_rounds, epsilon)
    results = [_boost(X, Y[:, [k]], n_rounds, epsilon) for k in range(Y.shape[1])]
    return np.hstack([r[0] for r in results]), np.hstack([r[1] for r in results])


def _boost(X, Y, n_rounds, epsilon):
    """Boost some classes together: one pivot for all, and weights that sum to 1 over them."""
    parts, sides = [(~X).T.astype(float), X.T.astype(float)], [~Y, Y]
    D = np.full(Y.shape, 1 / Y.size)
    pivots = np.empty((n_rounds, Y.shape[1]), dtype=int)
    votes = np.empty((n_rounds, Y.shape[1], 2))
    for r in range(n_rounds):
        (absent_n, absent_p), (present_n, present_p) = [
            [part @ (D * side) for side in sides] for part in parts
        ]
        values = (np.sqrt(present_p * present_n) + np.sqrt(absent_p * absent_n)).sum(axis=1)
        t = np.flatnonzero(values <= values.min() * (1 + TIE))[0]
        pivots[r] = t
        votes[r, :, 0] = np.log((absent_p[t] + epsilon) / (absent_n[t] + epsilon)) / 2
        votes[r, :, 1] = np.log((present_p[t] + epsilon) / (present_n[t] + epsilon)) / 2
        _copy_vote_to_empty_part(X[:, t], Y, votes[r])
        h = np.where(X[:, [t]], votes[r, :, 1], votes[r, :, 0])
        D = D * np.exp(np.where(Y, -h, h))
        D /= D.sum()
        for side in sides:
            floor = FLOOR * (D * side).sum(axis=0)
            D[side & np.less(D, floor)] = 0
    return pivots, votes


def _copy_vote_to_empty_part(present, Y, votes):
    """If a class has only positive or only negative documents, copy the vote to the empty part."""
    if present.all() or not present.any():
        one_sided = Y.all(axis=0) | ~Y.any(axis=0)
        occupied = int(present.all())
        votes[one_sided, 1 - occupied] = votes[one_sided, occupied]


def plain_scores(X, pivots, votes):
    """The sums of the votes."""
    scores = np.zeros((len(X), pivots.shape[1]))
    for t, c in zip(pivots, votes, strict=True):
        scores += np.where(np.asarray(X)[:, t] != 0, c[:, 1], c[:, 0])
    return scores
