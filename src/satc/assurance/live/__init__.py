"""The live estimate: how accurate the labels are now, and how much work is left.

The estimate rests on calibrated probabilities. It is an estimate with an interval, not a proof;
`satc.assurance.certificate` gives proven bounds.

* `estimator`: learns from the training documents, and builds the model of a set of documents.
* `uncertainty`: how far the calibrated probabilities can be trusted.
* `shifts`: sums over documents for a grid of shifts of the log-odds, updated at each decision.
* `drawn_tables`: random contingency tables from these sums.
* `accuracy`: the model itself, and the estimate with its interval.
* `drift`: an alarm for corrections that do not agree with the probabilities.
* `planner`: the work that is left until a target is reached.
* `plug_in`: the estimate that the paper suggests, for comparison.
"""
