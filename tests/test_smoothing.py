import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from satc.contingency import ContingencyTables
from satc.smoothing import smooth, smooth_one

cell = st.floats(-3, 50)


@given(cell, cell, cell, st.floats(0, 1000))
def test_one_and_many_are_smoothed_alike(tp, fp, fn, tn):
    one = smooth_one(tp, fp, fn, tn)
    many = smooth(ContingencyTables(*np.array([[tp], [fp], [fn], [tn]])))
    assert list(one) == [c[0] for c in many]


@given(cell, cell, cell)
def test_the_smallest_whole_number_that_suffices_is_added_to_all_three(tp, fp, fn):
    smoothed = smooth_one(tp, fp, fn, 1000.0)
    added = smoothed[0] - tp
    assert min(smoothed[:3]) >= 1 - 1e-9
    if min(tp, fp, fn) >= 1:
        assert smoothed == (tp, fp, fn, 1000.0)
    else:
        assert abs(added - round(added)) < 1e-9
        assert min(tp, fp, fn) + added - 1 < 1 + 1e-9
        np.testing.assert_allclose(
            [s - c for s, c in zip(smoothed[:3], (tp, fp, fn), strict=True)], added
        )


def test_the_table_still_speaks_of_as_many_documents():
    assert sum(smooth_one(0.5, 3.0, 2.0, 94.5)) == 100
    assert smooth_one(0.5, 3.0, 2.0, 1.0)[3] == 0.0
