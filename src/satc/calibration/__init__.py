"""Calibration: from scores to probabilities (Sections 4.4 and 6.2).

* `logistic`, `sigma`: the method of the paper, one logistic function for all classes.
* `platt`: one logistic function for each class.
* `contextual`: a boosted model of each pair of document and class in its context.
* `similarity`: similar training documents, as a part of that context.
* `expected`: contingency tables from probabilities.
"""
