import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from satc.learners.embedding_classifier import EmbeddingClassifier, EmbeddingOpinion


def made(n=400, d=12, m=4, seed=0):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    strength = vectors @ rng.normal(size=(d, m)) * 3 + rng.gumbel(size=(n, m))
    return vectors, strength


def test_one_label_gives_the_probabilities_of_scikit_learn():
    vectors, strength = made()
    label = strength.argmax(axis=1)
    labels = np.eye(4, dtype=bool)[label]
    ours = EmbeddingClassifier("single-label", C=5.0).fit(vectors, labels).scores(vectors)
    probability = np.exp(ours) / np.exp(ours).sum(axis=1, keepdims=True)
    theirs = LogisticRegression(C=5.0, max_iter=1000).fit(vectors, label).predict_proba(vectors)
    np.testing.assert_allclose(probability, theirs, atol=0.03)


def test_many_labels_give_the_scores_of_scikit_learn():
    vectors, strength = made()
    labels = strength > 1.0
    ours = EmbeddingClassifier(C=5.0).fit(vectors, labels).scores(vectors)
    for j in range(4):
        plain = LogisticRegression(C=5.0, max_iter=1000).fit(vectors, labels[:, j])
        np.testing.assert_allclose(ours[:, j], plain.decision_function(vectors), atol=0.15)


def test_out_of_fold_scores_do_not_know_the_label_of_the_document():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(200, 150))  # enough dimensions to learn anything by heart
    labels = rng.random((200, 1)) < 0.5
    opinion = EmbeddingOpinion().fit(vectors, labels)
    known = (opinion.scores(vectors) > 0) == labels
    assert known.mean() > 0.95
    assert 0.3 < ((opinion.oof_scores_ > 0) == labels).mean() < 0.7


@pytest.mark.parametrize("task", ["multi-label", "single-label"])
def test_a_class_without_an_example_gets_low_scores(task):
    vectors, strength = made()
    labels = np.column_stack([np.eye(4, dtype=bool)[strength.argmax(axis=1)], np.zeros(400, bool)])
    opinion = EmbeddingOpinion(task).fit(vectors, labels)
    for scores in (opinion.scores(vectors), opinion.oof_scores_):
        assert np.isfinite(scores).all()
        assert (scores.argmax(axis=1) != 4).all()


def test_the_result_is_the_same_each_time():
    vectors, strength = made()
    first, second = (EmbeddingOpinion().fit(vectors, strength > 1.0) for _ in range(2))
    np.testing.assert_array_equal(first.oof_scores_, second.oof_scores_)
