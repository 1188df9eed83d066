import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stored_made import (
    both_forms,
    check_same,
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
from satc.errors import CalibrationWarning, DataError
from satc.measures import NAMES


@pytest.fixture(scope="module")
def tied():
    return make(400, 7, seed=3, tied=True)


@pytest.fixture(scope="module")
def stored(engine, tied, tmp_path_factory):
    """The scores in both forms."""
    return both_forms(engine, tmp_path_factory.mktemp("scores"), tied.scores)


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("method", ["baseline", "u-theoretic", "u-theoretic-dynamic"])
@pytest.mark.parametrize("form", ["long", "wide"])
@pytest.mark.parametrize("measure", NAMES)
def test_documents_come_in_the_order_of_memory(stored, tied, form, method, average, measure):
    options = {"method": method, "measure": measure, "average": average}
    memory = satc.rank(tied.scores, **tied.training, **options)
    ranking = scale.rank(stored[form], **tied.training, **options)
    check_same(ranking, memory)


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("form", ["long", "wide"])
def test_the_contextual_method_comes_in_the_order_of_memory(stored, tied, form, average):
    memory = satc.rank(tied.scores, **tied.training, average=average)
    check_same(scale.rank(stored[form], **tied.training, average=average), memory)


def test_both_forms_give_the_same_utilities_to_the_bit(stored, tied):
    tops = [
        scale.rank(one, **tied.training, method="u-theoretic").top(400) for one in stored.values()
    ]
    assert tops[0].equals(tops[1])


def test_the_top_is_the_beginning_of_the_whole_order(stored, tied):
    ranking = scale.rank(stored["long"], **tied.training, method="u-theoretic")
    whole = pa.concat_tables(ranking.batches())
    assert len(whole) == 400
    assert ranking.top(17).equals(whole[:17].combine_chunks())


def test_single_precision_scores_are_ranked_as_in_memory(engine, tied, tmp_path):
    scores = make(100, 4, seed=1).scores.astype(np.float32)
    training = make(100, 4, seed=1).training
    memory = satc.rank(scores, **training, method="u-theoretic")
    stored = scale.stored_scores(engine, write_long(tmp_path / "l", scores))
    check_same(scale.rank(stored, **training, method="u-theoretic"), memory, 30)


def test_huge_and_zero_scores_are_ranked(engine, tmp_path):
    scores = np.array([[1e308, -1e308], [0.0, -0.0], [1e-308, -3.0]])
    made = make(3, 2, seed=2)
    memory = satc.rank(scores, **made.training, method="baseline")
    stored = scale.stored_scores(engine, write_long(tmp_path / "l", scores))
    check_same(scale.rank(stored, **made.training, method="baseline"), memory)


@pytest.mark.parametrize("method", ["baseline", "u-theoretic", "contextual"])
def test_absent_pairs_count_as_negative_with_the_stated_confidence(engine, tmp_path, method):
    made = make(200, 9, seed=5)
    scores = np.where(made.scores > -1.5, made.scores, -2.0)
    scores[:, 0] = made.scores[:, 0]  # so that every document is stored
    table = long_table(scores)
    pq.write_table(table.filter(pa.compute.not_equal(table["score"], -2.0)), tmp_path / "s.parquet")
    assert pq.read_metadata(tmp_path / "s.parquet").num_rows < scores.size
    memory = satc.rank(scores, **made.training, method=method)
    stored = scale.stored_scores(
        engine, str(tmp_path / "s.parquet"), classes=classes_of(9), absent=2.0
    )
    check_same(scale.rank(stored, **made.training, method=method), memory)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_null_cells_of_a_wide_table_are_absent_pairs(engine, tmp_path, method):
    made = make(50, 4, seed=6)
    scores = np.where(made.scores > -1.0, made.scores, -2.0)
    cells = {
        c: pa.array([None if s == -2.0 else s for s in scores[:, j]], pa.float64())
        for j, c in enumerate(classes_of(4))
    }
    pq.write_table(pa.table({"document": ids_of(50), **cells}), tmp_path / "w.parquet")
    stored = scale.stored_scores(engine, str(tmp_path / "w.parquet"), absent=2.0)
    memory = satc.rank(scores, **made.training, method=method)
    check_same(scale.rank(stored, **made.training, method=method), memory)


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_a_pair_in_the_place_of_another_is_noticed(engine, tmp_path, method):
    made = make(40, 4, seed=6)
    table = long_table(made.scores, shuffled=False)
    names = table["class"].to_pylist()
    names[4 * 7 + 2] = "c1"
    table = table.set_column(1, "class", pa.array(names))
    pq.write_table(table, tmp_path / "s.parquet")
    stored = scale.stored_scores(engine, str(tmp_path / "s.parquet"), classes=classes_of(4))
    with pytest.raises(DataError, match="have document 'd00007' with class 'c1' 2 times"):
        scale.rank(stored, **made.training, method=method).top(3)


@pytest.mark.slow
def test_a_hundred_thousand_classes_of_which_few_are_stored(engine, tmp_path):
    m, n = 100_000, 40
    rng = np.random.default_rng(0)
    classes = [f"c{j}" for j in range(m)]
    some = [rng.choice(m, 5, replace=False) for _ in range(n)]
    values = rng.normal(0, 1, (n, 5))
    pq.write_table(
        pa.table(
            {
                "document": np.repeat(ids_of(n), 5),
                "class": [classes[j] for row in some for j in row],
                "score": values.ravel(),
            }
        ),
        tmp_path / "s.parquet",
    )
    scores = np.full((n, m), -3.0, dtype=np.float32)
    for i, row in enumerate(some):
        scores[i, row] = values[i]
    tables = satc.scale.estimates.ContingencyTables(*(rng.integers(1, 9, m) + 0.0 for _ in "1234"))
    stored = scale.stored_scores(engine, str(tmp_path / "s.parquet"), classes=classes, absent=3.0)
    estimates = scale.Estimates(tuple(classes), 1.5, tables, 100)
    ranking = scale.rank(stored, estimates=estimates, method="u-theoretic")
    wrong = 1 / (1 + np.exp(1.5 * np.abs(scores.astype(float))))
    expected = (wrong * np.where(scores >= 0, *ranking.gains)).sum(axis=1)
    top = ranking.top(n)
    by_id = dict(zip(top["document"].to_pylist(), top["utility"].to_pylist(), strict=True))
    np.testing.assert_allclose([by_id[i] for i in ids_of(n)], expected, rtol=1e-6)
    assert top["document"].to_pylist() == [ids_of(n)[i] for i in np.argsort(-expected)]


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_training_pairs_in_a_table_say_what_arrays_say(engine, stored, tied, tmp_path, average):
    pq.write_table(labelled(tied.oof_scores, tied.y_train), tmp_path / "train.parquet")
    estimates = scale.estimates_of_pairs(engine, str(tmp_path / "train.parquet"), average=average)
    memory = satc.rank(tied.scores, **tied.training, method="u-theoretic", average=average)
    assert estimates.sigma == pytest.approx(memory.documents.model.sigma, rel=1e-9)
    ranking = scale.rank(stored["long"], estimates=estimates, method="u-theoretic", average=average)
    check_same(ranking, memory)


def test_too_little_training_data_for_context_is_said_and_the_plain_method_used(engine, tmp_path):
    made = make(20, 3, n_train=40, seed=1)
    stored = scale.stored_scores(engine, write_long(tmp_path / "l", made.scores))
    with pytest.warns(CalibrationWarning, match="at least 50 documents"):
        ranking = scale.rank(stored, **made.training)
    check_same(ranking, satc.rank(made.scores, **made.training, method="u-theoretic"))


def _broken(tmp_path, change):
    made = make(12, 3, seed=1)
    rows = long_table(made.scores, shuffled=False).to_pylist()
    pq.write_table(pa.Table.from_pylist(change(rows)), tmp_path / "broken.parquet")
    return str(tmp_path / "broken.parquet"), made.training


def _set(row, **values):
    def change(rows):
        rows[row] |= values
        return rows

    return change


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            _set(4, score=float("nan")),
            "must be finite, but document 'd00001' has nan for class 'c1'",
        ),
        (
            _set(4, score=float("inf")),
            "must be finite, but document 'd00001' has inf for class 'c1'",
        ),
        (_set(4, score=None), "document 'd00001' has none for class 'c1'"),
        (_set(4, **{"class": "c9"}), "class 'c9' has no gains"),
        (lambda rows: rows[:4] + rows[5:], "lack 'd00001' with 'c1'"),
        (lambda rows: rows + rows[4:5], "have document 'd00001' with class 'c1' 2 times"),
    ],
)
def test_a_document_that_cannot_be_ranked_is_named(engine, tmp_path, method, change, message):
    path, training = _broken(tmp_path, change)
    stored = scale.stored_scores(engine, path, classes=classes_of(3))
    ranking = scale.rank(stored, **training, method=method)
    with pytest.raises(DataError, match=message):
        ranking.top(2)
    with pytest.raises(DataError, match=message):
        next(ranking.batches())


def test_a_missing_column_is_named(engine, tmp_path):
    pq.write_table(pa.table({"document": ["a"], "class": ["x"]}), tmp_path / "s.parquet")
    with pytest.raises(DataError, match="columns document, class, score, but lack score"):
        scale.stored_scores(engine, str(tmp_path / "s.parquet"))


def test_a_wide_table_must_have_the_classes_and_no_others(engine, tmp_path):
    path = write_wide(tmp_path / "w.parquet", np.zeros((2, 3)))
    with pytest.raises(DataError, match="a column for each class, but lack 'c3'"):
        scale.stored_scores(engine, path, classes=classes_of(4))
    with pytest.raises(DataError, match="class 'c2' has no gains"):
        scale.stored_scores(engine, path, classes=classes_of(2))


def test_methods_that_need_the_truth_are_refused(stored, tied):
    with pytest.raises(ValueError, match="ranks without true labels at scale, but is 'oracle1'"):
        scale.rank(stored["long"], **tied.training, method="oracle1")
    with pytest.raises(ValueError, match="but is 'entropy', which needs scores in memory"):
        scale.rank(stored["long"], **tied.training, method="entropy")
