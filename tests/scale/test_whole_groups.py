"""Batches that keep the pairs of a document together, in whatever order they are stored."""

import gc
import itertools
import os
import signal
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_made import both_forms, check_same, classes_of, ids_of, utilities, write_long

import satc
from made import make
from satc import scale
from satc.calibration.contextual.calibrator import ContextualCalibrator
from satc.scale.contextual import documents, passes, source
from satc.scale.contextual.source import documents_of
from satc.scale.engines.batches import GroupCheck, SplitGroupError, runs_of, whole_groups
from satc.scale.engines.threads import map_on_threads

RUNS = st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 90)), max_size=12)


def _batches(values, size):
    """Return batches of a column of values, and of their row numbers."""
    table = pa.table({"document": pa.array(values, pa.string()), "row": np.arange(len(values))})
    return table.to_batches(max_chunksize=size)


@given(RUNS, st.integers(1, 100), st.integers(1, 200))
def test_no_group_is_in_two_batches_and_no_row_is_lost(runs, size, rows):
    runs = [(f"{i}{name}", n) for i, (name, n) in enumerate(runs)]
    values = [name for name, n in runs for _ in range(n)]
    found = list(whole_groups(iter(_batches(values, size)), "document", rows))
    assert [value for batch in found for value in batch["document"].to_pylist()] == values
    assert [row for batch in found for row in batch["row"].to_pylist()] == list(range(len(values)))
    groups = [set(batch["document"].to_pylist()) for batch in found]
    assert sum(map(len, groups)) == len(set().union(*groups))
    assert all(len(batch) >= rows for batch in found[:-1])


@given(RUNS, st.integers(1, 100))
def test_a_group_in_two_places_is_noticed_or_not_ruled_out(runs, size):
    values = [name for name, n in runs for _ in range(n)]
    together = len(runs_of(pa.array(values, pa.string()))[0]) == len(set(values))
    check = GroupCheck("document")
    try:
        batches = whole_groups(iter(_batches(values, size)), "document")
        n = sum(len(batch) for batch in check.watch(batches))
    except SplitGroupError:
        assert not together
    else:
        assert n == len(values)
        assert together or not check.is_proven
        assert together == (check.n_groups == len(set(values)))


def test_growing_ids_prove_that_groups_are_together():
    check = GroupCheck("document")
    values = [f"{i:03d}" for i in range(100) for _ in range(7)]
    list(check.watch(whole_groups(iter(_batches(values, 50)), "document")))
    assert check.is_proven
    assert check.n_groups == 100


def test_an_id_that_is_missing_is_not_together():
    with pytest.raises(SplitGroupError):
        list(GroupCheck("document").watch(iter(_batches(["a", None], 2))))


@pytest.mark.parametrize("threads", [1, 3])
def test_every_batch_reaches_one_thread(threads):
    found = []

    def double(batches):
        for batch in batches:
            yield pa.record_batch({"row": pa.compute.multiply(batch["row"], 2)})

    map_on_threads(iter(_batches(["a"] * 100, 3)), double, found.append, threads)
    rows = [row for batch in found for row in batch["row"].to_pylist()]
    assert sorted(rows) == list(range(0, 200, 2))


def test_an_error_on_a_thread_ends_all_of_them():
    def endless():
        while True:
            yield _batches(["a"], 1)[0]

    def fail(batches):
        for n, batch in enumerate(batches):
            if n == 3:
                raise ValueError("the third batch is bad")
            yield batch

    with pytest.raises(ValueError, match="third batch"):
        map_on_threads(endless(), fail, lambda _: None, 2)


@pytest.fixture(scope="module")
def made():
    return make(300, 5, seed=3, tied=True)


def _rows(made, order):
    """Return the rows of the long table in this order."""
    n, m = made.scores.shape
    rows = np.arange(n * m)
    if order == "class by class":
        rows = rows.reshape(n, m).T.ravel()
    elif order == "documents in any order":
        rows = rows.reshape(n, m)[np.random.default_rng(0).permutation(n)].ravel()
    elif order == "one document in two places":
        rows = np.concatenate([rows[3:], rows[:3]])
    return rows


ORDERS = (
    "document by document",
    "documents in any order",
    "class by class",
    "one document in two places",
)


@pytest.mark.parametrize("order", ORDERS)
def test_the_stored_order_does_not_change_the_ranking(engine, made, order):
    n, m = made.scores.shape
    rows = _rows(made, order)
    table = pa.table(
        {
            "document": np.repeat(ids_of(n), m)[rows],
            "class": np.tile(classes_of(m), n)[rows],
            "score": made.scores.ravel()[rows],
        }
    )
    stored = scale.stored_scores(engine, engine.temporary_table(table))
    memory = satc.rank(made.scores, **made.training)
    check_same(scale.rank(stored, **made.training), memory)


