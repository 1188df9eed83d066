"""The approximate index of neighbours compared with the exact one: recall, time and memory.

The data are 150,000 generated sparse documents (a Zipf-like vocabulary, and topics with their own
words), 120,000 dense embeddings (many small groups in 128 dimensions), and 100,000 vectors of 384
dimensions with topics and themes (`--vectors 1000000` for more). The approximate index searches the
neighbours of all documents, and the exact one those of 1,000; its time for all is extrapolated.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc

import numpy as np
from scipy import sparse

from satc.calibration.similarity.clusters import ClusterIndex
from satc.calibration.similarity.exact import ExactIndex
from satc.calibration.similarity.features import normalised
from satc.calibration.similarity.nearest import nearest
from satc.calibration.similarity.probing import exact_neighbours
from satc.calibration.similarity.terms import TermIndex
from timing import report

K = 20
N_QUERIES = 1_000


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


def sentence_vectors(n, dimensions=384, n_topics=500, n_themes=20_000, seed=0):
    """Generate topics, themes in them, and documents that lie between two themes of a topic.

    The variance decreases over the directions, as it does in the vectors of sentence models.
    """
    rng = np.random.default_rng(seed)
    spread = np.arange(1, dimensions + 1, dtype=np.float32) ** -0.45
    spread /= np.sqrt((spread**2).sum())
    topics = rng.standard_normal((n_topics, dimensions), dtype=np.float32) * spread
    topic = np.sort(rng.integers(0, n_topics, n_themes))
    themes = rng.standard_normal((n_themes, dimensions), dtype=np.float32) * spread
    themes += topics[topic]
    share = 1 / np.arange(1, n_themes + 1) ** 0.5
    one = rng.permutation(n_themes)[rng.choice(n_themes, n, p=share / share.sum())]
    other = np.clip(one + rng.integers(-20, 21, n), 0, n_themes - 1)
    vectors = rng.standard_normal((n, dimensions), dtype=np.float32) * (spread * 0.7)
    for rows in (slice(start, start + 10_000) for start in range(0, n, 10_000)):
        part = rng.random((len(one[rows]), 1), dtype=np.float32)
        vectors[rows] += (1 - part) * themes[one[rows]] + part * themes[other[rows]]
    return normalised(vectors)


def timed(function):
    tracemalloc.start()
    start = time.perf_counter()
    result = function()
    seconds = time.perf_counter() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return result, seconds, peak


def compare(name, features, approximate, wanted):
    n = features.shape[0]
    size = features.data.nbytes * (2 if sparse.issparse(features) else 1)
    own = np.random.default_rng(1).choice(n, N_QUERIES, replace=False)
    exact, built_exact, _ = timed(lambda: ExactIndex(features))
    for each in (exact, approximate(features[:2_000])):  # compile first
        nearest(each, features[:2], np.arange(2), K)
    index, built, memory = timed(lambda: approximate(features))
    true, slow, _ = timed(lambda: exact_search(exact, features, own))
    everyone, fast, search_memory = timed(lambda: nearest(index, features, np.arange(n), K))
    both = zip(true.neighbour, everyone.neighbour[own], strict=True)
    recall = np.mean([len(np.intersect1d(a, b)) / K for a, b in both])
    slow *= n / N_QUERIES
    print(f"{name}: {features.shape}; index {built:.1f} s, search of all {fast:.1f} s")
    print(f"  exact search of all: {slow:.0f} s, from {N_QUERIES} of them")
    report("  recall at 20", recall, f"at least {wanted}")
    if hasattr(index, "recall_"):
        report("  recall that the index has measured", index.recall_, "as above")
    report("  search, approximate / exact", fast / slow, "below 1")
    both_ratio = (built + fast) / (built_exact + slow)
    report("  all documents with preparation, approximate / exact", both_ratio, "below 1")
    report("  peak memory of preparation / features", memory / size, "for information")
    report("  peak memory of search / features", search_memory / size, "for information")


def exact_search(exact, features, own):
    """Search exactly; dense features in blocks that suit 1,000 documents, which is fastest."""
    if sparse.issparse(features):
        return nearest(exact, features[own], own, K)
    return exact_neighbours(features, own, K)


def clusters(features):
    return ClusterIndex(features, random_state=0)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--vectors", type=int, help="only so many vectors of 384 dimensions")
chosen = parser.parse_args().vectors
if chosen is None:
    compare("sparse, heaviest terms", sparse_documents(), TermIndex, 0.8)
    compare("dense, clusters", embeddings(), clusters, 0.95)
compare("dense, 384 dimensions", sentence_vectors(chosen or 100_000), clusters, 0.95)
