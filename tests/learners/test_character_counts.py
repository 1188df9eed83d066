"""Our counts of n-grams of characters, compared with scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from satc.learners.text.character_counts import CharacterVectorizer

texts_of_few_letters = st.lists(st.text("ab İß\u00a0\n'日", max_size=12), min_size=1, max_size=6)


@settings(max_examples=40)
@given(
    texts_of_few_letters,
    texts_of_few_letters,
    st.sampled_from([(1, 4), (4, 4), (2, 3)]),
    st.sampled_from([1, 2]),
)
def test_n_grams_are_those_of_scikit_learn(texts, new, sizes, least):
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=sizes, min_df=least)
    ours = CharacterVectorizer(*sizes, min_df=least)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:  # no n-grams, or none that is frequent enough
        with pytest.raises(ValueError, match=r"empty vocabulary|must have an n-gram in common"):
            ours.fit_transform(texts)
        return
    found = ours.fit_transform(texts)
    assert ours.vocabulary_ == theirs.vocabulary_
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    np.testing.assert_array_equal(ours.transform(new).toarray(), theirs.transform(new).toarray())
    analyze, reference = ours.build_analyzer(), theirs.build_analyzer()
    assert [sorted(analyze(text)) for text in new] == [sorted(reference(text)) for text in new]


def test_texts_without_words_have_no_n_grams():
    vectorizer = CharacterVectorizer(1, 4)
    vectorizer.fit_transform(["some words"])
    assert vectorizer.transform(["", " \n"]).nnz == 0
