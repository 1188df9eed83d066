"""Spark on two worker processes; all tests are in one file, to start only one cluster."""

import os
import threading
import time
from dataclasses import replace

import numpy as np
import psutil
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
from stored_made import (
    both_forms,
    check_same,
    check_same_session,
    classes_of,
    ids_of,
    labelled,
    real_scores,
    utilities,
    write_long,
    write_vectors,
    write_wide,
)

import satc
from made import make
from satc import scale
from satc.errors import DataError, EngineError
from satc.measures import NAMES
from satc.scale.estimates import expected_positives
from satc.scale.one_label import rounds
from satc.scale.spark import check_master
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


def _executors():
    """The worker processes that run tasks."""
    return [process for process in psutil.Process().children(recursive=True) if _runs(process)]


def _runs(process):
    try:
        return "CoarseGrainedExecutorBackend" in " ".join(process.cmdline())
    except psutil.Error:
        return False


@pytest.fixture(scope="module")
def tied():
    return make(300, 5, seed=3, tied=True)


@pytest.fixture(scope="module")
def stored(engine, tied, tmp_path_factory):
    return both_forms(engine, tmp_path_factory.mktemp("scores"), tied.scores)


@pytest.fixture(scope="module")
def small():
    return too_small(make(300, 5, seed=3, tied=True))


@pytest.fixture(scope="module")
def stored_small(engine, small, tmp_path_factory):
    return both_forms(engine, tmp_path_factory.mktemp("small"), small.scores)


def test_there_are_two_worker_processes(engine):
    engine.session.range(10).count()
    deadline = time.monotonic() + 60
    while len(_executors()) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert len({process.pid for process in _executors()} - {os.getpid()}) == 2


@pytest.mark.parametrize(
    ("form", "method", "measure", "average"),
    [
        ("long", "u-theoretic", "f1", "macro"),
        ("long", "u-theoretic", "matthews", "micro"),
        ("long", "baseline", "f1", "macro"),
        ("wide", "u-theoretic", "g-mean", "macro"),
        ("long", "contextual", "f1", "macro"),
        ("wide", "contextual", "f1", "micro"),
    ],
)
def test_documents_come_in_the_order_of_memory(stored, tied, form, method, measure, average):
    options = {"method": method, "measure": measure, "average": average}
    memory = satc.rank(tied.scores, **tied.training, **options)
    check_same(scale.rank(stored[form], **tied.training, **options), memory)


@pytest.mark.parametrize("name", ["reuters21578", "medline"])
def test_real_scores_are_ranked_as_in_memory(engine, dataset, tmp_path, name):
    made = real_scores(dataset(name))
    memory = satc.rank(made.scores, **made.training, method="u-theoretic")
    stored = scale.stored_scores(
        engine, write_long(tmp_path / "l", made.scores), classes=classes_of(20)
    )
    check_same(scale.rank(stored, **made.training, method="u-theoretic"), memory)


def test_every_measure_gives_the_utilities_of_duckdb(stored, tied, tmp_path):
    with scale.connect("duckdb") as duckdb:
        here = scale.stored_scores(duckdb, write_long(tmp_path / "l", tied.scores))
        for measure in NAMES:
            options = {"method": "u-theoretic", "measure": measure}
            ours = scale.rank(here, **tied.training, **options).top(20)
            theirs = scale.rank(stored["long"], **tied.training, **options).top(20)
            assert ours["document"].to_pylist() == theirs["document"].to_pylist()


def test_the_whole_order_comes_in_batches(stored, tied):
    ranking = scale.rank(stored["long"], **tied.training, method="u-theoretic")
    whole = pa.concat_tables(ranking.batches())
    assert whole["document"].to_pylist() == ranking.top(300)["document"].to_pylist()


def test_a_document_that_cannot_be_ranked_is_named(engine, tied, tmp_path):
    scores = tied.scores.copy()
    scores[7, 2] = float("nan")
    stored = scale.stored_scores(engine, write_long(tmp_path / "l", scores))
    with pytest.raises(DataError, match="'d00007' has nan for class 'c2'"):
        scale.rank(stored, **tied.training, method="u-theoretic").top(5)


