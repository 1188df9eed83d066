"""What is counted in texts: the choice, and the counts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

from satc.learners.text import TextVectorizer
from satc.learners.text import choice as module
from satc.learners.text.analysis import TextAnalysis
from satc.learners.text.choice import choose_analysis
from satc.learners.text.counting import TermCounter

SHORT = ["It is not on my card", "Why was I not told about that?"] * 4
LONG = [" ".join(["The price of the wheat was not what they had in mind for it"] * 20)] * 4
CHINESE = ["简单说就是有阳性病例", "运镜也好牛"] * 4
HINDI = ["यह बहुत अच्छा है और मैं खुश हूँ", "वह नहीं आया, इसलिए मैं दुखी था"] * 4

FILLER = "it was not on the card when they had looked for it in the shop again"


def chosen(texts, labels=None, language="auto", analyzer="auto"):
    return choose_analysis(texts, labels, language, analyzer, False)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (SHORT, TextAnalysis("both", ("en",), short=True)),
        (LONG, TextAnalysis("words", ("en",), short=False)),
        (HINDI, TextAnalysis("both", ("hi",), short=True)),
        (CHINESE, TextAnalysis("characters", (), short=True)),
        (CHINESE + SHORT * 4, TextAnalysis("both", ("en",), short=True)),
    ],
)
def test_script_and_length_decide(texts, expected):
    assert chosen(texts) == expected


def test_the_user_decides_if_he_says_so():
    assert chosen(SHORT, analyzer="words") == TextAnalysis("words", ("en",), short=True)
    assert chosen(LONG, analyzer="both") == TextAnalysis("both", ("en",), short=False)
    assert chosen(SHORT, language="de").languages == ("de",)
    assert chosen(SHORT, language="none").languages == ()
    with pytest.raises(ValueError, match=r"analyzer must be one of 'auto', .*'chars'"):
        chosen(SHORT, analyzer="chars")


def doubtful(rng, informative):
    """English texts of about 20 words; their class shows in a word, or only in endings."""
    filler = FILLER.split()
    roots = ["".join(rng.choice(list("bcdfgklmnprst"), 6)) for _ in range(400)]
    texts, labels = [], []
    for k in range(300):
        label = k % 2
        if informative == "endings":
            marks = [rng.choice(roots) + ["ovatsk", "irnegl"][label] for _ in range(3)]
        else:
            marks = [["alphax", "betaqy"][label]]
        texts.append(" ".join(rng.permutation(filler + marks)))
        labels.append([label == 0, label == 1])
    return texts, np.array(labels)


@pytest.mark.parametrize(("informative", "expected"), [("endings", "both"), ("words", "words")])
def test_in_doubt_a_cross_validation_decides(informative, expected):
    texts, labels = doubtful(np.random.default_rng(0), informative)
    assert 15 < module._lengths(texts)[0] < 30
    assert chosen(texts, labels).analyzer == expected
    assert chosen(texts).analyzer == "words"  # without labels, nothing can be cross-validated


def test_labels_that_say_nothing_decide_for_words():
    texts, _ = doubtful(np.random.default_rng(0), "endings")
    assert chosen(texts, np.zeros((300, 2), dtype=bool)).analyzer == "words"
    assert chosen(texts[:20], np.ones((20, 1), dtype=bool)).analyzer == "words"


def test_words_come_first_and_then_n_grams():
    texts = ["Wheat rose, wheat fell", "corn fell"]
    vectorizer = TextVectorizer(language="de", analyzer="both").fit(texts)
    counter = vectorizer.counter_
    X = vectorizer.transform(["wheat wheat corn"]).toarray()[0]
    assert X[counter.words.vocabulary_["wheat"]] == 2
    assert X[counter.n_words + counter.characters.vocabulary_["whe"]] == 2
    expected = CountVectorizer(analyzer="char_wb", ngram_range=(1, 4)).fit(texts)
    np.testing.assert_array_equal(
        X[counter.n_words :], expected.transform(["wheat wheat corn"]).toarray()[0]
    )


def test_fit_transform_is_fit_and_then_transform():
    for texts in (SHORT, LONG, CHINESE, HINDI):
        vectorizer = TextVectorizer()
        np.testing.assert_array_equal(
            vectorizer.fit_transform(texts).toarray(), vectorizer.transform(texts).toarray()
        )
        assert clone(vectorizer).get_params() == vectorizer.get_params()


def test_rare_terms_are_left_out_of_many_texts_only():
    texts = [f"same word{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(99)]
    counter = TermCounter(TextAnalysis("words", short=True))
    assert counter.fit_transform(texts).shape[1] > 100
    assert (
        TermCounter(TextAnalysis("words", short=True)).fit_transform([*texts, "same"]).shape[1] == 1
    )


def test_a_part_without_terms_is_left_out():
    counter = TermCounter(TextAnalysis("both"))
    assert counter.fit_transform(["坏了", "好"]).shape[1] > 0
    assert counter.words is None
    assert counter.n_words == 0
    with pytest.raises(ValueError, match="texts must contain words to count, but have none"):
        TermCounter(TextAnalysis("words")).fit_transform(["1 2", "?"])


def test_an_unfitted_vectorizer_says_so():
    with pytest.raises(NotFittedError):
        TextVectorizer().transform(["a"])


@pytest.mark.parametrize(
    ("analysis", "said"),
    [
        (
            TextAnalysis("both", ("de", "en"), short=True),
            "words and characters (language: de, en; stop words kept)",
        ),
        (TextAnalysis("words", ("en",)), "words (language: en; stop words removed)"),
        (TextAnalysis("words", ()), "words (language not known, so words are not stemmed)"),
        (TextAnalysis("characters", ("zh",)), "characters"),
    ],
)
def test_an_analysis_says_what_it_counts(analysis, said):
    assert str(analysis) == said
