from itertools import product

import numpy as np
import pytest
from scipy.optimize import check_grad

import satc
from satc.assurance.live.drawn_tables import in_pairs
from satc.calibration.contextual.one_label import OneLabelCalibrator, coherent, fit_weights
from satc.contingency import ContingencyTables
from satc.decisions import Costs, largest
from satc.inputs import task_of
from satc.measures import parse
from satc.one_label import choose_one, expected_value_of_one


def one_hot(classes, m):
    return np.eye(m, dtype=bool)[classes]


def make_single(n=200, m=5, *, n_train=400, seed=0, noise=1.0):
    """Generate scores of documents that have exactly one label, some classes rarer than others."""
    rng = np.random.default_rng(seed)
    share = np.linspace(3, 1, m) / np.linspace(3, 1, m).sum()

    def part(size):
        labels = one_hot(rng.choice(m, size, p=share), m)
        return 1.5 * labels - 1.0 + rng.normal(0, noise, labels.shape), labels

    (scores, y_true), (oof, y_train) = part(n), part(n_train)
    return scores, y_true, {"oof_scores": oof, "y_train": y_train, "task": "single-label"}


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["f1", "f2", "f0.5", "accuracy", "jaccard"])
def test_chosen_labels_are_near_the_best_of_all_and_better_than_the_most_probable(measure):
    rng = np.random.default_rng(0)
    lost, won = [], []
    for _ in range(25):
        p = rng.dirichlet(np.full(3, 0.7), size=6)
        every = (one_hot(list(classes), 3) for classes in product(range(3), repeat=6))
        best = max(expected_value_of_one(p, labels, parse(measure)) for labels in every)
        decided = choose_one(p, parse(measure))
        lost.append(best - decided.expected)
        won.append(decided.expected - expected_value_of_one(p, largest(p), parse(measure)))
        assert decided.labels.sum(axis=1).tolist() == [1] * 6
        np.testing.assert_array_equal(decided.labels, decided.rule.labels(p))
    assert min(won) >= 0
    if measure == "accuracy":
        assert max(lost) == pytest.approx(0)
    else:  # a linear rule cannot reach the best of so few documents in every case
        assert np.mean(lost) < np.mean(won)


def test_no_document_gets_a_label_that_is_half_as_probable_as_another():
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.full(6, 0.4), size=500)
    doubtful = rng.dirichlet(np.full(6, 3.0), size=20)
    p = np.concatenate([p, doubtful])
    decided = choose_one(p, parse("f1"))
    assert (p[decided.labels] >= 0.5 * p.max(axis=1)).all()
    assert (decided.labels != largest(p)).any()


def test_the_expected_value_is_the_measure_of_the_expected_cells():
    p = np.array([[0.7, 0.3], [0.2, 0.8], [0.6, 0.4]])
    labels = one_hot([0, 1, 0], 2)
    first = 2 * 1.3 / (2 + 1.5)  # TP 1.3 of two labels and 1.5 positives
    second = 2 * 0.8 / (1 + 1.5)
    assert expected_value_of_one(p, labels, parse("f1")) == pytest.approx((first + second) / 2)
    assert expected_value_of_one(p, labels, parse("f1"), "micro") == pytest.approx(2.1 / 3)


def test_micro_chooses_the_most_probable_class_and_costs_move_the_choice():
    p = np.random.default_rng(1).dirichlet(np.ones(4), size=300)
    np.testing.assert_array_equal(choose_one(p, parse("f1"), "micro").labels, largest(p))
    costly = Costs(np.ones(4), np.array([1.0, 9.0, 1.0, 1.0]), np.ones(4))
    assert choose_one(p, parse("f1"), costs=costly).labels[:, 1].sum() < largest(p)[:, 1].sum()


def test_macro_f1_chooses_a_rare_class_more_often():
    rng = np.random.default_rng(2)
    p = rng.dirichlet([8.0, 1.0], size=400)
    assert choose_one(p, parse("f1")).labels[:, 1].sum() > largest(p)[:, 1].sum()


