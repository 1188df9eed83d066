"""Rankings on Spark; all tests are in one file, to start only one session.

Each kind of expression runs on Spark once, with the options that change it. The other options
change only numbers; the tests of DuckDB try all their combinations. Tests share their training
documents, so that few calibrators are fitted. `test_scale_standalone` has a cluster of processes;
SATC_TEST_SPARK is the master of this session, such as ``local-cluster[2,1,1024]``.
"""

import os

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from decided_made import check_decided, label_matrix, only_stored, too_small, under_cuts
from one_label_made import (
    SINGLE,
    check_rule,
    check_single,
    make_single,
    store_some,
    top_k,
    true_labels,
)
from predicted_made import CASES, DECIDED, MULTI, predicted
from scipy import sparse
from stored_made import (
    both_forms,
    check_same,
    check_same_session,
    classes_of,
    labelled,
    utilities,
    write_long,
    write_terms,
    write_vectors,
    write_wide,
)

import satc
from made import make
from satc import scale
from satc.errors import DataError, EngineError
from satc.predictions import from_confidences
from satc.scale.engines.batches import runs_of
from satc.scale.estimates import expected_positives
from satc.scale.one_label import rounds
from satc.validation import Validation

pytestmark = [
    # Spark leaves sockets to the garbage collector
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
    ),
]


@pytest.fixture(scope="module")
def engine(spark):
    return spark


@pytest.fixture(scope="module")
def duckdb():
    with scale.connect("duckdb") as engine:
        yield engine


@pytest.fixture(scope="module")
def made():
    return too_small(make(300, 5, seed=3, tied=True))


@pytest.fixture(scope="module")
def stored(engine, made, tmp_path_factory):
    return both_forms(engine, tmp_path_factory.mktemp("scores"), made.scores)


@pytest.fixture(scope="module")
def stored_here(duckdb, made, tmp_path_factory):
    return both_forms(duckdb, tmp_path_factory.mktemp("here"), made.scores)


@pytest.mark.parametrize(
    ("form", "method", "measure", "average"),
    [
        ("long", "u-theoretic", "matthews", "micro"),
        ("wide", "u-theoretic", "g-mean", "macro"),
        ("long", "contextual", "f1", "macro"),
        ("wide", "contextual", "f1", "micro"),
    ],
)
def test_documents_come_in_the_order_of_memory(stored, made, form, method, measure, average):
    options = {"method": method, "measure": measure, "average": average}
    memory = satc.rank(made.scores, **made.training, **options)
    check_same(scale.rank(stored[form], **made.training, **options), memory)


MEASURES = ("accuracy", "balanced-accuracy", "jaccard", "kappa")


def _under_measures(stored, made):
    """Compute the utilities under several measures, in one query."""
    tables = [
        scale.rank(stored, **made.training, method="u-theoretic", measure=name).expression.mutate(
            measure=ibis.literal(name)
        )
        for name in MEASURES
    ]
    return stored.engine.run(ibis.union(*tables).order_by("measure", "document"))


def test_measures_give_the_utilities_of_duckdb(stored, stored_here, made):
    here, there = (_under_measures(scores["long"], made) for scores in (stored_here, stored))
    assert len(here) == 300 * len(MEASURES)
    for name in ("measure", "document", "flaws"):
        assert here[name].to_pylist() == there[name].to_pylist()
    np.testing.assert_allclose(there["utility"].to_numpy(), here["utility"].to_numpy(), rtol=1e-9)


def test_the_whole_order_comes_in_batches(stored, made):
    ranking = scale.rank(stored["wide"], **made.training, method="u-theoretic")
    whole = pa.concat_tables(ranking.batches())
    assert whole["document"].to_pylist() == ranking.top(300)["document"].to_pylist()


