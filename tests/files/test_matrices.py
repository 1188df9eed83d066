from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from satc.errors import DataError
from satc.files import numpy_arrays, read_labels, read_scores

SCORES = np.array([[0.5, -1.0, 2.0], [-0.25, 0.0, 3.0]])
LABELS = np.array([[1, 0, 1], [0, 0, 1]])


def long_form(path, *, drop=(), twice=(), scores=SCORES, **changes):
    rows = [(i, j) for i in range(2) for j in range(3) if (i, j) not in drop] + list(twice)
    columns = {
        "document": [f"d{i}" for i, _ in rows],
        "class": [f"c{j}" for _, j in rows],
        "score": [scores[i, j] for i, j in rows],
    }
    pq.write_table(pa.table({k: v for k, v in (columns | changes).items() if v is not None}), path)
    return path


def test_numpy_files_hold_scores(tmp_path):
    np.save(tmp_path / "s.npy", SCORES)
    np.savez(tmp_path / "s.npz", SCORES)
    np.savez(tmp_path / "named.npz", scores=SCORES, other=LABELS)
    for name in ("s.npy", "s.npz", "named.npz"):
        table = read_scores(tmp_path / name)
        np.testing.assert_array_equal(table.scores, SCORES)
        assert (table.ids, table.classes) == (None, None)


def test_the_long_form_gives_scores_with_the_names_of_rows_and_columns(tmp_path):
    table = read_scores(long_form(tmp_path / "s.parquet"))
    np.testing.assert_array_equal(table.scores, SCORES)
    assert table.ids == ("d0", "d1")
    assert table.classes == ("c0", "c1", "c2")


def test_the_order_of_the_long_form_does_not_matter_for_the_values(tmp_path):
    long_form(tmp_path / "s.parquet")
    shuffled = pq.read_table(tmp_path / "s.parquet").take([5, 2, 0, 4, 1, 3])
    pq.write_table(shuffled, tmp_path / "t.parquet", row_group_size=2)
    table = read_scores(tmp_path / "t.parquet")
    assert (table.ids, table.classes) == (("d1", "d0"), ("c2", "c0", "c1"))
    np.testing.assert_array_equal(table.scores, SCORES[::-1][:, [2, 0, 1]])


def test_integers_are_names_of_documents_and_classes_too(tmp_path):
    path = long_form(tmp_path / "s.parquet", document=[7, 7, 7, 8, 8, 8])
    assert read_scores(path).ids == ("7", "8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": [(1, 1)]}, "must have every pair .* lacks 'd1' with 'c1'"),
        ({"drop": [(1, 2)]}, "must have every pair .* lacks 'd1' with 'c2'"),
        ({"drop": [(0, 1)]}, "must have every pair .* lacks 'd0' with"),
        ({"twice": [(0, 1)]}, "'d0' with 'c1' more than once"),
        ({"twice": [(0, 1)], "drop": [(1, 1)]}, "'d0' with 'c1' more than once"),
        ({"score": None}, "must have the columns document, class, score, but lacks score"),
        (
            {"class": ["a", None, "b", "a", "c", "b"]},
            "document and class must be given in every row",
        ),
        ({"score": ["x"] * 6}, "must be a Parquet file in long form"),
        ({"score": [1.0, float("nan"), 1.0, 1.0, 1.0, 1.0]}, "must be finite"),
        ({"score": [1.0, None, 1.0, 1.0, 1.0, 1.0]}, "must be finite"),
    ],
)
def test_a_long_form_that_is_not_a_matrix_is_refused(options, message, tmp_path):
    path = long_form(tmp_path / "s.parquet", **options)
    with pytest.raises(DataError, match=rf"s\.parquet.*{message}"):
        read_scores(path)


