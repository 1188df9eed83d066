import numpy as np
import pytest

from satc.calibration.contextual.calibrator import ContextualCalibrator
from satc.calibration.contextual.one_label import OneLabelCalibrator
from satc.calibration.evidence import Evidence
from satc.calibration.opinions.combination import Combination
from satc.calibration.opinions.pool import OpinionPool
from satc.calibration.platt import PlattCalibrator, expit


def log_loss(probability, labels):
    return -np.log(np.where(labels, probability, 1.0 - probability)).sum() / len(labels)


@pytest.fixture(scope="module")
def made():
    """Scores, an opinion that is good in the first three classes only, chance, and labels."""
    rng = np.random.default_rng(0)
    labels = rng.random((1200, 6)) < np.array([0.3, 0.2, 0.1, 0.3, 0.2, 0.1])
    sign = np.where(labels, 1.0, -1.0)
    scores = sign + rng.normal(0, 1.5, labels.shape)
    opinion = np.where(np.arange(6) < 3, sign, 0.0) + rng.normal(0, 0.7, labels.shape)
    return scores, opinion, rng.normal(size=labels.shape), labels


def pooled(made, opinions, rows=slice(None)):
    scores, _, _, labels = made
    fold = np.arange(len(labels)) % 5
    return OpinionPool().fit(scores, opinions, labels, fold)


def test_without_opinions_a_pool_is_platt_scaling(made):
    scores, _, _, labels = made
    logits = pooled(made, {}).logits(scores, {})
    np.testing.assert_array_equal(logits, PlattCalibrator().fit(scores, labels).logits(scores))


def test_an_opinion_is_worth_more_in_the_classes_where_it_is_right(made):
    scores, opinion, _, labels = made
    pool = pooled(made, {"other": opinion})
    moved = pool.logits(scores, {"other": opinion + 1.0}) - pool.logits(scores, {"other": opinion})
    assert moved[0, :3].min() > 5 * np.abs(moved[0, 3:]).max()
    both = expit(pool.logits(scores, {"other": opinion}))
    alone = expit(pool.platt.logits(scores))
    assert log_loss(both, labels) < 0.8 * log_loss(alone, labels)


def test_an_opinion_by_chance_is_not_heard_and_changes_nothing(made):
    scores, opinion, chance, _ = made
    assert not pooled(made, {"chance": chance}).heard
    told = {"chance": chance, "other": opinion}
    with_chance, without = pooled(made, told), pooled(made, {"other": opinion})
    np.testing.assert_array_equal(
        with_chance.logits(scores, told), without.logits(scores, {"other": opinion})
    )


def test_pools_of_folds_have_not_seen_the_fold(made):
    scores, opinion, _, labels = made
    fold = np.arange(len(labels)) % 5
    changed = labels.copy()
    changed[fold == 0] = ~changed[fold == 0]
    first, other = (
        PlattCalibrator().fit(scores, labels).refit(scores, some, fold != 0)
        for some in (labels, changed)
    )
    np.testing.assert_allclose(first.logits(scores), other.logits(scores))
    whole = Combination().fit(scores.__getitem__, opinion, labels)
    before, after = (
        whole.refit(scores.__getitem__, opinion, some, fold != 0) for some in (labels, changed)
    )
    np.testing.assert_allclose(before.log_odds(scores, opinion), after.log_odds(scores, opinion))


def test_the_coefficients_are_the_best_ones(made):
    """No small change of a class's coefficients makes its labels more likely."""
    scores, opinion, _, labels = made
    told = Combination().fit(scores.__getitem__, opinion, labels)
    best = told.log_odds(scores, opinion)

    def penalty(coefficients, j):
        return 0.5 * np.square(coefficients - told._centre[:, j]).sum()

    def objective(j, step):
        planes = told._planes.copy()
        planes[:, j] += step
        other = Combination.__new__(Combination)
        other.__dict__.update(told.__dict__)
        other._set_planes(planes)
        logits = other.log_odds(scores, opinion)[:, j]
        loss = np.logaddexp(0, np.where(labels[:, j], -logits, logits)).sum()
        return loss + penalty(planes[:, j], j)

    assert np.isfinite(best).all()
    for j in range(6):
        here = objective(j, np.zeros(3))
        for step in 0.05 * np.vstack([np.eye(3), -np.eye(3)]):
            assert objective(j, step) > here


def test_a_document_without_an_opinion_has_the_probability_of_its_scores(made):
    scores, opinion, _, _ = made
    missing = opinion.copy()
    missing[:100] = np.nan
    pool = pooled(made, {"other": missing})
    logits = pool.logits(scores, {"other": missing})
    np.testing.assert_array_equal(logits[:100], pool.platt.logits(scores)[:100])
    assert np.abs(logits[100:] - pool.platt.logits(scores)[100:]).max() > 0.5
    alone = pool.pooled(scores, {"other": missing}).alone["other"]
    np.testing.assert_array_equal(alone[:100], logits[:100])


def test_too_few_opinions_are_not_heard(made):
    _, opinion, _, labels = made
    few = np.full_like(opinion, np.nan)
    few[:5] = np.where(labels[:5], 3.0, -3.0)
    assert not pooled(made, {"few": few}).heard


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ContextualCalibrator, OneLabelCalibrator])
def test_the_calibrator_hears_opinions_and_is_not_hurt_by_chance(kind):
    rng = np.random.default_rng(1)
    labels = np.eye(5, dtype=bool)[rng.integers(0, 5, 1600)]
    scores, opinion = (2.0 * labels + rng.normal(0, 1.2, labels.shape) for _ in range(2))
    chance = rng.normal(size=labels.shape)
    train, new = slice(0, 800), slice(800, 1600)

    def loss(**opinions):
        known = [Evidence(None, {n: one[k] for n, one in opinions.items()}) for k in (train, new)]
        fitted = kind().fit(scores[train], labels[train], known[0])
        return log_loss(fitted.probabilities(scores[new], known[1]), labels[new])

    alone = loss()
    assert loss(other=opinion) < 0.8 * alone
    assert loss(chance=chance) == alone


def test_context_says_who_thinks_what(made):
    scores, opinion, _, labels = made
    told = Evidence(None, {"other": opinion})
    fitted = ContextualCalibrator().fit(scores, labels, told)
    found = fitted.context(scores, 3, told)
    said = [one.opinions["other"] for one in found]
    alone = PlattCalibrator().fit(opinion, labels).logits(opinion[3:4])[0]
    np.testing.assert_allclose(said, alone)
    before = expit(PlattCalibrator().fit(scores, labels).logits(scores[3:4]))[0]
    np.testing.assert_allclose([one.before for one in found], before)


def test_where_classes_compete_what_an_opinion_says_alone_counts_too():
    rng = np.random.default_rng(1)
    labels = np.eye(4, dtype=bool)[rng.integers(0, 4, 300)]
    scores, opinion = (2.0 * labels + rng.normal(size=labels.shape) for _ in range(2))
    told = Evidence(None, {"other": opinion})
    found = OneLabelCalibrator().fit(scores, labels, told).context(scores, 0, told)
    assert {"logit of other", "gap to best other logit of other"} <= found[0].moved_by.keys()
