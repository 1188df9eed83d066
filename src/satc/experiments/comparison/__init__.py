"""Compare orders of the same documents, with intervals.

* `sets`: the documents of a dataset with scores, for each seed.
* `contenders`: the order and the labels of each method.
* `shared_fit`: one fit of the contextual calibrator for all of them.
* `figures`: what is read from a curve.
* `bootstrap`: the same figures of resampled documents.
* `comparison`: `compare`, and its result.
* `rows`, `page`: the result as rows of text, and as an HTML page.
"""
