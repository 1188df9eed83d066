"""The analysis that suits some texts: by script and length, in doubt by cross-validation.

Short texts have few words, and characters add much to them: endings, misspellings, parts of
compounds. Long texts have enough words, and characters would only take time. English has few
endings, so its limits are lower. Where a text is neither short nor long, a linear SVM is
cross-validated on a sample of the training documents with either analysis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from satc.inputs import choice
from satc.learners.linear_svm import LinearSVM
from satc.learners.text.analysis import ANALYZERS, BOTH, CHARACTERS, WORDS, TextAnalysis
from satc.learners.text.counting import TermCounter
from satc.learners.text.guessing import guess_languages
from satc.learners.text.languages import AUTO, ENGLISH, NONE, check_language
from satc.learners.text.scripts import has_unspaced, pieces_of, words_of
from satc.learners.text.tfidf import LogTfidfTransformer

_SAMPLE = 1_500  # documents
_CLASSES = 12  # the most frequent ones
_FOLDS = 3
_FEWEST = 60  # documents, below which nothing can be cross-validated
_LEAST_GAIN = 0.005  # of F1, which is what characters must bring
_MOSTLY = 0.9  # of the words are in runs: then no other words are counted
_PER_WORD = 2  # characters of a run count as one word


class Limits(NamedTuple):
    """Mean numbers of words of texts that are short, and of texts that are long."""

    short: float
    long: float


_OF_ENGLISH = Limits(15, 30)
_OF_OTHERS = Limits(60, 200)


def choose_analysis(
    texts: Sequence[str], labels: Any, language: str, analyzer: str, digits: bool
) -> TextAnalysis:
    """Return the analysis of training texts; `labels` is a matrix, or None if not known."""
    languages = _languages(texts, language)
    length, share_of_runs = _lengths(texts)
    limits = _OF_ENGLISH if languages == (ENGLISH,) else _OF_OTHERS
    wanted = choice(analyzer, {AUTO: None} | {name: name for name in ANALYZERS}, "analyzer")
    with_characters = CHARACTERS if share_of_runs > _MOSTLY else BOTH
    of_short = TextAnalysis(wanted or with_characters, languages, True, digits)
    of_long = TextAnalysis(wanted or WORDS, languages, False, digits)
    if length <= limits.short or (wanted is not None and length < limits.long):
        return of_short
    if length >= limits.long or wanted is not None or labels is None or len(texts) < _FEWEST:
        return of_long
    long, short = _accuracies([of_long, of_short], texts, np.asarray(labels, dtype=bool))
    return of_short if short - long > _LEAST_GAIN else of_long


def _languages(texts: Sequence[str], language: str) -> tuple[str, ...]:
    if check_language(language) == AUTO:
        return guess_languages(texts)
    return () if language == NONE else (language,)


def _lengths(texts: Sequence[str]) -> tuple[float, float]:
    """Return the mean number of words, and which share of them is in runs without spaces."""
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    n_words = in_runs = 0.0
    for text in sample:
        if not has_unspaced(text):
            n_words += len(words_of(text))
            continue
        for piece in pieces_of(text):
            n = len(piece.text) / _PER_WORD if piece.is_run else 1.0
            n_words, in_runs = n_words + n, in_runs + n * piece.is_run
    return n_words / max(len(sample), 1), in_runs / max(n_words, 1.0)


def _accuracies(
    analyses: Sequence[TextAnalysis], texts: Sequence[str], labels: NDArray[np.bool_]
) -> list[float]:
    """Return the mean F1, over the largest classes, that each analysis can reach on a sample."""
    generator = np.random.default_rng(0)
    rows = np.sort(generator.permutation(len(texts))[:_SAMPLE])
    sample, truth = [texts[row] for row in rows], labels[rows]
    sizes = truth.sum(axis=0)
    truth = truth[:, np.argsort(-sizes, kind="stable")[: min(_CLASSES, (sizes >= _FOLDS).sum())]]
    if not truth.shape[1]:
        return [0.0] * len(analyses)
    return [_best_f1(_out_of_fold(analysis, sample, truth), truth) for analysis in analyses]


def _out_of_fold(
    analysis: TextAnalysis, texts: list[str], labels: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the scores of documents by SVMs that were not trained on them."""
    counts = TermCounter(analysis).fit_transform(texts)
    scores = np.full(labels.shape, -1.0)
    for train, held_out in KFold(_FOLDS, shuffle=True, random_state=0).split(labels):
        weights = LogTfidfTransformer().fit(counts[train])
        X, Z = weights.transform(counts[train]), weights.transform(counts[held_out])
        for j, y in enumerate(labels[train].T):
            if 0 < y.sum() < len(y):
                svm = LinearSVM(tol=1e-2, random_state=0).fit(X, y)
                scores[held_out, j] = svm.decision_function(Z)
    return scores


def _best_f1(scores: NDArray[np.float64], labels: NDArray[np.bool_]) -> float:
    """Return the mean over the classes of F1 at the cut where it is largest.

    >>> _best_f1(np.array([[0.5], [-0.1], [-0.2]]), np.array([[True], [True], [False]]))
    1.0
    """
    order = np.argsort(-scores, axis=0, kind="stable")
    hits = np.cumsum(np.take_along_axis(labels, order, axis=0), axis=0)
    chosen = np.arange(1, len(labels) + 1)[:, np.newaxis]
    return float(np.mean(np.max(2 * hits / (chosen + labels.sum(axis=0)), axis=0)))
