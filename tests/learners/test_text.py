from __future__ import annotations

import math
import pickle
from collections import Counter

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from satc.learners.text import (
    STOP_WORDS,
    LogTfidfTransformer,
    presence_vectorizer,
    stems,
    tfidf_vectorizer,
)

TEXTS = [
    "Wheat prices rose; wheat farmers sold wheat.",
    "Corn prices fell.",
    "The mill was sold to corn farmers in 1987.",
    "Prices of the mill",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Relational RATES", ["relat", "rate"]),
        ("0.5 pct, u.s.-based (F16) x_y", ["pct", "base"]),
        ("The banks are not in it", ["bank"]),
        ("Größe élan", ["größe", "élan"]),
        ("he won't; Korean won", ["won", "korean", "won"]),
        ("general interest bill", ["gener", "interest", "bill"]),
        ("", []),
    ],
)
def test_a_text_becomes_the_stems_of_its_words(text, expected):
    assert stems(text) == expected


def test_a_word_is_compared_with_the_stop_words_before_it_is_stemmed():
    assert "have" in STOP_WORDS
    assert stems("having haves") == ["have"]  # "haves" is no stop word, but its stem is


def slow_tfidf(train, documents):
    """(1 + ln tf) x ln(N/df), cosine-normalised, word by word."""
    counts = [Counter(stems(text)) for text in train]
    vocabulary = sorted(set().union(*counts))
    rows = []
    for text in documents:
        tf = Counter(stems(text))
        row = [
            (1 + math.log(tf[term])) * math.log(len(train) / sum(term in c for c in counts))
            if tf[term]
            else 0.0
            for term in vocabulary
        ]
        length = math.sqrt(sum(weight * weight for weight in row))
        rows.append([weight / length if length else 0.0 for weight in row])
    return np.array(rows)


def test_weights_are_those_of_the_formula_word_by_word():
    vectorizer = tfidf_vectorizer()
    np.testing.assert_allclose(
        vectorizer.fit_transform(TEXTS).toarray(), slow_tfidf(TEXTS, TEXTS), atol=1e-15
    )
    new = ["wheat wheat unheard corn", "unheard", ""]
    np.testing.assert_allclose(
        vectorizer.transform(new).toarray(), slow_tfidf(TEXTS, new), atol=1e-15
    )


def test_a_term_of_every_document_weighs_nothing():
    weights = tfidf_vectorizer().fit(["corn wheat", "corn mill"])
    assert weights["weight"].idf_[0] == 0.0
    assert weights.transform(["corn"]).toarray().tolist() == [[0.0, 0.0, 0.0]]


def test_a_term_without_a_training_document_weighs_nothing():
    fitted = LogTfidfTransformer().fit(sparse.csr_matrix([[1, 0, 2], [0, 0, 1]]))
    assert fitted.idf_[1] == 0.0
    assert np.isfinite(fitted.transform(sparse.csr_matrix([[0, 5, 0]])).toarray()).all()


def test_presence_is_1_or_0_and_unseen_terms_are_ignored():
    vectorizer = presence_vectorizer().fit(TEXTS)
    row = vectorizer.transform(["wheat wheat wheat unheard"]).toarray()[0]
    assert row.sum() == 1
    assert row[vectorizer.vocabulary_["wheat"]] == 1
    assert vectorizer.fit_transform(TEXTS).max() == 1


def test_options_of_the_counting_are_passed_on():
    assert len(presence_vectorizer(min_df=2).fit(TEXTS).vocabulary_) < len(
        presence_vectorizer().fit(TEXTS).vocabulary_
    )


@pytest.mark.parametrize("make", [tfidf_vectorizer, presence_vectorizer])
def test_a_vectorizer_is_an_ordinary_scikit_learn_object(make):
    vectorizer = make()
    assert "analyzer" in str(sorted(vectorizer.get_params()))
    fitted = clone(vectorizer).fit(TEXTS)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301 (our own)
    np.testing.assert_array_equal(
        again.transform(TEXTS).toarray(), fitted.transform(TEXTS).toarray()
    )
    with pytest.raises(NotFittedError, match="not fitted"):
        make().transform(TEXTS)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([LogTfidfTransformer()])
def test_the_weighting_keeps_scikit_learns_contract(estimator, check):
    check(estimator)


def test_counts_below_zero_are_refused():
    with pytest.raises(ValueError, match="Negative values in data passed to LogTfidfTransformer"):
        LogTfidfTransformer().fit(sparse.csr_matrix([[1, -1]]))


def test_the_counts_that_come_in_are_left_alone():
    counts = sparse.csr_matrix([[1, 2], [0, 3]])
    LogTfidfTransformer().fit_transform(counts)
    assert counts.toarray().tolist() == [[1, 2], [0, 3]]
