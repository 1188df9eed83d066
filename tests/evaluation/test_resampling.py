"""The bootstrap of a curve, against the curve of the documents written out."""

import numpy as np
import pytest

from made import make
from satc.evaluation.error_reduction import error_reduction
from satc.evaluation.resampling import ResampledCurve
from satc.measures import parse


def slow_value(order, labels, y_true, counts, measure, average):
    """Write every copy of a document out, and evaluate the order of the copies."""
    copies = np.repeat(order, counts[order])
    scores = np.where(labels[copies], 1.0, -1.0)
    done = error_reduction(
        np.arange(len(copies)), scores, y_true[copies], measure=measure, average=average
    )
    return 1.0 - done.residual_error


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_a_resampled_curve_is_that_of_the_copies(average):
    made = make(n=80, m=6)
    labels, rng = made.scores >= 0, np.random.default_rng(0)
    order = rng.permutation(80)
    curve = ResampledCurve(order, labels, made.y_true, parse("f1"), average)
    for counts in (np.ones(80, int), rng.multinomial(80, np.full(80, 1 / 80)), np.zeros(80, int)):
        if not counts.sum():
            counts[3] = 2
        expected = slow_value(order, labels, made.y_true, counts, "f1", average)
        np.testing.assert_allclose(curve.value(counts), expected, atol=1e-12)


def test_documents_without_errors_have_a_flat_curve():
    truth = np.eye(3, dtype=bool)
    curve = ResampledCurve([2, 0, 1], truth, truth, parse("f1"), "macro")
    np.testing.assert_array_equal(curve.value(np.array([1, 0, 2])), np.ones(4))


def test_measures_that_do_not_end_at_one_end_where_all_labels_are_right():
    def positives(tp, fp, fn, tn):
        return tp - fp

    made = make(n=20, m=2)
    curve = ResampledCurve(np.arange(20), made.scores >= 0, made.y_true, parse(positives), "macro")
    assert curve.value(np.ones(20, int))[-1] == made.y_true.sum() / 2