def test_a_document_that_cannot_be_ranked_is_named(engine, made, tmp_path):
    scores = made.scores.copy()
    scores[7, 2] = float("nan")
    stored = scale.stored_scores(engine, write_long(tmp_path / "l", scores))
    with pytest.raises(DataError, match="'d00007' has nan for class 'c2'"):
        scale.rank(stored, **made.training, method="u-theoretic").top(5)


def test_absent_pairs_are_negative_with_the_stated_confidence(engine, made, tmp_path):
    made, _ = only_stored(made, below=-1.2, absent=1.2)
    stored = store_some(engine, tmp_path / "l", made.scores, 1.2)
    memory = satc.rank(made.scores, **made.training, method="baseline")
    check_same(scale.rank(stored, **made.training, method="baseline"), memory)


def few(made, n=30):
    """Return a few of the documents, without ties, and the same training documents."""
    noise = np.random.default_rng(0).normal(0, 0.01, (n, made.scores.shape[1]))
    return made._replace(scores=made.scores[:n] + noise, y_true=made.y_true[:n])


@pytest.mark.parametrize(
    ("decide", "method", "measure"),
    [("sign", "contextual-dynamic", "f1"), ("measure", "u-theoretic-dynamic", "f2")],
)
def test_a_validation_has_the_order_of_memory(engine, made, tmp_path, decide, method, measure):
    made = few(made)
    stored = scale.stored_scores(engine, write_wide(tmp_path / "w.parquet", made.scores))
    options = {"method": method, "measure": measure}
    validation = scale.StoredValidation(stored, decide=decide, hold=20, **made.training, **options)
    if decide == "sign":
        memory = Validation(made.scores, **made.training, **options)
    else:
        cuts = validation._window.model.cuts
        memory = Validation.of(under_cuts(made, cuts, **options).documents)
    check_same_session(validation, memory, made)


@pytest.mark.parametrize(
    ("method", "measure", "average"),
    [("u-theoretic", "f2", "micro"), ("contextual", "f0.5", "macro")],
)
def test_absent_pairs_get_no_label(engine, made, tmp_path, method, measure, average):
    made, _ = only_stored(few(made, 150), below=-0.9, absent=0.5)
    stored = store_some(engine, tmp_path, made.scores, 0.5, "wide")
    options = {"method": method, "measure": measure, "average": average, "error_costs": (1, 4)}
    ranking = scale.rank(stored, decide="measure", **made.training, **options)
    assert not label_matrix(ranking, 150)[made.scores == -0.5].any()
    memory = under_cuts(made, ranking.cuts, absent=0.5, **options)
    check_decided(ranking, memory)
    check_same(ranking, memory)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_chosen_labels_are_those_of_memory_and_of_duckdb(stored, stored_here, made, method):
    here, there = (
        scale.rank(scores["long"], decide="measure", method=method, **made.training)
        for scores in (stored_here, stored)
    )
    np.testing.assert_allclose(there.cuts, here.cuts, rtol=1e-9)
    memory = under_cuts(made, there.cuts, method=method)
    check_decided(there, memory)
    check_same(there, memory)


def test_results_that_are_kept_are_computed_once(engine, stored, tmp_path):
    def noting(batches):
        for batch in batches:
            (tmp_path / os.urandom(8).hex()).touch()
            yield batch

    table = stored["wide"].table
    kept = engine.map_batches_once(table, noting, table.schema().to_pyarrow())
    first = engine.run(kept.order_by("document"))
    n = len(list(tmp_path.iterdir()))
    assert n > 0
    assert engine.run(kept.order_by("document")).equals(first)
    assert engine.run(kept.aggregate(n=kept.count()))["n"].to_pylist() == [300]
    assert len(list(tmp_path.iterdir())) == n


