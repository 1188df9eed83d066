import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made import make
from satc.contingency import ContingencyTables
from satc.evaluation import error_reduction, paired_t_test, stopping_distribution
from satc.evaluation.random_ranker import expected_random_curve, monte_carlo_random_curve
from satc.evaluation.stopping import expected_fraction, persistence
from satc.measures import NAMES, macro_or_micro, parse


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("name", NAMES)
def test_residual_error_is_the_measure_of_the_partly_corrected_labels(name, average):
    made = make(n=40, seed=1)
    order = np.random.default_rng(0).permutation(40)
    reduction = error_reduction(order, made.scores, made.y_true, measure=name, average=average)
    labels = made.scores >= 0
    for n in range(41):
        tables = ContingencyTables.from_labels(made.y_true, labels)
        expected = 1 - macro_or_micro(parse(name), tables, average)
        assert reduction.residual_error[n] == pytest.approx(expected, abs=1e-12)
        if n < 40:
            labels[order[n]] = made.y_true[order[n]]


@pytest.mark.parametrize("xi", [0.05, 0.1, 0.2, 1.0])
def test_ener_is_the_expectation_of_ner(xi):
    made = make(n=50, seed=2)
    reduction = error_reduction(np.arange(50), made.scores, made.y_true)
    stopping = stopping_distribution(persistence(xi, 50), 50)
    assert reduction.ener(xi) == pytest.approx(np.dot(stopping, reduction.ner[1:]))


def test_class_wise_values_are_those_of_each_class_alone():
    made = make(n=50, seed=3)
    order = np.random.default_rng(1).permutation(50)
    values = error_reduction(order, made.scores, made.y_true).class_ener(0.2)
    alone = [
        error_reduction(order, made.scores[:, j], made.y_true[:, j]).ener(0.2) for j in range(5)
    ]
    np.testing.assert_allclose(values, alone)
    assert error_reduction(order, made.scores, made.y_true).ener(
        0.2, class_wise=True
    ) == pytest.approx(np.mean(alone))


def test_a_class_without_errors_has_no_value_of_its_own():
    made = make(n=50, seed=3)
    made.y_true[:, 1] = made.scores[:, 1] >= 0
    reduction = error_reduction(np.arange(50), made.scores, made.y_true)
    assert np.isnan(reduction.class_ener()).tolist() == [False, True, False, False, False]
    assert np.isfinite(reduction.ener(class_wise=True))


def test_micro_has_no_class_wise_values():
    made = make(n=50)
    reduction = error_reduction(np.arange(50), made.scores, made.y_true, average="micro")
    with pytest.raises(ValueError, match="need average='macro'"):
        reduction.class_ener()


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 1], "order must hold the 3 document indices"),
        ([0, 1, 1], "order must hold each of 0, ..., 2 once"),
        ([0.0, 1.0, 2.0], "order must hold the 3 document indices, but is float64"),
    ],
)
def test_an_order_names_every_document_once(order, message):
    with pytest.raises(ValueError, match=message):
        error_reduction(order, np.ones((3, 1)), np.ones((3, 1)))


def test_examples_of_the_paper_persistence():
    assert persistence(0.20, 1000) == pytest.approx(0.9950)
    assert persistence(0.20, 10_000) == pytest.approx(0.9995)
    assert persistence(0.10, 3299) == pytest.approx(0.996, abs=1e-3)
    assert persistence(0.10, 33) == pytest.approx(0.696, abs=2e-3)


@given(st.floats(0.01, 1), st.integers(101, 10_000))
def test_xi_and_p_convert_into_each_other(xi, n):
    assert expected_fraction(persistence(xi, n), n) == pytest.approx(xi)


@given(st.floats(0, 1), st.integers(1, 300))
def test_stopping_probabilities_sum_to_one(p, n):
    distribution = stopping_distribution(p, n)
    assert distribution.sum() == pytest.approx(1)
    assert (distribution >= 0).all()
    if n > 1:
        assert distribution[0] == pytest.approx(1 - p)
        assert distribution[-1] == pytest.approx(p ** (n - 1))


def test_an_expected_depth_below_one_document_means_one():
    assert persistence(0.01, 5) == 0


@pytest.mark.parametrize("xi", [0, -0.1, 1.1, float("nan")])
def test_xi_must_be_a_fraction(xi):
    with pytest.raises(ValueError, match="xi must be a fraction"):
        persistence(xi, 10)


@pytest.mark.parametrize("p", [-0.1, 1.0, 1.5])
def test_p_must_be_a_probability(p):
    with pytest.raises(ValueError, match="p must be a probability"):
        expected_fraction(p, 10)
    if p != 1.0:
        with pytest.raises(ValueError, match="p must be a probability"):
            stopping_distribution(p, 10)


def test_the_random_ranker_is_expected_on_the_diagonal():
    made = make(n=80, seed=4)
    curve = monte_carlo_random_curve(made.scores, made.y_true, measure="accuracy", n_trials=400)
    np.testing.assert_allclose(curve, expected_random_curve(80), atol=0.03)
    with pytest.raises(ValueError, match="n_trials must be 1 or more"):
        monte_carlo_random_curve(made.scores, made.y_true, n_trials=0)


def test_the_t_test_is_scipy_s_on_the_pairs_that_have_values():
    from scipy import stats

    a, b = [0.5, np.nan, 0.7, 0.4], [0.4, 0.9, 0.5, 0.45]
    test = paired_t_test(a, b)
    expected = stats.ttest_rel([0.5, 0.7, 0.4], [0.4, 0.5, 0.45])
    assert (test.statistic, test.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert test.n_pairs == 3
    assert not test.significant()


def test_methods_that_never_differ_do_not_differ_significantly():
    assert paired_t_test([1, 2], [1, 2]).p_value == 1
    assert paired_t_test([2, 3], [1, 2]).significant()


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 2], [1], "vectors of one length"),
        ([1], [2], "two pairs of finite values or more, but has 1"),
    ],
)
def test_pairs_are_needed(a, b, message):
    with pytest.raises(ValueError, match=message):
        paired_t_test(a, b)
