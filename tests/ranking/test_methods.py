"""The same properties, tested for every method, average and measure."""

import numpy as np
import pytest

import satc
from made import make, plain_order
from satc.contingency import ContingencyTables
from satc.errors import CalibrationWarning
from satc.measures import NAMES
from satc.ranking.methods import METHODS

AVERAGES = ("macro", "micro")
RIVALS = [m for m in METHODS if METHODS[m].is_rival]
PAPER = [m for m in METHODS if METHODS[m].probability != "context" and m not in RIVALS]
CONTEXTUAL = [m for m in METHODS if METHODS[m].probability == "context"]


def cost(tp, fp, fn, tn):
    return -(fp + 3.0 * fn)


def tables_of(made, method, average):
    if METHODS[method].tables == "truth":
        tables = ContingencyTables.from_labels(made.y_true, made.scores >= 0)
    else:
        tables = ContingencyTables.from_labels(made.y_train, made.oof_scores >= 0)
        tables = tables.scaled(len(made.scores) / len(made.oof_scores))
    tables = tables.pooled() if average == "micro" else tables
    return list(zip(*tables, strict=True))


def simulated(made, **options):
    return satc.simulate(made.scores, made.y_true, **made.training, **options)


@pytest.mark.parametrize(
    ("method", "measure"),
    [(m, measure) for m in PAPER for measure in (*NAMES, cost)]
    + [(m, measure) for m in CONTEXTUAL for measure in ("f1", "matthews", cost)]
    + [(m, "f1") for m in RIVALS],
)
@pytest.mark.parametrize("average", AVERAGES)
def test_order_is_a_permutation_and_error_falls_from_all_to_nothing(method, average, measure):
    made = make(seed=3)
    sim = simulated(made, method=method, average=average, measure=measure, n_trials=3)
    assert sorted(sim.order) == list(range(len(made.scores)))
    assert len(sim.error_reduction) == len(made.scores) + 1
    assert sim.error_reduction[0] == 0
    assert sim.error_reduction[-1] == 1
    again = simulated(made, method=method, average=average, measure=measure, n_trials=3)
    np.testing.assert_array_equal(sim.order, again.order)


@pytest.mark.slow
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_the_classes_does_not_matter(method, average):
    made = make(seed=4, m=7)
    shuffled = np.random.default_rng(0).permutation(7)
    turned = type(made)(*(array[:, shuffled] for array in made))
    np.testing.assert_array_equal(
        simulated(made, method=method, average=average).order,
        simulated(turned, method=method, average=average).order,
    )


@pytest.mark.slow
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("method", METHODS)
def test_scaling_the_scores_and_dividing_sigma_changes_nothing(method, average):
    made = make(seed=5)
    scaled = made._replace(scores=made.scores * 8, oof_scores=made.oof_scores * 8)
    a = simulated(made, method=method, average=average, sigma=3.0)
    b = simulated(scaled, method=method, average=average, sigma=3.0 / 8)
    np.testing.assert_array_equal(a.order, b.order)
    calibrated = simulated(scaled, method=method, average=average)
    np.testing.assert_array_equal(
        simulated(made, method=method, average=average).order, calibrated.order
    )


@pytest.mark.slow
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("method", [m for m in PAPER if m not in ("baseline", "random")])
@pytest.mark.parametrize("measure", ["f1", "f2", "jaccard", "matthews", "g-mean", cost])
def test_the_slow_obvious_version_agrees_position_by_position(method, average, tied, measure):
    for seed in range(4):
        made = make(n=45, m=4, seed=seed, tied=tied)
        expected = plain_order(
            made,
            dynamic=METHODS[method].is_dynamic,
            sigma=2.5,
            measure=measure,
            average=average,
            tables=tables_of(made, method, average),
            oracle=METHODS[method].needs_truth,
            truth=METHODS[method].probability == "truth",
        )
        sim = simulated(made, method=method, average=average, measure=measure, sigma=2.5)
        np.testing.assert_array_equal(sim.order, expected)


@pytest.mark.slow
@pytest.mark.parametrize("average", AVERAGES)
def test_many_blocks_and_many_corrections_agree_with_the_slow_version(average):
    made = make(n=700, m=3, n_train=200, seed=8, prevalence=0.5)
    expected = plain_order(
        made,
        dynamic=True,
        sigma=1.5,
        measure="f1",
        average=average,
        tables=tables_of(made, "u-theoretic-dynamic", average),
    )
    sim = simulated(made, method="u-theoretic-dynamic", average=average, sigma=1.5)
    np.testing.assert_array_equal(sim.order, expected)


@pytest.mark.parametrize("average", AVERAGES)
def test_with_accuracy_utility_is_the_probability_of_error(average):
    made = make(n=300, m=6, n_train=400, seed=6)
    options = {**made.training, "average": average}
    baseline = satc.rank(made.scores, method="baseline", **options)
    for method in ("u-theoretic", "u-theoretic-dynamic"):
        ranking = satc.rank(made.scores, method=method, measure="accuracy", **options)
        np.testing.assert_array_equal(ranking.order, baseline.order)
        sim = simulated(made, method=method, average=average, measure="accuracy")
        np.testing.assert_array_equal(sim.order, baseline.order)


def test_baseline_ranks_by_expected_number_of_errors():
    made = make(seed=7)
    ranking = satc.rank(made.scores, method="baseline", sigma=2.0)
    expected = (1 / (1 + np.exp(2.0 * np.abs(made.scores)))).sum(axis=1)
    np.testing.assert_allclose(ranking.utility, expected)
    np.testing.assert_array_equal(ranking.order, np.argsort(-expected, kind="stable"))


