"""Class frequencies that EMQ of QuaPy finds: the inputs, and the program that stored the figures.

Inputs come from a seed. `emq_figures.json` holds what QuaPy 0.2.3 gave for them, so that our
estimates are compared with it where QuaPy is not installed too. To write the file again:

    python tests/calibration/emq_figures.py
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

STORED = Path(__file__).with_suffix(".json")
SEEDS = (0, 1, 2)
TOLERANCES = (1e-4, 1e-6, 1e-12)
LIMIT = 1e-13  # tolerance at which the EM algorithm is at its limit
STEPS = 200_000  # EMQ may take as many as it needs
N_DOCUMENTS, N_CLASSES = 300, 5
N_SHOWN = 10  # documents whose corrected probabilities are stored


def one_label(seed):
    """Probabilities that sum to 1 in each row, and the shares of classes in training."""
    rng = np.random.default_rng(seed)
    weights = rng.random((N_DOCUMENTS, N_CLASSES)) ** 4 + 1e-4
    share = rng.random(N_CLASSES) + 0.05
    return weights / weights.sum(axis=1, keepdims=True), share / share.sum()


def any_labels(seed):
    """Probabilities of independent classes, and their shares in training."""
    rng = np.random.default_rng([seed, 1])
    probability = 0.001 + 0.998 * rng.random((N_DOCUMENTS, N_CLASSES)) ** 3
    return probability, 0.05 + 0.5 * rng.random(N_CLASSES)


def emq(share, probability, tolerance):
    """Return the shares and the probabilities of QuaPy."""
    from quapy.method.aggregative import EMQ

    before, EMQ.MAX_ITER = EMQ.MAX_ITER, STEPS
    try:
        return EMQ.EM(share, probability, epsilon=tolerance)
    finally:
        EMQ.MAX_ITER = before


def emq_of_one_label(seed, tolerance):
    """Return a record: the shares, and the probabilities of the first documents."""
    probability, share = one_label(seed)
    shares, corrected = emq(share, probability, tolerance)
    return {"shares": shares.tolist(), "corrected": corrected[:N_SHOWN].tolist()}


def emq_of_any_labels(seed):
    """Return the same record, of EMQ class by class."""
    probability, share = any_labels(seed)
    both = [
        emq(np.array([1 - q, q]), np.c_[1 - p, p], LIMIT)
        for p, q in zip(probability.T, share, strict=True)
    ]
    shares = [float(shares[1]) for shares, _ in both]
    corrected = np.column_stack([corrected[:N_SHOWN, 1] for _, corrected in both])
    return {"shares": shares, "corrected": corrected.tolist()}


def figures():
    """Return all figures of QuaPy, by the name of the case."""
    found = {f"one label, {s}, {t:g}": emq_of_one_label(s, t) for s in SEEDS for t in TOLERANCES}
    return found | {f"any labels, {s}": emq_of_any_labels(s) for s in SEEDS}


if __name__ == "__main__":
    lines = (f"{json.dumps(name)}: {json.dumps(one)}" for name, one in figures().items())
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
