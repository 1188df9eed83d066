"""Words for and against a label, for learners whose scores are sums over terms.

When a project is created, two things are taken from the fitted learner: a *lexicon*, which maps
words to terms, and the terms of each class with the largest weights. For a linear model the weight
is the coefficient times the idf; for boosted stumps it is the vote if the term is present minus the
vote if it is absent. Marking the words of a text then needs neither the learner nor a pickle of it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.estimation import Scorer

TERMS_PER_CLASS = 500
_MOST_WORDS = 500_000
_WORD = re.compile(r"[^\W_]+")

Weights = Callable[[int], NDArray[np.float64] | None]


class Mark(NamedTuple):
    """A part of a text, with its weight for a label; a negative weight is against the label."""

    start: int
    end: int
    weight: float


class Lexicon:
    """Collects the words of documents, and maps them to the terms of a fitted learner."""

    def __init__(self, vectorizer: Any, scorer: Scorer) -> None:
        self._analyze = vectorizer.build_analyzer()
        self._vocabulary: dict[str, int] = vectorizer.vocabulary_
        self._weights = _weights_of(scorer, len(self._vocabulary))
        self._terms: dict[str, int] = {}
        self._seen: set[str] = set()

    def add(self, texts: Iterable[str]) -> None:
        """Add the words of some texts."""
        for text in texts:
            for word in _WORD.findall(text.lower()):
                if word not in self._seen and len(self._seen) < _MOST_WORDS:
                    self._seen.add(word)
                    term = next(iter(self._analyze(word)), None)
                    if term in self._vocabulary:
                        self._terms[word] = int(self._vocabulary[term])

    def packed(self) -> bytes:
        """Return the lexicon as bytes; `unpacked` reads them."""
        return zlib.compress(json.dumps(self._terms).encode())

    def packed_weights(self, label: int) -> bytes | None:
        """Return the terms of a class with the largest weights; None if they are not known."""
        weights = self._weights(label)
        if weights is None:
            return None
        top = np.argsort(-np.abs(weights), kind="stable")[:TERMS_PER_CLASS]
        top = top[weights[top] != 0]
        return json.dumps([[int(t), float(f"{weights[t]:.4g}")] for t in top]).encode()


def lexicon_of(vectorizer: Any, scorer: Scorer) -> Lexicon | None:
    """Return an empty lexicon for a fitted learner; None if its words cannot be known."""
    found = vectorizer if vectorizer is not None else _vectorizer_in(scorer.transformer)
    if found is None or getattr(found, "analyzer", "word") in ("char", "char_wb"):
        return None
    lexicon = Lexicon(found, scorer)
    known = any(lexicon.packed_weights(j) is not None for j in range(len(scorer.always)))
    return lexicon if known else None


def marks(text: str, terms: dict[str, int], weights: dict[int, float]) -> list[Mark]:
    """Return the words of a text for and against a label; the largest weight is scaled to 1.

    >>> marks("Wheat rose.", {"wheat": 0, "rose": 1}, {0: 2.0, 1: -1.0})
    [Mark(start=0, end=5, weight=1.0), Mark(start=6, end=10, weight=-0.5)]
    """
    found = [
        (match, weights[term])
        for match in _WORD.finditer(text)
        if (term := terms.get(match.group().lower())) in weights
    ]
    largest = max((abs(weight) for _, weight in found), default=1.0)
    return [Mark(m.start(), m.end(), round(weight / largest, 3)) for m, weight in found]


def unpacked(lexicon: bytes) -> dict[str, int]:
    """Read a lexicon from bytes: the index of the term of each word."""
    terms: dict[str, int] = json.loads(zlib.decompress(lexicon))
    return terms


def unpacked_weights(data: bytes) -> dict[int, float]:
    """Read the weights of a class: the weight of each term."""
    return dict(json.loads(data))


def _vectorizer_in(transformer: Any) -> Any:
    steps = getattr(transformer, "steps", [("", transformer)])
    for _, step in steps:
        if hasattr(step, "vocabulary_") and hasattr(step, "build_analyzer"):
            return step
    return None


def _weights_of(scorer: Scorer, n_terms: int) -> Weights:
    position = {int(j): k for k, j in enumerate(scorer.varying)}
    shared = len(scorer.members) == 1 and len(scorer.varying) > 1
    idf = _idf(scorer.transformer, n_terms)

    def weights(label: int) -> NDArray[np.float64] | None:
        if label not in position:
            return None
        k = position[label]
        found = _terms_of(scorer.members[0], k) if shared else _terms_of(scorer.members[k], 0)
        if found is None or len(found) > n_terms:
            return None
        padded = np.zeros(n_terms)
        padded[: len(found)] = found
        return padded * idf

    return weights


def _terms_of(member: Any, k: int) -> NDArray[np.float64] | None:
    """Return the weights of a class in a fitted classifier whose scores are sums over terms."""
    if hasattr(member, "describe") and hasattr(member, "pivots_"):
        votes = member.describe(k, feature_names=None)
        weights = np.zeros(int(member.n_features_in_))
        for vote in votes:
            weights[vote.column] = vote.present - vote.absent
        return weights
    if hasattr(member, "estimators_") and len(member.estimators_) > k:
        return _terms_of(member.estimators_[k], 0)
    if hasattr(member, "steps"):
        return _terms_of(member.steps[-1][1], k) if len(member.steps) == 1 else None
    coefficients = getattr(member, "coef_", None)
    if coefficients is None:
        return None
    dense = coefficients.toarray() if hasattr(coefficients, "toarray") else coefficients
    return np.atleast_2d(np.asarray(dense, dtype=np.float64))[k]


def _idf(transformer: Any, n_terms: int) -> NDArray[np.float64]:
    for _, step in getattr(transformer, "steps", [("", transformer)]):
        if len(idf := getattr(step, "idf_", ())) == n_terms:
            return np.asarray(idf, dtype=np.float64)
    return np.ones(n_terms)
