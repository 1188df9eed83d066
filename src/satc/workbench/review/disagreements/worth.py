"""How much it is worth to settle a disagreement: the expected gain, as in the ranking.

The labels of the first answer are in force. Settling corrects those of them that are wrong. So the
worth of a disagreement is a sum over the labels that only one of the two people gave:

    worth = sum of P(the label in force is wrong) * (gain of correcting it now)

The gain is the current validation gain of the class: of removing the label where it is in force,
and of adding it where it is not, times the project's weights. The probability combines the
calibrated probability p of the label with how often settlements found each of the two people wrong.
Let e be this rate, ``(wrong + 1) / (settled + 2)`` of a person's settled labels, so 1/2 where
nothing was settled yet. If one person says yes and the other no, then

    P(label) = p (1 - e_yes) e_no / (p (1 - e_yes) e_no + (1 - p) e_yes (1 - e_no))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from satc.validation import Validation
from satc.workbench.model.disagreements import Disagreement, Settlement

ErrorRate = Callable[[str], float]
_LEAST = 1e-6  # no probability is so certain that two people could not overrule it


def error_rates(settled: Iterable[Settlement]) -> ErrorRate:
    """Return how often settlements found a person wrong, among labels that two people dispute."""
    wrong: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for decision, first, second in settled:
        final = set(decision.labels)
        disputed = set(first.labels) ^ set(second.labels)
        for answer in (first, second):
            total[answer.who] += len(disputed)
            wrong[answer.who] += len(disputed & (set(answer.labels) ^ final))
    return lambda who: (wrong[who] + 1) / (total[who] + 2)


def probability_of_label(p: float, e_yes: float, e_no: float) -> float:
    """Return the probability of a label that one person gave and another one did not.

    >>> probability_of_label(0.7, 0.5, 0.5)
    0.7
    >>> round(probability_of_label(0.5, 0.1, 0.5), 2)  # the person who says yes is seldom wrong
    0.9
    """
    yes = p * (1 - e_yes) * e_no
    no = (1 - p) * e_yes * (1 - e_no)
    return yes / (yes + no)


def worth(validation: Validation, found: Disagreement, error_rate: ErrorRate) -> float:
    """Return the expected gain of settling a disagreement."""
    document = found.document
    weights = validation.model.weights
    fp, fn = validation.gains if weights is None else weights.gains(validation.gains)
    decided, wrong, _ = validation.expectations(document)
    probability = np.where(decided, 1 - wrong, wrong)
    if validation.documents.misclassification is None:
        probability = np.full(len(decided), 0.5)
    e_first, e_second = error_rate(found.first.who), error_rate(found.second.who)
    total = 0.0
    for label in found.differing:
        p = float(np.clip(probability[label], _LEAST, 1 - _LEAST))
        if label in found.first.labels:
            total += (1 - probability_of_label(p, e_first, e_second)) * fp[label]
        else:
            total += probability_of_label(p, e_second, e_first) * fn[label]
    return float(total)
