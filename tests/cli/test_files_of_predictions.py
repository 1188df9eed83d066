"""What the commands say about predictions: the task, what is left out, what is missing."""

import json

import numpy as np
import pytest
from commanding import command as run

CLASSES = ("card", "fee", "refund")


@pytest.fixture
def folder(tmp_path):
    """60 documents with a softmax over three classes, and their true labels without texts."""
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(3), 60)
    p[:, 2] = 1 - p[:, 0].round(4) - p[:, 1].round(4)
    rows = [f"d{i},{','.join(f'{x:.4f}' for x in row)}" for i, row in enumerate(p)]
    (tmp_path / "wide.csv").write_text("\n".join([f"id,{','.join(CLASSES)}", *rows]) + "\n")
    truth = [f"d{i},{CLASSES[rng.choice(3, p=row / row.sum())]}" for i, row in enumerate(p)]
    (tmp_path / "truth.csv").write_text("\n".join(["id,labels", *truth]) + "\n")
    texts = [f"d{i},hello {i}" for i in range(20)]
    (tmp_path / "few.csv").write_text("\n".join(["id,text", *texts]) + "\n")
    return tmp_path


def said(done):
    return " ".join(done.stderr.replace("│", " ").split())


def test_simulate_leaves_out_the_default_methods_that_need_training_documents(folder):
    given = ("simulate", "--predictions", "wide.csv", "--labels", "truth.csv", "--json")
    done = run(*given, cwd=folder)
    assert [row["method"] for row in json.loads(done.stdout)] == ["contextual", "oracle2", "random"]
    line = "no training documents are known, so without the methods u-theoretic, baseline"
    assert done.stderr.count(line) == 1


@pytest.mark.parametrize("command", ["rank", "simulate", "create"])
@pytest.mark.parametrize("method", ["baseline", "u-theoretic"])
def test_a_named_method_without_training_documents_has_a_way_out(folder, command, method):
    more = {
        "rank": ("rank",),
        "simulate": ("simulate", "--labels", "truth.csv"),
        "create": ("create", "x.satc", "--documents", "few.csv"),
    }[command]
    done = run(*more, "--predictions", "wide.csv", "--method", method, cwd=folder)
    assert done.returncode == 1
    ways = "give --known or --oof-scores with --train-labels, or take --method contextual"
    assert f"method '{method}' needs oof_scores and y_train" in said(done)
    assert ways in said(done)


def test_a_true_class_that_was_never_predicted_names_its_line_and_the_option(folder):
    path = folder / "truth.csv"
    path.write_text(path.read_text().replace("d3,card", "d3,x").replace("d3,fee", "d3,x"))
    path.write_text(path.read_text().replace("d3,refund", "d3,x"))
    given = ("simulate", "--predictions", "wide.csv", "--labels", "truth.csv")
    done = run(*given, cwd=folder)
    assert done.returncode == 1
    assert "truth.csv, line 5: document 'd3' has the label 'x'" in said(done)
    assert "--classes FILE" in said(done)


@pytest.mark.parametrize("command", ["rank", "create"])
def test_predictions_without_a_document_are_counted(folder, command):
    more = ("rank", "--decide", "measure") if command == "rank" else ("create", "x.satc")
    done = run(*more, "--predictions", "wide.csv", "--documents", "few.csv", cwd=folder)
    assert done.returncode == 0
    line = "40 of 60 predictions in wide.csv have no document in few.csv, and are left out"
    assert said(done).count(line) == 1
    if command == "rank":
        assert "satc chooses them when enough is known" in said(done)


def test_the_task_is_said_whichever_it_is(folder):
    one = run("rank", "--predictions", "wide.csv", cwd=folder)
    assert "each document gets exactly one: --multi-label" in said(one)
    assert "satc chooses them" not in said(one)
    (folder / "several.csv").write_text("id,x,y\na,0.8,0.7\nb,0.2,0.1\n")
    several = run("rank", "--predictions", "several.csv", cwd=folder)
    line = "a document may have any number of labels: --single-label if it has exactly one"
    assert line in said(several)
    named = run("rank", "--predictions", "several.csv", "--multi-label", cwd=folder)
    assert line not in said(named)


@pytest.mark.parametrize("command", ["rank", "simulate", "create"])
def test_scores_without_a_sign_are_refused_by_every_command(folder, command):
    np.save(folder / "p.npy", np.random.default_rng(1).uniform(0, 100, (20, 3)))
    np.save(folder / "y.npy", np.ones((20, 3), dtype=bool))
    more = {
        "rank": ("rank", "--multi-label"),
        "simulate": ("simulate", "--labels", "y.npy"),
        "create": ("create", "x.satc", "--documents", "few.csv", "--multi-label"),
    }[command]
    done = run(*more, "--scores", "p.npy", cwd=folder)
    assert done.returncode == 1
    assert "p.npy must have scores below 0" in said(done)
    assert "--kind probabilities" in said(done)


def test_a_threshold_may_be_a_percentage(folder):
    (folder / "several.csv").write_text("id,x,y\na,0.4,0.7\nb,0.2,0.1\n")
    given = ("rank", "--predictions", "several.csv", "--json", "--threshold")
    done = {one: json.loads(run(*given, one, cwd=folder).stdout) for one in ("30%", "0.3")}
    assert done["30%"] == done["0.3"]
    assert {row["document"]: row["predicted"] for row in done["30%"]} == {"a": ["x", "y"], "b": []}
    wrong = run(*given, "130%", cwd=folder)
    assert "above 0 and below 1, but is 130%" in said(wrong)


def test_a_table_as_scores_points_to_predictions(folder):
    done = run("rank", "--scores", "wide.csv", cwd=folder)
    assert done.returncode == 1
    assert "--predictions wide.csv --kind scores" in said(done)
