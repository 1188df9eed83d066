"""Scores of training documents by classifiers that were not trained on them (Section 4.3).

* `folds`: the folds of a cross-validation.
* `scorer`: classifiers of all classes.
* `transductive`: classifiers that also learn from documents without labels.
* `together`: the classifiers of all folds, fitted together.
* `out_of_fold`: the out-of-fold scores.
"""

from satc.estimation.folds import Fold, make_folds
from satc.estimation.out_of_fold import fit_with_folds, out_of_fold_scores, score_fold
from satc.estimation.scorer import Scorer, fit_scorer
from satc.estimation.transductive import is_transductive

__all__ = [
    "Fold",
    "Scorer",
    "fit_scorer",
    "fit_with_folds",
    "is_transductive",
    "make_folds",
    "out_of_fold_scores",
    "score_fold",
]
