"""Labels chosen for a measure, against the obvious slow version."""

from itertools import product

import numpy as np
import pytest

import satc
from made import make
from satc.decisions import NO_LABEL, Costs, by_sign, choose, expected_value
from satc.measures import NAMES, parse


def expectation(p, labels, measure):
    """The expected value of the measure over all possible true labels of one class."""
    total = 0.0
    for outcome in product([False, True], repeat=len(p)):
        truth = np.array(outcome)
        chance = np.prod(np.where(truth, p, 1 - p))
        cells = (truth & labels, ~truth & labels, truth & ~labels, ~truth & ~labels)
        total += chance * float(measure(*(float(cell.sum()) for cell in cells)))
    return total


def first(p, k):
    labels = np.zeros(len(p), dtype=bool)
    labels[np.argsort(-p, kind="stable")[:k]] = True
    return labels


@pytest.mark.slow
@pytest.mark.parametrize("name", ["f1", "f2", "f0.5"])
@pytest.mark.parametrize("seed", range(6))
def test_the_expected_value_of_f_beta_is_its_expectation(name, seed):
    rng = np.random.default_rng(seed)
    p, measure = rng.beta(0.4, 1.5, 8), parse(name)
    for k in range(len(p) + 1):
        labels = first(p, k)
        value = expected_value(p[:, np.newaxis], labels[:, np.newaxis], measure)
        assert value == pytest.approx(expectation(p, labels, measure), abs=1e-5)


def test_certain_probabilities_have_a_certain_value():
    p = np.array([[1.0], [1.0], [0.0], [0.0]])
    decided = choose(p, parse("f1"))
    assert decided.labels.ravel().tolist() == [True, True, False, False]
    assert decided.expected == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_f1_is_chosen_by_the_expected_cells(seed):
    p = np.random.default_rng(seed).beta(0.4, 1.5, 200)
    by = np.sort(p)[::-1]
    values = 2 * np.cumsum(by) / (np.arange(1, 201) + by.sum())
    assert choose(p[:, np.newaxis], parse("f1")).cuts[0] == by[values.argmax()]


def test_no_label_is_chosen_where_probably_no_document_belongs_to_the_class():
    decided = choose(np.full((5, 1), 0.02), parse("f1"))
    assert not decided.labels.any()
    assert decided.cuts[0] == NO_LABEL
    assert decided.expected == pytest.approx(0.98**5)


def test_accuracy_is_decided_at_one_half():
    p = np.random.default_rng(0).random((200, 5))
    for average in ("macro", "micro"):
        np.testing.assert_array_equal(choose(p, parse("accuracy"), average).labels, p >= 0.5)


@pytest.mark.parametrize("name", NAMES)
def test_no_other_cut_has_a_larger_expected_measure(name):
    p = np.random.default_rng(1).beta(0.5, 2.0, (300, 1))
    measure = parse(name)
    decided = choose(p, measure)
    best = max(expected_value(p, p >= cut, measure) for cut in np.unique(p))
    assert expected_value(p, decided.labels, measure) >= best - 0.005


def test_a_callable_gets_the_labels_of_the_same_built_in_measure():
    p = np.random.default_rng(2).beta(0.5, 2.0, (400, 3)) + 1e-3

    def jaccard(tp, fp, fn, tn):
        return tp / (tp + fp + fn) if tp + fp + fn else 1.0

    np.testing.assert_array_equal(choose(p, jaccard).labels, choose(p, parse("jaccard")).labels)


def test_micro_has_one_cut_for_all_pairs():
    p = np.random.default_rng(3).beta(0.5, 2.0, (300, 4))
    decided = choose(p, parse("f1"), "micro")
    assert len(set(decided.cuts)) == 1
    by = np.sort(p.ravel())[::-1]
    c, k = np.cumsum(by), np.arange(1, by.size + 1)
    assert decided.labels.sum() == k[np.argmax(2 * c / (k + c[-1]))]


def test_equal_probabilities_get_equal_labels():
    p = np.round(np.random.default_rng(4).random((200, 3)), 1)
    decided = choose(p, parse("f1"))
    for j, cut in enumerate(decided.cuts):
        np.testing.assert_array_equal(decided.labels[:, j], p[:, j] >= cut)


