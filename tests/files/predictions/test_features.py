"""Features are read from every format, and matched by id where both sides have ids."""

import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from hostile import damaged, outcome
from satc.errors import DataError
from satc.files.predictions.features import read_both_features, read_features

MATRIX = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]])


def write(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def test_dense_and_sparse_matrices_are_read(tmp_path):
    np.save(tmp_path / "f.npy", MATRIX.astype(np.float32))
    assert read_features(tmp_path / "f.npy").matrix.dtype == np.float32
    np.savez(tmp_path / "f.npz", features=MATRIX, other=[1])
    np.testing.assert_array_equal(read_features(tmp_path / "f.npz").matrix, MATRIX)
    for kind in (sparse.csr_matrix, sparse.coo_array, sparse.csc_matrix):
        sparse.save_npz(tmp_path / "s.npz", kind(MATRIX))
        found = read_features(tmp_path / "s.npz").matrix
        assert (sparse.issparse(found), found.format) == (True, "csr")
        np.testing.assert_array_equal(found.toarray(), MATRIX)


def test_parquet_has_vectors_or_columns_with_or_without_ids(tmp_path):
    path = write(tmp_path / "v.parquet", document=["b", "a", "c"], vector=MATRIX.tolist())
    np.testing.assert_array_equal(read_features(path).of(["a", "c"], 2), MATRIX[[1, 2]])
    path = write(tmp_path / "c.parquet", x=MATRIX[:, 0], y=[0, 2, 4])
    np.testing.assert_array_equal(read_features(path).of(["a", "b", "c"], 3), MATRIX)


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64(), pa.int16(), pa.bool_()])
@pytest.mark.parametrize("size", [-1, 2])
def test_vectors_of_any_type_are_read_in_several_chunks_and_slices(tmp_path, kind, size):
    rows = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0]]
    whole = pa.array([[7, 7], *rows], pa.list_(pa.int64(), size)).slice(1)
    column = pa.chunked_array([whole.slice(0, 2), whole.slice(2)]).cast(pa.list_(kind, size))
    with pq.ParquetWriter(tmp_path / "v.parquet", pa.schema([("v", column.type)])) as writer:
        for chunk in column.chunks:
            writer.write_table(pa.table({"v": chunk}))
    found = read_features(tmp_path / "v.parquet").matrix
    np.testing.assert_array_equal(found, rows)
    fixed = size > 0 and kind == pa.float32()
    assert found.dtype == (np.float32 if fixed else np.float64)


def test_indices_and_values_are_a_sparse_matrix_as_wide_as_the_other_one(tmp_path):
    rows = {"indices": [[0], [1], [0, 1]], "values": [[1.0], [2.0], [3.0, 4.0]]}
    path = write(tmp_path / "terms.parquet", id=["a", "b", "c"], **rows)
    found = read_features(path)
    assert sparse.issparse(found.matrix)
    np.testing.assert_array_equal(found.of(["c", "a"], 2).toarray(), MATRIX[[2, 0]])
    wide = write(tmp_path / "wide.parquet", id=["d"], indices=[[4]], values=[[5]])
    own, known = read_both_features(path, wide)
    assert (own.matrix.shape, known.matrix.shape) == ((3, 5), (1, 5))
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(MATRIX))
    own, known = read_both_features(tmp_path / "s.npz", wide)
    assert own.matrix.shape[1] != known.matrix.shape[1]  # a matrix says how wide it is