def test_the_weights_of_coherent_probabilities_are_those_of_the_largest_likelihood():
    rng = np.random.default_rng(3)
    p = rng.uniform(0.02, 0.95, (400, 4))
    truth = coherent(p, np.array([0.5, 0.8]))
    labels = one_hot([rng.choice(4, p=row) for row in truth], 4)
    found = fit_weights(p, labels)

    def loss(weights):
        return -np.log(coherent(p, weights)[labels]).mean()

    assert loss(found) <= min(loss(found + step) for step in ([0.05, 0], [0, 0.05], [-0.05, 0]))
    assert loss(found) <= loss(np.array([0.5, 0.8])) + 1e-9
    gradient = check_grad(loss, lambda w: np.zeros(2), found)  # it is flat there
    assert gradient < 1e-3


def test_coherent_probabilities_sum_to_one_and_keep_the_order_of_the_classes():
    scores, _, options = make_single()
    calibrator = OneLabelCalibrator().fit(options["oof_scores"], options["y_train"])
    p = calibrator.probabilities(scores)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    after = [one.after for one in calibrator.context(scores, 3)]
    np.testing.assert_allclose(after, p[3])


@pytest.mark.slow
def test_coherent_probabilities_predict_better_than_a_temperature():
    scores, y_true, options = make_single(2000, n_train=2000, seed=4)
    p = OneLabelCalibrator().fit(options["oof_scores"], options["y_train"]).probabilities(scores)

    def loss(probability, labels):
        return -np.log(probability[labels]).mean()

    temperatures = np.linspace(0.2, 4, 100)
    oof, y_train = options["oof_scores"], options["y_train"]
    best = min(temperatures, key=lambda t: loss(softmax(t * oof), y_train))
    assert loss(p, y_true) < loss(softmax(best * scores), y_true) + 0.01


@pytest.mark.parametrize("method", ["contextual", "u-theoretic", "baseline", "random"])
@pytest.mark.parametrize("decide", ["sign", "measure"])
def test_every_document_has_one_label(method, decide):
    scores, y_true, options = make_single()
    ranking = satc.rank(scores, **options, method=method, decide=decide)
    decided = ranking.documents.decided
    assert decided.sum(axis=1).tolist() == [1] * len(scores)
    if decide == "sign":
        np.testing.assert_array_equal(decided, largest(scores))
    if method != "random":
        np.testing.assert_allclose(ranking.probability.sum(axis=1), 1.0)
    sim = satc.simulate(scores, y_true, **options, method=method, decide=decide)
    assert sim.value[-1] == pytest.approx(1.0)
    assert sim.documents_for(1.0) <= len(scores)


def test_the_utility_counts_a_wrong_label_as_one_false_positive_and_one_false_negative():
    scores, _, options = make_single()
    ranking = satc.rank(scores, **options)
    gains = ranking.documents.model.gains
    for i in range(20):
        own = int(ranking.documents.decided[i].argmax())
        utility = sum(
            p * (gains.fp[own] + gains.fn[other])  # the true class is `other`
            for other, p in enumerate(ranking.probability[i])
            if other != own
        )
        assert ranking.utility[i] == pytest.approx(utility)


def test_expected_tables_have_as_many_wrong_labels_as_missing_ones():
    scores, _, options = make_single()
    tables = satc.rank(scores, **options).documents.model.class_tables
    assert tables.fp.sum() == pytest.approx(tables.fn.sum())


@pytest.mark.slow
def test_a_person_must_give_exactly_one_label():
    scores, y_true, options = make_single()
    v = satc.Validation(scores, **options, method="contextual-dynamic", decide="measure")
    i = v.next()
    for labels in (np.zeros(5, dtype=bool), np.ones(5, dtype=bool)):
        with pytest.raises(ValueError, match="labels must have exactly one label in every row"):
            v.submit(i, labels)
    v.submit(i, y_true[i])
    assert v.n_validated == 1
    estimate = v.accuracy(average="micro")
    assert estimate.low <= estimate.value <= estimate.high
    assert v.plan(0.95).documents <= len(scores)


def test_the_order_of_the_dynamic_method_is_that_of_the_simulation():
    scores, y_true, options = make_single()
    options |= {"method": "contextual-dynamic", "decide": "measure"}
    v = satc.Validation(scores, **options)
    while (i := v.next()) is not None:
        v.submit(i, y_true[i])
    order = satc.simulate(scores, y_true, **options).order
    np.testing.assert_array_equal(v.order, order)


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_drawn_errors_come_in_pairs(average):
    scores, _, options = make_single()
    v = satc.Validation(scores, **options, decide="measure", average=average)
    v.accuracy()
    cells, _ = v._live_model().drawn()
    wrong, missing = cells.fp.sum(axis=1), cells.fn.sum(axis=1)
    assert np.abs(wrong - missing).max() <= 1


