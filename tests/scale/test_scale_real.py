"""Scores of real collections: the same order in memory and on DuckDB."""

import pytest
from stored_made import check_same, classes_of, real_scores, write_long, write_wide

import satc
from satc import scale

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["reuters21578", "medline"])
def test_real_scores_are_ranked_as_in_memory(dataset, tmp_path, name):
    made = real_scores(dataset(name))
    with scale.connect("duckdb", memory="1GB", threads=2) as engine:
        forms = [
            scale.stored_scores(
                engine, write_long(tmp_path / "l", made.scores), classes=classes_of(20)
            ),
            scale.stored_scores(engine, write_wide(tmp_path / "w.parquet", made.scores)),
        ]
        for method in ("baseline", "u-theoretic", "contextual"):
            memory = satc.rank(made.scores, **made.training, method=method)
            for stored in forms:
                check_same(scale.rank(stored, **made.training, method=method), memory)
