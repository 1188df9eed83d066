import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from satc.errors import DataError
from satc.files import read_training

OOF = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])
LABELS = np.array([[True, False, True], [False, True, True]])
NAMES = ("wheat", "corn", "oil")


@pytest.fixture
def oof(tmp_path):
    columns = {
        "document": ["a"] * 3 + ["b"] * 3,
        "class": [*NAMES, *NAMES],
        "score": OOF.ravel(),
    }
    pq.write_table(pa.table(columns), tmp_path / "oof.parquet")
    return tmp_path / "oof.parquet"


def labels_of(folder):
    rows = ["b,-,corn;oil", "a,-,wheat;oil"]
    (folder / "train.csv").write_text("key,said,codes\n" + "\n".join(rows) + "\n")
    return folder / "train.csv"


COLUMNS = {"id_column": "key", "text_column": "said", "labels_column": "codes", "separator": ";"}


def test_columns_of_both_files_are_matched_by_name(oof, tmp_path):
    order = [2, 0, 1]
    np.save(tmp_path / "train.npy", LABELS)
    wanted = [NAMES[j] for j in order]
    for found in (
        read_training(oof, tmp_path / "train.npy", wanted),
        read_training(oof, labels_of(tmp_path), wanted, **COLUMNS),
    ):
        np.testing.assert_array_equal(found.oof_scores, OOF[:, order])
        np.testing.assert_array_equal(found.labels, LABELS[:, order])


def test_names_of_the_out_of_fold_scores_alone_are_the_order_of_the_labels(oof, tmp_path):
    found = read_training(oof, labels_of(tmp_path), **COLUMNS)
    np.testing.assert_array_equal(found.labels, LABELS)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (("wheat", "corn", "gold"), "oof.parquet must have the classes .* but lacks 'gold'"),
        (("wheat", "corn"), "oof.parquet must have the classes .* but has 'oil' as well"),
    ],
)
def test_other_classes_are_named(oof, tmp_path, wanted, message):
    np.save(tmp_path / "train.npy", LABELS)
    with pytest.raises(DataError, match=message):
        read_training(oof, tmp_path / "train.npy", wanted)


def test_labels_of_other_documents_are_refused(oof, tmp_path):
    np.save(tmp_path / "train.npy", LABELS[:1])
    with pytest.raises(DataError, match=r"must have the shape of .*oof\.parquet, \(2, 3\)"):
        read_training(oof, tmp_path / "train.npy", NAMES)
