"""The linear SVMs of all folds of a cross-validation, fitted together.

* `lanes`: sixteen numbers that compiled code computes at once.
* `matrix`: the features of the documents, stored once for all folds.
* `descent`: the solver; a lane is a fold.
* `fitting`: all classes, in threads.
"""
