import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stored_made import classes_of, ids_of, long_table, write_long, write_wide

import satc
from made import make
from satc import scale
from satc.errors import DataError
from satc.evaluation import error_reduction


def _labels(engine, y_true):
    document, label = np.nonzero(y_true)
    ids, classes = ids_of(len(y_true)), classes_of(y_true.shape[1])
    return engine.temporary_table(
        pa.table({"document": [ids[i] for i in document], "class": [classes[j] for j in label]})
    )


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("measure", ["f1", "kappa"])
@pytest.mark.parametrize("form", ["long", "wide"])
def test_ener_is_that_of_memory(engine, tmp_path, average, measure, form):
    made = make(150, 5, seed=9)
    options = {"measure": measure, "average": average}
    memory = satc.simulate(
        made.scores, made.y_true, **made.training, method="u-theoretic", **options
    )
    write = {"long": write_long, "wide": write_wide}[form]
    stored = scale.stored_scores(engine, write(tmp_path / "s.parquet", made.scores))
    ranking = scale.rank(stored, **made.training, method="u-theoretic", **options)
    labels = _labels(engine, made.y_true)
    for xi in (0.05, 0.2, 1.0):
        found = scale.ener(ranking, labels, xi, **options)
        assert found == pytest.approx(memory.ener(xi), rel=1e-9)


def test_labels_of_absent_pairs_are_missed_ones(engine, tmp_path):
    made = make(80, 4, seed=3)
    scores = np.where(made.scores > -1.5, made.scores, -2.0)
    scores[:, 0] = made.scores[:, 0]
    made.y_true[:, 1] = True
    table = long_table(scores)
    pq.write_table(table.filter(pa.compute.not_equal(table["score"], -2.0)), tmp_path / "s.parquet")
    stored = scale.stored_scores(
        engine, str(tmp_path / "s.parquet"), classes=classes_of(4), absent=2.0
    )
    ranking = scale.rank(stored, **made.training, method="u-theoretic")
    memory = satc.rank(scores, **made.training, method="u-theoretic")
    expected = error_reduction(memory.order, scores, made.y_true).ener(0.1)
    assert scale.ener(ranking, _labels(engine, made.y_true), 0.1) == pytest.approx(expected)


def test_without_errors_there_is_nothing_to_reduce(engine, tmp_path):
    made = make(30, 3, seed=1)
    stored = scale.stored_scores(engine, write_long(tmp_path / "l", made.scores))
    ranking = scale.rank(stored, **made.training, method="u-theoretic")
    assert scale.ener(ranking, _labels(engine, made.scores >= 0)) == 0.0


def test_labels_without_a_column_are_refused(engine, tmp_path):
    made = make(30, 3, seed=1)
    stored = scale.stored_scores(engine, write_long(tmp_path / "l", made.scores))
    ranking = scale.rank(stored, **made.training, method="u-theoretic")
    with pytest.raises(DataError, match="labels must have the column 'class'"):
        scale.ener(ranking, engine.temporary_table(pa.table({"document": ["d00000"]})))
