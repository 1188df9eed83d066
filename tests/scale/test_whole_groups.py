"""Batches that keep the pairs of a document together, in whatever order they are stored."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_made import both_forms, check_same, classes_of, ids_of, write_long

import satc
from made import make
from satc import scale
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
        del ranking
        assert not list(tmp_path.glob("satc-*/*.parquet"))


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
