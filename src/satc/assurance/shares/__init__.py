"""The share of each class in the whole set, with a confidence interval from a random audit.

* `sample`: what the audited documents say about the documents that nobody has decided on.
* `recalibration`: the audit corrects the predictions of all classes together.
* `tuning`: how much the predictions count, and how much residuals vary; learnt from all classes.
* `interval`: the estimate of a class, and its interval.
* `parts`: `Shares` of all documents, or of a group.
* `estimate`: `shares`, and the same for a log of decisions.
"""

from satc.assurance.shares.estimate import shares, shares_of_log
from satc.assurance.shares.parts import Shares

__all__ = ["Shares", "shares", "shares_of_log"]
