import math

import numpy as np
import pytest

from satc.assurance.certificate.micro_bound import micro_lowest, micro_weights


def f_beta(beta, n_labels, wrong, missing):
    hits = n_labels - wrong
    if math.isinf(beta):
        return hits / (hits + missing)
    weighted = (1 + beta**2) * hits
    return weighted / (weighted + wrong + beta**2 * missing)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 2.0, math.inf])
def test_the_weights_say_when_the_measure_is_reached(beta):
    for wrong, missing in [(0, 3), (5, 0), (7, 9), (30, 1)]:
        value = f_beta(beta, 100, wrong, missing)
        for c in (0.3, value - 1e-6, value + 1e-6, 0.99):
            weights = micro_weights(beta, c)
            reached = weights.fp * wrong + weights.fn * missing <= weights.labels * 100
            assert reached == (value >= c)


@pytest.mark.parametrize("beta", [0.0, 1.0, 2.0, math.inf])
@pytest.mark.parametrize("errors", [0.4, 3.0, 21.0, 90.0])
def test_the_lowest_value_is_that_of_the_worst_split(beta, errors):
    weights = micro_weights(beta, 0.9)
    bound = micro_lowest(beta, 0.9, errors, n_labels=100, n_assigned=60)
    wrong = np.linspace(0, min(60, errors / weights.fp), 400)
    missing = (errors - weights.fp * wrong) / weights.fn if weights.fn else np.zeros(400)
    values = [f_beta(beta, 100, a, b) for a, b in zip(wrong, missing, strict=True)]
    assert bound == pytest.approx(min(values), abs=1e-6)


def test_without_errors_everything_is_right():
    assert micro_lowest(1.0, 0.95, 0.0, n_labels=0, n_assigned=0) == 1.0


def test_errors_of_people_may_be_of_either_kind():
    bound = micro_lowest(math.inf, 0.95, 0.0, n_labels=100, n_assigned=0, n_others=5)
    assert bound == pytest.approx(100 / 105)
