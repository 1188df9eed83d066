"""`Validation`: a live validation session (the algorithm of Section 7).

* `state`: the documents, the decisions so far, and what each document is worth now.
* `queue`: next, take, draw, give back, submit, undo.
* `accuracy`: the estimate of accuracy, and the plan of the work that is left.
* `cold_start`: new estimates from the decisions, where no labels were known before.
* `validation`: the class with all of this.
"""

from __future__ import annotations

from satc.validation.state import Expectations as Expectations
from satc.validation.state import LoggedDecision
from satc.validation.validation import Validation

__all__ = ["Validation"]

_Decision = LoggedDecision  # its name in the pickles of earlier versions
