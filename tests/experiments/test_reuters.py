"""The paper's Reuters-21578 figures come out of the code (slow: trains the whole SVM column)."""

import numpy as np
import pytest

from satc.experiments.learners import LEARNERS
from satc.experiments.protocol import evaluate
from satc.experiments.published import CHARACTERISTICS, ENER, METHODS, XIS
from satc.experiments.scores import scores_of


@pytest.fixture(scope="module")
def outcome(dataset, tmp_path_factory):
    reuters = dataset("reuters21578")
    scores = scores_of(reuters, LEARNERS["svm"], tmp_path_factory.mktemp("scores"), n_jobs=2)
    return evaluate(reuters, "svm", scores)


def test_initial_errors(outcome):
    facts = CHARACTERISTICS["reuters21578"]
    assert outcome.error["macro"] == pytest.approx(facts.macro_error[1], abs=0.005)
    assert outcome.error["micro"] == pytest.approx(facts.micro_error[1], abs=0.005)


@pytest.mark.parametrize(("average", "tolerance"), [("macro", 0.02), ("micro", 0.01)])
def test_ener_of_all_seven_methods(outcome, average, tolerance):
    ours = [outcome.ener[average][method] for method in METHODS]
    paper = [[ENER[average]["reuters21578", "svm", m, xi] for xi in XIS] for m in METHODS]
    np.testing.assert_allclose(ours, paper, atol=tolerance)
