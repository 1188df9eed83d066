"""Labels that imply their ancestors: closed, with tables and utilities of the closed labels."""

import numpy as np
import pytest

import satc
from made import make
from satc.assurance.live.estimator import accuracy_model
from satc.code_book import Hierarchy
from satc.contingency import ContingencyTables
from satc.ranking.preparation import prepare

TREE = Hierarchy([[], [0], [1], [0], []])


@pytest.fixture(scope="module")
def made():
    return make(60, 5, seed=4)


def closed_training(made):
    return made.training | {"y_train": TREE.close(made.y_train)}


@pytest.mark.parametrize("method", ["contextual", "u-theoretic", "baseline", "random"])
@pytest.mark.parametrize("decide", ["sign", "measure"])
def test_labels_have_their_ancestors(made, method, decide):
    options = {"method": method, "decide": decide}
    found = prepare(made.scores, **made.training, **options, hierarchy=TREE)
    plain = prepare(made.scores, **closed_training(made), **options)
    if decide == "sign":
        np.testing.assert_array_equal(found.decided, TREE.close(plain.decided))
        assert (found.decided != plain.decided).any()
    np.testing.assert_array_equal(found.decided, TREE.close(found.decided))
    for i in range(5):
        np.testing.assert_array_equal(found.decided_on(i), found.decided[i])


def test_probabilities_and_expected_tables_are_those_of_the_closed_labels(made):
    found = prepare(made.scores, **made.training, hierarchy=TREE)
    plain = prepare(made.scores, **closed_training(made))
    before = plain.probability()
    probability = before.copy()
    probability[:, 1] = before[:, [1, 2]].max(axis=1)  # a parent is at least as probable
    probability[:, 0] = before[:, :4].max(axis=1)
    assert (probability > before).any()
    np.testing.assert_allclose(found.probability(), probability)
    decided = found.decided
    tables = found.model.class_tables
    np.testing.assert_allclose(tables.tp, (probability * decided).sum(axis=0))
    np.testing.assert_allclose(tables.fp, ((1 - probability) * decided).sum(axis=0))
    np.testing.assert_allclose(tables.fn, (probability * ~decided).sum(axis=0))
    ranking = satc.rank(made.scores, **made.training, hierarchy=TREE)
    gains = np.where(decided, *found.model.gains)
    wrong = np.where(decided, 1 - probability, probability)
    np.testing.assert_allclose(ranking.utility, (wrong * gains).sum(axis=1))


def test_k_fold_tables_count_closed_labels(made):
    found = prepare(made.scores, **made.training, method="u-theoretic", hierarchy=TREE)
    truth, decided = TREE.close(made.y_train), TREE.close(made.oof_scores >= 0)
    counts = ContingencyTables.from_labels(truth, decided).scaled(60 / len(truth))
    for cell in ("tp", "fp", "fn", "tn"):
        np.testing.assert_allclose(
            getattr(found.model.class_tables, cell), getattr(counts, cell), err_msg=cell
        )


def test_decide_returns_closed_labels_and_their_expected_value(made):
    for how in ("sign", "measure"):
        decided = satc.decide(made.scores, **made.training, decide=how, hierarchy=TREE)
        np.testing.assert_array_equal(decided.labels, TREE.close(decided.labels))
        assert 0.0 < decided.expected < 1.0


def test_a_validation_goes_on_with_closed_labels_and_estimates_accuracy(made):
    truth = TREE.close(made.y_true)
    validation = satc.Validation(made.scores, **made.training, hierarchy=TREE)
    for _ in range(10):
        i = validation.next()
        validation.submit(i, truth[i])
    np.testing.assert_array_equal(validation.labels, TREE.close(validation.labels))
    assert accuracy_model(validation.documents) is not None
    assert 0.0 < validation.accuracy().value <= 1.0


@pytest.mark.parametrize("decide", ["sign", "measure"])
def test_a_cold_start_stays_closed_while_it_learns(made, decide):
    truth = TREE.close(made.y_true)
    simulation = satc.simulate(
        made.scores, truth, method="contextual-dynamic", decide=decide, hierarchy=TREE
    )
    decided = simulation.documents.decided
    np.testing.assert_array_equal(decided, TREE.close(decided))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [({"hierarchy": [[], [0]]}, TypeError, r"must be a satc\.code_book\.Hierarchy, but is list"),
     ({"hierarchy": Hierarchy([[]])}, ValueError, "must have the classes of scores, 5, but has 1"),
     ({"hierarchy": TREE, "task": "single-label"}, ValueError, "None in a single-label task")],
)  # fmt: skip
def test_a_hierarchy_that_does_not_fit_is_refused(made, options, error, message):
    training = {} if "task" in options else made.training
    with pytest.raises(error, match=message):
        satc.rank(made.scores, **training, **options)
