"""The rankings of others: each formula against a slow and obvious version, and their limits."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import satc
from made import make
from satc.predictions import from_probabilities
from satc.ranking import documents
from satc.ranking.methods import METHODS
from satc.ranking.rivals.expected_f1 import expected_f1_loss
from satc.ranking.rivals.label_quality import confidence_weighted_entropy
from satc.ranking.rivals.predicted import Predicted
from satc.workbench.model.settings import Settings

RIVALS = [name for name, method in METHODS.items() if method.is_rival]
ANY_TASK = [name for name in RIVALS if not METHODS[name].counts_labels]
SINGLE = "single-label"
QUALITY = ["self_confidence", "normalized_margin", "confidence_weighted_entropy"]


def ranked(made, method, **options):
    return satc.rank(made.scores, **made.training, method=method, sigma=2.0, **options)


def one_label(made):
    """Documents with exactly one label: the class with the largest (noisy) score."""
    noise = np.random.default_rng(1).normal(0, 1, made.scores.shape)
    y_true = np.eye(made.scores.shape[1], dtype=bool)[(made.scores + noise).argmax(axis=1)]
    noise = np.random.default_rng(2).normal(0, 1, made.oof_scores.shape)
    y_train = np.eye(made.scores.shape[1], dtype=bool)[(made.oof_scores + noise).argmax(axis=1)]
    return made._replace(y_true=y_true, y_train=y_train)


def assert_same_order(utility, slow):
    """Both rank alike; nearly equal values may be in any order."""
    np.testing.assert_array_equal(np.argsort(-utility, kind="stable"), np.argsort(-slow))


def label_sets(probability):
    """All label sets of one document with their probabilities, under independence."""
    for labels in product([False, True], repeat=len(probability)):
        chosen = np.array(labels)
        yield chosen, np.where(chosen, probability, 1 - probability).prod()


def f1_of(labels, truth):
    total = labels.sum() + truth.sum()
    return 1.0 if total == 0 else 2 * (labels & truth).sum() / total


def membership(made):
    return 1 / (1 + np.exp(-2.0 * made.scores))


def distribution(made):
    return membership(made) / membership(made).sum(axis=1, keepdims=True)


def test_least_confidence_ranks_by_the_probability_of_the_label_set():
    made = make()
    p = membership(made)
    assert_same_order(ranked(made, "least-confidence").utility, 1 - np.maximum(p, 1 - p).prod(1))


def test_entropy_is_that_of_the_distribution_over_label_sets():
    made = make(n=15)
    slow = [-sum(q * np.log(q) for _, q in label_sets(p)) for p in membership(made)]
    np.testing.assert_allclose(ranked(made, "entropy").utility, slow)


def test_expected_f1_loss_is_the_expectation_over_label_sets():
    made = make(n=25)
    slow = [
        1 - sum(q * f1_of(labels, truth) for truth, q in label_sets(p))
        for labels, p in zip(made.scores >= 0, membership(made), strict=True)
    ]
    np.testing.assert_allclose(ranked(made, "expected-f1-loss").utility, slow, atol=1e-12)


def test_expected_f1_loss_is_exact_for_many_classes():
    rng = np.random.default_rng(0)
    wrong = rng.random((4, 700)) ** 8
    decided = rng.random((4, 700)) < 0.02
    predicted = Predicted(decided, wrong)
    slow = []
    for labels, p in zip(decided, predicted.probability, strict=True):
        right, others = counts(p[labels]), counts(p[~labels])
        k = np.arange(len(right))[:, np.newaxis]
        f1 = 2 * k / (labels.sum() + k + np.arange(len(others)))
        slow.append(1 - right @ f1 @ others)
    np.testing.assert_allclose(expected_f1_loss(predicted), slow, atol=1e-10)


def counts(probability):
    """The distribution of the number of successes."""
    distribution = np.ones(1)
    for p in probability:
        distribution = np.convolve(distribution, [1 - p, p])
    return distribution


def test_the_margin_of_several_labels_is_between_the_last_label_and_the_first_other_class():
    made = make()
    slow = []
    for row in made.scores:
        labels, others = row[row >= 0], row[row < 0]
        slow.append((labels.min() if len(labels) else 0) - (others.max() if len(others) else 0))
    assert_same_order(ranked(made, "smallest-margin").utility, -np.array(slow))


def test_confidences_are_magnitudes_of_scores():
    made = make()
    confidence = np.abs(made.scores)
    assert_same_order(ranked(made, "mean-confidence").utility, -confidence.mean(axis=1))
    assert_same_order(ranked(made, "minimum-confidence").utility, -confidence.min(axis=1))


@pytest.mark.parametrize("aggregate", [np.mean, np.min])
def test_document_difficulty_looks_at_predicted_labels(aggregate):
    made = make()
    slow = [aggregate(row[row >= 0]) if (row >= 0).any() else -row.max() for row in made.scores]
    assert any((row < 0).all() for row in made.scores)
    name = {np.mean: "mean", np.min: "minimum"}[aggregate]
    assert_same_order(ranked(made, f"document-difficulty-{name}").utility, -np.array(slow))


def test_cardinality_inconsistency_counts_labels():
    made = make()
    slow = np.abs((made.scores >= 0).sum(axis=1) - made.y_train.sum() / len(made.y_train))
    np.testing.assert_allclose(ranked(made, "cardinality-inconsistency").utility, slow)


def test_with_one_label_the_formulas_use_the_distribution_over_classes():
    made = one_label(make())
    p = np.sort(distribution(made), axis=1)[:, ::-1]
    slow = {
        "least-confidence": -np.log(p[:, 0]),
        "smallest-margin": 1 - (p[:, 0] - p[:, 1]),
        "entropy": -(p * np.log(p)).sum(axis=1),
        "minimum-confidence": 1 - p[:, 0],
        "cleanlab-self-confidence": 1 - p[:, 0],
        "cleanlab-normalized-margin": 1 - (p[:, 0] - p[:, 1] + 1) / 2,
        "expected-f1-loss": 1 - p[:, 0],
    }
    for method, utility in slow.items():
        np.testing.assert_allclose(ranked(made, method, task=SINGLE).utility, utility, atol=1e-12)


@pytest.mark.parametrize("method", QUALITY)
def test_label_quality_scores_are_those_of_cleanlab(method):
    pytest.importorskip("cleanlab", reason="cleanlab, the oracle of this test, is not installed")
    from cleanlab.multilabel_classification import get_label_quality_scores

    made = make(n=40, m=7)
    labels = [np.flatnonzero(row).tolist() for row in made.scores >= 0]
    quality = get_label_quality_scores(labels, membership(made), method=method)
    name = f"cleanlab-{method.replace('_', '-')}"
    np.testing.assert_allclose(ranked(made, name).utility, 1 - quality, atol=1e-12)


@pytest.mark.parametrize("method", QUALITY)
def test_label_quality_scores_of_one_label_are_those_of_cleanlab(method):
    pytest.importorskip("cleanlab", reason="cleanlab, the oracle of this test, is not installed")
    from cleanlab.rank import get_label_quality_scores

    made = one_label(make(n=200, m=4))
    p = distribution(made)
    assert set(p.argmax(axis=1)) == set(range(4))
    quality = get_label_quality_scores(p.argmax(axis=1), p, method=method)
    utility = ranked(made, f"cleanlab-{method.replace('_', '-')}", task=SINGLE).utility
    np.testing.assert_allclose(utility, 1 - quality, atol=1e-12)


@pytest.mark.parametrize("one_label", [False, True])
def test_almost_certain_documents_have_the_quality_that_cleanlab_gives_them(one_label):
    pytest.importorskip("cleanlab", reason="cleanlab, the oracle of this test, is not installed")
    from cleanlab.rank import get_label_quality_scores

    wrong = np.array([0.0, 1e-12, 1e-8, 1e-4, 0.3])
    p = np.column_stack([1 - wrong, wrong])
    quality = get_label_quality_scores(
        np.array([0, 0, 0, 0, 1]), p, method="confidence_weighted_entropy"
    )[:4]
    decided = np.array([[True, False]] * 4)[:, : 1 + one_label]
    found = confidence_weighted_entropy(
        Predicted(decided, wrong[:4, None].repeat(decided.shape[1], axis=1), one_label=one_label)
    )
    np.testing.assert_allclose(found, 1 - quality, atol=1e-9)
    assert found[0] == 1.0
    assert (np.diff(found) < 0).all()  # the more certain, the lower the quality


@pytest.mark.parametrize("decide", ["sign", "measure"])
@pytest.mark.parametrize("method", ANY_TASK)
def test_rivals_rank_documents_with_one_label(method, decide):
    made = one_label(make())
    sim = satc.simulate(
        made.scores, made.y_true, **made.training, task=SINGLE, method=method, decide=decide
    )
    assert sorted(sim.order) == list(range(60))
    assert sim.value[-1] == 1


@pytest.mark.parametrize("method", RIVALS)
def test_rivals_rank_chosen_labels(method):
    made = make(n_train=100)
    sim = satc.simulate(
        made.scores, made.y_true, **made.training, method=method, decide="measure", sigma=0.5
    )
    assert (sim.documents.decided != (made.scores >= 0)).any()
    assert sim.error_reduction[-1] == 1


@pytest.mark.parametrize("method", RIVALS)
def test_blocks_of_documents_give_the_same_utilities(method, monkeypatch):
    made = make()
    whole = ranked(made, method).utility
    monkeypatch.setattr(documents, "_BLOCK", 35)
    np.testing.assert_array_equal(ranked(made, method).utility, whole)


@pytest.mark.parametrize("method", RIVALS)
def test_scores_of_any_magnitude_are_ranked(method):
    made = make()
    scores = made.scores.copy()
    scores[:20] *= 1e6
    ranking = satc.rank(scores, **made.training, method=method, sigma=1.0)
    assert (ranking.utility >= 0).all()


@pytest.mark.parametrize("method", RIVALS)
def test_a_validation_follows_the_order_and_explains_it_by_the_probability_of_errors(method):
    made = make()
    ranking = ranked(made, method)
    validation = satc.Validation(made.scores, **made.training, method=method, sigma=2.0)
    for i in ranking.order[:5]:
        assert validation.next() == i
        assert validation.utility(i) == ranking.utility[i]
        validation.submit(i, made.y_true[i])
    doubtful = validation.explain(0)
    assert [one.contribution for one in doubtful] == [one.error_probability for one in doubtful]
    assert doubtful == ranking.explain(0)


@pytest.mark.parametrize("method", RIVALS)
def test_rivals_divide_by_the_cost_of_reading(method):
    made = make()
    costs = np.linspace(1, 3, 60)
    plain, costly = ranked(made, method), ranked(made, method, costs=costs)
    np.testing.assert_allclose(costly.utility, plain.utility / costs)


def test_weights_are_refused():
    made = make()
    with pytest.raises(ValueError, match="class_weights must be left out for method 'entropy'"):
        ranked(made, "entropy", class_weights=[1, 2, 1, 1, 1])
    with pytest.raises(ValueError, match="error_costs must be left out for method 'entropy'"):
        ranked(made, "entropy", error_costs=(1, 2))


def test_the_number_of_labels_gives_no_order_where_there_is_always_one():
    made = one_label(make())
    with pytest.raises(ValueError, match="'cardinality-inconsistency' needs a multi-label task"):
        ranked(made, "cardinality-inconsistency", task=SINGLE)


def test_rivals_need_training_documents():
    made = make()
    with pytest.raises(ValueError, match="method 'entropy' needs oof_scores and y_train"):
        satc.rank(made.scores, method="entropy")
    with pytest.raises(ValueError, match="'cardinality-inconsistency' needs oof_scores"):
        satc.rank(made.scores, method="cardinality-inconsistency", sigma=2.0)


def test_probabilities_of_a_classifier_are_used_as_they_are_with_a_sigma_of_one():
    p = np.random.default_rng(0).uniform(0.01, 0.99, (30, 4))
    ranking = satc.rank(from_probabilities(p), method="minimum-confidence", sigma=1.0)
    np.testing.assert_allclose(ranking.utility, np.minimum(p, 1 - p).max(axis=1))


def test_a_project_refuses_what_a_rival_does_not_know():
    assert Settings("Claims", method="entropy").method == "entropy"
    with pytest.raises(ValueError, match="error_costs must be left out for method 'entropy'"):
        Settings("Claims", method="entropy", error_costs=(1.0, 2.0))
    with pytest.raises(ValueError, match="needs a multi-label task"):
        Settings("Claims", method="cardinality-inconsistency", task=SINGLE)


def test_every_rival_names_its_source_in_the_code_and_in_the_docs():
    page = (Path(__file__).parents[2] / "docs" / "rivals.md").read_text(encoding="utf-8")
    for name in RIVALS:
        assert "Source:" in METHODS[name].formula.__doc__, name
        assert f"| `{name}` |" in page, name