def test_micro_utilities_are_not_divided_by_the_number_of_classes():
    made = make(seed=9, m=1)
    macro = satc.rank(
        made.scores, **made.training, method="u-theoretic", average="macro", sigma=2.0
    )
    micro = satc.rank(
        made.scores, **made.training, method="u-theoretic", average="micro", sigma=2.0
    )
    np.testing.assert_allclose(macro.utility, micro.utility)


def test_ties_go_by_document_index():
    scores = np.tile([[0.5, -0.25]], (600, 1))
    made = make(n=600, m=2)._replace(scores=scores)
    for method in ("baseline", "u-theoretic", *RIVALS):
        ranking = satc.rank(scores, method=method, oof_scores=made.oof_scores, y_train=made.y_train)
        assert ranking.order.tolist() == list(range(600))
    correct = made._replace(y_true=scores >= 0)
    assert simulated(correct, method="u-theoretic-dynamic").order.tolist() == list(range(600))


def test_a_class_that_never_occurs_is_no_obstacle():
    made = make(seed=10)
    made.y_train[:, 2] = False
    made.y_true[:, 2] = False
    for method in METHODS:
        assert simulated(made, method=method, n_trials=2).error_reduction[-1] == 1


def test_float32_scores_are_ranked_like_the_same_numbers_in_float64():
    made = make(seed=11)
    single = made.scores.astype(np.float32)
    a = satc.rank(single, method="u-theoretic", sigma=2.0, **made.training)
    b = satc.rank(single.astype(np.float64), method="u-theoretic", sigma=2.0, **made.training)
    np.testing.assert_allclose(a.utility, b.utility, rtol=1e-5)


def test_perfect_out_of_fold_scores_still_give_an_order():
    made = make(seed=12)
    y_train = made.oof_scores >= 0
    with pytest.warns(CalibrationWarning, match="no best value"):
        ranking = satc.rank(
            made.scores, oof_scores=made.oof_scores, y_train=y_train, method="u-theoretic"
        )
    assert sorted(ranking.order) == list(range(60))


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("method", [m for m in PAPER if m not in ("baseline", "random")])
def test_weights_and_costs_agree_with_the_slow_obvious_version(method, average, tied):
    for seed in range(4):
        made = make(n=45, m=4, seed=seed, tied=tied)
        rng = np.random.default_rng(seed)
        weights = {
            "class_weights": rng.integers(1, 5, 4) / 2,
            "costs": rng.integers(1, 6, 45) / 4,
            "error_costs": (1.0, 2.5),
        }
        expected = plain_order(
            made,
            dynamic=METHODS[method].is_dynamic,
            sigma=2.5,
            measure="f1",
            average=average,
            tables=tables_of(made, method, average),
            oracle=METHODS[method].needs_truth,
            truth=METHODS[method].probability == "truth",
            **weights,
        )
        sim = simulated(made, method=method, average=average, sigma=2.5, **weights)
        np.testing.assert_array_equal(sim.order, expected)
        if not method.endswith("dynamic"):
            validation = satc.Validation(
                made.scores,
                **made.training,
                y_true=made.y_true,
                method=method,
                average=average,
                sigma=2.5,
                **weights,
            )
            assert validation.next() == expected[0]


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("method", [m for m in METHODS if m != "random"])
def test_weights_of_one_change_nothing(method, average):
    made = make(seed=13)
    ones = {"class_weights": np.ones(5), "costs": np.ones(60), "error_costs": (1, 1)}
    plain = simulated(made, method=method, average=average)
    weighted = simulated(made, method=method, average=average, **ones)
    np.testing.assert_array_equal(plain.order, weighted.order)


@pytest.mark.parametrize("method", ["contextual", "contextual-dynamic"])
def test_contextual_methods_read_cheap_documents_first(method):
    made = make(seed=14)
    costs = np.where(np.arange(60) % 2, 1.0, 1e6)
    order = simulated(made, method=method, costs=costs).order
    assert (order[:30] % 2 == 1).all()


def test_a_class_of_no_weight_moves_no_document():
    made = make(seed=15)
    moved = made._replace(scores=made.scores.copy())
    moved.scores[:, 2] = np.sign(moved.scores[:, 2]) * 0.01
    options = {**made.training, "method": "u-theoretic", "sigma": 2.0}
    weights = [1, 1, 0, 1, 1]
    a = satc.rank(made.scores, class_weights=weights, **options)
    b = satc.rank(moved.scores, class_weights=weights, **options)
    np.testing.assert_array_equal(a.utility, b.utility)


def test_the_explanation_sums_up_to_the_weighted_utility():
    made = make(seed=16)
    ranking = satc.rank(
        made.scores,
        **made.training,
        method="u-theoretic",
        class_weights=[1, 2, 3, 4, 5],
        costs=np.linspace(1, 2, 60),
        error_costs=([1, 1, 2, 1, 1], 3),
    )
    total = sum(part.contribution for part in ranking.explain(7))
    assert total == pytest.approx(ranking.utility[7])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"class_weights": [1, 2]}, ValueError, "class_weights must have one number per class, 5"),
        ({"class_weights": [1, 2, -1, 1, 1]}, ValueError, "class_weights must be finite and 0"),
        ({"class_weights": ["a"] * 5}, TypeError, "class_weights must hold numbers"),
        ({"costs": np.ones(3)}, ValueError, "costs must have one number per document, 60"),
        ({"costs": np.arange(60)}, ValueError, r"costs must be above 0, but costs\[0\] is 0"),
        ({"error_costs": 3}, ValueError, "error_costs must be a pair"),
    ],
)
def test_weights_that_do_not_fit_are_refused(options, error, message):
    made = make()
    with pytest.raises(error, match=message):
        satc.rank(made.scores, **made.training, method="u-theoretic", **options)
