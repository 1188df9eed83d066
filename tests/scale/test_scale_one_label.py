"""Stored documents with exactly one label, against `satc.rank` and against slow definitions."""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from decided_made import label_matrix
from one_label_made import (
    SINGLE,
    check_rule,
    check_single,
    make_single,
    store_some,
    top_k,
    true_labels,
)
from scipy.special import expit
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
from satc import scale
from satc.assurance.live.estimator import accuracy_estimator
from satc.calibration.logistic import one_label_probabilities
from satc.decisions import OneLabelRule
from satc.errors import DataError
from satc.evaluation import error_reduction
from satc.measures import parse
from satc.one_label import choose_one
from satc.ranking.documents import apply_model
from satc.ranking.preparation import tables_of
from satc.ranking.ranking import ranked
from satc.scale.one_label import rounds
from satc.scale.sums import whole_sums


@pytest.fixture(scope="module")
def made():
    return make_single(300, 6, seed=1)


@pytest.fixture(scope="module")
def stored(engine, made, tmp_path_factory):
    return both_forms(engine, tmp_path_factory.mktemp("scores"), made.scores)


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("method", ["baseline", "u-theoretic", "contextual"])
@pytest.mark.parametrize("decide", ["sign", "measure"])
@pytest.mark.parametrize(
    ("form", "measure"), [("long", "f1"), ("wide", "f1"), ("wide", "f2"), ("long", "accuracy")]
)
def test_everything_is_as_in_memory(stored, made, form, method, average, decide, measure):
    options = {"method": method, "measure": measure, "average": average, "decide": decide}
    ranking, memory = check_single(stored[form], made, **options)
    p = ranking.model.probability(made.scores)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    own = np.eye(6, dtype=bool)[made.scores.argmax(axis=1)]
    assert (memory.documents.decided == own).all() == (
        decide == "sign"
        or (method != "contextual" and (average == "micro" or measure == "accuracy"))
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize("decide", ["sign", "measure"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_weights_and_costs_count_as_in_memory(stored, made, method, decide, average):
    weights = {"class_weights": [1, 5, 1, 0.5, 2, 1], "error_costs": (1, 3)}
    options = {"method": method, "decide": decide, "average": average}
    weighted, _ = check_single(stored["long"], made, **weights, **options)
    plain = scale.rank(stored["long"], **made.training, **SINGLE, **options)
    first = [ranking.top(300)["document"].to_pylist() for ranking in (weighted, plain)]
    assert first[0] != first[1]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize("decide", ["sign", "measure"])
def test_among_equal_scores_the_first_class_is_the_label(engine, tmp_path, method, decide):
    made = make_single(200, 5, seed=2, tied=True)
    best = made.scores == made.scores.max(axis=1, keepdims=True)
    assert (best.sum(axis=1) > 1).sum() > 20
    for stored in both_forms(engine, tmp_path, made.scores).values():
        check_single(stored, made, method=method, decide=decide, average="micro")


def test_the_order_of_the_classes_is_that_of_the_scores(engine, tmp_path):
    made = make_single(200, 4, seed=3, tied=True)
    backwards = made._replace(**{name: value[:, ::-1] for name, value in made._asdict().items()})
    files = write_long(tmp_path / "l", made.scores)
    stored = scale.stored_scores(engine, files, classes=classes_of(4)[::-1])
    memory = satc.rank(backwards.scores, **backwards.training, **SINGLE, method="u-theoretic")
    ranking = scale.rank(stored, **backwards.training, **SINGLE, method="u-theoretic")
    check_same(ranking, memory)
    np.testing.assert_array_equal(label_matrix(ranking, 200), memory.documents.decided)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["baseline", "u-theoretic", "contextual"])
@pytest.mark.parametrize("decide", ["sign", "measure"])
def test_two_classes_are_enough(engine, tmp_path, method, decide):
    made = make_single(150, 2, seed=4)
    stored = scale.stored_scores(engine, write_long(tmp_path / "l", made.scores))
    check_single(stored, made, method=method, decide=decide)


@pytest.mark.slow
@pytest.mark.parametrize("decide", ["sign", "measure"])
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("form", ["long", "wide"])
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_only_the_largest_scores_need_to_be_stored(engine, tmp_path, method, form, k, decide):
    made = top_k(make_single(200, 6, seed=5), k, absent=2.5)
    made.scores[made.scores < -2.4] = -2.4  # so that memory chooses a stored pair as well
    made.scores[top_k(make_single(200, 6, seed=5), k, absent=2.5).scores == -2.5] = -2.5
    stored = store_some(engine, tmp_path, made.scores, 2.5, form)
    _, memory = check_single(stored, made, method=method, decide=decide, average="micro")
    np.testing.assert_allclose(memory.probability.sum(axis=1), 1.0)


def under_rule(made, ranking, absent, **options):
    """Rank in memory with the rule of a stored ranking; absent pairs are not the label."""
    model = satc.rank(made.scores, **made.training, **SINGLE, **options).documents.model
    documents = apply_model(replace(model, rule=ranking.rule, absent=absent), made.scores)
    tables = tables_of(documents, None)
    return ranked(replace(documents, model=replace(documents.model, class_tables=tables)))


@pytest.mark.slow
@pytest.mark.parametrize("decide", ["sign", "measure"])
@pytest.mark.parametrize("form", ["long", "wide"])
@pytest.mark.parametrize("method", ["baseline", "u-theoretic", "contextual"])
def test_the_label_is_a_stored_pair_even_if_others_are_more_probable(
    engine, tmp_path, method, form, decide
):
    some = make_single(150, 5, seed=6)
    made = top_k(some, 2, absent=0.4)
    stored = store_some(engine, tmp_path, made.scores, 0.4, form)
    ranking = scale.rank(stored, decide=decide, method=method, **made.training, **SINGLE)
    labels, possible = label_matrix(ranking, 150), made.scores != -0.4
    assert (labels.sum(axis=1) == 1).all()
    assert not labels[~possible].any()
    p = ranking.model.probability(made.scores)
    rule = ranking.rule
    values = made.scores if rule is None else rule.slope * p + rule.offset
    for i in range(150):
        stored_pairs = np.flatnonzero(possible[i])
        most = max(p[i, stored_pairs])
        likely = [j for j in stored_pairs if rule is None or p[i, j] >= 0.5 * most]
        assert labels[i, max(likely, key=lambda j: (values[i, j], -j))]
    assert (p.argmax(axis=1) != labels.argmax(axis=1)).any()
    memory = under_rule(made, ranking, 0.4, method=method)
    np.testing.assert_array_equal(labels, memory.documents.decided)
    check_same(ranking, memory)


def test_the_probability_of_absent_pairs_is_part_of_the_sum(engine, tmp_path):
    scores = np.array([[1.0, -9.0, -9.0], [0.5, 0.2, -9.0], [-0.1, -0.3, -0.2]])
    estimates = scale.Estimates(
        tuple(classes_of(3)),
        2.0,
        satc.contingency.ContingencyTables(*np.full((4, 3), 9.0)),
        36,
        task="single-label",
    )
    stored = store_some(engine, tmp_path, np.where(scores == -9.0, -0.7, scores), 0.7)
    ranking = scale.rank(stored, estimates=estimates, method="baseline", **SINGLE)
    alone = expit(2.0 * np.where(scores == -9.0, -0.7, scores))
    wrong = 1 - alone[np.arange(3), scores.argmax(axis=1)] / alone.sum(axis=1)
    rows = ranking.top(3).sort_by("document")
    np.testing.assert_allclose(rows["utility"].to_numpy(), 2 * wrong, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize("form", ["long", "wide"])
def test_a_document_without_a_stored_pair_is_named(engine, tmp_path, method, form):
    made = top_k(make_single(100, 4, seed=7), 2, absent=2.0)
    stored = store_some(engine, tmp_path, made.scores, 2.0, form)
    table = engine.run(stored.table)
    if form == "wide":
        made.scores[11] = -2.0
        stored = store_some(engine, tmp_path / "w", made.scores, 2.0, form)
    else:
        row = pa.table({"document": ["d00011"], "class": ["c1"], "score": [-2.0]})
        rows = table.filter(pa.compute.not_equal(table["document"], "d00011"))
        pq.write_table(pa.concat_tables([rows, row]), tmp_path / "l.parquet")
        stored = scale.stored_scores(
            engine, str(tmp_path / "l.parquet"), classes=classes_of(4), absent=2.0
        )
    with pytest.raises(DataError, match=r"stored pair for every document.*'d00011' has none"):
        scale.rank(stored, **made.training, **SINGLE, method=method).top(3)
    multi = scale.rank(stored, **made.training, method=method)
    assert len(multi.top(100)) == 100


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (float("nan"), "'d00007' has nan for class 'c2'"),
        (float("inf"), "'d00007' has inf for class 'c2'"),
        (None, "'d00007' has none for class 'c2'"),
    ],
)
@pytest.mark.parametrize("form", ["long", "wide"])
@pytest.mark.parametrize("decide", ["sign", "measure"])
def test_a_document_that_cannot_be_ranked_is_named(engine, tmp_path, form, cell, message, decide):
    made = make_single(60, 4, seed=8)
    table = long_table(made.scores, shuffled=False).to_pydict()
    table["score"][7 * 4 + 2] = cell
    if form == "wide":
        columns = {name: table["score"][j::4] for j, name in enumerate(classes_of(4))}
        table = {"document": ids_of(60), **columns}
    pq.write_table(pa.table(table), tmp_path / "s.parquet")
    stored = scale.stored_scores(engine, str(tmp_path / "s.parquet"), classes=classes_of(4))
    with pytest.raises(DataError, match=message):
        scale.rank(stored, **made.training, **SINGLE, method="u-theoretic", decide=decide).top(3)


@pytest.mark.parametrize("decide", ["sign", "measure"])
def test_unknown_missing_and_repeated_pairs_are_named(engine, tmp_path, decide):
    made = make_single(60, 4, seed=8)
    table = long_table(made.scores, shuffled=False)
    unknown = pa.table({"document": ["x"] * 4, "class": list("pqrs"), "score": [0.5] * 4})
    cases = {
        "class 'p' has no gains": pa.concat_tables([table, unknown]),
        "lack 'd00000' with 'c0'": table[1:],
        "have document 'd00000' with class 'c0' 2 times": pa.concat_tables([table, table[:1]]),
    }
    for message, rows in cases.items():
        stored = scale.stored_scores(engine, engine.temporary_table(rows), classes=classes_of(4))
        with pytest.raises(DataError, match=message):
            scale.rank(stored, **made.training, **SINGLE, method="u-theoretic", decide=decide).top(
                3
            )


@pytest.fixture
def small_memory(monkeypatch):
    """Let the rule be found in rounds of the engine, as many as in memory."""
    monkeypatch.setattr(rounds, "PAIRS_IN_MEMORY", 0)
    monkeypatch.setattr(rounds, "ROUNDS", 50)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["f1", "f2", "accuracy", "balanced-accuracy"])
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize("form", ["long", "wide"])
def test_rounds_of_the_engine_find_the_rule_of_memory(
    stored, made, small_memory, form, method, measure
):
    check_single(stored[form], made, method=method, measure=measure, decide="measure")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_so_they_do_with_weights_rare_classes_and_absent_pairs(
    engine, tmp_path, small_memory, method
):
    some = make_single(250, 12, seed=9)
    some.scores[:, 11] -= 4.0  # nobody gets this class
    made = top_k(some, 4, absent=1.1)
    options = {"class_weights": np.linspace(1, 4, 12), "error_costs": (1, 2), "method": method}
    for form in ("long", "wide"):
        stored = store_some(engine, tmp_path, made.scores, 1.1, form)
        ranking = scale.rank(stored, decide="measure", **made.training, **SINGLE, **options)
        p, possible = ranking.model.probability(made.scores), made.scores != -1.1
        costs = ranking.model.weights.costs
        expected = choose_one(p, parse("f1"), "macro", costs, possible)
        check_rule(ranking.rule, expected.rule)
        np.testing.assert_array_equal(label_matrix(ranking, 250), expected.labels)
        assert not expected.labels.any(axis=0).all()  # a class that no document gets


