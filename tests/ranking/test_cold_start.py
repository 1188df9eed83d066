import numpy as np
import pytest
from sklearn.metrics import f1_score

import satc
from made import make
from satc.contingency import ContingencyTables
from satc.evaluation.error_reduction import error_reduction
from satc.ranking.cold_start import CHOSEN_FROM, re_estimated
from satc.ranking.preparation import prepare
from satc.ranking.second_opinion import second_opinion


def test_without_any_known_label_documents_of_low_confidence_come_first():
    made = make(n=300)
    ranking = satc.rank(made.scores)
    assert sorted(ranking.order.tolist()) == list(range(300))
    least = np.abs(made.scores).min(axis=1)
    first, last = least[ranking.order[:50]].mean(), least[ranking.order[-50:]].mean()
    assert first < last / 2
    assert ranking.documents.model.standing.n_decisions == 0
    assert ranking.explain(0)


def test_a_multiple_of_the_scores_has_the_same_order():
    made = make(n=200)
    a, b = (satc.rank(made.scores * unit).order for unit in (1.0, 64.0))
    np.testing.assert_array_equal(a, b)


def test_decisions_in_any_order_give_the_same_estimates():
    made = make(n=200)
    documents = prepare(made.scores)
    decisions = [(i, made.y_true[i]) for i in range(60)]
    a = re_estimated(documents, decisions)
    b = re_estimated(documents, decisions[::-1])
    np.testing.assert_array_equal(a.misclassification.signed, b.misclassification.signed)


def test_tables_are_exact_for_decided_documents():
    made = make(n=80)
    everything = [(i, made.y_true[i]) for i in range(80)]
    found = re_estimated(prepare(made.scores), everything).model.class_tables
    true = ContingencyTables.from_labels(made.y_true, made.scores >= 0)
    for cell, exact in zip(found, true, strict=True):
        np.testing.assert_allclose(cell, exact, atol=1e-9)


def test_labels_are_chosen_for_classes_of_which_enough_examples_are_known():
    made = make(n=400, prevalence=0.3, seed=1)
    documents = prepare(made.scores, decide="measure")
    own = made.scores >= 0
    np.testing.assert_array_equal(documents.decided, own)
    decisions = [(i, made.y_true[i]) for i in range(60)]
    found = re_estimated(documents, decisions)
    learnt = made.y_true[:60].sum(axis=0) >= CHOSEN_FROM
    assert learnt.any()
    assert not learnt.all()
    np.testing.assert_array_equal(found.decided[:, ~learnt], own[:, ~learnt])
    probability = found.model.probability(made.scores)
    chosen = found.model.choose(probability).labels
    np.testing.assert_array_equal(found.decided[:, learnt], chosen[:, learnt])
    np.testing.assert_array_equal(found.model.decide(made.scores, probability), found.decided)


def test_labels_that_are_given_stay():
    made = make(n=100)
    documents = prepare(made.scores, decide="measure")
    decisions = [(i, made.y_true[i]) for i in range(60)]
    found = re_estimated(documents, decisions, labels=documents.decided)
    np.testing.assert_array_equal(found.decided, documents.decided)


def test_a_label_that_similar_documents_do_not_have_is_found():
    rng = np.random.default_rng(0)
    labels = np.eye(3, dtype=bool)[rng.integers(0, 3, 120)]
    features = labels + rng.normal(0, 0.2, labels.shape)
    wrong = labels.copy()
    wrong[:4] = np.roll(labels[:4], 1, axis=1)
    opinion = second_opinion(features, wrong)
    np.testing.assert_array_equal(opinion[:4] > 0, labels[:4])
    scores = np.where(wrong, 1.0, -1.0)
    order = satc.rank(scores, features=features).order
    assert set(order[:4].tolist()) == {0, 1, 2, 3}
    order = satc.rank(scores, features=features, task="single-label").order
    assert set(order[:4].tolist()) == {0, 1, 2, 3}


def test_classes_that_cannot_be_learnt_keep_their_labels_in_the_second_opinion():
    features = np.random.default_rng(0).random((20, 2))
    labels = np.zeros((20, 3), dtype=bool)
    labels[0, 0] = True  # once only
    labels[:, 1] = True
    opinion = second_opinion(features, labels)
    np.testing.assert_array_equal(opinion > 0, labels)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["contextual", "contextual-dynamic"])
def test_learning_on_the_way_is_better_than_confidence(method):
    made = make(n=1500, m=8, seed=4, prevalence=0.2)
    gain = np.geomspace(0.05, 20.0, 8)  # each class has a unit of its own
    scores = made.scores * gain
    cold = satc.simulate(scores, made.y_true, method=method)
    confidence = satc.simulate(scores, made.y_true, method="baseline", sigma=1.0)
    assert cold.ener() > 1.05 * confidence.ener()
    plain = error_reduction(cold.order, scores, made.y_true)
    assert cold.ener() == pytest.approx(plain.ener())
    np.testing.assert_allclose(cold.error_reduction, plain.er, atol=1e-9)


def test_the_value_of_a_simulation_is_that_of_the_labels_at_each_step():
    made = make(n=150, seed=2, prevalence=0.4)
    sim = satc.simulate(made.scores, made.y_true, decide="measure")
    validation = satc.Validation(made.scores, decide="measure")
    for n in range(151):
        expected = f1_score(made.y_true, validation.labels, average="macro", zero_division=1.0)
        assert sim.value[n] == pytest.approx(expected), n
        if (i := validation.next()) is not None:
            assert i == sim.order[n]
            validation.submit(i, made.y_true[i])


def test_features_must_fit_to_the_scores():
    made = make(n=30)
    with pytest.raises(ValueError, match="features must have as many rows as scores, 30"):
        satc.rank(made.scores, features=np.zeros((29, 2)))
