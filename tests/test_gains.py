import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satc.contingency import ContingencyTables
from satc.gains import average_gains, pointwise_gains, pointwise_gains_one, unit_gains
from satc.measures import F1, NAMES, parse


def table(tp, fp, fn, tn):
    return ContingencyTables(*np.array([[tp], [fp], [fn], [tn]], dtype=float))


def test_example_of_the_paper_average_gain():
    assert average_gains(F1, table(10, 30, 20, 40)).fn[0] == pytest.approx(0.0190, abs=5e-5)


def test_example_of_the_paper_pointwise_gains():
    gains = [pointwise_gains(F1, table(10 + k, 30, 20 - k, 40)).fn[0] for k in range(20)]
    np.testing.assert_allclose(gains[:3], [0.0241, 0.0235, 0.0228], atol=5e-5)
    # The paper prints .0147 for the 20th; that is one correction further (docs/errata.md).
    assert gains[19] == pytest.approx(0.0150, abs=5e-5)
    assert F1(31.0, 30.0, -1.0, 40.0) - F1(30.0, 30.0, 0.0, 40.0) == pytest.approx(0.0147, abs=5e-5)
    assert sum(gains) / 20 == pytest.approx(average_gains(F1, table(10, 30, 20, 40)).fn[0])


@given(st.integers(1, 200), st.integers(1, 200), st.integers(1, 200))
def test_a_false_negative_is_worth_more_than_a_false_positive(tp, fp, fn):
    gains = pointwise_gains(F1, table(tp, fp, fn, 0))
    assert fp + fn > 1
    assert gains.fn[0] > gains.fp[0]


@pytest.mark.parametrize("name", NAMES)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_one_and_many_agree(name, tp, fp, fn, tn):
    one = pointwise_gains_one(parse(name), float(tp), float(fp), float(fn), float(tn))
    many = pointwise_gains(parse(name), table(tp, fp, fn, tn))
    assert one == (many.fp[0], many.fn[0])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("formula", [average_gains, pointwise_gains])
def test_nothing_to_correct_is_worth_nothing(name, formula):
    gains = formula(parse(name), table(5, 0, 0, 9))
    assert gains.fp[0] == 0
    assert gains.fn[0] == 0


def test_accuracy_values_every_error_alike():
    tables = ContingencyTables(*np.array([[5.0, 40.0], [9.0, 2.0], [1.0, 30.0], [85.0, 28.0]]))
    np.testing.assert_allclose(average_gains(parse("accuracy"), tables), 0.01)
    np.testing.assert_allclose(pointwise_gains(parse("accuracy"), tables), 0.01)


def test_a_class_without_positives_gains_only_by_its_last_false_positive():
    assert average_gains(F1, table(0, 4, 0, 6)).fp[0] == 0.25
    assert pointwise_gains(F1, table(0, 4, 0, 6)).fp[0] == 0
    assert pointwise_gains(F1, table(0, 1, 0, 9)).fp[0] == 1


def test_unit_gains_are_one():
    assert unit_gains(3).fp.tolist() == unit_gains(3).fn.tolist() == [1, 1, 1]


@pytest.mark.parametrize("name", NAMES)
def test_where_less_than_one_error_is_expected_the_two_gains_are_the_same(name):
    few = table(3, 0.25, 0.5, 9)
    np.testing.assert_allclose(
        pointwise_gains(parse(name), few), average_gains(parse(name), few), rtol=1e-12
    )
    one = pointwise_gains_one(parse(name), 3.0, 0.25, 0.5, 9.0)
    assert one == pytest.approx([g[0] for g in pointwise_gains(parse(name), few)])


def test_a_measure_that_is_not_finite_is_refused_in_the_middle_of_a_validation():
    def odd(tp, fp, fn, tn):
        return float("nan") if fp < 2 else 0.5

    assert pointwise_gains_one(odd, 5.0, 3.0, 1.0, 9.0) == (0.0, 0.0)
    with pytest.raises(ValueError, match="measure must be finite for every table"):
        pointwise_gains_one(odd, 5.0, 2.0, 1.0, 9.0)
