"""Evaluation of an order of documents, and of the agreement of people (Section 5).

The functions take an order of documents; they do not depend on the ranker that made it.

* `error_reduction`, `residual`: error reduction and ENER of an order.
* `stopping`: how many documents the annotator validates.
* `random_ranker`: the curve of a random order.
* `significance`: a paired t-test of two methods.
* `agreement`: agreement of people who labelled the same documents.
* `plot`, `forecast_plot`: charts.
"""

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
