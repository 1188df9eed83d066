"""Stored predictions are ranked by `satc rank` as predictions in memory are."""

import csv

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commanding import command as run
from commanding import refused
from one_label_made import make_single
from predicted_made import MULTI, SINGLE, stored_table

from made import make

KNOWN, ALL = 300, 400
CASES = [
    ("probabilities", MULTI, "wide"),
    ("probabilities", MULTI, "long"),
    ("logits", MULTI, "long"),
    ("scores", MULTI, "wide"),
    ("labels", MULTI, "labels"),
    ("labels", MULTI, "joined"),
    ("votes", MULTI, "labels_"),
    ("confidences", MULTI, "labels"),
    ("probabilities", SINGLE, "long"),
    ("labels", SINGLE, "label"),
    ("votes", SINGLE, "label_"),
    ("confidences", SINGLE, "label"),
]
KINDS = {"confidences": "labels"}  # the value of --kind, where it differs


def _made(task):
    return (make if task == MULTI else make_single)(ALL - KNOWN, 5, seed=4)


def _write(folder, kind, task, form):
    """Write predictions of 400 documents, and the true labels of the first 300."""
    made = _made(task)
    scores = np.vstack([made.oof_scores, made.scores])
    pq.write_table(stored_table(scores, kind, task, form), folder / "predicted.parquet")
    with open(folder / "gold.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "true_labels"])
        for i, row in enumerate(made.y_train):
            table.writerow([f"d{i:05d}", "|".join(f"c{j}" for j in np.flatnonzero(row))])
    return made


def _utilities(path):
    rows = csv.DictReader(path.read_text().splitlines())
    return {row["document"]: float(row["utility"]) for row in rows}


def _both(folder, *options):
    """Rank in memory and on DuckDB; return the utilities of all documents, and what was said."""
    found = []
    for name, engine in (("memory", ()), ("stored", ("--engine", "duckdb"))):
        output = ("--top", ALL, "-o", f"{name}.csv")
        done = run("rank", *options, *engine, *output, cwd=folder)
        assert done.returncode == 0, done.stderr
        found.append(_utilities(folder / f"{name}.csv"))
    return *found, done.stderr


FILES = ("--predictions", "predicted.parquet")
WITH_GOLD = (*FILES, "--known", "gold.csv")


@pytest.mark.parametrize(("kind", "task", "form"), CASES)
def test_predictions_of_every_kind_are_ranked_as_in_memory(tmp_path, kind, task, form):
    _write(tmp_path, kind, task, form)
    chosen = ("--decide", "measure") if task == SINGLE else ()
    named = ("--kind", KINDS.get(kind, kind)) if kind in ("logits", "scores") else ()
    if (kind, form) == ("probabilities", "wide"):
        named = ("--kind", kind)
    memory, stored, said = _both(tmp_path, *WITH_GOLD, *chosen, *named)
    assert len(stored) == ALL - KNOWN  # those whose true labels are known are not ranked
    assert stored == pytest.approx(memory, rel=1e-6)
    assert ("each document gets exactly one" in said) == (task == SINGLE)
    what = "labels with confidences" if kind == "confidences" else kind
    assert f"{what} of 5 classes" in said


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_one_label_is_chosen_for_the_measure_where_the_scores_are_stored(tmp_path, method):
    made = _made(SINGLE)
    for name, scores in (("all", made.scores), ("oof", made.oof_scores)):
        table = stored_table(scores, "logits", SINGLE, "long").rename_columns(
            ["document", "class", "score"]
        )
        pq.write_table(table, tmp_path / f"{name}.parquet")
    np.savez(tmp_path / "y.npz", labels=made.y_train)
    side = ("--oof-scores", "oof.parquet", "--train-labels", "y.npz", "--method", method)
    memory, stored, _ = _both(
        tmp_path, "--scores", "all.parquet", *side, "--single-label", "--decide", "measure"
    )
    assert stored == pytest.approx(memory, rel=1e-6)
    signs, *_ = _both(tmp_path, "--scores", "all.parquet", *side, "--single-label")
    assert signs != pytest.approx(memory, rel=1e-2)


def test_out_of_fold_predictions_of_the_same_kind_take_the_place_of_known_documents(tmp_path):
    made = _write(tmp_path, "probabilities", MULTI, "wide")
    rows = pq.read_table(tmp_path / "predicted.parquet")
    pq.write_table(rows[KNOWN:], tmp_path / "predicted.parquet")
    oof = np.column_stack([rows[f"c{j}"][:KNOWN] for j in range(5)])
    np.save(tmp_path / "oof.npy", oof)
    np.save(tmp_path / "y.npy", made.y_train)
    pq.write_table(rows[:KNOWN], tmp_path / "oof.parquet")
    kind = (*FILES, "--kind", "probabilities", "--train-labels", "y.npy")
    few = (*kind, "--threshold", "0.3")
    memory, stored, _ = _both(tmp_path, *few, "--oof-scores", "oof.parquet")
    assert stored == pytest.approx(memory, rel=1e-6)
    output = ("--top", ALL, "-o", "matrix.csv", "--engine", "duckdb")
    done = run("rank", *few, "--oof-scores", "oof.npy", *output, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert _utilities(tmp_path / "matrix.csv") == stored


def test_thresholds_and_classes_come_from_files(tmp_path):
    _write(tmp_path, "probabilities", MULTI, "wide")
    rows = pq.read_table(tmp_path / "predicted.parquet")
    more = rows.append_column("length", pa.array(range(ALL))).rename_columns(
        ["key", *rows.column_names[1:], "length"]
    )
    pq.write_table(more, tmp_path / "predicted.parquet")
    (tmp_path / "gold.csv").write_text(
        (tmp_path / "gold.csv").read_text().replace("id,", "key,", 1)
    )
    (tmp_path / "t.json").write_text('{"c0": 0.9, "c3": 0.2}')
    (tmp_path / "classes.txt").write_text("\n".join(f"c{j}" for j in range(5)))
    given = ("--kind", "probabilities", "--classes", "classes.txt", "--id-column", "key")
    memory, stored, _ = _both(tmp_path, *WITH_GOLD, *given, "--threshold", "t.json")
    assert stored == pytest.approx(memory, rel=1e-6)
    other, *_ = _both(tmp_path, *WITH_GOLD, *given)
    assert other != pytest.approx(memory, rel=1e-2)


def test_known_documents_may_have_predictions_of_their_own(tmp_path):
    _write(tmp_path, "labels", MULTI, "joined")
    rows = pq.read_table(tmp_path / "predicted.parquet")
    pq.write_table(rows[KNOWN:], tmp_path / "predicted.parquet")
    gold = (tmp_path / "gold.csv").read_text().splitlines()
    labels = ["labels", *rows["labels"].to_pylist()[:KNOWN]]
    lines = [f"{line},{one}" for line, one in zip(gold, labels, strict=True)]
    (tmp_path / "gold.csv").write_text("\n".join(lines))
    memory, stored, _ = _both(tmp_path, *WITH_GOLD)
    assert len(stored) == ALL - KNOWN
    assert stored == pytest.approx(memory, rel=1e-6)


def test_the_whole_order_of_a_pattern_of_files_is_written_and_steps_are_named(tmp_path):
    _write(tmp_path, "labels", MULTI, "labels")
    rows = pq.read_table(tmp_path / "predicted.parquet")
    (tmp_path / "answers").mkdir()
    for k in range(2):
        pq.write_table(rows[200 * k : 200 * (k + 1)], tmp_path / "answers" / f"{k}.parquet")
    given = ("--predictions", "answers/*.parquet", "--known", "gold.csv", "-o", "order.parquet")
    done = run("rank", *given, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert pq.read_table(tmp_path / "order.parquet")["rank"].to_pylist() == list(range(1, 101))
    steps = [
        "opening the predictions",
        "reading the documents with known labels",
        "answers/*.parquet: labels of 5 classes",
        "a document may have any number of labels",
        "estimating from 300 documents with known labels",
        "ranking",
        "writing",
        "wrote order.parquet",
    ]
    lines = [line.removeprefix("satc: ") for line in done.stderr.splitlines()]
    assert [line[: len(step)] for line, step in zip(lines, steps, strict=True)] == steps


def test_a_terminal_shows_how_many_documents_are_written(tmp_path):
    _write(tmp_path, "labels", MULTI, "labels")
    given = (*WITH_GOLD, "--engine", "duckdb", "-o", "order.parquet", "--method", "baseline")
    done = run("rank", *given, cwd=tmp_path, FORCE_COLOR="1", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert done.stderr.index("estimating from") < done.stderr.index("ranking")
    assert "100%" in done.stderr[done.stderr.index("writing") :]


def _twice(rows):
    return pa.concat_tables([rows, rows[:1]])


def _unlike(rows):
    return rows.set_column(0, "document", pa.array([f"x{i}" for i in range(ALL)]))


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (_twice, (), "one row for each document, but document 'd00000' has 2"),
        (_unlike, (), "predictions must have one of document 'd00000', but have none"),
        (lambda rows: rows.rename_columns(["document", "c0"]), (), "say --kind scores"),
        (lambda rows: rows.rename_columns(["doc", "labels"]), (), "ids in the column 'document'"),
        (None, ("--classes", "few.txt"), "must be among the classes"),
        (None, ("--threshold", "0.3"), "threshold is for probabilities and logits"),
        (None, ("--absent", "2"), "absent must be left out for labels"),
    ],
)
def test_stored_predictions_that_cannot_be_ranked_are_one_line(tmp_path, change, options, message):
    _write(tmp_path, "labels", MULTI, "labels")
    (tmp_path / "few.txt").write_text("c0\nc1\nc2\nc3\n")
    if change is not None:
        rows = pq.read_table(tmp_path / "predicted.parquet")
        pq.write_table(change(rows), tmp_path / "predicted.parquet")
    done = run("rank", *WITH_GOLD, "--engine", "duckdb", *options, cwd=tmp_path)
    done = done._replace(stderr=_without_found(done.stderr))
    refused(done, message)


def _without_found(lines):
    """Leave out the two lines that say what was found."""
    found = ("5 classes", "any number of labels")
    return "\n".join(line for line in lines.splitlines() if not any(one in line for one in found))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--documents", "new.csv"), "--documents needs predictions in memory"),
        (("--opinion", "llm=x.csv"), "--opinion needs predictions in memory"),
        (("--closed",), "--closed needs predictions in memory"),
        (("--none-class", "other"), "--none-class needs predictions in memory"),
        (("--oof-scores", "o.npy", "--train-labels", "y.npy"), "must not be given together"),
        (("--features", "v.parquet"), "must be given together"),
    ],
)
def test_options_that_need_predictions_in_memory_are_refused(tmp_path, options, message):
    _write(tmp_path, "labels", MULTI, "labels")
    done = run("rank", *WITH_GOLD, "--engine", "duckdb", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_out_of_fold_predictions_of_another_kind_are_refused(tmp_path):
    made = _write(tmp_path, "labels", MULTI, "labels")
    np.save(tmp_path / "oof.npy", made.oof_scores)
    np.save(tmp_path / "y.npy", made.y_train)
    side = ("--oof-scores", "oof.npy", "--train-labels", "y.npy", "--engine", "duckdb")
    done = run("rank", *FILES, *side, cwd=tmp_path)
    assert done.returncode == 1
    assert "labels must be 0 or 1" in done.stderr
