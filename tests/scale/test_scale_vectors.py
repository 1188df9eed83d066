"""Vectors in Parquet beside the scores: similar documents for stored scores."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from stored_made import (
    both_forms,
    classes_of,
    ids_of,
    utilities,
    write_long,
    write_terms,
    write_vectors,
    write_wide,
)

import satc
from made import make
from satc import scale
from satc.errors import DataError
from satc.scale.vectors import n_features_of_terms


@pytest.fixture(scope="module")
def made():
    """Scores, and vectors in which documents with the same labels are near each other."""
    made = make(300, 5, seed=1)
    rng = np.random.default_rng(0)
    themes = rng.normal(size=(5, 8))
    vectors, train_vectors = (
        (labels @ themes + 0.5 * rng.normal(size=(len(labels), 8))).astype(np.float32)
        for labels in (made.y_true, made.y_train)
    )
    return made, vectors, train_vectors


def training_of(made, train_vectors):
    return satc.Training(made.oof_scores, made.y_train, train_vectors)


@pytest.mark.parametrize("decide", ["sign", "measure"])
@pytest.mark.parametrize("form", ["long", "wide"])
def test_stored_vectors_give_the_utilities_of_memory(engine, made, tmp_path, form, decide):
    made, vectors, train_vectors = made
    write = write_long if form == "long" else write_wide
    path = write(tmp_path / ("scores" if form == "long" else "scores.parquet"), made.scores)
    files = write_vectors(tmp_path / "vectors.parquet", vectors)
    scores = scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)
    training = training_of(made, train_vectors)
    found = utilities(scale.rank(scores, training=training, decide=decide), 300)
    memory = satc.rank(made.scores, training=training, features=vectors, decide=decide)
    plain = satc.rank(made.scores, oof_scores=made.oof_scores, y_train=made.y_train, decide=decide)
    close = np.isclose(found, memory.utility, rtol=1e-3)
    assert close.mean() > 0.97  # single-precision products differ in the last digits
    assert np.isclose(found, plain.utility, rtol=1e-3).mean() < 0.5


def test_a_document_without_a_vector_has_no_similar_documents(engine, made, tmp_path):
    made, vectors, train_vectors = made
    some = write_vectors(tmp_path / "vectors.parquet", vectors[1:], ids_of(300)[1:], "document")
    path = write_wide(tmp_path / "scores.parquet", made.scores)
    scores = scale.stored_scores(engine, path, classes=classes_of(5), vectors=some)
    training = training_of(made, train_vectors)
    found = utilities(scale.rank(scores, training=training), 300)
    zeros = vectors.copy()
    zeros[0] = 0.0
    memory = satc.rank(made.scores, training=training, features=zeros)
    assert np.isclose(found[0], memory.utility[0], rtol=1e-2)


@pytest.mark.parametrize("kind", ["vectors", "terms"])
def test_a_validation_uses_the_vectors(engine, made, tmp_path, kind):
    made, vectors, train_vectors = made
    if kind == "terms":
        vectors, train_vectors = (sparse.csr_array(np.abs(v)) for v in (vectors, train_vectors))
        files = write_terms(tmp_path / "terms.parquet", vectors)
    else:
        files = write_vectors(tmp_path / "vectors.parquet", vectors)
    path = write_long(tmp_path / "scores", made.scores)
    scores = scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)
    training = training_of(made, train_vectors)
    part = scale.StoredValidation(scores, training=training, hold=40, method="contextual")
    order = scale.rank(scores, training=training, method="contextual").top(100)["document"]
    row = {identity: k for k, identity in enumerate(ids_of(300))}
    for identity in order.to_pylist():
        assert part.next() == identity
        part.submit(identity, made.y_true[row[identity]])
    assert part.n_fetches > 2


def test_vectors_and_features_of_the_training_documents_go_together(engine, made, tmp_path):
    made, vectors, train_vectors = made
    path = write_wide(tmp_path / "scores.parquet", made.scores)
    files = write_vectors(tmp_path / "vectors.parquet", vectors)
    plain = scale.stored_scores(engine, path, classes=classes_of(5))
    told = scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)
    with pytest.raises(ValueError, match="stored_scores needs vectors"):
        scale.rank(plain, training=training_of(made, train_vectors))
    with pytest.raises(ValueError, match="training needs features"):
        scale.rank(told, training=training_of(made, None))
    wrong = training_of(made, train_vectors[:, :6])
    with pytest.raises(Exception, match="vectors must have 6 numbers"):
        scale.rank(told, training=wrong).top(3)
    with pytest.raises(DataError, match="one column of lists"):
        scale.stored_scores(engine, path, classes=classes_of(5), vectors=path)


@pytest.fixture(scope="module")
def terms(made):
    """Counts of 40 terms; documents with the same labels share terms."""
    made = made[0]
    rng = np.random.default_rng(1)
    themes = rng.random((5, 40)) < 0.2
    return [
        sparse.csr_array(rng.poisson(0.05 + 1.5 * labels @ themes).astype(np.float64))
        for labels in (made.y_true, made.y_train)
    ]


@pytest.mark.parametrize("form", ["long", "wide"])
def test_stored_terms_give_the_utilities_of_memory(engine, made, terms, tmp_path, form):
    made, (documents, known) = made[0], terms
    write = write_long if form == "long" else write_wide
    path = write(tmp_path / ("scores" if form == "long" else "scores.parquet"), made.scores)
    files = write_terms(tmp_path / "terms.parquet", documents)
    scores = scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)
    training = training_of(made, known)
    found = utilities(scale.rank(scores, training=training), 300)
    memory = satc.rank(made.scores, training=training, features=documents)
    plain = satc.rank(made.scores, oof_scores=made.oof_scores, y_train=made.y_train)
    assert np.isclose(found, memory.utility, rtol=1e-3).mean() > 0.97
    assert np.isclose(found, plain.utility, rtol=1e-3).mean() < 0.5


def test_terms_that_do_not_fit_the_training_documents_are_refused(engine, made, terms, tmp_path):
    made, vectors, train_vectors = made
    documents, known = terms
    path = write_wide(tmp_path / "scores.parquet", made.scores)
    files = write_terms(tmp_path / "terms.parquet", documents)
    scores = scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)
    with pytest.raises(ValueError, match="stored as lists of all numbers"):
        scale.rank(scores, training=training_of(made, train_vectors))
    with pytest.raises(DataError, match="from 0 to 29"):
        scale.rank(scores, training=training_of(made, known[:, :30]))
    dense = write_vectors(tmp_path / "vectors.parquet", vectors)
    scores = scale.stored_scores(engine, path, classes=classes_of(5), vectors=dense)
    with pytest.raises(ValueError, match="stored as indices and values"):
        scale.rank(scores, training=training_of(made, known))


@pytest.mark.parametrize("form", ["long", "wide"])
def test_an_id_that_comes_twice_among_the_vectors_is_refused(engine, made, tmp_path, form):
    made, vectors, _ = made
    path = both_forms(engine, tmp_path, made.scores)[form].table
    ids = [*ids_of(299), "d00007"]
    files = write_vectors(tmp_path / "vectors.parquet", vectors, ids)
    with pytest.raises(DataError, match="but 'd00007' comes 2 times"):
        scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)
    files = write_vectors(tmp_path / "vectors.parquet", vectors, [None, *ids_of(299)])
    with pytest.raises(DataError, match="an id in every row, but a row has none"):
        scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)


def test_vectors_of_no_document_are_refused(engine, made, tmp_path, monkeypatch):
    made, vectors, _ = made
    path = write_wide(tmp_path / "scores.parquet", made.scores)
    files = write_vectors(tmp_path / "vectors.parquet", vectors, [f"x{i}" for i in range(300)])
    with pytest.raises(DataError, match=r"none of them is one: ids are such as 'x.* such as 'd0"):
        scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)
    monkeypatch.setattr("satc.scale.vectors._TRIED", 1)
    files = write_vectors(tmp_path / "vectors.parquet", vectors[:1], ["d00299"])
    scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)  # one is enough


@pytest.mark.parametrize("name", ["v.npz", "s3a://bucket/v.npy"])
def test_vectors_in_numpys_formats_are_refused_in_one_line(engine, made, tmp_path, name):
    path = write_wide(tmp_path / "scores.parquet", made[0].scores)
    with pytest.raises(DataError, match=f"must be Parquet files .*, but are '{name}'"):
        scale.stored_scores(engine, path, classes=classes_of(5), vectors=name)


def test_the_number_of_features_of_terms_is_found(engine, terms, tmp_path):
    documents, _ = terms
    files = engine.open(write_terms(tmp_path / "terms.parquet", documents))
    found = files.select(places=files["indices"])
    assert n_features_of_terms(engine, found) == documents.indices.max() + 1
    empty = engine.temporary_table(pa.table({"places": pa.array([[], None], pa.list_(pa.int64()))}))
    assert n_features_of_terms(engine, empty) == 0