def test_rows_of_a_group_come_together_and_kept_results_have_few_parts(engine, stored):
    def count(batches):
        for batch in batches:
            values, ends = runs_of(batch.column("document"))
            sizes = np.diff(np.asarray(ends), prepend=0)
            yield pa.record_batch({"document": values, "n": pa.array(sizes, pa.int64())})

    table = stored["long"].table
    schema = pa.schema([table.schema().to_pyarrow().field("document"), ("n", pa.int64())])
    setting = "spark.sql.shuffle.partitions"
    before = engine.session.conf.get(setting)
    engine.session.conf.set(setting, "60")
    try:
        kept = engine.map_batches_once(table, count, schema, by="document", rows=50)
        found = engine.run(kept)
    finally:
        engine.session.conf.set(setting, before)
    assert len(set(found["document"].to_pylist())) == len(found) == 300
    assert set(found["n"].to_pylist()) == {len(stored["long"].classes)}
    parts = engine.session.table(kept.get_name()).rdd.getNumPartitions()
    files = engine._frame(table).rdd.getNumPartitions()
    assert parts == max(engine.session.sparkContext.defaultParallelism, files)


@pytest.fixture(scope="module")
def single():
    return make_single(200, 5, seed=1)


@pytest.fixture(scope="module")
def stored_single(engine, single, tmp_path_factory):
    return both_forms(engine, tmp_path_factory.mktemp("single"), single.scores)


@pytest.mark.parametrize(
    ("form", "method", "measure", "average", "decide"),
    [
        ("wide", "u-theoretic", "f2", "micro", "sign"),
        ("long", "u-theoretic", "f1", "macro", "measure"),
        ("wide", "contextual", "f1", "micro", "sign"),
    ],
)
def test_documents_of_one_label_are_ranked_as_in_memory(
    stored_single, single, form, method, measure, average, decide
):
    options = {"method": method, "measure": measure, "average": average, "decide": decide}
    check_single(stored_single[form], single, **options)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_the_one_label_is_a_stored_pair(engine, single, tmp_path, method):
    made = top_k(few(single, 120), 2, absent=3.0)
    made.scores[(made.scores < -2.9) & (made.scores != -3.0)] = -2.9
    stored = store_some(engine, tmp_path, made.scores, 3.0)
    check_single(stored, made, method=method, decide="sign")
    ranking = scale.rank(stored, decide="measure", method=method, **made.training, **SINGLE)
    labels = label_matrix(ranking, 120)
    assert (labels.sum(axis=1) == 1).all()
    assert not labels[made.scores == -3.0].any()
    made.scores[3] = -3.0
    stored = store_some(engine, tmp_path / "w", made.scores, 3.0, "wide")
    with pytest.raises(DataError, match=r"stored pair for every document.*'d00003' has none"):
        scale.rank(stored, **made.training, **SINGLE, method=method).top(3)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_rounds_of_spark_are_those_of_duckdb(
    duckdb, stored_single, single, tmp_path, monkeypatch, method
):
    monkeypatch.setattr(rounds, "PAIRS_IN_MEMORY", 0)
    monkeypatch.setattr(rounds, "ROUNDS", 2)
    here = scale.stored_scores(duckdb, write_long(tmp_path / "l", single.scores))
    expected, found = (
        scale.rank(scores, **single.training, method=method, decide="measure", **SINGLE)
        for scores in (here, stored_single["long"])
    )
    check_rule(found.rule, expected.rule)


def test_training_pairs_of_one_label_say_what_arrays_say(engine, stored_single, single):
    pairs = engine.temporary_table(labelled(single.oof_scores, single.y_train))
    estimates = scale.estimates_of_pairs(engine, pairs, sigma=2.0, **SINGLE)
    options = {"method": "u-theoretic", "decide": "measure", **SINGLE}
    there = scale.rank(stored_single["wide"], estimates=estimates, **options)
    here = scale.rank(stored_single["wide"], **single.training, sigma=2.0, **options)
    np.testing.assert_array_equal(list(there.model.class_tables), list(here.model.class_tables))


