import numpy as np

from plain_context import evidence
from satc.calibration.contextual.cooccurrence import Cooccurrence, cooccurrence_counts


def test_labels_that_go_together_speak_for_each_other():
    labels = np.zeros((90, 3), dtype=bool)
    labels[:30, :2] = True
    labels[30:60, 2] = True
    fitted = Cooccurrence().fit(labels)
    found = evidence(fitted.never_, fitted.lift_, np.array([[0.9, 0.0, 0.0]]))[0]
    assert found[1] > 0.5
    assert found[2] < -0.5
    assert found[0] == 0  # a label is no evidence for itself


def test_counts_are_those_of_the_obvious_version():
    labels = np.random.default_rng(0).random((9_000, 7)) < 0.3  # more than one block
    expected = labels.T.astype(int) @ labels.astype(int)
    np.testing.assert_array_equal(cooccurrence_counts(labels).toarray(), expected)
