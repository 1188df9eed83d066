"""`satc rank --engine spark` from the first option to the written file."""

import csv

import numpy as np
import pyarrow.parquet as pq
import pytest
from commanding import command as run
from predicted_made import MULTI, stored_table
from stored_made import ids_of, write_long

from made import make

pytestmark = [
    pytest.mark.spark,
    # Spark leaves sockets to the garbage collector
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
    ),
]

SPARK = ("--engine", "spark", "--master", "local[1]")


@pytest.fixture
def made(java):
    return make(100, 5, seed=4)


def _utilities(folder, *options, engine):
    done = run("rank", *options, *engine, "--top", 100, "-o", "ranked.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    rows = csv.DictReader((folder / "ranked.csv").read_text().splitlines())
    return {row["document"]: float(row["utility"]) for row in rows}


def test_scores_are_ranked_on_spark_as_in_memory(made, tmp_path):
    write_long(tmp_path / "scores", made.scores)
    write_long(tmp_path / "all", made.scores, files=1)
    write_long(tmp_path / "oof", made.oof_scores, files=1)
    np.savez(tmp_path / "y.npz", labels=made.y_train)
    side = ("--oof-scores", "oof/0.parquet", "--train-labels", "y.npz", "--method", "u-theoretic")
    memory = _utilities(tmp_path, "--scores", "all/0.parquet", *side, engine=())
    found = _utilities(tmp_path, "--scores", "scores/*.parquet", *side, engine=SPARK)
    assert found == pytest.approx(memory, rel=1e-9)
    done = run("rank", "--scores", "scores", *side, *SPARK, "-o", "order.parquet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    order = pq.read_table(tmp_path / "order.parquet")["document"].to_pylist()
    assert order == sorted(found, key=lambda one: (-found[one], one))


def test_predictions_with_chosen_labels_are_ranked_on_spark_as_on_duckdb(made, tmp_path):
    scores = np.vstack([made.oof_scores, made.scores])
    pq.write_table(stored_table(scores, "confidences", MULTI, "labels"), tmp_path / "p.parquet")
    labels = ["|".join(f"c{j}" for j in np.flatnonzero(row)) for row in made.y_train]
    lines = [f"{one},{names}" for one, names in zip(ids_of(300), labels, strict=True)]
    (tmp_path / "gold.csv").write_text("id,true_labels\n" + "\n".join(lines))
    given = ("--predictions", "p.parquet", "--known", "gold.csv", "--decide", "measure")
    here, there = (
        _utilities(tmp_path, *given, engine=engine) for engine in (("--engine", "duckdb"), SPARK)
    )
    assert len(there) == 100
    assert there == pytest.approx(here, rel=1e-9)
