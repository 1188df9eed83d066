import numpy as np
import pytest

import satc


def test_ranks_are_dealt_out_in_turn():
    order = np.random.default_rng(0).permutation(23)
    parts = satc.round_robin(order, 10)
    for i, part in enumerate(parts):
        assert part.tolist() == [order[r] for r in range(23) if r % 10 == i]


def test_more_annotators_than_documents_leaves_some_idle():
    assert [len(part) for part in satc.round_robin([1, 0], 3)] == [1, 1, 0]


@pytest.mark.parametrize(("k", "error"), [(0, ValueError), (1.5, TypeError), (True, TypeError)])
def test_the_number_of_annotators_is_checked(k, error):
    with pytest.raises(error, match="n_annotators must be"):
        satc.round_robin([0, 1], k)
