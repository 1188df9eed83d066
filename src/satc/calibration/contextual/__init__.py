"""P(label | score, context), from a boosted model of pairs of document and class.

* `calibrator`: fits the model on out-of-fold scores, and returns probabilities.
* `description`: the features of a pair.
* `kernel`: the compiled loop that computes features and probabilities of a block of documents.
* `block`, `class_tables`: the documents and what is known of the classes, as arrays for that loop.
* `cooccurrence`: which labels occur together, one of the features.
* `held_out`: the features of training documents, computed without their own labels.
* `pairs`: a sample of pairs of bounded size to fit the model on.
* `trees`: fast evaluation of the fitted model.
"""