def test_a_validation_of_one_label_has_the_order_of_memory(engine, single, tmp_path):
    made = few(single)
    stored = scale.stored_scores(engine, write_wide(tmp_path / "w.parquet", made.scores))
    options = {"method": "u-theoretic-dynamic", "decide": "measure", **SINGLE}
    memory = Validation(made.scores, **made.training, **options)
    validation = scale.StoredValidation(stored, hold=20, **made.training, **options)
    check_same_session(validation, memory, made)


def test_ener_and_the_sums_of_the_training_side_are_those_of_duckdb(
    engine, duckdb, stored, stored_here, made, tmp_path
):
    path = tmp_path / "pairs.parquet"
    pq.write_table(labelled(made.oof_scores, made.y_train), path)
    found = []
    for running, scores in ((duckdb, stored_here["long"]), (engine, stored["long"])):
        pairs = running.open(str(path))
        sums = running.run(expected_positives(pairs, 1.5).order_by("class"))["expected"]
        estimates = scale.estimates_of_pairs(running, pairs, sigma=1.5)
        ranking = scale.rank(scores, estimates=estimates, method="u-theoretic")
        enered = scale.ener(ranking, true_labels(running, made.y_true), 0.1)
        found.append([*sums.to_pylist(), *estimates.tables.fn, enered])
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_files_that_are_not_there_are_one_line(engine):
    with pytest.raises(EngineError, match=r"spark: /nowhere/\S* cannot be read: .*PATH_NOT_FOUND"):
        scale.stored_scores(engine, "/nowhere/*.parquet")


def test_vectors_beside_the_scores_are_joined(engine, made, tmp_path):
    rng = np.random.default_rng(0)
    themes = rng.normal(size=(5, 8))
    vectors, known = (
        (labels @ themes + 0.5 * rng.normal(size=(len(labels), 8))).astype(np.float32)
        for labels in (made.y_true, made.y_train)
    )
    path = write_long(tmp_path / "scores", made.scores)
    files = write_vectors(tmp_path / "vectors.parquet", vectors)
    scores = scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)
    training = satc.Training(made.oof_scores, made.y_train, known)
    found = utilities(scale.rank(scores, training=training), 300)
    memory = satc.rank(made.scores, training=training, features=vectors)
    assert np.isclose(found, memory.utility, rtol=1e-3).mean() > 0.97


def test_an_error_on_a_worker_is_the_one_line_of_satc(engine, made, tmp_path):
    path = write_wide(tmp_path / "scores.parquet", made.scores)
    files = write_vectors(tmp_path / "vectors.parquet", made.y_true.astype(np.float32))
    scores = scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)
    training = satc.Training(made.oof_scores, made.y_train, made.y_train[:, :4] + 0.5)
    with pytest.raises(DataError, match=r"^vectors must have 4 numbers, as those .* one has 5$"):
        scale.rank(scores, training=training).top(1)


def test_another_error_on_a_worker_is_one_line_too(engine, stored):
    def fail(batches):
        raise ZeroDivisionError("no batch is wanted")

    table = stored["wide"].table
    failing = engine.map_batches(table, fail, table.schema().to_pyarrow())
    with pytest.raises(EngineError, match=r"^spark: the computation failed: Zero.*is wanted$"):
        engine.run(failing)


def test_terms_beside_the_scores_are_joined(engine, made, tmp_path):
    rng = np.random.default_rng(0)
    themes = rng.random((5, 40)) < 0.2
    terms, known = (
        sparse.csr_array(rng.poisson(0.05 + 1.5 * labels @ themes).astype(np.float64))
        for labels in (made.y_true, made.y_train)
    )
    path = write_wide(tmp_path / "scores.parquet", made.scores)
    files = write_terms(tmp_path / "terms.parquet", terms)
    scores = scale.stored_scores(engine, path, classes=classes_of(5), vectors=files)
    training = satc.Training(made.oof_scores, made.y_train, known)
    found = utilities(scale.rank(scores, training=training), 300)
    memory = satc.rank(made.scores, training=training, features=terms)
    assert np.isclose(found, memory.utility, rtol=1e-3).mean() > 0.97