@pytest.mark.slow
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_ten_rounds_are_almost_as_good(stored, made, monkeypatch, method):
    options = {"method": method, "decide": "measure", **SINGLE}
    best = scale.rank(stored["long"], **made.training, **options)
    monkeypatch.setattr(rounds, "PAIRS_IN_MEMORY", 0)
    found = scale.rank(stored["long"], **made.training, **options)
    p = best.model.probability(made.scores)
    values = [best.model.expected_value(p, r.rule.labels(p)) for r in (best, found)]
    assert values[1] > values[0] - 1e-4


@pytest.mark.parametrize("sigma", [2.0, 60.0, 1e6])
@pytest.mark.parametrize("decide", ["sign", "measure"])
def test_scores_far_below_zero_have_probabilities(engine, tmp_path, sigma, decide):
    made = make_single(40, 4, seed=10)
    made.scores[:20] = np.round(made.scores[:20], 1) / sigma - 30.0
    p = one_label_probabilities(made.scores, sigma)
    z = sigma * (made.scores - made.scores.max(axis=1, keepdims=True))[:20]
    np.testing.assert_allclose(p[:20], np.exp(z) / np.exp(z).sum(axis=1, keepdims=True), rtol=1e-9)
    for stored in both_forms(engine, tmp_path / f"{sigma}", made.scores).values():
        options = {"method": "baseline", "sigma": sigma, "decide": decide, **SINGLE}
        ranking = scale.rank(stored, **made.training, **options)
        memory = satc.rank(made.scores, **made.training, **options)
        found = ranking.top(40).sort_by("document")["utility"].to_numpy()
        np.testing.assert_allclose(found, memory.utility, rtol=1e-9, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_training_pairs_in_a_table_say_what_arrays_say(engine, stored, made, tmp_path, average):
    pq.write_table(labelled(made.oof_scores, made.y_train), tmp_path / "train.parquet")
    estimates = scale.estimates_of_pairs(
        engine, str(tmp_path / "train.parquet"), average=average, **SINGLE
    )
    for decide in ("sign", "measure"):
        options = {"method": "u-theoretic", "average": average, "decide": decide, **SINGLE}
        there = scale.rank(stored["long"], estimates=estimates, **options)
        here = scale.rank(stored["long"], **made.training, **options)
        np.testing.assert_array_equal(list(there.model.class_tables), list(here.model.class_tables))
        assert there.top(300)["document"].equals(here.top(300)["document"])


def test_what_does_not_fit_the_task_is_refused(engine, stored, made, tmp_path):
    two = made.y_train.copy()
    two[5] = True
    with pytest.raises(ValueError, match=r"y_train must have exactly one label.*row 5 has 6"):
        scale.rank(stored["long"], oof_scores=made.oof_scores, y_train=two, **SINGLE)
    shares = np.full(made.oof_scores.shape, 1 / made.oof_scores.shape[1])
    with pytest.raises(ValueError, match="store the logarithms of such outputs"):
        scale.rank(stored["long"], oof_scores=shares, y_train=made.y_train, **SINGLE)
    with pytest.raises(ValueError, match="task must be one of 'multi-label', 'single-label'"):
        scale.rank(stored["long"], **made.training, task="one")
    pairs = engine.temporary_table(labelled(made.oof_scores, made.y_train))
    estimates = scale.estimates_of_pairs(engine, pairs)
    with pytest.raises(ValueError, match="estimates must be those of the task, 'single-label'"):
        scale.rank(stored["long"], estimates=estimates, method="u-theoretic", **SINGLE)
    wrong = engine.temporary_table(labelled(made.oof_scores, two))
    with pytest.raises(DataError, match=r"exactly one label for every document.*'d00005' has 6"):
        scale.estimates_of_pairs(engine, wrong, **SINGLE)
    one = scale.stored_scores(engine, write_long(tmp_path / "one", made.scores[:, :1]))
    with pytest.raises(ValueError, match="needs two classes or more, but the scores have 1"):
        scale.rank(one, oof_scores=made.oof_scores[:, :1], y_train=two[:, :1], **SINGLE)


@pytest.mark.slow
@pytest.mark.parametrize("decide", ["sign", "measure"])
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_ener_is_that_of_memory(engine, stored, made, method, decide):
    options = {"method": method, "decide": decide}
    ranking, memory = check_single(stored["wide"], made, **options)
    order = np.array([int(d[1:]) for d in ranking.top(300)["document"].to_pylist()])
    decided = memory.documents.decided
    expected = error_reduction(order, made.scores, made.y_true, labels=decided).ener(0.1)
    found = scale.ener(ranking, true_labels(engine, made.y_true), 0.1)
    assert found == pytest.approx(expected, rel=1e-9)
    two = made.y_true.copy()
    two[7] = False
    with pytest.raises(DataError, match="document 'd00007' has 0"):
        scale.ener(ranking, true_labels(engine, two), 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("decide", ["sign", "measure"])
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "contextual-dynamic", "contextual"])
def test_a_validation_has_the_order_of_everything_in_memory(
    engine, tmp_path, method, average, decide
):
    made = make_single(160, 5, seed=11)
    stored = scale.stored_scores(engine, write_wide(tmp_path / "w.parquet", made.scores))
    options = {"method": method, "average": average, "decide": decide, **SINGLE}
    memory = satc.Validation(made.scores, **made.training, **options)
    validation = scale.StoredValidation(stored, hold=25, **made.training, **options)
    check_same_session(validation, memory, made)


