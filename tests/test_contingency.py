import numpy as np
import pytest
from sklearn.metrics import multilabel_confusion_matrix

from satc.contingency import ContingencyTables


def test_counts_agree_with_scikit_learn():
    rng = np.random.default_rng(0)
    y_true, y_pred = rng.random((50, 4)) < 0.4, rng.random((50, 4)) < 0.4
    tables = ContingencyTables.from_labels(y_true, y_pred)
    expected = multilabel_confusion_matrix(y_true, y_pred)
    np.testing.assert_array_equal(tables.tn, expected[:, 0, 0])
    np.testing.assert_array_equal(tables.fp, expected[:, 0, 1])
    np.testing.assert_array_equal(tables.fn, expected[:, 1, 0])
    np.testing.assert_array_equal(tables.tp, expected[:, 1, 1])


def test_scaling_and_pooling_work_cell_by_cell():
    tables = ContingencyTables(*np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]))
    assert [cell.tolist() for cell in tables.scaled(0.5).pooled()] == [[1.5], [3.5], [5.5], [7.5]]


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"y_pred must have the shape of y_true, \(2, 2\)"):
        ContingencyTables.from_labels(np.zeros((2, 2)), np.zeros((2, 3)))


def test_tables_cannot_be_changed():
    tables = ContingencyTables(*np.zeros((4, 1)))
    with pytest.raises(AttributeError):
        tables.tp = np.ones(1)
