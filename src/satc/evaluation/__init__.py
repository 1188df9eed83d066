"""Evaluation: an order to curves and figures (Section 5). It never sees a ranker."""

from satc.evaluation.error_reduction import ErrorReduction, error_reduction
from satc.evaluation.random_ranker import expected_random_curve, monte_carlo_random_curve
from satc.evaluation.significance import TTest, paired_t_test
from satc.evaluation.stopping import expected_fraction, persistence, stopping_distribution

__all__ = [
    "ErrorReduction",
    "TTest",
    "error_reduction",
    "expected_fraction",
    "expected_random_curve",
    "monte_carlo_random_curve",
    "paired_t_test",
    "persistence",
    "stopping_distribution",
]