def test_absent_pairs_are_negative_with_the_stated_confidence(engine, tied, tmp_path):
    stored = scale.stored_scores(
        engine, write_long(tmp_path / "l", tied.scores), classes=classes_of(5), absent=1.0
    )
    memory = satc.rank(tied.scores, **tied.training, method="u-theoretic")
    check_same(scale.rank(stored, **tied.training, method="u-theoretic"), memory)


@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "contextual-dynamic"])
def test_dynamic_validation_comes_in_the_order_of_memory(engine, tmp_path, method):
    made = make(30, 4, seed=5)
    stored = scale.stored_scores(engine, write_wide(tmp_path / "w.parquet", made.scores))
    memory = satc.simulate(made.scores, made.y_true, **made.training, method=method)
    validation = scale.StoredValidation(stored, **made.training, method=method, hold=20)
    row = {identity: i for i, identity in enumerate(ids_of(30))}
    while (document := validation.next()) is not None:
        validation.submit(document, made.y_true[row[document]])
    assert [row[document] for document in validation.order] == memory.order.tolist()


@pytest.mark.parametrize(
    ("form", "method", "measure", "average"),
    [
        ("long", "u-theoretic", "f1", "macro"),
        ("wide", "u-theoretic", "f2", "micro"),
        ("long", "baseline", "accuracy", "macro"),
        ("long", "contextual", "f1", "macro"),
        ("wide", "contextual", "f0.5", "micro"),
    ],
)
def test_chosen_labels_and_their_order_are_those_of_memory(
    stored_small, small, form, method, measure, average
):
    options = {"method": method, "measure": measure, "average": average}
    ranking = scale.rank(stored_small[form], decide="measure", **small.training, **options)
    memory = under_cuts(small, ranking.cuts, **options)
    check_decided(ranking, memory)
    check_same(ranking, memory)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_absent_pairs_get_no_label(engine, tmp_path, method):
    made, columns = only_stored(make(150, 5, seed=5), below=-0.9, absent=0.5)
    types = {name: pa.string() if name == "document" else pa.float64() for name in columns}
    wide = {name: pa.array(cells, types[name]) for name, cells in columns.items()}
    pq.write_table(pa.table(wide), tmp_path / "w.parquet")
    stored = scale.stored_scores(engine, str(tmp_path / "w.parquet"), absent=0.5)
    options = {"method": method, "error_costs": (1, 4)}
    ranking = scale.rank(stored, decide="measure", **made.training, **options)
    assert not label_matrix(ranking, 150)[made.scores == -0.5].any()
    memory = under_cuts(made, ranking.cuts, absent=0.5, **options)
    check_decided(ranking, memory)
    check_same(ranking, memory)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_chosen_labels_cuts_and_ener_are_those_of_duckdb(
    engine, stored_small, small, tmp_path, method
):
    truth = labelled(small.scores, small.y_true)
    truth = truth.filter(truth["label"]).select(["document", "class"])
    cuts, enered = [], []
    with scale.connect("duckdb") as duckdb:
        here = scale.stored_scores(duckdb, write_long(tmp_path / "l", small.scores))
        for running, scores in ((duckdb, here), (engine, stored_small["long"])):
            ranking = scale.rank(scores, decide="measure", method=method, **small.training)
            cuts.append(ranking.cuts)
            enered.append(scale.ener(ranking, running.temporary_table(truth), 0.1))
    np.testing.assert_allclose(cuts[0], cuts[1], rtol=1e-9)
    assert enered[0] == pytest.approx(enered[1], rel=1e-9)


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


def test_a_validation_of_chosen_labels_has_the_order_of_memory(engine, tmp_path):
    made = make(30, 4, seed=5)
    stored = scale.stored_scores(engine, write_wide(tmp_path / "w.parquet", made.scores))
    options = {"method": "u-theoretic-dynamic", "measure": "f2"}
    cuts = scale.rank(stored, decide="measure", **made.training, **options).cuts
    memory = Validation.of(under_cuts(made, cuts, **options).documents)
    validation = scale.StoredValidation(
        stored, decide="measure", hold=20, **made.training, **options
    )
    check_same_session(validation, memory, made)