def test_labels_are_read_from_dense_and_sparse_matrices(tmp_path):
    np.save(tmp_path / "y.npy", LABELS)
    np.savez(tmp_path / "y.npz", labels=LABELS.astype(bool), other=SCORES)
    sparse.save_npz(tmp_path / "csr.npz", sparse.csr_matrix(LABELS))
    sparse.save_npz(tmp_path / "coo.npz", sparse.coo_array(LABELS))
    for name in ("y.npy", "y.npz", "csr.npz", "coo.npz"):
        labels = read_labels(tmp_path / name)
        assert labels.dtype == np.bool_
        np.testing.assert_array_equal(labels, LABELS)


def test_labels_are_read_from_a_file_of_documents(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("id,text,labels\n1,t,b|a\n2,t,\n")
    assert read_labels(path).tolist() == [[True, True], [False, False]]
    assert read_labels(path, classes=["b", "c", "a"]).tolist() == [[1, 0, 1], [0, 0, 0]]
    path.write_text("id,text,topics\n1,t,b\n")
    assert read_labels(path, labels_column="topics").tolist() == [[True]]


def test_labels_that_are_not_among_the_classes_are_named(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("id,text,labels\n1,t,a|z\n")
    with pytest.raises(DataError, match="document '1' has the label 'z', which is not among"):
        read_labels(path, classes=["a"])


def test_a_file_of_documents_without_labels_is_refused(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("id,text\n1,t\n")
    with pytest.raises(DataError, match=r"d\.csv must have a column of labels, but has none"):
        read_labels(path)


def test_a_matrix_must_have_as_many_columns_as_there_are_classes(tmp_path):
    np.save(tmp_path / "y.npy", LABELS)
    with pytest.raises(DataError, match="a column for each of the 2 classes, but has 3"):
        read_labels(tmp_path / "y.npy", classes=["a", "b"])


def test_objects_are_never_unpickled(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("unpickled",))

    np.save(tmp_path / "s.npy", np.array([Bomb()], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "s.npz", np.array([1.0]))
    with pytest.raises(DataError, match=r"s\.npy cannot be read as a NumPy file"):
        read_scores(tmp_path / "s.npy")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must be a NumPy file, but is none"),
        (b"1,2\n3,4\n", "must be a NumPy file, but is none"),
        (b"\x93NUMPY\x01\x00", "cannot be read as a NumPy file"),
        (b"PK\x03\x04broken", "cannot be read as a NumPy file"),
    ],
)
def test_a_damaged_matrix_is_named(content, message, tmp_path):
    (tmp_path / "s.npz").write_bytes(content)
    with pytest.raises(DataError, match=rf"s\.npz {message}"):
        read_scores(tmp_path / "s.npz")


def test_a_cut_array_is_named(tmp_path):
    np.save(tmp_path / "s.npy", SCORES)
    (tmp_path / "s.npy").write_bytes((tmp_path / "s.npy").read_bytes()[:-8])
    with pytest.raises(DataError, match=r"s\.npy cannot be read as a NumPy file"):
        read_scores(tmp_path / "s.npy")


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.bsr_array])
@pytest.mark.parametrize("shift", [10**6, -10])
def test_a_sparse_matrix_with_an_index_out_of_range_is_refused(kind, shift, tmp_path):
    sparse.save_npz(tmp_path / "y.npz", kind(LABELS))
    fields = dict(np.load(tmp_path / "y.npz"))
    fields["indices"] = fields["indices"] + shift
    np.savez(tmp_path / "y.npz", **fields)
    with pytest.raises(DataError, match=r"y\.npz cannot be read as a NumPy file: .*ind(ex|ices)"):
        read_labels(tmp_path / "y.npz")


