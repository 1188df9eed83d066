import itertools

import numpy as np
import pytest

from satc.assurance.certificate.macro_bound import macro_lowest, macro_weights


def test_the_lowest_macro_f1_is_below_that_of_every_way_to_place_the_errors():
    labels, unread = np.array([12.0, 6.0, 3.0]), np.array([4.0, 2.0, 1.0])
    support = 2 * labels - unread
    weights = 1 / (3 * support)
    errors = 0.35
    bound = macro_lowest(weights, support, errors)
    worst = 1.0
    for wrong in itertools.product(*(range(int(u) + 1) for u in unread)):
        for missing in itertools.product(range(6), repeat=3):
            a, b = np.array(wrong), np.array(missing)
            if weights @ (a + b) <= errors:
                worst = min(worst, np.mean(2 * (labels - a) / (2 * labels - a + b)))
    assert bound <= worst < bound + 0.1


def test_a_class_loses_no_more_than_all_of_its_f1():
    weights, support = np.array([0.5, 0.001]), np.array([1.0, 500.0])
    assert macro_lowest(weights, support, 0.5) == 0.5
    assert macro_lowest(weights, support, 5.0) == 0.0


def test_conceded_classes_count_as_lost():
    weights = macro_weights(np.array([400.0, 300.0, 1.0, 0.0]), most_errors=3, error=0.05)
    assert (weights > 0).tolist() == [True, True, False, False]
    assert macro_lowest(weights, np.array([400.0, 300.0, 1.0, 0.0]), 0.0) == 0.5


def test_where_all_classes_are_rare_nothing_can_be_said():
    assert not macro_weights(np.ones(5), most_errors=8, error=0.05).any()


def test_support_that_shrank_since_makes_errors_dearer():
    weights = np.array([0.01, 0.01])
    before = macro_lowest(weights, np.array([50.0, 50.0]), 0.2)
    assert macro_lowest(weights, np.array([25.0, 50.0]), 0.2) < before == pytest.approx(0.8)
