"""Generated scores, of the size of OHSUMED and Reuters-21578 in the paper."""

from __future__ import annotations

import numpy as np

OHSUMED = (50_216, 97)
REUTERS_TRAIN = (9_603, 115)


def make(shape=OHSUMED, seed=0):
    """Generate scores and labels: Zipf-like classes, 0.132 labels per document.

    At the size of OHSUMED, about 5,000 decisions are wrong.
    """
    n, m = shape
    rng = np.random.default_rng(seed)
    prior = 1 / np.arange(1, m + 1) ** 1.1
    labels = rng.random((n, m)) < prior * 0.132 / prior.sum()
    scores = np.where(labels, rng.normal(-0.17, 0.55, (n, m)), rng.normal(-1.0, 0.285, (n, m)))
    return scores, labels
