"""The rankings of others, as formulas from probabilities to the utility of documents.

They come from active learning, from the search for label errors, and from earlier work on
semi-automated classification. Unlike the other methods, they are not sums of P(error) x gain.

All of them use the probabilities of the paper's sigma. They were published for the probabilities or
scores of the classifier itself, and know nothing of the context of a decision. Sigma is the plain
conversion that they need: one parameter for all classes, so that a larger score always is a larger
probability.

* `predicted`: what a formula knows about documents.
* `least_confidence`, `smallest_margin`, `entropy`: uncertainty sampling.
* `label_confidence`: the mean and the smallest confidence over the labels.
* `label_cardinality`: how unusual the number of labels is.
* `label_quality`: cleanlab's scores.
* `expected_f1`: the expected loss of the F1 of a document.
* `document_difficulty`: what is known of the document difficulty framework.
"""
