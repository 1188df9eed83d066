"""Further opinions on the labels of documents, beside the scores of the classifier.

* `combination`: what one opinion adds to the log-odds that are believed so far.
* `pool`: the scores and all opinions as one log-odds for each pair of document and class.
"""
