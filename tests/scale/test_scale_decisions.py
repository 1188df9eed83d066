"""Labels chosen for a measure at scale, against those in memory and against slow definitions."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from decided_made import check_decided, label_matrix, only_stored, too_small, under_cuts
from stored_made import (
    both_forms,
    check_same,
    check_same_session,
    classes_of,
    ids_of,
    labelled,
    long_table,
    write_long,
    write_wide,
)

import satc
from made import make
from satc import scale
from satc.assurance.live.estimator import accuracy_estimator
from satc.calibration.contextual.calibrator import ContextualCalibrator
from satc.decisions import Costs, choose
from satc.errors import DataError
from satc.evaluation import error_reduction
from satc.measures import evaluate, parse
from satc.ranking.methods import parse_method
from satc.ranking.model import RankingModel
from satc.ranking.weights import Weights
from satc.scale.cuts import PairCounter, best_cuts, bins_of_scores, cells_at
from satc.scale.decisions import score_cuts
from satc.scale.exact import ExactSums
from satc.scale.sums import whole_sums
from satc.validation import Validation


def cost_of_errors(tp, fp, fn, tn):
    """A measure that is a callable of the user: a mean in which errors weigh differently."""
    return (tp + 0.5 * tn) / (tp + 3 * fp + fn + 0.5 * tn)


MEASURES = ["f1", "f2", "f0.5", "accuracy", "balanced-accuracy", "matthews", cost_of_errors]


def skewed(n, m, seed, spread=2.0):
    """Probabilities of classes from rare to frequent."""
    rng = np.random.default_rng(seed)
    return 1 / (1 + np.exp(-(np.linspace(-6, 0, m) + spread * rng.normal(size=(n, m)))))


def counted(probability, can=None, blocks=3):
    """Count probabilities as several workers do, each some blocks."""
    n, m = probability.shape
    can = np.ones((n, m), dtype=bool) if can is None else can
    sums = ExactSums(1.0, n)
    workers = [PairCounter(m, sums) for _ in range(2)]
    for k, rows in enumerate(np.array_split(np.arange(n), blocks)):
        workers[k % 2].add(probability[rows], can[rows])
    return PairCounter(m, sums).bins(pa.Table.from_batches([one.rows() for one in workers]))


def model_of(measure, average, m, weights=None):
    return RankingModel(parse_method("contextual"), parse(measure), average, m, weights=weights)


def value(probability, labels, measure, average, weights=None):
    """The measure of the expected cells, with costs; no label at all is not covered."""
    m = probability.shape[1]
    costs = Costs(*np.ones((3, m))) if weights is None else weights.costs
    weight = costs.classes if average == "micro" else np.ones(m)
    tp = weight * (probability * labels).sum(axis=0)
    fp = weight * costs.fp * ((1 - probability) * labels).sum(axis=0)
    fn = weight * costs.fn * (probability * ~labels).sum(axis=0)
    tn = weight * ((1 - probability) * ~labels).sum(axis=0)
    cells = [float(c.sum()) for c in (tp, fp, fn, tn)]
    if average == "micro":
        return evaluate(parse(measure), *cells)
    some = labels.any(axis=0)
    return float(np.mean(evaluate(parse(measure), tp, fp, fn, tn)[some])), tuple(some.tolist())


def close(found, exact):
    """Whether a value is at most 1e-4 below the exact one, for the same classes with labels."""
    if isinstance(exact, tuple):
        return found[1] == exact[1] and found[0] >= exact[0] - 1e-4
    return found >= exact - 1e-4


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("n", [30, 400, 6_000])
def test_the_cuts_of_a_histogram_are_as_good_as_exact_ones(n, measure, average, weighted):
    p = skewed(n, 5, seed=n)
    weights = None
    if weighted:
        weights = Weights(np.array([3.0, 0.2, 1.0, 5.0, 0.0]), np.ones(5), np.linspace(1, 4, 5))
    exact = choose(p, parse(measure), average, None if weights is None else weights.costs)
    cuts = best_cuts(counted(p), model_of(measure, average, 5, weights))
    found = value(p, p >= cuts, measure, average, weights)
    assert close(found, value(p, exact.labels, measure, average, weights))


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("measure", MEASURES)
def test_so_they_are_for_a_hundred_thousand_documents(measure, average):
    p = skewed(100_000, 3, seed=1)
    exact = choose(p, parse(measure), average)
    found = p >= best_cuts(counted(p), model_of(measure, average, 3))
    assert close(value(p, found, measure, average), value(p, exact.labels, measure, average))


@pytest.mark.parametrize("measure", ["f1", "f2", "accuracy", "balanced-accuracy"])
def test_so_they_are_where_most_pairs_are_near_the_cut(measure):
    rng = np.random.default_rng(0)
    certain = rng.random((2_000, 1)) < 0.4
    cut = choose(np.where(certain, 0.999, 0.3), parse(measure)).cuts[0]
    for centre in (cut, 0.1, 0.25, 0.45, 0.5):
        near = centre * (1 + 0.003 * rng.normal(size=(2_000, 1)))
        p = np.where(certain, 0.999, np.minimum(near, 0.9999))
        exact = choose(p, parse(measure)).labels
        found = p >= best_cuts(counted(p), model_of(measure, "macro", 1))
        assert close(value(p, found, measure, "macro"), value(p, exact, measure, "macro"))


def test_few_documents_get_exactly_the_labels_of_memory():
    for seed in range(20):
        p = skewed(25, 4, seed)
        for average in ("macro", "micro"):
            cuts = best_cuts(counted(p), model_of("f1", average, 4))
            np.testing.assert_array_equal(p >= cuts, choose(p, parse("f1"), average).labels)


def test_a_cut_is_between_the_pairs_and_the_cells_at_it_are_those_of_the_labels():
    p = skewed(3_000, 6, seed=2)
    bins = counted(p)
    cuts = best_cuts(bins, model_of("f1", "macro", 6))
    labels = p >= cuts
    assert 0 < labels.sum() < labels.size
    assert (np.abs(p - cuts).min(axis=0) > 1e-9).all()
    cells = np.array(list(cells_at(bins, cuts)))
    expected = [(p * labels), (1 - p) * labels, p * ~labels, (1 - p) * ~labels]
    np.testing.assert_allclose(cells, [cell.sum(axis=0) for cell in expected], rtol=1e-9)


def test_the_bins_do_not_depend_on_the_blocks():
    p = skewed(2_000, 3, seed=4)
    some = counted(p, blocks=2).highest_first()
    other = counted(p, blocks=57).highest_first()
    for name, column in vars(some).items():
        np.testing.assert_array_equal(column, getattr(other, name))


def test_certain_and_impossible_pairs_are_counted():
    p = np.array([[1.0, 0.0], [1.0, 0.0], [1e-300, 0.0], [0.0, 1e-12]])
    bins = counted(p)
    cuts = best_cuts(bins, model_of("f1", "macro", 2))
    assert (p >= cuts).tolist() == [[True, False], [True, False], [False, False], [False, False]]
    assert cuts[1] == np.inf


def slow_cut(probability, can, measure):
    """The best cut of one class among all, where some pairs cannot get the label."""
    best = -1.0, np.zeros(len(probability), dtype=bool)
    for cut in np.unique(probability[can]):
        labels = can & (probability >= cut)
        tp, fp = probability[labels].sum(), (1 - probability[labels]).sum()
        fn, tn = probability[~labels].sum(), (1 - probability[~labels]).sum()
        best = max(best, (evaluate(measure, tp, fp, fn, tn), labels), key=lambda one: one[0])
    return best[1]


@pytest.mark.parametrize("measure", ["f1", "f2", "balanced-accuracy"])
def test_pairs_that_are_not_stored_count_but_get_no_label(measure):
    p = skewed(60, 3, seed=5, spread=1.0)[:, 1:]
    can = np.random.default_rng(1).random(p.shape) < 0.6
    cuts = best_cuts(counted(p, can), model_of(measure, "macro", 2))
    for j, cut in enumerate(cuts):
        np.testing.assert_array_equal(
            can[:, j] & (p[:, j] >= cut), slow_cut(p[:, j], can[:, j], parse(measure))
        )
    everything = best_cuts(counted(p), model_of(measure, "macro", 2))
    assert (cuts != everything).any()


@pytest.fixture(scope="module")
def made():
    return too_small(make(300, 6, seed=3, tied=True))


@pytest.fixture(scope="module")
def stored(engine, made, tmp_path_factory):
    return both_forms(engine, tmp_path_factory.mktemp("scores"), made.scores)


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("method", ["baseline", "u-theoretic", "contextual"])
@pytest.mark.parametrize("form", ["long", "wide"])
@pytest.mark.parametrize("measure", ["f1", "f2", "g-mean", cost_of_errors])
def test_order_labels_and_tables_are_those_of_memory(stored, made, form, method, average, measure):
    options = {"method": method, "measure": measure, "average": average}
    ranking = scale.rank(stored[form], decide="measure", **made.training, **options)
    memory = under_cuts(made, ranking.cuts, **options)
    check_decided(ranking, memory)
    check_same(ranking, memory)
    signs = scale.rank(stored[form], **made.training, **options)
    assert (label_matrix(signs, 300) == (made.scores >= 0)).all()
    assert (label_matrix(ranking, 300) != (made.scores >= 0)).any()
    exact = satc.decide(made.scores, **made.training, **options)
    p = ranking.model.probability(made.scores)
    best = value(p, exact.labels, measure, average)
    assert close(value(p, memory.documents.decided, measure, average), best)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_weights_and_costs_change_labels_and_order_alike(stored, made, method, average):
    options = {
        "method": method,
        "average": average,
        "class_weights": [1, 5, 1, 0.5, 2, 1],
        "error_costs": (1, 3),
    }
    ranking = scale.rank(stored["long"], decide="measure", **made.training, **options)
    memory = under_cuts(made, ranking.cuts, **options)
    check_decided(ranking, memory)
    check_same(ranking, memory)
    plain = scale.rank(
        stored["long"], decide="measure", method=method, average=average, **made.training
    )
    assert (plain.cuts != ranking.cuts).any()


def test_a_few_documents_are_ranked_exactly_as_in_memory(engine, tmp_path):
    made = make(40, 5, seed=8)
    stored = scale.stored_scores(engine, write_long(tmp_path / "l", made.scores))
    ranking = scale.rank(stored, decide="measure", **made.training)
    memory = satc.rank(made.scores, decide="measure", **made.training)
    check_decided(ranking, memory)
    check_same(ranking, memory)


def test_the_calibrator_runs_once_over_the_documents(stored, made, monkeypatch):
    seen = []
    real = ContextualCalibrator.probabilities

    def counting(self, scores, features=None):
        seen.append(len(scores))
        return real(self, scores, features)

    monkeypatch.setattr(ContextualCalibrator, "probabilities", counting)
    ranking = scale.rank(stored["long"], decide="measure", **made.training)
    ranking.top(5)
    label_matrix(ranking, 300)
    assert sum(seen) == 300


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": float("nan")}, "must be finite, but document 'd00001' has nan"),
        ({"score": float("-inf")}, "must be finite, but document 'd00001' has -inf"),
        ({"score": None}, "document 'd00001' has none for class 'c1'"),
        ({"class": "c9"}, "class 'c9' has no gains"),
        ({"class": "c2"}, "have document 'd00001' with class 'c2' 2 times"),
    ],
)
def test_a_document_that_cannot_be_ranked_is_named(engine, tmp_path, method, change, message):
    made = make(12, 3, seed=1)
    rows = long_table(made.scores, shuffled=False).to_pylist()
    rows[4] |= change
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "broken.parquet")
    stored = scale.stored_scores(engine, str(tmp_path / "broken.parquet"), classes=classes_of(3))
    ranking = scale.rank(stored, decide="measure", method=method, **made.training)
    with pytest.raises(DataError, match=message):
        ranking.top(2)


def absent_scores(engine, folder, made, columns, form, absent):
    if form == "wide":
        types = {name: pa.string() if name == "document" else pa.float64() for name in columns}
        table = pa.table({name: pa.array(c, types[name]) for name, c in columns.items()})
        pq.write_table(table, folder / "s.parquet")
    else:
        table = long_table(made.scores)
        stored = pa.compute.not_equal(table["score"], -absent)
        pq.write_table(table.filter(stored), folder / "s.parquet")
    m = made.scores.shape[1]
    return scale.stored_scores(
        engine, str(folder / "s.parquet"), classes=classes_of(m), absent=absent
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", ["long", "wide"])
@pytest.mark.parametrize("method", ["baseline", "u-theoretic", "contextual"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_absent_pairs_get_no_label_and_are_ranked_as_in_memory(
    engine, tmp_path, form, method, average
):
    made, columns = only_stored(make(200, 5, seed=5), below=-0.9, absent=0.5)
    stored = absent_scores(engine, tmp_path, made, columns, form, 0.5)
    options = {"method": method, "average": average, "error_costs": (1, 4)}
    ranking = scale.rank(stored, decide="measure", **made.training, **options)
    labels = label_matrix(ranking, 200)
    p = ranking.model.probability(made.scores)
    absent = made.scores == -0.5
    assert not labels[absent].any()
    assert (p[absent] >= np.broadcast_to(ranking.cuts, p.shape)[absent]).any()
    memory = under_cuts(made, ranking.cuts, absent=0.5, **options)
    check_decided(ranking, memory)
    check_same(ranking, memory)


def test_absent_pairs_count_in_the_choice_under_sigma(engine, tmp_path):
    made, columns = only_stored(make(150, 4, seed=6), below=-1.0, absent=1.2)
    stored = absent_scores(engine, tmp_path, made, columns, "long", 1.2)
    bins = bins_of_scores(stored, 2.0)
    p = 1 / (1 + np.exp(-2.0 * made.scores))
    can = made.scores != -1.2
    np.testing.assert_allclose(np.bincount(bins.label, bins.n), 150)
    np.testing.assert_allclose(np.bincount(bins.label, bins.p), p.sum(axis=0), rtol=1e-9)
    cuts = best_cuts(bins, model_of("f1", "macro", 4))
    for j, cut in enumerate(cuts):
        expected = slow_cut(p[:, j], can[:, j], parse("f1"))
        np.testing.assert_array_equal(can[:, j] & (p[:, j] >= cut), expected)


def test_a_cut_of_probabilities_is_a_cut_of_scores():
    rng = np.random.default_rng(0)
    scores = np.round(rng.normal(size=(2_000, 1)), 2) * 3
    p = satc.calibration.logistic.membership_probabilities(scores, 1.7)
    for cut in [*np.unique(p)[::7], 1e-9, 1 - 1e-9, np.inf, 0.0]:
        np.testing.assert_array_equal(scores >= score_cuts(np.array([cut]), 1.7), p >= cut)


def test_training_pairs_in_a_table_say_what_arrays_say(engine, stored, made, tmp_path):
    pq.write_table(labelled(made.oof_scores, made.y_train), tmp_path / "train.parquet")
    estimates = scale.estimates_of_pairs(engine, str(tmp_path / "train.parquet"))
    options = {"method": "u-theoretic", "decide": "measure"}
    there = scale.rank(stored["long"], estimates=estimates, **options)
    here = scale.rank(stored["long"], **made.training, **options)
    np.testing.assert_allclose(there.cuts, here.cuts)
    np.testing.assert_array_equal(list(there.model.class_tables), list(here.model.class_tables))
    assert there.top(300)["document"].equals(here.top(300)["document"])


def test_estimates_without_pairs_are_refused_where_tables_are_needed(stored, made):
    tables = satc.contingency.ContingencyTables(*np.full((4, 6), 9.0))
    estimates = scale.Estimates(tuple(classes_of(6)), 2.0, tables, 36)
    with pytest.raises(ValueError, match="must come from estimates_of_pairs if decide"):
        scale.rank(stored["long"], estimates=estimates, decide="measure", method="u-theoretic")
    ranking = scale.rank(stored["long"], estimates=estimates, decide="measure", method="baseline")
    p = 1 / (1 + np.exp(-2.0 * made.scores))
    np.testing.assert_array_equal(label_matrix(ranking, 300), p >= ranking.cuts)


def test_an_unknown_rule_is_refused(stored, made):
    with pytest.raises(ValueError, match="decide must be one of 'sign', 'measure', but is 'best'"):
        scale.rank(stored["long"], decide="best", **made.training)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_ener_is_that_of_the_chosen_labels(engine, stored, made, method, average):
    options = {"method": method, "average": average}
    ranking = scale.rank(stored["wide"], decide="measure", **made.training, **options)
    memory = under_cuts(made, ranking.cuts, **options)
    document, label = np.nonzero(made.y_true)
    ids, classes = np.array(ids_of(300)), np.array(classes_of(6))
    truth = engine.temporary_table(pa.table({"document": ids[document], "class": classes[label]}))
    order = np.array([int(d[1:]) for d in ranking.top(300)["document"].to_pylist()])
    expected = error_reduction(
        order, made.scores, made.y_true, average=average, labels=memory.documents.decided
    )
    signs = error_reduction(order, made.scores, made.y_true, average=average)
    found = scale.ener(ranking, truth, 0.1, average=average)
    assert found == pytest.approx(expected.ener(0.1), rel=1e-9)
    assert found != pytest.approx(signs.ener(0.1), rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "contextual-dynamic", "contextual"])
def test_a_validation_has_the_order_of_everything_in_memory(engine, tmp_path, method, average):
    made = make(160, 5, seed=4)
    stored = scale.stored_scores(engine, write_wide(tmp_path / "w.parquet", made.scores))
    options = {"method": method, "average": average, "measure": "f2"}
    ranking = scale.rank(stored, decide="measure", **made.training, **options)
    memory = Validation.of(under_cuts(made, ranking.cuts, **options).documents)
    validation = scale.StoredValidation(
        stored, decide="measure", hold=25, **made.training, **options
    )
    check_same_session(validation, memory, made)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_the_sums_for_live_accuracy_are_those_of_the_chosen_labels(engine, tmp_path, method):
    made, columns = only_stored(make(150, 4, seed=6), below=-0.6, absent=0.8)
    stored = absent_scores(engine, tmp_path, made, columns, "long", 0.8)
    ranking = scale.rank(stored, decide="measure", method=method, **made.training)
    estimator = accuracy_estimator(ranking.model)
    found = whole_sums(stored, estimator, ranking.model)
    memory = estimator.model(under_cuts(made, ranking.cuts, absent=0.8, method=method).documents)
    np.testing.assert_array_equal(found.sums.expected, memory.sums.expected)
    np.testing.assert_array_equal(found.sums.variance, memory.sums.variance)
    np.testing.assert_array_equal(found.decided, label_matrix(ranking, 150).sum(axis=0))
    signs = replace(ranking.model, cuts=None)
    assert (whole_sums(stored, estimator, signs).decided != found.decided).any()
