import csv

import numpy as np
import pytest
from commanding import command as run

from made import make

TRAINING = ("--oof-scores", "oof.npy", "--train-labels", "train.csv")
NAMES = ("barley", "corn", "oil", "tea", "wheat")


@pytest.fixture
def made(tmp_path):
    """Scores without names, and training labels with names but without texts."""
    made = make(seed=1)
    with (tmp_path / "train.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "labels"])
        for i, labels in enumerate(made.y_train):
            names = (name for name, there in zip(NAMES, labels, strict=True) if there)
            rows.writerow([i, "|".join(names)])
    with (tmp_path / "documents.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "text"], *([i, f"text {i}"] for i in range(60))])
    return made


@pytest.mark.parametrize("exponent", [0, 1018, -960])
def test_rank_writes_the_same_order_for_every_unit_of_the_scores(tmp_path, made, exponent):
    np.save(tmp_path / "scores.npy", np.ldexp(made.scores, exponent))
    np.save(tmp_path / "oof.npy", np.ldexp(made.oof_scores, exponent))
    done = run("rank", "--scores", "scores.npy", *TRAINING, "-o", "ranked.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "ranked.csv").read_text()
    assert "nan" not in written
    np.save(tmp_path / "scores.npy", made.scores)
    np.save(tmp_path / "oof.npy", made.oof_scores)
    run("rank", "--scores", "scores.npy", *TRAINING, "-o", "plain.csv", cwd=tmp_path)
    plain = (tmp_path / "plain.csv").read_text().splitlines()
    orders = [[line.split(",")[1] for line in text] for text in (plain, written.splitlines())]
    assert orders[0] == orders[1]


def test_stored_scores_of_extreme_magnitude_are_refused(tmp_path, made):
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, matrix in (("scores", made.scores), ("oof", made.oof_scores)):
        n = len(matrix)
        columns = {
            "document": np.repeat([str(i) for i in range(n)], 5),
            "class": np.tile(NAMES, n),
            "score": np.ldexp(matrix, 1018).ravel(),
        }
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    training = ("--oof-scores", "oof.parquet", "--train-labels", "train.csv")
    done = run(
        *("rank", "--scores", "scores.parquet", *training),
        *("--engine", "duckdb", "--top", 5, "-o", "ranked.csv"),
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert "oof_scores must have a largest magnitude" in done.stderr
    assert not (tmp_path / "ranked.csv").exists()


def test_a_project_has_the_class_names_of_the_training_labels(tmp_path, made):
    np.save(tmp_path / "scores.npy", made.scores)
    np.save(tmp_path / "oof.npy", made.oof_scores)
    files = ("--documents", "documents.csv", "--scores", "scores.npy", *TRAINING)
    done = run("create", "p.satc", *files, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = run("export", "p.satc", "-o", "exported.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "exported.csv").read_text().splitlines()))
    found = [set(filter(None, row["satc_predicted"].split("|"))) for row in rows]
    decided = [{NAMES[j] for j in np.flatnonzero(scores >= 0)} for scores in made.scores]
    assert found == decided