@pytest.mark.parametrize("order", ORDERS)
def test_rows_are_sorted_only_where_documents_are_split(engine, made, order, monkeypatch):
    n, m = made.scores.shape
    rows = _rows(made, order)
    columns = {"document": np.repeat(ids_of(n), m)[rows], "class": np.tile(classes_of(m), n)[rows]}
    table = pa.table({**columns, "score": made.scores.ravel()[rows]})
    source = documents_of(scale.stored_scores(engine, engine.temporary_table(table)))
    seen = []
    real = engine.batches

    def watched(expression, rows):
        seen.append("ORDER BY" in engine.connection.compile(expression))
        return real(expression, rows)

    monkeypatch.setattr(engine, "batches", watched)
    source.map(lambda batches: batches, source.table.schema().to_pyarrow())
    assert any(seen) == (order in ORDERS[2:])


def test_what_a_ranking_keeps_is_deleted_with_it(made, tmp_path):
    with scale.connect("duckdb", spill=str(tmp_path)) as engine:
        stored = both_forms(engine, tmp_path / "scores", made.scores)["long"]
        ranking = scale.rank(stored, **made.training)
        kept = [path.stat().st_size for path in tmp_path.glob("satc-*/*.parquet")]
        assert len(kept) == 1
        assert kept[0] >= 8 * made.scores.size
        ranking.top(3)
        assert len(list(tmp_path.glob("satc-*/*.parquet"))) == 2  # probabilities and utilities
        del ranking
        gc.collect()
        assert not list(tmp_path.glob("satc-*/*.parquet"))


def test_an_expression_keeps_what_it_reads(made, tmp_path):
    with scale.connect("duckdb", spill=str(tmp_path)) as engine:
        stored = both_forms(engine, tmp_path / "scores", made.scores)["wide"]
        order = scale.rank(stored, **made.training).order
        gc.collect()
        assert len(engine.run(order)) == len(made.scores)


def test_probabilities_are_computed_once_for_a_validation(made, tmp_path, monkeypatch):
    n_documents = []
    real = ContextualCalibrator.probabilities

    def counted(self, scores, *others):
        n_documents.append(len(scores))
        return real(self, scores, *others)

    monkeypatch.setattr(ContextualCalibrator, "probabilities", counted)
    with scale.connect("duckdb") as engine:
        stored = both_forms(engine, tmp_path / "scores", made.scores)["long"]
        validation = scale.StoredValidation(stored, hold=20, **made.training)
        assert sum(n_documents) == len(made.scores)
        validation.next()
    assert sum(n_documents) == len(made.scores) + 20


def test_the_same_pairs_have_the_same_utilities_in_any_blocks(tmp_path, monkeypatch):
    large = make(2_000, 5, seed=4)
    found = set()
    for size in (1 << 20, 1 << 9, 1 << 8):
        for module in (documents, passes, source):
            monkeypatch.setattr(module, "PAIRS_PER_BLOCK", size)
        with scale.connect("duckdb", threads=2) as engine:
            for stored in both_forms(engine, tmp_path / str(size), large.scores).values():
                ranking = scale.rank(stored, **large.training)
                found.add(utilities(ranking, len(large.scores)).tobytes())
    assert len(found) == 1


def test_after_an_interrupt_no_thread_goes_on():
    n_done = 0

    def slow(batches):
        nonlocal n_done
        for batch in batches:
            time.sleep(0.02)
            n_done += 1
            yield batch

    endless = itertools.repeat(_batches(["a"], 1)[0])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # Spark has one of its own
    try:
        threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            map_on_threads(endless, slow, lambda _: None, 2)
    finally:
        signal.signal(signal.SIGINT, before)
    n_then = n_done
    time.sleep(0.2)
    assert n_done == n_then


def test_numbers_of_other_types_are_read(engine, made, tmp_path):
    scores = np.round(made.scores * 2)
    tables = [scores.astype(kind) for kind in (np.float64, np.float32, np.int16)]
    rankings = [
        scale.rank(
            scale.stored_scores(engine, write_long(tmp_path / str(k), table)), **made.training
        ).top(300)
        for k, table in enumerate(tables)
    ]
    assert rankings[0].equals(rankings[1])
    assert rankings[0].equals(rankings[2])
