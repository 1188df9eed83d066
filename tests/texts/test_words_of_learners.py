"""What speaks for and against a label: words, and characters in scripts without spaces."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from satc.classifier import SemiAutomatedClassifier
from satc.learners import svm
from satc.learners.text import LogTfidfTransformer, TextVectorizer
from satc.texts.words.lexicon import lexicon_of
from satc.texts.words.marks import marks, unpacked, unpacked_weights

HINDI = ["मैं बहुत खुश हूँ", "आज खुशी का दिन है", "मैं बहुत दुखी हूँ", "यह दुख की बात है"] * 6
CHINESE = ["今天很开心", "我们都很开心啊", "今天很难过", "大家都很难过吧"] * 6
ENGLISH = ["so happy today", "happiness is here", "so sad today", "sadness is here"] * 6
LABELS = np.array([[True, False], [True, False], [False, True], [False, True]] * 6)


def learnt(texts, vectorizer=None):
    """Return a function that marks a text for a label."""
    vectorizer = vectorizer or TextVectorizer()
    estimator = make_pipeline(LogTfidfTransformer(), svm())
    classifier = SemiAutomatedClassifier(estimator, cv=3).fit(
        vectorizer.fit_transform(texts), LABELS
    )
    lexicon = lexicon_of(vectorizer, classifier.scorer_)
    lexicon.add(texts)
    numbers = unpacked(lexicon.packed())
    weights = [unpacked_weights(lexicon.packed_weights(label)) for label in range(2)]
    return lambda text, label: {
        text[mark.start : mark.end]: mark.weight for mark in marks(text, numbers, weights[label])
    }


@pytest.mark.parametrize("analyzer", ["auto", "words", "characters"])
def test_words_with_vowel_signs_are_marked_as_a_whole(analyzer):
    mark = learnt(HINDI, TextVectorizer(analyzer=analyzer))
    found = mark("मैं बहुत खुश हूँ", 0)
    assert max(found, key=found.get) == "खुश"
    assert mark("मैं बहुत दुखी हूँ", 0)["दुखी"] < 0 < mark("मैं बहुत दुखी हूँ", 1)["दुखी"]


@pytest.mark.parametrize("analyzer", ["auto", "words"])
def test_characters_are_marked_where_there_are_no_spaces(analyzer):
    mark = learnt(CHINESE, TextVectorizer(analyzer=analyzer))
    found = mark("今天我很开心", 0)
    best = max(found, key=found.get)
    assert "开心" in best
    assert "今" not in best
    assert any("难" in part and weight < 0 for part, weight in mark("今天很难过", 0).items())


def test_the_weight_of_a_word_is_the_sum_of_its_terms():
    vectorizer = TextVectorizer(analyzer="both", language="none")
    counts = vectorizer.fit_transform(ENGLISH)
    estimator = make_pipeline(LogTfidfTransformer(), svm())
    scorer = SemiAutomatedClassifier(estimator, cv=3).fit(counts, LABELS).scorer_
    lexicon = lexicon_of(vectorizer, scorer)
    lexicon.add(ENGLISH)
    numbers, weights = unpacked(lexicon.packed()), unpacked_weights(lexicon.packed_weights(0))
    of_terms = scorer.members[0].coef_[0] * scorer.transformer.steps[0][1].idf_
    for word in ("happy", "sadness", "today"):
        expected = vectorizer.transform([word]).toarray()[0] @ of_terms
        assert weights.get(numbers[word], 0.0) == pytest.approx(expected, rel=1e-3, abs=1e-9)


def test_a_classifier_of_characters_of_the_user_has_words_too():
    mark = learnt(ENGLISH, CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)))
    found = mark("happy or sad?", 0)
    assert found["happy"] == 1.0
    assert found["sad"] < 0


def test_words_that_nobody_has_seen_are_not_marked():
    assert learnt(ENGLISH)("unknown 词", 0) == {}
