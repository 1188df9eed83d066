from dataclasses import replace

import numpy as np
import pytest

import satc
from made import make
from satc.assurance.live.estimator import accuracy_model
from satc.assurance.live.planner import plan
from satc.contingency import ContingencyTables
from satc.errors import DriftWarning
from satc.measures import F1, macro_or_micro


@pytest.fixture
def made():
    return make(n=300, m=6, n_train=600, seed=3)


def opened(made, method="u-theoretic", **options):
    return satc.Validation(made.scores, **made.training, method=method, **options)


def same(a, b):
    assert (a.value, a.low, a.high) == (b.value, b.low, b.high)
    for mine, its in zip(a.classes, b.classes, strict=True):
        np.testing.assert_array_equal(mine, its)


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_the_interval_holds_the_truth_from_start_to_end(made, average):
    v = opened(made, average=average)
    for n in (0, 30, 100, 300):
        while v.n_validated < n:
            i = v.next()
            v.submit(i, made.y_true[i])
        a = v.accuracy()
        truth = macro_or_micro(F1, ContingencyTables.from_labels(made.y_true, v.labels), average)
        assert a.low <= truth <= a.high
        assert a.low <= a.value <= a.high
        assert a.assumption.holds
    assert a.value == a.low == a.high == 1.0


def test_a_wider_level_gives_a_wider_interval(made):
    v = opened(made)
    narrow, wide = v.accuracy(level=0.5), v.accuracy(level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.slow
def test_estimates_after_each_decision_are_those_from_scratch(made):
    live, late = opened(made), opened(made)
    live.accuracy()
    for v in (live, late):
        for _ in range(25):
            i = v.next()
            v.submit(i, made.y_true[i])
    same(live.accuracy(), late.accuracy())


def test_undo_restores_the_estimate(made):
    v = opened(made)
    before = v.accuracy()
    first = v.next()
    for _ in range(5):
        i = v.next()
        v.submit(i, made.y_true[i])
    assert v.accuracy().value != before.value
    v.undo(first)
    for _ in range(4):
        v.undo()
    same(v.accuracy(), before)


@pytest.mark.parametrize("method", ["contextual", "baseline", "random", "contextual-dynamic"])
def test_every_method_has_an_estimate(made, method):
    a = opened(made, method).accuracy(measure="f2", average="micro")
    assert 0 < a.low < a.value < a.high < 1
    assert a.classes.value.shape == (6,)
    assert np.all(a.classes.low <= a.classes.high)


def test_few_training_documents_do(made):
    few = {"oof_scores": made.oof_scores[:40], "y_train": made.y_train[:40]}
    a = satc.Validation(made.scores, **few, method="baseline").accuracy()
    assert 0 < a.low < a.high < 1


def test_without_training_data_there_is_no_estimate(made):
    v = satc.Validation(made.scores, method="baseline", sigma=2.0)
    with pytest.raises(ValueError, match="accuracy needs oof_scores and y_train"):
        v.accuracy()
    tiny = {"oof_scores": made.oof_scores[:5], "y_train": made.y_train[:5]}
    v = satc.Validation(made.scores, **tiny, method="baseline", sigma=2.0)
    with pytest.raises(ValueError, match="at least 10 documents for an estimate of accuracy"):
        v.accuracy()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.0}, "level must be between 0 and 1, but is 1.0"),
        ({"average": "makro"}, "average must be one of 'macro', 'micro', but is 'makro'"),
        ({"measure": "f"}, "measure must be one of"),
    ],
)
def test_what_cannot_be_estimated_is_refused(made, options, message):
    with pytest.raises(ValueError, match=message):
        opened(made).accuracy(**options)


def test_drift_is_warned_of_once_and_the_estimate_follows(made):
    v, trusting = opened(made), opened(made)
    for _ in range(60):
        i = v.next()
        v.submit(i, ~(made.scores[i] >= 0))  # every decision is wrong
    with pytest.warns(DriftWarning, match="corrections do not agree.*too many"):
        a = v.accuracy()
    assert not a.assumption.holds
    assert v.accuracy().value == a.value
    for _ in range(60):
        i = trusting.next()
        trusting.submit(i, made.y_true[i])
    assert a.value < trusting.accuracy().low


def test_the_plug_in_estimate_starts_from_the_cells_and_ends_at_one(made):
    v = opened(made)
    tables = v.model.class_tables
    assert v.plug_in_accuracy() == macro_or_micro(F1, tables, "macro")
    for i in range(300):
        v.submit(i, made.y_true[i])
    assert v.plug_in_accuracy() > 0.9
    assert opened(made, "baseline").plug_in_accuracy(average="micro") > 0


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_the_interval_of_chosen_labels_covers_the_truth_in_most_samples(average):
    covered = []
    for seed in range(20):
        made = make(200, n_train=300, seed=seed)
        v = opened(made, "contextual", decide="measure", average=average)
        for n in (0, 20):
            while v.n_validated < n:
                i = v.next()
                v.submit(i, made.y_true[i])
            estimate = v.accuracy()
            tables = ContingencyTables.from_labels(made.y_true, v.labels)
            covered.append(estimate.low <= macro_or_micro(F1, tables, average) <= estimate.high)
    assert np.mean(covered) >= 0.9


def test_the_interval_of_chosen_labels_is_wider_and_so_is_that_of_plans(made):
    documents = opened(made, "contextual", decide="measure").documents
    model = accuracy_model(documents)
    wide, plan_wide = estimates(model)
    model.uncertainty = replace(model.uncertainty, widening=1.0)
    narrow, plan_narrow = estimates(model)
    assert narrow.value == pytest.approx(wide.value, abs=0.005)
    assert wide.high - wide.low > 1.1 * (narrow.high - narrow.low)
    assert plan_narrow.documents < plan_wide.documents


def estimates(model):
    order = np.arange(len(model.signed))
    return model.accuracy(F1, "macro", 0.95), plan(model, order, 0.95, measure=F1)
