"""Commands take labels in several columns, give what they give for a list, and write them again."""

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commanding import command as run

from made import make
from texts_made import TOPICS, invented

NAMES = list(TOPICS)
WIDE = ("--label-columns", "topic_*")
ANSWERS = ("--labels-column", "code1,code2")


def write_rows(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Labelled documents in three shapes, and new ones that have columns of labels, too."""
    path = tmp_path_factory.mktemp("shapes")
    texts, labels = invented(120)
    wide = [f"topic_{name}" for name in NAMES]
    sets = [[wide[j] for j in np.flatnonzero(row)] for row in labels]
    plain = [
        (f"d{i}", text, "|".join(names))
        for i, (text, names) in enumerate(zip(texts, sets, strict=True))
    ]
    write_rows(path / "list.csv", ["id", "text", "labels"], plain)
    cells = [["x" if value else "" for value in row] for row in labels]
    write_rows(
        path / "wide.csv",
        ["id", "text", *wide, "age"],
        [(*one[:2], *row, i) for i, (one, row) in enumerate(zip(plain, cells, strict=True))],
    )
    answers = [
        (*one[:2], *names, *[""] * (2 - len(names))) for one, names in zip(plain, sets, strict=True)
    ]
    write_rows(path / "answers.csv", ["id", "text", "code1", "code2"], answers)
    texts, labels = invented(30, seed=1)
    write_rows(
        path / "new.csv",
        ["id", "text", *wide],
        [
            (f"n{i}", text, *row.astype(int))
            for i, (text, row) in enumerate(zip(texts, labels, strict=True))
        ],
    )
    return path


def rank(folder, train, *options):
    files = ("--train", f"{train}.csv", "--documents", "new.csv", "--folds", 3)
    return run("rank", *files, "--method", "u-theoretic", *options, cwd=folder)


@pytest.mark.parametrize(("train", "options"), [("wide", WIDE), ("answers", ANSWERS)])
def test_rank_gives_what_it_gives_for_a_list(folder, train, options):
    wanted, found = rank(folder, "list", "--json"), rank(folder, train, *options, "--json")
    assert found.returncode == 0, found.stderr
    assert found.stdout == wanted.stdout
    first = json.loads(found.stdout)[0]
    assert {"topic_corn", "topic_oil", "topic_rates"} <= set(first)  # those of new.csv come back


def test_the_same_shape_has_a_column_for_each_class(folder):
    wanted = {row["document"]: row for row in json.loads(rank(folder, "list", "--json").stdout)}
    done = rank(folder, "wide", *WIDE, "--same-shape", "-o", "wide_ranked.csv")
    assert done.returncode == 0, done.stderr
    for row in rows_of(folder / "wide_ranked.csv"):
        predicted = [
            name for name in wanted["n0"] if name.startswith("topic_") and row[name] == "1"
        ]
        assert predicted == wanted[row["document"]]["predicted"]
        assert row["topic_oil_input"] == wanted[row["document"]]["topic_oil"]
        assert "predicted" not in row


def test_the_same_shape_has_answer_columns(folder):
    wanted = {row["document"]: row for row in json.loads(rank(folder, "list", "--json").stdout)}
    done = rank(folder, "answers", *ANSWERS, "--same-shape", "-o", "answers_ranked.csv")
    assert done.returncode == 0, done.stderr
    rows = rows_of(folder / "answers_ranked.csv")
    columns = [name for name in rows[0] if name.startswith("predicted")]
    most = max(len(row["predicted"]) for row in wanted.values())
    assert columns == [f"predicted{k}" for k in range(1, most + 1)]
    for row in rows:
        predicted = [row[name] for name in columns if row[name]]
        assert predicted == wanted[row["document"]]["predicted"]


def test_the_screen_shows_one_column(folder):
    done = rank(folder, "wide", *WIDE, "--same-shape")
    assert done.stdout.split()[:4] == ["rank", "document", "utility", "predicted"]


@pytest.mark.parametrize(
    ("train", "options", "code", "message"),
    [
        ("wide", (), 1, "--label-columns topic_corn,topic_oil,topic_rates"),
        ("wide", ("--label-columns", "q*"), 1, "must have a column that matches 'q*'"),
        ("wide", ("--label-columns", "topic_*,age"), 1, "wide.csv, line 4: 'age' must be 0 or 1"),
        ("wide", (*WIDE, "--labels-column", "age"), 2, "must not be given together"),
        ("list", ("--same-shape",), 2, "--same-shape needs --label-columns, or several"),
    ],
)
def test_what_cannot_be_meant_is_refused(folder, train, options, code, message):
    done = rank(folder, train, *options)
    assert done.returncode == code
    assert " ".join(message.split()) in " ".join(done.stderr.replace("│", " ").split())


def test_a_class_with_the_name_of_another_column_is_refused_before_training(folder, tmp_path):
    rows = [{"utility" if k == "topic_oil" else k: v for k, v in row.items()} for row in
            rows_of(folder / "wide.csv")]  # fmt: skip
    write_rows(tmp_path / "other.csv", rows[0], [row.values() for row in rows])
    names = ("--label-columns", "topic_*,utility")
    done = rank(folder, tmp_path / "other", *names, "--same-shape", "-o", tmp_path / "out.csv")
    assert done.returncode == 1
    assert "but the class 'utility' has one of them" in done.stderr
    assert "training" not in done.stderr
    assert rank(folder, tmp_path / "other", *names).returncode == 0


def test_a_column_without_yes_is_named(folder, tmp_path):
    rows = [row | {"topic_none": ""} for row in rows_of(folder / "wide.csv")]
    write_rows(tmp_path / "none.csv", rows[0], [row.values() for row in rows])
    done = rank(folder, tmp_path / "none", *WIDE, "--json")
    note = "no document has a yes in the column 'topic_none', so there is no such class"
    assert note in done.stderr
    assert done.stdout == rank(folder, "list", "--json").stdout


def test_score_reads_label_columns(folder, tmp_path):
    for name, options in (("list", ()), ("wide", WIDE)):
        files = ("--train", f"{name}.csv", "--documents", "new.csv", "--folds", 3)
        output = ("-o", tmp_path / name, "--decide", "sign")
        done = run("score", *files, *options, *output, cwd=folder)
        assert done.returncode == 0, done.stderr
    assert pq.read_table(tmp_path / "list").equals(pq.read_table(tmp_path / "wide"))


@pytest.fixture(scope="module")
def project(folder):
    files = ("--train", "wide.csv", "--documents", "new.csv", "--folds", 3)
    done = run("create", "p.satc", *files, *WIDE, "--method", "u-theoretic", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "3 classes: topic_corn, topic_oil, topic_rates" in done.stderr
    return folder / "p.satc"


def exported(project, name, *options):
    done = run("export", project, "-o", project.parent / name, *options)
    assert done.returncode == 0, done.stderr
    return project.parent / name


def test_an_export_has_the_same_labels_in_every_shape(project):
    plain = {row["id"]: row["satc_labels"] for row in rows_of(exported(project, "e.csv"))}
    wide = rows_of(exported(project, "wide_e.csv", "--label-columns", "*"))
    names = [f"topic_{name}" for name in NAMES]
    assert {row["id"]: "|".join(n for n in names if row[n] == "1") for row in wide} == plain
    assert [row["topic_corn_input"] for row in wide] == [
        row["topic_corn"] for row in rows_of(project.parent / "new.csv")
    ]
    answers = rows_of(exported(project, "answers_e.csv", "--labels-column", "code*"))
    columns = [name for name in answers[0] if name.startswith("code")]
    assert {row["id"]: "|".join(filter(None, map(row.get, columns))) for row in answers} == plain
    assert len(columns) == max(labels.count("|") + 1 for labels in plain.values())


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_decisions_come_back_from_every_shape(project, ending, tmp_path):
    table = pa.table({"id": ["n0", "n1"], "topic_corn": [1, 0], "topic_oil": [0, 0],
                      "topic_rates": [1, 0], "who": ["ann", "bob"]})  # fmt: skip
    path = tmp_path / f"done.{ending}"
    rows = table.to_pylist()
    if ending == "csv":
        write_rows(path, table.column_names, [row.values() for row in rows])
    elif ending == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        pq.write_table(table, path)
    copy = tmp_path / "copy.satc"
    copy.write_bytes(project.read_bytes())
    assert run("import", copy, path, "--label-columns", "*").stdout.startswith("2 decisions")
    for name, option in (("w.csv", ("--label-columns", "*")), ("a.csv", ("--labels-column", "k*"))):
        again = exported(copy, name, *option)
        assert run("import", copy, again, *option).stdout.startswith("0 decisions")
    found = {row["id"]: row["satc_labels"] for row in rows_of(exported(copy, "l.csv"))}
    assert (found["n0"], found["n1"]) == ("topic_corn|topic_rates", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--label-columns and --labels-column read labels from several columns"),
        (("--label-columns", "topic_corn"), "must name all classes, so that no label is lost"),
        (("--label-columns", "*"), "must have a column named 'topic_oil', as --label-columns says"),
        (("--label-columns", "price"), "must have a column named 'price'"),
        (("--labels-column", "code*"), "must have a column that matches 'code*'"),
    ],
)
def test_an_import_that_could_lose_labels_is_refused(project, tmp_path, options, message):
    path = tmp_path / "done.csv"
    write_rows(path, ["id", "topic_corn", "topic_rates"], [("n0", 1, 0)])
    done = run("import", project, path, *options)
    assert done.returncode == 1
    assert message in done.stderr


@pytest.fixture(scope="module")
def matrices(tmp_path_factory):
    """Scores, out-of-fold scores and true labels: as matrices, and with a column per class."""
    path = tmp_path_factory.mktemp("matrices")
    made = make(60, n_train=200, seed=3)
    names = [f"c{j}" for j in range(5)]
    for name, scores, labels in (
        ("test", made.scores, made.y_true),
        ("train", made.oof_scores, made.y_train),
    ):
        ids = [f"{name}{i:03}" for i in range(len(scores))]
        long = {"document": np.repeat(ids, 5), "class": np.tile(names, len(ids))}
        pq.write_table(pa.table(long | {"score": scores.ravel()}), path / f"{name}.parquet")
        listed = ["|".join(np.array(names)[row]) for row in labels]
        write_rows(path / f"{name}.csv", ["id", "labels"], zip(ids, listed, strict=True))
        wide = [(one, *np.where(row, "yes", "no")) for one, row in zip(ids, labels, strict=True)]
        write_rows(path / f"{name}_wide.csv", ["id", *names], wide)
        p = 1 / (1 + np.exp(-2 * scores))
        predictions = [(one, *row) for one, row in zip(ids, p.round(6), strict=True)]
        write_rows(path / f"{name}_predicted.csv", ["id", *names], predictions)
    every = [*rows_of(path / "train_predicted.csv"), *rows_of(path / "test_predicted.csv")]
    write_rows(path / "predicted.csv", every[0], [row.values() for row in every])
    return path


SIDE = ("--oof-scores", "train.parquet", "--method", "u-theoretic")


def test_scores_take_true_labels_in_columns(matrices):
    wide = ("--label-columns", "c?")
    for first in (
        ("rank", *SIDE, "--scores", "test.parquet", "--json"),
        ("rank", *SIDE, "--scores", "test.parquet", "--json", "--engine", "duckdb"),
    ):
        plain = run(*first, "--train-labels", "train.csv", cwd=matrices)
        found = run(*first, "--train-labels", "train_wide.csv", *wide, cwd=matrices)
        assert found.returncode == 0, found.stderr
        assert found.stdout == plain.stdout


def test_simulate_takes_true_labels_in_columns(matrices):
    first = ("simulate", *SIDE, "--scores", "test.parquet", "--json")
    plain = run(*first, "--train-labels=train.csv", "--labels=test.csv", cwd=matrices)
    files = ("--train-labels=train_wide.csv", "--labels=test_wide.csv")
    found = run(*first, *files, "--label-columns", "c*", cwd=matrices)
    assert found.returncode == 0, found.stderr
    assert found.stdout == plain.stdout


def test_known_documents_have_true_labels_in_columns(matrices):
    (matrices / "known.csv").write_text(
        (matrices / "train.csv").read_text().replace("labels", "true_labels", 1)
    )
    first = ("rank", "--predictions", "predicted.csv", "--json", "--method", "u-theoretic")
    plain = run(*first, "--known", "known.csv", cwd=matrices)
    found = run(*first, "--known", "train_wide.csv", "--label-columns", "c*", cwd=matrices)
    assert found.returncode == 0, found.stderr
    assert found.stdout == plain.stdout
    assert len(json.loads(found.stdout)) == 60
    without = run(*first, "--known", "train_wide.csv", cwd=matrices)
    assert without.stderr.rstrip().endswith("--label-columns c0,c1,c2,c3,c4")
    simulated = ("simulate", "--predictions", "predicted.csv", "--json", "--method", "u-theoretic")
    plain = run(*simulated, "--known", "known.csv", "--labels", "test.csv", cwd=matrices)
    files = ("--known", "train_wide.csv", "--labels", "test_wide.csv")
    found = run(*simulated, *files, "--label-columns", "c*", cwd=matrices)
    assert found.returncode == 0, found.stderr
    assert found.stdout == plain.stdout


def test_answer_columns_hold_predicted_and_known_labels(matrices):
    def answers(name, column):
        listed = rows_of(matrices / f"{name}.csv")
        cells = [[row["id"], *row["labels"].split("|"), *[""] * 5][:6] for row in listed]
        write_rows(
            matrices / f"{name}_{column}.csv", ["id", *(f"{column}{k}" for k in range(5))], cells
        )

    answers("test", "code")
    answers("train", "code")
    rows = [*rows_of(matrices / "test.csv"), *rows_of(matrices / "train.csv")]
    write_rows(matrices / "all.csv", rows[0], [row.values() for row in rows])
    rows = [*rows_of(matrices / "test_code.csv"), *rows_of(matrices / "train_code.csv")]
    write_rows(matrices / "all_code.csv", rows[0], [row.values() for row in rows])
    first = ("rank", "--json", "--method", "u-theoretic", "--predictions")
    plain = run(*first, "all.csv", "--known", "train.csv", cwd=matrices)
    files = ("all_code.csv", "--known", "train_code.csv", "--labels-column", "code*")
    found = run(*first, *files, cwd=matrices)
    assert found.returncode == plain.returncode == 0, found.stderr + plain.stderr
    assert found.stdout == plain.stdout


def test_the_best_part_of_a_stored_set_remembers_the_label_columns(matrices, tmp_path):
    rows = [(f"test{i:03}", "text") for i in range(60)]
    write_rows(matrices / "documents.csv", ["id", "text"], rows)
    files = ("--documents", "documents.csv", "--scores", "test.parquet", "--top", 5)
    labels = ("--train-labels", "train_wide.csv", "--label-columns", "c*")
    done = run("create", tmp_path / "part.satc", *files, *SIDE, *labels, cwd=matrices)
    assert done.returncode == 0, done.stderr
    assert "5 documents are ready" in done.stdout
    shown = run("configure", tmp_path / "part.satc", "--json")
    assert json.loads(shown.stdout)["stored"]["label_columns"] == "c*"
