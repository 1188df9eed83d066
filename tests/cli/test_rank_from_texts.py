import csv
import json

import pytest
from commanding import command
from typer.testing import CliRunner

from satc.cli import app
from satc.errors import DataError
from texts_made import TOPICS, write_texts

FOLDS = ("--folds", "3")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("texts")
    write_texts(path / "labelled.csv", 150, labelled=True)
    write_texts(path / "new.csv", 40, seed=1)
    return path


def rank(folder, *options):
    files = ("--train", str(folder / "labelled.csv"), "--documents", str(folder / "new.csv"))
    return CliRunner().invoke(app, ["rank", *files, *FOLDS, *map(str, options)])


@pytest.fixture(scope="module")
def rows(folder):
    done = rank(folder, "-o", folder / "ranked.csv")
    assert done.exit_code == 0, done.output
    assert "training and cross-validating on 150 documents" in done.stderr
    with (folder / "ranked.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_ranked_documents_have_what_a_person_needs(rows):
    names = "rank document utility predicted doubtful probability_wrong text rank_input"
    assert list(rows[0]) == names.split()
    assert [row["rank"] for row in rows] == [str(place) for place in range(1, 41)]
    utilities = [float(row["utility"]) for row in rows]
    assert utilities == sorted(utilities, reverse=True)
    assert {label for row in rows for label in row["predicted"].split("|")} <= {*TOPICS, ""}
    assert {row["doubtful"] for row in rows} <= set(TOPICS)


def test_no_cell_is_a_formula_for_a_spreadsheet(rows):
    assert {row["document"] for row in rows} == {f"'={i}" for i in range(40)}
    assert all(row["text"].startswith("'=A") for row in rows)


def test_the_doubtful_class_is_the_one_that_adds_most(folder, rows):
    from satc.files import read_documents
    from satc.texts.learner_source import LearnerSource

    source = LearnerSource(folder / "labelled.csv", folder / "new.csv", folds=3)
    trained = source.prepare(lambda step, done=0: None)
    ranking = trained.rank(read_documents(folder / "new.csv"), decide="measure")
    assert [row["document"] for row in rows] == [f"'={i}" for i in ranking.order]
    for row, i in zip(rows[:5], ranking.order, strict=False):
        first = ranking.explain(i)[0]
        assert row["doubtful"] == trained.classes[first.class_index]
        assert float(row["probability_wrong"]) == pytest.approx(first.error_probability, abs=1e-4)


def test_programs_get_lists_and_all_columns(folder):
    done = rank(folder, "--top", 3, "--json", "--method", "u-theoretic")
    found = json.loads(done.stdout)
    assert len(found) == 3
    assert isinstance(found[0]["predicted"], list)
    assert found[0]["text"].startswith("=A")


def test_the_screen_shows_no_texts_and_a_random_order_no_doubts(folder):
    done = rank(folder, "--method", "random")
    assert done.stdout.split()[:4] == ["rank", "document", "utility", "predicted"]
    assert "barrel" not in done.stdout
    assert "doubtful" not in done.stdout
    assert "and 20 more" in done.stderr


def test_the_columns_and_the_separator_have_the_users_names(tmp_path):
    lines = [f"{i}\tgood wine\tboth;yes\n{i + 1}\tbad wine\tboth\n" for i in range(0, 12, 2)]
    (tmp_path / "a.tsv").write_text("key\tsaid\tcodes\n" + "".join(lines))
    names = ("--id-column", "key", "--text-column", "said", "--labels-column", "codes")
    done = CliRunner().invoke(
        app,
        [
            *("rank", "--train", str(tmp_path / "a.tsv"), "--documents", str(tmp_path / "a.tsv")),
            *(*names, "--separator", ";", *FOLDS, "--method", "random"),
            *("-o", str(tmp_path / "ranked.tsv")),
        ],
    )
    assert done.exit_code == 0, done.output
    assert "both;yes" in (tmp_path / "ranked.tsv").read_text()


@pytest.mark.parametrize(
    "options",
    [
        ("--train", "a.csv"),
        ("--documents", "a.csv"),
        ("--train", "a.csv", "--documents", "b.csv", "--scores", "c.npy"),
        ("--train", "a.csv", "--documents", "b.csv", "--engine", "duckdb"),
    ],
)
def test_texts_and_scores_are_two_ways(options):
    done = CliRunner().invoke(app, ["rank", *options])
    assert done.exit_code == 2
    said = " ".join(done.stderr.replace("│", " ").split())
    assert "either --train and --documents are needed, or --predictions, or --scores" in said


def test_a_fault_in_the_documents_is_found_before_training(folder, tmp_path):
    (tmp_path / "new.csv").write_text("id,text\n1,a\n1,b\n")
    done = CliRunner().invoke(
        app,
        ["rank", "--train", "none.csv", "--documents", str(tmp_path / "new.csv")],
    )
    assert isinstance(done.exception, DataError)
    assert "'1' stands in line 2" in str(done.exception)


def test_texts_without_words_are_named(tmp_path):
    rows = [f"{i},1 2 3,{'ab'[i % 2]}\n" for i in range(12)]
    (tmp_path / "train.csv").write_text("id,text,labels\n" + "".join(rows))
    (tmp_path / "new.csv").write_text("id,text\n1,wheat\n")
    files = ("--train=train.csv", "--documents=new.csv")
    done = command("rank", *files, "--learner=svm", cwd=tmp_path)
    assert done.returncode == 1
    assert "train.csv must have texts with words to learn from, but has none" in done.stderr


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Labels with the separator of CSV in them, and documents that have labels already."""
    folder = tmp_path_factory.mktemp("odd")
    rows = [
        {"id": str(i), "text": ["wheat corn", "oil gas"][i % 2], "labels": [["a|b"], ["c"]][i % 2]}
        for i in range(12)
    ]
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "new.csv").write_text("id,text,labels\n1,wheat corn, x|y\n2,oil gas,\n")
    return folder


ODD = ("--train=train.jsonl", "--documents=new.csv", "--folds=2")


def test_a_label_that_csv_cannot_hold_is_refused_by_name(odd):
    several = (*ODD, "--multi-label", "--method=random")
    done = command("rank", *several, "-o", "ranked.csv", cwd=odd)
    assert done.returncode == 1
    assert "labels must be free of '|'" in done.stderr
    assert "a|b" in command("rank", *several, cwd=odd).stdout


def test_csv_holds_any_label_where_there_is_exactly_one(odd):
    done = command("rank", *ODD, "--method=random", "-o", "ranked.csv", cwd=odd)
    assert done.returncode == 0, done.stderr
    with (odd / "ranked.csv").open(newline="") as file:
        assert {row["document"]: row["predicted"] for row in csv.DictReader(file)} == {
            "1": "a|b",
            "2": "c",
        }


def test_labels_that_the_documents_have_come_back_as_they_are(odd):
    done = command("rank", *ODD, "--method=random", "--json", cwd=odd)
    assert {row["document"]: row["labels"] for row in json.loads(done.stdout)} == {
        "1": " x|y",
        "2": "",
    }
    assert command("create", "p.satc", *ODD, "--method=random", cwd=odd).returncode == 0
    assert command("export", "p.satc", "-o", "out.jsonl", cwd=odd).returncode == 0
    rows = map(json.loads, (odd / "out.jsonl").read_text().splitlines())
    assert [row["labels"] for row in rows] == [" x|y", ""]