def test_a_validation_takes_exactly_one_label(stored, made):
    validation = scale.StoredValidation(stored["long"], hold=10, **made.training, **SINGLE)
    with pytest.raises(ValueError, match="labels must have exactly one label"):
        validation.submit(validation.next(), np.zeros(6))


@pytest.mark.slow
@pytest.mark.parametrize("decide", ["sign", "measure"])
@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_the_sums_for_live_accuracy_are_those_of_memory(engine, tmp_path, method, decide):
    made = top_k(make_single(150, 4, seed=12), 2, absent=1.5)
    stored = store_some(engine, tmp_path, made.scores, 1.5)
    ranking = scale.rank(stored, decide=decide, method=method, **made.training, **SINGLE)
    estimator = accuracy_estimator(ranking.model)
    found = whole_sums(stored, estimator, ranking.model)
    memory = estimator.model(under_rule(made, ranking, 1.5, method=method).documents)
    np.testing.assert_array_equal(found.sums.expected, memory.sums.expected)
    np.testing.assert_array_equal(found.sums.variance, memory.sums.variance)
    np.testing.assert_array_equal(found.decided, label_matrix(ranking, 150).sum(axis=0))
    assert found.decided.sum() == 150


def slow_label(scores, sigma, rule):
    """Return the place of the label of one document, by the definition, with Python's numbers."""
    logarithms = [-np.logaddexp(0.0, -sigma * score) for score in scores]
    alone = [math.exp(logarithm - max(logarithms)) for logarithm in logarithms]
    p = [one / sum(alone) for one in alone]
    likely = [j for j in range(len(p)) if p[j] >= 0.5 * max(p)]
    return max(likely, key=lambda j: (rule.slope[j] * p[j] + rule.offset[j], -j))


@pytest.mark.parametrize("sigma", [2.0, 60.0, 1e6])
def test_training_pairs_far_below_zero_are_labelled_by_the_same_rule(engine, sigma):
    made = make_single(10, 4, seed=12)
    made.oof_scores[:150] = made.oof_scores[:150] / sigma - 30.0
    rule = OneLabelRule(np.array([1.0, 1.2, 0.9, 1.6]), np.array([0.0, -0.1, 0.05, 0.02]))
    pairs = engine.temporary_table(labelled(made.oof_scores, made.y_train))
    found = scale.estimates_of_pairs(engine, pairs, sigma=sigma, **SINGLE).counted(rule)
    labels = [slow_label(row, sigma, rule) for row in made.oof_scores.tolist()]
    decided = np.eye(4, dtype=bool)[labels]
    assert (decided[:150] != (made.oof_scores[:150].argmax(axis=1)[:, None] == range(4))).any()
    expected = [
        (made.y_train & decided).sum(axis=0),
        (~made.y_train & decided).sum(axis=0),
        (made.y_train & ~decided).sum(axis=0),
        (~made.y_train & ~decided).sum(axis=0),
    ]
    np.testing.assert_array_equal(list(found), expected)
