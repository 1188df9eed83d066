"""Generated scores as Parquet files, and the expected order, with exact ties."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

import satc
from made import Made
from satc import scale


def ids_of(n):
    return [f"d{i:05d}" for i in range(n)]


def classes_of(m):
    return [f"c{j}" for j in range(m)]


def long_table(scores, *, shuffled=True):
    n, m = scores.shape
    some = np.random.default_rng(0).permutation(n * m) if shuffled else np.arange(n * m)
    return pa.table(
        {
            "document": np.repeat(ids_of(n), m)[some],
            "class": np.tile(classes_of(m), n)[some],
            "score": scores.ravel()[some],
        }
    )


def labelled(scores, labels):
    """Pairs with their true labels."""
    table = long_table(scores, shuffled=False)
    return table.append_column("label", pa.array(labels.ravel().astype(bool)))


def write_long(folder, scores, *, files=3, **options):
    """Write the pairs in any order into several files; return the pattern."""
    folder.mkdir(exist_ok=True, parents=True)
    table = long_table(scores, **options)
    size = -(-len(table) // files)
    for k in range(files):
        pq.write_table(table[k * size : (k + 1) * size], folder / f"{k}.parquet")
    return str(folder / "*.parquet")


def write_wide(path, scores):
    n, m = scores.shape
    columns = dict(zip(classes_of(m), scores.T, strict=True))
    pq.write_table(pa.table({"document": ids_of(n), **columns}), path)
    return str(path)


def write_vectors(path, vectors, ids=None, id_column="id"):
    """Write vectors as `satc embed` does; return the path."""
    lists = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    pq.write_table(pa.table({id_column: ids or ids_of(len(vectors)), "embedding": lists}), path)
    return str(path)


def write_terms(path, terms):
    """Write the indices and values of the rows of a sparse matrix; return the path."""
    ends = pa.array(terms.indptr, pa.int32())
    columns = {
        "id": ids_of(terms.shape[0]),
        "indices": pa.ListArray.from_arrays(ends, pa.array(terms.indices)),
        "values": pa.ListArray.from_arrays(ends, pa.array(terms.data)),
    }
    pq.write_table(pa.table(columns), path)
    return str(path)


def utilities(ranking, n):
    """Return the utilities of all n documents in the order of their ids."""
    top = ranking.top(n)
    found = dict(zip(top["document"].to_pylist(), top["utility"].to_pylist(), strict=True))
    return np.array([found[name] for name in ids_of(n)])


def exact_order(utility, tolerance=1e-11):
    """Order by utility, then by index; utilities that differ only by rounding are equal."""
    by = np.argsort(-utility, kind="stable")
    drop = -np.diff(utility[by]) > tolerance * np.abs(utility[by][1:])
    group = np.empty(len(by), dtype=int)
    group[by] = np.concatenate([[0], np.cumsum(drop)])
    return np.lexsort((np.arange(len(by)), group))


def check_same(ranking, memory, n=None):
    """Check that documents and order are the same, and utilities to 1e-9."""
    order = exact_order(memory.utility)[:n]
    top = ranking.top(n or len(memory.utility))
    ids = ids_of(len(memory.utility))
    assert top["document"].to_pylist() == [ids[i] for i in order]
    assert top["rank"].to_pylist() == list(range(1, len(order) + 1))
    np.testing.assert_allclose(top["utility"].to_numpy(), memory.utility[order], rtol=1e-9)


def real_scores(dataset, *, n=1_200, m=20):
    """Return scores of a linear SVM for some documents and the most frequent classes."""
    train, test = dataset.train, dataset.test
    frequent = np.argsort(-train.labels[:n].sum(axis=0), kind="stable")[:m]
    words = TfidfVectorizer(min_df=2, sublinear_tf=True)
    X, Y = words.fit_transform(train.texts[:n]), train.labels[:n][:, frequent]
    clf = satc.SemiAutomatedClassifier(LinearSVC(), cv=3).fit(X, Y)
    scores = clf.scores(words.transform(test.texts[:n]))
    return Made(scores, test.labels[:n][:, frequent], clf.oof_scores_, clf.y_train_)


def both_forms(engine, folder, scores):
    """Store scores in long and in wide form."""
    return {
        "long": scale.stored_scores(engine, write_long(folder / "long", scores)),
        "wide": scale.stored_scores(engine, write_wide(folder / "wide.parquet", scores)),
    }


def check_same_session(validation, memory, made):
    """Validate everything in both: the same documents come, and none outside exceeds the bound."""
    n = len(made.scores)
    row = {identity: i for i, identity in enumerate(ids_of(n))}
    while (best := memory.next()) is not None:
        document = validation.next()
        assert row[document] == best
        outside = set(range(n)) - {row[held] for held in validation._window.ids}
        largest = max((memory.utility(i) for i in outside), default=-np.inf)
        assert largest <= validation.bound() * (1 + 1e-9)
        memory.submit(best, made.y_true[best])
        validation.submit(document, made.y_true[best])
    assert validation.next() is None
