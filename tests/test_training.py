"""The training side as one object, and the options that all rankings share."""

import inspect

import numpy as np
import pytest

import satc
from made import make
from satc.ranking.options import RankingOptions


@pytest.fixture(scope="module")
def made():
    return make()


def test_training_stands_for_its_parts(made):
    training = satc.Training(made.oof_scores, made.y_train)
    parts = satc.rank(made.scores, oof_scores=made.oof_scores, y_train=made.y_train)
    whole = satc.rank(made.scores, training=training)
    np.testing.assert_array_equal(whole.order, parts.order)
    np.testing.assert_array_equal(whole.utility, parts.utility)


def test_training_checks_its_shapes():
    with pytest.raises(ValueError, match=r"y_train must have the shape of oof_scores, \(3, 2\)"):
        satc.Training(np.zeros((3, 2)), np.zeros((3, 1)))
    with pytest.raises(ValueError, match="y_train must hold 0 and 1 only"):
        satc.Training(np.zeros((1, 2)), [[0, 2]])


def test_training_and_its_parts_are_not_given_together(made):
    training = satc.Training(made.oof_scores, made.y_train)
    with pytest.raises(ValueError, match="y_train must not be given together with training"):
        satc.rank(made.scores, training=training, y_train=made.y_train)


def test_training_must_be_a_training(made):
    with pytest.raises(TypeError, match=r"training must be a satc\.Training, but is dict"):
        satc.rank(made.scores, training={})


@pytest.mark.parametrize("function", [satc.rank, satc.simulate, satc.Validation])
def test_signatures_list_the_options(function):
    parameters = inspect.signature(function).parameters
    assert set(RankingOptions.__annotations__) <= set(parameters)
    assert parameters["method"].default == "contextual"
    assert "options" not in parameters


def test_an_unknown_option_is_refused_by_its_name(made):
    with pytest.raises(TypeError, match="unexpected keyword argument 'metod'"):
        satc.rank(made.scores, metod="baseline")
