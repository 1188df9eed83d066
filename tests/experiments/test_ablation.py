import numpy as np
import pytest
from test_protocol import small

from satc.evaluation.plot import reliability_chart, rendered
from satc.experiments.ablation import ablate, as_table, log_loss, reliability
from satc.experiments.scores import scores_of
from satc.learners.presets import LEARNERS


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    dataset = small()
    cache = tmp_path_factory.mktemp("scores")
    return ablate(dataset, scores_of(dataset, LEARNERS["svm"], cache, n_jobs=1)), dataset


def test_every_ingredient_has_its_figures(steps):
    found, dataset = steps
    assert len(found) == 6
    for step in found:
        assert np.isfinite([*step.ener, step.micro, step.f2, step.log_loss]).all()
        assert step.probability.shape == dataset.test.labels.shape
    table = as_table({"small, SVMs": found})
    assert len(table.rows) == 6
    assert all(len(row) == len(table.header) for row in table.rows)


def test_class_wise_probabilities_fit_better_than_one_sigma(steps):
    found, _ = steps
    assert found[2].log_loss < found[0].log_loss


def test_the_log_loss_is_scikit_learn_s():
    from sklearn.metrics import log_loss as theirs

    rng = np.random.default_rng(0)
    probability, labels = rng.random((20, 3)), rng.random((20, 3)) < 0.5
    assert log_loss(probability, labels) == pytest.approx(
        theirs(labels.ravel(), probability.ravel())
    )


def test_calibrated_probabilities_are_reliable_and_drawn():
    rng = np.random.default_rng(0)
    probability = rng.random((5000, 4))
    bins = reliability(probability, rng.random((5000, 4)) < probability)
    assert len(bins) == 20
    assert all(abs(given - found) < 0.06 for given, found, _ in bins)
    assert b"<svg" in rendered(reliability_chart({"made": bins}), ".svg")


def test_embeddings_add_two_steps(tmp_path):
    dataset = small()
    scores = scores_of(dataset, LEARNERS["svm"], tmp_path, n_jobs=1)
    rng = np.random.default_rng(0)
    signal = rng.normal(size=(dataset.train.labels.shape[1], 6))
    vectors = tuple(
        (part.labels @ signal + 0.1 * rng.normal(size=(len(part), 6))).astype(np.float32)
        for part in (dataset.train, dataset.test)
    )
    *_, by_words, _, by_meaning, told = ablate(dataset, scores, vectors)
    assert by_meaning.name == "neighbours by embeddings"
    assert by_meaning.log_loss < by_words.log_loss
    assert told.log_loss < by_words.log_loss