def test_dear_false_negatives_bring_more_labels_and_dear_false_positives_fewer():
    p = np.random.default_rng(5).beta(0.5, 2.0, (500, 1))
    one = np.ones(1)
    plain = choose(p, parse("f1")).labels.sum()
    assert choose(p, parse("f1"), costs=Costs(one, one, 5 * one)).labels.sum() > plain
    assert choose(p, parse("f1"), costs=Costs(one, 5 * one, one)).labels.sum() < plain


def test_weights_of_classes_change_no_macro_choice():
    p = np.random.default_rng(6).beta(0.5, 2.0, (300, 2))
    weighted = Costs(np.array([1.0, 9.0]), np.ones(2), np.ones(2))
    np.testing.assert_array_equal(
        choose(p, parse("f1"), costs=weighted).labels, choose(p, parse("f1")).labels
    )


def test_decide_returns_labels_cuts_and_expected_value():
    made = make(200, 5, n_train=600)
    decided = satc.decide(made.scores, **made.training)
    probability = satc.rank(made.scores, **made.training).probability
    np.testing.assert_array_equal(decided.labels, probability >= decided.cuts)
    signs = satc.decide(made.scores, decide="sign", **made.training)
    np.testing.assert_array_equal(signs.labels, by_sign(made.scores))
    assert signs.cuts is None
    assert decided.expected > signs.expected


def test_known_documents_keep_their_labels():
    made = make(100, 4, n_train=600)
    known = {3: [1, 0, 1, 0], 7: [0, 0, 0, 0]}
    decided = satc.decide(made.scores, known=known, **made.training)
    for i, labels in known.items():
        assert decided.labels[i].tolist() == [bool(x) for x in labels]
    with pytest.raises(ValueError, match="known must map documents, 0 to 99"):
        satc.decide(made.scores, known={100: [1, 0, 1, 0]}, **made.training)


def test_an_unknown_rule_is_refused():
    made = make()
    with pytest.raises(ValueError, match="decide must be one of 'sign', 'measure', but is 'best'"):
        satc.rank(made.scores, decide="best", **made.training)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method",
    [
        "contextual",
        "contextual-dynamic",
        "u-theoretic",
        "u-theoretic-dynamic",
        "baseline",
        "oracle1",
        "oracle2-dynamic",
        "random",
    ],
)
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_every_method_ranks_chosen_labels(method, average):
    made = make(150, 5, n_train=600)
    options = {"method": method, "average": average, **made.training}
    sim = satc.simulate(made.scores, made.y_true, decide="measure", **options)
    signs = satc.simulate(made.scores, made.y_true, **options)
    assert sorted(sim.order) == list(range(150))
    assert sim.value[-1] == pytest.approx(1.0)
    assert sim.documents_for(sim.value[0]) == 0
    assert sim.documents_for(1.0) <= 150
    assert signs.error_reduction[0] == 0.0
    expected = (sim.value[0] - signs.value[0]) / (1.0 - signs.value[0])
    assert sim.error_reduction[0] == pytest.approx(expected)


def test_value_is_the_measure_after_each_document():
    made = make(80, 4, n_train=600)
    sim = satc.simulate(made.scores, made.y_true, decide="measure", **made.training)
    labels = sim.documents.decided.copy()
    for n, i in enumerate(sim.order[:20]):
        tables = satc.evaluation.error_reduction(
            np.arange(80), made.scores, made.y_true, labels=labels
        )
        assert sim.value[n] == pytest.approx(1.0 - tables.residual_error[0])
        labels[i] = made.y_true[i]


def test_a_validation_of_chosen_labels_follows_the_simulation():
    made = make(60, 4, n_train=600)
    options = {"method": "contextual-dynamic", "decide": "measure", **made.training}
    sim = satc.simulate(made.scores, made.y_true, **options)
    v = satc.Validation(made.scores, **options)
    np.testing.assert_array_equal(v.labels, sim.documents.decided)
    for i in sim.order:
        assert v.next() == i
        v.submit(i, made.y_true[i])
    assert v.accuracy().value == pytest.approx(1.0)
    while v.n_validated:
        v.undo()
    assert v.next() == sim.order[0]


def test_the_live_estimate_speaks_of_the_chosen_labels():
    made = make(1500, 5, n_train=3000, seed=3)
    v = satc.Validation(made.scores, decide="measure", **made.training)
    true = satc.simulate(made.scores, made.y_true, decide="measure", **made.training).value[0]
    estimate = v.accuracy()
    assert estimate.low <= true <= estimate.high