def test_pairing_keeps_the_mean_of_both_totals():
    errors = np.random.default_rng(0).integers(0, 20, (50, 6, 2))
    paired = in_pairs(errors).sum(axis=1)
    np.testing.assert_array_equal(paired[:, 0], paired[:, 1])
    np.testing.assert_array_equal(paired[:, 0], (errors.sum(axis=(1, 2)) + 1) // 2)


def test_two_classes_are_a_single_label_task_too():
    scores, y_true, options = make_single(m=2)
    sim = satc.simulate(scores, y_true, **options, decide="measure")
    tables = ContingencyTables.from_labels(y_true, sim.documents.decided)
    assert tables.fp[0] == tables.fn[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "one-label"}, "task must be one of"),
        ({"y_train": np.zeros((400, 5), dtype=bool)}, "y_train must have exactly one label"),
        ({"y_true": np.ones((200, 5), dtype=bool)}, "y_true must have exactly one label"),
    ],
)
def test_what_is_not_a_single_label_task_is_refused(change, message):
    scores, _, options = make_single()
    with pytest.raises(ValueError, match=message):
        satc.rank(scores, **(options | change))


def test_one_column_is_no_single_label_task():
    with pytest.raises(ValueError, match="two columns or more, but have 1"):
        satc.rank(np.zeros((3, 1)), task="single-label", sigma=1.0, method="baseline")


def test_known_labels_of_decide_must_be_one_per_document():
    scores, y_true, options = make_single()
    decided = satc.decide(scores, **options, known={0: y_true[0], 7: y_true[7]})
    np.testing.assert_array_equal(decided.labels[[0, 7]], y_true[[0, 7]])
    with pytest.raises(ValueError, match=r"known\[1\] must have exactly one label"):
        satc.decide(scores, **options, known={1: np.zeros(5, dtype=bool)})


def test_the_task_of_labels():
    assert task_of(one_hot([0, 1, 1], 2)) == "single-label"
    assert task_of(np.array([[True, True], [False, True]])) == "multi-label"
    assert task_of(np.array([[True], [True]])) == "multi-label"


def softmax(values):
    grown = np.exp(values - values.max(axis=1, keepdims=True))
    return grown / grown.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("method", ["contextual", "u-theoretic"])
def test_outputs_of_a_softmax_rank_as_their_logarithms(method):
    scores, _, options = make_single()
    outputs = [softmax(3 * values) for values in (scores, options["oof_scores"])]
    known = {"y_train": options["y_train"], "task": "single-label", "method": method}
    given = satc.rank(outputs[0], oof_scores=outputs[1], **known, decide="measure")
    logarithms = np.log(outputs[0]), np.log(outputs[1])
    same = satc.rank(logarithms[0], oof_scores=logarithms[1], **known, decide="measure")
    np.testing.assert_array_equal(given.order, same.order)
    np.testing.assert_allclose(given.probability, same.probability)
    rounded = satc.rank(outputs[0].round(3), oof_scores=outputs[1].round(3), **known)
    assert (rounded.documents.decided == largest(outputs[0])).all(axis=1).mean() > 0.95


def test_outputs_of_a_softmax_need_such_training_scores():
    scores, _, options = make_single()
    with pytest.raises(ValueError, match="oof_scores must be probabilities that sum to 1"):
        satc.rank(softmax(scores), **options)


@pytest.mark.slow
def test_a_softmax_that_is_almost_right_keeps_its_labels():
    scores, y_true, options = make_single(1500, n_train=1500, noise=0.5)
    outputs = {"oof_scores": softmax(4 * options["oof_scores"]), "y_train": options["y_train"]}
    decided = satc.decide(softmax(4 * scores), **outputs, task="single-label").labels
    right = [(labels & y_true).any(axis=1).mean() for labels in (decided, largest(scores))]
    assert right[0] >= right[1] - 0.01