def test_a_sparse_matrix_whose_rows_overlap_is_refused(tmp_path):
    sparse.save_npz(tmp_path / "y.npz", sparse.csr_matrix(np.ones((3, 3))))
    fields = dict(np.load(tmp_path / "y.npz"))
    fields["indptr"] = np.array([0, 9, 0, 9])
    np.savez(tmp_path / "y.npz", **fields)
    with pytest.raises(DataError, match=r"y\.npz cannot be .*: indptr must be a non-decreasing"):
        read_labels(tmp_path / "y.npz")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": SCORES, "b": SCORES}, "one of the name 'scores', but holds 'a', 'b'"),
        ({}, "one of the name 'scores', but holds none"),
        ({"a": np.array([[np.inf]])}, "the matrix must be finite"),
        ({"a": np.zeros((2, 2, 2))}, "must have two dimensions"),
    ],
)
def test_a_file_that_holds_no_scores_is_refused(arrays, message, tmp_path):
    np.savez(tmp_path / "s.npz", **arrays)
    with pytest.raises(DataError, match=rf"s\.npz.*{message}"):
        read_scores(tmp_path / "s.npz")


def test_labels_other_than_0_and_1_are_refused(tmp_path):
    np.save(tmp_path / "y.npy", LABELS * 2)
    with pytest.raises(DataError, match=r"y\.npy: the matrix must hold 0 and 1 only"):
        read_labels(tmp_path / "y.npy")


def test_an_unknown_ending_of_scores_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"scores must be a .npy, .npz or .parquet file"):
        read_scores(tmp_path / "s.csv")


def test_missing_scores_are_named(tmp_path):
    for name in ("s.npy", "s.parquet"):
        with pytest.raises(DataError, match=rf"{name}.*No such file"):
            read_scores(tmp_path / name)


def test_labels_are_matched_to_the_documents_that_have_scores(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("id,text,labels\nx,-,a\ny,-,b\nz,-,\n")
    labels = read_labels(path, classes=["a", "b"], ids=["y", "x"])
    assert labels.tolist() == [[False, True], [True, False]]
    with pytest.raises(DataError, match=r"train.csv must have labels .* but has none of 'w'"):
        read_labels(path, classes=["a", "b"], ids=["x", "w"])


def header(text):
    """A .npy file whose header is this text."""
    content = text.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(content).to_bytes(2, "little") + content + b"\0" * 64


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100,
        "{[]: 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (True, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 2)}",
    ],
)
def test_a_broken_numpy_header_is_named(text, tmp_path):
    (tmp_path / "s.npy").write_bytes(header(text))
    with pytest.raises(DataError, match=r"s\.npy cannot be read as a NumPy file"):
        read_scores(tmp_path / "s.npy")


def test_a_sparse_matrix_of_no_known_format_is_named(tmp_path):
    np.savez(tmp_path / "l.npz", format=np.array(5), data=np.ones(1))
    with pytest.raises(DataError, match=r"l\.npz cannot be read as a NumPy file"):
        read_labels(tmp_path / "l.npz")


def test_a_packed_matrix_that_grows_without_measure_is_refused_before_it_is_read(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(numpy_arrays, "UNPACKED_LIMIT", 1000)
    np.savez_compressed(tmp_path / "packed.npz", scores=np.zeros((1000, 1)))
    with pytest.raises(DataError, match=r"packed\.npz must unpack to at most 1,000 bytes"):
        read_scores(tmp_path / "packed.npz")
    np.savez(tmp_path / "plain.npz", scores=np.zeros((1000, 1)))
    assert read_scores(tmp_path / "plain.npz").scores.shape == (1000, 1)


def test_a_column_of_the_long_form_that_comes_twice_is_named(tmp_path):
    arrays = [pa.array(["a"]), pa.array(["x"]), pa.array([1.0]), pa.array([2.0])]
    names = ["document", "class", "score", "score"]
    pq.write_table(pa.Table.from_arrays(arrays, names=names), tmp_path / "s.parquet")
    with pytest.raises(DataError, match=r"s\.parquet: column names must differ, but 'score'"):
        read_scores(tmp_path / "s.parquet")


def test_names_that_are_not_utf8_are_refused(tmp_path):
    path = long_form(tmp_path / "s.parquet", document=pa.array([b"\xff"] * 6).view(pa.string()))
    with pytest.raises(DataError, match=r"s\.parquet: document and class must be UTF-8"):
        read_scores(path)
