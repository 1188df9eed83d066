import numpy as np
import pytest
from scipy import sparse

from satc.calibration.similarity.similar import SimilarDocuments, no_features


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 3, 60)
    features = np.eye(3)[topic] + rng.normal(0, 0.1, (60, 3))
    labels = topic[:, np.newaxis] == np.arange(3)
    residuals = sparse.csr_array((labels * 0.5 - 0.1 * ~labels).astype(np.float32))
    return features, labels, residuals, topic


def test_neighbours_vote_for_the_topic_and_report_the_classifier_s_errors(made):
    features, labels, residuals, topic = made
    similar = SimilarDocuments(features, labels, residuals).of(features[:5])(slice(None))
    assert (similar.votes.argmax(axis=1) == topic[:5]).all()
    np.testing.assert_allclose(similar.errors, 0.6 * similar.votes - 0.1, atol=1e-5)
    assert (similar.centroid.argmax(axis=1) == topic[:5]).all()
    assert similar.length.tolist() == [3.0] * 5


def test_a_training_document_has_no_say_in_what_is_said_of_it(made):
    features, labels, residuals, _ = made
    alone = np.concatenate([labels, np.arange(60)[:, np.newaxis] == 4], axis=1)
    documents = SimilarDocuments(features, alone, sparse.hstack([residuals, alone[:, 3:]]).tocsr())
    similar = documents.of_training()(slice(4, 5))
    assert similar.votes[0, 3] == similar.errors[0, 3] == 0.0
    assert similar.centroid[0, 3] == pytest.approx(0.0, abs=2e-3)


def test_blocks_of_rows_are_parts_of_the_whole(made):
    features, labels, residuals, _ = made
    of = SimilarDocuments(features, labels, residuals).of_training()
    for part, whole in zip(of(slice(10, 25)), of(slice(None)), strict=True):
        np.testing.assert_allclose(part, whole[10:25], atol=1e-6)


def test_an_empty_training_document_is_similar_to_none(made):
    features, labels, residuals, _ = made
    features = features.copy()
    features[0] = 0.0
    similar = SimilarDocuments(features, labels, residuals).of_training()(slice(0, 1))
    assert not similar.votes.any()
    assert not similar.centroid.any()


def test_nothing_is_said_without_features():
    assert no_features(slice(None)) is None
