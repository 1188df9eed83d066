import numpy as np
import pytest

import satc
from made import make


def test_no_errors_at_all_is_the_random_ranker_s_curve():
    made = make()
    sim = satc.simulate(made.scores, made.scores >= 0, **made.training)
    np.testing.assert_allclose(sim.error_reduction, np.arange(61) / 60)
    assert sim.ener(0.1) == 0
    assert sim.ener(0.1, class_wise=True) == 0


def test_one_document_is_simulated():
    made = make()
    sim = satc.simulate(made.scores[:1], ~(made.scores[:1] >= 0), **made.training)
    assert sim.error_reduction.tolist() == [0, 1]
    assert sim.ener(0.1) == 0


def test_random_is_the_mean_of_many_trials():
    made = make(n=200)
    few, many = (
        satc.simulate(made.scores, made.y_true, method="random", measure="accuracy", n_trials=n)
        for n in (1, 200)
    )
    assert abs(many.ener(0.1)) < 0.02
    line = np.arange(201) / 200
    assert np.abs(many.error_reduction - line).max() < np.abs(few.error_reduction - line).max()


def test_oracles_are_better_than_the_rest():
    made = make(n=400, n_train=400, seed=3)
    ener = {
        method: satc.simulate(made.scores, made.y_true, **made.training, method=method).ener(0.1)
        for method in ("random", "baseline", "u-theoretic", "oracle2")
    }
    assert ener["random"] < ener["baseline"] < ener["u-theoretic"] < ener["oracle2"]


def test_true_labels_must_fit():
    made = make()
    with pytest.raises(ValueError, match="y_true must have the shape of scores"):
        satc.simulate(made.scores, made.y_true[1:], **made.training)