@pytest.fixture(scope="module")
def single():
    return make_single(200, 5, seed=1, tied=True)


@pytest.fixture(scope="module")
def stored_single(engine, single, tmp_path_factory):
    return both_forms(engine, tmp_path_factory.mktemp("single"), single.scores)


@pytest.mark.parametrize(
    ("form", "method", "measure", "average", "decide"),
    [
        ("long", "u-theoretic", "f1", "macro", "sign"),
        ("wide", "u-theoretic", "f2", "micro", "sign"),
        ("long", "u-theoretic", "f1", "macro", "measure"),
        ("wide", "baseline", "accuracy", "macro", "measure"),
        ("long", "contextual", "f2", "macro", "measure"),
        ("wide", "contextual", "f1", "micro", "sign"),
    ],
)
def test_documents_of_one_label_are_ranked_as_in_memory(
    stored_single, single, form, method, measure, average, decide
):
    options = {"method": method, "measure": measure, "average": average, "decide": decide}
    check_single(stored_single[form], single, **options)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_the_one_label_is_a_stored_pair(engine, tmp_path, method):
    made = top_k(make_single(120, 5, seed=5), 2, absent=3.0)
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
    engine, stored_single, single, tmp_path, monkeypatch, method
):
    monkeypatch.setattr(rounds, "PAIRS_IN_MEMORY", 0)
    monkeypatch.setattr(rounds, "ROUNDS", 3)
    found, enered = [], []
    with scale.connect("duckdb") as duckdb:
        here = scale.stored_scores(duckdb, write_long(tmp_path / "l", single.scores))
        for running, scores in ((duckdb, here), (engine, stored_single["long"])):
            options = {"method": method, "decide": "measure", **SINGLE}
            found.append(scale.rank(scores, **single.training, **options))
            enered.append(scale.ener(found[-1], true_labels(running, single.y_true), 0.1))
    check_rule(found[1].rule, found[0].rule)
    assert enered[0] == pytest.approx(enered[1], rel=1e-9)


def test_training_pairs_of_one_label_say_what_arrays_say(engine, stored_single, single):
    pairs = engine.temporary_table(labelled(single.oof_scores, single.y_train))
    estimates = scale.estimates_of_pairs(engine, pairs, sigma=2.0, **SINGLE)
    options = {"method": "u-theoretic", "decide": "measure", **SINGLE}
    there = scale.rank(stored_single["wide"], estimates=estimates, **options)
    here = scale.rank(stored_single["wide"], **single.training, sigma=2.0, **options)
    np.testing.assert_array_equal(list(there.model.class_tables), list(here.model.class_tables))


def test_a_validation_of_one_label_has_the_order_of_memory(engine, tmp_path):
    made = make_single(30, 4, seed=5)
    stored = scale.stored_scores(engine, write_wide(tmp_path / "w.parquet", made.scores))
    options = {"method": "u-theoretic-dynamic", "decide": "measure", **SINGLE}
    memory = Validation(made.scores, **made.training, **options)
    validation = scale.StoredValidation(stored, hold=20, **made.training, **options)
    check_same_session(validation, memory, made)


def test_ener_and_the_sums_of_the_training_side_are_those_of_duckdb(engine, stored, tied, tmp_path):
    truth = labelled(tied.scores, tied.y_true)
    pq.write_table(
        truth.filter(truth["label"]).select(["document", "class"]), tmp_path / "y.parquet"
    )
    pq.write_table(labelled(tied.oof_scores, tied.y_train), tmp_path / "pairs.parquet")
    found = []
    with scale.connect("duckdb") as duckdb:
        here = scale.stored_scores(duckdb, write_long(tmp_path / "l", tied.scores))
        for running, scores in ((duckdb, here), (engine, stored["long"])):
            pairs = running.open(str(tmp_path / "pairs.parquet"))
            sums = running.run(expected_positives(pairs, 1.5).order_by("class"))["expected"]
            estimates = scale.estimates_of_pairs(running, pairs, sigma=1.5)
            ranking = scale.rank(scores, estimates=estimates, method="u-theoretic")
            labels = running.open(str(tmp_path / "y.parquet"))
            found.append(
                [*sums.to_pylist(), *estimates.tables.fn, scale.ener(ranking, labels, 0.1)]
            )
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_files_that_are_not_there_are_one_line(engine):
    with pytest.raises(EngineError, match=r"spark: /nowhere/\S* cannot be read: .*PATH_NOT_FOUND"):
        scale.stored_scores(engine, "/nowhere/*.parquet")


