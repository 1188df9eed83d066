"""What an opinion is worth of which no training documents are known, learnt from how it agrees.

Labels by a language model or by people come without out-of-fold counterparts. But the documents
have probabilities already, by the classifier. Where these are sure, they say how often the opinion
is right; where they are not, the opinion decides. Given the true label, the opinion is taken as
independent of the scores. Then P(opinion | label) is found by the EM algorithm: expected labels
under the present estimate give the next estimate. Estimates of rare classes stay near that of all
classes together. An opinion is heard only if it agrees with the probabilities by more than chance;
otherwise it changes nothing.

An opinion takes one of a few *levels*: yes or no, the share of the votes, or the bin of a score.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from satc.calibration.evidence import is_there
from satc.calibration.planes import expit
from satc.calibration.untrained.levels import UPPER_TAIL, Levels

Array = NDArray[np.float64]

_STEPS = 30
_TOLERANCE = 1e-3  # largest change of an estimate at which the EM algorithm stops
_PRIOR_DOCUMENTS = 20.0  # by which the estimates of a class are shrunk towards that of all classes
_LEAST_GAIN = 2.0  # standard errors by which the likelihood must rise
_SMALLEST = 1e-6  # probabilities are at least this far from 0 and 1


class LabelAgreement:
    """P(opinion | label) of every class, where a document has any number of labels.

    Attributes
    ----------
    log_odds : array of shape (n_levels, n_classes)
        What each level adds to the log-odds of a label.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> probability = rng.random((2000, 2)) * 0.5
    >>> labels = rng.random(probability.shape) < probability
    >>> opinion = np.where(labels ^ (rng.random(labels.shape) < 0.1), 1.0, -1.0)
    >>> told = LabelAgreement().fit(probability, opinion)
    >>> bool((told.log_odds[1] > 1.5).all())  # a "yes" is more than four times as likely if true
    True
    """

    def fit(self, probability: Array, opinion: Array) -> Self:
        """Learn what the opinion is worth from probabilities of the same documents."""
        there = is_there(opinion)
        self.levels = Levels(UPPER_TAIL).fit(opinion[there])
        level, prior = self.levels.of(opinion[there]), probability[there]
        counts = self._counts(level, np.ones(prior.shape))
        self.log_odds = np.zeros(counts.shape)
        expected = prior
        for _ in range(_STEPS):
            positive = self._counts(level, expected)
            found = self._estimate(positive, counts)
            change = np.abs(found - self.log_odds).max(initial=0.0)
            self.log_odds = found
            if change < _TOLERANCE:
                break
            expected = self._heard(prior, level)
        self.is_heard = is_more_than_chance(self._gains(prior, level, counts), counts.size)
        return self

    def heard(self, probability: Array, opinion: Array) -> Array:
        """Return the probabilities after the opinion was heard."""
        if not self.is_heard:
            return probability
        there = is_there(opinion)
        told = probability.copy()
        told[there] = self._heard(probability[there], self.levels.of(opinion[there]))
        return told

    def _gains(self, prior: Array, level: NDArray[np.int64], counts: Array) -> Array:
        """Return how much more likely the opinion on each document is than by chance.

        It is the logarithm of P(opinion | scores) / P(opinion).
        """
        ratio = np.exp(self.log_odds)  # P(level | label) / P(level | no label)
        share = counts / np.maximum(counts.sum(axis=0), 1.0)
        positive = prior.mean(axis=0)
        no_label = share / (positive * ratio + 1.0 - positive)  # P(level | no label)
        no_label /= no_label.sum(axis=0)
        columns = np.arange(prior.shape[1])
        told = no_label[level, columns] * (prior * ratio[level, columns] + 1.0 - prior)
        return np.asarray(np.log(told / share[level, columns]).sum(axis=1))

    def _estimate(self, positive: Array, counts: Array) -> Array:
        """Return the log-odds from the expected positives and all documents of each level."""
        positive = self._as_in_all_classes(positive, counts)
        negative = np.maximum(counts - positive, 0.0)
        pooled = positive.sum(axis=1, keepdims=True) / max(float(positive.sum()), _SMALLEST)
        overall = counts / np.maximum(counts.sum(axis=0), 1.0)  # a rare label is said rarely
        of_positive = _shrunk(positive, pooled)
        of_negative = _shrunk(negative, overall)
        return np.asarray(np.log(of_positive) - np.log(of_negative))

    def _as_in_all_classes(self, positive: Array, counts: Array) -> Array:
        """Return the positives of each level, shrunk towards how often it is right in all classes.

        Of a rare class only one or two documents may have the label by the opinion.
        """
        right = positive.sum(axis=1) / np.maximum(counts.sum(axis=1), 1.0)
        prior = _PRIOR_DOCUMENTS * right[:, np.newaxis]
        return np.asarray(counts * (positive + prior) / (counts + _PRIOR_DOCUMENTS))

    def _counts(self, level: NDArray[np.int64], weight: Array) -> Array:
        """Return sums of weights, levels x classes."""
        n_classes = weight.shape[1]
        places = level * n_classes + np.arange(n_classes)
        size = self.levels.n_levels * n_classes
        summed = np.bincount(places.ravel(), weight.ravel(), size)
        return np.asarray(summed.reshape(self.levels.n_levels, n_classes))

    def _heard(self, probability: Array, level: NDArray[np.int64]) -> Array:
        told = self.log_odds[level, np.arange(probability.shape[1])]
        told += np.log(probability) - np.log1p(-probability)
        return np.clip(expit(told), _SMALLEST, 1.0 - _SMALLEST)


class ClassAgreement:
    """P(opinion | class) where every document has exactly one label.

    The opinion of a document is its class with the largest score. How often it is right depends on
    the true class and on how sure it is (the level of its lead over the second class); where it is
    wrong, it is any other class, as often as that is said at all.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 4, 2000)
    >>> probability = 0.6 * np.eye(4)[(truth + (rng.random(2000) < 0.3)) % 4] + 0.1
    >>> said = np.eye(4)[(truth + (rng.random(2000) < 0.2)) % 4]
    >>> float(ClassAgreement().fit(probability, said).right.mean().round(1))
    0.8
    """

    def fit(self, probability: Array, opinion: Array) -> Self:
        """Learn what the opinion is worth from probabilities of the same documents."""
        there = is_there(opinion)
        lead = _lead(opinion[there])
        self.levels = Levels().fit(lead)
        n_classes = opinion.shape[1]
        said, level = opinion[there].argmax(axis=1), self.levels.of(lead)[:, 0]
        prior = probability[there]
        self.said = (np.bincount(said, minlength=n_classes) + 1.0 / n_classes) / (len(said) + 1.0)
        self.right = np.zeros((self.levels.n_levels, n_classes))
        expected = prior
        for _ in range(_STEPS):
            found = self._estimate(expected, said, level)
            change = np.abs(found - self.right).max(initial=0.0)
            self.right = found
            if change < _TOLERANCE:
                break
            expected = self._heard(prior, said, level)
        told = (prior * self._likelihood(said, level)).sum(axis=1)
        gains = np.log(told / self.said[said])
        self.is_heard = is_more_than_chance(gains, self.right.size)
        return self

    def heard(self, probability: Array, opinion: Array) -> Array:
        """Return the probabilities after the opinion was heard; each row sums to 1."""
        if not self.is_heard:
            return probability
        there = is_there(opinion)
        told, some = probability.copy(), opinion[there]
        level = self.levels.of(_lead(some))[:, 0]
        told[there] = self._heard(probability[there], some.argmax(axis=1), level)
        return told

    def _estimate(
        self, expected: Array, said: NDArray[np.int64], level: NDArray[np.int64]
    ) -> Array:
        """Return how often the opinion is right, levels x classes."""
        n_levels, n_classes = self.right.shape
        is_right = expected[np.arange(len(said)), said]
        right = np.bincount(level * n_classes + said, is_right, n_levels * n_classes)
        right = right.reshape(n_levels, n_classes)
        everything = np.zeros((n_levels, n_classes))
        for k in range(n_levels):
            everything[k] = expected[level == k].sum(axis=0)
        pooled = right.sum(axis=1) / np.maximum(everything.sum(axis=1), _SMALLEST)
        shrunk = (right + _PRIOR_DOCUMENTS * pooled[:, np.newaxis]) / (
            everything + _PRIOR_DOCUMENTS
        )
        return np.clip(shrunk, 1e-4, 1.0 - 1e-4)

    def _heard(
        self, probability: Array, said: NDArray[np.int64], level: NDArray[np.int64]
    ) -> Array:
        """Return P(class | scores, opinion), by Bayes' rule."""
        told = probability * self._likelihood(said, level)
        told = np.maximum(told / told.sum(axis=1, keepdims=True), _SMALLEST)
        return np.asarray(told / told.sum(axis=1, keepdims=True))

    def _likelihood(self, said: NDArray[np.int64], level: NDArray[np.int64]) -> Array:
        """Return P(opinion | class), documents x classes."""
        wrong = (1.0 - self.right[level]) / (1.0 - self.said) * self.said[said][:, np.newaxis]
        wrong[np.arange(len(said)), said] = self.right[level, said]
        return np.asarray(wrong)


def is_more_than_chance(gains: Array, n_estimates: int) -> bool:
    """Whether the likelihood rises by more than chance, and more than estimates can make it rise.

    >>> bool(is_more_than_chance(np.full(20, 2.5), 2))
    True
    """
    error = float(np.sqrt(np.square(gains).sum()))
    return float(gains.sum()) > _LEAST_GAIN * error + 0.5 * n_estimates


def _shrunk(counts: Array, centre: Array) -> Array:
    """Return the share of each level, shrunk towards a centre."""
    return np.asarray(
        np.maximum(
            (counts + _PRIOR_DOCUMENTS * centre) / (counts.sum(axis=0) + _PRIOR_DOCUMENTS),
            _SMALLEST,
        )
    )


def _lead(opinion: Array) -> Array:
    """Return the lead of the largest score of each document over the second, documents x 1."""
    two = np.partition(opinion, -2, axis=1)[:, -2:]
    return np.asarray(two[:, 1:] - two[:, :1])
