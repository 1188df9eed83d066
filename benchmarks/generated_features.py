"""Generated features of documents, beside scores: documents of the same class are similar.

An *embedding* is a dense vector: the direction of the class of the document, and noise. *Terms* are
a sparse vector: a document has 60 of 30,000 terms, and a third of them are those of its class.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from scipy import sparse

Integers = NDArray[np.int64]

N_TERMS, PER_DOCUMENT, OF_CLASS = 30_000, 60, 20
NOISE = 1.5  # length of the noise of an embedding; the direction of the class has length 1
PER_FILE = 100_000  # documents
SEED = 7  # of what all sets of documents share: the directions and the terms of classes


def embeddings(classes: Integers, n_classes: int, dimensions: int, seed: int) -> Any:
    """Return a vector of length 1 for each document."""
    directions = np.random.default_rng(SEED).normal(size=(n_classes, dimensions))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    rng = np.random.default_rng([seed, dimensions])
    noise = rng.normal(0.0, NOISE / np.sqrt(dimensions), (len(classes), dimensions))
    found = directions[classes] + noise
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def terms(classes: Integers, n_classes: int, seed: int) -> Any:
    """Return the counts of the terms of each document, as a sparse array."""
    own = np.random.default_rng(SEED).integers(0, N_TERMS, (n_classes, 4 * OF_CLASS))
    rng, n = np.random.default_rng(seed), len(classes)
    common = (N_TERMS * rng.random((n, PER_DOCUMENT - OF_CLASS)) ** 3).astype(np.int64)
    chosen = own[classes[:, None], rng.integers(0, own.shape[1], (n, OF_CLASS))]
    columns = np.concatenate([common, chosen], axis=1).ravel()
    ends = PER_DOCUMENT * np.arange(n + 1)
    counts = sparse.csr_array((np.ones(columns.size), columns, ends), shape=(n, N_TERMS))
    counts.sum_duplicates()
    return counts


def make_features(kind: str, classes: Integers, n_classes: int, seed: int) -> Any:
    """Return features of a kind: ``"terms"``, or the number of dimensions of embeddings."""
    if kind == "terms":
        return terms(classes, n_classes, seed)
    return embeddings(classes, n_classes, int(kind), seed)


def write_features(folder: Path, kind: str, classes: Integers, n_classes: int) -> None:
    """Write features of the documents 0, 1, ... as Parquet files, as `satc.scale` reads them."""
    folder.mkdir()
    for start in range(0, len(classes), PER_FILE):
        some = classes[start : start + PER_FILE]
        features = make_features(kind, some, n_classes, seed=1 + start)
        ids = pa.array(range(start, start + len(some))).cast(pa.string())
        columns = {"id": ids, **dict(_columns(features))}
        pq.write_table(pa.table(columns), folder / f"{start:09d}.parquet")


def _columns(features: Any) -> Iterator[tuple[str, pa.Array]]:
    if not sparse.issparse(features):
        numbers = pa.array(features.ravel())
        yield "embedding", pa.FixedSizeListArray.from_arrays(numbers, features.shape[1])
        return
    ends = pa.array(features.indptr, pa.int32())
    yield "indices", pa.ListArray.from_arrays(ends, pa.array(features.indices))
    yield "values", pa.ListArray.from_arrays(ends, pa.array(features.data))
