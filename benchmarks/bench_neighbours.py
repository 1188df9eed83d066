"""The approximate index of neighbours compared with the exact one: recall, time and memory.

The data are 150,000 generated sparse documents (a Zipf-like vocabulary, and topics with their own
words) and 120,000 dense embeddings (many small groups in 128 dimensions). The neighbours of 3,000
documents are searched among the others. The ratio for all documents includes the time to build the
index.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
from scipy import sparse

from satc.calibration.similarity.features import normalised
from satc.calibration.similarity.nearest import ClusterIndex, ExactIndex, TermIndex, nearest
from timing import report

K = 20
N_QUERIES = 3_000


def sparse_documents(n=150_000, n_terms=50_000, n_topics=600, length=80, seed=0):
    """Generate documents with common words and words of their topic, with tf-idf weights."""
    rng = np.random.default_rng(seed)
    common = np.minimum(rng.zipf(1.3, (n, length // 2)), n_terms) - 1
    words = rng.integers(0, n_terms, (n_topics, 200))
    topic = rng.choice(n_topics, n, p=(w := 1 / np.arange(1, n_topics + 1) ** 0.7) / w.sum())
    place = np.minimum(rng.geometric(0.02, (n, length // 2)), 200) - 1
    terms = np.concatenate([common, words[topic[:, np.newaxis], place]], axis=1)
    rows = np.repeat(np.arange(n), terms.shape[1])
    counts = sparse.csr_array((np.ones(terms.size), (rows, terms.ravel())), shape=(n, n_terms))
    frequency = np.maximum(np.bincount(counts.indices, minlength=n_terms), 1)
    counts.data = (1 + np.log(counts.data)) * np.log(n / frequency)[counts.indices]
    return normalised(sparse.csr_array(counts, dtype=np.float32))


def embeddings(n=120_000, dimensions=128, n_groups=2_000, seed=0):
    """Generate groups around centres that lie in a space of fewer dimensions."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_groups, 24)) @ rng.normal(size=(24, dimensions)) / 5
    group = rng.integers(0, n_groups, n)
    return normalised((centres[group] + rng.normal(0, 0.4, (n, dimensions))).astype(np.float32))


def timed(function):
    tracemalloc.start()
    start = time.perf_counter()
    result = function()
    seconds = time.perf_counter() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return result, seconds, peak


def compare(name, features, approximate):
    n = features.shape[0]
    size = features.data.nbytes * (2 if sparse.issparse(features) else 1)
    own = np.random.default_rng(1).choice(n, N_QUERIES, replace=False)
    queries = features[own]
    exact, built_exact, _ = timed(lambda: ExactIndex(features))
    index, built, memory = timed(lambda: approximate(features))
    for each in (exact, index):  # compile first
        nearest(each, queries[:2], own[:2], K)
    true, slow, _ = timed(lambda: nearest(exact, queries, own, K))
    found, fast, search_memory = timed(lambda: nearest(index, queries, own, K))
    both = zip(true.neighbour, found.neighbour, strict=True)
    recall = np.mean([len(np.intersect1d(a, b)) / K for a, b in both])
    print(f"{name}: {features.shape}, {1e3 * slow / N_QUERIES:.2f} ms per exact search")
    report("  recall at 20", recall, "at least 0.8")
    report("  search, approximate / exact", fast / slow, "below 1")
    report(
        "  all documents with preparation, approximate / exact",
        (built + fast * n / N_QUERIES) / (built_exact + slow * n / N_QUERIES),
        "below 1",
    )
    report("  peak memory of preparation / features", memory / size, "for information")
    report("  peak memory of search / features", search_memory / size, "for information")


compare("sparse, heaviest terms", sparse_documents(), TermIndex)
compare("dense, clusters", embeddings(), lambda features: ClusterIndex(features, random_state=0))