@pytest.mark.parametrize(("kind", "task", "form"), CASES)
def test_predictions_of_every_kind_are_scores(engine, kind, task, form):
    given = predicted(kind, task, form)
    stored = scale.stored_predictions(engine, engine.temporary_table(given.table), **given.options)
    rows = engine.run(stored.pairs.order_by("document", "class"))
    scores = rows["score"].to_numpy().reshape(given.made.scores.shape)
    np.testing.assert_allclose(scores, given.made.scores, atol=1e-12)


@pytest.mark.parametrize(("kind", "task", "form"), [("logits", MULTI, "long"), *DECIDED])
def test_predictions_have_the_order_of_memory(engine, kind, task, form):
    given = predicted(kind, task, form)
    stored = scale.stored_predictions(engine, engine.temporary_table(given.table), **given.options)
    options = {**given.made.training, "task": task, **given.options_of("u-theoretic")}
    check_same(scale.rank(stored, **options), satc.rank(given.made.scores, **options))


@pytest.mark.parametrize(("kind", "task", "form"), [DECIDED[0], DECIDED[2], *DECIDED[4::2]])
def test_predictions_have_the_order_of_memory_in_context(engine, kind, task, form):
    given = predicted(kind, task, form)
    stored = scale.stored_predictions(engine, engine.temporary_table(given.table), **given.options)
    memory = satc.rank(given.made.scores, **given.made.training, task=task)
    check_same(scale.rank(stored, **given.made.training, task=task), memory)


@pytest.mark.parametrize(("kind", "task", "form"), DECIDED[2:])
def test_labels_of_predictions_are_chosen_as_in_memory(engine, kind, task, form):
    given = predicted(kind, task, form)
    stored = scale.stored_predictions(engine, engine.temporary_table(given.table), **given.options)
    options = given.options_of("u-theoretic")
    if task == "single-label":
        check_single(stored, given.made, **options, decide="measure")
        return
    found = scale.rank(stored, **given.made.training, **options, decide="measure")
    memory = under_cuts(given.made, found.cuts, **options)
    check_decided(found, memory)
    check_same(found, memory)


@pytest.mark.parametrize("kind", ["labels", "votes", "confidences"])
def test_a_repeated_document_is_refused(engine, kind):
    columns = {"document": ["a", "a"], "label": ["c0", "c1"]}
    columns |= {"labels": {}, "votes": {"voter": ["anna"] * 2}}.get(
        kind, {"confidence": ["low"] * 2}
    )
    table = engine.temporary_table(pa.table(columns))
    with pytest.raises(DataError, match=r"document 'a' has 2(?! and)"):
        scale.stored_predictions(engine, table, kind=kind, classes=["c0", "c1"])


def test_spaces_around_labels_and_words_are_removed_and_no_letters(engine):
    columns = {
        "document": ["a"],
        "labels": [" fee| vet "],
        "confidence": [" very low |\tvery likely "],
    }
    table = engine.temporary_table(pa.table(columns))
    found = scale.stored_predictions(engine, table, kind="confidences", classes=["fee", "vet"])
    memory = from_confidences([["fee", "vet"]], [{"fee": 0.3, "vet": 0.95}], ["fee", "vet"])
    scores = engine.run(found.table).to_pylist()[0]
    assert [scores["fee"], scores["vet"]] == pytest.approx(memory[0].tolist())


def test_vectors_with_a_repeated_id_or_of_no_document_are_refused(engine, stored, tmp_path):
    vectors = np.ones((3, 2), dtype=np.float32)
    for ids, message in (
        (["d00001", "d00002", "d00001"], "'d00001' comes 2 times"),
        (["x", "y", "z"], "none of them is one"),
    ):
        files = write_vectors(tmp_path / "vectors.parquet", vectors, ids)
        with pytest.raises(DataError, match=message):
            scale.stored_scores(engine, stored["long"].table, classes=classes_of(5), vectors=files)
