"""The code reproduces the figures of the paper for Reuters-21578 (slow: trains everything)."""

import numpy as np
import pytest

from satc.experiments.protocol import evaluate
from satc.experiments.published import CHARACTERISTICS, ENER, METHODS, XIS
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["svm", "mpboost"])
def outcome(request, dataset, tmp_path_factory):
    reuters = dataset("reuters21578")
    cache = tmp_path_factory.mktemp("scores")
    scores = scores_of(reuters, LEARNERS[request.param], cache, n_jobs=2)
    return evaluate(reuters, request.param, scores)


def figures(outcome, average):
    ours = [outcome.ener[average][method] for method in METHODS]
    paper = [
        [ENER[average]["reuters21578", outcome.learner, method, xi] for xi in XIS]
        for method in METHODS
    ]
    return np.array(ours), np.array(paper)


def test_initial_errors_are_the_paper_s(outcome):
    facts = CHARACTERISTICS["reuters21578"]
    k = ("mpboost", "svm").index(outcome.learner)
    tolerance = 0.015 if outcome.learner == "mpboost" else 0.005
    assert outcome.error["macro"] == pytest.approx(facts.macro_error[k], abs=tolerance)
    assert outcome.error["micro"] == pytest.approx(facts.micro_error[k], abs=tolerance)


def test_macro_averaged_figures_are_the_paper_s(outcome):
    ours, paper = figures(outcome, "macro")
    wanted = np.full(ours.shape, 0.02)
    if outcome.learner == "svm":
        wanted[0, 0] = 0.025  # the baseline at xi = .05: .284 against .262, see the docs
    assert (np.abs(ours - paper) <= wanted).all(), (ours - paper).round(3)


def test_micro_averaged_figures_are_the_paper_s(outcome):
    ours, paper = figures(outcome, "micro")
    wanted = 0.01 if outcome.learner == "svm" else 0.02
    assert (np.abs(ours - paper) <= wanted).all(), (ours - paper).round(3)