def _slowed(stored, folder):
    """Return the same scores, from a function that is slow while the file `armed` exists."""

    def slow(batches):
        if (folder / "armed").exists():
            (folder / "started").touch()
            time.sleep(4)
        yield from batches

    schema = stored.table.schema().to_pyarrow()
    table = stored.engine.map_batches(stored.table, slow, schema)
    return replace(stored, table=table)


def test_a_worker_killed_in_the_middle_does_not_change_the_result(stored, tied, tmp_path):
    expected = scale.rank(stored["long"], **tied.training, method="u-theoretic").top(300)
    slow = scale.rank(_slowed(stored["long"], tmp_path), **tied.training, method="u-theoretic")
    victim = _executors()[0]

    def kill():
        while not (tmp_path / "started").exists():
            time.sleep(0.05)
        time.sleep(1)
        victim.kill()
        (tmp_path / "armed").unlink()

    (tmp_path / "armed").touch()
    killer = threading.Thread(target=kill)
    killer.start()
    found = slow.top(300)
    killer.join()
    assert victim.pid not in [process.pid for process in _executors()]
    assert found.equals(expected)


def test_a_master_that_does_not_answer_is_one_line():
    with pytest.raises(
        EngineError, match=r"master spark://127.0.0.1:9 cannot be reached: .*refused"
    ):
        scale.connect("spark", master="spark://127.0.0.1:9")
    with pytest.raises(EngineError, match="master spark://nowhere cannot be reached"):
        check_master("spark://nowhere")


@pytest.mark.parametrize(
    ("master", "message"),
    [
        ("nonsense", "the master must be local.* but is 'nonsense'"),
        ("yarn", "yarn needs HADOOP_CONF_DIR or YARN_CONF_DIR, but neither is set"),
        ("k8s://https://127.0.0.1:9", "the master k8s://https://127.0.0.1:9 cannot be reached"),
        ("spark://127.0.0.1:9,127.0.0.1:10", "cannot be reached"),
    ],
)
def test_a_master_of_any_kind_that_is_not_there_is_one_line(monkeypatch, master, message):
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EngineError, match=message) as raised:
        check_master(master)
    assert "\n" not in str(raised.value)


def test_masters_that_need_no_answer_pass():
    for master in ("local", "local[*]", "local[4]", "local-cluster[2,1,1024]"):
        check_master(master)


def test_a_java_that_is_missing_is_one_line(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        EngineError, match="needs Java 17 or later, but there is no java on the PATH"
    ):
        scale.connect("spark", master="local[1]")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match="there is no java in JAVA_HOME"):
        scale.connect("spark", master="local[1]")


def test_a_master_is_for_spark_alone():
    with pytest.raises(ValueError, match="master must be given with engine 'spark' only"):
        scale.connect("duckdb", master="local[1]")


def test_vectors_beside_the_scores_are_joined(spark, tmp_path):
    made = make(300, 5, seed=1)
    rng = np.random.default_rng(0)
    themes = rng.normal(size=(5, 8))
    vectors, known = (
        (labels @ themes + 0.5 * rng.normal(size=(len(labels), 8))).astype(np.float32)
        for labels in (made.y_true, made.y_train)
    )
    path = write_long(tmp_path / "scores", made.scores)
    files = write_vectors(tmp_path / "vectors.parquet", vectors)
    scores = scale.stored_scores(spark, path, classes=classes_of(5), vectors=files)
    training = satc.Training(made.oof_scores, made.y_train, known)
    found = utilities(scale.rank(scores, training=training), 300)
    memory = satc.rank(made.scores, training=training, features=vectors)
    assert np.isclose(found, memory.utility, rtol=1e-3).mean() > 0.97