def test_many_vectors_are_read_without_python_objects(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(20_000, 64)).astype(np.float32)
    column = pa.FixedSizeListArray.from_arrays(vectors.reshape(-1), 64)
    path = write(tmp_path / "v.parquet", id=[str(i) for i in range(20_000)], v=column)
    tracemalloc.start()
    found = read_features(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4 * vectors.nbytes  # a list of Python's numbers takes ten times as much
    np.testing.assert_array_equal(found.matrix, vectors)


def test_ids_may_be_numbers_and_have_another_name(tmp_path):
    path = write(tmp_path / "v.parquet", number=[7, 8, 9], vector=MATRIX.tolist())
    found = read_features(path, "number")
    assert found.ids == ("7", "8", "9")
    assert (found.has(["9"]), found.has(["1"]), found.has(None)) == (True, False, False)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": ["a", "a", "b"], "v": MATRIX.tolist()}, "a different id in every row"),
        ({"v": [[1.0], [1.0, 2.0]]}, r"row 2: 'v' must be a vector of 1 numbers"),
        ({"v": [[1.0], None]}, r"row 2: 'v' must be a vector"),
        ({"v": [[1.0], [None]]}, r"row 2: 'v' must be a vector"),
        ({"v": [["a"], ["b"]]}, "must be a matrix of numbers"),
        ({"x": ["a", "b"]}, "one column of vectors, columns of numbers only, or the"),
        ({"x": [1.0, 2.0], "text": ["a", "b"]}, "but has 'x', 'text'"),
        ({"id": ["a"]}, "but has none"),
        ({"x": [1.0, None]}, "must hold finite numbers"),
        ({"indices": [[0], [1]], "values": [[1.0], [1.0, 2.0]]}, "row 2: .* have 1 and 2"),
        ({"indices": [[0], [-1]], "values": [[1.0], [1.0]]}, "whole numbers from 0"),
        ({"indices": [[0], [2**31]], "values": [[1.0], [1.0]]}, "whole numbers from 0"),
        ({"indices": [[0.5], [1.0]], "values": [[1.0], [1.0]]}, "whole numbers from 0"),
        ({"indices": [[0], [1]], "values": [[1.0], [None]]}, "a list of numbers in every row"),
        ({"indices": [[0], [1]], "values": [["a"], ["b"]]}, "'values' must hold numbers"),
        ({"indices": [0, 1], "values": [[1.0], [1.0]]}, "'indices' must be a column of lists"),
        ({"indices": [[0]], "values": [[np.nan]]}, "must hold finite numbers"),
    ],
)
def test_features_that_cannot_be_used_name_the_file(tmp_path, columns, message):
    path = write(tmp_path / "f.parquet", **columns)
    with pytest.raises(DataError, match=message) as caught:
        read_features(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "array", [[1.0, 2.0], [[np.nan]], [[np.inf]], [["a"]], np.zeros((0, 2)), [[1j]]]
)
def test_a_matrix_must_be_of_finite_numbers(tmp_path, array):
    np.save(tmp_path / "f.npy", array)
    with pytest.raises(DataError, match=r"f\.npy must"):
        read_features(tmp_path / "f.npy")


def test_other_formats_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"must be a \.npy, \.npz or \.parquet file"):
        read_features(tmp_path / "f.csv")


def test_documents_must_have_their_features(tmp_path):
    path = write(tmp_path / "f.parquet", id=["a", "b", "c"], v=MATRIX.tolist())
    with pytest.raises(DataError, match="must have features of 'z'"):
        read_features(path).of(["a", "z"], 2)
    np.save(tmp_path / "f.npy", MATRIX)
    with pytest.raises(DataError, match="a row for each of the 2 documents, but has 3"):
        read_features(tmp_path / "f.npy").of(["a", "b"], 2)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@pytest.mark.parametrize("name", ["f.npy", "f.npz", "s.npz", "f.parquet", "t.parquet"])
def test_a_damaged_file_of_features_is_read_or_refused(tmp_path, name, data):
    path = tmp_path / name
    if name == "f.npy":
        np.save(path, MATRIX)
    elif name == "f.npz":
        np.savez(path, MATRIX)
    elif name == "s.npz":
        sparse.save_npz(path, sparse.csr_matrix(MATRIX))
    elif name == "t.parquet":
        write(path, id=["a", "b"], indices=[[0], [1, 2]], values=[[1.0], [2.0, 3.0]])
    else:
        write(path, id=["a", "b", "c"], v=MATRIX.tolist())
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    found = outcome(read_features, path)
    assert found is None or found.matrix.ndim == 2
