"""Similar training documents as a second opinion on a label.

* `features`: checked and normalised features of documents.
* `nearest`: the nearest training documents, by the index that fits: `exact`, `terms` or `clusters`.
* `neighbours`: the votes of these documents.
* `damping`: how much large features, and near neighbours, count.
* `centroids`: the similarity of a document to the classes.
* `similar`: all of this for blocks of documents.
"""
