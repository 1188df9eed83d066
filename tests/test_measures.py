import pickle

import numpy as np
import pytest
from sklearn import metrics

from satc.contingency import ContingencyTables
from satc.measures import F1, NAMES, FBeta, display_name, evaluate, macro_or_micro, parse

SCIKIT_LEARN = {
    "f1": metrics.f1_score,
    "f2": lambda t, p: metrics.fbeta_score(t, p, beta=2),
    "f0.5": lambda t, p: metrics.fbeta_score(t, p, beta=0.5),
    "accuracy": metrics.accuracy_score,
    "jaccard": metrics.jaccard_score,
    "balanced-accuracy": metrics.balanced_accuracy_score,
    "matthews": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "g-mean": lambda t, p: np.sqrt(
        metrics.recall_score(t, p) * metrics.recall_score(t, p, pos_label=0)
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_scikit_learn(name):
    rng = np.random.default_rng(1)
    for _ in range(20):
        y_true, y_pred = rng.random(40) < 0.4, rng.random(40) < 0.5
        table = ContingencyTables.from_labels(y_true[:, None], y_pred[:, None])
        expected = SCIKIT_LEARN[name](y_true, y_pred)
        assert evaluate(parse(name), *table)[0] == pytest.approx(expected)
        assert parse(name)(*(float(cell[0]) for cell in table)) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("table", [(0, 0, 0, 9), (9, 0, 0, 0), (4, 0, 0, 5), (0, 0, 0, 0)])
def test_a_table_without_errors_is_perfect(name, table):
    assert parse(name)(*map(float, table)) == 1.0
    assert evaluate(parse(name), *(np.array([float(c)]) for c in table)) == [1.0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("table", [(0, 3, 0, 6), (0, 0, 3, 6), (6, 3, 0, 0), (0, 3, 3, 0)])
def test_numbers_and_arrays_give_the_same_at_the_edges(name, table):
    one = parse(name)(*map(float, table))
    many = evaluate(parse(name), *(np.array([float(c)]) for c in table))
    assert one == many[0]
    assert np.isfinite(one)
    assert one < 1


@pytest.mark.parametrize("name", NAMES)
def test_the_name_parses_back_and_survives_pickling(name):
    measure = parse(name)
    assert repr(measure) == name
    assert parse(repr(measure)) == measure
    assert pickle.loads(pickle.dumps(measure)) == measure  # noqa: S301


def test_any_beta_has_a_name():
    assert parse("f3") == FBeta(3)
    assert parse("F.25") == FBeta(0.25)
    assert parse("balanced_accuracy") == parse("balanced-accuracy")


def test_an_unknown_name_is_answered_with_the_names_that_exist():
    with pytest.raises(ValueError, match=r"measure must be one of 'f1', .*'kappa'.*but is 'f-one'"):
        parse("f-one")
    with pytest.raises(ValueError, match="measure must be one of"):
        parse("f0")


def test_something_else_is_a_type_error():
    with pytest.raises(TypeError, match="measure must be a name or a callable"):
        parse(3)


def test_beta_must_be_positive():
    with pytest.raises(ValueError, match="beta must be a positive number, but is -1"):
        FBeta(-1)


def test_a_callable_that_knows_only_numbers_is_called_for_each_table():
    def costly(tp, fp, fn, tn):
        return 1.0 if fp + fn == 0 else 1.0 / (1 + fp + 5 * fn)

    cells = np.array([[1.0, 2.0], [0.0, 1.0], [0.0, 1.0], [5.0, 6.0]])
    assert evaluate(costly, *cells).tolist() == [1.0, 1 / 7]


def test_a_measure_that_is_not_finite_is_refused_with_the_table():
    with pytest.raises(ValueError, match=r"must be finite .* is nan for tp=1, fp=2, fn=3, tn=4"):
        evaluate(lambda tp, fp, fn, tn: float("nan"), 1.0, 2.0, 3.0, 4.0)


def test_macro_averages_measures_and_micro_measures_the_sum():
    tables = ContingencyTables(*np.array([[10.0, 0.0], [0.0, 10.0], [0.0, 0.0], [0.0, 0.0]]))
    assert macro_or_micro(F1, tables, "macro") == 0.5
    assert macro_or_micro(F1, tables, "micro") == pytest.approx(2 / 3)
    with pytest.raises(
        ValueError, match="average must be one of 'macro', 'micro', but is 'weighted'"
    ):
        macro_or_micro(F1, tables, "weighted")


def test_people_read_the_names_of_the_literature():
    shown = {name: display_name(name) for name in NAMES}
    assert shown == {
        "f1": "F1",
        "f2": "F2",
        "f0.5": "F0.5",
        "accuracy": "accuracy",
        "jaccard": "Jaccard",
        "balanced-accuracy": "balanced accuracy",
        "matthews": "Matthews",
        "kappa": "kappa",
        "g-mean": "G-mean",
    }
    assert display_name("accuracy", "macro") == "macro-accuracy"
    assert display_name(FBeta(2), "micro") == "micro-F2"
    assert display_name("F1", "macro", "single-label") == "macro-F1"
    assert display_name("kappa", "micro", "single-label") == "micro-kappa"


def test_a_function_is_called_by_its_own_name():
    def lift(tp, fp, fn, tn):
        return tp

    assert display_name(lift, "macro") == "macro-lift"
