import numpy as np
import pytest

from plain_context import evidence, plain
from satc.calibration.contextual.cooccurrence import Cooccurrence
from satc.calibration.contextual.description import log_priors
from satc.calibration.contextual.held_out import N_FOLDS, HeldOut, random_folds
from satc.calibration.evidence import Evidence
from satc.calibration.opinions.pool import OpinionPool
from satc.calibration.platt import expit
from satc.calibration.similarity.similar import no_features


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    labels = rng.random((200, 6)) < 0.2
    labels[:, 5] = np.arange(200) == 3
    scores = labels - 0.6 + rng.normal(0, 0.5, labels.shape)
    fold = random_folds(200, np.random.default_rng(1))
    pool = OpinionPool().fit(scores, {}, labels, fold)
    return HeldOut(pool, scores, Evidence(), labels, fold), pool.platt, scores, labels


def whole(held_out):
    return plain(next(held_out.blocks(no_features, 10**9))[1])


def test_every_fold_is_described_by_what_the_others_say(made):
    held_out, platt, scores, labels = made
    documents = whole(held_out)
    fold = np.random.default_rng(1).permutation(200) % N_FOLDS
    for k in range(N_FOLDS):
        inside = fold == k
        logits = platt.refit(scores, labels, ~inside).logits(scores[inside])
        known = labels[~inside]
        together = Cooccurrence().fit(known)
        expected = evidence(together.never_, together.lift_, expit(logits))
        prior = log_priors(known.sum(axis=0), len(known))
        np.testing.assert_allclose(documents.logits[inside], logits)
        np.testing.assert_allclose(documents.cooccurrence[inside], expected, atol=1e-12)
        np.testing.assert_allclose(documents.log_prior[inside], np.tile(prior, (inside.sum(), 1)))


def test_a_class_with_one_document_is_unknown_to_that_document(made):
    held_out, _, _, _ = made
    prior = whole(held_out).log_prior[:, 5]
    assert prior[3] < prior[4] - 2


def test_blocks_and_pairs_agree_with_the_whole(made):
    held_out, _, _, labels = made
    documents = whole(held_out)
    parts = [plain(block) for _, block in held_out.blocks(no_features, 100)]
    np.testing.assert_allclose(np.concatenate([p.logits for p in parts]), documents.logits)
    rows, columns = np.nonzero(labels)
    np.testing.assert_allclose(held_out.logits(rows, columns), documents.logits[rows, columns])


def test_residuals_are_labels_minus_probabilities_but_for_the_smallest(made):
    held_out, _, _, labels = made
    residuals = held_out.residuals(labels).toarray()
    expected = labels - expit(whole(held_out).logits)
    np.testing.assert_allclose(residuals, expected, atol=0.0101)
    assert (np.abs(residuals[residuals != 0]) >= 0.01).all()
    assert (residuals == 0).any()
