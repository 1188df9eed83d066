"""Predictions as people have them: probabilities, logits, labels, votes, confidences.

Each function returns *scores*, documents x classes, for `satc.rank`, `satc.Validation` and
`satc.simulate`. The decision of a score is the decision that was given: in a multi-label task a
score of 0 or more is a label, in a single-label task the largest score is the label. Scores are
log-odds where probabilities are known.

Labels may be names: a name per document, or a list of names per document. Columns are then in the
order of `classes`; without it, in the order of `classes_of(labels)`, which is sorted.
"""

from __future__ import annotations

from satc.predictions.confidences import WORDS, from_confidences
from satc.predictions.labels import classes_of, from_labels
from satc.predictions.probabilities import from_logits, from_probabilities
from satc.predictions.votes import from_votes

__all__ = [
    "WORDS",
    "classes_of",
    "from_confidences",
    "from_labels",
    "from_logits",
    "from_probabilities",
    "from_votes",
]
