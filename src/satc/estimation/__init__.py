"""Scores of training documents by classifiers that were not trained on them (Section 4.3).

* `folds`: the folds of a cross-validation.
* `scorer`: classifiers of all classes.
* `transductive`: classifiers that also learn from documents without labels.
* `together`: the classifiers of all folds, fitted together.
* `out_of_fold`: the out-of-fold scores.
"""
