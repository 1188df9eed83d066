"""The share of each class in the whole set, with a confidence interval from a random audit.

* `sample`: what the audited documents say about the documents that nobody has decided on.
* `tuning`: how much the predictions count, and how much residuals vary; learnt from all classes.
* `interval`: the estimate of a class, and its interval.
* `estimate`: `shares` and `Shares`.
"""

from satc.assurance.shares.estimate import Shares, shares, shares_of_log

__all__ = ["Shares", "shares", "shares_of_log"]
